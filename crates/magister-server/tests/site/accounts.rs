//! Accounts: sessions, CSRF tokens, roles, quotas, ownership, administration.

use crate::common::{App, Browser};
use axum::body::Body;
use axum::http::{Request, StatusCode};
use magister_server::Config;
use serde_json::{Value, json};

const RULES: &str = "(role one) (init (heap 2)) (<= (legal one (take 1)) (true (heap ?n)))
(<= (legal one (take 2)) (true (heap ?n))) (<= (next done) (true (heap ?n)))
(<= terminal (true done)) (goal one 100)";

fn with_accounts(config: &mut Config) {
    config.accounts = true;
}

/// A site with an administrator and two users, who are signed in.
async fn class() -> (App, Browser, Browser, Browser) {
    let app = App::with(with_accounts).await;
    let password = app.site.accounts.make_admin(&app.site.hub.store, "teacher").await.unwrap();
    let teacher = Browser::sign_in(&app, "teacher", &password).await.unwrap();
    let list = json!({"list": "Ada, analytical engine\nBob, builds bridges"});
    teacher.done(&app, "POST", "/api/admin/accounts", list).await;
    let ada = Browser::sign_in(&app, " ada ", "analytical engine").await.unwrap();
    let bob = Browser::sign_in(&app, "BOB", "builds bridges").await.unwrap();
    (app, teacher, ada, bob)
}

fn a_match() -> Value {
    json!({"game": "tictactoe", "seats": [{"kind": "person"}, {"kind": "level", "level": "beginner"}]})
}

#[tokio::test(flavor = "multi_thread")]
async fn guests_look_and_users_play() {
    let (app, _, ada, _) = class().await;
    let guest = Browser::default();
    for path in ["/api/games", "/api/games/tictactoe", "/api/matches", "/api/players"] {
        assert_eq!(guest.call(&app, "GET", path, None).await.0, StatusCode::OK, "{path}");
    }
    for (path, body) in [
        ("/api/matches", a_match()),
        ("/api/games", json!({"name": "mine", "text": RULES})),
        ("/api/check", json!({"text": RULES})),
        ("/api/analyze", json!({"game": "tictactoe"})),
        ("/api/tournaments", json!({"games": ["tictactoe"], "players": ["easy", "random"]})),
        ("/api/uploads", json!({"name": "mine", "text": "x"})),
        ("/api/admin/accounts", json!({"list": "Eve"})),
        ("/api/account/token", json!({})),
    ] {
        let (status, answer) = guest.call(&app, "POST", path, Some(body)).await;
        assert_eq!(
            (status, &answer["code"]),
            (StatusCode::UNAUTHORIZED, &json!("sign-in")),
            "{path}"
        );
    }
    let made = ada.done(&app, "POST", "/api/matches", a_match()).await;
    let id = made["id"].as_str().unwrap();
    let shown = app.get(&format!("/api/matches/{id}")).await;
    assert_eq!(shown["seats"][0]["player"], "Ada", "a person plays under the name of the account");
    let order = json!({"game": "tictactoe",
        "seats": [{"kind": "person", "player": "bob"}, {"kind": "person"}]});
    let (status, _) = ada.call(&app, "POST", "/api/matches", Some(order)).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "no one plays under another name");
}

#[tokio::test(flavor = "multi_thread")]
async fn forged_sessions_and_missing_tokens_are_refused() {
    let (app, _, ada, bob) = class().await;
    let order = || Some(a_match());
    let session =
        |cookie: &str, csrf: &str| Browser { cookie: cookie.to_owned(), csrf: csrf.to_owned() };
    let name = "magister-session=";
    // Forged cookies.
    for forged in [
        String::new(),
        name.to_owned(),
        format!("{name}{}", "0".repeat(64)),
        format!("{name}{}", "x".repeat(64)),
        format!("{name}{}", "a".repeat(100_000)),
        format!("{name}' OR 1=1 --"),
        ada.cookie.replace(name, "other="),
        format!("{}0", ada.cookie),
    ] {
        let (status, answer) =
            session(&forged, &ada.csrf).call(&app, "POST", "/api/matches", order()).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED, "{answer}");
        let (_, who) = session(&forged, "").call(&app, "GET", "/api/session", None).await;
        assert_eq!(who["account"], Value::Null);
    }
    // A valid cookie without the CSRF token of this session.
    for csrf in ["", "0", &"0".repeat(64), &bob.csrf] {
        let (status, answer) =
            session(&ada.cookie, csrf).call(&app, "POST", "/api/matches", order()).await;
        assert_eq!((status, &answer["code"]), (StatusCode::FORBIDDEN, &json!("csrf")), "{csrf}");
    }
    // A form of another site has neither, whatever its content type.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let request = Request::post("/api/matches").header("cookie", &ada.cookie);
        let request = request.header("content-type", kind).body(Body::from("csrf=1")).unwrap();
        assert_eq!(app.send(request).await.status(), StatusCode::FORBIDDEN, "{kind}");
    }
    // A session is not accepted as the token of a program, nor vice versa.
    let made = ada.done(&app, "POST", "/api/account/token", json!({})).await;
    let token = made["token"].as_str().unwrap();
    let bearer = |token: &str| {
        let request = Request::post("/api/check").header("content-type", "application/json");
        let request = request.header("authorization", format!("Bearer {token}"));
        request.body(Body::from(json!({"text": RULES}).to_string())).unwrap()
    };
    assert_eq!(app.send(bearer(token)).await.status(), StatusCode::OK);
    let secret = ada.cookie.strip_prefix(name).unwrap();
    assert_eq!(app.send(bearer(secret)).await.status(), StatusCode::UNAUTHORIZED);
    let swapped = session(&format!("{name}{token}"), "");
    assert_eq!(
        swapped.call(&app, "POST", "/api/matches", order()).await.0,
        StatusCode::UNAUTHORIZED
    );
    // After signing out, the cookie is invalid.
    ada.done(&app, "DELETE", "/api/session", json!({})).await;
    assert_eq!(ada.call(&app, "POST", "/api/matches", order()).await.0, StatusCode::UNAUTHORIZED);
}

#[tokio::test(flavor = "multi_thread")]
async fn brute_force_is_slowed_down() {
    let app = App::with(|config| {
        config.accounts = true;
        config.limits.sign_in_tries = 5.0;
    })
    .await;
    let password = app.site.accounts.make_admin(&app.site.hub.store, "teacher").await.unwrap();
    for number in 0..5 {
        let name = if number % 2 == 0 { "teacher" } else { "stranger" };
        let tried = Browser::sign_in(&app, name, &format!("guess {number}")).await;
        assert_eq!(tried.unwrap_err(), StatusCode::UNAUTHORIZED);
    }
    // Even the right password is no longer accepted.
    for name in ["teacher", "stranger", "someone else"] {
        let tried = Browser::sign_in(&app, name, &password).await;
        assert_eq!(tried.unwrap_err(), StatusCode::TOO_MANY_REQUESTS, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn users_own_their_games_and_players() {
    let (app, teacher, ada, bob) = class().await;
    let save = |name: &str| json!({"name": name, "text": RULES});
    ada.done(&app, "POST", "/api/games", save("Heap")).await;
    let player = json!({"name": "my player", "text": "function play() {}"});
    let upload = ada.done(&app, "POST", "/api/uploads", player).await;
    let id = upload["id"].as_str().unwrap().to_owned();
    let path = format!("/api/uploads/{id}");

    let (status, _) = bob.call(&app, "POST", "/api/games", Some(save("heap"))).await;
    assert_eq!(status, StatusCode::CONFLICT, "a game of someone else is not replaced");
    assert_eq!(bob.call(&app, "DELETE", "/api/games/heap", None).await.0, StatusCode::FORBIDDEN);
    for method in ["GET", "DELETE"] {
        assert_eq!(bob.call(&app, method, &path, None).await.0, StatusCode::NOT_FOUND);
    }
    for crooked in ["/api/uploads/..%2F..%2Fetc%2Fpasswd", "/api/uploads/%00", "/api/uploads/'"] {
        assert_eq!(bob.call(&app, "GET", crooked, None).await.0, StatusCode::NOT_FOUND);
    }
    let (_, own) = bob.call(&app, "GET", "/api/uploads", None).await;
    assert_eq!(own["uploads"], json!([]));
    assert_eq!(bob.call(&app, "GET", "/api/uploads?all=1", None).await.0, StatusCode::FORBIDDEN);
    let (_, all) = teacher.call(&app, "GET", "/api/uploads?all=1", None).await;
    assert_eq!(all["uploads"].as_array().unwrap().len(), 2);
    let (_, shown) = teacher.call(&app, "GET", &path, None).await;
    assert_eq!(shown["text"], "function play() {}");

    let (_, game) = ada.call(&app, "GET", "/api/games/heap", None).await;
    assert_eq!(game["mine"], true);
    let (_, game) = bob.call(&app, "GET", "/api/games/heap", None).await;
    assert_eq!(game["mine"], false);

    // A match keeps the rules of a game that is deleted.
    let order = json!({"game": "heap", "seats": [{"kind": "person"}]});
    let made = ada.done(&app, "POST", "/api/matches", order).await;
    let id = made["id"].as_str().unwrap();
    ada.done(&app, "DELETE", "/api/games/heap", json!({})).await;
    assert_eq!(app.call("GET", "/api/games/heap", None, None).await.0, StatusCode::NOT_FOUND);
    assert_eq!(app.get(&format!("/api/matches/{id}")).await["state"], "running");
    let token = made["seats"][0]["token"].as_str().unwrap();
    let request = Request::post(format!("/api/matches/{id}/moves"))
        .header("cookie", &ada.cookie)
        .header("x-csrf-token", &ada.csrf)
        .header("x-seat", token)
        .header("content-type", "application/json");
    let body = Body::from(json!({"ply": 0, "move": "(take 1)"}).to_string());
    assert_eq!(app.send(request.body(body).unwrap()).await.status(), StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn quotas_hold() {
    let (app, teacher, ada, _) = class().await;
    let quota = json!({"games": 1, "players": 1, "matches": 2, "bytes": 1000});
    teacher.done(&app, "PUT", "/api/admin/quota", quota).await;
    let (_, own) = ada.call(&app, "GET", "/api/account", None).await;
    assert_eq!((&own["quota"]["games"], &own["used"]["games"]), (&json!(1), &json!(0)));
    let save = |name: &str, text: &str| json!({"name": name, "text": text});
    ada.done(&app, "POST", "/api/games", save("first", RULES)).await;
    // Saving a game of the same name replaces it and does not count twice.
    ada.done(&app, "POST", "/api/games", save("first", &format!("{RULES} "))).await;
    let (status, answer) = ada.call(&app, "POST", "/api/games", Some(save("second", RULES))).await;
    assert_eq!((status, &answer["code"]), (StatusCode::CONFLICT, &json!("quota")));
    let long = save("long", &"x".repeat(900));
    let (status, answer) = ada.call(&app, "POST", "/api/uploads", Some(long)).await;
    assert_eq!((status, &answer["code"]), (StatusCode::CONFLICT, &json!("quota")));
    let huge = save("huge", &"x".repeat(600_000));
    let (status, _) = ada.call(&app, "POST", "/api/uploads", Some(huge)).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    for expected in [StatusCode::CREATED, StatusCode::CREATED, StatusCode::TOO_MANY_REQUESTS] {
        assert_eq!(ada.call(&app, "POST", "/api/matches", Some(a_match())).await.0, expected);
    }
    let (_, all) = teacher.call(&app, "GET", "/api/admin/accounts", None).await;
    let accounts = all["accounts"].as_array().unwrap();
    let id = accounts.iter().find(|one| one["name"] == "Ada").unwrap()["id"].as_str().unwrap();
    let path = format!("/api/admin/accounts/{id}");
    teacher.done(&app, "PUT", &path, json!({"quota": {"matches": 3}})).await;
    let (status, _) = ada.call(&app, "POST", "/api/matches", Some(a_match())).await;
    assert_eq!(status, StatusCode::CREATED);
}

#[tokio::test(flavor = "multi_thread")]
async fn administrators_manage_accounts() {
    let (app, teacher, ada, bob) = class().await;
    for (method, path) in [
        ("GET", "/api/admin/accounts"),
        ("POST", "/api/admin/accounts"),
        ("PUT", "/api/admin/quota"),
        ("GET", "/api/admin/backup"),
    ] {
        let (status, _) = ada.call(&app, method, path, Some(json!({"list": "Eve"}))).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{method} {path}");
    }
    let made = teacher
        .done(&app, "POST", "/api/admin/accounts", json!({"list": "Cleo\nADA\nDora,,admin"}))
        .await;
    let made = made["accounts"].as_array().unwrap();
    assert!(made[1]["error"].is_string(), "a name that is in use is reported");
    let cleo = made[0]["password"].as_str().unwrap();
    assert!(Browser::sign_in(&app, "cleo", cleo).await.is_ok());
    assert!(
        teacher
            .call(&app, "POST", "/api/admin/accounts", Some(json!({"list": ""})))
            .await
            .0
            .is_client_error()
    );

    let (_, all) = teacher.call(&app, "GET", "/api/admin/accounts", None).await;
    let text = all.to_string();
    assert!(!text.contains("argon2"), "no hash leaves the server");
    let path = |name: &str| {
        let accounts = all["accounts"].as_array().unwrap();
        let id = accounts.iter().find(|one| one["name"] == name).unwrap()["id"].clone();
        format!("/api/admin/accounts/{}", id.as_str().unwrap())
    };
    // A disabled account is signed out and cannot sign in.
    teacher.done(&app, "PUT", &path("Bob"), json!({"disabled": true})).await;
    assert_eq!(
        bob.call(&app, "POST", "/api/matches", Some(a_match())).await.0,
        StatusCode::UNAUTHORIZED
    );
    let tried = Browser::sign_in(&app, "bob", "builds bridges").await;
    assert_eq!(tried.unwrap_err(), StatusCode::UNAUTHORIZED);
    // A new password ends the sessions and replaces the old one.
    let answer = teacher.done(&app, "PUT", &path("Ada"), json!({"new_password": true})).await;
    assert_eq!(ada.call(&app, "GET", "/api/account", None).await.0, StatusCode::UNAUTHORIZED);
    assert!(Browser::sign_in(&app, "Ada", "analytical engine").await.is_err());
    let ada = Browser::sign_in(&app, "Ada", answer["password"].as_str().unwrap()).await.unwrap();
    // A user changes the password.
    let change = |old: &str, new: &str| Some(json!({"old": old, "new": new}));
    let at = "/api/account/password";
    assert_eq!(
        ada.call(&app, "POST", at, change("wrong", "difference engine")).await.0,
        StatusCode::FORBIDDEN
    );
    let old = answer["password"].as_str().unwrap();
    assert_eq!(
        ada.call(&app, "POST", at, change(old, "short")).await.0,
        StatusCode::UNPROCESSABLE_ENTITY
    );
    assert_eq!(
        ada.call(&app, "POST", at, change(old, "difference engine")).await.0,
        StatusCode::OK
    );
    let ada = Browser::sign_in(&app, "Ada", "difference engine").await.unwrap();

    // Deleting an account also deletes its games and players and ends its running matches; the last
    // administrator cannot be deleted.
    ada.done(&app, "POST", "/api/games", json!({"name": "heap", "text": RULES})).await;
    let made = ada.done(&app, "POST", "/api/matches", a_match()).await;
    teacher.done(&app, "DELETE", &path("Ada"), json!({})).await;
    assert_eq!(app.call("GET", "/api/games/heap", None, None).await.0, StatusCode::NOT_FOUND);
    let id = made["id"].as_str().unwrap();
    app.wait(id, None, |shown| shown["state"] == "aborted").await;
    teacher.done(&app, "DELETE", &path("Dora"), json!({})).await;
    let (status, answer) = teacher.call(&app, "DELETE", &path("teacher"), None).await;
    assert_eq!((status, &answer["code"]), (StatusCode::CONFLICT, &json!("last-admin")));
    let (status, _) =
        teacher.call(&app, "PUT", &path("teacher"), Some(json!({"role": "user"}))).await;
    assert_eq!(status, StatusCode::CONFLICT);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_a_whole_store() {
    let (app, teacher, ada, _) = class().await;
    let made = ada.done(&app, "POST", "/api/matches", a_match()).await;
    let request = Request::get("/api/admin/backup").header("cookie", &teacher.cookie);
    let response = app.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(response.status(), StatusCode::OK);
    let bytes = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
    assert!(bytes.starts_with(b"SQLite format 3\0"));
    let folder = crate::common::Folder::new();
    std::fs::write(folder.0.join("site.db"), &bytes).unwrap();
    let mut config = crate::common::config(&folder);
    with_accounts(&mut config);
    let copy = App::open(&config).await;
    let id = made["id"].as_str().unwrap();
    assert_eq!(copy.get(&format!("/api/matches/{id}")).await["seats"][0]["player"], "Ada");
    assert!(Browser::sign_in(&copy, "bob", "builds bridges").await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_site_has_no_accounts() {
    let app = App::new().await;
    let who = app.get("/api/session").await;
    assert_eq!((&who["accounts"], &who["admin"]), (&json!(false), &json!(true)));
    assert_eq!(Browser::sign_in(&app, "admin", "admin").await.unwrap_err(), StatusCode::CONFLICT);
    app.post("/api/games", None, json!({"name": "heap", "text": RULES})).await;
    assert_eq!(app.call("DELETE", "/api/games/heap", None, None).await.0, StatusCode::OK);
    // On a site that is open to strangers, no visitor has the rights of an administrator.
    let open = App::with(|config| config.loopback_only = false).await;
    assert_eq!(open.get("/api/session").await["admin"], false);
    assert_eq!(open.call("GET", "/api/admin/backup", None, None).await.0, StatusCode::FORBIDDEN);
}
