//! Training runs: agents that learn a game by self-play in the pool, and play on this site.
//!
//! A run is a sequence of short pieces of work in the fair pool, so it never keeps a thread for
//! itself while others wait. The agent is stored whenever it is tested; after a restart, it is kept
//! as it was at the last test.

mod folder;
mod run;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use magister_core::{Agent, Capabilities, Game, PlayerSource, Role, Seat, SourceError};
use magister_learn::recipe::Kind;
use magister_learn::{AgentFile, LearnedAgent};
use magister_store::SqlStore;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::games::OpenGame;
use crate::limits::Client;
use crate::live::{Hub, fresh_token, now_ms};
use crate::{ApiError, Limits};

pub use folder::FolderAgent;

/// The kind of the documents that describe runs.
const TRAINING: &str = "training";
/// The kind of the documents that contain learned agents.
const AGENT: &str = "agent";
/// The prefix of the names of trained players.
pub(crate) const PREFIX: &str = "trained:";

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It waits for a thread for the first time.
    Waiting,
    /// It learns.
    Running,
    /// It has used its time.
    Ended,
    /// Someone stopped it, or the server was restarted.
    Stopped,
    /// It cannot go on.
    Failed,
}

impl State {
    /// Whether there is more to come.
    fn goes_on(self) -> bool {
        matches!(self, State::Waiting | State::Running)
    }
}

/// A test of the agent against random players.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The training time so far.
    pub seconds: f64,
    /// The number of games of self-play so far.
    pub games: u64,
    /// The mean reward of the agent in the test.
    pub reward: f64,
    /// The mean reward of the random players in the test; `None` with one player.
    pub others: Option<f64>,
    /// The number of matches of the test.
    pub matches: u32,
    /// The mean size of the errors of its values since the last test.
    pub error: f64,
}

/// A training run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Training {
    /// Its name, which is also the name of the player.
    pub id: String,
    /// The game.
    pub game: String,
    title: String,
    /// The hash of the rules. The agent plays no other rules.
    pub rules_hash: String,
    kind: Kind,
    /// The training time.
    pub seconds: f64,
    owner: String,
    created: i64,
    /// The state.
    pub state: State,
    /// Why it failed or stopped.
    why: Option<String>,
    games: u64,
    moves: u64,
    spent: f64,
    weights: u64,
    /// The size of the stored agent; 0 as long as there is none.
    bytes: usize,
    curve: Vec<Point>,
}

/// A run in a request.
#[derive(Clone, Debug, Deserialize)]
pub struct TrainingOrder {
    /// The game.
    pub game: String,
    /// The training time in seconds.
    #[serde(default)]
    pub seconds: Option<f64>,
    /// The kind of the value function.
    #[serde(default)]
    pub kind: Option<Kind>,
}

/// All runs of a site.
#[derive(Debug)]
pub struct Trainings {
    all: Mutex<BTreeMap<String, Training>>,
    /// Runs that have been asked to stop.
    stopping: Mutex<BTreeSet<String>>,
    /// Agents in memory.
    agents: Mutex<BTreeMap<String, Arc<AgentFile>>>,
    /// Agents in the files of the operator, by name.
    folder: BTreeMap<String, FolderAgent>,
    changed: watch::Sender<u64>,
}

/// The maximum number of agents in memory.
const LOADED: usize = 16;
/// The memory of a search with a learned network, in MiB.
const SEARCH: usize = 64;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Trainings {
    /// The runs of a store, and the agents in a folder. Runs that were running when the server
    /// stopped are over.
    pub(crate) async fn open(
        store: &SqlStore,
        folder: Option<&Path>,
        limits: &Limits,
    ) -> Result<Self, ApiError> {
        let folder = match folder {
            Some(folder) => folder::read(folder, limits.agent).map_err(ApiError::unavailable)?,
            None => BTreeMap::new(),
        };
        let mut all = BTreeMap::new();
        for (id, body) in store.documents(TRAINING).await? {
            let Ok(mut one) = serde_json::from_str::<Training>(&body) else { continue };
            if one.state.goes_on() {
                one.state = State::Stopped;
                one.why = Some("the server was restarted".to_owned());
                store.put_document(TRAINING, &id, &json!(one).to_string()).await?;
            }
            all.insert(id, one);
        }
        Ok(Trainings {
            all: Mutex::new(all),
            stopping: Mutex::default(),
            agents: Mutex::default(),
            folder,
            changed: watch::channel(0).0,
        })
    }

    /// A receiver that is notified of changes.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// All runs, the newest first.
    pub fn list(&self) -> Vec<Training> {
        let mut list: Vec<Training> = lock(&self.all).values().cloned().collect();
        list.sort_by_key(|one| std::cmp::Reverse(one.created));
        list
    }

    /// A run.
    pub fn get(&self, id: &str) -> Result<Training, ApiError> {
        let found = lock(&self.all).get(id).cloned();
        found.ok_or_else(|| ApiError::missing("there is no such training run"))
    }

    /// The agents in the folder of the operator.
    pub fn from_folder(&self) -> impl Iterator<Item = &FolderAgent> {
        self.folder.values()
    }

    /// The players that have learned something, with their games.
    pub(crate) fn players(&self) -> Vec<Value> {
        let playable = self.list().into_iter().filter(|one| one.bytes > 0);
        let line = |one: Training| {
            json!({
                "name": format!("{PREFIX}{}", one.id), "id": one.id, "game": one.game,
                "title": one.title, "rules_hash": one.rules_hash, "games": one.games,
                "reward": one.curve.last().map(|point| point.reward), "strengths": [],
                "here": true,
            })
        };
        self.folder.values().map(FolderAgent::described).chain(playable.map(line)).collect()
    }

    /// Whether a trained player, given by its name, plays a game.
    pub(crate) fn check(&self, name: &str, game: &dyn Game) -> Result<(), ApiError> {
        let id = name.strip_prefix(PREFIX).unwrap_or(name);
        let wrong = |what: &str| ApiError::invalid("player", what.to_owned());
        let (title, rules_hash) = if let Some(one) = self.folder.get(id) {
            (one.agent.game().to_owned(), one.agent.rules_hash().to_owned())
        } else {
            let one = self.get(id).map_err(|_| {
                wrong("there is no such trained player; GET /api/players lists them")
            })?;
            if one.bytes == 0 {
                return Err(wrong("this player has learned nothing yet"));
            }
            (one.title, one.rules_hash)
        };
        if rules_hash != game.info().rules_hash {
            return Err(wrong(&format!("{id} has learned {title}, which has other rules")));
        }
        Ok(())
    }

    /// The learned agent of a run.
    async fn agent(&self, store: &SqlStore, id: &str) -> Result<Arc<AgentFile>, String> {
        if let Some(file) = lock(&self.agents).get(id) {
            return Ok(Arc::clone(file));
        }
        let bytes = self.file(store, id).await.map_err(|error| error.to_string())?;
        let file = AgentFile::from_bytes(&bytes).map_err(|error| error.to_string())?;
        let file = Arc::new(file);
        self.remember(id, &file);
        Ok(file)
    }

    fn remember(&self, id: &str, file: &Arc<AgentFile>) {
        let mut agents = lock(&self.agents);
        if agents.len() >= LOADED && !agents.contains_key(id) {
            agents.pop_first();
        }
        agents.insert(id.to_owned(), Arc::clone(file));
    }

    /// The learned agent of a run as a file for `magister`.
    pub(crate) async fn file(&self, store: &SqlStore, id: &str) -> Result<Vec<u8>, ApiError> {
        let missing = || ApiError::missing("there is no trained player of this name");
        let text = store.document(AGENT, id).await?.ok_or_else(missing)?;
        STANDARD.decode(text).map_err(|_| ApiError::unavailable("the stored agent is damaged"))
    }

    /// The player of a seat. If its agent has been deleted, it cannot be created, which is a fault
    /// of this player and does not end a match.
    pub(crate) fn source(hub: &Hub, name: &str) -> Trained {
        let id = name.strip_prefix(PREFIX).unwrap_or(name);
        if let Some(one) = hub.trainings.folder.get(id) {
            return Trained::new(name, Ok(one.agent.clone()));
        }
        let file = hub.handle.block_on(hub.trainings.agent(&hub.store, id));
        Trained::new(name, file.map(LearnedAgent::Values))
    }

    /// Asks a run to stop.
    pub(crate) fn stop(&self, id: &str) -> Result<(), ApiError> {
        if self.get(id)?.state.goes_on() {
            lock(&self.stopping).insert(id.to_owned());
        }
        Ok(())
    }

    fn is_stopping(&self, id: &str) -> bool {
        lock(&self.stopping).contains(id)
    }

    /// Deletes a run and its agent.
    pub(crate) async fn delete(&self, store: &SqlStore, id: &str) -> Result<(), ApiError> {
        if self.get(id)?.state.goes_on() {
            return Err(ApiError::conflict("running", "stop the run before you delete it"));
        }
        store.delete_document(TRAINING, id).await?;
        store.delete_document(AGENT, id).await?;
        lock(&self.all).remove(id);
        lock(&self.agents).remove(id);
        self.changed.send_modify(|count| *count += 1);
        Ok(())
    }

    /// The ids of the runs of an account.
    pub(crate) fn of(&self, owner: &str) -> Vec<String> {
        let all = lock(&self.all);
        all.values().filter(|one| one.owner == owner).map(|one| one.id.clone()).collect()
    }

    /// Changes a run, stores it, and notifies viewers.
    fn note(&self, hub: &Hub, id: &str, change: impl FnOnce(&mut Training)) {
        let body = {
            let mut all = lock(&self.all);
            let Some(one) = all.get_mut(id) else { return };
            change(one);
            if !one.state.goes_on() {
                lock(&self.stopping).remove(id);
            }
            json!(one).to_string()
        };
        if let Err(error) = hub.handle.block_on(hub.store.put_document(TRAINING, id, &body)) {
            tracing::error!(id, %error, "a training run could not be stored");
        }
        self.changed.send_modify(|count| *count += 1);
    }

    /// Stores an agent. Returns it with its size.
    fn keep(
        &self,
        hub: &Hub,
        id: &str,
        file: AgentFile,
    ) -> Result<(Arc<AgentFile>, usize), String> {
        let bytes = file.to_bytes(false);
        if bytes.len() > hub.limits.agent {
            let most = hub.limits.agent >> 20;
            return Err(format!("the agent is larger than {most} MiB; train another kind"));
        }
        let text = STANDARD.encode(&bytes);
        let stored = hub.handle.block_on(hub.store.put_document(AGENT, id, &text));
        stored.map_err(|error| error.to_string())?;
        // The sums are needed only to resume a training.
        let file = Arc::new(AgentFile { sums: None, ..file });
        self.remember(id, &file);
        Ok((file, bytes.len()))
    }
}

impl Training {
    /// The account that owns it; empty if no one was signed in.
    pub(crate) fn owner(&self) -> &str {
        &self.owner
    }
}

/// Starts a run.
pub(crate) async fn create(
    hub: &Arc<Hub>,
    open: Arc<OpenGame>,
    order: &TrainingOrder,
    owner: &str,
    client: &Client,
) -> Result<Training, ApiError> {
    let Limits { trainings, trained, training, .. } = hub.limits;
    let most = training.as_secs_f64();
    let seconds = order.seconds.unwrap_or(30.0);
    if !(1.0..=most).contains(&seconds) {
        let what = format!("the training time is from 1 to {most} seconds");
        return Err(ApiError::invalid("seconds", what));
    }
    let id = {
        let mut all = lock(&hub.trainings.all);
        let running = all.values().filter(|one| one.state.goes_on()).count();
        if running >= trainings {
            let what = format!("{running} runs are learning at the moment; wait for one of them");
            return Err(ApiError::conflict("quota", what));
        }
        if all.len() >= trained {
            let what = format!("this site keeps {trained} trained players; delete one first");
            return Err(ApiError::conflict("quota", what));
        }
        let id = name(&open.name);
        let info = open.playable.game.info();
        let one = Training {
            id: id.clone(),
            game: open.name.clone(),
            title: open.title.clone(),
            rules_hash: info.rules_hash.clone(),
            kind: order.kind.unwrap_or(Kind::Ntuple),
            seconds,
            owner: owner.to_owned(),
            created: now_ms(),
            state: State::Waiting,
            why: None,
            games: 0,
            moves: 0,
            spent: 0.0,
            weights: 0,
            bytes: 0,
            curve: Vec::new(),
        };
        all.insert(id.clone(), one);
        id
    };
    let one = hub.trainings.get(&id)?;
    if let Err(error) = hub.store.put_document(TRAINING, &id, &json!(one).to_string()).await {
        lock(&hub.trainings.all).remove(&id);
        return Err(error.into());
    }
    run::start(hub, open, &id, &client.name);
    Ok(one)
}

/// A new name: the game and some letters, because players with different behaviour have different
/// names, also after one has been deleted.
fn name(game: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let game: String = game.chars().take(40).map(kept).collect();
    format!("{game}-{}", &fresh_token()[..5])
}

/// A trained player.
#[derive(Clone, Debug)]
pub(crate) struct Trained {
    name: String,
    agent: Result<LearnedAgent, String>,
    /// Whether values play without a search.
    alone: bool,
}

impl Trained {
    fn new(name: &str, agent: Result<LearnedAgent, String>) -> Self {
        Trained { name: name.to_owned(), agent, alone: false }
    }

    /// The same player without a search, so that many matches show quickly what was learned.
    fn alone(self) -> Self {
        Trained { alone: true, ..self }
    }
}

/// A trained player in the record of a match.
pub(crate) fn seat(name: &str) -> Seat {
    Seat { source: ORIGIN.to_owned(), ..Seat::new(name) }
}

/// The origin of trained players in records.
const ORIGIN: &str = "trained";

impl PlayerSource for Trained {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn capabilities(&self) -> Capabilities {
        let hidden = self.agent.as_ref().is_ok_and(LearnedAgent::reads_views);
        Capabilities { hidden, ..Capabilities::default() }
    }

    fn origin(&self) -> &'static str {
        ORIGIN
    }

    fn make(&self, _: &Arc<dyn Game>, _: Role) -> Result<Box<dyn Agent>, SourceError> {
        let agent = self.agent.clone().map_err(SourceError::Failed)?;
        Ok(match agent {
            LearnedAgent::Values(file) if self.alone => magister_players::values(&self.name, file),
            agent => magister_players::learned(&self.name, agent, SEARCH),
        })
    }
}
