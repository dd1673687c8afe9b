//! Limits of the site, and the middleware that enforces them.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::{ApiError, Site};

/// The limits of a site. Each of them has a name and can be set.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The number of threads for searches and for the preparation of games.
    pub threads: usize,
    /// The maximum size of the body of a request, in bytes.
    pub body: usize,
    /// The maximum size of rules, in bytes.
    pub rules: usize,
    /// The time limit for the preparation of rules from users.
    pub prepare: Duration,
    /// The time limit for the preparation of a game of the catalogue.
    pub prepare_bundled: Duration,
    /// The time limit of the rules for one step.
    pub step: Duration,
    /// The time limit of a request, except for event streams.
    pub request: Duration,
    /// The number of requests per second from one address.
    pub rate: f64,
    /// The number of requests from one address at once, before the rate applies.
    pub burst: f64,
    /// The maximum clock, in milliseconds.
    pub clock_ms: u64,
    /// The number of turns after which a match is broken off.
    pub turns: u32,
    /// The time limit of a level for a move, in games in which its iterations would take longer.
    pub level_time: Duration,
    /// The time limit of a player for a move in a match without clocks.
    pub player_time: Duration,
    /// The time limit of a hint or an analysis.
    pub hint_time: Duration,
    /// The maximum number of matches in memory; the oldest ended ones are removed first.
    pub loaded: usize,
    /// The maximum number of concurrent matches.
    pub running: usize,
    /// The maximum number of concurrent matches of one address.
    pub running_each: usize,
    /// The number of events of a match from which a stream can be resumed.
    pub events: usize,
    /// The maximum number of open event streams.
    pub streams: u64,
    /// The maximum number of games that users may save.
    pub saved: usize,
    /// The maximum training time of an agent.
    pub training: Duration,
    /// The maximum number of agents that learn at the same time.
    pub trainings: usize,
    /// The maximum number of trained agents that are kept.
    pub trained: usize,
    /// The maximum number of weights of an agent, which take 12 bytes each while it learns.
    pub weights: u64,
    /// The maximum size of a stored agent, in bytes.
    pub agent: usize,
    /// The number of attempts to sign in from one address before they are slowed down.
    pub sign_in_tries: f64,
    /// The memory of one argon2id hash, in KiB.
    pub password_kib: u32,
}

impl Default for Limits {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Limits {
            threads,
            body: 1 << 20,
            rules: 512 << 10,
            prepare: Duration::from_secs(20),
            prepare_bundled: Duration::from_mins(2),
            step: Duration::from_secs(10),
            request: Duration::from_mins(1),
            rate: 50.0,
            burst: 400.0,
            clock_ms: 24 * 3600 * 1000,
            turns: 5_000,
            level_time: Duration::from_secs(20),
            player_time: Duration::from_secs(3),
            hint_time: Duration::from_secs(4),
            loaded: 400,
            running: 1_000,
            running_each: 200,
            events: 400,
            streams: 2_000,
            saved: 1_000,
            training: Duration::from_mins(10),
            trainings: 4,
            trained: 200,
            weights: 1 << 24,
            agent: 32 << 20,
            sign_in_tries: 20.0,
            password_kib: 19 * 1024,
        }
    }
}

/// Counts the requests of each key, such as an address, with token buckets.
#[derive(Debug)]
pub struct Rates<K>(Mutex<BTreeMap<K, (f64, Instant)>>);

impl<K: Ord> Default for Rates<K> {
    fn default() -> Self {
        Rates(Mutex::default())
    }
}

impl<K: Ord> Rates<K> {
    /// Counts a request. Returns false if there were too many: more than `burst` at once, and
    /// `rate` per second after that.
    pub fn allow(&self, key: K, rate: f64, burst: f64) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if all.len() > 10_000 {
            // Full buckets carry no information.
            let full = |left: f64, since: Instant| {
                left + now.duration_since(since).as_secs_f64() * rate >= burst
            };
            all.retain(|_, (left, since)| !full(*left, *since));
        }
        let (left, since) = all.entry(key).or_insert((burst, now));
        let passed = now.duration_since(*since).as_secs_f64();
        *left = (*left + passed * rate).min(burst);
        *since = now;
        if *left < 1.0 {
            return false;
        }
        *left -= 1.0;
        true
    }
}

/// The address of a client. Behind a proxy on this machine, it is the one that the proxy reports.
pub(crate) fn address(site: &Site, request: &Request) -> IpAddr {
    let connected = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let peer = connected.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |info| info.0.ip());
    if site.public_origin.is_none() || !peer.is_loopback() {
        return peer;
    }
    // Entries before the last one come from outside and may be forged.
    let named = request.headers().get_all("x-forwarded-for").iter().next_back();
    let last = named.and_then(|value| value.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
    last.unwrap_or(peer)
}

/// The owner of a request's work in the queue of searches, and its address.
#[derive(Clone, Debug)]
pub struct Client {
    /// An account or an address.
    pub name: String,
    /// The address.
    pub address: IpAddr,
}

/// The prefix of the id of an account in the name of a client.
pub(crate) const ACCOUNT: &str = "account ";

/// What pages may load: nothing from other hosts.
const POLICY: &str = "default-src 'self'; img-src 'self' data: blob:; \
     style-src 'self' 'unsafe-inline'; script-src 'self'; connect-src 'self'; object-src 'none'; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'; frame-src 'self'; \
     worker-src 'self'";

/// The policy of the frame for students' players: their script runs in it and has no access to
/// anything else.
const SANDBOX: &str = "default-src 'none'; script-src 'unsafe-inline' blob:; worker-src blob:; \
     frame-ancestors 'self'; sandbox allow-scripts";

/// Refuses requests from other sites and requests above the rate, and sets the headers of all
/// responses.
pub async fn guard(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let uri = request.uri().clone();
    let events = uri.path().ends_with("/events");
    let mut response = match admit(&site, request).await {
        Err(error) => error.into_response(),
        Ok(request) if events => next.run(request).await,
        Ok(request) => {
            match tokio::time::timeout(site.hub.limits.request, next.run(request)).await {
                Ok(response) => response,
                Err(_) => ApiError::unavailable(
                    "the answer took longer than this server allows; try something smaller",
                )
                .into_response(),
            }
        }
    };
    site.hub.metrics.answered(response.status().as_u16());
    if response.status() == StatusCode::PAYLOAD_TOO_LARGE && !is_json(&response) {
        let most = site.hub.limits.body;
        let what = format!("the body of a request may have at most {most} bytes");
        response = ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", what).into_response();
    }
    let headers = response.headers_mut();
    let policy = if uri.path() == "/sandbox.html" { SANDBOX } else { POLICY };
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    if uri.path().starts_with("/api/") && !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// Determines the sender of a request, or why it is refused.
async fn admit(site: &Site, request: Request) -> Result<Request, ApiError> {
    let address = address(site, &request);
    if let Some(error) = foreign(site, &request) {
        return Err(error);
    }
    if !site.rates.allow(address, site.hub.limits.rate, site.hub.limits.burst) {
        return Err(too_many());
    }
    let (visitor, mut request) = site.identify(request).await?;
    let name = match visitor.owner() {
        "" => address.to_string(),
        id => format!("{ACCOUNT}{id}"),
    };
    request.extensions_mut().insert(Client { name, address });
    request.extensions_mut().insert(visitor);
    Ok(request)
}

fn is_json(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.and_then(|kind| kind.to_str().ok()).is_some_and(|kind| kind.contains("json"))
}

fn too_many() -> ApiError {
    ApiError::new(
        StatusCode::TOO_MANY_REQUESTS,
        "rate",
        "too many requests from this address; wait a few seconds",
    )
}

/// The error for a request that another site makes a browser send: its origin, or the host name
/// with which it reaches a server on loopback, is not ours.
fn foreign(site: &Site, request: &Request) -> Option<ApiError> {
    let headers = request.headers();
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let host = text(header::HOST);
    let public = site.public_origin.as_deref();
    if site.loopback_only
        && let Some(host) = host
    {
        let name = host.rsplit_once(':').map_or(host, |(name, port)| {
            if port.chars().all(|c| c.is_ascii_digit()) { name } else { host }
        });
        let proxied = public.is_some_and(|origin| origin.ends_with(&format!("//{host}")));
        if !proxied && !matches!(name, "localhost" | "127.0.0.1" | "[::1]") {
            return Some(ApiError::forbidden("this server answers only requests to localhost"));
        }
    }
    if request.method().is_safe() {
        return None;
    }
    let origin = text(header::ORIGIN)?;
    let own = public == Some(origin)
        || host.is_some_and(|host| {
            origin.strip_prefix("http://").or(origin.strip_prefix("https://")) == Some(host)
        });
    (!own).then(|| ApiError::forbidden("requests from other sites are refused"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_above_the_burst_are_refused() {
        let rates = Rates::default();
        let allowed = (0..5).filter(|_| rates.allow("one", 0.0, 3.0)).count();
        assert_eq!(allowed, 3);
        assert!(rates.allow("two", 0.0, 3.0));
    }
}
