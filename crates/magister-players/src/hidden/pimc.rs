//! Perfect-information Monte Carlo: lifts any player for perfect information to games with hidden
//! information.
//!
//! States are drawn by probability, and the inner player searches the determinization of each. The
//! value of a move is the mean of its values. The method is cheap, and strong if hidden information
//! is revealed during play, as in most card games. It never gathers information, because it assumes
//! that it will know the state (strategy fusion), and it does not hide any, because it assumes that
//! all others know the state too.

use std::sync::Arc;

use magister_core::{Agent, Budget, Clock, Decision, Halt, Move, Rng, View};
use magister_infoset::{Determinization, Keep};

use super::believer::{Believer, Method};
use super::{Mind, Scores};
use crate::registry::{Arguments, Made};

/// Perfect-information Monte Carlo. An iteration is one of the inner player.
pub(crate) struct Pimc {
    inner: Box<dyn Agent>,
    worlds: u32,
}

impl Pimc {
    pub(crate) fn make(settings: &Arguments) -> Made {
        let method = Pimc { inner: settings.player("inner")?, worlds: settings.whole("worlds")? };
        Believer::make(settings, Keep::States, method)
    }
}

/// A clock that ends when another clock has a given time left.
pub(crate) struct Until {
    pub(crate) clock: Budget,
    pub(crate) left: std::time::Duration,
}

impl Clock for Until {
    fn remaining(&self) -> Option<std::time::Duration> {
        self.clock.remaining().map(|left| left.saturating_sub(self.left))
    }
}

/// A share of the remaining budget.
pub(crate) fn share(budget: &mut Budget, parts: u32) -> Budget {
    let stop = budget.stop().clone();
    let part = match budget.left() {
        None => Budget::until(stop),
        Some(left) => {
            let part = (left / u64::from(parts)).max(1).min(left);
            budget.spend(part);
            Budget::iterations(part).with_stop(stop)
        }
    };
    match budget.remaining() {
        None => part,
        Some(all) => {
            let left = all.saturating_sub(all / parts);
            part.with_clock(Arc::new(Until { clock: budget.clone(), left }))
        }
    }
}

impl Method for Pimc {
    fn choose(
        &mut self,
        mind: &mut Mind,
        legal: &[Move],
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let (belief, _) = mind.parts()?;
        let (mut values, mut votes) = (Scores::new(legal), Scores::new(legal));
        let mut all_valued = true;
        let (mut iterations, mut asked) = (0, 0);
        // Without a limit for each world, the whole budget would be spent on the first one. If
        // there are few states, each is weighted by its probability.
        let all = belief.len() <= self.worlds as usize;
        let worlds = if all { belief.len() as u32 } else { self.worlds };
        while asked < worlds {
            let mut part = share(budget, worlds - asked);
            if part.remaining().is_some_and(|left| left.is_zero()) || part.left() == Some(0) {
                break;
            }
            let number = if all { asked as usize } else { belief.draw(rng) };
            let share = if all { belief.share(number) } else { 1.0 };
            asked += 1;
            let state = belief.state(number);
            let open = Determinization::view(belief.game(), state, view.role());
            let decision = match self.inner.decide(&open, &mut part, rng) {
                Ok(decision) => decision,
                Err(Halt::Stopped) => break,
                Err(halt) => return Err(halt),
            };
            iterations += decision.iterations.max(1);
            votes.add(decision.choice, 1.0, share);
            for &choice in legal {
                let thought = decision.thoughts.iter().find(|thought| thought.choice == choice);
                match thought.and_then(|thought| thought.value) {
                    Some(value) => values.add(choice, value, share),
                    None => all_valued = false,
                }
            }
            if part.left().is_none() && part.remaining().is_none() {
                break;
            }
        }
        // If the inner player does not evaluate all moves, its choices count as votes.
        Ok(if all_valued && asked > 0 {
            values.decide(iterations, rng)
        } else {
            votes.elected(iterations, rng)
        })
    }
}
