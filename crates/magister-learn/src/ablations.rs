//! What final adaptation, temporal coherence, symmetries and replay contribute: small games are
//! learned with and without each of them.

use std::ops::ControlFlow;

use magister_core::{Halt, Seed};

use crate::driver::{Chain, Plan, Settings, train};
use crate::environment::{CellLayout, Cells as _, Environment as _};
use crate::games::connect_four::ConnectFour;
use crate::games::tictactoe::TicTacToe;
use crate::games::twenty48::Twenty48;
use crate::measure::{Greedy, mistakes};
use crate::ntuple::{NTuple, Shape};
use crate::tuples::TupleChoice;
use crate::weights::Steps;
use crate::yardsticks::mcts;

/// A small game with a budget and a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Small {
    /// The number of positions of up to two plies from which a mistake is possible, after 1,000
    /// games.
    Tictactoe,
    /// The mean result against plain Monte Carlo tree search with 100 iterations, from -1 to 1,
    /// after 15,000 games.
    ConnectFour,
    /// The mean score without search, after 3,000 games.
    Twenty48,
}

/// Which parts of learning are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Final adaptation, temporal coherence and symmetries, without replay.
    Standard,
    /// Without final adaptation.
    NoFinalAdaptation,
    /// With a constant step size.
    NoCoherence,
    /// Every image of a tuple has its own table.
    NoSymmetries,
    /// Every step is learned together with a step from memory.
    Replay,
}

/// All variants.
pub const VARIANTS: [Variant; 5] = [
    Variant::Standard,
    Variant::NoFinalAdaptation,
    Variant::NoCoherence,
    Variant::NoSymmetries,
    Variant::Replay,
];

/// The step size without temporal coherence.
const CONSTANT: f32 = 0.1;
/// The number of steps in the replay memory.
const MEMORY: usize = 10_000;
/// The iterations of the opponent in Connect Four, and the number of games against it.
const ITERATIONS: u32 = 100;
const MATCHES: usize = 40;
/// The number of games of 2048 that are scored.
const SCORED: usize = 100;

impl Variant {
    fn settings(self, settings: &Settings) -> Settings {
        let plain = self == Variant::NoCoherence;
        Settings {
            // Each player learns from its own positions; otherwise both always learn from the end.
            chain: Chain::Own,
            final_adaptation: self != Variant::NoFinalAdaptation,
            replay: if self == Variant::Replay { MEMORY } else { 0 },
            alpha: if plain { (CONSTANT, CONSTANT) } else { (1.0, 1.0) },
            ..settings.clone()
        }
    }

    /// A network of these tuples. Without symmetries, it has all their images as tuples.
    fn network(
        self,
        layout: &CellLayout,
        tuples: &[Vec<u16>],
        slots: usize,
    ) -> Result<NTuple, String> {
        let mut all = tuples.to_vec();
        let symmetric = self != Variant::NoSymmetries;
        if !symmetric {
            for symmetry in &layout.symmetries {
                all.extend(tuples.iter().map(|tuple| {
                    tuple.iter().map(|&cell| symmetry[usize::from(cell)]).collect::<Vec<_>>()
                }));
            }
            // Two images with the same cells are the same tuple.
            let mut seen = std::collections::BTreeSet::new();
            all.retain(|tuple| {
                let mut cells = tuple.clone();
                cells.sort_unstable();
                seen.insert(cells)
            });
        }
        let steps = if self == Variant::NoCoherence { Steps::Plain } else { Steps::Coherent };
        Ok(NTuple::new(Shape::new(layout, all, symmetric)?, slots, 1, 0.0, steps))
    }
}

/// A plan of this many games.
fn plan(games: u64, seed: Seed) -> Plan {
    Plan { games: Some(games), before: 0, done: 0.0, actors: 1, report: 100, seed }
}

/// Learns a game with a seed, and measures the result; `share` shortens training for tests.
pub fn measure(small: Small, variant: Variant, seed: u64, share: f64) -> Result<f64, Halt> {
    let seed = Seed::from(seed);
    let games = |count: f64| (count * share) as u64;
    let go = |_: &_| ControlFlow::Continue(0.0);
    let mut rng = seed.derive("measure").rng();
    match small {
        Small::Tictactoe => {
            let layout = TicTacToe.layout();
            let network = variant.network(&layout, &[(0..9).collect()], 2).map_err(Halt::Rules)?;
            let settings = variant.settings(&Settings {
                epsilon: (0.3, 0.1),
                random_start: 2,
                ..Settings::default()
            });
            train(&|| TicTacToe, &network, &settings, &plan(games(1_000.0), seed), &go)?;
            Ok(f64::from(mistakes(&TicTacToe, &network, settings.chain, 2)))
        }
        Small::ConnectFour => {
            let layout = ConnectFour.layout();
            let walks = TupleChoice::Walks { count: 40, length: 6 };
            let tuples = walks.choose(&layout, &mut seed.derive("tuples").rng());
            let network = tuples
                .and_then(|tuples| variant.network(&layout, &tuples, 2))
                .map_err(Halt::Rules)?;
            let settings = variant.settings(&Settings::default());
            train(&|| ConnectFour, &network, &settings, &plan(games(15_000.0), seed), &go)?;
            let mut greedy = Greedy::new(&ConnectFour, &network, settings.chain);
            let mut total = 0.0;
            for number in 0..MATCHES {
                let player = number % 2;
                let mut state = ConnectFour.start(&mut rng)?;
                while let Some(turn) = ConnectFour.turn(&state) {
                    state = if turn == player {
                        greedy.decide(&state, &mut rng)?.after
                    } else {
                        mcts(&mut ConnectFour, &state, ITERATIONS, 1.0, &mut rng)?
                    };
                }
                total += f64::from(ConnectFour.result(&state, player));
            }
            Ok(total / MATCHES as f64)
        }
        Small::Twenty48 => {
            let env = Twenty48::default();
            // Lines and squares, one of each set of images: M. Szubert and W. Jaśkowski, 2014.
            let tuples: [&[u16]; 5] =
                [&[0, 1, 2, 3], &[4, 5, 6, 7], &[0, 1, 4, 5], &[1, 2, 5, 6], &[5, 6, 9, 10]];
            let tuples = tuples.map(<[u16]>::to_vec);
            let network = variant.network(&env.layout(), &tuples, 1).map_err(Halt::Rules)?;
            let settings = variant.settings(&Settings {
                epsilon: (0.0, 0.0),
                squash: false,
                ..Settings::default()
            });
            train(&|| env.clone(), &network, &settings, &plan(games(3_000.0), seed), &go)?;
            let mut greedy = Greedy::new(&env, &network, settings.chain).unsquashed();
            let mut total = 0.0;
            for _ in 0..SCORED {
                let mut state = env.clone().start(&mut rng)?;
                while env.turn(&state).is_some() {
                    let choice = greedy.decide(&state, &mut rng)?;
                    total += f64::from(choice.gain);
                    state = choice.after;
                    env.clone().settle(&mut state, &mut rng)?;
                }
            }
            Ok(total / SCORED as f64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_of_every_game_learns() {
        for small in [Small::Tictactoe, Small::ConnectFour, Small::Twenty48] {
            for variant in VARIANTS {
                let figure = measure(small, variant, 1, 0.01).unwrap();
                assert!(figure.is_finite(), "{small:?} {variant:?}");
            }
        }
    }

    #[test]
    fn without_symmetries_all_images_are_tuples() {
        let layout = TicTacToe.layout();
        let corner = [vec![0, 1]];
        let shared = Variant::Standard.network(&layout, &corner, 1).unwrap();
        let apart = Variant::NoSymmetries.network(&layout, &corner, 1).unwrap();
        assert_eq!((shared.shape.active(), shared.weights.len()), (8, 9));
        assert_eq!((apart.shape.active(), apart.weights.len()), (8, 72));
    }
}
