//! A policy-and-value network: residual blocks, a policy head and a value head.

use std::ops::Range;

use magister_core::Rng;

use super::matrix::{Channels, Panels, Taps, backward_input, backward_weights, forward};
use super::shape::Shape;
use crate::driver::tanh;

/// A network.
#[derive(Clone, Debug)]
pub struct Net {
    shape: Shape,
    /// All weights, one tensor after the other.
    pub(crate) weights: Vec<f32>,
    map: Map,
}

/// Where the weights of each layer are.
#[derive(Clone, Debug)]
struct Map {
    taps: Taps,
    /// Each cell by itself.
    alone: Taps,
    /// All cells together.
    dense: Taps,
    board: Range<usize>,
    rest: Range<usize>,
    input_bias: Range<usize>,
    blocks: Vec<[Layer; 2]>,
    policy_cells: Layer,
    policy_moves: Layer,
    value_cells: Layer,
    value_hidden: Layer,
    value_out: Layer,
}

#[derive(Clone, Debug)]
struct Layer {
    weights: Range<usize>,
    bias: Range<usize>,
}

impl Map {
    fn new(shape: &Shape) -> Self {
        let parts = shape.parts();
        let range = |name: &str| {
            let part = parts.iter().find(|part| part.name == name);
            part.map_or(0..0, |part| part.at..part.at + part.len)
        };
        let layer =
            |name: &str| Layer { weights: range(name), bias: range(&format!("{name}.bias")) };
        let block = |number: usize| {
            [layer(&format!("block{number}.first")), layer(&format!("block{number}.second"))]
        };
        Map {
            taps: shape.taps(),
            alone: Taps::single(shape.cells()),
            dense: Taps::single(1),
            board: range("input.board"),
            rest: range("input.rest"),
            input_bias: range("input.bias"),
            blocks: (0..shape.blocks).map(block).collect(),
            policy_cells: layer("policy.cells"),
            policy_moves: layer("policy.moves"),
            value_cells: layer("value.cells"),
            value_hidden: layer("value.hidden"),
            value_out: layer("value.out"),
        }
    }
}

/// The input of a network for one position: its observations that are not zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input(Vec<(u32, f32)>);

impl Input {
    /// The input of a row of observations.
    pub fn read(&mut self, row: &[f32]) {
        self.0.clear();
        self.0.extend((0..).zip(row).filter(|(_, number)| **number != 0.0).map(|(at, &x)| (at, x)));
    }
}

/// The moves whose weights are requested, for all positions of a batch.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Rows of the policy, choice after choice.
    pub(crate) rows: Vec<u32>,
    /// For each choice, its position and the end of its rows.
    pub(crate) choices: Vec<(u32, u32)>,
}

impl Wanted {
    /// Removes all choices.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.choices.clear();
    }

    /// Adds a choice at a position.
    pub fn push(&mut self, position: usize, rows: impl IntoIterator<Item = u32>) {
        self.rows.extend(rows);
        self.choices.push((position as u32, self.rows.len() as u32));
    }

    /// The range of the rows of a choice.
    pub fn range(&self, choice: usize) -> Range<usize> {
        let start = choice.checked_sub(1).map_or(0, |before| self.choices[before].1);
        start as usize..self.choices[choice].1 as usize
    }
}

/// The layers of a batch, kept for the way back, and the answers.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// The input of each block, and the output of the last.
    body: Vec<Vec<f32>>,
    /// Within each block, the layer between its convolutions.
    inner: Vec<Vec<f32>>,
    policy: Vec<f32>,
    value: Vec<f32>,
    hidden: Vec<f32>,
    /// For each position, its values.
    pub values: Vec<f32>,
    /// For each row of [`Wanted`], its logit.
    pub logits: Vec<f32>,
    slope: Vec<f32>,
    other: Vec<f32>,
    reversed: Vec<f32>,
    panels: Panels,
}

impl Net {
    /// A network with random weights.
    pub fn random(shape: &Shape, rng: &mut Rng) -> Self {
        let mut weights = Vec::new();
        for part in shape.parts() {
            let spread = if part.reach == 0 { 0.0 } else { (6.0 / part.reach as f64).sqrt() };
            weights.extend((0..part.len).map(|_| ((rng.f64() * 2.0 - 1.0) * spread) as f32));
        }
        Net { shape: shape.clone(), weights, map: Map::new(shape) }
    }

    /// A network with these weights, if there are as many as the shape needs.
    pub fn of(shape: &Shape, weights: Vec<f32>) -> Option<Self> {
        let count: usize = shape.parts().iter().map(|part| part.len).sum();
        let map = Map::new(shape);
        (weights.len() == count).then(|| Net { shape: shape.clone(), weights, map })
    }

    /// Its shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Computes the values and the requested logits of some positions.
    pub fn forward(&self, inputs: &[Input], wanted: &Wanted, layers: &mut Layers) {
        let (shape, map) = (&self.shape, &self.map);
        let (cells, c) = (shape.cells(), shape.channels);
        let rows = inputs.len() * cells;
        let square = Channels { from: c, to: c };
        let part = |range: &Range<usize>| &self.weights[range.clone()];
        let Layers { body, inner, policy, value, hidden, values, logits, panels, .. } = layers;
        body.resize_with(shape.blocks + 1, Vec::new);
        inner.resize_with(shape.blocks, Vec::new);
        self.enter(inputs, &mut body[0]);
        for (number, block) in map.blocks.iter().enumerate() {
            let (before, after) = body.split_at_mut(number + 1);
            let (input, out) = (&before[number], &mut after[0]);
            let middle = &mut inner[number];
            spread(middle, rows, part(&block[0].bias));
            forward(&map.taps, square, input, part(&block[0].weights), middle, panels);
            rectify(middle);
            spread(out, rows, part(&block[1].bias));
            forward(&map.taps, square, middle, part(&block[1].weights), out, panels);
            out.iter_mut().zip(input).for_each(|(out, x)| *out = (*out + x).max(0.0));
        }
        let last = &body[shape.blocks];
        let to = shape.policy_channels;
        spread(policy, rows, part(&map.policy_cells.bias));
        let channels = Channels { from: c, to };
        forward(&map.alone, channels, last, part(&map.policy_cells.weights), policy, panels);
        rectify(policy);
        logits.clear();
        let (weights, bias) = (part(&map.policy_moves.weights), part(&map.policy_moves.bias));
        let flat = cells * to;
        for (choice, &(position, _)) in wanted.choices.iter().enumerate() {
            let features = &policy[position as usize * flat..][..flat];
            logits.extend(wanted.rows[wanted.range(choice)].iter().map(|&row| {
                bias[row as usize] + dot(features, &weights[row as usize * flat..][..flat])
            }));
        }
        let to = shape.value_channels;
        spread(value, rows, part(&map.value_cells.bias));
        let channels = Channels { from: c, to };
        forward(&map.alone, channels, last, part(&map.value_cells.weights), value, panels);
        rectify(value);
        spread(hidden, inputs.len(), part(&map.value_hidden.bias));
        let channels = Channels { from: cells * to, to: shape.hidden };
        forward(&map.dense, channels, value, part(&map.value_hidden.weights), hidden, panels);
        rectify(hidden);
        spread(values, inputs.len(), part(&map.value_out.bias));
        let channels = Channels { from: shape.hidden, to: shape.values };
        forward(&map.dense, channels, hidden, part(&map.value_out.weights), values, panels);
    }

    /// Adds the derivative of the loss by all weights to `gradient`. `by_values` and `by_logits`
    /// are the derivatives by the answers of the last [`forward`](Net::forward) for these
    /// positions.
    pub fn backward(
        &self,
        inputs: &[Input],
        wanted: &Wanted,
        by_values: &[f32],
        by_logits: &[f32],
        layers: &mut Layers,
        gradient: &mut [f32],
    ) {
        let (shape, map) = (&self.shape, &self.map);
        let (cells, c) = (shape.cells(), shape.channels);
        let rows = inputs.len() * cells;
        let part = |range: &Range<usize>| &self.weights[range.clone()];
        let Layers { body, inner, policy, value, hidden, slope, other, reversed, panels, .. } =
            layers;
        let last = &body[shape.blocks];
        // The derivative by the output of the last block.
        zero(slope, rows * c);
        // The policy.
        let to = shape.policy_channels;
        let flat = cells * to;
        zero(other, rows * to);
        let (at, bias) = (map.policy_moves.weights.start, map.policy_moves.bias.start);
        for (choice, &(position, _)) in wanted.choices.iter().enumerate() {
            let place = position as usize * flat;
            for number in wanted.range(choice) {
                let (row, slope) = (wanted.rows[number] as usize, by_logits[number]);
                gradient[bias + row] += slope;
                let weights = at + row * flat;
                add(&mut gradient[weights..][..flat], slope, &policy[place..][..flat]);
                add(&mut other[place..][..flat], slope, &self.weights[weights..][..flat]);
            }
        }
        gate(other, policy);
        let layer = &map.policy_cells;
        let channels = Channels { from: c, to };
        backward_weights(
            &map.alone,
            channels,
            last,
            other,
            &mut gradient[layer.weights.clone()],
            panels,
        );
        sum_rows(other, &mut gradient[layer.bias.clone()]);
        backward_input(&map.alone, channels, part(&layer.weights), other, slope, reversed, panels);
        // The value, from its output to the body.
        let channels = Channels { from: shape.hidden, to: shape.values };
        let layer = &map.value_out;
        backward_weights(
            &map.dense,
            channels,
            hidden,
            by_values,
            &mut gradient[layer.weights.clone()],
            panels,
        );
        sum_rows(by_values, &mut gradient[layer.bias.clone()]);
        zero(other, inputs.len() * shape.hidden);
        backward_input(
            &map.dense,
            channels,
            part(&layer.weights),
            by_values,
            other,
            reversed,
            panels,
        );
        gate(other, hidden);
        let to = shape.value_channels;
        let channels = Channels { from: cells * to, to: shape.hidden };
        let layer = &map.value_hidden;
        backward_weights(
            &map.dense,
            channels,
            value,
            other,
            &mut gradient[layer.weights.clone()],
            panels,
        );
        sum_rows(other, &mut gradient[layer.bias.clone()]);
        let mut by_value = std::mem::take(hidden);
        zero(&mut by_value, rows * to);
        backward_input(
            &map.dense,
            channels,
            part(&layer.weights),
            other,
            &mut by_value,
            reversed,
            panels,
        );
        gate(&mut by_value, value);
        let channels = Channels { from: c, to };
        let layer = &map.value_cells;
        backward_weights(
            &map.alone,
            channels,
            last,
            &by_value,
            &mut gradient[layer.weights.clone()],
            panels,
        );
        sum_rows(&by_value, &mut gradient[layer.bias.clone()]);
        backward_input(
            &map.alone,
            channels,
            part(&layer.weights),
            &by_value,
            slope,
            reversed,
            panels,
        );
        *hidden = by_value;
        // The blocks.
        let square = Channels { from: c, to: c };
        for (number, block) in map.blocks.iter().enumerate().rev() {
            gate(slope, &body[number + 1]);
            let [first, second] = block;
            let middle = &inner[number];
            backward_weights(
                &map.taps,
                square,
                middle,
                slope,
                &mut gradient[second.weights.clone()],
                panels,
            );
            sum_rows(slope, &mut gradient[second.bias.clone()]);
            zero(other, rows * c);
            backward_input(
                &map.taps,
                square,
                part(&second.weights),
                slope,
                other,
                reversed,
                panels,
            );
            gate(other, middle);
            backward_weights(
                &map.taps,
                square,
                &body[number],
                other,
                &mut gradient[first.weights.clone()],
                panels,
            );
            sum_rows(other, &mut gradient[first.bias.clone()]);
            backward_input(&map.taps, square, part(&first.weights), other, slope, reversed, panels);
        }
        gate(slope, &body[0]);
        self.leave(inputs, slope, gradient);
    }

    /// The first layer. Most observations are zero, so it adds up the rows of the others.
    fn enter(&self, inputs: &[Input], out: &mut Vec<f32>) {
        let (shape, map) = (&self.shape, &self.map);
        let (cells, c) = (shape.cells(), shape.channels);
        let first = shape.planes * cells;
        out.clear();
        let mut common = Vec::with_capacity(c);
        for input in inputs {
            common.clear();
            common.extend_from_slice(&self.weights[map.input_bias.clone()]);
            for &(at, number) in &input.0 {
                if at as usize >= first {
                    let row = map.rest.start + (at as usize - first) * c;
                    add(&mut common, number, &self.weights[row..][..c]);
                }
            }
            let begin = out.len();
            (0..cells).for_each(|_| out.extend_from_slice(&common));
            let own = &mut out[begin..];
            for &(at, number) in &input.0 {
                if (at as usize) < first {
                    for (row, cell) in self.reach(at as usize) {
                        add(&mut own[cell * c..][..c], number, &self.weights[row..][..c]);
                    }
                }
            }
            rectify(own);
        }
    }

    /// The derivative by the weights of the first layer.
    fn leave(&self, inputs: &[Input], slope: &[f32], gradient: &mut [f32]) {
        let (shape, map) = (&self.shape, &self.map);
        let (cells, c) = (shape.cells(), shape.channels);
        let first = shape.planes * cells;
        let mut common = Vec::new();
        for (input, slope) in inputs.iter().zip(slope.chunks_exact(cells * c)) {
            zero(&mut common, c);
            sum_rows(slope, &mut common);
            add(&mut gradient[map.input_bias.clone()], 1.0, &common);
            for &(at, number) in &input.0 {
                if at as usize >= first {
                    let row = map.rest.start + (at as usize - first) * c;
                    add(&mut gradient[row..][..c], number, &common);
                } else {
                    for (row, cell) in self.reach(at as usize) {
                        add(&mut gradient[row..][..c], number, &slope[cell * c..][..c]);
                    }
                }
            }
        }
    }

    /// The cells that an observation on the grid affects, each with the row of its weights.
    fn reach(&self, at: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (shape, map) = (&self.shape, &self.map);
        let (plane, cell) = (at / shape.cells(), at % shape.cells());
        // The neighbour in one direction has this cell in the opposite direction.
        map.taps.of(cell).map(move |(tap, near)| {
            let opposite = map.taps.taps() - 1 - tap;
            (map.board.start + (opposite * shape.planes + plane) * shape.channels, near)
        })
    }

    /// The row of the policy for a move of a player.
    pub(crate) fn row(&self, player: usize, choice: u32) -> u32 {
        let policy = if self.shape.policies > 1 { player } else { 0 };
        let last = self.shape.moves.saturating_sub(1) as u32;
        (policy * self.shape.moves) as u32 + choice.min(last)
    }
}

/// Fills a layer with its bias.
fn spread(out: &mut Vec<f32>, rows: usize, bias: &[f32]) {
    out.clear();
    (0..rows).for_each(|_| out.extend_from_slice(bias));
}

fn zero(out: &mut Vec<f32>, count: usize) {
    out.clear();
    out.resize(count, 0.0);
}

fn rectify(numbers: &mut [f32]) {
    numbers.iter_mut().for_each(|number| *number = number.max(0.0));
}

/// The derivative of [`rectify`], whose output is given.
fn gate(slope: &mut [f32], out: &[f32]) {
    slope.iter_mut().zip(out).for_each(|(slope, &out)| {
        if out <= 0.0 {
            *slope = 0.0;
        }
    });
}

/// Adds `factor` times some numbers.
fn add(out: &mut [f32], factor: f32, numbers: &[f32]) {
    out.iter_mut().zip(numbers).for_each(|(out, number)| *out += factor * number);
}

/// Adds all rows of a matrix.
fn sum_rows(rows: &[f32], out: &mut [f32]) {
    rows.chunks_exact(out.len().max(1)).for_each(|row| add(out, 1.0, row));
}

/// The sum of products, in eight partial sums, so that it can use vectors.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

/// The exponential function, computed alike on all machines; its relative error is below 1e-6.
pub(crate) fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 88.0);
    let whole = (x * std::f32::consts::LOG2_E).round();
    // The logarithm of 2 in two parts, so that the remainder is exact.
    let rest = x - whole * 0.693_359_4 + whole * 2.121_944_4e-4;
    let mut sum = 1.0 / 5040.0;
    for coefficient in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        sum = sum * rest + coefficient;
    }
    sum * f32::from_bits(((whole as i32 + 127) as u32) << 23)
}

/// Turns logits into probabilities.
pub(crate) fn softmax(logits: &mut [f32]) {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    logits.iter_mut().for_each(|logit| *logit = exp(*logit - most));
    let sum: f32 = logits.iter().sum();
    logits.iter_mut().for_each(|logit| *logit /= sum);
}

/// A value between -1 and 1, and its derivative.
pub(crate) fn squash(x: f32) -> (f32, f32) {
    let value = tanh(x);
    (value, (1.0 - value * value).max(0.0))
}

#[cfg(test)]
mod tests {
    use magister_core::Seed;

    use super::super::shape::Form;
    use super::*;

    fn shape(form: Form) -> Shape {
        let conv = form == Form::Conv;
        Shape {
            form,
            grid: if conv { (3, 4) } else { (1, 1) },
            planes: if conv { 2 } else { 0 },
            rest: 5,
            channels: 6,
            blocks: 2,
            policy_channels: 3,
            moves: 4,
            policies: 2,
            value_channels: 2,
            hidden: 5,
            values: 3,
            players: 3,
            unit: 1,
        }
    }

    fn batch(shape: &Shape, rng: &mut Rng) -> (Vec<Input>, Wanted) {
        let mut inputs = Vec::new();
        let mut wanted = Wanted::default();
        for position in 0..3 {
            let row: Vec<f32> =
                (0..shape.inputs()).map(|_| if rng.below(3) == 0 { 1.0 } else { 0.0 }).collect();
            let mut input = Input::default();
            input.read(&row);
            inputs.push(input);
            wanted.push(position, [0, 1, 3]);
            if position == 1 {
                wanted.push(position, [4, 7]);
            }
        }
        (inputs, wanted)
    }

    /// A loss with a simple derivative: random factors of all answers, plus half their squares.
    fn loss(layers: &Layers, factors: &[f64]) -> f64 {
        let all = layers.values.iter().chain(&layers.logits).map(|&x| f64::from(x));
        all.zip(factors).map(|(x, factor)| factor * x + x * x / 2.0).sum()
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        for form in [Form::Conv, Form::Mlp] {
            let shape = shape(form);
            let mut rng = Seed::from(3).rng();
            let mut net = Net::random(&shape, &mut rng);
            // Nothing may begin as zero, so that every path is tested.
            net.weights.iter_mut().for_each(|w| *w += (rng.f64() as f32 - 0.5) * 0.4);
            let (inputs, wanted) = batch(&shape, &mut rng);
            let mut layers = Layers::default();
            net.forward(&inputs, &wanted, &mut layers);
            let count = layers.values.len() + layers.logits.len();
            let factors: Vec<f64> = (0..count).map(|_| rng.f64() - 0.5).collect();
            let slopes: Vec<f32> = layers
                .values
                .iter()
                .chain(&layers.logits)
                .zip(&factors)
                .map(|(&x, &factor)| x + factor as f32)
                .collect();
            let (by_values, by_logits) = slopes.split_at(layers.values.len());
            let mut gradient = vec![0.0; net.weights.len()];
            net.backward(&inputs, &wanted, by_values, by_logits, &mut layers, &mut gradient);
            let mut wrong = 0;
            for (at, &own) in gradient.iter().enumerate() {
                let (old, by) = (net.weights[at], 2e-3_f32);
                let mut at_point = |x: f32| {
                    net.weights[at] = x;
                    net.forward(&inputs, &wanted, &mut layers);
                    loss(&layers, &factors)
                };
                let (up, down) = (at_point(old + by), at_point(old - by));
                net.weights[at] = old;
                let slope = (up - down) / (2.0 * f64::from(by));
                let own = f64::from(own);
                // A kink of a rectified unit inside the interval changes the difference.
                wrong += usize::from((slope - own).abs() > 0.02 * (1.0 + own.abs()));
            }
            assert!(wrong * 50 <= net.weights.len(), "{form:?}: {wrong} of {}", net.weights.len());
        }
    }

    #[test]
    fn a_position_does_not_depend_on_the_others_of_a_batch() {
        let shape = shape(Form::Conv);
        let mut rng = Seed::from(4).rng();
        let net = Net::random(&shape, &mut rng);
        let (inputs, wanted) = batch(&shape, &mut rng);
        let mut layers = Layers::default();
        net.forward(&inputs, &wanted, &mut layers);
        let all = (layers.values.clone(), layers.logits.clone());
        let mut one = Wanted::default();
        one.push(0, [0, 1, 3]);
        net.forward(&inputs[2..], &one, &mut layers);
        assert_eq!(layers.values, all.0[2 * shape.values..]);
        assert_eq!(layers.logits, all.1[all.1.len() - 3..]);
    }

    #[test]
    fn the_exponential_function_is_close() {
        for step in -8_000..=8_000 {
            let x = step as f32 / 100.0;
            let error = (f64::from(exp(x)) / f64::from(x).exp() - 1.0).abs();
            assert!(error < 2e-6, "{x}: {error}");
        }
    }
}
