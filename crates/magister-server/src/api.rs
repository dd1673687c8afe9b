//! The HTTP API.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Path, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router, middleware};
use magister_players::{LEARNED, LEVELS, PLAYERS, ParameterKind, Registered};
use magister_store::{Archive as _, Filter, Status};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::games::{GameFilter, OpenGame, Wanted};
use crate::limits::{Client, guard};
use crate::live::{Access, JumpTo, Live, Mode, MoveOrder, NewMatch, SeatKind, SeatOrder};
use crate::tools::{History, Lived, Reached};
use crate::tournaments::TournamentOrder;
use crate::{ApiError, Site, assets, openapi, pages, puzzles, tools, tournaments};

type App = State<Arc<Site>>;
type Answer = Result<Json<Value>, ApiError>;

/// The pages and the API of a site.
pub fn router(site: &Arc<Site>) -> Router {
    let api = Router::new()
        .route("/games", get(games).post(save_game))
        .route("/games/{name}", get(game))
        .route("/games/{name}/start", get(start))
        .route("/players", get(players).post(add_player))
        .route("/players/ping", post(ping))
        .route("/matches", get(matches).post(create))
        .route("/matches/{id}", get(one_match))
        .route("/matches/{id}/plies/{ply}", get(ply))
        .route("/matches/{id}/events", get(events))
        .route("/matches/{id}/moves", post(moves))
        .route("/matches/{id}/hint", post(hint))
        .route("/matches/{id}/record", get(record))
        .route("/matches/{id}/{action}", post(act))
        .route("/analyze", post(analyze))
        .route("/infoset", post(infoset))
        .route("/check", post(check))
        .route("/format", post(format))
        .route("/convert", post(convert))
        .route("/explain", post(explain))
        .route("/leaderboard", get(leaderboard))
        .route("/tournaments", get(list_tournaments).post(create_tournament))
        .route("/tournaments/{id}", get(tournament))
        .route("/tournaments/{id}/events", get(tournament_events))
        .route("/metagame/{name}", get(metagame))
        .route("/puzzles", get(list_puzzles))
        .route("/puzzles/{id}", get(puzzle))
        .route("/puzzles/{id}/answer", post(answer_puzzle))
        .route("/about", get(about))
        .route("/openapi.json", get(|| async { Json(openapi::description()) }))
        .fallback(|| async {
            ApiError::missing("the API has no such call; /api/openapi.json describes all")
        });
    // `/api` itself is the page that describes the calls.
    let api = if assets::has_client() { api.route("/", get(assets::file)) } else { api };
    // With the client, the plain pages are for browsers without scripts.
    let pages = if assets::has_client() {
        assets::router().nest("/plain", pages::router())
    } else {
        pages::router()
    };
    Router::new()
        .nest("/api", api)
        .route("/metrics", get(metrics))
        .merge(pages)
        .layer(DefaultBodyLimit::max(site.hub.limits.body))
        .layer(middleware::from_fn_with_state(Arc::clone(site), guard))
        .with_state(Arc::clone(site))
}

/// A body of JSON. A wrong one is an error of our form.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Arc<Site>> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, site: &Arc<Site>) -> Result<Self, ApiError> {
        match Json::<T>::from_request(request, site).await {
            Ok(Json(body)) => Ok(Body(body)),
            Err(JsonRejection::BytesRejection(error)) => {
                let (status, most) = (error.status(), site.hub.limits.body);
                let what = if status == StatusCode::PAYLOAD_TOO_LARGE {
                    format!("the body of a request may have at most {most} bytes")
                } else {
                    error.body_text()
                };
                Err(ApiError::new(status, "body", what))
            }
            Err(error) => {
                let text: String = error.body_text().chars().take(300).collect();
                Err(ApiError::new(error.status(), "json", text))
            }
        }
    }
}

/// The query of an address. A wrong one is an error of our form.
struct Query<T>(T);

impl<T: DeserializeOwned> FromRequestParts<Arc<Site>> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, ApiError> {
        let query: Result<_, QueryRejection> =
            axum::extract::Query::<T>::from_request_parts(parts, site).await;
        match query {
            Ok(axum::extract::Query(query)) => Ok(Query(query)),
            Err(error) => Err(ApiError::bad(error.body_text())),
        }
    }
}

/// The token of a seat.
fn token(headers: &HeaderMap) -> Option<String> {
    headers.get("x-seat").and_then(|value| value.to_str().ok()).map(str::to_owned)
}

// Games.

async fn games(State(site): App, Query(filter): Query<GameFilter>) -> Answer {
    let shared = Arc::clone(&site);
    let list = site.blocking(move || Ok(shared.games.list(&filter))).await?;
    Ok(Json(json!({"games": list})))
}

async fn game(State(site): App, Path(name): Path<String>) -> Answer {
    let open = site.game(&name).await?;
    let shared = Arc::clone(&site);
    Ok(Json(site.blocking(move || Ok(shared.games.details(&open))).await?))
}

#[derive(Deserialize)]
struct SaveGame {
    name: String,
    text: String,
}

async fn save_game(State(site): App, Body(body): Body<SaveGame>) -> Result<Response, ApiError> {
    let open = site.games.save(&body.name, &body.text).await?;
    let answer = json!({"name": open.name, "title": open.title});
    Ok((StatusCode::CREATED, Json(answer)).into_response())
}

/// The initial position, for pictures of games.
pub(crate) fn start_of(open: &Arc<OpenGame>) -> Result<Value, ApiError> {
    let reached = Reached::new(open, &Vec::new())?;
    let mut scene = reached.scene();
    let info = open.playable.game.info();
    if open.is_hidden() {
        // What hidden roles may do is shown in matches only.
        scene.legal.clear();
    }
    Ok(json!({"shape": open.drawing.shape(), "scene": scene, "roles": info.roles}))
}

async fn start(State(site): App, Path(name): Path<String>) -> Result<Response, ApiError> {
    // A page with pictures of all games must not prepare them all again.
    let answer = if let Some(known) = site.games.known_start(&name) {
        known
    } else {
        let open = site.game(&name).await?;
        let answer: Arc<str> = site.blocking(move || start_of(&open)).await?.to_string().into();
        site.games.keep_start(&name, &answer);
        answer
    };
    // The rules of a name change only with the program or by saving.
    let headers =
        [(header::CACHE_CONTROL, "max-age=60"), (header::CONTENT_TYPE, "application/json")];
    Ok((headers, answer.to_string()).into_response())
}

// Players.

/// The kind of the documents that hold remote players.
const REMOTE: &str = "player";

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

async fn players(State(site): App) -> Answer {
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
            })
        })
        .collect();
    let remote = remote_players(&site).await?;
    Ok(Json(json!({"players": all, "levels": levels, "remote": remote})))
}

#[derive(Default, Deserialize)]
struct AddPlayer {
    #[serde(default)]
    address: Option<String>,
    #[serde(default)]
    name: Option<String>,
}

async fn add_player(State(site): App, Body(body): Body<AddPlayer>) -> Answer {
    let address = body.address.unwrap_or_default();
    let address: magister_manager::PlayerAddress =
        address.parse().map_err(|what: String| ApiError::invalid("address", what))?;
    if remote_players(&site).await?.len() >= 500 {
        return Err(ApiError::conflict("quota", "this site knows as many players as it may"));
    }
    let entry = asked(&site, &address, body.name).await;
    let name = address.to_string();
    site.hub.store.put_document(REMOTE, &name, &entry.to_string()).await?;
    Ok(Json(entry))
}

/// The state of a remote player, by INFO.
async fn asked(
    site: &Arc<Site>,
    address: &magister_manager::PlayerAddress,
    name: Option<String>,
) -> Value {
    let (target, policy) = (address.clone(), site.hub.policy);
    let reply = site
        .blocking(move || {
            let headers = magister_protocol::http::RequestHeaders {
                host: target.host.clone(),
                ..Default::default()
            };
            let deadline = std::time::Instant::now() + std::time::Duration::from_secs(3);
            magister_manager::client::exchange(&target, policy, &headers, "( INFO )", deadline)
                .map_err(|error| ApiError::unavailable(format!("{error:?}")))
        })
        .await;
    let status = match &reply {
        Ok(text) if text.to_lowercase().contains("busy") => "busy",
        Ok(_) => "available",
        Err(_) => "unreachable",
    };
    let said: String = reply.unwrap_or_default().chars().take(200).collect();
    let name = name.map(|name| name.chars().take(60).collect::<String>());
    json!({
        "address": address.to_string(), "status": status, "reply": said,
        "name": name.unwrap_or_else(|| address.to_string()),
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
            let entry = asked(&site, &parsed, name).await;
            site.hub.store.put_document(REMOTE, address, &entry.to_string()).await?;
            all.push(entry);
        }
    }
    Ok(Json(json!({"remote": all})))
}

// Matches.

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
    rated: bool,
    #[serde(default)]
    from: Vec<Vec<String>>,
}

/// A game by name or rules as text.
fn wanted(game: Option<String>, rules: Option<String>) -> Result<Wanted, ApiError> {
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

async fn create(
    State(site): App,
    Extension(client): Extension<Client>,
    Body(body): Body<CreateMatch>,
) -> Result<Response, ApiError> {
    if body.from.len() > 2_000 {
        return Err(ApiError::invalid("from", "a match can start after at most 2000 turns"));
    }
    let order = NewMatch {
        game: wanted(body.game, body.rules)?,
        mode: body.mode,
        seats: body.seats,
        start_ms: body.start_ms,
        play_ms: body.play_ms,
        seed: body.seed,
        rated: body.rated,
        from: body.from,
        tournament: None,
        client: client.0,
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

/// The matches on a page.
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

/// Does something with a match on a thread that may block, and gives the match as the viewer sees
/// it.
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
    // Hints wait for their turn like all searches.
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
        return again(&site, &id, token(&headers), action == "swap", client.0).await;
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

/// The same match again, with the seats exchanged if that is asked for.
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
            rated: meta.rated,
            from: Vec::new(),
            tournament: None,
            client,
        })
    });
    let made = site.create(order.await?).await?;
    Ok(Json(created(&made)))
}

// Events.

/// The receiving end of a channel as a stream.
struct Stream(mpsc::Receiver<Event>);

impl futures_core::Stream for Stream {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(Ok))
    }
}

/// Counts an open stream and the viewer of a seat; both end however the stream ends.
struct Watching {
    site: Arc<Site>,
    live: Option<(Arc<Live>, Access)>,
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.site.hub.metrics.close_stream();
        if let Some((live, access)) = self.live.take() {
            // Taking the lock of a match may block.
            self.site.hub.handle.spawn_blocking(move || live.watch(access, false));
        }
    }
}

fn stream(site: &Arc<Site>) -> Result<Watching, ApiError> {
    if !site.hub.metrics.open_stream(site.hub.limits.streams) {
        return Err(ApiError::unavailable("too many viewers are connected; try again later"));
    }
    Ok(Watching { site: Arc::clone(site), live: None })
}

#[derive(Deserialize)]
struct EventsQuery {
    #[serde(default)]
    seat: Option<String>,
    #[serde(default)]
    last: Option<u64>,
}

async fn events(
    State(site): App,
    Path(id): Path<String>,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let live = site.find(&id).await?;
    let token = token(&headers).or(query.seat);
    let known = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let mut last: Option<u64> = known.and_then(|text| text.parse().ok()).or(query.last);
    let shared = Arc::clone(&live);
    let access = site
        .blocking(move || {
            let access = shared.access(token.as_deref())?;
            shared.watch(access, true);
            Ok(access)
        })
        .await?;
    let mut watching = stream(&site)?;
    watching.live = Some((Arc::clone(&live), access));
    let (send, receive) = mpsc::channel(16);
    tokio::spawn(async move {
        let watching = watching;
        let mut changes = live.subscribe();
        loop {
            changes.borrow_and_update();
            let shared = Arc::clone(&live);
            let new = watching.site.blocking(move || Ok(shared.since(access, last))).await;
            for message in new.unwrap_or_default() {
                last = Some(message.id);
                let event = Event::default()
                    .id(message.id.to_string())
                    .event(message.event)
                    .data(&*message.data);
                if send.send(event).await.is_err() {
                    return;
                }
            }
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return },
                () = send.closed() => return,
            }
        }
    });
    Ok(sse(receive))
}

fn sse(receive: mpsc::Receiver<Event>) -> Response {
    let keep = KeepAlive::new().interval(std::time::Duration::from_secs(15));
    let mut response = Sse::new(Stream(receive)).keep_alive(keep).into_response();
    // Proxies must not collect events.
    response.headers_mut().insert("x-accel-buffering", header::HeaderValue::from_static("no"));
    response
}

async fn tournament_events(State(site): App, Path(id): Path<String>) -> Result<Response, ApiError> {
    site.tournaments.get(&id)?;
    let watching = stream(&site)?;
    let (send, receive) = mpsc::channel(4);
    tokio::spawn(async move {
        let watching = watching;
        let mut changes = watching.site.tournaments.subscribe();
        let mut number = 0_u64;
        let mut before = Value::Null;
        loop {
            changes.borrow_and_update();
            let Ok(value) = watching.site.tournaments.get(&id) else { return };
            if value != before {
                number += 1;
                let event = Event::default()
                    .id(number.to_string())
                    .event("tournament")
                    .data(value.to_string());
                before = value;
                if send.send(event).await.is_err() {
                    return;
                }
            }
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return },
                () = send.closed() => return,
            }
        }
    });
    Ok(sse(receive))
}

// Tools.

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
        let reached = Reached::new(&open, &body.history)?;
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
    site.hub.pool.put(&client.0, move || {
        let player = body.player.as_deref().unwrap_or("uct");
        let iterations = body.iterations.unwrap_or(20_000);
        let reached = Reached::new(&open, &body.history);
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

// Results.

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

async fn metrics(State(site): App) -> Response {
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
        "accounts": false,
        "limits": {
            "body": limits.body, "rules": limits.rules,
            "prepare_ms": limits.prepare.as_millis() as u64, "turns": limits.turns,
        },
    })))
}
