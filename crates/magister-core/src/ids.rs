//! Small numbers for roles, moves and percepts.
//!
//! They are meaningful only with their game; its [`Text`](crate::Text) converts them to text and
//! back.

use serde::{Deserialize, Serialize};

/// A participant of a game, including chance: the index of its name in
/// [`Info::roles`](crate::Info::roles).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Role(pub u8);

impl Role {
    /// The role as an index into anything that has one entry per role.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A move.
///
/// If [`Info::moves`](crate::Info::moves) is a number `n`, moves are the numbers below `n`, one for
/// each distinct move of the game: the same in every run, thread, process, machine and engine, for
/// all rules with the same [`rules_hash`](crate::Info::rules_hash). Learned weights, action spaces
/// and records may use them. A move that several roles can make is one move.
///
/// If it is `None`, the rules do not fix such a list (or it is too long to compute), and a move is
/// a handle of the engine that is valid only for this game in this process. Store its text instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Move(pub u32);

impl Move {
    /// The only legal move of a role that has nothing to do in a state, in games whose language has
    /// no `noop`. It is not part of the dense numbering.
    pub const IDLE: Move = Move(u32::MAX);

    /// The move as an index into anything that has one entry per move of the game.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Something that a role perceives at a tick, in games with hidden information. Its number is as
/// stable as that of a [`Move`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Percept(pub u32);
