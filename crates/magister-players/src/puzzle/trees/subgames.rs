//! The source of subgame states: the conditions of the goal, or the whole game.

use magister_core::{Halt, Move};
use magister_decompose::Targets;
use rustc_hash::FxHashMap;

use super::super::Ground;

/// The source of subgame states.
pub(super) trait Subgames {
    /// The number of subgames.
    fn count(&self) -> usize;
    /// The state of a subgame in a state of the game.
    fn project(&self, subgame: usize, state: &[u64]) -> Box<[u64]>;
    /// The subgames that a move acts on, and the place of the move among the moves of each.
    fn acts(&mut self, choice: Move) -> &[(u32, u32)];
    /// The best goal value that a state allows if the game ends in it.
    fn bound(
        &mut self,
        ground: &mut Ground<'_>,
        subgame: usize,
        state: &[u64],
    ) -> Result<f64, Halt>;
    /// The next state of each move.
    fn successors(
        &mut self,
        ground: &mut Ground<'_>,
        subgame: usize,
        state: &[u64],
    ) -> Result<Vec<Option<Box<[u64]>>>, Halt>;
    /// The number of states whose successors are computed in one simulation, in each tree.
    fn growth(&self) -> usize;
    /// Whether a simulation is followed to its end. A single tree for the whole game is left at its
    /// first unexpanded node.
    fn follows(&self) -> bool;
    /// Whether a state with this bound is terminal.
    fn is_end(&self, bound: f64) -> bool;
}

impl Subgames for Targets {
    fn count(&self) -> usize {
        self.len()
    }

    fn project(&self, subgame: usize, state: &[u64]) -> Box<[u64]> {
        Targets::project(self, subgame, state)
    }

    fn acts(&mut self, choice: Move) -> &[(u32, u32)] {
        Targets::acts(self, choice)
    }

    fn bound(
        &mut self,
        ground: &mut Ground<'_>,
        subgame: usize,
        state: &[u64],
    ) -> Result<f64, Halt> {
        Ok(Targets::bound(self, subgame, state).unwrap_or(ground.scale.low))
    }

    fn successors(
        &mut self,
        _: &mut Ground<'_>,
        subgame: usize,
        state: &[u64],
    ) -> Result<Vec<Option<Box<[u64]>>>, Halt> {
        Ok(Targets::successors(self, subgame, state))
    }

    fn growth(&self) -> usize {
        1
    }

    fn follows(&self) -> bool {
        true
    }

    fn is_end(&self, _: f64) -> bool {
        false
    }
}

/// The whole game as its only subgame.
#[derive(Debug, Default)]
pub(super) struct Whole {
    /// The place of each move that has been legal so far.
    places: FxHashMap<Move, [(u32, u32); 1]>,
}

impl Whole {
    fn place(&mut self, choice: Move) -> usize {
        let fresh = self.places.len() as u32;
        self.places.entry(choice).or_insert([(0, fresh)])[0].1 as usize
    }
}

impl Subgames for Whole {
    fn count(&self) -> usize {
        1
    }

    fn project(&self, _: usize, state: &[u64]) -> Box<[u64]> {
        state.into()
    }

    fn acts(&mut self, choice: Move) -> &[(u32, u32)] {
        self.place(choice);
        &self.places[&choice]
    }

    fn bound(&mut self, ground: &mut Ground<'_>, _: usize, state: &[u64]) -> Result<f64, Halt> {
        ground.load(state)?;
        Ok(if ground.worker.terminal() { ground.reward() } else { f64::NEG_INFINITY })
    }

    fn successors(
        &mut self,
        ground: &mut Ground<'_>,
        _: usize,
        state: &[u64],
    ) -> Result<Vec<Option<Box<[u64]>>>, Halt> {
        ground.load(state)?;
        let legal = ground.worker.legal(ground.role).to_vec();
        let mut next = Vec::new();
        let mut after = Vec::new();
        for choice in legal {
            ground.load(state)?;
            ground.make(choice)?;
            ground.worker.save(&mut after);
            let place = self.place(choice);
            if next.len() <= place {
                next.resize(place + 1, None);
            }
            next[place] = Some(after.clone().into());
        }
        Ok(next)
    }

    fn growth(&self) -> usize {
        1
    }

    fn follows(&self) -> bool {
        false
    }

    fn is_end(&self, bound: f64) -> bool {
        bound > f64::NEG_INFINITY
    }
}
