//! Positions of past games to learn from, and one step of learning.

use std::sync::Arc;

use magister_core::{Game, Move, Rng, StateObserver};

use super::judge::{compress, players};
use super::net::{Input, Layers, Net, Wanted, softmax, squash};

/// A position with what a search found about it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    pub(crate) state: Box<[u64]>,
    pub(crate) choices: Box<[SampleChoice]>,
    /// The targets of the values of all players.
    pub(crate) values: Box<[f32]>,
}

/// A choice of a player, with the improved policy.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SampleChoice {
    pub(crate) player: u8,
    pub(crate) moves: Box<[Move]>,
    pub(crate) policy: Box<[f32]>,
}

/// The newest samples.
#[derive(Debug)]
pub(crate) struct Replay {
    samples: Vec<Sample>,
    capacity: usize,
    next: usize,
}

impl Replay {
    pub(crate) fn new(capacity: usize) -> Self {
        Replay { samples: Vec::new(), capacity, next: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.samples.len()
    }

    pub(crate) fn push(&mut self, sample: Sample) {
        if self.samples.len() < self.capacity {
            self.samples.push(sample);
        } else {
            self.samples[self.next] = sample;
            self.next = (self.next + 1) % self.capacity;
        }
    }

    pub(crate) fn draw(&self, rng: &mut Rng) -> &Sample {
        &self.samples[rng.below(self.samples.len() as u64) as usize]
    }
}

/// The errors of a step: of the values and of the policies, summed over all samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Loss {
    pub(crate) value: f64,
    pub(crate) policy: f64,
    pub(crate) samples: usize,
}

/// A part of a batch: its memory and its gradient.
#[derive(Debug)]
pub(crate) struct Shard {
    observer: StateObserver,
    bounded: bool,
    row: Vec<f32>,
    inputs: Vec<Input>,
    wanted: Wanted,
    layers: Layers,
    by_values: Vec<f32>,
    by_logits: Vec<f32>,
    values: Vec<f32>,
    pub(crate) gradient: Vec<f32>,
    pub(crate) loss: Loss,
}

impl Shard {
    pub(crate) fn new(game: &Arc<dyn Game>, bounded: bool) -> Self {
        let observer = StateObserver::new(game);
        Shard {
            row: vec![0.0; observer.tensors().len()],
            observer,
            bounded,
            inputs: Vec::new(),
            wanted: Wanted::default(),
            layers: Layers::default(),
            by_values: Vec::new(),
            by_logits: Vec::new(),
            values: Vec::new(),
            gradient: Vec::new(),
            loss: Loss::default(),
        }
    }

    /// Computes the gradient of the mean error over a batch of `whole` samples, of which these are
    /// a part.
    pub(crate) fn learn(
        &mut self,
        net: &Net,
        samples: &[&Sample],
        whole: usize,
        value_weight: f32,
    ) {
        let shape = net.shape();
        self.wanted.clear();
        self.inputs.resize_with(samples.len(), Input::default);
        for (position, sample) in samples.iter().enumerate() {
            self.observer.write(&sample.state, &mut self.row);
            self.inputs[position].read(&self.row);
            for choice in &sample.choices {
                let player = usize::from(choice.player);
                let rows = choice.moves.iter().map(|choice| net.row(player, choice.0));
                self.wanted.push(position, rows);
            }
        }
        net.forward(&self.inputs, &self.wanted, &mut self.layers);
        let share = 1.0 / whole as f32;
        self.loss = Loss { samples: samples.len(), ..Loss::default() };
        self.by_logits.clear();
        let all = samples.iter().flat_map(|sample| &sample.choices);
        for (number, choice) in all.enumerate() {
            let begin = self.by_logits.len();
            self.by_logits.extend_from_slice(&self.layers.logits[self.wanted.range(number)]);
            let own = &mut self.by_logits[begin..];
            softmax(own);
            for (slope, &target) in own.iter_mut().zip(&choice.policy) {
                self.loss.policy -= f64::from(target) * f64::from(slope.max(1e-9)).ln();
                *slope = (*slope - target) * share;
            }
        }
        self.by_values.clear();
        let factor = value_weight * share;
        for (position, sample) in samples.iter().enumerate() {
            let raw = &self.layers.values[position * shape.values..][..shape.values];
            players(shape, self.bounded, raw, &mut self.values);
            for (head, &x) in raw.iter().enumerate() {
                let target = sample.values[head];
                let (error, slope) = if self.bounded {
                    let (value, slope) = squash(x);
                    (value - target, slope)
                } else {
                    // Large errors count linearly, because returns of long games vary widely.
                    ((x - compress(target)).clamp(-4.0, 4.0), 1.0)
                };
                self.loss.value += f64::from(error * error);
                self.by_values.push(2.0 * factor * error * slope);
            }
        }
        self.gradient.clear();
        self.gradient.resize(net.weights.len(), 0.0);
        net.backward(
            &self.inputs,
            &self.wanted,
            &self.by_values,
            &self.by_logits,
            &mut self.layers,
            &mut self.gradient,
        );
    }
}

/// The moments of Adam: the running means of each derivative and of its square.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Adam {
    pub(crate) first: Vec<f32>,
    pub(crate) second: Vec<f32>,
    pub(crate) steps: u64,
}

/// The decay of the first and of the second moments.
const DECAYS: (f32, f32) = (0.9, 0.999);
/// The largest length of a gradient; longer ones are shortened.
const LONGEST: f64 = 4.0;

impl Adam {
    pub(crate) fn new(weights: usize) -> Self {
        Adam { first: vec![0.0; weights], second: vec![0.0; weights], steps: 0 }
    }

    /// One step against a gradient.
    pub(crate) fn step(&mut self, weights: &mut [f32], gradient: &[f32], alpha: f32, decay: f32) {
        self.steps += 1;
        let steps = self.steps.min(100_000) as i32;
        let length = gradient.iter().map(|&g| f64::from(g) * f64::from(g)).sum::<f64>().sqrt();
        let factor = if length > LONGEST { (LONGEST / length) as f32 } else { 1.0 };
        let first = 1.0 / (1.0 - power(DECAYS.0, steps));
        let second = 1.0 / (1.0 - power(DECAYS.1, steps));
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((weight, &slope), (m, v)) in weights.iter_mut().zip(gradient).zip(moments) {
            let slope = slope * factor;
            *m = DECAYS.0 * *m + (1.0 - DECAYS.0) * slope;
            *v = DECAYS.1 * *v + (1.0 - DECAYS.1) * slope * slope;
            let step = *m * first / ((*v * second).sqrt() + 1e-8);
            *weight -= alpha * (step + decay * *weight);
        }
    }
}

/// A power, computed alike on all machines.
fn power(base: f32, exponent: i32) -> f32 {
    let (mut out, mut square, mut rest) = (1.0_f32, base, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            out *= square;
        }
        square *= square;
        rest >>= 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_samples_are_replaced_first() {
        let sample = |number: u64| Sample {
            state: [number].into(),
            choices: Box::default(),
            values: Box::default(),
        };
        let mut replay = Replay::new(3);
        (0..5).for_each(|number| replay.push(sample(number)));
        let mut kept: Vec<u64> = replay.samples.iter().map(|sample| sample.state[0]).collect();
        kept.sort_unstable();
        assert_eq!((replay.len(), kept), (3, vec![2, 3, 4]));
    }

    #[test]
    fn adam_finds_a_minimum() {
        let (mut adam, mut weights) = (Adam::new(2), vec![3.0, -4.0]);
        for _ in 0..2_000 {
            let gradient = [2.0 * (weights[0] - 1.0), 20.0 * (weights[1] - 2.0)];
            adam.step(&mut weights, &gradient, 0.02, 0.0);
        }
        assert!((weights[0] - 1.0).abs() < 0.01 && (weights[1] - 2.0).abs() < 0.01, "{weights:?}");
        assert!((power(0.999, 1000) - 0.999_f32.powi(1000)).abs() < 1e-4);
    }
}
