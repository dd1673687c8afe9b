//! A store in memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Entry, Status, Store, StoreError, StoredMatch};

/// A store that keeps everything in memory. What [`append`](Store::append) took is there until the
/// store is dropped, so in a simulation it stands for the disk.
#[derive(Debug, Default)]
pub struct MemoryStore {
    matches: Mutex<BTreeMap<String, StoredMatch>>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds entries at once.
    pub fn put(&self, entries: &[Entry]) {
        let mut matches = self.locked();
        for entry in entries {
            if let Entry::Begun { record, places, rules, tournament, at_ms } = entry {
                let (places, rules) = (places.clone(), rules.clone());
                let tournament = tournament.clone();
                let begun =
                    StoredMatch::begun((**record).clone(), places, rules, tournament, *at_ms);
                matches.entry(entry.id().to_owned()).or_insert(begun);
            } else if let Some(stored) = matches.get_mut(entry.id()) {
                stored.apply(entry);
            }
        }
    }

    /// All matches, by their names.
    pub fn all(&self) -> Vec<StoredMatch> {
        self.locked().values().cloned().collect()
    }

    /// Takes a match out, so that a long simulation does not fill the memory.
    pub fn take(&self, id: &str) -> Option<StoredMatch> {
        self.locked().remove(id)
    }

    fn locked(&self) -> MutexGuard<'_, BTreeMap<String, StoredMatch>> {
        self.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    async fn append(&self, entries: Vec<Entry>) -> Result<(), StoreError> {
        self.put(&entries);
        Ok(())
    }

    async fn unfinished(&self) -> Result<Vec<StoredMatch>, StoreError> {
        let matches = self.locked();
        Ok(matches.values().filter(|one| one.status != Status::Ended).cloned().collect())
    }

    async fn load(&self, id: &str) -> Result<Option<StoredMatch>, StoreError> {
        Ok(self.locked().get(id).cloned())
    }
}
