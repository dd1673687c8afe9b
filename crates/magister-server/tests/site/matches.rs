//! Matches through the API: against a level, standalone, after a restart.

use crate::common::{App, Folder, config, legal};
use axum::http::StatusCode;
use serde_json::{Value, json};

fn against(level: &str) -> Value {
    json!({"game": "tictactoe", "seats": [{"kind": "person"}, {"kind": "level", "level": level}]})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_match_against_a_level() {
    let app = App::new().await;
    let made = app.post("/api/matches", None, against("beginner")).await;
    let id = made["id"].as_str().unwrap();
    let token = made["seats"][0]["token"].as_str().unwrap();
    assert!(made["seats"][1]["token"].is_null());
    let path = format!("/api/matches/{id}/moves");
    let mut moves = 0;
    let end = loop {
        let ready = |whole: &Value| whole["state"] == "ended" || !legal(&whole["scene"]).is_empty();
        let whole = app.wait(id, Some(token), ready).await;
        if whole["state"] == "ended" {
            break whole;
        }
        let scene = &whole["scene"];
        assert_eq!(scene["viewer"], 0);
        let line = &scene["legal"][0]["moves"][0];
        // A mark has a target cell.
        assert!(line["to"].is_number() && line["from"].is_null(), "{line}");
        let order = json!({"ply": scene["ply"], "move": line["text"]});
        app.post(&path, Some(token), order.clone()).await;
        moves += 1;
        // The level may end the match at any time, also between these requests.
        let over = async || app.get(&format!("/api/matches/{id}")).await["state"] == "ended";
        let before = over().await;
        let (status, code) = app.refused(&path, Some(token), order).await;
        assert!(status == StatusCode::CONFLICT, "{status} {code}");
        match code.as_str() {
            "stale" => assert!(!before),
            "ended" => assert!(over().await),
            _ => panic!("{code}"),
        }
    };
    assert!((3..=5).contains(&moves), "{moves}");
    let scores: Vec<f64> =
        end["scene"]["scores"].as_array().unwrap().iter().map(|s| s.as_f64().unwrap()).collect();
    assert!((scores.iter().sum::<f64>() - 100.0).abs() < 1e-9, "{scores:?}");
    assert_eq!(end["history"].as_array().unwrap().len(), end["plies"]);
    assert_eq!(end["faults"], json!([]));
    let record = app.get(&format!("/api/matches/{id}/record")).await;
    assert_eq!(record["end"], "terminal");
    let past = app.get("/api/matches?state=past&game=tictactoe").await;
    assert_eq!(past["matches"][0]["id"], id);
    let rated = app.get("/api/leaderboard").await;
    assert_eq!(rated["matches"], 1);
    let again = app.post(&format!("/api/matches/{id}/swap"), Some(token), json!({})).await;
    assert!(again["seats"][0]["token"].is_null() && again["seats"][1]["token"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn undo_and_redo_against_a_level() {
    let app = App::new().await;
    let made = app.post("/api/matches", None, against("beginner")).await;
    let (id, token) = (made["id"].as_str().unwrap(), made["seats"][0]["token"].as_str().unwrap());
    let path = |action: &str| format!("/api/matches/{id}/{action}");
    let own = |plies: u64| {
        move |whole: &Value| whole["plies"] == plies && !legal(&whole["scene"]).is_empty()
    };
    let whole = app.wait(id, Some(token), own(0)).await;
    let (status, _) = app.refused(&path("undo"), Some(token), json!({})).await;
    assert_eq!(status, StatusCode::CONFLICT);
    let choice = legal(&whole["scene"])[4].clone();
    app.post(&path("moves"), Some(token), json!({"ply": 0, "move": choice})).await;
    let whole = app.wait(id, Some(token), own(2)).await;
    let cells = whole["scene"]["cells"].clone();
    assert_eq!(whole["may"]["undo"], true);
    let undone = app.post(&path("undo"), Some(token), json!({})).await;
    assert_eq!((&undone["plies"], &undone["may"]["redo"]), (&json!(0), &json!(true)));
    let redone = app.post(&path("redo"), Some(token), json!({})).await;
    assert_eq!((&redone["plies"], &redone["scene"]["cells"]), (&json!(2), &cells));
    // In rated matches, there is no undo and there are no hints.
    let mut order = against("beginner");
    order["rated"] = json!(true);
    let made = app.post("/api/matches", None, order).await;
    let (id, token) = (made["id"].as_str().unwrap(), made["seats"][0]["token"].as_str().unwrap());
    for action in ["undo", "hint"] {
        let path = format!("/api/matches/{id}/{action}");
        let (status, _) = app.refused(&path, Some(token), json!({})).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{action}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn standalone_with_branches() {
    let app = App::new().await;
    let order = json!({"game": "tictactoe", "mode": "standalone"});
    let made = app.post("/api/matches", None, order).await;
    let (id, token) = (made["id"].as_str().unwrap(), made["seats"][0]["token"].as_str().unwrap());
    let path = |action: &str| format!("/api/matches/{id}/{action}");
    let play = async |ply: u64, number: usize| {
        let whole = app.get_as(&format!("/api/matches/{id}"), token).await;
        let text = legal(&whole["scene"])[number].clone();
        app.post(&path("moves"), Some(token), json!({"ply": ply, "move": text})).await
    };
    play(0, 0).await;
    play(1, 0).await;
    let third = play(2, 0).await;
    assert_eq!((&third["plies"], &third["line"]), (&json!(3), &json!(3)));
    let first = app.post(&path("jump"), Some(token), json!({"ply": 1})).await;
    assert_eq!((&first["plies"], &first["line"]), (&json!(1), &json!(3)));
    let earlier = app.get_as(&path("plies/0"), token).await;
    assert_eq!(earlier["scene"]["ply"], 0);
    // Another move begins a branch; the old continuation is kept.
    let other = play(1, 3).await;
    assert_eq!((&other["plies"], &other["line"]), (&json!(2), &json!(2)));
    let branches = other["branches"].as_array().unwrap();
    assert_eq!((branches.len(), &branches[0]["ply"]), (1, &json!(1)));
    let node = branches[0]["node"].clone();
    let back = app.post(&path("jump"), Some(token), json!({"node": node})).await;
    assert_eq!((&back["plies"], &back["line"]), (&json!(2), &json!(3)));
    let redone = app.post(&path("redo"), Some(token), json!({})).await;
    assert_eq!(redone["scene"]["cells"], third["scene"]["cells"]);
    let undone = app.post(&path("undo"), Some(token), json!({})).await;
    assert_eq!(undone["plies"], 2);
    for wrong in [json!({"ply": 99}), json!({"node": 99})] {
        let (status, _) = app.refused(&path("jump"), Some(token), wrong).await;
        assert_eq!(status, StatusCode::NOT_FOUND);
    }
    // Others may watch but not move.
    let (status, _) = app.refused(&path("moves"), None, json!({"ply": 2, "move": "x"})).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    let watched = app.get(&format!("/api/matches/{id}")).await;
    assert_eq!((&watched["scene"]["legal"], &watched["may"]["undo"]), (&json!([]), &json!(false)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_standalone_game_can_be_taken_back() {
    let app = App::new().await;
    let order = json!({"game": "tictactoe", "mode": "standalone",
        "from": [["(put 1 1)"], ["(put 2 1)"], ["(put 1 2)"], ["(put 2 2)"], ["(put 1 3)"]]});
    let made = app.post("/api/matches", None, order).await;
    let (id, token) = (made["id"].as_str().unwrap(), made["owner"].as_str().unwrap());
    let whole = app.get_as(&format!("/api/matches/{id}"), token).await;
    assert_eq!((&whole["state"], &whole["scene"]["terminal"]), (&json!("ended"), &json!(true)));
    let undone = app.post(&format!("/api/matches/{id}/undo"), Some(token), json!({})).await;
    assert_eq!((&undone["state"], &undone["plies"]), (&json!("running"), &json!(4)));
}

#[tokio::test(flavor = "multi_thread")]
async fn chance_moves_by_itself_and_repeats_itself() {
    let app = App::new().await;
    let order = json!({"game": "2048-3x3", "mode": "standalone", "seed": 5});
    let made = app.post("/api/matches", None, order).await;
    let (id, token) = (made["id"].as_str().unwrap(), made["owner"].as_str().unwrap());
    let whole = app.get_as(&format!("/api/matches/{id}"), token).await;
    let choice = legal(&whole["scene"])[0].clone();
    let path = |action: &str| format!("/api/matches/{id}/{action}");
    let order = json!({"ply": whole["plies"], "move": choice});
    let after = app.post(&path("moves"), Some(token), order.clone()).await;
    assert!(!legal(&after["scene"]).is_empty());
    let undone = app.post(&path("undo"), Some(token), json!({})).await;
    assert_eq!(undone["scene"]["cells"], whole["scene"]["cells"]);
    let again = app.post(&path("moves"), Some(token), order).await;
    assert_eq!(again["scene"]["cells"], after["scene"]["cells"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn pause_resign_and_abort() {
    let app = App::new().await;
    let made = app.post("/api/matches", None, against("beginner")).await;
    let (id, token) = (made["id"].as_str().unwrap(), made["seats"][0]["token"].as_str().unwrap());
    let path = |action: &str| format!("/api/matches/{id}/{action}");
    let paused = app.post(&path("pause"), Some(token), json!({})).await;
    assert_eq!(paused["state"], "paused");
    let order = json!({"ply": 0, "move": "(put 1 1)"});
    let (status, code) = app.refused(&path("moves"), Some(token), order.clone()).await;
    assert_eq!((status, code.as_str()), (StatusCode::CONFLICT, "paused"));
    app.post(&path("resume"), Some(token), json!({})).await;
    app.post(&path("moves"), Some(token), order).await;
    let ended = app.post(&path("resign"), Some(token), json!({})).await;
    assert_eq!((&ended["state"], &ended["end"]), (&json!("ended"), &json!("resigned")));
    let order = json!({"game": "tictactoe", "play_ms": 60_000,
        "seats": [{"kind": "person"}, {"kind": "person", "player": "Ann"}]});
    let made = app.post("/api/matches", None, order).await;
    let id = made["id"].as_str().unwrap();
    let owner = made["owner"].as_str().unwrap();
    let whole = app.get(&format!("/api/matches/{id}")).await;
    assert_eq!(whole["seats"][1]["player"], "Ann");
    assert!(whole["seats"][0]["clock_ms"].as_u64().unwrap() <= 60_000);
    let over = app.post(&format!("/api/matches/{id}/abort"), Some(owner), json!({})).await;
    assert_eq!(over["state"], "aborted");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_is_late_gets_a_random_move() {
    let app = App::new().await;
    let order = json!({"game": "tictactoe", "play_ms": 50,
        "seats": [{"kind": "person"}, {"kind": "person"}]});
    let made = app.post("/api/matches", None, order).await;
    let id = made["id"].as_str().unwrap();
    let whole = app.wait(id, None, |whole| whole["plies"].as_u64() > Some(1)).await;
    assert_eq!(whole["faults"][0]["kind"], "late", "{}", whole["faults"]);
    assert!(whole["seats"][0]["faults"].as_u64() >= Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn matches_go_on_after_a_restart() {
    let folder = Folder::new();
    let config = config(&folder);
    let app = App::open(&config).await;
    let made = app.post("/api/matches", None, against("beginner")).await;
    let (id, token) = (made["id"].as_str().unwrap(), made["seats"][0]["token"].as_str().unwrap());
    let order = json!({"ply": 0, "move": "(put 2 2)"});
    app.post(&format!("/api/matches/{id}/moves"), Some(token), order).await;
    let two = |whole: &Value| whole["plies"] == 2 && !legal(&whole["scene"]).is_empty();
    let before = app.wait(id, Some(token), two).await;
    let order = json!({"game": "tictactoe", "mode": "standalone"});
    let alone = app.post("/api/matches", None, order).await;
    let (single, owner) = (alone["id"].as_str().unwrap(), alone["owner"].as_str().unwrap());
    let single_path = |action: &str| format!("/api/matches/{single}/{action}");
    for (ply, text) in ["(put 1 1)", "(put 2 2)", "(put 3 3)"].iter().enumerate() {
        app.post(&single_path("moves"), Some(owner), json!({"ply": ply, "move": text})).await;
    }
    app.post(&single_path("undo"), Some(owner), json!({})).await;
    app.post(&single_path("moves"), Some(owner), json!({"ply": 2, "move": "(put 1 2)"})).await;
    app.site.close().await;
    drop(app);

    let app = App::open(&config).await;
    let after = app.get_as(&format!("/api/matches/{id}"), token).await;
    assert_eq!(after["scene"]["cells"], before["scene"]["cells"]);
    assert_eq!(after["scene"]["legal"], before["scene"]["legal"]);
    let choice = legal(&after["scene"])[0].clone();
    let path = format!("/api/matches/{id}/moves");
    app.post(&path, Some(token), json!({"ply": 2, "move": choice})).await;
    let on = |whole: &Value| whole["plies"].as_u64() >= Some(4) || whole["state"] == "ended";
    app.wait(id, Some(token), on).await;
    let alone = app.get_as(&format!("/api/matches/{single}"), owner).await;
    assert_eq!(alone["plies"], 3);
    assert_eq!(alone["history"][2]["moves"][0]["text"], "(put 1 2)");
    assert_eq!(alone["branches"][0]["moves"][0]["text"], "(put 3 3)");
    let back = app.post(&single_path("undo"), Some(owner), json!({})).await;
    assert_eq!(back["plies"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_and_analysis_find_the_winning_move() {
    let app = App::new().await;
    // White has two in a row and wins at once.
    let from = json!([["(put 1 1)"], ["(put 2 1)"], ["(put 1 2)"], ["(put 2 2)"]]);
    let order = json!({"game": "tictactoe", "mode": "standalone", "from": from});
    let made = app.post("/api/matches", None, order).await;
    let (id, owner) = (made["id"].as_str().unwrap(), made["owner"].as_str().unwrap());
    let hint = app.post(&format!("/api/matches/{id}/hint"), Some(owner), json!({})).await;
    assert_eq!(hint["move"], "(put 1 3)", "{hint}");
    assert!(hint["to"].is_number());
    let order = json!({"game": "tictactoe", "history": from, "player": "alphabeta"});
    let values = app.post("/api/analyze", None, order).await;
    assert_eq!(values["evaluation"][0], 100.0, "{values}");
    assert_eq!(values["roles"][0]["move"]["text"], "(put 1 3)");
}

#[tokio::test(flavor = "multi_thread")]
async fn positions_are_set_up_by_facts() {
    let app = App::new().await;
    let ask = |state: &str, history: Value| json!({"game": "tictactoe", "state": state, "history": history, "player": "alphabeta"});
    let start = app.post("/api/analyze", None, json!({"game": "tictactoe", "iterations": 1})).await;
    let facts = start["state"].as_str().unwrap();
    assert_eq!(facts.lines().next(), Some("(cell 1 1 b)"), "{facts}");
    // Two in a row, and it is the turn of x.
    let edited = facts.replace("(cell 1 1 b)", "(cell 1 1 x)").replace("2 1 b", "2 1 x");
    let values = app.post("/api/analyze", None, ask(&edited, json!([]))).await;
    assert_eq!(values["evaluation"][0], 100.0);
    assert_eq!(values["state"], edited);
    // The text of a list is understood as well, and moves follow.
    let listed = format!("({})", edited.replace('\n', " "));
    let after = app.post("/api/analyze", None, ask(&listed, json!([["(put 3 1)", "noop"]]))).await;
    assert_eq!(after["scene"]["terminal"], true, "{after}");
    assert_eq!(after["evaluation"][0], 100.0);
    let both = format!("{facts}\n(control o)");
    let (_, answer) = app.call("POST", "/api/analyze", None, Some(ask(&both, json!([])))).await;
    let said = |answer: &Value| answer["error"].as_str().unwrap().to_owned();
    let both = said(&answer);
    assert!(both.contains("control x") && both.ends_with(" cannot hold together"), "{both}");
    let none = facts.replace("(control x)", "");
    let (_, answer) = app.call("POST", "/api/analyze", None, Some(ask(&none, json!([])))).await;
    let none = said(&answer);
    assert!(none.starts_with("one of these facts must hold: control "), "{none}");
    let unknown = facts.replace("(cell 1 1 b)", "(cell 1 1 z)");
    let (_, answer) = app.call("POST", "/api/analyze", None, Some(ask(&unknown, json!([])))).await;
    assert_eq!(said(&answer), "cell 1 1 z cannot be a fact of this game");
    let (_, answer) = app.call("POST", "/api/analyze", None, Some(ask("((", json!([])))).await;
    let what = "the facts cannot be read; write one term per line, as in the rules";
    assert_eq!(answer["error"], what);
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_end_when_no_one_waits_for_them() {
    let app = App::new().await;
    // Ten minutes per move, so that only the flag can end such a search.
    let order = json!({"game": "connect-four", "play_ms": 600_000,
        "seats": [{"kind": "person"}, {"kind": "player", "player": "uct"}]});
    for action in ["undo", "abort", "pause"] {
        let made = app.post("/api/matches", None, order.clone()).await;
        let id = made["id"].as_str().unwrap();
        let token = made["seats"][0]["token"].as_str().unwrap();
        let path = format!("/api/matches/{id}");
        let first = app.get_as(&path, token).await;
        let text = first["scene"]["legal"][0]["moves"][3]["text"].as_str().unwrap();
        let body = json!({"ply": 0, "move": text});
        app.post(&format!("{path}/moves"), Some(token), body).await;
        app.wait(id, Some(token), |shown| shown["seats"][1]["thinking"] == true).await;
        while app.site.hub.pool.state().running == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        app.post(&format!("{path}/{action}"), Some(token), json!({})).await;
        let begun = std::time::Instant::now();
        while app.site.hub.pool.state().running > 0 {
            assert!(begun.elapsed().as_secs() < 60, "the search continues after {action}");
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }
}
