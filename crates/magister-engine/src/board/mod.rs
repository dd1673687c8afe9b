//! The automatic board: positions of any game as pictures.
//!
//! A [`Painter`] is created once per game. It examines the fluents, their exclusions, a few states
//! of random play and the words of the rules, and finds what a person would draw: boards with rows
//! and columns, several of them if an argument distinguishes them, points that rules connect,
//! heaps, scores, the role to move. A style provides what cannot be found. The painter lists all
//! fluents that it did not recognise, so that no fluent is lost.
//!
//! [`Painter::picture`] turns a state into a [`Picture`], which is data; [`Picture::text`] renders
//! it as text, and other renderers start from the same data. A picture shows the full state, so
//! only code that may see the state can have one.

mod classify;
mod coordinates;
mod domain;
mod families;
mod fill;
mod graph;
mod groups;
mod hexagons;
mod layout;
mod listed;
mod marks;
mod material;
mod notes;
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
pub use picture::{Edge, Line, Panel, Picture, Side, Spot};
pub use vocabulary::NetworkBoard;
