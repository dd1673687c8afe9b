//! Playouts for the leaves of several descents at once.

use magister_core::playout::Team;
use magister_core::{
    Batch, Detail, Halt, LeafResults, Leaves, Move, Payment, Results, Role, Stream, Worker, draw,
};

use super::descent::Descent;
use super::prior::scaled;
use super::search::Search;
use crate::playing::Means;
use crate::rewards;

/// The number of lanes that a round may fill. If it has fewer leaves, each gets more playouts, at
/// no extra cost. The number is the same on every machine, because results depend on it.
pub(super) const LANES: u32 = 512;
/// The maximum number of playouts per leaf from spare lanes.
const MOST: u32 = 32;

/// The data kept from one round to the next.
pub(super) struct Round<'a> {
    descents: Vec<Descent>,
    results: Results,
    leaf_results: LeafResults,
    /// The number of the next stream.
    stream: u64,
    seed: u64,
    team: &'a mut Option<Team>,
    /// The worker for playouts, if it is not that of the search.
    tactician: &'a mut Option<Box<dyn Worker>>,
}

impl<'a> Round<'a> {
    pub(super) fn new(
        seed: u64,
        team: &'a mut Option<Team>,
        tactician: &'a mut Option<Box<dyn Worker>>,
    ) -> Self {
        let (results, leaf_results) = (Results::default(), LeafResults::default());
        Round { descents: Vec::new(), results, leaf_results, stream: 0, seed, team, tactician }
    }
}

impl Search<'_> {
    /// Makes a number of descents, then the playouts of all of them, and backs everything up. If it
    /// is stopped early, leaves without playouts are not counted.
    pub(super) fn round(&mut self, round: &mut Round<'_>, size: u64) -> Result<(), Halt> {
        round.descents.clear();
        self.hops.clear();
        self.many.clear();
        self.given_up = 0;
        let result = self.descend(size, &mut round.descents);
        self.sums.clear();
        self.sums.resize(self.hops.len() * self.tree.roles, 0.0);
        let played = match (self.config.lanes, self.config.plain) {
            _ if round.descents.is_empty() => Ok(()),
            (false, _) => self.single(round),
            (true, true) => self.leaves(round),
            (true, false) => self.batch(round),
        };
        // Abandons the descents whose playouts were not made.
        for descent in round.descents.drain(..) {
            self.abandon(&descent);
        }
        self.back_up();
        played.and(result)
    }

    /// All playouts on vectors.
    fn leaves(&mut self, round: &mut Round<'_>) -> Result<(), Halt> {
        let Round { descents, leaf_results, stream, seed, team, tactician, .. } = round;
        // If players take turns, leaves of the same parity have the same role to move.
        descents.sort_by_key(|descent| descent.depth % 2);
        let mut each = self.config.playouts.min(MOST);
        if self.config.spare {
            // The greatest power of two not above the bound.
            let spare = (LANES / descents.len() as u32).clamp(1, MOST);
            each = each.max(1 << spare.ilog2());
        }
        let starts: Vec<&[u64]> =
            descents.iter().map(|descent| self.tree.state(descent.leaf)).collect();
        let max_steps = self.config.max_steps;
        let leaves = Leaves { seed: *seed, first: *stream, starts: &starts, each, max_steps };
        let (sharing, each) = (leaves.sharing(), leaves.playouts());
        match (team, tactician) {
            (Some(team), _) => team.leaves(&leaves, leaf_results, &self.stop)?,
            (None, Some(worker)) => worker.leaves(&leaves, leaf_results, &self.stop)?,
            (None, None) => self.worker.leaves(&leaves, leaf_results, &self.stop)?,
        }
        *stream += descents.len().div_ceil(sharing) as u64;
        let roles = self.tree.roles;
        let (low, middle) = (self.scale.low, self.scale.middle());
        for (at, descent) in descents.iter().enumerate() {
            let cut = each - leaf_results.finished[at];
            for role in 0..roles {
                // Truncated playouts count as the middle of the scale, those that ended without a
                // reward as the lowest value. If the game has intermediate rewards, all playouts
                // are paid.
                let (paid, sum) =
                    (leaf_results.paid[at * roles + role], leaf_results.sum[at * roles + role]);
                let cut = cut.min(each - paid);
                let lost = each - paid - cut;
                let sum = sum + f64::from(cut) * middle + f64::from(lost) * low;
                self.sample[role] = (sum / f64::from(each)) as f32;
            }
            self.learn(descent, &mut Vec::new());
        }
        descents.clear();
        Ok(())
    }

    /// All playouts in one batch, with statistics of moves.
    fn batch(&mut self, round: &mut Round<'_>) -> Result<(), Halt> {
        let Round { descents, results, stream, seed, team, tactician, .. } = round;
        let first = *stream;
        let streams: Vec<Stream<'_>> = (first..)
            .zip(&*descents)
            .map(|(id, descent)| {
                let quota = self.config.playouts;
                Stream { id, start: self.tree.state(descent.leaf), quota }
            })
            .collect();
        *stream += streams.len() as u64;
        let max_steps = self.config.max_steps;
        let batch = Batch { seed: *seed, streams: &streams, max_steps, detail: Detail::Moves };
        match (team, tactician) {
            (Some(team), _) => team.playouts(&batch, results, &self.stop)?,
            (None, Some(worker)) => worker.playouts(&batch, results, &self.stop)?,
            (None, None) => self.worker.playouts(&batch, results, &self.stop)?,
        }
        let (low, spread) = (self.seen.0, (self.seen.1 - self.seen.0).max(1e-6));
        let mut moves: Vec<_> =
            results.streams.iter().map(|tally| scaled(&tally.moves, low, spread)).collect();
        moves.iter().for_each(|moves| self.priors.note(moves));
        for ((descent, tally), moves) in descents.iter().zip(&results.streams).zip(&mut moves) {
            let means = Means::of(tally, self.scale);
            for role in 0..self.tree.roles {
                self.sample[role] = means.role(Role(role as u8)) as f32;
            }
            self.learn(descent, moves);
        }
        descents.clear();
        Ok(())
    }

    /// The playouts of each descent, one by one.
    fn single(&mut self, round: &mut Round<'_>) -> Result<(), Halt> {
        let mut sums = vec![0.0; self.tree.roles];
        while let Some(&descent) = round.descents.last() {
            sums.fill(0.0);
            for _ in 0..self.config.playouts {
                self.sample.fill(0.0);
                self.recall(&descent);
                self.playout(descent.leaf)?;
                self.teach(&descent);
                sums.iter_mut().zip(&self.sample).for_each(|(sum, value)| *sum += value);
            }
            let count = self.config.playouts as f32;
            self.sample.iter_mut().zip(&sums).for_each(|(value, sum)| *value = sum / count);
            self.learn(&descent, &mut Vec::new());
            round.descents.pop();
        }
        Ok(())
    }

    /// Fills the sample with the rewards of a playout by the policy.
    fn playout(&mut self, leaf: u32) -> Result<(), Halt> {
        self.worker.load(self.tree.state(leaf), &self.stop)?;
        let mut joint = std::mem::take(&mut self.joint);
        let mut steps = 0;
        while !self.worker.terminal() && steps < self.config.max_steps {
            let info = self.worker.info();
            joint.clear();
            for role in info.all_roles() {
                let legal = self.worker.legal(role);
                let choice = if info.chance == Some(role) {
                    draw(legal, self.worker.weights(), self.rng)
                } else if self.policy.learns() {
                    self.policy.choose(role, legal, self.rng)
                } else {
                    draw(legal, &[], self.rng)
                };
                joint.push(choice.unwrap_or(Move::IDLE));
            }
            if self.policy.learns() {
                let chosen = info.players().map(|role| (role, joint[role.index()]));
                self.policy.made(chosen.filter(|&(role, _)| self.worker.legal(role).len() > 1));
            }
            self.worker.step(&joint, &mut self.step, &self.stop)?;
            for (value, gain) in self.sample.iter_mut().zip(&self.step.gains) {
                *value += *gain as f32;
            }
            steps += 1;
        }
        self.joint = joint;
        if self.worker.terminal() {
            let ends = rewards::terminal(self.worker, self.scale, &mut self.goals);
            self.sample.iter_mut().zip(ends).for_each(|(value, end)| *value += end as f32);
        } else if self.worker.info().payment == Payment::AtEnd {
            let middle = self.scale.middle() as f32;
            self.sample.iter_mut().for_each(|value| *value += middle);
        }
        Ok(())
    }
}
