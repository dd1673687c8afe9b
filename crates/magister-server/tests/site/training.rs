//! Training runs and their players.

use std::time::Duration;

use crate::common::{App, Folder, config};
use axum::http::StatusCode;
use magister_learn::az::{AzLearner, AzSettings, Size};
use magister_learn::file::Strength;
use magister_learn::recipe::{Kind, Recipe};
use magister_learn::{Learner, Sight};
use magister_server::{Config, Limits, Site};
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

/// A folder with an agent of each type for Tic-Tac-Toe, and a file that is not an agent.
async fn agents(folder: &Folder) -> std::path::PathBuf {
    let app = App::new().await;
    let game = app.site.game("tictactoe").await.unwrap().playable.game.clone();
    let path = folder.0.join("agents");
    std::fs::create_dir_all(&path).unwrap();
    let sight = Sight::new(&game, true, 1).unwrap();
    let recipe = Recipe::recommended(Kind::Linear, game.as_ref(), sight.reading());
    let values = Learner::new(&game, sight, recipe, 1).unwrap().file();
    std::fs::write(path.join("values.agent"), values.to_bytes(true)).unwrap();
    let size = Size { channels: Some(4), blocks: Some(0), ..Size::default() };
    let settings = AzSettings { size, ..AzSettings::default() };
    let mut network = AzLearner::new(&game, settings, 1).unwrap().file();
    network.header.strengths = vec![Strength {
        against: "uct".to_owned(),
        points: 0.5,
        low: 0.4,
        high: 0.6,
        matches: 20,
        iterations: 200,
        inside: String::new(),
    }];
    std::fs::write(path.join("network.agent"), network.to_bytes(true)).unwrap();
    std::fs::write(path.join("notes.txt"), "no agent").unwrap();
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_in_a_folder_play() {
    let folder = Folder::new();
    let path = agents(&folder).await;
    let app = App::open(&Config { agents: Some(path), ..config(&folder) }).await;
    let listed = app.get("/api/players").await;
    let names: Vec<&str> = listed["trained"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["trained:network", "trained:values"]);
    assert_eq!(listed["trained"][0]["strengths"][0]["against"], "uct", "{listed}");
    assert_eq!(listed["trained"][0]["here"], false);
    let seats = json!([{"player": "trained:network"}, {"player": "trained:values"}]);
    let order = json!({"game": "tictactoe", "seats": seats, "play_ms": 200});
    let made = app.post("/api/matches", None, order).await;
    let ended = app.wait(made["id"].as_str().unwrap(), None, |m| m["state"] == "ended").await;
    for seat in ended["seats"].as_array().unwrap() {
        assert_eq!(
            (seat["kind"].as_str(), &seat["faults"]),
            (Some("trained"), &json!(0)),
            "{ended}"
        );
    }
    let order = json!({"game": "connect-four", "seats": seats});
    let (_, said) = app.call("POST", "/api/matches", None, Some(order)).await;
    assert_eq!(said["code"], "player");
    assert!(said.to_string().contains("network has learned tictactoe"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_without_usable_agents_is_an_error() {
    let folder = Folder::new();
    let path = agents(&folder).await;
    let failed = async |path: &std::path::Path| {
        let config = Config { agents: Some(path.to_owned()), ..config(&folder) };
        match Site::open(&config).await {
            Ok(_) => panic!("the folder has no usable agents"),
            Err(error) => error.to_string(),
        }
    };
    let good = std::fs::read(path.join("network.agent")).unwrap();
    for (name, bytes, said) in [
        ("empty.agent", vec![], "empty.agent"),
        ("text.agent", b"hello".to_vec(), "text.agent"),
        ("cut.agent", good[..good.len() / 2].to_vec(), "cut.agent"),
        ("two words.agent", good.clone(), "rename it"),
    ] {
        let file = path.join(name);
        std::fs::write(&file, bytes).unwrap();
        let error = failed(&path).await;
        assert!(error.contains(said), "{name}: {error}");
        std::fs::remove_file(file).unwrap();
    }
    assert!(failed(&folder.0.join("missing")).await.contains("magister train --popular"));
    let empty = folder.0.join("none");
    std::fs::create_dir_all(&empty).unwrap();
    assert!(failed(&empty).await.contains("has no file with the extension .agent"));
    let config = Config {
        agents: Some(path),
        limits: Limits { agent: 100, ..config(&folder).limits },
        ..config(&folder)
    };
    assert!(Site::open(&config).await.is_err(), "files larger than the limit are not read");
}
