//! Game management: remote players, a player for game servers, and a manager of many matches.
//!
//! | module | holds |
//! |---|---|
//! | [`address`] | addresses of players, and which may be connected to |
//! | [`wire`] | rules and moves in the form of messages, scrambling |
//! | [`session`] | the messages of one role in one match |
//! | [`gamemaster`] | the same for players of Gamemaster |
//! | [`remote`] | remote players as players of the arena |
//! | [`table`] | remote players that share the name of a match and play one match at a time |
//! | [`player`] | a player that answers game servers |
//! | [`manage`] | a manager that runs many matches at once |
//! | [`network`] | how it reaches its players |
//! | [`limit`] | how many requests an address may send |
//! | [`crowd`] | players that verify a manager with their own ledger |
//! | [`sim`] | the manager on a virtual clock and network |

#![forbid(unsafe_code)]

pub mod address;
pub mod client;
pub mod crowd;
pub mod exchange;
pub mod gamemaster;
pub mod limit;
pub mod manage;
pub mod network;
pub mod player;
pub mod remote;
pub mod session;
pub mod sim;
pub mod table;
pub mod wire;

pub use address::{AddressPolicy, PlayerAddress, Protocol};
pub use remote::{OpenMatches, RemoteSource};
pub use session::Manner;
pub use table::RemoteTable;
pub use wire::WireGame;
