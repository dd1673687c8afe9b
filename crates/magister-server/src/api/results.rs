//! Results, puzzles, and information about the site.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::json;

use super::{Answer, App, Body, Query};
use crate::tournaments::TournamentOrder;
use crate::{ApiError, Site, assets, openapi, puzzles, tournaments};

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/leaderboard", get(leaderboard))
        .route("/tournaments", get(list_tournaments).post(create_tournament))
        .route("/tournaments/{id}", get(tournament))
        .route("/puzzles", get(list_puzzles))
        .route("/puzzles/{id}", get(puzzle))
        .route("/puzzles/{id}/answer", post(answer_puzzle))
        .route("/about", get(about))
        .route("/openapi.json", get(|| async { Json(openapi::description()) }))
}

#[derive(Deserialize)]
struct GameQuery {
    #[serde(default)]
    game: Option<String>,
}

async fn leaderboard(State(site): App, Query(query): Query<GameQuery>) -> Answer {
    let game = query.game.filter(|game| !game.is_empty());
    Ok(Json(tournaments::leaderboard(&site, game).await?))
}

async fn list_tournaments(State(site): App) -> Answer {
    Ok(Json(json!({"tournaments": site.tournaments.list()})))
}

async fn create_tournament(
    State(site): App,
    Body(order): Body<TournamentOrder>,
) -> Result<Response, ApiError> {
    let id = tournaments::create(&site, order).await?;
    Ok((StatusCode::CREATED, Json(json!({"id": id}))).into_response())
}

async fn tournament(State(site): App, Path(id): Path<String>) -> Answer {
    Ok(Json(site.tournaments.get(&id)?))
}

async fn list_puzzles(State(site): App) -> Answer {
    Ok(Json(puzzles::list(&site)))
}

async fn puzzle(State(site): App, Path(id): Path<String>) -> Answer {
    Ok(Json(puzzles::get(&site, &id).await?))
}

#[derive(Deserialize)]
struct PuzzleAnswer {
    #[serde(rename = "move")]
    choice: String,
}

async fn answer_puzzle(
    State(site): App,
    Path(id): Path<String>,
    Body(body): Body<PuzzleAnswer>,
) -> Answer {
    Ok(Json(puzzles::answer(&site, &id, &body.choice).await?))
}

pub(super) async fn metrics(State(site): App) -> Response {
    let text = site.hub.metrics.text(site.loaded().len(), site.hub.pool.state());
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}

async fn about(State(site): App) -> Answer {
    let pool = site.hub.pool.state();
    let limits = &site.hub.limits;
    Ok(Json(json!({
        "name": "Magister",
        "version": env!("CARGO_PKG_VERSION"),
        "games": magister_games::catalogue::all().len(),
        "licence": "MIT OR Apache-2.0",
        "client": assets::has_client(),
        "threads": limits.threads,
        "searches": {"running": pool.running, "waiting": pool.waiting, "done": pool.done},
        "accounts": site.accounts.required,
        "limits": {
            "body": limits.body, "rules": limits.rules,
            "prepare_ms": limits.prepare.as_millis() as u64, "turns": limits.turns,
        },
    })))
}
