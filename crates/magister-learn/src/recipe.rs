//! The training recipe of an agent: the kind of its value function and all parameters.

use magister_core::{Game, Payment};
use serde::{Deserialize, Serialize};

use crate::driver::{Chain, Settings, Target};
use crate::file::Reading;
use crate::nibbles::FOUR_TUPLES;
use crate::tuples::TupleChoice;
use crate::weights::Steps;

/// The kind of a value function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// An n-tuple network.
    Ntuple,
    /// A linear function of the board: an n-tuple network of single cells.
    Linear,
    /// A neural network with one hidden layer.
    Net,
}

/// The learning rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Values of afterstates, by temporal-difference learning.
    Td,
    /// Values of moves, learned from the next move (SARSA).
    Sarsa,
    /// Values of moves, learned from the best next move (Q-learning).
    Q,
}

/// The training recipe of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Recipe {
    /// The kind of the value function.
    pub kind: Kind,
    /// The learning rule.
    pub rule: Rule,
    /// How tuples are chosen.
    pub tuples: TupleChoice,
    /// How the step size of each weight is determined.
    pub steps: Steps,
    /// Whether images of a tuple under symmetries of the board share a table.
    pub symmetric: bool,
    /// The value of every position before training. A high value makes the learner explore
    /// (optimistic initialisation).
    pub initial: f32,
    /// The number of units in the hidden layer of a net.
    pub hidden: usize,
    /// How it learns.
    pub settings: Settings,
}

impl Default for Recipe {
    fn default() -> Self {
        Recipe {
            kind: Kind::Ntuple,
            rule: Rule::Td,
            tuples: TupleChoice::Auto,
            steps: Steps::Coherent,
            symmetric: true,
            initial: 0.0,
            hidden: 32,
            settings: Settings::default(),
        }
    }
}

/// The recommended number of moves that are compared at a decision, for games without a fast version.
const SAMPLED: usize = 8;

/// The maximum number of steps in the replay memory.
const REPLAY: usize = 1 << 24;

/// The recommended settings for Connect Four, with the exponential transfer function.
///
/// A player who is about to lose is indifferent and may reply with any move, but a learner that
/// always makes its best move never sees most of these replies. It therefore explores until the
/// end, mostly among moves of nearly equal value, and learns the value of the best move.
fn connect_four_settings() -> Settings {
    Settings {
        alpha: (3.0, 3.0),
        epsilon: (0.1, 0.1),
        indifference: (0.1, 0.1),
        target: Target::Best,
        ..Settings::default()
    }
}

impl Recipe {
    /// The recommended recipe for a game.
    pub fn recommended(kind: Kind, game: &dyn Game, reading: &Reading) -> Self {
        let mut recipe = Recipe { kind, ..Recipe::default() };
        let settings = &mut recipe.settings;
        match reading {
            Reading::ConnectFour => {
                recipe.tuples = TupleChoice::Walks { count: 70, length: 8 };
                // With the identity as transfer function, weights stop learning too early.
                (recipe.steps, *settings) = (Steps::Exponential, connect_four_settings());
            }
            Reading::Twenty48 => {
                let tuples = FOUR_TUPLES.iter().map(|tuple| tuple.to_vec()).collect();
                recipe.tuples = TupleChoice::Given(tuples);
                (settings.squash, settings.epsilon) = (false, (0.0, 0.0));
            }
            Reading::Tictactoe => {
                (settings.epsilon, settings.random_start) = ((0.3, 0.1), 2);
            }
            Reading::Cells(_) | Reading::Views(_) => {
                (settings.epsilon, settings.random_start) = ((0.2, 0.05), 4);
                settings.longest = 1_000;
                // With full steps, the first results move the values of all positions to one end
                // of the scale, where they stay. Traces carry results back through long games.
                (settings.alpha, settings.lambda) = ((0.3, 0.3), 0.7);
                // Every move that is compared costs a step of the engine. More games in the same
                // time outweigh the weaker moves (docs/learning.md).
                if matches!(reading, Reading::Cells(_)) {
                    settings.sampled = SAMPLED;
                }
            }
        }
        if game.info().payment == Payment::OnTheWay {
            settings.squash = false;
        }
        if kind == Kind::Linear {
            recipe.tuples = TupleChoice::Single;
        }
        if kind == Kind::Net {
            settings.alpha = (0.02, 0.002);
        }
        if let Reading::Views(_) = reading {
            // A view does not show where a move leads, so values are learned for moves.
            recipe.settings.random_start = 0;
            return recipe.by(Rule::Sarsa);
        }
        recipe
    }

    /// The same recipe with another rule.
    #[must_use]
    pub fn by(mut self, rule: Rule) -> Self {
        self.rule = rule;
        if rule != Rule::Td {
            self.symmetric = false;
            self.settings.chain = Chain::Own;
            self.settings.learn_random = true;
            self.settings.target = if rule == Rule::Q { Target::Best } else { Target::Chosen };
            if rule == Rule::Q {
                // Its target is the best of all moves.
                self.settings.sampled = 0;
            }
        }
        self
    }

    /// Returns an error that describes settings that cannot work.
    pub fn check(&self, players: usize, opposed: bool) -> Result<(), String> {
        let Settings { alpha, epsilon, lambda, gamma, chain, average, .. } = &self.settings;
        let inside = |number: f32, low: f32, high: f32| (low..=high).contains(&number);
        if !inside(alpha.0, 0.0, 100.0) || !inside(alpha.1, 0.0, 100.0) {
            return Err("alpha is a number from 0 to 100".to_owned());
        }
        if !inside(epsilon.0, 0.0, 1.0) || !inside(epsilon.1, 0.0, 1.0) {
            return Err("epsilon is a number from 0 to 1".to_owned());
        }
        if !inside(*lambda, 0.0, 1.0) || !inside(*gamma, 0.0, 1.0) {
            return Err("lambda and gamma are numbers from 0 to 1".to_owned());
        }
        let finite = [self.initial, self.settings.indifference.0, self.settings.indifference.1];
        if !finite.into_iter().all(f32::is_finite)
            || self.settings.replay > REPLAY
            || self.settings.replays > 1_000
        {
            return Err(format!(
                "the initial value is a finite number, and the replay memory has at most {REPLAY} \
                 steps"
            ));
        }
        if !inside(*average, 0.0, 1.0) {
            return Err("the share of the training to average over is from 0 to 1".to_owned());
        }
        if self.rule == Rule::Td && *chain == Chain::Own && players > 1 && !opposed {
            return Err(
                "the chain `own` needs one player, or two of whom one wins what the other loses"
                    .to_owned(),
            );
        }
        if self.rule != Rule::Td && (self.symmetric || *chain != Chain::Own) {
            return Err("SARSA and Q-learning use no symmetries and the chain `own`".to_owned());
        }
        if self.hidden == 0 || self.hidden > 4096 {
            return Err("a net has from 1 to 4096 hidden units".to_owned());
        }
        Ok(())
    }
}
