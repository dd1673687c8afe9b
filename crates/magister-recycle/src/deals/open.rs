//! Decisions of others that look the same to the player although it knows some of the cards.

use std::sync::Arc;

use magister_core::{Halt, Rng, Stop};

use super::{Deals, Known};
use crate::machine::{Event, Wait};

/// The maximum number of draws from one reference while decisions are open.
const DRAWS: u32 = 16;

/// The knowledge of the sampler before an open decision.
#[derive(Debug)]
pub(super) struct Open {
    /// Its turn.
    pub turn: usize,
    cards: Vec<Known>,
    /// The exclusions of each shuffle.
    never: Vec<Vec<u128>>,
    /// The cards that the reference moved without the player seeing them.
    pub moved: Vec<u32>,
}

impl Deals {
    /// Stores the knowledge before an open decision.
    pub(super) fn open(&self, moved: Vec<u32>) -> Open {
        Open {
            turn: self.ticks.len(),
            cards: self.cards.clone(),
            never: self.shuffles.iter().map(|shuffle| shuffle.never.clone()).collect(),
            moved,
        }
    }

    /// Returns to an open decision, which is then made again.
    pub(super) fn rewind(&mut self, number: usize) {
        let open = self.open.swap_remove(number);
        self.open.truncate(number);
        self.ticks.truncate(open.turn);
        self.turns.truncate(open.turn);
        self.shuffles.truncate(open.never.len());
        self.cards = open.cards;
        for (number, never) in open.never.into_iter().enumerate() {
            self.shuffles[number].never = never;
            // Repairs have exchanged cards since then.
            for (position, &card) in self.shuffles[number].order.iter().enumerate() {
                let known = &mut self.cards[card as usize];
                if known.shuffle == number as u32 {
                    known.position = position as u8;
                }
            }
        }
        self.plan = None;
        self.dealt.clear();
        self.dealt.extend(0..self.cards.len() as u16);
        if self.replay(0, None).is_some() {
            self.machine.save(&mut self.state);
        } else {
            self.restart();
        }
    }

    /// Rebuilds the reference from the first open decision whose cards the player has still not
    /// seen.
    pub(super) fn reopen(&mut self, rng: &mut Rng, stop: &Stop) -> Result<(), Halt> {
        let Some(plan) = self.plan.as_ref().filter(|_| !self.open.is_empty()) else {
            return Ok(());
        };
        let unknown = |open: &Open| !open.moved.iter().all(|&card| self.revealed(card, open.turn));
        let Some(first) = self.open.iter().position(unknown) else { return Ok(()) };
        // The more turns must be replayed, the more draws share them.
        let turns = (self.ticks.len() - self.open[first].turn) as u32;
        if plan.draws < turns.min(DRAWS) {
            return Ok(());
        }
        let turns = self.turns.clone();
        self.rewind(first);
        self.reach(&turns, rng, stop)
    }

    /// The first open decision to make again if a turn fails because all options of its player use
    /// cards that this player knows, such as a card passed on to someone who then does not follow
    /// suit. Such a card was passed on in turn, or it never came there; a hint says which. The
    /// machine is in the state before the turn.
    pub(super) fn crowded(&mut self, rng: &mut Rng) -> Option<usize> {
        let shared = Arc::clone(&self.shared);
        let Wait::Choice(choice) = self.machine.wait else { return None };
        let player = self.machine.current();
        if player == self.me {
            return None;
        }
        self.machine.choosing.noting = false;
        self.machine.choosing.guess(&[]);
        self.machine.logging = true;
        let expanded = self.machine.expand(&shared.program, choice);
        self.machine.logging = false;
        expanded.ok()?;
        let choosing = &self.machine.choosing;
        let mut cards: Vec<u32> = Vec::new();
        for option in 0..choosing.len() {
            let known = choosing.actions(option).iter().find_map(|event| match *event {
                Event::Move { card, .. } => Some(card),
                _ => None,
            });
            cards.push(known.filter(|&card| self.cards[card as usize].seen)?);
        }
        let mut first = None;
        for card in cards {
            let came = self.ticks.iter().rposition(|tick| tick.moves(card));
            let may = |hint: (usize, u32, bool)| {
                let taken = hint.2 && self.hints.iter().any(|known| known.0 == hint.0 && known.2);
                !taken && !self.hints.contains(&hint)
            };
            let mut ways: Vec<(usize, (usize, u32, bool))> = Vec::new();
            for (number, open) in self.open.iter().enumerate() {
                if Some(open.turn) == came {
                    ways.push((number, (open.turn, card, false)));
                } else if Some(open.turn) > came && self.ticks[open.turn].player == player {
                    ways.push((number, (open.turn, card, true)));
                }
            }
            ways.retain(|&(_, hint)| may(hint));
            if ways.is_empty() {
                continue;
            }
            let (number, hint) = ways[rng.below(ways.len() as u64) as usize];
            self.hints.retain(|known| (known.0, known.1) != (hint.0, hint.1));
            self.hints.push(hint);
            first = Some(first.map_or(number, |first: usize| first.min(number)));
        }
        first
    }

    /// Whether the player saw a card after a turn.
    fn revealed(&self, card: u32, turn: usize) -> bool {
        self.ticks[turn..].iter().any(|tick| {
            let shown = |&(_, kind, _, _, c): &crate::percepts::Key| {
                matches!(kind, 0 | 4 | 5) && c >= 0 && c as u32 == card
            };
            tick.seen.iter().any(shown)
        })
    }
}
