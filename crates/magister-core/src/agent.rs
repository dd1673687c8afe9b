//! Agents: the players of a match.

use std::sync::Arc;

use crate::{Budget, Evaluate, Game, Halt, Move, Rng, Said, Stop, View};

/// A player.
///
/// An agent gets only its view, so its decision is a function of its information state, its budget
/// and its random numbers.
pub trait Agent: Send {
    /// A name for tables and records.
    fn name(&self) -> String;

    /// Whether it claims that every role in its simulations decides only by its own information
    /// state. The honesty audit checks this claim: a player that simulates opponents who see the
    /// state neither keeps secrets nor bluffs.
    fn nested(&self) -> bool {
        false
    }

    /// Builds the tables and networks for this game and chooses a method. In a match without a
    /// start clock this is called before the clock of the first move starts, so that preparation
    /// costs no thinking time; with a start clock, [`ready`](Agent::ready) includes it. The view
    /// has no turns.
    fn prepare(&mut self, _view: &View, _stop: &Stop) -> Result<(), Halt> {
        Ok(())
    }

    /// Prepares, and thinks before the first turn, within the budget. The view is that of the role
    /// that the agent will play, without any turns.
    fn ready(&mut self, view: &View, budget: &mut Budget, _rng: &mut Rng) -> Result<(), Halt> {
        self.prepare(view, budget.stop())
    }

    /// Chooses a move. The budget ends the search; the answer must be legal, however small the
    /// budget. An error says why there is no answer: the agent does not play this kind of game, or
    /// the stop flag was set before any legal move was known.
    fn decide(&mut self, view: &View, budget: &mut Budget, rng: &mut Rng)
    -> Result<Decision, Halt>;

    /// [`ready`](Agent::ready) for a match. The match records the fault, if there is one. A remote
    /// player overrides this, because only it can distinguish a lost connection from a late reply.
    fn start(&mut self, view: &View, budget: &mut Budget, rng: &mut Rng) -> Result<(), Said> {
        self.ready(view, budget, rng).map_err(Said::from)
    }

    /// [`decide`](Agent::decide) for a match: a move, or the answer that was given instead of one.
    /// A player that replies in text overrides this, so that the record shows what it replied.
    fn answer(&mut self, view: &View, budget: &mut Budget, rng: &mut Rng) -> Said {
        self.decide(view, budget, rng).map_or_else(Said::from, Said::Decision)
    }

    /// Reports how the match ended: the last view of its role, and the results of all roles in
    /// order; `None` for a role without a result. An unfinished match has no results. The match
    /// runner waits only a limited time for this call.
    fn finish(&mut self, _view: &View, _outcome: &[Option<f64>]) {}

    /// The expected reward of each role, including chance, if the agent has an estimate.
    fn value(&mut self, _view: &View) -> Option<Vec<f64>> {
        None
    }

    /// As [`value`](Agent::value), with a flag that ends the computation. An agent whose estimate
    /// takes time checks the flag.
    fn value_until(&mut self, view: &View, _stop: &Stop) -> Option<Vec<f64>> {
        self.value(view)
    }

    /// The agent as an evaluator of many positions at once, if it is one: a learned model, or
    /// playouts. Searches around it then request batches instead of calling
    /// [`value_until`](Agent::value_until).
    fn evaluator(&mut self, _game: &Arc<dyn Game>) -> Option<&mut dyn Evaluate> {
        None
    }
}

/// A move with its reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The move.
    pub choice: Move,
    /// The agent's estimates of the moves that it examined.
    pub thoughts: Vec<Thought>,
    /// The expected continuation: joint moves, from this turn on.
    pub line: Vec<Box<[Move]>>,
    /// The number of iterations.
    pub iterations: u64,
}

/// An agent's estimate of one of its moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    /// The move.
    pub choice: Move,
    /// The expected reward of its role.
    pub value: Option<f64>,
    /// The number of iterations spent on it.
    pub visits: u64,
    /// Whether the value is proven.
    pub proven: bool,
    /// The probability of playing it, if the agent has a mixed strategy.
    pub probability: Option<f64>,
}

impl From<Move> for Decision {
    /// A decision without reasons.
    fn from(choice: Move) -> Self {
        Decision { choice, thoughts: Vec::new(), line: Vec::new(), iterations: 0 }
    }
}

impl Thought {
    /// A thought with only a value.
    pub fn new(choice: Move, value: f64) -> Self {
        Thought { choice, value: Some(value), visits: 0, proven: false, probability: None }
    }
}
