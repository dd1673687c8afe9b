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
mod state_text;
mod tree;
mod worker;

pub use check::Options;
pub use code::{Code, Diagnostic, Diagnostics};
pub use format::{format, same_text};
pub use game::{CardGame, Examined, Sample, examine, looks_like};
pub use limits::Limits;
pub use read::{Read, read};
pub use tree::{Comment, Node, NodeKind};
