//! Remote players as players.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use magister_arena::TimeControl;
use magister_core::{
    Agent, Budget, Capabilities, Decision, FaultKind, Game, Halt, PlayerKind, PlayerSource, Rng,
    Role, Said, SourceError, View,
};
use magister_protocol::Term;

use crate::address::{AddressPolicy, PlayerAddress};
use crate::client::exchange;
use crate::exchange::ExchangeError;
use crate::session::{Clocks, Manner, Session};
use crate::wire::{Scramble, WireGame};

/// How long a player may take to read STOP or ABORT.
const FAREWELL: Duration = Duration::from_secs(1);

/// The matches of remote players that are not over, so that they can be aborted when the program
/// ends: a player that hears nothing stays busy.
#[derive(Debug, Default)]
pub struct OpenMatches(Mutex<BTreeMap<String, (PlayerAddress, AddressPolicy, String)>>);

impl OpenMatches {
    /// Sends ABORT for all of them, to all players at the same time.
    pub fn abort(&self) {
        let open = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        std::thread::scope(|scope| {
            for (address, policy, message) in open.into_values() {
                scope.spawn(move || {
                    let headers = magister_protocol::http::RequestHeaders {
                        host: address.host.clone(),
                        ..Default::default()
                    };
                    let deadline = Instant::now() + FAREWELL;
                    let _ = exchange(&address, policy, &headers, &message, deadline);
                });
            }
        });
    }

    fn insert(&self, id: &str, address: &PlayerAddress, policy: AddressPolicy, abort: String) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.insert(id.to_owned(), (address.clone(), policy, abort));
    }

    fn remove(&self, id: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }
}

/// A player that is reached by GGP messages: `http://host:port`.
///
/// It plays wherever other players do. Each message has a connection of its own. What goes wrong is
/// a fault of the player, for which the match draws a random legal move: no reply in time, no
/// connection, or a reply that is not a legal move.
pub struct RemoteSource {
    address: PlayerAddress,
    policy: AddressPolicy,
    limits: TimeControl,
    manner: Manner,
    /// The games that can be sent, by the hash of their rules.
    games: BTreeMap<String, Arc<WireGame>>,
    open: Arc<OpenMatches>,
}

impl fmt::Debug for RemoteSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteSource").field("address", &self.address).finish_non_exhaustive()
    }
}

impl RemoteSource {
    /// A player at an address, with these clocks. Addresses of the command line are not restricted.
    pub fn new(address: PlayerAddress, limits: TimeControl, manner: Manner) -> Self {
        RemoteSource {
            address,
            policy: AddressPolicy::Any,
            limits,
            manner,
            games: BTreeMap::new(),
            open: Arc::default(),
        }
    }

    /// The same player, whose matches are listed here while they go on.
    #[must_use]
    pub fn listed_in(self, open: &Arc<OpenMatches>) -> Self {
        RemoteSource { open: Arc::clone(open), ..self }
    }

    /// The same player under another policy of addresses.
    #[must_use]
    pub fn under(self, policy: AddressPolicy) -> Self {
        RemoteSource { policy, ..self }
    }

    /// The same player, who can also be sent this game.
    #[must_use]
    pub fn knowing(mut self, game: &dyn Game, wire: &Arc<WireGame>) -> Self {
        self.games.insert(game.info().rules_hash.clone(), Arc::clone(wire));
        self
    }
}

/// Names of matches differ, also between processes.
fn fresh_id(game: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let fits = |c: &char| c.is_ascii_alphanumeric() || "-_.".contains(*c);
    let name: String = game.rsplit('/').next().unwrap_or("match").chars().filter(fits).collect();
    format!("{name}.{now}.{}.{count}", std::process::id())
}

impl PlayerSource for RemoteSource {
    fn name(&self) -> String {
        self.address.to_string()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            kind: PlayerKind::Remote,
            hidden: true,
            clairvoyant: false,
            // GGP players expect a message in every turn.
            asked_when_forced: true,
            threads: 0,
        }
    }

    fn origin(&self) -> &'static str {
        "ggp"
    }

    fn parameters(&self) -> BTreeMap<String, String> {
        let scramble = self.manner.scramble.to_string();
        BTreeMap::from([("scramble".to_owned(), scramble)])
    }

    fn make(&self, game: &Arc<dyn Game>, role: Role) -> Result<Box<dyn Agent>, SourceError> {
        let info = game.info();
        let wire = self.games.get(&info.rules_hash).ok_or_else(|| {
            SourceError::Refused(format!("{} has no rules that can be sent to players", info.name))
        })?;
        let clocks = Clocks::new(self.limits.start, self.limits.time);
        Ok(Box::new(Remote {
            address: self.address.clone(),
            policy: self.policy,
            limits: self.limits,
            clocks,
            manner: self.manner,
            wire: Arc::clone(wire),
            id: fresh_id(&info.name),
            role,
            session: None,
            open: Arc::clone(&self.open),
        }))
    }
}

/// A remote player in a match.
struct Remote {
    address: PlayerAddress,
    policy: AddressPolicy,
    limits: TimeControl,
    clocks: Clocks,
    manner: Manner,
    wire: Arc<WireGame>,
    id: String,
    role: Role,
    /// From START to STOP.
    session: Option<Session>,
    open: Arc<OpenMatches>,
}

impl Remote {
    fn session(&mut self, view: &View, rng: &mut Rng) -> &Session {
        self.session.get_or_insert_with(|| {
            let scramble = self.manner.scramble.then(|| Scramble::new(&self.wire, rng));
            let name = view.game().info().role_name(self.role).to_owned();
            let role = (self.role, name.as_str());
            let session =
                Session::new(&self.id, &self.wire, role, self.clocks, self.manner, scramble)
                    .to(&self.address.to_string());
            self.open.insert(&self.id, &self.address, self.policy, session.abort());
            session
        })
    }

    fn send(
        &self,
        message: &str,
        step: Option<usize>,
        within: Duration,
    ) -> Result<String, ExchangeError> {
        let deadline = Instant::now() + within;
        let headers = self.session.as_ref().map(|one| one.headers(&self.address.host, step));
        let headers = headers.unwrap_or_default();
        exchange(&self.address, self.policy, &headers, message, deadline)
    }
}

impl Agent for Remote {
    fn name(&self) -> String {
        self.address.to_string()
    }

    fn start(&mut self, view: &View, _: &mut Budget, rng: &mut Rng) -> Result<(), Said> {
        let message = self.session(view, rng).start();
        let within = self.limits.start.unwrap_or_default() + self.limits.grace;
        let reply = self.send(&message, None, within)?;
        let is_busy = Term::read(&reply).is_ok_and(|term| term.is_word("busy"));
        if is_busy {
            return Err(Said::Fault(FaultKind::Refused, "the player is busy".to_owned()));
        }
        Ok(())
    }

    fn answer(&mut self, view: &View, _: &mut Budget, rng: &mut Rng) -> Said {
        let session = self.session(view, rng);
        let message = session.play(view);
        let time = self.limits.time.unwrap_or(Duration::from_hours(24));
        let reply = self.send(&message, Some(view.turns().len()), time + self.limits.grace);
        match (reply, &self.session) {
            (Ok(reply), Some(session)) => session.answer(&reply),
            (Ok(reply), None) => Said::Text(reply),
            (Err(error), _) => error.into(),
        }
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        match self.answer(view, budget, rng) {
            Said::Decision(decision) => Ok(decision),
            Said::Text(text) => {
                let choice = view.game().text().parse_move(self.role, &text);
                let wrong = || Halt::Rules(format!("`{text}` is not a move of this game"));
                choice.map(Decision::from).ok_or_else(wrong)
            }
            Said::Fault(FaultKind::Late, _) => Err(Halt::Stopped),
            Said::Fault(_, what) => Err(Halt::Limit(what)),
        }
    }

    fn finish(&mut self, view: &View, outcome: &[Option<f64>]) {
        let Some(session) = &self.session else { return };
        let message = if outcome.is_empty() { session.abort() } else { session.stop(view) };
        let _ = self.send(&message, Some(view.turns().len()), FAREWELL);
        self.session = None;
        self.open.remove(&self.id);
    }
}

impl Drop for Remote {
    /// A match that ends without a farewell, for instance because the process ends, is aborted, or
    /// the player would wait for its next message forever.
    fn drop(&mut self) {
        if let Some(session) = &self.session {
            let _ = self.send(&session.abort(), None, FAREWELL);
            self.open.remove(&self.id);
        }
    }
}
