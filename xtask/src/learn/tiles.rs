//! 2048 with four tuples of six cells.
#![expect(clippy::print_stdout, reason = "printing is the purpose of the command")]

use anyhow::Result;
use magister_core::Seed;
use magister_learn::driver::{Settings, train};
use magister_learn::games::twenty48::Twenty48;
use magister_learn::nibbles::{FOUR_TUPLES, Nibbles};
use magister_learn::tiles::play;

use super::given::{Given, Watch, mean, rates};

pub(crate) fn twenty48(given: &Given) -> Result<()> {
    let env = Twenty48::default();
    let default = Settings { epsilon: (0.0, 0.0), squash: false, ..Settings::default() };
    let settings = given.settings(&default);
    for seed in given.seeds(1) {
        let tuples = FOUR_TUPLES.iter().map(|tuple| tuple.to_vec()).collect();
        let initial = given.number("initial", 0.0) as f32;
        let network =
            Nibbles::new(tuples, initial, given.steps(true)).map_err(anyhow::Error::msg)?;
        let (plan, report) = given.plan(10_000.0, seed);
        let watch = Watch::start();
        let done = train(&|| env.clone(), &network, &settings, &plan, &report)?;
        rates(&format!("2048, seed {seed}"), &done, watch.seconds());
        for plies in [1, 2] {
            let games = given.whole(if plies == 1 { "matches" } else { "searched" }, 100);
            let mut rng = Seed::from(seed).derive("matches").rng();
            let (mut scores, mut slides) = (Vec::new(), 0);
            let watch = Watch::start();
            for _ in 0..games {
                let (score, made) = play(&env, &network, plies, &mut rng);
                scores.push(score);
                slides += made;
            }
            let (score, width) = mean(&scores);
            println!(
                "  {plies} ply: mean score {score:.0} ± {width:.0} in {games} games, {:.0} moves/s",
                slides as f64 / watch.seconds(),
            );
        }
    }
    Ok(())
}
