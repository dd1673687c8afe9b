//! Exchanges of cards that make a turn look more like what the player saw.
//!
//! Some decisions need more than one certain card: a player that asks for kings holds one of them,
//! and the player who is asked and gives none holds none. The search does not know such rules. It
//! exchanges two hidden cards, makes the turn, and keeps the exchange unless fewer of the player's
//! observations agree than before.

use std::sync::Arc;

use magister_core::{Move, Rng};

use super::Deals;
use super::unblock::any;
use crate::machine::{Draw, Event, Wait};
use crate::percepts::{Key, Percepts};

/// The number of exchanges in a search for a new reference.
const EXCHANGES: usize = 400;
/// The number of exchanges if only the present counts.
const PRESENT: usize = 600;
/// The number of exchanges that change the past.
const SHAKES: usize = 40;
/// The number of options of a decision that are followed to their end.
const FOLLOWED: usize = 3;

/// How a turn can be made from a state.
#[derive(Clone, Debug, Default)]
pub(super) struct Trial {
    /// Whether all observations agree. Otherwise, how similar the turn is: the number of
    /// observations that agree from the first one on, and the number of cards that were seen to
    /// come from the piles in which they are.
    pub whole: bool,
    similar: usize,
    /// A card that the player saw, and the card that moved instead.
    instead: Option<(usize, usize)>,
    /// The cards that moved although the player did not see them move.
    surplus: Vec<usize>,
    /// The path of the option, or the number drawn.
    path: Vec<u32>,
    drawn: u32,
}

/// Which cards may be exchanged.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Exchanges {
    /// Cards that the player has not seen since their shuffle, in the past as well.
    Consistent,
    /// Cards that the player does not see now, only in the present.
    Present,
}

impl Deals {
    /// Exchanges cards of the reference until an observed turn is possible. The reference remains
    /// consistent with all earlier turns. Returns whether the turn is possible.
    pub(super) fn climb(&mut self, own: Move, seen: &[Key], rng: &mut Rng) -> bool {
        if self.climbs == 0 {
            return false;
        }
        self.climbs -= 1;
        let shared = Arc::clone(&self.shared);
        let mut best = self.trial(own, seen, &self.state.clone());
        for _ in 0..EXCHANGES {
            if best.as_ref().is_some_and(|best| best.whole) {
                return true;
            }
            if self.machine.load(&shared.program, &self.state).is_none() {
                return false;
            }
            let proposed = self.proposal(seen, best.as_ref(), Exchanges::Consistent, rng);
            let Some((one, other)) = proposed else { continue };
            if !self.exchange_consistently(one, other) {
                continue;
            }
            let trial = self.trial(own, seen, &self.state.clone());
            if rank(trial.as_ref()) >= rank(best.as_ref()) {
                best = trial;
            } else if !self.exchange_consistently(one, other) {
                return false;
            }
        }
        best.is_some_and(|best| best.whole)
    }

    /// Exchanges two cards of the reference. Returns false, and changes nothing, if an earlier turn
    /// would be impossible. The machine is in the state of the reference before.
    fn exchange_consistently(&mut self, one: usize, other: usize) -> bool {
        let old: Vec<Vec<u16>> = self.shuffles.iter().map(|s| s.order.clone()).collect();
        self.exchange_positions(one, other);
        self.adopt(old, true)
    }

    /// Exchanges cards of the reference at random, as far as it remains consistent.
    pub(super) fn shake(&mut self, rng: &mut Rng) {
        let shared = Arc::clone(&self.shared);
        for _ in 0..SHAKES {
            if self.machine.load(&shared.program, &self.state).is_none() {
                return;
            }
            if let Some((one, other)) = self.proposal(&[], None, Exchanges::Consistent, rng) {
                self.exchange_consistently(one, other);
            }
        }
    }

    /// Exchanges cards of a state, only in the present, until a turn looks as the player saw it, for
    /// a limited time. Returns the best way to make the turn; `None` if there is no way.
    pub(super) fn exchange_until(
        &mut self,
        own: Move,
        seen: &[Key],
        state: &mut Vec<u64>,
        rng: &mut Rng,
    ) -> Option<Trial> {
        let shared = Arc::clone(&self.shared);
        let mut best = self.trial(own, seen, state);
        for _ in 0..PRESENT {
            if best.as_ref().is_some_and(|best| best.whole) {
                break;
            }
            self.machine.load(&shared.program, state)?;
            let proposed = self.proposal(seen, best.as_ref(), Exchanges::Present, rng);
            let Some((one, other)) = proposed else { continue };
            self.machine.exchange(one as u16, other as u16);
            let mut changed = Vec::new();
            self.machine.save(&mut changed);
            let trial = self.trial(own, seen, &changed);
            if rank(trial.as_ref()) >= rank(best.as_ref()) {
                (best, *state) = (trial, changed);
            }
        }
        best
    }

    /// Two cards to exchange: most often a card that the player saw in this turn, or one that the
    /// player to move holds.
    fn proposal(
        &self,
        seen: &[Key],
        trial: Option<&Trial>,
        which: Exchanges,
        rng: &mut Rng,
    ) -> Option<(usize, usize)> {
        let p = &self.shared.program;
        let may = |one: usize, other: usize| match which {
            Exchanges::Consistent => self.may_exchange(one, other),
            Exchanges::Present => one != other && self.is_hidden(one) && self.is_hidden(other),
        };
        let movable = |card: &usize| match which {
            Exchanges::Consistent => !self.cards[*card].seen,
            Exchanges::Present => self.is_hidden(*card),
        };
        let all: Vec<usize> = (0..self.cards.len()).filter(movable).collect();
        let kind = rng.below(5);
        if let Some(trial) = trial {
            if kind == 0
                && let Some((shown, other)) = trial.instead
                && may(shown, other)
            {
                return trial.instead;
            }
            let shown = seen.iter().filter(|key| key.1 == 0 && key.4 >= 0);
            let from: Vec<(usize, u32)> = shown.map(|key| (key.4 as usize, key.2)).collect();
            if kind == 1 && !from.is_empty() {
                let (card, from) = from[rng.below(from.len() as u64) as usize];
                let pile = self.machine.pile(from as usize).iter().map(|&one| usize::from(one));
                let pile: Vec<usize> = pile.filter(|&other| may(card, other)).collect();
                return any(&pile, rng).map(|other| (card, other));
            }
        }
        let mover = 1u64 << self.machine.current();
        let held = |&card: &usize| p.seen[self.machine.at[card] as usize] & mover != 0;
        let surplus = trial.map_or(&[][..], |trial| &trial.surplus);
        let one = match kind {
            2 if !surplus.is_empty() => any(surplus, rng),
            0..=3 if self.machine.current() != self.me => {
                any(&all.iter().copied().filter(held).collect::<Vec<_>>(), rng)
            }
            _ => any(&all, rng),
        }?;
        let pile = self.machine.at[one];
        let elsewhere = |&other: &usize| self.machine.at[other] != pile && may(one, other);
        any(&all.into_iter().filter(elsewhere).collect::<Vec<_>>(), rng).map(|other| (one, other))
    }

    /// The best way to make a turn from a state; `None` if there is no way.
    fn trial(&mut self, own: Move, seen: &[Key], state: &[u64]) -> Option<Trial> {
        let shared = Arc::clone(&self.shared);
        let p = &shared.program;
        self.machine.load(p, state)?;
        let placed = self.placed(seen);
        let mut ways: Vec<Trial> = Vec::new();
        match self.machine.wait {
            Wait::Choice(choice) => {
                let mine = self.machine.current() == self.me;
                self.machine.choosing.noting = mine;
                self.expand_options(choice)?;
                let (machine, key) = (&self.machine, &mut self.scratch.key);
                let mut options: Vec<usize> = (0..machine.choosing.len()).collect();
                if mine {
                    options.retain(|&option| {
                        shared.moves.number(p, machine, choice, option, key) == own
                    });
                }
                for option in options {
                    let path = self.machine.choosing.path(option).to_vec();
                    let says = self.says(self.machine.choosing.actions(option));
                    let similar = agreement(&says, seen);
                    ways.push(Trial { similar, path, ..Trial::default() });
                }
                ways.sort_by_key(|way| std::cmp::Reverse(way.similar));
                ways.truncate(FOLLOWED);
            }
            Wait::Draw(Draw::Number(count) | Draw::Tie(count)) => {
                ways.extend((0..count).map(|drawn| Trial { drawn, ..Trial::default() }));
            }
            Wait::Shuffle { .. } | Wait::End => return None,
        }
        let mut best: Option<Trial> = None;
        for mut way in ways {
            if self.make_trial(&way, state).is_none() {
                continue;
            }
            let says = self.says(&self.machine.log);
            let agreed = agreement(&says, seen);
            way.whole = agreed == seen.len() && agreed == says.len();
            way.similar = agreed + placed;
            way.instead = seen.get(agreed).zip(says.get(agreed)).and_then(|(key, other)| {
                let alike = (key.0, key.1, key.2, key.3) == (other.0, other.1, other.2, other.3);
                let cards = matches!(key.1, 0 | 4 | 5) && key.4 >= 0 && other.4 >= 0;
                (alike && cards).then_some((key.4 as usize, other.4 as usize))
            });
            let moved = self.machine.log.iter().filter_map(|event| match *event {
                Event::Move { card, .. } => Some(card as usize),
                _ => None,
            });
            way.surplus = moved.filter(|&card| !seen.iter().any(|k| k.4 == card as i32)).collect();
            if best
                .as_ref()
                .is_none_or(|best| (way.whole, way.similar) > (best.whole, best.similar))
            {
                best = Some(way);
            }
        }
        best
    }

    /// The number of cards that are in the piles from which the player saw them come.
    fn placed(&self, seen: &[Key]) -> usize {
        let mut cards: Vec<i32> = Vec::new();
        let first = |key: &&Key| {
            let new = key.1 == 0 && key.4 >= 0 && !cards.contains(&key.4);
            cards.push(key.4);
            new && self.machine.at[key.4 as usize] == key.2
        };
        seen.iter().filter(first).count()
    }

    /// Makes a turn from a state. The machine is then in the state after it and has its events.
    pub(super) fn make_trial(&mut self, way: &Trial, state: &[u64]) -> Option<()> {
        let shared = Arc::clone(&self.shared);
        let p = &shared.program;
        self.machine.load(p, state)?;
        self.machine.log.clear();
        self.machine.logging = true;
        let done = match self.machine.wait {
            Wait::Draw(_) => self.machine.drawn(p, way.drawn),
            _ => self.machine.follow_path(p, &way.path),
        };
        self.machine.logging = false;
        done.ok()
    }

    /// What the player observes of events.
    pub(super) fn says(&self, events: &[Event]) -> Vec<Key> {
        let says = |(order, event)| Percepts::says(&self.shared.program, order, event, self.me);
        events.iter().enumerate().filter_map(says).collect()
    }
}

/// How good a way to make a turn is.
pub(super) fn rank(trial: Option<&Trial>) -> Option<(bool, usize)> {
    trial.map(|one| (one.whole, one.similar))
}

/// The number of observations that agree, from the first one on.
fn agreement(says: &[Key], seen: &[Key]) -> usize {
    says.iter().zip(seen).take_while(|(a, b)| a == b).count()
}
