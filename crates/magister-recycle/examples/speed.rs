//! Measures random games per CPU second: `speed GAME.rcy .. [--seconds N]`. Prints one line per
//! game: the name, games and decisions per second, unfinished games, games.

use std::time::Instant;

use magister_core::Seed;
use magister_recycle::{Options, examine};

/// The CPU time of this process in seconds, or the elapsed time if the system does not report it.
fn seconds_used(start: Instant) -> f64 {
    let used = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = used.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |used| used * 1e-9)
}

#[allow(clippy::print_stdout, clippy::print_stderr)]
fn main() {
    let mut seconds = 1.0;
    let mut files = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--seconds" => seconds = args.next().and_then(|s| s.parse().ok()).unwrap_or(seconds),
            _ => files.push(arg),
        }
    }
    let options = Options { compat: true, ..Options::default() };
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a readable file");
        let Some(game) = examine(&file, &text, &options).game else {
            eprintln!("{file}: not a game");
            continue;
        };
        let (mut games, mut decisions, mut cut) = (0u64, 0u64, 0u64);
        let clock = Instant::now();
        let start = seconds_used(clock);
        while seconds_used(clock) - start < seconds {
            game.sample(20, Seed::from(games), 2000, |sample| {
                games += 1;
                decisions += sample.options.len() as u64;
                cut += u64::from(sample.scores.is_empty());
            });
        }
        let took = seconds_used(clock) - start;
        let name = std::path::Path::new(&file).file_stem().map(|name| name.to_string_lossy());
        println!(
            "{}\t{:.1}\t{:.1}\t{cut}\t{games}",
            name.unwrap_or_default(),
            games as f64 / took,
            decisions as f64 / took
        );
    }
}
