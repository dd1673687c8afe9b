//! Opponents and searches that know nothing but an environment: plain Monte Carlo tree search,
//! perfect play by exhaustive search, a player by weights of cells, and a best-first search with
//! learned values.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::hash::Hash;

use magister_core::{Halt, Rng};
use rustc_hash::FxHashMap;

use crate::environment::{Cells, Choice, Environment};
use crate::model::Model;

/// A node of the search tree.
struct Node<S> {
    state: S,
    /// The number of its first child and of its children; none before it is expanded.
    children: (u32, u32),
    visits: u32,
    /// The sum of the results, each from 0 to 1, of the player who moved here.
    sum: f64,
    mover: usize,
}

/// Plain Monte Carlo tree search: UCT with random playouts and nothing else, for games without
/// chance and with results from -1 to 1. Returns the most visited move.
pub fn mcts<E: Environment>(
    env: &mut E,
    state: &E::State,
    iterations: u32,
    c: f64,
    rng: &mut Rng,
) -> Result<E::State, Halt> {
    let mut buffer: Vec<Choice<E::State>> = Vec::new();
    let root =
        Node { state: state.clone(), children: (0, 0), visits: 0, sum: 0.0, mover: usize::MAX };
    let mut nodes = vec![root];
    let mut path = Vec::new();
    for _ in 0..iterations {
        path.clear();
        let mut at = 0_usize;
        path.push(at);
        while let Some(player) = env.turn(&nodes[at].state) {
            let (mut first, mut count) = nodes[at].children;
            let fresh = count == 0;
            if fresh {
                env.choices(&nodes[at].state, rng, &mut buffer)?;
                (first, count) = (nodes.len() as u32, buffer.len() as u32);
                nodes[at].children = (first, count);
                nodes.extend(buffer.drain(..).map(|choice| Node {
                    state: choice.after,
                    children: (0, 0),
                    visits: 0,
                    sum: 0.0,
                    mover: player,
                }));
            }
            let log = f64::from(nodes[at].visits.max(1)).ln();
            let (mut best, mut ties) = ((first as usize, f64::NEG_INFINITY), 0_u64);
            let children = &nodes[first as usize..(first + count) as usize];
            for (child, node) in (first as usize..).zip(children) {
                let visits = f64::from(node.visits);
                let bound = if node.visits == 0 {
                    f64::INFINITY
                } else {
                    node.sum / visits + c * (log / visits).sqrt()
                };
                if bound > best.1 {
                    (best, ties) = ((child, bound), 1);
                } else if bound.to_bits() == best.1.to_bits() {
                    ties += 1;
                    if rng.below(ties) == 0 {
                        best.0 = child;
                    }
                }
            }
            at = best.0;
            path.push(at);
            if nodes[at].visits == 0 {
                break;
            }
        }
        let mut end = nodes[at].state.clone();
        while env.turn(&end).is_some() {
            end = env.random_step(&end, rng, &mut buffer)?;
        }
        let results: Vec<f64> = (0..env.players())
            .map(|player| f64::midpoint(f64::from(env.result(&end, player)), 1.0))
            .collect();
        for &at in &path {
            let node = &mut nodes[at];
            node.visits += 1;
            node.sum += results.get(node.mover).copied().unwrap_or(0.0);
        }
    }
    let (first, count) = nodes[0].children;
    let best = (first as usize..(first + count) as usize).max_by_key(|&child| nodes[child].visits);
    best.map(|best| nodes[best].state.clone())
        .ok_or_else(|| Halt::Rules("a player who has to decide has no move".to_owned()))
}

/// Perfect play in a small game without chance for any number of players: every player maximises
/// its own result and chooses among equals at random.
#[derive(Debug, Default)]
pub struct MaxN<S> {
    known: FxHashMap<S, Vec<f32>>,
}

impl<S: Clone + Eq + Hash> MaxN<S> {
    /// Nothing is known yet.
    pub fn new() -> Self {
        MaxN { known: FxHashMap::default() }
    }

    /// The expected results of all players.
    pub fn values<E>(&mut self, env: &mut E, state: &S, rng: &mut Rng) -> Result<Vec<f32>, Halt>
    where
        E: Environment<State = S>,
    {
        if env.turn(state).is_none() {
            return Ok((0..env.players()).map(|player| env.result(state, player)).collect());
        }
        if let Some(known) = self.known.get(state) {
            return Ok(known.clone());
        }
        let best = self.best(env, state, rng)?;
        let mut mean = vec![0.0; env.players()];
        for (_, values) in &best {
            mean.iter_mut().zip(values).for_each(|(sum, value)| *sum += value / best.len() as f32);
        }
        self.known.insert(state.clone(), mean.clone());
        Ok(mean)
    }

    /// The states after the best moves, with their values.
    fn best<E>(&mut self, env: &mut E, state: &S, rng: &mut Rng) -> Result<Vec<(S, Vec<f32>)>, Halt>
    where
        E: Environment<State = S>,
    {
        let player = env.turn(state).unwrap_or(0);
        let mut choices = Vec::new();
        env.choices(state, rng, &mut choices)?;
        let mut best: Vec<(S, Vec<f32>)> = Vec::new();
        for choice in choices {
            let values = self.values(env, &choice.after, rng)?;
            let lead = best.first().map_or(1.0, |(_, known)| values[player] - known[player]);
            if lead > 1e-6 {
                best.clear();
            }
            if lead > -1e-6 {
                best.push((choice.after, values));
            }
        }
        Ok(best)
    }

    /// The state after a random one of the best moves.
    pub fn decide<E>(&mut self, env: &mut E, state: &S, rng: &mut Rng) -> Result<S, Halt>
    where
        E: Environment<State = S>,
    {
        let best = self.best(env, state, rng)?;
        let chosen = rng.below(best.len().max(1) as u64) as usize;
        best.into_iter()
            .nth(chosen)
            .map(|one| one.0)
            .ok_or_else(|| Halt::Rules("a player who has to decide has no move".to_owned()))
    }
}

/// The move of a player that adds a weight for each of its pieces after the move and subtracts it
/// for each piece of the opponent. Cells must have 0 for the first player, 1 where there is no piece,
/// and 2 for the second. Ties are broken at random.
pub fn by_weights<E: Cells>(
    env: &mut E,
    weights: &[f32],
    state: &E::State,
    rng: &mut Rng,
) -> Result<E::State, Halt> {
    let player = env.turn(state).unwrap_or(0);
    let mut choices = Vec::new();
    env.choices(state, rng, &mut choices)?;
    let mut cells = vec![0; weights.len()];
    let (mut best, mut ties) = ((0, f32::NEG_INFINITY), 0);
    for (number, choice) in choices.iter().enumerate() {
        env.write(&choice.after, &mut cells);
        let worth: f32 = cells
            .iter()
            .zip(weights)
            .map(|(&cell, &weight)| match usize::from(cell) {
                1 => 0.0,
                cell if cell == 2 * player => weight,
                _ => -weight,
            })
            .sum();
        if worth > best.1 {
            (best, ties) = ((number, worth), 1);
        } else if worth.to_bits() == best.1.to_bits() {
            ties += 1;
            if rng.below(ties) == 0 {
                best.0 = number;
            }
        }
    }
    let chosen = choices.into_iter().nth(best.0);
    chosen
        .map(|choice| choice.after)
        .ok_or_else(|| Halt::Rules("a player who has to decide has no move".to_owned()))
}

/// A state that a best-first search may expand.
struct Open {
    estimate: f32,
    node: usize,
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Open {
    /// The highest estimate first; of equals, the one found first.
    fn cmp(&self, other: &Self) -> Ordering {
        self.estimate.total_cmp(&other.estimate).then(other.node.cmp(&self.node))
    }
}

/// Searches for an end of a puzzle with learned values, without squashing, that expands at most
/// `expansions` states: always the one with the highest sum of the gains so far, multiplied by
/// `weight`, and the learned value. Returns the number of moves to the end that was found.
pub fn best_first<E, M>(
    env: &mut E,
    model: &M,
    start: &E::State,
    expansions: u32,
    weight: f32,
    rng: &mut Rng,
) -> Result<Option<u32>, Halt>
where
    E: Environment,
    E::State: Eq + Hash,
    M: Model<E>,
{
    let (mut scratch, mut values, mut choices) = (model.scratch(), Vec::new(), Vec::new());
    // The states found so far, with the gains and the number of moves on the way.
    let mut nodes = vec![(start.clone(), 0.0_f32, 0_u32)];
    let mut seen: FxHashMap<E::State, f32> = FxHashMap::default();
    seen.insert(start.clone(), 0.0);
    let mut open = BinaryHeap::from([Open { estimate: 0.0, node: 0 }]);
    for _ in 0..expansions {
        let Some(Open { node, .. }) = open.pop() else { return Ok(None) };
        let (state, gained, moves) = nodes[node].clone();
        env.choices(&state, rng, &mut choices)?;
        model.rate(env, &state, &choices, 0, &mut scratch, &mut values);
        for (choice, &value) in choices.iter().zip(&values) {
            if env.over(&choice.after) {
                return Ok(Some(moves + 1));
            }
            let gained = gained + choice.gain;
            if seen.get(&choice.after).is_some_and(|&known| known >= gained) {
                continue;
            }
            seen.insert(choice.after.clone(), gained);
            open.push(Open { estimate: weight * gained + value, node: nodes.len() });
            nodes.push((choice.after.clone(), gained, moves + 1));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::cube::Cube;
    use crate::games::nim::{Heaps, MAX_HEAPS, Nim};
    use crate::games::othello::{Discs, Othello};
    use crate::games::tictactoe::TicTacToe;
    use crate::ntuple::{NTuple, Shape};
    use crate::weights::Steps;
    use magister_core::Seed;

    #[test]
    fn tree_search_wins_and_blocks() {
        let mut rng = Seed::from(1).rng();
        // x has the first two cells and o two in the middle row; x to move wins at once.
        let won = mcts(&mut TicTacToe, &[0b11, 0o30], 300, 1.0, &mut rng).unwrap();
        assert_eq!(won[0], 0b111);
        // x threatens the first row, so o must take its third cell.
        let blocked = mcts(&mut TicTacToe, &[0b11, 0o20], 1000, 1.0, &mut rng).unwrap();
        assert_eq!(blocked[1] & 0b111, 0b100);
    }

    #[test]
    fn three_players_share_one_point() {
        let mut nim = Nim::new(3, 2, 3, 3).unwrap();
        let mut rng = Seed::from(1).rng();
        let mut perfect = MaxN::new();
        // One object is left: the player after the next one wins.
        let mut left = [0; MAX_HEAPS];
        left[0] = 1;
        let last = Heaps { left, turn: 0 };
        assert_eq!(perfect.values(&mut nim, &last, &mut rng).unwrap(), [0.0, 1.0, 0.0]);
        // With two objects the first player takes one, and then gets the point.
        left[0] = 2;
        let two = Heaps { left, turn: 0 };
        let values = perfect.values(&mut nim, &two, &mut rng).unwrap();
        assert!((values.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        let initial = nim.initial();
        let start = perfect.values(&mut nim, &initial, &mut rng).unwrap();
        assert!((start.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn weights_decide() {
        let mut weights = [0.0; 64];
        weights[19] = 1.0;
        let mut rng = Seed::from(1).rng();
        let after =
            by_weights(&mut Othello::default(), &weights, &Discs::default(), &mut rng).unwrap();
        assert_eq!(after.discs[0] >> 19 & 1, 1);
    }

    #[test]
    fn a_search_solves_what_is_near() {
        let mut cube = Cube::small((3, 3));
        let layout = cube.layout();
        let shape = Shape::new(&layout, vec![vec![0, 1]], false).unwrap();
        let blank = NTuple::new(shape, 1, 1, 0.0, Steps::Plain);
        let mut rng = Seed::from(1).rng();
        for _ in 0..20 {
            let start = cube.start(&mut rng).unwrap();
            let moves = best_first(&mut cube, &blank, &start, 2_000, 1.0, &mut rng).unwrap();
            assert!(moves.is_some_and(|moves| moves <= 3));
        }
        let far = cube.scrambled(14, &mut rng);
        assert_eq!(best_first(&mut cube, &blank, &far, 10, 1.0, &mut rng).unwrap(), None);
    }
}
