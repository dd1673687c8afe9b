//! Agents that teach themselves games.

#![forbid(unsafe_code)]

pub mod connect_four;
