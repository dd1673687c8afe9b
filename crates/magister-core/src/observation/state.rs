//! States as tensors.

use std::fmt;
use std::sync::Arc;

use super::hashed;
use super::{Element, HASHED, Planes, Tensor, Tensors};
use crate::{Board, Game};

/// Writes the states of a game as tensors.
///
/// If the game has [its own tensors](Game::tensors), it writes those. Otherwise:
///
/// - `board`, if the game has one: the [`Planes`] of the values of its cells;
/// - `state`, if states have a fixed number of words: their bits;
/// - `terms`, otherwise: [`HASHED`] bits, two of which are set by every term in the text of a
///   state. This is the only tensor that can give two states the same numbers, and the only one
///   whose writing allocates.
///
/// It shows a full state, so it is only for code that has one. With hidden information, a player
/// has sampled states, never the true one.
///
/// ```
/// use magister_core::{Game, Native, StateObserver, examples::Countdown};
/// use std::sync::Arc;
///
/// let game: Arc<dyn Game> = Arc::new(Native::new(Countdown(5)));
/// let observer = StateObserver::new(&game);
/// let mut state = Vec::new();
/// game.worker().save(&mut state);
/// let mut row = vec![0.0; observer.tensors().len()];
/// observer.write(&state, &mut row);
/// assert_eq!(row[..3], [1.0, 0.0, 1.0]); // 5, the lowest bit first
/// ```
#[derive(Clone)]
pub struct StateObserver {
    game: Arc<dyn Game>,
    format: StateFormat,
}

/// How the states of a game are written; the game itself is stored elsewhere.
#[derive(Clone)]
pub(crate) struct StateFormat {
    tensors: Tensors,
    /// The default tensors, for a game that has none of its own.
    usual: Option<Usual>,
}

#[derive(Clone)]
struct Usual {
    planes: Option<Planes>,
    /// The number of words of a state, if it is fixed.
    words: Option<usize>,
}

impl StateObserver {
    /// The observer of a game.
    pub fn new(game: &Arc<dyn Game>) -> Self {
        StateObserver { game: Arc::clone(game), format: StateFormat::of(game.as_ref()) }
    }

    /// The tensors of every state.
    pub fn tensors(&self) -> &Tensors {
        &self.format.tensors
    }

    /// The game.
    pub fn game(&self) -> &Arc<dyn Game> {
        &self.game
    }

    /// Overwrites `out` with the numbers of a state.
    ///
    /// # Panics
    ///
    /// If `out` does not have [`Tensors::len`] entries.
    pub fn write(&self, state: &[u64], out: &mut [f32]) {
        self.format.write(self.game.as_ref(), state, out);
    }

    /// Overwrites `out` with the numbers of these states, one row of [`Tensors::len`] entries for
    /// each.
    ///
    /// # Panics
    ///
    /// If `out` does not have exactly one row per state.
    pub fn write_batch<'a, I>(&self, states: I, out: &mut [f32])
    where
        I: IntoIterator<Item = &'a [u64]>,
        I::IntoIter: ExactSizeIterator,
    {
        let (states, row) = (states.into_iter(), self.tensors().len());
        assert_eq!(out.len(), states.len() * row, "a buffer for another number of states");
        if row > 0 {
            states.zip(out.chunks_exact_mut(row)).for_each(|(state, row)| self.write(state, row));
        }
    }
}

impl StateFormat {
    pub(crate) fn of(game: &dyn Game) -> Self {
        if let Some(own) = game.tensors() {
            return StateFormat { tensors: own.tensors().clone(), usual: None };
        }
        let planes = game.board().map(|board| Planes::new(board.shape()));
        let words = game.info().state_words;
        let rest = match words {
            Some(words) => Tensor::new("state", Element::Bit, &[64 * words]),
            None => Tensor::new("terms", Element::Bit, &[HASHED]),
        };
        let tensors = Tensors::new(planes.iter().map(Planes::tensor).chain([rest]));
        StateFormat { tensors, usual: Some(Usual { planes, words }) }
    }

    pub(crate) fn tensors(&self) -> &Tensors {
        &self.tensors
    }

    /// Overwrites `out` with the numbers of a state of the game whose format it is.
    pub(crate) fn write(&self, game: &dyn Game, state: &[u64], out: &mut [f32]) {
        assert_eq!(out.len(), self.tensors.len(), "a buffer for another observation");
        out.fill(0.0);
        let Some(usual) = &self.usual else {
            if let Some(own) = game.tensors() {
                own.write(state, out);
            }
            return;
        };
        let mut rest = out;
        if let (Some(planes), Some(board)) = (&usual.planes, game.board()) {
            let (first, after) = rest.split_at_mut(planes.tensor_len());
            write_board(planes, board, state, first);
            rest = after;
        }
        match usual.words {
            Some(_) => write_bits(state, rest),
            None => hashed::set_terms(&game.text().state_text(state), rest),
        }
    }
}

/// Sets the bit of the value of each cell, in a buffer of zeros.
pub(crate) fn write_board(planes: &Planes, board: &dyn Board, state: &[u64], out: &mut [f32]) {
    // Boards of real games fit on the stack, which matters because learners write observations at
    // every step.
    const USUAL: usize = 1024;
    let shape = board.shape();
    let mut usual = [0; USUAL];
    let mut large = Vec::new();
    let cells = if shape.cells.len() <= USUAL {
        &mut usual[..shape.cells.len()]
    } else {
        large.resize(shape.cells.len(), 0);
        large.as_mut_slice()
    };
    board.cells(state, cells);
    for (cell, &value) in cells.iter().enumerate() {
        if usize::from(value) < shape.values.len() {
            out[planes.place(cell, usize::from(value))] = 1.0;
        }
    }
}

/// Sets the bits of the words of a state, in a buffer of zeros.
pub(crate) fn write_bits(state: &[u64], out: &mut [f32]) {
    for (numbers, &word) in out.chunks_mut(64).zip(state) {
        let mut rest = word;
        while rest != 0 {
            if let Some(number) = numbers.get_mut(rest.trailing_zeros() as usize) {
                *number = 1.0;
            }
            rest &= rest - 1;
        }
    }
}

impl fmt::Debug for StateObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateObserver")
            .field("game", &self.game.info().name)
            .field("tensors", self.tensors())
            .finish_non_exhaustive()
    }
}
