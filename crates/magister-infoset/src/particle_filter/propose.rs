//! How a particle advances: which step it takes, and how its weight changes.

use magister_core::{Halt, Move, Rng, Stop, Turn};

use super::ParticleFilter;
use crate::InfosetError;
use crate::evidence::{perceived, possible};
use crate::joints::draw_joint;
use crate::pool::{Pool, Rows};
use crate::views::ViewId;

/// The first particles of a turn, which show whether many particles share few states.
const PILOTS: usize = 64;
/// If more than this share agrees, one try per particle is enough.
const MOST: f64 = 0.25;
/// The maximum number of tries per particle, and of joint moves to enumerate for it.
const TRIES: u64 = 256;
const LOOKS: u64 = 4096;
/// From this number of tries on, joint moves that agreed elsewhere are proposed again.
const RARE: u64 = 8;
/// If enumeration takes this many times as long as trying, it is skipped.
const WORTH: u64 = 16;
/// The number of moves to remember for enumerated states.
pub(super) const MEMORY: usize = 1 << 22;

/// The joint moves that agree with the current turn, for enumerated states. Particles in the same
/// state share the work.
#[derive(Debug, Default)]
pub(super) struct Looked {
    states: Pool,
    /// The start of each state's joint moves.
    starts: Vec<usize>,
    /// The cumulative probabilities of each state's joint moves, and the moves.
    sums: Vec<f64>,
    moves: Vec<Move>,
    /// The successor of each joint move; an empty row if silent steps follow.
    successors: Rows,
    over: Vec<bool>,
}

impl Looked {
    pub(super) fn clear(&mut self) {
        *self = Looked::default();
    }

    /// The joint moves of a state.
    fn range(&self, at: usize) -> std::ops::Range<usize> {
        self.starts[at]..self.starts.get(at + 1).copied().unwrap_or(self.sums.len())
    }
}

/// A step that a particle may take, including the silent steps after it.
#[derive(Debug, Default)]
pub(super) struct Candidate {
    pub(super) state: Vec<u64>,
    pub(super) path: Vec<Move>,
    pub(super) views: Vec<ViewId>,
    pub(super) over: bool,
}

/// The method by which a particle advances.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// A number of tries.
    Tries(u64),
    /// Enumeration if there are at most this many joint moves, otherwise a number of tries.
    Look(u64, u64),
}

/// The statistics of the particles of a turn, which determine how the next one advances. The method
/// for a particle may depend on earlier particles, but not on its own result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    eager: u64,
    /// Whether the particles share so few states that enumeration pays.
    shared: bool,
    particles: u64,
    tried: u64,
    agreed: u64,
}

impl Pace {
    /// Whether one try per particle is known to be enough.
    pub(super) fn is_single(&self) -> bool {
        self.agreed > 0 && self.way() == Way::Tries(1)
    }

    /// Records the results of particles.
    pub(super) fn note(&mut self, particles: u64, tried: u64, agreed: u64) {
        self.particles += particles;
        self.tried += tried;
        self.agreed += agreed;
    }

    fn way(&self) -> Way {
        let Pace { eager, particles, tried, agreed, .. } = *self;
        if self.shared {
            return Way::Look(LOOKS * eager, TRIES);
        }
        if agreed == 0 {
            // Maybe few agree, or one was just unlucky.
            let tries = match particles {
                0 => 1,
                1 => TRIES / 64,
                2 | 3 => TRIES / 16,
                _ => return Way::Look(LOOKS * eager, TRIES / 4 * eager),
            };
            return Way::Tries(tries * eager);
        }
        let share = agreed as f64 / tried as f64;
        if share > MOST && eager == 1 {
            return Way::Tries(1);
        }
        let tries = (2.0 / share).ceil() as u64;
        let tries = tries.saturating_mul(eager).clamp(1, TRIES * eager);
        Way::Look(tries.saturating_mul(WORTH).min(LOOKS * eager), tries)
    }
}

impl ParticleFilter {
    /// The pace before the first particle of a turn.
    pub(super) fn pace(&mut self, turn: usize, eager: u64, stop: &Stop) -> Result<Pace, Halt> {
        let mut pace = Pace { eager, shared: false, particles: 0, tried: 0, agreed: 0 };
        self.proposal.begin(self.game.info().roles.len());
        let all = self.now.len();
        let pilots = all.min(PILOTS);
        let mut different = Pool::default();
        for pilot in 0..pilots {
            different.insert(self.now.states.get(pilot * all / pilots));
        }
        if different.len() < pilots * 3 / 4 {
            self.worker.load(self.now.states.get(0), stop)?;
            let own = Some(self.turns[turn].own);
            self.joints.look(&*self.worker, &*self.model, self.role, own);
            let looks = self.joints.count().saturating_mul(2 * different.len() as u64);
            pace.shared = looks < all as u64;
        }
        Ok(pace)
    }

    /// Searches for a step of a particle that agrees with a turn, and stores it in `best`. Returns
    /// the factor for the weight: zero if there is no such step.
    pub(super) fn propagate(
        &mut self,
        at: usize,
        (number, turn): (usize, &Turn),
        pace: &mut Pace,
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<f64, InfosetError> {
        stop.check()?;
        let way = pace.way();
        pace.particles += 1;
        if matches!(way, Way::Look(..))
            && let Some(number) = self.looked.states.find(self.now.states.get(at))
        {
            return self.draw_looked(at, number, turn, rng, stop);
        }
        self.worker.load(self.now.states.get(at), stop)?;
        let tries = match way {
            Way::Tries(tries) => tries,
            Way::Look(most, tries) => {
                if !self.joints.look(&*self.worker, &*self.model, self.role, Some(turn.own)) {
                    return Ok(0.0);
                }
                if self.joints.count() <= most {
                    let number = self.look_closely(at, turn, patience, stop)?;
                    return self.draw_looked(at, number, turn, rng, stop);
                }
                tries
            }
        };
        let (game, worker) = (&*self.game, &*self.worker);
        let seen = (&self.turns[..], number);
        self.proposal.look(game, worker, self.role, seen, &mut self.hints, stop)?;
        let total = if tries == 1 && !self.proposal.is_guided() {
            self.try_once(turn, rng, stop)?
        } else {
            self.try_often(at, turn, tries, rng, patience, stop)?
        };
        let (total, agreed, tried) = total;
        (pace.tried, pace.agreed) = (pace.tried + tried, pace.agreed + agreed);
        if agreed == 0 {
            return Ok(0.0);
        }
        self.keep(at, rng, stop)?;
        Ok(total / tried as f64)
    }

    /// Samples one step from the model. Returns the total weight of the tries that agreed, their
    /// number, and the number of all tries.
    fn try_once(
        &mut self,
        turn: &Turn,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<(f64, u64, u64), InfosetError> {
        let (worker, joint) = (&*self.worker, &mut self.joint);
        let agreed = draw_joint(worker, &*self.model, self.role, Some(turn.own), joint, rng)
            && self.take(turn, stop)?;
        Ok((f64::from(u8::from(agreed)), u64::from(agreed), 1))
    }

    /// Samples several steps and makes one of those that agreed, drawn by weight.
    fn try_often(
        &mut self,
        at: usize,
        turn: &Turn,
        tries: u64,
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<(f64, u64, u64), InfosetError> {
        let (mut total, mut agreed) = (0.0, 0);
        let mut chosen: Vec<Move> = Vec::new();
        let mut there = true;
        for number in 0..tries {
            if number % 16 == 15 && !patience() {
                return Err(InfosetError::TooLarge);
            }
            if !there {
                self.worker.load(self.now.states.get(at), stop)?;
            }
            let (worker, joint) = (&*self.worker, &mut self.joint);
            let (model, own) = (&*self.model, turn.own);
            let Some(weight) = self.proposal.draw(worker, model, self.role, own, joint, rng) else {
                return Ok((0.0, 0, tries));
            };
            let perceived = self.perceives(turn, stop)?;
            there = perceived.is_some();
            let agrees = match perceived {
                Some(agrees) => agrees,
                None => self.take(turn, stop)?,
            };
            if agrees && weight > 0.0 {
                (total, agreed) = (total + weight, agreed + 1);
                if tries >= RARE {
                    self.proposal.learn(&self.joint);
                }
                if rng.f64() * total < weight {
                    chosen.clone_from(&self.joint);
                }
            }
        }
        if agreed > 0 {
            if !there {
                self.worker.load(self.now.states.get(at), stop)?;
            }
            self.joint = chosen;
            if !self.take(turn, stop)? {
                // The step is impossible, but the percepts alone do not show this.
                return Ok((0.0, 0, tries));
            }
        }
        Ok((total, agreed, tries))
    }

    /// Draws one of the agreeing joint moves of an enumerated state, by probability.
    fn draw_looked(
        &mut self,
        at: usize,
        number: usize,
        turn: &Turn,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<f64, InfosetError> {
        let range = self.looked.range(number);
        let sums = &self.looked.sums[range.clone()];
        let Some(&total) = sums.last() else { return Ok(0.0) };
        let point = rng.f64() * total;
        let chosen = sums.partition_point(|&sum| sum <= point).min(sums.len() - 1);
        let roles = self.game.info().roles.len();
        let from = (range.start + chosen) * roles;
        self.joint.clear();
        self.joint.extend_from_slice(&self.looked.moves[from..from + roles]);
        let successor = self.looked.successors.get(range.start + chosen);
        if self.views.is_none() && !successor.is_empty() {
            let Candidate { state, path, over, .. } = &mut self.best;
            *over = self.looked.over[range.start + chosen];
            path.clone_from(&self.joint);
            state.clear();
            state.extend_from_slice(successor);
            return Ok(total);
        }
        self.worker.load(self.now.states.get(at), stop)?;
        if !self.take(turn, stop)? {
            return Ok(0.0);
        }
        self.keep(at, rng, stop)?;
        Ok(total)
    }

    /// Enumerates the joint moves of a particle's state and records those that agree.
    fn look_closely(
        &mut self,
        at: usize,
        turn: &Turn,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<usize, InfosetError> {
        let mut looked = std::mem::take(&mut self.looked);
        if looked.moves.len() > MEMORY {
            looked.clear();
        }
        let (number, _) = looked.states.insert(self.now.states.get(at));
        looked.starts.push(looked.sums.len());
        let mut total = 0.0;
        let mut there = false;
        for joint in 0..self.joints.count() {
            stop.check()?;
            if joint % 16 == 15 && !patience() {
                // An incomplete enumeration would bias the sample.
                return Err(InfosetError::TooLarge);
            }
            if !there {
                self.worker.load(self.now.states.get(at), stop)?;
            }
            let share = self.joints.write(joint, &mut self.joint);
            there = self.perceives(turn, stop)? == Some(false);
            if !there && self.take(turn, stop)? {
                total += share;
                looked.sums.push(total);
                looked.moves.extend_from_slice(&self.joint);
                self.best.state.clear();
                if !self.worker.silent() {
                    self.worker.save(&mut self.best.state);
                }
                looked.successors.push(&self.best.state);
                looked.over.push(self.worker.terminal());
            }
        }
        self.looked = looked;
        Ok(number)
    }

    /// Whether the joint move would cause the role's percepts, if the engine can compute that
    /// without making the step.
    fn perceives(&mut self, turn: &Turn, stop: &Stop) -> Result<Option<bool>, Halt> {
        self.made += 1;
        let perceived = perceived(self.worker.perceive(&self.joint, &mut self.step, stop))?;
        Ok(perceived.then(|| turn.seen.agrees(self.role, &self.joint, &self.step)))
    }

    /// Makes the joint move; returns whether it is possible and agrees with a turn.
    fn take(&mut self, turn: &Turn, stop: &Stop) -> Result<bool, Halt> {
        self.made += 1;
        Ok(possible(self.worker.step(&self.joint, &mut self.step, stop))?
            && turn.seen.agrees(self.role, &self.joint, &self.step)
            && !(self.asked && self.worker.terminal()))
    }

    /// Keeps the step of a particle, after the silent steps that follow.
    fn keep(&mut self, at: usize, rng: &mut Rng, stop: &Stop) -> Result<(), Halt> {
        self.best.path.clear();
        self.best.path.extend_from_slice(&self.joint);
        self.best.views.clear();
        if self.views.is_some() {
            let mut lived = std::mem::take(&mut self.best.views);
            let roles = self.game.info().roles.len();
            lived.extend_from_slice(&self.now.views[at * roles..(at + 1) * roles]);
            let joint = std::mem::take(&mut self.joint);
            self.extend(&mut lived, &joint);
            (self.joint, self.best.views) = (joint, lived);
        }
        while self.worker.silent() && !self.worker.terminal() {
            stop.check()?;
            let (worker, joint) = (&*self.worker, &mut self.joint);
            if !draw_joint(worker, &*self.model, self.role, None, joint, rng) {
                break;
            }
            self.worker.step(&self.joint, &mut self.step, stop)?;
            self.best.path.extend_from_slice(&self.joint);
        }
        self.best.over = self.worker.terminal();
        self.worker.save(&mut self.best.state);
        Ok(())
    }
}
