//! Values of the positions of a game, computed from its parts, for a player during a match.

use std::sync::Arc;
use std::time::Duration;

use magister_core::{Game, Halt, Move, Role, Step, Stop, Worker};
use magister_engine::Compiled;
use magister_solve::{Candidate, Solution, SolveLimits};

use crate::abstracted::Dynamics;
use crate::attempt::{Work, attempt};
use crate::decomposition::Decomposition;
use crate::impartial::Impartial;
use crate::product::Product;
use crate::search::Search;
use crate::solve::{Method, NotSolved, solution};
use crate::sum::Sum;

/// Differences below this count as zero.
const TINY: f64 = 1e-9;

/// The values of all positions of a game that decomposes.
#[derive(Debug)]
pub struct PartValues {
    how: How,
}

#[derive(Debug)]
enum How {
    /// Nimbers decide the game; then the goal values of the loser and the winner.
    Nimbers(Arc<Sum>, Impartial, (f64, f64)),
    /// Classes of a sum are searched on demand.
    Search(Search),
    /// All classes of a sum were solved.
    Sum(Arc<Sum>, Solution),
    /// All classes of a product were solved.
    Product(Arc<Product>, Solution),
}

impl PartValues {
    /// Solves a game by its parts within a time limit, if that is possible. Without a limit, only
    /// small games are tried, so that the work stays small as well.
    pub fn attempt(
        game: &dyn Game,
        whole: &Decomposition,
        limits: &SolveLimits,
        time: Option<Duration>,
        stop: &Stop,
    ) -> Result<Option<Self>, Halt> {
        attempt(game, Work::Split, time, stop, |compiled, stop| {
            match Self::new(compiled, whole, limits, stop) {
                Ok(values) => Ok(Some(values)),
                Err(NotSolved::Halt(Halt::Stopped)) => Err(Halt::Stopped),
                Err(_) => Ok(None),
            }
        })
    }

    /// Solves a game by its parts.
    pub fn new(
        compiled: &Compiled,
        whole: &Decomposition,
        limits: &SolveLimits,
        stop: &Stop,
    ) -> Result<Self, NotSolved> {
        let sum = match &whole.sum {
            Some(sum) => Ok(sum.clone()),
            None => Sum::new(compiled, whole, stop),
        };
        let mut sum = match sum {
            Ok(sum) => sum,
            Err(Halt::Stopped) => return Err(Halt::Stopped.into()),
            Err(_) => {
                let product = Arc::new(Product::new(compiled, whole, stop)?);
                let solution = solution(&*product.game(), limits, stop)?;
                return Ok(PartValues { how: How::Product(product, solution) });
            }
        };
        if let Ok(impartial) = Impartial::new(&sum) {
            let bounds = sum.outcomes.bounds().unwrap_or((0.0, 100.0));
            return Ok(PartValues { how: How::Nimbers(Arc::new(sum), impartial, bounds) });
        }
        sum.prune();
        let sum = Arc::new(sum);
        if let Some(mut search) = Search::new(&sum, limits.nodes) {
            search.value(&sum.start(), stop)?;
            return Ok(PartValues { how: How::Search(search) });
        }
        let solution = solution(&*sum.game(), limits, stop)?;
        Ok(PartValues { how: How::Sum(sum, solution) })
    }

    /// How the game was solved.
    pub fn method(&self) -> Method {
        match &self.how {
            How::Nimbers(..) => Method::Nimbers,
            How::Search(_) | How::Sum(..) => Method::Sum,
            How::Product(..) => Method::Product,
        }
    }

    /// The value of a position for each role; `None` if it is not known.
    pub fn values(&mut self, state: &[u64], stop: &Stop) -> Result<Option<Vec<f64>>, Halt> {
        match &mut self.how {
            How::Nimbers(sum, impartial, (low, high)) => {
                let Some(place) = sum.place(state) else { return Ok(None) };
                let Some(mover) = sum.mover(&place) else { return Ok(None) };
                let heaps: Vec<u32> =
                    place[1..].iter().map(|&class| impartial.nimber(class as u32)).collect();
                let mut values = vec![*low; 2];
                values[if impartial.wins(&heaps) { mover } else { 1 - mover }] = *high;
                Ok(Some(values))
            }
            How::Search(search) => {
                let Some(place) = search.sum().place(state) else { return Ok(None) };
                match search.value(&place, stop) {
                    Ok(value) => Ok(Some(vec![value, search.sum().total() - value])),
                    Err(Halt::Stopped) => Err(Halt::Stopped),
                    Err(_) => Ok(None),
                }
            }
            How::Sum(sum, solution) => Ok(known(sum.place(state), solution)),
            How::Product(product, solution) => Ok(known(product.place(state), solution)),
        }
    }

    /// The moves of a role in a worker's position, with their values if known and their
    /// probabilities in optimal play. Equally good moves have equal probabilities. `None` if the
    /// position has no known value or the role has no choice.
    pub fn moves(
        &mut self,
        worker: &mut dyn Worker,
        role: Role,
        stop: &Stop,
    ) -> Result<Option<Vec<Candidate>>, Halt> {
        let info = worker.info();
        let alone = info.all_roles().all(|other| other == role || worker.legal(other).len() == 1);
        let mut state = Vec::new();
        worker.save(&mut state);
        if !alone {
            return Ok(match &self.how {
                How::Product(product, solution) => {
                    product.place(&state).and_then(|place| solution.moves(&place, role))
                }
                _ => None,
            });
        }
        let legal = worker.legal(role).to_vec();
        if legal.len() < 2 {
            return Ok(None);
        }
        let mut joint: Vec<Move> = info.all_roles().map(|other| worker.legal(other)[0]).collect();
        let progress = self.progress(&state, role, joint.len());
        let mut found = Vec::with_capacity(legal.len());
        let (mut step, mut after) = (Step::new(), Vec::new());
        for &choice in &legal {
            joint[role.index()] = choice;
            worker.load(&state, stop)?;
            worker.step(&joint, &mut step, stop)?;
            worker.save(&mut after);
            let value = self.values(&after, stop)?.map(|values| values[role.index()]);
            let good = progress.as_ref().is_none_or(|to| self.place(&after).as_ref() == Some(to));
            found.push((Candidate { choice, likely: 0.0, value }, good));
        }
        worker.load(&state, stop)?;
        let values = found.iter().map(|(one, _)| one.value);
        let Some(best) = values.collect::<Option<Vec<f64>>>() else { return Ok(None) };
        let best = best.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let is_best = |one: &Candidate| one.value.is_some_and(|value| value >= best - TINY);
        // If positions can repeat, only some of the best moves make progress.
        let strict = found.iter().any(|(one, good)| *good && is_best(one));
        let chosen = |(one, good): &(Candidate, bool)| is_best(one) && (*good || !strict);
        let count = found.iter().filter(|pair| chosen(pair)).count();
        let with = |pair: &(Candidate, bool)| {
            let likely = if chosen(pair) { 1.0 / count as f64 } else { 0.0 };
            Candidate { likely, ..pair.0 }
        };
        Ok(Some(found.iter().map(with).collect()))
    }

    fn place(&self, state: &[u64]) -> Option<Vec<u64>> {
        match &self.how {
            How::Nimbers(sum, ..) | How::Sum(sum, _) => sum.place(state),
            How::Search(search) => search.sum().place(state),
            How::Product(product, _) => product.place(state),
        }
    }

    /// The class that a solution moves to, if the order of its positions matters, because a best
    /// move might otherwise lead back.
    fn progress(&self, state: &[u64], role: Role, roles: usize) -> Option<Vec<u64>> {
        let place = self.place(state)?;
        let (solution, dynamics): (&Solution, &dyn Dynamics) = match &self.how {
            How::Sum(sum, solution) => (solution, &**sum),
            How::Product(product, solution) => (solution, &**product),
            How::Nimbers(..) | How::Search(_) => return None,
        };
        if !solution.repeats() {
            return None;
        }
        let moves = solution.moves(&place, role)?;
        let best = moves.iter().find(|one| one.likely > 0.0)?;
        let mut legal = vec![Vec::new(); roles];
        dynamics.moves(&place, &mut legal);
        let only = |own: &Vec<Move>| own.first().copied().unwrap_or(Move::IDLE);
        let mut joint: Vec<Move> = legal.iter().map(only).collect();
        joint[role.index()] = best.choice;
        let mut next = place;
        dynamics.make(&mut next, &joint);
        Some(next)
    }
}

fn known(place: Option<Vec<u64>>, solution: &Solution) -> Option<Vec<f64>> {
    solution.values(&place?).map(<[f64]>::to_vec)
}
