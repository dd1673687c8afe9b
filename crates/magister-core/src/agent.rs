//! What decides.

use std::sync::Arc;

use crate::{Budget, Evaluate, Game, Halt, Move, Rng, Said, Stop, View};

/// A player.
///
/// It is given its view and nothing else, so what it decides is a function of what its role
/// knows, of its budget and of its random numbers.
pub trait Agent: Send {
    /// A name for tables and records.
    fn name(&self) -> String;

    /// Whether it says that everybody in its simulations decides by what that role has lived and by
    /// nothing else. Who says so is held to it by the audit: others that are imagined to see
    /// the state make a player keep no secrets and take every bluff for seen through.
    fn nested(&self) -> bool {
        false
    }

    /// Thinks before the first turn, for as long as the budget says. The view is that of the
    /// role that it is going to play, without any turns.
    fn ready(&mut self, _view: &View, _budget: &mut Budget, _rng: &mut Rng) -> Result<(), Halt> {
        Ok(())
    }

    /// Chooses a move. The budget ends the search; the answer must be legal all the same, however
    /// small the budget was. An error says why there is no answer: the game is of a kind that
    /// this agent does not play, or the flag of the budget was set before any legal move was
    /// known.
    fn decide(&mut self, view: &View, budget: &mut Budget, rng: &mut Rng)
    -> Result<Decision, Halt>;

    /// [`ready`](Agent::ready) for a match, which records the fault if there is one. A player that
    /// is reached over a connection overrides this, because only it can tell a lost connection from
    /// a late reply.
    fn start(&mut self, view: &View, budget: &mut Budget, rng: &mut Rng) -> Result<(), Said> {
        self.ready(view, budget, rng).map_err(Said::from)
    }

    /// [`decide`](Agent::decide) for a match: a move, or what was said instead of one. A player
    /// that replies in text overrides this, so that the record shows what it replied.
    fn answer(&mut self, view: &View, budget: &mut Budget, rng: &mut Rng) -> Said {
        self.decide(view, budget, rng).map_or_else(Said::from, Said::Decision)
    }

    /// Learns how the match ended: the last view of its role, and the results of all roles in the
    /// order of the roles; none for a role without a result. A match that was not played to its
    /// end has no results. Whoever runs the match waits a moment for it, not for ever.
    fn finish(&mut self, _view: &View, _outcome: &[Option<f64>]) {}

    /// What each role can expect, chance included, where the agent has an opinion.
    fn value(&mut self, _view: &View) -> Option<Vec<f64>> {
        None
    }

    /// The same for whom no time is left once the flag is set. An agent that computes for an
    /// opinion, rather than looks it up, looks at the flag.
    fn value_until(&mut self, view: &View, _stop: &Stop) -> Option<Vec<f64>> {
        self.value(view)
    }

    /// The agent as something that values many positions of a game at once, where it is that: a
    /// learned model, or playouts. Searches around it then ask for batches, and not for
    /// [`value_until`](Agent::value_until).
    fn evaluator(&mut self, _game: &Arc<dyn Game>) -> Option<&mut dyn Evaluate> {
        None
    }
}

/// A move and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The move.
    pub choice: Move,
    /// What the agent thinks of the moves that it looked at.
    pub thoughts: Vec<Thought>,
    /// How the agent expects the game to go on: joint moves, from this turn on.
    pub line: Vec<Box<[Move]>>,
    /// The iterations it made.
    pub iterations: u64,
}

/// What an agent thinks of one of its moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    /// The move.
    pub choice: Move,
    /// What it expects, in the scale of the rewards of its role.
    pub value: Option<f64>,
    /// How many iterations it spent on it.
    pub visits: u64,
    /// Whether the value is proven.
    pub proven: bool,
    /// How likely the agent is to play it, if it decides by lot.
    pub probability: Option<f64>,
}

impl From<Move> for Decision {
    /// A decision without reasons.
    fn from(choice: Move) -> Self {
        Decision { choice, thoughts: Vec::new(), line: Vec::new(), iterations: 0 }
    }
}

impl Thought {
    /// A value and nothing else.
    pub fn new(choice: Move, value: f64) -> Self {
        Thought { choice, value: Some(value), visits: 0, proven: false, probability: None }
    }
}
