//! `magister train`: trains agents by self-play.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use magister_core::{Game, Halt, Seed};
use magister_learn::az::{AzFile, AzLearner, AzSettings, Form, Size};
use magister_learn::driver::{Chain, Plan, Progress};
use magister_learn::file::Reading;
use magister_learn::recipe::{Kind, Recipe, Rule};
use magister_learn::tuples::TupleChoice;
use magister_learn::weights::Steps;
use magister_learn::{AgentFile, AgentType, Learner, Sight, TrainError};
use serde_json::json;

use super::bench::process::cpu_time;
use super::plural;
use crate::args::{AgentKind, NetForm, RuleName, StepsName, Train};
use crate::{CLEAN, game, interrupt};

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
    if args.popular {
        return popular(args);
    }
    let Some(name) = &args.game else { bail!("give a game, or --popular") };
    let playable = game::open(name, None, &args.language.options())?;
    let mut learner = if let Some(path) = &args.resume {
        Trainee::open(&playable.game, path)?
    } else {
        Trainee::new(&playable.game, args)?
    };
    if args.checkpoint.is_some() && learner.averages() {
        bail!(
            "this run averages its weights and would continue from the mean after a checkpoint: leave \
             out --checkpoint"
        );
    }
    // Training should not run for an hour before it turns out that the file cannot be written.
    try_to_write(&args.out)?;
    interrupt::catch();
    let before = learner.counts();
    let clock = Clock::new(args.threads > 1);
    let mut done = 0.0;
    loop {
        let slice = args.checkpoint.map(|seconds| Instant::now() + from_secs(seconds));
        let shown = Mutex::new(Instant::now());
        let ended = Mutex::new(false);
        let earlier = learner.counts().1 - before.1;
        let share = |now: &Progress| {
            let now = &after(earlier, now);
            let spent = clock.seconds();
            let share = args.seconds.map_or(0.0, |seconds| spent / seconds);
            if let Ok(mut shown) = shown.lock()
                && shown.elapsed() >= EVERY
            {
                *shown = Instant::now();
                show(args, now, spent, before, false);
            }
            let reached = args.goal.is_some_and(|goal| now.mean >= goal && now.games > before.0);
            if share >= 1.0 || reached || interrupt::pressed() {
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
        if interrupt::pressed() && learner.counts().0 == before.0 {
            bail!("interrupted before the first game ended; nothing was written");
        }
        save(&learner, args)?;
        done = args.seconds.map_or(0.0, |seconds| clock.seconds() / seconds);
        let all = plan.games.is_some_and(|games| progress.games >= games);
        if all || ended.into_inner().unwrap_or(true) || args.checkpoint.is_none() {
            let (games, moves) = learner.counts();
            let now = Progress { games, moves: moves - before.1, ..Progress::default() };
            show(args, &now, clock.seconds(), before, true);
            if interrupt::pressed() {
                let file = args.out.display();
                anstream::eprintln!(
                    "magister: interrupted; what was learned is in {file}, and `--resume {file}` \
                     continues the training"
                );
            }
            return Ok(CLEAN);
        }
    }
}

/// The games of `--popular`.
const POPULAR: [&str; 10] = [
    "tictactoe",
    "connect-four",
    "breakthrough",
    "othello",
    "checkers",
    "hex-7",
    "gomoku",
    "kalah",
    "nine-mens-morris",
    "dots-and-boxes",
];
/// The largest file of an agent that comes with a site, in bytes.
const SHIPPED: u64 = 2_000_000;

/// Trains an agent for each popular game.
fn popular(args: &Train) -> Result<u8> {
    let folder = &args.out;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let mut code = CLEAN;
    for name in POPULAR {
        let out = folder.join(format!("{name}.agent"));
        let one = Train {
            game: Some(name.to_owned()),
            popular: false,
            agent: AgentKind::Az,
            slim: true,
            out: out.clone(),
            ..args.clone()
        };
        code = code.max(run(&one)?);
        if interrupt::pressed() {
            break;
        }
        let size = std::fs::metadata(&out)
            .with_context(|| format!("cannot read {}", out.display()))?
            .len();
        if size > SHIPPED {
            bail!("{} has {size} bytes; use fewer --channels", out.display());
        }
    }
    Ok(code)
}

/// What is trained.
enum Trainee {
    Values(Box<Learner>),
    Network(Box<AzLearner>),
}

impl Trainee {
    /// Whether the weights at the end are a mean.
    fn averages(&self) -> bool {
        match self {
            Trainee::Values(learner) => learner.header().recipe.settings.average > 0.0,
            Trainee::Network(_) => false,
        }
    }

    fn new(game: &Arc<dyn Game>, args: &Train) -> Result<Self> {
        if args.agent == AgentKind::Az {
            return Ok(Trainee::Network(Box::new(AzLearner::new(
                game,
                network(args)?,
                args.seed,
            )?)));
        }
        if args.simulations.is_some()
            || args.net.is_some()
            || args.channels.is_some()
            || args.blocks.is_some()
        {
            bail!("--simulations, --net, --channels and --blocks are for --agent az");
        }
        let sight = Sight::new(game, !args.general, args.seed).map_err(plain)?;
        let recipe = recipe(args, &sight, game.as_ref())?;
        Ok(Trainee::Values(Box::new(Learner::new(game, sight, recipe, args.seed)?)))
    }

    fn open(game: &Arc<dyn Game>, path: &Path) -> Result<Self> {
        let name = path.display();
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
        let kind = AgentType::of(&bytes).with_context(|| format!("{name}"))?;
        Ok(match kind {
            AgentType::Values => {
                let file = AgentFile::from_bytes(&bytes).with_context(|| format!("{name}"))?;
                let learner = Learner::open(game, file).with_context(|| format!("{name}"))?;
                Trainee::Values(Box::new(learner))
            }
            AgentType::Network => {
                let file = AzFile::from_bytes(&bytes).with_context(|| format!("{name}"))?;
                let learner = AzLearner::open(game, file).with_context(|| format!("{name}"))?;
                Trainee::Network(Box::new(learner))
            }
        })
    }

    /// The numbers of games and of moves.
    fn counts(&self) -> (u64, u64) {
        match self {
            Trainee::Values(learner) => (learner.header().games, learner.header().moves),
            Trainee::Network(learner) => (learner.header().games, learner.header().moves),
        }
    }

    fn bytes(&self, resumable: bool) -> Vec<u8> {
        match self {
            Trainee::Values(learner) => learner.file().to_bytes(resumable),
            Trainee::Network(learner) => learner.file().to_bytes(resumable),
        }
    }

    fn train(
        &mut self,
        plan: &Plan,
        share: &(dyn Fn(&Progress) -> ControlFlow<(), f64> + Sync),
    ) -> Result<Progress> {
        Ok(match self {
            Trainee::Values(learner) => learner.train(plan, share)?,
            Trainee::Network(learner) => learner.train(plan, share)?,
        })
    }
}

/// The settings of a network, changed by the options.
fn network(args: &Train) -> Result<AzSettings> {
    let foreign = args.rule != RuleName::Td
        || !args.epsilon.is_empty()
        || args.lambda.is_some()
        || !args.walks.is_empty()
        || args.tuples.is_some()
        || args.initial.is_some()
        || args.hidden.is_some()
        || args.average.is_some()
        || args.sampled.is_some()
        || args.own_chain
        || args.steps.is_some()
        || args.general;
    if foreign {
        bail!(
            "--agent az has no --rule, --epsilon, --lambda, --walks, --tuples, --initial, \
             --hidden, --average, --sampled, --own-chain, --steps or --general"
        );
    }
    let mut settings = AzSettings::default();
    let form = args.net.map(|net| match net {
        NetForm::Conv => Form::Conv,
        NetForm::Mlp => Form::Mlp,
    });
    settings.size = Size { form, channels: args.channels, blocks: args.blocks };
    settings.simulations = args.simulations.unwrap_or(settings.simulations);
    match args.alpha[..] {
        [] => {}
        [alpha] => settings.alpha = (alpha, alpha),
        [first, last] => settings.alpha = (first, last),
        _ => bail!("--alpha takes one or two numbers"),
    }
    settings.random_start = args.random_start;
    settings.longest = args.longest.unwrap_or(settings.longest);
    settings.replay = args.replay.unwrap_or(settings.replay);
    if args.no_symmetries {
        settings.images = 1;
    }
    Ok(settings)
}

/// An error without the prefix of limits: a game that cannot be learned has reached none.
fn plain(error: TrainError) -> anyhow::Error {
    match error {
        TrainError::Halt(Halt::Limit(why)) => anyhow!("{why}"),
        other => other.into(),
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

/// The temporary file of an agent.
fn beside(out: &Path) -> PathBuf {
    let mut beside = out.to_owned().into_os_string();
    beside.push(".new");
    PathBuf::from(beside)
}

/// Checks that an agent can be written, without writing one that has learned nothing.
fn try_to_write(out: &Path) -> Result<()> {
    let name = out.display();
    if out.is_dir() {
        bail!("cannot write {name}: it is a directory");
    }
    let beside = beside(out);
    std::fs::write(&beside, [])
        .and_then(|()| std::fs::remove_file(&beside))
        .with_context(|| format!("cannot write {name}"))
}

/// Writes a temporary file first, so that an interruption leaves the old file intact.
fn save(learner: &Trainee, args: &Train) -> Result<()> {
    let bytes = learner.bytes(!args.slim);
    let name = args.out.display();
    let beside = beside(&args.out);
    std::fs::write(&beside, bytes)
        .and_then(|()| std::fs::rename(&beside, &args.out))
        .with_context(|| format!("cannot write {name}"))
}

/// The progress of a run after an earlier part, such as the time before a checkpoint. The driver
/// counts the moves of each part from 0.
fn after(earlier: u64, now: &Progress) -> Progress {
    Progress { moves: earlier + now.moves, ..*now }
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
        // Its settings are made elsewhere.
        AgentKind::Az => bail!("--agent az has settings of its own"),
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
    if args.average.is_some() && recipe.kind == Kind::Net {
        bail!("--average is for --agent ntuple and linear; a neural network has no mean");
    }
    settings.average = args.average.unwrap_or(settings.average);
    if args.sampled.is_some() && !matches!(sight.reading(), Reading::Cells(_)) {
        bail!(
            "--sampled is for games of perfect information without a fast version of their own: \
             leave it out, or add --general"
        );
    }
    if args.sampled.is_some() && args.rule == RuleName::Q {
        bail!("--rule q learns from the best of all moves: leave out --sampled");
    }
    settings.sampled = args.sampled.unwrap_or(settings.sampled);
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
    recipe.steps = match args.steps {
        None => recipe.steps,
        Some(StepsName::Plain) => Steps::Plain,
        Some(StepsName::Coherent) => Steps::Coherent,
        Some(StepsName::Exponential) => Steps::Exponential,
    };
    recipe.symmetric &= !args.no_symmetries;
    recipe.initial = args.initial.unwrap_or(recipe.initial);
    recipe.hidden = args.hidden.unwrap_or(recipe.hidden);
    Ok(match args.rule {
        RuleName::Td => recipe,
        RuleName::Sarsa => recipe.by(Rule::Sarsa),
        RuleName::Q => recipe.by(Rule::Q),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_before_a_checkpoint_count() {
        let now = Progress { games: 7, moves: 30, ..Progress::default() };
        let whole = after(100, &now);
        assert_eq!((whole.games, whole.moves), (7, 130));
    }
}
