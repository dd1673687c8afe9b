//! The memory of containers, so that a memory limit bounds the memory of the process.
//!
//! A table that grows moves its entries to a table of twice the size, and both exist for a moment.
//! A table that is about to grow is therefore counted together with its successor.

use rustc_hash::{FxHashMap, FxHashSet};

/// Lists of fewer bytes than this may be copied when they grow; the pages of larger ones are moved.
const MOVED: usize = 64 << 20;
/// A table counts as about to grow if it has room for fewer entries than this, or for fewer than a
/// step adds.
const SPARE: usize = 4_096;
/// The bytes that the allocator adds to each block, with rounding.
const BLOCK: usize = 24;

/// The bytes of the entries of a list.
pub(crate) fn list<T>(list: &[T]) -> usize {
    let bytes = size_of_val(list);
    if bytes < MOVED { 2 * bytes } else { bytes }
}

/// The bytes of a table, with its successor if it is about to grow.
pub(crate) fn table<K, V>(table: &FxHashMap<K, V>) -> usize {
    buckets(table.capacity(), table.len(), size_of::<(K, V)>())
}

/// As [`table`], for a set.
pub(crate) fn set<K>(set: &FxHashSet<K>) -> usize {
    buckets(set.capacity(), set.len(), size_of::<K>())
}

/// The bytes of a block with this content.
pub(crate) fn block(bytes: usize) -> usize {
    bytes + BLOCK
}

/// Seven of eight buckets can be filled, and each has a control byte besides its entry.
fn buckets(capacity: usize, len: usize, entry: usize) -> usize {
    let held = (capacity * 8).div_ceil(7).next_power_of_two() * (entry + 1);
    if capacity - len < SPARE { 3 * held } else { held }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_table_counts_with_its_successor() {
        let mut full: FxHashMap<u64, u64> = FxHashMap::default();
        full.extend((0..100_000).map(|key| (key, key)));
        let spare = full.capacity() - full.len();
        assert!(spare > SPARE, "the test needs a table with room, which has {spare}");
        let with_room = table(&full);
        let most = full.capacity() as u64;
        full.extend((100_000..most).map(|key| (key, key)));
        assert_eq!(table(&full), 3 * with_room);
        full.insert(most, most);
        assert_eq!(table(&full), 2 * with_room);
    }
}
