//! Hostile input: everything is refused with a clear error, or harmless.

use std::time::Duration;

use crate::common::App;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn garbage_and_huge_bodies() {
    let app = App::new().await;
    for path in [
        "/api/matches",
        "/api/check",
        "/api/games",
        "/api/analyze",
        "/api/infoset",
        "/api/tournaments",
        "/api/players",
        "/api/trainings",
        "/api/uploads",
    ] {
        for body in ["", "{", "[]", "null", "{\"text\": 1}", "\u{0}\u{1}", "{\"game\":{}}"] {
            let request = Request::post(path).header("content-type", "application/json");
            let response = app.send(request.body(Body::from(body)).unwrap()).await;
            assert!(response.status().is_client_error(), "{path} {body:?}: {}", response.status());
            let bytes = to_bytes(response.into_body(), 1 << 20).await.unwrap();
            let error: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            assert!(error["error"].is_string() && error["code"].is_string(), "{path} {body:?}");
        }
        let request = Request::post(path).header("content-type", "text/plain");
        let response = app.send(request.body(Body::from("{}")).unwrap()).await;
        assert_eq!(response.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE, "{path}");
        let big = format!("{{\"text\": \"{}\"}}", "x".repeat(2 << 20));
        let request = Request::post(path).header("content-type", "application/json");
        let response = app.send(request.body(Body::from(big)).unwrap()).await;
        assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE, "{path}");
    }
    let nested = "[".repeat(100_000);
    let request = Request::post("/api/matches").header("content-type", "application/json");
    let response = app.send(request.body(Body::from(nested)).unwrap()).await;
    assert!(response.status().is_client_error());
    let long = json!({"text": "(role x) ".repeat(80_000)});
    assert_eq!(app.refused("/api/check", None, long).await.0, StatusCode::PAYLOAD_TOO_LARGE);
    let player = json!({"name": "big", "text": "// x\n".repeat(120_000)});
    assert_eq!(app.refused("/api/uploads", None, player).await.0, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test(flavor = "multi_thread")]
async fn deep_and_explosive_rules() {
    let app = App::with(|config| {
        config.limits.prepare = Duration::from_secs(2);
        config.limits.step = Duration::from_secs(2);
    })
    .await;
    let deep = format!("(role x) (init {}a{})", "(f ".repeat(50_000), ")".repeat(50_000));
    let found = app.post("/api/check", None, json!({"text": deep})).await;
    assert_eq!(found["playable"], false);
    let numbers: String = (0..40).map(|n| format!("(n {n})")).collect();
    let variables: String = (0..8).map(|n| format!(" ?x{n}")).collect();
    let bodies: String = (0..8).map(|n| format!(" (n ?x{n})")).collect();
    let explosive = format!(
        "(role x) {numbers} (<= (legal x (go{variables})){bodies}) (init start) \
         (<= (next (at ?m)) (does x ?m)) (<= terminal (true (at ?m))) (goal x 100)"
    );
    let (status, answer) = app
        .call("POST", "/api/matches", None, Some(json!({"rules": explosive, "mode": "standalone"})))
        .await;
    assert!(!status.is_success(), "{answer}");
    // As many facts as fit, and rules that never reach an end.
    let facts: String = (0..40_000).map(|n| format!("(f {n})")).collect();
    let huge = format!(
        "{facts} (role x) (init (at 0)) (<= (legal x (go ?n)) (f ?n)) (<= (next (at ?n)) \
         (does x (go ?n))) (<= terminal (true (at 1))) (goal x 100)"
    );
    let endless = "(role x) (init (at z)) (legal x go) (<= (next (at (s ?n))) (true (at ?n))) \
         (<= terminal (true (at never))) (goal x 0)";
    for rules in [huge.as_str(), endless] {
        let order = json!({"rules": rules, "seats": [{"player": "random"}]});
        let (status, answer) = app.call("POST", "/api/matches", None, Some(order)).await;
        // A match that the rules never end is broken off after a number of turns.
        assert!(!status.is_server_error() || answer["error"].is_string(), "{answer}");
    }
    // The site is still running.
    assert_eq!(app.get("/api/about").await["name"], "Magister");
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_in_names_are_text() {
    let app = App::new().await;
    let evil = "<script>alert(1)</script>";
    let rules = "(role a) (role b) (init (cell \"<img>\")) (<= (legal a x) (role a)) \
         (<= (legal b x) (role b)) (<= (legal a y) (role a)) (<= (next done) (does a x)) \
         (<= (next done) (does a y)) (<= terminal (true done)) (goal a 100) (goal b 0)";
    let order = json!({"rules": rules, "mode": "match",
        "seats": [{"kind": "person", "player": evil}, {"kind": "person", "player": evil}]});
    let (status, made) = app.call("POST", "/api/matches", None, Some(order)).await;
    let game = app.post("/api/games", None, json!({"name": evil, "text": SMALL})).await;
    let name = game["name"].as_str().unwrap();
    for path in ["/games".to_owned(), format!("/games/{name}"), "/matches".to_owned()] {
        let (_, page) = app.page(&path, None).await;
        assert!(!page.contains(evil), "{path}");
    }
    if status.is_success() {
        let id = made["id"].as_str().unwrap();
        let (_, page) = app.page(&format!("/match/{id}"), None).await;
        assert!(!page.contains(evil), "{page}");
    }
    let response = app.send(Request::get("/games").body(Body::empty()).unwrap()).await;
    let policy = response.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("default-src 'self'") && policy.contains("script-src 'self'"));
}

const SMALL: &str = "(role one) (init (heap 2)) (<= (legal one (take 1)) (true (heap ?n)))
(<= (next done) (true (heap 2)) (does one (take 1))) (<= terminal (true done)) (goal one 100)";

#[tokio::test(flavor = "multi_thread")]
async fn paths_and_names_lead_nowhere_else() {
    let app = App::new().await;
    for path in [
        "/../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/assets/../../Cargo.toml",
        "/api/games/..%2F..%2FCargo.toml",
        "/api/games/%2Fetc%2Fpasswd",
        "/api/games/Cargo.toml",
        "/api/matches/..%2F..",
        "/api/unknown",
        "/games/..%2Fchess",
    ] {
        let (status, text) = app.page(path, None).await;
        assert!(status == StatusCode::NOT_FOUND || !text.contains("[package]"), "{path}: {text}");
        assert!(!text.contains("root:"), "{path}");
    }
    for player in [
        "td:file=/etc/passwd",
        "td:file=site.db",
        "human",
        "uct:memory=100000",
        "council:threads=64",
        "no-such-player",
    ] {
        let order = json!({"game": "tictactoe",
            "seats": [{"kind": "person"}, {"kind": "player", "player": player}]});
        let (status, _) = app.refused("/api/matches", None, order).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{player}");
    }
    let order = json!({"game": "kuhn-poker",
        "seats": [{"kind": "person"}, {"kind": "player", "player": "clairvoyant"}]});
    assert_eq!(app.refused("/api/matches", None, order).await.0, StatusCode::UNPROCESSABLE_ENTITY);
    let order = json!({"game": "tictactoe",
        "seats": [{"kind": "person"}, {"kind": "remote", "address": "file:///etc/passwd"}]});
    assert_eq!(app.refused("/api/matches", None, order).await.0, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_tokens_and_wrong_moves() {
    let app = App::new().await;
    let order = json!({"game": "tictactoe", "seats": [{"kind": "person"}, {"kind": "person"}]});
    let made = app.post("/api/matches", None, order.clone()).await;
    let other = app.post("/api/matches", None, order).await;
    let id = made["id"].as_str().unwrap();
    let (first, second) =
        (made["seats"][0]["token"].as_str().unwrap(), made["seats"][1]["token"].as_str().unwrap());
    let foreign = other["seats"][0]["token"].as_str().unwrap();
    let path = format!("/api/matches/{id}/moves");
    let order = json!({"ply": 0, "move": "(put 1 1)"});
    for (token, expected) in [
        (None, StatusCode::UNAUTHORIZED),
        (Some("guess"), StatusCode::FORBIDDEN),
        (Some(foreign), StatusCode::FORBIDDEN),
        (Some(second), StatusCode::CONFLICT),
    ] {
        let (status, _) = app.refused(&path, token, order.clone()).await;
        assert_eq!(status, expected, "{token:?}");
    }
    for text in ["(put 9 9)", "", "((((", "mark", &"x".repeat(10_000)] {
        let wrong = json!({"ply": 0, "move": text});
        let (status, answer) = app.call("POST", &path, Some(first), Some(wrong)).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{answer}");
        assert!(!answer["suggestions"].as_array().unwrap().is_empty(), "{answer}");
    }
    let stale = json!({"ply": 7, "move": "(put 1 1)"});
    assert_eq!(app.refused(&path, Some(first), stale).await.1, "stale");
    app.post(&path, Some(first), order).await;
    let (status, _) = app.call("GET", &format!("/api/matches/{id}"), Some("guess"), None).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    let (status, _) = app.call("GET", &format!("/api/matches/{id}/plies/99"), None, None).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    let (status, _) = app.call("GET", "/api/matches/nothing", None, None).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn other_sites_and_floods_are_refused() {
    let app = App::with(|config| {
        config.limits.rate = 0.001;
        config.limits.burst = 6.0;
    })
    .await;
    let post = |origin: &str, host: &str| {
        let request = Request::post("/api/check").header("content-type", "application/json");
        let request = request.header("host", host).header("origin", origin);
        request.body(Body::from("{\"text\": \"\"}")).unwrap()
    };
    let evil = app.send(post("http://evil.example", "localhost:9876")).await;
    assert_eq!(evil.status(), StatusCode::FORBIDDEN);
    let rebound = app.send(post("http://evil.example:9876", "evil.example:9876")).await;
    assert_eq!(rebound.status(), StatusCode::FORBIDDEN);
    let own = app.send(post("http://localhost:9876", "localhost:9876")).await;
    assert_eq!(own.status(), StatusCode::OK);
    let mut last = StatusCode::OK;
    for _ in 0..8 {
        last = app.page("/api/about", None).await.0;
    }
    assert_eq!(last, StatusCode::TOO_MANY_REQUESTS);
}
