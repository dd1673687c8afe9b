//! What a game is worth with best play, by a search through all its positions.

use std::sync::Arc;

use magister_core::{Game, Halt, Information, Move, Payment, Role, Step, Stop, Worker};
use rustc_hash::FxHashMap;

/// What came of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Solution {
    /// What each role gets, in the order of the roles; chance gets nothing.
    Value(Vec<f64>),
    /// There are more positions than were allowed, or somebody stopped the search.
    TooLarge,
    /// Best play is not defined by a search from the end: the sentence says why.
    Undefined(&'static str),
}

/// A position that is being looked at.
struct Open {
    state: Arc<[u64]>,
    /// The role that chooses, if one does.
    chooser: Option<Role>,
    /// For each of its moves the positions that chance leads to, with their weights.
    branches: Vec<Vec<(Arc<[u64]>, f64)>>,
    /// Which of them is next.
    at: (usize, usize),
}

/// Searches a game in which all is known and one role at a time has a choice, chance aside.
///
/// Every role takes the move that gives it most; among equal moves it takes the first, which
/// matters only in games of more than two players or without a constant sum.
pub fn solve(game: &dyn Game, limit: usize, stop: &Stop) -> Solution {
    let info = game.info();
    if info.information == Information::Hidden {
        return Solution::Undefined("players do not know everything");
    }
    if info.payment == Payment::OnTheWay {
        return Solution::Undefined("it pays on the way");
    }
    let mut search = Search {
        worker: game.worker(),
        step: Step::new(),
        done: FxHashMap::default(),
        stop: stop.clone(),
    };
    search.worker.reset();
    let mut words = Vec::new();
    search.worker.save(&mut words);
    search.run(&words.into(), limit)
}

struct Search {
    worker: Box<dyn Worker>,
    step: Step,
    /// The values of positions; none while they are being looked at.
    done: FxHashMap<Arc<[u64]>, Option<Box<[f64]>>>,
    stop: Stop,
}

impl Search {
    fn run(&mut self, first: &Arc<[u64]>, limit: usize) -> Solution {
        let mut path: Vec<Open> = Vec::new();
        match self.enter(Arc::clone(first)) {
            Ok(open) => path.extend(open),
            Err(solution) => return solution,
        }
        while let Some(open) = path.last_mut() {
            let (branch, place) = open.at;
            let Some(next) = open.branches.get(branch) else {
                let value = self.value(open);
                let state = Arc::clone(&open.state);
                self.done.insert(state, Some(value));
                path.pop();
                continue;
            };
            let Some((state, _)) = next.get(place) else {
                open.at = (branch + 1, 0);
                continue;
            };
            open.at.1 += 1;
            match self.done.get(state) {
                Some(Some(_)) => {}
                Some(None) => return Solution::Undefined("positions can repeat for ever"),
                None => {
                    if self.done.len() >= limit || self.stop.is_set() {
                        return Solution::TooLarge;
                    }
                    let state = Arc::clone(state);
                    match self.enter(state) {
                        Ok(open) => path.extend(open),
                        Err(solution) => return solution,
                    }
                }
            }
        }
        match self.done.get(first) {
            Some(Some(value)) => Solution::Value(value.to_vec()),
            _ => Solution::Undefined("the first position has no value"),
        }
    }

    /// Looks at a position; none if it is over, and its value then known.
    fn enter(&mut self, state: Arc<[u64]>) -> Result<Option<Open>, Solution> {
        let halted = |_: Halt| Solution::Undefined("a step can not be made");
        self.worker.load(&state, &self.stop).map_err(halted)?;
        let info = self.worker.info().clone();
        if self.worker.terminal() {
            let mut goals = Vec::new();
            let mut value = vec![0.0; info.roles.len()];
            for role in info.players() {
                self.worker.goals(role, &mut goals);
                let [goal] = goals[..] else {
                    return Err(Solution::Undefined("an end has no single goal value"));
                };
                value[role.index()] = goal;
            }
            self.done.insert(state, Some(value.into()));
            return Ok(None);
        }
        let legal: Vec<Vec<Move>> =
            info.all_roles().map(|role| self.worker.legal(role).to_vec()).collect();
        let mut choosers = info.players().filter(|role| legal[role.index()].len() > 1);
        let chooser = choosers.next();
        if choosers.next().is_some() {
            return Err(Solution::Undefined("several players choose at the same time"));
        }
        if legal.iter().any(Vec::is_empty) {
            return Err(Solution::Undefined("a role has no legal move"));
        }
        let weights: Vec<f64> = self.worker.weights().iter().map(|&w| f64::from(w)).collect();
        let mut joint: Vec<Move> = legal.iter().map(|moves| moves[0]).collect();
        let own: &[Move] = chooser.map_or(&legal[0][..1], |role| &legal[role.index()]);
        // Where there is no chance, it has one way to go.
        let chances: &[Move] = info.chance.map_or(&[Move::IDLE], |role| &legal[role.index()]);
        let mut branches = Vec::with_capacity(own.len());
        let mut words = Vec::new();
        for &choice in own {
            if let Some(role) = chooser {
                joint[role.index()] = choice;
            }
            let mut branch = Vec::new();
            for (luck, &chance) in chances.iter().enumerate() {
                if let Some(role) = info.chance {
                    joint[role.index()] = chance;
                }
                self.worker.step(&joint, &mut self.step, &self.stop).map_err(halted)?;
                self.worker.save(&mut words);
                let weight = weights.get(luck).copied().unwrap_or(1.0);
                branch.push((Arc::from(words.as_slice()), weight));
                if !self.worker.undo() {
                    self.worker.load(&state, &self.stop).map_err(halted)?;
                }
            }
            branches.push(branch);
        }
        self.done.insert(Arc::clone(&state), None);
        Ok(Some(Open { state, chooser, branches, at: (0, 0) }))
    }

    /// The value of a position whose successors are done.
    fn value(&self, open: &Open) -> Box<[f64]> {
        let roles = self.worker.info().roles.len();
        let expected = |branch: &Vec<(Arc<[u64]>, f64)>| {
            let mut sum = vec![0.0; roles];
            let total: f64 = branch.iter().map(|(_, weight)| weight).sum();
            for (state, weight) in branch {
                let value = self.done.get(state).and_then(Option::as_deref).unwrap_or_default();
                for (sum, value) in sum.iter_mut().zip(value) {
                    *sum += value * weight / total;
                }
            }
            sum
        };
        let mut best: Option<Vec<f64>> = None;
        for branch in &open.branches {
            let value = expected(branch);
            let better = match (&best, open.chooser) {
                (None, _) => true,
                (Some(best), Some(role)) => value[role.index()] > best[role.index()],
                (Some(_), None) => false,
            };
            if better {
                best = Some(value);
            }
        }
        best.unwrap_or_default().into()
    }
}
