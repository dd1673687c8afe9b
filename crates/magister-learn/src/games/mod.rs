//! Environments: fast ones for a few games, and one for any game.

pub mod actions;
pub mod any;
pub mod connect_four;
pub mod cube;
pub mod hex;
pub mod nim;
pub mod othello;
pub mod tictactoe;
pub mod twenty48;
pub mod views;
