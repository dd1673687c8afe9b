//! Opens a game by name and another from its rules, and plays both at random.
//!
//! `cargo run --example load_and_play -- connect-four` plays another bundled game, or a file.

#![expect(clippy::print_stdout, reason = "examples print their results")]

use magister::Playable;
use magister::core::{Move, Seed, Step, Stop, draw};

/// A game in GDL: two players take turns to remove one or two matches; the player who takes the
/// last one wins.
const MATCHES: &str = "
(role first) (role second)
(init (left 5)) (init (turn first))
(other first second) (other second first)
(minus 5 1 4) (minus 5 2 3) (minus 4 1 3) (minus 4 2 2) (minus 3 1 2) (minus 3 2 1)
(minus 2 1 1) (minus 2 2 0) (minus 1 1 0)

(<= (legal ?player (take ?n)) (true (turn ?player)) (true (left ?m)) (minus ?m ?n ?rest))
(<= (legal ?player wait) (other ?player ?who) (true (turn ?who)))

(<= (next (left ?rest)) (does ?player (take ?n)) (true (left ?m)) (minus ?m ?n ?rest))
(<= (next (turn ?who)) (true (turn ?player)) (other ?player ?who))

(<= terminal (true (left 0)))
; After the last match was taken it is the loser's turn.
(<= (goal ?player 0) (true (turn ?player)))
(<= (goal ?player 100) (other ?player ?who) (true (turn ?who)))
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "tictactoe".to_owned());
    // An unknown name is an error with suggestions; rules with errors are an error with a position.
    play(&magister::open(&name)?)?;
    play(&magister::open_text("five matches", MATCHES)?)
}

/// Plays one random match and prints every position.
fn play(playable: &Playable) -> Result<(), Box<dyn std::error::Error>> {
    let game = &*playable.game;
    let info = game.info();
    println!("{} ({}, by {})\n", playable.name, playable.language(), playable.evaluator);

    // A painter draws positions. It recognises boards, so this works for any game.
    let painter = playable.painter();
    // A worker has a state and computes with it. The same seed gives the same match.
    let mut worker = game.worker();
    let mut rng = Seed::from(1).rng();
    let (mut state, mut step) = (Vec::new(), Step::new());
    loop {
        worker.save(&mut state);
        println!("{}", painter.picture(game, &state).text(80, false));
        if worker.terminal() {
            break;
        }
        // Every role moves in every step; a role with nothing to do has one legal move.
        let mut joint: Vec<Move> = Vec::new();
        for role in info.all_roles() {
            let legal = worker.legal(role);
            // Only the moves of chance have weights.
            let weights = if info.chance == Some(role) { worker.weights() } else { &[] };
            let choice = draw(legal, weights, &mut rng).ok_or("a role has no legal move")?;
            if legal.len() > 1 {
                println!("{}: {}", info.role_name(role), game.text().move_text(choice));
            }
            joint.push(choice);
        }
        worker.step(&joint, &mut step, &Stop::never())?;
    }
    for role in info.players() {
        let mut goals = Vec::new();
        worker.goals(role, &mut goals);
        println!("{} gets {goals:?}", info.role_name(role));
    }
    println!();
    Ok(())
}
