//! A player for any GGP server.
//!
//! [`GgpPlayer`] answers the messages of a game manager, one match after the other, and
//! [`serve`] puts it on a port. Deciding happens on a thread of its own, so that INFO and ABORT are
//! answered while it thinks.

mod margin;
mod seat;
mod server;
mod slot;
mod thinker;
mod track;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use magister_core::Seed;
use magister_players::Spec;
use magister_protocol::{PlayerInfo, Request, Status};

use margin::Margin;
use seat::{Placed, Seat};
pub use server::{ServeOptions, serve};
use slot::Slot;
use thinker::{Job, Thinker};

/// Clocks above this are taken for it: no one waits a week for a move.
const LONGEST: u64 = 7 * 24 * 3600;

/// How a player plays.
#[derive(Clone, Debug)]
pub struct PlayerOptions {
    /// The name that INFO gives.
    pub name: String,
    /// Who decides; the strongest player for each game if none is named.
    pub agent: Option<Spec>,
    /// The iterations for each move, if they are limited beside the clock.
    pub iterations: Option<u64>,
    /// Where its random numbers come from.
    pub seed: Seed,
}

/// A player that answers the messages of a game manager.
#[derive(Debug)]
pub struct GgpPlayer {
    options: PlayerOptions,
    seat: Mutex<Option<Seat>>,
    margin: Arc<Mutex<Margin>>,
    matches: Mutex<u64>,
    finished: Mutex<u64>,
    /// The last match that was stopped, so that a repeated STOP is answered as the first was.
    over: Mutex<Option<String>>,
}

impl GgpPlayer {
    /// A player that is free.
    pub fn new(options: PlayerOptions) -> Self {
        GgpPlayer {
            options,
            seat: Mutex::default(),
            margin: Arc::default(),
            matches: Mutex::default(),
            finished: Mutex::default(),
            over: Mutex::default(),
        }
    }

    /// How many matches were started.
    pub fn matches(&self) -> u64 {
        *locked(&self.matches)
    }

    /// How many matches came to an end.
    pub fn finished(&self) -> u64 {
        *locked(&self.finished)
    }

    /// The reply to a message that was received at a moment. `step` is the number of turns that a
    /// header of the message gives, if one does. Waits while the player thinks.
    pub fn reply(&self, request: Request, step: Option<u64>, received: Instant) -> String {
        match request {
            Request::Info => self.info(),
            Request::Ping => if self.is_busy(received) { "nil" } else { "ready" }.to_owned(),
            Request::Preview { .. } => {
                if self.is_busy(received) { "busy" } else { "ready" }.to_owned()
            }
            Request::Start { id, role, rules, start, play, .. } => {
                let begun = seat::Begun {
                    id,
                    role,
                    rules,
                    start: Duration::from_secs(start.min(LONGEST)),
                    play: Duration::from_secs(play.min(LONGEST)),
                };
                self.start(begun, received)
            }
            Request::Play { id, news } => self.play(&id, news, step, received),
            Request::Stop { id, news } => self.stop(&id, news, step, received),
            Request::Abort { id } => self.abort(&id),
        }
    }

    fn info(&self) -> String {
        let busy = self.is_busy(Instant::now());
        let status = if busy { Status::Busy } else { Status::Available };
        let name = Some(self.options.name.clone());
        PlayerInfo { name, status, species: Some("computer".to_owned()) }.write()
    }

    fn is_busy(&self, now: Instant) -> bool {
        locked(&self.seat).as_ref().is_some_and(|seat| !seat.is_stale(now))
    }

    fn start(&self, begun: seat::Begun, received: Instant) -> String {
        let ready = {
            let mut held = locked(&self.seat);
            match &*held {
                // The same START again: the first goes on.
                Some(seat) if seat.begun == begun => Arc::clone(&seat.ready),
                Some(seat) if !seat.is_stale(received) && seat.begun.id != begun.id => {
                    return "busy".to_owned();
                }
                Some(seat) if !seat.is_stale(received) && seat.has_played() => {
                    return "busy".to_owned();
                }
                _ => {
                    if let Some(old) = held.take() {
                        tracing::info!(id = old.begun.id, "a match without an end is given up");
                        old.give_up();
                    }
                    let mut count = locked(&self.matches);
                    *count += 1;
                    let seed = self.options.seed.derive_index(*count);
                    let margin = locked(&self.margin).for_start(begun.start);
                    let deadline = received + begun.start.saturating_sub(margin);
                    tracing::info!(
                        id = begun.id, role = %begun.role, start = ?begun.start, play = ?begun.play,
                        "a match begins"
                    );
                    let thinker = Thinker::new(&begun, &self.options, seed, deadline, &self.margin);
                    let seat = Seat::new(begun, thinker, received);
                    let ready = Arc::clone(&seat.ready);
                    *held = Some(seat);
                    ready
                }
            }
        };
        // It is ready when its clock is over, even if it is not done with preparing.
        let until = {
            let held = locked(&self.seat);
            held.as_ref().map_or(received, |seat| {
                let margin = locked(&self.margin).for_start(seat.begun.start);
                received + seat.begun.start.saturating_sub(margin / 2)
            })
        };
        ready.wait(until);
        "ready".to_owned()
    }

    fn play(
        &self,
        id: &str,
        news: magister_protocol::News,
        step: Option<u64>,
        received: Instant,
    ) -> String {
        let (slot, until, fallback) = {
            let mut held = locked(&self.seat);
            let Some(seat) = held.as_mut().filter(|seat| seat.begun.id == id) else {
                return "busy".to_owned();
            };
            seat.heard = received;
            let margin = locked(&self.margin).for_play(seat.begun.play);
            let due = received + seat.begun.play.saturating_sub(margin);
            let slot = match seat.place(news, step) {
                Placed::Repeated(slot) => slot,
                Placed::New { sent, slot } => {
                    let iterations = self.options.iterations;
                    let stop = seat.next_stop();
                    let job = Job::Decide { sent, due, iterations, stop, slot: Arc::clone(&slot) };
                    seat.thinker.put(job);
                    slot
                }
            };
            (slot, received + seat.begun.play.saturating_sub(margin / 3), seat.thinker.fallback())
        };
        if let Some(reply) = slot.wait(until) {
            return reply;
        }
        // The agent overslept. Any legal move is better than none.
        let reply = fallback.get().unwrap_or_else(|| "nil".to_owned());
        tracing::warn!(id, reply, "no decision in time; a legal move is played instead");
        slot.fill(reply)
    }

    fn stop(
        &self,
        id: &str,
        news: magister_protocol::News,
        step: Option<u64>,
        received: Instant,
    ) -> String {
        let mut held = locked(&self.seat);
        let Some(mut seat) = held.take_if(|seat| seat.begun.id == id) else {
            let again = locked(&self.over).as_deref() == Some(id);
            return if again { "done" } else { "busy" }.to_owned();
        };
        drop(held);
        seat.heard = received;
        let sent = match seat.place(news, step) {
            Placed::New { sent, .. } => sent,
            Placed::Repeated(_) => None,
        };
        tracing::info!(id, "the match is over");
        seat.finish(sent);
        *locked(&self.over) = Some(id.to_owned());
        *locked(&self.finished) += 1;
        "done".to_owned()
    }

    fn abort(&self, id: &str) -> String {
        let Some(seat) = locked(&self.seat).take_if(|seat| seat.begun.id == id) else {
            let again = locked(&self.over).as_deref() == Some(id);
            return if again { "aborted" } else { "busy" }.to_owned();
        };
        tracing::info!(id, "the match is aborted");
        seat.give_up();
        *locked(&self.over) = Some(id.to_owned());
        *locked(&self.finished) += 1;
        "aborted".to_owned()
    }
}

/// A lock, even if a thread that held it panicked: what it guards is whole at any time.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The reply to a request whose message cannot be read.
pub(crate) fn complaint(error: &magister_protocol::MessageError) -> String {
    format!("({error})").replace(['`', '\''], "")
}

type SharedSlot = Arc<Slot<String>>;
