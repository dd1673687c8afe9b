//! Ratings that change from match to match: Elo, Glicko-2 and Weng-Lin.

use serde::{Deserialize, Serialize};
use skillratings::elo::{EloConfig, EloRating, elo};
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2_rating_period};
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};
use skillratings::{MultiTeamOutcome, Outcomes};

use magister_core::{Rng, Seed};

/// A rating system, each with its own scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// A. Elo's system, starting at 1000. It depends on the order of the matches, so it is the mean
    /// over many orders, with a bootstrap interval.
    Elo,
    /// M. Glickman's system, starting at 1500; a round is a rating period.
    Glicko2,
    /// R. Weng's and C. Lin's system, starting at 25; for matches of any number of players.
    WengLin,
}

impl Scale {
    /// All systems.
    pub const ALL: [Scale; 3] = [Scale::Elo, Scale::Glicko2, Scale::WengLin];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Scale::Elo => "elo",
            Scale::Glicko2 => "glicko-2",
            Scale::WengLin => "weng-lin",
        }
    }
}

/// The players of a match, without duplicates, with their rewards.
#[derive(Clone, Debug, PartialEq)]
pub struct Meeting {
    /// The round.
    pub round: u32,
    /// The players.
    pub players: Vec<String>,
    /// The reward of each.
    pub rewards: Vec<f64>,
}

/// A rating with its 95 % interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// The player.
    pub player: String,
    /// Its rating.
    pub rating: f64,
    /// The interval.
    pub interval: (f64, f64),
}

/// Half the width of a 95 % interval, in standard deviations.
const Z: f64 = 1.959_963_985;
/// The number of orders and bootstrap samples for Elo.
const ORDERS: usize = 200;

/// A match with players as numbers.
struct Result {
    round: u32,
    seats: Vec<(usize, f64)>,
}

/// The ratings of all participants, best first.
pub fn rate(meetings: &[Meeting], scale: Scale) -> Vec<Standing> {
    let mut names: Vec<&str> = Vec::new();
    let mut results = Vec::new();
    for meeting in meetings {
        let mut seats = Vec::new();
        for (player, &reward) in meeting.players.iter().zip(&meeting.rewards) {
            let number = names.iter().position(|name| name == player).unwrap_or_else(|| {
                names.push(player);
                names.len() - 1
            });
            seats.push((number, reward));
        }
        results.push(Result { round: meeting.round, seats });
    }
    let ratings = match scale {
        Scale::Elo => elo_ratings(&results, names.len()),
        Scale::Glicko2 => glicko_ratings(&results, names.len()),
        Scale::WengLin => weng_lin_ratings(&results, names.len()),
    };
    let mut standings: Vec<Standing> = names
        .iter()
        .zip(ratings)
        .map(|(name, (rating, interval))| Standing { player: (*name).to_owned(), rating, interval })
        .collect();
    standings.sort_by(|a, b| b.rating.total_cmp(&a.rating).then_with(|| a.player.cmp(&b.player)));
    standings
}

/// All pairs of a match, with the result of the first.
fn pairs(result: &Result) -> impl Iterator<Item = (usize, usize, Outcomes)> + '_ {
    let seats = &result.seats;
    let all = (0..seats.len()).flat_map(move |a| (a + 1..seats.len()).map(move |b| (a, b)));
    all.map(|(a, b)| {
        let ((one, own), (other, its)) = (seats[a], seats[b]);
        let outcome = match own.total_cmp(&its) {
            std::cmp::Ordering::Greater => Outcomes::WIN,
            std::cmp::Ordering::Equal => Outcomes::DRAW,
            std::cmp::Ordering::Less => Outcomes::LOSS,
        };
        (one, other, outcome)
    })
}

/// The Elo ratings after matches in this order.
fn in_order<'a>(order: impl Iterator<Item = &'a Result>, players: usize) -> Vec<f64> {
    let config = EloConfig::new();
    let mut ratings = vec![EloRating::new(); players];
    for result in order {
        for (one, other, outcome) in pairs(result) {
            let (first, second) = elo(&ratings[one], &ratings[other], &outcome, &config);
            (ratings[one], ratings[other]) = (first, second);
        }
    }
    ratings.iter().map(|rating| rating.rating).collect()
}

fn elo_ratings(results: &[Result], players: usize) -> Vec<(f64, (f64, f64))> {
    // The same matches give the same ratings.
    let mut rng: Rng = Seed::from(0).derive("orders").rng();
    let mut sums = vec![0.0; players];
    let mut again: Vec<Vec<f64>> = vec![Vec::new(); players];
    let mut order: Vec<usize> = (0..results.len()).collect();
    for _ in 0..ORDERS {
        rng.shuffle(&mut order);
        let ratings = in_order(order.iter().map(|&at| &results[at]), players);
        sums.iter_mut().zip(&ratings).for_each(|(sum, rating)| *sum += rating);
        let count = results.len().max(1) as u64;
        let drawn = results.iter().map(|_| &results[rng.below(count) as usize]);
        let ratings = in_order(drawn.collect::<Vec<_>>().into_iter(), players);
        again.iter_mut().zip(ratings).for_each(|(all, rating)| all.push(rating));
    }
    sums.into_iter()
        .zip(again)
        .map(|(sum, mut drawn)| {
            drawn.sort_by(f64::total_cmp);
            let at = |share: f64| drawn[((drawn.len() - 1) as f64 * share).round() as usize];
            (sum / ORDERS as f64, (at(0.025), at(0.975)))
        })
        .collect()
}

fn glicko_ratings(results: &[Result], players: usize) -> Vec<(f64, (f64, f64))> {
    let config = Glicko2Config::new();
    let mut ratings = vec![Glicko2Rating::new(); players];
    let mut rounds: Vec<u32> = results.iter().map(|result| result.round).collect();
    rounds.sort_unstable();
    rounds.dedup();
    for round in rounds {
        let mut periods: Vec<Vec<(Glicko2Rating, Outcomes)>> = vec![Vec::new(); players];
        for result in results.iter().filter(|result| result.round == round) {
            for (one, other, outcome) in pairs(result) {
                let reverse = match outcome {
                    Outcomes::WIN => Outcomes::LOSS,
                    Outcomes::LOSS => Outcomes::WIN,
                    Outcomes::DRAW => Outcomes::DRAW,
                };
                periods[one].push((ratings[other], outcome));
                periods[other].push((ratings[one], reverse));
            }
        }
        for (rating, period) in ratings.iter_mut().zip(&periods) {
            *rating = glicko2_rating_period(rating, period, &config);
        }
    }
    let with = |rating: &Glicko2Rating| around(rating.rating, rating.deviation);
    ratings.iter().map(with).collect()
}

fn weng_lin_ratings(results: &[Result], players: usize) -> Vec<(f64, (f64, f64))> {
    let config = WengLinConfig::new();
    let mut ratings = vec![WengLinRating::new(); players];
    for Result { seats, .. } in results.iter().filter(|result| result.seats.len() > 1) {
        let alone: Vec<[WengLinRating; 1]> =
            seats.iter().map(|&(player, _)| [ratings[player]]).collect();
        let teams: Vec<(&[WengLinRating], MultiTeamOutcome)> = alone
            .iter()
            .zip(seats)
            .map(|(team, &(_, own))| {
                let better = seats.iter().filter(|(_, reward)| *reward > own).count();
                (&team[..], MultiTeamOutcome::new(better + 1))
            })
            .collect();
        let after = weng_lin_multi_team(&teams, &config);
        for (&(player, _), team) in seats.iter().zip(&after) {
            if let [rating] = team[..] {
                ratings[player] = rating;
            }
        }
    }
    let with = |rating: &WengLinRating| around(rating.rating, rating.uncertainty);
    ratings.iter().map(with).collect()
}

fn around(rating: f64, deviation: f64) -> (f64, (f64, f64)) {
    (rating, (rating - Z * deviation, rating + Z * deviation))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meetings() -> Vec<Meeting> {
        // Of twelve games a wins nine against b, b nine against c, and a eleven against c.
        let mut all = Vec::new();
        for (one, other, won) in [("a", "b", 9), ("b", "c", 9), ("a", "c", 11)] {
            for number in 0..12 {
                let rewards = if number < won { [100.0, 0.0] } else { [0.0, 100.0] };
                let players = vec![one.to_owned(), other.to_owned()];
                let rewards = rewards.to_vec();
                all.push(Meeting { round: number / 2, players, rewards });
            }
        }
        all
    }

    #[test]
    fn every_scale_finds_the_order_and_holds_it_in_its_interval() {
        for scale in Scale::ALL {
            let standings = rate(&meetings(), scale);
            let names: Vec<&str> = standings.iter().map(|one| one.player.as_str()).collect();
            assert_eq!(names, ["a", "b", "c"], "{scale:?}");
            for Standing { rating, interval: (low, high), .. } in &standings {
                assert!(low < rating && rating < high, "{scale:?} {low} {rating} {high}");
            }
            assert_eq!(standings, rate(&meetings(), scale), "the same matches, the same ratings");
        }
    }

    #[test]
    fn a_draw_of_equals_changes_nothing() {
        let players = vec!["a".to_owned(), "b".to_owned(), "c".to_owned()];
        let meeting = Meeting { round: 0, players, rewards: vec![50.0; 3] };
        for (scale, start) in Scale::ALL.into_iter().zip([1000.0, 1500.0, 25.0]) {
            for standing in rate(std::slice::from_ref(&meeting), scale) {
                assert!((standing.rating - start).abs() < 1e-6, "{scale:?} {standing:?}");
            }
        }
        assert!(rate(&[], Scale::Elo).is_empty());
    }
}
