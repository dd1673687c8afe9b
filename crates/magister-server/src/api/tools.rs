//! Tools for rules and positions.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::matches::{on_match, wanted};
use super::{Answer, App, Body, token};
use crate::games::OpenGame;
use crate::limits::Client;
use crate::reached::{History, Reached};
use crate::tools::Lived;
use crate::{ApiError, Site, style, tools};

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/analyze", post(analyze))
        .route("/infoset", post(infoset))
        .route("/check", post(check))
        .route("/format", post(format))
        .route("/convert", post(convert))
        .route("/explain", post(explain))
        .route("/metagame/{name}", get(metagame))
        .route("/style", post(preview))
        .route("/games/{name}/style", get(style_of))
}

#[derive(Deserialize)]
struct TextBody {
    text: String,
    #[serde(default)]
    to: Option<String>,
}

fn fits(site: &Site, text: &str) -> Result<(), ApiError> {
    let most = site.hub.limits.rules;
    if text.len() <= most {
        return Ok(());
    }
    let what = format!("rules may have at most {most} bytes");
    Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", what))
}

async fn check(State(site): App, Body(body): Body<TextBody>) -> Answer {
    fits(&site, &body.text)?;
    let time = site.hub.limits.prepare;
    Ok(Json(site.blocking(move || Ok(tools::check(&body.text, time))).await?))
}

async fn format(State(site): App, Body(body): Body<TextBody>) -> Answer {
    fits(&site, &body.text)?;
    let text = site.blocking(move || tools::format(&body.text)).await?;
    Ok(Json(json!({"text": text})))
}

async fn convert(State(site): App, Body(body): Body<TextBody>) -> Answer {
    fits(&site, &body.text)?;
    let to = body.to.unwrap_or_default();
    let text = site.blocking(move || tools::convert(&body.text, &to)).await?;
    Ok(Json(json!({"text": text})))
}

#[derive(Deserialize)]
struct PositionBody {
    #[serde(default)]
    game: Option<String>,
    #[serde(default)]
    rules: Option<String>,
    /// The facts of the position before the history; by default the initial ones.
    #[serde(default)]
    state: Option<String>,
    #[serde(default)]
    history: History,
    #[serde(default)]
    role: Option<Value>,
    #[serde(rename = "move", default)]
    choice: Option<String>,
    #[serde(default)]
    player: Option<String>,
    #[serde(default)]
    iterations: Option<u64>,
}

/// A role by its number or name.
fn role_of(open: &OpenGame, role: Option<&Value>) -> Result<magister_core::Role, ApiError> {
    let info = open.playable.game.info();
    let found = match role {
        None => info.players().next(),
        Some(Value::Number(number)) => {
            let number = number.as_u64().unwrap_or(u64::MAX) as usize;
            info.all_roles().nth(number)
        }
        Some(value) => value.as_str().and_then(|name| info.role(name)),
    };
    found.ok_or_else(|| {
        let names = info.roles.join(", ");
        ApiError::invalid("role", format!("there is no such role; the roles are {names}"))
    })
}

async fn explain(State(site): App, Body(body): Body<PositionBody>) -> Answer {
    let open = site.games.get(&wanted(body.game, body.rules)?).await?;
    let answer = site.blocking(move || {
        let role = role_of(&open, body.role.as_ref())?;
        let reached = Reached::from_facts(&open, body.state.as_deref(), &body.history)?;
        let choice = body.choice.ok_or_else(|| ApiError::bad("the request names no `move`"))?;
        tools::explain(&reached, role, &choice)
    });
    Ok(Json(answer.await?))
}

async fn analyze(
    State(site): App,
    Extension(client): Extension<Client>,
    Body(body): Body<PositionBody>,
) -> Answer {
    let open = site.games.get(&wanted(body.game, body.rules)?).await?;
    let (send, receive) = tokio::sync::oneshot::channel();
    let time = site.hub.limits.hint_time;
    site.hub.pool.put(&client.name, move || {
        let player = body.player.as_deref().unwrap_or("uct");
        let iterations = body.iterations.unwrap_or(20_000);
        let reached = Reached::from_facts(&open, body.state.as_deref(), &body.history);
        let answer = reached.and_then(|reached| tools::analyze(&reached, player, iterations, time));
        let _ = send.send(answer);
    });
    let answer = receive.await.map_err(|_| ApiError::unavailable("the server is shutting down"))?;
    Ok(Json(answer?))
}

#[derive(Deserialize)]
struct InfosetBody {
    #[serde(rename = "match", default)]
    id: Option<String>,
    #[serde(default)]
    ply: Option<usize>,
    #[serde(default)]
    game: Option<String>,
    #[serde(default)]
    rules: Option<String>,
    #[serde(default)]
    role: Option<Value>,
    #[serde(default)]
    history: Vec<Lived>,
}

async fn infoset(State(site): App, headers: HeaderMap, Body(body): Body<InfosetBody>) -> Answer {
    if let Some(id) = body.id {
        let found = on_match(&site, &id, token(&headers), move |live, access| {
            let view = live.view_of(access, body.ply)?;
            tools::infoset(&live.open, &view)
        });
        return Ok(Json(found.await?));
    }
    let open = site.games.get(&wanted(body.game, body.rules)?).await?;
    let found = site.blocking(move || {
        let role = role_of(&open, body.role.as_ref())?;
        let view = tools::view_of(&open, role, &body.history)?;
        tools::infoset(&open, &view)
    });
    Ok(Json(found.await?))
}

async fn metagame(State(site): App, Path(name): Path<String>) -> Answer {
    let open = site.game(&name).await?;
    let time = site.hub.limits.hint_time;
    Ok(Json(site.blocking(move || Ok(tools::metagame(&open, time))).await?))
}

#[derive(Deserialize)]
struct StyleBody {
    #[serde(default)]
    game: Option<String>,
    #[serde(default)]
    rules: Option<String>,
    style: String,
    #[serde(default)]
    seed: u64,
}

async fn preview(State(site): App, Body(body): Body<StyleBody>) -> Answer {
    let open = site.games.get(&wanted(body.game, body.rules)?).await?;
    Ok(Json(site.blocking(move || style::preview(&open, &body.style, body.seed)).await?))
}

async fn style_of(State(site): App, Path(name): Path<String>) -> Answer {
    let open = site.game(&name).await?;
    Ok(Json(json!({"style": style::of(&open)})))
}
