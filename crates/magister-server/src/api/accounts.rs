//! Signing in and out, and the visitor's account.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use magister_store::{Archive as _, Session};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, App, Body};
use crate::accounts::Visitor;
use crate::limits::{ACCOUNT, Client};
use crate::{ApiError, Site};

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/session", get(session).post(begin).delete(end))
        .route("/account", get(account).delete(delete))
        .route("/account/password", post(change_password))
        .route("/account/token", post(make_token))
}

async fn session(State(site): App, visitor: Visitor) -> Answer {
    Ok(Json(visitor.json(&site.accounts)))
}

#[derive(Deserialize)]
struct SignIn {
    name: String,
    password: String,
}

/// Signs in. Returns the cookie header and the visitor.
pub(crate) async fn sign_in(
    site: &Site,
    name: &str,
    password: String,
    client: &Client,
) -> Result<(String, Visitor), ApiError> {
    if !site.accounts.required {
        return Err(ApiError::conflict("open", "this site has no accounts; everyone may use it"));
    }
    let signed = site.accounts.sign_in(&site.hub.store, name, password, client.address).await?;
    Ok(enter(site, signed))
}

fn enter(site: &Site, signed: crate::accounts::SignedIn) -> (String, Visitor) {
    let cookie = site.session_cookie(Some(&signed.token));
    let visitor =
        Visitor { account: Some(signed.account), csrf: Some(signed.csrf), ..Visitor::default() };
    (cookie, visitor)
}

async fn begin(
    State(site): App,
    Extension(client): Extension<Client>,
    Body(body): Body<SignIn>,
) -> Result<Response, ApiError> {
    let (cookie, visitor) = sign_in(&site, &body.name, body.password, &client).await?;
    Ok(([(header::SET_COOKIE, cookie)], Json(visitor.json(&site.accounts))).into_response())
}

async fn end(State(site): App, visitor: Visitor) -> Result<Response, ApiError> {
    if let Some(token) = &visitor.token {
        site.hub.store.remove_session(&Session::hash_token(token)).await?;
    }
    let cookie = site.session_cookie(None);
    let guest = Visitor::default().json(&site.accounts);
    Ok(([(header::SET_COOKIE, cookie)], Json(guest)).into_response())
}

/// The usage and the quota of an account.
pub(super) async fn usage(site: &Site, id: &str) -> Result<Value, ApiError> {
    let uploads = site.hub.store.uploads(Some(id)).await?;
    let count = |kind: &str| uploads.iter().filter(|one| one.kind == kind).count();
    let bytes: usize = uploads.iter().map(|one| one.content.len()).sum();
    let client = format!("{ACCOUNT}{id}");
    let live = site.loaded();
    let running = live.iter().filter(|live| live.client == client && !live.is_over()).count();
    let quota = site.accounts.quotas().of(Some(id));
    let used = json!({
        "games": count("game"), "players": count("player"), "matches": running, "bytes": bytes,
    });
    Ok(json!({"quota": quota, "used": used}))
}

async fn account(State(site): App, visitor: Visitor) -> Answer {
    let account = visitor.signed_in()?;
    let mut all = usage(&site, &account.id).await?;
    all["account"] = crate::accounts::describe(account);
    Ok(Json(all))
}

#[derive(Deserialize)]
struct ChangePassword {
    old: String,
    new: String,
}

async fn change_password(
    State(site): App,
    visitor: Visitor,
    Extension(client): Extension<Client>,
    Body(body): Body<ChangePassword>,
) -> Result<Response, ApiError> {
    let account = visitor.signed_in()?;
    let store = &site.hub.store;
    let (old, new, from) = (body.old, body.new, client.address);
    let signed = site.accounts.change_password(store, account, old, new, from).await?;
    let (cookie, visitor) = enter(&site, signed);
    Ok(([(header::SET_COOKIE, cookie)], Json(visitor.json(&site.accounts))).into_response())
}

async fn make_token(State(site): App, visitor: Visitor) -> Result<Response, ApiError> {
    let account = visitor.signed_in()?;
    let token = site.accounts.program_token(&site.hub.store, account).await?;
    Ok((StatusCode::CREATED, Json(json!({"token": token}))).into_response())
}

#[derive(Deserialize)]
struct Confirm {
    password: String,
}

async fn delete(
    State(site): App,
    visitor: Visitor,
    Extension(client): Extension<Client>,
    Body(body): Body<Confirm>,
) -> Result<Response, ApiError> {
    let account = visitor.signed_in()?;
    site.accounts.confirm(account, body.password, client.address).await?;
    super::admin::delete_account(&site, account).await?;
    let cookie = site.session_cookie(None);
    Ok(([(header::SET_COOKIE, cookie)], Json(json!({"deleted": account.name}))).into_response())
}
