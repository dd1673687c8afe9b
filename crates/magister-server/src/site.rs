//! The site: its games, its matches, its store.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use magister_manager::AddressPolicy;
use magister_store::{SqlStore, Status, Store as _, StoredMatch};
use tokio::runtime::Handle;

use crate::accounts::Accounts;
use crate::games::{Library, OpenGame, Wanted};
use crate::limits::{ACCOUNT, Limits, Rates};
use crate::live::{Created, Engagements, Hub, Live, MATCH, Meta, NewMatch, foreign, now_ms};
use crate::metrics::Metrics;
use crate::pool::Pool;
use crate::training::Trainings;
use crate::{ApiError, puzzles, tournaments};

/// The time after which a match that no one has viewed no longer counts as running, in
/// milliseconds.
const IDLE_MS: i64 = 30 * 60 * 1000;

/// The configuration of a site.
#[derive(Clone, Debug)]
pub struct Config {
    /// The address of the store, such as `sqlite:magister.db`.
    pub store: String,
    /// The limits.
    pub limits: Limits,
    /// Whether the site can be reached only from this machine.
    pub loopback_only: bool,
    /// Whether remote players may have addresses in private networks.
    pub private_players: bool,
    /// A folder with files of learned agents, which are opponents in their games.
    pub agents: Option<PathBuf>,
    /// Whether people sign in. Guests may then only watch.
    pub accounts: bool,
    /// The path under which a proxy serves the site, such as `/games`; empty for the root.
    pub base_path: String,
    /// The public origin of the site behind a proxy, such as `https://example.org`.
    pub public_origin: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            store: "sqlite:magister.db".to_owned(),
            limits: Limits::default(),
            loopback_only: true,
            private_players: true,
            agents: None,
            accounts: false,
            base_path: String::new(),
            public_origin: None,
        }
    }
}

/// The shared state of all requests.
#[derive(Debug)]
pub struct Site {
    /// The games.
    pub games: Library,
    /// The data that matches share.
    pub hub: Arc<Hub>,
    /// The accounts.
    pub accounts: Accounts,
    pub(crate) rates: Rates<IpAddr>,
    pub(crate) loopback_only: bool,
    pub(crate) base_path: String,
    pub(crate) public_origin: Option<String>,
    matches: Mutex<BTreeMap<String, Arc<Live>>>,
    pub(crate) tournaments: tournaments::Tournaments,
    pub(crate) puzzles: puzzles::Puzzles,
}

/// The fate of a match that was running when the server stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resumed {
    /// Its name.
    pub id: String,
    /// Its fate, as a sentence.
    pub what: String,
}

impl Site {
    /// Opens the store and continues the matches that were running when the server stopped.
    pub async fn open(config: &Config) -> Result<(Arc<Self>, Vec<Resumed>), ApiError> {
        let store = SqlStore::open(&config.store).await.map_err(|error| {
            ApiError::unavailable(format!("the store cannot be opened: {error}"))
        })?;
        let limits = config.limits;
        let local = config.loopback_only && config.public_origin.is_none();
        let policy =
            if config.private_players { AddressPolicy::Any } else { AddressPolicy::Public };
        let hub = Arc::new(Hub {
            store: store.clone(),
            pool: Pool::new(limits.threads),
            handle: Handle::current(),
            limits,
            policy,
            remote: Arc::default(),
            engaged: Engagements::default(),
            trainings: Trainings::open(&store, config.agents.as_deref(), &limits).await?,
            metrics: Metrics::default(),
        });
        let site = Arc::new(Site {
            games: Library::open(&store, &limits).await?,
            hub,
            accounts: Accounts::open(&store, config.accounts, local, &limits).await?,
            rates: Rates::default(),
            loopback_only: config.loopback_only,
            base_path: base_path(&config.base_path)?,
            public_origin: config.public_origin.as_deref().map(origin).transpose()?,
            matches: Mutex::default(),
            tournaments: tournaments::Tournaments::open(&store).await?,
            puzzles: puzzles::Puzzles::open(&store).await?,
        });
        let resumed = site.resume().await?;
        tournaments::resume(&site);
        Ok((site, resumed))
    }

    /// Continues the unfinished matches of this site in the store.
    async fn resume(self: &Arc<Self>) -> Result<Vec<Resumed>, ApiError> {
        let mut all = Vec::new();
        for stored in self.hub.store.unfinished().await? {
            let id = stored.record.id.clone().unwrap_or_default();
            let Some(body) = self.hub.store.document(MATCH, &id).await? else {
                // Another program is running it.
                continue;
            };
            let what = match self.load(stored, Some(&body)).await {
                Ok(live) => if live.is_over() { "it is over" } else { "it continues" }.to_owned(),
                Err(error) => {
                    tracing::warn!(id, %error, "a match cannot be continued");
                    format!("it cannot continue: {error}")
                }
            };
            all.push(Resumed { id, what });
        }
        Ok(all)
    }

    fn matches(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Live>>> {
        self.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The matches in memory.
    pub fn loaded(&self) -> Vec<Arc<Live>> {
        self.matches().values().cloned().collect()
    }

    /// Runs a function on a thread that may block.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
            Err(ApiError::new(
                axum::http::StatusCode::INTERNAL_SERVER_ERROR,
                "crash",
                "the request failed because of an error in the program; please report it",
            ))
        })
    }

    /// Creates a match.
    pub async fn create(self: &Arc<Self>, order: NewMatch) -> Result<Created, ApiError> {
        let limits = &self.hub.limits;
        // Abandoned standalone matches are not over, but they cost nothing.
        let since = now_ms() - IDLE_MS;
        let busy = |live: &Arc<Live>| !live.is_over() && live.touched_ms() > since;
        let running: Vec<Arc<Live>> = self.loaded().into_iter().filter(busy).collect();
        let own = running.iter().filter(|live| live.client == order.client).count();
        let each = match order.client.strip_prefix(ACCOUNT) {
            Some(id) => self.accounts.quotas().of(Some(id)).matches,
            None => limits.running_each,
        };
        if running.len() >= limits.running || own >= each {
            let what = "too many matches are running at the moment; end one of yours first";
            return Err(ApiError::new(axum::http::StatusCode::TOO_MANY_REQUESTS, "quota", what));
        }
        self.free_players(&order).await?;
        let open = self.games.get(&order.game).await?;
        let hub = Arc::clone(&self.hub);
        let made = self.blocking(move || Live::create(&hub, open, &order)).await?;
        self.keep(&made.live);
        Ok(made)
    }

    /// Ends matches whose person has left and that keep remote players from a new match.
    async fn free_players(&self, order: &NewMatch) -> Result<(), ApiError> {
        let since = now_ms() - IDLE_MS;
        let wanted = order.seats.iter().filter_map(|seat| seat.address.as_deref());
        let wanted: Vec<String> = wanted.map(str::to_owned).collect();
        for live in self.loaded() {
            if !live.is_over() && live.touched_ms() <= since && live.waits_with(&wanted) {
                let end =
                    move || live.end("its person has left, and others want its remote player");
                self.blocking(end).await?;
            }
        }
        Ok(())
    }

    fn keep(&self, live: &Arc<Live>) {
        let mut matches = self.matches();
        matches.insert(live.id.clone(), Arc::clone(live));
        if matches.len() > self.hub.limits.loaded {
            let ended = matches.values().filter(|live| live.is_over());
            let oldest = ended.min_by_key(|live| live.touched_ms());
            if let Some(id) = oldest.map(|live| live.id.clone()) {
                matches.remove(&id);
            }
        }
    }

    /// A match by its name, from memory or from the store.
    pub async fn find(self: &Arc<Self>, id: &str) -> Result<Arc<Live>, ApiError> {
        if let Some(live) = self.matches().get(id) {
            return Ok(Arc::clone(live));
        }
        let missing =
            || ApiError::missing("there is no such match; GET /api/matches lists the matches");
        if id.len() > 200 {
            return Err(missing());
        }
        let stored = self.hub.store.load(id).await?.ok_or_else(missing)?;
        let body = self.hub.store.document(MATCH, id).await?;
        if body.is_none() && stored.status == Status::Running {
            let what = "another program is running this match; it appears here after it has ended";
            return Err(ApiError::conflict("elsewhere", what));
        }
        self.load(stored, body.as_deref()).await
    }

    async fn load(
        self: &Arc<Self>,
        stored: StoredMatch,
        body: Option<&str>,
    ) -> Result<Arc<Live>, ApiError> {
        let known = body.and_then(|body| serde_json::from_str::<Meta>(body).ok());
        let mut meta = known.unwrap_or_else(|| foreign(&stored));
        // A saved game may have been changed or deleted since; a match keeps its own rules.
        if let (Wanted::Game(name), Some(rules)) = (&meta.game, &stored.rules)
            && self.games.saved_text(name).as_ref() != Some(rules)
        {
            meta.game = Wanted::Rules(rules.clone());
        }
        let open = self.games.get(&meta.game).await?;
        let hub = Arc::clone(&self.hub);
        let live = self.blocking(move || Live::restore(&hub, open, &stored, meta)).await?;
        // It may have been loaded concurrently; the first one counts.
        let mut matches = self.matches();
        let first = matches.entry(live.id.clone()).or_insert_with(|| Arc::clone(&live));
        let first = Arc::clone(first);
        drop(matches);
        self.keep(&first);
        Ok(first)
    }

    /// A game by its name.
    pub async fn game(&self, name: &str) -> Result<Arc<OpenGame>, ApiError> {
        self.games.get(&crate::games::Wanted::Game(name.to_owned())).await
    }

    /// The path under which a proxy serves the site; empty for the root.
    pub fn base_path(&self) -> &str {
        &self.base_path
    }

    /// Whether browsers access the site by HTTPS.
    pub(crate) fn is_https(&self) -> bool {
        self.public_origin.as_ref().is_some_and(|origin| origin.starts_with("https://"))
    }

    /// Ends the search threads, and the matches of remote players that would not recognise them
    /// after a restart.
    pub async fn close(&self) {
        for live in self.loaded() {
            let id = live.id.clone();
            if let Err(error) = self.blocking(move || live.suspend()).await {
                tracing::warn!(id, %error, "a match could not be ended");
            }
        }
        self.hub.pool.close();
        // These are players that are still thinking; the others have been informed.
        let hub = Arc::clone(&self.hub);
        let _ = tokio::task::spawn_blocking(move || hub.remote.abort()).await;
    }
}

/// Whether a site without accounts may listen on an address: only on loopback, or if `asked_for`.
pub fn may_bind(address: IpAddr, proxied: bool, asked_for: bool) -> Result<(), String> {
    if (address.is_loopback() && !proxied) || asked_for {
        return Ok(());
    }
    let place = if proxied { "the public address".to_owned() } else { address.to_string() };
    Err(format!(
        "{place} can be reached from other machines, and everyone who reaches it could use this \
         machine for searches; add --accounts to let people sign in, or --open-to-everyone if an \
         open site is intended"
    ))
}

/// A path as the prefix of all URLs: empty, or with a slash only at its beginning.
fn base_path(path: &str) -> Result<String, ApiError> {
    let path = path.trim_matches('/');
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.' | '~');
    if !path.chars().all(fits) || path.split('/').any(|part| part == "..") || path.contains("//") {
        return Err(ApiError::bad(
            "a base path consists of letters, digits and the characters / - _ . ~",
        ));
    }
    Ok(if path.is_empty() { String::new() } else { format!("/{path}") })
}

/// An origin without a path.
fn origin(text: &str) -> Result<String, ApiError> {
    let text = text.trim_end_matches('/');
    let host = text.strip_prefix("http://").or(text.strip_prefix("https://"));
    match host {
        Some(host) if !host.is_empty() && !host.contains('/') => Ok(text.to_owned()),
        _ => {
            Err(ApiError::bad("a public origin is http:// or https:// and a host, without a path"))
        }
    }
}

/// Serves a site until the future completes.
pub async fn serve(
    site: Arc<Site>,
    listener: tokio::net::TcpListener,
    until: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let router = crate::router(&site);
    tokio::spawn(puzzles::tend(Arc::downgrade(&site)));
    // The front page is prepared before the first visitor arrives.
    let warm = Arc::clone(&site);
    tokio::spawn(async move {
        let _ = warm.game("connect-four").await;
        let listed = Arc::clone(&warm);
        let _ = warm
            .blocking(move || Ok(listed.games.list(&crate::games::GameFilter::default())))
            .await;
    });
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    // Event streams never end by themselves, so the server must not wait for them.
    tokio::select! {
        served = async { axum::serve(listener, service).await } => served?,
        () = until => {}
    }
    site.close().await;
    Ok(())
}
