//! The vocabulary of Magister.
//!
//! Games of every language implement one trait, [`Game`], so players, learners and managers never
//! depend on a language. A step is a joint move: every role chooses simultaneously, including
//! chance. In a turn-based game one role has a choice and the others have none. States are words
//! that callers store, one [`Worker`] per thread computes with them, and players get a [`View`],
//! which contains no state.
//!
//! ```
//! use magister_core::{Game, Native, Referee, Seed, Stop, examples::Countdown};
//! use std::sync::Arc;
//!
//! // Two players take one or two from five in turn; the player who takes the last one wins.
//! let game: Arc<dyn Game> = Arc::new(Native::new(Countdown(5)));
//! let mut referee = Referee::new(game, Seed::from(1), &Stop::never())?;
//! while !referee.terminal() {
//!     let moves: Vec<_> = referee.game().info().all_roles().map(|r| referee.legal(r)[0]).collect();
//!     referee.advance(&moves, &Stop::never())?;
//! }
//! assert_eq!(referee.outcome(), Some(&[Some(100.0), Some(0.0)][..]));
//! # Ok::<(), magister_core::Halt>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `ids`, `info` | roles, moves and percepts as numbers; the facts of a game |
//! | `game`, `step`, `stop` | the traits [`Game`] and [`Worker`]; the result of a step; how it ends early |
//! | [`text`], `board`, `symmetry` | text, boards and symmetries |
//! | `observation` | states and views as tensors, for learning |
//! | `native`, [`pack`] | games written in Rust: the trait [`Rules`]; states as bits |
//! | `seed`, [`mod@philox`], [`playout`] | random numbers, and playouts that are the same on every evaluator |
//! | `budget`, `agent`, [`view`] | how long to think, agents, and what they know |
//! | `evaluate` | values and policies of many positions at once, for searches |
//! | `referee`, [`record`] | the referee, which holds the true state, and the match record |
//! | [`mod@matches`], `source`, [`draws`] | matches as state machines, sources of players, and the random numbers of a match |
//! | [`battery`] | tests that any game must pass |
//! | [`examples`] | the smallest complete game |
//!
//! This crate depends on no language, clock or I/O.

#![forbid(unsafe_code)]

mod agent;
pub mod battery;
mod board;
mod budget;
pub mod draws;
mod evaluate;
pub mod examples;
mod game;
mod hex;
mod ids;
mod info;
pub mod matches;
mod native;
mod observation;
pub mod pack;
pub mod philox;
pub mod playout;
pub mod record;
mod referee;
mod seed;
mod source;
mod step;
mod stop;
mod style;
mod symmetry;
pub mod text;
pub mod view;
mod worlds;
mod wrapped;

pub use agent::{Agent, Decision, Thought};
pub use board::{Board, Cell, Layout, Shape};
pub use budget::{Budget, Clock};
pub use evaluate::{Evaluate, Evaluations, Position, Positions};
pub use game::{Game, Worker};
pub use ids::{Move, Percept, Role};
pub use info::{Info, Information, Payment, rules_hash};
pub use matches::{Answer, Event, Match, MatchError, Pending, Said, Setup};
pub use native::{Native, Rules};
pub use observation::{
    Element, HASHED, Planes, StateObserver, StateTensors, TURN_HASHED, Tensor, Tensors,
    ViewObserver,
};
pub use playout::{
    Batch, Detail, LeafResults, Leaves, MoveTally, Results, Stream, Tally, Tried, Tries,
};
pub use record::{Fault, FaultKind, MatchEnd, MatchRecord, PlayerKind, Seat, Viewer};
pub use referee::{Referee, draw, odds};
pub use seed::{Rng, Seed};
pub use source::{Capabilities, FnSource, PlayerSource, SourceError};
pub use step::{Observation, Percepts, Step, Turn};
pub use stop::{Halt, Stop};
pub use style::{BoardStyle, End, Style};
pub use symmetry::Symmetry;
pub use text::Text;
pub use view::View;
pub use worlds::Worlds;
pub use wrapped::{Twist, Wrapped};
