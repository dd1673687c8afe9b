//! The strength of a player: matches against another one.

use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::Result;
use magister_arena::{Contest, Sample, Series, TimeControl, interval};
use magister_core::{Game, Info, PlayerSource, Seed};
use magister_players::Spec;

use super::contest::jobs;
use super::remote;
use crate::interrupt;

/// How matches are played.
pub(crate) struct Bout<'a> {
    pub(crate) game: &'a Arc<dyn Game>,
    pub(crate) limits: TimeControl,
    /// The number of random steps at the start.
    pub(crate) opening: u32,
    pub(crate) games: u64,
    pub(crate) seed: u64,
}

/// The result of matches: shares of the points, or rewards in a game for one player.
pub(crate) struct Score {
    pub(crate) results: Sample,
    pub(crate) faults: usize,
}

impl Score {
    /// The 95 % interval of the mean. That of shares is never empty, even if all matches were won.
    pub(crate) fn interval(&self, alone: bool) -> (f64, f64) {
        let values = &self.results.values;
        // Rewards without bounds are not shares.
        if alone || !values.iter().all(|value| (0.0..=1.0).contains(value)) {
            let (mean, margin) = (self.results.mean(), self.results.margin());
            return (mean - margin, mean + margin);
        }
        let squares = values.iter().map(|value| value * value).sum();
        interval(values.len() as u64, values.iter().sum(), squares)
    }
}

impl Bout<'_> {
    /// Whether the game has one player.
    pub(crate) fn alone(&self) -> bool {
        self.game.info().players().count() == 1
    }

    /// Plays the matches, every other one with swapped roles. After ^C, the score contains the matches
    /// so far.
    pub(crate) fn play(&self, agent: &Spec, opponent: Option<&Spec>) -> Result<Score> {
        for player in std::iter::once(agent).chain(opponent) {
            remote::fits(player, self.game)?;
        }
        let info = self.game.info();
        let alone = self.alone();
        let contest = Contest {
            opening: if alone { 0 } else { self.opening },
            ..Contest::new(Arc::clone(self.game), self.limits)
        };
        // In a game for more than two players, all other seats have the same player.
        let others = opponent
            .into_iter()
            .flat_map(|opponent| (1..info.players().count()).map(move |_| opponent.clone()));
        let players = std::iter::once(agent.clone()).chain(others);
        let series = Series {
            contest,
            players: players.map(|player| Arc::new(player) as Arc<dyn PlayerSource>).collect(),
            games: self.games,
            seed: Seed::from(self.seed),
            jobs: jobs(None, &self.limits),
        };
        let mut score = Score { results: Sample::default(), faults: 0 };
        let own = agent.to_string();
        series.play(|_, record| {
            score.faults += record.errors.len();
            let seats = record.players.iter().zip(&record.rewards);
            let mine = seats.filter(|(player, _)| **player == own);
            let value = |reward| if alone { reward } else { share(&record.rewards, reward, info) };
            score.results.values.extend(mine.filter_map(|(_, reward)| *reward).map(value));
            if interrupt::pressed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(score)
    }
}

/// The share of the points of a game: 1 for being better than all others, 0 for being worse, and
/// otherwise the reward relative to its range.
fn share(rewards: &[Option<f64>], own: f64, info: &Info) -> f64 {
    let (low, high) = info.rewards;
    if let [Some(a), Some(b)] = rewards[..] {
        let other = a + b - own;
        return if own > other {
            1.0
        } else if own < other {
            0.0
        } else {
            0.5
        };
    }
    if low.is_finite() && high > low { (own - low) / (high - low) } else { own }
}
