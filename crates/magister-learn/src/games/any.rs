//! Any game for learners, through its workers.

use std::sync::Arc;

use magister_core::{Game, Halt, Information, Move, Payment, Rng, Role, Step, Stop, Worker};

use crate::cells::CellMap;
use crate::environment::{CellLayout, Cells, Choice, Environment};

/// Any game with perfect information.
///
/// If several players decide simultaneously, one of them learns and the others move at random, so
/// the learned strategy is a response to random play.
pub struct AnyGame {
    game: Arc<dyn Game>,
    map: Arc<CellMap>,
    players: Vec<Role>,
    opposed: bool,
    scale: Scale,
    /// The maximum number of choices; 0 for no limit.
    sampled: usize,
    worker: Box<dyn Worker>,
    step: Step,
    joint: Vec<Move>,
    legal: Vec<Move>,
    words: Vec<u64>,
    goals: Vec<f64>,
    row: Vec<f32>,
}

/// How rewards are scaled for a learner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    on_the_way: bool,
}

impl Scale {
    /// The scale of a game.
    pub fn of(game: &dyn Game) -> Self {
        let info = game.info();
        let (low, high) = info.rewards;
        let low = if low.is_finite() { low } else { 0.0 };
        let high = if high.is_finite() && high > low { high } else { low + 100.0 };
        Scale { low, high, on_the_way: info.payment == Payment::OnTheWay }
    }

    /// Whether results lie between -1 and 1.
    pub fn bounded(&self) -> bool {
        !self.on_the_way
    }

    /// Adds what players gained in a step, unless games pay only at the end.
    pub(crate) fn gain(&self, step: &Step, players: &[Role], sums: &mut [f32]) {
        for (sum, role) in sums.iter_mut().zip(players).filter(|_| self.on_the_way) {
            *sum += step.gains[role.index()] as f32;
        }
    }

    /// A reward on the learner's scale.
    pub fn inwards(&self, reward: f64) -> f32 {
        if self.on_the_way {
            return reward as f32;
        }
        (2.0 * (reward - self.low) / (self.high - self.low) - 1.0) as f32
    }

    /// A learned value as a reward.
    pub fn outwards(&self, value: f32) -> f64 {
        let value = f64::from(value);
        if self.on_the_way {
            return value;
        }
        self.low + f64::midpoint(value.clamp(-1.0, 1.0), 1.0) * (self.high - self.low)
    }
}

/// A state of any game.
#[derive(Clone, Debug, Default)]
pub struct AnyState {
    /// The words of the state.
    pub words: Vec<u64>,
    cells: Vec<u8>,
    /// The player to decide.
    turn: Option<u8>,
    over: bool,
    /// The scaled results, if the game is over.
    results: Vec<f32>,
}

impl AnyGame {
    /// The environment of a game whose states are read with this map.
    pub fn new(game: &Arc<dyn Game>, map: &Arc<CellMap>, opposed: bool) -> Result<Self, Halt> {
        let info = game.info();
        if info.information == Information::Hidden {
            return Err(Halt::Hidden);
        }
        Ok(AnyGame {
            players: info.players().collect(),
            scale: Scale::of(game.as_ref()),
            worker: game.worker(),
            game: Arc::clone(game),
            map: Arc::clone(map),
            opposed,
            sampled: 0,
            step: Step::new(),
            joint: Vec::new(),
            legal: Vec::new(),
            words: Vec::new(),
            goals: Vec::new(),
            row: Vec::new(),
        })
    }

    /// The same environment, which lists at most this number of choices, drawn at random; 0 for all.
    /// Every choice costs a step, so games with many moves learn from more positions in the same time.
    #[must_use]
    pub fn sampling(self, sampled: usize) -> Self {
        AnyGame { sampled, ..self }
    }

    /// The scale of its rewards.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// The state of these words.
    pub fn state(&mut self, words: &[u64]) -> Result<AnyState, Halt> {
        self.worker.load(words, &Stop::never())?;
        Ok(self.capture())
    }

    /// The worker's state.
    fn capture(&mut self) -> AnyState {
        let mut state = AnyState::default();
        self.worker.save(&mut state.words);
        // Terminal states too: networks read all choices before the results are known.
        self.map.write(&state.words, &mut self.row, &mut state.cells);
        state.over = self.worker.terminal();
        if state.over {
            for &role in &self.players {
                let result = if self.scale.on_the_way {
                    0.0
                } else {
                    self.worker.goals(role, &mut self.goals);
                    // A role without exactly one goal value gets the lowest reward.
                    let goal = if let [goal] = self.goals[..] { goal } else { self.scale.low };
                    self.scale.inwards(goal)
                };
                state.results.push(result);
            }
            return state;
        }
        state.turn = turn(&*self.worker, &self.players, &state.words);
        state
    }

    /// A random joint move: chance by its weights, all other roles uniformly.
    fn random_joint(&mut self, rng: &mut Rng) {
        random_joint(&*self.worker, rng, &mut self.joint);
    }
}

/// The number of the player to decide: one of those with more than one legal move. If there are
/// several, the state itself determines which one, so that the answer is always the same.
fn turn(worker: &dyn Worker, players: &[Role], words: &[u64]) -> Option<u8> {
    let decides = |role: &Role| worker.legal(*role).len() > 1;
    let count = players.iter().filter(|role| decides(role)).count();
    let which = match count {
        0 => return None,
        1 => 0,
        _ => {
            let mixed = words.iter().fold(1_u64, |hash, word| {
                (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
            });
            (mixed >> 33) as usize % count
        }
    };
    (0..).zip(players).filter(|(_, role)| decides(role)).nth(which).map(|(number, _)| number)
}

/// The maximum number of forced moves that are made at once.
const FORCED: usize = 1_000;

/// Makes moves as long as no role, chance included, has a choice, and calls `each` after every one.
/// Returns whether there were any.
pub(crate) fn make_forced(
    worker: &mut dyn Worker,
    step: &mut Step,
    stop: &Stop,
    mut each: impl FnMut(&Step),
) -> Result<bool, Halt> {
    let mut joint = Vec::new();
    for made in 0..FORCED {
        let mut roles = worker.info().all_roles();
        if worker.terminal() || roles.any(|role| worker.legal(role).len() != 1) {
            return Ok(made > 0);
        }
        stop.check()?;
        joint.clear();
        joint.extend(worker.info().all_roles().flat_map(|role| worker.legal(role)));
        worker.step(&joint, step, stop)?;
        each(step);
    }
    Ok(true)
}

/// A random joint move: chance by its weights, all other roles uniformly.
pub(crate) fn random_joint(worker: &dyn Worker, rng: &mut Rng, joint: &mut Vec<Move>) {
    joint.clear();
    let info = worker.info();
    for role in info.all_roles() {
        let legal = worker.legal(role);
        let weights = worker.weights();
        let at = if legal.len() < 2 {
            0
        } else if info.chance == Some(role) && weights.len() == legal.len() {
            let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
            let mut draw = rng.below(total.max(1));
            let mut at = 0;
            for &weight in weights {
                if draw < u64::from(weight) {
                    break;
                }
                draw -= u64::from(weight);
                at += 1;
            }
            at.min(legal.len() - 1)
        } else {
            rng.below(legal.len() as u64) as usize
        };
        joint.push(legal.get(at).copied().unwrap_or(Move::IDLE));
    }
}

impl Environment for AnyGame {
    type State = AnyState;

    fn players(&self) -> usize {
        self.players.len()
    }

    fn opposed(&self) -> bool {
        self.opposed
    }

    fn start(&mut self, rng: &mut Rng) -> Result<AnyState, Halt> {
        self.worker.reset();
        let mut state = self.capture();
        self.settle(&mut state, rng)?;
        Ok(state)
    }

    fn turn(&self, state: &AnyState) -> Option<usize> {
        state.turn.map(usize::from)
    }

    fn choices(
        &mut self,
        state: &AnyState,
        rng: &mut Rng,
        out: &mut Vec<Choice<AnyState>>,
    ) -> Result<(), Halt> {
        out.clear();
        let Some(player) = state.turn else { return Ok(()) };
        let role = self.players[usize::from(player)];
        self.worker.load(&state.words, &Stop::never())?;
        self.legal.clear();
        self.legal.extend_from_slice(self.worker.legal(role));
        if self.sampled > 0 && self.legal.len() > self.sampled {
            for at in 0..self.sampled {
                let other = at + rng.below((self.legal.len() - at) as u64) as usize;
                self.legal.swap(at, other);
            }
            self.legal.truncate(self.sampled);
        }
        // The others move in the same way, whichever move is chosen.
        self.random_joint(rng);
        for at in 0..self.legal.len() {
            let choice = self.legal[at];
            self.joint[role.index()] = choice;
            self.worker.step(&self.joint, &mut self.step, &Stop::never())?;
            let mut gain = self.step.gains[role.index()];
            // Forced moves follow at once, so that the value of the next decision is learned.
            let forced = make_forced(&mut *self.worker, &mut self.step, &Stop::never(), |step| {
                gain += step.gains[role.index()];
            })?;
            let gain = if self.scale.on_the_way { gain as f32 } else { 0.0 };
            let after = self.capture();
            out.push(Choice { id: choice.0, after, gain });
            if forced || !self.worker.undo() {
                self.worker.load(&state.words, &Stop::never())?;
            }
        }
        Ok(())
    }

    fn over(&self, after: &AnyState) -> bool {
        after.over
    }

    fn settle(&mut self, after: &mut AnyState, rng: &mut Rng) -> Result<(), Halt> {
        if after.over || after.turn.is_some() {
            return Ok(());
        }
        self.worker.load(&after.words, &Stop::never())?;
        // Games that never end are truncated by the maximum length of an episode; an endless chain
        // of forced moves is an error in the rules.
        for _ in 0..100_000 {
            self.random_joint(rng);
            self.worker.step(&self.joint, &mut self.step, &Stop::never())?;
            self.worker.save(&mut self.words);
            if self.worker.terminal() || turn(&*self.worker, &self.players, &self.words).is_some() {
                *after = self.capture();
                return Ok(());
            }
        }
        Err(Halt::Limit("100,000 steps in which no player has a choice".to_owned()))
    }

    fn result(&self, end: &AnyState, player: usize) -> f32 {
        end.results.get(player).copied().unwrap_or(0.0)
    }

    fn slot(&self, after: &AnyState) -> usize {
        after.turn.map_or(self.players.len(), usize::from)
    }

    fn slots(&self) -> usize {
        self.players.len() + 1
    }
}

impl Cells for AnyGame {
    fn layout(&self) -> CellLayout {
        self.map.layout().clone()
    }

    fn write(&self, state: &AnyState, out: &mut [u8]) {
        out.copy_from_slice(&state.cells);
    }
}

impl Clone for AnyGame {
    fn clone(&self) -> Self {
        AnyGame {
            game: Arc::clone(&self.game),
            map: Arc::clone(&self.map),
            players: self.players.clone(),
            opposed: self.opposed,
            scale: self.scale,
            sampled: self.sampled,
            worker: self.game.worker(),
            step: Step::new(),
            joint: Vec::new(),
            legal: Vec::new(),
            words: Vec::new(),
            goals: Vec::new(),
            row: Vec::new(),
        }
    }
}

impl std::fmt::Debug for AnyGame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AnyGame").field("game", &self.game.info().name).finish_non_exhaustive()
    }
}
