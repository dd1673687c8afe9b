//! Playouts for the ends of several descents at once.

use magister_core::playout::Team;
use magister_core::{Batch, Detail, Halt, Move, Payment, Results, Role, Stream, draw};

use super::prior::scaled;
use super::search::{Descent, Search};
use crate::playing::Means;
use crate::rewards;

/// What is kept from one round to the next.
pub(super) struct Round<'a> {
    descents: Vec<Descent>,
    /// The leaves, each once, with how many descents ended there.
    leaves: Vec<(u32, u32)>,
    results: Results,
    /// The number of the next stream.
    stream: u64,
    seed: u64,
    team: &'a mut Option<Team>,
}

impl<'a> Round<'a> {
    pub(super) fn new(seed: u64, team: &'a mut Option<Team>) -> Self {
        let (descents, leaves) = (Vec::new(), Vec::new());
        Round { descents, leaves, results: Results::default(), stream: 0, seed, team }
    }
}

impl Search<'_> {
    /// Makes so many descents, then the playouts of all of them, and backs everything up. If
    /// that is stopped half way, nothing is entered.
    pub(super) fn round(&mut self, round: &mut Round<'_>, size: u64) -> Result<(), Halt> {
        round.descents.clear();
        let mut result = Ok(());
        for _ in 0..size {
            match self.descend() {
                Ok(descent) if descent.open => round.descents.push(descent),
                Ok(descent) => self.back_up(&descent, None, &mut Vec::new()),
                Err(halt) => {
                    result = Err(halt);
                    break;
                }
            }
            if self.tree.node(self.root).proven {
                break;
            }
        }
        if round.descents.is_empty() {
            return result;
        }
        let played = if self.config.lanes { self.batch(round) } else { self.single(round) };
        if let Err(halt) = played {
            for descent in &round.descents {
                self.abandon(descent);
            }
            return Err(halt);
        }
        result
    }

    /// All playouts in one batch.
    fn batch(&mut self, round: &mut Round<'_>) -> Result<(), Halt> {
        let Round { descents, leaves, results, stream, seed, team } = round;
        leaves.clear();
        for descent in &*descents {
            match leaves.iter_mut().find(|(leaf, _)| *leaf == descent.leaf) {
                Some((_, count)) => *count += 1,
                None => leaves.push((descent.leaf, 1)),
            }
        }
        let streams: Vec<Stream<'_>> = leaves
            .iter()
            .map(|&(leaf, count)| {
                *stream += 1;
                let quota = self.config.playouts * count;
                Stream { id: *stream, start: self.tree.state(leaf), quota }
            })
            .collect();
        let max_steps = self.config.max_steps;
        let wanted = self.config.bias > 0.0 || self.config.grave > 0.0;
        let detail = if wanted { Detail::Moves } else { Detail::Sums };
        let batch = Batch { seed: *seed, streams: &streams, max_steps, detail };
        match team {
            Some(team) => team.playouts(&batch, results, &self.stop)?,
            None => self.worker.playouts(&batch, results, &self.stop)?,
        }
        let mut sample = vec![0.0; self.tree.roles];
        let (low, spread) = (self.seen.0, (self.seen.1 - self.seen.0).max(1e-6));
        let mut moves: Vec<_> =
            results.streams.iter().map(|tally| scaled(&tally.moves, low, spread)).collect();
        moves.iter().for_each(|moves| self.priors.note(moves));
        for descent in &*descents {
            let place = leaves.iter().position(|(leaf, _)| *leaf == descent.leaf);
            let Some(tally) = place.and_then(|place| results.streams.get(place)) else { continue };
            let means = Means::of(tally, self.scale);
            for (role, value) in sample.iter_mut().enumerate() {
                *value = means.role(Role(role as u8)) as f32;
            }
            // A leaf at which several descents ended gives its moves to one of them.
            let moves = place.map_or_else(Vec::new, |place| std::mem::take(&mut moves[place]));
            self.back_up(descent, Some(&sample), &mut { moves });
        }
        descents.clear();
        Ok(())
    }

    /// One playout for each descent, one after the other.
    fn single(&mut self, round: &mut Round<'_>) -> Result<(), Halt> {
        while let Some(descent) = round.descents.last().cloned() {
            let mut sample = vec![0.0; self.tree.roles];
            for _ in 0..self.config.playouts {
                self.playout(descent.leaf, &mut sample)?;
            }
            let count = self.config.playouts as f32;
            sample.iter_mut().for_each(|value| *value /= count);
            self.back_up(&descent, Some(&sample), &mut Vec::new());
            round.descents.pop();
        }
        Ok(())
    }

    /// Adds the rewards of a random playout.
    fn playout(&mut self, leaf: u32, sample: &mut [f32]) -> Result<(), Halt> {
        self.worker.load(self.tree.state(leaf), &self.stop)?;
        let mut joint = std::mem::take(&mut self.joint);
        let mut steps = 0;
        while !self.worker.terminal() && steps < self.config.max_steps {
            let info = self.worker.info();
            joint.clear();
            for role in info.all_roles() {
                let weights = if info.chance == Some(role) { self.worker.weights() } else { &[] };
                let choice = draw(self.worker.legal(role), weights, self.rng);
                joint.push(choice.unwrap_or(Move::IDLE));
            }
            self.worker.step(&joint, &mut self.step, &self.stop)?;
            for (value, gain) in sample.iter_mut().zip(&self.step.gains) {
                *value += *gain as f32;
            }
            steps += 1;
        }
        self.joint = joint;
        if self.worker.terminal() {
            let ends = rewards::terminal(self.worker, self.scale, &mut self.goals);
            sample.iter_mut().zip(ends).for_each(|(value, end)| *value += end as f32);
        } else if self.worker.info().payment == Payment::AtEnd {
            let middle = self.scale.middle() as f32;
            sample.iter_mut().for_each(|value| *value += middle);
        }
        Ok(())
    }
}
