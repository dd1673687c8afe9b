//! What is true while a player is asked, and who is asked.

use std::sync::{Arc, Mutex, PoisonError};

use magister_core::{
    Agent, Budget, Decision, Halt, Information, PlayerSource as _, Rng, Role, Seed, View,
};
use magister_infoset::Determinization;
use magister_players::Spec;

/// What a player must not know, written down before every question.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// The words of the true state.
    pub state: Vec<u64>,
    /// What the moves of chance are drawn from, if it is known; in a twin that was made up, what
    /// they are drawn from in future.
    pub chance: Option<Seed>,
}

/// The truth, shared between the audit and a player that was planted to see whether the audit
/// notices. Honest players are never given it.
#[derive(Clone, Debug, Default)]
pub struct World(Arc<Mutex<Truth>>);

impl World {
    /// What is true now.
    pub fn look(&self) -> Truth {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set(&self, state: &[u64], chance: Option<Seed>) {
        let mut truth = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.clone_into(&mut truth.state);
        truth.chance = chance;
    }
}

/// Makes the player that is audited. It is made anew for every match, and for every role.
pub type Suspect = Arc<dyn Fn(&World) -> Box<dyn Agent> + Send + Sync>;

/// A player of the list as a suspect: it is given nothing but what players are given.
/// Only one that says that it is clairvoyant is shown the state, as it is in matches.
pub fn suspect(spec: &Spec) -> Suspect {
    let spec = spec.clone();
    Arc::new(move |world| {
        if !spec.capabilities().clairvoyant {
            return spec.agent();
        }
        Box::new(Shown { agent: spec.agent(), world: world.clone() })
    })
}

/// A clairvoyant player, which is shown the state.
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

/// How the seeds of a match are made of its one seed.
#[derive(Clone, Copy, Debug)]
pub struct Seeds {
    /// The seed of chance, from which that of each step is derived.
    pub chance: fn(&Seed) -> Seed,
    /// The seed of the player of a role, from which that of each turn is derived.
    pub agent: fn(&Seed, Role) -> Seed,
}

impl Default for Seeds {
    /// As the referee and the contest make them.
    fn default() -> Self {
        Seeds {
            chance: |seed| seed.derive("chance"),
            agent: |seed, role| seed.derive("agent").derive_index(u64::from(role.0)),
        }
    }
}
