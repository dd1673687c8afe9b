//! Decisions of others that the reference does not offer because of cards in their hands.

use std::sync::Arc;

use magister_core::Rng;

use super::Deals;
use crate::machine::{Event, Wait};
use crate::percepts::Key;

/// The number of attempts, and of exchanges in each.
const ATTEMPTS: usize = 4;
const EXCHANGES: usize = 120;

impl Deals {
    /// Exchanges cards until an observed decision is offered, if it showed a new card. Returns
    /// whether this gives a new reference that is consistent with all earlier turns.
    pub(super) fn unblock(&mut self, seen: &[Key], rng: &mut Rng) -> bool {
        let new = seen.iter().find(|&&(_, kind, _, _, card)| {
            kind == 0 && card >= 0 && !self.cards[card as usize].seen
        });
        let Some(&(_, _, from, _, card)) = new else { return false };
        (0..ATTEMPTS).any(|_| {
            let old: Vec<Vec<u16>> = self.shuffles.iter().map(|s| s.order.clone()).collect();
            let offered = self.exchange_blockers(seen, from, card as usize, rng).is_some();
            self.adopt(old, offered)
        })
    }

    /// Expands the decision of the machine.
    pub(super) fn expand_options(&mut self, choice: u32) -> Option<()> {
        let shared = Arc::clone(&self.shared);
        self.machine.choosing.guess(&[]);
        self.machine.logging = true;
        let expanded = self.machine.expand(&shared.program, choice);
        self.machine.logging = false;
        expanded.ok().map(drop)
    }

    /// Removes the cards that prevent a decision, such as cards of the suit led in the hand of a
    /// player who did not follow suit: as long as the decision is not offered, a card that one of
    /// the options uses is exchanged with an unseen card from elsewhere.
    fn exchange_blockers(
        &mut self,
        seen: &[Key],
        from: u32,
        shown: usize,
        rng: &mut Rng,
    ) -> Option<()> {
        let shared = Arc::clone(&self.shared);
        self.machine.load(&shared.program, &self.state)?;
        let Wait::Choice(choice) = self.machine.wait else { return None };
        if self.machine.current() == self.me {
            return None;
        }
        for _ in 0..EXCHANGES {
            let (out, new): (usize, Vec<usize>) = if self.machine.at[shown] == from {
                self.machine.choosing.noting = false;
                self.expand_options(choice)?;
                if self.fitting(seen).is_ok() {
                    return Some(());
                }
                let out = any(&self.blockers(shown), rng)?;
                let pile = self.machine.at[out];
                let elsewhere = |&card: &usize| card != shown && self.machine.at[card] != pile;
                (out, (0..self.cards.len()).filter(elsewhere).collect())
            } else {
                // The card that was shown comes first.
                let pile = self.machine.pile(from as usize).iter();
                (shown, pile.map(|&card| usize::from(card)).collect())
            };
            let new: Vec<usize> =
                new.into_iter().filter(|&card| self.may_exchange(out, card)).collect();
            self.exchange_positions(out, any(&new, rng)?);
        }
        None
    }

    /// Replays the reference with the exchanged cards if the decision is offered, and otherwise
    /// takes the exchanges back.
    pub(super) fn adopt(&mut self, old: Vec<Vec<u16>>, offered: bool) -> bool {
        let first = (0..old.len()).find(|&number| old[number] != self.shuffles[number].order);
        let Some(first) = first else { return false };
        if offered {
            self.rename_events(&old, first);
            if self.rerun(first) {
                return true;
            }
        }
        let failed: Vec<Vec<u16>> = self.shuffles.iter().map(|s| s.order.clone()).collect();
        for (number, order) in old.into_iter().enumerate() {
            for (position, &card) in order.iter().enumerate() {
                let known = &mut self.cards[card as usize];
                if known.shuffle == number as u32 {
                    known.position = position as u8;
                }
            }
            self.shuffles[number].order = order;
        }
        if offered {
            self.rename_events(&failed, first);
        }
        false
    }

    /// The unseen cards that the options of the machine's decision use, except one.
    fn blockers(&self, shown: usize) -> Vec<usize> {
        let choosing = &self.machine.choosing;
        let mut cards = Vec::new();
        for option in 0..choosing.len() {
            for event in choosing.actions(option) {
                let Event::Move { card, .. } = *event else { continue };
                let card = card as usize;
                if card != shown && !self.cards[card].seen && !cards.contains(&card) {
                    cards.push(card);
                }
            }
        }
        cards
    }

    /// Whether two unseen cards may be at each other's positions.
    pub(super) fn may_exchange(&self, one: usize, other: usize) -> bool {
        let (a, b) = (self.cards[one], self.cards[other]);
        if one == other || a.seen || b.seen || a.shuffle != b.shuffle {
            return false;
        }
        let Some(shuffle) = self.shuffles.get(a.shuffle as usize) else { return false };
        let may = |may: u128, card: usize, position: u8| {
            may >> position & 1 == 1 && shuffle.never[position as usize] >> card & 1 == 0
        };
        may(a.may, one, b.position) && may(b.may, other, a.position)
    }

    /// Exchanges two cards of a shuffle, in the reference and in the machine.
    pub(super) fn exchange_positions(&mut self, one: usize, other: usize) {
        let (a, b) = (self.cards[one].position, self.cards[other].position);
        let order = &mut self.shuffles[self.cards[one].shuffle as usize].order;
        order.swap(usize::from(a), usize::from(b));
        self.cards[one].position = b;
        self.cards[other].position = a;
        self.machine.exchange(one as u16, other as u16);
    }
}

/// A random element.
pub(super) fn any(cards: &[usize], rng: &mut Rng) -> Option<usize> {
    let count = cards.len() as u64;
    (count > 0).then(|| cards[rng.below(count) as usize])
}
