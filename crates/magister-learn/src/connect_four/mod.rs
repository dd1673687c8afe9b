//! Connect Four solved: the yardstick for players and for learning.

pub(crate) mod board;
mod book;
mod pairing;
mod player;
mod solved;
mod solver;
mod table;

pub use board::{CELLS, COLUMNS, Position, ROWS};
pub use book::{Book, BookError, DEEPEST, levels};
pub use player::{Perfect, is_played_in};
pub use solved::Solved;
pub(crate) use solver::ORDER;
pub use solver::{Score, Solver};
