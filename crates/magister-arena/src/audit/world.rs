//! The true state during a question, and the suspects.

use std::sync::{Arc, Mutex, PoisonError};

use magister_core::{
    Agent, Budget, Decision, Halt, Information, PlayerSource as _, Rng, Role, Seed, View,
};
use magister_infoset::Determinization;
use magister_players::Spec;

/// The hidden information of a match, stored before every question.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// The words of the true state.
    pub state: Vec<u64>,
    /// The seed of chance, if known; in a constructed twin, the seed of its future moves.
    pub chance: Option<Seed>,
}

/// The truth, shared between the audit and a planted cheater. Honest players never get it.
#[derive(Clone, Debug, Default)]
pub struct World(Arc<Mutex<Truth>>);

impl World {
    /// The current truth.
    pub fn look(&self) -> Truth {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set(&self, state: &[u64], chance: Option<Seed>) {
        let mut truth = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.clone_into(&mut truth.state);
        truth.chance = chance;
    }
}

/// Creates a new audited player for every match and every role.
pub type Suspect = Arc<dyn Fn(&World) -> Box<dyn Agent> + Send + Sync>;

/// A player of the registry as a suspect. As in matches, only a player that declares itself
/// clairvoyant sees the state.
pub fn suspect(spec: &Spec) -> Suspect {
    let spec = spec.clone();
    Arc::new(move |world| {
        if !spec.capabilities().clairvoyant {
            return spec.agent();
        }
        Box::new(Shown { agent: spec.agent(), world: world.clone() })
    })
}

/// A clairvoyant player, which sees the state.
struct Shown {
    agent: Box<dyn Agent>,
    world: World,
}

impl Agent for Shown {
    fn name(&self) -> String {
        self.agent.name()
    }

    fn nested(&self) -> bool {
        self.agent.nested()
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        if view.game().info().information == Information::Perfect {
            return self.agent.decide(view, budget, rng);
        }
        let opened = Determinization::view(view.game(), &self.world.look().state, view.role());
        self.agent.decide(&opened, budget, rng)
    }
}

/// How the seeds of a match are derived from its seed.
#[derive(Clone, Copy, Debug)]
pub struct Seeds {
    /// The seed of chance, from which that of each step is derived.
    pub chance: fn(&Seed) -> Seed,
    /// The seed of the player of a role, from which that of each turn is derived.
    pub agent: fn(&Seed, Role) -> Seed,
}

impl Default for Seeds {
    /// The derivations of the referee and the contest.
    fn default() -> Self {
        Seeds {
            chance: |seed| seed.derive("chance"),
            agent: |seed, role| seed.derive("agent").derive_index(u64::from(role.0)),
        }
    }
}
