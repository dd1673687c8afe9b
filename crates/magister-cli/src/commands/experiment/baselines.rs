//! Our honest player against simple players of other systems.
//!
//! Scores decide, as in the Valet benchmark: a match is played for its score, and scores separate
//! two players in fewer matches than ranks do. Ranks are reported as well.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::Result;
use magister_arena::{Bar, Page, Sample};
use magister_players::Spec;

use super::{matches, measured, report_faults, table, verdict, wanted, write_files};
use crate::args::Experiment;

/// Games in which every player plays for itself, so that two players can be compared in the same
/// matches.
const GAMES: [&str; 8] =
    ["agram", "cribbage", "golf-six", "goofspiel", "hearts", "president", "schwimmen", "scopa"];

/// Flat Monte Carlo and tree search as in CardStock, and lazy determinization.
const BASELINES: [&str; 3] = ["pipmc", "lazy-mcts", "single-mcts"];

/// The number of games that must be won against each baseline.
const BAR: usize = 6;

pub(super) fn run(args: &Experiment) -> Result<u8> {
    let mut out = anstream::stdout().lock();
    let mut csv = "game,player,baseline,score,score margin,rank,rank margin,matches\n".to_owned();
    let mut page = Page::new("An honest player and a baseline at one table");
    let players = measured(args, &["honest"])?;
    let baselines = match &args.baseline[..] {
        [] => BASELINES.map(str::parse).into_iter().collect::<Result<Vec<Spec>, _>>()?,
        given => given.to_vec(),
    };
    let games = wanted(&args.only, &GAMES)?;
    let mut passed = true;
    let asked = matches(args.games, 2, true);
    if asked != args.games {
        writeln!(out, "{asked} matches instead of {}: every deal is played twice", args.games)?;
    }
    for player in &players {
        for baseline in &baselines {
            let (mut bars, mut better) = (Vec::new(), (0, 0));
            writeln!(out, "{player} against {baseline}: differences")?;
            for name in &games {
                let result = table(args, name, &[player, baseline], &baseline.to_string(), true)?;
                let score = Difference::new(&result.leads(0, 1));
                let rank = Difference::new(&result.differences(0, 1));
                let played = 2 * result.scores[0].values.len();
                better.0 += usize::from(score.word() == "better");
                better.1 += usize::from(rank.word() == "better");
                writeln!(
                    out,
                    "  {name:<14} score {:+.2} +- {:.2}  {:<6}  rank {:+.3} +- {:.3}  {:<6}  \
                     ({played} matches)",
                    score.mean,
                    score.margin,
                    score.word(),
                    rank.mean,
                    rank.margin,
                    rank.word(),
                )?;
                report_faults(&mut out, &result)?;
                let _ = writeln!(
                    csv,
                    "{name},{player},{baseline},{:.4},{:.4},{:.4},{:.4},{played}",
                    score.mean, score.margin, rank.mean, rank.margin
                );
                bars.push(Bar {
                    name: (*name).to_owned(),
                    value: rank.mean,
                    interval: Some((rank.mean - rank.margin, rank.mean + rank.margin)),
                });
                let mut so_far = page.clone();
                chart(&mut so_far, player, baseline, &bars);
                write_files(args, &csv, &so_far)?;
            }
            writeln!(
                out,
                "  of {} game{}, better in {} by score, which decides, and in {} by rank",
                games.len(),
                if games.len() == 1 { "" } else { "s" },
                better.0,
                better.1
            )?;
            // Some of the games decide nothing.
            if games.len() == GAMES.len() {
                passed &= better.0 >= BAR;
            } else {
                writeln!(
                    out,
                    "  no verdict: that needs all {} games, {BAR} of them better by score",
                    GAMES.len()
                )?;
            }
            chart(&mut page, player, baseline, &bars);
        }
    }
    Ok(verdict(passed))
}

fn chart(page: &mut Page, player: &Spec, baseline: &Spec, bars: &[Bar]) {
    page.heading(&format!("{player} against {baseline}, by rank"));
    page.bars(bars, 0.0);
}

/// The mean difference of two players, with half the width of its 95 % interval.
struct Difference {
    mean: f64,
    margin: f64,
}

impl Difference {
    fn new(sample: &Sample) -> Self {
        Difference { mean: sample.mean(), margin: sample.margin() }
    }

    /// Which player is better, if the interval excludes zero.
    fn word(&self) -> &'static str {
        match (self.mean - self.margin > 0.0, self.mean + self.margin < 0.0) {
            (true, _) => "better",
            (_, true) => "worse",
            _ => "open",
        }
    }
}
