//! Matches as state machines.
//!
//! A [`Match`] says which roles must decide, takes their answers, makes the turn and reports
//! events. It has no clock, thread or connection. Those belong to a driver, which may serve agents
//! on threads, people in browsers or programs over HTTP.
//!
//! ```
//! use magister_core::{Answer, Game, Match, Native, Seat, Seed, Setup, Stop};
//! use magister_core::examples::Countdown;
//! use std::sync::Arc;
//!
//! let game: Arc<dyn Game> = Arc::new(Native::new(Countdown(5)));
//! let seats = vec![Seat::new("one"), Seat::new("other")];
//! let mut game_on = Match::new(&game, &Setup::new(Seed::from(1), seats), &Stop::never())?;
//! while game_on.end().is_none() {
//!     for pending in game_on.pending() {
//!         let choice = game_on.legal(pending.role)[0];
//!         game_on.submit(pending.role, Answer::choice(choice))?;
//!     }
//!     game_on.advance(&Stop::never())?;
//! }
//! assert_eq!(game_on.record().rewards, [Some(100.0), Some(0.0)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod event;
mod history;
mod resume;
mod setup;

use std::sync::Arc;
use std::time::Duration;

pub use error::MatchError;
pub use event::Event;
pub use setup::{Answer, Pending, Said, Setup};

use history::{History, MadeTurn};

use crate::draws::{self, pick};
use crate::record::{Fault, FaultKind, MatchEnd, MatchRecord, OpenAnswer, Thoughts, resolve};
use crate::{Game, Halt, Info, Information, Move, Referee, Rng, Role, Seed, Stop, View};

/// The length at which answers are cut in the record.
const SHOWN: usize = 200;

/// A match that is being played.
///
/// The cycle is: ask the [`pending`](Match::pending) roles, [`submit`](Match::submit) their
/// answers, [`advance`](Match::advance). If no role is pending and the match has not ended, the
/// next turn needs no decision, and `advance` makes it. Events are queued until they are
/// [taken](Match::take_events).
///
/// Every random draw has its own seed in each turn (see [`draws`]), so a match that is rebuilt from
/// its record continues exactly as the original would have.
#[derive(Debug)]
pub struct Match {
    referee: Referee,
    seed: Seed,
    thoughts: bool,
    paused: bool,
    /// The moves of the next turn, by seat.
    answers: Vec<Option<Move>>,
    /// The other data of the next turn.
    open: MadeTurn,
    history: History,
    events: Vec<Event>,
    /// The last failure of the rules.
    halt: Option<Halt>,
    /// Whether a turn was made without all silent steps after it.
    unsettled: bool,
}

impl Match {
    /// A match before its first turn, after initial silent steps.
    pub fn new(game: &Arc<dyn Game>, setup: &Setup, stop: &Stop) -> Result<Self, MatchError> {
        let mut new = Match::bare(game, setup, stop)?;
        new.events.push(new.started());
        for step in 0..new.record().moves.len() {
            new.events.push(new.stepped(step, 0));
        }
        new.begin_turn();
        Ok(new)
    }

    /// A match before its first turn, without events.
    fn bare(game: &Arc<dyn Game>, setup: &Setup, stop: &Stop) -> Result<Self, MatchError> {
        let info = game.info();
        let seats = info.players().count();
        if setup.seats.len() != seats {
            return Err(MatchError::Seats { seats, given: setup.seats.len() });
        }
        let referee = Referee::new(Arc::clone(game), setup.seed, stop)?;
        let salt = setup.salt.unwrap_or_else(|| draws::default_salt(&setup.seed));
        let mut new = Match {
            referee,
            seed: setup.seed,
            thoughts: setup.thoughts,
            paused: false,
            answers: vec![None; seats],
            open: MadeTurn { times: vec![0.0; seats], ..MadeTurn::default() },
            history: History::default(),
            events: Vec::new(),
            halt: None,
            unsettled: false,
        };
        let record = &mut new.referee.record;
        record.id.clone_from(&setup.id);
        record.round = setup.round;
        record.salt = salt.to_string();
        record.seed_hash = draws::seed_hash(&setup.seed, &salt);
        record.limits = setup.limits.clone();
        record.players = setup.seats.iter().map(|seat| seat.player.clone()).collect();
        record.seats.clone_from(&setup.seats);
        for (seat, role) in record.seats.iter_mut().zip(info.players()) {
            info.role_name(role).clone_into(&mut seat.role);
        }
        record.times_ms = vec![vec![0.0; seats]; record.moves.len()];
        Ok(new)
    }

    /// The game.
    pub fn game(&self) -> &Arc<dyn Game> {
        self.referee.game()
    }

    /// The record of the match so far. It contains everything; [`MatchRecord::seen_by`] returns the
    /// part that a viewer may see.
    pub fn record(&self) -> &MatchRecord {
        self.referee.record()
    }

    /// Returns the record and drops the match.
    pub fn into_record(self) -> MatchRecord {
        self.referee.into_record()
    }

    /// How the match ended; `None` while it is in progress.
    pub fn end(&self) -> Option<MatchEnd> {
        self.record().end
    }

    /// The results of all roles in role order, once a terminal state is reached.
    pub fn outcome(&self) -> Option<&[Option<f64>]> {
        self.referee.outcome()
    }

    /// Whether the match is paused.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// The number of turns made.
    pub fn turn(&self) -> usize {
        self.history.len()
    }

    /// The view of a role.
    pub fn view(&self, role: Role) -> &View {
        self.referee.view(role)
    }

    /// The legal moves of a role. With hidden information they may reveal more than the role knows,
    /// so they are for checking answers and not for players.
    pub fn legal(&self, role: Role) -> &[Move] {
        self.referee.legal(role)
    }

    /// The legal move of a role with this text.
    pub fn parse(&self, role: Role, text: &str) -> Option<Move> {
        resolve(self.referee.worker(), self.game().text(), role, text).ok()
    }

    /// The generator for the decision of a role in this turn.
    pub fn agent_rng(&self, role: Role) -> Rng {
        draws::agent(&self.seed, role, self.turn())
    }

    /// The generator of a role before the first turn.
    pub fn start_rng(&self, role: Role) -> Rng {
        draws::agent_start(&self.seed, role)
    }

    /// The true state, for the clairvoyant player, which serves as a yardstick. From then on the
    /// record says that this role was clairvoyant.
    pub fn reveal(&mut self, role: Role) -> &[u64] {
        self.referee.reveal(role)
    }

    /// Whether the record keeps the players' thoughts from now on.
    pub fn keep_thoughts(&mut self, keep: bool) {
        self.thoughts = keep;
    }

    /// The events since the last call, in order.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// The roles that must decide before the match can continue. A role with one legal move is
    /// asked only if its seat requires it, or if the game has hidden information, because not being
    /// asked would reveal something.
    pub fn pending(&self) -> Vec<Pending> {
        if self.paused || self.unsettled || self.end().is_some() || self.in_opening() {
            return Vec::new();
        }
        let info = self.info();
        let hidden = info.information == Information::Hidden;
        info.players()
            .enumerate()
            .filter(|&(seat, _)| self.answers[seat].is_none())
            .map(|(seat, role)| Pending { role, seat, forced: self.legal(role).len() <= 1 })
            .filter(|one| !one.forced || hidden || self.record().seats[one.seat].asked_when_forced)
            .collect()
    }

    /// Takes the answer of a pending role. If it is not a legal move, a legal one is drawn and the
    /// fault is recorded, so no answer of a player can end a match.
    pub fn submit(&mut self, role: Role, answer: Answer) -> Result<(), MatchError> {
        self.running()?;
        let asked = self.pending().into_iter().find(|pending| pending.role == role);
        let Some(Pending { seat, .. }) = asked else {
            return Err(MatchError::NotPending(role));
        };
        let (step, turn) = (self.record().moves.len() + 1, self.turn());
        let time_ms = answer.time.as_secs_f64() * 1e3;
        let judged = match answer.said {
            Said::Decision(decision) if self.legal(role).contains(&decision.choice) => {
                Ok((decision.choice, Some(decision)))
            }
            Said::Decision(decision) => {
                Err(illegal(&self.game().text().move_text(decision.choice)))
            }
            Said::Text(text) => match self.parse(role, &text) {
                Some(choice) => Ok((choice, None)),
                None => Err(illegal(&text)),
            },
            Said::Fault(kind, what) if kind.is_mistake() => Err((kind, what, None)),
            Said::Fault(_, what) => Err((FaultKind::Refused, what, None)),
        };
        let choice = match judged {
            Ok((choice, decision)) => {
                let decision = decision.filter(|_| self.thoughts);
                let text = self.game().text();
                let thoughts = decision.map(|one| Thoughts::new(text, step, seat, &one));
                let choice_text = Some(text.move_text(choice));
                self.events.push(Event::Answered {
                    turn,
                    seat,
                    choice: choice_text,
                    time_ms,
                    thoughts: thoughts.clone(),
                });
                self.referee.record.thoughts.extend(thoughts.clone());
                self.open.thoughts.extend(thoughts);
                choice
            }
            Err((kind, what, answer)) => {
                let mut rng = draws::substitute(&self.seed, turn, role);
                let choice = pick(self.legal(role), &mut rng);
                let played = Some(self.game().text().move_text(choice));
                let role = Some(self.info().role_name(role).to_owned());
                let fault = Fault { step, seat: Some(seat), role, kind, what, answer, played };
                self.open.faults.push(fault.clone());
                self.note(fault, time_ms);
                choice
            }
        };
        self.open.times[seat] = time_ms;
        self.answers[seat] = Some(choice);
        let choice = self.game().text().move_text(choice);
        self.referee.record.answers.push(OpenAnswer { seat, choice, time_ms });
        Ok(())
    }

    /// Records a fault of a player before the first turn.
    pub fn fault_at_start(&mut self, role: Role, kind: FaultKind, what: &str, time: Duration) {
        let fault = self.fault(0, Some(role), kind, what.to_owned());
        self.note(fault, time.as_secs_f64() * 1e3);
    }

    /// Makes the turn after all pending roles have answered. If the rules fail, the error says why
    /// and nothing changes: the match runner tries again, or [breaks the match
    /// off](Match::break_off).
    pub fn advance(&mut self, stop: &Stop) -> Result<(), MatchError> {
        self.running()?;
        if let Some(pending) = self.pending().first() {
            return Err(MatchError::Pending(pending.role));
        }
        let made = self.make(stop);
        self.halt = made.clone().err();
        Ok(made?)
    }

    /// Makes the turn and the silent steps after it.
    fn make(&mut self, stop: &Stop) -> Result<(), Halt> {
        if !self.unsettled {
            let turn = self.turn_to_make();
            let before = self.record().moves.len();
            self.referee.advance(&turn.moves, stop)?;
            // The turn counts, even if the silent steps after it could not all be made.
            self.enter(turn, before);
        }
        self.unsettled = true;
        let before = self.record().moves.len();
        let settled = self.referee.settle(stop);
        self.tell_steps(before);
        settled?;
        self.unsettled = false;
        self.begin_turn();
        Ok(())
    }

    /// Takes back a number of choices of a role, with everything that followed. Chance repeats its
    /// moves. The record says that moves were taken back.
    pub fn take_back(&mut self, role: Role, choices: usize, stop: &Stop) -> Result<(), MatchError> {
        let seat = self.may_go(role)?;
        let at = self.history.back(seat, choices).ok_or(MatchError::NoSuchTurn)?;
        let turns = self.history.len() - at;
        self.go(at, stop)?;
        let who = &self.record().players[seat];
        let ending = if turns == 1 { "" } else { "s" };
        let what = format!("{who} took back {turns} turn{ending}");
        let step = self.record().moves.len() + 1;
        let fault = self.fault(step, Some(role), FaultKind::TakenBack, what);
        self.referee.record.errors.push(fault);
        self.went(seat);
        Ok(())
    }

    /// Redoes a number of choices of a role that were taken back.
    pub fn redo(&mut self, role: Role, choices: usize, stop: &Stop) -> Result<(), MatchError> {
        let seat = self.may_go(role)?;
        let at = self.history.forth(seat, choices).ok_or(MatchError::NoSuchTurn)?;
        self.go(at, stop)?;
        self.went(seat);
        Ok(())
    }

    /// How many choices of a role can be taken back, and how many can be redone.
    pub fn reach(&self, role: Role) -> (usize, usize) {
        self.seat(role).map_or((0, 0), |seat| self.history.reach(seat))
    }

    /// Ends the match because the player of a role resigns.
    pub fn resign(&mut self, role: Role) -> Result<(), MatchError> {
        let what = format!("{} resigned", self.player(role));
        self.close(MatchEnd::Resigned, Some(role), what)
    }

    /// Ends the match because the player of a role leaves.
    pub fn leave(&mut self, role: Role) -> Result<(), MatchError> {
        let what = format!("{} quit", self.player(role));
        self.close(MatchEnd::Left, Some(role), what)
    }

    /// Ends the match from outside.
    pub fn abort(&mut self, why: &str) -> Result<(), MatchError> {
        self.close(MatchEnd::Aborted, None, why.to_owned())
    }

    /// Ends the match because it cannot continue. If the rules failed on a joint move, that move
    /// becomes the last one of the record.
    pub fn break_off(&mut self, why: &str) -> Result<(), MatchError> {
        self.unended()?;
        let step = self.record().moves.len() + 1;
        let failed = matches!(self.halt, Some(Halt::Rules(_) | Halt::Limit(_)));
        if let Some(joint) = self.referee.stuck().filter(|_| failed) {
            let text = self.game().text();
            let joint = joint.iter().map(|&choice| text.move_text(choice)).collect();
            let times = std::mem::take(&mut self.open.times);
            let info = self.info();
            let gains =
                (info.payment == crate::Payment::OnTheWay).then(|| vec![0.0; info.roles.len()]);
            let hidden = info.information == Information::Hidden;
            let record = &mut self.referee.record;
            record.moves.push(joint);
            record.percepts.extend(hidden.then_some(None));
            record.gains.extend(gains);
            record.times_ms.push(times);
        }
        self.close_at(step, MatchEnd::BrokenOff, None, why.to_owned());
        Ok(())
    }

    /// Pauses the match: no role is asked until it is resumed.
    pub fn pause(&mut self) -> Result<(), MatchError> {
        self.running()?;
        self.paused = true;
        self.events.push(Event::Paused);
        Ok(())
    }

    /// Continues a paused match.
    pub fn resume(&mut self) -> Result<(), MatchError> {
        self.unended()?;
        if !self.paused {
            return Err(MatchError::NotPaused);
        }
        self.paused = false;
        self.events.push(Event::Resumed { turn: self.turn() });
        self.ask();
        Ok(())
    }

    fn info(&self) -> &Info {
        self.referee.game().info()
    }

    fn seat(&self, role: Role) -> Option<usize> {
        self.info().players().position(|one| one == role)
    }

    fn player(&self, role: Role) -> &str {
        let name = self.seat(role).and_then(|seat| self.record().players.get(seat));
        name.map_or("no one", String::as_str)
    }

    /// Whether the next turn is one of the random opening, in which no role decides.
    pub fn in_opening(&self) -> bool {
        self.turn() < self.record().limits.opening as usize
    }

    fn unended(&self) -> Result<(), MatchError> {
        self.end().map_or(Ok(()), |end| Err(MatchError::Ended(end)))
    }

    fn running(&self) -> Result<(), MatchError> {
        self.unended()?;
        if self.paused { Err(MatchError::Paused) } else { Ok(()) }
    }

    /// The seat of a role that may take moves back: during the match, and after its regular end.
    fn may_go(&self, role: Role) -> Result<usize, MatchError> {
        match self.end() {
            None | Some(MatchEnd::Terminal) => {}
            Some(end) => return Err(MatchError::Ended(end)),
        }
        self.seat(role).ok_or(MatchError::NotPending(role))
    }

    fn fault(&self, step: usize, role: Option<Role>, kind: FaultKind, what: String) -> Fault {
        let name = role.map(|role| self.info().role_name(role).to_owned());
        let seat = role.and_then(|role| self.seat(role));
        Fault { step, seat, role: name, kind, what, answer: None, played: None }
    }

    /// Records a fault and queues its event.
    fn note(&mut self, fault: Fault, time_ms: f64) {
        self.referee.record.errors.push(fault.clone());
        self.events.push(Event::Faulted { turn: self.turn(), fault, time_ms });
    }

    /// The turn that results from the answers so far.
    fn turn_to_make(&self) -> MadeTurn {
        let opening = self.in_opening();
        let only = |role| self.legal(role).first().copied().unwrap_or(Move::IDLE);
        let mut moves: Vec<Move> = self.info().all_roles().map(only).collect();
        let mut choosers = Vec::new();
        for (seat, role) in self.info().players().enumerate() {
            if opening {
                let mut rng = draws::opening(&self.seed, self.turn(), role);
                moves[role.index()] = pick(self.legal(role), &mut rng);
            } else {
                choosers.extend((self.legal(role).len() > 1).then_some(seat));
                moves[role.index()] = self.answers[seat].unwrap_or(moves[role.index()]);
            }
        }
        MadeTurn { moves, choosers, ..self.open.clone() }
    }

    /// Records a turn that the referee has made.
    fn enter(&mut self, turn: MadeTurn, before: usize) {
        let record = &mut self.referee.record;
        record.times_ms.push(turn.times.clone());
        self.history.push(turn);
        self.clear_turn();
        self.tell_steps(before);
    }

    /// Clears the answers for the next turn.
    fn clear_turn(&mut self) {
        self.answers.fill(None);
        self.referee.record.answers.clear();
        self.open = MadeTurn { times: vec![0.0; self.answers.len()], ..MadeTurn::default() };
    }

    /// Queues events for the steps after `before`; steps without recorded times get zero.
    fn tell_steps(&mut self, before: usize) {
        let seats = self.answers.len();
        let record = &mut self.referee.record;
        record.times_ms.resize(record.moves.len(), vec![0.0; seats]);
        for step in before..self.record().moves.len() {
            self.events.push(self.stepped(step, self.turn()));
        }
    }

    /// Replays the match from the start to a given number of turns.
    fn go(&mut self, at: usize, stop: &Stop) -> Result<(), MatchError> {
        let mut referee = Referee::new(Arc::clone(self.game()), self.seed, stop)?;
        let mut turns = self.history.clone();
        turns.go(at);
        let seats = self.answers.len();
        let mut times = vec![vec![0.0; seats]; referee.record().moves.len()];
        let mut faults = Vec::new();
        let mut thoughts = Vec::new();
        for turn in turns.made() {
            referee.advance(&turn.moves, stop)?;
            referee.settle(stop)?;
            times.push(turn.times.clone());
            times.resize(referee.record().moves.len(), vec![0.0; seats]);
            faults.extend(turn.faults.iter().cloned());
            thoughts.extend(turn.thoughts.iter().cloned());
        }
        // Entries that belong to no turn remain.
        let old = &self.referee.record;
        let kept =
            old.errors.iter().filter(|fault| fault.step == 0 || fault.kind == FaultKind::TakenBack);
        let mut errors: Vec<Fault> = kept.cloned().collect();
        errors.extend(faults);
        errors.sort_by_key(|fault| fault.step);
        let new = referee.record;
        referee.record = MatchRecord {
            moves: new.moves,
            percepts: new.percepts,
            gains: new.gains,
            silent: new.silent,
            rewards: new.rewards,
            end: new.end,
            errors,
            times_ms: times,
            thoughts,
            answers: Vec::new(),
            ..old.clone()
        };
        self.referee = referee;
        self.history = turns;
        self.unsettled = false;
        self.clear_turn();
        Ok(())
    }

    /// Queues the event that the match went to another turn.
    fn went(&mut self, seat: usize) {
        let (turn, step) = (self.turn(), Some(self.record().moves.len()));
        self.events.push(Event::TakenBack { seat, turn, step });
        self.begin_turn();
    }

    /// Asks for the next turn, or ends the match if there is none.
    fn begin_turn(&mut self) {
        let turns = self.turn();
        if self.end().is_some() {
            self.events.push(self.ended());
        } else if turns >= self.record().limits.max_steps as usize {
            let what = format!("the match was broken off after {turns} turns");
            let step = self.record().moves.len() + 1;
            self.close_at(step, MatchEnd::BrokenOff, None, what);
        } else {
            self.ask();
        }
    }

    fn ask(&mut self) {
        let turn = self.turn();
        let asked = self.pending().into_iter().map(|one| Event::Asked { turn, seat: one.seat });
        let asked: Vec<Event> = asked.collect();
        self.events.extend(asked);
    }

    fn close(&mut self, end: MatchEnd, role: Option<Role>, what: String) -> Result<(), MatchError> {
        self.unended()?;
        self.close_at(self.record().moves.len() + 1, end, role, what);
        Ok(())
    }

    fn close_at(&mut self, step: usize, end: MatchEnd, role: Option<Role>, what: String) {
        self.clear_turn();
        if let Some(kind) = end.fault() {
            let fault = self.fault(step, role, kind, what);
            self.note(fault, 0.0);
        }
        self.referee.record.end = Some(end);
        self.events.push(self.ended());
    }

    fn started(&self) -> Event {
        let record = self.record();
        Event::Started {
            id: record.id.clone(),
            game: record.game.clone(),
            rules_hash: record.rules_hash.clone(),
            roles: record.roles.clone(),
            players: record.players.clone(),
            seats: record.seats.clone(),
            limits: record.limits.clone(),
            seed_hash: record.seed_hash.clone(),
        }
    }

    fn stepped(&self, at: usize, turn: usize) -> Event {
        let record = self.record();
        let percepts = record.percepts.get(at).cloned().flatten().unwrap_or_default();
        Event::Stepped {
            step: at + 1,
            turn,
            tick: !record.silent.contains(&(at + 1)),
            moves: record.moves[at].iter().cloned().map(Some).collect(),
            percepts: percepts.into_iter().map(Some).collect(),
            gains: record.gains.get(at).cloned().unwrap_or_default(),
        }
    }

    fn ended(&self) -> Event {
        let record = self.record();
        Event::Ended {
            end: record.end.unwrap_or(MatchEnd::Unknown),
            rewards: record.rewards.clone(),
            seed: record.seed.clone(),
            salt: record.salt.clone(),
        }
    }
}

/// The fault of an answer that is not a legal move.
fn illegal(text: &str) -> (FaultKind, String, Option<String>) {
    let shown: String = text.chars().take(SHOWN).collect();
    let dots = if shown.len() < text.len() { "..." } else { "" };
    (FaultKind::Illegal, format!("`{shown}{dots}` is not legal here"), Some(shown))
}

impl From<Halt> for MatchError {
    fn from(halt: Halt) -> Self {
        MatchError::Halt(halt)
    }
}
