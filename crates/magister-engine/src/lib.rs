//! From rules to running games.
//!
//! A checked rulesheet becomes a [`Program`]: plain data in which every name, ground term, relation
//! and rule is a small number. Evaluators run programs. [`Reference`] is the oracle for all others:
//! a tabling interpreter that is short rather than fast; [`ReferenceGame`] implements the traits of
//! `magister-core` with it. [`trace`] replays matches that other programs recorded and reports
//! where an evaluator disagrees.
//!
//! ```
//! use magister_core::{Game, Stop, Step};
//! use magister_engine::ReferenceGame;
//! use magister_gdl::{Options, read};
//!
//! let text = "(role you) (init (light off)) (legal you press)
//!             (<= (next (light on)) (does you press))
//!             (<= terminal (true (light on))) (goal you 100)";
//! let rules = read(text, &Options::default()).rules;
//! let game = ReferenceGame::new(&rules, text, "switch")?;
//! let mut worker = game.worker();
//! let press = worker.legal(game.info().role("you").unwrap())[0];
//! worker.step(&[press], &mut Step::new(), &Stop::never())?;
//! assert!(worker.terminal());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `term`, [`Ground`] | terms as numbers inside an evaluator, and as trees between them |
//! | [`Program`] | rulesheets as plain data, with strata and dependencies |
//! | [`grounder`] | programs to the finite set of their relevant instances |
//! | [`network`] | ground programs as gates, simplified |
//! | [`compiled`] | games as networks, independent of a language, and a builder for them |
//! | [`evaluator`] | evaluators of networks |
//! | [`batch`] | one step for many games at once, for back ends |
//! | `datalog` | compiled rules for games that do not become networks |
//! | [`Reference`], [`ReferenceGame`] | the reference interpreter, and the game around it |
//! | [`agree`] | evaluators compared on random walks |
//! | [`board`] | positions as pictures: boards, heaps and counters are recognised |
//! | [`inspect`] | counting paths, surveys of random play |
//! | [`explain`] | why something holds in a position, or why it does not |
//! | [`trace`] | recorded matches, and the comparison with them |
//! | [`Clock`] | the clock for measuring evaluators |
//! | [`Vocabulary`] | moves, percepts and fluents with their numbers |

#![forbid(unsafe_code)]

pub mod agree;
pub mod batch;
pub mod board;
mod circuit;
mod clock;
pub mod compiled;
mod coverage;
mod datalog;
mod error;
pub mod evaluator;
pub mod explain;
mod ground;
pub mod grounder;
pub mod inspect;
pub mod network;
mod observation;
mod prepare;
pub mod program;
mod reference;
pub mod term;
pub mod trace;
mod vocabulary;

pub use clock::{Clock, Stopwatch};
pub use compiled::{Compiled, CompiledBuilder};
pub use coverage::{Coverage, Unused, coverage};
pub use error::Error;
pub use explain::Explainer;
pub use ground::Ground;
pub use prepare::{
    Each, Evaluator, Prepared, network_of, prepare, prepare_each, prepare_measured, prepare_with,
    within,
};
pub use program::Program;
pub use reference::{QueryLimits, Reference, ReferenceGame};
pub use trace::Stepper;
pub use vocabulary::{TermList, Vocabulary};
