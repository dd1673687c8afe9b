//! Monte Carlo search that compares moves in the same worlds.
//!
//! A world is a state of the belief with random numbers for a playout. With few playouts, the luck
//! of the deal and of the playouts hides the differences between moves. So every candidate is tried
//! in the same worlds (see [`coupled`](super::coupled)), and sequential halving drops the worse half
//! of the candidates at equal parts of the budget (Z. Karnin, T. Koren, O. Somekh, 2013), so that
//! most playouts serve to distinguish the best ones.

use std::time::Duration;

use magister_core::{Budget, Decision, Halt, Move, Rng, Thought, View};
use magister_infoset::Keep;

use super::Mind;
use super::believer::{Believer, Method};
use super::coupled::{Luck, Outcome, Plan, Playouts};
use super::habits::Habits;
use crate::registry::{Arguments, Made};

/// Search in common worlds. An iteration is one playout.
pub(crate) struct Paired {
    plan: Plan,
    /// What the playouts of this match have shown, and the number of turns at the last decision.
    habits: Habits,
    turns: usize,
}

/// The weight of earlier decisions in what playouts have shown.
const FADE: f32 = 0.5;

impl Paired {
    pub(crate) fn make(settings: &Arguments) -> Made {
        let plan = Plan {
            c: settings.real("c")?,
            depth: settings.whole("depth")? as usize,
            margin: settings.real("margin")?,
            own: settings.real("own")? as f32,
            others: settings.real("others")? as f32,
        };
        let method = Paired { plan, habits: Habits::default(), turns: 0 };
        Believer::make(settings, Keep::States, method)
    }

    /// Playouts for a decision, which continue what those of earlier decisions have shown.
    fn playouts(&mut self, view: &View) -> Playouts<'_> {
        if view.turns().len() <= self.turns {
            // This is another match, or an earlier position.
            self.habits = Habits::default();
        }
        self.turns = view.turns().len();
        self.habits.fade(FADE);
        Playouts::new(view, self.plan, &mut self.habits)
    }
}

/// A legal move with its results.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    choice: Move,
    tries: f64,
    /// The sums of rewards and utilities.
    reward: f64,
    utility: f64,
}

impl Candidate {
    fn new(choice: Move) -> Self {
        Candidate { choice, tries: 0.0, reward: 0.0, utility: 0.0 }
    }

    fn mean(&self) -> f64 {
        if self.tries > 0.0 { self.utility / self.tries } else { f64::NEG_INFINITY }
    }

    fn add(&mut self, outcome: Outcome) {
        self.tries += 1.0;
        self.reward += outcome.reward;
        self.utility += outcome.utility;
    }
}

impl Method for Paired {
    /// Every state serves for two candidates or more.
    fn tries(&self) -> u64 {
        2
    }

    fn choose(
        &mut self,
        mind: &mut Mind,
        legal: &[Move],
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let (belief, worker) = mind.parts()?;
        let mut playouts = self.playouts(view);
        let mut remaining: Vec<Candidate> = legal.iter().copied().map(Candidate::new).collect();
        let mut dropped = Vec::new();
        // The order decides between equal candidates.
        rng.shuffle(&mut remaining);
        let pace = Pace::new(budget);
        let mut iterations = 0;
        let mut outcomes = Vec::new();
        loop {
            let kept = kept(legal.len(), pace.spent(budget, iterations));
            if kept < remaining.len() {
                remaining.sort_by(|a, b| b.mean().total_cmp(&a.mean()));
                dropped.extend(remaining.drain(kept..));
            }
            let state = belief.state(belief.draw(rng));
            let luck = Luck(rng.next_u64());
            outcomes.clear();
            for candidate in &remaining {
                if !budget.spend(1) {
                    break;
                }
                match playouts.play(worker, state, candidate.choice, luck, budget.stop()) {
                    Ok(outcome) => outcomes.push(outcome),
                    // If the rules fail in a later position, the player still has to move here.
                    Err(_) => break,
                }
                iterations += 1;
            }
            let complete = outcomes.len() == remaining.len();
            // A world that only some candidates were tried in would distort the comparison.
            if complete || iterations == outcomes.len() as u64 {
                let tried = remaining.iter_mut().zip(&outcomes);
                tried.for_each(|(candidate, &outcome)| candidate.add(outcome));
            }
            if !complete {
                break;
            }
        }
        remaining.sort_by(|a, b| b.mean().total_cmp(&a.mean()));
        let choice = remaining.first().map_or(legal[0], |best| best.choice);
        let tried = remaining.iter().chain(&dropped).filter(|one| one.tries > 0.0);
        let thoughts = tried
            .map(|one| Thought {
                visits: one.tries as u64,
                ..Thought::new(one.choice, one.reward / one.tries)
            })
            .collect();
        Ok(Decision { thoughts, iterations, ..choice.into() })
    }
}

/// The number of candidates that remain when a share of the budget is spent: half as many after
/// each of equal parts, but at least two.
fn kept(candidates: usize, spent: f64) -> usize {
    let rounds = (candidates as f64).log2().ceil();
    let round = (spent * rounds).floor();
    ((candidates as f64 / round.exp2()).ceil() as usize).clamp(2.min(candidates), candidates)
}

/// How much of a budget is spent.
struct Pace {
    iterations: Option<u64>,
    time: Option<Duration>,
}

/// The number of iterations after which half of a search without any limit is assumed to be over.
const HALF: f64 = 1_000.0;

impl Pace {
    fn new(budget: &Budget) -> Self {
        Pace { iterations: budget.left(), time: budget.remaining() }
    }

    /// The share of the budget that is spent, from 0 to 1.
    fn spent(&self, budget: &Budget, iterations: u64) -> f64 {
        let done = iterations as f64;
        let by_count = self.iterations.map(|all| done / all.max(1) as f64);
        let by_time = self
            .time
            .zip(budget.remaining())
            .map(|(all, left)| 1.0 - left.as_secs_f64() / all.as_secs_f64().max(f64::MIN_POSITIVE));
        match (by_count, by_time) {
            (None, None) => done / (done + HALF),
            (count, time) => count.unwrap_or(0.0).max(time.unwrap_or(0.0)).clamp(0.0, 1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_halved_at_equal_parts_of_the_budget() {
        let at = |spent: f64| kept(8, spent);
        assert_eq!([0.0, 0.3, 0.34, 0.66, 0.67, 1.0].map(at), [8, 8, 4, 4, 2, 2]);
        assert_eq!((kept(2, 0.0), kept(2, 1.0), kept(1, 0.5)), (2, 2, 1));
        assert_eq!((kept(13, 0.24), kept(13, 0.26), kept(13, 0.9)), (13, 7, 2));
    }

    #[test]
    fn the_pace_follows_the_limit() {
        let mut budget = Budget::iterations(10);
        let pace = Pace::new(&budget);
        budget.spend(5);
        assert!((pace.spent(&budget, 5) - 0.5).abs() < 1e-12);
        let endless = Budget::until(magister_core::Stop::never());
        let pace = Pace::new(&endless);
        assert!((pace.spent(&endless, 1_000) - 0.5).abs() < 1e-12);
    }
}
