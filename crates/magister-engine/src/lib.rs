//! Rules to running games.
//!
//! A checked rulesheet becomes a [`program::Program`]: plain data in which every name, ground
//! term, relation and rule is a small number. Evaluators run programs. The one that judges all
//! others is [`reference::Reference`], a tabling interpreter that is short rather than fast;
//! [`ReferenceGame`] puts it behind the vocabulary of `magister-core`. [`trace`] replays what
//! other programs recorded and says where an evaluator disagrees.
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
//! | [`term`](mod@term), [`ground`] | terms as numbers inside an evaluator, and as trees between them |
//! | [`program`] | rulesheets as plain data, with strata and dependencies |
//! | [`grounder`] | programs to the finite set of their instances that can matter |
//! | [`network`] | ground programs as gates, simplified |
//! | [`compiled`] | games as networks in whatever language, and a builder for them |
//! | [`evaluator`] | ways to run networks, behind the vocabulary |
//! | [`batch`] | one step for many games at once, for back ends |
//! | [`datalog`] | compiled rules for games that do not become networks |
//! | [`reference`](mod@reference) | the reference interpreter, and the game around it |
//! | [`agree`] | evaluators side by side on random walks |
//! | [`board`] | positions as pictures: boards, heaps and counters are recognised |
//! | [`inspect`] | games counted, surveyed and solved from outside |
//! | [`explain`] | why something holds in a position, or why it does not |
//! | [`trace`] | recorded matches, and the comparison with them |
//! | [`Clock`] | what evaluators are measured by |
//! | [`Vocabulary`] | moves, percepts and fluents with their numbers |

#![forbid(unsafe_code)]

pub mod agree;
pub mod batch;
pub mod board;
mod circuit;
mod clock;
pub mod compiled;
mod coverage;
pub mod datalog;
mod error;
pub mod evaluator;
pub mod explain;
pub mod ground;
pub mod grounder;
pub mod inspect;
pub mod network;
mod observation;
mod prepare;
pub mod program;
pub mod reference;
pub mod term;
pub mod trace;
mod vocabulary;

pub use clock::{Clock, Stopwatch};
pub use compiled::{Compiled, CompiledBuilder};
pub use coverage::{Coverage, Unused, coverage};
pub use datalog::DatalogGame;
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
