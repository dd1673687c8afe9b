//! Puzzles whose moves are permanent placements: the result depends on which moves are made and
//! hardly on their order.
//!
//! Every move makes some fluents true or false forever. The final state is then a function of the
//! set of moves, and a SAT solver searches for a set with the best goal: it propagates the
//! consequences of a choice, works on the most constrained choices first, and proves dead ends.
//! Moves exclude each other if neither is legal after the other. An order in which all moves of the
//! set are legal is then found by playing them.

mod apart;
mod groups;
mod question;

use std::time::Duration;

use magister_core::{Game, Halt, Move, Payment, Stop};
use magister_engine::Compiled;
use magister_engine::evaluator::CompiledGame;
use magister_engine::network::{Edge, Network, NodeId};
use rustc_hash::FxHashSet;

use crate::attempt::{Work, attempt};
use crate::effects::{Effects, Idle};
use crate::fold::{fold, gates, is_false};
use crate::support::facts;
use question::{Answer, COUNTED, Question};

/// The maximum number of sets of moves that are tried before a puzzle is abandoned.
const TRIES: usize = 50;
/// The maximum number of steps that are played to order one set.
const STEPS: usize = 1_000;
/// The maximum number of pairs of moves that are tested for exclusion, times gates.
const WORK: usize = 400_000_000;

/// A puzzle of placements.
#[derive(Debug)]
pub struct Placement {
    /// For every move, the fluents that it makes true and those that it makes false.
    sets: Vec<Vec<u32>>,
    clears: Vec<Vec<u32>>,
    /// Pairs of moves that cannot both be made.
    excluded: Vec<(u32, u32)>,
    /// Fluents that moves never act on and that change by themselves.
    free: Vec<bool>,
    /// Whether no plan reaches a goal value if no set of moves does. The number of steps counts
    /// only if every move is made at most once.
    exact: bool,
    game: CompiledGame,
}

/// A plan that leads to a terminal state.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The moves in order.
    pub moves: Vec<Move>,
    /// The goal value at the end.
    pub value: f64,
    /// Whether it is proven that no plan has a better one.
    pub proven: bool,
}

/// The result of the search for a goal value.
enum Reached {
    /// By these moves in this order.
    By(Vec<Move>),
    /// It is proven that no moves reach it.
    Never,
    /// The search gave up.
    Unknown,
}

impl Placement {
    /// Recognises a puzzle of placements; `None` if the game is not one or is too large.
    pub fn new(game: &dyn Game, stop: &Stop) -> Result<Option<Self>, Halt> {
        let Some(game) = game.as_any().and_then(|any| any.downcast_ref::<CompiledGame>()) else {
            return Ok(None);
        };
        let compiled: &Compiled = game.compiled();
        let network: &Network = compiled.network();
        let info = compiled.info();
        if info.roles.len() != 1 || info.chance.is_some() || info.payment != Payment::AtEnd {
            return Ok(None);
        }
        let effects = match Effects::new(network, stop) {
            Ok(effects) => effects,
            Err(Halt::Stopped) => return Err(Halt::Stopped),
            Err(_) => return Ok(None),
        };
        let moves = network.moves.len();
        let untouched = untouched(network, &effects, stop);
        let (mut sets, mut clears) = (vec![Vec::new(); moves], vec![Vec::new(); moves]);
        let (mut up, mut down) = (vec![false; network.fluents()], vec![false; network.fluents()]);
        for (place, acts) in effects.acts.iter().enumerate() {
            for &(fluent, edge) in acts {
                match edge {
                    Edge::TRUE => {
                        up[fluent as usize] = true;
                        sets[place].push(fluent);
                    }
                    Edge::FALSE if untouched.contains(&(place, fluent)) => {}
                    Edge::FALSE => {
                        down[fluent as usize] = true;
                        clears[place].push(fluent);
                    }
                    _ => return Ok(None),
                }
            }
        }
        let lasting = (0..network.fluents()).all(|fluent| {
            !(up[fluent] && down[fluent])
                && (effects.context[fluent] || effects.idle[fluent] == Idle::Keeps)
        });
        if !lasting {
            return Ok(None);
        }
        let stays = |fluent: usize| network.next[fluent] == Edge::of(NodeId::new(fluent + 1));
        let free: Vec<bool> =
            (0..network.fluents()).map(|f| effects.context[f] && !stays(f)).collect();
        let exact = !free.contains(&true);
        let excluded = Vec::new();
        let mut placement = Placement { sets, clears, excluded, free, exact, game: game.clone() };
        let once = placement.exclude(network, stop)?;
        placement.exact |= once && moves < COUNTED;
        Ok(Some(placement))
    }

    /// Recognises a puzzle of placements and searches for a plan from a state within a time limit.
    /// Without one, only small puzzles are tried, so that the work stays small as well.
    pub fn attempt(
        game: &dyn Game,
        state: &[u64],
        time: Option<Duration>,
        stop: &Stop,
    ) -> Result<Option<Plan>, Halt> {
        attempt(game, Work::Placement, time, stop, |_, stop| match Placement::new(game, stop)? {
            Some(placement) => placement.plan(state, stop),
            None => Ok(None),
        })
    }

    /// Finds the pairs of moves neither of which is legal after the other. Returns whether it is
    /// proven that no move can be made twice.
    fn exclude(&mut self, network: &Network, stop: &Stop) -> Result<bool, Halt> {
        let gates = gates(&network.graph, network.legal.iter().copied());
        let moves = network.moves.len();
        if gates.len().saturating_mul(moves) > WORK {
            return Ok(false);
        }
        // Whether a move can never be legal after another one.
        let mut never = vec![false; moves * moves];
        // 0 false, 1 true, 2 unknown.
        let mut values: Vec<u8> = vec![2; network.graph.len()];
        for first in 0..moves {
            stop.check()?;
            let lasting = |fluent: u32, value: bool| {
                let wire = Edge::of(NodeId::new(fluent as usize + 1));
                if value { wire } else { !wire }
            };
            let made: Vec<Edge> = self.sets[first]
                .iter()
                .map(|&fluent| lasting(fluent, true))
                .chain(self.clears[first].iter().map(|&fluent| lasting(fluent, false)))
                .collect();
            values.fill(2);
            values[0] = 1;
            let mut known: Vec<Edge> = facts(network, &made).into_iter().collect();
            known.sort_unstable();
            for edge in known {
                values[edge.node().index()] = u8::from(!edge.negated());
            }
            fold(&network.graph, &gates, &mut values);
            for second in 0..moves {
                never[first * moves + second] = is_false(&values, network.legal[second]);
            }
        }
        for first in 0..moves {
            for second in 0..first {
                if never[first * moves + second] && never[second * moves + first] {
                    self.excluded.push((second as u32, first as u32));
                }
            }
        }
        Ok((0..moves).all(|place| never[place * moves + place]))
    }

    /// Searches for moves from a state to a terminal state with the best goal value that can be
    /// found.
    pub fn plan(&self, state: &[u64], stop: &Stop) -> Result<Option<Plan>, Halt> {
        let network: &Network = self.game.compiled().network();
        let mut values: Vec<f64> = network.goals.iter().filter_map(|goal| goal.value).collect();
        values.sort_by(|a, b| b.total_cmp(a));
        values.dedup();
        let mut proven = network.goals.iter().all(|goal| goal.value.is_some());
        for value in values {
            match self.reach(network, state, value, stop)? {
                Reached::By(moves) => return Ok(Some(Plan { moves, value, proven })),
                Reached::Never => proven &= self.exact,
                Reached::Unknown => proven = false,
            }
        }
        Ok(None)
    }

    /// Moves from a state to a terminal state with this goal value. At first, every move must be
    /// one that could be the last: if later moves only forbid others, such sets can be played in
    /// any order.
    fn reach(
        &self,
        network: &Network,
        state: &[u64],
        value: f64,
        stop: &Stop,
    ) -> Result<Reached, Halt> {
        for last in [true, false] {
            let mut question = Question::new(self, network, state, stop);
            question.reach(value);
            if last {
                question.could_be_last();
            }
            question.use_all_groups();
            for tried in 0..TRIES {
                let chosen = match question.answer() {
                    Answer::Moves(chosen) => chosen,
                    // Without further conditions, the first refutation is a proof. Later ones are
                    // not, because the sets without an order were excluded with all larger sets.
                    Answer::None if !last && tried == 0 => return Ok(Reached::Never),
                    Answer::None | Answer::Unknown => break,
                };
                if let Some(moves) = self.ordered(network, state, &chosen, value, stop)? {
                    return Ok(Reached::By(moves));
                }
                if chosen.is_empty() {
                    break;
                }
                question.not_again(&chosen);
            }
            stop.check()?;
        }
        Ok(Reached::Unknown)
    }

    /// An order of some of these moves that leads to a terminal state with this goal value.
    fn ordered(
        &self,
        network: &Network,
        state: &[u64],
        chosen: &[usize],
        value: f64,
        stop: &Stop,
    ) -> Result<Option<Vec<Move>>, Halt> {
        let mut worker = self.game.worker();
        worker.load(state, stop)?;
        let role = magister_core::Role(0);
        let wanted: FxHashSet<Move> = chosen.iter().map(|&place| network.moves[place].1).collect();
        let mut path: Vec<Move> = Vec::new();
        let mut states: Vec<Vec<u64>> = vec![state.to_vec()];
        let mut dead: FxHashSet<Vec<u64>> = FxHashSet::default();
        let (mut step, mut goals) = (magister_core::Step::new(), Vec::new());
        for _ in 0..STEPS {
            stop.check()?;
            if worker.terminal() {
                worker.goals(role, &mut goals);
                if goals == [value] {
                    return Ok(Some(path));
                }
            }
            let over = worker.terminal();
            // The first move that does not lead to an abandoned state.
            let legal: Vec<Move> = worker
                .legal(role)
                .iter()
                .copied()
                .filter(|choice| !over && wanted.contains(choice))
                .collect();
            let here = states.last().cloned().unwrap_or_default();
            let mut found = false;
            for choice in legal {
                if path.contains(&choice) {
                    continue;
                }
                worker.load(&here, stop)?;
                worker.step(&[choice], &mut step, stop)?;
                let mut next = Vec::new();
                worker.save(&mut next);
                if !dead.contains(&next) {
                    path.push(choice);
                    states.push(next);
                    found = true;
                    break;
                }
            }
            if !found {
                dead.insert(here);
                states.pop();
                path.pop();
                let Some(back) = states.last() else { return Ok(None) };
                worker.load(back, stop)?;
            }
        }
        Ok(None)
    }
}

/// Moves and fluents that they seem to make false, although the fluents are false whenever the
/// moves are legal.
fn untouched(network: &Network, effects: &Effects, stop: &Stop) -> FxHashSet<(usize, u32)> {
    let mut set = vec![false; network.fluents()];
    let acts = || effects.acts.iter().enumerate();
    for (_, acts) in acts() {
        acts.iter().for_each(|&(fluent, edge)| set[fluent as usize] |= edge == Edge::TRUE);
    }
    // Pairs of a fluent that such a move requires and one that it makes false.
    let mut needs: Vec<(usize, u32, usize)> = Vec::new();
    for (place, acts) in acts() {
        let cleared: Vec<u32> = acts
            .iter()
            .filter(|&&(fluent, edge)| edge == Edge::FALSE && set[fluent as usize])
            .map(|&(fluent, _)| fluent)
            .collect();
        if cleared.is_empty() {
            continue;
        }
        let mut known: Vec<Edge> = facts(network, &[network.legal[place]]).into_iter().collect();
        known.sort_unstable();
        for edge in known {
            let node = edge.node().index();
            if !edge.negated() && (1..=network.fluents()).contains(&node) {
                needs.extend(cleared.iter().map(|&fluent| (place, fluent, node - 1)));
            }
        }
    }
    let pairs: FxHashSet<(usize, usize)> =
        needs.iter().map(|&(_, cleared, needed)| (needed, cleared as usize)).collect();
    let proven = apart::apart(network, &pairs, stop);
    needs.retain(|&(_, cleared, needed)| proven.contains(&(needed, cleared as usize)));
    needs.into_iter().map(|(place, cleared, _)| (place, cleared)).collect()
}
