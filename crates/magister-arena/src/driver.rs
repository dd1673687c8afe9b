//! The local driver of a match: threads and clocks around the state machine of
//! [`magister_core::Match`].

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use magister_core::{
    Answer, Event, FaultKind, Halt, Information, Match, MatchEnd, MatchError, MatchRecord, Move,
    Pending, PlayerKind, PlayerSource, Rng, Role, Said, Stop, View,
};
use magister_infoset::Determinization;

use crate::agent_thread::AgentThread;
use crate::clock::TimeControl;
use crate::contest::{Asking, Contest};
use crate::person::{Asked, Ended, Person, Wish};
use crate::watchdog::Watchdog;

/// The player on a seat.
enum Asker {
    Agent { thread: AgentThread, remote: bool, clairvoyant: bool, threads: usize },
    Person(Arc<dyn Person>),
}

/// What a person requests instead of a move.
enum Instead {
    Go(Wish),
    Pause,
    Resign,
    Leave,
}

/// A match that is played on this machine.
pub(crate) struct Driver<'a> {
    contest: &'a Contest,
    current: Match,
    askers: Vec<(Role, Asker)>,
    dog: Watchdog,
    observer: &'a mut dyn FnMut(&Event),
}

impl<'a> Driver<'a> {
    pub(crate) fn new(
        contest: &'a Contest,
        players: &[Arc<dyn PlayerSource>],
        begin: impl FnOnce(&Stop) -> Result<Match, MatchError>,
        observer: &'a mut dyn FnMut(&Event),
    ) -> Result<Self, String> {
        let dog = Watchdog::new(contest.patience).map_err(|error| error.to_string())?;
        let game = &contest.game;
        let hidden = game.info().information == Information::Hidden;
        let mut askers = Vec::new();
        for (role, source) in game.info().players().zip(players) {
            let (name, can) = (source.name(), source.capabilities());
            let asker = if can.kind == PlayerKind::Person {
                Asker::Person(contest.person.clone().ok_or_else(|| {
                    format!("{name} is a person, but there is no console to ask people")
                })?)
            } else {
                let thread = AgentThread::new(Arc::clone(source), Arc::clone(game), role);
                Asker::Agent {
                    thread: thread.map_err(|error| {
                        format!("no thread could be started for {name}: {error}")
                    })?,
                    remote: can.kind == PlayerKind::Remote,
                    clairvoyant: hidden && can.clairvoyant,
                    threads: can.threads,
                }
            };
            askers.push((role, asker));
        }
        let started = dog.watch(begin);
        let current = started.map_err(|error| error.to_string())?;
        Ok(Driver { contest, current, askers, dog, observer })
    }

    /// Plays the match to its end.
    pub(crate) fn run(mut self) -> MatchRecord {
        self.tell();
        if self.current.end().is_none() {
            self.prepare();
        }
        loop {
            self.tell();
            match self.current.end() {
                Some(MatchEnd::Terminal) if self.over() => {}
                Some(_) => break,
                None if self.current.is_paused() => break,
                None => self.turn(),
            }
        }
        let outcome = self.current.outcome().unwrap_or_default().to_vec();
        for (role, asker) in &mut self.askers {
            if let Asker::Agent { thread, .. } = asker {
                thread.finish(self.current.view(*role), &outcome);
            }
        }
        self.tell();
        self.current.into_record()
    }

    /// Passes on the new events.
    fn tell(&mut self) {
        for event in self.current.take_events() {
            (self.observer)(&event);
        }
    }

    /// Creates the players, and lets them think before the first turn.
    fn prepare(&mut self) {
        let Driver { contest, current, askers, .. } = self;
        for (role, asker) in askers.iter_mut() {
            let Asker::Agent { thread, .. } = asker else { continue };
            // Players prepare under the start clock, or before the clock of the first move.
            let made = match contest.limits.start {
                Some(_) => thread.create(contest.patience),
                None => thread.prepare(contest.patience),
            };
            if let Said::Fault(kind, what) = made.said {
                current.fault_at_start(*role, kind, &what, made.time);
            }
        }
        if contest.limits.start.is_none() {
            return;
        }
        let mut jobs = Vec::new();
        for (role, asker) in askers.iter_mut() {
            let Asker::Agent { thread, remote, threads, .. } = asker else { continue };
            let (view, rng) = (current.view(*role).clone(), current.start_rng(*role));
            let (remote, threads) = (*remote, *threads);
            jobs.push(Job { role: *role, thread, view, rng, remote, threads, first: true });
        }
        for (role, answer) in contest.ask_all(jobs, None::<fn()>).0 {
            if let Said::Fault(kind, what) = answer.said {
                current.fault_at_start(role, kind, &what, answer.time);
            }
        }
    }

    /// Asks all pending roles, and makes the turn.
    fn turn(&mut self) {
        let pending = self.current.pending();
        if self.current.in_opening() {
            self.show_opening();
        }
        match self.ask(&pending) {
            Ok(answers) => {
                for Pending { role, .. } in pending {
                    let answer = answers.iter().find(|(of, _)| *of == role);
                    let none =
                        || Answer::fault(FaultKind::Crash, "no thread could be started to ask");
                    let answer = answer.map_or_else(none, |(_, answer)| answer.clone());
                    // Only pending roles are asked, so no answer can be refused.
                    let _ = self.current.submit(role, answer);
                }
                let current = &mut self.current;
                if let Err(error) = self.dog.watch(|stop| current.advance(stop)) {
                    self.break_off(&error);
                }
            }
            Err((role, Instead::Go(wish))) => self.go(role, wish),
            Err((_, Instead::Pause)) => drop(self.current.pause()),
            Err((role, Instead::Resign)) => drop(self.current.resign(role)),
            Err((role, Instead::Leave)) => drop(self.current.leave(role)),
        }
    }

    /// Lets remote players follow the random moves of an opening: they expect a message in every
    /// turn, and would otherwise think that the match is in its initial position. Their answers do
    /// not count.
    fn show_opening(&mut self) {
        let Driver { contest, current, askers, .. } = self;
        let mut jobs = Vec::new();
        for (role, asker) in askers.iter_mut() {
            if let Asker::Agent { thread, remote: true, threads, .. } = asker {
                let (view, rng) = (current.view(*role).clone(), current.agent_rng(*role));
                let threads = *threads;
                jobs.push(Job {
                    role: *role,
                    thread,
                    view,
                    rng,
                    remote: true,
                    threads,
                    first: false,
                });
            }
        }
        if !jobs.is_empty() {
            contest.ask_all(jobs, None::<fn()>);
        }
    }

    /// The answers of the pending roles, or a person's other request.
    fn ask(&mut self, pending: &[Pending]) -> Result<Vec<(Role, Answer)>, (Role, Instead)> {
        let Driver { contest, current, askers, .. } = self;
        let mut jobs = Vec::new();
        let mut people = Vec::new();
        for (role, asker) in askers.iter_mut() {
            let role = *role;
            if !pending.iter().any(|one| one.role == role) {
                continue;
            }
            match asker {
                Asker::Person(person) => people.push((role, Arc::clone(person))),
                Asker::Agent { thread, remote, clairvoyant, threads } => {
                    let view = if *clairvoyant {
                        Determinization::view(&contest.game, current.reveal(role), role)
                    } else {
                        current.view(role).clone()
                    };
                    let (rng, remote, threads) = (current.agent_rng(role), *remote, *threads);
                    jobs.push(Job { role, thread, view, rng, remote, threads, first: false });
                }
            }
        }
        let current = &*current;
        let asks_people = !people.is_empty();
        let ask_people = || {
            let mut played = Vec::new();
            for (role, person) in people {
                let (choice, time) = wish(current, &*person, role)?;
                played.push((role, Answer::choice(choice).after(time)));
            }
            Ok(played)
        };
        let (mut answers, wishes) = contest.ask_all(jobs, asks_people.then_some(ask_people));
        answers.extend(wishes.transpose()?.unwrap_or_default());
        Ok(answers)
    }

    /// Takes turns back or redoes them.
    fn go(&mut self, role: Role, wish: Wish) {
        let current = &mut self.current;
        let gone = self.dog.watch(|stop| match wish {
            Wish::Back(count) => current.take_back(role, count, stop),
            Wish::Forth(count) => current.redo(role, count, stop),
            Wish::Play(_) | Wish::Pause | Wish::Resign | Wish::Leave => Ok(()),
        });
        if let Err(error @ MatchError::Halt(_)) = gone {
            self.break_off(&error);
        }
    }

    /// Ends the match because it cannot continue.
    fn break_off(&mut self, error: &MatchError) {
        let name = &self.contest.game.info().name;
        let hint = match error {
            MatchError::Halt(Halt::Rules(_)) => {
                format!("; `magister playable {name}` looks for faults of this kind")
            }
            _ => String::new(),
        };
        let _ = self.current.break_off(&format!("the match was broken off: {error}{hint}"));
    }

    /// Informs the people that the match is over. Returns true if a person takes moves back.
    fn over(&mut self) -> bool {
        for (role, asker) in &self.askers {
            let Asker::Person(person) = asker else { continue };
            let (role, person) = (*role, Arc::clone(person));
            let (back, forth) = self.current.reach(role);
            let asked = Asked { view: self.current.view(role), back, forth, legal: &[] };
            let outcome = self.current.outcome().unwrap_or_default();
            let end = Ended { outcome, record: self.current.record() };
            let wish = person.over(&asked, &end);
            if possible(wish, back, forth) {
                self.go(role, wish);
                return true;
            }
        }
        false
    }
}

/// Whether the requested number of turns can be undone or redone.
fn possible(wish: Wish, back: usize, forth: usize) -> bool {
    match wish {
        Wish::Back(count) => (1..=back).contains(&count),
        Wish::Forth(count) => (1..=forth).contains(&count),
        Wish::Play(_) | Wish::Pause | Wish::Resign | Wish::Leave => false,
    }
}

/// Asks a person until there is a legal move with its time, or another request.
fn wish(
    current: &Match,
    person: &dyn Person,
    role: Role,
) -> Result<(Move, Duration), (Role, Instead)> {
    let begun = Instant::now();
    let (back, forth) = current.reach(role);
    let asked = Asked { view: current.view(role), back, forth, legal: current.legal(role) };
    loop {
        match person.choose(&asked) {
            Wish::Play(choice) if asked.is_legal(choice) => return Ok((choice, begun.elapsed())),
            Wish::Pause => return Err((role, Instead::Pause)),
            Wish::Resign => return Err((role, Instead::Resign)),
            Wish::Leave => return Err((role, Instead::Leave)),
            wish if possible(wish, back, forth) => return Err((role, Instead::Go(wish))),
            _ => {}
        }
    }
}

/// A question to an agent.
struct Job<'a> {
    role: Role,
    thread: &'a mut AgentThread,
    view: View,
    rng: Rng,
    remote: bool,
    threads: usize,
    /// Whether the agent is to think before the first turn.
    first: bool,
}

impl Job<'_> {
    fn run(self, control: &TimeControl) -> (Role, Answer) {
        let answer = if self.first {
            self.thread.ready(&self.view, self.rng, control)
        } else {
            self.thread.decide(&self.view, self.rng, control)
        };
        (self.role, answer)
    }
}

impl Contest {
    /// Asks agents, and runs another task meanwhile if there is one.
    fn ask_all<T>(
        &self,
        jobs: Vec<Job<'_>>,
        meanwhile: Option<impl FnOnce() -> T>,
    ) -> (Vec<(Role, Answer)>, Option<T>) {
        let local: usize = jobs.iter().filter(|job| !job.remote).map(|job| job.threads).sum();
        let together = match self.asking {
            Asking::Fair => local <= self.cores,
            Asking::Together => true,
            Asking::InTurn => false,
        };
        // The jobs of one group run one after the other.
        let mut groups: Vec<Vec<Job<'_>>> = Vec::new();
        let mut in_turn = Vec::new();
        for job in jobs {
            if together || job.remote {
                groups.push(vec![job]);
            } else {
                in_turn.push(job);
            }
        }
        groups.extend((!in_turn.is_empty()).then_some(in_turn));
        let control = &self.limits;
        let ask = move |group: Vec<Job<'_>>| -> Vec<(Role, Answer)> {
            group.into_iter().map(|job| job.run(control)).collect()
        };
        thread::scope(|scope| {
            // A single group needs no thread of its own if there is no other task.
            let alone = groups.len() == 1 && meanwhile.is_none();
            let here = if alone { groups.pop() } else { None };
            let asked: Vec<_> = groups
                .into_iter()
                .filter_map(|group| {
                    thread::Builder::new().spawn_scoped(scope, move || ask(group)).ok()
                })
                .collect();
            let done = meanwhile.map(|work| work());
            let mut answers = here.map(ask).unwrap_or_default();
            for group in asked {
                answers.extend(group.join().unwrap_or_default());
            }
            (answers, done)
        })
    }
}
