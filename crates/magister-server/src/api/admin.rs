//! Administration: accounts, quotas, deletion, backup.

use std::sync::Arc;

use axum::body::Body as Bytes;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, put};
use axum::{Json, Router};
use magister_store::{Account, AccountRole, Archive as _, StoreError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, App, Body};
use crate::accounts::{List, Quota, Visitor, check_name, describe, parse_list};
use crate::limits::ACCOUNT;
use crate::live::{Access, fresh_token};
use crate::{ApiError, Site};

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/admin/accounts", get(list).post(add))
        .route("/admin/accounts/{id}", put(change).delete(delete))
        .route("/admin/quota", put(set_quota))
        .route("/admin/backup", get(backup))
}

async fn list(State(site): App, visitor: Visitor) -> Answer {
    visitor.admin()?;
    let mut accounts = Vec::new();
    for account in site.hub.store.accounts().await? {
        let mut one = describe(&account);
        let usage = super::accounts::usage(&site, &account.id).await?;
        one["used"] = usage["used"].clone();
        one["quota"] = usage["quota"].clone();
        one["own_quota"] = json!(site.accounts.quotas().is_single(&account.id));
        accounts.push(one);
    }
    let quota = site.accounts.quotas().of(None);
    Ok(Json(json!({"accounts": accounts, "quota": quota, "required": site.accounts.required})))
}

/// Creates the accounts of a list. A name that is already in use does not prevent the others.
async fn add(
    State(site): App,
    visitor: Visitor,
    Body(body): Body<List>,
) -> Result<Response, ApiError> {
    visitor.admin()?;
    let mut made = Vec::new();
    for new in parse_list(&body.list)? {
        let name = new.name.clone();
        let given = new.password.is_some();
        made.push(match site.accounts.add(&site.hub.store, new).await {
            Ok((account, password)) => {
                let mut one = describe(&account);
                // A password that was in the list is already known.
                one["password"] = if given { Value::Null } else { json!(password) };
                one
            }
            Err(error) if error.status() == StatusCode::CONFLICT => {
                json!({"name": name, "error": error.message()})
            }
            Err(error) => return Err(error),
        });
    }
    Ok((StatusCode::CREATED, Json(json!({"accounts": made}))).into_response())
}

#[derive(Default, Deserialize)]
struct Change {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    disabled: Option<bool>,
    /// Whether to generate a new password.
    #[serde(default)]
    new_password: bool,
    #[serde(default)]
    quota: Option<Quota>,
    /// Whether to restore the default quota.
    #[serde(default)]
    default_quota: bool,
}

async fn found(site: &Site, id: &str) -> Result<Account, ApiError> {
    let account = site.hub.store.account(id).await?;
    account.ok_or_else(|| ApiError::missing("there is no such account"))
}

async fn change(
    State(site): App,
    visitor: Visitor,
    Path(id): Path<String>,
    Body(body): Body<Change>,
) -> Answer {
    visitor.admin()?;
    let store = &site.hub.store;
    let before = found(&site, &id).await?;
    let mut account = before.clone();
    if let Some(name) = &body.name {
        account.name = check_name(name)?;
    }
    account.role = match body.role.as_deref() {
        None => account.role,
        Some("user") => AccountRole::User,
        Some("admin") => AccountRole::Admin,
        Some(_) => return Err(ApiError::invalid("role", "the role is `user` or `admin`")),
    };
    account.is_disabled = body.disabled.unwrap_or(account.is_disabled);
    if before.role == AccountRole::Admin
        && (account.role != AccountRole::Admin || account.is_disabled)
    {
        keep_an_admin(&site, &id).await?;
    }
    if account != before {
        match store.change_account(&account).await {
            Err(StoreError::Taken) => {
                return Err(ApiError::conflict("taken", "another account has this name"));
            }
            done => done?,
        };
    }
    if account.is_disabled || account.role != before.role {
        store.remove_sessions_of(&id).await?;
    }
    if body.quota.is_some() || body.default_quota {
        site.accounts.set_quota(store, Some(&id), body.quota).await?;
    }
    let mut answer = describe(&account);
    if body.new_password {
        answer["password"] = json!(site.accounts.reset_password(store, &account).await?);
    }
    Ok(Json(answer))
}

/// Refuses to remove the last administrator.
async fn keep_an_admin(site: &Site, id: &str) -> Result<(), ApiError> {
    let all = site.hub.store.accounts().await?;
    let other = |one: &Account| one.role == AccountRole::Admin && !one.is_disabled && one.id != id;
    if all.iter().any(other) || !site.accounts.required {
        return Ok(());
    }
    Err(ApiError::conflict(
        "last-admin",
        "this is the last administrator; appoint another one first",
    ))
}

async fn delete(State(site): App, visitor: Visitor, Path(id): Path<String>) -> Answer {
    visitor.admin()?;
    let account = found(&site, &id).await?;
    delete_account(&site, &account).await?;
    Ok(Json(json!({"deleted": account.name})))
}

/// Deletes an account with its sessions, games and players, and ends its matches. The records of
/// matches are kept.
pub(super) async fn delete_account(site: &Arc<Site>, account: &Account) -> Result<(), ApiError> {
    if account.role == AccountRole::Admin {
        keep_an_admin(site, &account.id).await?;
    }
    site.hub.store.remove_account(&account.id).await?;
    site.accounts.set_quota(&site.hub.store, Some(&account.id), None).await?;
    site.games.forget(|game| game.owner == account.id);
    super::players::delete_players_of(site, &account.id).await?;
    for id in site.hub.trainings.of(&account.id) {
        // A run that is still learning is stopped; administrators can delete it afterwards.
        site.hub.trainings.stop(&id)?;
        let _ = site.hub.trainings.delete(&site.hub.store, &id).await;
    }
    let client = format!("{ACCOUNT}{}", account.id);
    let own = site.loaded().into_iter().filter(|live| live.client == client && !live.is_over());
    for live in own.collect::<Vec<_>>() {
        // A match that has ended in the meantime needs nothing.
        let _ = site.blocking(move || live.abort(Access::Owner)).await;
    }
    tracing::info!(name = account.name, "an account was deleted");
    Ok(())
}

async fn set_quota(State(site): App, visitor: Visitor, Body(quota): Body<Quota>) -> Answer {
    visitor.admin()?;
    site.accounts.set_quota(&site.hub.store, None, Some(quota)).await?;
    Ok(Json(json!({"quota": quota})))
}

/// A file that is deleted when this is dropped.
struct Temporary(std::path::PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

async fn backup(State(site): App, visitor: Visitor) -> Result<Response, ApiError> {
    visitor.admin()?;
    let name = format!("magister-backup-{}.db", fresh_token());
    let file = Temporary(std::env::temp_dir().join(name));
    site.hub.store.backup(&file.0).await.map_err(|error| match error {
        StoreError::Backup(what) => ApiError::conflict("backup", what),
        error => error.into(),
    })?;
    let path = file.0.clone();
    let bytes = site
        .blocking(move || {
            std::fs::read(path).map_err(|_| ApiError::unavailable("the copy cannot be read"))
        })
        .await?;
    drop(file);
    let headers = [
        (header::CONTENT_TYPE, "application/vnd.sqlite3"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"magister-backup.db\""),
    ];
    Ok((headers, Bytes::from(bytes)).into_response())
}
