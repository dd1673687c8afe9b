//! The calls of procedures and their answers.

use super::table::{NONE, hash};
use crate::term::TermId;

/// One call of a procedure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    /// The first answer; `NONE` if a recursive procedure has none.
    pub(super) first: u32,
    /// One past the last answer; for a recursive procedure the last answer itself.
    pub(super) last: u32,
    /// The last of the rules that wait for answers; `NONE` if there are none.
    pub(super) waiting: u32,
    pub(super) complete: bool,
}

/// A hash table that is emptied by incrementing a generation.
#[derive(Clone, Debug, Default)]
struct Slots {
    /// Entries: a generation in the high bits and the value below it. The length is a power of two.
    entries: Vec<u64>,
    generation: u32,
    used: usize,
}

impl Slots {
    fn clear(&mut self) {
        self.used = 0;
        if let Some(next) = self.generation.checked_add(1) {
            self.generation = next;
        } else {
            self.entries.fill(0);
            self.generation = 1;
        }
    }

    /// The entry under this hash that is `wanted`, or the free slot for it.
    #[inline]
    fn find(&self, hash: usize, wanted: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mask = self.entries.len() - 1;
        let mut slot = hash & mask;
        loop {
            let entry = self.entries[slot];
            if (entry >> 32) as u32 != self.generation {
                return Err(slot);
            }
            if wanted(entry as u32) {
                return Ok(entry as u32);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn put(&mut self, slot: usize, value: u32) {
        self.entries[slot] = u64::from(self.generation) << 32 | u64::from(value);
        self.used += 1;
    }

    /// Whether the table must grow before another entry is added.
    fn is_full(&self) -> bool {
        (self.used + 1) * 2 > self.entries.len()
    }

    /// Doubles the number of slots and fills them again from `hashes`.
    fn grow(&mut self, hashes: impl Iterator<Item = (usize, u32)>) {
        let size = (self.entries.len() * 2).max(16);
        self.entries.clear();
        self.entries.resize(size, 0);
        self.generation = self.generation.max(1);
        self.used = 0;
        for (hash, value) in hashes {
            if let Err(slot) = self.find(hash, |_| false) {
                self.put(slot, value);
            }
        }
    }
}

/// The calls of one procedure and their answers.
#[derive(Clone, Debug)]
pub(super) struct Memo {
    inputs: usize,
    outputs: usize,
    /// Whether answers to different calls are interleaved, so that each call needs a chain.
    chained: bool,
    pub(super) calls: Vec<Call>,
    /// Incremented whenever everything is cleared.
    pub(super) version: u64,
    keys: Vec<TermId>,
    asked: Slots,
    cells: Vec<TermId>,
    count: u32,
    /// The next answer to the same call, where answers are chained.
    next: Vec<u32>,
    /// The call of each answer, where answers are chained.
    call_of: Vec<u32>,
    answered: Slots,
    /// For answers of one term: by term, the last call that it answered.
    marks: Vec<u64>,
    mark: u64,
}

/// Up to this number, answers are compared one by one.
const FEW: u32 = 6;

impl Memo {
    pub(super) fn new(inputs: u32, outputs: u32, chained: bool) -> Self {
        Memo {
            inputs: inputs as usize,
            outputs: outputs as usize,
            chained,
            calls: Vec::new(),
            version: 0,
            keys: Vec::new(),
            asked: Slots::default(),
            cells: Vec::new(),
            count: 0,
            next: Vec::new(),
            call_of: Vec::new(),
            answered: Slots::default(),
            marks: Vec::new(),
            mark: 0,
        }
    }

    /// Clears all calls, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.calls.clear();
        self.version += 1;
        self.keys.clear();
        self.asked.clear();
        self.cells.clear();
        self.count = 0;
        self.next.clear();
        self.call_of.clear();
        self.answered.clear();
    }

    /// The number of answers to all calls.
    pub(super) fn len(&self) -> usize {
        self.count as usize + self.calls.len()
    }

    /// Whether answers to different calls are interleaved.
    #[inline]
    pub(super) fn is_chained(&self) -> bool {
        self.chained
    }

    /// The call with these inputs, if there was one.
    #[inline]
    pub(super) fn find(&self, key: &[TermId]) -> Option<u32> {
        if self.inputs == 0 {
            return if self.calls.is_empty() { None } else { Some(0) };
        }
        if self.asked.entries.is_empty() {
            return None;
        }
        self.asked.find(hash(key), |call| self.key(call) == key).ok()
    }

    /// Adds a new call.
    pub(super) fn insert(&mut self, key: &[TermId]) -> u32 {
        let call = self.calls.len() as u32;
        let first = if self.chained { NONE } else { self.count };
        self.calls.push(Call { first, last: first, waiting: NONE, complete: false });
        if self.inputs > 0 {
            self.keys.extend_from_slice(key);
            if self.asked.is_full() {
                let (keys, width) = (&self.keys, self.inputs);
                let hashes = (0..call as usize)
                    .map(|at| (hash(&keys[at * width..(at + 1) * width]), at as u32));
                self.asked.grow(hashes);
            }
            if let Err(slot) = self.asked.find(hash(key), |_| false) {
                self.asked.put(slot, call);
            }
        }
        call
    }

    /// The inputs of a call.
    #[inline]
    pub(super) fn key(&self, call: u32) -> &[TermId] {
        let start = call as usize * self.inputs;
        &self.keys[start..start + self.inputs]
    }

    /// An answer.
    #[inline]
    pub(super) fn row(&self, row: u32) -> &[TermId] {
        let start = row as usize * self.outputs;
        &self.cells[start..start + self.outputs]
    }

    /// The answer after this one, where answers are chained.
    #[inline]
    pub(super) fn after(&self, row: u32) -> u32 {
        self.next[row as usize]
    }

    /// The answers to a call, if they are not chained.
    pub(super) fn answers(&self, call: u32) -> &[TermId] {
        let Call { first, last, .. } = self.calls[call as usize];
        &self.cells[first as usize * self.outputs..last as usize * self.outputs]
    }

    /// Whether a call has no answer.
    pub(super) fn is_empty(&self, call: u32) -> bool {
        let Call { first, last, .. } = self.calls[call as usize];
        if self.chained { first == NONE } else { first == last }
    }

    /// Copies the answers to a call, and returns their number.
    pub(super) fn copy(&self, call: u32, out: &mut Vec<TermId>) -> u32 {
        let Call { first, last, .. } = self.calls[call as usize];
        if !self.chained {
            out.extend_from_slice(self.answers(call));
            return last - first;
        }
        let (mut row, mut count) = (first, 0);
        while row != NONE {
            out.extend_from_slice(self.row(row));
            count += 1;
            row = self.after(row);
        }
        count
    }

    /// Adds an answer to a call; returns its number, or `None` if it was known.
    pub(super) fn answer(&mut self, call: u32, row: &[TermId]) -> Option<u32> {
        let Call { first, last, .. } = self.calls[call as usize];
        if self.chained {
            if self.outputs == 0 && first != NONE {
                return None;
            }
            self.enter(call, row)?;
            self.next.push(NONE);
            self.call_of.push(call);
            let new = self.count;
            let entry = &mut self.calls[call as usize];
            if first == NONE {
                entry.first = new;
            } else {
                self.next[last as usize] = new;
            }
            entry.last = new;
        } else {
            if self.outputs == 0 {
                if last > first {
                    return None;
                }
            } else if let &[term] = row
                && self.inputs == 0
            {
                // One call at a time: the marks contain its answers.
                if first == last {
                    self.mark += 1;
                }
                let place = term.0 as usize;
                if place >= self.marks.len() {
                    self.marks.resize((place + 1).next_power_of_two(), 0);
                }
                if self.marks[place] == self.mark {
                    return None;
                }
                self.marks[place] = self.mark;
            } else if last - first < FEW {
                if (first..last).any(|known| self.row(known) == row) {
                    return None;
                }
            } else {
                if last - first == FEW {
                    // The slots contain only answers of the current call.
                    self.answered.clear();
                    for known in first..last {
                        self.file(known);
                    }
                }
                self.enter(call, row)?;
            }
            self.calls[call as usize].last += 1;
        }
        self.cells.extend_from_slice(row);
        self.count += 1;
        Some(self.count - 1)
    }

    /// Enters the next answer into the slots; `None` if it was known.
    fn enter(&mut self, call: u32, row: &[TermId]) -> Option<()> {
        if self.outputs == 0 {
            return Some(());
        }
        if self.answered.is_full() {
            self.refill();
        }
        let slot = self
            .answered
            .find(self.row_hash(call, row), |known| {
                self.row(known) == row && (!self.chained || self.call_of[known as usize] == call)
            })
            .err()?;
        self.answered.put(slot, self.count);
        Some(())
    }

    fn row_hash(&self, call: u32, row: &[TermId]) -> usize {
        let salt = if self.chained { call as usize } else { 0 };
        hash(row).wrapping_add(salt.wrapping_mul(0x9e37_79b9))
    }

    fn file(&mut self, known: u32) {
        if self.answered.is_full() {
            self.refill();
        }
        let hash = hash(self.row(known));
        if let Err(slot) = self.answered.find(hash, |other| other == known) {
            self.answered.put(slot, known);
        }
    }

    fn refill(&mut self) {
        let from = if self.chained {
            0
        } else {
            // Only the entered answers, which are the latest ones.
            self.count - self.answered.used as u32
        };
        let mut answered = std::mem::take(&mut self.answered);
        let hashes = (from..self.count).map(|known| {
            let call = if self.chained { self.call_of[known as usize] } else { 0 };
            (self.row_hash(call, self.row(known)), known)
        });
        answered.grow(hashes);
        self.answered = answered;
    }
}
