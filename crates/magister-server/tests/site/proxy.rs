//! A site behind a reverse proxy, under a path and a public name.

use crate::common::App;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_below_the_path() {
    let app = App::with(|config| config.base_path = "/club/games/".to_owned()).await;
    let (status, about) = app.call("GET", "/club/games/api/about", None, None).await;
    assert_eq!((status, &about["name"]), (StatusCode::OK, &json!("Magister")));
    for outside in ["/", "/api/about", "/club", "/club/gamesx/api/about"] {
        let (status, _) = app.page(outside, None).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{outside}");
    }
    let (status, _) = app.page("/club/games", None).await;
    assert_eq!(status, StatusCode::PERMANENT_REDIRECT);
    let plain = if magister_server::has_client() { "/plain" } else { "" };
    let (status, page) = app.page(&format!("/club/games{plain}/games/tictactoe"), None).await;
    assert_eq!(status, StatusCode::OK);
    for part in page.split(" href=\"").chain(page.split(" action=\"")).skip(1) {
        assert!(
            !part.starts_with('/') || part.starts_with("/club/games/") || part.starts_with("<!"),
            "{part:.60}"
        );
    }
    let form = Request::post(format!("/club/games{plain}/play/tictactoe"))
        .header("content-type", "application/x-www-form-urlencoded");
    let answer = app.send(form.body(Body::from("role=0&level=beginner")).unwrap()).await;
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    let target = answer.headers()["location"].to_str().unwrap();
    assert!(target.starts_with(&format!("/club/games{plain}/match/")), "{target}");
    assert!(answer.headers()["set-cookie"].to_str().unwrap().contains("Path=/club/games/;"));
    if magister_server::has_client() {
        let (_, start) = app.page("/club/games/games/tictactoe", None).await;
        assert!(start.contains("src=\"/club/games/assets/"), "{start}");
        assert!(start.contains("name=\"base\" content=\"/club/games\""), "{start}");
        let script = start.split("src=\"").nth(2).or(start.split("src=\"").nth(1)).unwrap();
        let script = script.split('"').next().unwrap();
        assert_eq!(app.page(script, None).await.0, StatusCode::OK, "{script}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_public_origin_is_our_own() {
    let app = App::with(|config| {
        config.accounts = true;
        config.public_origin = Some("https://games.example/".to_owned());
        config.limits.sign_in_tries = 2.0;
    })
    .await;
    let password = app.site.accounts.make_admin(&app.site.hub.store, "admin").await.unwrap();
    let sign_in = |host: &str, origin: &str, forwarded: &str, password: &str| {
        Request::post("/api/session")
            .header("content-type", "application/json")
            .header("host", host)
            .header("origin", origin)
            .header("x-forwarded-for", forwarded)
            .body(Body::from(json!({"name": "admin", "password": password}).to_string()))
            .unwrap()
    };
    let (ours, here) = ("https://games.example", "127.0.0.1:9876");
    let answer = app.send(sign_in(here, ours, "192.0.2.1", &password)).await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert!(answer.headers()["set-cookie"].to_str().unwrap().contains("; Secure"));
    for (host, origin) in [
        (here, "https://evil.example"),
        (here, "https://evil.games.example"),
        ("evil.example", ours),
        ("evil.example", "https://evil.example"),
    ] {
        let answer = app.send(sign_in(host, origin, "192.0.2.1", &password)).await;
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{host} {origin}");
    }
    // Attempts are counted by the address that the proxy saw, not by one that a visitor forged.
    for forwarded in ["192.0.2.7", "203.0.113.5, 192.0.2.7", "x, 192.0.2.7"] {
        let answer = app.send(sign_in("games.example", ours, forwarded, "wrong")).await;
        let expected = if forwarded.starts_with('x') {
            StatusCode::TOO_MANY_REQUESTS
        } else {
            StatusCode::UNAUTHORIZED
        };
        let status = answer.status();
        let body = to_bytes(answer.into_body(), 1 << 16).await.unwrap();
        assert_eq!(status, expected, "{forwarded}: {}", String::from_utf8_lossy(&body));
    }
}
