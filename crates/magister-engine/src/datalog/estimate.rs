//! How much there is of everything, as far as somebody has counted.

use rustc_hash::FxHashMap;

use super::code::Mode;
use crate::program::Relation;
use crate::term::{Functor, TermId};

/// What is known of an argument.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Known {
    Nothing,
    /// It will have a value when it matters.
    Something,
    Value(TermId),
}

/// What was counted of the fluents of one functor.
#[derive(Clone, Debug, Default)]
pub(super) struct Fluents {
    /// How many hold in a state.
    pub(super) size: f64,
    /// For each argument how often each value occurs in a state.
    pub(super) values: Vec<FxHashMap<TermId, f64>>,
}

/// What was counted in positions of the game.
#[derive(Clone, Debug, Default)]
pub(super) struct Estimates {
    pub(super) fluents: FxHashMap<Functor, Fluents>,
    /// Answers of a call.
    pub(super) answers: FxHashMap<(Relation, Box<[Mode]>), f64>,
    /// Whether relations may be asked with less known than in the order in which rules were
    /// written, where that has an end.
    pub(super) free: bool,
}

impl Estimates {
    /// Fluents of a functor whose arguments are known to be a value, known to be something, or
    /// unknown.
    pub(super) fn fluents(&self, functor: Functor, args: &[Known]) -> f64 {
        let Some(fluents) = self.fluents.get(&functor) else {
            // Not seen yet: few, and fewer with every argument that is known.
            let known = args.iter().filter(|&&arg| arg != Known::Nothing).count();
            return 4.0 / (1.0 + known as f64);
        };
        let size = fluents.size.max(1e-3);
        let mut matches = size;
        let mut values = 1.0;
        for (arg, seen) in args.iter().zip(&fluents.values) {
            match arg {
                Known::Nothing => {}
                Known::Something => values *= seen.len() as f64,
                Known::Value(value) => matches *= seen.get(value).unwrap_or(&0.0) / size,
            }
        }
        matches / values.clamp(1.0, size.max(1.0))
    }

    /// Answers of a relation that is asked so.
    pub(super) fn answers(&self, relation: Relation, modes: &[Mode]) -> f64 {
        let known = self.answers.get(&(relation, modes.into()));
        known.copied().unwrap_or_else(|| {
            let outputs = modes.iter().filter(|&&mode| mode == Mode::Output);
            outputs.take(8).fold(1.0, |product, _| product * 4.0)
        })
    }
}
