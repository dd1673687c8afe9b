//! A game as a learner plays it: decisions, afterstates and chance.

use magister_core::{Halt, Rng};

/// A game as a learner plays it.
///
/// An afterstate is the state after a move and before chance; without chance, it is the next state.
/// The training driver is compiled for each environment, so no game needs its own loop, and a fast
/// game loses nothing by the generality.
///
/// Rewards are scaled so that results between -1 (worst) and 1 (best) suit a value function with
/// a squashed output; a game of scores may use any scale and no squashing.
pub trait Environment: Send {
    /// A state or an afterstate.
    type State: Clone + Send;

    /// The number of players.
    fn players(&self) -> usize;

    /// Whether the game is two-player constant-sum, so that one value serves both players.
    fn opposed(&self) -> bool;

    /// The initial state: a player has to decide, or the game is over.
    fn start(&mut self, rng: &mut Rng) -> Result<Self::State, Halt>;

    /// The player to decide; `None` if the game is over. It is not called for afterstates before a
    /// move of chance.
    fn turn(&self, state: &Self::State) -> Option<usize>;

    /// Replaces the contents of `out` by the moves of the player who has to decide.
    fn choices(
        &mut self,
        state: &Self::State,
        rng: &mut Rng,
        out: &mut Vec<Choice<Self::State>>,
    ) -> Result<(), Halt>;

    /// The state after a random move of the player who has to decide, chance included. `buffer` is
    /// for the moves.
    fn random_step(
        &mut self,
        state: &Self::State,
        rng: &mut Rng,
        buffer: &mut Vec<Choice<Self::State>>,
    ) -> Result<Self::State, Halt> {
        self.choices(state, rng, buffer)?;
        let chosen = rng.below(buffer.len().max(1) as u64) as usize;
        let Some(choice) = buffer.get(chosen) else {
            return Err(Halt::Rules("a player who has to decide has no move".to_owned()));
        };
        let mut after = choice.after.clone();
        if !self.over(&after) {
            self.settle(&mut after, rng)?;
        }
        Ok(after)
    }

    /// Whether the game is over in an afterstate, so that chance has no move either.
    fn over(&self, after: &Self::State) -> bool;

    /// Lets chance move from an afterstate until a player has to decide or the game is over.
    fn settle(&mut self, after: &mut Self::State, rng: &mut Rng) -> Result<(), Halt>;

    /// The result of a player at the end of the game, without earlier gains.
    fn result(&self, end: &Self::State, player: usize) -> f32;

    /// Which of the [`slots`](Environment::slots) of weights evaluates an afterstate: usually the
    /// player to decide next.
    fn slot(&self, after: &Self::State) -> usize;

    /// The number of slots.
    fn slots(&self) -> usize {
        self.players()
    }
}

/// A move that a learner can choose.
#[derive(Clone, Debug)]
pub struct Choice<S> {
    /// The number of the move, below the number of moves of the game.
    pub id: u32,
    /// The afterstate that it leads to.
    pub after: S,
    /// The gain of the player.
    pub gain: f32,
}

/// An environment whose states are boards: cells, each with one of a few values.
pub trait Cells: Environment {
    /// The layout of the cells.
    fn layout(&self) -> CellLayout;

    /// Writes the value of each cell.
    fn write(&self, state: &Self::State, out: &mut [u8]);

    /// Replaces the contents of `out` by the cells in which an afterstate differs from the previous
    /// state, whose cells are given, with the new values. `after` is a buffer for as many cells.
    fn changes(
        &self,
        cells: &[u8],
        choice: &Choice<Self::State>,
        after: &mut [u8],
        out: &mut Vec<(u16, u8)>,
    ) {
        self.write(&choice.after, after);
        let pairs = (0..).zip(cells.iter().zip(&*after));
        out.clear();
        out.extend(pairs.filter(|(_, (old, new))| old != new).map(|(cell, (_, &new))| (cell, new)));
    }
}

/// The cells of a board, their neighbours, and their symmetries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellLayout {
    /// For each cell, the number of its values.
    pub values: Vec<u8>,
    /// For each cell, the adjacent cells, in ascending order.
    pub neighbours: Vec<Vec<u16>>,
    /// Permutations of the cells under which the value of a state stays the same, without the
    /// identity. Entry `i` is the cell that takes the place of cell `i`.
    pub symmetries: Vec<Vec<u16>>,
}

impl CellLayout {
    /// The neighbours on a grid, numbered row by row: cells that share a side or a corner.
    pub fn grid(columns: u16, rows: u16, values: u8) -> Self {
        let mut neighbours = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                let mut near = Vec::new();
                for r in row.saturating_sub(1)..=(row + 1).min(rows - 1) {
                    for c in column.saturating_sub(1)..=(column + 1).min(columns - 1) {
                        if (r, c) != (row, column) {
                            near.push(r * columns + c);
                        }
                    }
                }
                neighbours.push(near);
            }
        }
        let cells = usize::from(columns) * usize::from(rows);
        CellLayout { values: vec![values; cells], neighbours, symmetries: Vec::new() }
    }
}
