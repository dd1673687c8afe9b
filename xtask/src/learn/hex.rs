//! Hex of six by six cells against Monte Carlo tree search.
#![expect(clippy::print_stdout, reason = "printing is the purpose of the command")]

use anyhow::{Context as _, Result};
use magister_core::Seed;
use magister_learn::driver::{Chain, Settings, train};
use magister_learn::environment::{Cells as _, Environment as _};
use magister_learn::games::hex::{Hex, Solver, Stones};
use magister_learn::measure::Greedy;
use magister_learn::ntuple::{NTuple, Shape};
use magister_learn::tuples::TupleChoice;
use magister_learn::yardsticks::mcts;

use super::given::{Given, Watch, mean, rates};

/// The exploration constant of the opponent, for results from 0 to 1.
const EXPLORATION: f64 = 1.0;
/// The positions that the solver may look at for each start.
const SOLVED: u64 = 100_000;

pub(crate) fn run(given: &Given) -> Result<()> {
    let hex = Hex::new(given.whole("side", 6)).context("the side is from 2 to 8")?;
    let starts = starts(&hex);
    let known = |result: bool| starts.iter().filter(|start| start.1 == Some(result)).count();
    println!(
        "hex: {} starts; the player to move is proven to win {} and to lose {}",
        starts.len(),
        known(true),
        known(false)
    );
    // Matches begin with any first stone, so training does, too.
    let default =
        Settings { alpha: (3.7, 3.7), chain: Chain::Own, random_start: 1, ..Settings::default() };
    let (settings, given) = (given.settings(&default), &given.with("tc", 2.0));
    let iterations = given.whole("iterations", 10_000);
    let mut results = [Vec::new(), Vec::new()];
    for seed in given.seeds(1) {
        let layout = hex.layout();
        let walks = TupleChoice::Walks {
            count: given.whole("tuples", 60) as usize,
            length: given.whole("length", 8) as usize,
        };
        let tuples = walks.choose(&layout, &mut Seed::from(seed).derive("tuples").rng());
        let shape = tuples.and_then(|t| Shape::new(&layout, t, given.flag("symmetric", true)));
        let network = NTuple::new(shape.map_err(anyhow::Error::msg)?, 2, 1, 0.0, given.steps(true));
        let (plan, report) = given.plan(300_000.0, seed);
        let watch = Watch::start();
        let done = train(&|| hex, &network, &settings, &plan, &report)?;
        rates(&format!("hex, seed {seed}"), &done, watch.seconds());
        let mut rng = Seed::from(seed).derive("matches").rng();
        let mut greedy = Greedy::new(&hex, &network, settings.chain);
        let mut played = [Vec::new(), Vec::new()];
        for _ in 0..given.whole("matches", 3) {
            for (start, wins) in &starts {
                let mut state = *start;
                let player = state.turn();
                while let Some(turn) = hex.turn(&state) {
                    state = if turn == player {
                        greedy.decide(&state, &mut rng)?.after
                    } else {
                        mcts(&mut hex.clone(), &state, iterations, EXPLORATION, &mut rng)?
                    };
                }
                let result = f64::from(hex.result(&state, player));
                played[0].push(result);
                if *wins == Some(true) {
                    played[1].push(result);
                }
            }
        }
        for (name, of, all) in [("all", &played[0], 0), ("won", &played[1], 1)] {
            if of.is_empty() {
                continue;
            }
            let (score, width) = mean(of);
            println!(
                "  against {iterations} iterations from {name} starts: {score:.3} ± {width:.3} in \
                 {} games",
                of.len()
            );
            results[all].push(score);
        }
    }
    for (name, scores) in ["all", "won"].into_iter().zip(results) {
        if !scores.is_empty() {
            let (score, width) = mean(&scores);
            println!("hex: {score:.3} ± {width:.3} from {name} starts");
        }
    }
    Ok(())
}

/// The empty board and the boards with one stone, with the result of perfect play where the solver
/// finds it.
fn starts(hex: &Hex) -> Vec<(Stones, Option<bool>)> {
    let mut solver = Solver::new(*hex);
    let empty = Stones::default();
    let one = (0..hex.side() * hex.side()).map(|cell| hex.play(&empty, cell));
    let all = [empty].into_iter().chain(one);
    all.map(|start| (start, solver.wins(&start, SOLVED))).collect()
}
