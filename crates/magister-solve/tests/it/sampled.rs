//! Sampling converges to the exact solution.

use std::sync::Arc;

use magister_core::{Game, Move, Role, Seed, Stop, Turn};
use magister_games::catalogue;
use magister_solve::{Draws, ExtensiveForm, External, Outcome, Profile, SolveLimits};

fn kuhn() -> Arc<dyn Game> {
    catalogue::find("kuhn-poker").and_then(catalogue::Entry::native).expect("a game in Rust")
}

fn pennies() -> Arc<dyn Game> {
    catalogue::find("rock-paper-scissors")
        .and_then(catalogue::Entry::native)
        .expect("a game in Rust")
}

/// The sum of the players' gains as a share of the range, if all play these averages.
fn gain(form: &ExtensiveForm, average: impl Fn(Role, &[Turn]) -> Option<Vec<(Move, f64)>>) -> f64 {
    let mut profile = Profile::even(form);
    for (player, &role) in form.players().iter().enumerate() {
        for set in 0..form.sets(player) {
            let turns = form.turns(player, set);
            if let Some(shares) = average(role, &turns) {
                let moves: Vec<Move> = shares.iter().map(|share| share.0).collect();
                assert_eq!(moves, form.moves(player, set));
                let shares: Vec<f64> = shares.iter().map(|share| share.1).collect();
                profile.set(form, player, set, &shares);
            }
        }
    }
    let (low, high) = form.range();
    form.gains(&profile).iter().sum::<f64>() / (high - low)
}

fn form(game: &dyn Game) -> ExtensiveForm {
    ExtensiveForm::new(game, &SolveLimits::default(), &Stop::never()).unwrap()
}

#[test]
fn external_sampling_finds_an_equilibrium() {
    for game in [kuhn(), pennies()] {
        let form = form(&*game);
        let mut external = External::new(&*game, 1 << 26, 10_000);
        let mut rng = Seed::from(3).rng();
        for _ in 0..20_000 {
            assert!(external.round(&mut rng, &Stop::never()).unwrap());
        }
        let gain = gain(&form, |role, turns| external.average(role, turns));
        assert!(gain < 0.02, "{gain}");
    }
}

/// The weights correct for the sampling: the equilibrium is the same with and without a target.
#[test]
fn outcome_sampling_finds_an_equilibrium() {
    for game in [kuhn(), pennies()] {
        let form = form(&*game);
        for target in [0.0, 0.5] {
            // The second player after it was dealt a card and saw a bet, if there is such a turn.
            let (player, set) = (form.players().len() - 1, form.sets(form.players().len() - 1) - 1);
            let (role, turns) = (form.players()[player], form.turns(player, set));
            let draws = Draws { target, ..Draws::default() };
            let mut outcome = Outcome::new(&*game, 1 << 26, draws);
            let mut rng = Seed::from(4).rng();
            for _ in 0..150_000 {
                outcome.round(role, &turns, &mut rng, &Stop::never()).unwrap();
            }
            let gain = gain(&form, |role, turns| outcome.average(role, turns));
            assert!(gain < 0.06, "{} {target}: {gain}", game.info().name);
        }
    }
}

/// Too large games are reported, and the memory limit is respected.
#[test]
fn limits_are_kept() {
    let game = kuhn();
    let mut rng = Seed::from(5).rng();
    let mut external = External::new(&*game, 1 << 26, 3);
    assert!(!external.round(&mut rng, &Stop::never()).unwrap());
    let mut outcome = Outcome::new(&*game, 2_000, Draws::default());
    for _ in 0..1000 {
        outcome.round(Role(0), &[], &mut rng, &Stop::never()).unwrap();
    }
    let stop = Stop::new();
    stop.set();
    assert!(outcome.round(Role(0), &[], &mut rng, &stop).is_err());
    assert!(external.round(&mut rng, &stop).is_err());
}
