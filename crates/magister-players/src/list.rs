//! The list of players.

use crate::registry::Entry;
use crate::simple::Simple;

/// All players, from those that do not think to the strongest.
pub const PLAYERS: &[Entry] = &[
    Entry {
        name: "legal",
        about: "Plays the first legal move",
        iteration: "it makes none",
        parameters: &[],
        hidden: false,
        make: Simple::legal,
    },
    Entry {
        name: "random",
        about: "Plays a random legal move",
        iteration: "it makes none",
        parameters: &[],
        hidden: false,
        make: Simple::random,
    },
];
