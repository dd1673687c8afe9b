//! Batches over several threads.

use std::sync::{Mutex, PoisonError};
use std::thread;

use super::{Batch, LeafResults, Leaves, Results, Stream, Tally};
use crate::{Game, Halt, Stop, Worker};

/// Workers of one game that play batches together, each on its own thread.
///
/// The results are those of one worker, because streams are independent. Streams are distributed in
/// blocks; the size of a block is a multiple of the number of streams that a worker plays
/// [at once](Worker::side_by_side). Large blocks come first, because lanes run idle at the end of
/// each block, and smaller ones towards the end, so that the workers finish together. If there are
/// fewer blocks than workers, some workers stay idle.
pub struct Team {
    members: Vec<Member>,
}

struct Member {
    worker: Box<dyn Worker>,
    results: Results,
    leaf_results: LeafResults,
}

impl Team {
    /// A number of workers of a game, at least one.
    pub fn new(game: &dyn Game, threads: usize) -> Self {
        let member = |_| Member {
            worker: game.worker(),
            results: Results::default(),
            leaf_results: LeafResults::default(),
        };
        Self { members: (0..threads.max(1)).map(member).collect() }
    }

    /// The number of workers.
    pub fn threads(&self) -> usize {
        self.members.len()
    }

    /// Plays a batch; see [`Worker::playouts`].
    pub fn playouts(
        &mut self,
        batch: &Batch<'_>,
        out: &mut Results,
        stop: &Stop,
    ) -> Result<(), Halt> {
        let [first, others @ ..] = &mut self.members[..] else { return Ok(()) };
        let share = batch.streams.len().div_ceil(others.len() + 1);
        let block = first.worker.side_by_side(share).max(1);
        let most = batch.streams.len().div_ceil(block);
        if others.is_empty() || most < 2 {
            return first.worker.playouts(batch, out, stop);
        }
        out.streams.resize_with(batch.streams.len(), Tally::default);
        let threads = most.min(others.len() + 1);
        let deal = Mutex::new(Deal {
            streams: batch.streams,
            tallies: &mut out.streams,
            block,
            shares: 2 * threads,
            halt: None,
        });
        thread::scope(|scope| {
            for member in &mut others[..threads - 1] {
                let deal = &deal;
                scope.spawn(move || member.play(batch, deal, stop));
            }
            first.play(batch, &deal, stop);
        });
        let deal = deal.into_inner().unwrap_or_else(PoisonError::into_inner);
        deal.halt.map_or(Ok(()), Err)
    }

    /// Plays leaves; see [`Worker::leaves`]. Each worker gets the same number of whole streams.
    pub fn leaves(
        &mut self,
        leaves: &Leaves<'_>,
        out: &mut LeafResults,
        stop: &Stop,
    ) -> Result<(), Halt> {
        let sharing = leaves.sharing();
        let streams = leaves.starts.len().div_ceil(sharing);
        let [first, others @ ..] = &mut self.members[..] else { return Ok(()) };
        let share = streams.div_ceil(others.len() + 1);
        if others.is_empty() || streams < 2 {
            return first.worker.leaves(leaves, out, stop);
        }
        let mut parts = leaves.starts.chunks(share * sharing).enumerate().map(|(at, starts)| {
            let first = leaves.first.wrapping_add((at * share) as u64);
            Leaves { first, starts, ..*leaves }
        });
        let mine = parts.next().unwrap_or(*leaves);
        let (own, results) = thread::scope(|scope| {
            let play = |(member, part): (&'_ mut Member, Leaves<'_>)| {
                member.worker.leaves(&part, &mut member.leaf_results, stop)
            };
            let threads: Vec<_> =
                others.iter_mut().zip(parts).map(|work| scope.spawn(move || play(work))).collect();
            let own = first.worker.leaves(&mine, &mut first.leaf_results, stop);
            let stopped = |_| Err(Halt::Stopped);
            let results: Vec<Result<(), Halt>> =
                threads.into_iter().map(|thread| thread.join().unwrap_or_else(stopped)).collect();
            (own, results)
        });
        own?;
        out.clear(leaves.starts.len(), first.leaf_results.roles);
        out.copy(0, &first.leaf_results);
        let mut at = mine.starts.len();
        for (member, result) in others.iter().zip(results) {
            result?;
            out.copy(at, &member.leaf_results);
            at += member.leaf_results.finished.len();
        }
        Ok(())
    }
}

impl std::fmt::Debug for Team {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Team").field("threads", &self.threads()).finish_non_exhaustive()
    }
}

impl Member {
    /// Plays blocks until none is left.
    fn play(&mut self, batch: &Batch<'_>, deal: &Mutex<Deal<'_>>, stop: &Stop) {
        let lock = || deal.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((streams, tallies)) = { lock().next() } {
            let part = Batch { streams, ..*batch };
            if let Err(halt) = self.worker.playouts(&part, &mut self.results, stop) {
                lock().halt.get_or_insert(halt);
                return;
            }
            tallies.iter_mut().zip(&mut self.results.streams).for_each(|(to, from)| {
                std::mem::swap(to, from);
            });
        }
    }
}

/// The work that is not distributed yet.
struct Deal<'a> {
    streams: &'a [Stream<'a>],
    tallies: &'a mut [Tally],
    block: usize,
    /// The next part is this fraction of the rest.
    shares: usize,
    /// The first error.
    halt: Option<Halt>,
}

impl<'a> Deal<'a> {
    fn next(&mut self) -> Option<(&'a [Stream<'a>], &'a mut [Tally])> {
        if self.streams.is_empty() || self.halt.is_some() {
            return None;
        }
        let part = (self.streams.len() / self.shares).next_multiple_of(self.block);
        let part = part.max(self.block).min(self.streams.len());
        let (streams, rest) = self.streams.split_at(part);
        self.streams = rest;
        let (tallies, rest) = std::mem::take(&mut self.tallies).split_at_mut(part);
        self.tallies = rest;
        Some((streams, tallies))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Detail, Native, examples::Countdown};

    #[test]
    fn parts_are_whole_blocks_and_cover_everything_once() {
        for (count, block) in [(1, 1), (7, 16), (16, 16), (100, 16), (33, 4)] {
            let streams = vec![Stream { id: 0, start: &[], quota: 1 }; count];
            let mut tallies = vec![Tally::default(); count];
            let mut deal =
                Deal { streams: &streams, tallies: &mut tallies, block, shares: 4, halt: None };
            let mut sizes = Vec::new();
            while let Some((streams, tallies)) = deal.next() {
                assert_eq!(streams.len(), tallies.len());
                sizes.push(streams.len());
            }
            assert_eq!(sizes.iter().sum::<usize>(), count);
            let whole = &sizes[..sizes.len() - 1];
            assert!(whole.iter().all(|size| size % block == 0), "{sizes:?}");
        }
    }

    #[test]
    fn several_threads_agree_with_one() {
        let game = Native::new(Countdown(21));
        let mut start = Vec::new();
        game.worker().save(&mut start);
        let streams: Vec<Stream<'_>> =
            (0..37).map(|n| Stream { id: n, start: &start, quota: n as u32 * 3 }).collect();
        let batch = Batch { seed: 5, streams: &streams, max_steps: 9, detail: Detail::PerPlayout };
        let (mut alone, mut together) = (Results::default(), Results::default());
        game.worker().playouts(&batch, &mut alone, &Stop::never()).unwrap();
        for threads in [0, 1, 2, 3, 50] {
            let mut team = Team::new(&game, threads);
            for _ in 0..2 {
                team.playouts(&batch, &mut together, &Stop::never()).unwrap();
                assert_eq!(alone, together, "{threads} threads");
            }
        }
    }

    #[test]
    fn several_threads_agree_with_one_on_leaves() {
        let game = Native::new(Countdown(21));
        let mut start = Vec::new();
        game.worker().save(&mut start);
        for states in [1, 8, 9, 70] {
            let starts = vec![&start[..]; states];
            let leaves = Leaves { seed: 5, first: 2, starts: &starts, each: 4, max_steps: 9 };
            let (mut alone, mut together) = (LeafResults::default(), LeafResults::default());
            game.worker().leaves(&leaves, &mut alone, &Stop::never()).unwrap();
            for threads in [1, 2, 3, 50] {
                let mut team = Team::new(&game, threads);
                for _ in 0..2 {
                    team.leaves(&leaves, &mut together, &Stop::never()).unwrap();
                    assert_eq!(alone, together, "{threads} threads");
                }
            }
        }
    }

    #[test]
    fn an_error_in_one_thread_is_reported() {
        let game = Native::new(Countdown(21));
        let mut start = Vec::new();
        game.worker().save(&mut start);
        let none = vec![0; start.len() + 1];
        let mut streams = vec![Stream { id: 0, start: &start, quota: 1 }; 40];
        streams[30].start = &none;
        let batch = Batch { seed: 5, streams: &streams, max_steps: 9, detail: Detail::Sums };
        let mut team = Team::new(&game, 2);
        let mut out = Results::default();
        assert_eq!(team.playouts(&batch, &mut out, &Stop::never()), Err(Halt::BadState));
        let set = Stop::new();
        set.set();
        let good = vec![Stream { id: 0, start: &start, quota: 1 }; 40];
        let batch = Batch { streams: &good, ..batch };
        assert_eq!(team.playouts(&batch, &mut out, &set), Err(Halt::Stopped));
        assert_eq!(team.playouts(&batch, &mut out, &Stop::never()), Ok(()));
    }
}
