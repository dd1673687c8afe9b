//! Games: the list, one game, saving and deleting.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, App, Body, Query};
use crate::accounts::Visitor;
use crate::games::{GameFilter, OpenGame};
use crate::reached::Reached;
use crate::{ApiError, Site};

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/games", get(games).post(save_game))
        .route("/games/{name}", get(game).delete(delete_game))
        .route("/games/{name}/start", get(start))
}

async fn games(State(site): App, Query(filter): Query<GameFilter>) -> Answer {
    let shared = Arc::clone(&site);
    let list = site.blocking(move || Ok(shared.games.list(&filter))).await?;
    Ok(Json(json!({"games": list})))
}

async fn game(State(site): App, visitor: Visitor, Path(name): Path<String>) -> Answer {
    let open = site.game(&name).await?;
    let shared = Arc::clone(&site);
    let mut details = site.blocking(move || Ok(shared.games.details(&open))).await?;
    // Whether the visitor may replace or delete it.
    let owner = site.games.owner(&name);
    details["mine"] = json!(owner.is_some_and(|owner| visitor.may_change(&owner).is_ok()));
    Ok(Json(details))
}

async fn delete_game(State(site): App, visitor: Visitor, Path(name): Path<String>) -> Answer {
    site.games.delete(&name, &visitor).await?;
    Ok(Json(json!({"deleted": name})))
}

#[derive(Deserialize)]
struct SaveGame {
    name: String,
    text: String,
}

async fn save_game(
    State(site): App,
    visitor: Visitor,
    Body(body): Body<SaveGame>,
) -> Result<Response, ApiError> {
    let open = site.games.save(&body.name, &body.text, &visitor, &site.accounts).await?;
    let answer = json!({"name": open.name, "title": open.title});
    Ok((StatusCode::CREATED, Json(answer)).into_response())
}

/// The initial position, for pictures of games.
fn start_of(open: &Arc<OpenGame>) -> Result<Value, ApiError> {
    let reached = Reached::new(open, &Vec::new())?;
    let mut scene = reached.scene();
    let info = open.playable.game.info();
    if open.is_hidden() {
        // The legal moves of roles with hidden information are shown only in matches.
        scene.legal.clear();
    }
    Ok(json!({"shape": open.drawing.shape(), "scene": scene, "roles": info.roles}))
}

async fn start(State(site): App, Path(name): Path<String>) -> Result<Response, ApiError> {
    // A page with pictures of all games must not prepare all of them again.
    let answer = if let Some(known) = site.games.known_start(&name) {
        known
    } else {
        let open = site.game(&name).await?;
        let answer: Arc<str> = site.blocking(move || start_of(&open)).await?.to_string().into();
        site.games.keep_start(&name, &answer);
        answer
    };
    // The rules of a name change only with the program or when a game is saved.
    let headers =
        [(header::CACHE_CONTROL, "max-age=60"), (header::CONTENT_TYPE, "application/json")];
    Ok((headers, answer.to_string()).into_response())
}
