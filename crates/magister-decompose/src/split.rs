//! The partition of the fluents into parts that do not influence each other.
//!
//! Fluents are joined if one occurs in the next value of the other, if they exclude each other, if
//! moves bind them together, or if they occur together in one condition of a legal move. Conditions
//! of goals and `terminal` that concern several parts at once join them as well, except for the
//! outermost conjunctions and disjunctions, which express how a game of games is scored.

use magister_core::{Halt, Stop};
use magister_engine::network::{Edge, Network};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::effects::{Effects, Idle};
use crate::prove::Prover;
use crate::support::{Support, Union, conjuncts};

/// How much of the structure of goals and `terminal` joins parts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Merge {
    /// Everything below the outermost gate.
    Strong,
    /// The conditions of each named relation of the rules.
    Named,
    /// Everything below the outermost disjunction of conjunctions, and conjunctions of fluents.
    Medium,
    /// Everything below the outermost disjunction of conjunctions.
    Weak,
}

/// Where moves may bind; see [`Work::join_moves`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binding {
    /// Between parts.
    Parts,
    /// Between groups of fluents that exclude each other. A move that presses any two lamps binds
    /// no lamps, but it binds the rooms they are in: two lamps of one room are one action on the
    /// room. The search takes this into account.
    Fluents,
}

/// Marks fluents outside of all parts, which no move acts on.
pub(crate) const CONTEXT: u32 = u32::MAX;

/// A partition of the fluents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Split {
    /// The part of every fluent, or [`CONTEXT`].
    pub(crate) part_of: Vec<u32>,
    /// The number of parts.
    pub(crate) parts: usize,
    /// Pairs of parts, the first of which must be over before the second begins, and the wire of
    /// this condition.
    pub(crate) serial: Vec<(u32, u32, Edge)>,
}

/// The effect of a move: the part, its fluents with the wires of their next values, and the side of
/// the guard.
type Action = (u32, Vec<(u32, Edge)>, u8);

/// The class of a move in a part: moves of one class have the same effect on it.
pub(crate) type Classes = Vec<(u32, u32)>;

impl Split {
    pub(crate) fn new(
        network: &Network,
        effects: &Effects,
        merge: Merge,
        binding: Binding,
        stop: &Stop,
    ) -> Result<Self, Halt> {
        let mut work = Work::new(network, effects);
        work.join_groups();
        if binding == Binding::Fluents {
            while work.join_moves() {
                stop.check()?;
            }
        }
        work.join_next();
        let parts_bind = binding == Binding::Parts;
        let mut serial = Vec::new();
        for concepts in [false, true] {
            match merge {
                _ if !concepts => {}
                Merge::Named => work.join_named(),
                Merge::Strong | Merge::Medium | Merge::Weak => work.join_concepts(merge),
            }
            loop {
                stop.check()?;
                // Parts that concepts join may be bound by moves; the search takes this into
                // account.
                if (!concepts && parts_bind && work.join_moves()) || work.join_conditions() {
                    continue;
                }
                let (joined, found) = work.join_readers(stop);
                serial = found;
                if !joined {
                    break;
                }
            }
        }
        let mut numbers: FxHashMap<usize, u32> = FxHashMap::default();
        let mut part_of = vec![CONTEXT; network.fluents()];
        for (fluent, part) in part_of.iter_mut().enumerate() {
            if !work.context[fluent] {
                let root = work.union.find(fluent);
                let next = numbers.len() as u32;
                *part = *numbers.entry(root).or_insert(next);
            }
        }
        let serial =
            serial.into_iter().map(|(a, b, edge)| (numbers[&a], numbers[&b], edge)).collect();
        Ok(Split { part_of, parts: numbers.len(), serial })
    }

    /// Whether every part of another partition lies in one part of this one, and it has more parts.
    pub(crate) fn is_coarser(&self, other: &Split) -> bool {
        let mut into: FxHashMap<u32, u32> = FxHashMap::default();
        let inside = |(&own, &part): (&u32, &u32)| *into.entry(part).or_insert(own) == own;
        self.parts < other.parts && self.part_of.iter().zip(&other.part_of).all(inside)
    }

    /// For every move, the parts that it acts on, with its class in each.
    pub(crate) fn classes(&self, network: &Network, effects: &Effects) -> Vec<Classes> {
        classes(network, effects, |fluent| self.part_of[fluent])
    }

    /// The parts that some wires depend on.
    pub(crate) fn parts_below(&self, network: &Network, edges: &[Edge]) -> FxHashSet<u32> {
        let mut found = FxHashSet::default();
        Support::new().each(&network.graph, edges.iter().copied(), |input| {
            if input < network.fluents() && self.part_of[input] != CONTEXT {
                found.insert(self.part_of[input]);
            }
        });
        found
    }
}

fn classes(
    network: &Network,
    effects: &Effects,
    mut part_of: impl FnMut(usize) -> u32,
) -> Vec<Classes> {
    let mut known: FxHashMap<Action, u32> = FxHashMap::default();
    let mut count: FxHashMap<u32, u32> = FxHashMap::default();
    let mut all = Vec::with_capacity(network.moves.len());
    for (acts, &side) in effects.acts.iter().zip(&effects.sides) {
        let mut by_part: Vec<(u32, Vec<(u32, Edge)>)> = Vec::new();
        for &(fluent, edge) in acts {
            let part = part_of(fluent as usize);
            match by_part.iter_mut().find(|(other, _)| *other == part) {
                Some((_, list)) => list.push((fluent, edge)),
                None => by_part.push((part, vec![(fluent, edge)])),
            }
        }
        by_part.sort_unstable();
        let number = |(part, list): (u32, Vec<(u32, Edge)>)| {
            let next = count.entry(part).or_default();
            let class = *known.entry((part, list, side)).or_insert_with(|| {
                *next += 1;
                *next
            });
            (part, class)
        };
        all.push(by_part.into_iter().map(number).collect());
    }
    all
}

/// Fluents that change independently of all moves: no move acts on them, and their next values
/// depend only on such fluents. A turn that every move ends is one of them.
fn context(network: &Network, effects: &Effects) -> Vec<bool> {
    let fluents = network.fluents();
    let mut free = vec![true; fluents];
    effects.acts.iter().flatten().for_each(|&(fluent, _)| free[fluent as usize] = false);
    let mut support = Support::new();
    let mut needs: Vec<Vec<usize>> = vec![Vec::new(); fluents];
    for fluent in (0..fluents).filter(|&fluent| !effects.context[fluent]) {
        let wire = match effects.idle[fluent] {
            Idle::Keeps => continue,
            Idle::Follows => network.next[fluent],
            Idle::Gets(edge) => edge,
        };
        let below = &mut needs[fluent];
        support.each(&effects.graph, [wire], |input| below.push(input));
        free[fluent] &= below.iter().all(|&input| input < fluents);
        below.retain(|&input| input < fluents);
    }
    loop {
        let before = free.clone();
        for fluent in 0..fluents {
            free[fluent] &= needs[fluent].iter().all(|&need| before[need]);
        }
        if free == before {
            break;
        }
    }
    effects.context.iter().zip(free).map(|(&context, free)| context || free).collect()
}

struct Work<'a> {
    network: &'a Network,
    effects: &'a Effects,
    union: Union,
    context: Vec<bool>,
    support: Support,
    /// The conditions of legal moves that were examined.
    done: FxHashSet<Edge>,
}

impl<'a> Work<'a> {
    fn new(network: &'a Network, effects: &'a Effects) -> Self {
        let context = context(network, effects);
        Work {
            network,
            effects,
            union: Union::new(network.fluents()),
            context,
            support: Support::new(),
            done: FxHashSet::default(),
        }
    }

    /// Joins all parts that a wire of the network or of the specialised circuits depends on.
    fn join_below(&mut self, edge: Edge, with: Option<usize>) -> bool {
        let (context, fluents) = (&self.context, self.network.fluents());
        let mut below: Vec<usize> = with.into_iter().collect();
        self.support.each(&self.effects.graph, [edge], |input| {
            if input < fluents && !context[input] {
                below.push(input);
            }
        });
        self.union.join_all(below)
    }

    /// Joins fluents that exclude each other.
    fn join_groups(&mut self) {
        for group in &self.network.invariants.groups {
            let members = group.members.iter().map(|node| node.index() - 1);
            let free: Vec<usize> = members.filter(|&fluent| !self.context[fluent]).collect();
            self.union.join_all(free);
        }
    }

    /// Joins fluents that occur in each other's next values.
    fn join_next(&mut self) {
        let mut done: FxHashSet<(u32, Edge)> = FxHashSet::default();
        for acts in &self.effects.acts {
            for &(fluent, edge) in acts {
                if !self.context[fluent as usize] && done.insert((fluent, edge)) {
                    self.join_below(edge, Some(fluent as usize));
                }
            }
        }
        for fluent in (0..self.network.fluents()).filter(|&f| !self.context[f]).collect::<Vec<_>>()
        {
            match self.effects.idle[fluent] {
                Idle::Keeps => {}
                Idle::Follows => {
                    self.join_below(self.network.next[fluent], Some(fluent));
                }
                Idle::Gets(edge) => {
                    self.join_below(edge, Some(fluent));
                }
            }
        }
    }

    /// Joins parts that moves bind together. Two parts stay separate if no move acts on both; if
    /// every pair of actions on them occurs, alone and together; or if every move acts on both, and
    /// every pair of actions occurs.
    fn join_moves(&mut self) -> bool {
        let union = &mut self.union;
        let classes = classes(self.network, self.effects, |fluent| union.find(fluent) as u32);
        let roles = self.network.roles();
        let mut changed = false;
        for role in 0..roles {
            let own: Vec<&Classes> = (0..classes.len())
                .filter(|&place| self.network.moves[place].0.index() == role)
                .map(|place| &classes[place])
                .collect();
            let mut kinds: FxHashMap<u32, FxHashSet<u32>> = FxHashMap::default();
            let mut places: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
            let mut pairs: FxHashMap<(u32, u32), FxHashSet<(u32, u32)>> = FxHashMap::default();
            for (number, list) in own.iter().enumerate() {
                for (at, &(part, class)) in list.iter().enumerate() {
                    kinds.entry(part).or_default().insert(class);
                    places.entry(part).or_default().push(number);
                    for &(before, other) in &list[..at] {
                        pairs.entry((before, part)).or_default().insert((other, class));
                    }
                }
            }
            let mut pairs: Vec<_> = pairs.into_iter().collect();
            pairs.sort_unstable_by_key(|(pair, _)| *pair);
            for ((a, b), seen) in pairs {
                if self.union.find(a as usize) == self.union.find(b as usize) {
                    continue;
                }
                let (of_a, of_b) = (kinds[&a].len(), kinds[&b].len());
                let alone = |one: u32, other: u32| -> usize {
                    let without = |&&number: &&usize| own[number].iter().all(|&(p, _)| p != other);
                    let class = |&number: &usize| own[number].iter().find(|&&(p, _)| p == one);
                    let found = places[&one].iter().filter(without).filter_map(class);
                    found.map(|&(_, class)| class).collect::<FxHashSet<u32>>().len()
                };
                let every = seen.len() == of_a * of_b;
                let apart = every && {
                    let (lone_a, lone_b) = (alone(a, b), alone(b, a));
                    (lone_a == of_a && lone_b == of_b)
                        || (lone_a + lone_b == 0 && of_a > 1 && of_b > 1)
                };
                if !apart {
                    changed |= self.union.join(a as usize, b as usize);
                }
            }
        }
        changed
    }

    /// Joins parts that occur in one condition of a legal move.
    fn join_conditions(&mut self) -> bool {
        let mut changed = false;
        for (place, acts) in self.effects.acts.iter().enumerate() {
            if acts.is_empty() {
                continue;
            }
            for edge in conjuncts(&self.network.graph, self.network.legal[place]) {
                if self.done.insert(edge) {
                    changed |= self.join_below(edge, None);
                }
            }
        }
        changed
    }

    /// Joins two parts if the legal moves of one depend on the other, unless they are serial.
    /// Returns whether anything was joined, and the serial pairs.
    fn join_readers(&mut self, stop: &Stop) -> (bool, Vec<(usize, usize, Edge)>) {
        // For a part and a part that it depends on, the number of moves with each condition.
        let mut reads: FxHashMap<(usize, usize), FxHashMap<Edge, usize>> = FxHashMap::default();
        let mut moves: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (place, acts) in self.effects.acts.iter().enumerate() {
            if acts.is_empty() {
                continue;
            }
            let own: FxHashSet<usize> = acts
                .iter()
                .filter(|&&(fluent, _)| !self.context[fluent as usize])
                .map(|&(fluent, _)| self.union.find(fluent as usize))
                .collect();
            let mut own: Vec<usize> = own.into_iter().collect();
            own.sort_unstable();
            own.iter().for_each(|&part| moves.entry(part).or_default().push(place));
            for edge in conjuncts(&self.network.graph, self.network.legal[place]) {
                let mut below = None;
                let (context, fluents) = (&self.context, self.network.fluents());
                self.support.each(&self.network.graph, [edge], |input| {
                    if input < fluents && !context[input] {
                        below = Some(input);
                    }
                });
                let Some(read) = below.map(|fluent| self.union.find(fluent)) else { continue };
                if own.contains(&read) {
                    continue;
                }
                for &part in &own {
                    *reads.entry((part, read)).or_default().entry(edge).or_default() += 1;
                }
            }
        }
        let mut pairs: Vec<_> = reads.keys().copied().collect();
        pairs.sort_unstable();
        if pairs.is_empty() {
            return (false, Vec::new());
        }
        let mut prover = Prover::new(self.network, &self.network.graph, stop);
        let mut serial = Vec::new();
        let mut joins = Vec::new();
        for (part, read) in pairs {
            let conditions = &reads[&(part, read)];
            let all = moves[&part].len();
            let mut found: Vec<Edge> =
                conditions.iter().filter(|&(_, &n)| n == all).map(|(&edge, _)| edge).collect();
            found.sort_unstable();
            let none = Vec::new();
            let earlier = moves.get(&read).unwrap_or(&none);
            // The end of the earlier part: the conditions on it that all moves of the later part
            // share.
            let over: Vec<_> = found.iter().map(|&edge| prover.lit(edge)).collect();
            let follows = !found.is_empty()
                && found.len() == conditions.len()
                && !reads.contains_key(&(read, part))
                && earlier.iter().all(|&place| {
                    let mut lits = over.clone();
                    lits.push(prover.lit(self.network.legal[place]));
                    prover.never(&lits)
                });
            if follows {
                serial.push((read, part, found[0]));
            } else {
                joins.push((part, read));
            }
        }
        let joined = !joins.is_empty();
        for (part, read) in joins {
            self.union.join(part, read);
        }
        (joined, serial)
    }

    /// Joins parts by the structure of goals and `terminal`.
    fn join_concepts(&mut self, merge: Merge) {
        let mut roots: Vec<Edge> = self.network.goals.iter().map(|goal| goal.when).collect();
        roots.push(self.network.terminal);
        let mixed = self.mixed(&roots);
        // Gates that several gates use.
        let (mut once, mut shared) = (FxHashSet::default(), FxHashSet::default());
        for node in self.network.graph.reachable(roots.iter().copied()) {
            for child in self.network.graph.children(node) {
                let number = child.node().index() as u32;
                if !once.insert(number) {
                    shared.insert(number);
                }
            }
        }
        let mut done: FxHashSet<(Edge, u32)> = FxHashSet::default();
        for root in roots {
            let mut stack = vec![(root, 1u32)];
            while let Some((edge, level)) = stack.pop() {
                if !mixed.contains(&(edge.node().index() as u32)) || !done.insert((edge, level)) {
                    continue;
                }
                // The gate with all gates of its kind below it: a conjunction, or a disjunction if
                // the wire is negated.
                let mut leaves = Vec::new();
                let mut open = vec![edge.node()];
                while let Some(node) = open.pop() {
                    for &child in self.network.graph.children(node) {
                        let number = child.node().index() as u32;
                        if !child.negated() && mixed.contains(&number) {
                            // A conjunction that several others share is a separate concept.
                            if merge == Merge::Medium && shared.contains(&number) {
                                leaves.push(child);
                            } else {
                                open.push(child.node());
                            }
                        } else {
                            leaves.push(child);
                        }
                    }
                }
                let plain = leaves.iter().all(|leaf| self.network.graph.is_input(leaf.node()));
                let join = match merge {
                    Merge::Strong => level >= 2,
                    Merge::Medium => level >= 3 || (level == 2 && plain),
                    Merge::Weak | Merge::Named => level >= 3,
                };
                if join {
                    self.join_below(edge, None);
                } else {
                    // A negated child of a conjunction is a disjunction, and vice versa.
                    let next = |leaf: Edge| if leaf.negated() { level + 1 } else { 3 };
                    stack.extend(leaves.into_iter().map(|leaf| (leaf, next(leaf))));
                }
            }
        }
    }

    /// Joins the parts that each rule of a named condition depends on. A condition that already
    /// depends on several parts, such as the end of earlier games, is ignored, and so is one that
    /// is defined by the same relation: it says that an earlier game of a chain is won.
    fn join_named(&mut self) {
        /// What a concept depends on.
        #[derive(Clone, Copy, PartialEq)]
        enum Below {
            Nothing,
            One(usize),
            Several,
        }
        let concepts = &self.network.concepts;
        let fluents = self.network.fluents();
        loop {
            let mut below = vec![Below::Nothing; concepts.len()];
            // Concepts may use each other.
            let mut settled = false;
            while !settled {
                settled = true;
                for (at, concept) in concepts.iter().enumerate().rev() {
                    let mut all = below[at];
                    for &literal in concept.bodies.iter().flatten() {
                        let other = match literal as usize {
                            fluent if fluent < fluents && self.context[fluent] => Below::Nothing,
                            fluent if fluent < fluents => Below::One(self.union.find(fluent)),
                            concept => below[concept - fluents],
                        };
                        all = match (all, other) {
                            (Below::Nothing, other) | (other, Below::Nothing) => other,
                            (Below::One(a), Below::One(b)) if a == b => all,
                            _ => Below::Several,
                        };
                    }
                    settled &= all == below[at];
                    below[at] = all;
                }
            }
            let mut joined = false;
            for concept in concepts.iter().filter(|concept| !concept.outermost) {
                for body in &concept.bodies {
                    let single = |&literal: &u32| match literal as usize {
                        fluent if fluent < fluents && self.context[fluent] => None,
                        fluent if fluent < fluents => Some(fluent),
                        other if concepts[other - fluents].relation == concept.relation => None,
                        other => match below[other - fluents] {
                            Below::One(part) => Some(part),
                            Below::Nothing | Below::Several => None,
                        },
                    };
                    let parts: Vec<usize> = body.iter().filter_map(single).collect();
                    joined |= self.union.join_all(parts);
                }
            }
            if !joined {
                return;
            }
        }
    }

    /// The gates below these wires that depend on fluents of several parts.
    fn mixed(&mut self, roots: &[Edge]) -> FxHashSet<u32> {
        let graph = &self.network.graph;
        // For each gate, the only part that it depends on, if there is just one.
        let mut one: FxHashMap<u32, usize> = FxHashMap::default();
        let mut mixed: FxHashSet<u32> = FxHashSet::default();
        for node in graph.reachable(roots.iter().copied()) {
            let number = node.index() as u32;
            if graph.is_input(node) {
                let fluent = node.index().wrapping_sub(1);
                if fluent < self.network.fluents() && !self.context[fluent] {
                    one.insert(number, self.union.find(fluent));
                }
                continue;
            }
            for child in graph.children(node) {
                let child = child.node().index() as u32;
                if mixed.contains(&child) {
                    mixed.insert(number);
                } else if let Some(&part) = one.get(&child)
                    && *one.entry(number).or_insert(part) != part
                {
                    mixed.insert(number);
                }
            }
        }
        mixed
    }
}
