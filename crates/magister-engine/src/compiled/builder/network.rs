//! From the wires of a builder to a network.

use magister_core::{Move, Percept, Role, Stop};

use super::{BuildError, CompiledBuilder, Node, Wire};
use crate::network::{
    Edge, Gain, Goal, Graph, Group, Hints, InputId, Invariants, MoveId, Network, NodeId, Sight,
    Weight,
};

/// The network of a builder, simplified.
pub(super) fn build(builder: &CompiledBuilder, stop: &Stop) -> Result<Network, BuildError> {
    let order = builder.node_order()?;
    let parts = Parts::new(builder)?;
    let plain = parts.network(builder, &order, Invariants::default());
    Parts::check(builder, &plain)?;
    let mut network = if builder.exclusive.is_empty() {
        plain
    } else {
        let invariants = Invariants::proven(&plain, &Hints::Sets(&builder.exclusive), stop)?;
        parts.network(builder, &order, invariants)
    };
    network.finish(stop)?;
    Ok(network)
}

/// The positions of the moves and their data in the network.
struct Parts {
    /// The builder's moves in the order of the network.
    order: Vec<usize>,
    /// The position in that order of each of the builder's moves.
    place: Vec<MoveId>,
    inputs: Vec<InputId>,
    idle: Vec<Option<InputId>>,
    groups: Vec<Group>,
    count: u32,
    legal: Vec<Wire>,
    next: Vec<Wire>,
    terminal: Wire,
}

impl Parts {
    fn new(builder: &CompiledBuilder) -> Result<Self, BuildError> {
        let roles = builder.info.roles.len();
        let missing = |of: String, call| BuildError::Missing { of, call };
        let mut order: Vec<usize> = (0..builder.moves.len()).collect();
        order.sort_by_key(|&at| (builder.moves[at].role, builder.moves[at].number));
        let same = |&at: &usize| (builder.moves[at].role, builder.moves[at].number);
        let twice = order.windows(2).find(|pair| same(&pair[0]) == same(&pair[1]));
        if let Some([one, ..]) = twice {
            let text = builder.move_texts[same(one).1 as usize].clone();
            return Err(BuildError::Name { what: "move", text });
        }
        let mut place = vec![MoveId(0); order.len()];
        order.iter().enumerate().for_each(|(at, &choice)| place[choice] = MoveId::new(at));
        let mut count = builder.fluents.len() as u32;
        let (mut inputs, mut idle, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        for role in 0..roles as u8 {
            let first = count;
            let own = order.iter().filter(|&&at| builder.moves[at].role == Role(role)).count();
            inputs.extend((count..count + own as u32).map(InputId));
            count += own as u32;
            idle.push(Some(InputId(count)));
            count += 1;
            groups.push(Group { members: (first + 1..=count).map(NodeId).collect(), exact: true });
        }
        if inputs.len() < order.len() {
            return Err(BuildError::Roles(roles));
        }
        let legal = order.iter().map(|&at| {
            let text = &builder.move_texts[builder.moves[at].number as usize];
            builder.moves[at].legal.ok_or_else(|| missing(format!("the move `{text}`"), "legal"))
        });
        let next = builder.fluents.iter().map(|fluent| {
            fluent.next.ok_or_else(|| missing(format!("the fluent `{}`", fluent.text), "next"))
        });
        Ok(Self {
            legal: legal.collect::<Result<_, _>>()?,
            next: next.collect::<Result<_, _>>()?,
            terminal: builder
                .terminal
                .ok_or_else(|| missing("the end of the game".to_owned(), "terminal"))?,
            order,
            place,
            inputs,
            idle,
            groups,
            count,
        })
    }

    /// The network, not simplified yet, with the known invariants.
    fn network(
        &self,
        builder: &CompiledBuilder,
        order: &[usize],
        invariants: Invariants,
    ) -> Network {
        let mut groups = invariants.groups.clone();
        groups.extend(self.groups.iter().cloned());
        let mut graph = Graph::new(self.count as usize, groups);
        let mut edges = vec![Edge::TRUE; builder.nodes.len()];
        let of = |edges: &[Edge], wire: Wire| {
            let edge = edges[wire.node()];
            if wire.negated() { !edge } else { edge }
        };
        for &node in order {
            edges[node] = match &builder.nodes[node] {
                Node::True | Node::Open(None) => Edge::TRUE,
                Node::Fluent(fluent) => graph.input(InputId(*fluent)),
                Node::Does(choice) => {
                    let place = self.place[*choice as usize];
                    graph.input(self.inputs[place.index()])
                }
                Node::And(wires) => {
                    let parts: Vec<Edge> = wires.iter().map(|&wire| of(&edges, wire)).collect();
                    graph.and(parts)
                }
                Node::Open(Some(wire)) => of(&edges, *wire),
            };
        }
        let edge = |wire: Wire| of(&edges, wire);
        let all = |wires: &[Wire]| wires.iter().map(|&wire| edge(wire)).collect();
        let mut weights: Vec<Weight> = builder
            .weights
            .iter()
            .map(|&(choice, weight, when)| Weight {
                place: self.place[choice.0 as usize],
                weight,
                when: edge(when),
            })
            .collect();
        weights.sort_by_key(|weight| weight.place);
        Network {
            moves: self
                .order
                .iter()
                .map(|&at| (builder.moves[at].role, Move(builder.moves[at].number)))
                .collect(),
            inputs: self.inputs.clone(),
            idle: self.idle.clone(),
            initial: builder.fluents.iter().map(|fluent| fluent.initial).collect(),
            legal: all(&self.legal),
            terminal: edge(self.terminal),
            next: all(&self.next),
            goals: builder
                .goals
                .iter()
                .map(|&(role, value, when)| Goal { role, value: Some(value), when: edge(when) })
                .collect(),
            percepts: builder
                .percepts
                .iter()
                .map(|&(role, number, when)| Sight {
                    role,
                    percept: Percept(number),
                    when: edge(when),
                })
                .collect(),
            weights,
            gains: builder
                .gains
                .iter()
                .map(|&(role, value, when)| Gain { role, value, when: edge(when) })
                .collect(),
            silent: edge(builder.silent),
            invariants,
            turns: None,
            concepts: Vec::new(),
            per_player: Vec::new(),
            graph,
        }
    }

    /// Whether a network is valid.
    fn check(builder: &CompiledBuilder, network: &Network) -> Result<(), BuildError> {
        let text = |at: usize| &builder.move_texts[network.moves[at].1.index()];
        let roles = builder.info.roles.len();
        let named = builder.goals.iter().chain(&builder.gains).map(|&(role, ..)| role);
        let named = named.chain(builder.percepts.iter().map(|&(role, ..)| role));
        if named.chain(builder.info.chance).any(|role| role.index() >= roles) {
            return Err(BuildError::Roles(roles));
        }
        let moves = network.fluents() + 1..=network.graph.inputs();
        let free = |what: &dyn Fn() -> String, edge: Edge| {
            let nodes = network.graph.reachable([edge]);
            if nodes.iter().any(|node| moves.contains(&node.index())) {
                return Err(BuildError::DependsOnMove(what()));
            }
            Ok(())
        };
        for (at, &edge) in network.legal.iter().enumerate() {
            free(&|| format!("whether the move `{}` is legal", text(at)), edge)?;
        }
        free(&|| "whether a state is terminal".to_owned(), network.terminal)?;
        free(&|| "whether a step is silent".to_owned(), network.silent)?;
        for goal in &network.goals {
            free(&|| "a goal value".to_owned(), goal.when)?;
        }
        let mut weighted = vec![false; network.moves.len()];
        for weight in &network.weights {
            let place = weight.place.index();
            free(&|| format!("the weight of `{}`", text(place)), weight.when)?;
            if weight.weight == 0 || Some(network.moves[place].0) != builder.info.chance {
                return Err(BuildError::Weights(text(place).clone()));
            }
            weighted[place] = true;
        }
        if let (false, Some(chance)) = (network.weights.is_empty(), builder.info.chance)
            && let Some(at) = network.places(chance).find(|&at| !weighted[at])
        {
            return Err(BuildError::Weights(text(at).clone()));
        }
        let total: u64 = network.weights.iter().map(|weight| u64::from(weight.weight)).sum();
        if total > u64::from(u32::MAX) {
            return Err(BuildError::TotalWeight(total));
        }
        check_start(network)
    }
}

/// Some role can move in the initial state, unless it is terminal.
fn check_start(network: &Network) -> Result<(), BuildError> {
    let mut wires = vec![true; network.graph.len()];
    wires[1..].fill(false);
    wires[1..=network.fluents()].copy_from_slice(&network.initial);
    let read = |wires: &[bool], edge: Edge| wires[edge.node().index()] != edge.negated();
    for node in network.graph.gate_nodes() {
        let children = network.graph.children(node);
        wires[node.index()] = children.iter().all(|&edge| read(&wires, edge));
    }
    let over = read(&wires, network.terminal);
    if !over && !network.legal.iter().any(|&edge| read(&wires, edge)) {
        return Err(BuildError::Stuck);
    }
    Ok(())
}

impl CompiledBuilder {
    /// All nodes, each after its inputs. An error for cycles and undefined wires.
    fn node_order(&self) -> Result<Vec<usize>, BuildError> {
        #[derive(Clone, Copy, PartialEq)]
        enum Seen {
            No,
            Entered,
            Done,
        }
        let mut seen = vec![Seen::No; self.nodes.len()];
        let mut order = Vec::with_capacity(self.nodes.len());
        for root in 0..self.nodes.len() {
            let mut stack = vec![(root, false)];
            while let Some((node, ready)) = stack.pop() {
                if ready {
                    seen[node] = Seen::Done;
                    order.push(node);
                    continue;
                }
                match seen[node] {
                    Seen::Done => continue,
                    Seen::Entered => return Err(BuildError::Cycle(node)),
                    Seen::No => {}
                }
                seen[node] = Seen::Entered;
                stack.push((node, true));
                let needs: &[Wire] = match &self.nodes[node] {
                    Node::And(wires) => wires,
                    Node::Open(Some(wire)) => std::slice::from_ref(wire),
                    Node::Open(None) => return Err(BuildError::Undefined(node)),
                    Node::True | Node::Fluent(_) | Node::Does(_) => &[],
                };
                for wire in needs {
                    match seen[wire.node()] {
                        Seen::Done => {}
                        Seen::Entered => return Err(BuildError::Cycle(wire.node())),
                        Seen::No => stack.push((wire.node(), false)),
                    }
                }
            }
        }
        Ok(order)
    }
}
