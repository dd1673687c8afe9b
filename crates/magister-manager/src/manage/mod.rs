//! A manager that runs many matches at once.
//!
//! Each match is a task that drives the state machine of [`magister_core::Match`]. Its progress is
//! written to a [`Store`] before it becomes visible: a request before it is sent, a move before the
//! next request or an event reports it. A manager that is killed at any time has therefore lost
//! nothing that was visible to others. [`Manager::recover`] continues after a restart.

mod metrics;
mod occupied;
mod order;
mod recover;
mod running;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use magister_core::{Event, MatchError, MatchRecord};
use magister_protocol::PlayerInfo;
use magister_store::{Store, StoreError};
use tokio::sync::{Semaphore, watch};

pub use metrics::{Metrics, serve_metrics};
pub use order::{Order, SeatOrder};
pub use recover::{Recovered, Recovery};
pub use running::fresh_seed;

use crate::exchange::ExchangeError;
use crate::network::{Network, ping};
use occupied::Occupied;
use running::RunningMatch;

/// Called with the name of a match and one of its events, once the event is durable.
pub type Observer = Arc<dyn Fn(&str, &Event) + Send + Sync>;

/// A point in the work of a manager at which tests kill it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// Data is about to be made durable.
    BeforeCommit,
    /// The data is durable, but has not been sent.
    BetweenCommitAndSend,
    /// An unfinished match is about to be resumed.
    DuringRecovery,
}

/// Called at each of these points.
pub type Hook = Arc<dyn Fn(Point) + Send + Sync>;

/// A manager of matches.
pub struct Manager<N, S> {
    network: Arc<N>,
    store: Arc<S>,
    metrics: Arc<Metrics>,
    settings: Settings,
    observer: Option<Observer>,
    hook: Option<Hook>,
    places: Arc<Semaphore>,
    occupied: Occupied,
    running: Arc<Mutex<BTreeMap<String, watch::Sender<bool>>>>,
}

/// The settings of a manager.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The maximum number of concurrent matches. Further ones have to wait.
    pub matches: usize,
    /// How long the rules may take for one step before the match is broken off.
    pub patience: Duration,
    /// Whether steps are computed on threads that may block. A simulation computes them inline, so
    /// that everything is ordered.
    pub offload: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { matches: 1000, patience: Duration::from_mins(1), offload: true }
    }
}

/// Why a match could not be played.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ManagerError {
    /// The match could not begin.
    Match(MatchError),
    /// The store failed. Nothing that was not stored has been sent.
    Store(StoreError),
    /// The game cannot be sent to a player.
    Refused(String),
    /// The manager is being shut down.
    Closed,
}

impl std::fmt::Display for ManagerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ManagerError::Match(error) => error.fmt(f),
            ManagerError::Store(error) => error.fmt(f),
            ManagerError::Refused(what) => f.write_str(what),
            ManagerError::Closed => f.write_str("the manager is being shut down"),
        }
    }
}

impl std::error::Error for ManagerError {}

impl From<StoreError> for ManagerError {
    fn from(error: StoreError) -> Self {
        ManagerError::Store(error)
    }
}

impl From<MatchError> for ManagerError {
    fn from(error: MatchError) -> Self {
        ManagerError::Match(error)
    }
}

impl<N: Network, S: Store> Manager<N, S> {
    /// A manager on a network, with a store.
    pub fn new(network: Arc<N>, store: Arc<S>, settings: Settings) -> Self {
        Manager {
            network,
            store,
            metrics: Arc::default(),
            settings,
            observer: None,
            hook: None,
            places: Arc::new(Semaphore::new(settings.matches)),
            occupied: Occupied::default(),
            running: Arc::default(),
        }
    }

    /// The same manager, which reports events.
    #[must_use]
    pub fn observed(self, observer: Observer) -> Self {
        Manager { observer: Some(observer), ..self }
    }

    /// The same manager, which calls this hook at the named points.
    #[must_use]
    pub fn hooked(self, hook: Hook) -> Self {
        Manager { hook: Some(hook), ..self }
    }

    fn pass(&self, point: Point) {
        if let Some(hook) = &self.hook {
            hook(point);
        }
    }

    /// Its metrics.
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    /// Its store.
    pub fn store(&self) -> &Arc<S> {
        &self.store
    }

    /// Plays a match to its end.
    pub async fn play(&self, order: Order) -> Result<MatchRecord, ManagerError> {
        let _taken = self.occupied.take(&order).await;
        let _place = self.places.acquire().await.map_err(|_| ManagerError::Closed)?;
        let listed = self.list(&order.id);
        let running = RunningMatch::begin(self, order, listed.abort())?;
        running.run().await
    }

    /// Asks a remote player for its name and whether it is available: by INFO in GGP, and by a ping
    /// in Gamemaster's protocol.
    pub async fn ping(&self, address: &str, within: Duration) -> Result<PlayerInfo, ExchangeError> {
        ping(&*self.network, address, within).await
    }

    /// Ends a match from outside. Returns false if no such match is being played.
    pub fn abort(&self, id: &str) -> bool {
        self.running().get(id).is_some_and(|one| one.send(true).is_ok())
    }

    /// The names of the matches that are being played.
    pub fn running_ids(&self) -> Vec<String> {
        self.running().keys().cloned().collect()
    }

    fn running(&self) -> MutexGuard<'_, BTreeMap<String, watch::Sender<bool>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn list(&self, id: &str) -> Listed {
        let (sender, abort) = watch::channel(false);
        self.running().insert(id.to_owned(), sender);
        self.metrics.entered();
        let (running, metrics) = (Arc::clone(&self.running), Arc::clone(&self.metrics));
        Listed { id: id.to_owned(), abort, running, metrics }
    }
}

impl<N, S> std::fmt::Debug for Manager<N, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Manager").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// An entry in the list of running matches. It is removed however the match ends.
struct Listed {
    id: String,
    abort: watch::Receiver<bool>,
    running: Arc<Mutex<BTreeMap<String, watch::Sender<bool>>>>,
    metrics: Arc<Metrics>,
}

impl Listed {
    fn abort(&self) -> watch::Receiver<bool> {
        self.abort.clone()
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
        self.metrics.left();
    }
}
