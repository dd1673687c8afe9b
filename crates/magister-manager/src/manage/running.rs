//! The progress of one match.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use magister_arena::AgentThread;
use magister_core::{
    Answer, FaultKind, Match, MatchEnd, MatchError, MatchRecord, Pending, Role, Said, Seed, Stop,
};
use magister_store::{AnswerBody, Entry, RequestKey, RequestKind, StepBody, Store};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::{Manager, ManagerError, Order, Point, SeatOrder};
use crate::address::PlayerAddress;
use crate::network::{FAREWELL, Network};
use crate::session::{Clocks, Session};
use crate::wire::Scramble;

/// A match that is being played.
pub(super) struct RunningMatch<'a, N, S> {
    manager: &'a Manager<N, S>,
    order: Order,
    current: Match,
    seats: Vec<Sitting>,
    /// Entries that become durable together with the next one.
    entries: Vec<Entry>,
    /// The number of steps in the store.
    stored: usize,
    abort: watch::Receiver<bool>,
    /// The seats that have not been sent START yet.
    unstarted: Vec<usize>,
    /// When the last byte of the last answer arrived.
    answered: Option<Instant>,
}

/// A player in its seat.
struct Sitting {
    role: Role,
    session: Session,
    local: Option<AgentThread>,
}

/// The reply of a player.
struct Heard {
    seat: usize,
    answer: Answer,
    /// When the last byte arrived.
    at: Instant,
    local: Option<AgentThread>,
}

/// Milliseconds since 1970.
pub(super) fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as i64
}

impl<'a, N: Network, S: Store> RunningMatch<'a, N, S> {
    /// A match from its beginning.
    pub(super) fn begin(
        manager: &'a Manager<N, S>,
        order: Order,
        abort: watch::Receiver<bool>,
    ) -> Result<Self, ManagerError> {
        let current = Match::new(&order.game, &order.setup(), &Stop::never())?;
        let mut running = RunningMatch::new(manager, order, current, abort)?;
        running.unstarted = (0..running.seats.len()).collect();
        let record = Box::new(running.current.record().clone());
        let places = running.order.seats.iter().map(SeatOrder::place).collect();
        let rules = running.order.rules.clone();
        let tournament = running.order.tournament.clone();
        running.stored = record.moves.len();
        let manner = Some(running.order.manner.to_text());
        let begun = Entry::Begun { record, places, rules, tournament, manner, at_ms: now_ms() };
        running.entries.push(begun);
        manager.metrics.started();
        Ok(running)
    }

    /// A match that continues from a record. START is sent to the `unstarted` seats.
    pub(super) fn resume(
        manager: &'a Manager<N, S>,
        order: Order,
        current: Match,
        unstarted: Vec<usize>,
        abort: watch::Receiver<bool>,
    ) -> Result<Self, ManagerError> {
        let mut running = RunningMatch::new(manager, order, current, abort)?;
        running.unstarted = unstarted;
        running.stored = running.current.record().moves.len();
        Ok(running)
    }

    fn new(
        manager: &'a Manager<N, S>,
        order: Order,
        current: Match,
        abort: watch::Receiver<bool>,
    ) -> Result<Self, ManagerError> {
        let clocks = Clocks::new(Some(order.start), Some(order.play));
        // All players of a match see the same scrambled names, and a resumed match keeps them.
        let scramble = order.manner.scramble.then(|| {
            let mut rng = order.seed.derive("scramble").rng();
            Scramble::new(&order.wire, &mut rng)
        });
        let info = order.game.info();
        let mut seats = Vec::new();
        for (number, (role, seat)) in info.players().zip(&order.seats).enumerate() {
            let name = info.role_name(role);
            let who = (role, name);
            let id = order.id_of(number);
            let mut session =
                Session::new(&id, &order.wire, who, clocks, order.manner, scramble.clone());
            // Addresses in a simulation have no protocol.
            if let SeatOrder::Remote { address, .. } = seat
                && let Ok(address) = address.parse::<PlayerAddress>()
            {
                session = session.at(&address).map_err(ManagerError::Refused)?;
            }
            let local = match seat {
                SeatOrder::Remote { .. } => None,
                SeatOrder::Local(source) => {
                    let game = Arc::clone(&order.game);
                    let thread = AgentThread::new(Arc::clone(source), game, role);
                    Some(thread.map_err(|_| ManagerError::Closed)?)
                }
            };
            let receiver = match seat {
                SeatOrder::Remote { name, .. } => name.clone(),
                SeatOrder::Local(source) => source.name(),
            };
            seats.push(Sitting { role, session: session.to(&receiver), local });
        }
        Ok(RunningMatch {
            manager,
            order,
            current,
            seats,
            entries: Vec::new(),
            stored: 0,
            abort,
            unstarted: Vec::new(),
            answered: None,
        })
    }

    /// Plays the match to its end.
    pub(super) async fn run(mut self) -> Result<MatchRecord, ManagerError> {
        tracing::debug!(id = self.order.id, game = self.order.game.info().name, "match");
        if self.current.end().is_none() && !self.unstarted.is_empty() {
            self.start().await?;
        }
        while self.current.end().is_none() {
            self.turn().await?;
        }
        self.finish().await
    }

    fn key(&self, kind: RequestKind, seat: usize) -> RequestKey {
        RequestKey { id: self.order.id.clone(), kind, turn: self.current.turn(), seat }
    }

    /// Makes all progress durable, and then passes on the events.
    async fn commit(&mut self) -> Result<(), ManagerError> {
        let entries = std::mem::take(&mut self.entries);
        if !entries.is_empty() {
            self.manager.pass(Point::BeforeCommit);
            self.manager.store.append(entries).await?;
            self.manager.pass(Point::BetweenCommitAndSend);
        }
        let events = self.current.take_events();
        if let Some(observer) = &self.manager.observer {
            events.iter().for_each(|event| observer(&self.order.id, event));
        }
        Ok(())
    }

    /// Sends START to all players.
    async fn start(&mut self) -> Result<(), ManagerError> {
        let seats = std::mem::take(&mut self.unstarted);
        for &seat in &seats {
            let key = self.key(RequestKind::Start, seat);
            self.entries.push(Entry::Requested(key));
        }
        self.commit().await?;
        let Some(heard) = self.ask(&seats, RequestKind::Start).await else {
            return self.aborted();
        };
        for Heard { seat, answer, .. } in heard {
            let before = self.current.record().errors.len();
            let role = self.seats[seat].role;
            let fault = match &answer.said {
                Said::Fault(kind, what) => Some((*kind, what.clone())),
                Said::Text(text) if self.seats[seat].session.is_busy(text) => {
                    Some((FaultKind::Refused, "the player is busy".to_owned()))
                }
                _ => None,
            };
            if let Some((kind, what)) = fault {
                self.current.fault_at_start(role, kind, &what, answer.time);
                self.manager.metrics.fault(kind);
            }
            let fault = self.current.record().errors.get(before).cloned();
            let time_ms = answer.time.as_secs_f64() * 1e3;
            let body = AnswerBody { choice: None, time_ms, fault };
            let key = self.key(RequestKind::Start, seat);
            self.entries.push(Entry::Answered { key, body });
        }
        Ok(())
    }

    /// One turn: sends PLAY to all players that must decide, and makes the step.
    async fn turn(&mut self) -> Result<(), ManagerError> {
        let pending = self.current.pending();
        for Pending { seat, .. } in &pending {
            let key = self.key(RequestKind::Play, *seat);
            self.entries.push(Entry::Requested(key));
        }
        self.commit().await?;
        let seats: Vec<usize> = pending.iter().map(|one| one.seat).collect();
        let Some(heard) = self.ask(&seats, RequestKind::Play).await else {
            return self.aborted();
        };
        let last = heard.iter().map(|one| one.at).max();
        for Heard { seat, answer, .. } in heard {
            let answer = self.read(seat, answer);
            self.enter(seat, answer);
        }
        self.advance().await;
        let record = self.current.record();
        let steps: Vec<StepBody> =
            (self.stored..record.moves.len()).map(|at| StepBody::of(record, at)).collect();
        let (id, turn, from) = (self.order.id.clone(), self.current.turn(), self.stored);
        self.stored = record.moves.len();
        if !steps.is_empty() {
            self.entries.push(Entry::Stepped { id, turn, from, steps });
        }
        self.manager.metrics.turn();
        self.answered = last;
        Ok(())
    }

    /// Records the answer of a seat.
    fn enter(&mut self, seat: usize, answer: Answer) {
        let role = self.seats[seat].role;
        let time_ms = answer.time.as_secs_f64() * 1e3;
        let key = self.key(RequestKind::Play, seat);
        let before = self.current.record().errors.len();
        if self.current.submit(role, answer).is_err() {
            return;
        }
        let record = self.current.record();
        let fault = record.errors.get(before).cloned();
        if let Some(fault) = &fault {
            self.manager.metrics.fault(fault.kind);
            tracing::debug!(id = self.order.id, seat, kind = %fault.kind, "fault");
        }
        let choice = record.answers.iter().find(|one| one.seat == seat);
        let choice = choice.map(|one| one.choice.clone());
        self.entries.push(Entry::Answered { key, body: AnswerBody { choice, time_ms, fault } });
    }

    /// Makes the step. If the rules take too long, the match ends.
    async fn advance(&mut self) {
        let made = if self.manager.settings.offload && self.is_slow() {
            self.advance_elsewhere().await
        } else {
            self.current.advance(&Stop::never())
        };
        if let Err(error) = made {
            let what = format!("the match was broken off: {error}");
            let _ = self.current.break_off(&what);
        }
    }

    /// Whether a step may take long, as in games that are not compiled to gates.
    fn is_slow(&self) -> bool {
        self.order.game.info().moves.is_none()
    }

    async fn advance_elsewhere(&mut self) -> Result<(), MatchError> {
        let stop = Stop::new();
        let patience = self.manager.settings.patience;
        let alarm = stop.clone();
        let watch = tokio::spawn(async move {
            tokio::time::sleep(patience).await;
            alarm.set();
        });
        let spare = Match::new(&self.order.game, &self.order.setup(), &Stop::never())?;
        let mut current = std::mem::replace(&mut self.current, spare);
        let done = tokio::task::spawn_blocking(move || {
            let made = current.advance(&stop);
            (current, made)
        });
        let result = done.await;
        watch.abort();
        match result {
            Ok((current, made)) => {
                self.current = current;
                made
            }
            Err(_) => Err(MatchError::Halt(magister_core::Halt::Stopped)),
        }
    }

    /// Asks players in parallel. `None` if the match is aborted in the meantime.
    async fn ask(&mut self, seats: &[usize], kind: RequestKind) -> Option<Vec<Heard>> {
        let mut asked = JoinSet::new();
        if let Some(since) = self.answered.take() {
            self.manager.metrics.overhead(since);
        }
        for &seat in seats {
            self.ask_one(&mut asked, seat, kind);
        }
        let mut heard = Vec::new();
        loop {
            tokio::select! {
                biased;
                changed = self.abort.changed() => {
                    if changed.is_err() || *self.abort.borrow() {
                        return None;
                    }
                }
                one = asked.join_next() => match one {
                    None => break,
                    Some(Ok(mut one)) => {
                        let Heard { seat, local, .. } = &mut one;
                        if let Some(thread) = local.take() {
                            self.seats[*seat].local = Some(thread);
                        }
                        heard.push(one);
                    }
                    Some(Err(_)) => {}
                },
            }
        }
        // A task that panicked counts as a crash of its player.
        for &seat in seats {
            if !heard.iter().any(|one| one.seat == seat) {
                let answer = Answer::fault(FaultKind::Crash, "the player could not be asked");
                heard.push(Heard { seat, answer, at: Instant::now(), local: None });
            }
        }
        heard.sort_by_key(|one| one.seat);
        Some(heard)
    }

    fn ask_one(&mut self, asked: &mut JoinSet<Heard>, seat: usize, kind: RequestKind) {
        let sitting = &mut self.seats[seat];
        let view = self.current.view(sitting.role);
        let begun = Instant::now();
        match &self.order.seats[seat] {
            SeatOrder::Local(_) => {
                let Some(mut thread) = sitting.local.take() else { return };
                let (view, control) = (view.clone(), self.order.control());
                let rng = match kind {
                    RequestKind::Start => self.current.start_rng(sitting.role),
                    RequestKind::Play => self.current.agent_rng(sitting.role),
                };
                asked.spawn(async move {
                    let ask = move || {
                        let answer = match kind {
                            RequestKind::Start => thread.ready(&view, rng, &control),
                            RequestKind::Play => thread.decide(&view, rng, &control),
                        };
                        (thread, answer)
                    };
                    // Agents compute, so they do not run on the threads of the runtime.
                    match tokio::task::spawn_blocking(ask).await {
                        Ok((thread, answer)) => {
                            Heard { seat, answer, at: Instant::now(), local: Some(thread) }
                        }
                        Err(_) => Heard {
                            seat,
                            answer: Answer::fault(FaultKind::Crash, "the player crashed"),
                            at: Instant::now(),
                            local: None,
                        },
                    }
                });
            }
            SeatOrder::Remote { address, .. } => {
                let session = &sitting.session;
                let (message, clock, step) = match kind {
                    RequestKind::Start => (session.start(), self.order.start, None),
                    RequestKind::Play => {
                        let step = view.turns().len();
                        (session.play(view), self.order.play, Some(step))
                    }
                };
                self.manager.metrics.request(kind);
                let headers = session.headers("", step);
                let network = Arc::clone(&self.manager.network);
                let (address, deadline) = (address.clone(), begun + clock + self.order.grace);
                if kind == RequestKind::Play
                    && session.may_be_silent()
                    && let &[only] = self.current.legal(sitting.role)
                {
                    asked.spawn(async move {
                        // The next message must not overtake this one, so the player gets the time
                        // of a move.
                        network.notify(&address, headers, message, deadline).await;
                        let (answer, at) = (Answer::choice(only), Instant::now());
                        Heard { seat, answer: answer.after(at - begun), at, local: None }
                    });
                    return;
                }
                asked.spawn(async move {
                    let reply = network.exchange(&address, headers, message, deadline).await;
                    let at = Instant::now();
                    let said = match reply {
                        Ok(text) => Said::Text(text),
                        Err(error) => error.into(),
                    };
                    Heard { seat, answer: Answer { said, time: at - begun }, at, local: None }
                });
            }
        }
    }

    /// Ends the match from outside.
    fn aborted(&mut self) -> Result<(), ManagerError> {
        Ok(self.current.abort("the match was aborted")?)
    }

    /// Makes the end durable and reports it to all players.
    async fn finish(mut self) -> Result<MatchRecord, ManagerError> {
        let record = Box::new(self.current.record().clone());
        let end = record.end;
        self.entries.push(Entry::Ended { record: record.clone(), at_ms: now_ms() });
        self.commit().await?;
        self.manager.metrics.ended(end.unwrap_or(MatchEnd::Unknown));
        self.dismiss().await;
        let id = self.order.id.clone();
        self.manager.store.append(vec![Entry::Dismissed { id }]).await?;
        tracing::debug!(id = self.order.id, ?end, "match over");
        Ok(*record)
    }

    /// Sends STOP or ABORT to all players.
    pub(super) async fn dismiss(&mut self) {
        let over = self.current.end() == Some(MatchEnd::Terminal);
        let outcome = self.current.outcome().unwrap_or_default().to_vec();
        let mut sent = JoinSet::new();
        for (sitting, seat) in self.seats.iter_mut().zip(&self.order.seats) {
            let view = self.current.view(sitting.role).clone();
            match seat {
                SeatOrder::Local(_) => {
                    if let Some(mut thread) = sitting.local.take() {
                        let outcome = outcome.clone();
                        sent.spawn(async move {
                            let farewell = move || thread.finish(&view, &outcome);
                            let _ = tokio::task::spawn_blocking(farewell).await;
                        });
                    }
                }
                SeatOrder::Remote { address, .. } => {
                    let session = &sitting.session;
                    let message = if over { session.stop(&view) } else { session.abort() };
                    let headers = session.headers("", over.then_some(view.turns().len()));
                    let network = Arc::clone(&self.manager.network);
                    let address = address.clone();
                    sent.spawn(async move {
                        let deadline = Instant::now() + FAREWELL;
                        let _ = network.exchange(&address, headers, message, deadline).await;
                    });
                }
            }
        }
        while sent.join_next().await.is_some() {}
    }

    /// The reply of a remote player with the original words.
    fn read(&self, seat: usize, answer: Answer) -> Answer {
        match answer.said {
            Said::Text(text) => {
                let turns = self.current.view(self.seats[seat].role).turns().len();
                let said = self.seats[seat].session.answer(&text, turns);
                Answer { said, time: answer.time }
            }
            said => Answer { said, time: answer.time },
        }
    }
}

/// A seed for a match that was given none: fresh entropy, so that it cannot be guessed.
pub fn fresh_seed() -> Seed {
    use std::hash::{BuildHasher as _, Hasher as _};
    let mut seed = Seed::from(now_ms() as u64);
    for _ in 0..4 {
        // The standard library seeds its hashers from the entropy of the system.
        let word = std::hash::RandomState::new().build_hasher().finish();
        seed = seed.derive_index(word);
    }
    seed
}
