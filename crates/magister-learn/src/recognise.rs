//! Recognises games that have a fast environment, by how they play.

use std::sync::Arc;

use magister_core::{Game, Information, Move, Role, Seed, Step, Stop, Worker};

use crate::environment::Environment;
use crate::file::Reading;
use crate::games::any::random_joint;
use crate::games::connect_four::{ConnectFour, Discs};
use crate::games::tictactoe::TicTacToe;
use crate::games::twenty48::Twenty48;

/// The number of random games in which a game and its fast version must agree.
const GAMES: u64 = 40;

/// Reads boards of games that have a fast environment.
#[derive(Clone, Debug)]
pub struct BoardReader {
    /// For each cell of the game's board, the cell of the fast version.
    cells: Vec<u8>,
    /// For each value of a cell, its meaning: 0 for empty, the number of the player from 1, or the
    /// exponent of a tile.
    values: Vec<u8>,
}

impl BoardReader {
    /// The cells of a state in the order of the fast version.
    pub fn read(&self, game: &dyn Game, words: &[u64]) -> Vec<u8> {
        let mut raw = vec![0_u16; self.cells.len()];
        if let Some(board) = game.board() {
            board.cells(words, &mut raw);
        }
        let mut out = vec![0; self.cells.len()];
        for (&cell, value) in self.cells.iter().zip(raw) {
            out[usize::from(cell)] = self.values.get(usize::from(value)).copied().unwrap_or(0);
        }
        out
    }

    /// The discs of Connect Four.
    pub fn discs(&self, game: &dyn Game, words: &[u64]) -> Discs {
        let cells = self.read(game, words);
        let side = |player: u8| {
            let of = |(cell, &value): (usize, &u8)| {
                u64::from(value == player) << (cell / 6 * 7 + cell % 6)
            };
            cells.iter().enumerate().map(of).sum()
        };
        Discs::new(side(1), side(2))
    }

    /// The marks of Tic-Tac-Toe.
    pub fn marks(&self, game: &dyn Game, words: &[u64]) -> [u16; 2] {
        let cells = self.read(game, words);
        [1, 2].map(|player| {
            cells.iter().enumerate().map(|(cell, &value)| u16::from(value == player) << cell).sum()
        })
    }

    /// The tiles of 2048.
    pub fn tiles(&self, game: &dyn Game, words: &[u64]) -> u64 {
        let cells = self.read(game, words);
        cells.iter().enumerate().map(|(cell, &tile)| u64::from(tile.min(15)) << (4 * cell)).sum()
    }

    /// A reader of a board with `cells` cells whose names are two numbers from 1; `place` maps them
    /// to a cell of the fast version.
    fn new(
        game: &dyn Game,
        count: usize,
        place: impl Fn(usize, usize) -> Option<usize>,
        value: impl Fn(&str) -> Option<u8>,
    ) -> Option<Self> {
        let shape = game.board()?.shape();
        if shape.cells.len() != count {
            return None;
        }
        let mut cells = Vec::new();
        for cell in &shape.cells {
            let mut numbers = cell.name.split_whitespace().map(|word| word.parse::<usize>().ok());
            let (a, b) = (numbers.next()??, numbers.next()??);
            let at = place(a.checked_sub(1)?, b.checked_sub(1)?)?;
            cells.push(u8::try_from(at).ok().filter(|_| at < count)?);
        }
        let mut sorted = cells.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let mut values = vec![0];
        for name in shape.values.iter().skip(1) {
            values.push(value(name)?);
        }
        (sorted.len() == count).then_some(BoardReader { cells, values })
    }
}

/// The reading of the fast environment for the same game, if there is one.
pub fn recognise(game: &Arc<dyn Game>) -> Option<(Reading, BoardReader)> {
    let info = game.info();
    if info.information == Information::Hidden || game.board().is_none() {
        return None;
    }
    let game = game.as_ref();
    let players: Vec<Role> = info.players().collect();
    let side = |name: &str| {
        let at = players.iter().position(|&role| info.role_name(role) == name)?;
        u8::try_from(at + 1).ok()
    };
    if let [_, _] = players[..] {
        for swapped in [false, true] {
            let six = |a: usize, b: usize| {
                let (column, row) = if swapped { (b, a) } else { (a, b) };
                (column < 7 && row < 6).then_some(column * 6 + row)
            };
            if let Some(reader) = BoardReader::new(game, 42, six, side)
                && agrees(game, &ConnectFour, |words| reader.discs(game, words))
            {
                return Some((Reading::ConnectFour, reader));
            }
        }
        let three = |a: usize, b: usize| (a < 3 && b < 3).then_some(a * 3 + b);
        let reader = BoardReader::new(game, 9, three, side)?;
        return agrees(game, &TicTacToe, |words| reader.marks(game, words))
            .then_some((Reading::Tictactoe, reader));
    }
    let four = |a: usize, b: usize| (a < 4 && b < 4).then_some(a * 4 + b);
    let power = |name: &str| {
        let tile: u32 = name.parse().ok()?;
        tile.is_power_of_two().then(|| tile.trailing_zeros() as u8)
    };
    let reader = BoardReader::new(game, 16, four, power)?;
    agrees(game, &Twenty48::default(), |words| reader.tiles(game, words))
        .then_some((Reading::Twenty48, reader))
}

/// Whether a game and an environment agree on random games: on the player to decide, on the set of
/// successor states, on gains, and on terminal states and their results.
fn agrees<E>(game: &dyn Game, env: &E, read: impl Fn(&[u64]) -> E::State) -> bool
where
    E: Environment + Clone,
    E::State: PartialEq,
{
    let mut env = env.clone();
    (0..GAMES).all(|number| {
        let mut worker = game.worker();
        walk(&mut *worker, &mut env, &read, Seed::from(number)).unwrap_or(false)
    })
}

fn walk<E>(
    worker: &mut dyn Worker,
    env: &mut E,
    read: &impl Fn(&[u64]) -> E::State,
    seed: Seed,
) -> Option<bool>
where
    E: Environment,
    E::State: PartialEq,
{
    let info = worker.info().clone();
    let players: Vec<Role> = info.players().collect();
    let mut rng = seed.rng();
    let (mut step, mut joint, mut words, mut choices) =
        (Step::new(), Vec::new(), Vec::new(), Vec::new());
    worker.reset();
    for _ in 0..300 {
        worker.save(&mut words);
        let state = read(&words);
        if worker.terminal() {
            if env.turn(&state).is_some() {
                return Some(false);
            }
            let mut goals = Vec::new();
            let results: Vec<f64> = players
                .iter()
                .map(|&role| {
                    worker.goals(role, &mut goals);
                    goals.first().copied().unwrap_or(0.0)
                })
                .collect();
            // Results must have the same order; their scale is not compared.
            let same = match results[..] {
                [a, b] => {
                    let difference = env.result(&state, 0) - env.result(&state, 1);
                    (a - b).partial_cmp(&0.0) == difference.partial_cmp(&0.0)
                }
                _ => true,
            };
            return Some(same);
        }
        let chance = info.chance.is_some_and(|role| worker.legal(role) != [Move::IDLE]);
        random_joint(worker, &mut rng, &mut joint);
        if !chance {
            let decides = players.iter().position(|&role| worker.legal(role).len() > 1);
            let player = env.turn(&state)?;
            if decides.is_some_and(|decides| decides != player) {
                return Some(false);
            }
            env.choices(&state, &mut rng, &mut choices).ok()?;
            let legal = worker.legal(players[player]).to_vec();
            if legal.len() != choices.len() {
                return Some(false);
            }
            for choice in legal {
                let mut other = joint.clone();
                other[players[player].index()] = choice;
                worker.step(&other, &mut step, &Stop::never()).ok()?;
                let gain = step.gains.get(players[player].index()).copied().unwrap_or(0.0);
                let mut next = Vec::new();
                worker.save(&mut next);
                let next = read(&next);
                let same = |one: &crate::environment::Choice<E::State>| {
                    one.after == next && (f64::from(one.gain) - gain).abs() < 0.5
                };
                if !choices.iter().any(same) {
                    return Some(false);
                }
                worker.load(&words, &Stop::never()).ok()?;
            }
        }
        worker.step(&joint, &mut step, &Stop::never()).ok()?;
    }
    Some(true)
}
