//! `magister train`: trains agents by self-play.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use magister_core::Seed;
use magister_learn::driver::{Chain, Plan, Progress};
use magister_learn::recipe::{Kind, Recipe, Rule};
use magister_learn::tuples::TupleChoice;
use magister_learn::weights::Steps;
use magister_learn::{AgentFile, Learner, Sight};
use serde_json::json;

use super::bench::process::cpu_time;
use super::plural;
use crate::args::{AgentKind, RuleName, Train};
use crate::{CLEAN, game};

/// How often progress is shown.
const EVERY: Duration = Duration::from_secs(2);
/// The minimum time, in seconds, for which a rate is shown.
const MEASURABLE: f64 = 0.05;
/// The number of games between two readings of the clock.
const REPORT: u64 = 32;

pub(crate) fn run(args: &Train) -> Result<u8> {
    if args.seconds.is_some_and(|seconds| !(seconds > 0.0 && seconds < 1e9)) {
        bail!("--seconds is a number above 0");
    }
    if args.games.is_none() && args.seconds.is_none() {
        bail!("give --games or --seconds");
    }
    let playable = game::open(&args.game, None, &args.language.options())?;
    let mut learner = if let Some(path) = &args.resume {
        let name = path.display();
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
        let file = AgentFile::from_bytes(&bytes).with_context(|| format!("{name}"))?;
        Learner::open(&playable.game, file).with_context(|| format!("{name}"))?
    } else {
        let sight = Sight::new(&playable.game, !args.general, args.seed)?;
        let recipe = recipe(args, &sight, playable.game.as_ref())?;
        Learner::new(&playable.game, sight, recipe, args.seed)?
    };
    // Training should not run for an hour before it turns out that the file cannot be written.
    save(&learner, args)?;
    let before = (learner.header().games, learner.header().moves);
    let clock = Clock::new(args.threads > 1);
    let mut done = 0.0;
    loop {
        let slice = args.checkpoint.map(|seconds| Instant::now() + from_secs(seconds));
        let shown = Mutex::new(Instant::now());
        let ended = Mutex::new(false);
        let share = |now: &Progress| {
            let spent = clock.seconds();
            let share = args.seconds.map_or(0.0, |seconds| spent / seconds);
            if let Ok(mut shown) = shown.lock()
                && shown.elapsed() >= EVERY
            {
                *shown = Instant::now();
                show(args, now, spent, before, false);
            }
            let reached = args.goal.is_some_and(|goal| now.mean >= goal && now.games > before.0);
            if share >= 1.0 || reached {
                if let Ok(mut ended) = ended.lock() {
                    *ended = true;
                }
                return ControlFlow::Break(());
            }
            if slice.is_some_and(|end| Instant::now() >= end) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(share)
        };
        let plan = Plan {
            games: args.games.map(|games| before.0 + games),
            before: 0,
            done,
            actors: usize::from(args.threads),
            report: REPORT,
            seed: Seed::from(args.seed),
        };
        let progress = learner.train(&plan, &share)?;
        save(&learner, args)?;
        done = args.seconds.map_or(0.0, |seconds| clock.seconds() / seconds);
        let all = plan.games.is_some_and(|games| progress.games >= games);
        if all || ended.into_inner().unwrap_or(true) || args.checkpoint.is_none() {
            let header = learner.header();
            let now = Progress {
                games: header.games,
                moves: header.moves - before.1,
                ..Progress::default()
            };
            show(args, &now, clock.seconds(), before, true);
            return Ok(CLEAN);
        }
    }
}

fn from_secs(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// The processor time of this thread, or elapsed time if several threads train or the system does
/// not report processor time.
struct Clock {
    start: Instant,
    cpu: Option<Duration>,
}

impl Clock {
    fn new(wall: bool) -> Self {
        Clock { start: Instant::now(), cpu: if wall { None } else { cpu_time() } }
    }

    fn seconds(&self) -> f64 {
        let cpu = self.cpu.and_then(|start| cpu_time()?.checked_sub(start));
        cpu.unwrap_or_else(|| self.start.elapsed()).as_secs_f64()
    }
}

/// Writes a temporary file first, so that an interruption leaves the old file intact.
fn save(learner: &Learner, args: &Train) -> Result<()> {
    let bytes = learner.file().to_bytes(!args.slim);
    let name = args.out.display();
    let mut beside = args.out.clone().into_os_string();
    beside.push(".new");
    let beside = Path::new(&beside);
    std::fs::write(beside, bytes)
        .and_then(|()| std::fs::rename(beside, &args.out))
        .with_context(|| format!("cannot write {name}"))
}

fn show(args: &Train, now: &Progress, seconds: f64, before: (u64, u64), done: bool) {
    let seconds = seconds.max(1e-3);
    let games = now.games.saturating_sub(before.0);
    let (moves_per_s, episodes_per_s) = (now.moves as f64 / seconds, games as f64 / seconds);
    // A failure to print does not end the training.
    if args.json {
        let object = json!({
            "done": done,
            "games": now.games,
            "moves": now.moves,
            "seconds": seconds,
            "moves_per_s": moves_per_s,
            "episodes_per_s": episodes_per_s,
            "mean": if done { None } else { Some(now.mean) },
            "error": if done { None } else { Some(now.error) },
            "file": args.out,
        });
        let _ = writeln!(anstream::stdout(), "{object}");
    } else if done {
        let _ = writeln!(
            anstream::stdout(),
            "wrote {}: {} in all, {games} of them in {seconds:.1} s{}",
            args.out.display(),
            plural(now.games, "game"),
            // A rate over a very short time is meaningless.
            if seconds < MEASURABLE {
                String::new()
            } else {
                format!(", {episodes_per_s:.0} games/s, {moves_per_s:.0} moves/s")
            }
        );
    } else {
        let _ = writeln!(
            anstream::stderr(),
            "{:>10} games  {:>8.1} s  {:>9.0} moves/s  mean {:>9.3}  error {:.4}",
            now.games,
            seconds,
            moves_per_s,
            now.mean,
            now.error,
        );
    }
}

/// The recommended recipe for the game, changed by the options.
fn recipe(args: &Train, sight: &Sight, game: &dyn magister_core::Game) -> Result<Recipe> {
    let kind = match args.agent {
        AgentKind::Ntuple => Kind::Ntuple,
        AgentKind::Linear => Kind::Linear,
        AgentKind::Net => Kind::Net,
    };
    let mut recipe = Recipe::recommended(kind, game, sight.reading());
    let settings = &mut recipe.settings;
    let pair = |given: &[f32], name: &str| match *given {
        [one] => Ok(Some((one, one))),
        [first, last] => Ok(Some((first, last))),
        [] => Ok(None),
        _ => bail!("--{name} takes one number, or the first and the last"),
    };
    if let Some(alpha) = pair(&args.alpha, "alpha")? {
        settings.alpha = alpha;
    }
    if let Some(epsilon) = pair(&args.epsilon, "epsilon")? {
        settings.epsilon = epsilon;
    }
    settings.lambda = args.lambda.unwrap_or(settings.lambda);
    settings.random_start = args.random_start.unwrap_or(settings.random_start);
    settings.longest = args.longest.unwrap_or(settings.longest);
    settings.replay = args.replay.unwrap_or(settings.replay);
    if args.own_chain {
        settings.chain = Chain::Own;
    }
    settings.final_adaptation = !args.no_final_adaptation;
    match args.walks[..] {
        [] => {}
        [count, length] => recipe.tuples = TupleChoice::Walks { count, length },
        _ => bail!("--walks takes the number of tuples and their length, such as 70,8"),
    }
    if let Some(text) = &args.tuples {
        let tuple = |text: &str| {
            text.split('-').map(|cell| cell.trim().parse::<u16>()).collect::<Result<Vec<_>, _>>()
        };
        let tuples = text.split(',').map(tuple).collect::<Result<Vec<_>, _>>();
        let tuples = tuples.context("--tuples takes numbers of cells, such as 0-1-2,3-4-5")?;
        recipe.tuples = TupleChoice::Given(tuples);
    }
    if args.plain_steps {
        recipe.steps = Steps::Plain;
    }
    recipe.symmetric &= !args.no_symmetries;
    recipe.initial = args.initial.unwrap_or(recipe.initial);
    recipe.hidden = args.hidden.unwrap_or(recipe.hidden);
    Ok(match args.rule {
        RuleName::Td => recipe,
        RuleName::Sarsa => recipe.by(Rule::Sarsa),
        RuleName::Q => recipe.by(Rule::Q),
    })
}
