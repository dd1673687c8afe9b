//! Integers, tests, strings, owners and cards.

use super::{CARD, Draw, Fault, Machine, NO_CARD, Res, Trap};
use crate::ir::{
    Arith, Bool, Card, Cards, Coll, Compare, Int, Key, Origin, Owner, Place, Points, Str, Which,
};
use crate::program::{NONE, Program};

impl Machine {
    pub(super) fn int(&mut self, p: &Program, int: &Int) -> Res<i32> {
        Ok(match int {
            Int::Const(number) => *number,
            Int::Var(slot) => self.slots[*slot as usize],
            Int::Stored(owner, key) => {
                let address = self.address(p, 0, owner, key)?;
                self.ints[address]
            }
            Int::Arith(op, origin, a, b) => {
                self.work += 1;
                let (a, b) = (self.int(p, a)?, self.int(p, b)?);
                let cause = if *op == Arith::Pow { Fault::Exponent } else { Fault::Division };
                crate::number::arith(*op, a, b).ok_or_else(|| self.fail(cause, *origin))?
            }
            Int::Tri(n) => crate::number::tri(self.int(p, n)?),
            Int::Fib(n) => crate::number::fib(self.int(p, n)?),
            Int::Random(low, high, origin) => {
                let (low, high) = (self.int(p, low)?, self.int(p, high)?);
                let count = i64::from(high) - i64::from(low) + 1;
                if count < 1 {
                    return Err(self.fail(Fault::EmptyRange, *origin));
                }
                if count > crate::game::MOST_DRAWS {
                    return Err(self.fail(Fault::WideRange, *origin));
                }
                low + self.chance(p, Draw::Number(count as u32))? as i32
            }
            Int::Size(coll) => self.size(p, coll)?,
            Int::Sum(cards, points) => {
                let mark = self.lists.len();
                let (start, len) = self.cards_of(p, cards)?;
                let table = self.table(p, points)?;
                let sum = self.lists[start..start + len].iter().fold(0i32, |sum, &card| {
                    sum.wrapping_add(self.tables[table + (card & CARD) as usize])
                });
                self.lists.truncate(mark);
                sum
            }
            Int::Score(card, points) => {
                let table = self.table(p, points)?;
                let card = self.card_by(p, card, |m, card| m.tables[table + card])?;
                if card == NO_CARD { 0 } else { self.tables[table + (card & CARD) as usize] }
            }
            Int::Total(coll, slot, body) => {
                let mark = self.lists.len();
                let (start, count, stride) = self.elements(p, coll)?;
                let mut total = 0i32;
                for at in 0..count {
                    self.bind(*slot, start + at * stride, stride);
                    total = total.wrapping_add(self.int(p, body)?);
                }
                self.lists.truncate(mark);
                total
            }
        })
    }

    fn size(&mut self, p: &Program, coll: &Coll) -> Res<i32> {
        if let Coll::Cards(Cards::Place(place)) = coll {
            let pile = self.pile_of(p, place)?;
            return Ok(i32::from(self.lens[pile]));
        }
        let mark = self.lists.len();
        let (_, count, _) = self.elements(p, coll)?;
        self.lists.truncate(mark);
        Ok(count as i32)
    }

    pub(super) fn bool(&mut self, p: &Program, bool: &Bool) -> Res<bool> {
        Ok(match bool {
            Bool::Var(slot) => self.slots[*slot as usize] != 0,
            Bool::And(tests) => {
                for test in tests {
                    self.work += 1;
                    if !self.bool(p, test)? {
                        return Ok(false);
                    }
                }
                true
            }
            Bool::Or(tests) => {
                for test in tests {
                    self.work += 1;
                    if self.bool(p, test)? {
                        return Ok(true);
                    }
                }
                false
            }
            Bool::Not(test) => !self.bool(p, test)?,
            Bool::Ints(compare, a, b) => {
                let (a, b) = (self.int(p, a)?, self.int(p, b)?);
                match compare {
                    Compare::Lt => a < b,
                    Compare::Gt => a > b,
                    Compare::Le => a <= b,
                    Compare::Ge => a >= b,
                    Compare::Eq => a == b,
                    Compare::Ne => a != b,
                }
            }
            Bool::Strs(equal, a, b) => (self.str(p, a)? == self.str(p, b)?) == *equal,
            Bool::Cards(equal, a, b) => {
                let (a, b) = (self.card(p, a)?, self.card(p, b)?);
                // In the original program, no card is equal to any card.
                let same = a != NO_CARD && b != NO_CARD && a & CARD == b & CARD && !p.compat;
                same == *equal
            }
            Bool::Owners(equal, a, b) => (self.owner(p, a)? == self.owner(p, b)?) == *equal,
            Bool::Any(coll, slot, test) => self.exists(p, coll, *slot, test, true)?,
            Bool::All(coll, slot, test) => !self.exists(p, coll, *slot, test, false)?,
        })
    }

    /// Whether the test has the desired result for some element.
    fn exists(
        &mut self,
        p: &Program,
        coll: &Coll,
        slot: u32,
        test: &Bool,
        wanted: bool,
    ) -> Res<bool> {
        let mark = self.lists.len();
        let (start, count, stride) = self.elements(p, coll)?;
        let mut found = false;
        for at in 0..count {
            self.bind(slot, start + at * stride, stride);
            if self.bool(p, test)? == wanted {
                found = true;
                break;
            }
        }
        self.lists.truncate(mark);
        Ok(found)
    }

    pub(super) fn str(&mut self, p: &Program, str: &Str) -> Res<u32> {
        Ok(match str {
            Str::Const(id) => *id,
            Str::Var(slot) => self.slots[*slot as usize] as u32,
            Str::Stored(owner, key) => {
                let address = self.address(p, 1, owner, key)?;
                self.strs[address] as u32
            }
            Str::Att(name, card) => {
                let name = match **name {
                    Str::Const(id) => id,
                    ref computed => self.str(p, computed)?,
                };
                // Most tests of filters ask for a value of a variable.
                let card = match **card {
                    Card::Var(slot) => self.slots[slot as usize],
                    ref card => self.card_by(p, card, |_, card| p.value(name, card) as i32)?,
                };
                if card == NO_CARD { 0 } else { p.value(name, (card & CARD) as usize) }
            }
        })
    }

    /// An owner: 0 for the table, then the players, then the teams.
    pub(super) fn owner(&mut self, p: &Program, owner: &Owner) -> Res<u32> {
        let players = p.rules.players;
        let teams = p.rules.teams.len() as u32;
        Ok(match owner {
            Owner::Table => 0,
            Owner::Current => 1 + self.current(),
            Owner::Next => 1 + self.next(0, players),
            Owner::Previous => 1 + (self.current() + players - 1) % players,
            Owner::CurrentTeam => 1 + players + self.current_team(),
            Owner::NextTeam => 1 + players + self.next(1, teams),
            Owner::PreviousTeam => 1 + players + (self.current_team() + teams - 1) % teams,
            Owner::Player(index, origin) => {
                let index = self.int(p, index)?;
                if index < 0 || index as u32 >= players {
                    return Err(self.fail(Fault::NoOwner, *origin));
                }
                1 + index as u32
            }
            Owner::Team(index, origin) => {
                let index = self.int(p, index)?;
                if index < 0 || index as u32 >= teams {
                    return Err(self.fail(Fault::NoOwner, *origin));
                }
                1 + players + index as u32
            }
            Owner::Of(card, origin) => {
                let seats = p.seats;
                let card = self.card_by(p, card, |m, card| (m.at[card] % seats) as i32)?;
                if card == NO_CARD {
                    return Err(self.fail(Fault::NoCard, *origin));
                }
                let owner = self.at[(card & CARD) as usize] % seats;
                if owner == 0 {
                    return Err(self.fail(Fault::OnTable, *origin));
                }
                owner
            }
            Owner::TeamOf(player, origin) => {
                let player = self.owner(p, player)?;
                let team = p.team_of[player as usize - 1];
                let team = team.ok_or_else(|| self.fail(Fault::NoOwner, *origin))?;
                1 + players + team
            }
            Owner::Var(slot) => self.slots[*slot as usize] as u32,
        })
    }

    fn current_team(&self) -> u32 {
        self.cycles[1].last().map_or(0, |cycle| cycle.at)
    }

    fn next(&self, kind: usize, count: u32) -> u32 {
        self.cycles[kind].last().map_or(0, |cycle| cycle.queued.unwrap_or((cycle.at + 1) % count))
    }

    fn family(&mut self, p: &Program, table: &[u32], name: &Str) -> Res<u32> {
        let name = self.str(p, name)?;
        match table[name as usize] {
            NONE => Err(Fault::NoName.into()),
            family => Ok(family),
        }
    }

    /// The pile of a place.
    #[inline]
    pub(super) fn pile_of(&mut self, p: &Program, place: &Place) -> Res<usize> {
        let owner = self.owner(p, &place.owner)?;
        let family = match &place.key {
            Key::Family(family) => *family,
            Key::Named(vis, name) => self.family(p, &p.places[*vis as usize], name)?,
            Key::Indexed(vis, name, index) => {
                let name = self.str(p, name)?;
                let index = self.int(p, index)?;
                *p.indexed.get(&(*vis, name, index)).ok_or(Fault::NoName)?
            }
        };
        Ok((family * p.seats + owner) as usize)
    }

    /// The address of an owner's store: 0 for integers, 1 for strings, 2 for point maps.
    #[inline]
    pub(super) fn address(
        &mut self,
        p: &Program,
        kind: usize,
        owner: &Owner,
        key: &Key,
    ) -> Res<usize> {
        let owner = self.owner(p, owner)?;
        let family = match key {
            Key::Family(family) => *family,
            Key::Named(_, name) | Key::Indexed(_, name, _) => {
                self.family(p, &p.stores[kind], name)?
            }
        };
        Ok((family * p.owners + owner) as usize)
    }

    /// The start of the scores of a point map. They are computed on demand.
    pub(super) fn table(&mut self, p: &Program, points: &Points) -> Res<usize> {
        let map = self.address(p, 2, &points.owner, &points.key)?;
        let start = map * p.cards;
        let key = map * p.stride..(map + 1) * p.stride;
        if self.maps[key.clone()] != self.table_keys[key.clone()] {
            let open = match self.maps[key.start] {
                0 => 0,
                text => p.open[text as usize - 1].len(),
            };
            self.spend(p, (1 + open) * p.cards)?;
            let table = &mut self.tables[start..start + p.cards];
            match self.maps[key.start] {
                0 => table.fill(0),
                text => {
                    let text = text as usize - 1;
                    table.copy_from_slice(&p.fixed[text]);
                    let given = &self.maps[key.start + 1..key.end];
                    for award in &p.open[text] {
                        p.award(award, given, table);
                    }
                }
            }
            self.table_keys[key.clone()].copy_from_slice(&self.maps[key]);
        }
        Ok(start)
    }

    /// A card; [`NO_CARD`] if there is none at the position.
    pub(super) fn card(&mut self, p: &Program, card: &Card) -> Res<i32> {
        self.card_by(p, card, |_, card| card as i32)
    }

    /// A card of which only `key` matters, so that chance need not decide between equal cards.
    pub(super) fn card_by(
        &mut self,
        p: &Program,
        card: &Card,
        key: impl Fn(&Machine, usize) -> i32,
    ) -> Res<i32> {
        match card {
            Card::Var(slot) => Ok(self.slots[*slot as usize]),
            Card::At(which, cards) => {
                if let Cards::Place(place) = &**cards {
                    let pile = self.pile_of(p, place)?;
                    let at = self.index(p, which, self.lens[pile] as usize)?;
                    return Ok(match at {
                        Some(at) => self.word(p, pile, at),
                        None => NO_CARD,
                    });
                }
                let mark = self.lists.len();
                let (start, len) = self.cards_of(p, cards)?;
                let at = self.index(p, which, len)?;
                let card = at.map_or(NO_CARD, |at| self.lists[start + at]);
                self.lists.truncate(mark);
                Ok(card)
            }
            Card::Best { most, cards, points } => {
                let mark = self.lists.len();
                let (start, count) = self.best(p, *most, cards, points)?;
                if count == 0 {
                    self.lists.truncate(mark);
                    return Ok(NO_CARD);
                }
                let first = self.lists[start];
                let alike = key(self, (first & CARD) as usize);
                let all_alike = self.lists[start + 1..start + count]
                    .iter()
                    .all(|&other| key(self, (other & CARD) as usize) == alike);
                let card = if all_alike {
                    first
                } else {
                    let at = self.chance(p, Draw::Tie(count as u32))?;
                    self.lists[start + at as usize]
                };
                self.lists.truncate(mark);
                Ok(card)
            }
        }
    }

    /// The cards with the highest or the lowest score, in the order of the collection.
    fn best(
        &mut self,
        p: &Program,
        most: bool,
        cards: &Cards,
        points: &Points,
    ) -> Res<(usize, usize)> {
        let (from, len) = self.cards_of(p, cards)?;
        let table = self.table(p, points)?;
        let start = self.lists.len();
        let mut best = 0;
        // The original program starts with -1, and takes the top card if no score is higher.
        if p.compat && most && len > 0 {
            let scores = self.lists[from..from + len].iter();
            if scores.map(|&card| self.tables[table + (card & CARD) as usize]).all(|s| s < 0) {
                let top = self.lists[from + len - 1];
                self.lists.push(top);
                return Ok((start, 1));
            }
        }
        for at in from..from + len {
            let card = self.lists[at];
            let score = self.tables[table + (card & CARD) as usize];
            let better = if most { score > best } else { score < best };
            if self.lists.len() == start || better {
                self.lists.truncate(start);
                best = score;
                self.lists.push(card);
            } else if score == best {
                self.lists.push(card);
            }
        }
        Ok((start, self.lists.len() - start))
    }

    /// A card of a pile as a word; remembered cards carry their pile.
    #[inline]
    pub(super) fn word(&self, p: &Program, pile: usize, at: usize) -> i32 {
        let card = i32::from(self.cards[pile * self.room + at]);
        if p.is_memory(pile) { card | (pile as i32 + 1) << 16 } else { card }
    }

    /// The index of a position, counted from the bottom; `None` if there is no such card.
    pub(super) fn index(&mut self, p: &Program, which: &Which, len: usize) -> Res<Option<usize>> {
        Ok(match which {
            Which::Top => len.checked_sub(1),
            Which::Bottom => (len > 0).then_some(0),
            Which::At(index) => {
                let index = self.int(p, index)?;
                usize::try_from(index).ok().filter(|&index| index < len)
            }
        })
    }

    /// Draws one of several outcomes of chance.
    pub(super) fn chance(&mut self, p: &Program, draw: Draw) -> Res<u32> {
        let (Draw::Number(count) | Draw::Tie(count)) = draw;
        if count <= 1 {
            return Ok(0);
        }
        if self.expanding {
            return Ok(self.choosing.outcome(count));
        }
        if let Some(rng) = &mut self.rng {
            return Ok(match draw {
                Draw::Tie(count) if p.compat => flips(rng, count),
                _ => rng.below(u64::from(count)) as u32,
            });
        }
        if let Some(&drawn) = self.tape.get(self.tape_at) {
            self.tape_at += 1;
            return Ok(drawn.min(count - 1));
        }
        Err(Trap::Chance(draw))
    }

    #[inline]
    pub(super) fn bind(&mut self, slot: u32, at: usize, stride: usize) {
        self.slots[slot as usize] = self.lists[at];
        if stride == 2 {
            self.slots[slot as usize + 1] = self.lists[at + 1];
        }
    }

    /// The elements of a collection: their start, their number, and the words of each.
    pub(super) fn elements(&mut self, p: &Program, coll: &Coll) -> Res<(usize, usize, usize)> {
        match coll {
            Coll::Cards(cards) => {
                let (start, len) = self.cards_of(p, cards)?;
                Ok((start, len, 1))
            }
            Coll::Groups(groups) => {
                let (start, len) = self.groups_of(p, groups)?;
                Ok((start, len, 2))
            }
            Coll::Words(words) => {
                let (start, len) = self.words_of(p, words)?;
                Ok((start, len, 1))
            }
        }
    }

    /// A fault of an expression, whose place is kept.
    #[cold]
    pub(super) fn fail(&mut self, fault: Fault, origin: Origin) -> Trap {
        self.spot = origin;
        fault.into()
    }

    /// Counts elements and terms that are evaluated.
    #[inline]
    pub(super) fn spend(&mut self, p: &Program, count: usize) -> Res<()> {
        self.work += count as u64;
        if self.work > p.limits.work { Err(Fault::TooLong.into()) } else { Ok(()) }
    }

    pub(super) fn grown(&self, p: &Program) -> Res<()> {
        if self.lists.len() > p.limits.words { Err(Fault::TooMany.into()) } else { Ok(()) }
    }
}

/// Ties in the original program: with each further card, a coin flip decides whether it replaces
/// the current one.
fn flips(rng: &mut magister_core::Rng, count: u32) -> u32 {
    (1..count).rev().find(|_| rng.below(2) == 1).unwrap_or(0)
}
