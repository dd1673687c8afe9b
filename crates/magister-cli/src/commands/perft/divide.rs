//! `magister perft --divide`: the paths below each initial move.

use anyhow::{Result, bail};
use magister_core::{Game, Move, Step, Stop, Worker};
use rustc_hash::FxHashMap;

/// The number of paths that begin with a joint move.
pub(super) struct Part {
    pub(super) joint: Vec<Move>,
    pub(super) paths: u128,
}

/// Counts the paths of `depth` steps below each joint move of the initial position.
pub(super) fn divide(game: &dyn Game, depth: u32, limit: u32) -> Result<Vec<Part>> {
    let mut worker = game.worker();
    worker.reset();
    let mut counting = Counting { known: FxHashMap::default(), limit: limit as usize };
    let mut state = Vec::new();
    worker.save(&mut state);
    let mut parts = Vec::new();
    if worker.terminal() || depth == 0 {
        return Ok(parts);
    }
    for joint in joints(&*worker) {
        worker.load(&state, &Stop::never())?;
        worker.step(&joint, &mut Step::new(), &Stop::never())?;
        let paths = counting.paths(&mut *worker, depth - 1)?;
        parts.push(Part { joint, paths });
    }
    Ok(parts)
}

/// The path counts by position and length.
struct Counting {
    known: FxHashMap<(Vec<u64>, u32), u128>,
    limit: usize,
}

impl Counting {
    /// The number of paths of this length from the worker's position. Afterwards the worker may be
    /// in another position.
    fn paths(&mut self, worker: &mut dyn Worker, depth: u32) -> Result<u128> {
        if depth == 0 {
            return Ok(1);
        }
        if worker.terminal() {
            return Ok(0);
        }
        let mut state = Vec::new();
        worker.save(&mut state);
        if let Some(&paths) = self.known.get(&(state.clone(), depth)) {
            return Ok(paths);
        }
        let mut sum = 0_u128;
        for joint in joints(worker) {
            worker.load(&state, &Stop::never())?;
            worker.step(&joint, &mut Step::new(), &Stop::never())?;
            let Some(more) = sum.checked_add(self.paths(worker, depth - 1)?) else {
                bail!("there are more paths than 128 bits can count");
            };
            sum = more;
        }
        if self.known.len() >= self.limit {
            bail!(
                "there are more than {} positions; ask for a lower DEPTH, or raise --limit if the \
                 memory allows",
                self.limit
            );
        }
        self.known.insert((state, depth), sum);
        Ok(sum)
    }
}

/// All joint moves of a position.
fn joints(worker: &dyn Worker) -> Vec<Vec<Move>> {
    let mut joints = vec![Vec::new()];
    for role in worker.info().all_roles() {
        let legal = worker.legal(role);
        joints = joints
            .into_iter()
            .flat_map(|joint| {
                legal.iter().map(move |&choice| {
                    let mut longer = joint.clone();
                    longer.push(choice);
                    longer
                })
            })
            .collect();
    }
    joints
}
