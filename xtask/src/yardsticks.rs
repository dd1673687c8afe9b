//! Our speed compared with that of hand-written games and of OpenSpiel, all in one run: the table
//! in `docs/speed.md`.
//!
//! The methods are measured in turn, several times, and the best measurement of each counts, so
//! that temporary disturbances of a shared machine affect all of them. Rates are moves per second
//! of the thread's processor time. Each method must also have the known mean length.

mod children;
mod play;
mod table;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use magister_benches::games::{GAMES, Game};
use magister_benches::sliced::Sliced;
use magister_benches::{Counts, Random};
use magister_engine::Evaluator;
use serde::{Deserialize, Serialize};

use children::OpenSpiel;
use play::{Player, together};

/// What to measure.
#[derive(Args)]
pub(crate) struct Options {
    /// Seconds per measurement
    #[arg(long, default_value_t = 0.4)]
    seconds: f64,
    /// The number of measurements; the best counts
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Print the table only, without writing docs/speed.md
    #[arg(long)]
    print: bool,
    /// A Python interpreter with OpenSpiel
    #[arg(long, default_value = "python3")]
    python: String,
    /// Measure the batches of one game and print the result as JSON: for child processes with
    /// another environment
    #[arg(long, hide = true)]
    batch_of: Option<String>,
}

/// The best of several measurements of one method, and their total.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Rate {
    /// Moves per second.
    best: f64,
    playouts: u64,
    steps: u64,
}

impl Rate {
    fn add(&mut self, counts: Counts, seconds: f64) {
        self.best = self.best.max(counts.steps as f64 / seconds);
        self.playouts += counts.playouts;
        self.steps += counts.steps;
    }

    fn merge(&mut self, other: Rate) {
        self.best = self.best.max(other.best);
        self.playouts += other.playouts;
        self.steps += other.steps;
    }

    /// The mean number of moves of a playout; an error if it is implausible for this game.
    fn mean_length(&self, game: &Game, way: &str) -> Result<f64> {
        let mean = self.steps as f64 / self.playouts as f64;
        let (title, expected) = (game.title, game.length.0);
        ensure!(
            game.plausible(mean, self.playouts),
            "{title}, {way}: {mean:.3} moves per playout instead of {expected}; the rate means \
             nothing while another game is played"
        );
        Ok(mean)
    }
}

/// The measurements of a game.
struct Row {
    game: Game,
    /// The origin of the rulesheet.
    from: &'static str,
    by_hand: Rate,
    /// Many games at once, hand-written.
    sliced: Option<Rate>,
    sweep: Rate,
    incremental: Rate,
    code: Option<Rate>,
    /// Interpreted tapes, with at most AVX2.
    interpreted: Rate,
    batch: Rate,
    /// Batches on one thread and on two, in moves per second of processor time and of elapsed time.
    threads: Option<[[f64; 2]; 2]>,
    open_spiel: Option<OpenSpiel>,
    /// The mean length of batches.
    length: f64,
}

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
#[expect(clippy::print_stderr, reason = "it takes minutes, and says how far it has come")]
pub(crate) fn run(options: &Options) -> Result<()> {
    if let Some(name) = &options.batch_of {
        let game = GAMES.iter().find(|game| game.name == name).context("one of the four games")?;
        let mut player = player(game, Evaluator::Batch)?.1;
        let mut rate = Rate::default();
        player.measure(options.seconds, &mut rate)?;
        println!("{}", serde_json::to_string(&rate)?);
        return Ok(());
    }
    let mut rows = Vec::new();
    for game in &GAMES {
        eprintln!("{} ...", game.title);
        rows.push(measure(game, options)?);
    }
    let table = table::table(&rows, options)?;
    println!("{table}");
    if !options.print {
        table::write(&table)?;
    }
    Ok(())
}

fn measure(game: &Game, options: &Options) -> Result<Row> {
    let mut random = Random::new(1);
    let mut sliced = Sliced::new(1);
    let is_sliced = game.name == "connect-four";
    let (from, mut sweep) = player(game, Evaluator::Sweep)?;
    let (_, mut incremental) = player(game, Evaluator::Incremental)?;
    // Not every machine supports machine code.
    let mut code = player(game, Evaluator::Code).ok().map(|(_, player)| player);
    let (_, mut batch) = player(game, Evaluator::Batch)?;
    let two = std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1);
    let mut row = Row {
        game: *game,
        from,
        by_hand: Rate::default(),
        sliced: is_sliced.then(Rate::default),
        sweep: Rate::default(),
        incremental: Rate::default(),
        code: code.is_some().then(Rate::default),
        interpreted: Rate::default(),
        batch: Rate::default(),
        threads: two.then_some([[0.0; 2]; 2]),
        open_spiel: None,
        length: 0.0,
    };
    for _ in 0..options.rounds {
        let seconds = options.seconds;
        play::by_hand(seconds, &mut row.by_hand, |count| (game.playouts)(count, &mut random))?;
        if let Some(rate) = &mut row.sliced {
            play::by_hand(seconds, rate, |count| sliced.sweeps(count as u32))?;
        }
        sweep.measure(seconds, &mut row.sweep)?;
        incremental.measure(seconds, &mut row.incremental)?;
        if let (Some(code), Some(rate)) = (&mut code, &mut row.code) {
            code.measure(seconds, rate)?;
        }
        batch.measure(seconds, &mut row.batch)?;
        row.interpreted.merge(children::interpreted(game.name, seconds)?);
        for (at, best) in row.threads.iter_mut().flatten().enumerate() {
            let found = together(&batch, at + 1, seconds)?;
            *best = [best[0].max(found[0]), best[1].max(found[1])];
        }
    }
    row.open_spiel = children::open_spiel(game, options)?;
    row.by_hand.mean_length(game, "by hand")?;
    if let Some(rate) = &row.sliced {
        rate.mean_length(game, "by hand, many games at once")?;
    }
    row.sweep.mean_length(game, "sweep")?;
    row.incremental.mean_length(game, "incremental")?;
    if let Some(rate) = &row.code {
        rate.mean_length(game, "code")?;
    }
    row.interpreted.mean_length(game, "batch, interpreted")?;
    row.length = row.batch.mean_length(game, "batch")?;
    Ok(row)
}

/// The game on one of our evaluators, and the origin of its rulesheet.
fn player(game: &Game, evaluator: Evaluator) -> Result<(&'static str, Player)> {
    let (from, text) = game.rules().with_context(|| {
        format!("no rulesheet of {}: not in the catalogue, not in MAGISTER_ORACLE", game.title)
    })?;
    let options = magister::Options { evaluator: Some(evaluator), ..magister::Options::default() };
    Ok((from, Player::new(options.open_text(game.name, &text)?.game)))
}
