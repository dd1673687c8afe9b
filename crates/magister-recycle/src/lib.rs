//! RECYCLE, the language of card games, from text to a running game.
#![forbid(unsafe_code)]

mod check;
mod code;
pub mod conform;
mod format;
mod game;
mod ir;
mod limits;
mod machine;
mod moves;
mod number;
mod percepts;
mod print;
mod program;
mod read;
mod tree;
mod worker;

pub use check::Options;
pub use code::{Code, Diagnostic, Diagnostics};
pub use format::format;
pub use game::{CardGame, Examined, Sample, examine};
pub use limits::Limits;
pub use read::{Read, read};
pub use tree::{Comment, Node, NodeKind};
