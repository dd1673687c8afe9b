//! A network applied to positions of a game.

use std::sync::Arc;

use magister_core::{
    Evaluate, Evaluations, Game, Halt, Move, Positions, Role, StateObserver, Stop,
};

use super::net::{Input, Layers, Net, Wanted, softmax, squash};
use super::shape::Shape;
use super::stepper::Stepper;
use super::tree::Tree;

/// The positions that a search should ask about together.
pub(crate) const BATCH: usize = 16;

/// The values of all players from the outputs of a network.
pub(crate) fn players(shape: &Shape, bounded: bool, raw: &[f32], out: &mut Vec<f32>) {
    out.clear();
    out.extend(raw.iter().map(|&x| if bounded { squash(x).0 } else { expand(x) }));
    if shape.values == 1 && shape.players == 2 {
        out.push(-out[0]);
    }
}

/// An unbounded value is learned on a scale on which large values are closer together.
pub(crate) fn compress(value: f32) -> f32 {
    ((value.abs() + 1.0).sqrt() - 1.0).copysign(value)
}

/// The inverse of [`compress`].
pub(crate) fn expand(x: f32) -> f32 {
    let root = x.abs().min(1e6) + 1.0;
    (root * root - 1.0).copysign(x)
}

/// A network, and the positions that it evaluates together.
#[derive(Clone, Debug)]
pub(crate) struct Judge {
    net: Arc<Net>,
    observer: StateObserver,
    bounded: bool,
    row: Vec<f32>,
    inputs: Vec<Input>,
    used: usize,
    /// For each position, the number of its first choice.
    first: Vec<usize>,
    wanted: Wanted,
    layers: Layers,
    values: Vec<f32>,
}

impl Judge {
    pub(crate) fn new(game: &Arc<dyn Game>, net: Arc<Net>, bounded: bool) -> Self {
        let observer = StateObserver::new(game);
        Judge {
            row: vec![0.0; observer.tensors().len()],
            observer,
            net,
            bounded,
            inputs: Vec::new(),
            used: 0,
            first: Vec::new(),
            wanted: Wanted::default(),
            layers: Layers::default(),
            values: Vec::new(),
        }
    }

    /// Replaces the network by another of the same shape.
    pub(crate) fn exchange(&mut self, net: Arc<Net>) {
        self.net = net;
    }

    pub(crate) fn clear(&mut self) {
        self.used = 0;
        self.first.clear();
        self.wanted.clear();
    }

    /// Adds a position.
    pub(crate) fn push(&mut self, state: &[u64]) -> usize {
        self.observer.write(state, &mut self.row);
        if self.inputs.len() == self.used {
            self.inputs.push(Input::default());
        }
        self.inputs[self.used].read(&self.row);
        self.first.push(self.wanted.choices.len());
        self.used += 1;
        self.used - 1
    }

    /// Adds a choice of a player to the last position.
    pub(crate) fn choice(&mut self, player: usize, moves: impl IntoIterator<Item = Move>) {
        let net = &self.net;
        let rows = moves.into_iter().map(|choice| net.row(player, choice.0));
        self.wanted.push(self.used - 1, rows);
    }

    /// Evaluates all positions.
    pub(crate) fn run(&mut self) {
        self.net.forward(&self.inputs[..self.used], &self.wanted, &mut self.layers);
    }

    /// The values of all players in a position.
    pub(crate) fn values(&mut self, position: usize) -> &[f32] {
        let shape = self.net.shape();
        let raw = &self.layers.values[position * shape.values..][..shape.values];
        players(shape, self.bounded, raw, &mut self.values);
        &self.values
    }

    /// The logits of a choice of a position.
    pub(crate) fn logits(&self, position: usize, choice: usize) -> &[f32] {
        &self.layers.logits[self.wanted.range(self.first[position] + choice)]
    }
}

/// Asks the network about a position of a tree.
pub(crate) fn ask(judge: &mut Judge, tree: &Tree, node: u32) {
    let node = &tree.nodes[node as usize];
    judge.push(&node.state);
    for actor in &node.actors {
        judge.choice(actor.player, actor.arms.iter().map(|arm| arm.choice));
    }
}

/// A network as the evaluator of a search.
#[derive(Debug)]
pub struct NetEvaluator {
    judge: Judge,
    stepper: Stepper,
    /// The number of each role among the players.
    numbers: Vec<Option<usize>>,
    priors: Vec<f32>,
}

impl NetEvaluator {
    pub(crate) fn new(game: &Arc<dyn Game>, net: Arc<Net>) -> Self {
        let info = game.info();
        let stepper = Stepper::new(game, net.shape());
        let number = |role: Role| stepper.players().iter().position(|&player| player == role);
        NetEvaluator {
            judge: Judge::new(game, net, stepper.bounded()),
            numbers: info.all_roles().map(number).collect(),
            stepper,
            priors: Vec::new(),
        }
    }
}

impl Evaluate for NetEvaluator {
    fn evaluate(
        &mut self,
        positions: &Positions,
        out: &mut Evaluations,
        stop: &Stop,
    ) -> Result<(), Halt> {
        let mut done = 0;
        while done < positions.len() {
            stop.check()?;
            let part = done..(done + 2 * BATCH).min(positions.len());
            self.judge.clear();
            for number in part.clone() {
                let position = positions.get(number);
                self.judge.push(position.state());
                for (role, moves) in position.choices() {
                    let player = self.numbers.get(role.index()).copied().flatten().unwrap_or(0);
                    self.judge.choice(player, moves.iter().copied());
                }
            }
            self.judge.run();
            for (at, number) in part.clone().enumerate() {
                let values = self.judge.values(at);
                for (player, role) in self.stepper.players().iter().enumerate() {
                    out.values_mut(number)[role.index()] = self.stepper.outwards(values[player]);
                }
                for choice in 0..positions.get(number).choices().len() {
                    self.priors.clear();
                    self.priors.extend_from_slice(self.judge.logits(at, choice));
                    softmax(&mut self.priors);
                    out.priors_mut(number, choice).copy_from_slice(&self.priors);
                }
            }
            done = part.end;
        }
        Ok(())
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn has_policies(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_values_survive_the_scale() {
        for value in [-3_000.0, -1.0, 0.0, 0.25, 7.0, 80_000.0] {
            assert!((expand(compress(value)) - value).abs() <= 1e-3 * value.abs().max(1.0));
        }
        assert!(expand(f32::MAX).is_finite());
    }
}
