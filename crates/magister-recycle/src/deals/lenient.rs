//! States that agree with what the player sees now, for matches in which no consistent deal was
//! found.
//!
//! Several states are played forward, turn by turn. Whenever a card appears where a state does not
//! have it, two hidden cards are exchanged in the present and not in the past: earlier decisions need
//! no longer be possible. A state in which a turn cannot look as the player saw it is replaced by
//! one in which it does. So the player's own hand, the table and the turn are always right, and its
//! legal moves as well. Cards that a player was seen to take stay in its hand until a card leaves
//! it face down, and a card that a decision needed stays there unless a later turn needs it
//! elsewhere.

use std::sync::Arc;

use magister_core::{Move, Rng, Turn};

use super::Deals;
use super::climb::{Trial, rank};
use super::replay::complete;
use crate::machine::Wait;
use crate::percepts::Key;

/// The number of states.
const STATES: usize = 16;
/// The number of times that the hidden cards are scattered if no state makes a turn possible.
const SCATTERED: usize = 12;

/// The states after some turns.
#[derive(Debug)]
pub(super) struct Lenient {
    states: Vec<Vec<u64>>,
    /// For each card, the pile in which it must be.
    places: Vec<Option<u32>>,
    turns: Vec<Turn>,
}

impl Lenient {
    /// The states before the first turn.
    pub(super) fn at_start(state: &[u64], cards: usize) -> Self {
        Lenient {
            states: vec![state.to_vec(); STATES],
            places: vec![None; cards],
            turns: Vec::new(),
        }
    }

    /// Whether these turns continue those of the states.
    pub(super) fn precedes(&self, turns: &[Turn]) -> bool {
        turns.starts_with(&self.turns)
    }
}

impl Deals {
    /// Plays the match forward from earlier states; `None` if a move of the player is not possible.
    pub(super) fn lenient(
        &mut self,
        earlier: Lenient,
        turns: &[Turn],
        rng: &mut Rng,
    ) -> Option<Lenient> {
        let Lenient { mut states, places, turns: taken } = earlier;
        self.places = places;
        let mut rest = turns[taken.len()..].iter();
        let done = rest.try_for_each(|turn| self.take_leniently(turn, &mut states, rng));
        self.machine.logging = false;
        let reference = self.machine.load(&self.shared.program, &self.state);
        let places = std::mem::take(&mut self.places);
        done.and(reference).map(|()| Lenient { states, places, turns: turns.to_vec() })
    }

    /// Draws a state. Cards that no player sees change places within their piles.
    pub(super) fn draw_leniently(
        &mut self,
        lenient: &Lenient,
        rng: &mut Rng,
        state: &mut Vec<u64>,
    ) -> Option<f64> {
        let shared = Arc::clone(&self.shared);
        let one = rng.below(lenient.states.len() as u64) as usize;
        self.machine.load(&shared.program, &lenient.states[one])?;
        for pile in 0..shared.program.piles() {
            let mut order = self.machine.pile(pile).to_vec();
            // Memories show cards that are in other piles.
            let here = order.iter().all(|&card| self.machine.at[card as usize] as usize == pile);
            if here && shared.program.seen[pile] == 0 {
                rng.shuffle(&mut order);
                self.machine.arrange(pile, &order);
            }
        }
        self.machine.save(state);
        self.machine.load(&shared.program, &self.state)?;
        Some(0.0)
    }

    /// Whether the player does not know where a card of the machine's state is.
    pub(super) fn is_hidden(&self, card: usize) -> bool {
        let pile = self.machine.at[card] as usize;
        let seen = self.shared.program.seen.get(pile).copied().unwrap_or(0);
        self.machine.pile(pile).contains(&(card as u16))
            && seen & (1 << self.me) == 0
            && self.places.get(card).copied().flatten() != Some(pile as u32)
    }

    /// Makes one turn in all states.
    fn take_leniently(
        &mut self,
        turn: &Turn,
        states: &mut Vec<Vec<u64>>,
        rng: &mut Rng,
    ) -> Option<()> {
        let shared = Arc::clone(&self.shared);
        let seen = self.keys(turn);
        let mut good: Vec<Vec<u64>> = Vec::with_capacity(states.len());
        for state in states.iter_mut() {
            self.machine.load(&shared.program, state)?;
            if let Wait::Shuffle { pile, .. } = self.machine.wait {
                self.shuffle_leniently(pile, &seen, state, rng)?;
            } else {
                let way = self.exchange_until(turn.own, &seen, state, rng);
                let Some(way) = way.filter(|way| way.whole) else { continue };
                self.make_trial(&way, state)?;
            }
            let mut next = Vec::new();
            self.machine.save(&mut next);
            good.push(next);
        }
        if good.is_empty() {
            let first = states.first_mut()?;
            let way = self.scatter_until(turn.own, &seen, first, rng)?;
            self.make_trial(&way, first)?;
            let mut next = Vec::new();
            self.machine.save(&mut next);
            good.push(next);
        }
        let found = good.len();
        while good.len() < states.len() {
            good.push(good[rng.below(found as u64) as usize].clone());
        }
        *states = good;
        self.note_places(&seen);
        Some(())
    }

    /// Notes the piles into which the player saw cards move. If a card leaves a pile face down, it
    /// may be any of those noted there.
    fn note_places(&mut self, seen: &[Key]) {
        for &(_, kind, from, to, card) in seen {
            match usize::try_from(card) {
                _ if kind != 0 => {}
                Ok(card) => self.places[card] = Some(to),
                Err(_) => {
                    let lost = self.places.iter_mut().filter(|place| **place == Some(from));
                    lost.for_each(|place| *place = None);
                }
            }
        }
    }

    /// The best way to make a turn from a state in which exchanges of single cards did not help.
    /// The search begins again with other places for the hidden cards: after a turn that looked
    /// different, another player may be on turn, and the player's legal moves would be wrong for
    /// the rest of the match.
    fn scatter_until(
        &mut self,
        own: Move,
        seen: &[Key],
        state: &mut Vec<u64>,
        rng: &mut Rng,
    ) -> Option<Trial> {
        let mut best = self.exchange_until(own, seen, state, rng);
        for _ in 0..SCATTERED {
            if best.as_ref().is_some_and(|best| best.whole) {
                break;
            }
            let mut other = state.clone();
            self.scatter(&mut other, rng)?;
            let found = self.exchange_until(own, seen, &mut other, rng);
            if rank(found.as_ref()) > rank(best.as_ref()) {
                (best, *state) = (found, other);
            }
        }
        best
    }

    /// Puts the hidden cards of a state into random places.
    fn scatter(&mut self, state: &mut Vec<u64>, rng: &mut Rng) -> Option<()> {
        let shared = Arc::clone(&self.shared);
        self.machine.load(&shared.program, state)?;
        let hidden: Vec<usize> =
            (0..self.cards.len()).filter(|&card| self.is_hidden(card)).collect();
        for at in (1..hidden.len()).rev() {
            let other = rng.below(at as u64 + 1) as usize;
            self.machine.exchange(hidden[at] as u16, hidden[other] as u16);
        }
        self.machine.save(state);
        Some(())
    }

    /// Shuffles a pile so that the following events show the cards that the player saw.
    fn shuffle_leniently(
        &mut self,
        pile: u32,
        seen: &[Key],
        state: &[u64],
        rng: &mut Rng,
    ) -> Option<()> {
        let shared = Arc::clone(&self.shared);
        let mut order = self.machine.pile(pile as usize).to_vec();
        rng.shuffle(&mut order);
        for _ in 0..=order.len() {
            self.machine.load(&shared.program, state)?;
            self.machine.log.clear();
            self.machine.logging = true;
            let done = complete(&mut self.machine, &shared.program, pile, &order);
            self.machine.logging = false;
            done?;
            let says = self.says(&self.machine.log);
            let Some((key, other)) = seen.iter().zip(&says).find(|(a, b)| a != b) else { break };
            let at = |card: i32| order.iter().position(|&known| i32::from(known) == card);
            let (Some(a), Some(b)) = (at(key.4), at(other.4)) else { break };
            order.swap(a, b);
        }
        Some(())
    }
}
