//! The parameters of learning by self-play with a policy-and-value network.

use serde::{Deserialize, Serialize};

use super::shape::Size;

/// The parameters of a training run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct AzSettings {
    /// The size of the network.
    pub size: Size,
    /// The number of simulations for each move of self-play.
    pub simulations: usize,
    /// The exploration constant below the root.
    pub c: f32,
    /// The number of games that are played at the same time.
    pub games: usize,
    /// The share of games that begin with random moves.
    pub random_games: f32,
    /// The largest number of random moves at the start of such a game; `None` for half the length
    /// of a random game.
    pub random_start: Option<u32>,
    /// The number of decisions after which a game is cut off and its result estimated.
    pub longest: u32,
    /// The weight of the result of the game in the target of the value; the rest is the value of
    /// the search.
    pub result: f32,
    /// The number of positions in the replay buffer.
    pub replay: usize,
    /// How often a position is learned from, on average.
    pub repeats: f32,
    /// The number of positions of a training step.
    pub batch: usize,
    /// The step size at the start and at the end; it decays geometrically.
    pub alpha: (f32, f32),
    /// The weight decay.
    pub decay: f32,
    /// The weight of the error of the value.
    pub value_weight: f32,
    /// The most images of a game under its symmetries that are learned from.
    pub images: usize,
}

impl Default for AzSettings {
    fn default() -> Self {
        AzSettings {
            size: Size::default(),
            simulations: 32,
            c: 1.25,
            games: 128,
            random_games: 0.5,
            random_start: None,
            longest: 1_000,
            result: 0.5,
            replay: 200_000,
            repeats: 4.0,
            batch: 256,
            alpha: (2e-3, 2e-4),
            decay: 1e-4,
            value_weight: 1.0,
            images: 2,
        }
    }
}

impl AzSettings {
    /// Returns an error that describes settings that cannot work.
    pub fn check(&self) -> Result<(), String> {
        let inside = |number: f32, low: f32, high: f32| (low..=high).contains(&number);
        if !(1..=100_000).contains(&self.simulations) {
            return Err("the number of simulations is from 1 to 100000".to_owned());
        }
        if !inside(self.alpha.0, 0.0, 1.0) || !inside(self.alpha.1, 0.0, 1.0) {
            return Err("alpha is a number from 0 to 1".to_owned());
        }
        if !(1..=1 << 24).contains(&self.replay)
            || !(1..=1 << 16).contains(&self.batch)
            || !(1..=1 << 16).contains(&self.games)
        {
            return Err(
                "the replay buffer, a batch and the number of games at the same time have \
                        at least one entry, and the buffer at most 16777216"
                    .to_owned(),
            );
        }
        let sound = inside(self.c, 0.0, 100.0)
            && inside(self.random_games, 0.0, 1.0)
            && inside(self.result, 0.0, 1.0)
            && inside(self.repeats, 0.0, 1_000.0)
            && inside(self.decay, 0.0, 1.0)
            && inside(self.value_weight, 0.0, 1_000.0)
            && self.longest > 0;
        if sound { Ok(()) } else { Err("a parameter is out of range".to_owned()) }
    }
}
