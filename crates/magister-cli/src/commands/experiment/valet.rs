//! The experiment of the Valet benchmark: branching factor, length, and the benefit of search.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::{Result, bail};
use magister_arena::{Bar, Contest, Page, Sample, Welch};
use magister_core::Seed;

use super::progress::Progress;
use super::{limits, measured, report_moves, source, wanted, write_files};
use crate::args::Experiment;
use crate::{CLEAN, game};

/// The games of the benchmark, in their usual order.
const GAMES: [&str; 21] = [
    "agram",
    "casino-blackjack",
    "crazy-eights",
    "cribbage",
    "cuckoo",
    "euchre",
    "go-fish",
    "golf-six",
    "goofspiel",
    "hearts",
    "klaverjassen",
    "leduc-poker/recycle",
    "pitch",
    "president",
    "rummy",
    "scarto",
    "schwimmen",
    "scopa",
    "skitgubbe",
    "sueca",
    "whist",
];

/// The number of random games for branching factor and length.
const RANDOM_GAMES: u64 = 1_000;
/// The maximum number of decisions of a random game; longer games are cut off.
const MOST_DECISIONS: u32 = 10_000;
/// A difference is significant if chance alone explains it with a smaller probability.
const SIGNIFICANT: f64 = 0.05;
/// The tree search of the benchmark.
const SEARCH: &str = "single-mcts";

pub(super) fn run(args: &Experiment) -> Result<u8> {
    // An unknown game is an error before the header.
    let games = wanted(&args.only, &GAMES)?;
    let mut out = anstream::stdout().lock();
    let mut csv = format!(
        "game,seats,branching,decisions,random,{SEARCH},{SEARCH} t,{SEARCH} p,honest,honest t,honest p,\
         faults\n"
    );
    let honest = measured(args, &["honest"])?.swap_remove(0).to_string();
    writeln!(
        out,
        "{:<20} {:>5} {:>9} {:>9} {:>17} {:>18} {:>18}",
        "game",
        "seats",
        "branching",
        "decisions",
        "random",
        format!("{SEARCH} (t) "),
        format!("{honest} (t) ")
    )?;
    let (mut bars, mut better) = (Vec::new(), [0, 0]);
    for name in games {
        let playable = game::find(name, &magister::Reading::default())?.prepare(None)?;
        let Some(cards) = playable.source.card_game() else {
            bail!("{name} is not a card game in RECYCLE");
        };
        let seats = playable.game.info().players().count();
        let (mut lengths, mut decisions, mut options) = (0u64, 0u64, 0u64);
        let seed = Seed::from(args.seed).derive(name);
        cards.sample(RANDOM_GAMES, seed.derive("lengths"), MOST_DECISIONS, |sample| {
            lengths += 1;
            decisions += sample.options.len() as u64;
            options += sample.options.iter().map(|&count| u64::from(count)).sum::<u64>();
        });
        let branching = options as f64 / decisions.max(1) as f64;
        let length = decisions as f64 / lengths.max(1) as f64;
        let (mut scores, mut faults) = (Vec::new(), Vec::new());
        for player in ["random", SEARCH, honest.as_str()] {
            let contest = Contest::new(playable.game.clone(), limits(args));
            let mut players = vec![source(player)?];
            players.resize(seats, source("random")?);
            let mut sample = Sample::default();
            let mut progress = Progress::new(format!("{name}, {player}"), args.games);
            for number in 0..args.games {
                let record = contest.play(&players, seed.derive("matches").derive_index(number));
                sample.values.extend(record.rewards.first().copied().flatten());
                faults.extend(record.errors.into_iter().filter(|error| error.seat.is_some()));
                progress.show(number + 1);
            }
            scores.push(sample);
        }
        let [random, search, honest] = &scores[..] else { continue };
        let (by_search, by_honest) = (search.welch(random), honest.welch(random));
        for (count, test) in better.iter_mut().zip([by_search, by_honest]) {
            *count += u32::from(test.t > 0.0 && test.p < SIGNIFICANT);
        }
        writeln!(
            out,
            "{name:<20} {seats:>5} {branching:>9.2} {length:>9.1} {:>8.2} +- {:<5.2} {} {}",
            random.mean(),
            random.margin(),
            cell(search, by_search),
            cell(honest, by_honest),
        )?;
        report_moves(&mut out, &faults)?;
        let _ = writeln!(
            csv,
            "{name},{seats},{branching:.4},{length:.2},{:.4},{:.4},{:.3},{:.3e},{:.4},{:.3},{:.3e},{}",
            random.mean(),
            search.mean(),
            by_search.t,
            by_search.p,
            honest.mean(),
            by_honest.t,
            by_honest.p,
            faults.len(),
        );
        bars.push(Bar { name: name.to_owned(), value: by_honest.t, interval: None });
        let mut page = Page::new("Advantage of a player in the first seat over random opponents");
        page.heading("Welch's t of the honest player's scores");
        page.bars(&bars, 0.0);
        write_files(args, &csv, &page)?;
    }
    writeln!(
        out,
        "* p < {SIGNIFICANT} by Welch's t-test on the scores. Of {} games, {SEARCH} beats random play in \
         {}, {honest} in {}.",
        bars.len(),
        better[0],
        better[1]
    )?;
    Ok(CLEAN)
}

/// A mean score and its test against random play.
fn cell(sample: &Sample, test: Welch) -> String {
    let star = if test.p < SIGNIFICANT { '*' } else { ' ' };
    format!("{:>8.2} ({:>+6.1}){star}", sample.mean(), test.t)
}
