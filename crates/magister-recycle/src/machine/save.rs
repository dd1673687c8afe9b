//! States as words.

use super::{AGAIN, Cycle, Draw, Item, Machine, Wait};
use crate::ir::{Given, Stmt};
use crate::program::Program;

/// Writes 32-bit numbers into words, two per word.
struct Writer<'a> {
    out: &'a mut Vec<u64>,
    half: bool,
}

impl Writer<'_> {
    fn put(&mut self, number: u32) {
        if self.half {
            if let Some(last) = self.out.last_mut() {
                *last |= u64::from(number) << 32;
            }
        } else {
            self.out.push(u64::from(number));
        }
        self.half = !self.half;
    }

    fn list(&mut self, numbers: impl ExactSizeIterator<Item = u32>) {
        self.put(numbers.len() as u32);
        numbers.for_each(|number| self.put(number));
    }
}

struct Reader<'a> {
    words: &'a [u64],
    at: usize,
}

impl Reader<'_> {
    fn take(&mut self) -> Option<u32> {
        let word = *self.words.get(self.at / 2)?;
        let number = if self.at.is_multiple_of(2) { word as u32 } else { (word >> 32) as u32 };
        self.at += 1;
        Some(number)
    }

    fn list(&mut self, out: &mut Vec<u32>) -> Option<()> {
        out.clear();
        for _ in 0..self.count()? {
            out.push(self.take()?);
        }
        Some(())
    }

    /// The number of following entries, bounded by the available ones.
    fn count(&mut self) -> Option<usize> {
        let count = self.take()? as usize;
        (count <= 2 * self.words.len()).then_some(count)
    }
}

/// A checksum that random words do not have by accident.
fn seal(words: &[u64]) -> u64 {
    words.iter().fold(0x9e37_79b9_7f4a_7c15, |sum: u64, &word| {
        (sum.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
    })
}

impl Machine {
    /// Replaces the contents of `out` by the words of the state. Equivalent states have the same
    /// words, because only data that the rules can still use is saved.
    pub(crate) fn save(&self, out: &mut Vec<u64>) {
        out.clear();
        let mut writer = Writer { out, half: false };
        let (kind, a, b) = match self.wait {
            Wait::Choice(stmt) => (0, stmt, 0),
            Wait::Draw(Draw::Number(count)) => (1, count, 0),
            Wait::Draw(Draw::Tie(count)) => (2, count, 0),
            Wait::Shuffle { pile, at } => (3, pile, at),
            Wait::End => (4, 0, 0),
        };
        writer.put(kind);
        writer.put(a);
        writer.put(b);
        let mut filled = 0;
        for &len in &self.lens {
            filled += u32::from(len > 0);
        }
        writer.put(filled);
        for (pile, &len) in self.lens.iter().enumerate() {
            if len > 0 {
                writer.put((pile as u32) << 12 | u32::from(len));
                let cards = self.pile(pile);
                for pair in cards.chunks(2) {
                    let second = pair.get(1).map_or(0, |&card| u32::from(card));
                    writer.put(u32::from(pair[0]) | second << 16);
                }
            }
        }
        for list in [&self.ints, &self.strs, &self.maps] {
            list.iter().for_each(|&word| writer.put(word as u32));
        }
        for cycles in &self.cycles {
            writer.list(
                cycles
                    .iter()
                    .map(|cycle| cycle.at | cycle.queued.map_or(0, |queued| queued + 1) << 16),
            );
        }
        writer.put(self.stack.len() as u32);
        for item in &self.stack {
            writer.put(item.stmt);
            writer.put(item.slot);
            writer.put(item.a as u32);
            writer.put(item.b as u32);
        }
        let bound = !self.slots.iter().all(|&slot| slot == 0);
        writer.put(u32::from(bound));
        if bound {
            self.slots.iter().for_each(|&slot| writer.put(slot as u32));
        }
        writer.list(self.lists.iter().map(|&word| word as u32));
        writer.list(self.tape.iter().copied());
        writer.list(self.path.iter().copied());
        if !self.path.is_empty() {
            writer.put(self.path_at as u32);
            writer.put(self.path_base as u32);
        }
        let sum = seal(out);
        out.push(sum);
    }

    /// Goes to a saved state; `None` if the words are invalid.
    pub(crate) fn load(&mut self, p: &Program, words: &[u64]) -> Option<()> {
        let (&sum, words) = words.split_last()?;
        if seal(words) != sum {
            return None;
        }
        let mut reader = Reader { words, at: 0 };
        let (kind, a, b) = (reader.take()?, reader.take()?, reader.take()?);
        self.wait = match kind {
            0 => Wait::Choice(a),
            1 => Wait::Draw(Draw::Number(a)),
            2 => Wait::Draw(Draw::Tie(a)),
            3 => Wait::Shuffle { pile: a, at: b },
            _ => Wait::End,
        };
        self.lens.fill(0);
        for _ in 0..reader.take()? {
            let head = reader.take()?;
            let (pile, len) = ((head >> 12) as usize, (head & 0xfff) as usize);
            if len > self.room || pile >= self.lens.len() {
                return None;
            }
            self.lens[pile] = len as u16;
            for at in (0..len).step_by(2) {
                let pair = reader.take()?;
                for (offset, card) in [(0, pair & 0xffff), (1, pair >> 16)] {
                    if at + offset < len {
                        if card as usize >= p.cards {
                            return None;
                        }
                        self.cards[pile * self.room + at + offset] = card as u16;
                        if !p.is_memory(pile) {
                            self.at[card as usize] = pile as u32;
                        }
                    }
                }
            }
        }
        for list in [&mut self.ints, &mut self.strs, &mut self.maps] {
            for word in list {
                *word = reader.take()? as i32;
            }
        }
        for cycles in &mut self.cycles {
            cycles.clear();
            for _ in 0..reader.count()? {
                let number = reader.take()?;
                let queued = (number >> 16).checked_sub(1);
                cycles.push(Cycle { at: number & 0xffff, queued });
            }
        }
        self.stack.clear();
        for _ in 0..reader.take()? {
            let (stmt, slot) = (reader.take()?, reader.take()?);
            let (a, b) = (reader.take()? as i32, reader.take()? as i32);
            if stmt as usize >= p.rules.stmts.len() {
                return None;
            }
            self.stack.push(Item { stmt, slot, a, b });
        }
        if reader.take()? == 1 {
            for slot in &mut self.slots {
                *slot = reader.take()? as i32;
            }
        } else {
            self.slots.fill(0);
        }
        self.lists.clear();
        for _ in 0..reader.count()? {
            self.lists.push(reader.take()? as i32);
        }
        reader.list(&mut self.tape)?;
        reader.list(&mut self.path)?;
        (self.path_at, self.path_base) = if self.path.is_empty() {
            (0, 0)
        } else {
            (reader.take()? as usize, reader.take()? as usize)
        };
        self.log.clear();
        self.is_sound(p).then_some(())
    }

    /// Whether the numbers of a loaded state are valid for the rules.
    fn is_sound(&self, p: &Program) -> bool {
        let rules = &p.rules;
        let strings = 0..rules.strings.len() as i32;
        let waits = match self.wait {
            Wait::Choice(stmt) => {
                matches!(rules.stmts.get(stmt as usize), Some(Stmt::Choice(_)))
            }
            Wait::Draw(Draw::Number(count) | Draw::Tie(count)) => {
                count >= 1 && i64::from(count) <= crate::game::MOST_DRAWS
            }
            Wait::Shuffle { pile, at } => {
                let len = self.lens.get(pile as usize).map_or(0, |&len| u32::from(len));
                at >= 1 && at < len
            }
            Wait::End => true,
        };
        let maps = self.maps.chunks(p.stride).all(|key| match key {
            [0, ..] | [] => true,
            [text, given @ ..] => {
                rules.texts.get((*text as usize).wrapping_sub(1)).is_some_and(|text| {
                    text.given.iter().zip(given).all(|(given, value)| {
                        !matches!(given, Given::Str(_)) || strings.contains(value)
                    })
                })
            }
        });
        let counts = [rules.players as usize, rules.teams.len().max(1)];
        let cycles = self.cycles.iter().zip(counts).all(|(cycles, count)| {
            let inside = |at: u32| (at as usize) < count;
            !cycles.is_empty()
                && cycles.iter().all(|cycle| inside(cycle.at) && cycle.queued.is_none_or(inside))
        });
        let stack = self
            .stack
            .iter()
            .all(|item| item.slot >= AGAIN || (item.slot as usize) + 1 < self.slots.len());
        waits
            && maps
            && cycles
            && stack
            && self.strs.iter().all(|value| strings.contains(value))
            && self.path_base <= self.stack.len()
    }
}
