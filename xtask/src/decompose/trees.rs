//! Puzzles with one tree per subgame and with a single tree: simulations to the solution.

use std::io::Write as _;

use anyhow::{Result, bail};
use magister_core::Seed;

use crate::sheets::named;

/// The puzzles, and the expected factor by which the number of simulations decreases.
const PUZZLES: [(&str, f64); 2] = [("incredible", 2.0), ("nonogram", 25.0)];

/// A single tree is given up after this many times the simulations that it is expected to need.
const ENOUGH: f64 = 4.0;

pub(super) fn run(games: &[String], seeds: u64, most: u64) -> Result<()> {
    let mut out = std::io::stdout();
    let mut wrong = Vec::new();
    let chosen: Vec<(String, f64)> = if games.is_empty() {
        PUZZLES.iter().map(|&(name, times)| (name.to_owned(), times)).collect()
    } else {
        let wanted = |name: &String| {
            let known = PUZZLES.iter().find(|(other, _)| name.contains(other));
            (name.clone(), known.map_or(1.0, |known| known.1))
        };
        games.iter().map(wanted).collect()
    };
    writeln!(
        out,
        "{:<40} {:>12} {:>12} {:>8}  unsolved, quartiles",
        "puzzle", "one tree", "subgames", "times"
    )?;
    for (name, expected) in chosen {
        let sheet = named(std::slice::from_ref(&name))?.remove(0);
        let game = magister::open_text(&sheet.name, &sheet.text)?.game;
        let mut medians = Vec::new();
        let mut notes = Vec::new();
        let mut most = most;
        for by_subgames in [true, false] {
            let mut counts = Vec::new();
            for seed in 0..seeds {
                let mut rng = Seed::from(seed).rng();
                let found =
                    magister_players::simulations_to_solve(&game, by_subgames, most, &mut rng)
                        .map_err(|halt| anyhow::anyhow!("{name}: {halt}"))?;
                counts.push(found.unwrap_or(u64::MAX));
            }
            counts.sort_unstable();
            let at = |share: usize| counts[(counts.len() - 1) * share / 4];
            let missed = counts.iter().filter(|&&count| count == u64::MAX).count();
            medians.push(at(2));
            notes.push(format!("{missed}, {} to {}", shown(at(1)), shown(at(3))));
            if by_subgames && at(2) != u64::MAX {
                // A single tree need not be searched further than this to show the factor.
                most = most.min((at(2) as f64 * expected * ENOUGH).ceil() as u64);
            }
        }
        let (parts, whole) = (medians[0], medians[1]);
        // An unsolved run took at least the limit.
        let times = whole.min(most) as f64 / parts as f64;
        let right = parts != u64::MAX && times >= expected;
        let least = if whole == u64::MAX { ">" } else { "" };
        writeln!(
            out,
            "{name:<40} {:>12} {:>12} {:>8}  {} | {}{}",
            shown(whole),
            shown(parts),
            format!("{least}{times:.1}"),
            notes[1],
            notes[0],
            if right { "" } else { "  FEWER TIMES THAN EXPECTED" }
        )?;
        if !right {
            wrong.push(name);
        }
    }
    if !wrong.is_empty() {
        bail!("too few times on {}", wrong.join(", "));
    }
    Ok(())
}

fn shown(count: u64) -> String {
    if count == u64::MAX { "-".to_owned() } else { count.to_string() }
}
