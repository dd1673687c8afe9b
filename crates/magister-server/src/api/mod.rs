//! The HTTP API.

mod accounts;
mod admin;
mod events;
mod games;
mod matches;
mod players;
mod results;
mod tools;
mod training;
mod uploads;

use std::sync::Arc;

use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Json, Router, middleware};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower::ServiceExt as _;

pub(crate) use accounts::sign_in;
pub(crate) use matches::{MatchFilter, again, listed, on_match};

use crate::limits::guard;
use crate::{ApiError, Site, assets, pages};

type App = State<Arc<Site>>;
type Answer = Result<Json<Value>, ApiError>;

/// The pages and the API of a site.
pub fn router(site: &Arc<Site>) -> Router {
    let api = Router::new()
        .merge(accounts::routes())
        .merge(admin::routes())
        .merge(events::routes())
        .merge(games::routes())
        .merge(matches::routes())
        .merge(players::routes())
        .merge(results::routes())
        .merge(tools::routes())
        .merge(training::routes())
        .merge(uploads::routes())
        .fallback(|| async {
            ApiError::missing("the API has no such call; /api/openapi.json describes all")
        });
    // `/api` itself is the page that documents the calls.
    let api = if assets::has_client() { api.route("/", get(assets::file)) } else { api };
    // With the client, the plain pages are for browsers without scripts.
    let pages = if assets::has_client() {
        let home = get(|| async { Redirect::permanent("../plain") });
        assets::router().nest("/plain", pages::router(site)).route("/plain/", home)
    } else {
        pages::router(site)
    };
    let all = Router::new()
        .nest("/api", api)
        .route("/metrics", get(results::metrics))
        .merge(pages)
        .layer(DefaultBodyLimit::max(site.hub.limits.body))
        .layer(middleware::from_fn_with_state(Arc::clone(site), guard))
        .with_state(Arc::clone(site));
    if site.base_path.is_empty() {
        return all;
    }
    let base = site.base_path.clone();
    Router::new().fallback(move |request| under(base.clone(), all.clone(), request))
}

/// Handles requests below a path as if it were the root. Proxies pass on URLs with the path.
async fn under(base: String, inner: Router, mut request: Request) -> Response {
    let address = request.uri().path_and_query().map_or("/", |all| all.as_str());
    let rest = match address.strip_prefix(&base) {
        Some("") => return Redirect::permanent(&format!("{base}/")).into_response(),
        Some(rest) if rest.starts_with(['/', '?']) => rest,
        _ => return ApiError::missing(format!("the site is at {base}/")).into_response(),
    };
    let rest = if rest.starts_with('?') { format!("/{rest}") } else { rest.to_owned() };
    match rest.parse::<Uri>() {
        Ok(uri) => *request.uri_mut() = uri,
        Err(_) => return StatusCode::BAD_REQUEST.into_response(),
    }
    match inner.oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// A JSON body. Invalid JSON gives an error in our format.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Arc<Site>> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, site: &Arc<Site>) -> Result<Self, ApiError> {
        match Json::<T>::from_request(request, site).await {
            Ok(Json(body)) => Ok(Body(body)),
            Err(JsonRejection::BytesRejection(error)) => {
                let (status, most) = (error.status(), site.hub.limits.body);
                let what = if status == StatusCode::PAYLOAD_TOO_LARGE {
                    format!("the body of a request may have at most {most} bytes")
                } else {
                    error.body_text()
                };
                Err(ApiError::new(status, "body", what))
            }
            Err(error) => {
                let text: String = error.body_text().chars().take(300).collect();
                Err(ApiError::new(error.status(), "json", text))
            }
        }
    }
}

/// The query of a URL. An invalid query gives an error in our format.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<Arc<Site>> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, ApiError> {
        let query: Result<_, QueryRejection> =
            axum::extract::Query::<T>::from_request_parts(parts, site).await;
        match query {
            Ok(axum::extract::Query(query)) => Ok(Query(query)),
            Err(error) => Err(ApiError::bad(error.body_text())),
        }
    }
}

/// The token of a seat.
pub(crate) fn token(headers: &HeaderMap) -> Option<String> {
    headers.get("x-seat").and_then(|value| value.to_str().ok()).map(str::to_owned)
}
