//! Steps without percepts, for playouts.

use magister_core::{Game as _, Move, Seed, Step, Stop, draw};

/// Quiet steps lead to the same states as others; only the percepts are missing.
#[test]
fn quiet_steps_lead_to_the_same_states() {
    let stop = Stop::never();
    for (name, game) in crate::catalogue::all() {
        let (mut quiet, mut usual) = (game.worker(), game.worker());
        let (mut rng, mut step, mut other) = (Seed::from(5).rng(), Step::new(), Step::new());
        let (mut one, mut two) = (Vec::new(), Vec::new());
        let mut shown = false;
        for number in 0..300 {
            if usual.terminal() {
                break;
            }
            let joint: Vec<Move> = game
                .info()
                .all_roles()
                .map(|role| draw(usual.legal(role), usual.weights(), &mut rng).unwrap())
                .collect();
            // The first steps have percepts, and so do later ones now and then.
            quiet.quiet(number > 80 && number % 7 != 0);
            quiet.step(&joint, &mut step, &stop).unwrap();
            usual.step(&joint, &mut other, &stop).unwrap();
            if number > 80 && number % 7 != 0 {
                shown |= game.info().players().any(|role| !step.percepts.of(role).is_empty());
            } else {
                assert_eq!(step.percepts, other.percepts, "{name}");
            }
            quiet.save(&mut one);
            usual.save(&mut two);
            assert_eq!(one, two, "{name} after {number} steps");
            for role in game.info().all_roles() {
                assert_eq!(quiet.legal(role), usual.legal(role), "{name}");
            }
        }
        assert!(!shown, "{name}: a quiet step has percepts");
    }
}
