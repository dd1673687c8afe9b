//! Games and matches for the tests.
#![allow(dead_code, reason = "every suite uses a part")]

use std::sync::Arc;

use magister_core::{Game, Move, Observation, Referee, Role, Seed, Stop, Turn, View};

/// A bundled game.
pub(crate) fn game(name: &str) -> Arc<dyn Game> {
    magister::open(name).unwrap().game
}

/// A game from a rulesheet.
pub(crate) fn sheet_game(text: &str) -> Arc<dyn Game> {
    magister::open_text("test", text).unwrap().game
}

/// A turn of a role, as text.
pub(crate) fn turn(game: &dyn Game, role: Role, own: &str, seen: &[&str]) -> Turn {
    let own = game.text().parse_move(role, own).unwrap();
    let mut seen: Vec<_> = seen.iter().map(|p| game.text().parse_percept(p).unwrap()).collect();
    seen.sort_unstable();
    Turn { own, seen: Observation::Percepts(seen.into()) }
}

/// The view of a role after a number of turns of random play, and the final state.
pub(crate) fn random_view(
    game: &Arc<dyn Game>,
    role: Role,
    turns: usize,
    seed: u64,
) -> (View, Vec<u64>) {
    let stop = Stop::never();
    let mut rng = Seed::from(seed).derive("moves").rng();
    let mut referee = Referee::new(Arc::clone(game), Seed::from(seed), &stop).unwrap();
    for _ in 0..turns {
        if referee.terminal() {
            break;
        }
        let pick = |legal: &[Move], rng: &mut magister_core::Rng| match legal {
            [] => Move::IDLE,
            _ => legal[rng.below(legal.len() as u64) as usize],
        };
        let roles = game.info().all_roles();
        let moves: Vec<Move> = roles.map(|role| pick(referee.legal(role), &mut rng)).collect();
        referee.advance(&moves, &stop).unwrap();
    }
    let state = referee.reveal(role).to_vec();
    (referee.view(role).clone(), state)
}

/// A chi-square test at the 0.001 level, with the approximation of Wilson and Hilferty. Cells with
/// a small expectation are merged.
pub(crate) fn chi_square(counts: &[f64], shares: &[f64]) -> Result<(), String> {
    let total: f64 = counts.iter().sum();
    let (mut sum, mut cells) = (0.0, 0.0);
    let (mut rare, mut rarely) = (0.0, 0.0);
    for (&count, &share) in counts.iter().zip(shares) {
        let expected = share * total;
        if share == 0.0 && count > 0.0 {
            return Err(format!("{count} samples of an impossible state"));
        }
        if expected < 5.0 {
            rare += count;
            rarely += expected;
        } else {
            sum += (count - expected).powi(2) / expected;
            cells += 1.0;
        }
    }
    if rarely > 0.5 {
        sum += (rare - rarely).powi(2) / rarely;
        cells += 1.0;
    }
    let free: f64 = cells - 1.0;
    if free < 1.0 {
        return Ok(());
    }
    let spread = (2.0 / (9.0 * free)).sqrt();
    let limit = free * (1.0 - 2.0 / (9.0 * free) + 3.09 * spread).powi(3);
    if sum > limit { Err(format!("chi-square {sum:.1}, at most {limit:.1}")) } else { Ok(()) }
}
