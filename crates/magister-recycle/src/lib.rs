//! RECYCLE, the language of card games, from text to a running game.
//!
//! A game has decks, places with their visibility, and blocks of actions and choices in stages that
//! go around the table. [`examine`] reads a text, reports its defects, and creates a
//! [`Game`](magister_core::Game). Shuffles, random numbers and ties are moves of chance; what
//! players see of the cards are percepts.
//!
//! ```
//! use magister_core::{Game, Role};
//! use magister_recycle::{Options, examine};
//!
//! let text = "(game
//!   (setup (create players 2)
//!     (create deck (game iloc STOCK) (deck (RANK (LOW, MIDDLE, HIGH)))))
//!   (do ((shuffle (game iloc STOCK))
//!        (all player 'P (move (top (game iloc STOCK)) (top ('P iloc HAND))))))
//!   (stage player (end (all player 'P (== ('P str BET) DONE)))
//!     (choice ((any (range 1 .. 3) 'B
//!       (do ((inc ((current player) sto CHIPS) 'B) (set ((current player) str BET) DONE)))))))
//!   (scoring max ((current player) sto CHIPS)))";
//! let found = examine("bets", text, &Options::default());
//! let game = found.game.expect("nothing is wrong with it");
//! assert_eq!(game.info().roles, ["p0", "p1", "random"]);
//! // The first of two steps of a shuffle: chance picks one of three cards.
//! assert_eq!(game.worker().legal(Role(2)).len(), 3);
//! ```
//!
//! The language is version 0.6.0, with everything of 0.5.10 and the older spellings that games
//! still use. If the original program, `CardStock`, departs from its documentation, this crate
//! follows the documentation; some published games depend on the program's behaviour, and
//! [`Options::compat`] reproduces it:
//!
//! - an `any` outside of a choice does the same as `all`;
//! - in an option, the statements after an `any` run before it for all elements except the first,
//!   and one name is one variable; `all` runs backwards;
//! - a stage that ends at once leaves its cycle behind, so a queued successor is lost;
//! - a repeated action in a `do` computes its amount, or its card from a computed collection, only
//!   once;
//! - undoing a move from a computed collection puts the card on top of its pile;
//! - ties favour later cards, and `max` over negative scores is the top card;
//! - no card is equal to any card, `tuples` considers only the scores 0 to 12, an intersection over
//!   `all` is empty, and `runs all` repeats the longest run;
//! - two names in a row are one.
//!
//! | module | holds |
//! |---|---|
//! | `read`, `tree` | text to lists and words |
//! | `check` | names, scopes and types; from the tree to checked rules |
//! | `certain` | options that need not be tried |
//! | `machine` | runs the rules |
//! | `moves`, `percepts`, `worker`, `game` | the implementation of [`Game`](magister_core::Game) |
//! | `format`, `print` | tree to text |
//! | `decision` | the rules that offer the options of a decision |
//! | `fault` | where rules fail at run time |
//! | `table` | positions and events for people |
//! | `deals`, `odds` | samples of the hidden cards, and where they may be |
//! | [`conform`] | recorded games, replayed and compared |
#![forbid(unsafe_code)]
#![allow(
    clippy::cast_possible_wrap,
    reason = "the language computes with i32; cards, piles and players are far fewer"
)]

mod certain;
mod check;
mod code;
pub mod conform;
mod deals;
mod decision;
mod fault;
mod format;
mod game;
mod ir;
mod limits;
mod machine;
mod moves;
mod number;
mod odds;
mod percepts;
mod print;
mod program;
mod read;
mod short;
mod state_text;
pub mod table;
mod tree;
mod worker;

pub use check::{Fix, Options};
pub use code::{Code, Diagnostic, Diagnostics};
pub use decision::{Alternative, Decision};
pub use format::{format, same_text};
pub use game::{CardGame, Examined, Sample, examine, looks_like};
pub use limits::CardLimits;
pub use odds::CardOdds;
pub use read::{Read, read};
pub use tree::{Comment, Node, NodeKind};
