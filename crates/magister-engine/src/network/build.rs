//! From the instances of rules to gates.

use magister_core::{Halt, Move, Percept, Role, Stop};
use magister_gdl::components;
use rustc_hash::FxHashMap;

use super::factor::Factor;
use super::gdl::Numbered;
use super::graph::{Edge, Graph, Group};
use super::{Goal, InputId, Invariants, Network, NetworkLimits, NodeId, Sight};
use crate::Error;
use crate::grounder::{AtomId, Grounded, Signed, Truth};
use crate::term::TermId;

/// Builds a network.
pub(super) struct Builder<'a> {
    ground: &'a Grounded,
    limits: NetworkLimits,
    stop: &'a Stop,
    graph: Graph,
    invariants: Invariants,
    /// The moves, role by role, and the input of each.
    order: Vec<u32>,
    inputs: Vec<InputId>,
    idle: Vec<Option<InputId>>,
    /// The wire of each known atom.
    wires: Vec<Option<Edge>>,
    /// The instances of each atom.
    instances: Vec<Vec<u32>>,
    common: FxHashMap<Edge, u32>,
    /// The legality of each move, once known.
    legal: Vec<Edge>,
    /// For every input of a move, the wires that are true whenever the move is made.
    granted: Vec<Vec<Edge>>,
}

impl<'a> Builder<'a> {
    /// A builder with the known invariants.
    pub(super) fn new(
        ground: &'a Grounded,
        limits: NetworkLimits,
        invariants: Invariants,
        stop: &'a Stop,
    ) -> Self {
        // Moves are ordered by role, so that those of a role are adjacent; the idle inputs follow,
        // if roles may be idle. Exactly one input of each role is then true.
        let mut order: Vec<u32> = (0..ground.moves as u32).collect();
        order.sort_by(|&a, &b| {
            let ((a_role, a), (b_role, b)) = (ground.the_move(a), ground.the_move(b));
            a_role.cmp(&b_role).then_with(|| ground.terms.compare(a, b))
        });
        let mut inputs = vec![InputId(0); order.len()];
        let mut idle = vec![None; ground.roles];
        let mut groups = invariants.groups.clone();
        let mut next = ground.fluents as u32;
        for role in 0..ground.roles as u32 {
            let first = next;
            for (at, &m) in order.iter().enumerate() {
                if ground.role_of(m) == role {
                    inputs[at] = InputId(next);
                    next += 1;
                }
            }
            if ground.idling {
                idle[role as usize] = Some(InputId(next));
                next += 1;
            }
            if next > first {
                groups
                    .push(Group { members: (first + 1..=next).map(NodeId).collect(), exact: true });
            }
        }
        let graph = Graph::new(next as usize, groups);
        let mut wires = vec![None; ground.atoms.len()];
        for (fluent, wire) in wires.iter_mut().enumerate().take(ground.fluents) {
            *wire = Some(graph.input(InputId::new(fluent)));
        }
        for (&input, &m) in inputs.iter().zip(&order) {
            wires[ground.fluents + m as usize] = Some(graph.input(input));
        }
        let mut instances = vec![Vec::new(); ground.atoms.len()];
        for number in 0..ground.instances() {
            instances[ground.instance(number).0.0 as usize].push(number as u32);
        }
        let common = FxHashMap::default();
        Self {
            ground,
            limits,
            stop,
            graph,
            invariants,
            order,
            inputs,
            idle,
            wires,
            instances,
            common,
            legal: Vec::new(),
            granted: vec![Vec::new(); next as usize + 1 - ground.fluents],
        }
    }

    /// The network, not simplified yet.
    pub(super) fn network(mut self, numbered: &Numbered) -> Result<Network, Error> {
        self.atoms()?;
        Ok(self.finish(numbered))
    }

    /// Builds the wire of every derived atom, dependencies first.
    fn atoms(&mut self) -> Result<(), Error> {
        let ground = self.ground;
        let count = ground.atoms.len();
        let edges: Vec<Vec<u32>> = (0..count)
            .map(|atom| {
                let mut needs: Vec<u32> = self.instances[atom]
                    .iter()
                    .flat_map(|&i| ground.instance(i as usize).1)
                    .map(|s| s.atom().0)
                    .filter(|&a| a as usize >= ground.fluents + ground.moves)
                    .collect();
                needs.sort_unstable();
                needs.dedup();
                needs
            })
            .collect();
        let component = components(&edges, |&atom| atom as usize);
        let mut members: Vec<Vec<u32>> =
            vec![Vec::new(); component.iter().max().map_or(0, |m| m + 1)];
        for atom in ground.fluents + ground.moves..count {
            members[component[atom]].push(atom as u32);
        }
        // The legality of moves comes first: whatever depends on a move may assume that the move is
        // legal.
        let mut early = vec![false; count];
        let mut open: Vec<u32> =
            ground.legal.iter().flatten().flatten().map(|atom| atom.0).collect();
        while let Some(atom) = open.pop() {
            if !std::mem::replace(&mut early[atom as usize], true) {
                open.extend(&edges[atom as usize]);
            }
        }
        let (first, second): (Vec<_>, Vec<_>) =
            members.into_iter().partition(|list| list.iter().any(|&a| early[a as usize]));
        self.build(first, &edges)?;
        self.legal = self.legal_wires();
        for (at, &legal) in self.legal.iter().enumerate() {
            let known = self.graph.parts(legal);
            self.granted[self.inputs[at].node().index() - ground.fluents] = known;
        }
        self.build(second, &edges)
    }

    /// Builds the wires of sets of mutually dependent atoms, in order.
    fn build(&mut self, sets: Vec<Vec<u32>>, edges: &[Vec<u32>]) -> Result<(), Error> {
        for list in sets {
            self.stop.check()?;
            match list.as_slice() {
                [] => {}
                [one] if !edges[*one as usize].contains(one) => {
                    let wire = self.atom(*one, None);
                    self.wires[*one as usize] = Some(wire);
                }
                cycle => self.unroll(cycle)?,
            }
            if self.graph.len() > self.limits.gates {
                return Err(Error::Halt(Halt::Limit(format!(
                    "the network has more than {} gates",
                    self.limits.gates
                ))));
            }
        }
        Ok(())
    }

    /// The wire of an atom: the disjunction of its instances. Atoms in the same cycle have the
    /// wires in `cycle`.
    fn atom(&mut self, atom: u32, cycle: Option<&FxHashMap<u32, Edge>>) -> Edge {
        let mut cubes = Vec::with_capacity(self.instances[atom as usize].len());
        for &number in &self.instances[atom as usize] {
            let (_, body) = self.ground.instance(number as usize);
            let mut cube: Vec<Edge> = Vec::with_capacity(body.len());
            let mut never = false;
            for literal in body {
                let edge = self.literal(*literal, cycle);
                never |= edge == Edge::FALSE;
                if edge != Edge::TRUE {
                    cube.push(edge);
                }
            }
            cube.sort_unstable();
            cube.dedup();
            never |= cube.windows(2).any(|w| w[0] == !w[1]);
            if !never && self.graph.possible(&mut cube) && self.grant(&mut cube) {
                cubes.push(cube);
            }
        }
        for &edge in cubes.iter().flatten() {
            *self.common.entry(edge).or_default() += 1;
        }
        Factor { graph: &mut self.graph, common: &self.common }.sum(cubes)
    }

    /// Removes the parts of a conjunction that the legality of its moves implies. Returns false if
    /// the moves cannot be made together, or not in such a state.
    fn grant(&self, cube: &mut Vec<Edge>) -> bool {
        let granted = |e: &Edge| {
            let node = e.node().index().checked_sub(self.ground.fluents)?;
            if e.negated() { None } else { self.granted.get(node) }
        };
        let mut facts: Vec<Edge> = cube.iter().filter_map(granted).flatten().copied().collect();
        if facts.is_empty() {
            return true;
        }
        facts.sort_unstable();
        facts.dedup();
        let against = |e: Edge| facts.binary_search(&!e).is_ok();
        if cube.iter().chain(&facts).any(|&e| against(e)) {
            return false;
        }
        cube.retain(|e| facts.binary_search(e).is_err());
        let mut all = cube.clone();
        all.extend(&facts);
        all.sort_unstable();
        if !self.graph.possible(&mut all) {
            return false;
        }
        cube.retain(|e| all.binary_search(e).is_ok());
        true
    }

    fn literal(&self, literal: Signed, cycle: Option<&FxHashMap<u32, Edge>>) -> Edge {
        let atom = literal.atom().0;
        let wire = cycle
            .and_then(|c| c.get(&atom).copied())
            .or(self.wires[atom as usize])
            .unwrap_or(Edge::FALSE);
        if literal.negated() { !wire } else { wire }
    }

    /// Mutually dependent atoms: start with none, and iterate to a fixpoint.
    fn unroll(&mut self, cycle: &[u32]) -> Result<(), Error> {
        let mut wires: FxHashMap<u32, Edge> = cycle.iter().map(|&a| (a, Edge::FALSE)).collect();
        // After as many rounds as there are atoms, nothing can change.
        for _ in 0..=cycle.len() {
            self.stop.check()?;
            let mut next = FxHashMap::default();
            for &atom in cycle {
                next.insert(atom, self.atom(atom, Some(&wires)));
            }
            let settled = next == wires;
            wires = next;
            if settled || self.graph.len() > self.limits.gates {
                break;
            }
        }
        if self.graph.len() <= self.limits.gates {
            for &atom in cycle {
                self.wires[atom as usize] = wires.get(&atom).copied();
            }
            return Ok(());
        }
        Err(Error::Halt(Halt::Limit(format!(
            "{} atoms that depend on each other take more than {} gates",
            cycle.len(),
            self.limits.gates
        ))))
    }

    /// Whether each move is legal.
    fn legal_wires(&mut self) -> Vec<Edge> {
        let (ground, wires) = (self.ground, &self.wires);
        let wire = |atom: &AtomId| wires[atom.0 as usize].unwrap_or(Edge::FALSE);
        let mut legal = Vec::with_capacity(self.order.len());
        for &m in &self.order {
            legal.push(match &ground.legal[m as usize] {
                None => Edge::FALSE,
                Some(needed) => self.graph.and(needed.iter().map(wire)),
            });
        }
        legal
    }

    fn finish(self, numbered: &Numbered) -> Network {
        let ground = self.ground;
        let wire =
            |wires: &[Option<Edge>], atom: AtomId| wires[atom.0 as usize].unwrap_or(Edge::FALSE);
        let truth = |wires: &[Option<Edge>], truth: Truth| match truth {
            Truth::Always => Edge::TRUE,
            Truth::When(atom) => wire(wires, atom),
        };
        let wires = &self.wires;
        let numbers = |terms: &[TermId]| -> FxHashMap<TermId, u32> {
            terms.iter().enumerate().map(|(number, &term)| (term, number as u32)).collect()
        };
        let (moves, percepts) = (numbers(&numbered.moves), numbers(&numbered.percepts));
        let value = |term: TermId| ground.terms.constant_text(term)?.parse::<i64>().ok();
        Network {
            moves: self
                .order
                .iter()
                .map(|&m| ground.the_move(m))
                .map(|(role, term)| (Role(role as u8), Move(moves[&term])))
                .collect(),
            inputs: self.inputs,
            idle: self.idle,
            initial: {
                let mut initial = vec![false; ground.fluents];
                ground.initial.iter().for_each(|a| initial[a.0 as usize] = true);
                initial
            },
            legal: self.legal,
            terminal: ground.terminal.map_or(Edge::FALSE, |t| truth(wires, t)),
            next: ground.next.iter().map(|n| n.map_or(Edge::FALSE, |a| wire(wires, a))).collect(),
            goals: ground
                .goals
                .iter()
                .map(|&(role, term, when)| Goal {
                    role: Role(role as u8),
                    value: value(term).map(|value| value as f64),
                    when: truth(wires, when),
                })
                .collect(),
            percepts: ground
                .percepts
                .iter()
                .map(|&(role, term, when)| Sight {
                    role: Role(role as u8),
                    percept: Percept(percepts[&term]),
                    when: truth(wires, when),
                })
                .collect(),
            weights: Vec::new(),
            gains: Vec::new(),
            silent: Edge::FALSE,
            invariants: self.invariants,
            turns: None,
            concepts: Vec::new(),
            per_player: Vec::new(),
            graph: self.graph,
        }
    }
}
