//! A player for any GGP server.
//!
//! [`GgpPlayer`] answers the messages of a game manager, one match after the other, and [`serve`]
//! puts it on a port. Decisions are made on a separate thread, so that INFO and ABORT are answered
//! while it thinks.

mod envelope;
mod margin;
mod seat;
mod server;
mod slot;
mod thinker;
mod track;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use magister_core::Seed;
use magister_players::Spec;
use magister_protocol::{PlayerInfo, Request, Status};

use margin::Margin;
use seat::{Begun, Message, Placed, Seat};
pub use server::{ServeOptions, serve};
use slot::Slot;
use thinker::{Job, Thinker};

/// The maximum clock; longer ones are reduced to it, because no one waits a week for a move.
const LONGEST: u64 = 7 * 24 * 3600;

/// The settings of a player.
#[derive(Clone, Debug)]
pub struct PlayerOptions {
    /// The name in its reply to INFO.
    pub name: String,
    /// The player that decides; if none is given, the strongest player for each game.
    pub agent: Option<Spec>,
    /// The number of iterations per move, if limited in addition to the clock.
    pub iterations: Option<u64>,
    /// The seed of its random numbers.
    pub seed: Seed,
    /// The maximum number of concurrent matches. It replies `busy` to further ones.
    pub at_once: usize,
}

impl PlayerOptions {
    /// A player of this name that plays one match at a time.
    pub fn new(name: &str, agent: Option<Spec>, seed: Seed) -> Self {
        PlayerOptions { name: name.to_owned(), agent, iterations: None, seed, at_once: 1 }
    }
}

/// A player that answers the messages of a game manager.
#[derive(Debug)]
pub struct GgpPlayer {
    options: PlayerOptions,
    /// The matches that it plays, by name.
    seats: Mutex<BTreeMap<String, Seat>>,
    margin: Arc<Mutex<Margin>>,
    matches: Mutex<u64>,
    finished: Mutex<u64>,
    /// The last matches that were stopped, so that a duplicate STOP gets the same reply as the
    /// first.
    over: Mutex<VecDeque<String>>,
}

impl GgpPlayer {
    /// A player without a match.
    pub fn new(options: PlayerOptions) -> Self {
        GgpPlayer {
            options,
            seats: Mutex::default(),
            margin: Arc::default(),
            matches: Mutex::default(),
            finished: Mutex::default(),
            over: Mutex::default(),
        }
    }

    /// The number of matches that were started.
    pub fn matches(&self) -> u64 {
        *locked(&self.matches)
    }

    /// The number of matches that ended.
    pub fn finished(&self) -> u64 {
        *locked(&self.finished)
    }

    /// The reply to a message that was received at a given time. `step` is the number of turns in a
    /// header of the message, if it has one. Waits while the player thinks.
    pub fn reply(&self, request: Request, step: Option<u64>, received: Instant) -> String {
        match request {
            Request::Info => self.info(),
            Request::Ping => if self.is_busy(received) { "nil" } else { "ready" }.to_owned(),
            Request::Preview { .. } => {
                if self.is_busy(received) { "busy" } else { "ready" }.to_owned()
            }
            Request::Start { id, role, rules, start, play, .. } => {
                self.start(Begun::ggp(id, &role, &rules, (seconds(start), seconds(play))), received)
            }
            Request::Play { id, news } => self.play(&id, Message::Ggp(news, step), received, ()),
            Request::Stop { id, news } => self.stop(&id, Message::Ggp(news, step), received),
            Request::Abort { id } => self.abort(&id),
        }
    }

    fn info(&self) -> String {
        let busy = self.is_busy(Instant::now());
        let status = if busy { Status::Busy } else { Status::Available };
        let name = Some(self.options.name.clone());
        let species = Some("computer".to_owned());
        PlayerInfo { name, status, species, repeats: true }.write()
    }

    fn is_busy(&self, now: Instant) -> bool {
        let seats = locked(&self.seats);
        seats.values().filter(|seat| !seat.is_stale(now)).count() >= self.options.at_once
    }

    fn start(&self, begun: Begun, received: Instant) -> String {
        let (ready, clock) = {
            let mut held = locked(&self.seats);
            match held.get(&begun.id) {
                // A duplicate START: the first one continues.
                Some(seat) if seat.begun == begun => (Arc::clone(&seat.ready), begun.start),
                Some(seat) if !seat.is_stale(received) && seat.has_played() => {
                    return "busy".to_owned();
                }
                _ => {
                    let ends =
                        |id: &String, seat: &mut Seat| *id == begun.id || seat.is_stale(received);
                    for (id, old) in held.extract_if(.., ends) {
                        tracing::info!(id, "a match that did not end is abandoned");
                        old.give_up();
                    }
                    if held.len() >= self.options.at_once {
                        return "busy".to_owned();
                    }
                    let seat = self.seat(begun, received);
                    let (ready, clock) = (Arc::clone(&seat.ready), seat.begun.start);
                    held.insert(seat.begun.id.clone(), seat);
                    (ready, clock)
                }
            }
        };
        // The player replies when its clock runs out, even if its preparation is not complete.
        let margin = locked(&self.margin).for_start(clock);
        ready.wait(received + clock.saturating_sub(margin / 2));
        "ready".to_owned()
    }

    /// A seat in a match that begins.
    fn seat(&self, begun: Begun, received: Instant) -> Seat {
        let mut count = locked(&self.matches);
        *count += 1;
        let seed = self.options.seed.derive_index(*count);
        let margin = locked(&self.margin).for_start(begun.start);
        let deadline = received + begun.start.saturating_sub(margin);
        let (id, role, start, play) = (&begun.id, &begun.role, begun.start, begun.play);
        tracing::info!(id, role, ?start, ?play, "a match begins");
        let thinker = Thinker::new(&begun, &self.options, seed, deadline, &self.margin);
        Seat::new(begun, thinker, received)
    }

    /// `taken` is dropped when the turn is known, before the player decides.
    fn play<T>(&self, id: &str, message: Message, received: Instant, taken: T) -> String {
        let (slot, until, fallback) = {
            let mut held = locked(&self.seats);
            let Some(seat) = held.get_mut(id) else { return "busy".to_owned() };
            seat.heard = received;
            let margin = locked(&self.margin).for_play(seat.begun.play);
            let due = received + seat.begun.play.saturating_sub(margin);
            let slot = match seat.place(message) {
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
        drop(taken);
        if let Some(reply) = slot.wait(until) {
            return reply;
        }
        // The agent missed its deadline. Any legal move is better than none.
        let reply = fallback.get().unwrap_or_else(|| "nil".to_owned());
        tracing::warn!(id, reply, "no decision in time; a legal move is played instead");
        slot.fill(reply)
    }

    fn stop(&self, id: &str, message: Message, received: Instant) -> String {
        let Some(mut seat) = locked(&self.seats).remove(id) else {
            return if self.is_over(id) { "done" } else { "busy" }.to_owned();
        };
        seat.heard = received;
        let sent = match seat.place(message) {
            Placed::New { sent, .. } => sent,
            Placed::Repeated(_) => None,
        };
        tracing::info!(id, "the match is over");
        seat.finish(sent);
        self.note_end(id);
        "done".to_owned()
    }

    fn abort(&self, id: &str) -> String {
        let Some(seat) = locked(&self.seats).remove(id) else {
            return if self.is_over(id) { "aborted" } else { "busy" }.to_owned();
        };
        tracing::info!(id, "the match is aborted");
        seat.give_up();
        self.note_end(id);
        "aborted".to_owned()
    }

    fn is_over(&self, id: &str) -> bool {
        locked(&self.over).iter().any(|known| known == id)
    }

    fn note_end(&self, id: &str) {
        let mut over = locked(&self.over);
        over.push_back(id.to_owned());
        if over.len() > self.options.at_once.max(1) {
            over.pop_front();
        }
        *locked(&self.finished) += 1;
    }
}

/// A clock of a message, as a duration.
fn seconds(clock: u64) -> Duration {
    Duration::from_secs(clock.min(LONGEST))
}

/// A lock, even if a thread that held it panicked: its data is consistent at all times.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The reply to a request whose message cannot be read.
pub(crate) fn complaint(error: &magister_protocol::MessageError) -> String {
    format!("({error})").replace(['`', '\''], "")
}

type SharedSlot = Arc<Slot<String>>;
