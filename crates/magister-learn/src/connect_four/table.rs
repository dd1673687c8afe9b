//! The transposition table of the solver.

/// Bounds of positions by key. A bucket has two entries: the first keeps the most expensive result,
/// the second the latest.
#[derive(Debug)]
pub(crate) struct Table {
    /// An entry has the key in its upper 56 bits and the bound in the lower 8; 0 is empty.
    entries: Vec<[u64; 2]>,
    /// The logarithm of the number of nodes that the first entry of a bucket cost.
    costs: Vec<u8>,
    shift: u32,
}

impl Table {
    /// A table of `2^bits` buckets of 17 bytes each.
    pub(crate) fn new(bits: u32) -> Self {
        let bits = bits.clamp(4, 30);
        Table { entries: vec![[0; 2]; 1 << bits], costs: vec![0; 1 << bits], shift: 64 - bits }
    }

    /// Clears the table.
    pub(crate) fn clear(&mut self) {
        self.entries.fill([0; 2]);
        self.costs.fill(0);
    }

    fn bucket(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    /// The bound of a key; 0 if there is none.
    pub(crate) fn get(&self, key: u64) -> u8 {
        let bucket = self.entries[self.bucket(key)];
        for entry in bucket {
            if entry >> 8 == key {
                return entry as u8;
            }
        }
        0
    }

    /// Stores a bound, which is not 0, with the number of nodes that it cost.
    pub(crate) fn put(&mut self, key: u64, bound: u8, nodes: u64) {
        let at = self.bucket(key);
        let entry = key << 8 | u64::from(bound);
        let cost = nodes.checked_ilog2().unwrap_or(0) as u8;
        let bucket = &mut self.entries[at];
        if bucket[0] >> 8 == key || cost >= self.costs[at] {
            if bucket[0] >> 8 != key {
                bucket[1] = bucket[0];
            }
            bucket[0] = entry;
            self.costs[at] = cost;
        } else {
            bucket[1] = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cost_most_stays() {
        let mut table = Table::new(4);
        let keys: Vec<u64> = (1..2000).filter(|&key| table.bucket(key) == 3).take(3).collect();
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
