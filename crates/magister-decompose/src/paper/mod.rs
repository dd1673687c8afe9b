//! The search of Zhao, Schiffel and Thielscher (2009), for comparison: sequences of turns and moves
//! of one part, and its domination rule.
//!
//! The rule is unsound. It compares sets of sequences but ignores that the opponent chooses among
//! them. [`Sum::prune`](crate::Sum::prune) is the sound replacement.

mod concepts;
mod errors;

use magister_core::{Halt, Stop};
use magister_engine::Compiled;
use magister_engine::network::Network;
use rustc_hash::FxHashMap;

use crate::decomposition::Decomposition;
use crate::local::{Bounds, Course, Local};
use crate::tops::Tops;
use concepts::Concepts;
pub use errors::{Errors, Mistake};

/// The maximum number of sequences of one state; beyond it, the search is abandoned.
const MOST: usize = 200_000;

/// What the paper's search keeps for one part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sequences {
    /// The number of sequences of turns and moves from the initial state to a terminal state, if
    /// all roles may move everywhere.
    pub all: u128,
    /// The number of sequences that the paper's rule keeps.
    pub kept: u128,
    /// The number of kept sequences of each length.
    pub lengths: Vec<u128>,
    /// The number of concepts that were compared, for each role and goal value.
    pub concepts: usize,
}

/// The number of sequences with the same turns and the same evaluation.
type Bundle = FxHashMap<(Vec<u8>, u64), u128>;

/// A goal value of a role with its concepts: the numbers of concepts and their signs.
type Wanted = Vec<(usize, bool)>;

impl Sequences {
    /// Counts the sequences of a part.
    pub fn new(
        compiled: &Compiled,
        whole: &Decomposition,
        part: usize,
        stop: &Stop,
    ) -> Result<Self, Halt> {
        Self::to_depth(compiled, whole, part, None, stop)
    }

    /// Counts the sequences of a part up to a depth; a sequence that is truncated there ends with
    /// the concepts of that state.
    pub fn to_depth(
        compiled: &Compiled,
        whole: &Decomposition,
        part: usize,
        depth: Option<usize>,
        stop: &Stop,
    ) -> Result<Self, Halt> {
        Ok(Tree::new(compiled, whole, part, depth, stop)?.search(stop)?.0)
    }
}

/// The moves of each state that the paper's rule keeps: role and successor.
pub(super) type Kept = FxHashMap<u32, Vec<(u8, u32)>>;

/// The states of a part with the data for its search.
struct Tree {
    local: Local,
    wanted: Vec<Vec<Wanted>>,
    concepts: usize,
    /// The states after each number of moves.
    levels: Vec<Vec<u32>>,
}

impl Tree {
    fn new(
        compiled: &Compiled,
        whole: &Decomposition,
        part: usize,
        depth: Option<usize>,
        stop: &Stop,
    ) -> Result<Self, Halt> {
        let network: &Network = compiled.network();
        let Concepts { wires, wanted } = Concepts::new(network, whole, part);
        if wires.len() > 64 {
            return Err(Halt::Limit("the part has more than 64 local concepts".to_owned()));
        }
        let mut tops = Tops::outcomes(network, &whole.split);
        tops.concepts[part] = wires.iter().map(|&edge| vec![edge]).collect();
        let course = Course::new(network, whole, &tops, 100_000)?;
        let local = Local::new(network, whole, &tops, &course, part, Bounds::default(), stop)?;
        if depth.is_none() && local.ends_first().is_none() {
            return Err(Halt::Limit(
                "positions of the part can repeat, so its sequences never end".to_owned(),
            ));
        }
        let mut tree = Tree { local, wanted, concepts: wires.len(), levels: vec![vec![0]] };
        while depth.is_none_or(|depth| tree.levels.len() <= depth) {
            stop.check()?;
            let last = tree.levels.last().map_or(&[][..], Vec::as_slice);
            let mut next: Vec<u32> =
                last.iter().flat_map(|&state| tree.steps(state)).map(|step| step.1).collect();
            next.sort_unstable();
            next.dedup();
            if next.is_empty() {
                break;
            }
            tree.levels.push(next);
        }
        Ok(tree)
    }

    /// The moves of all roles in a state: role and successor.
    fn steps(&self, state: u32) -> Vec<(u8, u32)> {
        let acting = |label: u32| {
            let label = self.local.labels[label as usize].iter();
            label.clone().position(|&class| class > 0).map(|role| role as u8)
        };
        let next = self.local.next[state as usize].iter();
        next.filter_map(|&(label, target)| Some((acting(label)?, target))).collect()
    }

    fn bits(&self, state: u32) -> u64 {
        let concepts = self.local.concepts[state as usize].iter().enumerate();
        concepts.fold(0u64, |all, (at, &holds)| all | u64::from(holds) << at)
    }

    /// Builds the sequences backwards from their ends, level by level.
    fn search(&self, stop: &Stop) -> Result<(Sequences, Kept), Halt> {
        let mut survivors = Kept::default();
        let mut below: FxHashMap<u32, (u128, Bundle)> = FxHashMap::default();
        for (number, level) in self.levels.iter().enumerate().rev() {
            let mut here: FxHashMap<u32, (u128, Bundle)> = FxHashMap::default();
            for &state in level {
                stop.check()?;
                let steps = self.steps(state);
                if steps.is_empty() || number + 1 == self.levels.len() {
                    let end = Bundle::from_iter([((Vec::new(), self.bits(state)), 1)]);
                    here.insert(state, (1, end));
                    continue;
                }
                let count = steps.iter().map(|step| below[&step.1].0).sum();
                let mut all = Bundle::default();
                let mut kept = Vec::new();
                for (role, wanted) in self.wanted.iter().enumerate() {
                    let own: Vec<u32> = steps
                        .iter()
                        .filter(|step| step.0 as usize == role)
                        .map(|step| step.1)
                        .collect();
                    let sets: Vec<&Bundle> = own.iter().map(|target| &below[target].1).collect();
                    for &set in &undominated(&sets, wanted) {
                        kept.push((role as u8, own[set]));
                        sets[set].iter().for_each(|((turns, end), many)| {
                            let turns = [&[role as u8], &turns[..]].concat();
                            *all.entry((turns, *end)).or_default() += many;
                        });
                    }
                }
                if all.len() > MOST {
                    return Err(Halt::Limit(format!("a state keeps more than {MOST} sequences")));
                }
                survivors.insert(state, kept);
                here.insert(state, (count, all));
            }
            below = here;
        }
        let (all, kept) = below.remove(&0).unwrap_or_default();
        let mut lengths = Vec::new();
        kept.iter().for_each(|((turns, _), many)| {
            if lengths.len() <= turns.len() {
                lengths.resize(turns.len() + 1, 0);
            }
            lengths[turns.len()] += many;
        });
        let sequences =
            Sequences { all, kept: kept.values().sum(), lengths, concepts: self.concepts };
        Ok((sequences, survivors))
    }
}

/// The sets that no other set dominates by the paper's rule.
fn undominated(sets: &[&Bundle], wanted: &[Wanted]) -> Vec<usize> {
    let masks: Vec<(u64, u64)> = wanted
        .iter()
        .map(|wanted| {
            wanted.iter().fold((0, 0), |(yes, no), &(at, positive)| {
                if positive { (yes | 1 << at, no) } else { (yes, no | 1 << at) }
            })
        })
        .collect();
    // Ends grouped by turns, so that only sequences with the same turns are compared.
    let grouped: Vec<FxHashMap<&[u8], Vec<u64>>> = sets
        .iter()
        .map(|set| {
            let mut by: FxHashMap<&[u8], Vec<u64>> = FxHashMap::default();
            set.keys().for_each(|(turns, end)| by.entry(turns).or_default().push(*end));
            by
        })
        .collect();
    // For each goal value, the lowest first: whether every sequence of one set has one in the other
    // that is at least as good, and whether one is better.
    let compare = |low: usize, high: usize, (yes, no): (u64, u64)| {
        let mut strict = false;
        let all = grouped[low].iter().all(|(turns, ends)| {
            let Some(others) = grouped[high].get(turns) else { return false };
            ends.iter().all(|&end| {
                let (has, lacks) = (end & yes, !end & no);
                let mut found = false;
                for &other in others {
                    let (other_has, other_lacks) = (other & yes, !other & no);
                    if has & !other_has == 0 && lacks & !other_lacks == 0 {
                        found = true;
                        strict |= other_has != has || other_lacks != lacks;
                    }
                }
                found
            })
        });
        (all, all && strict)
    };
    let dominated = |low: usize, high: usize| {
        let results: Vec<(bool, bool)> =
            masks.iter().map(|&masks| compare(low, high, masks)).collect();
        // Strictly better at some value, and not worse at any higher one.
        let higher = |at: usize| results[at + 1..].iter().all(|result| result.0);
        let strict = (0..results.len()).any(|at| results[at] == (true, true) && higher(at));
        (strict || results.iter().all(|result| result.0), strict)
    };
    let mut alive: Vec<usize> = (0..sets.len()).collect();
    let mut at = 0;
    while at < alive.len() {
        let one = alive[at];
        if alive.iter().any(|&other| other != one && dominated(one, other).0) {
            alive.remove(at);
        } else {
            at += 1;
        }
    }
    alive
}
