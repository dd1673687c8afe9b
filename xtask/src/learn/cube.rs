//! Rubik's cube of two or three layers.
#![expect(clippy::print_stdout, reason = "printing is the purpose of the command")]

use anyhow::Result;
use magister_core::{Rng, Seed};
use magister_learn::driver::{Chain, Settings, train};
use magister_learn::environment::{Cells as _, Environment as _};
use magister_learn::games::cube::{Cube, Pieces};
use magister_learn::measure::Greedy;
use magister_learn::ntuple::{NTuple, Shape};
use magister_learn::tuples::TupleChoice;
use magister_learn::yardsticks::best_first;

use super::given::{Given, Watch, mean, rates};

/// The number of turns after which the player without search gives up.
const LIMIT: u32 = 50;
/// The value of every cube before training: unknown cubes look far from solved.
const INITIAL: f64 = -12.0;

pub(crate) fn run(given: &Given) -> Result<()> {
    let large = given.whole("side", 2) == 3;
    let twists = given.whole("twists", if large { 13 } else { 16 });
    let make = move |scramble: (u32, u32)| {
        if large { Cube::large(scramble) } else { Cube::small(scramble) }
    };
    let cube = make((1, twists));
    let default = Settings {
        epsilon: (0.0, 0.0),
        squash: false,
        // A few turns from many scrambles spread values from the solved cube outwards faster than
        // long games do.
        longest: 4,
        ..Settings::default()
    };
    let settings = given.settings(&default);
    // The small cube has seven corners that move: all sets of five of them say almost everything.
    let (tuples, length) = if large { (100, 4) } else { (21, 5) };
    for seed in given.seeds(1) {
        let layout = cube.layout();
        let walks = TupleChoice::Walks {
            count: given.whole("tuples", tuples) as usize,
            length: given.whole("length", length) as usize,
        };
        let tuples = walks.choose(&layout, &mut Seed::from(seed).derive("tuples").rng());
        let shape = tuples.and_then(|t| Shape::new(&layout, t, false));
        let initial = given.number("initial", INITIAL) as f32;
        let shape = shape.map_err(anyhow::Error::msg)?;
        let network = NTuple::new(shape, 1, 1, initial, given.steps(true));
        let (plan, report) = given.plan(1_000_000.0, seed);
        let watch = Watch::start();
        let done = train(&|| cube.clone(), &network, &settings, &plan, &report)?;
        let side = if large { 3 } else { 2 };
        rates(&format!("cube {side}x{side}x{side}, seed {seed}"), &done, watch.seconds());
        let expansions = given.whole("expansions", if large { 800 } else { 100 });
        let levels: &[u32] = if large { &[5, 7, 9, 11, 13] } else { &[8, 12, 16] };
        for &turns in levels.iter().filter(|&&turns| turns <= twists) {
            let mut rng = Seed::from(seed).derive("scrambles").derive_index(turns.into()).rng();
            let (mut alone, mut searched) = (Vec::new(), Vec::new());
            for _ in 0..given.whole("matches", 500) {
                let start = make((turns, turns)).start(&mut rng)?;
                alone.push(f64::from(u8::from(solves(&cube, &network, &start, &mut rng)?)));
                let weight = given.number("weight", 0.5) as f32;
                let mut env = cube.clone();
                let found = best_first(&mut env, &network, &start, expansions, weight, &mut rng)?;
                searched.push(f64::from(u8::from(found.is_some())));
            }
            let (alone, searched) = (mean(&alone), mean(&searched));
            println!(
                "  {turns} turns: {:.3} ± {:.3} solved without search, {:.3} ± {:.3} with \
                 {expansions} expansions",
                alone.0, alone.1, searched.0, searched.1
            );
        }
    }
    Ok(())
}

/// Whether the best turns by the learned values solve the cube.
fn solves(cube: &Cube, network: &NTuple, start: &Pieces, rng: &mut Rng) -> Result<bool> {
    let mut greedy = Greedy::new(cube, network, Chain::Every).unsquashed();
    let mut state = *start;
    for _ in 0..LIMIT {
        if cube.over(&state) {
            return Ok(true);
        }
        state = greedy.decide(&state, rng)?.after;
    }
    Ok(cube.over(&state))
}
