//! The knowledge of a player in a game with hidden information.

#![expect(clippy::print_stdout, reason = "examples print their results")]

use std::sync::Arc;

use magister::core::{Referee, Seed, Stop, Turn};
use magister::infoset::{InfosetLimits, Keep, Known, Tracker, Uniform};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let playable = magister::open("monty-hall")?;
    let (game, stop) = (&playable.game, Stop::never());
    let role = game.info().players().next().ok_or("the game has no players")?;

    // A tracker follows every state that is consistent with the role's moves and observations, with
    // its probability. `Uniform` assumes that the others choose their moves uniformly at random.
    let model = Arc::new(Uniform);
    let limits = InfosetLimits::default();
    let mut tracker = Tracker::with(game.clone(), role, Keep::States, limits, model, &stop)?;

    // The referee knows the true state and does not reveal it. In this example, the role always
    // makes its first move.
    let mut referee = Referee::new(game.clone(), Seed::from(1), &stop)?;
    while !referee.terminal() {
        let roles = game.info().all_roles();
        let joint: Vec<_> = roles.map(|role| referee.legal(role)[0]).collect();
        referee.advance(&joint, &stop)?;
        let turn: &Turn = referee.view(role).turns().last().ok_or("a turn was made")?;
        println!("{} plays {}", game.info().role_name(role), game.text().move_text(turn.own));
        tracker.advance(turn, &stop)?;

        let layer = tracker.layer();
        println!("  {} states are consistent with what it saw", layer.len());
        let states: Vec<(&[u64], f64)> =
            (0..layer.len()).map(|at| (layer.state(at), layer.share(at))).collect();
        for (state, share) in &states {
            println!("  {:5.1} % {}", 100.0 * share, game.text().state_text(state));
        }
        // The facts that hold in all of them are what the role knows for certain.
        let known = Known::of(&**game, role, states.iter().copied(), &stop)?;
        println!("  certain: {}", known.certain().collect::<Vec<_>>().join(" "));
    }
    Ok(())
}
