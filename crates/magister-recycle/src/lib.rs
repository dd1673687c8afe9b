//! RECYCLE, the language of card games, from text to a running game.
#![forbid(unsafe_code)]

mod check;
mod code;
pub mod conform;
mod game;
mod ir;
mod limits;
mod machine;
mod number;
mod program;
mod read;
mod tree;

pub use check::Options;
pub use code::{Code, Diagnostic, Diagnostics};
pub use game::{CardGame, Examined, examine};
pub use limits::Limits;
pub use read::{Read, read};
pub use tree::{Comment, Node, NodeKind};
