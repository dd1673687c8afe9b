//! Remote players of matches on the site.
//!
//! All of them get the same match name as the site uses, so that the match can be resumed, or
//! aborted, after a restart of the server. A remote player is in at most one match of the site at a
//! time.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use magister_arena::AgentThread;
use magister_core::{MatchEnd, View};
use magister_manager::exchange::ExchangeError;
use magister_manager::session::match_name;
use magister_manager::{Manner, PlayerAddress, RemoteSource, client};
use magister_protocol::Status;
use magister_store::{Entry, Place, Store as _, StoredMatch};

use super::drive::control;
use super::{Core, Hub, Live, Meta, SeatKind, SeatMeta};
use crate::ApiError;
use crate::games::OpenGame;

/// The time limit for a remote player to reply to INFO.
const PING: Duration = Duration::from_secs(5);

/// The code of the error that a remote player is in another match.
pub const ENGAGED: &str = "engaged";

/// The remote player of a seat.
pub(super) fn remote(
    hub: &Hub,
    open: &OpenGame,
    id: &str,
    meta: &Meta,
    number: usize,
) -> Result<RemoteSource, ApiError> {
    let seat = &meta.seats[number];
    let address = seat.player.parse().map_err(|what| ApiError::invalid("address", what))?;
    let remote = RemoteSource::new(address, control(hub, meta, seat), Manner::default());
    let mut remote = remote.under(hub.policy);
    // A player that would not recognise a duplicate message gets ABORT when the server stops.
    remote = if seat.repeats { remote.lasting() } else { remote.listed_in(&hub.remote) };
    let same = |other: &&SeatMeta| (other.kind, &other.player) == (seat.kind, &seat.player);
    let before = meta.seats[..number].iter().filter(same).count();
    let remote = remote.in_match(&match_name(id, before));
    Ok(remote.knowing(&*open.playable.game, &open.wire()?))
}

/// The remote players that are in matches of the site.
#[derive(Debug, Default)]
pub struct Engagements(Mutex<BTreeSet<String>>);

impl Engagements {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Remote players that are reserved for a match until this is dropped.
#[derive(Debug)]
pub(super) struct Engaged {
    hub: Arc<Hub>,
    players: BTreeSet<String>,
}

impl Engaged {
    fn players(meta: &Meta) -> BTreeSet<String> {
        let remote = |seat: &&SeatMeta| seat.kind == SeatKind::Remote;
        meta.seats.iter().filter(remote).map(|seat| seat.player.clone()).collect()
    }

    /// Reserves the remote players of a new match. It is an error if one of them is in another
    /// match.
    pub(super) fn new(hub: &Arc<Hub>, meta: &Meta) -> Result<Self, ApiError> {
        let players = Engaged::players(meta);
        let mut taken = hub.engaged.lock();
        if let Some(player) = players.iter().find(|player| taken.contains(*player)) {
            let what = format!("{player} is in another match of this site; try again later");
            return Err(ApiError::conflict(ENGAGED, what));
        }
        taken.extend(players.iter().cloned());
        drop(taken);
        Ok(Engaged { hub: Arc::clone(hub), players })
    }

    /// Reserves the remote players of a match that was running before a restart. They are already
    /// in it.
    pub(super) fn again(hub: &Arc<Hub>, meta: &Meta) -> Self {
        let players = Engaged::players(meta);
        hub.engaged.lock().extend(players.iter().cloned());
        Engaged { hub: Arc::clone(hub), players }
    }
}

impl Drop for Engaged {
    fn drop(&mut self) {
        self.hub.engaged.lock().retain(|player| !self.players.contains(player));
    }
}

/// Sends INFO to the remote players of a new match. It is an error if one does not answer or is
/// busy.
pub(super) fn ask(hub: &Hub, meta: &mut Meta) -> Result<(), ApiError> {
    for seat in meta.seats.iter_mut().filter(|seat| seat.kind == SeatKind::Remote) {
        let parsed: Result<PlayerAddress, String> = seat.player.parse();
        let address = parsed.map_err(|what| ApiError::invalid("address", what))?;
        let absent = |error: ExchangeError| {
            let what = format!("{} cannot play: {error}. Is it running?", seat.player);
            ApiError::invalid("unreachable", what)
        };
        let info = client::ping(&address, hub.policy, PING).map_err(absent)?;
        if info.status == Status::Busy {
            let what = format!("{} is in a match of another server; try again later", seat.player);
            return Err(ApiError::conflict(ENGAGED, what));
        }
        seat.repeats = info.repeats;
    }
    Ok(())
}

/// The locations of the players of a match, in the format of the store.
pub(super) fn places(meta: &Meta) -> Vec<Place> {
    let place = |seat: &SeatMeta| {
        let remote = seat.kind == SeatKind::Remote;
        Place { address: remote.then(|| seat.player.clone()), repeats: !remote || seat.repeats }
    };
    meta.seats.iter().map(place).collect()
}

/// Messages to remote players carry whole seconds. Nothing is rounded, because a player that is
/// sent a longer clock than it has would be late.
pub(super) fn check_clocks(meta: &Meta) -> Result<(), ApiError> {
    let remote = meta.seats.iter().any(|seat| seat.kind == SeatKind::Remote);
    let broken = |ms: Option<u64>| ms.is_some_and(|ms| ms % 1000 != 0 || ms == 0);
    if remote && (broken(meta.start_ms) || broken(meta.play_ms)) {
        let what = "clocks of matches with remote players must be whole seconds";
        return Err(ApiError::invalid("clock", what));
    }
    Ok(())
}

/// Why a match cannot be resumed after a restart: a player may have received a request, and would
/// not recognise a duplicate.
pub(super) fn unsure(stored: &StoredMatch) -> Option<String> {
    let repeats = |seat: usize| stored.places.get(seat).is_some_and(|place| place.repeats);
    let key = stored.outstanding.iter().find(|key| !repeats(key.seat))?;
    Some(format!(
        "the server was restarted: seat {} may have received {} of turn {} and does not recognise \
         repetition",
        key.seat + 1,
        key.kind.name(),
        key.turn
    ))
}

/// How a player is informed that its match is over.
#[derive(Debug)]
pub(super) enum Farewell {
    /// Through its thread.
    Thread(AgentThread),
    /// By a separate message, because its thread is busy or belonged to an earlier process.
    Message(RemoteSource),
}

impl Farewell {
    fn say(self, view: &View, outcome: &[Option<f64>]) {
        match self {
            Farewell::Thread(mut thread) => thread.finish(view, outcome),
            Farewell::Message(remote) => remote.dismiss(view, outcome),
        }
    }
}

impl Live {
    /// Whether the match is waiting for a person and keeps one of these remote players from other
    /// matches.
    pub fn waits_with(&self, players: &[String]) -> bool {
        let core = self.lock();
        let (seats, pending) = (&core.meta.seats, core.current.pending());
        let person = |seat: usize| seats[seat].kind == SeatKind::Person;
        let remote =
            |seat: &SeatMeta| seat.kind == SeatKind::Remote && players.contains(&seat.player);
        pending.iter().any(|one| person(one.seat)) && seats.iter().any(remote)
    }

    /// Ends the match if a remote player would not recognise it after a restart of the server.
    pub fn suspend(self: &Arc<Self>) -> Result<(), ApiError> {
        let lost = |seat: &SeatMeta| seat.kind == SeatKind::Remote && !seat.repeats;
        if self.is_over() || !self.lock().meta.seats.iter().any(lost) {
            return Ok(());
        }
        self.end("the server was stopped, and a remote player cannot be asked again")
    }

    /// Informs the players that the match is over. If some are remote, this is stored once all of
    /// them know, so that they are informed again if the server stops before that.
    pub(super) fn dismiss(self: &Arc<Self>, core: &mut Core) {
        let farewells = std::mem::take(&mut core.farewells);
        let engaged = core.engaged.take();
        // Without a result the players get ABORT.
        let over = core.current.end() == Some(MatchEnd::Terminal);
        let outcome = core.current.outcome().filter(|_| over).unwrap_or_default().to_vec();
        let mut tasks = Vec::new();
        for (seat, farewell) in farewells {
            let view = core.current.view(core.seats[seat].role).clone();
            let outcome = outcome.clone();
            tasks.push(self.hub.handle.spawn_blocking(move || farewell.say(&view, &outcome)));
        }
        let remote = core.meta.has_remote();
        let (live, id) = (Arc::clone(self), self.id.clone());
        self.hub.handle.spawn(async move {
            for task in tasks {
                let _ = task.await;
            }
            drop(engaged);
            if !remote {
                return;
            }
            if let Err(error) = live.hub.store.append(vec![Entry::Dismissed { id }]).await {
                tracing::warn!(id = live.id, %error, "the end of a match could not be stored");
            }
        });
    }

    /// How the player of a seat is informed of the end, if it is a program that knows the match.
    pub(super) fn farewell(&self, core: &mut Core, seat: usize) -> Option<Farewell> {
        if let Some(thread) = core.seats[seat].thread.take() {
            return Some(Farewell::Thread(thread));
        }
        let remote_seat = core.meta.seats[seat].kind == SeatKind::Remote;
        if !remote_seat || !core.seats[seat].started {
            return None;
        }
        let made = remote(&self.hub, &self.open, &self.id, &core.meta, seat);
        made.ok().map(Farewell::Message)
    }
}
