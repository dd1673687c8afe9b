//! Hidden information: no viewer is sent more than its role knows.

use crate::common::{App, legal};
use axum::body::Body;
use axum::http::{Request, StatusCode};
use serde_json::{Value, json};

/// The events that were sent to a viewer until the match ended.
async fn listen(app: &App, id: &str, token: Option<&str>) -> tokio::task::JoinHandle<String> {
    let seat = token.map(|token| format!("?seat={token}")).unwrap_or_default();
    let request = Request::builder().uri(format!("/api/matches/{id}/events{seat}"));
    let response = app.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(response.status(), StatusCode::OK);
    let mut body = response.into_body();
    // The first event is written when it is read, so it is read before the match continues.
    let mut text = next(&mut body).await.unwrap_or_default();
    tokio::spawn(async move {
        loop {
            // Events after the end may show everything.
            if let Some(end) = text.find("event: end") {
                text.truncate(end);
                return text;
            }
            if let Some(end) = text.find("\"state\":\"ended\"") {
                let start = text[..end].rfind("event:").unwrap_or(0);
                text.truncate(start);
                return text;
            }
            let Some(more) = next(&mut body).await else { return text };
            text.push_str(&more);
        }
    })
}

/// The next part of a stream; `None` at its end.
async fn next(body: &mut Body) -> Option<String> {
    use axum::body::HttpBody as _;
    let frame = std::future::poll_fn(|context| std::pin::Pin::new(&mut *body).poll_frame(context));
    let data = frame.await?.ok()?.into_data().unwrap_or_default();
    Some(String::from_utf8_lossy(&data).into_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn two_seats_of_a_card_game() {
    let app = App::new().await;
    let order = json!({"game": "kuhn-poker", "seats": [{"kind": "person"}, {"kind": "person"}]});
    let made = app.post("/api/matches", None, order).await;
    let id = made["id"].as_str().unwrap();
    let tokens: Vec<&str> = made["seats"]
        .as_array()
        .unwrap()
        .iter()
        .map(|seat| seat["token"].as_str().unwrap())
        .collect();
    let mut heard = Vec::new();
    for token in [Some(tokens[0]), Some(tokens[1]), None] {
        heard.push(listen(&app, id, token).await);
    }
    let mut seen = vec![String::new(); 3];
    for _ in 0..20 {
        let spectator = app.get(&format!("/api/matches/{id}")).await;
        if spectator["state"] == "ended" {
            break;
        }
        seen[2].push_str(&spectator.to_string());
        assert_eq!(spectator["scene"]["facts"], json!([]));
        let hidden = spectator["history"].as_array().unwrap();
        assert!(hidden.iter().all(|entry| entry["moves"].is_null()), "{spectator}");
        for (seat, token) in tokens.iter().enumerate() {
            let whole = app.get_as(&format!("/api/matches/{id}"), token).await;
            if whole["state"] == "ended" {
                break;
            }
            seen[seat].push_str(&whole.to_string());
            let record = app.get_as(&format!("/api/matches/{id}/record"), token).await;
            seen[seat].push_str(&record.to_string());
            let moves = legal(&whole["scene"]);
            if let Some(choice) = moves.first() {
                let order = json!({"ply": whole["plies"], "move": choice});
                app.post(&format!("/api/matches/{id}/moves"), Some(token), order).await;
            }
        }
    }
    let end = app.get(&format!("/api/matches/{id}")).await;
    assert_eq!(end["state"], "ended", "{end}");
    // The record shows the deal after the end.
    let record = app.get(&format!("/api/matches/{id}/record")).await;
    let percepts = record["percepts"].as_array().unwrap();
    let cards = |role: usize| -> Vec<String> {
        let mut found = Vec::new();
        for step in percepts.iter().filter(|step| !step.is_null()) {
            for text in step[role].as_array().into_iter().flatten() {
                let text = text.as_str().unwrap();
                for card in ["jack", "queen", "king"] {
                    if text.contains(card) && !found.contains(&card.to_owned()) {
                        found.push(card.to_owned());
                    }
                }
            }
        }
        found
    };
    let roles: Vec<&str> =
        record["roles"].as_array().unwrap().iter().map(|role| role.as_str().unwrap()).collect();
    let players: Vec<usize> =
        (0..roles.len()).filter(|&role| record["chance"] != roles[role]).collect();
    let first: Vec<String> = cards(players[0]);
    let second: Vec<String> = cards(players[1]);
    assert!(!first.is_empty() && !second.is_empty(), "{record}");
    for (seat, task) in heard.into_iter().enumerate() {
        let events = task.await.unwrap();
        assert!(events.contains("event: match"), "{events}");
        seen[seat].push_str(&events);
    }
    // The shape names all cards, so it is excluded from the comparison.
    let without_shape = |text: &str| -> String {
        let mut text = text.to_owned();
        while let Some(start) = text.find("\"shape\":{") {
            let mut depth = 0;
            let end = text[start..].char_indices().find_map(|(at, letter)| {
                depth += i32::from(letter == '{') - i32::from(letter == '}');
                (depth == 0 && letter == '}').then_some(start + at + 1)
            });
            text.replace_range(start..end.unwrap_or(text.len()), "");
        }
        text
    };
    // A card is the last word of a percept or fact.
    let holds = |text: &str, card: &str| without_shape(text).contains(&format!(" {card}"));
    assert!(holds(&seen[0], &first[0]), "a player sees its own card: {}", seen[0]);
    assert!(!holds(&seen[0], &second[0]), "{} was sent to the other: {}", second[0], seen[0]);
    assert!(!holds(&seen[1], &first[0]), "{} was sent to the other: {}", first[0], seen[1]);
    for card in ["jack", "queen", "king"] {
        assert!(!holds(&seen[2], card), "{card} was sent to a spectator: {}", seen[2]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_and_information_sets_come_from_the_view() {
    let app = App::new().await;
    let order = json!({"game": "kuhn-poker",
        "seats": [{"kind": "person"}, {"kind": "level", "level": "beginner"}]});
    let made = app.post("/api/matches", None, order).await;
    let (id, token) = (made["id"].as_str().unwrap(), made["seats"][0]["token"].as_str().unwrap());
    let ready = |whole: &Value| whole["state"] == "ended" || legal(&whole["scene"]).len() > 1;
    let whole = app.wait(id, Some(token), ready).await;
    if whole["state"] == "ended" {
        return;
    }
    assert_eq!(whole["scene"]["exact"], true);
    assert!(whole["scene"]["positions"].as_u64() > Some(1));
    let hint = app.post(&format!("/api/matches/{id}/hint"), Some(token), json!({})).await;
    assert!(legal(&whole["scene"]).contains(&hint["move"].as_str().unwrap().to_owned()));
    let known = app.post("/api/infoset", Some(token), json!({"match": id})).await;
    assert_eq!(known["exact"], true, "{known}");
    assert_eq!(known["states"], 2, "the other player holds one of two cards: {known}");
    let (status, _) = app.refused("/api/infoset", None, json!({"match": id})).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    let (status, _) = app.refused(&format!("/api/matches/{id}/hint"), None, json!({})).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    let (status, _) = app.refused(&format!("/api/matches/{id}/undo"), Some(token), json!({})).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
}
