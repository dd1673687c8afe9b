//! The search for a small proof.
//!
//! Starting from an atom, the search finds all rule instances that derive it, then those that
//! derive their conditions, until nothing new is found. In this graph the smallest proofs are
//! settled bottom-up, smaller ones first, so a proof never depends on itself.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use magister_core::{Halt, Stop};
use rustc_hash::FxHashMap;

use super::join::{Bounds, instances};
use crate::program::{Goal, Pattern};
use crate::reference::bind::value;
use crate::reference::{Bindings, Reference};
use crate::term::{Functor, TermId};

/// The support of the atoms of a proof: a rule with bindings, or a fact.
pub(super) type Proof = FxHashMap<TermId, Option<(u32, Bindings)>>;

/// The maximum number of instances of a rule per atom, and of a graph. If there is no proof within
/// these limits, the next limits apply.
const ROUNDS: [(usize, usize); 3] = [(32, 50_000), (4_096, 500_000), (usize::MAX, 2_000_000)];

/// One support of an atom.
struct Support {
    atom: u32,
    rule: u32,
    bindings: Bindings,
    /// The atoms it depends on, without duplicates.
    needs: Box<[u32]>,
    /// The number of those that have no proof yet.
    missing: u32,
    size: u64,
}

#[derive(Default)]
struct Graph {
    atoms: Vec<TermId>,
    index: FxHashMap<TermId, u32>,
    facts: Vec<bool>,
    supports: Vec<Support>,
    /// The supports that depend on an atom.
    users: Vec<Vec<u32>>,
}

/// A proof of a ground atom that holds: its support and everything below it.
pub(super) fn prove(reference: &mut Reference, atom: TermId, stop: &Stop) -> Result<Proof, Halt> {
    for (each, all) in ROUNDS {
        let (graph, complete) = explore(reference, atom, each, all, stop)?;
        if let Some(proof) = settle(&graph, stop)? {
            return Ok(proof);
        }
        if complete {
            break;
        }
    }
    let atom = reference.terms().export(atom);
    Err(Halt::Limit(format!(
        "the proof of `{atom}` was not found among {} instances of rules; ask for a part of it",
        ROUNDS[2].1
    )))
}

impl Graph {
    fn number(&mut self, atom: TermId) -> u32 {
        *self.index.entry(atom).or_insert_with(|| {
            self.atoms.push(atom);
            self.users.push(Vec::new());
            self.atoms.len() as u32 - 1
        })
    }
}

/// The graph below an atom, and whether it is complete.
fn explore(
    reference: &mut Reference,
    atom: TermId,
    each: usize,
    all: usize,
    stop: &Stop,
) -> Result<(Graph, bool), Halt> {
    let mut graph = Graph::default();
    graph.number(atom);
    let mut complete = true;
    let mut next = 0;
    while next < graph.atoms.len() {
        stop.check()?;
        let (number, atom) = (next as u32, graph.atoms[next]);
        next += 1;
        let fact = reference.is_fact(atom);
        graph.facts.push(fact);
        if fact {
            continue;
        }
        let Some(relation) = reference.program().relation(reference.terms().functor(atom)) else {
            continue;
        };
        let args: Vec<Pattern> =
            reference.terms().args(atom).iter().map(|&arg| Pattern::Ground(arg)).collect();
        for rule in reference.program().relations[relation.index()].rules.clone() {
            let Some(bindings) = reference.open_head(rule, &args) else { continue };
            if graph.supports.len() >= all {
                complete = false;
                break;
            }
            let bounds = Bounds { found: each, asked: usize::MAX };
            let result = instances(reference, rule, &bindings, &[], 0, bounds, stop)?;
            complete &= !result.cut;
            for instance in result.found {
                let needs = needs(reference, rule, &instance.bindings);
                let conditions = reference.program().rules[rule as usize].body.len() as u64;
                let mut needs: Vec<u32> = needs.iter().map(|&a| graph.number(a)).collect();
                let repeated = needs.len();
                needs.sort_unstable();
                needs.dedup();
                let support = graph.supports.len() as u32;
                needs.iter().for_each(|&need| graph.users[need as usize].push(support));
                graph.supports.push(Support {
                    atom: number,
                    rule,
                    bindings: instance.bindings,
                    missing: needs.len() as u32,
                    needs: needs.into(),
                    // A condition counts as one, in addition to its proof.
                    size: 1 + conditions - repeated as u64,
                });
            }
        }
    }
    graph.facts.resize(graph.atoms.len(), false);
    Ok((graph, complete))
}

/// The atoms that an instance of a rule depends on.
fn needs(reference: &mut Reference, rule: u32, bindings: &[TermId]) -> Vec<TermId> {
    let body = reference.program().rules[rule as usize].body.clone();
    let positive = body.iter().filter(|literal| !literal.negated);
    positive.filter_map(|literal| ground_atom(reference, &literal.goal, bindings)).collect()
}

/// The ground atom of a relation's condition under bindings.
pub(super) fn ground_atom(
    reference: &mut Reference,
    goal: &Goal,
    bindings: &[TermId],
) -> Option<TermId> {
    let Goal::Relation(atom) = goal else { return None };
    let Functor { symbol, arity } = reference.program().relations[atom.relation.index()].functor;
    let terms = reference.terms_mut();
    let args: Option<Vec<TermId>> =
        atom.args.iter().map(|arg| value(arg, bindings, terms)).collect();
    let args = args?;
    Some(match arity {
        None => terms.constant(symbol),
        Some(_) => terms.compound(symbol, &args),
    })
}

/// The smallest proof of the first atom, if the graph has one.
fn settle(graph: &Graph, stop: &Stop) -> Result<Option<Proof>, Halt> {
    let mut sizes: Vec<u64> = vec![u64::MAX; graph.atoms.len()];
    let mut chosen: Vec<Option<u32>> = vec![None; graph.atoms.len()];
    let mut missing: Vec<u32> = graph.supports.iter().map(|s| s.missing).collect();
    let mut totals: Vec<u64> = graph.supports.iter().map(|s| s.size).collect();
    // By size, then in order of discovery.
    let mut queue: BinaryHeap<Reverse<(u64, Option<u32>, u32)>> = BinaryHeap::new();
    for (atom, &fact) in graph.facts.iter().enumerate() {
        if fact {
            queue.push(Reverse((1, None, atom as u32)));
        }
    }
    for (number, support) in graph.supports.iter().enumerate() {
        if support.missing == 0 {
            queue.push(Reverse((support.size, Some(number as u32), support.atom)));
        }
    }
    let mut turns = 0_u32;
    while let Some(Reverse((size, support, atom))) = queue.pop() {
        turns += 1;
        if turns.is_multiple_of(4096) {
            stop.check()?;
        }
        if sizes[atom as usize] != u64::MAX {
            continue;
        }
        sizes[atom as usize] = size;
        chosen[atom as usize] = support;
        if atom == 0 {
            break;
        }
        for &user in &graph.users[atom as usize] {
            let user = user as usize;
            missing[user] -= 1;
            totals[user] = totals[user].saturating_add(size).min(u64::MAX - 1);
            if missing[user] == 0 {
                let support = &graph.supports[user];
                queue.push(Reverse((totals[user], Some(user as u32), support.atom)));
            }
        }
    }
    if sizes[0] == u64::MAX {
        return Ok(None);
    }
    let mut proof = Proof::default();
    let mut rest = vec![0_u32];
    while let Some(atom) = rest.pop() {
        let term = graph.atoms[atom as usize];
        if proof.contains_key(&term) {
            continue;
        }
        let given = chosen[atom as usize].map(|number| &graph.supports[number as usize]);
        proof.insert(term, given.map(|support| (support.rule, support.bindings.clone())));
        rest.extend(given.into_iter().flat_map(|support| support.needs.iter().copied()));
    }
    Ok(Some(proof))
}
