//! Joint moves for a turn, drawn so that what was seen comes about more often than it would.

use magister_core::{Game, Halt, Move, Rng, Role, Stop, Turn, Worker, draw, odds};

use crate::hints::Hints;
use crate::model::Model;

/// The moves of each role that look like what was seen in a turn, or have brought it about. One of
/// them is drawn every other time, and any move as it would be made otherwise, so everything
/// possible can be drawn.
#[derive(Debug, Default)]
pub(crate) struct Proposal {
    /// For each role those that were found in some state.
    found: Vec<Vec<Move>>,
    /// For each role those of them that are legal in the state at hand.
    here: Vec<Vec<Move>>,
    /// How many more states may be looked at for them.
    looks: u32,
    ranks: Vec<u64>,
    shares: Vec<f64>,
}

/// Fewer moves than these need no hints.
const MANY: usize = 8;
/// The moves of a role that are remembered; half of them are left for those that agreed.
const FEW: usize = 16;
/// The states that are looked at for them.
const LOOKS: u32 = 4;
/// How often a move is drawn from among them.
const OFTEN: f64 = 0.5;

impl Proposal {
    /// Forgets all, for another turn.
    pub(crate) fn begin(&mut self, roles: usize) {
        self.found.iter_mut().for_each(Vec::clear);
        self.found.resize(roles, Vec::new());
        self.here.resize(roles, Vec::new());
        self.looks = LOOKS;
    }

    /// Finds out which moves to draw more often in a worker's state.
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
            // If as good as all look so, none does.
            if ranked.iter().filter(|entry| entry.0 == ranked[0].0).count() <= legal.len() / 4 {
                here.extend(ranked.iter().take(FEW / 2).map(|entry| entry.1));
            }
            found.extend_from_slice(here);
        }
        self.looks = self.looks.saturating_sub(1);
        Ok(())
    }

    /// Takes a joint move that agreed for one of those that look like what was seen.
    pub(crate) fn learn(&mut self, joint: &[Move]) {
        for (found, choice) in self.found.iter_mut().zip(joint) {
            if found.len() < FEW && !found.contains(choice) {
                found.push(*choice);
            }
        }
    }

    /// Whether moves are drawn otherwise than they would be made in the state at hand.
    pub(crate) fn is_guided(&self) -> bool {
        self.here.iter().any(|moves| !moves.is_empty())
    }

    /// Whether moves will be drawn as they would be made in all states that are still to come: none
    /// was found, and no more are looked for.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.looks == 0 && self.found.iter().all(Vec::is_empty)
    }

    /// Draws a joint move in the worker's state that was looked at. What it gives is how much
    /// likelier it is to be made than to be drawn; none if there is no joint move.
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
