//! Players: built-in, levels, remote.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use magister_players::{LEARNED, LEVELS, PLAYERS, ParameterKind, Registered};
use magister_protocol::Status;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, App, Body, Query};
use crate::accounts::Visitor;
use crate::{ApiError, Site};

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/players", get(players).post(add_player).delete(delete_player))
        .route("/players/ping", post(ping))
}

/// The kind of the documents that contain remote players.
const REMOTE: &str = "player";
/// The time limit for a remote player to reply to INFO.
const PATIENCE: Duration = Duration::from_secs(3);

fn described(entry: &Registered) -> Value {
    let parameters: Vec<Value> = entry
        .parameters
        .iter()
        .map(|one| {
            let (kind, default, range) = match one.kind {
                ParameterKind::Number { default, range } => {
                    ("number", json!(default), json!([range.0, range.1]))
                }
                ParameterKind::Whole { default, range } => {
                    ("whole", json!(default), json!([range.0, range.1]))
                }
                ParameterKind::Choice { names } => ("choice", json!(names.first()), json!(names)),
                ParameterKind::Text { default } => ("text", json!(default), Value::Null),
                ParameterKind::File { default } => ("file", json!(default), Value::Null),
                ParameterKind::Player { default } => ("player", json!(default), Value::Null),
                _ => ("other", Value::Null, Value::Null),
            };
            json!({
                "name": one.name, "summary": one.about, "kind": kind, "default": default,
                "range": range,
            })
        })
        .collect();
    json!({
        "name": entry.name, "summary": entry.about, "honest": !entry.clairvoyant,
        "hidden": entry.hidden, "iteration": entry.iteration, "parameters": parameters,
    })
}

async fn remote_players(site: &Site) -> Result<Vec<Value>, ApiError> {
    let stored = site.hub.store.documents(REMOTE).await?;
    Ok(stored.into_iter().filter_map(|(_, body)| serde_json::from_str(&body).ok()).collect())
}

fn owner_of(player: &Value) -> &str {
    player["owner"].as_str().unwrap_or_default()
}

async fn players(State(site): App, visitor: Visitor) -> Answer {
    let usable = PLAYERS
        .iter()
        .filter(|entry| !entry.clairvoyant && LEVELS.iter().all(|level| level.name != entry.name));
    let learned = LEARNED.iter().filter(|entry| entry.name == "perfect-connect-four");
    let all: Vec<Value> = usable.chain(learned).map(described).collect();
    let levels: Vec<Value> = LEVELS
        .iter()
        .map(|level| {
            json!({
                "name": level.name, "summary": level.about,
                "iterations": level.perfect.iterations,
                "player": level.perfect.player, "hidden_player": level.hidden.player,
                "hidden_iterations": level.hidden.iterations,
                "hidden_random_percent": level.hidden.random,
            })
        })
        .collect();
    let mut remote = remote_players(&site).await?;
    for one in &mut remote {
        one["mine"] = json!(visitor.may_change(owner_of(one)).is_ok());
    }
    let trained = site.hub.trainings.players();
    Ok(Json(json!({"players": all, "levels": levels, "remote": remote, "trained": trained})))
}

#[derive(Default, Deserialize)]
struct AddPlayer {
    #[serde(default)]
    address: Option<String>,
    #[serde(default)]
    name: Option<String>,
}

async fn add_player(State(site): App, visitor: Visitor, Body(body): Body<AddPlayer>) -> Answer {
    let address = body.address.unwrap_or_default();
    let address: magister_manager::PlayerAddress =
        address.parse().map_err(|what: String| ApiError::invalid("address", what))?;
    let name = address.to_string();
    let known = remote_players(&site).await?;
    let before = known.iter().find(|one| one["address"] == name.as_str());
    let owner = before.map_or(visitor.owner(), owner_of).to_owned();
    if owner != visitor.owner() {
        visitor.may_change(&owner)?;
    }
    let own = known.iter().filter(|one| owner_of(one) == owner).count();
    let quota = site.accounts.quotas().of(Some(&owner)).players;
    if before.is_none() && (known.len() >= 500 || !owner.is_empty() && own >= quota) {
        let what = "no more remote players can be registered; delete one first";
        return Err(ApiError::conflict("quota", what));
    }
    let entry = asked(&site, &address, body.name, &owner).await;
    site.hub.store.put_document(REMOTE, &name, &entry.to_string()).await?;
    Ok(Json(entry))
}

/// The state of a remote player, as reported by INFO.
async fn asked(
    site: &Arc<Site>,
    address: &magister_manager::PlayerAddress,
    name: Option<String>,
    owner: &str,
) -> Value {
    let (target, policy) = (address.clone(), site.hub.policy);
    let reply = site
        .blocking(move || {
            magister_manager::client::ping(&target, policy, PATIENCE)
                .map_err(|error| ApiError::unavailable(error.to_string()))
        })
        .await;
    let status = match &reply {
        Ok(info) if info.status == Status::Busy => "busy",
        Ok(_) => "available",
        Err(_) => "unreachable",
    };
    let said = reply.map_or_else(|error| error.to_string(), |info| info.write());
    let said: String = said.chars().take(200).collect();
    let name = name.map(|name| name.chars().take(60).collect::<String>());
    json!({
        "address": address.to_string(), "status": status, "reply": said,
        "name": name.unwrap_or_else(|| address.to_string()), "owner": owner,
    })
}

async fn ping(State(site): App, Body(body): Body<AddPlayer>) -> Answer {
    let mut all = Vec::new();
    for known in remote_players(&site).await? {
        let address = known["address"].as_str().unwrap_or_default();
        if body.address.as_deref().is_some_and(|wanted| wanted != address) {
            continue;
        }
        if let Ok(parsed) = address.parse() {
            let name = known["name"].as_str().map(str::to_owned);
            let entry = asked(&site, &parsed, name, owner_of(&known)).await;
            site.hub.store.put_document(REMOTE, address, &entry.to_string()).await?;
            all.push(entry);
        }
    }
    Ok(Json(json!({"remote": all})))
}

#[derive(Deserialize)]
struct WhichPlayer {
    address: String,
}

async fn delete_player(
    State(site): App,
    visitor: Visitor,
    Query(which): Query<WhichPlayer>,
) -> Answer {
    let known = remote_players(&site).await?;
    let found = known.iter().find(|one| one["address"] == which.address.as_str());
    let found = found.ok_or_else(|| ApiError::missing("there is no player at this address"))?;
    visitor.may_change(owner_of(found))?;
    site.hub.store.delete_document(REMOTE, &which.address).await?;
    Ok(Json(json!({"deleted": which.address})))
}

/// Deletes the remote players of an account.
pub(super) async fn delete_players_of(site: &Site, owner: &str) -> Result<(), ApiError> {
    for one in remote_players(site).await? {
        if owner_of(&one) == owner {
            let address = one["address"].as_str().unwrap_or_default();
            site.hub.store.delete_document(REMOTE, address).await?;
        }
    }
    Ok(())
}
