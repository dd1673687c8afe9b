//! What each part of learning contributes, with intervals over seeds.
#![expect(clippy::print_stdout, reason = "printing is the purpose of the command")]

use anyhow::Result;
use magister_learn::ablations::{Small, VARIANTS, Variant, measure};

use super::given::{Given, mean};

pub(crate) fn run(given: &Given) -> Result<()> {
    println!("| game | measure | variant | figure | difference |");
    println!("|---|---|---|---|---|");
    for small in [Small::Tictactoe, Small::ConnectFour, Small::Twenty48] {
        let (game, what, digits, seeds) = match small {
            Small::Tictactoe => ("Tic-Tac-Toe", "positions with mistakes", 1, 20),
            Small::ConnectFour => ("Connect Four", "result against tree search", 2, 5),
            Small::Twenty48 => ("2048", "mean score", 0, 3),
        };
        let mut standard = Vec::new();
        for variant in VARIANTS {
            let figures = given.seeds(seeds).map(|seed| measure(small, variant, seed, 1.0));
            let figures = figures.collect::<Result<Vec<f64>, _>>()?;
            if variant == Variant::Standard {
                standard.clone_from(&figures);
            }
            // The same seeds, so the differences are compared in pairs.
            let pairs = figures.iter().zip(&standard).map(|(a, b)| a - b);
            let ((figure, width), (gap, gap_width)) =
                (mean(&figures), mean(&pairs.collect::<Vec<_>>()));
            let name = match variant {
                Variant::Standard => "standard",
                Variant::NoFinalAdaptation => "no final adaptation",
                Variant::NoCoherence => "constant step size",
                Variant::NoSymmetries => "no symmetries",
                Variant::Replay => "with replay",
            };
            println!(
                "| {game} | {what} | {name} | {figure:.digits$} ± {width:.digits$} | \
                 {gap:+.digits$} ± {gap_width:.digits$} |"
            );
        }
    }
    Ok(())
}
