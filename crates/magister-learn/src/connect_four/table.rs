//! The transposition table of the solver.

use magister_lanes::{large_pages, prefetch};

/// The low bits of an entry are the bound, the next ones the logarithm of the cost, the rest is the
/// key, which has 49 bits.
const BOUND_BITS: u32 = 7;
const COST_BITS: u32 = 8;
const KEY: u32 = BOUND_BITS + COST_BITS;

/// Two entries in one line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
struct Bucket([u64; 2]);

/// Bounds of positions by key. A bucket has two entries: the first keeps the most expensive result,
/// the second the latest.
#[derive(Debug)]
pub(crate) struct Table {
    buckets: Vec<Bucket>,
    shift: u32,
}

impl Table {
    /// A table of `2^bits` buckets of 16 bytes each.
    pub(crate) fn new(bits: u32) -> Self {
        let bits = bits.clamp(4, 30);
        let mut buckets = Vec::with_capacity(1 << bits);
        // It is read at random.
        large_pages(buckets.spare_capacity_mut());
        buckets.resize(1 << bits, Bucket([0; 2]));
        Table { buckets, shift: 64 - bits }
    }

    /// Clears the table.
    pub(crate) fn clear(&mut self) {
        self.buckets.fill(Bucket([0; 2]));
    }

    #[inline]
    fn place(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    /// Fetches the bucket of a key into the cache.
    #[inline]
    pub(crate) fn fetch(&self, key: u64) {
        prefetch(&self.buckets[self.place(key)]);
    }

    /// The bound of a key; 0 if there is none.
    #[inline]
    pub(crate) fn get(&self, key: u64) -> u8 {
        for entry in self.buckets[self.place(key)].0 {
            if entry >> KEY == key {
                return entry as u8 & ((1 << BOUND_BITS) - 1);
            }
        }
        0
    }

    /// Stores a bound, which is not 0, with the number of nodes that it cost.
    #[inline]
    pub(crate) fn put(&mut self, key: u64, bound: u8, nodes: u64) {
        let place = self.place(key);
        let cost = u64::from(nodes.checked_ilog2().unwrap_or(0));
        let entry = key << KEY | cost << BOUND_BITS | u64::from(bound);
        let [first, second] = &mut self.buckets[place].0;
        let kept = *first >> BOUND_BITS & ((1 << COST_BITS) - 1);
        if *first >> KEY == key {
            *first = entry;
        } else if cost >= kept {
            *second = *first;
            *first = entry;
        } else {
            *second = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cost_most_stays() {
        let mut table = Table::new(4);
        let keys: Vec<u64> = (1..2000).filter(|&key| table.place(key) == 3).take(3).collect();
        table.put(keys[0], 10, 1_000_000);
        table.put(keys[1], 20, 5);
        table.put(keys[2], 30, 5);
        assert_eq!((table.get(keys[0]), table.get(keys[1]), table.get(keys[2])), (10, 0, 30));
        table.put(keys[0], 11, 5);
        assert_eq!(table.get(keys[0]), 11);
        table.clear();
        assert_eq!(table.get(keys[0]), 0);
    }
}
