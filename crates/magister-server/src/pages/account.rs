//! Plain pages to sign in and out.

use axum::Extension;
use axum::extract::{Form, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Redirect};
use serde::Deserialize;

use super::{App, Page, base, page};
use crate::limits::Client;

pub(super) async fn show() -> Page {
    let at = base();
    let body = format!(
        "<form method=\"post\" action=\"{at}/signin\"><p><label>Name <input name=\"name\" \
         autocomplete=\"username\" required></label></p><p><label>Password <input \
         name=\"password\" type=\"password\" autocomplete=\"current-password\" required></label></p>\
         <p><button>Sign in</button></p></form>"
    );
    Ok(page("Sign in", &body, false).into_response())
}

#[derive(Deserialize)]
pub(super) struct SignInForm {
    name: String,
    password: String,
}

pub(super) async fn sign_in(
    State(site): App,
    Extension(client): Extension<Client>,
    Form(form): Form<SignInForm>,
) -> Page {
    let (cookie, _) = crate::api::sign_in(&site, &form.name, form.password, &client).await?;
    let home = Redirect::to(&format!("{}/", base()));
    Ok(([(header::SET_COOKIE, cookie)], home).into_response())
}
