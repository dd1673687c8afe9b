//! Games as networks, independent of their language.
//!
//! A front end reads the rules of a game and provides a [`Compiled`]: the facts of the game, the
//! texts of its moves, percepts and fluents, its network, and optionally its board. All evaluators
//! run on it. The front end of GDL is [`NetworkGame`](crate::evaluator::NetworkGame); a
//! [`CompiledBuilder`] builds a game gate by gate, for other front ends and for tests.

mod build_error;
mod builder;
mod names;
mod symmetries;

use std::fmt;
use std::sync::{Arc, OnceLock};

use magister_core::{Board, Game, Info, Symmetry};

use crate::network::Network;
use crate::observation::FluentTensors;

pub use crate::network::FluentId;
pub use build_error::BuildError;
pub use builder::{CompiledBuilder, MoveHandle, Wire};
pub use names::{Names, Reader};

/// The board of a compiled game.
pub trait FluentBoard: Board {
    /// The cell of a fluent and the value that it gives the cell; `None` for a fluent that is not
    /// on the board. Observations use this for the planes of the board.
    fn place(&self, _fluent: usize) -> Option<(u32, u16)> {
        None
    }
}

/// Creates the board of a game on demand.
type BoardMaker = Box<dyn Fn(&dyn Game) -> Option<Box<dyn FluentBoard>> + Send + Sync>;

/// A game from a front end.
pub struct Compiled {
    info: Info,
    names: Names,
    network: Arc<Network>,
    missing_goal: Option<f64>,
    board_maker: Option<BoardMaker>,
    board: OnceLock<Option<Box<dyn FluentBoard>>>,
    /// The observations of states, created on demand.
    tensors: OnceLock<FluentTensors>,
    /// The proven symmetries, found on demand.
    symmetries: OnceLock<Vec<Symmetry>>,
}

impl Compiled {
    /// A game without a board. Fills in the numbers of words and moves in `info`.
    pub fn new(mut info: Info, names: Names, network: Arc<Network>) -> Self {
        debug_assert_eq!(info.roles.len(), network.roles());
        debug_assert_eq!(names.fluents().len(), network.fluents());
        info.state_words = Some(network.fluents().div_ceil(64));
        info.moves = Some(names.moves().len() as u32);
        info.percepts = Some(names.percepts().len() as u32);
        Self {
            info,
            names,
            network,
            missing_goal: None,
            board_maker: None,
            board: OnceLock::new(),
            tensors: OnceLock::new(),
            symmetries: OnceLock::new(),
        }
    }

    /// The same game with this goal value for roles that have none.
    #[must_use]
    pub fn with_missing_goal(self, value: f64) -> Self {
        Self { missing_goal: Some(value), ..self }
    }

    /// The same game with a board, which is created on demand.
    #[must_use]
    pub fn with_board(
        self,
        maker: impl Fn(&dyn Game) -> Option<Box<dyn FluentBoard>> + Send + Sync + 'static,
    ) -> Self {
        Self { board_maker: Some(Box::new(maker)), ..self }
    }

    /// The same game on another network with the same fluents and moves, without a board.
    pub(crate) fn on(&self, network: Network) -> Self {
        Self {
            info: self.info.clone(),
            names: self.names.clone(),
            network: Arc::new(network),
            missing_goal: self.missing_goal,
            board_maker: None,
            board: OnceLock::new(),
            tensors: OnceLock::new(),
            symmetries: OnceLock::new(),
        }
    }

    /// The facts of the game.
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// The texts of moves, percepts and fluents.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The default goal value of a role for which the rules give none, if there is a default.
    pub fn missing_goal(&self) -> Option<f64> {
        self.missing_goal
    }

    /// The board; `game` is this game, on any evaluator.
    pub fn board(&self, game: &dyn Game) -> Option<&dyn FluentBoard> {
        let maker = self.board_maker.as_ref()?;
        self.board.get_or_init(|| maker(game)).as_deref()
    }

    /// The proven symmetries of the board; `game` is this game, on any evaluator.
    pub(crate) fn symmetries(&self, game: &dyn Game) -> &[Symmetry] {
        self.symmetries.get_or_init(|| self.find_symmetries(game))
    }

    /// The observations of states.
    pub(crate) fn tensors(&self, game: &dyn Game) -> &FluentTensors {
        let make = || FluentTensors::new(self.network.fluents(), self.board(game));
        self.tensors.get_or_init(make)
    }
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled").field("info", &self.info).finish_non_exhaustive()
    }
}
