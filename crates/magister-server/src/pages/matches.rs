//! Plain pages of matches.

use std::fmt::Write as _;

use axum::Extension;
use axum::extract::{Form, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;
use serde_json::Value;

use super::{App, Page, base, page};
use crate::accounts::cookie;
use crate::api::{again, on_match};
use crate::games::OpenGame;
use crate::limits::Client;
use crate::live::{Access, JumpTo, MoveOrder};
use crate::scene::{MoveLine, Scene};
use crate::words::escape;
use crate::{ApiError, Site, svg};

/// Redirects to a match, with the token of a seat in a cookie.
pub(super) fn enter(site: &Site, id: &str, token: &str) -> Response {
    let path = &site.base_path;
    let cookie =
        format!("seat-{id}={token}; Path={path}/; HttpOnly; SameSite=Strict; Max-Age=2592000");
    ([(header::SET_COOKIE, cookie)], Redirect::to(&format!("{}/match/{id}", base())))
        .into_response()
}

/// The token of a match, from the cookies.
fn seat_cookie(headers: &HeaderMap, id: &str) -> Option<String> {
    cookie(headers, &format!("seat-{id}"))
}

#[derive(Default, Deserialize)]
pub(super) struct MatchQuery {
    #[serde(default)]
    from: Option<usize>,
    #[serde(default)]
    ply: Option<usize>,
}

pub(super) async fn one_match(
    State(site): App,
    Path(id): Path<String>,
    Query(query): Query<MatchQuery>,
    headers: HeaderMap,
) -> Page {
    let token = seat_cookie(&headers, &id);
    let shown = on_match(&site, &id, token, move |live, access| {
        let whole = live.json(access);
        let turn = whole["plies"].as_u64().unwrap_or(0) as usize;
        let ply = query.ply.unwrap_or(turn).min(turn);
        let scene = live.scene_at(access, ply)?;
        let body = render(&whole, &scene, &live.open, access, &query, ply == turn);
        let waits = whole["state"] == "running" && scene.legal.is_empty() && query.ply.is_none();
        Ok((live.open.title.clone(), body, waits))
    });
    let (title, body, waits) = shown.await?;
    Ok(page(&title, &body, waits).into_response())
}

fn render(
    whole: &Value,
    scene: &Scene,
    open: &OpenGame,
    access: Access,
    query: &MatchQuery,
    now: bool,
) -> String {
    let id = whole["id"].as_str().unwrap_or_default();
    let at = base();
    let info = open.playable.game.info();
    let mut body = String::new();
    let _ =
        write!(body, "<p aria-live=\"polite\"><strong>{}</strong></p>", status(whole, scene, open));
    body.push_str("<table><tr><th>Role</th><th>Player</th><th>Score</th><th>Faults</th></tr>");
    for seat in whole["seats"].as_array().into_iter().flatten() {
        let text = |key: &str| escape(seat[key].as_str().unwrap_or_default());
        let score = seat["score"].as_f64().map(|score| score.to_string()).unwrap_or_default();
        let _ = write!(
            body,
            "<tr><td>{}</td><td>{}</td><td>{score}</td><td>{}</td></tr>",
            text("name"),
            text("player"),
            seat["faults"]
        );
    }
    body.push_str("</table>");
    let several = scene.legal.len() > 1;
    if !scene.facts.is_empty() {
        body.push_str("<ul>");
        for fact in &scene.facts {
            let _ = write!(body, "<li>{}</li>", escape(&fact.label));
        }
        body.push_str("</ul>");
    }
    for percept in &scene.percepts {
        let role = escape(&info.roles[percept.role]);
        let _ = write!(body, "<p>{role} sees {}</p>", escape(&crate::words::label(&percept.text)));
    }
    if let Some(shape) = open.drawing.shape() {
        let board = svg::board(shape, scene);
        let _ = write!(
            body,
            "<form method=\"post\" action=\"{at}/match/{id}/move\"><input type=\"hidden\" name=\"ply\" \
             value=\"{}\"><div class=\"board\" style=\"width:{:.0}px\">{}",
            scene.ply, board.width, board.svg
        );
        if !several && let Some(own) = scene.legal.first() {
            places(&mut body, id, own.role, &own.moves, query.from, &board);
        }
        body.push_str("</div></form>");
    }
    for own in &scene.legal {
        let role = escape(&info.roles[own.role]);
        let _ = write!(
            body,
            "<h2>Moves of {role}</h2><form class=\"moves\" method=\"post\" \
             action=\"{at}/match/{id}/move\"><input type=\"hidden\" name=\"ply\" value=\"{}\">\
             <input type=\"hidden\" name=\"role\" value=\"{}\">",
            scene.ply, own.role
        );
        for one in &own.moves {
            let _ = write!(
                body,
                "<button name=\"move\" value=\"{}\">{}</button>",
                escape(&one.text),
                escape(&one.label)
            );
        }
        body.push_str("</form>");
    }
    if now && access != Access::Spectator {
        let _ = write!(
            body,
            "<form class=\"moves\" method=\"post\" action=\"{at}/match/{id}/act\"><p>"
        );
        for action in ["undo", "redo", "pause", "resume", "resign", "abort"] {
            if whole["may"][action] == true {
                let _ =
                    write!(body, "<button name=\"action\" value=\"{action}\">{action}</button>");
            }
        }
        if whole["state"] == "ended" || whole["state"] == "aborted" {
            body.push_str(
                "<button name=\"action\" value=\"rematch\">play again</button>\
                 <button name=\"action\" value=\"swap\">play again with swapped roles</button>",
            );
        }
        body.push_str("</p></form>");
    }
    history(&mut body, whole, id, info);
    body
}

/// Buttons and links on the cells of the board.
fn places(
    body: &mut String,
    id: &str,
    role: usize,
    moves: &[MoveLine],
    from: Option<usize>,
    board: &svg::Board,
) {
    let _ = write!(body, "<input type=\"hidden\" name=\"role\" value=\"{role}\">");
    for (cell, [left, top, width, height]) in board.places.iter().enumerate() {
        let style = format!("left:{left:.2}%;top:{top:.2}%;width:{width:.2}%;height:{height:.2}%");
        let here: Vec<&MoveLine> = moves
            .iter()
            .filter(|one| one.to == Some(cell) && (one.from.is_none() || one.from == from))
            .collect();
        let starts = moves.iter().any(|one| one.from == Some(cell));
        if let [only] = here[..] {
            let (text, label) = (escape(&only.text), escape(&only.label));
            let class = if from.is_some() { " class=\"on\"" } else { "" };
            let _ = write!(
                body,
                "<button style=\"{style}\"{class} name=\"move\" value=\"{text}\" \
                 aria-label=\"{label}\" title=\"{label}\"></button>"
            );
        } else if starts {
            let class = if from == Some(cell) { " class=\"on\"" } else { "" };
            let _ = write!(
                body,
                "<a style=\"{style}\"{class} href=\"{}/match/{id}?from={cell}\" \
                 aria-label=\"moves from here\"></a>",
                base()
            );
        }
    }
}

fn history(body: &mut String, whole: &Value, id: &str, info: &magister_core::Info) {
    let entries = whole["history"].as_array().map_or(&[][..], Vec::as_slice);
    if entries.is_empty() {
        return;
    }
    body.push_str("<h2>History</h2><ol>");
    for entry in entries {
        let ply = &entry["ply"];
        let moves: Vec<String> = match entry["moves"].as_array() {
            None => vec!["hidden until the end".to_owned()],
            Some(list) => list
                .iter()
                .map(|one| {
                    let role = one["role"].as_u64().unwrap_or(0) as usize;
                    let name = info.roles.get(role).map_or("", String::as_str);
                    format!("{}: {}", escape(name), escape(one["label"].as_str().unwrap_or("")))
                })
                .collect(),
        };
        let _ = write!(
            body,
            "<li><a href=\"{}/match/{id}?ply={ply}\">{}</a></li>",
            base(),
            if moves.is_empty() { "…".to_owned() } else { moves.join(", ") }
        );
    }
    let _ = write!(
        body,
        "</ol><p><a href=\"{}/match/{id}\">Current position</a> \
         <a href=\"/api/matches/{id}/record\">Record</a></p>",
        base()
    );
}

/// The status of the match as text.
fn status(whole: &Value, scene: &Scene, open: &OpenGame) -> String {
    let roles = &open.playable.game.info().roles;
    let names = |list: &[usize]| {
        let names: Vec<String> = list.iter().map(|&role| escape(&roles[role])).collect();
        names.join(", ")
    };
    match whole["state"].as_str() {
        Some("ended") => "The match is over.".to_owned(),
        Some("aborted") => "The match was aborted.".to_owned(),
        Some("paused") => "The match is paused.".to_owned(),
        _ if !scene.legal.is_empty() => {
            let own: Vec<usize> = scene.legal.iter().map(|one| one.role).collect();
            format!("To move: {}.", names(&own))
        }
        _ if scene.waiting.is_empty() => "Waiting.".to_owned(),
        _ => format!("Waiting for {}.", names(&scene.waiting)),
    }
}

#[derive(Deserialize)]
pub(super) struct MoveForm {
    ply: usize,
    #[serde(rename = "move")]
    choice: String,
    #[serde(default)]
    role: String,
}

pub(super) async fn make_move(
    State(site): App,
    Path(id): Path<String>,
    headers: HeaderMap,
    Form(form): Form<MoveForm>,
) -> Page {
    let token = seat_cookie(&headers, &id);
    let order = MoveOrder {
        ply: form.ply,
        choice: form.role.is_empty().then(|| form.choice.clone()),
        moves: [(form.role.clone(), form.choice)]
            .into_iter()
            .filter(|(r, _)| !r.is_empty())
            .collect(),
    };
    let played = on_match(&site, &id, token, move |live, access| live.play(access, &order)).await;
    match played {
        // A page that is out of date shows the current position.
        Err(error) if error.status() != StatusCode::CONFLICT => Err(error.into()),
        _ => Ok(Redirect::to(&format!("{}/match/{id}", base())).into_response()),
    }
}

#[derive(Deserialize)]
pub(super) struct ActForm {
    action: String,
}

pub(super) async fn act(
    State(site): App,
    Path(id): Path<String>,
    headers: HeaderMap,
    Extension(client): Extension<Client>,
    Form(form): Form<ActForm>,
) -> Page {
    let token = seat_cookie(&headers, &id);
    if matches!(form.action.as_str(), "rematch" | "swap") {
        let swap = form.action == "swap";
        let made = again(&site, &id, token, swap, client.name).await?;
        let seats = made["seats"].as_array().map_or(&[][..], Vec::as_slice);
        let token = seats.iter().find_map(|seat| seat["token"].as_str());
        let token = token.or(made["owner"].as_str()).unwrap_or_default();
        return Ok(enter(&site, made["id"].as_str().unwrap_or_default(), token));
    }
    let done = on_match(&site, &id, token, move |live, access| match form.action.as_str() {
        "undo" => live.undo(access),
        "redo" => live.redo(access),
        "jump" => live.jump(access, JumpTo::default()),
        "pause" => live.pause(access),
        "resume" => live.resume(access),
        "resign" => live.resign(access),
        "abort" => live.abort(access),
        _ => Err(ApiError::bad("there is no such action")),
    });
    done.await?;
    Ok(Redirect::to(&format!("{}/match/{id}", base())).into_response())
}
