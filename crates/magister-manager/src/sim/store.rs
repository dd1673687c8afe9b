//! A disk with delays, which may lose data that it has not confirmed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use magister_core::Seed;
use magister_store::{Entry, MemoryStore, Store, StoreError, StoredMatch};
use tokio::time::sleep;

/// A store whose appends become durable some time before they are confirmed, or at that moment. A
/// manager that crashes in between does not know which is the case.
pub(super) struct SimStore {
    disk: MemoryStore,
    seed: Seed,
    count: AtomicU64,
}

impl SimStore {
    pub(super) fn new(seed: Seed) -> Self {
        SimStore { disk: MemoryStore::new(), seed, count: AtomicU64::new(0) }
    }

    /// The contents of the disk.
    pub(super) fn durable(&self) -> Vec<StoredMatch> {
        self.disk.all()
    }
}

impl Store for SimStore {
    async fn append(&self, entries: Vec<Entry>) -> Result<(), StoreError> {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let mut rng = self.seed.derive_index(count).rng();
        let most = if rng.below(20) == 0 { 300 } else { 10 };
        let (before, after) = (rng.below(most), rng.below(most));
        sleep(Duration::from_millis(before)).await;
        self.disk.put(&entries);
        sleep(Duration::from_millis(after)).await;
        Ok(())
    }

    async fn unfinished(&self) -> Result<Vec<StoredMatch>, StoreError> {
        self.disk.unfinished().await
    }

    async fn load(&self, id: &str) -> Result<Option<StoredMatch>, StoreError> {
        self.disk.load(id).await
    }
}
