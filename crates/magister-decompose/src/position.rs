//! Positions: the fluents that can no longer change from here on, and the parts of the rest.
//!
//! A fluent is constant from a position on if no sequence of moves changes it. This is proven by
//! three-valued evaluation: at first all fluents are known, and a fluent becomes unknown if its
//! next value is not known to equal its current value. The fluents that are still known at the
//! fixpoint are constant in every later position. They are then substituted, and the rest is split
//! again.

use std::time::Duration;

use magister_core::{Game, Halt, Move, Role, Stop, Worker};
use magister_engine::Compiled;
use magister_engine::evaluator::CompiledGame;
use magister_engine::network::{Network, NodeId};
use magister_solve::{Candidate, SolveLimits};

use crate::attempt::{Work, attempt};
use crate::decomposition::Decomposition;
use crate::fold::{UNKNOWN, fold, gates, is_false};
use crate::local::project;
use crate::rebuild::Change;
use crate::solve::NotSolved;
use crate::values::PartValues;

/// The values of all wires from a position on: 0, 1, or unknown.
pub(crate) struct Future {
    pub(crate) values: Vec<u8>,
}

impl Future {
    /// The known values in a position and in all later positions.
    pub(crate) fn of(network: &Network, state: &[u64]) -> Self {
        let legal = gates(&network.graph, network.legal.iter().copied());
        let outputs = network.next.iter().copied().chain([network.terminal]);
        let gates: Vec<NodeId> = gates(&network.graph, outputs);
        let fluents = network.fluents();
        let holds = |fluent: usize| (state[fluent / 64] >> (fluent % 64) & 1) as u8;
        let mut known: Vec<u8> = (0..fluents).map(holds).collect();
        loop {
            let mut values = vec![UNKNOWN; network.graph.len()];
            values[0] = 1;
            values[1..=fluents].copy_from_slice(&known);
            // Legal moves are evaluated first, because a move that is never legal is never made.
            fold(&network.graph, &legal, &mut values);
            for (place, &may) in network.legal.iter().enumerate() {
                if is_false(&values, may) {
                    values[network.inputs[place].node().index()] = 0;
                }
            }
            fold(&network.graph, &gates, &mut values);
            let mut changed = false;
            for fluent in
                (0..fluents).filter(|&fluent| known[fluent] != UNKNOWN).collect::<Vec<_>>()
            {
                let edge = network.next[fluent];
                let next = match values[edge.node().index()] {
                    UNKNOWN => UNKNOWN,
                    value => value ^ u8::from(edge.negated()),
                };
                if next != known[fluent] {
                    known[fluent] = UNKNOWN;
                    changed = true;
                }
            }
            if !changed {
                return Future { values };
            }
        }
    }

    /// The value of a fluent in all later positions, if it is constant.
    pub(crate) fn constant(&self, fluent: usize) -> Option<bool> {
        match self.values[fluent + 1] {
            UNKNOWN => None,
            value => Some(value == 1),
        }
    }
}

/// A position as a separate game.
#[derive(Debug)]
pub struct Position {
    /// The game from here on, without the constants.
    pub game: CompiledGame,
    /// Its parts.
    pub whole: Decomposition,
    /// The fluents that are constant from here on, with their values.
    pub constants: Vec<(usize, bool)>,
    /// The fluents of the original game that are not constant.
    fluents: Vec<usize>,
}

impl Position {
    /// The fluents that are constant from a position on, with their values.
    pub fn constants(compiled: &Compiled, state: &[u64]) -> Vec<(usize, bool)> {
        let network: &Network = compiled.network();
        let future = Future::of(network, state);
        (0..network.fluents()).filter_map(|f| Some((f, future.constant(f)?))).collect()
    }

    /// Substitutes the constants from a position on, and splits the rest.
    pub fn new(compiled: &Compiled, state: &[u64], stop: &Stop) -> Result<Self, Halt> {
        let network: &Network = compiled.network();
        if state.len() != network.fluents().div_ceil(64) {
            return Err(Halt::BadState);
        }
        if compiled.info().chance.is_some() || !network.gains.is_empty() {
            return Err(Halt::Limit("positions of games with chance are not split".to_owned()));
        }
        let future = Future::of(network, state);
        let fixed: Vec<Option<bool>> =
            (0..network.fluents()).map(|fluent| future.constant(fluent)).collect();
        let initial: Vec<bool> =
            (0..network.fluents()).map(|f| state[f / 64] >> (f % 64) & 1 == 1).collect();
        let constants = fixed.iter().enumerate().filter_map(|(f, value)| Some((f, (*value)?)));
        let constants: Vec<(usize, bool)> = constants.collect();
        let fluents = (0..fixed.len()).filter(|&fluent| fixed[fluent].is_none()).collect();
        let moves: Vec<bool> =
            network.legal.iter().map(|&legal| !is_false(&future.values, legal)).collect();
        let change = Change {
            name: compiled.info().name.clone(),
            rules: format!("{} from {state:?}", compiled.info().rules_hash),
            initial: &initial,
            fixed,
            moves,
            ends_when_stuck: false,
        };
        let game = change.apply(compiled, stop)?;
        let whole = Decomposition::new(game.compiled(), stop)?;
        Ok(Position { game, whole, constants, fluents })
    }
}

/// The values of all positions that follow a position, computed from its parts.
pub struct PositionValues {
    values: PartValues,
    worker: Box<dyn Worker>,
    fluents: Vec<usize>,
    /// The constants that were substituted.
    constants: Vec<(usize, bool)>,
    /// For every move of the position's game, its number in the original game.
    moves: Vec<Move>,
}

impl std::fmt::Debug for PositionValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PositionValues").field("values", &self.values).finish_non_exhaustive()
    }
}

impl PositionValues {
    /// Solves a position by its parts.
    pub fn new(
        compiled: &Compiled,
        position: Position,
        limits: &SolveLimits,
        stop: &Stop,
    ) -> Result<Self, NotSolved> {
        let Position { game, whole, constants, fluents } = position;
        let values = PartValues::new(game.compiled(), &whole, limits, stop)?;
        let texts = game.compiled().names().moves();
        let number = |text: &String| {
            let all = compiled.names().moves();
            all.iter().position(|other| other == text).map_or(Move::IDLE, |at| Move(at as u32))
        };
        let moves = texts.iter().map(number).collect();
        Ok(PositionValues { values, worker: game.worker(), fluents, constants, moves })
    }

    /// Splits a position within a time limit and solves it by its parts, if that is useful and if
    /// few enough fluents can still change compared with the last attempt. `left` counts those of
    /// the last attempt; at first it is [`usize::MAX`].
    pub fn attempt(
        game: &dyn Game,
        state: &[u64],
        (left, (share, whole)): (&mut usize, (usize, usize)),
        limits: &SolveLimits,
        time: Duration,
        stop: &Stop,
    ) -> Result<Option<Self>, Halt> {
        attempt(game, Work::Split, Some(time), stop, |compiled, stop| {
            let now = compiled.network().fluents() - Position::constants(compiled, state).len();
            // The initial position was already split as the game.
            let first = *left == usize::MAX;
            if !first && now > *left / whole * share {
                return Ok(None);
            }
            *left = now;
            if first {
                return Ok(None);
            }
            let position = match Position::new(compiled, state, stop) {
                Ok(position) if position.whole.worth.useful => position,
                Err(Halt::Stopped) => return Err(Halt::Stopped),
                _ => return Ok(None),
            };
            match Self::new(compiled, position, limits, stop) {
                Ok(values) => Ok(Some(values)),
                Err(NotSolved::Halt(Halt::Stopped)) => Err(Halt::Stopped),
                Err(_) => Ok(None),
            }
        })
    }

    /// The moves of a role in a later position of the original game, with their values and
    /// probabilities, as in [`PartValues::moves`]; `None` if the position does not follow this one
    /// or has no known value.
    pub fn moves(
        &mut self,
        state: &[u64],
        role: Role,
        stop: &Stop,
    ) -> Result<Option<Vec<Candidate>>, Halt> {
        let holds = |fluent: usize| {
            state.get(fluent / 64).is_some_and(|word| word >> (fluent % 64) & 1 == 1)
        };
        if self.constants.iter().any(|&(fluent, value)| holds(fluent) != value) {
            return Ok(None);
        }
        self.worker.load(&project(&self.fluents, state), stop)?;
        let Some(mut found) = self.values.moves(&mut *self.worker, role, stop)? else {
            return Ok(None);
        };
        for one in &mut found {
            one.choice = self.moves.get(one.choice.index()).copied().unwrap_or(Move::IDLE);
        }
        Ok(Some(found))
    }
}
