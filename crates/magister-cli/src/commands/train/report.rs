//! Progress and results of a training.

use std::io::{IsTerminal as _, Write};
use std::time::{Duration, Instant};

use magister_learn::driver::Progress;
use serde_json::{Value, json};

use super::super::plural;
use super::clock::Clock;
use super::curve::Curve;
use crate::args::Train;
use crate::terminal;

/// How often progress is shown.
const EVERY: Duration = Duration::from_secs(2);
/// The minimum time, in seconds, for which a rate is shown.
const MEASURABLE: f64 = 0.05;

/// What a training has done so far.
pub(super) struct Report<'a> {
    args: &'a Train,
    /// Whether progress is printed.
    shown: bool,
    pub(super) clock: Clock,
    /// The numbers of games and moves before this run.
    before: (u64, u64),
    pub(super) curve: Curve,
    last: Instant,
    /// The lines of the chart on the terminal.
    drawn: usize,
    pub(super) reached: bool,
}

impl<'a> Report<'a> {
    pub(super) fn new(args: &'a Train, before: (u64, u64), shown: bool) -> Self {
        Report {
            args,
            shown,
            clock: Clock::new(args.threads),
            before,
            curve: Curve::new(),
            last: Instant::now(),
            drawn: 0,
            reached: false,
        }
    }

    /// Notes the progress, of which the moves are those of this run, and shows it now and then.
    pub(super) fn note(&mut self, now: &Progress) {
        self.curve.add(now);
        self.reached |= self.args.goal.is_some_and(|goal| self.curve.reached(goal));
        if self.last.elapsed() < EVERY {
            return;
        }
        self.last = Instant::now();
        self.write_svg();
        if !self.shown {
            return;
        }
        let total = (now.games, self.before.1 + now.moves);
        // A failure to print does not end the training.
        if self.args.json {
            let _ = writeln!(anstream::stdout(), "{}", self.as_json(total, false));
            return;
        }
        let number =
            |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.3}"));
        let line = format!(
            "{:>10} games  {:>8.1} s  {:>9} moves/s  mean {:>9}  error {}\n",
            total.0,
            self.clock.seconds(),
            self.rate(now.moves).map_or("-".to_owned(), |rate| format!("{rate:.0}")),
            number(self.curve.mean()),
            number(self.curve.error()),
        );
        let mut out = anstream::stderr();
        if !std::io::stderr().is_terminal() {
            let _ = write!(out, "{line}");
            return;
        }
        let text = line + &self.curve.chart(terminal::unicode(false));
        if self.drawn > 0 {
            // Up to the first line of the last chart, which the new one replaces.
            let _ = write!(out, "\x1b[{}A\x1b[J", self.drawn);
        }
        self.drawn = text.lines().count();
        let _ = write!(out, "{text}");
    }

    /// Shows the result of the run.
    pub(super) fn finish(&mut self, total: (u64, u64)) {
        self.write_svg();
        if !self.shown {
            return;
        }
        let mut out = anstream::stdout();
        if self.args.json {
            let _ = writeln!(out, "{}", self.as_json(total, true));
            return;
        }
        // A terminal shows the chart already.
        if self.drawn == 0 {
            let _ = write!(anstream::stderr(), "{}", self.curve.chart(false));
        }
        let (games, moves) = (total.0 - self.before.0, total.1 - self.before.1);
        if games == 0 {
            let _ = writeln!(
                anstream::stderr(),
                "magister: no game ended, so nothing was learned; give more --seconds"
            );
        }
        let rates = match (self.rate(games), self.rate(moves)) {
            (Some(games), Some(moves)) => format!(", {games:.0} games/s, {moves:.0} moves/s"),
            // A rate over a very short time is meaningless.
            _ => String::new(),
        };
        let _ = writeln!(
            out,
            "wrote {}: {} in all, {games} of them in {:.1} s{rates}",
            self.args.out.display(),
            plural(total.0, "game"),
            self.clock.seconds(),
        );
        if let Some(goal) = self.args.goal {
            let (games, mean) = (self.curve.recent(), self.curve.mean().unwrap_or(f64::NAN));
            let what = if self.reached { "reached" } else { "not reached" };
            let games = plural(games, "game");
            let _ = writeln!(out, "goal {goal} {what}: mean {mean:.3} over the last {games}");
        }
    }

    /// Events per second of processor time, if the time is long enough.
    fn rate(&self, events: u64) -> Option<f64> {
        let seconds = self.clock.processor();
        (seconds >= MEASURABLE).then(|| events as f64 / seconds)
    }

    fn as_json(&self, total: (u64, u64), done: bool) -> Value {
        let (games, moves) = (total.0 - self.before.0, total.1.saturating_sub(self.before.1));
        let mut object = json!({
            "done": done,
            "games": total.0,
            "moves": total.1,
            "new_games": games,
            "new_moves": moves,
            "seconds": self.clock.seconds(),
            "processor_seconds": self.clock.processor(),
            "moves_per_s": self.rate(moves),
            "episodes_per_s": self.rate(games),
            "mean": self.curve.mean(),
            "error": self.curve.error(),
            "mean_games": self.curve.recent(),
            "file": self.args.out,
        });
        if done && self.args.goal.is_some() {
            object["goal_reached"] = json!(self.reached);
        }
        object
    }

    fn write_svg(&self) {
        let Some(path) = &self.args.svg else { return };
        let title = format!("Training of {}", self.args.game.as_deref().unwrap_or_default());
        // A file that cannot be written is reported before the training begins.
        let _ = std::fs::write(path, self.curve.svg(&title));
    }
}
