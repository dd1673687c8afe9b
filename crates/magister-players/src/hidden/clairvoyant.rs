//! The player that is shown the state: no honest one, but what others are compared with.

use magister_core::{Agent, Budget, Decision, Halt, Information, Rng, View};

use super::INNER;
use crate::{Settings, Spec};

/// Plays a game that hides information as if it did not. Whoever runs the match shows it the true
/// state, and the record tells.
pub(crate) struct Clairvoyant {
    name: String,
    inner: Box<dyn Agent>,
}

impl Clairvoyant {
    pub(crate) fn make(settings: &Settings) -> Box<dyn Agent> {
        let name = INNER.get(settings.whole("inner") as usize).copied().unwrap_or("uct");
        let inner = name
            .parse::<Spec>()
            .map_or_else(|_| crate::simple::Simple::random(settings), |spec| spec.make());
        Box::new(Clairvoyant { name: settings.text().to_owned(), inner })
    }
}

impl Agent for Clairvoyant {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn clairvoyant(&self) -> bool {
        true
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
