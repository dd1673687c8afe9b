//! Measures consistent deals per CPU second in the middle of random matches: `deals GAME.rcy ..`.
//! Prints one line per game: the name, deals per second, draws, the share that was consistent.

use std::time::Instant;

use magister_core::{Game, Move, Seed, Step, Stop, Turn, draw, view};
use magister_recycle::{Options, examine};

/// The CPU time of this process in seconds, or the elapsed time if the system does not report it.
fn seconds_used(start: Instant) -> f64 {
    let used = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = used.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |used| used * 1e-9)
}

/// The turns of the first player up to the middle of a random match.
fn middle(game: &dyn Game, seed: u64) -> Vec<Turn> {
    let info = game.info();
    let mut worker = game.worker();
    let mut rng = Seed::from(seed).rng();
    let (mut step, mut turns) = (Step::new(), Vec::new());
    while !worker.terminal() {
        let joint: Vec<Move> = info
            .all_roles()
            .filter_map(|role| draw(worker.legal(role), worker.weights(), &mut rng))
            .collect();
        if worker.step(&joint, &mut step, &Stop::never()).is_err() {
            break;
        }
        if step.tick {
            let role = magister_core::Role(0);
            let seen = view::observe(info.information, role, &joint, &step);
            turns.push(Turn { own: joint[0], seen });
        }
    }
    turns.truncate(turns.len() / 2);
    turns
}

#[allow(clippy::print_stdout, clippy::print_stderr)]
fn main() {
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).expect("a readable file");
        let Some(game) = examine(&file, &text, &Options::default()).game else {
            eprintln!("{file}: not a game");
            continue;
        };
        let (mut used, mut draws, mut good) = (0.0, 0u64, 0u64);
        for seed in 0..20 {
            let turns = middle(&game, seed);
            let mut rng = Seed::from(seed).rng();
            let Some(mut worlds) = game.worlds(magister_core::Role(0)) else { continue };
            if worlds.follow(&turns, &mut rng, &Stop::never()).is_err() {
                continue;
            }
            let clock = Instant::now();
            let start = seconds_used(clock);
            let mut state = Vec::new();
            while seconds_used(clock) - start < 0.1 {
                for _ in 0..50 {
                    draws += 1;
                    let drawn = worlds.draw(&mut rng, &mut state, &Stop::never());
                    good += u64::from(matches!(drawn, Ok(Some(_))));
                }
            }
            used += seconds_used(clock) - start;
        }
        println!(
            "{file}\t{:.0}\t{draws}\t{:.3}",
            good as f64 / used,
            good as f64 / draws.max(1) as f64
        );
    }
}
