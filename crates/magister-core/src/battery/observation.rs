//! Observations of states.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::snapshot::Snapshot;
use super::walk::Walker;
use crate::observation::StateFormat;
use crate::{Element, Game};

/// The observer, and the observations so far.
pub(super) struct Observations {
    format: StateFormat,
    rows: [Vec<f32>; 2],
    /// For each observation, as a hash, the words of its state.
    seen: BTreeMap<u64, Vec<u64>>,
}

impl Observations {
    pub(super) fn of(game: &dyn Game) -> Self {
        Observations {
            format: StateFormat::of(game),
            rows: Default::default(),
            seen: BTreeMap::new(),
        }
    }

    /// Writes a state twice, into buffers with other contents.
    fn write(&mut self, game: &dyn Game, words: &[u64]) {
        let len = self.format.tensors().len();
        for (row, before) in self.rows.iter_mut().zip([f32::NAN, 7.0]) {
            row.clear();
            row.resize(len, before);
            self.format.write(game, words, row);
        }
    }

    /// The fault in the rows, as a message.
    fn fault(&self) -> Option<String> {
        let mut at = 0;
        for tensor in self.format.tensors().list() {
            let (name, range) = (&tensor.name, at..at + tensor.len());
            at = range.end;
            let numbers = &self.rows[0][range.clone()];
            if let Some(number) = numbers.iter().find(|number| !number.is_finite()) {
                return Some(format!("the observation `{name}` has the number {number}"));
            }
            let no_bit =
                |number: &&f32| ![0.0_f32, 1.0].map(f32::to_bits).contains(&number.to_bits());
            if let Some(number) =
                numbers.iter().find(no_bit).filter(|_| tensor.element == Element::Bit)
            {
                return Some(format!("the observation `{name}` has {number} among its bits"));
            }
            if numbers.iter().zip(&self.rows[1][range]).any(|(a, b)| a.to_bits() != b.to_bits()) {
                return Some(format!("the observation `{name}` differs when it is written again"));
            }
        }
        None
    }
}

impl Walker<'_> {
    /// Checks the observation of a state.
    pub(super) fn observed(&mut self, here: &Snapshot, position: &str) {
        self.observations.write(self.game, &here.words);
        if let Some(what) = self.observations.fault() {
            self.report.fail("observation", position, what);
            return;
        }
        let mut hasher = DefaultHasher::new();
        self.observations.rows[0].iter().for_each(|number| number.to_bits().hash(&mut hasher));
        let first = self.observations.seen.entry(hasher.finish());
        if *first.or_insert_with(|| here.words.clone()) != here.words {
            let what = "another state has the same observation";
            self.report.warn("observation", position, what);
        }
    }
}
