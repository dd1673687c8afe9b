//! Any game.
