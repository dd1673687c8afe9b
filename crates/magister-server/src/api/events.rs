//! Server-sent events.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};

use super::{App, Query, token};
use crate::live::{Access, Live};
use crate::{ApiError, Site};

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/matches/{id}/events", get(events))
        .route("/tournaments/{id}/events", get(tournament_events))
        .route("/trainings/{id}/events", get(training_events))
}

/// The receiving end of a channel as a stream.
struct Stream(mpsc::Receiver<Event>);

impl futures_core::Stream for Stream {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(Ok))
    }
}

/// Counts an open stream and the viewer of a seat; both counts are released however the stream
/// ends.
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
    // Proxies must not buffer events.
    response.headers_mut().insert("x-accel-buffering", header::HeaderValue::from_static("no"));
    response
}

async fn tournament_events(State(site): App, Path(id): Path<String>) -> Result<Response, ApiError> {
    site.tournaments.get(&id)?;
    let changes = site.tournaments.subscribe();
    let value = move |site: &Site| site.tournaments.get(&id).ok();
    Ok(sse(follow(stream(&site)?, "tournament", changes, value)))
}

async fn training_events(State(site): App, Path(id): Path<String>) -> Result<Response, ApiError> {
    site.hub.trainings.get(&id)?;
    let changes = site.hub.trainings.subscribe();
    let value = move |site: &Site| site.hub.trainings.get(&id).ok().map(|one| json!(one));
    Ok(sse(follow(stream(&site)?, "training", changes, value)))
}

/// Sends a value whenever it has changed, until it is gone.
fn follow(
    watching: Watching,
    name: &'static str,
    mut changes: watch::Receiver<u64>,
    value: impl Fn(&Site) -> Option<Value> + Send + 'static,
) -> mpsc::Receiver<Event> {
    let (send, receive) = mpsc::channel(4);
    tokio::spawn(async move {
        let watching = watching;
        let mut number = 0_u64;
        let mut before = Value::Null;
        loop {
            changes.borrow_and_update();
            let Some(value) = value(&watching.site) else { return };
            if value != before {
                number += 1;
                let event =
                    Event::default().id(number.to_string()).event(name).data(value.to_string());
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
    receive
}
