//! Information-set Monte Carlo tree search, with one observer or several.
//!
//! P. Cowling, E. Powley, D. Whitehouse, "Information Set Monte Carlo Tree Search", IEEE TCIAIG
//! 4(2), 2012. With one observer (`so-ismcts`) the tree contains the observations of the player's
//! own role. With several (`mo-ismcts`) every role decides by its own observations. For one role
//! against chance this is the action-observation tree (`ao-tree`) of a POMDP: gathering information
//! has its true value.
//!
//! If all descents start in the player's own information set, the simulated opponents learn its
//! private information, because they never encounter any other case. Therefore `mo-ismcts` widens
//! its root: some descents start in a history that another role still considers possible, and each
//! descent updates only the role whose information set it started in.

use std::sync::Arc;

use magister_core::{Budget, Decision, Game, Halt, Move, Rng, Role, Thought, View, Worker};
use magister_infoset::{Belief, InfosetLimits, Keep, Settings as BeliefSettings, ViewId};
use rustc_hash::FxHashMap;

use super::Mind;
use super::believer::{Believer, Method};
use super::tree::{Arm, Forest, Observer};
use crate::registry::{Arguments, Made};

/// The limits for the information set of another role.
const OTHERS: InfosetLimits = InfosetLimits { states: 2_000, steps: 20_000 };
const OTHERS_PARTICLES: usize = 100;
const OTHERS_HISTORIES: usize = 200;
/// The number of cached information sets of other roles, and the number of new ones per decision
/// without a clock.
const REMEMBERED: usize = 500;
const LOOKED_FOR: u32 = 100;

/// Where descents start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    /// In the player's own information set.
    Own,
    /// In any history that some role may consider possible.
    Widened,
    /// In the initial state of the game.
    Start,
}

/// Search in trees of observations. An iteration is a descent.
pub(crate) struct Ismcts {
    single: bool,
    root: Root,
    c: f64,
    memory: usize,
    forest: Option<Forest>,
    others: Others,
}

impl Ismcts {
    /// One observer.
    pub(crate) fn single(settings: &Arguments) -> Made {
        Self::make(settings, true, Root::Own)
    }

    /// Several observers.
    pub(crate) fn multiple(settings: &Arguments) -> Made {
        let root = match settings.choice("root")? {
            0 => Root::Widened,
            1 => Root::Own,
            _ => Root::Start,
        };
        Self::make(settings, false, root)
    }

    /// For one role against chance.
    pub(crate) fn alone(settings: &Arguments) -> Made {
        Self::make(settings, false, Root::Own)
    }

    fn make(settings: &Arguments, single: bool, root: Root) -> Made {
        let method = Ismcts {
            single,
            root,
            c: settings.real("c")?,
            memory: (settings.whole("memory")? as usize) << 20,
            forest: None,
            others: Others::default(),
        };
        // A single observer needs only its own information state, which is that of all samples.
        Believer::make(settings, if single { Keep::States } else { Keep::Views }, method)
    }
}

impl Method for Ismcts {
    fn nested(&self) -> bool {
        // If all descents start in the information set of this role, the others know it too.
        !self.single && self.root != Root::Own
    }

    fn choose(
        &mut self,
        mind: &mut Mind,
        legal: &[Move],
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let (game, me) = (view.game(), view.role());
        let known = self
            .forest
            .take()
            .filter(|forest| Arc::ptr_eq(forest.game(), game) && forest.bytes() < self.memory / 2);
        let observer = if self.single { Observer::Single(me) } else { Observer::Multiple };
        let forest =
            self.forest.insert(known.unwrap_or_else(|| Forest::new(game, observer, self.c)));
        let root = forest.views.root(me);
        let root = view.turns().iter().fold(root, |at, turn| forest.views.push(at, turn));
        self.others.begin(game, budget);
        let (belief, worker) = mind.parts()?;
        let mut histories = Histories::default();
        let mut iterations = 0;
        let beginning = if self.root == Root::Start { beginning(game) } else { Vec::new() };
        while budget.spend(1) {
            if forest.bytes() > self.memory {
                break;
            }
            let made = match self.root {
                Root::Start => {
                    let mut lived: Vec<ViewId> =
                        game.info().all_roles().map(|role| forest.views.root(role)).collect();
                    forest.iterate(worker, &beginning, &mut lived, None, budget, rng)
                }
                Root::Own => {
                    let number = belief.draw(rng);
                    let mut lived = if self.single {
                        let mut lived: Vec<ViewId> =
                            game.info().all_roles().map(|role| forest.views.root(role)).collect();
                        lived[me.index()] = root;
                        lived
                    } else {
                        histories.of(belief, number, forest)
                    };
                    let state = belief.state(number);
                    forest.iterate(worker, state, &mut lived, None, budget, rng)
                }
                Root::Widened => {
                    let number = belief.draw(rng);
                    let mut lived = histories.of(belief, number, forest);
                    let mut start = (belief.state(number).to_vec(), me);
                    // Half of the descents start in the player's own information set.
                    while rng.below(2) == 0 {
                        match self.others.draw(&start, &lived, forest, budget, rng) {
                            Ok(Some((state, role, views))) => {
                                start = (state, role);
                                lived = views;
                            }
                            // An information set that cannot be computed in time is skipped.
                            Ok(None) | Err(_) => break,
                        }
                    }
                    let (state, learner) = start;
                    forest.iterate(worker, &state, &mut lived, Some(learner), budget, rng)
                }
            };
            match made {
                Ok(()) => iterations += 1,
                // If the rules fail in a later position, the player still has to move here.
                Err(_) => break,
            }
        }
        Ok(chosen(forest.arms(root, me), legal, iterations, rng))
    }
}

/// The initial state of a game.
fn beginning(game: &Arc<dyn Game>) -> Vec<u64> {
    let mut worker = game.worker();
    worker.reset();
    let mut state = Vec::new();
    worker.save(&mut state);
    state
}

/// The most visited move.
fn chosen(arms: &[Arm], legal: &[Move], iterations: u64, rng: &mut Rng) -> Decision {
    let known = || arms.iter().filter(|arm| arm.visits > 0 && legal.contains(&arm.choice));
    let mean = |arm: &Arm| arm.sum / f64::from(arm.visits);
    let best = known().max_by(|a, b| a.visits.cmp(&b.visits).then(mean(a).total_cmp(&mean(b))));
    let fallback = legal[rng.below(legal.len() as u64) as usize];
    let thoughts = known()
        .map(|arm| Thought { visits: u64::from(arm.visits), ..Thought::new(arm.choice, mean(arm)) })
        .collect();
    Decision { thoughts, iterations, ..best.map_or(fallback, |arm| arm.choice).into() }
}

/// Maps the information states of a belief to those of a forest.
#[derive(Default)]
struct Histories {
    names: FxHashMap<(Role, ViewId), ViewId>,
}

impl Histories {
    fn of(&mut self, belief: &Belief, number: usize, forest: &mut Forest) -> Vec<ViewId> {
        let game = Arc::clone(forest.game());
        let roles = game.info().all_roles();
        let theirs = belief.views_of(number);
        let mut lived = Vec::with_capacity(theirs.len());
        for (role, view) in roles.zip(theirs) {
            let name = *self.names.entry((role, view)).or_insert_with(|| {
                let turns = belief.views().map(|views| views.turns(view)).unwrap_or_default();
                let root = forest.views.root(role);
                turns.iter().fold(root, |at, turn| forest.views.push(at, turn))
            });
            lived.push(name);
        }
        lived
    }
}

/// The start of a descent: a state, the role that is updated, and the information states of all
/// roles.
type Start = (Vec<u64>, Role, Vec<ViewId>);

/// Histories that a role considers possible, drawn by probability: states with the information
/// states of all roles.
struct Possible {
    histories: Vec<(Vec<u64>, Vec<ViewId>)>,
}

impl Possible {
    fn of(belief: &Belief, forest: &mut Forest, rng: &mut Rng) -> Self {
        let mut histories = Histories::default();
        let mut history = || {
            let number = belief.draw(rng);
            (belief.state(number).to_vec(), histories.of(belief, number, forest))
        };
        Possible { histories: (0..OTHERS_HISTORIES).map(|_| history()).collect() }
    }
}

/// The information sets of other roles, by information state.
#[derive(Default)]
struct Others {
    game: Option<Arc<dyn Game>>,
    beliefs: FxHashMap<(Role, ViewId), Option<Possible>>,
    worker: Option<Box<dyn Worker>>,
    /// The time that must remain for a new information set, and the maximum number of new ones
    /// without a clock.
    until: Option<std::time::Duration>,
    left: u32,
}

impl Others {
    fn begin(&mut self, game: &Arc<dyn Game>, budget: &Budget) {
        let same = self.game.as_ref().is_some_and(|known| Arc::ptr_eq(known, game));
        if !same || self.beliefs.len() > REMEMBERED {
            self.beliefs.clear();
        }
        if !same {
            self.worker = None;
        }
        self.game = Some(Arc::clone(game));
        self.until = budget.remaining().map(|left| left / 2);
        self.left = LOOKED_FOR;
    }

    /// A history that another role considers possible, given the information state of that role;
    /// `None` if it cannot be computed.
    fn draw(
        &mut self,
        (_, learner): &(Vec<u64>, Role),
        lived: &[ViewId],
        forest: &mut Forest,
        budget: &Budget,
        rng: &mut Rng,
    ) -> Result<Option<Start>, Halt> {
        let game = Arc::clone(forest.game());
        let others: Vec<Role> = game.info().players().filter(|role| role != learner).collect();
        if others.is_empty() {
            return Ok(None);
        }
        let role = others[rng.below(others.len() as u64) as usize];
        let view = lived[role.index()];
        if !self.beliefs.contains_key(&(role, view)) {
            let late = match (self.until, budget.remaining()) {
                (Some(until), Some(left)) => left < until,
                _ => self.left == 0,
            };
            if late {
                return Ok(None);
            }
            self.left -= 1;
            let settings = BeliefSettings {
                limits: OTHERS,
                particles: OTHERS_PARTICLES,
                keep: Keep::Views,
                ..BeliefSettings::default()
            };
            let turns = forest.views.turns(view);
            let worker = self.worker.take().unwrap_or_else(|| game.worker());
            let stop = budget.stop();
            let mut belief = Belief::with_worker(Arc::clone(&game), worker, role, settings, stop)?;
            let found = belief.follow(&turns, budget, rng);
            let found = found.map(|()| Possible::of(&belief, forest, rng));
            self.worker = Some(belief.into_worker());
            let found = match found {
                Ok(possible) => Some(possible),
                Err(Halt::Stopped) => return Err(Halt::Stopped),
                Err(_) => None,
            };
            self.beliefs.insert((role, view), found);
        }
        let Some(Some(possible)) = self.beliefs.get(&(role, view)) else { return Ok(None) };
        let (state, views) =
            &possible.histories[rng.below(possible.histories.len() as u64) as usize];
        Ok(Some((state.clone(), role, views.clone())))
    }
}
