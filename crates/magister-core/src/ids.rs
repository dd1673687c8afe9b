//! The small numbers that stand for roles, moves and percepts.
//!
//! They mean something only together with the game that gave them out; its [`Text`](crate::Text)
//! turns them into words and back.

use serde::{Deserialize, Serialize};

/// A participant of a game, chance included: the position of its name in
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

/// A move, as a dense number from 0 that is stable for a given rulesheet.
///
/// Learned weights, action spaces and records of other programs depend on these numbers, so the
/// same rules must give the same numbers in every run and in every engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Move(pub u32);

impl Move {
    /// The one legal move of a role that has nothing to do in a state, in games whose language
    /// writes no `noop`. It is no member of the dense numbering.
    pub const IDLE: Move = Move(u32::MAX);

    /// The move as an index into anything that has one entry per move of the game.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Something a role is told at a tick, in games that hide information.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Percept(pub u32);
