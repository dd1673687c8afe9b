//! The web client, embedded in the program.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use include_dir::{Dir, include_dir};

use crate::{ApiError, Site};

static CLIENT: Dir<'_> = include_dir!("$OUT_DIR/client");

/// Whether the client is part of the program.
pub fn has_client() -> bool {
    CLIENT.get_file("index.html").is_some()
}

/// Serves the files of the client, and its start page for every other address.
pub(crate) fn router() -> Router<Arc<Site>> {
    Router::new().fallback(get(file))
}

/// Serves a file of the client, or its start page.
pub(crate) async fn file(State(site): State<Arc<Site>>, request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/');
    if path != "index.html"
        && let Some(response) = find(path, request.headers())
    {
        return response;
    }
    // A missing file is an error; everything else is an address of the client.
    let last = path.rsplit('/').next().unwrap_or_default();
    if path.starts_with("assets/") || path.starts_with("api") && last.contains('.') {
        return ApiError::missing("there is no such file").into_response();
    }
    let Some(page) = start_page(&site.base_path) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    // The client shows that the page does not exist; programs read the status.
    let first = path.split('/').next().unwrap_or_default();
    let status = if PAGES.contains(&first) { StatusCode::OK } else { StatusCode::NOT_FOUND };
    (status, page).into_response()
}

/// The first parts of the client's addresses. A test compares them with the client's.
const PAGES: &[&str] = &[
    "",
    "about",
    "account",
    "admin",
    "analysis",
    "api",
    "check",
    "games",
    "help",
    "leaderboard",
    "manager",
    "match",
    "matches",
    "metagame",
    "play",
    "players",
    "puzzles",
    "signin",
    "standalone",
    "student",
    "style",
    "tournaments",
    "training",
];

/// The start page. It is built with relative URLs; these become absolute here, because only the
/// server knows the path under which a proxy serves the site.
fn start_page(base: &str) -> Option<Response> {
    let text = CLIENT.get_file("index.html")?.contents_utf8()?;
    let text = text.replace("=\"./", &format!("=\"{base}/")).replace(
        "<meta name=\"base\" content=\"\"",
        &format!("<meta name=\"base\" content=\"{base}\""),
    );
    let headers = [(header::CONTENT_TYPE, kind("index.html")), (header::CACHE_CONTROL, "no-cache")];
    Some((headers, text).into_response())
}

/// A file of the client. Paths are names inside the program, so nothing else can be reached.
fn find(path: &str, headers: &HeaderMap) -> Option<Response> {
    let file = CLIENT.get_file(path)?;
    let packed = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.contains("gzip"))
        .then(|| CLIENT.get_file(format!("{path}.gz")))
        .flatten();
    // Names of built files contain a hash of their contents.
    let cache = if path.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let body = packed.unwrap_or(file).contents();
    let mut response = ([(header::CONTENT_TYPE, kind(path)), (header::CACHE_CONTROL, cache)], body)
        .into_response();
    if packed.is_some() {
        let value = header::HeaderValue::from_static("gzip");
        response.headers_mut().insert(header::CONTENT_ENCODING, value);
    }
    let vary = header::HeaderValue::from_static("accept-encoding");
    response.headers_mut().insert(header::VARY, vary);
    Some(response)
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        "txt" | "md" => "text/plain; charset=utf-8",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::PAGES;

    #[test]
    fn the_server_knows_the_addresses_of_the_client() {
        let router = include_str!("../web/src/lib/router.svelte.ts");
        let routes = router.lines().filter_map(|line| line.trim().strip_prefix("route(\"/"));
        let first: BTreeSet<&str> =
            routes.filter_map(|route| route.split(['/', '"']).next()).collect();
        assert_eq!(first, PAGES.iter().copied().collect());
    }
}
