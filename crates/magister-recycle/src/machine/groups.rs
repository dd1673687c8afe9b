//! Collections: of cards, of groups of cards, of words.
//!
//! A collection is in `lists`. A collection of groups is a table of pairs: the start of each group
//! and its number of cards. A caller truncates `lists` when it is done with a collection.

use super::{CARD, Fault, Machine, Res};
use crate::ir::{Cards, Groups, Int, Owner, Points, SetOp, Str, Which, Words};
use crate::program::Program;

impl Machine {
    /// The cards of a collection: their start and their number.
    pub(super) fn cards_of(&mut self, p: &Program, cards: &Cards) -> Res<(usize, usize)> {
        let (start, len) = self.cards_from(p, cards)?;
        self.spend(p, 1 + len)?;
        Ok((start, len))
    }

    fn cards_from(&mut self, p: &Program, cards: &Cards) -> Res<(usize, usize)> {
        match cards {
            Cards::Var(slot) => {
                let slot = *slot as usize;
                Ok((self.slots[slot] as usize, self.slots[slot + 1] as usize))
            }
            Cards::Place(place) => {
                let pile = self.pile_of(p, place)?;
                let start = self.lists.len();
                let len = self.lens[pile] as usize;
                let mark = if p.is_memory(pile) { (pile as i32 + 1) << 16 } else { 0 };
                let cards = &self.cards[pile * self.room..][..len];
                self.lists.extend(cards.iter().map(|&card| i32::from(card) | mark));
                Ok((start, len))
            }
            Cards::Filter(cards, slot, test) => {
                let (start, len) = self.cards_of(p, cards)?;
                let (start, len) = self.own(start, len);
                let mut kept = 0;
                for at in start..start + len {
                    let card = self.lists[at];
                    self.slots[*slot as usize] = card;
                    if self.bool(p, test)? {
                        self.lists[start + kept] = card;
                        kept += 1;
                    }
                }
                self.lists.truncate(start + kept);
                Ok((start, kept))
            }
            Cards::Set(op, groups) => self.set_of(p, *op, groups),
            Cards::Sort(cards, points) => {
                let (start, len) = self.cards_of(p, cards)?;
                let (start, len) = self.own(start, len);
                let table = self.table(p, points)?;
                let tables = &self.tables;
                self.lists[start..start + len]
                    .sort_by_key(|&card| tables[table + (card & CARD) as usize]);
                Ok((start, len))
            }
            Cards::Some { top, count, cards } => {
                let count = self.int(p, count)?.max(0) as usize;
                let (start, len) = self.cards_of(p, cards)?;
                let out = self.lists.len();
                for at in 0..count.min(len) {
                    let from = if *top { start + len - 1 - at } else { start + at };
                    let card = self.lists[from];
                    self.lists.push(card);
                }
                Ok((out, count.min(len)))
            }
            Cards::Run { top, least, cards, points } => self.end_run(p, *top, least, cards, points),
            Cards::Pick(which, groups) => {
                let (table, count) = self.groups_of(p, groups)?;
                let at = match which {
                    Which::Top => (count > 0).then_some(0),
                    Which::Bottom => count.checked_sub(1),
                    Which::At(index) => {
                        let index = self.int(p, index)?;
                        usize::try_from(index).ok().filter(|&index| index < count)
                    }
                };
                // A missing group has no cards.
                Ok(at.map_or((0, 0), |at| self.group(table, at)))
            }
        }
    }

    /// Copies the cards to the end of the lists, unless they are there already.
    fn own(&mut self, start: usize, len: usize) -> (usize, usize) {
        let end = self.lists.len();
        if start + len == end && len > 0 && !self.bound_below(start) {
            return (start, len);
        }
        self.lists.extend_from_within(start..start + len);
        (end, len)
    }

    /// Whether variables may refer to cards from here on, which must then not be changed.
    fn bound_below(&self, start: usize) -> bool {
        start < self.kept
    }

    pub(super) fn group(&self, table: usize, at: usize) -> (usize, usize) {
        (self.lists[table + 2 * at] as usize, self.lists[table + 2 * at + 1] as usize)
    }

    /// Writes the pairs since `mark` as a table.
    fn finish(&mut self, p: &Program, mark: usize) -> Res<(usize, usize)> {
        let table = self.lists.len();
        let count = self.pairs.len() - mark;
        for at in mark..self.pairs.len() {
            let (start, len) = self.pairs[at];
            self.lists.push(start);
            self.lists.push(len);
        }
        self.pairs.truncate(mark);
        self.grown(p)?;
        Ok((table, count))
    }

    pub(super) fn groups_of(&mut self, p: &Program, groups: &Groups) -> Res<(usize, usize)> {
        let (mark, begun) = (self.pairs.len(), self.lists.len());
        let result = self.groups_from(p, groups, mark);
        self.pairs.truncate(mark);
        let (table, count) = result?;
        self.spend(p, count + self.lists.len().saturating_sub(begun))?;
        Ok((table, count))
    }

    fn groups_from(&mut self, p: &Program, groups: &Groups, mark: usize) -> Res<(usize, usize)> {
        match groups {
            Groups::Var(slot) => {
                let slot = *slot as usize;
                return Ok((self.slots[slot] as usize, self.slots[slot + 1] as usize));
            }
            Groups::List(list) => {
                for cards in list {
                    let (start, len) = self.cards_of(p, cards)?;
                    self.pairs.push((start as i32, len as i32));
                }
            }
            Groups::Each(coll, slot, cards) => {
                let (start, count, stride) = self.elements(p, coll)?;
                for at in 0..count {
                    self.bind(*slot, start + at * stride, stride);
                    let (start, len) = self.cards_of(p, cards)?;
                    self.pairs.push((start as i32, len as i32));
                }
            }
            Groups::Tuples { count, cards, points } => {
                let count = self.int(p, count)?;
                self.tuples(p, count, cards, points)?;
            }
            Groups::Partition(name, groups) => self.partition(p, name.as_deref(), groups)?,
            Groups::Subsets(cards) => self.subsets(p, cards)?,
            Groups::Runs { largest, least, cards, points } => {
                let least = self.int(p, least)?;
                self.runs(p, *largest, least, cards, points)?;
            }
            Groups::Filter(groups, slot, test) => {
                let (table, count) = self.groups_of(p, groups)?;
                for at in 0..count {
                    let (start, len) = self.group(table, at);
                    self.slots[*slot as usize] = start as i32;
                    self.slots[*slot as usize + 1] = len as i32;
                    if self.bool(p, test)? {
                        self.pairs.push((start as i32, len as i32));
                    }
                }
            }
        }
        self.finish(p, mark)
    }

    fn set_of(&mut self, p: &Program, op: SetOp, groups: &Groups) -> Res<(usize, usize)> {
        let (table, count) = self.groups_of(p, groups)?;
        let out = self.lists.len();
        if op == SetOp::Union {
            for at in 0..count {
                let (start, len) = self.group(table, at);
                self.lists.extend_from_within(start..start + len);
            }
            self.grown(p)?;
            return Ok((out, self.lists.len() - out));
        }
        // The number of occurrences of each card.
        let mut counts = std::mem::take(&mut self.counts);
        counts.clear();
        counts.resize(p.cards, 0);
        for at in 0..count {
            let (start, len) = self.group(table, at);
            self.work += len as u64;
            for &card in &self.lists[start..start + len] {
                counts[(card & CARD) as usize] += 1;
            }
        }
        let wanted = match op {
            // The original program counts the operands of an `all` as zero.
            SetOp::Intersect if p.compat && matches!(groups, Groups::Each(..)) => 0,
            SetOp::Intersect => count as u32,
            _ => 1,
        };
        for at in 0..count {
            let (start, len) = self.group(table, at);
            for from in start..start + len {
                let card = self.lists[from];
                let seen = &mut counts[(card & CARD) as usize];
                if *seen == wanted && wanted > 0 {
                    *seen = 0;
                    self.lists.push(card);
                }
            }
        }
        self.counts = counts;
        Ok((out, self.lists.len() - out))
    }

    /// Groups by the value of an attribute, or by all values, in the order in which they first
    /// appear.
    fn partition(&mut self, p: &Program, name: Option<&Str>, groups: &Groups) -> Res<()> {
        let name = name.map(|name| self.str(p, name)).transpose()?;
        let alike = |one: i32, other: i32| {
            let (one, other) = ((one & CARD) as usize, (other & CARD) as usize);
            match name {
                Some(name) => p.value(name, one) == p.value(name, other),
                None => p.rules.cards[one].values == p.rules.cards[other].values,
            }
        };
        let (start, len) = self.set_of(p, SetOp::Union, groups)?;
        for at in start..start + len {
            let first = self.lists[at];
            let known = self.lists[start..at].iter().position(|&card| alike(card, first));
            self.spend(p, known.unwrap_or(len))?;
            if known.is_some() {
                continue;
            }
            let group = self.lists.len();
            for from in at..start + len {
                let card = self.lists[from];
                if alike(card, first) {
                    self.lists.push(card);
                }
            }
            self.pairs.push((group as i32, (self.lists.len() - group) as i32));
        }
        Ok(())
    }

    /// All subsets, the empty one first.
    fn subsets(&mut self, p: &Program, cards: &Cards) -> Res<()> {
        let (start, len) = self.cards_of(p, cards)?;
        if len > 20 || (len << len) > p.limits.words {
            return Err(Fault::TooMany.into());
        }
        for set in 0..1u32 << len {
            let group = self.lists.len();
            for at in 0..len {
                if set >> at & 1 == 1 {
                    let card = self.lists[start + at];
                    self.lists.push(card);
                }
            }
            self.pairs.push((group as i32, (self.lists.len() - group) as i32));
        }
        Ok(())
    }

    /// All sets of `count` cards with one score, lowest score first.
    fn tuples(&mut self, p: &Program, count: i32, cards: &Cards, points: &Points) -> Res<()> {
        let (from, len) = self.cards_of(p, cards)?;
        let start = self.lists.len();
        self.lists.extend_from_within(from..from + len);
        let table = self.table(p, points)?;
        if count < 1 {
            return Ok(());
        }
        let tables = &self.tables;
        let score = |card: i32| tables[table + (card & CARD) as usize];
        self.lists[start..start + len].sort_by_key(|&card| score(card));
        let mut at = start;
        while at < start + len {
            let value = self.tables[table + (self.lists[at] & CARD) as usize];
            let alike = self.lists[at..start + len]
                .iter()
                .take_while(|&&card| self.tables[table + (card & CARD) as usize] == value)
                .count();
            // The original program considers no other scores.
            let known = !p.compat || (0..13).contains(&value);
            if known && alike >= count as usize {
                self.combinations(p, at, alike, count as usize)?;
            }
            at += alike;
        }
        Ok(())
    }

    /// Records all combinations of `count` cards, in order.
    fn combinations(&mut self, p: &Program, from: usize, len: usize, count: usize) -> Res<()> {
        let picks = self.lists.len();
        self.lists.extend((0..count).map(|at| at as i32));
        loop {
            let group = self.lists.len();
            for at in 0..count {
                let card = self.lists[from + self.lists[picks + at] as usize];
                self.lists.push(card);
            }
            self.pairs.push((group as i32, count as i32));
            self.grown(p)?;
            let Some(at) =
                (0..count).rev().find(|&at| (self.lists[picks + at] as usize) < len - count + at)
            else {
                return Ok(());
            };
            self.lists[picks + at] += 1;
            for next in at + 1..count {
                self.lists[picks + next] = self.lists[picks + next - 1] + 1;
            }
        }
    }

    /// Runs of cards with consecutive scores: the largest, or all, of a minimum length.
    fn runs(
        &mut self,
        p: &Program,
        largest: bool,
        least: i32,
        cards: &Cards,
        points: &Points,
    ) -> Res<()> {
        let (start, len) = self.cards_of(p, cards)?;
        let (start, len) = {
            let end = self.lists.len();
            self.lists.extend_from_within(start..start + len);
            (end, len)
        };
        let table = self.table(p, points)?;
        let tables = &self.tables;
        let score = |card: i32| tables[table + (card & CARD) as usize];
        self.lists[start..start + len].sort_by_key(|&card| score(card));
        // The scores, with the start of their cards.
        let scores = self.lists.len();
        for at in start..start + len {
            let value = score(self.lists[at]);
            if at == start || score(self.lists[at - 1]) != value {
                self.lists.push(value);
                self.lists.push(at as i32);
            }
        }
        let count = (self.lists.len() - scores) / 2;
        let least = least.max(1) as usize;
        for first in 0..count {
            let value = |m: &Self, at: usize| m.lists[scores + 2 * at];
            if largest && first > 0 && value(self, first - 1) + 1 == value(self, first) {
                continue;
            }
            let mut last = first;
            while last + 1 < count && value(self, last + 1) == value(self, last) + 1 {
                last += 1;
            }
            let longest = last + 1 - first;
            if largest {
                if longest >= least {
                    self.strings(p, (start, len), (scores, count), first, longest)?;
                }
            } else {
                for length in least..=longest {
                    // In the original program, a run continues to grow after it was recorded.
                    let length = if p.compat { longest } else { length };
                    self.strings(p, (start, len), (scores, count), first, length)?;
                }
            }
        }
        Ok(())
    }

    /// Records the runs over a number of scores, one for each choice among equal cards.
    fn strings(
        &mut self,
        p: &Program,
        (start, len): (usize, usize),
        (scores, count): (usize, usize),
        first: usize,
        length: usize,
    ) -> Res<()> {
        let begin = |m: &Self, at: usize| m.lists[scores + 2 * at + 1] as usize;
        let end = |m: &Self, at: usize| if at + 1 < count { begin(m, at + 1) } else { start + len };
        let picks = self.lists.len();
        for at in first..first + length {
            let at = begin(self, at) as i32;
            self.lists.push(at);
        }
        loop {
            let group = self.lists.len();
            for at in 0..length {
                let card = self.lists[self.lists[picks + at] as usize];
                self.lists.push(card);
            }
            self.pairs.push((group as i32, length as i32));
            self.grown(p)?;
            let mut at = length;
            loop {
                if at == 0 {
                    return Ok(());
                }
                at -= 1;
                self.lists[picks + at] += 1;
                if (self.lists[picks + at] as usize) < end(self, first + at) {
                    break;
                }
                self.lists[picks + at] = begin(self, first + at) as i32;
            }
        }
    }

    /// The longest run among the cards at one end, in any order.
    fn end_run(
        &mut self,
        p: &Program,
        top: bool,
        least: &Int,
        cards: &Cards,
        points: &Points,
    ) -> Res<(usize, usize)> {
        let least = self.int(p, least)?.max(1) as usize;
        let (start, len) = self.cards_of(p, cards)?;
        let table = self.table(p, points)?;
        let mut best = 0;
        for count in least..=len {
            self.spend(p, count)?;
            let from = if top { start + len - count } else { start };
            let scores = self.lists[from..from + count]
                .iter()
                .map(|&card| i64::from(self.tables[table + (card & CARD) as usize]));
            let (low, high) = scores
                .clone()
                .fold((i64::MAX, i64::MIN), |(low, high), s| (low.min(s), high.max(s)));
            // Consecutive: as many distinct scores as cards, without a gap.
            if high - low + 1 != count as i64 {
                continue;
            }
            let distinct = scores
                .clone()
                .enumerate()
                .all(|(at, s)| scores.clone().skip(at + 1).all(|o| o != s));
            if distinct {
                best = count;
            }
            self.spend(p, count * count)?;
        }
        let from = if top { start + len - best } else { start };
        Ok((from, best))
    }

    pub(super) fn words_of(&mut self, p: &Program, words: &Words) -> Res<(usize, usize)> {
        let (start, len) = self.words_from(p, words)?;
        self.spend(p, len)?;
        Ok((start, len))
    }

    fn words_from(&mut self, p: &Program, words: &Words) -> Res<(usize, usize)> {
        let start = self.lists.len();
        let players = 1..1 + p.rules.players as i32;
        let teams = players.end..players.end + p.rules.teams.len() as i32;
        match words {
            Words::Var(slot) => {
                let slot = *slot as usize;
                return Ok((self.slots[slot] as usize, self.slots[slot + 1] as usize));
            }
            Words::Names(names) => self.lists.extend(names.iter().map(|&name| name as i32)),
            Words::Range(low, high) => {
                let (low, high) = (self.int(p, low)?, self.int(p, high)?);
                if i64::from(high) - i64::from(low) > p.limits.words as i64 {
                    return Err(Fault::TooMany.into());
                }
                self.lists.extend(low..=high);
            }
            Words::Players => self.lists.extend(players),
            Words::Teams => self.lists.extend(teams),
            Words::OtherPlayers => {
                let current = self.owner(p, &Owner::Current)? as i32;
                self.lists.extend(players.filter(|&player| player != current));
            }
            Words::OtherTeams => {
                let current = self.owner(p, &Owner::CurrentTeam)? as i32;
                self.lists.extend(teams.filter(|&team| team != current));
            }
            Words::Members(team) => {
                let team = self.owner(p, team)? as i32 - teams.start;
                let members = &p.rules.teams[team as usize];
                self.lists.extend(members.iter().map(|&member| 1 + member as i32));
            }
            Words::Filter(words, slot, test) => {
                let (from, len) = self.words_of(p, words)?;
                let (start, len) = self.own(from, len);
                let mut kept = 0;
                for at in start..start + len {
                    let word = self.lists[at];
                    self.slots[*slot as usize] = word;
                    if self.bool(p, test)? {
                        self.lists[start + kept] = word;
                        kept += 1;
                    }
                }
                self.lists.truncate(start + kept);
                return Ok((start, kept));
            }
        }
        Ok((start, self.lists.len() - start))
    }
}
