//! How much there is of everything, as far as somebody has counted.

use rustc_hash::FxHashMap;

use super::code::Mode;
use crate::program::Relation;
use crate::term::Functor;

/// What was counted of the fluents of one functor.
#[derive(Clone, Debug, Default)]
pub(super) struct Fluents {
    /// How many hold in a state.
    pub(super) size: f64,
    /// How many values each argument has.
    pub(super) distinct: Vec<f64>,
}

/// What was counted in positions of the game.
#[derive(Clone, Debug, Default)]
pub(super) struct Estimates {
    pub(super) fluents: FxHashMap<Functor, Fluents>,
    /// Answers of a call.
    pub(super) answers: FxHashMap<(Relation, Box<[Mode]>), f64>,
}

impl Estimates {
    /// Fluents of a functor of which these arguments are known.
    pub(super) fn fluents(&self, functor: Functor, known: impl Iterator<Item = usize>) -> f64 {
        let Some(fluents) = self.fluents.get(&functor) else {
            // Not seen yet: few, and fewer with every argument that is known.
            return 4.0 / (1.0 + known.count() as f64);
        };
        let values: f64 = known.filter_map(|place| fluents.distinct.get(place)).product();
        fluents.size / values.clamp(1.0, fluents.size.max(1.0))
    }

    /// Answers of a relation that is asked so.
    pub(super) fn answers(&self, relation: Relation, modes: &[Mode]) -> f64 {
        let known = self.answers.get(&(relation, modes.into()));
        known.copied().unwrap_or_else(|| {
            let outputs = modes.iter().filter(|&&mode| mode == Mode::Output).count();
            4_f64.powi(outputs.min(8) as i32)
        })
    }
}
