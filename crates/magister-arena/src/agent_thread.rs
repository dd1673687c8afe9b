//! An agent on its own thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use magister_core::{
    Agent, Answer, Budget, FaultKind, Game, Move, PlayerSource, Rng, Role, Said, Stop, View,
};

use crate::clock::{TimeControl, margin};

/// Searches recurse, so deep games need a large stack.
const STACK: usize = 64 << 20;

/// How long an agent may take to process the result of a match.
const FAREWELL: Duration = Duration::from_millis(500);

/// An agent that is created and thinks on its own thread, so that an agent that does not answer
/// delays the match only until its time is up. Such a thread ends when its computation checks the
/// stop flag of its budget, as every long computation does.
pub struct AgentThread {
    questions: Sender<Question>,
    answers: Receiver<(u64, Answer)>,
    asked: u64,
    /// Whether an answer to an earlier question is still outstanding.
    behind: bool,
    /// How long to wait for such an answer if there is no clock; used only once.
    patience: Duration,
}

struct Question {
    number: u64,
    task: Task,
}

/// A task for an agent.
enum Task {
    /// Create the agent.
    Exist,
    /// Create the agent and let it prepare, until the flag is set.
    Prepare(Stop),
    /// Think before the first turn.
    Ready(View, Budget, Rng),
    Decide(View, Budget, Rng),
    Finish(View, Vec<Option<f64>>),
}

impl AgentThread {
    /// Starts a thread on which the source creates a player for this role of this game.
    pub fn new(
        source: Arc<dyn PlayerSource>,
        game: Arc<dyn Game>,
        role: Role,
    ) -> std::io::Result<Self> {
        let (questions, asked) = mpsc::channel::<Question>();
        let (answer, answers) = mpsc::channel();
        thread::Builder::new().name("player".to_owned()).stack_size(STACK).spawn(move || {
            let mut held = Held { source, game, role, agent: None };
            while let Ok(Question { number, task }) = asked.recv() {
                let begun = Instant::now();
                let said = held.perform(task);
                if answer.send((number, Answer { said, time: begun.elapsed() })).is_err() {
                    return;
                }
            }
        })?;
        let patience = Duration::from_mins(1);
        Ok(AgentThread { questions, answers, asked: 0, behind: false, patience })
    }

    /// Waits until the agent is created, up to a time limit. If it was not, the fault says why.
    pub fn create(&mut self, patience: Duration) -> Answer {
        self.begin(Task::Exist, &Stop::never(), patience)
    }

    /// Waits until the agent is created and [prepared](magister_core::Agent::prepare), up to a time
    /// limit.
    pub fn prepare(&mut self, patience: Duration) -> Answer {
        let stop = Stop::new();
        self.begin(Task::Prepare(stop.clone()), &stop, patience)
    }

    fn begin(&mut self, task: Task, stop: &Stop, patience: Duration) -> Answer {
        self.patience = patience;
        let begun = Instant::now();
        if let Some(gone) = self.put(task) {
            return gone;
        }
        self.receive(self.asked, Some(patience)).unwrap_or_else(|| {
            stop.set();
            self.behind = true;
            let what = format!("the player was not ready within {patience:?}");
            Answer::fault(FaultKind::Late, &what).after(begun.elapsed())
        })
    }

    /// Lets the agent think before the first move.
    pub fn ready(&mut self, view: &View, rng: Rng, control: &TimeControl) -> Answer {
        let start = TimeControl { time: control.start, ..*control };
        self.ask(&start, &Stop::new(), |budget| Task::Ready(view.clone(), budget, rng))
    }

    /// Asks for a move.
    pub fn decide(&mut self, view: &View, rng: Rng, control: &TimeControl) -> Answer {
        self.decide_until(view, rng, control, &Stop::new())
    }

    /// Asks for a move. An agent that does not exist yet is created and prepared first, before the
    /// clock starts. The holder of a copy of the flag can end the search early, for example because
    /// the answer is no longer needed.
    pub fn decide_until(
        &mut self,
        view: &View,
        rng: Rng,
        control: &TimeControl,
        stop: &Stop,
    ) -> Answer {
        if self.asked == 0 {
            // A failure is reported with the decision.
            let _ = self.prepare(self.patience);
        }
        self.ask(control, stop, |budget| Task::Decide(view.clone(), budget, rng))
    }

    /// Reports the end of the match to the agent, and waits briefly.
    pub fn finish(&mut self, view: &View, outcome: &[Option<f64>]) {
        let gone = self.put(Task::Finish(view.clone(), outcome.to_vec()));
        if gone.is_none() && !self.behind {
            let _ = self.receive(self.asked, Some(FAREWELL));
        }
    }

    /// Sends a task. Returns an answer at once if the thread is gone.
    fn put(&mut self, task: Task) -> Option<Answer> {
        self.asked += 1;
        let sent = self.questions.send(Question { number: self.asked, task });
        sent.is_err().then(|| Answer::fault(FaultKind::Crash, "the thread of the player has ended"))
    }

    fn ask(
        &mut self,
        control: &TimeControl,
        stop: &Stop,
        task: impl FnOnce(Budget) -> Task,
    ) -> Answer {
        let begun = Instant::now();
        let late = |begun: Instant| {
            Answer::fault(FaultKind::Late, "the answer did not come in time").after(begun.elapsed())
        };
        let mut time = control.time;
        if self.behind {
            // The clock runs while the agent is still busy with an earlier question.
            let wait = time.unwrap_or_else(|| std::mem::take(&mut self.patience));
            if self.receive(self.asked, Some(wait)).is_none() {
                return late(begun);
            }
            self.behind = false;
            time = time.map(|time| time.saturating_sub(begun.elapsed()));
        }
        let due = time.map(|time| time.saturating_sub(margin(time)));
        if let Some(gone) = self.put(task(control.budget(due, stop))) {
            return gone;
        }
        // The budget's clock informs the agent that its time is up; the flag ends its current
        // computation. Even with hardly any time, the agent may still determine its position,
        // because otherwise it would know no move.
        let flag = due.map(|due| due.max(control.grace / 4));
        let answer = self.receive(self.asked, flag).or_else(|| {
            stop.set();
            let end = control.time.unwrap_or_default() + control.grace;
            let left = end.saturating_sub(begun.elapsed());
            // An answer that was ready in time counts, even if this thread wakes up late.
            self.receive(self.asked, Some(left.max(Duration::from_millis(1))))
        });
        match answer {
            None => {
                self.behind = true;
                late(begun)
            }
            Some(answer) if control.time.is_some_and(|time| answer.time > time + control.grace) => {
                late(begun).after(answer.time)
            }
            Some(answer) => answer,
        }
    }

    /// The answer to a question, if it arrives in time.
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
                    let what = "the thread of the player has ended";
                    return Some(Answer::fault(FaultKind::Crash, what));
                }
            }
        }
    }
}

impl std::fmt::Debug for AgentThread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentThread").field("asked", &self.asked).finish_non_exhaustive()
    }
}

/// The agent on its thread, and how to create it again.
struct Held {
    source: Arc<dyn PlayerSource>,
    game: Arc<dyn Game>,
    role: Role,
    agent: Option<Box<dyn Agent>>,
}

impl Held {
    /// Performs a task, whatever happens to the agent. After a crash, the current task is lost, and
    /// a new agent starts from the view.
    fn perform(&mut self, task: Task) -> Said {
        match catch_unwind(AssertUnwindSafe(|| self.attempt(task))) {
            Ok(said) => said,
            Err(panic) => {
                self.agent = None;
                let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                let how = text.unwrap_or_else(|| "without a message".to_owned());
                Said::Fault(FaultKind::Crash, format!("the player crashed: {how}"))
            }
        }
    }

    fn attempt(&mut self, task: Task) -> Said {
        let done = |()| Said::Decision(Move::IDLE.into());
        let agent = match &mut self.agent {
            Some(agent) => agent,
            // No agent is created only to receive the result.
            None if matches!(task, Task::Finish(..)) => return done(()),
            None => match self.source.make(&self.game, self.role) {
                Ok(agent) => self.agent.insert(agent),
                Err(error) => return Said::Fault(error.kind(), error.to_string()),
            },
        };
        match task {
            Task::Exist => done(()),
            Task::Prepare(stop) => {
                let view = View::new(Arc::clone(&self.game), self.role);
                // An error here occurs again at the first move, where it is reported.
                let _ = agent.prepare(&view, &stop);
                done(())
            }
            Task::Ready(view, mut budget, mut rng) => {
                agent.start(&view, &mut budget, &mut rng).map_or_else(|said| said, done)
            }
            Task::Decide(view, mut budget, mut rng) => agent.answer(&view, &mut budget, &mut rng),
            Task::Finish(view, outcome) => {
                agent.finish(&view, &outcome);
                done(())
            }
        }
    }
}
