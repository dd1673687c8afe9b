//! Live matches.
//!
//! A [`Live`] match is a [`Match`], the public state machine, with the additions of the site: seats
//! and their tokens, clocks, searches in the pool, an event log for viewers, and the store. All
//! operations take one lock per match, on threads that may block.
//!
//! A change is stored before it becomes visible: the request is answered, and viewers are notified,
//! only after the store has confirmed it.

mod actions;
mod drive;
mod events;
mod meta;
mod remotes;
mod restore;
mod track;
mod tree;
mod view;

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use magister_arena::AgentThread;
use magister_core::{Match, PlayerSource, Role, Seed, Setup, Stop};
use magister_manager::{AddressPolicy, OpenMatches};
use magister_store::{Entry, SqlStore};
use tokio::runtime::Handle;
use tokio::sync::watch;

pub use actions::{JumpTo, MoveOrder};
pub use events::{Change, Message};
pub use meta::{MATCH, Meta, Mode, SeatKind, SeatMeta, SeatOrder, fresh_token, hash, spec};
pub use remotes::{ENGAGED, Engagements};
pub use restore::foreign;
pub use track::{Track, resolve};
pub use view::Access;

use remotes::{Engaged, Farewell};

use crate::games::{OpenGame, Wanted};
use crate::known::{Follow, Knowledge};
use crate::metrics::Metrics;
use crate::pool::Pool;
use crate::training::Trainings;
use crate::{ApiError, Limits};

/// The data that all matches share.
#[derive(Debug)]
pub struct Hub {
    /// The store.
    pub store: SqlStore,
    /// Where searches run.
    pub pool: Pool,
    /// The runtime, for the store and for timers.
    pub handle: Handle,
    /// The limits of the site.
    pub limits: Limits,
    /// The addresses that remote players may have.
    pub policy: AddressPolicy,
    /// The matches that remote players take part in.
    pub remote: Arc<OpenMatches>,
    /// The remote players that are in a match.
    pub engaged: Engagements,
    /// The training runs and the players that came out of them.
    pub trainings: Trainings,
    /// The metrics.
    pub metrics: Metrics,
}

/// A match on this site.
#[derive(Debug)]
pub struct Live {
    /// Its name.
    pub id: String,
    /// Its game.
    pub open: Arc<OpenGame>,
    pub(crate) hub: Arc<Hub>,
    /// The owner of its searches, for the queue.
    pub client: String,
    /// Whether it has ended. This is outside of the lock, because a match may be locked for
    /// seconds.
    over: AtomicBool,
    /// When it was last viewed, in milliseconds since 1970.
    touched: AtomicI64,
    core: Mutex<Core>,
    /// The number of the last event.
    changed: watch::Sender<u64>,
}

/// The mutable part of a match.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) current: Match,
    pub(crate) meta: Meta,
    seats: Vec<Sitting>,
    pub(crate) track: Track,
    follows: BTreeMap<usize, Follow>,
    known: BTreeMap<usize, (u64, usize, Arc<Knowledge>)>,
    /// Incremented when moves are taken back, so that earlier searches no longer count.
    epoch: u64,
    /// The number of the last event.
    rev: u64,
    changes: VecDeque<(u64, Change)>,
    /// Changes that viewers are notified of once they are stored.
    unheard: Vec<Change>,
    unsaved: Vec<Entry>,
    /// The number of steps that are stored or in `unsaved`.
    stored: usize,
    /// Whether the end is stored or in `unsaved`.
    closed: bool,
    /// Whether the players have been informed of the end, or are being informed.
    dismissed: bool,
    /// How each player is informed of the end once it is stored.
    farewells: Vec<(usize, Farewell)>,
    /// The reserved remote players, until they have been informed of the end.
    engaged: Option<Engaged>,
    messages: BTreeMap<(u64, Option<usize>), Arc<str>>,
}

/// A player on its seat.
#[derive(Debug)]
struct Sitting {
    role: Role,
    source: Option<Arc<dyn PlayerSource>>,
    thread: Option<AgentThread>,
    /// Whether the start of the match was announced to the player.
    started: bool,
    asked: Option<Asked>,
    /// Ends the search that runs or waits for this seat.
    search: Option<Stop>,
    /// The number of open event streams of this seat.
    watching: usize,
}

impl Sitting {
    /// Withdraws the question, because the answer is no longer needed.
    fn dismiss(&mut self) {
        self.asked = None;
        if let Some(search) = self.search.take() {
            search.set();
        }
    }
}

/// A question to a player.
#[derive(Clone, Copy, Debug)]
struct Asked {
    turn: usize,
    epoch: u64,
    /// When its clock started; `None` while its search is waiting.
    since: Option<Instant>,
    /// The ticket of the search.
    ticket: Option<u64>,
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as i64
}

/// A match to be created.
#[derive(Clone, Debug)]
pub struct NewMatch {
    /// The game.
    pub game: Wanted,
    /// How it is played.
    pub mode: Mode,
    /// The seats.
    pub seats: Vec<SeatOrder>,
    /// The time before the first move.
    pub start_ms: Option<u64>,
    /// The time for a move.
    pub play_ms: Option<u64>,
    /// The seed; fresh entropy if `None`.
    pub seed: Option<u64>,
    /// The iterations per move of players of the registry, in addition to the time.
    pub iterations: Option<u64>,
    /// Whether the result counts for ratings.
    pub rated: bool,
    /// Turns that are made at the start, each with the moves of all roles that have a choice.
    pub from: Vec<Vec<String>>,
    /// The tournament that it belongs to.
    pub tournament: Option<String>,
    /// The owner of its searches, for the queue.
    pub client: String,
}

/// A match that was created, with its secrets.
#[derive(Clone, Debug)]
pub struct Created {
    /// The match.
    pub live: Arc<Live>,
    /// The token of the creator.
    pub owner: String,
    /// The tokens by role; `None` for seats without a person.
    pub tokens: Vec<(usize, Option<String>)>,
}

impl Live {
    /// Creates a match and starts it.
    pub fn create(
        hub: &Arc<Hub>,
        open: Arc<OpenGame>,
        order: &NewMatch,
    ) -> Result<Created, ApiError> {
        let game = &open.playable.game;
        let roles: Vec<Role> = game.info().players().collect();
        let standalone = order.mode == Mode::Standalone;
        if !standalone && order.seats.len() != roles.len() {
            let what = format!(
                "this game has {} players, but {} seats are given",
                roles.len(),
                order.seats.len()
            );
            return Err(ApiError::invalid("seats", what));
        }
        let owner = fresh_token();
        let mut tokens = Vec::new();
        let mut seats = Vec::new();
        for (number, role) in roles.iter().enumerate() {
            let wanted = order.seats.get(number).filter(|_| !standalone);
            let mut seat = wanted.cloned().unwrap_or_default().check(&**game, &hub.trainings)?;
            let token = (seat.kind == SeatKind::Person)
                .then(|| if standalone { owner.clone() } else { fresh_token() });
            seat.token = token.as_deref().map(hash);
            if seat.kind == SeatKind::Remote {
                open.wire()?;
            }
            tokens.push((role.index(), token));
            seats.push(seat);
        }
        let cap = |time: Option<u64>| time.map(|time| time.clamp(50, hub.limits.clock_ms));
        let play_ms = cap(order.play_ms).filter(|_| !standalone);
        let mut meta = Meta {
            game: order.game.clone(),
            mode: order.mode,
            seats,
            owner: hash(&owner),
            start_ms: cap(order.start_ms).filter(|_| !standalone),
            play_ms,
            iterations: order.iterations,
            rated: order.rated && !standalone,
            created: now_ms(),
            paused: false,
            tournament: order.tournament.clone(),
            tree: tree::Tree::default(),
            client: order.client.clone(),
        };
        remotes::check_clocks(&meta)?;
        let engaged = Engaged::new(hub, &meta)?;
        remotes::ask(hub, &mut meta)?;
        let id = fresh_token()[..12].to_owned();
        let seed = order.seed.map_or_else(magister_manager::manage::fresh_seed, Seed::from);
        let record_seats: Result<Vec<_>, _> = meta.seats.iter().map(SeatMeta::seat).collect();
        let ms = |time: Option<u64>| time.map(|time| time as f64);
        let setup = Setup {
            id: Some(id.clone()),
            salt: Some(magister_manager::manage::fresh_seed()),
            limits: magister_core::record::MatchLimits {
                time_ms: ms(meta.play_ms),
                start_ms: ms(meta.start_ms),
                max_steps: hub.limits.turns,
                ..Default::default()
            },
            ..Setup::new(seed, record_seats?)
        };
        let current = magister::engine::within(hub.limits.step, &Stop::never(), |stop| {
            Match::new(game, &setup, stop)
        })?;
        let record = current.record().clone();
        let begun = Entry::Begun {
            places: remotes::places(&meta),
            rules: open.text.clone(),
            tournament: meta.tournament.clone(),
            manner: None,
            at_ms: meta.created,
            record: Box::new(record),
        };
        let live = Live::assemble(hub, id, open, current, meta)?;
        {
            let mut core = live.lock();
            core.engaged = Some(engaged);
            live.save_meta(&core)?;
            core.unsaved.push(begun);
            for turn in &order.from {
                live.make_given(&mut core, turn)?;
            }
            live.settle(&mut core)?;
        }
        hub.metrics.created();
        Ok(Created { live, owner, tokens })
    }

    /// Assembles the parts of a match.
    fn assemble(
        hub: &Arc<Hub>,
        id: String,
        open: Arc<OpenGame>,
        current: Match,
        meta: Meta,
    ) -> Result<Arc<Self>, ApiError> {
        let game = &open.playable.game;
        let mut seats = Vec::new();
        for (number, role) in game.info().players().enumerate().take(meta.seats.len()) {
            let source = drive::source(hub, &open, &id, &meta, number)?;
            seats.push(Sitting {
                role,
                source,
                thread: None,
                started: false,
                asked: None,
                search: None,
                watching: 0,
            });
        }
        let mut track = Track::new(game);
        track.follow(current.record());
        // Event numbers from before a restart must not be mistaken for new ones.
        let rev = now_ms() as u64 * 1000;
        let stored = current.record().moves.len();
        let core = Core {
            current,
            meta,
            seats,
            track,
            follows: BTreeMap::new(),
            known: BTreeMap::new(),
            epoch: 0,
            rev,
            changes: VecDeque::new(),
            unheard: Vec::new(),
            unsaved: Vec::new(),
            stored,
            closed: false,
            dismissed: false,
            farewells: Vec::new(),
            engaged: None,
            messages: BTreeMap::new(),
        };
        let (changed, _) = watch::channel(rev);
        Ok(Arc::new(Live {
            id,
            open,
            hub: Arc::clone(hub),
            client: core.meta.client.clone(),
            over: AtomicBool::new(core.current.end().is_some()),
            touched: AtomicI64::new(now_ms()),
            core: Mutex::new(core),
            changed,
        }))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// When it was last viewed, in milliseconds since 1970.
    pub fn touched_ms(&self) -> i64 {
        self.touched.load(Ordering::Relaxed)
    }

    fn touch(&self) {
        self.touched.store(now_ms(), Ordering::Relaxed);
    }

    /// Stores the data of the match beyond its record.
    fn save_meta(&self, core: &Core) -> Result<(), ApiError> {
        let body = serde_json::to_string(&core.meta)
            .map_err(|_| ApiError::unavailable("the match cannot be written"))?;
        let store = &self.hub.store;
        Ok(self.hub.handle.block_on(store.put_document(MATCH, &self.id, &body))?)
    }
}
