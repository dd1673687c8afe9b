//! Files of users: students' players.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use magister_store::{Archive as _, Upload};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, App, Body, Query};
use crate::accounts::Visitor;
use crate::games::SAVED;
use crate::live::{fresh_token, now_ms};
use crate::{ApiError, Site};

/// The kind of uploaded players.
const PLAYER: &str = "player";
/// The maximum number of uploads of all visitors without an account together.
const ANONYMOUS: usize = 500;

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/uploads", get(list).post(add))
        .route("/uploads/{id}", get(one).delete(delete))
}

fn describe(upload: &Upload) -> Value {
    json!({
        "id": upload.id, "kind": upload.kind, "name": upload.name, "owner": upload.owner,
        "bytes": upload.content.len(), "created": upload.created_ms,
    })
}

#[derive(Deserialize)]
struct Which {
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    all: Option<String>,
}

/// The visitor's uploads, or all uploads if an administrator requests them.
async fn list(State(site): App, visitor: Visitor, Query(which): Query<Which>) -> Answer {
    if which.all.is_some() {
        visitor.admin()?;
    } else if site.accounts.required {
        visitor.signed_in()?;
    }
    let owner = which.all.is_none().then_some(visitor.owner());
    let mut all = site.hub.store.uploads(owner).await?;
    all.retain(|one| which.kind.as_ref().is_none_or(|kind| *kind == one.kind));
    Ok(Json(json!({"uploads": all.iter().map(describe).collect::<Vec<_>>()})))
}

#[derive(Deserialize)]
struct Add {
    name: String,
    text: String,
}

/// Stores a player. It replaces the visitor's player of the same name.
async fn add(
    State(site): App,
    visitor: Visitor,
    Body(body): Body<Add>,
) -> Result<Response, ApiError> {
    let name: String = body.name.trim().chars().filter(|c| !c.is_control()).collect();
    if name.is_empty() || name.chars().count() > 60 {
        return Err(ApiError::invalid("name", "a name has 1 to 60 characters"));
    }
    if body.text.len() > site.hub.limits.rules {
        let what = format!("a player may have at most {} bytes", site.hub.limits.rules);
        return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", what));
    }
    let store = &site.hub.store;
    let own = store.uploads(Some(visitor.owner())).await?;
    let before = own.iter().find(|one| one.kind == PLAYER && one.name == name);
    if before.is_none() && visitor.owner().is_empty() && own.len() >= ANONYMOUS {
        return Err(ApiError::conflict("quota", "this site cannot store any more players"));
    }
    let replaced = before.map(|one| one.content.len());
    site.accounts.room(store, visitor.owner(), PLAYER, body.text.len(), replaced).await?;
    let upload = Upload {
        id: before.map_or_else(fresh_token, |one| one.id.clone()),
        owner: visitor.owner().to_owned(),
        kind: PLAYER.to_owned(),
        name,
        content: body.text,
        created_ms: now_ms(),
    };
    store.put_upload(&upload).await?;
    Ok((StatusCode::CREATED, Json(describe(&upload))).into_response())
}

/// An upload that this visitor may read. The existence of others is not revealed.
async fn readable(site: &Site, visitor: &Visitor, id: &str) -> Result<Upload, ApiError> {
    let found = site.hub.store.upload(id).await?;
    let mine = |one: &Upload| one.owner == visitor.owner() || visitor.is_admin();
    found.filter(mine).ok_or_else(|| ApiError::missing("there is no such upload"))
}

async fn one(State(site): App, visitor: Visitor, Path(id): Path<String>) -> Answer {
    let upload = readable(&site, &visitor, &id).await?;
    let mut all = describe(&upload);
    all["text"] = json!(upload.content);
    Ok(Json(all))
}

async fn delete(State(site): App, visitor: Visitor, Path(id): Path<String>) -> Answer {
    let upload = readable(&site, &visitor, &id).await?;
    visitor.may_change(&upload.owner)?;
    site.hub.store.remove_upload(&id).await?;
    if upload.kind == SAVED {
        site.games.forget(|game| game.id == id);
    }
    Ok(Json(json!({"deleted": upload.name})))
}
