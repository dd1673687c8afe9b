//! Othello against the position-weight player.
#![expect(clippy::print_stdout, reason = "printing is the purpose of the command")]

use std::collections::BTreeSet;

use anyhow::Result;
use magister_core::{Rng, Seed};
use magister_learn::driver::{Chain, Settings, train};
use magister_learn::environment::{CellLayout, Cells as _, Environment as _};
use magister_learn::games::othello::{Discs, Othello};
use magister_learn::measure::Greedy;
use magister_learn::ntuple::{NTuple, Shape};
use magister_learn::tuples::TupleChoice;
use magister_learn::yardsticks::by_weights;

use super::given::{Given, Watch, mean, rates};

/// A quarter of the weights of the standard heuristic player: S. Lucas and T. Runarsson, "Temporal
/// difference learning versus co-evolution for acquiring Othello position evaluation", 2006, after
/// T. Yoshioka et al., 1999.
const QUARTER: [[f32; 4]; 4] = [
    [1.0, -0.25, 0.1, 0.05],
    [-0.25, -0.25, 0.01, 0.01],
    [0.1, 0.01, 0.05, 0.02],
    [0.05, 0.01, 0.02, 0.01],
];

/// The phases of a game with weights of their own: what a disc is worth depends on the phase.
const PHASES: u32 = 12;
/// The number of plies of an opening.
const PLIES: u32 = 4;

pub(crate) fn run(given: &Given) -> Result<()> {
    // With small steps, the chain of all positions learns more from a game than that of own ones,
    // and eligibility traces carry the result of a long game further back. Strength fluctuates, so
    // weights are averaged.
    let default = Settings {
        alpha: (0.1, 0.1),
        epsilon: (0.2, 0.05),
        lambda: 0.6,
        average: 0.5,
        ..Settings::default()
    };
    let settings = given.settings(&default);
    let mut all = Vec::new();
    for seed in given.seeds(1) {
        let env = Othello { phases: given.whole("phases", PHASES) };
        let layout = env.layout();
        let choice = match given.whole("tuples", 0) as usize {
            0 if given.text("length").is_none() => TupleChoice::Given(patterns()),
            0 => TupleChoice::Given(lines(&layout, given.whole("length", 5).into())),
            count => TupleChoice::Walks { count, length: given.whole("length", 7) as usize },
        };
        let tuples = choice.choose(&layout, &mut Seed::from(seed).derive("tuples").rng());
        let shape = tuples.and_then(|t| Shape::new(&layout, t, given.flag("symmetric", true)));
        let mut shape = shape.map_err(anyhow::Error::msg)?;
        if given.flag("exchange", settings.chain == Chain::Own) {
            shape = shape.with_exchange(settings.chain);
        }
        let network = NTuple::new(shape, env.slots(), 1, 0.0, given.steps(true));
        let (plan, report) = given.plan(250_000.0, seed);
        let watch = Watch::start();
        let done = train(&|| env, &network, &settings, &plan, &report)?;
        rates(&format!("othello, seed {seed}"), &done, watch.seconds());
        let mut rng = Seed::from(seed).derive("matches").rng();
        let starts = openings(&Discs::default(), PLIES);
        let mut measure = |plies: u32| -> Result<f64> {
            let mut greedy = Greedy::new(&env, &network, settings.chain).searching(plies);
            let mut results = Vec::new();
            for _ in 0..given.whole("matches", 1) {
                for start in &starts {
                    for player in 0..2 {
                        let end = play(start, player, &mut greedy, &mut rng)?;
                        results.push(f64::from(env.result(&end, player)));
                    }
                }
            }
            let (score, width) = mean(&results);
            println!(
                "  against the position-weight player, {plies} plies: {score:.3} ± {width:.3} in {} \
                 games from {} openings, both sides",
                results.len(),
                starts.len()
            );
            Ok(score)
        };
        let score = measure(1)?;
        for plies in 2..=given.whole("plies", 3) {
            measure(plies)?;
        }
        all.push(score);
    }
    let (score, width) = mean(&all);
    println!("othello: {score:.3} ± {width:.3} over {} seeds", all.len());
    Ok(())
}

/// The patterns of Logistello, one of each set of images: the rows from the edge to the middle, the
/// diagonals of four to eight cells, the edge with the two cells inside its corners, and the corners
/// of three by three and two by five. M. Buro, "Experiments with Multi-ProbCut and a new high-quality
/// evaluation function for Othello", 1997.
fn patterns() -> Vec<Vec<u16>> {
    let cell = |column: u16, row: u16| 8 * row + column;
    let rows = (0..4).map(|row| (0..8).map(|column| cell(column, row)).collect());
    let diagonals =
        (0..5).map(|skipped| (0..8 - skipped).map(|at| cell(at + skipped, at)).collect());
    let block = |columns: u16, rows: u16| -> Vec<u16> {
        (0..rows).flat_map(|row| (0..columns).map(move |column| cell(column, row))).collect()
    };
    let edge = (0..8).map(|column| cell(column, 0)).chain([cell(1, 1), cell(6, 1)]).collect();
    rows.chain(diagonals).chain([edge, block(3, 3), block(5, 2)]).collect()
}

/// All straight lines of some cells, one of each set of images under the symmetries of the board: W.
/// Jaśkowski, "Systematic n-tuple networks for Othello position evaluation", 2014.
fn lines(layout: &CellLayout, length: i64) -> Vec<Vec<u16>> {
    let mut out: Vec<Vec<u16>> = Vec::new();
    let mut seen = BTreeSet::new();
    let inside = |at: i64| (0..8).contains(&at);
    for cell in 0..64_i64 {
        for (right, down) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
            let (column, row) = (cell % 8 + right * (length - 1), cell / 8 + down * (length - 1));
            if !inside(column) || !inside(row) {
                continue;
            }
            let line: Vec<u16> =
                (0..length).map(|at| (cell + at * (8 * down + right)) as u16).collect();
            let sorted = |mut cells: Vec<u16>| {
                cells.sort_unstable();
                cells
            };
            if seen.insert(sorted(line.clone())) {
                let image = |symmetry: &Vec<u16>| {
                    sorted(line.iter().map(|&cell| symmetry[usize::from(cell)]).collect())
                };
                seen.extend(layout.symmetries.iter().map(image));
                out.push(line);
            }
        }
    }
    out
}

/// The positions after every sequence of moves.
fn openings(state: &Discs, plies: u32) -> Vec<Discs> {
    if plies == 0 {
        return vec![*state];
    }
    let legal = state.legal();
    let cells = (0..64).filter(|cell| legal >> cell & 1 == 1);
    cells.flat_map(|cell| openings(&state.play(cell), plies - 1)).collect()
}

/// The end of a game between the learned player and the position-weight player.
fn play(
    start: &Discs,
    player: usize,
    greedy: &mut Greedy<'_, Othello, NTuple>,
    rng: &mut Rng,
) -> Result<Discs> {
    let weights: Vec<f32> = (0..64)
        .map(|cell: usize| QUARTER[(cell / 8).min(7 - cell / 8)][(cell % 8).min(7 - cell % 8)])
        .collect();
    let mut env = Othello::default();
    let mut state = *start;
    while let Some(turn) = env.turn(&state) {
        state = if turn == player {
            greedy.decide(&state, rng)?.after
        } else {
            by_weights(&mut env, &weights, &state, rng)?
        };
    }
    Ok(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_244_openings_of_four_plies() {
        assert_eq!(openings(&Discs::default(), PLIES).len(), 244);
    }

    #[test]
    fn patterns_are_those_of_logistello() {
        let lengths: Vec<usize> = patterns().iter().map(Vec::len).collect();
        assert_eq!(lengths, [8, 8, 8, 8, 8, 7, 6, 5, 4, 10, 9, 10]);
        let shape = Shape::new(&Othello::default().layout(), patterns(), true).expect("tuples");
        // Images with the same cells in another order count, too: four rows, four diagonals and
        // edges have eight, the corners eight, and the longest diagonal four.
        assert_eq!(shape.active(), 8 * 4 + 4 + 8 * 4 + 8 + 8 + 8);
    }

    #[test]
    fn lines_and_their_images_are_all_lines() {
        let layout = Othello::default().layout();
        for (length, count) in [(2, 210), (3, 168), (5, 96), (8, 18)] {
            let shape = Shape::new(&layout, lines(&layout, length), true).expect("tuples");
            // Each line is an image of itself with its cells in reverse, too.
            assert!(shape.active() >= count && shape.active() <= 2 * count, "{length}");
        }
    }
}
