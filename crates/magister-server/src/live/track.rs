//! The states of a match, ply by ply. They are the true states, so only the referee may use them.

use std::sync::Arc;

use magister_core::{Game, MatchRecord, Move, Payment, Role, Step, Stop, Worker};

/// Follows the record of a match.
pub struct Track {
    game: Arc<dyn Game>,
    worker: Box<dyn Worker>,
    /// The state after each turn and the following silent steps, beginning with the initial state.
    states: Vec<Vec<u64>>,
    /// The gains of each role after each turn.
    totals: Vec<Vec<f64>>,
    /// The number of the step of each turn.
    ticks: Vec<usize>,
    /// The number of steps that were followed.
    steps: usize,
    /// Whether a step could not be made.
    stuck: bool,
}

impl std::fmt::Debug for Track {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Track").field("steps", &self.steps).finish_non_exhaustive()
    }
}

impl Track {
    /// A match before its first step.
    pub fn new(game: &Arc<dyn Game>) -> Self {
        let mut worker = game.worker();
        worker.reset();
        let mut state = Vec::new();
        worker.save(&mut state);
        Track {
            game: Arc::clone(game),
            worker,
            states: vec![state],
            totals: vec![vec![0.0; game.info().roles.len()]],
            ticks: Vec::new(),
            steps: 0,
            stuck: false,
        }
    }

    /// Follows the record to its end. If the record has become shorter, it is followed from its
    /// start.
    pub fn follow(&mut self, record: &MatchRecord) {
        if record.moves.len() < self.steps {
            *self = Track::new(&self.game);
        }
        let mut step = Step::new();
        let mut settled = self.states.last().cloned().unwrap_or_default();
        if self.worker.load(&settled, &Stop::never()).is_err() {
            self.stuck = true;
        }
        while self.steps < record.moves.len() && !self.stuck {
            let words = &record.moves[self.steps];
            let roles = self.game.info().all_roles().zip(words);
            let joint: Option<Vec<Move>> =
                roles.map(|(role, text)| resolve(&*self.game, &*self.worker, role, text)).collect();
            let made = joint
                .is_some_and(|joint| self.worker.step(&joint, &mut step, &Stop::never()).is_ok());
            if !made {
                // The rules failed here; the match was broken off at this step.
                self.stuck = true;
                break;
            }
            self.worker.save(&mut settled);
            let silent = record.silent.binary_search(&(self.steps + 1)).is_ok();
            if silent {
                if let Some(last) = self.states.last_mut() {
                    last.clone_from(&settled);
                }
            } else {
                self.states.push(settled.clone());
                self.totals.push(self.totals.last().cloned().unwrap_or_default());
                self.ticks.push(self.steps);
            }
            if let Some(totals) = self.totals.last_mut() {
                totals.iter_mut().zip(&step.gains).for_each(|(total, gain)| *total += gain);
            }
            self.steps += 1;
        }
    }

    /// The number of turns that were followed.
    pub fn plies(&self) -> usize {
        self.states.len() - 1
    }

    /// The number of the step of a turn, both from 0.
    pub fn step_of(&self, turn: usize) -> Option<usize> {
        self.ticks.get(turn).copied()
    }

    /// The state at a ply, with a worker.
    pub fn at(&mut self, ply: usize) -> Option<(&[u64], &mut dyn Worker)> {
        Some((self.states.get(ply)?, &mut *self.worker))
    }

    /// The gains of each role at a ply, in games with intermediate rewards.
    pub fn totals(&self, ply: usize) -> Option<&[f64]> {
        let paid = self.game.info().payment == Payment::OnTheWay;
        self.totals.get(ply).filter(|_| paid).map(Vec::as_slice)
    }

    /// The seats that had a choice before a turn, and the legal moves of a role there.
    pub fn choosers(&mut self, turn: usize) -> Vec<Role> {
        let Some(state) = self.states.get(turn) else { return Vec::new() };
        if self.worker.load(state, &Stop::never()).is_err() {
            return Vec::new();
        }
        let roles = self.game.info().all_roles();
        roles.filter(|&role| self.worker.legal(role).len() > 1).collect()
    }
}

/// The legal move of a role with this text.
pub fn resolve(game: &dyn Game, worker: &dyn Worker, role: Role, text: &str) -> Option<Move> {
    let legal = worker.legal(role);
    let known = game.text().parse_move(role, text).filter(|choice| legal.contains(choice));
    known.or_else(|| legal.iter().find(|&&one| game.text().move_text(one) == text).copied())
}
