//! A player on a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use magister_core::{Agent, Budget, Decision, Halt, Rng, Stop, View};

use crate::clock::{Limits, margin};

/// Makes a player, and makes it again after it has crashed.
pub type Maker = Arc<dyn Fn() -> Box<dyn Agent> + Send + Sync>;

/// Searches recurse; deep games need room.
const STACK: usize = 64 << 20;

/// A player at the table. It thinks on a thread of its own, so that one that does not answer
/// holds up nobody for longer than its clock. Such a thread ends when what it computes looks at
/// the flag of its budget, which everything does that may take long.
pub struct Seat {
    questions: Sender<Question>,
    answers: Receiver<(u64, Answer)>,
    asked: u64,
    /// Whether an answer to an older question is still to come.
    behind: bool,
}

struct Question {
    number: u64,
    view: View,
    budget: Budget,
    first: bool,
}

/// What a player said.
#[derive(Debug)]
pub struct Answer {
    /// The decision, or why there is none.
    pub said: Result<Decision, Silence>,
    /// How long it thought.
    pub took: Duration,
}

/// Why a player did not decide.
#[derive(Debug)]
pub enum Silence {
    /// It could not.
    Halt(Halt),
    /// It came to grief; the text says how.
    Crash(String),
    /// It took too long.
    Late,
}

impl Seat {
    /// Seats a player, with the random numbers it may use.
    pub fn new(maker: Maker, rng: Rng) -> std::io::Result<Self> {
        let (questions, asked) = mpsc::channel::<Question>();
        let (answer, answers) = mpsc::channel();
        thread::Builder::new().name("player".to_owned()).stack_size(STACK).spawn(move || {
            let mut player = Player { agent: maker(), maker, rng };
            while let Ok(question) = asked.recv() {
                let number = question.number;
                if answer.send((number, player.answer(question))).is_err() {
                    return;
                }
            }
        })?;
        Ok(Seat { questions, answers, asked: 0, behind: false })
    }

    /// Lets the player think before the first move.
    pub fn ready(&mut self, view: &View, limits: &Limits) -> Answer {
        let start = Limits { time: limits.start, ..*limits };
        self.ask(view, &start, true)
    }

    /// Asks for a move.
    pub fn decide(&mut self, view: &View, limits: &Limits) -> Answer {
        self.ask(view, limits, false)
    }

    fn ask(&mut self, view: &View, limits: &Limits, first: bool) -> Answer {
        let begun = Instant::now();
        let late = |begun: Instant| Answer { said: Err(Silence::Late), took: begun.elapsed() };
        let mut time = limits.time;
        if self.behind {
            // The clock runs while the player is still busy with an older question.
            if self.receive(self.asked, time).is_none() {
                return late(begun);
            }
            self.behind = false;
            time = time.map(|time| time.saturating_sub(begun.elapsed()));
        }
        self.asked += 1;
        let stop = Stop::new();
        let due = time.map(|time| time.saturating_sub(margin(time)));
        let budget = limits.budget(due, &stop);
        let question = Question { number: self.asked, view: view.clone(), budget, first };
        if self.questions.send(question).is_err() {
            let said = Err(Silence::Crash("its thread has ended".to_owned()));
            return Answer { said, took: begun.elapsed() };
        }
        // Its clock tells the player that the time is over; the flag ends what it is in the middle
        // of. Where there is hardly any time, it may still see where it is, or it knows no move.
        let flag = due.map(|due| due.max(limits.grace / 4));
        let answer = self.receive(self.asked, flag).or_else(|| {
            stop.set();
            let end = limits.time.unwrap_or_default() + limits.grace;
            let left = end.saturating_sub(begun.elapsed());
            // An answer that was ready in time counts, even if this thread wakes up late.
            self.receive(self.asked, Some(left.max(Duration::from_millis(1))))
        });
        match answer {
            None => {
                self.behind = true;
                late(begun)
            }
            Some(answer) if limits.time.is_some_and(|time| answer.took > time + limits.grace) => {
                Answer { said: Err(Silence::Late), took: answer.took }
            }
            Some(answer) => answer,
        }
    }

    /// The answer to a question, if it comes within the time.
    fn receive(&self, number: u64, time: Option<Duration>) -> Option<Answer> {
        loop {
            let answer = match time {
                None => self.answers.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(time) => self.answers.recv_timeout(time),
            };
            match answer {
                Ok((to, answer)) if to == number => return Some(answer),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return None,
                Err(RecvTimeoutError::Disconnected) => {
                    let said = Err(Silence::Crash("its thread has ended".to_owned()));
                    return Some(Answer { said, took: Duration::ZERO });
                }
            }
        }
    }
}

impl std::fmt::Debug for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seat").field("asked", &self.asked).finish_non_exhaustive()
    }
}

struct Player {
    agent: Box<dyn Agent>,
    maker: Maker,
    rng: Rng,
}

impl Player {
    fn answer(&mut self, question: Question) -> Answer {
        let Question { view, mut budget, first, .. } = question;
        let begun = Instant::now();
        let Self { agent, rng, .. } = self;
        let decide = AssertUnwindSafe(|| {
            if first {
                let ready = agent.ready(&view, &mut budget, rng);
                ready.map(|()| magister_core::Move::IDLE.into())
            } else {
                agent.decide(&view, &mut budget, rng)
            }
        });
        let said = match catch_unwind(decide) {
            Ok(Ok(decision)) => Ok(decision),
            Ok(Err(halt)) => Err(Silence::Halt(halt)),
            Err(panic) => {
                // What it was in the middle of is lost; a new one starts from the view.
                self.agent = (self.maker)();
                let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                Err(Silence::Crash(text.unwrap_or_else(|| "without a word".to_owned())))
            }
        };
        Answer { said, took: begun.elapsed() }
    }
}
