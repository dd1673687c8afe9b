//! Games as networks, whatever language they were written in.
//!
//! A front end reads the rules of a game and hands over a [`Compiled`]: the facts of the game, the
//! texts of its moves, percepts and fluents, its network, and, if it likes, its board. All
//! evaluators run on that. The front end of GDL is [`NetworkGame`](crate::evaluator::NetworkGame);
//! a [`CompiledBuilder`] makes a game gate by gate, for other front ends and for tests.

mod build_error;
mod builder;
mod names;

use std::fmt;
use std::sync::{Arc, OnceLock};

use magister_core::{Board, Game, Info};

use crate::network::Network;
use crate::observation::FluentTensors;

pub use crate::network::FluentId;
pub use build_error::BuildError;
pub use builder::{CompiledBuilder, MoveHandle, Wire};
pub use names::{Names, Reader};

/// The board of a compiled game.
pub trait FluentBoard: Board {
    /// The cell that a fluent lies on, and the value that it gives the cell; none for a fluent that
    /// is not drawn there. Observations show it in the planes of the board.
    fn place(&self, _fluent: usize) -> Option<(u32, u16)> {
        None
    }
}

/// Makes the board of a game, when somebody first wants it.
type BoardMaker = Box<dyn Fn(&dyn Game) -> Option<Box<dyn FluentBoard>> + Send + Sync>;

/// A game as a front end hands it over.
pub struct Compiled {
    info: Info,
    names: Names,
    network: Arc<Network>,
    missing_goal: Option<f64>,
    board_maker: Option<BoardMaker>,
    board: OnceLock<Option<Box<dyn FluentBoard>>>,
    /// How states are observed, made when somebody first wants it.
    tensors: OnceLock<FluentTensors>,
}

impl Compiled {
    /// A game without a board. The numbers of words and moves in `info` are filled in.
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
        }
    }

    /// The same game, in which a role for which the rules give no goal value has this one.
    #[must_use]
    pub fn with_missing_goal(self, value: f64) -> Self {
        Self { missing_goal: Some(value), ..self }
    }

    /// The same game with a board, which is made when somebody first wants it.
    #[must_use]
    pub fn with_board(
        self,
        maker: impl Fn(&dyn Game) -> Option<Box<dyn FluentBoard>> + Send + Sync + 'static,
    ) -> Self {
        Self { board_maker: Some(Box::new(maker)), ..self }
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

    /// The goal value of a role for which the rules give none; nothing if it has none then.
    pub fn missing_goal(&self) -> Option<f64> {
        self.missing_goal
    }

    /// The board; `game` is this game, by any evaluator.
    pub fn board(&self, game: &dyn Game) -> Option<&dyn FluentBoard> {
        let maker = self.board_maker.as_ref()?;
        self.board.get_or_init(|| maker(game)).as_deref()
    }

    /// How states are observed.
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
