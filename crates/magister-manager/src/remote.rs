//! Remote players as players.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use magister_arena::TimeControl;
use magister_core::{
    Agent, Budget, Capabilities, Decision, FaultKind, Game, Halt, Move, PlayerKind, PlayerSource,
    Rng, Role, Said, Seed, SourceError, Stop, View,
};

use magister_protocol::http::RequestHeaders;

use crate::address::{AddressPolicy, PlayerAddress};
use crate::client::{exchange, notify};
use crate::exchange::ExchangeError;
use crate::network::FAREWELL;
use crate::session::{Clocks, Manner, Session};
use crate::table::Taken;
use crate::wire::{Scramble, WireGame};

/// The thinking time of a player without a clock.
const DAY: Duration = Duration::from_hours(24);

/// The unfinished matches of remote players, so that they can be aborted when the program ends.
/// Otherwise their players would stay busy.
#[derive(Debug, Default)]
pub struct OpenMatches(Mutex<BTreeMap<String, (PlayerAddress, AddressPolicy, String)>>);

impl OpenMatches {
    /// Sends ABORT for all of them, to all players in parallel.
    pub fn abort(&self) {
        let open = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        std::thread::scope(|scope| {
            for (address, policy, message) in open.into_values() {
                scope.spawn(move || {
                    let headers =
                        RequestHeaders { host: address.host.clone(), ..Default::default() };
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
/// It can be used wherever other players can. Each message has its own connection. No reply in
/// time, no connection, and a reply that is not a legal move are faults of the player, for which
/// the match draws a random legal move.
pub struct RemoteSource {
    address: PlayerAddress,
    policy: AddressPolicy,
    limits: TimeControl,
    manner: Manner,
    /// The games that can be sent, by the hash of their rules.
    games: BTreeMap<String, Arc<WireGame>>,
    open: Arc<OpenMatches>,
    /// The match that it plays; without one, each player is in a separate match.
    seated: Option<Seated>,
    /// Whether its matches continue after a restart of this program.
    lasting: bool,
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
            seated: None,
            lasting: false,
        }
    }

    /// The same player in a match.
    pub(crate) fn seated(&self, seated: Seated) -> Self {
        RemoteSource {
            address: self.address.clone(),
            games: self.games.clone(),
            open: Arc::clone(&self.open),
            seated: Some(seated),
            ..*self
        }
    }

    /// The same player in a match of this name, which it may already be playing.
    #[must_use]
    pub fn in_match(&self, id: &str) -> Self {
        self.seated(Seated { id: id.to_owned(), names: names_of(id), _taken: None })
    }

    /// Informs the player that its match is over: by STOP, or by ABORT if there is no outcome. This
    /// is for a program that was restarted and resumes a match.
    pub fn dismiss(&self, view: &View, outcome: &[Option<f64>]) {
        if let Ok(mut remote) = self.remote(view.game(), view.role()) {
            let _ = remote.session(view, &mut names_of(&remote.id).rng());
            remote.finish(view, outcome);
        }
    }

    /// Its address.
    pub fn address(&self) -> &PlayerAddress {
        &self.address
    }

    /// The same player, whose matches are listed here while they last.
    #[must_use]
    pub fn listed_in(self, open: &Arc<OpenMatches>) -> Self {
        RemoteSource { open: Arc::clone(open), ..self }
    }

    /// The same player, whose matches continue after a restart of this program: it gets ABORT only
    /// from [`RemoteSource::dismiss`] or [`Agent::finish`].
    #[must_use]
    pub fn lasting(self) -> Self {
        RemoteSource { lasting: true, ..self }
    }

    /// The same player with another address policy.
    #[must_use]
    pub fn under(self, policy: AddressPolicy) -> Self {
        RemoteSource { policy, ..self }
    }

    /// The same player, which can also be sent this game.
    #[must_use]
    pub fn knowing(mut self, game: &dyn Game, wire: &Arc<WireGame>) -> Self {
        self.games.insert(game.info().rules_hash.clone(), Arc::clone(wire));
        self
    }
}

/// What a player needs to know about its match before START.
#[derive(Clone)]
pub(crate) struct Seated {
    /// The name of the match.
    pub(crate) id: String,
    /// The seed of the scrambled names, which are the same for all players of a match.
    pub(crate) names: Seed,
    /// Keeps the player reserved for this match.
    pub(crate) _taken: Option<Arc<Taken>>,
}

/// The seed of the scrambled names of a match; it is the same after a restart.
pub(crate) fn names_of(id: &str) -> Seed {
    Seed::from(0).derive(id)
}

/// A unique name of a match, also across processes.
pub(crate) fn fresh_id(game: &str) -> String {
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
        Ok(Box::new(self.remote(game, role)?))
    }
}

impl RemoteSource {
    fn remote(&self, game: &Arc<dyn Game>, role: Role) -> Result<Remote, SourceError> {
        let info = game.info();
        let wire = self.games.get(&info.rules_hash).ok_or_else(|| {
            SourceError::Refused(format!("{} has no rules that can be sent to players", info.name))
        })?;
        if self.address.protocol.is_gamemaster() && wire.operations().is_none() {
            let what =
                format!("{} is not written as operations, which Gamemaster needs", info.name);
            return Err(SourceError::Refused(what));
        }
        let clocks = Clocks::new(self.limits.start, self.limits.time);
        Ok(Remote {
            address: self.address.clone(),
            policy: self.policy,
            limits: self.limits,
            clocks,
            manner: self.manner,
            wire: Arc::clone(wire),
            id: self.seated.as_ref().map_or_else(|| fresh_id(&info.name), |one| one.id.clone()),
            names: self.seated.as_ref().map(|one| one.names),
            role,
            session: None,
            open: Arc::clone(&self.open),
            lasting: self.lasting,
        })
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
    names: Option<Seed>,
    role: Role,
    /// From START to STOP.
    session: Option<Session>,
    open: Arc<OpenMatches>,
    lasting: bool,
}

impl Remote {
    fn session(&mut self, view: &View, rng: &mut Rng) -> Result<&Session, Said> {
        if self.session.is_none() {
            let names = self.names;
            let scramble = self.manner.scramble.then(|| match names {
                Some(seed) => Scramble::new(&self.wire, &mut seed.rng()),
                None => Scramble::new(&self.wire, rng),
            });
            let name = view.game().info().role_name(self.role).to_owned();
            let role = (self.role, name.as_str());
            let session =
                Session::new(&self.id, &self.wire, role, self.clocks, self.manner, scramble)
                    .to(&self.address.to_string())
                    .at(&self.address)
                    .map_err(|what| Said::Fault(FaultKind::Refused, what))?;
            self.open.insert(&self.key(), &self.address, self.policy, session.abort());
            self.session = Some(session);
        }
        let missing = || Said::Fault(FaultKind::Crash, "there is no session".to_owned());
        self.session.as_ref().ok_or_else(missing)
    }

    /// The name of the match and the role, because one player may have several.
    fn key(&self) -> String {
        format!("{} {}", self.id, self.role.0)
    }

    fn headers(&self, step: Option<usize>) -> RequestHeaders {
        let headers = self.session.as_ref().map(|one| one.headers(&self.address.host, step));
        headers.unwrap_or_default()
    }

    fn send(
        &self,
        message: &str,
        step: Option<usize>,
        within: Duration,
    ) -> Result<String, ExchangeError> {
        let deadline = Instant::now() + within;
        exchange(&self.address, self.policy, &self.headers(step), message, deadline)
    }
}

/// The only legal move of a role, if it has just one and the game has perfect information.
fn only_move(view: &View) -> Option<Move> {
    let mut worker = view.game().worker();
    view.replay(&mut *worker, &Stop::never()).ok()?;
    match worker.legal(view.role()) {
        [only] => Some(*only),
        _ => None,
    }
}

impl Agent for Remote {
    fn name(&self) -> String {
        self.address.to_string()
    }

    fn start(&mut self, view: &View, _: &mut Budget, rng: &mut Rng) -> Result<(), Said> {
        let message = self.session(view, rng)?.start();
        let within = self.limits.start.unwrap_or_default() + self.limits.grace;
        let reply = self.send(&message, None, within)?;
        if self.session.as_ref().is_some_and(|session| session.is_busy(&reply)) {
            return Err(Said::Fault(FaultKind::Refused, "the player is busy".to_owned()));
        }
        Ok(())
    }

    fn answer(&mut self, view: &View, _: &mut Budget, rng: &mut Rng) -> Said {
        let session = match self.session(view, rng) {
            Ok(session) => session,
            Err(said) => return said,
        };
        let (message, silent) = (session.play(view), session.may_be_silent());
        let (turns, time) = (view.turns().len(), self.limits.time.unwrap_or(DAY));
        if silent && let Some(only) = only_move(view) {
            // The next message must not overtake this one, so the player gets the time of a move.
            let deadline = Instant::now() + time + self.limits.grace;
            let headers = self.headers(Some(turns));
            notify(&self.address, self.policy, &headers, &message, deadline);
            return Said::Decision(only.into());
        }
        let reply = self.send(&message, Some(turns), time + self.limits.grace);
        match (reply, &self.session) {
            (Ok(reply), Some(session)) => session.answer(&reply, turns),
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
        self.open.remove(&self.key());
    }
}

impl Drop for Remote {
    /// A match that ends without a last message, for example because the process ends, is aborted;
    /// otherwise the player would wait forever for the next message.
    fn drop(&mut self) {
        let Some(session) = &self.session else { return };
        if !self.lasting {
            let _ = self.send(&session.abort(), None, FAREWELL);
        }
        self.open.remove(&self.key());
    }
}
