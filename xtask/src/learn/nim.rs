//! Nim for three players against two perfect players.
#![expect(clippy::print_stdout, reason = "printing is the purpose of the command")]

use anyhow::{Context as _, Result};
use magister_core::Seed;
use magister_learn::driver::{Settings, heads, train};
use magister_learn::environment::{Cells as _, Environment as _};
use magister_learn::games::nim::Nim;
use magister_learn::measure::Greedy;
use magister_learn::ntuple::{NTuple, Shape};
use magister_learn::yardsticks::MaxN;

use super::given::{Given, Watch, mean, rates};

/// The number of players, of heaps, of objects in a heap, and of objects taken at most.
const PLAYERS: usize = 3;
const HEAPS: usize = 3;
const SIZE: u8 = 5;
const MOST: u8 = 3;

pub(crate) fn run(given: &Given) -> Result<()> {
    let nim = Nim::new(PLAYERS, HEAPS, SIZE, MOST).context("numbers in range")?;
    let default = Settings {
        alpha: (0.1, 0.001),
        random_start: 6,
        indifference: (0.2, 0.03),
        squash: false,
        ..Settings::default()
    };
    let settings = given.settings(&default);
    let mut perfect = MaxN::new();
    let mut all = Vec::new();
    for seed in given.seeds(10) {
        let tuples = vec![(0..HEAPS as u16).collect()];
        let shape = Shape::new(&nim.layout(), tuples, given.flag("symmetric", true))
            .map_err(anyhow::Error::msg)?;
        let heads = heads(&nim, settings.chain);
        let network = NTuple::new(shape, PLAYERS, heads, 0.0, given.steps(false));
        let (plan, report) = given.plan(300_000.0, seed);
        let watch = Watch::start();
        let done = train(&|| nim, &network, &settings, &plan, &report)?;
        let seconds = watch.seconds();
        let mut rng = Seed::from(seed).derive("matches").rng();
        let mut greedy = Greedy::new(&nim, &network, settings.chain).unsquashed();
        // The initial state and every state after one move.
        let (mut starts, mut env) = (vec![nim.initial()], nim);
        let mut choices = Vec::new();
        env.choices(&starts[0], &mut rng, &mut choices)?;
        starts.extend(choices.into_iter().map(|choice| choice.after));
        let mut results = Vec::new();
        for _ in 0..given.whole("matches", 200) {
            for start in &starts {
                for player in 0..PLAYERS {
                    let mut state = *start;
                    while let Some(turn) = nim.turn(&state) {
                        state = if turn == player {
                            greedy.decide(&state, &mut rng)?.after
                        } else {
                            perfect.decide(&mut env, &state, &mut rng)?
                        };
                    }
                    results.push(f64::from(nim.result(&state, player)));
                }
            }
        }
        let (score, width) = mean(&results);
        rates(&format!("nim, seed {seed}: {score:.4} ± {width:.4}"), &done, seconds);
        all.push(score);
    }
    let (score, width) = mean(&all);
    println!("nim: {score:.4} ± {width:.4} over {} seeds against two perfect players", all.len());
    Ok(())
}
