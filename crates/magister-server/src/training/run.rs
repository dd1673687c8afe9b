//! The work of a training run, in short pieces.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use magister_arena::{Contest, TimeControl};
use magister_core::{PlayerSource, Seed};
use magister_learn::driver::{Plan, Progress};
use magister_learn::recipe::{Kind, Recipe};
use magister_learn::tuples::TupleChoice;
use magister_learn::{LearnedAgent, Learner, Sight};

use super::{Point, State, Trained};
use crate::games::OpenGame;
use crate::live::Hub;

/// The longest time for which a run keeps a thread.
const PIECE: Duration = Duration::from_millis(500);
/// The number of tests of a run, without the one before the first game.
const TESTS: f64 = 10.0;
/// The number of matches of a test, and the time after which no more of them begin.
const MATCHES: u32 = 40;
const PATIENCE: Duration = Duration::from_secs(2);
/// The time for a move in a test.
const MOVE: Duration = Duration::from_secs(5);
/// The seed of all runs. A run is limited by time, so it is not reproducible anyway.
const SEED: u64 = 1;

/// A run between two pieces of work.
struct Work {
    hub: Arc<Hub>,
    open: Arc<OpenGame>,
    id: String,
    client: String,
    kind: Kind,
    /// The training time in seconds: all of it, and how much has been used.
    seconds: f64,
    spent: f64,
    /// The time of the next test.
    due: f64,
    /// The sum and the number of the errors since the last test.
    errors: (f64, u32),
}

/// Puts a run into the pool.
pub(super) fn start(hub: &Arc<Hub>, open: Arc<OpenGame>, id: &str, client: &str) {
    let Ok(one) = hub.trainings.get(id) else { return };
    let work = Work {
        hub: Arc::clone(hub),
        open,
        id: id.to_owned(),
        client: client.to_owned(),
        kind: one.kind,
        seconds: one.seconds,
        spent: 0.0,
        due: 0.0,
        errors: (0.0, 0),
    };
    hub.pool.put(client, move || work.begin());
}

impl Work {
    fn fail(&self, why: &str) {
        self.hub.trainings.note(&self.hub, &self.id, |one| {
            one.state = State::Failed;
            one.why = Some(why.to_owned());
        });
    }

    /// Prepares the learner, which then moves from one piece of work to the next.
    fn begin(self) {
        self.hub.trainings.note(&self.hub, &self.id, |one| one.state = State::Running);
        match self.learner() {
            Ok(learner) => {
                let weights = learner.header().weights;
                self.hub.trainings.note(&self.hub, &self.id, |one| one.weights = weights);
                self.next(learner);
            }
            Err(why) => self.fail(&why),
        }
    }

    /// The untrained value function: the recommended recipe, or one with smaller tuples if the
    /// recommended one needs more memory than the site allows.
    fn learner(&self) -> Result<Learner, String> {
        let game = &self.open.playable.game;
        let sight = Sight::new(game, true, SEED).map_err(|error| error.to_string())?;
        let recommended = Recipe::recommended(self.kind, game.as_ref(), sight.reading());
        let mut recipes = vec![recommended.clone()];
        if self.kind == Kind::Ntuple {
            let smaller = [
                TupleChoice::Walks { count: 60, length: 6 },
                TupleChoice::Walks { count: 40, length: 4 },
                TupleChoice::Walks { count: 40, length: 2 },
                TupleChoice::Single,
            ];
            recipes
                .extend(smaller.into_iter().map(|tuples| Recipe { tuples, ..recommended.clone() }));
        }
        let mut why = String::new();
        let mut sight = Some(sight);
        for recipe in recipes {
            let Some(seen) = sight.take() else { break };
            let weights = Learner::most_weights(game.as_ref(), &seen, &recipe, SEED);
            match weights.map_err(|error| error.to_string()) {
                Ok(weights) if weights <= self.hub.limits.weights => {
                    return Learner::new(game, seen, recipe, SEED).map_err(|e| e.to_string());
                }
                Ok(weights) => {
                    let most = self.hub.limits.weights;
                    why = format!(
                        "the value function needs {weights} weights, and this site allows {most}"
                    );
                }
                Err(error) => why = error,
            }
            sight = Some(seen);
        }
        Err(why)
    }

    /// Tests if it is time, ends if the time is over, and otherwise puts the next piece into the
    /// pool.
    fn next(mut self, learner: Learner) {
        let over = self.spent >= self.seconds;
        let stopped = self.hub.trainings.is_stopping(&self.id);
        if (self.spent >= self.due || over || stopped)
            && let Err(why) = self.test(&learner)
        {
            return self.fail(&why);
        }
        if over || stopped {
            self.hub.trainings.note(&self.hub, &self.id, |one| {
                one.state = if over { State::Ended } else { State::Stopped };
                one.why = (!over).then(|| "it was stopped".to_owned());
            });
            return;
        }
        let pool = self.hub.pool.clone();
        let client = self.client.clone();
        pool.put(&client, move || self.piece(learner));
    }

    /// Learns for a moment.
    fn piece(mut self, mut learner: Learner) {
        let begun = Instant::now();
        let errors = Mutex::new((0.0, 0_u32));
        let left = Duration::from_secs_f64((self.seconds - self.spent).max(0.0)).min(PIECE);
        let share = |now: &Progress| {
            let mut errors = errors.lock().unwrap_or_else(PoisonError::into_inner);
            // Without a lesson there is no error.
            if now.fresh > 0 && now.error.is_finite() {
                *errors = (errors.0 + now.error, errors.1 + 1);
            }
            let spent = begun.elapsed();
            if spent >= left {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue((self.spent + spent.as_secs_f64()) / self.seconds)
        };
        let plan = Plan {
            games: None,
            before: 0,
            done: self.spent / self.seconds,
            actors: 1,
            // Games may be long, and a piece should be short.
            report: 1,
            seed: Seed::from(SEED),
        };
        let done = learner.train(&plan, &share);
        if let Err(error) = done {
            return self.fail(&error.to_string());
        }
        let errors = errors.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.errors = (self.errors.0 + errors.0, self.errors.1 + errors.1);
        self.spent += begun.elapsed().as_secs_f64();
        let (games, moves, spent) = (learner.header().games, learner.header().moves, self.spent);
        self.hub.trainings.note(&self.hub, &self.id, |one| {
            (one.games, one.moves, one.spent) = (games, moves, spent);
        });
        self.next(learner);
    }

    /// Plays against random players, stores the agent, and adds a point to the curve.
    fn test(&mut self, learner: &Learner) -> Result<(), String> {
        let (file, bytes) = self.hub.trainings.keep(&self.hub, &self.id, learner.file())?;
        let name = format!("{}{}", super::PREFIX, self.id);
        let agent = Trained::new(&name, Ok(LearnedAgent::Values(file))).alone();
        let agent: Arc<dyn PlayerSource> = Arc::new(agent);
        let (reward, others, matches) = self.against_random(&agent)?;
        let point = Point {
            seconds: self.spent,
            games: learner.header().games,
            reward,
            others,
            matches,
            error: self.errors.0 / f64::from(self.errors.1.max(1)),
        };
        self.errors = (0.0, 0);
        self.due = self.spent + self.seconds / TESTS;
        self.hub.trainings.note(&self.hub, &self.id, |one| {
            one.bytes = bytes;
            one.curve.push(point);
        });
        Ok(())
    }

    /// The mean rewards of the agent and of random players, with the agent in each seat in turn.
    fn against_random(
        &self,
        agent: &Arc<dyn PlayerSource>,
    ) -> Result<(f64, Option<f64>, u32), String> {
        let game = &self.open.playable.game;
        let count = game.info().players().count().max(1);
        let random: Arc<dyn PlayerSource> =
            Arc::new(crate::live::spec("random").map_err(|error| error.to_string())?);
        let control = TimeControl { time: Some(MOVE), grace: MOVE, ..TimeControl::default() };
        let contest = Contest {
            max_steps: self.hub.limits.turns,
            patience: self.hub.limits.step,
            cores: 1,
            ..Contest::new(Arc::clone(game), control)
        };
        let begun = Instant::now();
        let (mut own, mut other, mut matches) = (0.0, 0.0, 0_u32);
        // Every seat is used equally often.
        while matches < MATCHES && (begun.elapsed() < PATIENCE || matches == 0) {
            for seat in 0..count {
                let player = |one| Arc::clone(if one == seat { agent } else { &random });
                let players: Vec<Arc<dyn PlayerSource>> = (0..count).map(player).collect();
                let seed = Seed::from(SEED).derive("test").derive_index(u64::from(matches));
                let record = contest.play(&players, seed);
                for (one, reward) in record.rewards.iter().enumerate() {
                    let reward = reward.ok_or_else(|| broken_off(&record.errors))?;
                    *if one == seat { &mut own } else { &mut other } += reward;
                }
                matches += 1;
            }
        }
        let others = f64::from(matches) * (count - 1) as f64;
        let mean = (count > 1).then(|| other / others);
        Ok((own / f64::from(matches), mean, matches))
    }
}

fn broken_off(faults: &[magister_core::Fault]) -> String {
    let last = faults.last().map_or(String::new(), |fault| format!(": {}", fault.what));
    format!("a match of a test had no result{last}")
}
