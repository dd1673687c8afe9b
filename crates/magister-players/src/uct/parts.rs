//! Games that decompose: they are solved by their parts, and then played perfectly.

use magister_core::{Budget, Decision, Halt, Rng, Thought, View};
use magister_decompose::PartValues;
use magister_solve::{Candidate, SolveLimits};

use super::Uct;
use crate::combine::draw;

/// The parts of the budget for the attempt: of a move, and of the start clock.
pub(super) const PART: u32 = 8;
pub(super) const START: u32 = 3;

/// The approximate memory per state of a quotient in bytes.
const STATE: usize = 200;

impl Uct {
    /// Tries once to solve the game by its parts with one part of the time.
    pub(super) fn split(&mut self, view: &View, budget: &Budget, parts: u32) -> Result<(), Halt> {
        if !self.decompose || std::mem::replace(&mut self.split, true) {
            return Ok(());
        }
        let bytes = self.config.memory / 4;
        let limits = SolveLimits { nodes: bytes / STATE, bytes };
        let time = budget.remaining().map(|left| left / parts);
        self.parts = PartValues::attempt(&**view.game(), &limits, time, budget.stop())?;
        Ok(())
    }

    /// The moves with their values, if the game was solved by its parts.
    pub(super) fn by_parts(
        &mut self,
        view: &View,
        budget: &Budget,
    ) -> Result<Option<Vec<Candidate>>, Halt> {
        self.split(view, budget, PART)?;
        let Some(parts) = &mut self.parts else { return Ok(None) };
        let worker = self.follower.follow(view, budget.stop())?;
        parts.moves(worker, view.role(), budget.stop())
    }
}

/// The decision by known values, unless several moves are equally good and a search could find out
/// which of them is the hardest to answer.
pub(super) fn settled(moves: &[Candidate], high: f64, rng: &mut Rng) -> Option<Decision> {
    let best: Vec<&Candidate> = moves.iter().filter(|one| one.likely > 0.0).collect();
    let won = best.iter().all(|one| one.value.is_none_or(|value| value >= high));
    if best.len() > 1 && !won {
        return None;
    }
    let names: Vec<_> = moves.iter().map(|one| one.choice).collect();
    let mixture: Vec<f64> = moves.iter().map(|one| one.likely).collect();
    Some(Decision { thoughts: thoughts(moves, None), ..draw(&names, &mixture, rng).into() })
}

/// The decision of a search, among the moves that are known to be best.
pub(super) fn among(moves: &[Candidate], found: Option<Decision>) -> Option<Decision> {
    let visits = |one: &Candidate| {
        let thoughts = found.iter().flat_map(|decision| &decision.thoughts);
        thoughts.filter(|thought| thought.choice == one.choice).map(|thought| thought.visits).sum()
    };
    let best = moves.iter().filter(|one| one.likely > 0.0);
    // The first of those with the most visits.
    let best = best.rev().max_by_key(|one| -> u64 { visits(one) })?;
    let searched = found.unwrap_or_else(|| best.choice.into());
    let line = if searched.choice == best.choice { searched.line } else { Vec::new() };
    let thoughts = thoughts(moves, Some(&searched.thoughts));
    Some(Decision { choice: best.choice, thoughts, line, ..searched })
}

fn thoughts(moves: &[Candidate], searched: Option<&[Thought]>) -> Vec<Thought> {
    let thought = |one: &Candidate| {
        let found = searched.unwrap_or_default().iter().find(|other| other.choice == one.choice);
        Thought {
            choice: one.choice,
            value: one.value,
            visits: found.map_or(0, |found| found.visits),
            proven: one.value.is_some(),
            probability: one.value.is_none().then_some(one.likely),
        }
    };
    moves.iter().map(thought).collect()
}
