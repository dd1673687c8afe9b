//! Identifies the sender of a request, and checks that the request was not forged.

use axum::body::Body;
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use magister_store::{Account, AccountRole, SqlStore};
use serde_json::{Value, json};

use super::{Accounts, password};
use crate::{ApiError, Site};

/// The cookie of a session.
const COOKIE: &str = "magister-session";

/// The sender of a request.
#[derive(Clone, Debug, Default)]
pub struct Visitor {
    /// The account, if the visitor is signed in.
    pub account: Option<Account>,
    /// The CSRF token that requests of this browser must repeat.
    pub(crate) csrf: Option<String>,
    /// The secret of the session, to end it.
    pub(crate) token: Option<String>,
    pub(crate) trusted: bool,
}

impl Visitor {
    /// The id of the account as the owner of uploads; empty if the visitor is not signed in.
    pub fn owner(&self) -> &str {
        self.account.as_ref().map_or("", |account| &account.id)
    }

    /// Whether this visitor may administer the site.
    pub fn is_admin(&self) -> bool {
        self.trusted
            || self.account.as_ref().is_some_and(|account| account.role == AccountRole::Admin)
    }

    /// Refuses visitors who may not administer the site.
    pub fn admin(&self) -> Result<(), ApiError> {
        if self.is_admin() {
            return Ok(());
        }
        Err(ApiError::forbidden("this is for administrators of the site"))
    }

    /// The account of a visitor who is signed in.
    pub fn signed_in(&self) -> Result<&Account, ApiError> {
        self.account.as_ref().ok_or_else(sign_in_first)
    }

    /// Whether this visitor may change or delete the property of an owner.
    pub fn may_change(&self, owner: &str) -> Result<(), ApiError> {
        if self.is_admin() || (!owner.is_empty() && owner == self.owner()) {
            return Ok(());
        }
        Err(ApiError::forbidden("this belongs to someone else"))
    }

    /// The visitor, in the format of the client.
    pub(crate) fn json(&self, accounts: &Accounts) -> Value {
        let account = self.account.as_ref().map(describe);
        json!({
            "accounts": accounts.required, "account": account, "csrf": self.csrf,
            "admin": self.is_admin(),
        })
    }
}

/// The public part of an account.
pub(crate) fn describe(account: &Account) -> Value {
    json!({
        "id": account.id, "name": account.name, "role": account.role.name(),
        "disabled": account.is_disabled, "created": account.created_ms,
    })
}

impl<S: Send + Sync> FromRequestParts<S> for Visitor {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        Ok(parts.extensions.get::<Visitor>().cloned().unwrap_or_default())
    }
}

fn sign_in_first() -> ApiError {
    let what = "sign in first; guests have read-only access to this site";
    ApiError::new(StatusCode::UNAUTHORIZED, "sign-in", what)
}

/// The value of a cookie.
pub(crate) fn cookie(headers: &HeaderMap, wanted: &str) -> Option<String> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, _)| *name == wanted)
        .map(|(_, value)| value.to_owned())
}

/// The value of a field of a form whose values need no decoding.
fn field<'a>(form: &'a [u8], wanted: &str) -> Option<&'a str> {
    let text = std::str::from_utf8(form).ok()?;
    let pair = text.split('&').filter_map(|pair| pair.split_once('='));
    pair.into_iter().find(|(name, _)| *name == wanted).map(|(_, value)| value)
}

impl Site {
    /// The header that sets the session cookie of a browser, or removes it.
    pub(crate) fn session_cookie(&self, token: Option<&str>) -> String {
        let path = if self.base_path.is_empty() { "/" } else { &self.base_path };
        let secure = if self.is_https() { "; Secure" } else { "" };
        let age = token.map_or(0, |_| super::SESSION_MS / 1000);
        let value = token.unwrap_or_default();
        format!("{COOKIE}={value}; Path={path}; HttpOnly; SameSite=Strict; Max-Age={age}{secure}")
    }

    /// Identifies the sender of a request. A request that changes something needs the necessary
    /// rights and the CSRF token of the session.
    pub(crate) async fn identify(&self, request: Request) -> Result<(Visitor, Request), ApiError> {
        if !self.accounts.required {
            let visitor = Visitor { trusted: self.accounts.trusting, ..Visitor::default() };
            return Ok((visitor, request));
        }
        let store: &SqlStore = &self.hub.store;
        let bearer = request.headers().get(header::AUTHORIZATION);
        let bearer = bearer.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        let (token, browser) = match bearer {
            Some(token) => (Some(token.trim().to_owned()), false),
            None => (cookie(request.headers(), COOKIE), true),
        };
        let found = match &token {
            Some(token) => self.accounts.session(store, token).await?,
            None => None,
        };
        // A cookie is not accepted as the token of a program, nor vice versa.
        let found = found.filter(|(session, _)| session.csrf_token.is_empty() != browser);
        let visitor = match found {
            Some((session, account)) => Visitor {
                account: Some(account),
                csrf: browser.then_some(session.csrf_token),
                token,
                trusted: false,
            },
            None if !browser => {
                let what = "this token is not valid; create a new one on the page of your account";
                return Err(ApiError::new(StatusCode::UNAUTHORIZED, "token", what));
            }
            None => Visitor::default(),
        };
        let signs_in = request.method() == Method::POST
            && matches!(request.uri().path(), "/api/session" | "/signin" | "/plain/signin");
        if request.method().is_safe() || signs_in {
            return Ok((visitor, request));
        }
        visitor.signed_in()?;
        let Some(expected) = visitor.csrf.clone() else { return Ok((visitor, request)) };
        let given = request.headers().get("x-csrf-token").and_then(|value| value.to_str().ok());
        if let Some(given) = given {
            return matching(&expected, given).map(|()| (visitor, request));
        }
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !kind.starts_with("application/x-www-form-urlencoded") {
            return Err(wrong_csrf());
        }
        let (parts, body) = request.into_parts();
        let bytes = axum::body::to_bytes(body, self.hub.limits.body).await.map_err(|_| {
            let what = format!("the body may have at most {} bytes", self.hub.limits.body);
            ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", what)
        })?;
        matching(&expected, field(&bytes, "csrf").unwrap_or_default())?;
        Ok((visitor, Request::from_parts(parts, Body::from(bytes))))
    }
}

fn matching(expected: &str, given: &str) -> Result<(), ApiError> {
    if password::same(expected, given) { Ok(()) } else { Err(wrong_csrf()) }
}

fn wrong_csrf() -> ApiError {
    let what = "the request lacks the token of this session in x-csrf-token; reload the page";
    ApiError::new(StatusCode::FORBIDDEN, "csrf", what)
}
