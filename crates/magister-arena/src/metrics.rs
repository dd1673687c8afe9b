//! Metrics for game designers, as defined by `CardStock`: how fair a game is, how much skill
//! matters, how tense it is.
//!
//! Three experiments supply the data: all players play at random; one searching player in the first
//! seat plays against random ones; all players search. The searching player makes several playouts
//! for every option, from states that are consistent with its observations, and chooses the option
//! with the best mean rank. It plays the same way in every game, so that games can be compared.

use std::sync::Arc;

use magister_core::{
    Batch, Budget, Detail, Game, Halt, Information, Move, Results, Rng, Role, Seed, Step, Stop,
    Stream, Turn, Worker, draw, view,
};
use magister_infoset::{Belief, InfosetLimits, Settings};
use serde::Serialize;

/// The settings of the measurement.
#[derive(Clone)]
pub struct Metrics {
    /// The game, with at least two players.
    pub game: Arc<dyn Game>,
    /// The number of games per experiment.
    pub games: u32,
    /// The number of playouts per option.
    pub playouts: u32,
    /// Games with more steps than this are excluded.
    pub max_steps: u32,
    /// The seed.
    pub seed: Seed,
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let game = &self.game.info().name;
        f.debug_struct("Metrics")
            .field("game", game)
            .field("games", &self.games)
            .finish_non_exhaustive()
    }
}

/// The metrics. Each is between 0 and 1 unless stated otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// The number of games that ended, in each of the three experiments.
    pub games: [u32; 3],
    /// How close the share of wins of the first seat is to that of the others in random play.
    pub fairness: f64,
    /// The share of wins of a searching player among random ones, where 0 means an equal share; it
    /// may be negative.
    pub order: f64,
    /// The share of wins that the first seat gains by searching; it may be negative.
    pub gain: f64,
    /// The mean difference between the best and the worst option.
    pub spread: f64,
    /// More than 0.5 if the number of options decreases during a game; not bounded.
    pub convergence: f64,
    /// How far the winner was behind, over all decisions.
    pub drama: f64,
    /// How far the winner was behind, at its own decisions, as `CardStock` computes it.
    pub drama_own: f64,
    /// The share of decisions before which the winner was ahead.
    pub security: f64,
    /// How late in the game the winner was nearly certain to win.
    pub decisiveness: f64,
    /// The share of the winner's own decisions at which its estimate did not fall.
    pub coolness: f64,
    /// The mean number of times per game that another player took the lead; not bounded.
    pub lead_changes: f64,
    /// The mean number of decisions, in random play.
    pub decisions: f64,
    /// The mean number of options at a decision, in random play.
    pub options: f64,
    /// For each game in which all players search, the estimate of the first seat at each decision.
    pub leads: Vec<Vec<f64>>,
    /// The mean number of options at the first, second, ... decision of random games.
    pub branching: Vec<f64>,
}

/// One decision of a searching player.
struct Decision {
    player: usize,
    /// The estimates of all players after the chosen option.
    lead: Vec<f64>,
    spread: f64,
}

struct Played {
    options: Vec<usize>,
    decisions: Vec<Decision>,
    /// The share of the win of each player.
    wins: Vec<f64>,
}

/// The number of states that are drawn for a decision.
const STATES: usize = 10;

impl Metrics {
    /// Plays all games and computes the metrics.
    pub fn run(&self, stop: &Stop) -> Result<Measured, Halt> {
        let players = self.game.info().players().count();
        if players < 2 {
            return Err(Halt::Rules("these metrics compare players, so they need two".to_owned()));
        }
        let mut played: [Vec<Played>; 3] = [Vec::new(), Vec::new(), Vec::new()];
        for (kind, (name, searching)) in
            [("random", 0), ("one", 1), ("all", players)].into_iter().enumerate()
        {
            for number in 0..self.games {
                let seed = self.seed.derive(name).derive_index(u64::from(number));
                played[kind].extend(self.play(searching, &mut seed.rng(), stop)?);
            }
        }
        Ok(measure(&played, players))
    }

    /// Plays one game in which the first seats search; `None` if it does not end.
    fn play(&self, searching: usize, rng: &mut Rng, stop: &Stop) -> Result<Option<Played>, Halt> {
        let info = self.game.info();
        let mut worker = self.game.worker();
        let mut spare = self.game.worker();
        let mut turns: Vec<Vec<Turn>> = vec![Vec::new(); info.roles.len()];
        let (mut options, mut decisions) = (Vec::new(), Vec::new());
        let mut step = Step::new();
        let mut beliefs: Vec<Option<Belief>> = (0..info.roles.len()).map(|_| None).collect();
        for _ in 0..self.max_steps {
            stop.check()?;
            if worker.terminal() {
                let wins = wins(&positions(&*worker));
                return Ok(Some(Played { options, decisions, wins }));
            }
            let mut joint = Vec::new();
            for role in info.all_roles() {
                let legal = worker.legal(role).to_vec();
                let chance = info.chance == Some(role);
                if !chance && legal.len() > 1 {
                    options.push(legal.len());
                }
                if !chance && legal.len() > 1 && role.index() < searching {
                    let states = self.states(role, &turns, &mut beliefs, &*worker, rng, stop)?;
                    let (choice, decision) =
                        self.decide(role, &legal, &states, &mut *spare, rng, stop)?;
                    decisions.push(decision);
                    joint.push(choice);
                } else {
                    let weights = if chance { worker.weights() } else { &[] };
                    joint.push(draw(&legal, weights, rng).unwrap_or(Move::IDLE));
                }
            }
            worker.step(&joint, &mut step, stop)?;
            if step.tick {
                for role in info.players().filter(|role| role.index() < searching) {
                    let seen = view::observe(info.information, role, &joint, &step);
                    turns[role.index()].push(Turn { own: joint[role.index()], seen });
                }
            }
        }
        Ok(None)
    }

    /// States that are consistent with a role's observations.
    fn states(
        &self,
        role: Role,
        turns: &[Vec<Turn>],
        beliefs: &mut [Option<Belief>],
        worker: &dyn Worker,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<Vec<Vec<u64>>, Halt> {
        if self.game.info().information == Information::Perfect {
            let mut state = Vec::new();
            worker.save(&mut state);
            return Ok(vec![state]);
        }
        let limits = InfosetLimits { states: 2_000, steps: 80_000 };
        let settings = Settings { limits, particles: STATES, ..Settings::default() };
        let belief = match &mut beliefs[role.index()] {
            Some(belief) => belief,
            empty => empty.insert(Belief::new(Arc::clone(&self.game), role, settings, stop)?),
        };
        belief.follow(&turns[role.index()], &Budget::until(stop.clone()), rng)?;
        Ok((0..STATES).map(|_| belief.state(belief.draw(rng)).to_vec()).collect())
    }

    /// Makes playouts for every option and chooses the best.
    fn decide(
        &self,
        role: Role,
        legal: &[Move],
        states: &[Vec<u64>],
        worker: &mut dyn Worker,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<(Move, Decision), Halt> {
        let info = self.game.info();
        let players = info.players().count();
        let last = (players - 1) as f64;
        let mut results = Results::default();
        let mut step = Step::new();
        let mut best: Option<(f64, Move, Vec<f64>)> = None;
        let (mut high, mut low) = (f64::NEG_INFINITY, f64::INFINITY);
        for &choice in legal {
            let mut sums = vec![0.0; players];
            let mut count = 0.0;
            let mut add = |places: Vec<f64>| {
                if places.len() == players {
                    sums.iter_mut().zip(places).for_each(|(sum, place)| *sum += place);
                    count += 1.0;
                }
            };
            let mut starts: Vec<Vec<u64>> = Vec::new();
            for number in 0..self.playouts {
                worker.load(&states[number as usize % states.len()], stop)?;
                let joint: Vec<Move> = info
                    .all_roles()
                    .map(|other| {
                        let legal = worker.legal(other);
                        let weights =
                            if info.chance == Some(other) { worker.weights() } else { &[] };
                        if other == role {
                            choice
                        } else {
                            draw(legal, weights, rng).unwrap_or(Move::IDLE)
                        }
                    })
                    .collect();
                if worker.step(&joint, &mut step, stop).is_err() {
                    continue;
                }
                if worker.terminal() {
                    add(positions(worker));
                } else {
                    let mut start = Vec::new();
                    worker.save(&mut start);
                    starts.push(start);
                }
            }
            let stream = |(id, start)| Stream { id, start, quota: 1 };
            let streams: Vec<Stream<'_>> =
                (0..).zip(starts.iter().map(Vec::as_slice)).map(stream).collect();
            let (seed, max_steps, detail) = (rng.next_u64(), self.max_steps, Detail::Sums);
            let batch = Batch { seed, streams: &streams, max_steps, detail };
            worker.playouts(&batch, &mut results, stop)?;
            for tally in &results.streams {
                let rewards: Option<Vec<f64>> =
                    info.players().map(|role| tally.mean(role)).collect();
                add(rewards.map(|rewards| places(&rewards)).unwrap_or_default());
            }
            if count == 0.0 {
                continue;
            }
            let lead: Vec<f64> = sums.iter().map(|sum| (last - sum / count) / last).collect();
            let own = lead[role.index()];
            high = high.max(own);
            low = low.min(own);
            if best.as_ref().is_none_or(|(known, ..)| own > *known) {
                best = Some((own, choice, lead));
            }
        }
        let (_, choice, lead) = best.unwrap_or((0.0, legal[0], vec![0.5; players]));
        let spread = if high >= low { high - low } else { 0.0 };
        Ok((choice, Decision { player: role.index(), lead, spread }))
    }
}

/// The rank of each player at the end: 0 is first, and tied players share the better rank.
fn places(rewards: &[f64]) -> Vec<f64> {
    let better = |one: &f64| rewards.iter().filter(|other| *other > one).count() as f64;
    rewards.iter().map(better).collect()
}

fn positions(worker: &dyn Worker) -> Vec<f64> {
    let mut goals = Vec::new();
    let rewards: Vec<f64> = worker
        .info()
        .players()
        .map(|role| {
            worker.goals(role, &mut goals);
            goals.first().copied().unwrap_or(f64::NEG_INFINITY)
        })
        .collect();
    places(&rewards)
}

/// The share of the win of each player.
fn wins(places: &[f64]) -> Vec<f64> {
    let first = places.iter().filter(|place| **place < 0.5).count().max(1) as f64;
    places.iter().map(|place| if *place < 0.5 { 1.0 / first } else { 0.0 }).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value));
    if count > 0.0 { sum / count } else { 0.0 }
}

fn measure(played: &[Vec<Played>; 3], players: usize) -> Measured {
    let [random, one, all] = played;
    let share = |games: &[Played]| mean(games.iter().map(|game| game.wins[0]));
    let fair = 1.0 / players as f64;
    let (by_chance, by_search) = (share(random), share(one));
    let spreads = || one.iter().chain(all).flat_map(|game| &game.decisions).map(|d| d.spread);
    // Halfway between the estimates of the first and of the second place.
    let last = (players - 1) as f64;
    let theta = f64::midpoint(1.0, (players as f64 - 2.0) / last);
    let games: Vec<WinnersView> = all.iter().filter_map(WinnersView::of).collect();
    let decisions = random.iter().map(|game| game.options.len()).max().unwrap_or(0);
    let at = |number: usize| {
        mean(random.iter().filter_map(|game| game.options.get(number)).map(|&o| o as f64))
    };
    Measured {
        games: [random.len() as u32, one.len() as u32, all.len() as u32],
        fairness: if by_chance <= fair {
            by_chance / fair
        } else {
            (1.0 - by_chance) / (1.0 - fair)
        },
        order: (by_search - fair) / (1.0 - fair),
        gain: by_search - by_chance,
        spread: mean(spreads()),
        convergence: mean(random.iter().map(|game| 0.5 - slope(&game.options) / 2.0)),
        drama: mean(games.iter().map(|game| behind(&game.winner, theta))),
        drama_own: {
            let own = games.iter().flat_map(|game| &game.own).copied();
            mean(own.filter(|v| *v < 0.5).map(|v| (0.5 - v).sqrt()))
        },
        security: mean(
            games.iter().map(|game| {
                1.0 - mean(game.winner.iter().map(|v| f64::from(u8::from(*v < theta))))
            }),
        ),
        decisiveness: 1.0
            - mean(games.iter().filter(|game| !game.own.is_empty()).map(|game| {
                let count = game.own.len() as f64;
                let sure = game.own.iter().position(|v| *v > 0.8);
                (count - sure.unwrap_or(game.own.len() - 1) as f64) / count
            })),
        coolness: {
            let pairs = games.iter().flat_map(|game| game.own.windows(2));
            1.0 - mean(pairs.map(|pair| f64::from(u8::from(pair[1] < pair[0]))))
        },
        lead_changes: mean(games.iter().map(|game| game.changes)),
        decisions: mean(random.iter().map(|game| game.options.len() as f64)),
        options: mean(random.iter().flat_map(|game| &game.options).map(|&o| o as f64)),
        leads: all
            .iter()
            .map(|game| game.decisions.iter().map(|decision| decision.lead[0]).collect())
            .collect(),
        branching: (0..decisions).map(at).collect(),
    }
}

/// A game from the winner's point of view.
struct WinnersView {
    /// The estimates at all decisions, and at its own.
    winner: Vec<f64>,
    own: Vec<f64>,
    changes: f64,
}

impl WinnersView {
    fn of(game: &Played) -> Option<Self> {
        let winner = game.wins.iter().position(|share| *share > 0.0)?;
        // A shared first rank changes no lead.
        let leader = |decision: &Decision| {
            let best = decision.lead.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let mut first = decision.lead.iter().enumerate().filter(|(_, lead)| **lead >= best);
            let player = first.next()?.0;
            first.next().is_none().then_some(player)
        };
        let leaders: Vec<usize> = game.decisions.iter().filter_map(leader).collect();
        let own = game.decisions.iter().filter(|decision| decision.player == winner);
        Some(WinnersView {
            winner: game.decisions.iter().map(|decision| decision.lead[winner]).collect(),
            own: own.map(|decision| decision.lead[winner]).collect(),
            changes: leaders.windows(2).filter(|pair| pair[0] != pair[1]).count() as f64,
        })
    }
}

/// The mean square root of the distance to a threshold, over the estimates below it.
fn behind(estimates: &[f64], theta: f64) -> f64 {
    mean(estimates.iter().filter(|v| **v < theta).map(|v| (theta - v).sqrt()))
}

/// The least-squares slope of a list of numbers.
fn slope(numbers: &[usize]) -> f64 {
    let count = numbers.len() as f64;
    if numbers.len() < 2 {
        return 0.0;
    }
    let x = (count - 1.0) / 2.0;
    let y = mean(numbers.iter().map(|&n| n as f64));
    let (mut over, mut under) = (0.0, 0.0);
    for (at, &number) in numbers.iter().enumerate() {
        over += (at as f64 - x) * (number as f64 - y);
        under += (at as f64 - x).powi(2);
    }
    over / under
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(wins: &[f64], leads: &[(usize, &[f64])], options: &[usize]) -> Played {
        let decision = |&(player, lead): &(usize, &[f64])| Decision {
            player,
            lead: lead.to_vec(),
            spread: 0.25,
        };
        Played {
            options: options.to_vec(),
            decisions: leads.iter().map(decision).collect(),
            wins: wins.to_vec(),
        }
    }

    #[test]
    fn the_formulas_by_hand() {
        let random =
            vec![played(&[1.0, 0.0], &[], &[3, 2, 1]), played(&[0.0, 1.0], &[], &[2, 2, 2])];
        let one = vec![played(&[1.0, 0.0], &[], &[]), played(&[0.5, 0.5], &[], &[])];
        let all = vec![played(
            &[1.0, 0.0],
            &[(0, &[0.25, 0.75]), (1, &[0.5, 0.5]), (0, &[0.9, 0.1])],
            &[],
        )];
        let measured = measure(&[random, one, all], 2);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        close(measured.fairness, 1.0);
        close(measured.order, 0.5);
        close(measured.gain, 0.25);
        close(measured.spread, 0.25);
        // Slopes of -1 and 0.
        close(measured.convergence, 0.75);
        // Two players: the threshold is a half, and one estimate is a quarter below it.
        close(measured.drama, 0.5);
        close(measured.drama_own, 0.5);
        close(measured.security, 2.0 / 3.0);
        // The winner is nearly certain at the second of its two decisions.
        close(measured.decisiveness, 0.5);
        close(measured.coolness, 1.0);
        // A tie between the two leads changes nothing.
        close(measured.lead_changes, 1.0);
        assert_eq!(measured.branching, [2.5, 2.0, 1.5]);
    }

    #[test]
    fn places_and_shares() {
        assert_eq!(places(&[5.0, 9.0, 5.0]), [1.0, 0.0, 1.0]);
        assert_eq!(wins(&places(&[3.0, 3.0, 1.0])), [0.5, 0.5, 0.0]);
    }
}
