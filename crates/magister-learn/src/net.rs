//! Small neural networks on one-hot boards: one hidden layer, trained online.

use magister_core::Rng;

use crate::environment::{CellLayout, Cells, Choice};
use crate::model::Model;
use crate::weights::Weights;

/// A network with one hidden layer of rectified linear units. Its input is one-hot: an entry for
/// each value of each cell and one for each slot; only the entries that are 1 are processed.
#[derive(Debug)]
pub struct Net {
    /// All weights: for each input its hidden weights, then the hidden biases, then the weights and
    /// the bias of each head.
    pub weights: Weights,
    hidden: usize,
    /// For each cell, the number of its first input.
    first: Vec<u32>,
    inputs: usize,
}

impl Net {
    /// The number of weights of such a network.
    pub fn size(layout: &CellLayout, slots: usize, heads: usize, hidden: usize) -> usize {
        let inputs = layout.values.iter().map(|&values| usize::from(values)).sum::<usize>() + slots;
        (inputs + 1) * hidden + heads * (hidden + 1)
    }

    /// A network with random weights.
    pub fn random(
        layout: &CellLayout,
        slots: usize,
        heads: usize,
        hidden: usize,
        rng: &mut Rng,
    ) -> Self {
        let size = Net::size(layout, slots, heads, hidden);
        let active = layout.values.len() as f64 + 1.0;
        let (inner, outer) = ((2.0 / active).sqrt(), (1.0 / hidden as f64).sqrt());
        let inputs = (size - heads * (hidden + 1)) / hidden - 1;
        let mut values = vec![0.0; size];
        for (at, value) in values.iter_mut().enumerate() {
            let spread = if at < inputs * hidden {
                inner
            } else if at < (inputs + 1) * hidden {
                0.0
            } else {
                outer
            };
            *value = ((rng.f64() * 2.0 - 1.0) * spread) as f32;
        }
        Net::of(layout, slots, hidden, &values)
    }

    /// A network with these weights; there must be [`Net::size`] of them.
    pub fn of(layout: &CellLayout, slots: usize, hidden: usize, values: &[f32]) -> Self {
        let mut first = Vec::new();
        let mut inputs = 0;
        for &values in &layout.values {
            first.push(inputs);
            inputs += u32::from(values);
        }
        let inputs = inputs as usize + slots;
        Net { weights: Weights::from_values(values), hidden, first, inputs }
    }

    /// The code of a board.
    pub fn code(&self, cells: &[u8], slot: usize, slots: usize, out: &mut Vec<u32>) {
        out.clear();
        let inputs = self.first.iter().zip(cells).map(|(first, &value)| first + u32::from(value));
        out.extend(inputs);
        out.push((self.inputs - slots + slot) as u32);
    }

    fn layer(&self, code: &[u32], out: &mut Vec<f32>) {
        let biases = self.inputs * self.hidden;
        out.clear();
        out.extend((0..self.hidden).map(|unit| self.weights.get(biases + unit)));
        for &input in code {
            let row = input as usize * self.hidden;
            for (unit, sum) in out.iter_mut().enumerate() {
                *sum += self.weights.get(row + unit);
            }
        }
    }

    fn head(&self, head: usize) -> usize {
        (self.inputs + 1) * self.hidden + head * (self.hidden + 1)
    }

    /// The value of a code.
    pub fn value_of(&self, code: &[u32], head: usize) -> f32 {
        let mut layer = Vec::with_capacity(self.hidden);
        self.layer(code, &mut layer);
        let at = self.head(head);
        let units = layer.iter().enumerate();
        let sum: f32 = units.map(|(unit, &x)| x.max(0.0) * self.weights.get(at + unit)).sum();
        sum + self.weights.get(at + self.hidden)
    }

    fn descend(&self, code: &[u32], head: usize, step: f32) {
        let mut layer = Vec::with_capacity(self.hidden);
        self.layer(code, &mut layer);
        let at = self.head(head);
        for (unit, &sum) in layer.iter().enumerate() {
            if sum <= 0.0 {
                continue;
            }
            let back = step * self.weights.get(at + unit);
            self.weights.add(at + unit, step * sum);
            self.weights.add(self.inputs * self.hidden + unit, back);
            for &input in code {
                self.weights.add(input as usize * self.hidden + unit, back);
            }
        }
        self.weights.add(at + self.hidden, step);
    }
}

impl<E: Cells> Model<E> for Net {
    type Code = Vec<u32>;
    type Scratch = Vec<u8>;

    fn scratch(&self) -> Vec<u8> {
        vec![0; self.first.len()]
    }

    fn rate(
        &self,
        env: &E,
        _state: &E::State,
        choices: &[Choice<E::State>],
        head: usize,
        scratch: &mut Vec<u8>,
        out: &mut Vec<f32>,
    ) {
        out.clear();
        let mut code = Vec::new();
        for choice in choices {
            if env.over(&choice.after) {
                out.push(0.0);
                continue;
            }
            env.write(&choice.after, scratch);
            self.code(scratch, env.slot(&choice.after), env.slots(), &mut code);
            out.push(self.value_of(&code, head));
        }
    }

    fn encode(
        &self,
        env: &E,
        choice: &Choice<E::State>,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u32>,
    ) {
        env.write(&choice.after, scratch);
        self.code(scratch, env.slot(&choice.after), env.slots(), out);
    }

    fn value(&self, code: &Vec<u32>, head: usize) -> f32 {
        self.value_of(code, head)
    }

    fn learn(&self, code: &Vec<u32>, head: usize, step: f32) {
        self.descend(code, head, step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use magister_core::Seed;

    #[test]
    fn a_step_reduces_the_error() {
        let layout = CellLayout::grid(3, 3, 3);
        let net = Net::random(&layout, 2, 1, 16, &mut Seed::from(1).rng());
        let mut code = Vec::new();
        net.code(&[0, 1, 2, 0, 1, 2, 0, 1, 2], 1, 2, &mut code);
        for _ in 0..200 {
            let error = 0.7 - net.value_of(&code, 0);
            net.descend(&code, 0, 0.02 * error);
        }
        assert!((net.value_of(&code, 0) - 0.7).abs() < 0.01);
    }
}
