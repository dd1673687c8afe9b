//! The number of consistent states that are drawn per second of processor time, or of elapsed time
//! if the system does not report processor time.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use magister::Playable;
use magister_core::{Role, Seed, Stop, Turn};
use magister_infoset::{ParticleFilter, Tracker, Uniform};
use serde_json::json;

use crate::CLEAN;
use crate::args::Infoset;
use crate::commands::bench::process::cpu_time;

/// The sizes of samples.
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// The minimum time for each size, and the time after which no larger one is started.
const TIME: Duration = Duration::from_millis(500);
const ENOUGH: Duration = Duration::from_secs(5);

pub(super) fn run(playable: &Playable, role: Role, turns: &[Turn], args: &Infoset) -> Result<u8> {
    if turns.is_empty() {
        bail!("there is nothing to measure without a --turn");
    }
    let game = &playable.game;
    let mut out = anstream::stdout().lock();
    let begun = Instant::now();
    let anchor = Tracker::new(Arc::clone(game), role, &Stop::never())?.layer().clone();
    for size in SIZES {
        if begun.elapsed() > ENOUGH {
            break;
        }
        let mut rng = Seed::from(args.seed).rng();
        let (mut states, mut tried, mut spent) = (0_u64, 0_u64, Duration::ZERO);
        while spent < TIME {
            let (game, anchor) = (Arc::clone(game), anchor.clone());
            let mut filter =
                ParticleFilter::new(game, role, Arc::new(Uniform), anchor, None, size, &mut rng);
            let (start, clock) = (cpu_time(), Instant::now());
            for turn in turns {
                filter.advance(turn, &mut rng, &|| true, &Stop::never())?;
                states += filter.survivors() as u64;
            }
            let cpu = start.zip(cpu_time()).map(|(start, now)| now.saturating_sub(start));
            spent += cpu.unwrap_or_else(|| clock.elapsed());
            tried += filter.tried();
        }
        let seconds = spent.as_secs_f64();
        let (rate, steps) = (states as f64 / seconds, tried as f64 / seconds);
        let each = seconds * 1e9 / states.max(1) as f64;
        if args.json {
            let object = json!({
                "game": playable.name,
                "evaluator": playable.evaluator,
                "particles": size,
                "states_per_second": rate,
                "steps_per_second": steps,
                "nanoseconds_per_state": each,
            });
            writeln!(out, "{object}")?;
        } else {
            writeln!(
                out,
                "{} {}: {size} particles, {rate:.0} consistent states per second ({each:.0} ns \
                 each), {steps:.0} steps per second",
                playable.name, playable.evaluator
            )?;
        }
        out.flush()?;
    }
    Ok(CLEAN)
}
