//! Actions, and how they are undone.

use super::{CARD, Event, Fault, Machine, NO_CARD, Position, Res, Undo, Wait};
use crate::ir::{Act, Card, Cards, Given, Place, Which};
use crate::program::Program;

impl Machine {
    /// Runs an action. All its expressions are evaluated before anything changes.
    pub(super) fn act(&mut self, p: &Program, act: &Act) -> Res<()> {
        match act {
            Act::SetInt(owner, key, value) => {
                let address = self.address(p, 0, owner, key)?;
                let value = self.int(p, value)?;
                self.set_int(address, value);
            }
            Act::Add(add, owner, key, amount) => {
                let address = self.address(p, 0, owner, key)?;
                let amount = self.int(p, amount)?;
                let old = self.ints[address];
                let value = if *add { old.wrapping_add(amount) } else { old.wrapping_sub(amount) };
                self.set_int(address, value);
            }
            Act::SetStr(owner, key, value) => {
                let address = self.address(p, 1, owner, key)?;
                let value = self.str(p, value)? as i32;
                let old = std::mem::replace(&mut self.strs[address], value);
                if self.expanding {
                    self.journal.push(Undo::Str { address: address as u32, old });
                }
                self.log(Event::Str { address: address as u32, value: value as u32 });
            }
            Act::SetPoints(points, text) => self.set_points(p, points, *text)?,
            Act::CycleNext(owner) => {
                let player = self.owner(p, owner)? - 1;
                self.change_cycle(|cycle| cycle.queued = Some(player));
                self.log(Event::Next { player });
            }
            Act::CycleCurrent(owner) => {
                let player = self.owner(p, owner)? - 1;
                self.change_cycle(|cycle| cycle.at = player);
                self.log(Event::Current { player });
            }
            Act::Move { card, to, at } => {
                let number = self.card(p, card)?;
                if number == NO_CARD {
                    return Err(Fault::NoCard.into());
                }
                let (pile, position, index) = self.target(p, to, at)?;
                self.move_card((number & CARD) as u16, pile, position, index);
                self.displace(p, card);
            }
            Act::Remember { card, to, at } => {
                let card = self.card(p, card)?;
                if card == NO_CARD {
                    return Err(Fault::NoCard.into());
                }
                let (pile, _, index) = self.target_of(p, to, at)?;
                if !p.is_memory(pile) {
                    return Err(Fault::NotInMemory.into());
                }
                if self.lens[pile] as usize >= self.room {
                    return Err(Fault::TooMany.into());
                }
                let card = (card & CARD) as u16;
                self.insert(pile, index, card);
                if self.expanding {
                    self.journal.push(Undo::Remembered { pile: pile as u32, at: index as u32 });
                }
                self.log(Event::Remember { card: u32::from(card), pile: pile as u32 });
            }
            Act::Forget(card) => {
                let card = self.card(p, card)?;
                self.forget(card)?;
            }
            Act::Shuffle(place) => {
                let pile = self.pile_of(p, place)?;
                self.shuffle(pile);
            }
            Act::Pass => self.log(Event::Pass),
        }
        self.acted = true;
        Ok(())
    }

    pub(super) fn set_int(&mut self, address: usize, value: i32) {
        let old = std::mem::replace(&mut self.ints[address], value);
        if self.expanding {
            self.journal.push(Undo::Int { address: address as u32, old });
        }
        self.log(Event::Int { address: address as u32, value });
    }

    fn set_points(&mut self, p: &Program, points: &Place, text: u32) -> Res<()> {
        let map = self.address(p, 2, &points.owner, &points.key)?;
        let start = map * p.stride;
        let mark = self.lists.len();
        for given in p.given(text) {
            let value = match given {
                Given::Str(str) => self.str(p, str)? as i32,
                Given::Int(int) => self.int(p, int)?,
            };
            self.lists.push(value);
        }
        let given = self.lists.len() - mark;
        for at in 0..p.stride {
            let value = match at {
                0 => text as i32 + 1,
                at if at <= given => self.lists[mark + at - 1],
                _ => 0,
            };
            let old = std::mem::replace(&mut self.maps[start + at], value);
            if self.expanding {
                self.journal.push(Undo::Map { address: (start + at) as u32, old });
            }
        }
        self.lists.truncate(mark);
        self.log(Event::Points { address: map as u32 });
        Ok(())
    }

    fn change_cycle(&mut self, change: impl FnOnce(&mut super::Cycle)) {
        if let Some(cycle) = self.cycles[0].last_mut() {
            let old = *cycle;
            change(cycle);
            if self.expanding {
                self.journal.push(Undo::Cycle { old });
            }
        }
    }

    /// The target of a card: the pile, the position in the rules, and its index.
    pub(super) fn target(
        &mut self,
        p: &Program,
        to: &Place,
        at: &Which,
    ) -> Res<(usize, Position, usize)> {
        let target = self.target_of(p, to, at)?;
        if p.is_memory(target.0) {
            return Err(Fault::IntoMemory.into());
        }
        Ok(target)
    }

    fn target_of(&mut self, p: &Program, to: &Place, at: &Which) -> Res<(usize, Position, usize)> {
        let pile = self.pile_of(p, to)?;
        let len = self.lens[pile] as usize;
        Ok(match at {
            Which::Top => (pile, Position::Top, len),
            Which::Bottom => (pile, Position::Bottom, 0),
            Which::At(index) => {
                let index = self.int(p, index)?;
                let index = usize::try_from(index).ok().filter(|&index| index <= len);
                let index = index.ok_or(Fault::NotThere)?;
                (pile, Position::At(index as u32), index)
            }
        })
    }

    /// Moves a card from its pile.
    pub(super) fn move_card(&mut self, card: u16, to: usize, position: Position, index: usize) {
        let from = self.at[card as usize] as usize;
        let from_at = self.pile(from).iter().rposition(|&c| c == card).unwrap_or(0);
        self.remove(from, from_at);
        // Within its own pile, the card has left a gap.
        let index = index.min(self.lens[to] as usize);
        self.insert(to, index, card);
        self.at[card as usize] = to as u32;
        if self.expanding {
            self.journal.push(Undo::Move {
                card,
                from: from as u32,
                from_at: from_at as u32,
                to: to as u32,
                to_at: index as u32,
            });
        }
        self.acted = true;
        self.log(Event::Move {
            card: u32::from(card),
            from: from as u32,
            to: to as u32,
            at: position,
        });
    }

    /// When the original program undoes a move from a computed collection, it puts the card on top
    /// of its pile. This changes the order of the pile, and games may depend on it.
    fn displace(&mut self, p: &Program, card: &Card) {
        let computed = match card {
            Card::Var(_) => false,
            Card::At(_, cards) => !matches!(**cards, Cards::Place(_)),
            Card::Best { .. } => true,
        };
        if p.compat
            && computed
            && self.expanding
            && let Some(Undo::Move { from, from_at, .. }) = self.journal.last_mut()
        {
            *from_at = u32::from(self.lens[*from as usize]);
        }
    }

    pub(super) fn forget(&mut self, card: i32) -> Res<()> {
        if card == NO_CARD || card >> 16 == 0 {
            return Err(Fault::NotInMemory.into());
        }
        let pile = (card >> 16) as usize - 1;
        let card = (card & CARD) as u16;
        let at = self.pile(pile).iter().rposition(|&c| c == card).ok_or(Fault::NotInMemory)?;
        self.remove(pile, at);
        if self.expanding {
            self.journal.push(Undo::Forgotten { pile: pile as u32, at: at as u32, card });
        }
        self.acted = true;
        self.log(Event::Forget { card: u32::from(card), pile: pile as u32 });
        Ok(())
    }

    fn remove(&mut self, pile: usize, at: usize) {
        let len = self.lens[pile] as usize;
        let cards = &mut self.cards[pile * self.room..][..len];
        cards.copy_within(at + 1.., at);
        self.lens[pile] -= 1;
    }

    fn insert(&mut self, pile: usize, at: usize, card: u16) {
        let len = self.lens[pile] as usize;
        let cards = &mut self.cards[pile * self.room..][..=len];
        cards.copy_within(at..len, at + 1);
        cards[at] = card;
        self.lens[pile] += 1;
    }

    /// Begins a shuffle. Positions get their cards one by one, from the top.
    fn shuffle(&mut self, pile: usize) {
        let len = self.lens[pile] as usize;
        if self.expanding || len < 2 {
            self.log(Event::Shuffle { pile: pile as u32 });
            return;
        }
        if let Some(rng) = &mut self.rng {
            let cards = &mut self.cards[pile * self.room..][..len];
            for at in (1..len).rev() {
                cards.swap(at, rng.below(at as u64 + 1) as usize);
            }
            self.log(Event::Shuffle { pile: pile as u32 });
            return;
        }
        self.wait = Wait::Shuffle { pile: pile as u32, at: len as u32 - 1 };
    }

    /// Assigns a card to a position of a shuffled pile; returns true if it was the last one.
    pub(super) fn shuffled(&mut self, pile: usize, at: usize, from: usize) -> bool {
        self.cards[pile * self.room..].swap(at, from.min(at));
        if at > 1 {
            self.wait = Wait::Shuffle { pile: pile as u32, at: at as u32 - 1 };
            return false;
        }
        self.log(Event::Shuffle { pile: pile as u32 });
        true
    }

    /// Undoes everything since the mark.
    pub(super) fn undo(&mut self, mark: usize) {
        while self.journal.len() > mark {
            match self.journal.pop() {
                Some(Undo::Int { address, old }) => self.ints[address as usize] = old,
                Some(Undo::Str { address, old }) => self.strs[address as usize] = old,
                Some(Undo::Map { address, old }) => self.maps[address as usize] = old,
                Some(Undo::Move { card, from, from_at, to, to_at }) => {
                    self.remove(to as usize, to_at as usize);
                    self.insert(from as usize, from_at as usize, card);
                    self.at[card as usize] = from;
                }
                Some(Undo::Remembered { pile, at }) => self.remove(pile as usize, at as usize),
                Some(Undo::Forgotten { pile, at, card }) => {
                    self.insert(pile as usize, at as usize, card);
                }
                Some(Undo::Cycle { old }) => {
                    if let Some(cycle) = self.cycles[0].last_mut() {
                        *cycle = old;
                    }
                }
                None => return,
            }
        }
    }
}
