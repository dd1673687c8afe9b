//! Learned agents as players.

use std::sync::Arc;

use magister_core::{
    Agent, Budget, Decision, Evaluate, Evaluations, Game, Halt, Information, Move, Observation,
    Positions, Rng, Role, Step, Stop, Thought, View, Worker,
};

use crate::driver::tanh;
use crate::environment::Cells;
use crate::file::{AgentFile, Reading, own};
use crate::games::any::{Scale, make_forced, random_joint};
use crate::games::connect_four::ConnectFour;
use crate::games::tictactoe::TicTacToe;
use crate::games::views::ViewReader;
use crate::ntuple::Entries;
use crate::recipe::Rule;
use crate::recognise::{BoardReader, recognise};
use crate::trainer::{Body, Learner};

/// The number of sampled moves of the others if several roles move simultaneously.
const SAMPLES: usize = 16;

/// A player that chooses the move with the best learned value, and an evaluator for players that
/// search.
pub struct Learned {
    name: String,
    file: Arc<AgentFile>,
    judge: Option<Judge>,
    seer: Option<Seer>,
}

impl std::fmt::Debug for Learned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Learned").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Learned {
    /// The player of a file.
    pub fn new(name: &str, file: Arc<AgentFile>) -> Self {
        Learned { name: name.to_owned(), file, judge: None, seer: None }
    }

    /// The learned values of moves after a view, for an agent that learned from views. They depend
    /// only on the view.
    pub fn of_view(&mut self, view: &View, moves: &[Move]) -> Result<Vec<f32>, Halt> {
        let game = view.game();
        let fits = self.seer.as_ref().is_some_and(|seer| Arc::ptr_eq(&seer.game, game));
        if !fits {
            self.seer = Some(Seer::new(game, &self.file)?);
        }
        let Some(seer) = &mut self.seer else { return Err(Halt::BadState) };
        seer.values(view, moves)
    }

    /// Whether it learned from views.
    pub fn learned_from_views(&self) -> bool {
        matches!(self.file.header.reading, Reading::Views(_))
    }

    fn judge(&mut self, game: &Arc<dyn Game>) -> Result<&mut Judge, Halt> {
        let fits = self.judge.as_ref().is_some_and(|judge| Arc::ptr_eq(&judge.game, game));
        if !fits {
            self.judge = Some(Judge::new(game, &self.file)?);
        }
        self.judge.as_mut().ok_or(Halt::BadState)
    }
}

/// The value of each move, and the values of the best move for all players.
type Rated = (Vec<(Move, f32)>, Vec<f32>);

/// A value function over views and moves.
struct Seer {
    game: Arc<dyn Game>,
    learner: Learner,
    reader: ViewReader,
    cells: Vec<u8>,
    code: Vec<u32>,
}

impl Seer {
    fn new(game: &Arc<dyn Game>, file: &AgentFile) -> Result<Self, Halt> {
        let learner =
            Learner::open(game, file.clone()).map_err(|error| Halt::Limit(error.to_string()))?;
        let Reading::Views(plan) = &learner.header().reading else { return Err(Halt::Hidden) };
        let reader = ViewReader::new(game, plan.clone()).ok_or(Halt::BadState)?;
        let game = Arc::clone(game);
        Ok(Seer { game, learner, reader, cells: Vec::new(), code: Vec::new() })
    }

    fn values(&mut self, view: &View, moves: &[Move]) -> Result<Vec<f32>, Halt> {
        self.reader.write(view, &mut self.cells)?;
        let info = self.game.info();
        let player = info.players().position(|role| role == view.role()).unwrap_or(0);
        let count = info.moves.unwrap_or(1) as usize;
        let slots = self.learner.header().slots;
        let mut out = Vec::with_capacity(moves.len());
        for choice in moves {
            let slot = crate::games::actions::slot(player, choice.0, count).min(slots - 1);
            let value = match self.learner.body() {
                Body::Board(network) => {
                    network.shape.indices(&self.cells, &mut self.code);
                    network.value_of(&self.code, slot, 0)
                }
                Body::Net(net) => {
                    net.code(&self.cells, slot, slots, &mut self.code);
                    net.value_of(&self.code, 0)
                }
                Body::Tiles(_) => 0.0,
            };
            let squash = self.learner.header().recipe.settings.squash;
            out.push(if squash { tanh(value) } else { value });
        }
        Ok(out)
    }
}

/// A value function applied to one game.
struct Judge {
    game: Arc<dyn Game>,
    learner: Learner,
    reader: Option<BoardReader>,
    players: Vec<Role>,
    scale: Scale,
    squash: bool,
    own: bool,
    /// The number of moves, if values are learned for moves instead of afterstates.
    actions: Option<usize>,
    worker: Box<dyn Worker>,
    /// The match that is followed: its turns so far, and the state after them.
    made: Vec<Box<[Move]>>,
    now: Vec<u64>,
    row: Vec<f32>,
    cells: Vec<u8>,
    code: Vec<u32>,
    entries: Entries,
}

impl Judge {
    fn new(game: &Arc<dyn Game>, file: &AgentFile) -> Result<Self, Halt> {
        let info = game.info();
        if info.information == Information::Hidden {
            return Err(Halt::Hidden);
        }
        let learner =
            Learner::open(game, file.clone()).map_err(|error| Halt::Limit(error.to_string()))?;
        let reader = match learner.header().reading {
            Reading::Cells(_) => None,
            _ => Some(recognise(game).ok_or(Halt::BadState)?.1),
        };
        let mut worker = game.worker();
        worker.reset();
        let mut now = Vec::new();
        worker.save(&mut now);
        Ok(Judge {
            game: Arc::clone(game),
            players: info.players().collect(),
            scale: Scale::of(game.as_ref()),
            squash: learner.header().recipe.settings.squash,
            own: own(learner.header()),
            actions: (learner.header().recipe.rule != Rule::Td)
                .then(|| info.moves.unwrap_or(0) as usize),
            learner,
            reader,
            worker,
            made: Vec::new(),
            now,
            row: Vec::new(),
            cells: Vec::new(),
            code: Vec::new(),
            entries: Entries::default(),
        })
    }

    /// Goes to the current state of a view.
    fn follow(&mut self, view: &View, stop: &Stop) -> Result<(), Halt> {
        let turns = view.turns();
        let joint = |turn: &magister_core::Turn| match &turn.seen {
            Observation::Joint(joint) => Ok(joint.clone()),
            Observation::Percepts(_) => Err(Halt::Hidden),
        };
        let joints = turns.iter().map(joint).collect::<Result<Vec<_>, Halt>>()?;
        let goes_on = joints.len() >= self.made.len() && joints[..self.made.len()] == self.made;
        if goes_on {
            self.worker.load(&self.now, stop)?;
        } else {
            self.made.clear();
            self.worker.reset();
        }
        let mut step = Step::new();
        for joint in &joints[self.made.len()..] {
            self.worker.step(joint, &mut step, stop)?;
        }
        self.made = joints;
        self.worker.save(&mut self.now);
        Ok(())
    }

    /// The scaled value of the worker's state for each player.
    fn values(&mut self, stop: &Stop) -> Result<Vec<f32>, Halt> {
        let mut gains = vec![0.0; self.players.len()];
        let mut step = Step::new();
        make_forced(&mut *self.worker, &mut step, stop, |step| {
            self.scale.gain(step, &self.players, &mut gains);
        })?;
        let mut values = self.values_here(stop)?;
        values.iter_mut().zip(gains).for_each(|(value, gain)| *value += gain);
        Ok(values)
    }

    /// The same in a state in which some role has a choice.
    fn values_here(&mut self, stop: &Stop) -> Result<Vec<f32>, Halt> {
        if self.worker.terminal() {
            return Ok(self.results());
        }
        let has_chance = self.game.info().chance.is_some();
        let decides = self.players.iter().any(|&role| self.worker.legal(role).len() > 1);
        if decides && (has_chance || self.actions.is_some()) {
            // Only afterstates have learned values, so look one move ahead.
            let (role, player) = self.decider();
            let (_, values) = self.best(role, player, stop)?;
            return Ok(values);
        }
        Ok(self.learned())
    }

    fn results(&self) -> Vec<f32> {
        let mut goals = Vec::new();
        let result = |&role: &Role| {
            if !self.scale.bounded() {
                return 0.0;
            }
            self.worker.goals(role, &mut goals);
            goals.first().map_or(-1.0, |&goal| self.scale.inwards(goal))
        };
        self.players.iter().map(result).collect()
    }

    /// The player to decide, or the first player if there is none.
    fn decider(&self) -> (Role, usize) {
        let mut all = (0..).zip(&self.players);
        let first = all.find(|(_, role)| self.worker.legal(**role).len() > 1);
        first.map_or((self.players[0], 0), |(player, &role)| (role, player))
    }

    /// Reads the worker's state. Returns its slot, or the value if the network needs no cells.
    fn read(&mut self) -> Result<usize, f32> {
        let mut words = Vec::new();
        self.worker.save(&mut words);
        let decides = |role: &Role| self.worker.legal(*role).len() > 1;
        let turn = self.players.iter().position(decides);
        let Some(reader) = &self.reader else {
            if let Some(map) = self.learner.map() {
                map.write(&words, &mut self.row, &mut self.cells);
            }
            return Ok(turn.unwrap_or(self.players.len()));
        };
        let game = self.game.as_ref();
        match self.learner.header().reading {
            Reading::ConnectFour => {
                let discs = reader.discs(game, &words);
                self.cells.resize(42, 0);
                ConnectFour.write(&discs, &mut self.cells);
                Ok(discs.position.plies() as usize % 2)
            }
            Reading::Tictactoe => {
                let marks = reader.marks(game, &words);
                self.cells.resize(9, 0);
                TicTacToe.write(&marks, &mut self.cells);
                Ok(usize::from(marks[0].count_ones() > marks[1].count_ones()))
            }
            Reading::Twenty48 | Reading::Cells(_) | Reading::Views(_) => {
                if let Body::Tiles(tiles) = self.learner.body() {
                    return Err(tiles.value_of(reader.tiles(game, &words)));
                }
                self.cells = reader.read(game, &words);
                self.cells.iter_mut().for_each(|cell| *cell = (*cell).min(15));
                Ok(0)
            }
        }
    }

    /// The value of the cells that were read.
    fn value(&mut self, slot: usize, head: usize) -> f32 {
        let header = self.learner.header();
        let slot = slot.min(header.slots - 1);
        let value = match self.learner.body() {
            Body::Board(network) => {
                network.value_of(self.entries.of(&network.shape, &self.cells), slot, head)
            }
            Body::Net(net) => {
                net.code(&self.cells, slot, header.slots, &mut self.code);
                net.value_of(&self.code, head)
            }
            Body::Tiles(_) => 0.0,
        };
        if self.squash { tanh(value) } else { value }
    }

    /// The learned value of the worker's state for each player.
    fn learned(&mut self) -> Vec<f32> {
        let slot = match self.read() {
            Ok(slot) => slot,
            Err(value) => return vec![value],
        };
        let heads = self.learner.header().heads;
        let out: Vec<f32> = (0..heads).map(|head| self.value(slot, head)).collect();
        if heads == 1 && self.players.len() == 2 {
            // The value of the first player, or of the player who has just moved.
            let value = if self.own && slot == 0 { -out[0] } else { out[0] };
            return vec![value, -value];
        }
        out
    }

    /// The learned values of the legal moves of a role, and the values of the best move for all
    /// players.
    fn best_action(&mut self, role: Role, player: usize, moves: usize) -> Rated {
        let legal = self.worker.legal(role).to_vec();
        // The board is the same for all moves; only the slot differs.
        let _ = self.read();
        let mut all = Vec::new();
        for choice in legal {
            let slot = crate::games::actions::slot(player, choice.0, moves);
            all.push((choice, self.value(slot, 0)));
        }
        let most = all.iter().map(|one| one.1).fold(f32::NEG_INFINITY, f32::max);
        let values =
            (0..self.players.len()).map(|other| if other == player { most } else { -most });
        (all, values.collect())
    }

    /// The value of each legal move of a role, and the values of the best move for all players.
    fn best(&mut self, role: Role, player: usize, stop: &Stop) -> Result<Rated, Halt> {
        if let Some(moves) = self.actions {
            return Ok(self.best_action(role, player, moves));
        }
        let mut state = Vec::new();
        self.worker.save(&mut state);
        let legal = self.worker.legal(role).to_vec();
        // The moves of the others: forced in most games, random if they move simultaneously.
        let mut rng = magister_core::Seed::from(state.iter().fold(7, |a, b| a ^ b)).rng();
        let info = self.game.info();
        let alone =
            info.all_roles().all(|other| other == role || self.worker.legal(other).len() < 2);
        let mut joints = Vec::new();
        for _ in 0..if alone { 1 } else { SAMPLES } {
            let mut joint = Vec::new();
            random_joint(&*self.worker, &mut rng, &mut joint);
            joints.push(joint);
        }
        let mut step = Step::new();
        let any = self.reader.is_none();
        let mut all = Vec::new();
        let mut best: Option<(f32, Vec<f32>)> = None;
        for &choice in &legal {
            stop.check()?;
            let mut sum = vec![0.0; self.players.len()];
            for joint in &joints {
                let mut joint = joint.clone();
                joint[role.index()] = choice;
                self.worker.load(&state, stop)?;
                self.worker.step(&joint, &mut step, stop)?;
                let mut gains = vec![0.0; self.players.len()];
                let mut gain = |step: &Step| self.scale.gain(step, &self.players, &mut gains);
                gain(&step);
                if any {
                    make_forced(&mut *self.worker, &mut step, stop, gain)?;
                }
                let values = if self.worker.terminal() { self.results() } else { self.learned() };
                for ((sum, value), gain) in sum.iter_mut().zip(values).zip(gains) {
                    *sum += (value + gain) / joints.len() as f32;
                }
            }
            all.push((choice, sum[player]));
            if best.as_ref().is_none_or(|(value, _)| sum[player] > *value) {
                best = Some((sum[player], sum));
            }
        }
        self.worker.load(&state, stop)?;
        let values = best.map(|(_, values)| values).unwrap_or_default();
        Ok((all, values))
    }

    /// Values of players as rewards of all roles.
    fn rewards(&self, values: &[f32]) -> Vec<f64> {
        let mut out = vec![0.0; self.game.info().roles.len()];
        for (role, &value) in self.players.iter().zip(values) {
            out[role.index()] = self.scale.outwards(value);
        }
        out
    }
}

impl Agent for Learned {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn prepare(&mut self, view: &View, _stop: &Stop) -> Result<(), Halt> {
        self.judge(view.game()).map(drop)
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let stop = budget.stop().clone();
        let judge = self.judge(view.game())?;
        judge.follow(view, &stop)?;
        let role = view.role();
        let legal = judge.worker.legal(role);
        if legal.len() < 2 {
            return Ok(legal.first().copied().unwrap_or(Move::IDLE).into());
        }
        let player = judge.players.iter().position(|&one| one == role).unwrap_or(0);
        let (all, _) = judge.best(role, player, &stop)?;
        let most = all.iter().map(|one| one.1).fold(f32::NEG_INFINITY, f32::max);
        let ties: Vec<Move> = all.iter().filter(|one| one.1 >= most).map(|one| one.0).collect();
        let chosen = match ties.len() {
            0 => all[0].0,
            count => ties[rng.below(count as u64) as usize],
        };
        let thought =
            |&(choice, value): &(Move, f32)| Thought::new(choice, judge.scale.outwards(value));
        Ok(Decision {
            choice: chosen,
            thoughts: all.iter().map(thought).collect(),
            line: Vec::new(),
            iterations: all.len() as u64,
        })
    }

    fn value(&mut self, view: &View) -> Option<Vec<f64>> {
        self.value_until(view, &Stop::never())
    }

    fn value_until(&mut self, view: &View, stop: &Stop) -> Option<Vec<f64>> {
        let judge = self.judge(view.game()).ok()?;
        judge.follow(view, stop).ok()?;
        let values = judge.values(stop).ok()?;
        Some(judge.rewards(&values))
    }

    fn evaluator(&mut self, game: &Arc<dyn Game>) -> Option<&mut dyn Evaluate> {
        self.judge(game).ok()?;
        self.judge.as_mut().map(|judge| -> &mut dyn Evaluate { judge })
    }
}

impl Evaluate for Judge {
    fn evaluate(
        &mut self,
        positions: &Positions,
        out: &mut Evaluations,
        stop: &Stop,
    ) -> Result<(), Halt> {
        for (number, position) in positions.iter().enumerate() {
            stop.check()?;
            self.worker.load(position.state(), stop)?;
            let values = self.values(stop)?;
            let rewards = self.rewards(&values);
            out.values_mut(number).copy_from_slice(&rewards);
        }
        Ok(())
    }
}
