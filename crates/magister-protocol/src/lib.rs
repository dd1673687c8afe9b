//! Messages between game managers and players, in both directions.
//!
//! | module | holds |
//! |---|---|
//! | [`term`] | terms of KIF, the notation of all GGP messages |
//! | [`message`] | requests of a manager: INFO, PREVIEW, START, PLAY, STOP, ABORT |
//! | [`reply`] | what players reply |
//! | [`http`] | the HTTP messages that carry them |
//! | [`gamemaster`] | the envelopes of Stanford's Gamemaster |
//!
//! Readers are tolerant: they accept everything that existing programs send. Writers are exact:
//! they produce the bytes that those programs expect. Reading never panics. Everything has a limit,
//! because messages come from untrusted sources.
//!
//! The crate has no connections and no clocks. It converts between bytes and messages, so that a
//! manager on a real network and one in a simulation can share it.

#![forbid(unsafe_code)]

pub mod gamemaster;
pub mod http;
pub mod message;
pub mod reply;
pub mod term;

pub use message::{Gdl2Variant, MessageError, News, Request, Style};
pub use reply::{PlayerInfo, Status};
pub use term::{Limits, Term, TermError};
