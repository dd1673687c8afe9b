//! A proposal distribution of joint moves that favours those that explain the observations.

use magister_core::{Game, Halt, Move, Rng, Role, Stop, Turn, Worker, draw, odds};

use crate::hints::Hints;
use crate::model::Model;

/// For each role, the moves that resemble the observations of a turn or have led to them. Half of
/// the time one of them is drawn, otherwise any move from the model, so every possible move has
/// positive probability.
#[derive(Debug, Default)]
pub(crate) struct Proposal {
    /// For each role, the moves found in some state.
    found: Vec<Vec<Move>>,
    /// For each role, those of them that are legal in the current state.
    here: Vec<Vec<Move>>,
    /// The number of states that may still be examined.
    looks: u32,
    ranks: Vec<u64>,
    shares: Vec<f64>,
}

/// The number of moves below which hints are not used.
const MANY: usize = 8;
/// The maximum number of remembered moves per role; half of the places are for moves that agreed.
const FEW: usize = 16;
/// The number of states to examine.
const LOOKS: u32 = 4;
/// The probability of drawing from the remembered moves.
const OFTEN: f64 = 0.5;

impl Proposal {
    /// Clears everything for a new turn.
    pub(crate) fn begin(&mut self, roles: usize) {
        self.found.iter_mut().for_each(Vec::clear);
        self.found.resize(roles, Vec::new());
        self.here.resize(roles, Vec::new());
        self.looks = LOOKS;
    }

    /// Determines which moves to favour in a worker's state.
    pub(crate) fn look(
        &mut self,
        game: &dyn Game,
        worker: &dyn Worker,
        role: Role,
        (turns, at): (&[Turn], usize),
        hints: &mut Hints,
        stop: &Stop,
    ) -> Result<(), Halt> {
        for whose in game.info().all_roles() {
            let legal = worker.legal(whose);
            let (found, here) = (&mut self.found[whose.index()], &mut self.here[whose.index()]);
            here.clear();
            if whose == role || legal.len() < MANY {
                continue;
            }
            here.extend(found.iter().copied().filter(|choice| legal.contains(choice)));
            if !here.is_empty() || self.looks == 0 {
                continue;
            }
            if !hints.rank(game.text(), turns, at, legal, &mut self.ranks, stop)? {
                continue;
            }
            let ranked = legal.iter().zip(&self.ranks).filter(|(_, rank)| **rank > 0);
            let mut ranked: Vec<(u64, Move)> =
                ranked.map(|(&choice, &rank)| (rank, choice)).collect();
            ranked.sort_by_key(|entry| std::cmp::Reverse(entry.0));
            // If nearly all moves resemble the observation, the resemblance is meaningless.
            if ranked.iter().filter(|entry| entry.0 == ranked[0].0).count() <= legal.len() / 4 {
                here.extend(ranked.iter().take(FEW / 2).map(|entry| entry.1));
            }
            found.extend_from_slice(here);
        }
        self.looks = self.looks.saturating_sub(1);
        Ok(())
    }

    /// Adds the moves of a joint move that agreed.
    pub(crate) fn learn(&mut self, joint: &[Move]) {
        for (found, choice) in self.found.iter_mut().zip(joint) {
            if found.len() < FEW && !found.contains(choice) {
                found.push(*choice);
            }
        }
    }

    /// Whether the proposal differs from the model in the current state.
    pub(crate) fn is_guided(&self) -> bool {
        self.here.iter().any(|moves| !moves.is_empty())
    }

    /// Whether the proposal will equal the model in all further states: no moves were found, and no
    /// more states are examined.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.looks == 0 && self.found.iter().all(Vec::is_empty)
    }

    /// Draws a joint move in the examined state. Returns its importance weight, the probability
    /// under the model divided by that under the proposal; `None` if there is no joint move.
    pub(crate) fn draw(
        &mut self,
        worker: &dyn Worker,
        model: &dyn Model,
        role: Role,
        own: Move,
        joint: &mut Vec<Move>,
        rng: &mut Rng,
    ) -> Option<f64> {
        joint.clear();
        if worker.terminal() {
            return None;
        }
        let info = worker.info();
        let mut ratio = 1.0;
        for whose in info.all_roles() {
            let legal = worker.legal(whose);
            let here = &self.here[whose.index()];
            if whose == role {
                if !legal.contains(&own) {
                    return None;
                }
                joint.push(own);
                continue;
            }
            let chance = info.chance == Some(whose);
            let choice = if !here.is_empty() && rng.f64() < OFTEN {
                here[rng.below(here.len() as u64) as usize]
            } else if chance {
                draw(legal, worker.weights(), rng)?
            } else if legal.len() == 1 {
                legal[0]
            } else {
                model.draw(worker, whose, rng)?
            };
            joint.push(choice);
            if here.is_empty() {
                continue;
            }
            let at = legal.iter().position(|&other| other == choice)?;
            let share = if chance {
                odds(legal.len(), worker.weights())(at)
            } else {
                model.shares(worker, whose, &mut self.shares);
                self.shares.get(at).copied().unwrap_or(0.0)
            };
            let hinted = if here.contains(&choice) { OFTEN / here.len() as f64 } else { 0.0 };
            ratio *= share / (hinted + (1.0 - OFTEN) * share);
        }
        Some(ratio)
    }
}
