//! Batches of playouts on a network: one by one, or on vectors.

use std::sync::{MutexGuard, PoisonError};

use magister_core::playout::{LANES, leaves_one_by_one, one_by_one};
use magister_core::{
    Batch, Detail, Halt, LeafResults, Leaves, Payment, Results, Stop, Stream, Worker,
};
use magister_lanes::Width;

use super::bare::Bare;
use super::game::Shared;
use super::machine::Machine;
use super::pace::{Pace, Playouts, Request, measure};
use super::worker::NetworkWorker;
use crate::batch::{BatchError, BatchPlayer};

impl Shared {
    fn pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of streams played at once if there are this many.
    pub(super) fn side_by_side(&self, playouts: Playouts, streams: usize) -> usize {
        match playouts {
            Playouts::OneByOne => 1,
            Playouts::Lanes(width) => width.slots(),
            // As if the plan existed: a caller that divides a batch has many playouts to make.
            Playouts::Measured => {
                let pace = self.pace();
                match pace.choose(&Request::long(streams * LANES)) {
                    Some(width) => width.slots(),
                    None if pace.is_measured() => 1,
                    None => streams.clamp(1, Width::best().slots()),
                }
            }
        }
    }

    /// Creates the plan for vectors and measures it, if necessary.
    pub(super) fn measure(&self, stop: &Stop) -> Result<(), Halt> {
        let mut found = Vec::new();
        for &width in Width::useful() {
            let mut player = BatchPlayer::new(self.plan(false), width);
            found.extend(measure(&mut player, &self.initial, self.clock(), stop)?);
        }
        self.pace().measured(found);
        Ok(())
    }

    /// The batch method by number of lanes, if known.
    pub(super) fn choices(&self, playouts: Playouts) -> Vec<(usize, Option<Width>)> {
        let playing = |lanes: usize| match playouts {
            Playouts::OneByOne => None,
            Playouts::Lanes(width) => Some(width),
            Playouts::Measured => self.pace().choose(&Request::long(lanes)),
        };
        let mut choices: Vec<(usize, Option<Width>)> =
            (1..=Width::best().lanes()).map(|lanes| (lanes, playing(lanes))).collect();
        choices.dedup_by_key(|(_, playing)| *playing);
        choices
    }
}

impl<M: Machine> NetworkWorker<M> {
    /// Plays a batch with the best method.
    pub(super) fn play(
        &mut self,
        batch: &Batch<'_>,
        out: &mut Results,
        stop: &Stop,
    ) -> Result<(), Halt> {
        match self.playouts {
            Playouts::OneByOne => self.one_by_one(batch, out, stop),
            Playouts::Lanes(width) => self.on_vectors(width, batch, out, stop),
            Playouts::Measured => {
                let request = Request::of(batch);
                match self.best(batch, &request, stop)? {
                    Some(width) => self.on_vectors(width, batch, out, stop),
                    None => self.timed(batch, &request, out, stop),
                }
            }
        }
    }

    /// Plays leaves with the best method.
    pub(super) fn play_leaves(
        &mut self,
        leaves: &Leaves<'_>,
        out: &mut LeafResults,
        stop: &Stop,
    ) -> Result<(), Halt> {
        match self.playouts {
            Playouts::OneByOne => self.leaves_one_by_one(leaves, out, stop),
            Playouts::Lanes(width) => self.leaves_on_vectors(width, leaves, out, stop),
            Playouts::Measured => {
                let request = Request::of_leaves(leaves);
                let first = leaves.starts.first().map(|start| Stream { id: 0, start, quota: 1 });
                let (seed, max_steps) = (leaves.seed, leaves.max_steps);
                let streams = first.as_slice();
                let trial = Batch { seed, streams, max_steps, detail: Detail::Sums };
                if let Some(width) = self.best(&trial, &request, stop)? {
                    return self.leaves_on_vectors(width, leaves, out, stop);
                }
                let begun = self.shared.clock().start();
                self.leaves_one_by_one(leaves, out, stop)?;
                self.shared.pace().note_time(&request, begun.elapsed());
                Ok(())
            }
        }
    }

    fn leaves_one_by_one(
        &mut self,
        leaves: &Leaves<'_>,
        out: &mut LeafResults,
        stop: &Stop,
    ) -> Result<(), Halt> {
        if !leaves.starts.iter().all(|start| self.shared.is_state(start)) {
            return Err(Halt::BadState);
        }
        let played = leaves_one_by_one(&mut Bare(self), leaves, out, stop);
        self.restore();
        played
    }

    fn leaves_on_vectors(
        &mut self,
        width: Width,
        leaves: &Leaves<'_>,
        out: &mut LeafResults,
        stop: &Stop,
    ) -> Result<(), Halt> {
        // The other checks are made in all lanes at once.
        if !leaves.starts.iter().all(|start| self.shared.has_words(start)) {
            return Err(Halt::BadState);
        }
        let at = self.player(width, false);
        match self.players[at].play_leaves(leaves, out, stop) {
            Ok(()) => Ok(()),
            Err(BatchError::Halt(halt)) => Err(halt),
            Err(BatchError::Strange) => self.leaves_one_by_one(leaves, out, stop),
            Err(BatchError::State(state)) => self.load(&state, stop).and(Err(Halt::BadState)),
        }
    }

    /// The index of the player with a width.
    fn player(&mut self, width: Width, moves: bool) -> usize {
        let fits = |player: &BatchPlayer| player.width() == width && player.tells_moves() == moves;
        if let Some(at) = self.players.iter().position(fits) {
            return at;
        }
        self.players.push(BatchPlayer::new(self.shared.plan(moves), width));
        self.players.len() - 1
    }

    /// Plays lanes one by one.
    fn one_by_one(
        &mut self,
        batch: &Batch<'_>,
        out: &mut Results,
        stop: &Stop,
    ) -> Result<(), Halt> {
        if !batch.streams.iter().all(|stream| self.shared.is_state(stream.start)) {
            return Err(Halt::BadState);
        }
        let played = one_by_one(&mut Bare(self), batch, out, stop);
        self.restore();
        played
    }

    /// The fastest method for a request, after a trial if nothing is known.
    fn best(
        &mut self,
        batch: &Batch<'_>,
        request: &Request,
        stop: &Stop,
    ) -> Result<Option<Width>, Halt> {
        if self.shared.pace().needs_a_trial(request) {
            let first = batch.streams.iter().find(|stream| stream.quota > 0);
            let trial: Vec<Stream<'_>> =
                first.map(|stream| Stream { quota: 1, ..*stream }).into_iter().collect();
            let trial = Batch { streams: &trial, ..*batch };
            self.timed(&trial, &Request::of(&trial), &mut Results::default(), stop)?;
        }
        let shared = &self.shared;
        let (measured, pays) = {
            let pace = shared.pace();
            (pace.is_measured(), pace.plan_pays(request, shared.network.graph.len()))
        };
        if !measured && pays {
            shared.measure(stop)?;
        }
        Ok(shared.pace().choose(request))
    }

    /// Plays lanes one by one, and records the time.
    fn timed(
        &mut self,
        batch: &Batch<'_>,
        request: &Request,
        out: &mut Results,
        stop: &Stop,
    ) -> Result<(), Halt> {
        let begun = self.shared.clock().start();
        self.one_by_one(batch, out, stop)?;
        self.shared.pace().note(request, out, begun.elapsed());
        Ok(())
    }

    fn on_vectors(
        &mut self,
        width: Width,
        batch: &Batch<'_>,
        out: &mut Results,
        stop: &Stop,
    ) -> Result<(), Halt> {
        if !batch.streams.iter().all(|stream| self.shared.is_state(stream.start)) {
            return Err(Halt::BadState);
        }
        let moves = batch.detail == Detail::Moves;
        if moves && self.shared.info.payment == Payment::OnTheWay {
            // On vectors, statistics of moves are collected by the few rewards at the end.
            return self.one_by_one(batch, out, stop);
        }
        let at = self.player(width, moves);
        match self.players[at].play(batch, out, stop) {
            Ok(()) => Ok(()),
            Err(BatchError::Halt(halt)) => Err(halt),
            Err(BatchError::Strange) => self.one_by_one(batch, out, stop),
            // This worker reports the error of the state.
            Err(BatchError::State(state)) => self.load(&state, stop).and(Err(Halt::BadState)),
        }
    }
}
