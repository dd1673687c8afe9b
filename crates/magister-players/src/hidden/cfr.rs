//! Players that minimise regret: in the whole game, or on sampled histories.

use std::sync::Arc;

use magister_core::{Agent, Budget, Decision, Game, Halt, Move, Rng, Stop, Thought, View};
use magister_solve::{Cfr, Draws, ExtensiveForm, External, Outcome, Profile, SolveLimits, Variant};

use crate::combine::draw;
use crate::possible::Possible;
use crate::registry::{Arguments, Made};

/// The number of rounds between two computations of the best-response gains.
const OFTEN: u64 = 100;
/// The target for the sum of all players' best-response gains, as a share of the range of rewards.
const ENOUGH: f64 = 1e-5;
/// Moves with a smaller probability count as residue of the first rounds.
const RARE: f64 = 0.01;

/// The variant of regret minimisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Cfr,
    CfrPlus,
    External,
    Outcome,
}

/// Minimises regret and plays the average strategy.
pub(crate) struct Regret {
    name: String,
    method: Method,
    nodes: usize,
    bytes: usize,
    draws: Draws,
    game: Option<Arc<dyn Game>>,
    thinker: Option<Thinker>,
    turns: usize,
    possible: Possible,
}

enum Thinker {
    /// The whole game, and whether the target is reached.
    Whole { form: Arc<ExtensiveForm>, cfr: Box<Cfr>, done: bool },
    /// External sampling.
    Walks(Box<External>),
    /// Outcome sampling.
    Sampled(Box<Outcome>),
}

impl Regret {
    pub(crate) fn cfr(settings: &Arguments) -> Made {
        Self::make(settings, Method::Cfr)
    }

    pub(crate) fn cfr_plus(settings: &Arguments) -> Made {
        Self::make(settings, Method::CfrPlus)
    }

    pub(crate) fn mccfr(settings: &Arguments) -> Made {
        Self::make(settings, Method::External)
    }

    pub(crate) fn oos(settings: &Arguments) -> Made {
        Self::make(settings, Method::Outcome)
    }

    fn make(settings: &Arguments, method: Method) -> Made {
        let mut draws = Draws { target: 0.0, ..Draws::default() };
        if method == Method::Outcome {
            draws.target = settings.real("target")?;
            draws.explore = settings.real("explore")?;
        }
        Ok(Box::new(Regret {
            name: settings.text().to_owned(),
            method,
            nodes: if method == Method::Outcome { 0 } else { settings.whole("nodes")? as usize },
            bytes: (settings.whole("memory")? as usize) << 20,
            draws,
            game: None,
            thinker: None,
            turns: 0,
            possible: Possible::default(),
        }))
    }

    /// Starts with a new game, or continues with the current one.
    fn meet(&mut self, view: &View, stop: &Stop) {
        let game = view.game();
        if self.game.as_ref().is_none_or(|known| !Arc::ptr_eq(known, game)) {
            self.game = Some(Arc::clone(game));
            self.thinker = None;
        }
        if view.turns().len() != self.turns {
            self.turns = view.turns().len();
            if let Some(Thinker::Sampled(sampled)) = &mut self.thinker {
                sampled.retarget();
            }
        }
        if self.thinker.is_none() {
            self.thinker = Some(self.begin(&**game, stop));
        }
    }

    fn begin(&self, game: &dyn Game, stop: &Stop) -> Thinker {
        let variant = match self.method {
            Method::Cfr => Variant::Plain,
            Method::CfrPlus => Variant::Plus,
            Method::External => {
                return Thinker::Walks(Box::new(External::new(
                    game,
                    self.bytes,
                    self.nodes as u64,
                )));
            }
            Method::Outcome => return self.sampled(game, self.draws),
        };
        let limits = SolveLimits { nodes: self.nodes, bytes: self.bytes };
        match ExtensiveForm::new(game, &limits, stop) {
            Ok(form) => {
                let form = Arc::new(form);
                let cfr = Box::new(Cfr::new(Arc::clone(&form), variant));
                Thinker::Whole { form, cfr, done: false }
            }
            // A game that is too large as a whole is sampled around the current position.
            Err(_) => self.sampled(game, Draws::default()),
        }
    }

    fn sampled(&self, game: &dyn Game, draws: Draws) -> Thinker {
        Thinker::Sampled(Box::new(Outcome::new(game, self.bytes, draws)))
    }

    /// Thinks until the budget ends and returns the number of rounds.
    fn think(&mut self, view: &View, budget: &mut Budget, rng: &mut Rng) -> Result<u64, Halt> {
        let stop = budget.stop().clone();
        let mut rounds = 0;
        loop {
            match &mut self.thinker {
                Some(Thinker::Whole { done: true, .. }) | None => break,
                Some(Thinker::Whole { form, cfr, done }) => {
                    if !budget.spend(1) {
                        break;
                    }
                    cfr.round();
                    if cfr.rounds() % OFTEN == 0 {
                        let (low, high) = form.range();
                        let gain: f64 = form.gains(&cfr.average()).iter().sum();
                        *done = gain <= ENOUGH * (high - low);
                    }
                }
                Some(Thinker::Walks(walks)) => {
                    if !budget.spend(1) {
                        break;
                    }
                    if !walks.round(rng, &stop)? {
                        let draws = Draws { target: 0.0, ..Draws::default() };
                        self.thinker = Some(self.sampled(&**view.game(), draws));
                    }
                }
                Some(Thinker::Sampled(sampled)) => {
                    if !budget.spend(1) {
                        break;
                    }
                    sampled.round(view.role(), view.turns(), rng, &stop)?;
                }
            }
            rounds += 1;
        }
        Ok(rounds)
    }

    /// The probability of each move, and its value if known.
    fn mixture(&self, view: &View) -> Option<Vec<Thought>> {
        let (role, turns) = (view.role(), view.turns());
        let thought = |(choice, likely): (Move, f64)| Thought {
            choice,
            value: None,
            visits: 0,
            proven: false,
            probability: Some(likely),
        };
        match self.thinker.as_ref()? {
            Thinker::Walks(walks) => {
                Some(walks.average(role, turns)?.into_iter().map(thought).collect())
            }
            Thinker::Sampled(sampled) => {
                Some(sampled.average(role, turns)?.into_iter().map(thought).collect())
            }
            Thinker::Whole { form, cfr, .. } => {
                let (player, set) = form.find(role, turns)?;
                let average = tidied(form, cfr.average());
                let (_, values) = form.report(player, &average).swap_remove(set);
                let shares = average.mixture(form, player, set);
                let moves = form.moves(player, set).into_iter().zip(shares).zip(values);
                let one = |((choice, &likely), value): ((Move, &f64), f64)| Thought {
                    value: value.is_finite().then_some(value),
                    ..thought((choice, likely))
                };
                Some(moves.map(one).collect())
            }
        }
    }
}

/// The average strategy without the residue of the first rounds, if no player can then gain by
/// deviating.
fn tidied(form: &ExtensiveForm, average: Profile) -> Profile {
    let (low, high) = form.range();
    let gain = |profile: &Profile| form.gains(profile).iter().sum::<f64>();
    let tidy = average.without(form, RARE);
    if gain(&tidy) <= gain(&average).max(ENOUGH * (high - low)) { tidy } else { average }
}

impl Agent for Regret {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn nested(&self) -> bool {
        true
    }

    fn prepare(&mut self, view: &View, stop: &Stop) -> Result<(), Halt> {
        self.meet(view, stop);
        self.possible.prepare(view, stop)
    }

    fn ready(&mut self, view: &View, budget: &mut Budget, rng: &mut Rng) -> Result<(), Halt> {
        self.meet(view, budget.stop());
        self.think(view, budget, rng).map(|_| ())
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let (legal, known) = self.possible.moves(view, budget, rng)?;
        if legal.len() < 2 && known {
            return Ok(legal.first().copied().unwrap_or(Move::IDLE).into());
        }
        // When the time is up, the strategy so far is played.
        self.meet(view, budget.stop());
        let rounds = match self.think(view, budget, rng) {
            Ok(rounds) => rounds,
            Err(Halt::Stopped) => 0,
            Err(halt) => return Err(halt),
        };
        // If the legal moves are only a guess, those of the strategy are more reliable.
        let fits = |thoughts: &Vec<Thought>| {
            !known || thoughts.iter().all(|thought| legal.contains(&thought.choice))
        };
        let Some(mut thoughts) = self.mixture(view).filter(fits) else {
            let choice = match legal[..] {
                [] => Move::IDLE,
                _ => legal[rng.below(legal.len() as u64) as usize],
            };
            return Ok(Decision { iterations: rounds, ..choice.into() });
        };
        let moves: Vec<Move> = thoughts.iter().map(|thought| thought.choice).collect();
        let shares: Vec<f64> =
            thoughts.iter().map(|thought| thought.probability.unwrap_or(0.0)).collect();
        let choice = draw(&moves, &shares, rng);
        for thought in &mut thoughts {
            thought.visits = (thought.probability.unwrap_or(0.0) * rounds as f64) as u64;
        }
        Ok(Decision { thoughts, iterations: rounds, ..choice.into() })
    }
}
