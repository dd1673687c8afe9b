//! Remote players that are in a match.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use super::{Order, SeatOrder};

/// Remote players play one match at a time, because a GGP player replies `busy` to a second one.
#[derive(Debug, Default)]
pub(super) struct Occupied {
    players: Mutex<BTreeMap<String, Arc<AsyncMutex<()>>>>,
}

/// The reserved players of a match, until this is dropped.
pub(super) struct Taken<'a> {
    held: Vec<(String, OwnedMutexGuard<()>)>,
    occupied: &'a Occupied,
}

impl Occupied {
    /// Waits until the remote players of a match are free and reserves them, in the order of their
    /// names, so that no two matches wait for each other.
    pub(super) async fn take(&self, order: &Order) -> Taken<'_> {
        let names: BTreeSet<String> = order.seats.iter().filter_map(key).collect();
        let mut held = Vec::new();
        for name in names {
            let lock = Arc::clone(self.locked().entry(name.clone()).or_default());
            held.push((name, lock.lock_owned().await));
        }
        Taken { held, occupied: self }
    }

    fn locked(&self) -> MutexGuard<'_, BTreeMap<String, Arc<AsyncMutex<()>>>> {
        self.players.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Several players may share an address, behind one program; their names distinguish them.
fn key(seat: &SeatOrder) -> Option<String> {
    match seat {
        SeatOrder::Remote { name, address, .. } => Some(format!("{address} {name}")),
        SeatOrder::Local(_) => None,
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut players = self.occupied.locked();
        for (name, guard) in self.held.drain(..) {
            drop(guard);
            // A lock without waiters is removed, so that the list does not grow.
            if players.get(&name).is_some_and(|lock| Arc::strong_count(lock) == 1) {
                players.remove(&name);
            }
        }
    }
}
