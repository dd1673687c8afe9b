//! A game derived from another one: some fluents are constants, some moves are removed.

use std::sync::Arc;

use magister_core::{Halt, Stop};
use magister_engine::compiled::{CompiledBuilder, Wire};
use magister_engine::evaluator::CompiledGame;
use magister_engine::network::{Edge, Network};
use magister_engine::{Compiled, Evaluator};

/// The changes to a game.
#[derive(Debug)]
pub(crate) struct Change<'a> {
    /// The name of the new game.
    pub(crate) name: String,
    /// A text that identifies its rules.
    pub(crate) rules: String,
    /// The fluents that are initially true.
    pub(crate) initial: &'a [bool],
    /// For each fluent, its value if it is a constant.
    pub(crate) fixed: Vec<Option<bool>>,
    /// Whether each move is kept.
    pub(crate) moves: Vec<bool>,
    /// Whether the game also ends if no role has a move.
    pub(crate) ends_when_stuck: bool,
}

impl Change<'_> {
    /// The new game.
    pub(crate) fn apply(&self, compiled: &Compiled, stop: &Stop) -> Result<CompiledGame, Halt> {
        let network: &Network = compiled.network();
        let roles: Vec<&str> = compiled.info().roles.iter().map(String::as_str).collect();
        let mut builder = CompiledBuilder::new(&self.name, &roles, &self.rules);
        builder.info_mut().rewards = compiled.info().rewards;
        let mut wires = vec![Wire::TRUE; network.graph.len()];
        let mut fluents = Vec::new();
        for fluent in 0..network.fluents() {
            wires[fluent + 1] = match self.fixed[fluent] {
                None => {
                    let name = &compiled.names().fluents()[fluent];
                    let id = builder.fluent(name, self.initial[fluent]);
                    fluents.push((fluent, id));
                    builder.holds(id)
                }
                Some(true) => Wire::TRUE,
                Some(false) => Wire::FALSE,
            };
        }
        let mut moves = Vec::new();
        for (place, &(role, choice)) in network.moves.iter().enumerate() {
            let node = network.inputs[place].node().index();
            wires[node] = Wire::FALSE;
            if self.moves[place] {
                let handle = builder.add_move(role, &compiled.names().moves()[choice.index()]);
                moves.push((place, handle));
                wires[node] = builder.does(handle);
            }
        }
        for (role, idle) in network.idle.iter().enumerate() {
            if let Some(idle) = idle {
                // A role is idle if it makes none of the moves of this game.
                let own: Vec<Wire> = moves
                    .iter()
                    .filter(|(place, _)| network.moves[*place].0.index() == role)
                    .map(|&(_, handle)| !builder.does(handle))
                    .collect();
                wires[idle.node().index()] = builder.and(own);
            }
        }
        let wire = |wires: &[Wire], edge: Edge| {
            let wire = wires[edge.node().index()];
            if edge.negated() { !wire } else { wire }
        };
        for node in network.graph.gate_nodes() {
            let children: Vec<Wire> =
                network.graph.children(node).iter().map(|&edge| wire(&wires, edge)).collect();
            wires[node.index()] = builder.and(children);
        }
        let mut illegal = Vec::new();
        for &(place, handle) in &moves {
            let when = wire(&wires, network.legal[place]);
            builder.legal(handle, when);
            illegal.push(!when);
        }
        for &(fluent, id) in &fluents {
            let next = wire(&wires, network.next[fluent]);
            builder.next(id, next);
        }
        let mut terminal = wire(&wires, network.terminal);
        if self.ends_when_stuck {
            let stuck = builder.and(illegal);
            terminal = builder.or([terminal, stuck]);
        }
        builder.terminal(terminal);
        for goal in &network.goals {
            if let Some(value) = goal.value {
                builder.goal(goal.role, value, wire(&wires, goal.when));
            }
        }
        if let Some(value) = compiled.missing_goal() {
            builder.missing_goal(value);
        }
        let game = builder.build_until(stop).map_err(|error| Halt::Limit(error.to_string()))?;
        CompiledGame::new(Arc::new(game), Evaluator::Sweep)
            .map_err(|error| Halt::Limit(error.to_string()))
    }
}
