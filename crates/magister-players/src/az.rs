//! A player with a learned policy-and-value network.

use std::sync::Arc;

use magister_core::{
    Agent, Budget, Decision, Evaluate, Game, Halt, Move, Rng, SourceError, Stop, View,
};
use magister_learn::az::{AzFile, AzLearner, AzSearch, NetEvaluator};

use crate::follow::{Follower, Standing};
use crate::learned::read;
use crate::registry::{Arguments, Made};

/// The default exploration constant.
pub(crate) const C: f32 = 1.25;

/// Searches with the network, or plays the most likely move of its policy.
pub(crate) struct Az {
    name: String,
    file: Arc<AzFile>,
    c: f32,
    batch: usize,
    memory: usize,
    searches: bool,
    follower: Follower,
    game: Option<Playing>,
}

/// The network in a game.
struct Playing {
    game: Arc<dyn Game>,
    search: AzSearch,
    evaluator: NetEvaluator,
}

pub(crate) fn make(settings: &Arguments) -> Made {
    let Some(path) = settings.file("file")? else {
        return Err(SourceError::Failed(
            "it needs a learned agent. Write az:file=FILE; `magister train --agent az` makes one"
                .to_owned(),
        ));
    };
    let file = AzFile::from_bytes(&read(path)?)
        .map_err(|error| SourceError::Failed(format!("{}: {error}", path.display())))?;
    // Moments are for training only.
    let file = Arc::new(AzFile { moments: None, ..file });
    Ok(Box::new(Az {
        c: settings.real("c")? as f32,
        batch: settings.whole("batch")? as usize,
        searches: settings.flag("search")?,
        ..Az::new(settings.text(), file, settings.whole("memory")? as usize)
    }))
}

impl Az {
    /// A player with the usual settings, and a memory limit in MiB.
    pub(crate) fn new(name: &str, file: Arc<AzFile>, memory: usize) -> Self {
        Az {
            name: name.to_owned(),
            file,
            c: C,
            batch: 0,
            memory: memory << 20,
            searches: true,
            follower: Follower::new(),
            game: None,
        }
    }

    fn playing(&mut self, game: &Arc<dyn Game>) -> Result<&mut Playing, Halt> {
        if !self.game.as_ref().is_some_and(|now| Arc::ptr_eq(&now.game, game)) {
            if game.info().information == magister_core::Information::Hidden {
                return Err(Halt::Hidden);
            }
            let learner = AzLearner::open(game, (*self.file).clone())
                .map_err(|error| Halt::Limit(error.to_string()))?;
            self.game = Some(Playing {
                game: Arc::clone(game),
                search: learner.search(self.c, self.batch, self.memory),
                evaluator: learner.evaluator(),
            });
        }
        self.game.as_mut().ok_or(Halt::BadState)
    }
}

impl Agent for Az {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn prepare(&mut self, view: &View, _stop: &Stop) -> Result<(), Halt> {
        self.playing(view.game()).map(drop)
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        self.playing(view.game())?;
        let (legal, state) = match self.follower.standing(view, budget.stop())? {
            Standing::Settled(decision) => return Ok(decision),
            Standing::Open { legal, state, .. } => (legal, state),
        };
        let searches = self.searches;
        let playing = self.playing(view.game())?;
        // One iteration evaluates the position itself.
        let iterations = if searches {
            playing.search.run(&state, budget, rng)?
        } else {
            let mut one = budget.part(Some(1));
            playing.search.run(&state, &mut one, rng)?
        };
        let role = view.role();
        let random = |rng: &mut Rng| legal[rng.below(legal.len() as u64) as usize];
        let best = playing.search.best(role).filter(|choice: &Move| legal.contains(choice));
        let choice = best.unwrap_or_else(|| random(rng));
        let thoughts = playing.search.thoughts(role);
        Ok(Decision { thoughts, iterations, ..choice.into() })
    }

    fn value_until(&mut self, view: &View, stop: &Stop) -> Option<Vec<f64>> {
        self.playing(view.game()).ok()?;
        let worker = self.follower.follow(view, stop).ok()?;
        if worker.terminal() {
            return None;
        }
        let mut state = Vec::new();
        worker.save(&mut state);
        let info = view.game().info();
        let mut positions = magister_core::Positions::new(info.roles.len(), view.role());
        positions.push(&state, []);
        let mut answers = magister_core::Evaluations::default();
        answers.reset(&positions, 0.0);
        let playing = self.playing(view.game()).ok()?;
        playing.evaluator.evaluate(&positions, &mut answers, stop).ok()?;
        Some(answers.values(0).to_vec())
    }

    fn value(&mut self, view: &View) -> Option<Vec<f64>> {
        self.value_until(view, &Stop::never())
    }

    fn evaluator(&mut self, game: &Arc<dyn Game>) -> Option<&mut dyn Evaluate> {
        let playing = self.playing(game).ok()?;
        Some(&mut playing.evaluator)
    }
}
