//! The referee of a match.

use std::fmt;
use std::sync::Arc;

use crate::record::{MatchEnd, MatchRecord, StepText, rewards};
use crate::view::observe;
use crate::{
    Game, Halt, Info, Move, Payment, Rng, Role, Seed, Step, Stop, Turn, View, Worker, draws,
};

/// The only holder of the true state of a match.
///
/// A referee draws the moves of chance, each from its own seed (see [`draws`]), makes the silent
/// steps, keeps the views of the players and writes the record. It is the lowest layer of a match:
/// [`Match`](crate::Match) builds on it and adds players, faults, and the ways in which a match can
/// end. A program that uses a referee directly asks the agents, each with its
/// [`view`](Referee::view), and passes their moves to [`advance`](Referee::advance). The state is
/// accessible only through [`reveal`](Referee::reveal), which the record reports. The record
/// contains every move, including those of chance; [`MatchRecord::seen_by`] restricts it.
pub struct Referee {
    game: Arc<dyn Game>,
    worker: Box<dyn Worker>,
    seed: Seed,
    /// Whether the last joint move failed.
    stuck: bool,
    views: Vec<View>,
    pub(crate) record: MatchRecord,
    outcome: Option<Vec<Option<f64>>>,
    totals: Vec<f64>,
    joint: Vec<Move>,
    step: Step,
    state: Vec<u64>,
}

impl Referee {
    /// A match of this game before its first turn.
    pub fn new(game: Arc<dyn Game>, seed: Seed, stop: &Stop) -> Result<Self, Halt> {
        let info = game.info();
        let mut referee = Referee {
            worker: game.worker(),
            seed,
            stuck: false,
            views: info.all_roles().map(|role| View::new(Arc::clone(&game), role)).collect(),
            record: MatchRecord::new(info, seed),
            outcome: None,
            totals: vec![0.0; info.roles.len()],
            joint: Vec::new(),
            step: Step::new(),
            state: Vec::new(),
            game,
        };
        referee.worker.reset();
        referee.settle(stop)?;
        Ok(referee)
    }

    /// The game.
    pub fn game(&self) -> &Arc<dyn Game> {
        &self.game
    }

    /// The view of a role. The view of chance stays empty.
    pub fn view(&self, role: Role) -> &View {
        &self.views[role.index()]
    }

    /// The legal moves of a role, for checking the answers of players and for replacing late ones.
    /// In most games with hidden information they reveal nothing new to a player, but not in all,
    /// so they are not passed to agents.
    pub fn legal(&self, role: Role) -> &[Move] {
        self.worker.legal(role)
    }

    /// Whether the match is over.
    pub fn terminal(&self) -> bool {
        self.worker.terminal()
    }

    /// Makes one turn with the moves of the players, one for each role in order; the entry of
    /// chance is ignored, because the referee draws it. After an error, the turn has not been made.
    /// If the turn was made but the silent steps after it could not be completed, the turn counts,
    /// and the next [`settle`](Referee::settle) or `advance` continues with the silent steps or
    /// returns the error.
    pub fn advance(&mut self, moves: &[Move], stop: &Stop) -> Result<(), Halt> {
        self.settle(stop)?;
        let roles = self.info().roles.len();
        if moves.len() != roles {
            return Err(Halt::JointLength { expected: roles, given: moves.len() });
        }
        for role in self.info().players() {
            let choice = moves[role.index()];
            if !self.worker.legal(role).contains(&choice) {
                return Err(Halt::IllegalMove { role, choice });
            }
        }
        self.joint.clear();
        self.joint.extend_from_slice(moves);
        self.make(stop)?;
        // An error here must not look like an error of the turn; otherwise the turn would be made
        // twice.
        let _ = self.settle(stop);
        Ok(())
    }

    /// Makes silent steps until the players have a turn or the match is over. A new match and each
    /// turn do this automatically; this call continues after a stop.
    pub fn settle(&mut self, stop: &Stop) -> Result<(), Halt> {
        while self.worker.silent() {
            stop.check()?;
            self.joint.clear();
            for role in self.game.info().all_roles() {
                let only = self.worker.legal(role).first().copied();
                self.joint.push(only.unwrap_or(Move::IDLE));
            }
            self.make(stop)?;
        }
        if self.worker.terminal() && self.outcome.is_none() {
            let outcome = result(&*self.worker, &self.totals);
            self.record.rewards = rewards(self.info(), &outcome);
            self.record.end = Some(MatchEnd::Terminal);
            self.outcome = Some(outcome);
        }
        Ok(())
    }

    /// The result of each role when the match is over; `None` before. Chance has no result, and
    /// neither has a player without exactly one goal value.
    pub fn outcome(&self) -> Option<&[Option<f64>]> {
        self.outcome.as_deref()
    }

    /// The record of the match so far.
    pub fn record(&self) -> &MatchRecord {
        &self.record
    }

    /// The last joint move, including that of chance, if the step failed because the rules have no
    /// next state or because it took too long.
    pub fn stuck(&self) -> Option<&[Move]> {
        self.stuck.then_some(&self.joint[..])
    }

    /// The worker, for parsing moves in the current state.
    pub(crate) fn worker(&self) -> &dyn Worker {
        &*self.worker
    }

    /// Returns the record and drops the match.
    pub fn into_record(self) -> MatchRecord {
        self.record
    }

    /// The true state, for the clairvoyant player, which serves as a yardstick. From then on the
    /// record says that this role was clairvoyant.
    pub fn reveal(&mut self, role: Role) -> &[u64] {
        let name = self.info().role_name(role).to_owned();
        if !self.record.clairvoyant.contains(&name) {
            self.record.clairvoyant.push(name);
        }
        self.worker.save(&mut self.state);
        &self.state
    }

    fn info(&self) -> &Info {
        self.game.info()
    }

    /// Draws the move of chance, makes the joint move and records it everywhere.
    fn make(&mut self, stop: &Stop) -> Result<(), Halt> {
        let game = Arc::clone(&self.game);
        let info = game.info();
        self.stuck = false;
        if let Some(role) = info.chance {
            let mut rng = draws::chance(&self.seed, self.record.moves.len());
            self.joint[role.index()] =
                draw(self.worker.legal(role), self.worker.weights(), &mut rng)
                    .ok_or_else(|| Halt::Rules("chance has no legal move".to_owned()))?;
        }
        self.stuck = true;
        self.worker.step(&self.joint, &mut self.step, stop)?;
        self.stuck = false;

        for (total, gain) in self.totals.iter_mut().zip(&self.step.gains) {
            *total += gain;
        }
        if self.step.tick {
            for role in info.players() {
                let seen = observe(info.information, role, &self.joint, &self.step);
                self.views[role.index()].push(Turn { own: self.joint[role.index()], seen });
            }
        }
        self.record.push(info, StepText::new(info, game.text(), &self.joint, &self.step));
        Ok(())
    }
}

impl fmt::Debug for Referee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Referee")
            .field("game", &self.info().name)
            .field("steps", &self.record.moves.len())
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}

/// Draws a move of chance by weight; `None` if it has no legal move.
pub fn draw(legal: &[Move], weights: &[u32], rng: &mut Rng) -> Option<Move> {
    if weights.is_empty() {
        return match legal {
            [] => None,
            [only] => Some(*only),
            _ => Some(legal[rng.below(legal.len() as u64) as usize]),
        };
    }
    let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    if total == 0 {
        return None;
    }
    let mut rest = rng.below(total);
    for (&choice, &weight) in legal.iter().zip(weights) {
        match rest.checked_sub(u64::from(weight)) {
            Some(less) => rest = less,
            None => return Some(choice),
        }
    }
    None
}

/// The probability of each legal move of chance, by index.
pub fn odds(legal: usize, weights: &[u32]) -> impl Fn(usize) -> f64 {
    let total: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    move |at| match weights.get(at) {
        Some(&weight) => f64::from(weight) / total,
        None => 1.0 / legal.max(1) as f64,
    }
}

/// The result of each role in a terminal state, given the sums of the gains.
pub(crate) fn result(worker: &dyn Worker, totals: &[f64]) -> Vec<Option<f64>> {
    let info = worker.info();
    let mut goals = Vec::new();
    info.all_roles()
        .map(|role| match info.payment {
            _ if info.chance == Some(role) => None,
            Payment::OnTheWay => Some(totals[role.index()]),
            Payment::AtEnd => {
                worker.goals(role, &mut goals);
                if let [goal] = goals[..] { Some(goal) } else { None }
            }
        })
        .collect()
}
