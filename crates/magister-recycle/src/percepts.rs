//! Percepts: the part of the events that a player observes.
//!
//! Stores are public, and so is the fact that a card moves from one pile to another. A player who
//! sees one of the two piles sees the card. A percept also contains its position in the order of
//! events of a step, because percepts are sets.

use std::sync::{Mutex, PoisonError};

use magister_core::Percept;
use rustc_hash::FxHashMap;

use crate::machine::Event;
use crate::moves::{Moves, owner_name};
use crate::program::Program;

/// The numbers of percepts, in order of first appearance.
#[derive(Debug, Default)]
pub(crate) struct Percepts {
    met: Mutex<Met>,
}

#[derive(Debug, Default)]
struct Met {
    numbers: FxHashMap<Key, u32>,
    keys: Vec<Key>,
}

/// A percept: its position in the order, its kind, and three numbers.
pub(crate) type Key = (u32, u8, u32, u32, i32);

const KINDS: [&str; 10] =
    ["move", "int", "str", "points", "remember", "forget", "shuffle", "next", "current", "pass"];

impl Percepts {
    /// The percept of a player at an event.
    pub(crate) fn of(
        &self,
        p: &Program,
        order: usize,
        event: &Event,
        player: u32,
    ) -> Option<Percept> {
        Self::says(p, order, event, player).map(|key| self.number(key))
    }

    /// What a player observes of an event.
    pub(crate) fn says(p: &Program, order: usize, event: &Event, player: u32) -> Option<Key> {
        let me = 1u64 << player;
        let (kind, a, b, c) = match *event {
            Event::Move { card, from, to, .. } => {
                let seen = (p.seen[from as usize] | p.seen[to as usize]) & me != 0;
                (0, from, to, if seen { card as i32 } else { -1 })
            }
            Event::Int { address, value } => (1, address, 0, value),
            Event::Str { address, value } => (2, address, 0, value as i32),
            Event::Points { address } => (3, address, 0, 0),
            Event::Remember { card, pile } => (4, pile, 0, card as i32),
            Event::Forget { card, pile } => (5, pile, 0, card as i32),
            Event::Shuffle { pile } => (6, pile, 0, 0),
            Event::Next { player } => (7, player, 0, 0),
            Event::Current { player } => (8, player, 0, 0),
            Event::Pass => (9, 0, 0, 0),
            // The player to move follows from the rules and the other percepts.
            Event::Turn { .. } => return None,
        };
        Some((order as u32, kind, a, b, c))
    }

    /// The content of a percept.
    pub(crate) fn key(&self, percept: Percept) -> Option<Key> {
        let met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        met.keys.get(percept.0 as usize).copied()
    }

    fn number(&self, key: Key) -> Percept {
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = met.numbers.get(&key) {
            return Percept(number);
        }
        let number = met.keys.len() as u32;
        met.keys.push(key);
        met.numbers.insert(key, number);
        Percept(number)
    }

    pub(crate) fn text(&self, p: &Program, moves: &Moves, percept: Percept) -> String {
        let Some((order, kind, a, b, c)) = self.key(percept) else {
            return format!("(unknown {})", percept.0);
        };
        let card = |card: i32| match card {
            -1 => "?",
            card => moves.card(card as usize),
        };
        let name = KINDS[kind as usize];
        match kind {
            0 => format!("({order} move {} {} {})", card(c), pile_name(p, a), pile_name(p, b)),
            1 => format!("({order} int {} {c})", store_name(p, 0, a)),
            2 => format!("({order} str {} ={})", store_name(p, 1, a), p.rules.strings[c as usize]),
            3 => format!("({order} points {})", store_name(p, 2, a)),
            4 | 5 => format!("({order} {name} {} {})", card(c), pile_name(p, a)),
            6 => format!("({order} shuffle {})", pile_name(p, a)),
            7 | 8 => format!("({order} {name} p{a})"),
            _ => format!("({order} {name})"),
        }
    }

    pub(crate) fn parse(&self, p: &Program, moves: &Moves, text: &str) -> Option<Percept> {
        let words: Vec<&str> =
            text.trim().strip_prefix('(')?.strip_suffix(')')?.split_whitespace().collect();
        let order: u32 = words.first()?.parse().ok()?;
        let kind = KINDS.iter().position(|kind| Some(kind) == words.get(1))?;
        let card = |at: usize| match words.get(at)? {
            &"?" => Some(-1),
            name => moves.card_of(name).map(|card| card as i32),
        };
        let pile = |at: usize| parse_pile(p, words.get(at)?);
        let (a, b, c) = match kind {
            0 => (pile(3)?, pile(4)?, card(2)?),
            1 => (parse_store(p, 0, words.get(2)?)?, 0, words.get(3)?.parse().ok()?),
            2 => {
                let value = words.get(3)?.strip_prefix('=')?;
                let value = p.rules.strings.iter().position(|s| s == value)?;
                (parse_store(p, 1, words.get(2)?)?, 0, value as i32)
            }
            3 => (parse_store(p, 2, words.get(2)?)?, 0, 0),
            4 | 5 => (pile(3)?, 0, card(2)?),
            6 => (pile(2)?, 0, 0),
            7 | 8 => (words.get(2)?.strip_prefix('p')?.parse().ok()?, 0, 0),
            _ => (0, 0, 0),
        };
        // A percept that never occurred has no number.
        let met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        met.numbers.get(&(order, kind as u8, a, b, c)).map(|&number| Percept(number))
    }
}

/// The name of a pile, such as `p0.iloc.HAND`.
pub(crate) fn pile_name(p: &Program, pile: u32) -> String {
    let (place, owner) = p.pile(pile as usize);
    let name = &p.rules.strings[place.name as usize];
    let index = if place.index == 0 { String::new() } else { format!(".{}", place.index) };
    format!("{}.{}.{name}{index}", owner_name(p, owner), place.vis.keyword())
}

pub(crate) fn parse_pile(p: &Program, text: &str) -> Option<u32> {
    (0..p.piles() as u32).find(|&pile| pile_name(p, pile) == text)
}

pub(crate) fn store_name(p: &Program, kind: usize, address: u32) -> String {
    let names = [&p.rules.ints, &p.rules.strs, &p.rules.maps][kind];
    let name = &p.rules.strings[names[(address / p.owners) as usize] as usize];
    format!("{}.{name}", owner_name(p, address % p.owners))
}

pub(crate) fn parse_store(p: &Program, kind: usize, text: &str) -> Option<u32> {
    let names = [&p.rules.ints, &p.rules.strs, &p.rules.maps][kind];
    (0..names.len() as u32 * p.owners).find(|&address| store_name(p, kind, address) == text)
}
