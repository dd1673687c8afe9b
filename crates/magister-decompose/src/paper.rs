//! The search of Zhao, Schiffel and Thielscher (2009), for comparison: sequences of turns and moves
//! of one part, and their domination rule.
//!
//! The rule is unsound. It compares sets of sequences and ignores that the opponent chooses among
//! them. [`Sum::prune`](crate::Sum::prune) is the sound replacement.

use magister_core::{Halt, Stop};
use magister_engine::Compiled;
use magister_engine::network::{Edge, Network, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::decomposition::Decomposition;
use crate::local::{Bounds, Course, Local};
use crate::tops::Tops;

/// Sequences that are kept of one state; beyond it the work is given up.
const MOST: usize = 200_000;

/// What the paper's search keeps of one part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sequences {
    /// Sequences of turns and moves from the first state to an end, all roles moving everywhere.
    pub all: u128,
    /// Sequences that are left by the paper's rule.
    pub kept: u128,
    /// How many of these have each length.
    pub lengths: Vec<u128>,
    /// The concepts that were compared, for each role and goal value.
    pub concepts: usize,
}

/// Sequences with the same turns and the same evaluation: how many.
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
        let network: &Network = compiled.network();
        let Concepts { wires, wanted } = Concepts::new(network, whole, part);
        if wires.len() > 64 {
            return Err(Halt::Limit("the part has more than 64 local concepts".to_owned()));
        }
        let mut tops = Tops::outcomes(network, &whole.split);
        tops.concepts[part] = wires.iter().map(|&edge| vec![edge]).collect();
        let course = Course::new(network, whole, &tops, 100_000)?;
        let local = Local::new(network, whole, &tops, &course, part, Bounds::default(), stop)?;
        let order = local.ends_first().ok_or_else(|| {
            Halt::Limit("positions of the part can repeat, so its sequences never end".to_owned())
        })?;
        let bits = |state: usize| {
            let concepts = local.concepts[state].iter().enumerate();
            concepts.fold(0u64, |all, (at, &holds)| all | u64::from(holds) << at)
        };
        let mut count = vec![0u128; local.len()];
        let mut kept: Vec<Bundle> = vec![Bundle::default(); local.len()];
        for &state in &order {
            stop.check()?;
            let moves = &local.next[state];
            let acting = |label: u32| local.labels[label as usize].iter().position(|&c| c > 0);
            let steps: Vec<(usize, usize)> = moves
                .iter()
                .filter_map(|&(label, target)| Some((acting(label)?, target as usize)))
                .collect();
            if steps.is_empty() {
                count[state] = 1;
                kept[state].insert((Vec::new(), bits(state)), 1);
                continue;
            }
            count[state] = steps.iter().map(|&(_, target)| count[target]).sum();
            let mut all = Bundle::default();
            for (role, wanted) in wanted.iter().enumerate() {
                let sets: Vec<&Bundle> =
                    steps.iter().filter(|step| step.0 == role).map(|step| &kept[step.1]).collect();
                for &set in &undominated(&sets, wanted) {
                    sets[set].iter().for_each(|((turns, end), many)| {
                        let turns = [&[role as u8], &turns[..]].concat();
                        *all.entry((turns, *end)).or_default() += many;
                    });
                }
            }
            if all.len() > MOST {
                return Err(Halt::Limit(format!("a state keeps more than {MOST} sequences")));
            }
            kept[state] = all;
        }
        let mut lengths = Vec::new();
        kept[0].iter().for_each(|((turns, _), many)| {
            if lengths.len() <= turns.len() {
                lengths.resize(turns.len() + 1, 0);
            }
            lengths[turns.len()] += many;
        });
        Ok(Sequences {
            all: count[0],
            kept: kept[0].values().sum(),
            lengths,
            concepts: wires.len(),
        })
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
    // Ends by turns, so that only sequences with the same turns are compared.
    let grouped: Vec<FxHashMap<&[u8], Vec<u64>>> = sets
        .iter()
        .map(|set| {
            let mut by: FxHashMap<&[u8], Vec<u64>> = FxHashMap::default();
            set.keys().for_each(|(turns, end)| by.entry(turns).or_default().push(*end));
            by
        })
        .collect();
    // Whether every sequence of one set has one of the other that is at least as good, and whether
    // one is better, for each goal value, the lowest first.
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

/// The local concepts of a part: wires, and for each role and goal value the signed concepts.
struct Concepts {
    wires: Vec<Edge>,
    wanted: Vec<Vec<Wanted>>,
}

impl Concepts {
    fn new(network: &Network, whole: &Decomposition, part: usize) -> Self {
        let mut concepts = Concepts { wires: Vec::new(), wanted: Vec::new() };
        // Disjunctions that goals ask for are atoms, and so is what the end is made of;
        // conjunctions are opened down to atoms.
        let mut atoms: FxHashSet<NodeId> = FxHashSet::default();
        for goal in &network.goals {
            let found = literals(network, whole, part, goal.when);
            atoms.extend(found.iter().filter(|edge| edge.negated()).map(|edge| edge.node()));
        }
        let of_end: Vec<Edge> = literals(network, whole, part, network.terminal)
            .into_iter()
            .flat_map(|edge| opened(network, &atoms, edge))
            .collect();
        atoms.extend(of_end.iter().map(|edge| edge.node()));
        let of_end: Vec<(usize, bool)> =
            of_end.into_iter().map(|literal| concepts.number(literal)).collect();
        for role in 0..network.roles() {
            let mut values: Vec<f64> = network
                .goals
                .iter()
                .filter(|goal| goal.role.index() == role)
                .filter_map(|goal| goal.value)
                .collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            let mut lists = Vec::new();
            for value in values {
                let mut list: Wanted = of_end.clone();
                for goal in &network.goals {
                    if goal.role.index() == role && goal.value == Some(value) {
                        for edge in literals(network, whole, part, goal.when) {
                            for literal in opened(network, &atoms, edge) {
                                list.push(concepts.number(literal));
                            }
                        }
                    }
                }
                list.sort_unstable();
                list.dedup();
                lists.push(list);
            }
            concepts.wanted.push(lists);
        }
        concepts
    }

    fn number(&mut self, edge: Edge) -> (usize, bool) {
        let (wire, positive) = if edge.negated() { (!edge, false) } else { (edge, true) };
        let at = self.wires.iter().position(|&other| other == wire).unwrap_or_else(|| {
            self.wires.push(wire);
            self.wires.len() - 1
        });
        (at, positive)
    }
}

/// A signed wire opened down to atoms, inputs and disjunctions.
fn opened(network: &Network, atoms: &FxHashSet<NodeId>, edge: Edge) -> Vec<Edge> {
    if atoms.contains(&edge.node()) || network.graph.is_input(edge.node()) {
        return vec![edge];
    }
    let mut found = Vec::new();
    let mut open = vec![edge.node()];
    while let Some(node) = open.pop() {
        for &child in network.graph.children(node) {
            let gate = !network.graph.is_input(child.node());
            if gate && !child.negated() && !atoms.contains(&child.node()) {
                open.push(child.node());
            } else {
                found.push(if edge.negated() { !child } else { child });
            }
        }
    }
    found
}

/// The signed wires below a wire that depend on one part alone and belong to no larger such wire.
fn literals(network: &Network, whole: &Decomposition, part: usize, root: Edge) -> Vec<Edge> {
    let mut found = Vec::new();
    // A wire, and whether the path to it negates it.
    let mut stack = vec![root];
    while let Some(edge) = stack.pop() {
        let below = whole.split.parts_below(network, &[edge]);
        if below.len() == 1 && below.contains(&(part as u32)) {
            if !found.contains(&edge) {
                found.push(edge);
            }
        } else if below.contains(&(part as u32)) {
            let children = network.graph.children(edge.node());
            stack.extend(children.iter().map(|&child| if edge.negated() { !child } else { child }));
        }
    }
    found
}
