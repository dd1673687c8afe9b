//! The automatic board: positions of any game as pictures.
//!
//! A [`Painter`] is made once for a game. It looks at the fluents, at which of them exclude each
//! other, at a few states of random play and at the words of the rules, and finds what a person
//! would draw: boards with rows and columns, several of them where an argument tells them apart,
//! points that rules connect, heaps, scores, whose turn it is. A style says what can not be found.
//! What it has not understood it lists: no fluent is lost.
//!
//! [`Painter::picture`] makes a [`Picture`] of a state, which is data; [`Picture::text`] writes it
//! down, and other ways of drawing start from the same data. A picture is of a state, so it is for
//! whoever holds one.

mod classify;
mod domain;
mod fill;
mod graph;
mod listed;
mod material;
mod paint;
mod picture;
mod plan;
mod relation;
mod symbols;
#[cfg(test)]
mod tests;
mod text;
mod vocabulary;

pub(crate) use listed::Listed;
pub use material::fluents;
pub use paint::Painter;
pub use picture::{Line, Panel, Picture, Spot};
pub use vocabulary::NetworkBoard;
