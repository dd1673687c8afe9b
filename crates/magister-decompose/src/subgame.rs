//! Subgames as separate games.

use magister_core::{Halt, Stop};
use magister_engine::Compiled;
use magister_engine::evaluator::CompiledGame;
use magister_engine::network::{Edge, Network};
use rustc_hash::FxHashSet;

use crate::decomposition::Decomposition;
use crate::rebuild::Change;
use crate::sample;
use crate::split::CONTEXT;

/// The number of steps of random play from which the frozen state of the other parts is taken.
const STEPS: usize = 200;

impl Decomposition {
    /// A subgame as a separate game: the whole game with all other parts frozen in a state of
    /// random play in which `terminal` depends only on this part. It is the initial state if
    /// possible, otherwise a state in which the other parts are over.
    ///
    /// The game also ends if no role has a move.
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
        let acts: FxHashSet<usize> = part.moves.iter().copied().collect();
        let change = Change {
            name: format!("{}-{}", compiled.info().name, number + 1),
            rules: format!("{} subgame {}", compiled.info().rules_hash, number + 1),
            initial: &network.initial,
            fixed: (0..network.fluents())
                .map(|fluent| (!kept(fluent)).then_some(frozen[fluent]))
                .collect(),
            moves: (0..network.moves.len())
                .map(|place| acts.contains(&place) || self.dead.contains(&place))
                .collect(),
            ends_when_stuck: true,
        };
        change.apply(compiled, stop)
    }

    /// Values for the fluents of other parts such that `terminal` depends on this part and its
    /// initial state is not terminal.
    fn frozen(&self, network: &Network, own: u32) -> Option<Vec<bool>> {
        let fluents = network.fluents();
        let mut states: Vec<Vec<bool>> = Vec::new();
        sample::walk(network, STEPS, |wires, _| {
            for lane in 0..64 {
                let bit = |fluent: usize| wires[fluent + 1] >> lane & 1 == 1;
                states.push((0..fluents).map(bit).collect());
            }
        });
        // Whether the game is open when the other parts have these values: some sampled states of
        // this part are terminal, and its initial state is neither terminal nor stuck.
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
        // The last states of games come last in random play; only a few of them are examined.
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
