//! Magister as a library: open a game by name, path or text, then play, solve or study it.
//!
//! ```
//! use magister::core::{Referee, Seed, Stop};
//!
//! let tictactoe = magister::open("tictactoe")?;
//! let mut referee = Referee::new(tictactoe.game.clone(), Seed::from(1), &Stop::never())?;
//! while !referee.terminal() {
//!     let roles = referee.game().info().all_roles();
//!     let joint: Vec<_> = roles.map(|role| referee.legal(role)[0]).collect();
//!     referee.advance(&joint, &Stop::never())?;
//! }
//! assert_eq!(referee.outcome(), Some(&[Some(100.0), Some(0.0)][..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`open`] takes the name of a bundled game or the path of a file, [`open_text`] takes rules. Both
//! return a [`Playable`], which has the game and everything that belongs to it: its name and
//! language, its rules as text, its evaluator, and how to draw its positions. [`Options`] sets the
//! evaluator, the language, limits on the input, a flag that stops the work and a callback for
//! progress. A [`Source`] is a game that was read and not prepared. [`Error`] says what is wrong
//! and what to do next.
//!
//! Preparing a game does not create the data that only players need. Call [`Playable::warm_up`]
//! before a match starts, so that this does not cost a player time on its clock.
//!
//! Each part of Magister is a module here:
//!
//! | module | holds |
//! |---|---|
//! | [`core`] | the vocabulary: games, roles, moves, states, players, views, records |
//! | [`diagnostic`] | findings in a text, with their positions |
//! | [`gdl`] | GDL and its dialects: reading, checking, printing, translating |
//! | [`recycle`] | RECYCLE: card games |
//! | [`engine`] | evaluators, from rules to running games |
//! | [`games`] | the catalogue of bundled games, and those written in Rust |
//! | [`players`] | all players |
//! | [`learn`] | agents that learn games by self-play |
//! | [`arena`] | matches, tournaments, ratings, analysis, the honesty audit |
//! | [`solve`] | exact solutions and equilibria |
//! | [`decompose`] | subgames, and solving games by their subgames |
//! | [`infoset`] | information sets |
//!
//! The folder `examples` of this crate has a program for each of the common tasks.

#![forbid(unsafe_code)]

mod error;
mod findings;
mod input;
pub mod known;
mod language;
mod options;
mod playable;
mod progress;
mod repair;
pub mod signature;
mod source;
mod subgame;

pub use magister_arena as arena;
pub use magister_core as core;
pub use magister_decompose as decompose;
pub use magister_diagnostic as diagnostic;
pub use magister_engine as engine;
pub use magister_games as games;
pub use magister_gdl as gdl;
pub use magister_infoset as infoset;
pub use magister_learn as learn;
pub use magister_players as players;
pub use magister_recycle as recycle;
pub use magister_solve as solve;

pub use error::Error;
pub use findings::Findings;
pub use input::{Input, bundled, unknown};
pub use language::{FrontEnd, Language, check, recognise};
pub use options::{Options, Reading};
pub use playable::Playable;
pub use progress::Report;
pub use repair::{Change, Repair, repair};
pub use source::{Each, Source};

/// Opens a bundled game by its name, or a file by its path, with the default options.
///
/// `NAME/infix`, `NAME/operations` and `NAME/prefix` are further rulesheets of some bundled games,
/// `NAME/rust` and `rust:NAME` are versions written in Rust. `NAME#2` is the second subgame of a game
/// that decomposes. A file with the name of a bundled game
/// has precedence.
pub fn open(name: &str) -> Result<Playable, Error> {
    Options::default().open(name)
}

/// Opens a game from its rules, in any of the languages, with the default options. `name` is the
/// name of the game in messages and records.
pub fn open_text(name: &str, text: &str) -> Result<Playable, Error> {
    Options::default().open_text(name, text)
}
