//! Tests of the training driver.

use super::*;
use crate::environment::{CellLayout, Cells};
use crate::ntuple::{NTuple, Shape};
use crate::weights::Steps;

/// A game of one player: from 0 to 1, then to 3, which wins, or by 2 to 4, which loses.
struct Fork;

impl Environment for Fork {
    type State = u8;

    fn players(&self) -> usize {
        1
    }

    fn opposed(&self) -> bool {
        false
    }

    fn start(&mut self, _: &mut Rng) -> Result<u8, Halt> {
        Ok(0)
    }

    fn turn(&self, state: &u8) -> Option<usize> {
        (*state < 3).then_some(0)
    }

    fn choices(&mut self, state: &u8, _: &mut Rng, out: &mut Vec<Choice<u8>>) -> Result<(), Halt> {
        out.clear();
        let to: &[u8] = [&[1][..], &[3, 2], &[4]][usize::from(*state)];
        out.extend(to.iter().map(|&after| Choice { id: 0, after, gain: 0.0 }));
        Ok(())
    }

    fn over(&self, after: &u8) -> bool {
        *after >= 3
    }

    fn settle(&mut self, _: &mut u8, _: &mut Rng) -> Result<(), Halt> {
        Ok(())
    }

    fn result(&self, end: &u8, _: usize) -> f32 {
        if *end == 3 { 1.0 } else { -1.0 }
    }

    fn slot(&self, _: &u8) -> usize {
        0
    }
}

impl Cells for Fork {
    fn layout(&self) -> CellLayout {
        CellLayout { values: vec![5], neighbours: vec![Vec::new()], symmetries: Vec::new() }
    }

    fn write(&self, state: &u8, out: &mut [u8]) {
        out[0] = *state;
    }
}

/// The value of state 1 of the fork after games whose moves are all random.
fn fork(settings: &Settings) -> f32 {
    let shape = Shape::new(&Fork.layout(), vec![vec![0]], false).unwrap();
    let network = NTuple::new(shape, 1, 1, 0.0, Steps::Plain);
    let settings =
        Settings { alpha: (0.1, 0.1), epsilon: (1.0, 1.0), squash: false, ..settings.clone() };
    let plan = Plan {
        games: Some(2_000),
        before: 0,
        done: 0.0,
        actors: 1,
        report: 10,
        seed: Seed::from(3),
    };
    train(&|| Fork, &network, &settings, &plan, &|_| ControlFlow::Continue(0.0)).unwrap();
    network.value_of(&[1], 0, 0)
}

/// The best move may end the game although another move is made; its result counts then, not
/// what the network says about a state that it never learns.
#[test]
fn the_best_move_may_end_the_game() {
    let best = Settings { target: Target::Best, ..Settings::default() };
    assert!(fork(&best) > 0.99, "{}", fork(&best));
    let replayed = Settings { replay: 100, ..best.clone() };
    assert!(fork(&replayed) > 0.99, "{}", fork(&replayed));
    let averaged = Settings { average: 0.5, ..best };
    assert!(fork(&averaged) > 0.99, "{}", fork(&averaged));
    let chosen = Settings { learn_random: true, ..Settings::default() };
    assert!(fork(&chosen).abs() < 0.5, "{}", fork(&chosen));
}

#[test]
fn the_tangent_is_close_and_monotonic() {
    let mut before = -2.0;
    for step in -1000..=1000 {
        let x = step as f32 / 150.0;
        let value = tanh(x);
        assert!((value - x.tanh()).abs() < 2e-4, "{x}");
        assert!(value >= before);
        before = value;
    }
}
