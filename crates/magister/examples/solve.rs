//! Exact solutions: a game with perfect information, a puzzle, and an equilibrium of poker.

#![expect(clippy::print_stdout, reason = "examples print their results")]

use magister::solve::{Answer, Effort, SolveLimits, solve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for name in ["tictactoe", "hanoi", "kuhn-poker"] {
        let playable = magister::open(name)?;
        let game = &*playable.game;
        // One call for every kind of game; the answer depends on the kind. Limits bound the number
        // of positions and the memory, so a game that is too large gives an error.
        let answer = solve(game, &SolveLimits::default(), &Effort::default())?;
        let values = answer.values(game);
        let worth: Vec<String> = game
            .info()
            .players()
            .zip(&values)
            .map(|(role, value)| format!("{} gets {value:.2}", game.info().role_name(role)))
            .collect();
        println!("{name}: {}", worth.join(", "));
        match &answer {
            Answer::Positions(solution) => {
                println!("  every one of {} positions has a value", solution.positions());
            }
            Answer::Puzzle(solution) => {
                let moves: Vec<String> =
                    solution.line.iter().map(|joint| game.text().move_text(joint[0])).collect();
                println!("  in {} steps: {}", moves.len(), moves.join(" "));
            }
            Answer::Equilibrium(found) => {
                // The gain of each player's best response is computed exactly.
                println!("  exploitability {:.4}", found.exploitability());
            }
        }
    }
    Ok(())
}
