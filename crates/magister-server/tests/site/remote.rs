//! Remote players in matches of the site.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use magister_core::Seed;
use magister_manager::player::{GgpPlayer, PlayerOptions, ServeOptions, serve};
use magister_protocol::Request;
use magister_protocol::http::{HttpLimits, HttpReader, Kind, write_reply};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;

use crate::common::{App, Folder, config};

/// One of our players, on its own port.
async fn our_player() -> (Arc<GgpPlayer>, String) {
    let agent = Some("random".parse().unwrap());
    let player = Arc::new(GgpPlayer::new(PlayerOptions::new("ours", agent, Seed::from(1))));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let serving =
        serve(Arc::clone(&player), listener, ServeOptions::default(), std::future::pending::<()>());
    tokio::spawn(serving);
    (player, address)
}

/// A new match with a player that may still answer ABORT of the match before.
async fn once_free(app: &App, order: Value) -> Value {
    for _ in 0..1_000 {
        let (status, made) = app.call("POST", "/api/matches", None, Some(order.clone())).await;
        if status != StatusCode::CONFLICT {
            assert!(status.is_success(), "{status} {made}");
            return made;
        }
        assert_eq!(made["code"], "engaged", "{made}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the player is never free");
}

/// A player that does not claim to recognise duplicate messages, answers everything except PLAY,
/// and reports the messages it receives.
async fn plain_player() -> (mpsc::UnboundedReceiver<Request>, String) {
    let (send, heard) = mpsc::unbounded_channel();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let send = send.clone();
            tokio::spawn(async move {
                let mut reader = HttpReader::new(Kind::Request, HttpLimits::default());
                let mut buffer = [0; 4096];
                loop {
                    let count = stream.read(&mut buffer).await.unwrap();
                    if count == 0 || reader.feed(&buffer[..count]).unwrap() {
                        break;
                    }
                }
                let request = Request::read(&reader.finish().unwrap().text()).unwrap();
                let asks = matches!(request, Request::Play { .. });
                send.send(request).unwrap();
                if asks {
                    tokio::time::sleep(Duration::from_mins(5)).await;
                }
                let _ = stream.write_all(&write_reply("ready")).await;
            });
        }
    });
    (heard, address)
}

fn order(address: &str, other: &str) -> Value {
    json!({"game": "tictactoe", "start_ms": 20_000, "play_ms": 20_000,
        "seats": [{"address": address}, {"player": other}]})
}

fn ended(whole: &Value) -> bool {
    !whole["end"].is_null()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remote_player_plays_to_the_end() {
    let (player, address) = our_player().await;
    let app = App::new().await;
    let made = app.post("/api/matches", None, order(&address, "random")).await;
    let id = made["id"].as_str().unwrap();
    let whole = app.wait(id, None, ended).await;
    assert_eq!(whole["faults"], json!([]), "{whole}");
    // The player is informed of the end, and is available for the next match.
    while player.finished() == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // A tournament plays several matches at a time, but a remote player only one.
    let order = json!({"games": ["tictactoe"], "players": [address, "random", "beginner"],
        "play_ms": 20_000});
    let made = app.post("/api/tournaments", None, order).await;
    let path = format!("/api/tournaments/{}", made["id"].as_str().unwrap());
    let table = loop {
        let table = app.get(&path).await;
        if table["state"] == "ended" {
            break table;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    for one in table["matches"].as_array().unwrap() {
        let id = one["id"].as_str().unwrap();
        let whole = app.get(&format!("/api/matches/{id}")).await;
        assert_eq!(whole["faults"], json!([]), "{whole}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn players_that_cannot_play_are_refused_at_once() {
    let (_, address) = our_player().await;
    let app = App::new().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let gone = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let refused = |order: Value| app.call("POST", "/api/matches", None, Some(order));
    let (status, error) = refused(order(&gone, "random")).await;
    assert_eq!((status, &error["code"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!("unreachable")));
    let mut odd = order(&address, "random");
    odd["play_ms"] = json!(1_500);
    let (status, error) = refused(odd).await;
    assert_eq!((status, &error["code"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!("clock")));
    // A person takes some time; meanwhile the player is in this match.
    app.post("/api/matches", None, order(&address, "human")).await;
    let (status, error) = refused(order(&address, "random")).await;
    assert_eq!((status, &error["code"]), (StatusCode::CONFLICT, &json!("engaged")), "{error}");
    let app = App::with(|config| config.private_players = false).await;
    let (status, error) =
        app.call("POST", "/api/matches", None, Some(order(&address, "random"))).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(error["error"].as_str().unwrap().contains("not a public address"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_that_recognises_repetition_goes_on_after_a_restart() {
    let (player, address) = our_player().await;
    let folder = Folder::new();
    let config = config(&folder);
    let app = App::open(&config).await;
    let mut wanted = order(&address, "human");
    wanted["play_ms"] = Value::Null;
    let made = app.post("/api/matches", None, wanted).await;
    let (id, token) = (made["id"].as_str().unwrap(), made["seats"][1]["token"].as_str().unwrap());
    let mine = |plies: u64| {
        move |whole: &Value| {
            whole["plies"].as_u64() >= Some(plies) && !whole["scene"]["legal"][0]["moves"].is_null()
                || ended(whole)
        }
    };
    app.wait(id, Some(token), mine(1)).await;
    // The server shuts down regularly. No request to the player is pending, so it waits.
    app.site.close().await;
    drop(app);
    let app = App::open(&config).await;
    let mut plies = 1;
    loop {
        let whole = app.wait(id, Some(token), mine(plies)).await;
        if ended(&whole) {
            assert_eq!(whole["faults"], json!([]), "{whole}");
            break;
        }
        let choice = whole["scene"]["legal"][0]["moves"][0]["text"].clone();
        let body = json!({"ply": plies, "move": choice});
        app.post(&format!("/api/matches/{id}/moves"), Some(token), body).await;
        plies += 2;
    }
    assert_eq!(player.matches(), 1, "the match continued under its name");
    while player.finished() == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_player_gets_abort_after_a_restart() {
    let (mut heard, address) = plain_player().await;
    let folder = Folder::new();
    let config = config(&folder);
    let app = App::open(&config).await;
    let made = app.post("/api/matches", None, order(&address, "random")).await;
    let id = made["id"].as_str().unwrap();
    let mut name = None;
    while name.is_none() {
        if let Request::Play { id, .. } = heard.recv().await.unwrap() {
            name = Some(id);
        }
    }
    assert_eq!(name.as_deref(), Some(id), "players know the match by its name on the site");
    std::mem::forget(app);
    let app = App::open(&config).await;
    let whole = app.wait(id, None, ended).await;
    assert_eq!(whole["end"], "aborted", "{whole}");
    assert!(matches!(heard.recv().await.unwrap(), Request::Abort { id: other } if other == id));
    // A server that shuts down regularly sends ABORT itself, and the match is over.
    let again = once_free(&app, order(&address, "random")).await;
    let again = again["id"].as_str().unwrap();
    while !matches!(heard.recv().await.unwrap(), Request::Play { id, .. } if id == again) {}
    app.site.close().await;
    assert!(matches!(heard.recv().await.unwrap(), Request::Abort { id } if id == again));
    let whole = app.get(&format!("/api/matches/{again}")).await;
    assert_eq!(whole["end"], "aborted", "{whole}");
}
