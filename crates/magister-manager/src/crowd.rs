//! Players that keep a ledger of the messages they receive.
//!
//! They verify a manager: in the simulation, under load, and when it is killed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use magister_core::text::find_move;
use magister_core::{Game, Information, MatchRecord, Role, Seed, Step, Stop, draws};
use magister_protocol::http::{HttpLimits, HttpReader, Kind, write_reply};
use magister_protocol::{News, Request, Term};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The content of the messages to a player about one turn, as text, by match, role and turn.
type Ledger = BTreeMap<(String, String, u64), String>;

/// Players of one game that choose legal moves at random and keep a ledger of the messages they
/// receive. A player whose name ends in `-repeats` recognises duplicate messages; for any other
/// player, a duplicate message violates an invariant.
pub struct Crowd {
    game: Arc<dyn Game>,
    seed: Seed,
    hidden: bool,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    /// When the last answer of a match was sent, until the next request arrives.
    answered: BTreeMap<String, Instant>,
    overheads: Vec<Duration>,
    seats: BTreeMap<(String, String), Sitting>,
    ledger: Ledger,
    broken: Option<String>,
}

/// A player in a match.
struct Sitting {
    role: String,
    /// Its replies, by the number of turns before them.
    replies: BTreeMap<u64, String>,
}

impl std::fmt::Debug for Crowd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Crowd").finish_non_exhaustive()
    }
}

impl Crowd {
    /// Players of a game.
    pub fn new(game: &Arc<dyn Game>, seed: Seed) -> Self {
        let hidden = game.info().information == Information::Hidden;
        Crowd { game: Arc::clone(game), seed, hidden, held: Mutex::default() }
    }

    /// The first violation of an invariant that a player observed.
    pub fn verdict(&self) -> Result<(), String> {
        self.locked().broken.clone().map_or(Ok(()), Err)
    }

    /// The number of turns that were sent to players.
    pub fn sent_turns(&self) -> usize {
        self.locked().ledger.len()
    }

    /// How long the players of a match waited, from the last answer of a turn to the first byte of
    /// the next request, in the order of the requests. Only players that are
    /// [served](serve_crowd) measure it.
    pub fn overheads(&self) -> Vec<Duration> {
        self.locked().overheads.clone()
    }

    /// Records that a request of a match arrived at this time. The first one after an answer ends
    /// the overhead.
    fn requested(&self, id: &str, at: Instant) {
        let mut held = self.locked();
        if let Some(answered) = held.answered.remove(id) {
            held.overheads.push(at.saturating_duration_since(answered));
        }
    }

    /// Records that an answer of a match is about to be sent.
    fn answered(&self, id: &str) {
        self.locked().answered.insert(id.to_owned(), Instant::now());
    }

    /// Checks a match that has ended: it follows the rules, and its record contains everything that
    /// was sent to players.
    pub fn judge(&self, record: &MatchRecord) -> Result<(), String> {
        record.replay(&*self.game, &Stop::never()).map_err(|error| error.to_string())?;
        let id = record.id.as_deref().unwrap_or_default();
        let sent: Vec<(String, u64, String)> = {
            let held = self.locked();
            let from = (id.to_owned(), String::new(), 0);
            let of = held.ledger.range(from..).take_while(|((match_id, ..), _)| match_id == id);
            of.map(|((_, role, turn), text)| (role.clone(), *turn, text.clone())).collect()
        };
        for (role, turn, sent) in sent {
            let stored = self
                .stored(record, &role, turn)
                .ok_or_else(|| format!("{role} was sent {sent} of turn {turn}, which is lost"))?;
            if !Term::read(&stored).is_ok_and(|term| term.to_string() == sent) {
                return Err(format!("{role} was sent {sent} of turn {turn}; stored is {stored}"));
            }
        }
        Ok(())
    }

    /// What was sent to a role about a turn, according to a record.
    fn stored(&self, record: &MatchRecord, role: &str, turn: u64) -> Option<String> {
        let at = (turn as usize).checked_sub(1)?;
        let joint = record.moves.get(at)?;
        if !self.hidden {
            return Some(format!("({})", joint.join(" ")));
        }
        let role = self.game.info().role(role)?.index();
        let all = record.percepts.get(at).and_then(Option::as_ref);
        let mut percepts = all.and_then(|all| all.get(role)).cloned().unwrap_or_default();
        percepts.sort();
        Some(format!("({} ({}))", joint[role], percepts.join(" ")))
    }

    /// Restarts a player, which then has no memory of its matches. The ledger remains.
    pub fn restart(&self, address: &str) {
        self.locked().seats.retain(|(place, _), _| place != address);
    }

    /// Removes a match that has been checked.
    pub fn forget(&self, id: &str) {
        let mut held = self.locked();
        held.seats.retain(|(_, match_id), _| match_id != id);
        let from = (id.to_owned(), String::new(), 0);
        let keys: Vec<_> = held
            .ledger
            .range(from..)
            .map(|(key, _)| key.clone())
            .take_while(|key| key.0 == id)
            .collect();
        for key in keys {
            held.ledger.remove(&key);
        }
    }

    fn locked(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The reply of a player to a message. `step` is the number of turns in a header.
    pub fn hear(&self, address: &str, message: &str, step: Option<u64>) -> String {
        let mut held = self.locked();
        let request = match Request::read(message) {
            Ok(request) => request,
            Err(error) => {
                held.broken.get_or_insert(format!("a player got `{message}`: {error}"));
                return "nil".to_owned();
            }
        };
        let id = request.match_id().unwrap_or_default().to_owned();
        let place = (address.to_owned(), id.clone());
        let repeats = address.ends_with("-repeats");
        match request {
            Request::Start { role, .. } => {
                let role = role.to_string();
                let known = held.seats.contains_key(&place);
                if known && !repeats {
                    held.broken.get_or_insert(format!("{address} got START of {id} twice"));
                }
                held.seats.entry(place).or_insert(Sitting { role, replies: BTreeMap::new() });
                "ready".to_owned()
            }
            Request::Play { news, .. } => self.play(&mut held, &place, &news, step, repeats),
            Request::Stop { news, .. } => {
                if let Some(sitting) = held.seats.get(&place) {
                    let role = sitting.role.clone();
                    note(&mut held, &id, &role, &news, step);
                }
                "done".to_owned()
            }
            Request::Abort { .. } => "aborted".to_owned(),
            Request::Info | Request::Ping | Request::Preview { .. } => "ready".to_owned(),
        }
    }

    fn play(
        &self,
        held: &mut Held,
        place: &(String, String),
        news: &News,
        step: Option<u64>,
        repeats: bool,
    ) -> String {
        let (address, id) = place;
        let turn = match news {
            News::Turn { turn, .. } => *turn,
            News::First => 0,
            News::Terms(_) => step.unwrap_or(0),
        };
        // START was lost, so the player does not know the match.
        let Some(sitting) = held.seats.get(place) else { return "busy".to_owned() };
        let role = sitting.role.clone();
        if let Some(before) = sitting.replies.get(&turn).cloned() {
            if !repeats {
                let what = format!("{address} got PLAY {turn} of {id} twice");
                held.broken.get_or_insert(what);
            }
            note(held, id, &role, news, step);
            return before;
        }
        note(held, id, &role, news, step);
        let seed = self.seed.derive(id).derive(&role).derive_index(turn);
        let reply = if self.hidden {
            // Blind Tic-Tac-Toe: any cell, sometimes one that is no longer legal.
            let mut rng = seed.rng();
            self.guess(held, id, &role, &mut rng)
        } else {
            self.choose(held, id, &role, turn, &seed)
        };
        if let Some(sitting) = held.seats.get_mut(place) {
            sitting.replies.insert(turn, reply.clone());
        }
        reply
    }

    /// A legal move in the current state of the match, as far as the messages to players determine
    /// it.
    fn choose(&self, held: &Held, id: &str, role: &str, turn: u64, seed: &Seed) -> String {
        let (info, text) = (self.game.info(), self.game.text());
        let Some(role) = info.role(role) else { return "nil".to_owned() };
        let mut worker = self.game.worker();
        worker.reset();
        for turn in 1..=turn {
            let sent = info.all_roles().find_map(|role| {
                let name = info.role_name(role).to_owned();
                held.ledger.get(&(id.to_owned(), name, turn))
            });
            let Some(Ok(Term::List(joint))) = sent.map(|text| Term::read(text)) else {
                return "lost".to_owned();
            };
            let moves: Option<Vec<_>> = info
                .all_roles()
                .zip(&joint)
                .map(|(role, term)| find_move(&*self.game, &*worker, role, &term.to_string()))
                .collect();
            let stepped = moves
                .is_some_and(|moves| worker.step(&moves, &mut Step::new(), &Stop::never()).is_ok());
            if !stepped {
                return "lost".to_owned();
            }
        }
        text.move_text(draws::pick(worker.legal(role), &mut seed.rng()))
    }

    /// One of the moves of the initial state that the player has not made.
    fn guess(&self, held: &Held, id: &str, role: &str, rng: &mut magister_core::Rng) -> String {
        let Some(role) = self.game.info().role(role) else { return "nil".to_owned() };
        let made = self.made(held, id, role);
        let mut worker = self.game.worker();
        worker.reset();
        let text = self.game.text();
        let all: Vec<String> =
            worker.legal(role).iter().map(|&choice| text.move_text(choice)).collect();
        let free: Vec<&String> = all.iter().filter(|text| !made.contains(text)).collect();
        match free.len() {
            0 => "nothing".to_owned(),
            count => free[rng.below(count as u64) as usize].clone(),
        }
    }

    /// The moves that a player made, according to the messages it received.
    fn made(&self, held: &Held, id: &str, role: Role) -> Vec<String> {
        let name = self.game.info().role_name(role);
        let from = (id.to_owned(), name.to_owned(), 0);
        let mine =
            held.ledger.range(from..).take_while(|((of, who, _), _)| of == id && who == name);
        let own = |text: &String| Some(Term::read(text).ok()?.as_list()?.first()?.to_string());
        mine.filter_map(|(_, text)| own(text)).collect()
    }
}

/// Records a message to a player. No player may receive two different messages about one turn.
fn note(held: &mut Held, id: &str, role: &str, news: &News, step: Option<u64>) {
    let (turn, text) = match news {
        News::First | News::Turn { turn: 0, .. } => return,
        News::Terms(joint) => (step.unwrap_or(0), Term::List(joint.clone()).to_string()),
        News::Turn { turn, own, percepts } => {
            let own = own.clone().unwrap_or_else(|| Term::atom("nil"));
            let both = Term::List(vec![own, Term::List(percepts.clone())]);
            (*turn, both.to_string())
        }
    };
    let key = (id.to_owned(), role.to_owned(), turn);
    let known = held.ledger.entry(key).or_insert_with(|| text.clone());
    if *known != text {
        let what = format!("{role} of {id} was sent {known} and then {text} of turn {turn}");
        held.broken.get_or_insert(what);
    }
}

/// Serves the players of a crowd on a port until the task is aborted. The header `Receiver`
/// identifies the player. `wait` determines the delay of each reply.
pub async fn serve_crowd(
    crowd: Arc<Crowd>,
    listener: tokio::net::TcpListener,
    wait: impl Fn() -> Duration + Send + Sync + 'static,
) {
    let wait = Arc::new(wait);
    while let Ok((stream, _)) = listener.accept().await {
        let (crowd, wait) = (Arc::clone(&crowd), Arc::clone(&wait));
        tokio::spawn(async move {
            let _ = answer(&crowd, stream, wait()).await;
        });
    }
}

async fn answer(crowd: &Crowd, mut stream: TcpStream, wait: Duration) -> std::io::Result<()> {
    let mut reader = HttpReader::new(Kind::Request, HttpLimits::default());
    let mut buffer = [0; 8 << 10];
    let wrong = |error| std::io::Error::new(std::io::ErrorKind::InvalidData, error);
    let mut first = None;
    loop {
        let count = stream.read(&mut buffer).await?;
        first.get_or_insert_with(Instant::now);
        if count == 0 || reader.feed(&buffer[..count]).map_err(wrong)? {
            break;
        }
    }
    let message = reader.finish().map_err(wrong)?;
    let name = message.header("receiver").unwrap_or_default().to_owned();
    let step = message.header("GGP-Match-Step").and_then(|step| step.parse().ok());
    let id = message.header("GGP-Match-ID").unwrap_or_default().to_owned();
    crowd.requested(&id, first.unwrap_or_else(Instant::now));
    let reply = crowd.hear(&name, &message.text(), step);
    tokio::time::sleep(wait).await;
    crowd.answered(&id);
    stream.write_all(&write_reply(&reply)).await?;
    stream.shutdown().await
}
