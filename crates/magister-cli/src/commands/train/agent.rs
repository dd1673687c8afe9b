//! What is trained: a value function or a network, with its parameters.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};
use magister_core::{Game, Halt};
use magister_learn::az::{AzFile, AzLearner, AzSettings, Form, Size};
use magister_learn::cells::Observe;
use magister_learn::driver::{Chain, Plan, Progress};
use magister_learn::file::{Reading, Strength};
use magister_learn::recipe::{Kind, Recipe, Rule};
use magister_learn::tuples::TupleChoice;
use magister_learn::weights::Steps;
use magister_learn::{AgentFile, AgentType, Learner, Sight, TrainError};

use crate::args::{AgentKind, NetForm, ObserveName, RuleName, StepsName, Train};

/// What is trained.
pub(super) enum Trainee {
    Values(Box<Learner>),
    Network(Box<AzLearner>),
}

impl Trainee {
    /// Whether the weights at the end are a mean.
    pub(super) fn averages(&self) -> bool {
        match self {
            Trainee::Values(learner) => learner.header().recipe.settings.average > 0.0,
            Trainee::Network(_) => false,
        }
    }

    pub(super) fn new(game: &Arc<dyn Game>, args: &Train) -> Result<Self> {
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
        let sight = match args.observe {
            None => Sight::new(game, !args.general, args.seed),
            Some(part) => {
                let part = match part {
                    ObserveName::Board => Observe::Board,
                    ObserveName::Facts => Observe::Facts,
                    ObserveName::All => Observe::All,
                };
                Sight::observing(game, part, args.seed)
            }
        };
        let sight = sight.map_err(plain)?;
        let recipe = recipe(args, &sight, game.as_ref())?;
        Ok(Trainee::Values(Box::new(Learner::new(game, sight, recipe, args.seed)?)))
    }

    pub(super) fn open(game: &Arc<dyn Game>, path: &Path) -> Result<Self> {
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
    pub(super) fn counts(&self) -> (u64, u64) {
        match self {
            Trainee::Values(learner) => (learner.header().games, learner.header().moves),
            Trainee::Network(learner) => (learner.header().games, learner.header().moves),
        }
    }

    pub(super) fn bytes(&self, resumable: bool) -> Vec<u8> {
        match self {
            Trainee::Values(learner) => learner.file().to_bytes(resumable),
            Trainee::Network(learner) => learner.file().to_bytes(resumable),
        }
    }

    pub(super) fn train(
        &mut self,
        plan: &Plan,
        share: &(dyn Fn(&Progress) -> ControlFlow<(), f64> + Sync),
    ) -> Result<Progress> {
        Ok(match self {
            Trainee::Values(learner) => learner.train(plan, share)?,
            Trainee::Network(learner) => learner.train(plan, share)?,
        })
    }

    /// Notes the strength of the agent in its file.
    pub(super) fn note(&mut self, strengths: Vec<Strength>) {
        match self {
            Trainee::Values(learner) => learner.note(strengths),
            Trainee::Network(learner) => learner.note(strengths),
        }
    }

    /// The name of the player that uses the file.
    pub(super) fn player(&self) -> &'static str {
        match self {
            Trainee::Values(_) => AgentType::Values.player(),
            Trainee::Network(_) => AgentType::Network.player(),
        }
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
        || args.observe.is_some()
        || args.own_chain
        || args.steps.is_some()
        || args.general;
    if foreign {
        bail!(
            "--agent az has no --rule, --epsilon, --lambda, --walks, --tuples, --initial, \
             --hidden, --average, --sampled, --observe, --own-chain, --steps or --general"
        );
    }
    let mut settings = AzSettings::default();
    let form = args.net.map(|net| match net {
        NetForm::Conv => Form::Conv,
        NetForm::Mlp => Form::Mlp,
    });
    settings.size = Size { form, channels: args.channels, blocks: args.blocks, small: args.slim };
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
