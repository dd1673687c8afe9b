//! Plain pages, rendered by the server, for a program that was built without the client. They need
//! no script: every game can be played with links, forms and buttons.

mod account;
mod games;
mod lists;
mod matches;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use magister_games::catalogue;

use crate::accounts::Visitor;
use crate::words::escape;
use crate::{ApiError, Site};

type App = State<Arc<Site>>;
type Page = Result<Response, Failure>;

/// The pages.
pub(crate) fn router(site: &Arc<Site>) -> Router<Arc<Site>> {
    Router::new()
        .route("/", get(games::front))
        .route("/games", get(games::games))
        .route("/games/{name}", get(games::game))
        .route("/play/{name}", get(games::game).post(games::play))
        .route("/standalone/{name}", get(games::game))
        .route("/match/{id}", get(matches::one_match))
        .route("/match/{id}/move", post(matches::make_move))
        .route("/match/{id}/act", post(matches::act))
        .route("/matches", get(lists::matches))
        .route("/leaderboard", get(lists::leaderboard))
        .route("/signin", get(account::show).post(account::sign_in))
        .fallback(get(|| async { Failure(ApiError::missing("there is no such page")) }))
        .layer(middleware::from_fn_with_state(Arc::clone(site), finish))
}

/// Adds the parts that depend on the site and on the visitor: the path of a proxy before all URLs,
/// and the CSRF token in all forms. Text of users contains no quotation marks here, because it is
/// escaped.
async fn finish(
    State(site): State<Arc<Site>>,
    visitor: Visitor,
    request: Request,
    next: Next,
) -> Response {
    let response = next.run(request).await;
    let base = &site.base_path;
    if base.is_empty() && visitor.csrf.is_none() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let target = parts.headers.get(header::LOCATION).and_then(|value| value.to_str().ok());
    if let Some(target) = target.map(|target| format!("{base}{target}"))
        && let Ok(value) = HeaderValue::from_str(&target)
    {
        parts.headers.insert(header::LOCATION, value);
    }
    let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if !kind.is_some_and(|kind| kind.starts_with("text/html")) {
        return Response::from_parts(parts, body);
    }
    let Ok(bytes) = axum::body::to_bytes(body, usize::MAX).await else {
        return ApiError::unavailable("the page could not be created").into_response();
    };
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if !base.is_empty() {
        for attribute in ["href", "action", "src"] {
            text = text.replace(&format!(" {attribute}=\"/"), &format!(" {attribute}=\"{base}/"));
        }
    }
    if let Some(csrf) = &visitor.csrf {
        let field = format!("<input type=\"hidden\" name=\"csrf\" value=\"{csrf}\">");
        text = add_to_forms(&text, &field);
    }
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(text))
}

/// Puts a field at the beginning of each form that is posted.
fn add_to_forms(text: &str, field: &str) -> String {
    let mut parts = text.split("<form ");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        all.push_str("<form ");
        match part.split_once('>') {
            Some((head, rest)) if head.contains("method=\"post\"") => {
                all.extend([head, ">", field, rest]);
            }
            _ => all.push_str(part),
        }
    }
    all
}

/// The prefix of the URLs of these pages.
pub(crate) fn base() -> &'static str {
    if crate::has_client() { "/plain" } else { "" }
}

/// The title of a game of the catalogue, or its name.
pub(crate) fn title(name: &str) -> String {
    let base = name.split('/').next().unwrap_or(name);
    catalogue::find(base).map_or_else(|| name.to_owned(), |entry| entry.card.title.clone())
}

/// An error as a page.
struct Failure(ApiError);

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Failure(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let text = escape(self.0.message());
        let at = base();
        let body = format!("<p>{text}</p><p><a href=\"{at}/games\">All games</a></p>");
        (self.0.status(), page("Not possible", &body, false)).into_response()
    }
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;\
padding:0 1rem 3rem;background:#fff;color:#1a1a1a}nav a{margin-right:1rem;display:inline-block}select,input,button{font:inherit;max-width:100%}a{color:#1a5a96}\
table{border-collapse:collapse}td,th{padding:.2rem .8rem .2rem 0;text-align:left;vertical-align:top}\
.board{position:relative;max-width:100%}.board svg{display:block;width:100%;height:auto}\
.board button,.board a{position:absolute;background:none;border:2px solid transparent;padding:0;\
cursor:pointer}.board button:hover,.board a:hover,.board button:focus,.board a:focus{\
border-color:#1a5a96}.board .on{border-color:#2f7d4f}.moves button{margin:.15rem;padding:.3rem .6rem}\
.hint{color:#555}pre{overflow:auto;background:#f4f1ea;padding:.6rem}\
@media(prefers-color-scheme:dark){body{background:#1c1c1c;color:#e8e8e8}a{color:#8bbbe8}\
pre{background:#2a2a2a}.board svg{background:#f7f3ea}.hint{color:#aaa}}";

/// A whole page.
fn page(title: &str, body: &str, refresh: bool) -> Html<String> {
    let title = escape(title);
    let at = base();
    let home = if at.is_empty() { "/" } else { at };
    let again = if refresh { "<meta http-equiv=\"refresh\" content=\"2\">" } else { "" };
    Html(format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">{again}\
         <title>{title} - Magister</title><style>{STYLE}</style></head><body>\
         <nav aria-label=\"Site\"><p><a href=\"{home}\">Magister</a><a href=\"{at}/games\">Games</a>\
         <a href=\"{at}/matches\">Matches</a><a href=\"{at}/leaderboard\">Leaderboard</a>\
         <a href=\"/api/openapi.json\">API</a></p></nav><main><h1>{title}</h1>{body}</main>\
         <footer><p class=\"hint\">{CLIENT}</p></footer></body></html>",
        CLIENT = if crate::has_client() {
            "These are the plain pages for browsers without scripts."
        } else {
            "These are the plain pages: install Node 20 or later and build Magister again to get \
             the full client."
        }
    ))
}
