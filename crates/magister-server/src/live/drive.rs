//! The driver of a match: questions to players, their answers, turns.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use magister_arena::{AgentThread, TimeControl};
use magister_core::{Answer, FaultKind, PlayerKind, PlayerSource, Said, Stop};
use magister_store::{AnswerBody, Entry, RequestKey, RequestKind, StepBody, Store as _};

use super::remotes::remote;
use super::{Asked, Change, Core, Hub, Live, Meta, Mode, SeatKind, SeatMeta, now_ms, spec};
use crate::ApiError;
use crate::games::OpenGame;
use crate::training::Trainings;

/// How late the answer of a program may be and still count, because the machine may be busy.
const GRACE: Duration = Duration::from_secs(2);
/// The waiting time before the store is tried again.
const RETRY: Duration = Duration::from_secs(5);

/// The clocks of the programs of a match.
pub(super) fn control(hub: &Hub, meta: &Meta, seat: &SeatMeta) -> TimeControl {
    let given = meta.play_ms.map(Duration::from_millis);
    let people = meta.seats.iter().any(|seat| seat.kind == SeatKind::Person);
    // The clock of a match with people is made for people, and may be minutes or a day. A search
    // would use all of it.
    let within = |usual: Duration| match given {
        Some(given) if people => given.min(usual),
        given => given.unwrap_or(usual),
    };
    let time = match seat.kind {
        // A level is limited by iterations; the time is only a bound for very slow games.
        SeatKind::Level => within(hub.limits.level_time),
        SeatKind::Remote => given.unwrap_or(Duration::from_secs(15)),
        SeatKind::Player | SeatKind::Trained => within(hub.limits.player_time),
        SeatKind::Person => given.unwrap_or(hub.limits.player_time),
    };
    let start = meta.start_ms.map(Duration::from_millis);
    let start = start.or((seat.kind == SeatKind::Remote).then_some(Duration::from_secs(10)));
    let iterations = meta.iterations.filter(|_| seat.kind == SeatKind::Player);
    TimeControl { time: Some(time), iterations, start, grace: GRACE }
}

/// The source of the player of a seat; `None` for people.
pub(super) fn source(
    hub: &Hub,
    open: &OpenGame,
    id: &str,
    meta: &Meta,
    number: usize,
) -> Result<Option<Arc<dyn PlayerSource>>, ApiError> {
    let seat = &meta.seats[number];
    Ok(match seat.kind {
        SeatKind::Person => None,
        SeatKind::Level | SeatKind::Player => Some(Arc::new(spec(&seat.player)?)),
        SeatKind::Trained => Some(Arc::new(Trainings::source(hub, &seat.player))),
        SeatKind::Remote => Some(Arc::new(remote(hub, open, id, meta, number)?)),
    })
}

impl Live {
    /// Does everything that is possible without waiting: makes turns that need no decision, asks
    /// players, stores the changes, and notifies viewers.
    pub(super) fn settle(self: &Arc<Self>, core: &mut Core) -> Result<(), ApiError> {
        loop {
            if core.current.end().is_some() {
                break;
            }
            self.answer_for_people(core);
            let waits = core.current.is_paused() || !core.current.pending().is_empty();
            if waits {
                break;
            }
            self.make_turn(core);
        }
        if core.current.end().is_some() && !core.closed {
            core.closed = true;
            self.close(core);
            self.over.store(true, Ordering::Release);
        }
        let questions = self.new_questions(core);
        if let Err(error) = self.flush(core) {
            // No player has been asked yet, so the questions are asked again when the store is
            // retried.
            for seat in questions {
                core.seats[seat].asked = None;
            }
            return Err(error);
        }
        // The last message reports the last move to remote players, so it waits for the store as
        // well.
        if core.closed && !core.dismissed {
            core.dismissed = true;
            self.dismiss(core);
        }
        for seat in questions {
            self.ask(core, seat);
        }
        Ok(())
    }

    /// Makes a turn.
    pub(super) fn make_turn(&self, core: &mut Core) {
        let before = core.current.record().moves.len();
        let chance = self.open.playable.game.info().chance;
        let choosers = core.track.choosers(core.current.turn());
        let chosen = choosers.iter().any(|&role| Some(role) != chance);
        let done = magister::engine::within(self.hub.limits.step, &Stop::never(), |stop| {
            core.current.advance(stop)
        });
        if let Err(error) = done {
            let _ = core.current.break_off(&format!("the rules failed: {error}"));
        }
        // The events of the state machine are not needed, because viewers get positions.
        core.current.take_events();
        core.track.follow(core.current.record());
        let record = core.current.record();
        if record.moves.len() > before && core.current.turn() > 0 {
            let steps = core.stored..record.moves.len();
            core.unsaved.push(Entry::Stepped {
                id: self.id.clone(),
                turn: core.current.turn(),
                from: core.stored,
                steps: steps.map(|at| StepBody::of(record, at)).collect(),
            });
            core.stored = record.moves.len();
            if core.meta.mode == Mode::Standalone {
                let info = self.open.playable.game.info();
                let moves = &record.moves[before];
                let moves = info.players().map(|role| moves[role.index()].clone()).collect();
                core.meta.tree.push(moves, chosen);
            }
            core.unheard.push(Change::Step(core.current.turn()));
            self.hub.metrics.turn();
        }
        for sitting in &mut core.seats {
            sitting.asked = None;
        }
    }

    /// With hidden information people are asked in every turn, because not being asked would reveal
    /// something. A person who knows of only one legal move need not click on it.
    fn answer_for_people(&self, core: &mut Core) {
        if !self.open.is_hidden() || core.current.is_paused() {
            return;
        }
        for pending in core.current.pending() {
            if core.meta.mode == Mode::Standalone {
                // A person who plays all roles knows the state.
                if let ([only], true) = (core.current.legal(pending.role), pending.forced) {
                    let answer = Answer::choice(*only);
                    self.request(core, pending.seat);
                    self.put(core, pending.seat, answer);
                }
                continue;
            }
            if core.meta.seats[pending.seat].kind != SeatKind::Person {
                continue;
            }
            let known = self.knowledge(core, pending.role);
            if let [only] = known.moves[..]
                && core.current.legal(pending.role).contains(&only)
            {
                self.request(core, pending.seat);
                let answer = Answer::choice(only);
                self.put(core, pending.seat, answer);
            }
        }
    }

    fn key(&self, core: &Core, seat: usize) -> RequestKey {
        let turn = core.current.turn();
        RequestKey { id: self.id.clone(), kind: RequestKind::Play, turn, seat }
    }

    fn start_key(&self, core: &Core, seat: usize) -> RequestKey {
        RequestKey { kind: RequestKind::Start, ..self.key(core, seat) }
    }

    fn request(&self, core: &mut Core, seat: usize) {
        let key = self.key(core, seat);
        core.unsaved.push(Entry::Requested(key));
    }

    /// Takes an answer. Returns false if the match was not waiting for it.
    pub(super) fn put(&self, core: &mut Core, seat: usize, answer: Answer) -> bool {
        let role = core.seats[seat].role;
        let time_ms = answer.time.as_secs_f64() * 1e3;
        let key = self.key(core, seat);
        let faults = core.current.record().errors.len();
        if core.current.submit(role, answer).is_err() {
            return false;
        }
        let record = core.current.record();
        let fault = record.errors.get(faults).cloned();
        let choice = record.answers.iter().find(|one| one.seat == seat);
        let choice = choice.map(|one| one.choice.clone());
        core.unsaved.push(Entry::Answered { key, body: AnswerBody { choice, time_ms, fault } });
        core.seats[seat].asked = None;
        true
    }

    /// Ends the match and collects the players that must be informed.
    fn close(&self, core: &mut Core) {
        let record = core.current.record().clone();
        let end = record.end;
        core.unsaved.push(Entry::Ended { record: Box::new(record), at_ms: now_ms() });
        core.unheard.push(Change::End);
        for seat in 0..core.seats.len() {
            core.seats[seat].dismiss();
            if let Some(farewell) = self.farewell(core, seat) {
                core.farewells.push((seat, farewell));
            }
        }
        if !core.meta.has_remote() {
            core.unsaved.push(Entry::Dismissed { id: self.id.clone() });
        }
        self.hub.metrics.ended();
        tracing::debug!(id = self.id, ?end, "match over");
    }

    /// The seats that must be asked and have not been asked yet.
    fn new_questions(&self, core: &mut Core) -> Vec<usize> {
        if core.current.end().is_some() || core.current.is_paused() {
            return Vec::new();
        }
        let (turn, epoch) = (core.current.turn(), core.epoch);
        let mut seats = Vec::new();
        for pending in core.current.pending() {
            let same = |asked: Asked| (asked.turn, asked.epoch) == (turn, epoch);
            if core.seats[pending.seat].asked.is_none_or(|asked| !same(asked)) {
                if core.meta.seats[pending.seat].kind == SeatKind::Remote
                    && !core.seats[pending.seat].started
                {
                    let key = self.start_key(core, pending.seat);
                    core.unsaved.push(Entry::Requested(key));
                }
                self.request(core, pending.seat);
                let asked = Asked { turn, epoch, since: None, ticket: None };
                core.seats[pending.seat].asked = Some(asked);
                seats.push(pending.seat);
            }
        }
        if !seats.is_empty() && !core.unheard.iter().any(|one| matches!(one, Change::Step(_))) {
            core.unheard.push(Change::Clock);
        }
        seats
    }

    /// Makes all changes durable, then notifies viewers.
    pub(super) fn flush(self: &Arc<Self>, core: &mut Core) -> Result<(), ApiError> {
        if !core.unsaved.is_empty() {
            let entries = core.unsaved.clone();
            if let Err(error) = self.hub.handle.block_on(self.hub.store.append(entries)) {
                let live = Arc::clone(self);
                self.hub.handle.spawn(async move {
                    tokio::time::sleep(RETRY).await;
                    let _ = tokio::task::spawn_blocking(move || {
                        let mut core = live.lock();
                        live.settle(&mut core)
                    })
                    .await;
                });
                return Err(error.into());
            }
            core.unsaved.clear();
        }
        for change in std::mem::take(&mut core.unheard) {
            core.rev += 1;
            core.changes.push_back((core.rev, change));
            while core.changes.len() > self.hub.limits.events {
                core.changes.pop_front();
            }
        }
        self.changed.send_replace(core.rev);
        Ok(())
    }

    /// Asks a player.
    fn ask(self: &Arc<Self>, core: &mut Core, seat: usize) {
        let Some(asked) = core.seats[seat].asked else { return };
        let Some(source) = core.seats[seat].source.clone() else {
            self.ask_person(core, seat, asked);
            return;
        };
        let role = core.seats[seat].role;
        let view = core.current.view(role).clone();
        let (rng, start_rng) = (core.current.agent_rng(role), core.current.start_rng(role));
        let thread = core.seats[seat].thread.take();
        let control = control(&self.hub, &core.meta, &core.meta.seats[seat]);
        let remote = source.capabilities().kind == PlayerKind::Remote;
        let starts = !core.seats[seat].started && control.start.is_some();
        core.seats[seat].started = true;
        let game = Arc::clone(&self.open.playable.game);
        let live = Arc::clone(self);
        let stop = Stop::new();
        core.seats[seat].search = Some(stop.clone());
        let warm = Arc::clone(&self.open);
        let few = matches!(core.meta.seats[seat].player.as_str(), "beginner" | "easy" | "random");
        let work = move || {
            if !live.began(seat, asked) {
                return;
            }
            // Vectors for playouts are created before the clock starts, for players that make many
            // playouts.
            if !few {
                let _ = warm.playable.warm_up_within(Duration::from_secs(10), &Stop::never());
            }
            let thread = thread.map_or_else(|| AgentThread::new(source, game, role), Ok);
            let (answer, thread) = match thread {
                Ok(mut thread) => {
                    if starts {
                        live.started(seat, &thread.ready(&view, start_rng, &control));
                    }
                    (thread.decide_until(&view, rng, &control, &stop), Some(thread))
                }
                Err(error) => {
                    let what = format!("the player cannot be started: {error}");
                    (Answer::fault(FaultKind::Crash, &what), None)
                }
            };
            live.answered(seat, asked, answer, thread);
        };
        if remote {
            // A remote player does not use our processors.
            self.hub.handle.spawn_blocking(work);
        } else {
            let owner = if core.meta.client.is_empty() { &self.id } else { &core.meta.client };
            let ticket = self.hub.pool.put(owner, work);
            if let Some(asked) = &mut core.seats[seat].asked {
                asked.ticket = Some(ticket);
            }
        }
    }

    fn ask_person(self: &Arc<Self>, core: &mut Core, seat: usize, asked: Asked) {
        if let Some(asked) = &mut core.seats[seat].asked {
            asked.since = Some(Instant::now());
        }
        let Some(time) = core.meta.play_ms.filter(|_| core.meta.mode == Mode::Match) else {
            return;
        };
        let live = Arc::clone(self);
        self.hub.handle.spawn(async move {
            tokio::time::sleep(Duration::from_millis(time)).await;
            let late = move || {
                let what = "the person did not move in time";
                let answer = Answer::fault(FaultKind::Late, what);
                live.answered(seat, asked, answer.after(Duration::from_millis(time)), None);
            };
            let _ = tokio::task::spawn_blocking(late).await;
        });
    }

    /// Records that a search starts, and with it the clock. Returns false if its answer is no
    /// longer needed.
    fn began(&self, seat: usize, asked: Asked) -> bool {
        let mut core = self.lock();
        let Some(current) = &mut core.seats[seat].asked else { return false };
        if (current.turn, current.epoch) != (asked.turn, asked.epoch) {
            return false;
        }
        current.since = Some(Instant::now());
        core.rev += 1;
        let rev = core.rev;
        core.changes.push_back((rev, Change::Clock));
        self.changed.send_replace(rev);
        true
    }

    /// Records that a player is ready, or the reason why it is not.
    fn started(&self, seat: usize, answer: &Answer) {
        let mut core = self.lock();
        let role = core.seats[seat].role;
        let faults = core.current.record().errors.len();
        if let Said::Fault(kind, what) = &answer.said {
            core.current.fault_at_start(role, *kind, what, answer.time);
        }
        if core.meta.seats[seat].kind == SeatKind::Remote {
            let fault = core.current.record().errors.get(faults).cloned();
            let time_ms = answer.time.as_secs_f64() * 1e3;
            let body = AnswerBody { choice: None, time_ms, fault };
            let key = self.start_key(&core, seat);
            // This is stored together with the answer to the first question.
            core.unsaved.push(Entry::Answered { key, body });
        }
    }

    /// Records the answer of a player.
    fn answered(
        self: &Arc<Self>,
        seat: usize,
        asked: Asked,
        answer: Answer,
        thread: Option<AgentThread>,
    ) {
        let mut core = self.lock();
        let over = core.current.end().is_some();
        if core.seats[seat].thread.is_none() && !over {
            core.seats[seat].thread = thread;
        }
        let wanted = core.seats[seat]
            .asked
            .is_some_and(|current| (current.turn, current.epoch) == (asked.turn, asked.epoch));
        if over || !wanted {
            return;
        }
        // A paused match accepts no answers; the player is asked again.
        if core.current.is_paused() {
            core.seats[seat].asked = None;
            return;
        }
        if self.put(&mut core, seat, answer)
            && let Err(error) = self.settle(&mut core)
        {
            tracing::error!(id = self.id, %error, "a move could not be stored");
        }
    }
}
