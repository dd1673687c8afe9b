//! Follows random matches with the sampler of every player: `follow MATCHES GAME.rcy ..`. Before
//! each decision it draws 100 deals. Prints each failure, and one line per game.

use std::time::Instant;

use magister_core::{Game, Move, Seed, Step, Stop, Turn, draw, view};
use magister_recycle::{CardGame, Options, examine};

/// The number of draws before a decision.
const DRAWS: u32 = 100;

/// The CPU time of this process in seconds, or the elapsed time if the system does not report it.
fn seconds_used(start: Instant) -> f64 {
    let used = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = used.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |used| used * 1e-9)
}

#[derive(Default)]
struct Tally {
    decisions: u32,
    /// Decisions without a deal, and those with deals that only agree with what is seen now.
    failures: u32,
    lenient: u32,
    consistent: u32,
    slowest: f64,
}

#[allow(clippy::print_stdout)]
fn follow(game: &CardGame, seed: u64, tally: &mut Tally) {
    let info = game.info();
    let (mut worker, mut step) = (game.worker(), Step::new());
    let mut rng = Seed::from(seed).rng();
    let mut turns: Vec<Vec<Turn>> = vec![Vec::new(); info.roles.len()];
    let mut samplers: Vec<_> = info.players().map(|role| game.worlds(role)).collect();
    let (clock, mut state, mut joints) = (Instant::now(), Vec::new(), Vec::new());
    while !worker.terminal() {
        for role in info.players().filter(|&role| worker.legal(role).len() > 1) {
            let Some(worlds) = &mut samplers[role.index()] else { continue };
            let turns = &turns[role.index()];
            let start = seconds_used(clock);
            let followed = worlds.follow(turns, &mut rng, &Stop::never());
            let mut draw = || worlds.draw(&mut rng, &mut state, &Stop::never());
            let consistent = match followed {
                Ok(()) => (0..DRAWS).filter(|_| matches!(draw(), Ok(Some(_)))).count() as u32,
                Err(_) => 0,
            };
            if consistent == 0 {
                println!("seed {seed}, {role:?}, {} turns: no deal", turns.len());
            }
            worlds.history(&mut joints);
            tally.lenient += u32::from(consistent > 0 && joints.is_empty() && !turns.is_empty());
            tally.decisions += 1;
            tally.consistent += consistent;
            tally.failures += u32::from(consistent == 0);
            tally.slowest = tally.slowest.max(seconds_used(clock) - start);
        }
        let joint: Vec<Move> = info
            .all_roles()
            .filter_map(|role| draw(worker.legal(role), worker.weights(), &mut rng))
            .collect();
        if worker.step(&joint, &mut step, &Stop::never()).is_err() {
            break;
        }
        if step.tick {
            for role in info.players() {
                let seen = view::observe(info.information, role, &joint, &step);
                turns[role.index()].push(Turn { own: joint[role.index()], seen });
            }
        }
    }
}

#[allow(clippy::print_stdout, clippy::print_stderr)]
fn main() {
    let mut args = std::env::args().skip(1);
    let Some(matches) = args.next().and_then(|text| text.parse::<u64>().ok()) else {
        eprintln!("usage: follow MATCHES GAME.rcy ..");
        return;
    };
    for file in args {
        let text = std::fs::read_to_string(&file).expect("a readable file");
        let Some(game) = examine(&file, &text, &Options::default()).game else {
            eprintln!("{file}: not a game");
            continue;
        };
        let (mut tally, clock) = (Tally::default(), Instant::now());
        let begun = seconds_used(clock);
        (0..matches).for_each(|seed| follow(&game, seed, &mut tally));
        let decisions = f64::from(tally.decisions.max(1));
        println!(
            "{file}: {} of {} decisions without a deal, {} with deals that have no history; {:.2} CPU ms per decision, at most {:.0}; \
             {:.0} % of the draws consistent",
            tally.failures,
            tally.decisions,
            tally.lenient,
            1e3 * (seconds_used(clock) - begun) / decisions,
            1e3 * tally.slowest,
            100.0 * f64::from(tally.consistent) / (decisions * f64::from(DRAWS)),
        );
    }
}
