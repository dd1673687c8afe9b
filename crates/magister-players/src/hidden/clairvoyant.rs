//! The player that is shown the state: no honest one, but what others are compared with.

use magister_core::{Agent, Budget, Decision, Halt, Information, Rng, View};

use crate::registry::{Arguments, Made};

/// Plays a game that hides information as if it did not. Whoever runs the match shows it the true
/// state, and the record tells.
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
