//! Games from rules text: ten chosen ones, and ten drawn by a fixed seed among the two-player games
//! of perfect information in the catalogue.
#![expect(clippy::print_stdout, reason = "printing is the purpose of the command")]

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use magister_arena::{Contest, Series, Sprt, SprtVerdict, TimeControl};
use magister_core::{Game, Information, PlayerSource, Seed};
use magister_games::catalogue;
use magister_learn::recipe::{Kind, Recipe};
use magister_learn::tuples::TupleChoice;
use magister_learn::{Learner, Sight};
use magister_players::Spec;

use super::given::{Given, Watch};

/// The chosen games.
const CHOSEN: [&str; 10] = [
    "breakthrough",
    "checkers",
    "clobber",
    "connect-four",
    "dots-and-boxes",
    "gomoku",
    "hex-5",
    "kalah",
    "knightthrough",
    "othello-6x6",
];
/// The number of drawn games, and the seed that draws them.
const DRAWN: usize = 10;
const DRAW: u64 = 22;
/// The random turns at the start of a match, so that deterministic players meet in many positions.
pub(super) const OPENING: u32 = 2;
/// The number of positions that a search of a few plies expands at most for a move.
const EXPANDED: u64 = 1_000_000;
/// The shares of the points to reach.
const AGAINST_RANDOM: f64 = 0.9;
const AGAINST_ONE_STEP: f64 = 0.6;
/// The number of games in which the learned value must help `puct` to beat `uct`.
const HELPED: u32 = 5;

/// A share of the points with its counts.
#[derive(Clone, Copy, Default)]
struct Points {
    wins: u64,
    draws: u64,
    losses: u64,
    faults: usize,
}

impl Points {
    fn share(&self) -> f64 {
        let all = (self.wins + self.draws + self.losses).max(1) as f64;
        (self.wins as f64 + 0.5 * self.draws as f64) / all
    }
}

/// Settings: `seconds` of training for each game (60), `matches` against random and one-step (100),
/// `plies` of the search around the values for two more columns (0: none), `time` per move in
/// seconds against `uct` (0.1), `searched` matches against `uct` at most (200),
/// `sharp` of `puct` (20), `first` and `games` to take a part of the list, `tuples` random walks of
/// `length` cells (8) instead of the recommended tuples; settings of learning replace the recommended
/// ones.
pub(crate) fn run(given: &Given) -> Result<()> {
    let first = given.whole("first", 0) as usize;
    let count = given.whole("games", 20) as usize;
    let (mut met, mut helped, mut all) = (0, 0, 0);
    println!(
        "{:24} {:>8} {:>8} {:>7} {:>9}  puct with the value against uct",
        "game", "games", "moves/s", "random", "one-step"
    );
    for name in names()?.into_iter().skip(first).take(count) {
        let playable = magister::open(&name)?;
        playable.warm_up();
        let game = &playable.game;
        let path = std::env::temp_dir().join(format!("magister-learn-{name}.agent"));
        let (games, rate) = train(game, given, &path)?;
        let learned = format!("td:file={}", path.display());
        let matches = u64::from(given.whole("matches", 100));
        let plain = TimeControl { iterations: Some(1), ..TimeControl::default() };
        let random = play(game, [&learned, "random"], plain, matches, None)?;
        let step = play(game, [&learned, "onestep"], plain, matches, None)?;
        let plies = given.whole("plies", 0);
        let ahead = TimeControl { iterations: Some(EXPANDED), ..TimeControl::default() };
        let deep = format!("plies:depth={plies},inner=[{learned}]");
        let deep = match plies {
            0 => None,
            _ => Some([
                play(game, [&deep, "random"], ahead, matches, None)?,
                play(game, [&deep, "onestep"], ahead, matches, None)?,
            ]),
        };
        let time = Duration::try_from_secs_f64(given.number("time", 0.1))?;
        let clock = TimeControl { time: Some(time), ..TimeControl::default() };
        let test = Sprt::new(0.0, 50.0);
        let most = u64::from(given.whole("searched", 200));
        let sharp = given.number("sharp", 20.0);
        let inside = format!("puct:sharp={sharp},inner=[{learned}]");
        let search = match most {
            0 => Points::default(),
            _ => play(game, [&inside, "uct"], clock, most, Some(test))?,
        };
        let verdict = test.verdict(search.wins, search.draws, search.losses);
        let good = random.share() >= AGAINST_RANDOM && step.share() >= AGAINST_ONE_STEP;
        let better = verdict == SprtVerdict::Greater;
        (met, helped, all) = (met + u32::from(good), helped + u32::from(better), all + 1);
        let deep_faults = deep.iter().flatten().map(|points| points.faults).sum::<usize>();
        println!(
            "{name:24} {games:>8} {rate:>8.0} {:>6.1}% {:>8.1}% {}  {} to {}, {} draws, {verdict:?}{}{}",
            100.0 * random.share(),
            100.0 * step.share(),
            deep.map_or_else(String::new, |both| {
                let [random, step] = both.map(|points| 100.0 * points.share());
                format!("with {plies} plies {random:.1}% {step:.1}%")
            }),
            search.wins,
            search.losses,
            search.draws,
            if good { "" } else { "; below the bar" },
            match random.faults + step.faults + search.faults + deep_faults {
                0 => String::new(),
                faults => format!("; {faults} faults"),
            },
        );
        std::fs::remove_file(&path).with_context(|| path.display().to_string())?;
    }
    println!(
        "{met} of {all} games: at least {:.0} % against random and {:.0} % against one-step; {helped} \
         (of {HELPED} needed): better than uct inside puct",
        100.0 * AGAINST_RANDOM,
        100.0 * AGAINST_ONE_STEP
    );
    Ok(())
}

/// The chosen games, then the drawn ones.
fn names() -> Result<Vec<String>> {
    let mut rest: Vec<&str> = catalogue::all()
        .iter()
        .filter(|entry| entry.gdl_sheets().next().is_some() && !CHOSEN.contains(&entry.name))
        .map(|entry| entry.name)
        .collect();
    rest.sort_unstable();
    let mut out: Vec<String> = CHOSEN.map(str::to_owned).to_vec();
    let mut rng = Seed::from(DRAW).derive("games to learn").rng();
    while out.len() < CHOSEN.len() + DRAWN && !rest.is_empty() {
        let name = rest.swap_remove(rng.below(rest.len() as u64) as usize);
        let playable = magister::open(name)?;
        let info = playable.game.info();
        let fits = info.information == Information::Perfect
            && info.players().count() == 2
            && info.chance.is_none();
        if fits {
            out.push(name.to_owned());
        }
    }
    Ok(out)
}

/// Trains a game by the recommended recipe and writes the agent. Returns the number of games and of
/// moves per second.
fn train(game: &Arc<dyn Game>, given: &Given, path: &PathBuf) -> Result<(u64, f64)> {
    let seconds = given.number("seconds", 60.0);
    let sight = Sight::new(game, true, 0)?;
    let mut recipe = Recipe::recommended(Kind::Ntuple, game.as_ref(), sight.reading());
    recipe.settings = given.settings(&recipe.settings);
    if given.text("tuples").is_some() {
        let (count, length) =
            (given.whole("tuples", 0) as usize, given.whole("length", 8) as usize);
        recipe.tuples = TupleChoice::Walks { count, length };
    }
    if given.text("tc").is_some() {
        recipe.steps = given.steps(true);
    }
    let mut learner = Learner::new(game, sight, recipe, 0)?;
    let watch = Watch::start();
    let share = |_: &magister_learn::driver::Progress| {
        let share = watch.seconds() / seconds;
        if share >= 1.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(share) }
    };
    let plan = magister_learn::driver::Plan {
        games: None,
        before: 0,
        done: 0.0,
        actors: 1,
        report: 32,
        seed: Seed::from(0),
    };
    let done = learner.train(&plan, &share)?;
    let spent = watch.seconds();
    std::fs::write(path, learner.file().to_bytes(false))
        .with_context(|| path.display().to_string())?;
    Ok((done.games, done.moves as f64 / spent))
}

/// The points of the first of two players, who take both seats in turn. With a test, the series ends
/// when it is decided.
fn play(
    game: &Arc<dyn Game>,
    players: [&str; 2],
    limits: TimeControl,
    matches: u64,
    test: Option<Sprt>,
) -> Result<Points> {
    let sources = players
        .iter()
        .map(|player| Ok(Arc::new(player.parse::<Spec>()?) as Arc<dyn PlayerSource>))
        .collect::<Result<Vec<_>>>()?;
    let own = players[0].parse::<Spec>()?.to_string();
    let series = Series {
        contest: Contest { opening: OPENING, ..Contest::new(Arc::clone(game), limits) },
        players: sources,
        games: matches,
        seed: Seed::from(1),
        jobs: 1,
    };
    let mut points = Points::default();
    series.play(|_, record| {
        points.faults += record.errors.len();
        let seat = record.players.iter().position(|player| *player == own).unwrap_or(0);
        let reward = |seat: usize| record.rewards.get(seat).copied().flatten().unwrap_or(0.0);
        match reward(seat).total_cmp(&reward(1 - seat.min(1))) {
            std::cmp::Ordering::Greater => points.wins += 1,
            std::cmp::Ordering::Equal => points.draws += 1,
            std::cmp::Ordering::Less => points.losses += 1,
        }
        let verdict = test.map(|test| test.verdict(points.wins, points.draws, points.losses));
        if verdict.is_some_and(|verdict| verdict != SprtVerdict::Open) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })?;
    Ok(points)
}
