//! Asks a player in every position of solved games.

use anyhow::{Result, bail};
use clap::Args;
use magister_arena::Exam;
use magister_players::Spec;

use crate::sheets::sheets;

/// The player and the games.
#[derive(Args)]
pub(crate) struct Options {
    /// Bundled games and files that are small enough to be solved
    #[arg(default_values_t = GAMES.map(str::to_owned))]
    games: Vec<String>,
    /// The player
    #[arg(long, default_value = "uct")]
    player: Spec,
    /// Iterations before the first move
    #[arg(long, default_value_t = 1_000_000)]
    start: u64,
    /// Iterations per move
    #[arg(long, default_value_t = 50_000)]
    iterations: u64,
    /// Create a new player for each position
    #[arg(long)]
    fresh: bool,
    /// Ask in every N-th position
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// The number of positions that run at the same time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

const GAMES: [&str; 9] = [
    "tictactoe",
    "nim-1-5-4-2",
    "nim-2-2-10-10",
    "nim-11-12-15-25",
    "nim-12-12-20-20",
    "buttonsandlights",
    "hanoi",
    "kayles",
    "chomp",
];

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut wrong = 0;
    for sheet in sheets(&options.games)? {
        let game = magister::open_text(&sheet.name, &sheet.text)?.game;
        let exam = Exam::new(game, options.player.clone(), options.iterations);
        let start = (!options.fresh).then_some(options.start);
        let exam = Exam { start, every: options.every, jobs: options.jobs, ..exam };
        match exam.run() {
            Err(error) => println!("{}: {error}", sheet.name),
            Ok(marks) => {
                println!(
                    "{}: {} positions, asked in {}, {} blunders",
                    sheet.name,
                    marks.positions,
                    marks.asked,
                    marks.blunders.len()
                );
                wrong += marks.blunders.len();
                if let Some(first) = marks.blunders.first() {
                    println!("  {first:?}");
                }
            }
        }
    }
    if wrong > 0 {
        bail!("{wrong} blunders");
    }
    Ok(())
}
