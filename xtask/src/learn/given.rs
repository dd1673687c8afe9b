//! The settings of a part, and what all parts share: schedules, clocks and intervals.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::{Result, bail};
use magister_core::Seed;
use magister_learn::driver::{Chain, Plan, Progress, Settings, Target};
use magister_learn::weights::Steps;

/// The settings that parts read.
const NAMES: [&str; 47] = [
    "alpha",
    "alpha-end",
    "average",
    "best",
    "bits",
    "book",
    "check-every",
    "checks",
    "draw",
    "epsilon",
    "epsilon-end",
    "every",
    "exchange",
    "expansions",
    "farl",
    "first",
    "games",
    "gamma",
    "goal",
    "indifference",
    "indifference-end",
    "initial",
    "iterations",
    "lambda",
    "length",
    "longest",
    "matches",
    "out",
    "own",
    "phases",
    "plies",
    "random-start",
    "replay",
    "report",
    "sampled",
    "searched",
    "seconds",
    "seed",
    "seeds",
    "sharp",
    "side",
    "symmetric",
    "tc",
    "time",
    "tuples",
    "twists",
    "weight",
];

/// Settings by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given(BTreeMap<String, String>);

impl Given {
    /// Reads settings; words without `=` are returned as they are.
    pub(crate) fn read(words: &[String]) -> Result<(Self, Vec<String>)> {
        let (mut settings, mut others) = (BTreeMap::new(), Vec::new());
        for word in words {
            match word.split_once('=') {
                Some((name, _)) if !NAMES.contains(&name) => {
                    bail!("no part has a setting `{name}`; settings are {}", NAMES.join(", "))
                }
                Some((name, value)) => {
                    settings.insert(name.to_owned(), value.to_owned());
                }
                None => others.push(word.clone()),
            }
        }
        Ok((Given(settings), others))
    }

    /// The same settings with one more, unless it is given.
    pub(crate) fn with(&self, name: &str, value: f64) -> Self {
        let mut settings = self.0.clone();
        settings.entry(name.to_owned()).or_insert_with(|| value.to_string());
        Given(settings)
    }

    pub(crate) fn number(&self, name: &str, default: f64) -> f64 {
        self.0.get(name).and_then(|text| text.parse().ok()).unwrap_or(default)
    }

    pub(crate) fn whole(&self, name: &str, default: u32) -> u32 {
        self.number(name, f64::from(default)) as u32
    }

    pub(crate) fn flag(&self, name: &str, default: bool) -> bool {
        self.number(name, f64::from(u8::from(default))) > 0.0
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The settings of the training driver.
    pub(crate) fn settings(&self, default: &Settings) -> Settings {
        let number = |name: &str, default: f32| self.number(name, f64::from(default)) as f32;
        let alpha = number("alpha", default.alpha.0);
        // A step size without an end stays the same.
        let end = if self.text("alpha").is_some() { alpha } else { default.alpha.1 };
        Settings {
            alpha: (alpha, number("alpha-end", end)),
            epsilon: (
                number("epsilon", default.epsilon.0),
                number("epsilon-end", default.epsilon.1),
            ),
            lambda: number("lambda", default.lambda),
            gamma: number("gamma", default.gamma),
            chain: if self.flag("own", default.chain == Chain::Own) {
                Chain::Own
            } else {
                Chain::Every
            },
            target: if self.flag("best", default.target == Target::Best) {
                Target::Best
            } else {
                Target::Chosen
            },
            final_adaptation: self.flag("farl", default.final_adaptation),
            random_start: self.whole("random-start", default.random_start),
            longest: self.whole("longest", default.longest),
            replay: self.number("replay", default.replay as f64) as usize,
            indifference: (
                number("indifference", default.indifference.0),
                number("indifference-end", default.indifference.1),
            ),
            sampled: self.whole("sampled", default.sampled as u32) as usize,
            average: number("average", default.average),
            ..default.clone()
        }
    }

    /// How step sizes are determined: by temporal coherence unless the default or the setting says
    /// otherwise.
    pub(crate) fn steps(&self, coherent: bool) -> Steps {
        match self.whole("tc", u32::from(coherent)) {
            0 => Steps::Plain,
            1 => Steps::Coherent,
            _ => Steps::Exponential,
        }
    }

    /// The seeds of the runs.
    pub(crate) fn seeds(&self, count: u32) -> impl Iterator<Item = u64> + use<> {
        let first = u64::from(self.whole("seed", 0));
        (0..u64::from(self.whole("seeds", count))).map(move |seed| first + seed)
    }

    /// A plan that ends after `seconds` of processor time if they are given, otherwise after
    /// `games`, and a function that reports progress.
    #[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
    pub(crate) fn plan(
        &self,
        games: f64,
        seed: u64,
    ) -> (Plan, impl Fn(&Progress) -> ControlFlow<(), f64> + Sync + use<>) {
        let seconds = self.text("seconds").and_then(|text| text.parse::<f64>().ok());
        let plan = Plan {
            games: if seconds.is_some() { None } else { Some(self.number("games", games) as u64) },
            before: 0,
            done: 0.0,
            actors: 1,
            report: u64::from(self.whole("report", 100)),
            seed: Seed::from(seed),
        };
        let clock = Watch::start();
        let shown = std::sync::Mutex::new(0.0);
        let every = self.number("every", 30.0);
        let report = move |now: &Progress| {
            let spent = clock.seconds();
            if let Ok(mut shown) = shown.lock()
                && spent >= *shown + every
            {
                *shown = spent;
                let rate = now.moves as f64 / spent;
                println!(
                    "  {} games, {spent:.0} s, {rate:.0} moves/s, mean {:.3}, error {:.4}",
                    now.games, now.mean, now.error
                );
            }
            let share = seconds.map_or(0.0, |seconds| spent / seconds);
            if share >= 1.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(share) }
        };
        (plan, report)
    }
}

/// The processor time of this thread, or the elapsed time if the system does not report it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    wall: Instant,
    begin: f64,
}

impl Watch {
    pub(crate) fn start() -> Self {
        let mut watch = Watch { wall: Instant::now(), begin: 0.0 };
        watch.begin = watch.seconds();
        watch
    }

    pub(crate) fn seconds(&self) -> f64 {
        let report = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
        let nanos = report.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
        nanos.map_or_else(|| self.wall.elapsed().as_secs_f64(), |nanos| nanos / 1e9) - self.begin
    }
}

/// Prints the rates of a training run.
#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
pub(crate) fn rates(what: &str, done: &Progress, seconds: f64) {
    println!(
        "{what}: {} games, {} moves in {seconds:.1} s: {:.0} episodes/s, {:.0} moves/s",
        done.games,
        done.moves,
        done.games as f64 / seconds,
        done.moves as f64 / seconds,
    );
}

/// A mean with half the width of its 95 % interval.
pub(crate) fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let spread = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    (mean, 1.96 * (spread / (count - 1.0).max(1.0) / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_by_name() {
        let words = ["alpha=0.5", "farl=0", "44"].map(str::to_owned);
        let (given, others) = Given::read(&words).expect("known names");
        assert_eq!(others, ["44"]);
        let settings = given.settings(&Settings::default());
        assert!((settings.alpha.0 - 0.5).abs() < 1e-6 && (settings.alpha.1 - 0.5).abs() < 1e-6);
        assert!(!settings.final_adaptation);
        assert_eq!(given.with("alpha", 2.0).text("alpha"), Some("0.5"));
        assert!(Given::read(&["alhpa=1".to_owned()]).is_err());
        let (middle, width) = mean(&[1.0, 3.0]);
        assert!((middle - 2.0).abs() < 1e-9 && (width - 1.96).abs() < 1e-9);
    }
}
