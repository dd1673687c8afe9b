//! Games split into subgames, and solved part by part.
//!
//! [`Decomposition`] finds the parts of a game in its circuit: fluents that influence each other,
//! and the moves that act on them. It reports how the parts are combined and whether it pays off to
//! search them separately. [`solve`](fn@solve) is decomposition search: the states of each part are
//! partitioned into bisimulation classes, dominated options are pruned where that is sound, and the
//! classes are searched instead of the states. Impartial sums are solved by [nimbers](Impartial).
//!
//! | module | contents |
//! |---|---|
//! | `effects`, `support`, `prove` | effects of moves on fluents, by circuit support and SAT |
//! | `split`, `kind`, `phases`, `worth` | the partition, how its parts combine, whether it pays off |
//! | `later`, `rebuild` | the parts of a game once some fluents are permanently true |
//! | `position` | the constants from a position on, and the parts of the rest |
//! | `normal` | positions of games in which the last move wins, as sums of values |
//! | `tops`, `outcomes` | legal moves, the end and goals as formulas over concepts of the parts |
//! | `local`, `refine` | the states of a part, and their classes |
//! | `sum`, `order`, `search` | sums: unlabelled classes, the simulation order, product search |
//! | `product`, `simultaneous` | the quotient of any decomposed game, as a game; dominated actions of roles that move at the same time |
//! | `values`, `attempt` | values of positions during a match; work within a time limit |
//! | `subgame`, `text` | a part as a game of its own, and its rules as text |
//! | `paper` | the search of the paper, for comparison |
//! | `placement` | puzzles whose moves are permanent placements, by SAT |
//! | `targets` | the subgames of a puzzle, one per condition of its goal |
//! | `symbolic` | subgames from the rules alone, if they cannot be grounded |
//! | `impartial` | nimbers, normal and misère play |
//! | [`cgt`] | values of combinatorial game theory: smallest forms, thermographs |

#![forbid(unsafe_code)]

mod abstracted;
mod attempt;
pub mod cgt;
mod decomposition;
mod drawing;
mod effects;
mod fold;
mod impartial;
mod kind;
mod later;
mod local;
mod normal;
mod order;
mod outcomes;
mod paper;
mod phases;
mod placement;
mod position;
mod product;
mod prove;
mod rebuild;
mod refine;
mod sample;
mod search;
mod simultaneous;
mod solve;
mod split;
mod subgame;
mod sum;
mod support;
mod symbolic;
mod targets;
mod text;
mod tops;
mod values;
mod worth;

/// Runs some work with a flag that is set when its time is up.
pub use magister_engine::within;

pub use attempt::{Work, is_small};
pub use decomposition::{Decomposition, Part, Proof};
pub use impartial::{Convention, Impartial, Winning, mex};
pub use kind::Kind;
pub use later::Later;
pub use normal::{NormalPlay, Region};
pub use paper::{Errors, Mistake, Sequences};
pub use placement::{Placement, Plan};
pub use position::{Position, PositionValues};
pub use product::Product;
pub use solve::{Method, NotSolved, Solved, solve};
pub use sum::{Class, Sizes, Sum};
pub use symbolic::{Symbolic, SymbolicPart};
pub use targets::Targets;
pub use text::rules_text;
pub use values::PartValues;
pub use worth::Worth;
