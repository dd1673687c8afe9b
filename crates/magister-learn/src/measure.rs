//! How good a value function is: mistakes in small games, and games against the perfect player.

use std::collections::hash_map::Entry;

use magister_core::{Halt, Rng, Seed, Stop};
use rustc_hash::FxHashMap;

use crate::connect_four::{ORDER, Position, Solved, Solver};
use crate::driver::{Chain, heads, tanh};
use crate::environment::{Choice, Environment};
use crate::games::connect_four::{ConnectFour, Discs};
use crate::model::Model;

/// The best move and its value for the player to move.
type Found<S> = (Choice<S>, f32);

/// A player that chooses the move with the best value, or by a short search.
pub struct Greedy<'a, E: Environment, M: Model<E>> {
    env: E,
    model: &'a M,
    chain: Chain,
    heads: usize,
    squash: bool,
    plies: u32,
    scratch: M::Scratch,
    choices: Vec<Choice<E::State>>,
    values: Vec<f32>,
}

impl<E: Environment, M: Model<E>> std::fmt::Debug for Greedy<'_, E, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Greedy").field("chain", &self.chain).finish_non_exhaustive()
    }
}

impl<'a, E: Environment + Clone, M: Model<E>> Greedy<'a, E, M> {
    /// The player of a squashed value function that was trained with this chain.
    pub fn new(env: &E, model: &'a M, chain: Chain) -> Self {
        Greedy {
            env: env.clone(),
            model,
            chain,
            heads: heads(env, chain),
            squash: true,
            plies: 1,
            scratch: model.scratch(),
            choices: Vec::new(),
            values: Vec::new(),
        }
    }

    /// The same player for values that were trained without squashing.
    #[must_use]
    pub fn unsquashed(self) -> Self {
        Greedy { squash: false, ..self }
    }

    /// The same player with a search of this many plies, for games without chance for two opponents.
    /// The values after the last ply count.
    #[must_use]
    pub fn searching(self, plies: u32) -> Self {
        Greedy { plies, ..self }
    }

    /// The best move. The generator is for environments that list their moves at random.
    pub fn decide(&mut self, state: &E::State, rng: &mut Rng) -> Result<Choice<E::State>, Halt> {
        debug_assert!(self.plies <= 1 || self.env.opposed(), "a search needs two opponents");
        Ok(self.deepen(state, self.plies, f32::INFINITY, rng)?.0)
    }

    /// The best move of a state. A search whose value reaches `enough` ends, because the opponent has
    /// something better.
    fn deepen(
        &mut self,
        state: &E::State,
        plies: u32,
        enough: f32,
        rng: &mut Rng,
    ) -> Result<Found<E::State>, Halt> {
        let player = self.env.turn(state).unwrap_or(0);
        self.rate(state, player, rng)?;
        let none = || Halt::Rules("a player who has to decide has no move".to_owned());
        let all = 0..self.choices.len();
        if plies <= 1 {
            let worth = |at: usize| self.worth(at, player);
            let best = all.reduce(|best, at| if worth(at) > worth(best) { at } else { best });
            return best.map(|best| (self.choices[best].clone(), worth(best))).ok_or_else(none);
        }
        let mut order: Vec<Found<E::State>> =
            all.map(|at| (self.choices[at].clone(), self.worth(at, player))).collect();
        // The most promising first, so that the others end early.
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut best: Option<Found<E::State>> = None;
        for (choice, mut worth) in order {
            let most = best.as_ref().map_or(f32::NEG_INFINITY, |best| best.1);
            if !self.env.over(&choice.after) {
                let mut after = choice.after.clone();
                self.env.settle(&mut after, rng)?;
                let gain = choice.gain;
                worth = gain
                    + match self.env.turn(&after) {
                        None => self.env.result(&after, player),
                        Some(next) if next == player => {
                            self.deepen(&after, plies - 1, enough - gain, rng)?.1
                        }
                        Some(_) => -self.deepen(&after, plies - 1, gain - most, rng)?.1,
                    };
            }
            if worth > most || best.is_none() {
                best = Some((choice, worth));
            }
            if worth >= enough {
                break;
            }
        }
        best.ok_or_else(none)
    }

    /// Lists the choices of a state and their values for its player.
    fn rate(&mut self, state: &E::State, player: usize, rng: &mut Rng) -> Result<(), Halt> {
        self.env.choices(state, rng, &mut self.choices)?;
        let head = if self.chain == Chain::Every && self.heads > 1 { player } else { 0 };
        let Greedy { env, model, scratch, choices, values, .. } = self;
        model.rate(env, state, choices, head, scratch, values);
        Ok(())
    }

    /// What a choice is worth to the player.
    fn worth(&self, at: usize, player: usize) -> f32 {
        let choice = &self.choices[at];
        let later = if self.env.over(&choice.after) {
            self.env.result(&choice.after, player)
        } else {
            let first = self.chain == Chain::Every && self.heads == 1;
            let sign = if first && player > 0 { -1.0 } else { 1.0 };
            sign * if self.squash { tanh(self.values[at]) } else { self.values[at] }
        };
        choice.gain + later
    }
}

/// In a small deterministic two-player constant-sum game: the number of positions of up to `plies`
/// moves from which the player, on either side and against some sequence of replies, gets less than
/// the game-theoretic value of the position.
pub fn mistakes<E, M>(env: &E, model: &M, chain: Chain, plies: u32) -> u32
where
    E: Environment + Clone,
    M: Model<E>,
{
    let mut rng = Seed::from(0).rng();
    let mut env = env.clone();
    let mut greedy = Greedy::new(&env, model, chain);
    let Ok(start) = env.start(&mut rng) else { return u32::MAX };
    let mut count = 0;
    let mut level = vec![start];
    for ply in 0..=plies {
        let mut next = Vec::new();
        for state in &level {
            let Some(_) = env.turn(state) else { continue };
            for player in 0..2 {
                let worst = worst(&mut env, &mut greedy, state, player, &mut rng);
                count += u32::from(worst < best(&mut env, state, player, &mut rng));
            }
            if ply < plies {
                next.extend(successors(&mut env, state, &mut rng));
            }
        }
        level = next;
    }
    count
}

fn successors<E: Environment>(env: &mut E, state: &E::State, rng: &mut Rng) -> Vec<E::State> {
    let mut choices = Vec::new();
    match env.choices(state, rng, &mut choices) {
        Ok(()) => choices.into_iter().map(|choice| settled(env, choice.after, rng)).collect(),
        Err(_) => Vec::new(),
    }
}

/// The state after an afterstate of a game without chance.
fn settled<E: Environment>(env: &mut E, mut after: E::State, rng: &mut Rng) -> E::State {
    if !env.over(&after) {
        // A game that cannot continue stays in its state, which counts as a mistake.
        let _ = env.settle(&mut after, rng);
    }
    after
}

/// The value of a state for a player if both play optimally.
fn best<E: Environment>(env: &mut E, state: &E::State, player: usize, rng: &mut Rng) -> f32 {
    let Some(turn) = env.turn(state) else { return env.result(state, player) };
    let values = successors(env, state, rng).into_iter();
    let values = values.map(|next| best(env, &next, player, rng)).collect::<Vec<_>>();
    let all = values.into_iter();
    if turn == player { all.fold(f32::MIN, f32::max) } else { all.fold(f32::MAX, f32::min) }
}

/// The minimum result of the greedy player as `player`, over all replies.
fn worst<E, M>(
    env: &mut E,
    greedy: &mut Greedy<'_, E, M>,
    state: &E::State,
    player: usize,
    rng: &mut Rng,
) -> f32
where
    E: Environment + Clone,
    M: Model<E>,
{
    let Some(turn) = env.turn(state) else { return env.result(state, player) };
    if turn == player {
        return match greedy.decide(state, rng) {
            Ok(choice) => {
                let next = settled(env, choice.after, rng);
                worst(env, greedy, &next, player, rng)
            }
            Err(_) => f32::MIN,
        };
    }
    let all = successors(env, state, rng);
    all.into_iter().map(|next| worst(env, greedy, &next, player, rng)).fold(f32::MAX, f32::min)
}

/// The mean result, from -1 to 1, of a value function that moves first against the perfect player
/// of Connect Four. The perfect player preserves the best class (win, draw or loss) and breaks ties
/// at random; if it is `distant`, it also delays its losses as long as it can.
pub fn against_perfect<M: Model<ConnectFour>>(
    greedy: &mut Greedy<'_, ConnectFour, M>,
    solver: &mut Solver,
    distant: bool,
    games: u32,
    rng: &mut Rng,
    stop: &Stop,
) -> Result<f64, Halt> {
    let env = ConnectFour;
    let mut total = 0.0;
    // The same positions occur again and again.
    let mut known: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    for _ in 0..games {
        let mut state = Discs::default();
        while let Some(player) = env.turn(&state) {
            state = if player == 0 {
                greedy.decide(&state, rng)?.after
            } else {
                let all = match known.entry(state.position.key()) {
                    Entry::Occupied(old) => old.into_mut(),
                    Entry::Vacant(new) => {
                        new.insert(perfect_moves(solver, &state.position, distant, stop)?)
                    }
                };
                let column = all[rng.below(all.len() as u64) as usize];
                Discs { position: state.position.play(column), won: state.position.wins(column) }
            };
        }
        total += f64::from(env.result(&state, 0));
    }
    Ok(total / f64::from(games.max(1)))
}

/// The number of solved positions of Connect Four in which the best move by the values preserves the
/// best class (win, draw or loss).
pub fn preserved<'a, M: Model<ConnectFour>>(
    model: &M,
    chain: Chain,
    positions: impl Iterator<Item = &'a Solved>,
) -> Result<u32, Halt> {
    let mut greedy = Greedy::new(&ConnectFour, model, chain);
    let mut rng = Seed::from(0).rng();
    let mut count = 0;
    for solved in positions {
        let position = solved.position().ok_or(Halt::BadState)?;
        let choice = greedy.decide(&Discs { position, won: false }, &mut rng)?;
        count += u32::from(solved.keeping.contains(&(choice.id + 1)));
    }
    Ok(count)
}

/// The moves of the perfect player: those with the best class or, if it is `distant` and loses, those
/// that lose as late as possible.
pub fn perfect_moves(
    solver: &mut Solver,
    position: &Position,
    distant: bool,
    stop: &Stop,
) -> Result<Vec<u32>, Halt> {
    let columns = ORDER.into_iter().filter(|&column| position.can_play(column));
    let class = solver.class(position, stop)?;
    let mut out = Vec::new();
    if class < 0 && distant {
        // The lowest score of the other player so far. Most moves are worse, which is soon shown.
        let mut least = None;
        for column in columns {
            let next = position.play(column);
            if let Some(least) = least
                && solver.exceeds(&next, least, stop)?
            {
                continue;
            }
            let score = solver.score(&next, stop)?;
            if least.is_some_and(|least| score < least) {
                out.clear();
            }
            least = Some(score);
            out.push(column);
        }
    } else {
        for column in columns {
            let kept = if class < 0 {
                true
            } else if position.wins(column) {
                class > 0
            } else {
                -solver.class(&position.play(column), stop)? == class
            };
            if kept {
                out.push(column);
            }
        }
    }
    if out.is_empty() {
        return Err(Halt::Rules("the board is full".to_owned()));
    }
    Ok(out)
}

/// One of the [`perfect_moves`], drawn at random.
pub fn perfect_move(
    solver: &mut Solver,
    position: &Position,
    distant: bool,
    rng: &mut Rng,
    stop: &Stop,
) -> Result<u32, Halt> {
    let all = perfect_moves(solver, position, distant, stop)?;
    Ok(all[rng.below(all.len() as u64) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Cells as _;
    use crate::games::tictactoe::TicTacToe;
    use crate::ntuple::{NTuple, Shape};
    use crate::weights::Steps;

    /// A search to the end of the game plays perfectly, whatever the values are.
    #[test]
    fn a_search_to_the_end_is_perfect() {
        let tuples = (0..9).map(|cell| vec![cell]).collect();
        let shape = Shape::new(&TicTacToe.layout(), tuples, false).unwrap();
        let network = NTuple::new(shape, 2, 1, 0.0, Steps::Plain);
        let mut rng = Seed::from(7).rng();
        for at in 0..network.weights.len() {
            network.weights.set(at, rng.f64() as f32 - 0.5);
        }
        let mut env = TicTacToe;
        let mut greedy = Greedy::new(&env, &network, Chain::Every).searching(9);
        for _ in 0..30 {
            let mut state = env.start(&mut rng).unwrap();
            for _ in 0..2 {
                state = env.random_step(&state, &mut rng, &mut Vec::new()).unwrap();
            }
            while let Some(player) = env.turn(&state) {
                let value = best(&mut env, &state, player, &mut rng);
                let after = greedy.decide(&state, &mut rng).unwrap().after;
                let later = best(&mut env, &after, player, &mut rng);
                assert!((later - value).abs() < 1e-6, "{state:?}");
                state = env.random_step(&after, &mut rng, &mut Vec::new()).unwrap_or(after);
            }
        }
    }
    /// The moves of the player that delays losses have the lowest scores of the other player.
    #[test]
    fn distant_losses_are_the_latest() {
        let mut rng = Seed::from(5).rng();
        let (mut solver, stop) = (Solver::new(16), Stop::never());
        let mut lost = 0;
        while lost < 20 {
            let mut position = Position::new();
            while position.plies() < 26 {
                let column = rng.below(7) as u32;
                if !position.can_play(column) || position.wins(column) {
                    break;
                }
                position = position.play(column);
            }
            if position.plies() < 26 || solver.class(&position, &stop).unwrap() >= 0 {
                continue;
            }
            lost += 1;
            let scores = solver.scores(&position, &stop).unwrap();
            let best = scores.iter().flatten().max().copied();
            let expected: Vec<u32> =
                (0..7).filter(|&column| scores[column as usize] == best).collect();
            let mut found = perfect_moves(&mut solver, &position, true, &stop).unwrap();
            found.sort_unstable();
            assert_eq!(found, expected);
        }
    }
}
