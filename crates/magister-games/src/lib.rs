//! The catalogue: games worth playing, as rulesheets and in Rust.
//!
//! ```
//! let game = magister_games::catalogue::find("tictactoe").unwrap();
//! assert_eq!(game.card.title, "Tic-Tac-Toe");
//! assert!(game.sheet.is_some() && game.native().is_some());
//! ```

#![forbid(unsafe_code)]

pub mod catalogue;
pub mod native;
pub mod proof;
