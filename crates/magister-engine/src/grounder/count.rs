//! Counting: the number of rows of a relation, as atoms.
//!
//! While tables grow, a count may be anything from zero to the number of rows. In the end each
//! count becomes a chain of atoms that mean "at least k of the first n".

use magister_core::Halt;

use super::finish::Numbered;
use super::grounded::{AtomId, AtomKind, Signed};
use super::rules::{Counter, Kind};
use super::run::Grounder;
use super::table::{Key, Shape};
use crate::term::TermId;

/// The maximum number of rows to count: the number of atoms is half its square.
const MOST: usize = 512;

impl Grounder<'_> {
    /// The requested keys of a counter: the rows of its table of keys, or the empty key.
    fn keys(&self, counter: Counter) -> Vec<Vec<TermId>> {
        match counter.keys.map(|keys| &self.tables[keys.index()]) {
            Some(keys) => (0..keys.len()).map(|row| keys.row(row).to_vec()).collect(),
            None => vec![Vec::new()],
        }
    }

    /// The rows of a table that begin with a key.
    fn rows_of(&mut self, counter: Counter, key: &[TermId]) -> Vec<u32> {
        let columns = (0..key.len() as u8).map(|column| Box::from([column])).collect();
        let shape = Shape { functors: Box::default(), keys: columns };
        let table = &mut self.tables[counter.of.index()];
        let index = table.index(&shape, &self.terms);
        let mut wanted = Key::default();
        key.iter().for_each(|&term| wanted.push(term));
        let mut rows = table.lookup(index, wanted).to_vec();
        rows.retain(|&row| table.row(row).starts_with(key));
        rows
    }

    /// Adds the counts that have become possible.
    pub(super) fn counts(&mut self) -> Result<(), Halt> {
        for number in 0..self.set.counters.len() {
            let counter = self.set.counters[number];
            for key in self.keys(counter) {
                let rows = self.rows_of(counter, &key).len();
                if rows > MOST {
                    return Err(Halt::Limit(format!(
                        "a count over more than {MOST} rows exceeds the limit"
                    )));
                }
                // The highest count was added last: if it exists, all of them do.
                for count in (0..=rows).rev() {
                    let mut tuple = key.clone();
                    tuple.push(self.terms.constant_named(&count.to_string()));
                    if !self.tables[counter.table.index()].insert(&tuple).1 {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// The instances that make counts true.
    pub(super) fn count_instances(&mut self, into: &mut Numbered) {
        for number in 0..self.set.counters.len() {
            let counter = self.set.counters[number];
            let changes = self.set.kind(counter.of) == Kind::Dynamic;
            for key in self.keys(counter) {
                // At least k of the rows so far; at least zero is always true.
                let mut least: Vec<AtomId> = Vec::new();
                for row in self.rows_of(counter, &key) {
                    let this = changes.then(|| Signed::new(into.atom(counter.of, row), false));
                    least = one_more(&least, this, into);
                }
                for count in 0..=least.len() {
                    let mut tuple = key.clone();
                    tuple.push(self.terms.constant_named(&count.to_string()));
                    let Some(row) = self.tables[counter.table.index()].find(&tuple) else {
                        continue;
                    };
                    let enough = count.checked_sub(1).map(|at| Signed::new(least[at], false));
                    let not_more = least.get(count).map(|&more| Signed::new(more, true));
                    into.instance(
                        into.atom(counter.table, row),
                        enough.into_iter().chain(not_more),
                    );
                }
            }
        }
    }
}

/// "At least k" with one more row, which may always be true.
fn one_more(before: &[AtomId], this: Option<Signed>, into: &mut Numbered) -> Vec<AtomId> {
    (0..=before.len())
        .map(|at| {
            let atom = into.new_atom(AtomKind::Derived);
            if let Some(&already) = before.get(at) {
                into.instance(atom, [Signed::new(already, false)]);
            }
            let others = at.checked_sub(1).map(|at| Signed::new(before[at], false));
            into.instance(atom, others.into_iter().chain(this));
            atom
        })
        .collect()
}
