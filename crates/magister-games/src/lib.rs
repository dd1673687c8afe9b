//! The catalogue: games written in Rust, in [`native`].

#![forbid(unsafe_code)]

pub mod native;
