//! Arguments of `magister experiment`.

use clap::{Parser, ValueEnum};

use super::contest::positive;

/// Repeat a published experiment with card games
#[derive(Debug, Parser)]
#[command(
    after_help = "`thesis-table2` repeats Table 2 of N. Morris's thesis (2023): an honest player, a clairvoyant one \
and random ones play at one table, in five games, with every seating equally often. A player scores \
1 for the first rank and 0 for the last. The experiment fails if the honest player does worse than \
the corrected agent of the thesis, or worse than the thesis reports for Agram and Hearts. `valet` is the experiment of the Valet benchmark: it \
measures the branching factor and length of 21 traditional card games in random play, and the \
advantage of a player in the first seat over random opponents. `baselines` plays an honest player \
against the players of CardStock and one with lazy determinization in eight games. Each deal is \
played twice, with the two players exchanged. Scores and ranks are compared; the experiment fails \
unless the honest player has better scores in at least six games. With --only, it gives no verdict. \
Results are written to FILE after every game.

Examples:
  magister experiment thesis-table2 --games 96 --iterations 200
  magister experiment thesis-table2 --games 960 --time 1s --svg table2.svg
  magister experiment thesis-table2 --only 98 --variant ninety-eight-measured
  magister experiment valet --games 100 --iterations 100 --csv valet.csv
  magister experiment baselines --games 240 --iterations 200"
)]
pub(crate) struct Experiment {
    /// The experiment
    #[arg(value_name = "NAME")]
    pub(crate) name: ExperimentName,
    /// Matches per game. In thesis-table2 the number is rounded up, so that every seating is played
    /// equally often
    #[arg(long, value_name = "N", default_value_t = 96, value_parser = positive::<u64>)]
    pub(crate) games: u64,
    /// Only these games
    #[arg(long, value_name = "GAME")]
    pub(crate) only: Vec<String>,
    /// A variant that replaces its game in thesis-table2; repeat the option for several
    #[arg(long, value_name = "GAME")]
    pub(crate) variant: Vec<Variant>,
    /// Time per move, such as 200ms or 1.5s; a bare number is seconds
    #[arg(long, value_name = "T", value_parser = super::contest::duration, conflicts_with = "iterations")]
    pub(crate) time: Option<std::time::Duration>,
    /// Iterations per move, which make the result reproducible
    #[arg(long, value_name = "N", value_parser = positive::<u64>)]
    pub(crate) iterations: Option<u64>,
    /// An honest player; repeat the option for several. The default is `honest`, and in thesis-table2
    /// also the agent of the thesis, both corrected and in its original form
    #[arg(long, value_name = "PLAYER")]
    pub(crate) honest: Vec<magister_players::Spec>,
    /// The clairvoyant player of thesis-table2. The default has a fixed number of iterations, with
    /// which it does about as well in Agram and Hearts as the thesis reports
    #[arg(long, value_name = "PLAYER")]
    pub(crate) clairvoyant: Option<magister_players::Spec>,
    /// The opponent in baselines; repeat the option for several. The default is all of them
    #[arg(long, value_name = "PLAYER")]
    pub(crate) baseline: Vec<magister_players::Spec>,
    /// Number of matches played at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = positive::<usize>)]
    pub(crate) jobs: usize,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Also write the figures as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<std::path::PathBuf>,
    /// Also write a bar chart as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<std::path::PathBuf>,
}

/// Variants of the games of the thesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Variant {
    /// Agram as the text of the thesis describes it: the lowest card wins, and a card of another
    /// suit counts 10
    #[value(name = "thesis-agram-prose")]
    AgramProse,
    /// Golf as measured: from the third turn on, every second turn finds no card
    GolfMeasured,
    /// 98 as measured: the mover of turn 30 loses as well
    NinetyEightMeasured,
    /// 98 as released: the deck never ends
    NinetyEightReleased,
    /// Hearts that break: they may be led after one has been discarded
    #[value(name = "thesis-hearts-broken")]
    HeartsBroken,
    /// The Bottle Imp as released: the coins on the cards won are the score
    BottleImpReleased,
}

/// The experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExperimentName {
    /// Table 2 of N. Morris's thesis (2023)
    ThesisTable2,
    /// The Valet benchmark
    Valet,
    /// An honest player against the players of CardStock
    Baselines,
}
