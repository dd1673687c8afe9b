//! A state that agrees with what the player sees now, for matches in which no consistent deal was
//! found.
//!
//! The match is played forward once, and continued when there are new turns. Whenever a card appears
//! where the state does not have it, two cards are exchanged in the present and not in the past:
//! earlier decisions need no longer be possible, and cards that the player passed on may get lost.
//! What counts is that the player's own hand, the table and the turn are right, so that its legal
//! moves are right as well.

use std::sync::Arc;

use magister_core::{Rng, Turn};

use super::Deals;
use super::climb::Exchanges;
use super::replay::complete;
use crate::machine::Wait;
use crate::percepts::Key;

/// The state after some turns.
#[derive(Debug)]
pub(super) struct Lenient {
    state: Vec<u64>,
    turns: Vec<Turn>,
}

impl Lenient {
    /// The state before the first turn.
    pub(super) fn at_start(state: &[u64]) -> Self {
        Lenient { state: state.to_vec(), turns: Vec::new() }
    }

    /// Whether these turns continue those of this state.
    pub(super) fn precedes(&self, turns: &[Turn]) -> bool {
        turns.starts_with(&self.turns)
    }
}

impl Deals {
    /// Plays the match forward from an earlier state; `None` if a move of the player is not
    /// possible.
    pub(super) fn lenient(
        &mut self,
        earlier: Lenient,
        turns: &[Turn],
        rng: &mut Rng,
    ) -> Option<Lenient> {
        let Lenient { mut state, turns: taken } = earlier;
        let mut rest = turns[taken.len()..].iter();
        let done = rest.try_for_each(|turn| self.take_leniently(turn, &mut state, rng));
        self.machine.logging = false;
        let reference = self.machine.load(&self.shared.program, &self.state);
        done.and(reference).map(|()| Lenient { state, turns: turns.to_vec() })
    }

    /// Draws a state: the cards that the player does not see now change places at random.
    pub(super) fn draw_leniently(
        &mut self,
        lenient: &Lenient,
        rng: &mut Rng,
        state: &mut Vec<u64>,
    ) -> Option<f64> {
        let shared = Arc::clone(&self.shared);
        self.machine.load(&shared.program, &lenient.state)?;
        let hidden: Vec<usize> =
            (0..self.cards.len()).filter(|&card| self.is_hidden(card)).collect();
        for at in (1..hidden.len()).rev() {
            let other = rng.below(at as u64 + 1) as usize;
            self.machine.exchange(hidden[at] as u16, hidden[other] as u16);
        }
        self.machine.save(state);
        self.machine.load(&shared.program, &self.state)?;
        Some(0.0)
    }

    /// Whether the player does not see a card in the machine's state.
    pub(super) fn is_hidden(&self, card: usize) -> bool {
        let pile = self.machine.at[card] as usize;
        let seen = self.shared.program.seen.get(pile).copied().unwrap_or(0);
        self.machine.pile(pile).contains(&(card as u16)) && seen & (1 << self.me) == 0
    }

    /// Makes one turn. Cards are exchanged until it looks as the player saw it, or as similar as
    /// possible.
    fn take_leniently(&mut self, turn: &Turn, state: &mut Vec<u64>, rng: &mut Rng) -> Option<()> {
        let shared = Arc::clone(&self.shared);
        let seen = self.keys(turn);
        self.machine.load(&shared.program, state)?;
        if let Wait::Shuffle { pile, .. } = self.machine.wait {
            self.shuffle_leniently(pile, &seen, state, rng)?;
        } else {
            let way = self.exchange_until(turn.own, &seen, state, Exchanges::Present, rng)?;
            self.make_trial(&way, state)?;
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
