//! Tests on games with known counts.

use magister_core::examples::Countdown;
use magister_core::{Native, Seed, Stop};

use super::{Counter, survey};

#[test]
fn paths_of_a_countdown_are_fibonacci_numbers() {
    let game = Native::new(Countdown(10));
    let mut counter = Counter::new(&game, 100, Stop::never());
    let mut finished = 0;
    loop {
        let level = counter.level();
        finished += level.terminals;
        if level.nodes == level.terminals {
            break;
        }
        counter.advance().unwrap();
    }
    assert_eq!(finished, 89);
    // The heap and the role to move.
    assert_eq!(counter.positions(), 20);
    assert!(!counter.endless());
}

#[test]
fn random_matches_of_a_good_game_show_no_fault() {
    let game = Native::new(Countdown(9));
    let seen = survey(&game, (0.0, 100.0), 100, 50, Seed::from(1), &Stop::never());
    assert!(seen.faults.is_empty());
    assert_eq!((seen.playouts, seen.finished, seen.truncated), (100, 100, 0));
    assert!(seen.shortest >= 5 && seen.longest <= 9);
}
