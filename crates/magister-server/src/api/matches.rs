//! Matches.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use magister_store::{Account, Archive as _, Filter, Status};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, App, Body, Query, token};
use crate::accounts::Visitor;
use crate::games::Wanted;
use crate::limits::Client;
use crate::live::{Access, JumpTo, Live, Mode, MoveOrder, NewMatch, SeatKind, SeatOrder};
use crate::{ApiError, Site, pages};

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/matches", get(matches).post(create))
        .route("/matches/{id}", get(one_match))
        .route("/matches/{id}/plies/{ply}", get(ply))
        .route("/matches/{id}/moves", post(moves))
        .route("/matches/{id}/hint", post(hint))
        .route("/matches/{id}/record", get(record))
        .route("/matches/{id}/{action}", post(act))
}

#[derive(Deserialize)]
pub(crate) struct CreateMatch {
    #[serde(default)]
    pub(crate) game: Option<String>,
    #[serde(default)]
    pub(crate) rules: Option<String>,
    #[serde(default)]
    pub(crate) mode: Mode,
    #[serde(default)]
    pub(crate) seats: Vec<SeatOrder>,
    #[serde(default)]
    start_ms: Option<u64>,
    #[serde(default)]
    play_ms: Option<u64>,
    #[serde(default)]
    seed: Option<u64>,
    #[serde(default)]
    iterations: Option<u64>,
    #[serde(default)]
    rated: bool,
    #[serde(default)]
    from: Vec<Vec<String>>,
}

/// A game by name or rules as text.
pub(super) fn wanted(game: Option<String>, rules: Option<String>) -> Result<Wanted, ApiError> {
    match (game, rules) {
        (_, Some(rules)) => Ok(Wanted::Rules(rules)),
        (Some(game), None) => Ok(Wanted::Game(game)),
        (None, None) => Err(ApiError::bad("the request names no `game` and has no `rules`")),
    }
}

fn created(made: &crate::live::Created) -> Value {
    let seats: Vec<Value> =
        made.tokens.iter().map(|(role, token)| json!({"role": role, "token": token})).collect();
    json!({"id": made.live.id, "owner": made.owner, "seats": seats})
}

/// Gives the first person the name of the account that creates the match, and refuses names of
/// other accounts.
async fn name_people(
    site: &Site,
    visitor: &Visitor,
    seats: &mut [SeatOrder],
) -> Result<(), ApiError> {
    let Some(account) = &visitor.account else { return Ok(()) };
    let mut own = Some(account.name.clone());
    for seat in seats.iter_mut().filter(|seat| seat.kind == SeatKind::Person) {
        match &seat.player {
            None => seat.player = own.take(),
            Some(name) if Account::folded_name(name) == Account::folded_name(&account.name) => {}
            Some(name) => {
                if site.hub.store.account_named(name).await?.is_some() {
                    let what = "this is the name of another account; leave out the name";
                    return Err(ApiError::invalid("name", what));
                }
            }
        }
    }
    Ok(())
}

async fn create(
    State(site): App,
    Extension(client): Extension<Client>,
    visitor: Visitor,
    Body(mut body): Body<CreateMatch>,
) -> Result<Response, ApiError> {
    if body.from.len() > 2_000 {
        return Err(ApiError::invalid("from", "a match can start after at most 2000 turns"));
    }
    name_people(&site, &visitor, &mut body.seats).await?;
    let order = NewMatch {
        game: wanted(body.game, body.rules)?,
        mode: body.mode,
        seats: body.seats,
        start_ms: body.start_ms,
        play_ms: body.play_ms,
        seed: body.seed,
        iterations: body.iterations,
        rated: body.rated,
        from: body.from,
        tournament: None,
        client: client.name,
    };
    let made = site.create(order).await?;
    Ok((StatusCode::CREATED, Json(created(&made))).into_response())
}

#[derive(Default, Deserialize)]
pub(crate) struct MatchFilter {
    #[serde(default)]
    state: Option<String>,
    #[serde(default)]
    game: Option<String>,
    #[serde(default)]
    player: Option<String>,
    #[serde(default)]
    page: Option<usize>,
}

/// The number of matches on a page.
const PAGE: usize = 50;

pub(crate) async fn listed(site: &Arc<Site>, filter: MatchFilter) -> Result<Value, ApiError> {
    let shared = Arc::clone(site);
    let mut live: Vec<Value> = site
        .blocking(move || {
            let all = shared.loaded();
            let running = all.iter().filter(|live| !live.is_over());
            Ok(running.map(|live| live.summary()).collect())
        })
        .await?;
    let fits = |game: &str, players: &[String]| {
        filter.game.as_deref().is_none_or(|wanted| wanted.is_empty() || wanted == game)
            && filter
                .player
                .as_ref()
                .is_none_or(|wanted| wanted.is_empty() || players.contains(wanted))
    };
    live.retain(|one| {
        let seats = one["seats"].as_array().map_or(&[][..], Vec::as_slice);
        let players: Vec<String> =
            seats.iter().filter_map(|seat| seat["player"].as_str().map(str::to_owned)).collect();
        fits(one["game"].as_str().unwrap_or_default(), &players)
    });
    live.sort_by_key(|one| std::cmp::Reverse(one["created"].as_i64()));
    let mut all = match filter.state.as_deref() {
        Some("past") => Vec::new(),
        _ => live,
    };
    if filter.state.as_deref() != Some("live") {
        let wanted = Filter {
            game: filter.game.clone().filter(|game| !game.is_empty()),
            player: filter.player.clone().filter(|player| !player.is_empty()),
            status: Some(Status::Ended),
            limit: Some(2_000),
            ..Filter::default()
        };
        let mut lines = site.hub.store.list(&wanted).await?;
        lines.reverse();
        all.extend(lines.into_iter().map(|line| {
            let seats: Vec<Value> = line
                .seats
                .iter()
                .enumerate()
                .map(|(number, (player, reward, faults))| {
                    json!({
                        "role": number, "name": "", "player": player, "score": reward,
                        "faults": faults, "kind": "player", "clock_ms": null, "connected": false,
                    })
                })
                .collect();
            json!({
                "id": line.id, "game": line.game, "title": pages::title(&line.game),
                "state": "ended", "seats": seats, "created": line.started_ms,
                "ended": line.ended_ms, "plies": null,
            })
        }));
    }
    let count = all.len().div_ceil(PAGE).max(1);
    let page = filter.page.unwrap_or(1).clamp(1, count);
    let shown: Vec<Value> = all.into_iter().skip((page - 1) * PAGE).take(PAGE).collect();
    Ok(json!({"matches": shown, "pages": count, "page": page}))
}

async fn matches(State(site): App, Query(filter): Query<MatchFilter>) -> Answer {
    Ok(Json(listed(&site, filter).await?))
}

/// Applies a function to a match on a thread that may block, and returns the match as the viewer
/// may see it.
pub(crate) async fn on_match<T: Send + 'static>(
    site: &Arc<Site>,
    id: &str,
    token: Option<String>,
    work: impl FnOnce(&Arc<Live>, Access) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let live = site.find(id).await?;
    site.blocking(move || {
        let access = live.access(token.as_deref())?;
        work(&live, access)
    })
    .await
}

async fn one_match(State(site): App, Path(id): Path<String>, headers: HeaderMap) -> Answer {
    let whole = on_match(&site, &id, token(&headers), |live, access| Ok(live.json(access)));
    Ok(Json(whole.await?))
}

async fn ply(
    State(site): App,
    Path((id, ply)): Path<(String, usize)>,
    headers: HeaderMap,
) -> Answer {
    let scene =
        on_match(&site, &id, token(&headers), move |live, access| live.scene_at(access, ply));
    Ok(Json(json!({"scene": scene.await?})))
}

async fn moves(
    State(site): App,
    Path(id): Path<String>,
    headers: HeaderMap,
    Body(order): Body<MoveOrder>,
) -> Answer {
    let whole = on_match(&site, &id, token(&headers), move |live, access| {
        live.play(access, &order)?;
        Ok(live.json(access))
    });
    Ok(Json(whole.await?))
}

async fn hint(State(site): App, Path(id): Path<String>, headers: HeaderMap) -> Answer {
    // Hints are queued like all searches.
    let live = site.find(&id).await?;
    let access = live.access(token(&headers).as_deref())?;
    let (send, receive) = tokio::sync::oneshot::channel();
    let owner = live.client.clone();
    let worker = Arc::clone(&live);
    site.hub.pool.put(&owner, move || {
        let _ = send.send(worker.hint(access));
    });
    let answer = receive.await.map_err(|_| ApiError::unavailable("the server is shutting down"))?;
    Ok(Json(answer?))
}

async fn record(
    State(site): App,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let whole = on_match(&site, &id, token(&headers), |live, access| Ok(live.record(access)));
    let record = whole.await?;
    let safe: String = id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let name = format!("inline; filename=\"match-{safe}.json\"");
    Ok(([(header::CONTENT_DISPOSITION, name)], Json(record)).into_response())
}

async fn act(
    State(site): App,
    Path((id, action)): Path<(String, String)>,
    headers: HeaderMap,
    Extension(client): Extension<Client>,
    request: Request,
) -> Answer {
    let to: JumpTo = {
        let bytes = axum::body::to_bytes(request.into_body(), 1 << 16).await;
        let bytes = bytes.map_err(|_| ApiError::bad("the body is too long"))?;
        if bytes.is_empty() {
            JumpTo::default()
        } else {
            serde_json::from_slice(&bytes)
                .map_err(|error| ApiError::bad(format!("the body is not JSON: {error}")))?
        }
    };
    if matches!(action.as_str(), "rematch" | "swap") {
        return again(&site, &id, token(&headers), action == "swap", client.name).await;
    }
    let whole = on_match(&site, &id, token(&headers), move |live, access| {
        match action.as_str() {
            "undo" => live.undo(access)?,
            "redo" => live.redo(access)?,
            "jump" => live.jump(access, to)?,
            "pause" => live.pause(access)?,
            "resume" => live.resume(access)?,
            "abort" => live.abort(access)?,
            "resign" => live.resign(access)?,
            _ => {
                let what = "a match has no such action; /api/openapi.json lists them";
                return Err(ApiError::missing(what));
            }
        }
        Ok(live.json(access))
    });
    Ok(Json(whole.await?))
}

/// A rematch, with the seats exchanged if requested.
pub(crate) async fn again(
    site: &Arc<Site>,
    id: &str,
    token: Option<String>,
    swap: bool,
    client: String,
) -> Answer {
    let order = on_match(site, id, token, move |live, access| {
        if access == Access::Spectator {
            return Err(ApiError::forbidden("only players of a match can ask for another one"));
        }
        let meta = live.meta();
        let mut seats: Vec<SeatOrder> = meta
            .seats
            .iter()
            .map(|seat| SeatOrder {
                kind: seat.kind,
                player: Some(seat.player.clone()),
                level: (seat.kind == SeatKind::Level).then(|| seat.player.clone()),
                address: (seat.kind == SeatKind::Remote).then(|| seat.player.clone()),
            })
            .collect();
        if swap && !seats.is_empty() {
            seats.rotate_left(1);
        }
        Ok(NewMatch {
            game: meta.game,
            mode: meta.mode,
            seats,
            start_ms: meta.start_ms,
            play_ms: meta.play_ms,
            seed: None,
            iterations: meta.iterations,
            rated: meta.rated,
            from: Vec::new(),
            tournament: None,
            client,
        })
    });
    let made = site.create(order.await?).await?;
    Ok(Json(created(&made)))
}
