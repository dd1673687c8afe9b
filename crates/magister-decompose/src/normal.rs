//! Normal play: games in which two roles take turns and the role that cannot move loses.
//!
//! A position is a sum of regions: sets of moves that can no longer influence each other. The value
//! of a region is that of combinatorial game theory, in its smallest form; the sum of the values
//! decides the game. Regions are computed again after every move: constants from there on are
//! substituted in the circuits of the remaining moves, and moves that share a fluent are joined.
//! Equal circuits have the same wire, so a region is recognised when it occurs again elsewhere in
//! the search.

mod proof;
mod region;

use std::time::Duration;

use magister_core::{Game, Halt, Move, Role, Step, Stop, Worker};
use magister_engine::Compiled;
use magister_engine::evaluator::CompiledGame;
use magister_engine::network::Network;
use magister_solve::Candidate;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::attempt::{Work, attempt};
use crate::cgt::{Form, Forms, Sums};
use crate::effects::Effects;
use region::{Key, Regions};

/// The maximum depth of a position that is evaluated.
const DEEPEST: usize = 400;

/// A game under normal play, with the values of regions known so far. Role 0 is Left.
#[derive(Debug)]
pub struct NormalPlay {
    game: CompiledGame,
    /// The goal value of the role that cannot move, and that of the other role.
    pays: (f64, f64),
    regions: Regions,
    forms: Forms,
    sums: Sums,
    known: FxHashMap<Key, Form>,
    /// Regions whose evaluation is in progress.
    open: FxHashSet<Key>,
}

/// Moves of a position that can no longer influence the other moves.
#[derive(Clone, PartialEq, Debug)]
pub struct Region {
    /// The fluents that these moves change or depend on, ascending.
    pub fluents: Vec<usize>,
    /// The moves, by their index in the network.
    pub moves: Vec<usize>,
    /// The value.
    pub form: Form,
}

impl NormalPlay {
    /// Recognises a game under normal play; `None` if it is not one, or if there is no proof.
    pub fn new(game: &dyn Game, stop: &Stop) -> Result<Option<Self>, Halt> {
        let Some(game) = game.as_any().and_then(|any| any.downcast_ref::<CompiledGame>()) else {
            return Ok(None);
        };
        let network: &Network = game.compiled().network();
        let Some(pays) = proof::last_mover_wins(game.compiled(), stop)? else { return Ok(None) };
        let effects = match Effects::new(network, stop) {
            Ok(effects) => effects,
            Err(Halt::Stopped) => return Err(Halt::Stopped),
            Err(_) => return Ok(None),
        };
        let Some(regions) = Regions::new(network, effects) else { return Ok(None) };
        Ok(Some(NormalPlay {
            game: game.clone(),
            pays,
            regions,
            forms: Forms::new(),
            sums: Sums::default(),
            known: FxHashMap::default(),
            open: FxHashSet::default(),
        }))
    }

    /// [`NormalPlay::new`] within a time limit. Without one, only small games are tried, so that
    /// the work stays small as well.
    pub fn attempt(
        game: &dyn Game,
        time: Option<Duration>,
        stop: &Stop,
    ) -> Result<Option<Self>, Halt> {
        attempt(game, Work::Split, time, stop, |_, stop| Self::new(game, stop))
    }

    /// The circuit of the game.
    pub fn compiled(&self) -> &Compiled {
        self.game.compiled()
    }

    /// All values that are known.
    pub fn forms(&mut self) -> &mut Forms {
        &mut self.forms
    }

    /// The number of moves in the largest region of a position, as a measure of the difficulty of
    /// its evaluation.
    pub fn width(&mut self, state: &[u64]) -> usize {
        let regions = self.regions.split(state, None);
        regions.iter().map(|region| region.moves.len()).max().unwrap_or(0)
    }

    /// The regions of a position with their values. Evaluates at most the given number of new
    /// regions.
    pub fn split(&mut self, state: &[u64], limit: usize, stop: &Stop) -> Result<Vec<Region>, Halt> {
        let limit = self.known.len().saturating_add(limit);
        let mut found = Vec::new();
        for region in self.regions.split(state, None) {
            self.open.clear();
            let form = self.value(state, &region, (limit, 0), stop)?;
            found.push(Region { fluents: region.fluents, moves: region.moves, form });
        }
        Ok(found)
    }

    /// The value of a position. That of many hot regions can be very large.
    pub fn form(&mut self, state: &[u64], limit: usize, stop: &Stop) -> Result<Form, Halt> {
        let mut total = Forms::ZERO;
        for region in self.split(state, limit, stop)? {
            total = self.forms.sum_unless(total, region.form, stop)?;
        }
        Ok(total)
    }

    fn value(
        &mut self,
        state: &[u64],
        region: &region::Moves,
        (limit, depth): (usize, usize),
        stop: &Stop,
    ) -> Result<Form, Halt> {
        let key = self.regions.key(state, region);
        if let Some(&form) = self.known.get(&key) {
            return Ok(form);
        }
        if self.known.len() >= limit || depth >= DEEPEST {
            return Err(Halt::Limit(format!("more than {limit} regions")));
        }
        stop.check()?;
        if !self.open.insert(key.clone()) {
            return Err(Halt::Limit("positions can repeat, so they have no value".to_owned()));
        }
        let mut options = [Vec::new(), Vec::new()];
        for (role, next) in self.regions.options(state, region) {
            let mut total = Forms::ZERO;
            for rest in self.regions.split(&next, Some(&region.moves)) {
                let form = self.value(&next, &rest, (limit, depth + 1), stop)?;
                total = self.forms.sum_unless(total, form, stop)?;
            }
            options[role].push(total);
        }
        self.open.remove(&key);
        let form = self.forms.position(&options[0], &options[1]);
        self.known.insert(key, form);
        Ok(form)
    }

    /// The moves of the role to move in a worker's position, with their values; equally good moves
    /// have equal probabilities. `None` if the role has no choice.
    pub fn moves(
        &mut self,
        worker: &mut dyn Worker,
        role: Role,
        limit: usize,
        stop: &Stop,
    ) -> Result<Option<Vec<Candidate>>, Halt> {
        let legal = worker.legal(role).to_vec();
        if legal.len() < 2 {
            return Ok(None);
        }
        let mut state = Vec::new();
        worker.save(&mut state);
        let roles = worker.info().all_roles();
        let mut joint: Vec<Move> = roles.map(|role| worker.legal(role)[0]).collect();
        let mut found = Vec::with_capacity(legal.len());
        let (mut step, mut after) = (Step::new(), Vec::new());
        for choice in legal {
            joint[role.index()] = choice;
            worker.load(&state, stop)?;
            worker.step(&joint, &mut step, stop)?;
            worker.save(&mut after);
            let value = self.values_of(&after, limit, stop)?[role.index()];
            found.push(Candidate { choice, likely: 0.0, value: Some(value) });
        }
        worker.load(&state, stop)?;
        let best = found.iter().filter_map(|one| one.value).fold(f64::NEG_INFINITY, f64::max);
        let count = found.iter().filter(|one| one.value == Some(best)).count();
        for one in found.iter_mut().filter(|one| one.value == Some(best)) {
            one.likely = 1.0 / count as f64;
        }
        Ok(Some(found))
    }

    /// The role to move in a position.
    pub fn mover(&self, state: &[u64]) -> Role {
        self.regions.mover(state)
    }

    /// The value of a position for each role.
    pub fn values_of(
        &mut self,
        state: &[u64],
        limit: usize,
        stop: &Stop,
    ) -> Result<Vec<f64>, Halt> {
        let regions = self.split(state, limit, stop)?;
        let mover = self.mover(state).index();
        let parts = regions.iter().map(|region| region.form);
        let wins = self.sums.wins(&mut self.forms, parts, mover == 0, stop)?;
        let (low, high) = self.pays;
        let mut values = vec![low; 2];
        values[if wins { mover } else { 1 - mover }] = high;
        Ok(values)
    }

    /// The number of regions that were evaluated.
    pub fn valued(&self) -> usize {
        self.known.len()
    }
}
