//! A player that sees the true state: not an honest player, but a yardstick for others.

use std::sync::Arc;
use std::time::Duration;

use magister_core::{Agent, Budget, Decision, Halt, Information, Rng, View};

use super::pimc::Until;
use crate::registry::{Arguments, Made};

/// Plays a game with hidden information as if it had perfect information. The match runner reveals
/// the true state to it, and the match record reports this.
pub(crate) struct Clairvoyant {
    name: String,
    inner: Box<dyn Agent>,
    /// The number of iterations per move, whatever the limit of the match is; 0 means that limit.
    most: u32,
}

impl Clairvoyant {
    pub(crate) fn make(settings: &Arguments) -> Made {
        let (name, inner) = (settings.text().to_owned(), settings.player("inner")?);
        Ok(Box::new(Clairvoyant { name, inner, most: settings.whole("most")? }))
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
        if self.most == 0 {
            return self.inner.decide(view, budget, rng);
        }
        // A reference must be equally strong in matches with different limits. Only the clock counts.
        let clock = Until { clock: budget.clone(), left: Duration::ZERO };
        let own = Budget::iterations(self.most.into()).with_stop(budget.stop().clone());
        let mut own = own.with_clock(Arc::new(clock));
        self.inner.decide(view, &mut own, rng)
    }
}
