//! Estimated sizes, from counts.

use rustc_hash::FxHashMap;

use super::code::Mode;
use crate::program::Relation;
use crate::term::{Functor, TermId};

/// What is known about an argument.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Known {
    Nothing,
    /// It will have a value by then, which is not known yet.
    Something,
    Value(TermId),
}

/// The counts of the fluents of one functor.
#[derive(Clone, Debug, Default)]
pub(super) struct Fluents {
    /// The number of them that are true in a state.
    pub(super) size: f64,
    /// For each argument, the frequency of each value in a state.
    pub(super) values: Vec<FxHashMap<TermId, f64>>,
}

/// Counts from positions of the game.
#[derive(Clone, Debug, Default)]
pub(super) struct Estimates {
    pub(super) fluents: FxHashMap<Functor, Fluents>,
    /// The number of answers of a call.
    pub(super) answers: FxHashMap<(Relation, Box<[Mode]>), f64>,
    /// Whether relations may be queried with fewer known arguments than in the written order of the
    /// rules, if they are finite.
    pub(super) free: bool,
}

impl Estimates {
    /// The number of fluents of a functor whose arguments are a known value, some value, or
    /// unknown.
    pub(super) fn fluents(&self, functor: Functor, args: &[Known]) -> f64 {
        let Some(fluents) = self.fluents.get(&functor) else {
            // None was seen yet: assume few, and fewer with every known argument.
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

    /// The number of answers of a relation with these modes.
    pub(super) fn answers(&self, relation: Relation, modes: &[Mode]) -> f64 {
        let known = self.answers.get(&(relation, modes.into()));
        known.copied().unwrap_or_else(|| {
            let outputs = modes.iter().filter(|&&mode| mode == Mode::Output);
            outputs.take(8).fold(1.0, |product, _| product * 4.0)
        })
    }
}
