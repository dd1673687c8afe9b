//! `magister experiment`: published experiments with card games.

use std::fmt::Write as _;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use magister_arena::{Bar, Contest, Page, Sample, TableTrial, TimeControl, rank_values};
use magister_core::{PlayerSource, Seed};
use magister_players::Spec;

use crate::args::{Experiment, ExperimentName};
use crate::{CLEAN, game};

/// The games of the thesis with the printed values of Honest, Clairvoyant and Random.
const TABLE2: [(&str, [f64; 3]); 5] = [
    ("thesis-agram", [0.49, 0.69, 0.41]),
    ("golf", [0.74, 0.72, 0.04]),
    ("ninety-eight", [0.59, 0.66, 0.41]),
    ("thesis-hearts", [0.71, 0.78, 0.29]),
    ("bottle-imp", [0.72, 0.80, 0.25]),
];

/// The games of the Valet benchmark, in their usual order.
const VALET: [&str; 21] = [
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

/// Random games for branching factor and length.
const RANDOM_GAMES: u64 = 1_000;
/// A random game with more decisions is cut off.
const MOST_DECISIONS: u32 = 10_000;
/// Without a limit, players get this many iterations.
const ITERATIONS: u64 = 100;

pub(crate) fn run(args: &Experiment) -> Result<u8> {
    match args.name {
        ExperimentName::ThesisTable2 => table2(args),
        ExperimentName::Valet => valet(args),
    }
}

fn limits(args: &Experiment) -> TimeControl {
    match args.time {
        Some(seconds) => {
            TimeControl { time: Some(Duration::from_secs_f64(seconds)), ..TimeControl::default() }
        }
        None => TimeControl {
            iterations: Some(args.iterations.unwrap_or(ITERATIONS)),
            ..TimeControl::default()
        },
    }
}

fn wanted(args: &Experiment, name: &str) -> bool {
    args.only.is_empty() || args.only.iter().any(|only| only == name)
}

fn source(text: &str) -> Result<Arc<dyn PlayerSource>> {
    Ok(Arc::new(text.parse::<Spec>()?))
}

fn table2(args: &Experiment) -> Result<u8> {
    let mut out = anstream::stdout().lock();
    let mut csv = "game,player,value,margin,matches,printed\n".to_owned();
    let mut page = Page::new("Honest, clairvoyant and random players at one table");
    if args.only.iter().any(|only| !TABLE2.iter().any(|(name, _)| name == only)) {
        bail!("the games of this experiment are {}", TABLE2.map(|(name, _)| name).join(", "));
    }
    for (name, printed) in TABLE2.iter().filter(|(name, _)| wanted(args, name)) {
        let playable = game::find(name, &magister::Reading::default())?.prepare(None)?;
        let seats = playable.game.info().players().count();
        let honest: Arc<dyn PlayerSource> = Arc::new(args.honest.clone());
        let mut players = vec![honest, source("clairvoyant")?];
        players.resize(seats, source("random")?);
        let trial = TableTrial {
            contest: Contest::new(playable.game.clone(), limits(args)),
            players,
            games: args.games,
            seed: Seed::from(args.seed).derive(name),
            jobs: args.jobs,
        };
        let samples = trial.run(rank_values, |_| {})?;
        // All random seats together.
        let random: Vec<f64> = samples[2..].iter().flat_map(|s| s.values.clone()).collect();
        let rows = [
            (args.honest.to_string(), samples[0].clone(), printed[0]),
            ("clairvoyant".to_owned(), samples[1].clone(), printed[1]),
            ("random".to_owned(), Sample { values: random }, printed[2]),
        ];
        let matches = samples[0].values.len();
        let sum: f64 = samples.iter().map(Sample::mean).sum();
        writeln!(out, "{name}: {matches} matches, sum of the seats {sum:.3} (must be {:.1})", {
            seats as f64 / 2.0
        })?;
        let mut bars = Vec::new();
        for (player, sample, printed) in rows {
            let (mean, margin) = (sample.mean(), sample.margin());
            writeln!(out, "  {player:<16} {mean:.3} +- {margin:.3}   thesis {printed:.2}")?;
            let _ = writeln!(csv, "{name},{player},{mean:.4},{margin:.4},{matches},{printed}");
            bars.push(Bar {
                name: player,
                value: mean,
                interval: Some((mean - margin, mean + margin)),
            });
        }
        page.heading(name);
        page.bars(&bars, 0.0);
    }
    write_files(args, &csv, &page)
}

fn write_files(args: &Experiment, csv: &str, page: &Page) -> Result<u8> {
    if let Some(path) = &args.csv {
        std::fs::write(path, csv).with_context(|| path.display().to_string())?;
    }
    if let Some(path) = &args.svg {
        std::fs::write(path, page.to_string()).with_context(|| path.display().to_string())?;
    }
    Ok(CLEAN)
}

fn valet(args: &Experiment) -> Result<u8> {
    let mut out = anstream::stdout().lock();
    let mut csv = "game,seats,branching,decisions,random,pimc,t,honest,t\n".to_owned();
    let mut page = Page::new("What a player in the first seat gains against random ones");
    if args.only.iter().any(|only| !VALET.contains(&only.as_str())) {
        bail!("the games of this experiment are {}", VALET.join(", "));
    }
    writeln!(
        out,
        "{:<20} {:>5} {:>9} {:>9} {:>16} {:>22} {:>22}",
        "game", "seats", "branching", "decisions", "random", "pimc (t)", "honest (t)"
    )?;
    let mut bars = Vec::new();
    for name in VALET.iter().filter(|name| wanted(args, name)) {
        let playable = game::find(name, &magister::Reading::default())?.prepare(None)?;
        let Some(cards) = playable.source.card_game() else {
            bail!("{name} is not a card game in RECYCLE");
        };
        let seats = playable.game.info().players().count();
        let (mut games, mut decisions, mut options) = (0u64, 0u64, 0u64);
        let seed = Seed::from(args.seed).derive(name);
        cards.sample(RANDOM_GAMES, seed.derive("lengths"), MOST_DECISIONS, |sample| {
            games += 1;
            decisions += sample.options.len() as u64;
            options += sample.options.iter().map(|&count| u64::from(count)).sum::<u64>();
        });
        let branching = options as f64 / decisions.max(1) as f64;
        let length = decisions as f64 / games.max(1) as f64;
        let honest = args.honest.to_string();
        let mut scores = Vec::new();
        for player in ["random", "pimc", honest.as_str()] {
            let contest = Contest::new(playable.game.clone(), limits(args));
            let mut players = vec![source(player)?];
            players.resize(seats, source("random")?);
            let mut sample = Sample::default();
            for number in 0..args.games {
                let record = contest.play(&players, seed.derive("matches").derive_index(number));
                sample.values.extend(record.rewards.first().copied().flatten());
            }
            scores.push(sample);
        }
        let [random, pimc, honest] = &scores[..] else { continue };
        let (by_pimc, by_honest) = (pimc.welch(random), honest.welch(random));
        writeln!(
            out,
            "{name:<20} {seats:>5} {branching:>9.2} {length:>9.1} {:>8.2} +- {:<5.2} {:>8.2} ({by_pimc:>+6.1})      {:>8.2} ({by_honest:>+6.1})",
            random.mean(),
            random.margin(),
            pimc.mean(),
            honest.mean(),
        )?;
        let _ = writeln!(
            csv,
            "{name},{seats},{branching:.4},{length:.2},{:.4},{:.4},{by_pimc:.3},{:.4},{by_honest:.3}",
            random.mean(),
            pimc.mean(),
            honest.mean()
        );
        bars.push(Bar { name: (*name).to_owned(), value: by_honest, interval: None });
    }
    page.heading("Welch's t of the honest player's scores");
    page.bars(&bars, 0.0);
    write_files(args, &csv, &page)
}
