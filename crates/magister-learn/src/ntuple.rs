//! N-tuple networks: sums of table entries, with one table for each tuple of cells.
//!
//! S. Lucas, "Learning to play Othello with n-tuple systems", 2008.

use crate::driver::Chain;
use crate::environment::{CellLayout, Cells, Choice};
use crate::model::Model;
use crate::tuples;
use crate::weights::{Adaptive, Steps};

/// The shape of a network: its tuples, with their images under the symmetries of the board.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The tuples as they were chosen.
    pub tuples: Vec<Vec<u16>>,
    /// The number of weights of one slot and head.
    pub size: usize,
    /// For each tuple and each of its images, where its table begins, and its cells.
    images: Vec<(u32, Vec<u16>)>,
    /// For each cell, the images that contain it, with the stride of the cell in each.
    by_cell: Vec<Vec<(u32, u32)>>,
    values: Vec<u8>,
    /// How both players share their tables, if they do.
    exchange: Option<Exchange>,
}

/// How the second of two players looks up the tables of the first.
#[derive(Clone, Debug)]
struct Exchange {
    /// For each image, the sum of an index and the index of the board with the colours exchanged.
    sums: Vec<u32>,
    /// The sign of the second player's values.
    sign: f32,
}

impl Shape {
    /// A network of these tuples on a board. Images under a symmetry share the table.
    pub fn new(
        layout: &CellLayout,
        tuples: Vec<Vec<u16>>,
        symmetric: bool,
    ) -> Result<Self, String> {
        tuples::check(layout, &tuples)?;
        let mut images = Vec::new();
        let mut size = 0;
        for tuple in &tuples {
            let mut of_this: Vec<Vec<u16>> = vec![tuple.clone()];
            for symmetry in layout.symmetries.iter().filter(|_| symmetric) {
                let image: Vec<u16> =
                    tuple.iter().map(|&cell| symmetry[usize::from(cell)]).collect();
                let fits = image.iter().zip(tuple).all(|(&to, &from)| {
                    layout.values[usize::from(to)] == layout.values[usize::from(from)]
                });
                if fits && !of_this.contains(&image) {
                    of_this.push(image);
                }
            }
            images.extend(of_this.into_iter().map(|cells| (size as u32, cells)));
            size += tuples::entries(layout, tuple) as usize;
        }
        let mut by_cell = vec![Vec::new(); layout.values.len()];
        for (number, (_, cells)) in (0..).zip(&images) {
            let mut stride = 1;
            for &cell in cells {
                by_cell[usize::from(cell)].push((number, stride));
                stride *= u32::from(layout.values[usize::from(cell)]);
            }
        }
        Ok(Shape { tuples, size, images, by_cell, values: layout.values.clone(), exchange: None })
    }

    /// The same network, in which every odd slot has the tables of the slot before and looks up the
    /// board with the colours exchanged, so that both players learn from the games of each. In every
    /// cell, value `v` of `n` values is exchanged with `n - 1 - v`. With the chain `own`, values are
    /// those of the player who moved and the same for both; otherwise they are those of the first
    /// player, so their sign changes.
    #[must_use]
    pub fn with_exchange(mut self, chain: Chain) -> Self {
        let values = &self.values;
        // The strides of a tuple times its highest values add up to the size of the table less 1.
        let last = |cells: &Vec<u16>| {
            cells.iter().map(|&cell| u32::from(values[usize::from(cell)])).product::<u32>() - 1
        };
        let sums = self.images.iter().map(|(table, cells)| 2 * table + last(cells)).collect();
        let sign = if chain == Chain::Own { 1.0 } else { -1.0 };
        self.exchange = Some(Exchange { sums, sign });
        self
    }

    /// The number of slots of weights for an environment with this many.
    fn slots(&self, slots: usize) -> usize {
        if self.exchange.is_some() { slots.div_ceil(2) } else { slots }
    }

    /// The exchange of colours in a slot.
    #[inline]
    fn exchange_of(&self, slot: usize) -> Option<&Exchange> {
        self.exchange.as_ref().filter(|_| slot % 2 == 1)
    }

    /// The index of an image as seen from a slot.
    #[inline]
    fn seen(&self, slot: usize, image: usize, index: u32) -> u32 {
        self.exchange_of(slot).map_or(index, |exchange| exchange.sums[image].wrapping_sub(index))
    }

    /// The sign of the values of a slot.
    #[inline]
    fn sign(&self, slot: usize) -> f32 {
        self.exchange_of(slot).map_or(1.0, |exchange| exchange.sign)
    }

    /// The number of table entries in a value.
    pub fn active(&self) -> usize {
        self.images.len()
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.values.len()
    }

    /// Writes the table entry of each image for these cells.
    pub fn indices(&self, cells: &[u8], out: &mut Vec<u32>) {
        out.clear();
        for (table, of) in &self.images {
            let (mut index, mut stride) = (*table, 1);
            for &cell in of {
                let cell = usize::from(cell);
                index += u32::from(cells[cell]) * stride;
                stride *= u32::from(self.values[cell]);
            }
            out.push(index);
        }
    }
}

/// A board and its table entries, which follow from one board to a similar one.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    cells: Vec<u8>,
    indices: Vec<u32>,
}

impl Entries {
    /// The table entry of each image for these cells.
    pub fn of(&mut self, shape: &Shape, cells: &[u8]) -> &[u32] {
        if self.cells.len() != cells.len() {
            self.cells = cells.to_vec();
            shape.indices(cells, &mut self.indices);
            return &self.indices;
        }
        for ((old, &new), images) in self.cells.iter_mut().zip(cells).zip(&shape.by_cell) {
            if *old != new {
                let difference = u32::from(new).wrapping_sub(u32::from(*old));
                for &(image, stride) in images {
                    let index = &mut self.indices[image as usize];
                    *index = index.wrapping_add(difference.wrapping_mul(stride));
                }
                *old = new;
            }
        }
        &self.indices
    }
}

/// An n-tuple network over the cells of a board.
#[derive(Debug)]
pub struct NTuple {
    /// Its tuples.
    pub shape: Shape,
    /// Its weights: for each slot, each head, all tables.
    pub weights: Adaptive,
    /// The number of heads.
    pub heads: usize,
}

impl NTuple {
    /// A network whose values are all `initial`.
    pub fn new(shape: Shape, slots: usize, heads: usize, initial: f32, steps: Steps) -> Self {
        let each = initial / shape.active() as f32;
        let slots = shape.slots(slots);
        let weights = Adaptive::new(shape.size * slots * heads, each, steps);
        NTuple { shape, weights, heads }
    }

    fn base(&self, slot: usize, head: usize) -> usize {
        let slot = if self.shape.exchange.is_some() { slot / 2 } else { slot };
        (slot * self.heads + head) * self.shape.size
    }

    /// The value of a board by its entries, as a slot sees them.
    pub fn value_of(&self, indices: &[u32], slot: usize, head: usize) -> f32 {
        let base = self.base(slot, head);
        let sum: f32 = indices.iter().map(|&index| self.weights.get(base + index as usize)).sum();
        self.shape.sign(slot) * sum
    }
}

/// The table entries of an afterstate, and its slot.
#[derive(Clone, Debug, Default)]
pub struct Code {
    slot: u32,
    indices: Vec<u32>,
}

/// The scratch memory of an actor: the board before the move, from which the choices differ in a
/// few cells.
#[derive(Debug, Default)]
pub struct Scratch {
    cells: Vec<u8>,
    after: Vec<u8>,
    indices: Vec<u32>,
    /// Whether `indices` belong to `cells`.
    known: bool,
    entries: Vec<f32>,
    change: Vec<u32>,
    touched: Vec<u32>,
    changes: Vec<(u16, u8)>,
}

impl NTuple {
    /// Loads this board into the scratch memory.
    fn enter(&self, cells: impl Fn(&mut [u8]), scratch: &mut Scratch) {
        cells(&mut scratch.after);
        if !scratch.known || scratch.after != scratch.cells {
            std::mem::swap(&mut scratch.after, &mut scratch.cells);
            self.shape.indices(&scratch.cells, &mut scratch.indices);
            scratch.known = true;
        }
    }
}

impl<E: Cells> Model<E> for NTuple {
    type Code = Code;
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        let cells = vec![0; self.shape.cells()];
        Scratch {
            after: cells.clone(),
            cells,
            change: vec![0; self.shape.active()],
            ..Scratch::default()
        }
    }

    fn rate(
        &self,
        env: &E,
        state: &E::State,
        choices: &[Choice<E::State>],
        head: usize,
        scratch: &mut Scratch,
        out: &mut Vec<f32>,
    ) {
        out.clear();
        self.enter(|cells| env.write(state, cells), scratch);
        // The entries of the board before the move, in the tables of the slot after it. Choices
        // rarely differ in their slot.
        let mut known = usize::MAX;
        let mut sum = 0.0;
        for choice in choices {
            let slot = env.slot(&choice.after);
            let base = self.base(slot, head);
            let get = |image: usize, index: u32| {
                self.weights.get(base + self.shape.seen(slot, image, index) as usize)
            };
            if slot != known {
                known = slot;
                scratch.entries.clear();
                let all = scratch.indices.iter().enumerate();
                scratch.entries.extend(all.map(|(image, &index)| get(image, index)));
                sum = scratch.entries.iter().sum();
            }
            let Scratch { cells, after, indices, entries, change, touched, changes, .. } =
                &mut *scratch;
            env.changes(cells, choice, after, changes);
            touched.clear();
            for &(cell, new) in &*changes {
                let cell = usize::from(cell);
                let difference = u32::from(new).wrapping_sub(u32::from(cells[cell]));
                for &(image, stride) in &self.shape.by_cell[cell] {
                    let place = &mut change[image as usize];
                    if *place == 0 {
                        touched.push(image);
                    }
                    *place = place.wrapping_add(difference.wrapping_mul(stride));
                }
            }
            let mut value = sum;
            for &image in &*touched {
                let image = image as usize;
                // An image whose changes cancelled out may have been recorded twice; its change is
                // then 0.
                let by = std::mem::take(&mut change[image]);
                if by != 0 {
                    value += get(image, indices[image].wrapping_add(by)) - entries[image];
                }
            }
            out.push(self.shape.sign(slot) * value);
        }
    }

    fn encode(&self, env: &E, choice: &Choice<E::State>, scratch: &mut Scratch, out: &mut Code) {
        let Scratch { cells, after, indices, changes, .. } = scratch;
        env.changes(cells, choice, after, changes);
        for &(cell, new) in &*changes {
            let cell = usize::from(cell);
            let difference = u32::from(new).wrapping_sub(u32::from(cells[cell]));
            cells[cell] = new;
            for &(image, stride) in &self.shape.by_cell[cell] {
                let place = &mut indices[image as usize];
                *place = place.wrapping_add(difference.wrapping_mul(stride));
            }
        }
        let slot = env.slot(&choice.after);
        out.slot = slot as u32;
        if self.shape.exchange_of(slot).is_some() {
            let all = indices.iter().enumerate();
            out.indices.clear();
            out.indices.extend(all.map(|(image, &index)| self.shape.seen(slot, image, index)));
        } else {
            out.indices.clone_from(indices);
        }
    }

    fn weights(&self) -> Option<&Adaptive> {
        Some(&self.weights)
    }

    fn value(&self, code: &Code, head: usize) -> f32 {
        self.value_of(&code.indices, code.slot as usize, head)
    }

    fn learn(&self, code: &Code, head: usize, step: f32) {
        let base = self.base(code.slot as usize, head);
        let sign = self.shape.sign(code.slot as usize);
        let each = sign * step / code.indices.len() as f32;
        for &index in &code.indices {
            self.weights.learn(base + index as usize, each);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use crate::games::connect_four::ConnectFour;
    use crate::games::othello::{Discs, Othello};
    use crate::tuples::TupleChoice;
    use magister_core::Seed;

    /// Choices are evaluated by their changes, which must agree with the sum over the whole board.
    #[test]
    fn ratings_by_change_equal_whole_sums() {
        let mut env = ConnectFour;
        let mut rng = Seed::from(4).rng();
        let layout = env.layout();
        let tuples = TupleChoice::Walks { count: 20, length: 5 };
        let tuples = tuples.choose(&layout, &mut rng).unwrap();
        let shape = Shape::new(&layout, tuples, true).unwrap();
        let mut entries = Entries::default();
        let network = NTuple::new(shape, 2, 1, 0.0, Steps::Plain);
        for at in 0..network.weights.len() {
            network.weights.set(at, rng.f64() as f32 - 0.5);
        }
        let model: &dyn Fn(&Code) -> f32 = &|code| Model::<ConnectFour>::value(&network, code, 0);
        let mut scratch = Model::<ConnectFour>::scratch(&network);
        let (mut choices, mut values, mut code) = (Vec::new(), Vec::new(), Code::default());
        for _ in 0..50 {
            let mut state = env.start(&mut rng).unwrap();
            while env.turn(&state).is_some() {
                env.choices(&state, &mut rng, &mut choices).unwrap();
                network.rate(&env, &state, &choices, 0, &mut scratch, &mut values);
                let chosen = rng.below(choices.len() as u64) as usize;
                for (choice, &value) in choices.iter().zip(&values) {
                    let mut cells = [0; 42];
                    env.write(&choice.after, &mut cells);
                    let mut indices = Vec::new();
                    network.shape.indices(&cells, &mut indices);
                    assert_eq!(entries.of(&network.shape, &cells), indices);
                    let whole = network.value_of(&indices, env.slot(&choice.after), 0);
                    assert!((whole - value).abs() < 1e-3);
                }
                network.encode(&env, &choices[chosen], &mut scratch, &mut code);
                assert!((model(&code) - values[chosen]).abs() < 1e-3);
                state = choices[chosen].after;
            }
        }
    }

    /// A board and the board with the colours exchanged have the same value for their players.
    #[test]
    fn players_share_tables_by_exchange() {
        shared_tables(Chain::Own, 1.0);
        shared_tables(Chain::Every, -1.0);
    }

    fn shared_tables(chain: Chain, sign: f32) {
        let env = Othello { phases: 2 };
        let mut rng = Seed::from(6).rng();
        let tuples = TupleChoice::Walks { count: 10, length: 4 };
        let tuples = tuples.choose(&env.layout(), &mut rng).unwrap();
        let shape = Shape::new(&env.layout(), tuples, true).unwrap().with_exchange(chain);
        let network = NTuple::new(shape, env.slots(), 1, 0.0, Steps::Plain);
        for at in 0..network.weights.len() {
            network.weights.set(at, rng.f64() as f32 - 0.5);
        }
        let mut scratch = Model::<Othello>::scratch(&network);
        let mut rate = |state: &Discs| {
            let (mut choices, mut values) = (Vec::new(), Vec::new());
            env.clone().choices(state, &mut Seed::from(1).rng(), &mut choices).unwrap();
            network.rate(&env, state, &choices, 0, &mut scratch, &mut values);
            let mut code = Code::default();
            network.encode(&env, &choices[0], &mut scratch, &mut code);
            let whole = Model::<Othello>::value(&network, &code, 0);
            assert!(env.over(&choices[0].after) || (whole - values[0]).abs() < 1e-3);
            (choices, values)
        };
        for _ in 0..10 {
            let mut state = Discs::default();
            while env.turn(&state).is_some() {
                let (choices, values) = rate(&state);
                let [black, white] = state.discs;
                let other = Discs { discs: [white, black], turn: 1 - state.turn };
                let (_, exchanged) = rate(&other);
                for (choice, (a, b)) in choices.iter().zip(values.iter().zip(&exchanged)) {
                    assert!(env.over(&choice.after) || (a - sign * b).abs() < 1e-3, "{a} {b}");
                }
                state = choices[rng.below(choices.len() as u64) as usize].after;
            }
        }
    }

    #[test]
    fn mirror_images_have_the_same_value() {
        let env = ConnectFour;
        let mut rng = Seed::from(5).rng();
        let layout = env.layout();
        let tuples = TupleChoice::Walks { count: 5, length: 4 }.choose(&layout, &mut rng).unwrap();
        let shape = Shape::new(&layout, tuples, true).unwrap();
        let network = NTuple::new(shape, 2, 1, 0.0, Steps::Plain);
        for at in 0..network.weights.len() {
            network.weights.set(at, rng.f64() as f32);
        }
        let cells: Vec<u8> = (0..42).map(|_| rng.below(4) as u8).collect();
        let mirrored: Vec<u8> =
            layout.symmetries[0].iter().map(|&cell| cells[usize::from(cell)]).collect();
        let value = |cells: &[u8]| {
            let mut indices = Vec::new();
            network.shape.indices(cells, &mut indices);
            network.value_of(&indices, 1, 0)
        };
        assert!((value(&cells) - value(&mirrored)).abs() < 1e-4);
    }
}
