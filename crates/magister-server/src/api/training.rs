//! Training runs.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use serde_json::{Value, json};

use super::{Answer, App, Body};
use crate::accounts::Visitor;
use crate::limits::Client;
use crate::training::{Training, TrainingOrder};
use crate::{ApiError, Site, training};

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/trainings", get(list).post(create))
        .route("/trainings/{id}", get(one).delete(delete))
        .route("/trainings/{id}/stop", post(stop))
        .route("/trainings/{id}/file", get(file))
}

fn described(one: &Training, visitor: &Visitor) -> Value {
    let mut all = json!(one);
    all["mine"] = json!(visitor.may_change(one.owner()).is_ok());
    all
}

async fn list(State(site): App, visitor: Visitor) -> Answer {
    let all = site.hub.trainings.list();
    let all: Vec<Value> = all.iter().map(|one| described(one, &visitor)).collect();
    Ok(Json(json!({"trainings": all, "longest": site.hub.limits.training.as_secs()})))
}

async fn create(
    State(site): App,
    visitor: Visitor,
    Extension(client): Extension<Client>,
    Body(order): Body<TrainingOrder>,
) -> Result<Response, ApiError> {
    let open = site.game(&order.game).await?;
    let made = training::create(&site.hub, open, &order, visitor.owner(), &client).await?;
    Ok((StatusCode::CREATED, Json(described(&made, &visitor))).into_response())
}

async fn one(State(site): App, visitor: Visitor, Path(id): Path<String>) -> Answer {
    Ok(Json(described(&site.hub.trainings.get(&id)?, &visitor)))
}

async fn stop(State(site): App, visitor: Visitor, Path(id): Path<String>) -> Answer {
    let one = site.hub.trainings.get(&id)?;
    visitor.may_change(one.owner())?;
    site.hub.trainings.stop(&id)?;
    Ok(Json(described(&one, &visitor)))
}

async fn delete(State(site): App, visitor: Visitor, Path(id): Path<String>) -> Answer {
    visitor.may_change(site.hub.trainings.get(&id)?.owner())?;
    site.hub.trainings.delete(&site.hub.store, &id).await?;
    Ok(Json(json!({"deleted": id})))
}

/// The agent as a file for `magister eval` and `td:file=FILE`.
async fn file(State(site): App, Path(id): Path<String>) -> Result<Response, ApiError> {
    let one = site.hub.trainings.get(&id)?;
    let bytes = site.hub.trainings.file(&site.hub.store, &one.id).await?;
    let name = format!("attachment; filename=\"{}.agent\"", one.id);
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, name),
    ];
    Ok((headers, bytes).into_response())
}
