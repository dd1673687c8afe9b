//! Games of the oracle whose parts are known.
#![allow(clippy::print_stdout, reason = "figures and skipped games are printed")]

use crate::common;

use magister_core::Stop;
use magister_decompose::{Decomposition, Kind};

/// The number of subgames of a game, and its kinds; those of the game after all decisions if the
/// game itself has one part.
fn found(name: &str) -> Option<(usize, Vec<Kind>)> {
    let game = common::game(name, &common::oracle(name)?);
    let whole = Decomposition::new(game.compiled(), &Stop::never()).expect("parts");
    let later = whole.later.as_deref().map(|later| &later.whole);
    let parts = later.unwrap_or(&whole);
    println!("{name}: {} {:?}", parts.subgames.len(), parts.kinds);
    Some((parts.subgames.len(), parts.kinds.clone()))
}

#[test]
fn serial_games() {
    for name in ["blocksWorldSerial", "ticTacToeSerial", "blockerSerial", "asteroidsSerial"] {
        let Some((subgames, kinds)) = found(name) else { continue };
        assert_eq!(subgames, 2, "{name}");
        assert!(kinds.contains(&Kind::Serial), "{name}: {kinds:?}");
    }
}

/// Moves that act on two of four rooms at once do not bind the rooms together.
#[test]
fn two_presses_anywhere() {
    for name in ["lightsOnSimultaneous", "simultaneousWin2"] {
        let Some((subgames, kinds)) = found(name) else { continue };
        assert_eq!(subgames, 4, "{name}");
        assert!(kinds.contains(&Kind::Compound), "{name}: {kinds:?}");
    }
}

/// The boards are linked until both roles have decided to separate them.
#[test]
fn parts_after_decisions() {
    let Some((subgames, kinds)) = found("ticTacHeavenFC") else { return };
    assert_eq!(subgames, 2);
    assert!(kinds.contains(&Kind::Pass), "{kinds:?}");
}

/// Parts follow the names of the rules: the cells of a board that a relation asks for are one part,
/// also where the grounder splits its rule, and so are the lamps of a room in a chain of rooms.
#[test]
fn parts_by_names() {
    for (name, expected, kind) in [
        ("blockerParallel", 2, Kind::Compound),
        ("factoringMutuallyAssuredDestruction", 5, Kind::Asynchronous),
        ("connectFourSimultaneous", 2, Kind::Synchronous),
    ] {
        let Some((subgames, kinds)) = found(name) else { continue };
        assert_eq!(subgames, expected, "{name}");
        assert!(kinds.contains(&kind), "{name}: {kinds:?}");
    }
}
