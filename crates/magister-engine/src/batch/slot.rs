//! The slot of a stream: its lanes, and the details of its playouts.

use magister_core::playout::{LANES, Playout};
use magister_lanes::Wires;

/// The 32 lanes that play one stream.
#[derive(Clone, Debug)]
pub(super) struct Playing {
    /// The stream by its index in the batch; `None` if nothing is left to play.
    pub(super) stream: Option<usize>,
    /// The sweep at which the stream began.
    pub(super) since: u64,
    /// The steps of lanes that have ended their last playout.
    pub(super) steps: u64,
    /// With details, the playouts and rewards of each lane.
    pub(super) playouts: Vec<Vec<Playout>>,
    pub(super) rewards: Vec<Vec<Option<f64>>>,
    /// With details, the sweep at which the current playout of each lane began.
    pub(super) began: [u64; LANES],
}

impl Playing {
    /// An idle slot.
    pub(super) fn idle() -> Self {
        Self {
            stream: None,
            since: 0,
            steps: 0,
            playouts: vec![Vec::new(); LANES],
            rewards: vec![Vec::new(); LANES],
            began: [0; LANES],
        }
    }

    /// Records the playouts that end in these lanes. Truncated ones have no rewards.
    pub(super) fn note(&mut self, mut ended: u32, finished: u32, sweep: u64, roles: usize) {
        while ended != 0 {
            let lane = ended.trailing_zeros() as usize;
            ended &= ended - 1;
            let finished = finished >> lane & 1 == 1;
            let steps = (sweep - self.began[lane]) as u32;
            self.playouts[lane].push(Playout { steps, finished });
            // Playouts begin with even sweeps of their stream.
            self.began[lane] = sweep + 2 - (sweep - self.since) % 2;
            if !finished {
                self.rewards[lane].extend((0..roles).map(|_| None));
            }
        }
    }

    /// Records the rewards of the last finished playout of these lanes.
    pub(super) fn pay(
        &mut self,
        rewards: &[(usize, f64, u32)],
        roles: usize,
        wires: &Wires,
        mut kept: u32,
        slot: usize,
    ) {
        while kept != 0 {
            let lane = kept.trailing_zeros() as usize;
            kept &= kept - 1;
            for role in 0..roles {
                let paid = rewards.iter().find(|&&(whose, _, row)| {
                    whose == role && lanes(wires.row(row), slot) >> lane & 1 == 1
                });
                self.rewards[lane].push(paid.map(|&(_, value, _)| value));
            }
        }
    }
}

/// The lanes of a slot in a row.
pub(super) fn lanes(row: &[u64], slot: usize) -> u32 {
    (row[slot / 2] >> (slot % 2 * 32)) as u32
}
