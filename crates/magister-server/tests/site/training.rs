//! Training runs and their players.

use std::time::Duration;

use crate::common::{App, Folder, config};
use axum::http::StatusCode;
use serde_json::{Value, json};

/// Waits until a run is over.
async fn over(app: &App, id: &str) -> Value {
    for _ in 0..3_000 {
        let one = app.get(&format!("/api/trainings/{id}")).await;
        if !["waiting", "running"].contains(&one["state"].as_str().unwrap()) {
            return one;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the run does not end");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_learns_and_plays() {
    let folder = Folder::new();
    let app = App::open(&config(&folder)).await;
    let order = json!({"game": "tictactoe", "seconds": 3});
    let made = app.post("/api/trainings", None, order).await;
    let id = made["id"].as_str().unwrap();
    let early = json!({"game": "tictactoe",
        "seats": [{"player": "random"}, {"kind": "trained", "player": "no-such-run"}]});
    assert_eq!(app.refused("/api/matches", None, early).await.1, "player");
    let run = over(&app, id).await;
    assert_eq!(run["state"], "ended", "{run}");
    let curve = run["curve"].as_array().unwrap();
    assert!(curve.len() >= 3, "{run}");
    let reward = |point: &Value| point["reward"].as_f64().unwrap();
    // A busy machine trains little in this time, but always enough for Tic-Tac-Toe.
    assert!(reward(curve.last().unwrap()) > reward(&curve[0]) + 10.0, "{run}");

    // Its player takes a seat of its own game and of no other.
    let name = format!("trained:{id}");
    let listed = app.get("/api/players").await;
    assert_eq!(listed["trained"][0]["name"], name.as_str());
    let seats = json!([{"player": "random"}, {"player": name}]);
    let made = app.post("/api/matches", None, json!({"game": "tictactoe", "seats": seats})).await;
    let ended = app.wait(made["id"].as_str().unwrap(), None, |m| m["state"] == "ended").await;
    assert_eq!(ended["seats"][1]["kind"], "trained");
    assert_eq!(ended["seats"][1]["faults"], 0, "{ended}");
    let order = json!({"game": "connect-four", "seats": seats});
    assert_eq!(app.refused("/api/matches", None, order).await.1, "player");
    let table = json!({"games": ["tictactoe"], "players": [name, "random"], "rounds": 1});
    app.post("/api/tournaments", None, table).await;

    // A restart keeps it; its file is one of `magister train`.
    drop(app);
    let app = App::open(&config(&folder)).await;
    let order = json!({"game": "tictactoe", "seats": [{"player": "random"}, {"player": name}]});
    let made = app.post("/api/matches", None, order).await;
    app.wait(made["id"].as_str().unwrap(), None, |one| one["state"] == "ended").await;
    let file = app.site.hub.trainings.get(id).unwrap();
    assert_eq!(file.game, "tictactoe");
    let (status, _) = app.call("GET", &format!("/api/trainings/{id}/file"), None, None).await;
    assert_eq!(status, StatusCode::OK);
    let (status, _) = app.call("DELETE", &format!("/api/trainings/{id}"), None, None).await;
    assert_eq!(status, StatusCode::OK);
    let (status, _) = app.call("GET", &format!("/api/trainings/{id}"), None, None).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_stopped_and_others_are_not_delayed() {
    let app = App::with(|config| {
        config.limits.threads = 1;
        config.limits.trainings = 1;
    })
    .await;
    let order = json!({"game": "connect-four", "seconds": 300, "kind": "linear"});
    let id = app.post("/api/trainings", None, order.clone()).await["id"].clone();
    let id = id.as_str().unwrap();
    assert_eq!(app.refused("/api/trainings", None, order).await.1, "quota");
    // The only thread learns, but a match goes on in between.
    let order = json!({"game": "tictactoe", "seats": [{"player": "random"}, {"player": "random"}]});
    let made = app.post("/api/matches", None, order).await;
    app.wait(made["id"].as_str().unwrap(), None, |one| one["state"] == "ended").await;
    let (status, _) = app.call("DELETE", &format!("/api/trainings/{id}"), None, None).await;
    assert_eq!(status, StatusCode::CONFLICT);
    app.post(&format!("/api/trainings/{id}/stop"), None, json!({})).await;
    let run = over(&app, id).await;
    assert_eq!(run["state"], "stopped");
    assert!(run["bytes"].as_u64().unwrap() > 0, "its agent is kept: {run}");
}

#[tokio::test(flavor = "multi_thread")]
async fn impossible_runs_are_refused_or_fail_with_a_reason() {
    let app = App::with(|config| config.limits.weights = 10).await;
    for order in [
        json!({"game": "no-such-game"}),
        json!({"game": "tictactoe", "seconds": 0}),
        json!({"game": "tictactoe", "seconds": 1e9}),
        json!({"game": "tictactoe", "kind": "magic"}),
        json!({"game": 7}),
        json!({}),
    ] {
        app.refused("/api/trainings", None, order).await;
    }
    let made = app.post("/api/trainings", None, json!({"game": "tictactoe", "seconds": 1})).await;
    let run = over(&app, made["id"].as_str().unwrap()).await;
    assert_eq!(run["state"], "failed");
    assert!(run["why"].as_str().unwrap().contains("this site allows 10"), "{run}");
    let order = json!({"game": "tictactoe",
        "seats": [{"kind": "person"}, {"kind": "trained", "player": made["id"]}]});
    assert_eq!(app.refused("/api/matches", None, order).await.1, "player");
}
