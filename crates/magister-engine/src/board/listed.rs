//! The board and the observations of a game that does not run on a network.

use magister_core::{Board, Game, Move, Shape, StateTensors, Stop, Tensors};

use super::NetworkBoard;
use crate::compiled::FluentBoard;
use crate::grounder::{GroundLimits, ground};
use crate::network::{GdlNetwork, NetworkLimits};
use crate::observation::FluentTensors;
use crate::program::Program;
use crate::vocabulary::Vocabulary;

/// The board and observations of a game with a vocabulary, whose states are lists of fluent
/// numbers: they equal those of the game on a network, because they must not depend on the
/// evaluator.
#[derive(Debug)]
pub(crate) struct Listed {
    board: Option<ListedBoard>,
    tensors: FluentTensors,
}

impl Listed {
    /// Builds the network for this purpose and discards it. Rules without a network have no board.
    pub(crate) fn new(game: &dyn Game, program: &Program, vocabulary: &Vocabulary) -> Self {
        let board = board(game, program, vocabulary).map(ListedBoard);
        let on = board.as_ref().map(|board| &board.0 as &dyn FluentBoard);
        let tensors = FluentTensors::new(vocabulary.fluents.len(), on);
        Self { board, tensors }
    }

    /// The board, if there is one.
    pub(crate) fn board(&self) -> Option<&dyn Board> {
        self.board.as_ref().map(|board| board as &dyn Board)
    }
}

fn board(game: &dyn Game, program: &Program, vocabulary: &Vocabulary) -> Option<NetworkBoard> {
    let never = Stop::never();
    let ground = ground(program, &GroundLimits::default(), &never).ok()?;
    let network = GdlNetwork::new(&ground, &NetworkLimits::default(), &never).ok()?;
    NetworkBoard::new(game, &network, program, vocabulary.moves.terms())
}

fn fluents(state: &[u64]) -> impl Iterator<Item = usize> {
    state.iter().map(|&fluent| fluent as usize)
}

impl StateTensors for Listed {
    fn tensors(&self) -> &Tensors {
        self.tensors.tensors()
    }

    fn write(&self, state: &[u64], out: &mut [f32]) {
        self.tensors.write(fluents(state), out);
    }
}

#[derive(Debug)]
struct ListedBoard(NetworkBoard);

impl Board for ListedBoard {
    fn shape(&self) -> &Shape {
        self.0.shape()
    }

    fn cells(&self, state: &[u64], out: &mut [u16]) {
        self.0.put(fluents(state), out);
    }

    fn target(&self, choice: Move) -> Option<(u32, u32)> {
        self.0.target(choice)
    }
}
