//! Games, pictures and tools.

use crate::common::App;
use axum::http::StatusCode;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_games() {
    let app = App::new().await;
    let all = app.get("/api/games?all=1").await;
    let games = all["games"].as_array().unwrap();
    assert!(games.len() > 150, "{}", games.len());
    assert_eq!(games[0]["name"], "tictactoe");
    assert_eq!(games[0]["popular"], true);
    let find = |name: &str| games.iter().find(|game| game["name"] == name).unwrap().clone();
    assert_eq!(find("kuhn-poker")["hidden"], true);
    assert_eq!(find("kuhn-poker")["players"], 2);
    assert_eq!(find("sudoku")["players"], 1);
    assert_eq!(find("hex-7")["board"], "hexagons");
    let found = app.get("/api/games?search=four").await;
    assert!(found["games"].as_array().unwrap().iter().any(|game| game["name"] == "connect-four"));
    let few = app.get("/api/games?players=3&hidden=false").await;
    assert!(few["games"].as_array().unwrap().iter().all(|game| game["players"] == 3));
    let (status, _) = app.call("GET", "/api/games?players=many", None, None).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

#[tokio::test(flavor = "multi_thread")]
async fn details_of_a_game() {
    let app = App::new().await;
    let game = app.get("/api/games/tictactoe").await;
    assert_eq!(game["roles"].as_array().unwrap().len(), 2);
    assert!(game["rules"]["prefix"].as_str().unwrap().contains("(role"));
    assert!(game["rules"]["infix"].is_string());
    assert_eq!(game["shape"]["cells"].as_array().unwrap().len(), 9);
    assert!(game["versions"].as_array().unwrap().contains(&json!("tictactoe/infix")));
    let twin = app.get("/api/games/tictactoe%2Finfix").await;
    assert_eq!(twin["name"], "tictactoe/infix");
    let (status, error) = app.call("GET", "/api/games/tictacto", None, None).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert!(error["error"].as_str().unwrap().contains("tictactoe"), "{error}");
    let network = app.get("/api/metagame/tictactoe").await;
    let optimised = network["optimised"]["text"].as_str().unwrap();
    assert!(optimised.contains("(legal x (put 1 1))") && !optimised.contains('?'), "{optimised}");
    assert!(network["network"]["fluents"].as_u64() > Some(20), "{network}");
}

/// The shape of a piece by value, and moves of the initial position.
async fn start(app: &App, name: &str) -> (Value, Value) {
    let start = app.get(&format!("/api/games/{name}/start")).await;
    (start["shape"].clone(), start["scene"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn pieces_are_recognised() {
    let app = App::new().await;
    let (shape, scene) = start(&app, "chess").await;
    assert_eq!(shape["cells"].as_array().unwrap().len(), 64);
    let pieces: Vec<&str> = shape["pieces"]
        .as_object()
        .unwrap()
        .values()
        .map(|piece| piece["shape"].as_str().unwrap())
        .collect();
    for wanted in ["king", "queen", "rook", "bishop", "knight", "pawn"] {
        assert_eq!(pieces.iter().filter(|shape| **shape == wanted).count(), 2, "{shape}");
    }
    let moves = scene["legal"][0]["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 20);
    let placed = |one: &&Value| one["from"].is_number() && one["to"].is_number();
    assert_eq!(moves.iter().filter(placed).count(), 20, "{moves:?}");
    let (shape, scene) = start(&app, "connect-four").await;
    assert_eq!(shape["pieces"]["red"]["shape"], "disc", "{}", shape["pieces"]);
    // A drop names a column; its cell is where the disc falls.
    let moves = scene["legal"][0]["moves"].as_array().unwrap();
    let bottom = |one: &Value| {
        let cell = one["to"].as_u64().unwrap_or_else(|| panic!("{one}")) as usize;
        shape["cells"][cell]["y"].as_f64().unwrap()
    };
    assert!(moves.iter().all(|one| (bottom(one) - 5.0).abs() < 1e-6), "{moves:?}");
    let columns: Vec<String> = moves
        .iter()
        .map(|one| shape["cells"][one["to"].as_u64().unwrap() as usize]["x"].to_string())
        .collect();
    assert_eq!(columns, ["0.0", "1.0", "2.0", "3.0", "4.0", "5.0", "6.0"]);
    let (shape, _) = start(&app, "2048-3x3").await;
    let numbers = shape["pieces"].as_object().unwrap().values();
    let numbers: Vec<&str> = numbers
        .filter(|piece| piece["shape"] == "number")
        .map(|piece| piece["label"].as_str().unwrap())
        .collect();
    assert!(numbers.contains(&"2") && numbers.contains(&"128"), "{numbers:?}");
    let (shape, _) = start(&app, "tictactoe").await;
    let shapes: Vec<&str> =
        shape["values"].as_array().unwrap().iter().skip(1).map(|v| v.as_str().unwrap()).collect();
    assert_eq!(shapes.len(), 2, "{shapes:?}");
    for value in shapes {
        let piece = &shape["pieces"][value];
        assert!(matches!(piece["shape"].as_str(), Some("cross" | "nought")), "{piece}");
        assert!(piece["side"].is_number());
    }
}

/// Draws a sample, because the whole catalogue would take too long for a test. Every folder whose
/// number has this remainder is drawn; `MAGISTER_GAMES=all` draws all of them.
#[tokio::test(flavor = "multi_thread")]
async fn games_have_a_start_scene() {
    let app = App::new().await;
    let all = app.get("/api/games?all=1").await;
    let every = std::env::var("MAGISTER_GAMES").is_ok_and(|value| value == "all");
    let slow = ["chess", "pentago", "amazons-10x10", "checkers", "lines-of-action", "hex-11"];
    let mut missing = Vec::new();
    for (number, game) in all["games"].as_array().unwrap().iter().enumerate() {
        let name = game["name"].as_str().unwrap();
        if !every && (number % 12 != 5 || slow.contains(&name)) {
            continue;
        }
        let (shape, scene) = start(&app, name).await;
        let cells = shape["cells"].as_array().map(Vec::len);
        assert_eq!(scene["cells"].as_array().map(Vec::len), cells, "{name}");
        assert_eq!(scene["terminal"], false, "{name}");
        if cells.is_none() {
            missing.push(name.to_owned());
        }
        let values = shape["values"].as_array().map_or(0, Vec::len) as u64;
        for cell in scene["cells"].as_array().into_iter().flatten() {
            let value = cell.as_u64().unwrap();
            assert!(value < values || scene["values"][value.to_string()].is_object(), "{name}");
        }
        for one in scene["legal"].as_array().unwrap() {
            for line in one["moves"].as_array().unwrap() {
                for end in ["from", "to"] {
                    let cell = line[end].as_u64();
                    assert!(cell.is_none_or(|cell| (cell as usize) < cells.unwrap()), "{name}");
                }
            }
        }
    }
    if every {
        println!("without a board: {missing:?}");
    }
}

const BROKEN: &str =
    "(role white)\n(role black)\n(<= (legal ?p (take 1)) (role ?q))\n; é \n(init (";
const MINE: &str = "(role one) (init (heap 2)) (<= (legal one (take 1)) (true (heap ?n)))
(<= (next (heap 1)) (true (heap 2)) (does one (take 1)))
(<= (next done) (true (heap 1)) (does one (take 1))) (<= terminal (true done)) (goal one 100)";

#[tokio::test(flavor = "multi_thread")]
async fn rules_are_checked_formatted_converted_and_saved() {
    let app = App::new().await;
    let found = app.post("/api/check", None, json!({"text": BROKEN})).await;
    assert_eq!(found["playable"], false);
    let all = found["diagnostics"].as_array().unwrap();
    assert!(!all.is_empty());
    let length = BROKEN.encode_utf16().count() as u64;
    for one in all {
        assert!(one["start"].as_u64() <= one["end"].as_u64(), "{one}");
        assert!(one["end"].as_u64() <= Some(length), "{one}");
        assert!(one["message"].is_string() && one["code"].is_string(), "{one}");
    }
    let fine = app.post("/api/check", None, json!({"text": MINE})).await;
    assert_eq!((&fine["playable"], &fine["roles"]), (&json!(true), &json!(["one"])), "{fine}");
    let text = app.post("/api/format", None, json!({"text": MINE})).await;
    assert!(text["text"].as_str().unwrap().lines().count() > 5);
    let infix = app.post("/api/convert", None, json!({"text": MINE, "to": "infix"})).await;
    assert!(infix["text"].as_str().unwrap().contains(":-"), "{infix}");
    let (status, _) = app.refused("/api/format", None, json!({"text": BROKEN})).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    let (status, error) =
        app.call("POST", "/api/games", None, Some(json!({"name": "x", "text": BROKEN}))).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(!error["diagnostics"].as_array().unwrap().is_empty());
    let saved = app.post("/api/games", None, json!({"name": "My Heap", "text": MINE})).await;
    assert_eq!(saved["name"], "my-heap");
    assert_eq!(app.get("/api/games/my-heap").await["title"], "My Heap");
    let order = json!({"game": "my-heap", "mode": "standalone"});
    let made = app.post("/api/matches", None, order).await;
    let whole = app.get(&format!("/api/matches/{}", made["id"].as_str().unwrap())).await;
    // The only move is made automatically, so the game is over.
    assert_eq!(whole["state"], "ended");
    let taken = json!({"name": "Chess", "text": MINE});
    assert_eq!(app.refused("/api/games", None, taken).await.0, StatusCode::CONFLICT);
}

#[tokio::test(flavor = "multi_thread")]
async fn moves_are_explained() {
    let app = App::new().await;
    let ask = |choice: &str| json!({"game": "tictactoe", "history": [["(put 1 1)"]], "role": 1, "move": choice});
    let yes = app.post("/api/explain", None, ask("(put 2 2)")).await;
    assert_eq!(yes["legal"], true, "{yes}");
    let no = app.post("/api/explain", None, ask("(put 1 1)")).await;
    assert_eq!(no["legal"], false, "{no}");
    assert!(!no["reasons"].as_array().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_becomes_a_puzzle() {
    let app = App::new().await;
    let from = json!([["(put 1 1)"], ["(put 2 1)"], ["(put 1 2)"], ["(put 2 2)"], ["(put 1 3)"]]);
    let order = json!({"game": "tictactoe", "mode": "standalone", "from": from});
    app.post("/api/matches", None, order).await;
    let puzzle = app.get("/api/puzzles/today").await;
    assert_eq!(puzzle["game"], "tictactoe", "{puzzle}");
    let id = puzzle["id"].as_str().unwrap();
    let role = puzzle["role"].as_u64().unwrap() as usize;
    let path = format!("/api/puzzles/{id}/answer");
    let mut right = Vec::new();
    for line in puzzle["scene"]["legal"][0]["moves"].as_array().unwrap() {
        let verdict = app.post(&path, None, json!({"move": line["text"]})).await;
        if verdict["right"] == true {
            right.push(line["text"].as_str().unwrap().to_owned());
        }
    }
    // Exactly one move is right; for the first player, it completes three in a row.
    assert_eq!(right.len(), 1, "{right:?}");
    if role == 0 && puzzle["scene"]["ply"] == 4 {
        assert_eq!(right, ["(put 1 3)"]);
    }
    let (status, _) = app.refused(&path, None, json!({"move": "(put 1 1)"})).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    let (status, _) = app.call("GET", "/api/puzzles/nothing", None, None).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_style_is_previewed() {
    let app = App::new().await;
    assert!(
        app.get("/api/games/hex-5/style").await["style"].as_str().unwrap().contains("hexagons")
    );
    let order = |style: &str| json!({"game": "hex-5", "style": style, "seed": 3});
    let bare = app.post("/api/style", None, order("")).await;
    let styled = app
        .post("/api/style", None, order("[[board]]\nfluents = [\"cell\"]\nlayout = \"hexagons\""))
        .await;
    assert_eq!(
        (&bare["shape"]["layout"], &styled["shape"]["layout"]),
        (&json!("grid"), &json!("hexagons"))
    );
    assert!(styled["scenes"].as_array().unwrap().len() >= 3);
    assert_eq!(styled["scenes"][0]["cells"].as_array().unwrap().len(), 25);
    for wrong in ["[[board]]\nlayout = ", "[[board]]\nlayout = \"round\"", "x = {", "\u{0}"] {
        let (status, code) = app.refused("/api/style", None, order(wrong)).await;
        assert_eq!(
            (status, code.as_str()),
            (StatusCode::UNPROCESSABLE_ENTITY, "style"),
            "{wrong:?}"
        );
    }
    let huge = "#".repeat(100_000);
    assert_eq!(
        app.refused("/api/style", None, order(&huge)).await.0,
        StatusCode::PAYLOAD_TOO_LARGE
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tournament_counts_iterations() {
    let app = App::new().await;
    let order = json!({"games": ["tictactoe"], "players": ["uct", "mcs"], "iterations": 20});
    let made = app.post("/api/tournaments", None, order).await;
    let path = format!("/api/tournaments/{}", made["id"].as_str().unwrap());
    let mut found = app.get(&path).await;
    for _ in 0..3_000 {
        if found["state"] == "ended" {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        found = app.get(&path).await;
    }
    // With a clock of a minute per move, the match would not have ended.
    assert_eq!((&found["state"], &found["iterations"]), (&json!("ended"), &json!(20)));
}

#[tokio::test(flavor = "multi_thread")]
async fn moves_on_two_boards_point_to_the_cells_that_they_change() {
    let app = App::new().await;
    let order = json!({"game": "battleships", "mode": "standalone"});
    let made = app.post("/api/matches", None, order).await;
    let (id, token) = (made["id"].as_str().unwrap(), made["owner"].as_str().unwrap());
    let mut shown = app.get_as(&format!("/api/matches/{id}"), token).await;
    let cells = shown["shape"]["cells"].clone();
    let place = |one: &Value| {
        let cell = &cells[one["to"].as_u64().unwrap() as usize];
        (cell["board"].as_u64().unwrap(), cell["name"].as_str().unwrap().to_owned())
    };
    let find = |scene: &Value, role: usize, text: &str| {
        let moves = scene["legal"][role]["moves"].as_array().unwrap().clone();
        moves.into_iter().find(|one| one["text"] == text).unwrap()
    };
    for role in 0..2 {
        let one = find(&shown["scene"], role, "(place 3 1 4 across)");
        assert_eq!(
            place(&one),
            (role as u64, "1 4".to_owned()),
            "a ship lies in the role's own waters"
        );
    }
    for (ply, size) in [(0, 3), (1, 2)] {
        let text = format!("(place {size} 1 {size} across)");
        let moves = json!({"0": text, "1": text});
        let path = format!("/api/matches/{id}/moves");
        shown = app.post(&path, Some(token), json!({"ply": ply, "moves": moves})).await;
    }
    for role in 0..2 {
        let one = find(&shown["scene"], role, "(fire 4 2)");
        let there = (1 - role as u64, "4 2".to_owned());
        assert_eq!(place(&one), there, "a shot falls into the other waters");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tournament_comes_to_its_table() {
    let app = App::new().await;
    let order = json!({"games": ["tictactoe"], "players": ["beginner", "random", "easy"],
        "play_ms": 2_000});
    let made = app.post("/api/tournaments", None, order).await;
    let path = format!("/api/tournaments/{}", made["id"].as_str().unwrap());
    let mut table = app.get(&path).await;
    for _ in 0..3_000 {
        if table["state"] == "ended" {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        table = app.get(&path).await;
    }
    assert_eq!((&table["done"], &table["total"]), (&json!(6), &json!(6)), "{table}");
    assert_eq!(table["standings"].as_array().unwrap().len(), 3);
    assert_eq!(table["table"][0][1]["matches"], 2);
    let (status, _) = app
        .refused("/api/tournaments", None, json!({"games": ["tictactoe"], "players": ["uct"]}))
        .await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test(flavor = "multi_thread")]
async fn descriptions_and_counters() {
    let app = App::new().await;
    let api = app.get("/api/openapi.json").await;
    assert_eq!(api["openapi"], "3.1.0");
    assert!(api["paths"]["/api/matches/{id}/moves"]["post"]["requestBody"].is_object());
    let players = app.get("/api/players").await;
    assert_eq!(players["levels"].as_array().unwrap().len(), 5);
    let names: Vec<&str> = players["players"]
        .as_array()
        .unwrap()
        .iter()
        .map(|player| player["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"uct") && !names.contains(&"beginner"), "{names:?}");
    let (status, text) = app.page("/metrics", None).await;
    assert_eq!(status, StatusCode::OK);
    assert!(text.contains("magister_requests_total "), "{text}");
    assert_eq!(app.get("/api/about").await["name"], "Magister");
}
