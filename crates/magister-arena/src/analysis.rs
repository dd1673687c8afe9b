//! Analysis of a game by random play and by a strong player.

mod random;

pub use random::RandomPlay;

use std::ops::ControlFlow;
use std::sync::Arc;

use magister_core::{
    Agent, Budget, Game, Halt, Information, Move, PlayerSource, Referee, Rng, Role, Seed, Stop,
    Thought, View,
};
use magister_infoset::Determinization;
use magister_players::Spec;
use magister_solve::Solution;
use serde::{Deserialize, Serialize};

use crate::clock::TimeControl;
use crate::contest::Contest;
use crate::drama::Played;
use crate::remedy::{Remedied, Remedy};
use crate::series::{Series, SeriesError};
use crate::summary::interval;

/// The settings of an analysis.
#[derive(Clone)]
pub struct Analysis {
    /// The game.
    pub game: Arc<dyn Game>,
    /// The strong player, which must report its thoughts.
    pub player: Spec,
    /// The weak player for comparison.
    pub weak: Spec,
    /// The number of random matches.
    pub playouts: u32,
    /// The number of matches of the strong player against itself.
    pub games: u32,
    /// The iterations per move.
    pub iterations: u64,
    /// The iterations for the attempt to solve the game.
    pub solving: u64,
    /// The maximum length of a match.
    pub max_steps: u32,
    /// The seed of all random draws.
    pub seed: Seed,
}

impl std::fmt::Debug for Analysis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Analysis")
            .field("game", &self.game.info().name)
            .field("player", &self.player)
            .finish_non_exhaustive()
    }
}

/// The results of an analysis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// The results of random play.
    pub random: RandomPlay,
    /// The results of strong play, if the player plays such games and at least one match ended.
    pub strong: Option<StrongPlay>,
    /// The value of each seat under optimal play, if proven.
    pub solved: Option<Vec<f64>>,
    /// The score of the strong player against the weak one with its 95 % interval, if at least one
    /// match ended.
    pub skill: Option<(f64, f64, f64)>,
    /// In a game with one seat, the mean reward of the weak player.
    #[serde(default)]
    pub weak_reward: Option<f64>,
    /// Changes that may make the game fairer, if one of two seats wins too often.
    #[serde(default)]
    pub balance: Option<Balance>,
}

/// An unfair two-player game, and the results of changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Balance {
    /// The seat that scores significantly more.
    pub favoured: usize,
    /// Its score with its 95 % interval.
    pub score: (f64, f64, f64),
    /// The changes that were tried.
    pub tried: Vec<Trial>,
    /// The change that came nearest to a fair game, if it improved on the original.
    pub suggested: Option<usize>,
}

/// A change of the rules, and its results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The change.
    pub remedy: Remedy,
    /// The change as a sentence.
    pub what: String,
    /// The number of matches that ended.
    pub matches: u32,
    /// The score of each seat with its 95 % interval; empty if no match ended.
    pub seats: Vec<(f64, f64, f64)>,
    /// The share of matches without a single winner.
    pub draws: f64,
    /// The exact values of the changed game for each seat, if both games were solved.
    #[serde(default)]
    pub solved: Option<Vec<f64>>,
}

impl Trial {
    /// Whether the changed game is known to be decided for one of the seats.
    fn is_decided(&self) -> bool {
        self.solved
            .as_ref()
            .is_some_and(|values| values.windows(2).any(|two| (two[0] - two[1]).abs() > 1e-9))
    }
}

/// The results of the strong player against itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StrongPlay {
    /// The number of matches that ended.
    pub matches: u32,
    /// The number of matches that did not end.
    #[serde(default)]
    pub broken_off: u32,
    /// The mean reward of each seat.
    #[serde(default)]
    pub rewards: Vec<f64>,
    /// The mean number of steps.
    pub length: f64,
    /// The share of matches without a single winner.
    pub draws: f64,
    /// The score of each seat against the others, with its 95 % interval.
    pub seats: Vec<(f64, f64, f64)>,
    /// How far behind the later winner was, averaged over the positions in which it was behind,
    /// from 0 to 1.
    pub drama: f64,
    /// The number of lead changes per match.
    pub lead_changes: f64,
    /// The part of a match that remained when the winner took the lead for the last time.
    pub decided: f64,
    /// The lead of the first seat, from -1 to 1, for each step of each match.
    #[serde(default)]
    pub leads: Vec<Vec<f64>>,
}

impl Analysis {
    /// An analysis that takes at most a few minutes for games of the usual size.
    pub fn new(game: Arc<dyn Game>, player: Spec, weak: Spec) -> Self {
        Analysis {
            game,
            player,
            weak,
            playouts: 200,
            games: 20,
            iterations: 400,
            solving: 20_000,
            max_steps: 2_000,
            seed: Seed::from(0),
        }
    }

    /// Analyses the game.
    pub fn run(&self, stop: &Stop) -> Result<Findings, Halt> {
        let mut findings = Findings { random: self.random(stop)?, ..Findings::default() };
        let hidden = self.game.info().information == Information::Hidden;
        if hidden && !self.player.entry().hidden {
            return Ok(findings);
        }
        findings.strong = Some(self.strong(stop)?).filter(|strong| strong.matches > 0);
        if !hidden {
            findings.solved = self.solve(stop)?;
        }
        match self.game.info().players().count() {
            0 => {}
            1 => {
                let weak = Analysis { player: self.weak.clone(), ..self.clone() }.strong(stop)?;
                findings.weak_reward = weak.rewards.first().copied();
            }
            _ => findings.skill = self.skill(stop).ok().flatten(),
        }
        if let Some(strong) = &findings.strong {
            findings.balance = self.balance(strong, findings.solved.is_some(), stop)?;
        }
        Ok(findings)
    }

    /// If one of two seats wins too often, plays the game again with rules that may help.
    fn balance(
        &self,
        strong: &StrongPlay,
        solved: bool,
        stop: &Stop,
    ) -> Result<Option<Balance>, Halt> {
        let roles: Vec<Role> = self.game.info().players().collect();
        let favoured = strong.seats.iter().position(|&(_, low, _)| low > 0.5);
        let (Some(favoured), [one, two]) = (favoured, &roles[..]) else { return Ok(None) };
        let other = if favoured == 0 { *two } else { *one };
        let mut tried = Vec::new();
        for remedy in [Remedy::Swap, Remedy::DrawOdds(other)] {
            // Without draws, draw odds change nothing.
            if remedy != Remedy::Swap && strong.draws == 0.0 {
                continue;
            }
            let Some(game) = Remedied::new(Arc::clone(&self.game), remedy) else { continue };
            let changed = Analysis { game: Arc::new(game), ..self.clone() };
            let again = changed.strong(stop)?;
            // If exact values are known, they say more than matches do.
            let solved = if solved { changed.solve(stop)? } else { None };
            tried.push(Trial {
                remedy,
                what: remedy.sentence(self.game.info()),
                matches: again.matches,
                seats: again.seats,
                draws: again.draws,
                solved,
            });
        }
        let score = strong.seats[favoured];
        let off = |trial: &Trial| (trial.seats[favoured].0 - 0.5).abs();
        let best = (0..tried.len())
            .filter(|&at| tried[at].matches > 0 && !tried[at].is_decided())
            .min_by(|&a, &b| off(&tried[a]).total_cmp(&off(&tried[b])))
            .filter(|&at| off(&tried[at]) < (score.0 - 0.5).abs());
        Ok(Some(Balance { favoured, score, tried, suggested: best }))
    }

    fn strong(&self, stop: &Stop) -> Result<StrongPlay, Halt> {
        let seats = self.game.info().players().count();
        let mut found = StrongPlay::default();
        let mut points = vec![(0.0, 0.0); seats];
        for number in 0..self.games {
            stop.check()?;
            let seed = self.seed.derive("strong play").derive_index(u64::from(number));
            let Some(played) = self.self_play(seed, stop)? else {
                found.broken_off += 1;
                continue;
            };
            found.matches += 1;
            found.rewards.resize(seats, 0.0);
            found.rewards.iter_mut().zip(&played.rewards).for_each(|(sum, own)| *sum += own);
            found.length += played.leads.len() as f64;
            let best = played.rewards.iter().copied().fold(f64::MIN, f64::max);
            let winners: Vec<usize> =
                (0..seats).filter(|&seat| played.rewards[seat] >= best).collect();
            for (seat, points) in points.iter_mut().enumerate() {
                let score = score(&played.rewards, seat);
                points.0 += score;
                points.1 += score * score;
            }
            match winners[..] {
                [winner] if seats > 1 => played.drama(winner, &mut found),
                _ => found.draws += 1.0,
            }
            found.lead_changes += played.changes();
            found.leads.extend(Some(played.ahead(0)).filter(|leads| !leads.is_empty()));
        }
        // Without a match there is nothing to report.
        if found.matches == 0 {
            return Ok(found);
        }
        let count = f64::from(found.matches);
        found.rewards.iter_mut().for_each(|sum| *sum /= count);
        let decisive = (count - found.draws).max(1.0);
        found.length /= count;
        found.draws /= count;
        found.lead_changes /= count;
        found.drama /= decisive;
        found.decided /= decisive;
        found.seats = points
            .into_iter()
            .map(|(sum, squares)| {
                let (low, high) = interval(u64::from(found.matches), sum, squares);
                (sum / count, low, high)
            })
            .collect();
        Ok(found)
    }

    /// A match of the strong player against itself, with its thoughts on each position.
    fn self_play(&self, seed: Seed, stop: &Stop) -> Result<Option<Played>, Halt> {
        let info = self.game.info();
        let mut referee = Referee::new(Arc::clone(&self.game), seed, stop)?;
        let mut players: Vec<(Role, Box<dyn Agent>, Rng)> = info
            .players()
            .map(|role| {
                let rng = seed.derive("agent").derive_index(u64::from(role.0)).rng();
                (role, self.player.agent(), rng)
            })
            .collect();
        let clairvoyant = self.player.capabilities().clairvoyant;
        let mut leads = Vec::new();
        let only = |referee: &Referee, role| referee.legal(role).first().copied();
        while !referee.terminal() && leads.len() < self.max_steps as usize {
            stop.check()?;
            let mut joint: Vec<Move> =
                info.all_roles().map(|role| only(&referee, role).unwrap_or(Move::IDLE)).collect();
            let mut values = None;
            for (role, agent, rng) in &mut players {
                if referee.legal(*role).len() > 1 {
                    let mut budget = Budget::iterations(self.iterations).with_stop(stop.clone());
                    let shown = (info.information == Information::Hidden && clairvoyant)
                        .then(|| Determinization::view(&self.game, referee.reveal(*role), *role));
                    let view = shown.as_ref().unwrap_or_else(|| referee.view(*role));
                    joint[role.index()] = agent.decide(view, &mut budget, rng)?.choice;
                    values = values.or_else(|| agent.value(view));
                }
            }
            let seats = info.players().map(Role::index);
            leads.push(values.map(|values| seats.map(|seat| values[seat]).collect()));
            referee.advance(&joint, stop)?;
        }
        let Some(outcome) = referee.outcome() else { return Ok(None) };
        let rewards: Option<Vec<f64>> = info.players().map(|role| outcome[role.index()]).collect();
        let (low, high) = info.rewards;
        let spread = if (high - low).is_finite() && high > low { high - low } else { 1.0 };
        Ok(rewards.map(|rewards| Played { rewards, leads, spread }))
    }

    /// The value of the game, if the strong player can prove it.
    fn solve(&self, stop: &Stop) -> Result<Option<Vec<f64>>, Halt> {
        let info = self.game.info();
        let mut worker = self.game.worker();
        worker.reset();
        let choosing = info.players().find(|&role| worker.legal(role).len() > 1);
        let Some(role) = choosing.or_else(|| info.players().next()) else { return Ok(None) };
        let mut budget = Budget::iterations(self.solving).with_stop(stop.clone());
        let limits =
            magister_solve::SolveLimits { nodes: self.solving as usize, ..Default::default() };
        if let Ok(solution) = Solution::of_game(&*self.game, role, &limits, &mut budget) {
            let values = solution.value();
            return Ok(Some(info.players().map(|role| values[role.index()]).collect()));
        }
        stop.check()?;
        // A role without a choice proves nothing.
        let Some(role) = choosing else { return Ok(None) };
        let view = View::new(Arc::clone(&self.game), role);
        let mut agent = self.player.agent();
        let mut budget = Budget::iterations(self.solving).with_stop(stop.clone());
        let mut rng = self.seed.derive("solve").rng();
        let thoughts = agent.decide(&view, &mut budget, &mut rng)?.thoughts;
        let top = |thought: &Thought| thought.value.is_some_and(|value| value >= info.rewards.1);
        let proven = thoughts.iter().any(|thought| thought.proven && top(thought))
            || (!thoughts.is_empty() && thoughts.iter().all(|thought| thought.proven));
        let values = agent.value(&view).filter(|_| proven);
        let values = values.map(|values| info.players().map(|role| values[role.index()]).collect());
        // In a game for one player, a plan may be known without a value of the position.
        let alone = thoughts.first().filter(|_| proven && info.players().count() == 1);
        Ok(values.or_else(|| alone.and_then(|thought| Some(vec![thought.value?]))))
    }

    /// The score of the strong player against the weak one, if at least one match ended.
    fn skill(&self, stop: &Stop) -> Result<Option<(f64, f64, f64)>, SeriesError> {
        let limits = TimeControl { iterations: Some(self.iterations), ..TimeControl::default() };
        let contest =
            Contest { max_steps: self.max_steps, ..Contest::new(Arc::clone(&self.game), limits) };
        let seats = self.game.info().players().count();
        let source = |spec: &Spec| -> Arc<dyn PlayerSource> { Arc::new(spec.clone()) };
        let mut players = vec![source(&self.weak); seats];
        players[0] = source(&self.player);
        let series = Series {
            contest,
            players,
            games: u64::from(self.games),
            seed: self.seed.derive("skill"),
            jobs: 1,
        };
        let strong = self.player.to_string();
        let (mut count, mut sum, mut squares) = (0, 0.0, 0.0);
        series.play(|_, record| {
            let rewards: Option<Vec<f64>> = record.rewards.iter().copied().collect();
            let own = |player: &String| *player == strong;
            for seat in (0..record.players.len()).filter(|&seat| own(&record.players[seat])) {
                let Some(score) = rewards.as_ref().map(|rewards| score(rewards, seat)) else {
                    continue;
                };
                count += 1;
                sum += score;
                squares += score * score;
            }
            if stop.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let (low, high) = interval(count, sum, squares);
        Ok((count > 0).then(|| (sum / count as f64, low, high)))
    }
}

/// The share of the other seats that a seat beats; draws count half.
fn score(rewards: &[f64], seat: usize) -> f64 {
    let own = rewards[seat];
    let others = rewards.iter().enumerate().filter(|&(at, _)| at != seat);
    let point = |(_, &other): (usize, &f64)| {
        if own > other { 1.0 } else { f64::from(u8::from(own >= other)) / 2.0 }
    };
    others.map(point).sum::<f64>() / rewards.len().saturating_sub(1).max(1) as f64
}
