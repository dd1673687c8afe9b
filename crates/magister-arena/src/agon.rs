//! Agon, the rating of the Tiltyard server: players and the roles of games on one scale.
//!
//! A player with score `s` of 100 is compared with every other player of the match for which the
//! two scores add up to 100, and with the role it plays, which scores `100 - s`. All ratings start
//! at 0, and every comparison changes both ratings by the actual minus the expected score. The
//! rating of a role is therefore its difficulty.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A match for Agon. Only matches that ended regularly and without faults count.
#[derive(Clone, Debug, PartialEq)]
pub struct Bout {
    /// The game, by any name that is the same for all its matches.
    pub game: String,
    /// The players in seat order.
    pub players: Vec<String>,
    /// The score of each player, from 0 to 100.
    pub scores: Vec<f64>,
}

/// Ratings of players and of roles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Agon {
    /// The ratings of the players (skill).
    pub players: BTreeMap<String, f64>,
    /// The ratings of `game, role N` (difficulty). Roles are counted from 1.
    pub roles: BTreeMap<String, f64>,
}

/// The maximum change of a rating by one comparison. Tiltyard uses 1, so ratings need many matches.
const K: f64 = 1.0;

impl Agon {
    /// The ratings after some matches, in the order in which they were started.
    pub fn rate<'a>(bouts: impl IntoIterator<Item = &'a Bout>) -> Self {
        let mut agon = Agon::default();
        bouts.into_iter().for_each(|bout| agon.add(bout));
        agon
    }

    /// Updates the ratings with a match.
    pub fn add(&mut self, bout: &Bout) {
        let seats: Vec<(&String, f64)> =
            bout.players.iter().zip(bout.scores.iter().copied()).collect();
        for (at, &(one, score)) in seats.iter().enumerate() {
            for &(other, its) in &seats[at + 1..] {
                // Players whose scores do not add up to 100 are not opponents.
                if one != other && (score + its - 100.0).abs() < 1e-9 {
                    let own = self.players.get(one).copied().unwrap_or(0.0);
                    let opponents = self.players.get(other).copied().unwrap_or(0.0);
                    let change = change(own, opponents, score);
                    self.players.insert(one.clone(), own + change);
                    self.players.insert(other.clone(), opponents - change);
                }
            }
            let role = format!("{}, role {}", bout.game, at + 1);
            let own = self.players.get(one).copied().unwrap_or(0.0);
            let difficulty = self.roles.get(&role).copied().unwrap_or(0.0);
            let change = change(own, difficulty, score);
            self.players.insert(one.clone(), own + change);
            self.roles.insert(role, difficulty - change);
        }
    }

    /// The ratings of the players, best first.
    pub fn standings(&self) -> Vec<(&str, f64)> {
        let mut all: Vec<(&str, f64)> =
            self.players.iter().map(|(name, &rating)| (name.as_str(), rating)).collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        all
    }
}

/// The change of a rating: the actual score minus the expected one.
fn change(own: f64, opponents: f64, score: f64) -> f64 {
    let expected = 1.0 / (1.0 + 10f64.powf((opponents - own) / 400.0));
    K * (score / 100.0 - expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bout(scores: [f64; 2]) -> Bout {
        let players = vec!["one".to_owned(), "two".to_owned()];
        Bout { game: "g".to_owned(), players, scores: scores.to_vec() }
    }

    #[test]
    fn a_match_by_hand() {
        let agon = Agon::rate([&bout([100.0, 0.0])]);
        // Against the other player: 1/2 each. Then each player against its role.
        let expected = |own: f64, other: f64| 1.0 / (1.0 + 10f64.powf((other - own) / 400.0));
        let one = 0.5 + 1.0 - expected(0.5, 0.0);
        let two = -0.5 - expected(-0.5, 0.0);
        assert!((agon.players["one"] - one).abs() < 1e-12);
        assert!((agon.players["two"] - two).abs() < 1e-12);
        assert!((agon.roles["g, role 1"] + (1.0 - expected(0.5, 0.0))).abs() < 1e-12);
        let sum: f64 = agon.players.values().chain(agon.roles.values()).sum();
        assert!(sum.abs() < 1e-12);
    }

    #[test]
    fn a_role_that_always_wins_is_easy() {
        let bouts: Vec<Bout> = (0..500).map(|_| bout([100.0, 0.0])).collect();
        let agon = Agon::rate(&bouts);
        assert!(agon.roles["g, role 1"] < -50.0 && agon.roles["g, role 2"] > 50.0);
        assert_eq!(agon.standings()[0].0, "one");
        // Players whose scores do not add up to 100 are not compared.
        let both = Agon::rate([&bout([100.0, 100.0])]);
        assert!((both.players["one"] - 0.5).abs() < 1e-12);
    }
}
