//! Plain pages of games.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Form, Path, Query, State};
use axum::response::IntoResponse as _;
use magister_games::catalogue;
use magister_players::LEVELS;
use serde::Deserialize;

use super::matches::enter;
use super::{App, Page, base, page};
use crate::games::{GameFilter, OpenGame, Wanted};
use crate::limits::Client;
use crate::live::{Mode, NewMatch, SeatKind, SeatOrder};
use crate::words::escape;
use crate::{Site, svg};

pub(super) async fn front() -> Page {
    let mut body = String::from(
        "<p>Magister plays any game whose rules are written as text: against you, against itself, \
         or against other programs.</p>",
    );
    for (heading, names) in catalogue::FEATURED {
        let _ = write!(body, "<h2>{}</h2><ul>", escape(heading));
        for name in *names {
            if let Some(entry) = catalogue::find(name) {
                let _ = write!(
                    body,
                    "<li><a href=\"{}/games/{}\">{}</a>: {}</li>",
                    base(),
                    escape(name),
                    escape(&entry.card.title),
                    escape(&entry.card.summary)
                );
            }
        }
        body.push_str("</ul>");
    }
    let _ = write!(body, "<p><a href=\"{}/games\">All games</a></p>", base());
    Ok(page("Games from rules", &body, false).into_response())
}

pub(super) async fn games(State(site): App, Query(filter): Query<GameFilter>) -> Page {
    let shared = Arc::clone(&site);
    let list = site.blocking(move || Ok(shared.games.list(&filter))).await?;
    let mut body = String::from(
        "<form><label>Search <input name=\"search\"></label> <button>Find</button></form><table>\
         <tr><th>Game</th><th>Players</th><th></th></tr>",
    );
    for line in &list {
        let line = serde_json::json!(line);
        let get = |key: &str| escape(line[key].as_str().unwrap_or_default());
        let _ = write!(
            body,
            "<tr><td><a href=\"{}/games/{}\">{}</a></td><td>{}</td><td>{}</td></tr>",
            base(),
            get("name"),
            get("title"),
            line["players"],
            get("summary")
        );
    }
    body.push_str("</table>");
    Ok(page("Games", &body, false).into_response())
}

pub(super) async fn game(State(site): App, Path(name): Path<String>) -> Page {
    let open = site.game(&name).await?;
    let shared = Arc::clone(&site);
    let body = site.blocking(move || Ok(describe(&shared, &open))).await?;
    Ok(page(&body.0, &body.1, false).into_response())
}

fn describe(site: &Site, open: &Arc<OpenGame>) -> (String, String) {
    let details = site.games.details(open);
    let mut body = String::new();
    for part in details["description"].as_str().unwrap_or_default().split("\n\n") {
        let _ = write!(body, "<p>{}</p>", escape(part));
    }
    let clues = details["clues"].as_str().unwrap_or_default();
    if !clues.is_empty() {
        let _ = write!(body, "<pre>{}</pre>", escape(clues));
    }
    if let (Some(shape), Ok(reached)) =
        (open.drawing.shape(), crate::reached::Reached::new(open, &Vec::new()))
    {
        let board = svg::board(shape, &reached.scene());
        let _ = write!(
            body,
            "<div class=\"board\" style=\"width:{:.0}px\">{}</div>",
            board.width, board.svg
        );
    }
    let info = open.playable.game.info();
    let name = escape(&open.name.replace('/', "%2F"));
    let at = base();
    let _ = write!(body, "<h2>Play</h2><form method=\"post\" action=\"{at}/play/{name}\">");
    body.push_str("<p><label>Your role <select name=\"role\">");
    for role in info.players() {
        let text = escape(info.role_name(role));
        let _ = write!(body, "<option value=\"{}\">{text}</option>", role.index());
    }
    body.push_str("<option value=\"all\">all roles</option></select></label> ");
    body.push_str("<label>Opponent <select name=\"level\">");
    for level in &LEVELS {
        let chosen = if level.name == "easy" { " selected" } else { "" };
        let _ = write!(
            body,
            "<option value=\"{0}\"{chosen}>{0}: {1}</option>",
            level.name,
            escape(level.about)
        );
    }
    body.push_str("</select></label> <button>Start</button></p></form>");
    for (syntax, text) in details["rules"].as_object().into_iter().flatten() {
        let _ = write!(
            body,
            "<details><summary>Rules ({})</summary><pre>{}</pre></details>",
            escape(syntax),
            escape(text.as_str().unwrap_or_default())
        );
    }
    (open.title.clone(), body)
}

#[derive(Deserialize)]
pub(super) struct PlayForm {
    #[serde(default)]
    role: String,
    #[serde(default)]
    level: String,
}

pub(super) async fn play(
    State(site): App,
    Path(name): Path<String>,
    Extension(client): Extension<Client>,
    Form(form): Form<PlayForm>,
) -> Page {
    let open = site.game(&name).await?;
    let info = open.playable.game.info();
    let own: Option<usize> = form.role.parse().ok();
    let all = form.role == "all" || info.players().count() == 1;
    let seats = info.players().map(|role| {
        if Some(role.index()) == own {
            return SeatOrder::default();
        }
        SeatOrder { kind: SeatKind::Level, level: Some(form.level.clone()), ..Default::default() }
    });
    let order = NewMatch {
        game: Wanted::Game(name),
        mode: if all { Mode::Standalone } else { Mode::Match },
        seats: seats.collect(),
        start_ms: None,
        play_ms: None,
        seed: None,
        iterations: None,
        rated: false,
        from: Vec::new(),
        tournament: None,
        client: client.name,
    };
    let made = site.create(order).await?;
    let token = made.tokens.iter().find_map(|(_, token)| token.clone()).unwrap_or(made.owner);
    Ok(enter(&site, &made.live.id, &token))
}
