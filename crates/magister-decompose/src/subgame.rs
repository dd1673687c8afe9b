//! Subgames as games of their own.

use std::sync::Arc;

use magister_core::{Halt, Stop};
use magister_engine::compiled::{CompiledBuilder, Wire};
use magister_engine::evaluator::CompiledGame;
use magister_engine::network::{Edge, Network};
use magister_engine::{Compiled, Evaluator};
use rustc_hash::FxHashSet;

use crate::decomposition::Decomposition;
use crate::sample;
use crate::split::CONTEXT;

/// Steps of random play among whose states the other parts are frozen.
const STEPS: usize = 200;

impl Decomposition {
    /// A subgame as a game of its own: the whole game in which all other parts are frozen in a state
    /// of random play, one in which the end depends on this part alone. The state is the first one
    /// if that will do, and otherwise one in which the other parts are over.
    ///
    /// The game also ends where no role has a move.
    pub fn subgame(
        &self,
        compiled: &Compiled,
        number: usize,
        stop: &Stop,
    ) -> Result<CompiledGame, Halt> {
        let missing = || Halt::Limit(format!("there is no subgame {}", number + 1));
        let part = self.subgames.get(number).ok_or_else(missing)?;
        let network: &Network = compiled.network();
        let own: u32 = self.split.part_of[part.fluents[0]];
        let frozen = self.frozen(network, own).ok_or_else(|| {
            Halt::Limit("no state was found in which this part alone decides the end".to_owned())
        })?;
        let kept = |fluent: usize| {
            let part = self.split.part_of[fluent];
            part == own || part == CONTEXT
        };
        let roles: Vec<&str> = compiled.info().roles.iter().map(String::as_str).collect();
        let name = format!("{}-{}", compiled.info().name, number + 1);
        let rules = format!("{} subgame {}", compiled.info().rules_hash, number + 1);
        let mut builder = CompiledBuilder::new(&name, &roles, &rules);
        builder.info_mut().rewards = compiled.info().rewards;
        let mut wires = vec![Wire::TRUE; network.graph.len()];
        let mut fluents = Vec::new();
        for fluent in 0..network.fluents() {
            wires[fluent + 1] = if kept(fluent) {
                let id =
                    builder.fluent(&compiled.names().fluents()[fluent], network.initial[fluent]);
                fluents.push((fluent, id));
                builder.holds(id)
            } else if frozen[fluent] {
                Wire::TRUE
            } else {
                Wire::FALSE
            };
        }
        let acts: FxHashSet<usize> = part.moves.iter().copied().collect();
        let mut moves = Vec::new();
        for (place, &(role, choice)) in network.moves.iter().enumerate() {
            let node = network.inputs[place].node().index();
            wires[node] = Wire::FALSE;
            if acts.contains(&place) || self.dead.contains(&place) {
                let handle = builder.add_move(role, &compiled.names().moves()[choice.index()]);
                moves.push((place, handle));
                wires[node] = builder.does(handle);
            }
        }
        for (role, idle) in network.idle.iter().enumerate() {
            if let Some(idle) = idle {
                // A role does nothing if it makes none of the moves of this game.
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
        let mut legal = Vec::new();
        for &(place, handle) in &moves {
            let when = wire(&wires, network.legal[place]);
            builder.legal(handle, when);
            legal.push(!when);
        }
        for &(fluent, id) in &fluents {
            let next = wire(&wires, network.next[fluent]);
            builder.next(id, next);
        }
        let stuck = builder.and(legal);
        let terminal = builder.or([wire(&wires, network.terminal), stuck]);
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

    /// Values for the fluents of other parts for which the end depends on this part, and its first
    /// state is no end.
    fn frozen(&self, network: &Network, own: u32) -> Option<Vec<bool>> {
        let fluents = network.fluents();
        let mut states: Vec<Vec<bool>> = Vec::new();
        sample::walk(network, STEPS, |wires, _| {
            for lane in 0..64 {
                let bit = |fluent: usize| wires[fluent + 1] >> lane & 1 == 1;
                states.push((0..fluents).map(bit).collect());
            }
        });
        // Whether the end is open when the other parts have these values: it holds in some of the
        // sampled states of this part, and neither holds nor is stuck at its start.
        let fits = |frozen: &Vec<bool>| {
            let with = |mine: &Vec<bool>| -> Vec<bool> {
                let pick = |fluent: usize| {
                    if self.split.part_of[fluent] == own { mine[fluent] } else { frozen[fluent] }
                };
                (0..fluents).map(pick).collect()
            };
            let mut start = with(&network.initial);
            for fluent in (0..fluents).filter(|&f| self.split.part_of[f] == CONTEXT) {
                start[fluent] = network.initial[fluent];
            }
            let values = evaluate(network, &start);
            let over = read(&values, network.terminal);
            let moves =
                self.classes_of_moves.iter().zip(&network.legal).any(|(classes, &legal)| {
                    classes.iter().any(|&(part, _)| part == own) && read(&values, legal)
                });
            !over && moves && {
                let mut ends = states.iter().step_by(states.len() / 300 + 1);
                ends.any(|mine| read(&evaluate(network, &with(mine)), network.terminal))
            }
        };
        let first = network.initial.clone();
        if fits(&first) {
            return Some(first);
        }
        // The last states of games come last in random play; look at few of them.
        states.iter().rev().step_by(states.len() / 3_000 + 1).find(|state| fits(state)).cloned()
    }
}

fn evaluate(network: &Network, state: &[bool]) -> Vec<bool> {
    let mut values = vec![false; network.graph.len()];
    values[0] = true;
    values[1..=state.len()].copy_from_slice(state);
    for node in network.graph.gate_nodes() {
        values[node.index()] = network.graph.children(node).iter().all(|&edge| read(&values, edge));
    }
    values
}

fn read(values: &[bool], edge: Edge) -> bool {
    values[edge.node().index()] != edge.negated()
}
