//! The subgames of a puzzle, derived from its goal: one for each condition of the best goal value,
//! with the fluents that the condition depends on, directly or indirectly.
//!
//! Subgames of this kind may overlap: a mark on a nonogram belongs to its row and to its column.
//! Each is a small separate game, in which some moves act and all others change nothing. If the
//! condition of a subgame can no longer be reached, neither can the goal.

use std::time::Duration;

use magister_core::{Game, Halt, Move, Payment, Stop};
use magister_engine::evaluator::CompiledGame;
use magister_engine::network::{Edge, Network, NodeId};
use rustc_hash::FxHashMap;

use crate::attempt::{Work, attempt};
use crate::effects::{Effects, Idle};
use crate::fold::{UNKNOWN, fold, gates, is_false};
use crate::local::{Bits, project};
use crate::support::{Support, conjuncts};

/// The maximum number of subgames.
const MOST: usize = 400;

/// The subgames of a puzzle.
#[derive(Debug)]
pub struct Targets {
    game: CompiledGame,
    effects: Effects,
    subgames: Vec<Subgame>,
    /// For every move, by its number, the subgames that it acts on, and its index among the moves
    /// of each.
    acts: FxHashMap<Move, Vec<(u32, u32)>>,
    /// The goal values with their conditions, the best first.
    goals: Vec<(f64, Edge)>,
    goal_gates: Vec<NodeId>,
}

#[derive(Debug)]
struct Subgame {
    fluents: Vec<usize>,
    /// The moves that act on it, each with its effect on the fluents.
    moves: Vec<Action>,
    /// The gates that legal moves and effects depend on.
    gates: Vec<NodeId>,
}

#[derive(Debug)]
struct Action {
    legal: Edge,
    /// Indexes into the fluents of the subgame, and the wires of their next values.
    wires: Vec<(u32, Edge)>,
}

impl Targets {
    /// The subgames of a puzzle; `None` if its goal does not consist of several conditions that can
    /// be considered separately.
    pub fn new(game: &dyn Game, stop: &Stop) -> Result<Option<Self>, Halt> {
        let Some(game) = game.as_any().and_then(|any| any.downcast_ref::<CompiledGame>()) else {
            return Ok(None);
        };
        let network: &Network = game.compiled().network();
        let info = game.compiled().info();
        if info.roles.len() != 1 || info.chance.is_some() || info.payment != Payment::AtEnd {
            return Ok(None);
        }
        let effects = match Effects::new(network, stop) {
            Ok(effects) => effects,
            Err(Halt::Stopped) => return Err(Halt::Stopped),
            Err(_) => return Ok(None),
        };
        let mut goals: Vec<(f64, Edge)> =
            network.goals.iter().filter_map(|goal| Some((goal.value?, goal.when))).collect();
        goals.sort_by(|a, b| b.0.total_cmp(&a.0));
        let sets = Closure::new(network, &effects).sets(&goals);
        if sets.len() < 2 || sets.len() > MOST {
            return Ok(None);
        }
        let mut acts: FxHashMap<Move, Vec<(u32, u32)>> = FxHashMap::default();
        let mut subgames = Vec::new();
        for (number, fluents) in sets.into_iter().enumerate() {
            let mut moves = Vec::new();
            for (place, done) in effects.acts.iter().enumerate() {
                let wires: Vec<(u32, Edge)> = done
                    .iter()
                    .filter_map(|&(fluent, edge)| {
                        let at = fluents.binary_search(&(fluent as usize)).ok()?;
                        Some((at as u32, edge))
                    })
                    .collect();
                if !wires.is_empty() {
                    let own = acts.entry(network.moves[place].1).or_default();
                    own.push((number as u32, moves.len() as u32));
                    moves.push(Action { legal: network.legal[place], wires });
                }
            }
            let wires = moves.iter().flat_map(|action: &Action| {
                action.wires.iter().map(|&(_, edge)| edge).chain([action.legal])
            });
            let gates = gates(&effects.graph, wires);
            subgames.push(Subgame { fluents, moves, gates });
        }
        let goal_gates = gates(&network.graph, goals.iter().map(|goal| goal.1));
        Ok(Some(Targets { game: game.clone(), effects, subgames, acts, goals, goal_gates }))
    }

    /// [`Targets::new`] within a time limit. Without one, only small games are tried, so that the
    /// work stays small as well.
    pub fn attempt(
        game: &dyn Game,
        time: Option<Duration>,
        stop: &Stop,
    ) -> Result<Option<Self>, Halt> {
        attempt(game, Work::Split, time, stop, |_, stop| Self::new(game, stop))
    }

    /// The number of subgames.
    pub fn len(&self) -> usize {
        self.subgames.len()
    }

    /// Whether there are no subgames.
    pub fn is_empty(&self) -> bool {
        self.subgames.is_empty()
    }

    /// The fluents of a subgame.
    pub fn fluents(&self, subgame: usize) -> &[usize] {
        &self.subgames[subgame].fluents
    }

    /// The state of a subgame in a state of the game.
    pub fn project(&self, subgame: usize, state: &[u64]) -> Box<[u64]> {
        project(&self.subgames[subgame].fluents, state)
    }

    /// The subgames that a move acts on, and the index of the move among the moves of each.
    pub fn acts(&self, choice: Move) -> &[(u32, u32)] {
        self.acts.get(&choice).map_or(&[], Vec::as_slice)
    }

    fn known(&self, subgame: usize, state: &[u64]) -> Vec<u8> {
        let mut values = vec![UNKNOWN; self.effects.graph.len()];
        values[0] = 1;
        for (at, &fluent) in self.subgames[subgame].fluents.iter().enumerate() {
            values[fluent + 1] = (state[at / 64] >> (at % 64) & 1) as u8;
        }
        values
    }

    /// The best goal value that a state of a subgame does not exclude, if the game ends in it.
    pub fn bound(&self, subgame: usize, state: &[u64]) -> Option<f64> {
        let network: &Network = self.game.compiled().network();
        let mut values = self.known(subgame, state);
        fold(&network.graph, &self.goal_gates, &mut values);
        self.goals.iter().find(|&&(_, when)| !is_false(&values, when)).map(|&(value, _)| value)
    }

    /// The successors of a state of a subgame: for each of its moves the next state, or `None` if
    /// the move is illegal whatever the rest of the state is.
    pub fn successors(&self, subgame: usize, state: &[u64]) -> Vec<Option<Box<[u64]>>> {
        let Subgame { moves, gates, .. } = &self.subgames[subgame];
        let mut values = self.known(subgame, state);
        fold(&self.effects.graph, gates, &mut values);
        let after = |action: &Action| {
            if is_false(&values, action.legal) {
                return None;
            }
            let mut next: Bits = state.into();
            for &(at, edge) in &action.wires {
                let bit = 1u64 << (at % 64);
                let value = values[edge.node().index()];
                debug_assert!(value != UNKNOWN, "subgames are closed");
                if (value == 1) == edge.negated() {
                    next[at as usize / 64] &= !bit;
                } else {
                    next[at as usize / 64] |= bit;
                }
            }
            Some(next)
        };
        moves.iter().map(after).collect()
    }

    /// The goal values that the rules give, the best first.
    pub fn goals(&self) -> Vec<f64> {
        let mut values: Vec<f64> = self.goals.iter().map(|goal| goal.0).collect();
        values.dedup();
        values
    }
}

/// Sets of fluents that contain all their dependencies.
struct Closure<'a> {
    network: &'a Network,
    effects: &'a Effects,
    support: Support,
    /// For every fluent, its direct dependencies; `None` if a set with it cannot be closed.
    needs: Vec<Option<Vec<usize>>>,
}

impl<'a> Closure<'a> {
    fn new(network: &'a Network, effects: &'a Effects) -> Self {
        let mut closure = Closure { network, effects, support: Support::new(), needs: Vec::new() };
        closure.needs = closure.direct();
        closure
    }

    fn direct(&mut self) -> Vec<Option<Vec<usize>>> {
        let (network, effects) = (self.network, self.effects);
        let fluents = network.fluents();
        let mut needs: Vec<Option<Vec<usize>>> = (0..fluents)
            .map(|fluent| (effects.idle[fluent] == Idle::Keeps).then(Vec::new))
            .collect();
        for (place, acts) in effects.acts.iter().enumerate() {
            if acts.is_empty() {
                continue;
            }
            let mut legal = Vec::new();
            self.support.each(&network.graph, [network.legal[place]], |input| {
                if input < fluents && !effects.context[input] {
                    legal.push(input);
                }
            });
            for &(fluent, edge) in acts {
                let mut below = legal.clone();
                let mut open = false;
                self.support.each(&effects.graph, [edge], |input| {
                    if input < fluents && !effects.context[input] {
                        below.push(input);
                    } else {
                        open = true;
                    }
                });
                let own = &mut needs[fluent as usize];
                match own {
                    Some(list) if !open => list.extend(below),
                    _ => *own = None,
                }
            }
        }
        for list in needs.iter_mut().flatten() {
            list.sort_unstable();
            list.dedup();
        }
        needs
    }

    /// The closed sets of the conditions of the best goal, none of which contains another.
    fn sets(&mut self, goals: &[(f64, Edge)]) -> Vec<Vec<usize>> {
        let Some(&(best, _)) = goals.first() else { return Vec::new() };
        let fluents = self.network.fluents();
        let mut sets: Vec<Vec<usize>> = Vec::new();
        let conditions: Vec<Edge> = goals
            .iter()
            .filter(|goal| goal.0.total_cmp(&best).is_eq())
            .flat_map(|&(_, when)| conjuncts(&self.network.graph, when))
            .collect();
        for edge in conditions {
            let mut open = Vec::new();
            let context = &self.effects.context;
            self.support.each(&self.network.graph, [edge], |input| {
                if input < fluents && !context[input] {
                    open.push(input);
                }
            });
            if let Some(set) = self.closed(open) {
                sets.push(set);
            }
        }
        sets.retain(|set| !set.is_empty());
        sets.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
        sets.dedup();
        let mut largest: Vec<Vec<usize>> = Vec::new();
        for set in sets {
            let inside = |other: &Vec<usize>| set.iter().all(|f| other.binary_search(f).is_ok());
            if !largest.iter().any(inside) {
                largest.push(set);
            }
        }
        largest.sort();
        largest
    }

    fn closed(&self, mut open: Vec<usize>) -> Option<Vec<usize>> {
        let mut inside = vec![false; self.network.fluents()];
        let mut set = Vec::new();
        while let Some(fluent) = open.pop() {
            if std::mem::replace(&mut inside[fluent], true) {
                continue;
            }
            set.push(fluent);
            open.extend(self.needs[fluent].as_ref()?);
        }
        set.sort_unstable();
        Some(set)
    }
}
