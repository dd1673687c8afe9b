//! The honest agent of N. Morris's thesis (Hendrix College, 2023), for comparison: a bandit over its
//! own moves, with a random state and a random playout for each try, and no tree.
//!
//! The default is a repaired version: states are drawn by probability, rewards are those of the
//! rules, and the formula is UCB. With `flaws`, it behaves like its author's program, as far as
//! that applies to games in general: all states are equally likely, regardless of their
//! probability; the reward is the square of a rank, which is higher for a loss than for a win in
//! games for one player; and the mean is divided by the number of players once more, which makes it
//! small relative to the exploration term. The original also samples impossible states, container
//! by container. That depends on how its system stores cards and is not reproduced.

use magister_core::{
    Budget, Decision, Halt, Move, Payment, Rng, Role, Step, Thought, View, Worker, draw,
};
use magister_infoset::{Belief, Keep};

use super::Mind;
use super::believer::{Believer, Method};
use crate::playing::MAX_STEPS;
use crate::registry::{Arguments, Made};
use crate::rewards::{self, Scale};

/// A bandit over the role's moves. An iteration is a playout.
pub(crate) struct Thesis {
    flaws: bool,
}

struct Arm {
    choice: Move,
    visits: f64,
    sum: f64,
}

impl Thesis {
    pub(crate) fn make(settings: &Arguments) -> Made {
        let method = Thesis { flaws: settings.flag("flaws")? };
        Believer::make(settings, Keep::States, method)
    }
}

impl Method for Thesis {
    fn choose(
        &mut self,
        mind: &mut Mind,
        legal: &[Move],
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let flaws = self.flaws;
        let (belief, worker) = mind.parts()?;
        let players = worker.info().players().count() as f64;
        let arm = |&choice: &Move| Arm { choice, visits: 0.0, sum: 0.0 };
        let mut arms: Vec<Arm> = legal.iter().map(arm).collect();
        let mut iterations = 0_u64;
        // The range of the rewards: as given by the game, or as observed so far.
        let (low, high) = worker.info().rewards;
        let bounded = low.is_finite() && high.is_finite();
        let (mut low, mut high) =
            if bounded { (low, high) } else { (f64::INFINITY, f64::NEG_INFINITY) };
        while budget.spend(1) {
            let log = (iterations.max(1) as f64).ln();
            let worth = |arm: &Arm| {
                if arm.visits == 0.0 {
                    return f64::INFINITY;
                }
                let mean = arm.sum / arm.visits;
                let mean =
                    if flaws { mean / players } else { (mean - low) / (high - low).max(1e-9) };
                mean + (2.0 * log / arm.visits).sqrt()
            };
            let best = arms.iter().map(worth).enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
            let Some((at, _)) = best else { break };
            let number =
                if flaws { rng.below(belief.len() as u64) as usize } else { belief.draw(rng) };
            let choice = arms[at].choice;
            worker.quiet(true);
            let played = playout(belief, number, worker, view.role(), choice, flaws, rng, budget);
            worker.quiet(false);
            match played {
                Ok(reward) => {
                    iterations += 1;
                    arms[at].visits += 1.0;
                    arms[at].sum += reward;
                    (low, high) = (low.min(reward), high.max(reward));
                }
                Err(_) => break,
            }
        }
        let most = arms.iter().map(|arm| arm.visits).fold(0.0, f64::max);
        let often: Vec<&Arm> = arms.iter().filter(|arm| arm.visits >= most).collect();
        let choice = often[rng.below(often.len() as u64) as usize].choice;
        let tried = arms.iter().filter(|arm| arm.visits > 0.0);
        let thoughts = tried
            .map(|arm| Thought {
                visits: arm.visits as u64,
                ..Thought::new(arm.choice, arm.sum / arm.visits)
            })
            .collect();
        Ok(Decision { thoughts, iterations, ..choice.into() })
    }
}

/// Makes a move in a state, continues at random and returns the reward.
#[expect(clippy::too_many_arguments, reason = "they describe one playout")]
fn playout(
    belief: &Belief,
    number: usize,
    worker: &mut dyn Worker,
    role: Role,
    choice: Move,
    flaws: bool,
    rng: &mut Rng,
    budget: &Budget,
) -> Result<f64, Halt> {
    let stop = budget.stop();
    worker.load(belief.state(number), stop)?;
    let info = worker.info().clone();
    let mut totals = vec![0.0; info.roles.len()];
    let (mut step, mut joint) = (Step::new(), Vec::new());
    for number in 0..MAX_STEPS {
        if worker.terminal() {
            break;
        }
        joint.clear();
        for whose in info.all_roles() {
            let weights = if info.chance == Some(whose) { worker.weights() } else { &[] };
            joint.push(draw(worker.legal(whose), weights, rng).unwrap_or(Move::IDLE));
        }
        if number == 0 {
            joint[role.index()] = choice;
        }
        worker.step(&joint, &mut step, stop)?;
        totals.iter_mut().zip(&step.gains).for_each(|(total, gain)| *total += gain);
    }
    let scale = Scale::of(&info);
    if worker.terminal() && info.payment == Payment::AtEnd {
        totals = rewards::terminal(worker, scale, &mut Vec::new());
    }
    let own = totals[role.index()];
    if !flaws {
        return Ok(own);
    }
    let players = info.players().count() as f64;
    let rank = if players > 1.0 {
        let others = || info.players().filter(|&other| other != role);
        let above = others().filter(|other| totals[other.index()] > own).count() as f64;
        let below = others().filter(|other| totals[other.index()] < own).count() as f64;
        // Tied players share their ranks.
        1.0 + above + (players - 1.0 - above - below) / 2.0
    } else {
        // In games for one player, a win has rank one and a loss has rank zero.
        f64::from(own >= scale.high)
    };
    Ok(((1.0 + players - rank) / players).powi(2))
}
