//! Plain pages with lists: matches and ratings.

use std::fmt::Write as _;

use axum::extract::State;
use axum::response::IntoResponse as _;

use super::{App, Page, base, page};
use crate::api::{MatchFilter, listed};
use crate::tournaments;
use crate::words::escape;

pub(super) async fn matches(State(site): App) -> Page {
    let list = listed(&site, MatchFilter::default()).await?;
    let mut body =
        String::from("<table><tr><th>Match</th><th>Game</th><th>State</th><th>Players</th></tr>");
    for one in list["matches"].as_array().into_iter().flatten() {
        let text = |key: &str| escape(one[key].as_str().unwrap_or_default());
        let seats = one["seats"].as_array().map_or(&[][..], Vec::as_slice);
        let players: Vec<String> = seats
            .iter()
            .map(|seat| {
                let score = seat["score"].as_f64().map(|score| format!(" {score}"));
                let player = escape(seat["player"].as_str().unwrap_or_default());
                format!("{player}{}", score.unwrap_or_default())
            })
            .collect();
        let _ = write!(
            body,
            "<tr><td><a href=\"{4}/match/{0}\">{0}</a></td><td>{1}</td><td>{2}</td><td>{3}</td></tr>",
            text("id"),
            text("title"),
            text("state"),
            players.join(", "),
            base()
        );
    }
    body.push_str("</table>");
    Ok(page("Matches", &body, false).into_response())
}

pub(super) async fn leaderboard(State(site): App) -> Page {
    let board = tournaments::leaderboard(&site, None).await?;
    let mut body = String::from("<table><tr><th>Player</th><th>Rating</th><th>Seats</th></tr>");
    for one in board["ratings"].as_array().into_iter().flatten() {
        let _ = write!(
            body,
            "<tr><td>{}</td><td>{:.0}</td><td>{}</td></tr>",
            escape(one["player"].as_str().unwrap_or_default()),
            one["rating"].as_f64().unwrap_or(0.0),
            one["matches"]
        );
    }
    body.push_str("</table>");
    Ok(page("Leaderboard", &body, false).into_response())
}
