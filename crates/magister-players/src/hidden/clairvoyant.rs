//! A player that sees the true state: not an honest player, but a yardstick for others.

use magister_core::{Agent, Budget, Decision, Halt, Information, Rng, View};

use crate::registry::{Arguments, Made};

/// Plays a game that hides information as if it had perfect information. The match runner reveals
/// the true state to it, and the match record reports that.
pub(crate) struct Clairvoyant {
    name: String,
    inner: Box<dyn Agent>,
}

impl Clairvoyant {
    pub(crate) fn make(settings: &Arguments) -> Made {
        let (name, inner) = (settings.text().to_owned(), settings.player("inner")?);
        Ok(Box::new(Clairvoyant { name, inner }))
    }
}

impl Agent for Clairvoyant {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        if view.game().info().information == Information::Hidden {
            return Err(Halt::Hidden);
        }
        self.inner.decide(view, budget, rng)
    }
}
