//! The plain pages play games without a script.

use crate::common::App;
use axum::body::Body;
use axum::http::{Request, StatusCode};

/// The value of the first attribute of this name.
fn attribute<'a>(page: &'a str, before: &str) -> Option<&'a str> {
    let start = page.find(before)? + before.len();
    page[start..].split('"').next()
}

fn unescape(text: &str) -> String {
    text.replace("&quot;", "\"").replace("&#39;", "'").replace("&lt;", "<").replace("&amp;", "&")
}

fn encode(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

async fn submit(app: &App, path: &str, cookie: &str, body: String) -> axum::http::Response<Body> {
    let request = Request::post(path)
        .header("content-type", "application/x-www-form-urlencoded")
        .header("cookie", cookie);
    app.send(request.body(Body::from(body)).unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_is_played_with_forms() {
    if magister_server::has_client() {
        println!("SKIPPED: the client is embedded, so there are no plain pages");
        return;
    }
    let app = App::new().await;
    let (status, front) = app.page("/", None).await;
    assert_eq!(status, StatusCode::OK);
    assert!(front.contains("install Node") && front.contains("/games/connect-four"));
    let (_, list) = app.page("/games", None).await;
    assert!(list.contains("Nine Men") || list.contains("/games/nine-mens-morris"));
    let (_, about) = app.page("/games/connect-four", None).await;
    assert!(about.contains("<svg") && about.contains("Start"));
    let response = submit(&app, "/play/connect-four", "", "role=0&level=beginner".into()).await;
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    let cookie = response.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let place = response.headers()["location"].to_str().unwrap().to_owned();
    for _ in 0..3 {
        let mut page = String::new();
        for _ in 0..1_000 {
            page = app.page(&place, Some(&cookie)).await.1;
            if page.contains("name=\"move\"") || page.contains("is over") {
                break;
            }
            assert!(page.contains("http-equiv=\"refresh\""), "{page}");
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        if page.contains("is over") {
            return;
        }
        // The cells into which discs fall are buttons.
        assert!(page.matches("name=\"move\"").count() >= 14, "{page}");
        let ply = attribute(&page, "name=\"ply\" value=\"").unwrap();
        let choice = unescape(attribute(&page, "name=\"move\" value=\"").unwrap());
        let body = format!("ply={ply}&role=0&move={}", encode(&choice));
        let response = submit(&app, &format!("{place}/move"), &cookie, body).await;
        assert_eq!(response.status(), StatusCode::SEE_OTHER);
    }
    let response = submit(&app, &format!("{place}/act"), &cookie, "action=resign".into()).await;
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    let (_, page) = app.page(&place, Some(&cookie)).await;
    assert!(page.contains("is over") && page.contains("play again"), "{page}");
    let (status, page) = app.page("/nothing", None).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert!(page.contains("All games"));
}
