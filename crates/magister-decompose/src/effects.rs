//! The effect of each move on each fluent.
//!
//! The circuit of every fluent's next value is specialised to every move: the move is made, its
//! role makes no other move, and everything that its legality implies is true. Equal results have
//! the same wire, because gates are shared. A move acts on a fluent if the result differs from the
//! fluent's value without the move.

use magister_core::{Halt, Stop};
use magister_engine::network::{Edge, Graph, InputId, Network};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::prove::Prover;
use crate::support::{Support, facts};

/// The maximum number of gates times moves; larger games are refused.
const WORK: usize = 400_000_000;
/// The maximum number of stored results: fluents times moves.
const ROOM: usize = 60_000_000;

/// The maximum number of wires of the circuit times SAT queries about single moves and fluents.
const QUESTIONS: usize = 20_000_000;

/// The next value of a fluent when no move acts on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Idle {
    /// It keeps its value.
    Keeps,
    /// It follows its circuit, in which no move occurs.
    Follows,
    /// It gets the value of this wire.
    Gets(Edge),
}

/// The effect of each move on each fluent.
#[derive(Debug)]
pub(crate) struct Effects {
    /// The gates of the network, followed by those of the specialised circuits.
    pub(crate) graph: Graph,
    /// For every fluent, its next value when no move acts on it.
    pub(crate) idle: Vec<Idle>,
    /// For every move, the fluents that it acts on, ascending, and the wires of their next values.
    pub(crate) acts: Vec<Vec<(u32, Edge)>>,
    /// For every fluent, whether no move influences it, even indirectly, as with control and step
    /// counters.
    pub(crate) context: Vec<bool>,
    /// Marks the moves that are legal only while all other legal moves of any role are resting
    /// moves.
    pub(crate) turns: Option<Vec<bool>>,
    /// The number of fluents whose idle value had to be proven by SAT, and the number of queries.
    pub(crate) proven: usize,
    pub(crate) asked: u64,
    /// The number of fluents on which several roles act together, so that no single move leaves
    /// them unchanged by itself.
    pub(crate) unproven: usize,
    /// For every move, its side of the guard, which is assumed for fluents on which several roles
    /// act together: moves of different sides are never legal together. 0 if there is no guard.
    pub(crate) sides: Vec<u8>,
}

impl Effects {
    pub(crate) fn new(network: &Network, stop: &Stop) -> Result<Self, Halt> {
        let gates = network.graph.edges() + network.graph.len();
        let moves = network.moves.len();
        if gates.saturating_mul(moves) > WORK || network.fluents().saturating_mul(moves) > ROOM {
            return Err(Halt::Limit(format!(
                "{moves} moves on a circuit of {gates} wires are too many to analyse"
            )));
        }
        let turns = turns(network, stop);
        let effects = Self::with(network, turns, stop)?;
        if effects.turns.is_some() && effects.unproven > 0 {
            // If turns do not explain the effects, the analysis is repeated without turns.
            return Self::with(network, None, stop);
        }
        Ok(effects)
    }

    fn with(network: &Network, turns: Option<Vec<bool>>, stop: &Stop) -> Result<Self, Halt> {
        let moves = network.moves.len();
        let context = context(network);
        let mut pass = Pass::new(network, turns.as_deref());
        let mut next: Vec<Vec<Edge>> = Vec::with_capacity(moves);
        let mut kept: Vec<Vec<Edge>> = Vec::with_capacity(moves);
        for place in 0..moves {
            stop.check()?;
            let (values, old) = pass.specialise(place);
            next.push(values);
            kept.push(old);
        }
        let active = |place: usize| turns.as_ref().is_none_or(|active| active[place]);
        let roles = network.roles();
        let mut support = Support::new();
        let graph = pass.graph;
        let fluents = network.fluents();
        let moving = |support: &mut Support, edge: Edge| {
            let mut any = false;
            support.each(&graph, [edge], |input| any |= input >= fluents);
            any
        };
        let mut idle = Vec::with_capacity(fluents);
        let mut acts: Vec<Vec<(u32, Edge)>> = vec![Vec::new(); moves];
        let mut doubtful = Vec::new();
        for fluent in 0..fluents {
            if context[fluent] {
                idle.push(Idle::Follows);
                continue;
            }
            let raw = !moving(&mut support, network.next[fluent]);
            let mut votes: FxHashMap<Edge, usize> = FxHashMap::default();
            let (mut keeps, mut alike, mut all, mut fixed) = (0, 0, 0, 0);
            for place in (0..moves).filter(|&place| active(place)) {
                let value = next[place][fluent];
                fixed += usize::from(kept[place][fluent].node().index() == 0);
                if value == kept[place][fluent] {
                    keeps += usize::from(value.node().index() > 0);
                    alike += 1;
                }
                *votes.entry(value).or_default() += 1;
                all += 1;
            }
            let mut best: Vec<(usize, Edge)> = votes.into_iter().map(|(e, n)| (n, e)).collect();
            best.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
            // Facts that follow from legality may hide that a value is kept, so the majority of
            // moves decides. A fluent that changes only in terminal states has one value in all
            // others, and keeps it.
            let constant = fixed == all && alike > 0;
            let found = if keeps > 0 || constant || (!raw && 2 * alike > all) {
                Idle::Keeps
            } else if raw {
                Idle::Follows
            } else {
                let still = |&&(_, edge): &&(usize, Edge)| !moving(&mut support, edge);
                best.iter().find(still).map_or(Idle::Keeps, |&(_, edge)| Idle::Gets(edge))
            };
            idle.push(found);
            let is_idle = |place: usize| match found {
                Idle::Keeps => next[place][fluent] == kept[place][fluent],
                Idle::Follows => true,
                Idle::Gets(edge) => next[place][fluent] == edge,
            };
            // With several roles, the residual circuit after one move may depend on the others'
            // moves.
            let mut open = false;
            for place in (0..moves).filter(|&place| active(place)) {
                if is_idle(place) {
                    continue;
                }
                let edge = next[place][fluent];
                if roles > 1 && moving(&mut support, edge) {
                    open = true;
                } else {
                    acts[place].push((fluent as u32, edge));
                }
            }
            // An idle role makes no move.
            let idles = roles > 1 && network.idle.iter().any(Option::is_some);
            let changes = matches!(found, Idle::Gets(_)) && idles;
            if open || changes || (turns.is_some() && found != Idle::Follows) {
                doubtful.push(fluent);
            }
        }
        let mut effects = Effects {
            graph,
            idle,
            acts,
            context,
            turns,
            proven: 0,
            asked: 0,
            unproven: 0,
            sides: vec![0; moves],
        };
        effects.settle(network, &doubtful, stop)?;
        Ok(effects)
    }

    /// Proves for these fluents that they get their idle value when no move acts on them. Without a
    /// proof, the roles act on them together.
    fn settle(&mut self, network: &Network, doubtful: &[usize], stop: &Stop) -> Result<(), Halt> {
        let unclear = self.acts.iter().flatten().any(|&(_, edge)| edge.node().index() > 0);
        if doubtful.is_empty() && !unclear {
            return Ok(());
        }
        let mut prover = Prover::new(network, &self.graph, stop);
        // The gates may hide that a move does not act on a fluent.
        let mut left = (QUESTIONS / network.graph.edges().max(1)).min(5_000);
        for (place, acts) in self.acts.iter_mut().enumerate() {
            acts.retain(|&(fluent, edge)| {
                let idle = match self.idle[fluent as usize] {
                    _ if edge.node().index() == 0 || left == 0 || stop.is_set() => return true,
                    Idle::Keeps => network.graph.input(InputId::new(fluent as usize)),
                    Idle::Follows => return true,
                    Idle::Gets(edge) => edge,
                };
                left -= 1;
                let lits = [prover.done(place), prover.differ(network.next[fluent as usize], idle)];
                !prover.never(&lits)
            });
        }
        stop.check()?;
        let mut acting: Vec<Vec<u32>> = vec![Vec::new(); network.fluents()];
        for (place, acts) in self.acts.iter().enumerate() {
            acts.iter().for_each(|&(fluent, _)| acting[fluent as usize].push(place as u32));
        }
        let mut failed = Vec::new();
        for &fluent in doubtful {
            stop.check()?;
            let idle = match self.idle[fluent] {
                Idle::Keeps => network.graph.input(InputId::new(fluent)),
                Idle::Follows => continue,
                Idle::Gets(edge) => edge,
            };
            let mut lits: Vec<_> =
                acting[fluent].iter().map(|&place| !prover.done(place as usize)).collect();
            lits.push(prover.differ(network.next[fluent], idle));
            if prover.never(&lits) {
                self.proven += 1;
            } else {
                failed.push(fluent);
            }
        }
        self.asked = prover.asked;
        self.unproven = failed.len();
        drop(prover);
        if self.turns.is_some() && !failed.is_empty() {
            return Ok(());
        }
        self.act_by_role(network, &failed, stop)?;
        self.acts.iter_mut().for_each(|acts| acts.sort_unstable());
        Ok(())
    }
}

impl Effects {
    /// For fluents on which several roles act together: the most frequent residual circuit after a
    /// move of a role, a function of the other roles' moves, defines what the role does when it
    /// does not act on the fluent. All its other moves act.
    fn act_by_role(
        &mut self,
        network: &Network,
        fluents: &[usize],
        stop: &Stop,
    ) -> Result<(), Halt> {
        if fluents.is_empty() {
            return Ok(());
        }
        let mut prover = Prover::new(network, &network.graph, stop);
        for input in network.idle.iter().flatten() {
            let idle = prover.lit(Edge::of(input.node()));
            if !prover.never(&[idle]) {
                return Err(Halt::Limit(
                    "roles that may do nothing act on fluents together, which is not analysed"
                        .to_owned(),
                ));
            }
        }
        drop(prover);
        for acts in &mut self.acts {
            acts.retain(|&(fluent, _)| fluents.binary_search(&(fluent as usize)).is_err());
        }
        // Nothing is assumed about legality here, so that equal wires mean the same in every state.
        let mut pass = Pass::new(network, None);
        pass.graph = self.graph.clone();
        let outputs = fluents.iter().map(|&fluent| network.next[fluent]);
        pass.next = network
            .graph
            .reachable(outputs)
            .into_iter()
            .filter(|&node| !network.graph.is_input(node))
            .map(|node| node.index() as u32)
            .collect();
        let guard = Guard::find(network);
        for guard in guard.iter().map(Some).chain([None]) {
            let mut next: Vec<Vec<Edge>> = Vec::with_capacity(network.moves.len());
            for place in 0..network.moves.len() {
                stop.check()?;
                next.push(pass.cofactor(place, fluents, guard));
            }
            let bases = bases(network, &pass.graph, &next, fluents);
            // If a move under the guard does not act on a fluent, this must hold whatever the
            // others do.
            let mut support = Support::new();
            let mut moving = |edge: Edge| {
                let mut any = false;
                support.each(&pass.graph, [edge], |input| any |= input >= network.fluents());
                any
            };
            if guard.is_some() && bases.iter().flatten().any(|&base| moving(base)) {
                continue;
            }
            for (number, &fluent) in fluents.iter().enumerate() {
                self.idle[fluent] = Idle::Gets(bases[number][0]);
                for (place, values) in next.iter().enumerate() {
                    if values[number] != bases[number][network.moves[place].0.index()] {
                        self.acts[place].push((fluent as u32, values[number]));
                    }
                }
            }
            if let Some(guard) = guard {
                self.sides.clone_from(&guard.sides);
            }
            break;
        }
        self.graph = pass.graph;
        Ok(())
    }
}

/// For every fluent and role, the residual circuit of the fluent after moves of the role that do
/// not act on it. These are most moves, or most of those after which the old value still matters.
fn bases(
    network: &Network,
    graph: &Graph,
    next: &[Vec<Edge>],
    fluents: &[usize],
) -> Vec<Vec<Edge>> {
    let mut support = Support::new();
    let mut base = |number: usize, role: usize| {
        let own = (0..next.len()).filter(|&at| network.moves[at].0.index() == role);
        let mut votes: FxHashMap<Edge, usize> = FxHashMap::default();
        own.for_each(|at| *votes.entry(next[at][number]).or_default() += 1);
        let mut votes: Vec<(bool, usize, Edge)> = votes
            .into_iter()
            .map(|(edge, count)| {
                let mut counts = false;
                support.each(graph, [edge], |input| counts |= input == fluents[number]);
                (counts, count, edge)
            })
            .collect();
        votes.sort_unstable_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)).then(a.2.cmp(&b.2)));
        votes.first().map_or(Edge::FALSE, |&(.., edge)| edge)
    };
    let roles = network.roles();
    (0..fluents.len()).map(|number| (0..roles).map(|role| base(number, role)).collect()).collect()
}

/// A condition that divides all moves: moves of the first side are legal only where it holds, moves
/// of the second only where it does not. The boards of a serial game are such sides.
struct Guard {
    /// The known wires on each side.
    known: [FxHashSet<Edge>; 2],
    /// The side of each move, 1 or 2.
    sides: Vec<u8>,
}

impl Guard {
    /// The first such condition.
    fn find(network: &Network) -> Option<Self> {
        let facts_of: Vec<FxHashSet<Edge>> =
            network.legal.iter().map(|&legal| facts(network, &[legal])).collect();
        let mut candidates: Vec<Edge> = facts_of
            .first()
            .into_iter()
            .chain(facts_of.last())
            .flatten()
            .copied()
            .filter(|edge| edge.negated() && !network.graph.is_input(edge.node()))
            .collect();
        candidates.sort_unstable();
        candidates.dedup();
        candidates.into_iter().find_map(|denied| {
            let holds = !denied;
            let side = |facts: &FxHashSet<Edge>| {
                let children = network.graph.children(denied.node());
                if facts.contains(&denied) {
                    Some(2)
                } else if facts.contains(&holds) || children.iter().all(|c| facts.contains(c)) {
                    Some(1)
                } else {
                    None
                }
            };
            let sides: Vec<u8> = facts_of.iter().map(side).collect::<Option<_>>()?;
            let both = sides.contains(&1) && sides.contains(&2);
            both.then(|| Guard {
                known: [facts(network, &[holds]), facts(network, &[denied])],
                sides,
            })
        })
    }
}

/// Fluents that no move influences: their next values depend only on fluents of this kind.
fn context(network: &Network) -> Vec<bool> {
    let fluents = network.fluents();
    let mut support = Support::new();
    let below: Vec<Option<Vec<usize>>> = network
        .next
        .iter()
        .map(|&edge| {
            let mut needs = Vec::new();
            support.each(&network.graph, [edge], |input| needs.push(input));
            needs.iter().all(|&input| input < fluents).then_some(needs)
        })
        .collect();
    let mut context: Vec<bool> = below.iter().map(Option::is_some).collect();
    loop {
        let before = context.clone();
        for fluent in 0..fluents {
            let fits = |needs: &Vec<usize>| needs.iter().all(|&need| before[need]);
            context[fluent] &= below[fluent].as_ref().is_some_and(fits);
        }
        if context == before {
            return context;
        }
    }
}

/// Marks the active moves, if it is proven that at most one role at a time has an active move and
/// that every other move is the only legal one of its role whenever it is legal.
fn turns(network: &Network, stop: &Stop) -> Option<Vec<bool>> {
    let moves = network.moves.len();
    if network.roles() == 1 {
        return None;
    }
    if let Some(turns) = &network.turns {
        let mut active = vec![false; moves];
        turns.active.iter().flatten().for_each(|place| active[place.index()] = true);
        return Some(active);
    }
    let mut support = Support::new();
    let fluents = network.fluents();
    let lone = crate::sample::lone_moves(network);
    let active: Vec<bool> = lone.iter().map(|&lone| !lone).collect();
    if active.iter().all(|&active| active) {
        return None;
    }
    let mut prover = Prover::new(network, &network.graph, stop);
    let of_role = |role: usize, wanted: bool| -> Vec<usize> {
        let fits =
            |&place: &usize| network.moves[place].0.index() == role && active[place] == wanted;
        (0..moves).filter(fits).collect()
    };
    let mut busy = Vec::new();
    for role in 0..network.roles() {
        let legal: Vec<_> =
            of_role(role, true).into_iter().map(|p| prover.lit(network.legal[p])).collect();
        let any = prover.any(&legal);
        for place in of_role(role, false) {
            let rest = prover.lit(network.legal[place]);
            if !prover.never(&[rest, any]) {
                return None;
            }
        }
        busy.push(any);
    }
    for (role, &one) in busy.iter().enumerate() {
        for &other in &busy[..role] {
            if !prover.never(&[one, other]) {
                return None;
            }
        }
    }
    let mut used = false;
    support.each(&network.graph, network.next.iter().copied(), |input| used |= input >= fluents);
    used.then_some(active)
}

/// Specialises the circuits of a network to moves, one after the other.
struct Pass<'a> {
    network: &'a Network,
    graph: Graph,
    /// The wire that replaces each node of the network.
    map: Vec<Edge>,
    /// The gates that legal moves depend on, and those that next values depend on, in order.
    legal: Vec<u32>,
    next: Vec<u32>,
    /// The moves that are active, if roles take turns.
    turns: Option<&'a [bool]>,
}

impl<'a> Pass<'a> {
    fn new(network: &'a Network, turns: Option<&'a [bool]>) -> Self {
        let gates = |edges: Vec<Edge>| -> Vec<u32> {
            let nodes = network.graph.reachable(edges).into_iter();
            nodes.filter(|&n| !network.graph.is_input(n)).map(|n| n.index() as u32).collect()
        };
        let mut legal = network.legal.clone();
        legal.push(network.terminal);
        Pass {
            network,
            graph: network.graph.clone(),
            map: Vec::new(),
            legal: gates(legal),
            next: gates(network.next.clone()),
            turns,
        }
    }

    fn mapped(&self, edge: Edge) -> Edge {
        let wire = self.map[edge.node().index()];
        if edge.negated() { !wire } else { wire }
    }

    fn fold(&mut self, gates: &[u32], known: &FxHashSet<Edge>) {
        let mut children: Vec<Edge> = Vec::new();
        let denied = Denied::new(&self.network.graph, known);
        for &gate in gates {
            let node = magister_engine::network::NodeId::new(gate as usize);
            let wire = Edge::of(node);
            if known.contains(&wire) {
                self.map[gate as usize] = Edge::TRUE;
                continue;
            }
            if known.contains(&!wire) || denied.covers(self.network.graph.children(node)) {
                self.map[gate as usize] = Edge::FALSE;
                continue;
            }
            let mut changed = false;
            children.clear();
            for &child in self.network.graph.children(node) {
                let now = self.mapped(child);
                changed |= now != child;
                children.push(now);
            }
            self.map[gate as usize] =
                if changed { self.graph.and(children.iter().copied()) } else { wire };
        }
    }

    /// The next values of some fluents when a move is made, in every state on its side of a guard.
    fn cofactor(&mut self, place: usize, fluents: &[usize], guard: Option<&Guard>) -> Vec<Edge> {
        let network = self.network;
        let role = network.moves[place].0;
        self.map.clear();
        let nodes = 0..network.graph.len();
        self.map.extend(nodes.map(|n| Edge::of(magister_engine::network::NodeId::new(n))));
        let side = guard.map(|guard| guard.sides[place]);
        for (other, &(whose, _)) in network.moves.iter().enumerate() {
            let input = network.inputs[other].node().index();
            if whose == role {
                self.map[input] = if other == place { Edge::TRUE } else { Edge::FALSE };
            } else if guard.is_some_and(|guard| Some(guard.sides[other]) != side) {
                self.map[input] = Edge::FALSE;
            }
        }
        // No role is idle.
        for input in network.idle.iter().flatten() {
            self.map[input.node().index()] = Edge::FALSE;
        }
        let nothing = FxHashSet::default();
        let known = match (guard, side) {
            (Some(guard), Some(side)) => &guard.known[usize::from(side) - 1],
            _ => &nothing,
        };
        for edge in known.iter().filter(|edge| network.graph.is_input(edge.node())) {
            self.map[edge.node().index()] = if edge.negated() { Edge::FALSE } else { Edge::TRUE };
        }
        let gates = std::mem::take(&mut self.next);
        self.fold(&gates, known);
        self.next = gates;
        fluents.iter().map(|&fluent| self.mapped(network.next[fluent])).collect()
    }

    /// The next value of each fluent after a move, and its current value, as far as the legality of
    /// the move determines it.
    fn specialise(&mut self, place: usize) -> (Vec<Edge>, Vec<Edge>) {
        let network = self.network;
        let role = network.moves[place].0;
        let known = facts(network, &[network.legal[place], !network.terminal]);
        let nodes = network.graph.len();
        self.map.clear();
        self.map.extend((0..nodes).map(|n| Edge::of(magister_engine::network::NodeId::new(n))));
        let mut inputs: Vec<Edge> = known.iter().copied().collect();
        inputs.sort_unstable();
        for edge in inputs {
            if network.graph.is_input(edge.node()) {
                self.map[edge.node().index()] =
                    if edge.negated() { Edge::FALSE } else { Edge::TRUE };
            }
        }
        let set = |map: &mut Vec<Edge>, other: usize, value: Edge| {
            map[network.inputs[other].node().index()] = value;
        };
        for (other, &(whose, _)) in network.moves.iter().enumerate() {
            if whose == role {
                set(&mut self.map, other, if other == place { Edge::TRUE } else { Edge::FALSE });
            } else if self.turns.is_some_and(|active| active[place] && active[other]) {
                set(&mut self.map, other, Edge::FALSE);
            }
        }
        if let Some(idle) = network.idle[role.index()] {
            self.map[idle.node().index()] = Edge::FALSE;
        }
        let legal = std::mem::take(&mut self.legal);
        self.fold(&legal, &known);
        self.legal = legal;
        let mut can: Vec<usize> = vec![0; network.roles()];
        let mut only: Vec<Option<usize>> = vec![None; network.roles()];
        for (other, &(whose, _)) in network.moves.iter().enumerate() {
            let input = network.inputs[other].node().index();
            if whose == role || self.map[input] == Edge::FALSE {
                continue;
            }
            match self.mapped(network.legal[other]) {
                Edge::FALSE => self.map[input] = Edge::FALSE,
                wire => {
                    can[whose.index()] += 1;
                    only[whose.index()] = Some(other);
                    if let (Edge::TRUE, Some(idle)) = (wire, network.idle[whose.index()]) {
                        self.map[idle.node().index()] = Edge::FALSE;
                    }
                }
            }
        }
        // A role with exactly one possible move, which cannot be idle, makes that move.
        for whose in (0..network.roles()).filter(|&whose| whose != role.index()) {
            let idles = network.idle[whose]
                .is_some_and(|idle| self.map[idle.node().index()] != Edge::FALSE);
            if let (1, Some(other), false) = (can[whose], only[whose], idles) {
                set(&mut self.map, other, Edge::TRUE);
            }
        }
        let next = std::mem::take(&mut self.next);
        // Gates that legal moves share with next values are evaluated again, with the moves.
        self.fold(&next, &known);
        self.next = next;
        let values = network.next.iter().map(|&edge| self.mapped(edge)).collect();
        // If exactly one of two fluents is always true, the second is the negation of the first.
        let input = |fluent| network.graph.input(InputId::new(fluent));
        let old = (0..network.fluents()).map(|fluent| self.mapped(input(fluent))).collect();
        (values, old)
    }
}

/// Conjunctions that are known to be false. A larger conjunction is false as well, but flattened
/// circuits share no gate that would show it.
struct Denied {
    /// The conjunctions, by their last conjunct.
    by_last: FxHashMap<Edge, Vec<Vec<Edge>>>,
}

impl Denied {
    fn new(graph: &Graph, known: &FxHashSet<Edge>) -> Self {
        let mut by_last: FxHashMap<Edge, Vec<Vec<Edge>>> = FxHashMap::default();
        for edge in known.iter().filter(|edge| edge.negated()) {
            let mut all = graph.children(edge.node()).to_vec();
            all.sort_unstable();
            if let Some(&last) = all.last() {
                by_last.entry(last).or_default().push(all);
            }
        }
        Denied { by_last }
    }

    /// Whether a conjunction contains a false one.
    fn covers(&self, children: &[Edge]) -> bool {
        !self.by_last.is_empty()
            && children.iter().any(|child| {
                self.by_last.get(child).is_some_and(|lists| {
                    lists.iter().any(|all| all.iter().all(|edge| children.contains(edge)))
                })
            })
    }
}
