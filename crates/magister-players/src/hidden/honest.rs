//! The default player for games with hidden information: it chooses the method that suits the game.
//!
//! | game | method |
//! |---|---|
//! | perfect information | `uct` |
//! | one role, perhaps against chance | `ao-tree` |
//! | two-player constant-sum, small enough to be solved | `cfr+` |
//! | several roles, with a sampler of its own, such as a card game | `paired` |
//! | several roles, short | `hyperplay2` |
//! | several roles, long | `mo-ismcts`, with its root widened |
//!
//! Random playouts determine whether a game is short: simulations in which every role thinks are
//! worth their cost only if enough of them are possible. In a card game, every deal gives the other
//! roles different information states, so the nodes of their trees would hardly ever be visited
//! twice.

use magister_core::{
    Agent, Budget, Decision, Halt, Information, Move, Rng, Seed, SourceError, Step, Stop, View,
    draw,
};

use crate::Spec;
use crate::registry::{Arguments, Made};
use crate::simple::Absent;

/// The number of playouts to examine a game, and their maximum length.
const PLAYOUTS: u64 = 20;
const STEPS: u32 = 200;
/// The maximum number of nodes of a game that is solved as a whole, and the number per millisecond
/// of the budget.
const NODES: usize = 20_000;
const A_MILLISECOND: usize = 20;
/// A game with fewer decisions than this is short.
const SHORT: f64 = 8.0;

/// Chooses the method that suits the game. An iteration is one of that method.
pub(crate) struct Honest {
    name: String,
    /// The hash of the examined rules, and the chosen player.
    chosen: Option<(String, Box<dyn Agent>)>,
}

impl Honest {
    #[expect(
        clippy::unnecessary_wraps,
        reason = "all constructors in the list have the same signature"
    )]
    pub(crate) fn make(settings: &Arguments) -> Made {
        Ok(Box::new(Honest { name: settings.text().to_owned(), chosen: None }))
    }

    /// The player for a game.
    fn agent(&mut self, view: &View, budget: &Budget, rng: &mut Rng) -> &mut dyn Agent {
        let rules = &view.game().info().rules_hash;
        let known = self.chosen.take().filter(|(known, _)| known == rules);
        let (_, agent) = self.chosen.insert(known.unwrap_or_else(|| {
            let name = method(view, budget, rng);
            let agent: Box<dyn Agent> = match name.parse::<Spec>() {
                Ok(spec) => spec.agent(),
                Err(error) => Box::new(Absent(SourceError::Failed(error.to_string()))),
            };
            (rules.clone(), agent)
        }));
        &mut **agent
    }
}

impl Agent for Honest {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn nested(&self) -> bool {
        true
    }

    fn prepare(&mut self, view: &View, stop: &Stop) -> Result<(), Halt> {
        let mut rng = Seed::from(0).derive("prepare").rng();
        self.agent(view, &Budget::until(stop.clone()), &mut rng).prepare(view, stop)
    }

    fn ready(&mut self, view: &View, budget: &mut Budget, rng: &mut Rng) -> Result<(), Halt> {
        self.agent(view, budget, rng).ready(view, budget, rng)
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        self.agent(view, budget, rng).decide(view, budget, rng)
    }

    fn value(&mut self, view: &View) -> Option<Vec<f64>> {
        let (_, agent) = self.chosen.as_mut()?;
        agent.value(view)
    }
}

/// The method for a game.
fn method(view: &View, budget: &Budget, rng: &mut Rng) -> &'static str {
    let info = view.game().info();
    if info.information == Information::Perfect {
        return "uct";
    }
    if info.players().count() == 1 {
        return "ao-tree";
    }
    match decisions(view, budget, rng) {
        Ok(decisions) if decisions < SHORT && is_small(view, budget) => "cfr+",
        _ if view.game().worlds(view.role()).is_some() => "paired",
        Ok(decisions) if decisions < SHORT => "hyperplay2",
        _ => "mo-ismcts",
    }
}

/// Whether the game is two-player constant-sum and can be solved as a whole with a small part of
/// the budget.
fn is_small(view: &View, budget: &Budget) -> bool {
    let time = budget.remaining().map_or(NODES, |left| left.as_millis() as usize * A_MILLISECOND);
    let limits = magister_solve::SolveLimits { nodes: time.min(NODES), bytes: 64 << 20 };
    view.game().info().players().count() == 2
        && magister_solve::ExtensiveForm::new(&**view.game(), &limits, budget.stop())
            .is_ok_and(|form| form.constant_sum().is_some())
}

/// The mean number of decisions in a random playout.
fn decisions(view: &View, budget: &Budget, rng: &mut Rng) -> Result<f64, Halt> {
    let mut worker = view.game().worker();
    let (mut step, mut joint) = (Step::new(), Vec::new());
    let all = budget.remaining();
    let (mut count, mut playouts) = (0_u64, 0_u64);
    while playouts < PLAYOUTS {
        if all.zip(budget.remaining()).is_some_and(|(all, left)| left < all.mul_f64(0.9)) {
            break;
        }
        worker.reset();
        for _ in 0..STEPS {
            if worker.terminal() {
                break;
            }
            joint.clear();
            for role in worker.info().all_roles() {
                let legal = worker.legal(role);
                let chance = worker.info().chance == Some(role);
                count += u64::from(legal.len() > 1 && !chance);
                let weights = if chance { worker.weights() } else { &[] };
                joint.push(draw(legal, weights, rng).unwrap_or(Move::IDLE));
            }
            worker.step(&joint, &mut step, budget.stop())?;
        }
        playouts += 1;
    }
    Ok(if playouts == 0 { f64::INFINITY } else { count as f64 / playouts as f64 })
}
