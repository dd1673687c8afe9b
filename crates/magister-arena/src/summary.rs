//! The summary of a series.

use magister_core::{Game, Info, MatchRecord, Stop};
use serde::{Deserialize, Serialize};

/// The summary of a series.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The number of matches.
    pub games: u64,
    /// The number of matches that did not end with a reward for every seat.
    pub undecided: u64,
    /// The number of joint moves.
    pub moves: u64,
    /// One line for each player, in order of appearance.
    pub players: Vec<Line>,
    /// One line for each role, independent of the player.
    pub roles: Vec<RoleLine>,
    /// The lowest and the highest reward, if known.
    #[serde(skip)]
    range: Option<(f64, f64)>,
}

/// The results of one role. If the same player plays all roles, they show whether the game favours
/// a role.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoleLine {
    /// Its mean reward; `None` if no match was decided.
    pub mean_reward: Option<f64>,
    /// The 95 % interval of the mean. `None` for few matches or equal rewards, from which the
    /// variance cannot be estimated.
    pub reward_interval: Option<(f64, f64)>,
    #[serde(skip)]
    sums: Spread,
}

/// The minimum number of rewards for an estimate of the variance.
const FEW: u64 = 10;

/// The count, sum and sum of squares of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spread {
    count: u64,
    sum: f64,
    squares: f64,
    least: f64,
    most: f64,
}

impl Default for Spread {
    fn default() -> Self {
        let (least, most) = (f64::INFINITY, f64::NEG_INFINITY);
        Spread { count: 0, sum: 0.0, squares: 0.0, least, most }
    }
}

impl RoleLine {
    /// Adds a reward within this range.
    fn count(&mut self, reward: f64, range: Option<(f64, f64)>) {
        let sums = &mut self.sums;
        sums.count += 1;
        sums.sum += reward;
        sums.squares += reward * reward;
        sums.least = sums.least.min(reward);
        sums.most = sums.most.max(reward);
        let n = sums.count as f64;
        let mean = sums.sum / n;
        let spread = (sums.squares / n - mean.powi(2)).max(0.0);
        let half = Z * (spread / (n - 1.0)).sqrt();
        // A mean cannot exceed the range; a reward that does is a defect of the rules.
        let (low, high) = range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        let (low, high) = (low.min(sums.least), high.max(sums.most));
        self.mean_reward = Some(mean);
        self.reward_interval = (sums.count >= FEW && sums.least < sums.most)
            .then_some(((mean - half).max(low), (mean + half).min(high)));
    }
}

/// The results of one player.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The player.
    pub player: String,
    /// The number of seats that it occupied, over all matches.
    pub seats: u64,
    /// The number of sole first places; `None`, like the next two, if it always played alone.
    pub wins: Option<u64>,
    /// The number of shared first places.
    pub draws: Option<u64>,
    /// The number of losses.
    pub losses: Option<u64>,
    /// Its mean reward; `None` if no match was decided.
    pub mean_reward: Option<f64>,
    /// The share of points: in each match, one point for every opponent with a lower reward and
    /// half a point for every opponent with the same reward. `None` without opponents or decided
    /// matches.
    pub score: Option<f64>,
    /// The 95 % interval of the share.
    pub score_interval: Option<(f64, f64)>,
    /// The number of faults.
    pub errors: u64,
    /// Its mean time for a move that it could choose, in milliseconds.
    pub mean_time_ms: f64,
    #[serde(skip)]
    sums: Sums,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sums {
    rewards: f64,
    decided: u64,
    /// The number of decided matches with opponents.
    met: u64,
    points: f64,
    squares: f64,
    time: f64,
    asked: u64,
}

impl Summary {
    /// The summary of a series of this game before its first match.
    pub fn new(info: &Info) -> Self {
        Summary { range: Some(info.rewards), ..Summary::default() }
    }

    /// Adds one match.
    pub fn add(&mut self, record: &MatchRecord) {
        self.add_choices(record, |_, _| true);
    }

    /// Adds one match. `chose` says whether a seat had a choice in a step, both counted from 0.
    /// Other steps do not count towards the mean time of a move, because with hidden information a
    /// player is asked even if it has only one legal move.
    pub fn add_choices(&mut self, record: &MatchRecord, chose: impl Fn(usize, usize) -> bool) {
        self.games += 1;
        self.moves += record.moves.len() as u64;
        let rewards: Option<Vec<f64>> = record.rewards.iter().copied().collect();
        self.undecided += u64::from(rewards.is_none());
        self.roles.resize_with(record.players.len().max(self.roles.len()), RoleLine::default);
        for (line, &reward) in self.roles.iter_mut().zip(rewards.iter().flatten()) {
            line.count(reward, self.range);
        }
        for (seat, player) in record.players.iter().enumerate() {
            let line = self.line(player);
            line.seats += 1;
            if record.players.len() > 1 {
                for count in [&mut line.wins, &mut line.draws, &mut line.losses] {
                    count.get_or_insert(0);
                }
            }
            let own = record.errors.iter().filter(|fault| fault.seat == Some(seat));
            let faults = own.filter(|fault| fault.kind.is_mistake());
            line.errors += faults.count() as u64;
            for (step, times) in record.times_ms.iter().enumerate() {
                let time = times.get(seat).copied().unwrap_or(0.0);
                if time > 0.0 && chose(step, seat) {
                    line.sums.asked += 1;
                    line.sums.time += time;
                }
            }
            if let Some(rewards) = &rewards {
                line.count(rewards, seat);
            }
            line.finish();
        }
    }

    fn line(&mut self, player: &str) -> &mut Line {
        let at = self.players.iter().position(|line| line.player == player);
        let at = at.unwrap_or_else(|| {
            self.players.push(Line { player: player.to_owned(), ..Line::default() });
            self.players.len() - 1
        });
        &mut self.players[at]
    }
}

/// Which seats had a choice in each step of a match. Empty if the match does not agree with the
/// rules of the game.
pub fn choices(game: &dyn Game, record: &MatchRecord) -> Vec<Vec<bool>> {
    let Ok(again) = record.replay(game, &Stop::never()) else { return Vec::new() };
    let mut worker = game.worker();
    let mut chose = |state: &Vec<u64>| {
        let loaded = worker.load(state, &Stop::never()).is_ok();
        let players = game.info().players();
        players.map(|role| loaded && worker.legal(role).len() > 1).collect()
    };
    again.states.iter().map(&mut chose).collect()
}

impl Line {
    fn count(&mut self, rewards: &[f64], seat: usize) {
        let own = rewards[seat];
        self.sums.decided += 1;
        self.sums.rewards += own;
        let others = || rewards.iter().enumerate().filter(|&(other, _)| other != seat);
        let opponents = others().count();
        if opponents == 0 {
            return;
        }
        let result = if others().any(|(_, &reward)| reward > own) {
            &mut self.losses
        } else if others().any(|(_, &reward)| reward >= own) {
            &mut self.draws
        } else {
            &mut self.wins
        };
        *result.get_or_insert(0) += 1;
        let points = |reward: f64| {
            if own > reward {
                1.0
            } else if own < reward {
                0.0
            } else {
                0.5
            }
        };
        let points = others().map(|(_, &reward)| points(reward)).sum::<f64>() / opponents as f64;
        self.sums.met += 1;
        self.sums.points += points;
        self.sums.squares += points * points;
    }

    fn finish(&mut self) {
        let Sums { rewards, decided, met, points, squares, time, asked } = self.sums;
        self.mean_reward = (decided > 0).then(|| rewards / decided as f64);
        self.score = (met > 0).then(|| points / met as f64);
        self.score_interval = (met > 0).then(|| interval(met, points, squares));
        self.mean_time_ms = time / asked.max(1) as f64;
    }
}

/// The number of standard errors of a two-sided 95 % interval.
const Z: f64 = 1.959_963_985;

/// The 95 % interval of a mean of numbers from 0 to 1, given their number, sum and sum of squares:
/// E. Wilson's interval with the observed variance instead of the binomial one, so that draws make
/// it narrower.
pub fn interval(count: u64, sum: f64, squares: f64) -> (f64, f64) {
    if count == 0 {
        return (0.0, 1.0);
    }
    let n = count as f64;
    let mean = sum / n;
    let binomial = mean * (1.0 - mean);
    let seen = (squares / n - mean * mean).max(0.0);
    // The equivalent number of matches without draws.
    let n = if seen > 0.0 { n * (binomial / seen).max(1.0) } else { n };
    let z = Z * Z / n;
    let middle = (mean + z / 2.0) / (1.0 + z);
    let half = Z / (1.0 + z) * (binomial / n + z / (4.0 * n)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_wilsons() {
        // 8 of 10, from standard tables: 0.490 to 0.943.
        let (low, high) = interval(10, 8.0, 8.0);
        assert!((low - 0.490).abs() < 0.001 && (high - 0.943).abs() < 0.001, "{low} {high}");
        let (low, high) = interval(10, 10.0, 10.0);
        assert!((low - 0.722).abs() < 0.001 && (high - 1.0).abs() < 0.001, "{low} {high}");
    }

    #[test]
    fn the_interval_of_a_mean_reward() {
        let mut line = RoleLine::default();
        line.count(100.0, None);
        assert_eq!((line.mean_reward, line.reward_interval), (Some(100.0), None));
        (1..100).for_each(|number| line.count(if number < 40 { 100.0 } else { 0.0 }, None));
        // The standard error is 100 * sqrt(0.4 * 0.6 / 99).
        let (low, high) = line.reward_interval.unwrap();
        assert!((line.mean_reward.unwrap() - 40.0).abs() < 1e-9);
        assert!((low - 30.35).abs() < 0.01 && (high - 49.65).abs() < 0.01, "{low} {high}");
    }

    #[test]
    fn the_interval_of_a_mean_reward_stays_among_the_rewards() {
        let mut line = RoleLine::default();
        let range = Some((0.0, 100.0));
        (0..9).for_each(|_| line.count(100.0, range));
        line.count(0.0, range);
        let (low, high) = line.reward_interval.unwrap();
        assert!(low > 60.0 && (high - 100.0).abs() < 1e-9, "{low} {high}");
        let mut few = RoleLine::default();
        [0.0, 100.0].into_iter().for_each(|reward| few.count(reward, range));
        assert_eq!((few.mean_reward, few.reward_interval), (Some(50.0), None));
        let mut same = RoleLine::default();
        (0..50).for_each(|_| same.count(50.0, range));
        assert_eq!((same.mean_reward, same.reward_interval), (Some(50.0), None));
    }

    /// A match of players with the same name.
    fn record(rewards: &[Option<f64>]) -> MatchRecord {
        let info = Info::new("g", &[], "g 1");
        MatchRecord {
            players: vec!["a".into(); rewards.len()],
            rewards: rewards.to_vec(),
            ..MatchRecord::new(&info, magister_core::Seed::from(1))
        }
    }

    #[test]
    fn single_players_neither_win_nor_lose() {
        let mut summary = Summary::default();
        [0.0, 100.0].into_iter().for_each(|reward| summary.add(&record(&[Some(reward)])));
        let line = &summary.players[0];
        assert_eq!((line.wins, line.draws, line.losses), (None, None, None));
        assert_eq!((line.score, line.score_interval), (None, None));
        assert_eq!(line.mean_reward, Some(50.0));
    }

    #[test]
    fn undecided_matches_are_not_counted() {
        let mut summary = Summary::default();
        summary.add(&record(&[None, None]));
        let line = &summary.players[0];
        assert_eq!((summary.undecided, line.wins, line.losses), (1, Some(0), Some(0)));
        assert_eq!((line.score, line.score_interval, line.mean_reward), (None, None, None));
        assert_eq!(summary.roles[0].mean_reward, None);
        summary.add(&record(&[Some(100.0), Some(0.0)]));
        let line = &summary.players[0];
        assert_eq!((line.score, line.mean_reward), (Some(0.5), Some(50.0)));
    }

    #[test]
    fn forced_moves_do_not_count_for_the_time() {
        let mut summary = Summary::default();
        let times_ms = vec![vec![90.0], vec![10.0], vec![0.0]];
        let played = MatchRecord { times_ms, ..record(&[Some(0.0)]) };
        summary.add_choices(&played, |step, _| step == 0);
        assert!((summary.players[0].mean_time_ms - 90.0).abs() < 1e-9);
    }

    #[test]
    fn draws_narrow_the_interval() {
        let (low, high) = interval(10, 5.0, 3.0);
        let (wide_low, wide_high) = interval(10, 5.0, 5.0);
        assert!(low > wide_low && high < wide_high);
    }
}
