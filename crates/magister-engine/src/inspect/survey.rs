//! Random matches and their statistics.

use std::collections::{BTreeMap, BTreeSet};

use magister_core::{Game, Halt, Move, Payment, Rng, Role, Seed, Step, Stop, Worker, draw};

/// A defect observed in play, in the order of the report.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// A role has no legal move in a non-terminal state.
    NoMove(Role),
    /// A step failed; the text says why.
    Step(String),
    /// A player has no goal value in a terminal state.
    NoGoal(Role),
    /// A player has these goal values in a terminal state.
    ManyGoals(Role, String),
    /// A goal value is out of range.
    GoalRange(Role, String),
}

/// The number of matches in which a defect was observed, and the first of them.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The number of matches.
    pub matches: u32,
    /// The joint moves of that match.
    pub example: Vec<Vec<Move>>,
}

/// The results of one player.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    /// The number of matches in which the player had a result.
    pub paid: u32,
    /// The sum of the results.
    pub sum: f64,
    /// The lowest result.
    pub low: f64,
    /// The highest result.
    pub high: f64,
    /// The number of matches that the player won alone.
    pub best: u32,
    /// The number of matches in which the player shared the best result.
    pub shared: u32,
}

/// The statistics of many matches.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// The number of matches.
    pub playouts: u32,
    /// The number of matches that reached a terminal state.
    pub finished: u32,
    /// The length of the shortest of them.
    pub shortest: u32,
    /// The length of the longest of them.
    pub longest: u32,
    /// The total length of all of them.
    pub steps: u64,
    /// The number of matches that were cut off.
    pub truncated: u32,
    /// The defects.
    pub faults: BTreeMap<Fault, Seen>,
    /// One score per role; that of chance stays empty.
    pub scores: Vec<Score>,
    /// All moves that were ever legal.
    pub legal: BTreeSet<Move>,
}

/// After this many matches with the same failure, more of them show nothing new. A match that fails
/// at a limit is also slow.
const ENOUGH_FAILURES: u32 = 5;

/// Plays matches of a game whose goal values should lie in a range, until it is stopped. It also
/// stops after a few matches that exceeded the same limit, and if the first few matches all failed
/// in the same way.
pub fn survey(
    game: &dyn Game,
    range: (f64, f64),
    playouts: u32,
    max_steps: u32,
    seed: Seed,
    stop: &Stop,
) -> Survey {
    let roles = game.info().roles.len();
    let mut survey = Survey { scores: vec![Score::default(); roles], ..Survey::default() };
    let mut one = Match {
        game,
        range,
        worker: game.worker(),
        step: Step::new(),
        moves: Vec::new(),
        totals: Vec::new(),
        limited: 0,
    };
    for number in 0..playouts {
        if stop.is_set() {
            break;
        }
        one.play(&mut survey, max_steps, &mut seed.derive_index(u64::from(number)).rng());
        if one.limited >= ENOUGH_FAILURES || survey.fails_alike() {
            break;
        }
    }
    survey
}

impl Survey {
    /// Whether the first few matches all failed in the same way.
    fn fails_alike(&self) -> bool {
        let mut faults = self.faults.iter();
        self.playouts == ENOUGH_FAILURES
            && matches!((faults.next(), faults.next()),
                (Some((Fault::Step(_), seen)), None) if seen.matches == self.playouts)
    }
}

struct Match<'a> {
    game: &'a dyn Game,
    range: (f64, f64),
    worker: Box<dyn Worker>,
    step: Step,
    moves: Vec<Vec<Move>>,
    totals: Vec<f64>,
    /// The number of matches that exceeded a limit.
    limited: u32,
}

impl Match<'_> {
    fn play(&mut self, survey: &mut Survey, max_steps: u32, rng: &mut Rng) {
        survey.playouts += 1;
        self.worker.reset();
        self.moves.clear();
        self.totals = vec![0.0; survey.scores.len()];
        while !self.worker.terminal() {
            if self.moves.len() >= max_steps as usize {
                survey.truncated += 1;
                return;
            }
            let Some(joint) = self.choose(survey, rng) else { return };
            if let Err(halt) = self.worker.step(&joint, &mut self.step, &Stop::never()) {
                self.moves.push(joint);
                self.limited += u32::from(matches!(halt, Halt::Limit(_)));
                let what = match halt {
                    Halt::Rules(what) => what,
                    other => other.to_string(),
                };
                self.found(survey, Fault::Step(what));
                return;
            }
            self.moves.push(joint);
            for (total, gain) in self.totals.iter_mut().zip(&self.step.gains) {
                *total += gain;
            }
        }
        let length = self.moves.len() as u32;
        survey.shortest = if survey.finished == 0 { length } else { survey.shortest.min(length) };
        survey.longest = survey.longest.max(length);
        survey.steps += u64::from(length);
        survey.finished += 1;
        self.results(survey);
    }

    /// A move for each role; `None` if a role has none.
    fn choose(&self, survey: &mut Survey, rng: &mut Rng) -> Option<Vec<Move>> {
        let info = self.game.info();
        let mut joint = Vec::with_capacity(info.roles.len());
        for role in info.all_roles() {
            let legal = self.worker.legal(role);
            survey.legal.extend(legal);
            let weights = if info.chance == Some(role) { self.worker.weights() } else { &[] };
            let Some(choice) = draw(legal, weights, rng) else {
                self.found(survey, Fault::NoMove(role));
                return None;
            };
            joint.push(choice);
        }
        Some(joint)
    }

    /// Records the results of a finished match.
    fn results(&self, survey: &mut Survey) {
        let info = self.game.info();
        let mut goals = Vec::new();
        let mut results: Vec<(Role, f64)> = Vec::new();
        for role in info.players() {
            match info.payment {
                Payment::OnTheWay => goals = vec![self.totals[role.index()]],
                Payment::AtEnd => self.worker.goals(role, &mut goals),
            }
            match goals[..] {
                [] => self.found(survey, Fault::NoGoal(role)),
                [goal] => {
                    results.push((role, goal));
                    if goal < self.range.0 || goal > self.range.1 {
                        self.found(survey, Fault::GoalRange(role, goal.to_string()));
                    }
                }
                _ => {
                    let values: Vec<String> = goals.iter().map(f64::to_string).collect();
                    self.found(survey, Fault::ManyGoals(role, values.join(" and ")));
                }
            }
        }
        let complete = results.len() == info.players().count();
        let top = results.iter().map(|&(_, goal)| goal).fold(f64::NEG_INFINITY, f64::max);
        let leaders = results.iter().filter(|&&(_, goal)| goal >= top).count();
        for (role, goal) in results {
            let score = &mut survey.scores[role.index()];
            score.low = if score.paid == 0 { goal } else { score.low.min(goal) };
            score.high = if score.paid == 0 { goal } else { score.high.max(goal) };
            score.paid += 1;
            score.sum += goal;
            if complete && goal >= top {
                *(if leaders == 1 { &mut score.best } else { &mut score.shared }) += 1;
            }
        }
    }

    fn found(&self, survey: &mut Survey, fault: Fault) {
        let seen = survey.faults.entry(fault).or_default();
        if seen.matches == 0 {
            seen.example.clone_from(&self.moves);
        }
        seen.matches += 1;
    }
}
