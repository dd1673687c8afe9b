//! The network: everything a game asks about a state and a joint move, as gates.

mod dot;
mod factor;
mod graph;
mod pairs;

use magister_core::{Halt, Stop};
use magister_gdl::components;
use rustc_hash::FxHashMap;

use crate::Error;
use crate::grounder::{AtomId, Grounded, Signed, Truth};
use crate::term::{TermId, Terms};

use factor::Factor;
pub use graph::{Edge, Graph, Group};

/// How large a network may become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NetworkLimits {
    /// Instances of rules that are looked at.
    pub instances: usize,
    /// Gates, before simplification.
    pub gates: usize,
}

impl Default for NetworkLimits {
    fn default() -> Self {
        Self { instances: 8_000_000, gates: 3_000_000 }
    }
}

/// A game as gates over its fluents and moves.
#[derive(Clone, Debug)]
pub struct Network {
    /// All terms.
    pub terms: Terms,
    /// The gates. The inputs are the fluents, then the moves.
    pub graph: Graph,
    /// The fluents, by input.
    pub fluents: Vec<TermId>,
    /// The moves, role by role, in the order of their terms: role and term.
    pub moves: Vec<(u32, TermId)>,
    /// The input of each move.
    pub inputs: Vec<u32>,
    /// For every role the input that is true when it does nothing, where roles can.
    pub idle: Vec<Option<u32>>,
    /// Which fluents are true at the start.
    pub initial: Vec<bool>,
    /// Whether each move is legal.
    pub legal: Vec<Edge>,
    /// Whether the state is terminal.
    pub terminal: Edge,
    /// Whether each fluent is true next.
    pub next: Vec<Edge>,
    /// Goal values: role, value, when.
    pub goals: Vec<(u32, TermId, Edge)>,
    /// Percepts: role, what is seen, when.
    pub percepts: Vec<(u32, TermId, Edge)>,
}

/// How many gates with two inputs each part of a step takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Gates {
    /// Legal moves and the end.
    pub legal: usize,
    /// The next state, beyond those.
    pub next: usize,
    /// Goals, beyond those.
    pub goals: usize,
    /// Percepts, beyond those.
    pub percepts: usize,
}

impl Network {
    /// Builds the network of a ground program.
    pub fn new(ground: &Grounded, limits: &NetworkLimits, stop: &Stop) -> Result<Network, Error> {
        if ground.instances() > limits.instances {
            return Err(Error::Halt(Halt::Limit(format!(
                "{} instances are too many for a network",
                ground.instances()
            ))));
        }
        let mut builder = Builder::new(ground, *limits, stop);
        builder.atoms()?;
        Ok(builder.finish())
    }

    /// All outputs: legal, terminal, next, goals, percepts.
    fn outputs(&self) -> Vec<Edge> {
        let mut all = self.legal.clone();
        all.push(self.terminal);
        all.extend(&self.next);
        all.extend(self.goals.iter().map(|&(.., e)| e));
        all.extend(self.percepts.iter().map(|&(.., e)| e));
        all
    }

    /// The number of gates of each part.
    pub fn gates(&self) -> Gates {
        let mut done = vec![false; self.graph.len()];
        let mut part = |outputs: Vec<Edge>| {
            let nodes = self.graph.reachable(outputs);
            let new: Vec<u32> = nodes
                .into_iter()
                .filter(|&n| !std::mem::replace(&mut done[n as usize], true))
                .collect();
            self.graph.gates(new.into_iter())
        };
        let mut first = self.legal.clone();
        first.push(self.terminal);
        Gates {
            legal: part(first),
            next: part(self.next.clone()),
            goals: part(self.goals.iter().map(|&(.., e)| e).collect()),
            percepts: part(self.percepts.iter().map(|&(.., e)| e).collect()),
        }
    }

    /// Shares common pairs until that saves nothing more.
    fn simplify(&mut self) {
        for _ in 0..4 {
            let before = self.gates();
            let (graph, outputs) = pairs::share(&self.graph, &self.outputs());
            self.graph = graph;
            let mut edges = outputs.into_iter();
            let mut next = || edges.next().unwrap_or(Edge::FALSE);
            self.legal.iter_mut().for_each(|e| *e = next());
            self.terminal = next();
            self.next.iter_mut().for_each(|e| *e = next());
            self.goals.iter_mut().for_each(|(.., e)| *e = next());
            self.percepts.iter_mut().for_each(|(.., e)| *e = next());
            if self.gates() == before {
                break;
            }
        }
    }
}

struct Builder<'a> {
    ground: &'a Grounded,
    limits: NetworkLimits,
    stop: &'a Stop,
    graph: Graph,
    /// The moves, role by role, and the input of each.
    order: Vec<u32>,
    inputs: Vec<u32>,
    idle: Vec<Option<u32>>,
    /// The wire of each atom that is known.
    wires: Vec<Option<Edge>>,
    /// The instances of each atom.
    instances: Vec<Vec<u32>>,
    common: FxHashMap<Edge, u32>,
}

impl<'a> Builder<'a> {
    fn new(ground: &'a Grounded, limits: NetworkLimits, stop: &'a Stop) -> Self {
        // Moves role by role, so that those of a role are neighbours; behind them, where roles
        // may do nothing, that. Then exactly one input of each role is true.
        let mut order: Vec<u32> = (0..ground.moves as u32).collect();
        order.sort_by(|&a, &b| {
            let ((a_role, a), (b_role, b)) = (ground.the_move(a), ground.the_move(b));
            a_role.cmp(&b_role).then_with(|| ground.terms.compare(a, b))
        });
        let mut inputs = vec![0; order.len()];
        let mut idle = vec![None; ground.roles];
        let mut groups: Vec<Group> = Vec::new();
        let mut next = ground.fluents as u32;
        for role in 0..ground.roles as u32 {
            let first = next;
            for (at, &m) in order.iter().enumerate() {
                if ground.role_of(m) == role {
                    inputs[at] = next;
                    next += 1;
                }
            }
            if ground.idling {
                idle[role as usize] = Some(next);
                next += 1;
            }
            if next > first {
                groups.push(Group { first: first + 1, count: next - first });
            }
        }
        let graph = Graph::new(next as usize, groups);
        let mut wires = vec![None; ground.atoms.len()];
        for (fluent, wire) in wires.iter_mut().enumerate().take(ground.fluents) {
            *wire = Some(graph.input(fluent));
        }
        for (&input, &m) in inputs.iter().zip(&order) {
            wires[ground.fluents + m as usize] = Some(graph.input(input as usize));
        }
        let mut instances = vec![Vec::new(); ground.atoms.len()];
        for number in 0..ground.instances() {
            instances[ground.instance(number).0.0 as usize].push(number as u32);
        }
        let common = FxHashMap::default();
        Self { ground, limits, stop, graph, order, inputs, idle, wires, instances, common }
    }

    /// Builds the wire of every derived atom, what it depends on first.
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
        for list in members {
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

    /// The wire of an atom: the disjunction of its instances. Atoms of its own circle take the
    /// wires that `circle` gives them.
    fn atom(&mut self, atom: u32, circle: Option<&FxHashMap<u32, Edge>>) -> Edge {
        let mut cubes = Vec::with_capacity(self.instances[atom as usize].len());
        for &number in &self.instances[atom as usize] {
            let (_, body) = self.ground.instance(number as usize);
            let mut cube: Vec<Edge> = Vec::with_capacity(body.len());
            let mut never = false;
            for literal in body {
                let edge = self.literal(*literal, circle);
                never |= edge == Edge::FALSE;
                if edge != Edge::TRUE {
                    cube.push(edge);
                }
            }
            cube.sort_unstable();
            cube.dedup();
            never |= cube.windows(2).any(|w| w[0] == !w[1]);
            if !never && self.graph.possible(&mut cube) {
                cubes.push(cube);
            }
        }
        for &edge in cubes.iter().flatten() {
            *self.common.entry(edge).or_default() += 1;
        }
        Factor { graph: &mut self.graph, common: &self.common }.sum(cubes)
    }

    fn literal(&self, literal: Signed, circle: Option<&FxHashMap<u32, Edge>>) -> Edge {
        let atom = literal.atom().0;
        let wire = circle
            .and_then(|c| c.get(&atom).copied())
            .or(self.wires[atom as usize])
            .unwrap_or(Edge::FALSE);
        if literal.negated() { !wire } else { wire }
    }

    /// Atoms that depend on each other: start with none, and go round until nothing changes.
    fn unroll(&mut self, cycle: &[u32]) -> Result<(), Error> {
        let mut wires: FxHashMap<u32, Edge> = cycle.iter().map(|&a| (a, Edge::FALSE)).collect();
        // After as many rounds as there are atoms nothing can change any more.
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

    fn finish(mut self) -> Network {
        let ground = self.ground;
        let wire =
            |wires: &[Option<Edge>], atom: AtomId| wires[atom.0 as usize].unwrap_or(Edge::FALSE);
        let truth = |wires: &[Option<Edge>], truth: Truth| match truth {
            Truth::Always => Edge::TRUE,
            Truth::When(atom) => wire(wires, atom),
        };
        let legal = self
            .order
            .iter()
            .map(|&m| match &ground.legal[m as usize] {
                None => Edge::FALSE,
                Some(needed) => {
                    let edges: Vec<Edge> = needed.iter().map(|&a| wire(&self.wires, a)).collect();
                    self.graph.and(edges)
                }
            })
            .collect();
        let wires = &self.wires;
        let mut network = Network {
            terms: ground.terms.clone(),
            fluents: (0..ground.fluents as u32).map(|f| ground.fluent(f)).collect(),
            moves: self.order.iter().map(|&m| ground.the_move(m)).collect(),
            inputs: self.inputs,
            idle: self.idle,
            initial: {
                let mut initial = vec![false; ground.fluents];
                ground.initial.iter().for_each(|a| initial[a.0 as usize] = true);
                initial
            },
            legal,
            terminal: ground.terminal.map_or(Edge::FALSE, |t| truth(wires, t)),
            next: ground.next.iter().map(|n| n.map_or(Edge::FALSE, |a| wire(wires, a))).collect(),
            goals: ground.goals.iter().map(|&(r, v, t)| (r, v, truth(wires, t))).collect(),
            percepts: ground.percepts.iter().map(|&(r, p, t)| (r, p, truth(wires, t))).collect(),
            graph: self.graph,
        };
        network.simplify();
        network
    }
}
