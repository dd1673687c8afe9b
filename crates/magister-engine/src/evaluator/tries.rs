//! Steps that are compared with a role's observation: one by one, or on vectors.
//!
//! Both methods give the same results and differ only in time. Creating a plan for vectors takes as
//! long as many steps; so it is created once the steps made one by one have taken longer than its
//! creation would. After a few requests on vectors, the faster method is used.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use magister_core::playout::tries_one_by_one;
use magister_core::{Halt, Information, Stop, Tried, Tries, Worker as _};
use magister_lanes::Width;

use super::game::Shared;
use super::machine::Machine;
use super::pace::{FEW, PLAN_PER_GATE, Playouts};
use super::worker::NetworkWorker;
use crate::batch::{BatchError, TryPlan, TryPlayer};

/// The number of requests on vectors after which their speed is known well enough.
const ENOUGH: u32 = 4;

/// The maximum number of gates for a plan. Its creation cannot be stopped, and for larger networks
/// it would take longer than some players have for a move.
const LARGEST: usize = 1 << 15;

/// The data of a role's tries.
#[derive(Debug, Default)]
pub(super) struct Trying {
    /// The plan, once created; the inner value is `None` if it is impossible.
    plan: OnceLock<Option<Arc<TryPlan>>>,
    pace: Mutex<TryPace>,
}

/// The measurements so far, in seconds.
#[derive(Clone, Copy, Debug, Default)]
struct TryPace {
    /// The total time of steps made one by one.
    spent: f64,
    /// The minimum time of a single step, and of a round of all lanes, once measured.
    one_by_one: Option<f64>,
    round: Option<f64>,
    /// The number of requests on vectors.
    requests: u32,
}

impl TryPace {
    /// Whether this number of steps should be made on vectors, with a plan of this many gates.
    fn on_vectors(&self, steps: usize, gates: usize) -> bool {
        if steps < FEW || gates > LARGEST {
            return false;
        }
        let one_by_one = self.one_by_one.unwrap_or(0.0) * steps as f64;
        match self.round {
            None => self.spent + one_by_one > PLAN_PER_GATE.as_secs_f64() * gates as f64,
            Some(_) if self.requests < ENOUGH => true,
            Some(round) => round * rounds(steps) < one_by_one,
        }
    }

    /// Records the time of a request.
    fn note(&mut self, steps: usize, on_vectors: bool, time: Duration) {
        if steps < FEW {
            return;
        }
        let time = time.as_secs_f64();
        let (best, each) = if on_vectors {
            self.requests = self.requests.saturating_add(1);
            (&mut self.round, time / rounds(steps))
        } else {
            self.spent += time;
            (&mut self.one_by_one, time / steps as f64)
        };
        *best = Some(best.map_or(each, |best| best.min(each)));
    }
}

/// The number of rounds of all lanes for a number of steps.
fn rounds(steps: usize) -> f64 {
    steps.div_ceil(Width::best().lanes()) as f64
}

impl Shared {
    /// The plan of batch tries for a role; `None` if that is impossible.
    fn try_plan(&self, role: usize) -> Option<Arc<TryPlan>> {
        let make = || {
            let hidden = self.info.information == Information::Hidden;
            TryPlan::new(&self.network, role, hidden).map(Arc::new)
        };
        self.tries.get(role)?.plan.get_or_init(make).clone()
    }
}

impl<M: Machine> NetworkWorker<M> {
    /// Tries steps with the best method.
    pub(super) fn try_all(
        &mut self,
        tries: &Tries<'_>,
        out: &mut Tried,
        stop: &Stop,
    ) -> Result<(), Halt> {
        let width = match self.playouts {
            Playouts::OneByOne => return tries_one_by_one(self, tries, out, stop),
            Playouts::Lanes(width) => {
                return self.try_on_vectors(width, tries, out, stop);
            }
            Playouts::Measured => Width::best(),
        };
        let shared = Arc::clone(&self.shared);
        let Some(known) = shared.tries.get(tries.role.index()) else {
            return tries_one_by_one(self, tries, out, stop);
        };
        let pace = || known.pace.lock().unwrap_or_else(PoisonError::into_inner);
        let on_vectors = pace().on_vectors(tries.starts.len(), shared.network.graph.len());
        if on_vectors {
            // Its creation is not measured.
            self.try_player(width, tries.role.index());
        }
        let begun = shared.clock().start();
        if on_vectors {
            self.try_on_vectors(width, tries, out, stop)?;
        } else {
            tries_one_by_one(self, tries, out, stop)?;
        }
        pace().note(tries.starts.len(), on_vectors, begun.elapsed());
        Ok(())
    }

    /// The index of the player with a width and a role; `None` if that is impossible.
    fn try_player(&mut self, width: Width, role: usize) -> Option<usize> {
        if let Some(at) = self.try_players.iter().position(|player| player.fits(role, width)) {
            return Some(at);
        }
        self.try_players.push(TryPlayer::new(self.shared.try_plan(role)?, width));
        Some(self.try_players.len() - 1)
    }

    fn try_on_vectors(
        &mut self,
        width: Width,
        tries: &Tries<'_>,
        out: &mut Tried,
        stop: &Stop,
    ) -> Result<(), Halt> {
        // The other checks are made in all lanes at once.
        if !tries.starts.iter().all(|start| self.shared.has_words(start)) {
            return Err(Halt::BadState);
        }
        let Some(at) = self.try_player(width, tries.role.index()) else {
            return tries_one_by_one(self, tries, out, stop);
        };
        match self.try_players[at].play(tries, out, stop) {
            Ok(()) => Ok(()),
            Err(BatchError::Halt(halt)) => Err(halt),
            Err(BatchError::Strange) => tries_one_by_one(self, tries, out, stop),
            // This worker reports the error of the state.
            Err(BatchError::State(state)) => self.load(&state, stop).and(Err(Halt::BadState)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faster_method_is_kept() {
        let gates = 10_000; // 80 milliseconds
        let mut pace = TryPace::default();
        let all = Width::best().lanes();
        assert!(!pace.on_vectors(all, gates), "nothing is known");
        let note = |pace: &mut TryPace, on_vectors, micros| {
            pace.note(all, on_vectors, Duration::from_micros(micros));
        };
        (0..300).for_each(|_| note(&mut pace, false, 250));
        assert!(!pace.on_vectors(all, gates), "a plan does not pay yet");
        (0..100).for_each(|_| note(&mut pace, false, 250));
        assert!(pace.on_vectors(all, gates) && !pace.on_vectors(FEW - 1, gates));
        // The first measurements may have been disturbed.
        for micros in [900, 900, 900] {
            note(&mut pace, true, micros);
            assert!(pace.on_vectors(all, gates));
        }
        note(&mut pace, true, 300);
        assert!(!pace.on_vectors(all, gates), "one by one is faster");
        note(&mut pace, true, 100);
        assert!(pace.on_vectors(all, gates) && pace.on_vectors(3 * all, gates));
        assert!(!pace.on_vectors(all / 4, gates), "few lanes take as long as all");
        assert!(!pace.on_vectors(all, LARGEST + 1), "such a plan takes too long");
    }
}
