//! Positions and events in words, for people at the table.

use std::fmt::Write as _;

use magister_core::{Percept, Role};

use crate::game::CardGame;
use crate::ir::Vis;
use crate::machine::{Machine, Wait};
use crate::moves::owner_name;
use crate::program::Program;

/// A visible pile with more cards than this is given by its size and its top card.
const LISTED: usize = 14;

impl CardGame {
    /// A position as a person at the table sees it: the table and the players with their piles and
    /// scores. A viewer sees the cards of its own piles and of visible ones; of others it sees the
    /// number. Without a viewer all cards are shown. `None` if the words are not a state.
    ///
    /// What a viewer sees is the same in all states of its information set.
    pub fn table(&self, state: &[u64], viewer: Option<Role>, unicode: bool) -> Option<String> {
        let p = &self.shared.program;
        let mut machine = Machine::new(p);
        machine.load(p, state)?;
        let eyes = viewer.map_or(u64::MAX, |role| 1 << role.0);
        let mut text = String::new();
        for owner in 0..p.owners {
            let mut parts: Vec<String> = Vec::new();
            if owner < p.seats {
                for pile in 0..p.piles() {
                    let (place, of) = p.pile(pile);
                    if of == owner && machine.lens[pile] > 0 {
                        let seen = viewer.is_none() || p.seen[pile] & eyes != 0;
                        let name = place_name(p, place.name, place.index);
                        let cards = self.cards_text(&machine, pile, place.vis, seen, unicode);
                        parts.push(format!("{name} {cards}"));
                    }
                }
            }
            let stores = |values: &[i32]| -> Vec<(usize, i32)> {
                let own =
                    values.iter().enumerate().filter(|(at, _)| *at as u32 % p.owners == owner);
                own.filter(|(_, value)| **value != 0).map(|(at, &value)| (at, value)).collect()
            };
            for (address, value) in stores(&machine.ints) {
                let name = p.rules.ints[address / p.owners as usize];
                parts.push(format!("{} {value}", lower(p, name)));
            }
            for (address, value) in stores(&machine.strs) {
                let name = p.rules.strs[address / p.owners as usize];
                parts.push(format!("{} {}", lower(p, name), lower(p, value as u32)));
            }
            if !parts.is_empty() {
                let _ = writeln!(text, "{:<7}{}", owner_words(p, owner, viewer), parts.join("; "));
            }
        }
        if matches!(machine.wait, Wait::Choice(_)) {
            let _ = writeln!(text, "on turn: {}", owner_words(p, machine.current() + 1, viewer));
        }
        Some(text)
    }

    fn cards_text(
        &self,
        machine: &Machine,
        pile: usize,
        vis: Vis,
        seen: bool,
        unicode: bool,
    ) -> String {
        let cards = machine.pile(pile);
        let count = cards.len();
        let plural = if count == 1 { "" } else { "s" };
        if !seen {
            return format!("({count} card{plural})");
        }
        let name = |card: u16| self.card_words(card as usize, unicode);
        if vis != Vis::Owner && count > LISTED {
            return format!("({count} cards, {} on top)", name(cards[count - 1]));
        }
        let mut sorted: Vec<u16> = cards.to_vec();
        if vis == Vis::Owner {
            // A hand is sorted by its last attribute, which is the suit in most decks.
            let last = |card: u16| self.shared.program.rules.cards[card as usize].values.last();
            sorted.sort_by_key(|&card| (last(card).map(|&(_, value)| value), card));
        }
        sorted.into_iter().map(name).collect::<Vec<_>>().join(" ")
    }

    /// A card in short, such as `Q♠`, if it has a rank and a suit of a common deck; otherwise its
    /// name as in moves.
    fn card_words(&self, card: usize, unicode: bool) -> String {
        let name = self.shared.moves.card(card);
        match crate::short::card(&self.shared.program, card, unicode) {
            // A name with a number tells equal cards apart.
            Some(short) if !name.contains('#') => short,
            _ => name.to_owned(),
        }
    }

    /// What a player observed in a turn, in words: where cards went and which values changed. Empty
    /// if there is nothing worth saying.
    pub fn news(&self, viewer: Role, percepts: &[Percept], unicode: bool) -> String {
        let p = &self.shared.program;
        let mut keys: Vec<_> =
            percepts.iter().filter_map(|&percept| self.shared.percepts.key(percept)).collect();
        keys.sort_unstable();
        let mut parts: Vec<String> = Vec::new();
        // Cards that go the same way are one event.
        let mut ways: Vec<(u32, u32, Vec<i32>)> = Vec::new();
        for &(_, kind, a, b, c) in &keys {
            match kind {
                0 => match ways.iter_mut().find(|(from, to, _)| (*from, *to) == (a, b)) {
                    Some((.., cards)) => cards.push(c),
                    None => ways.push((a, b, vec![c])),
                },
                1 => parts.push(format!("{} {c}", store_words(p, 0, a, viewer))),
                2 => parts.push(format!("{} {}", store_words(p, 1, a, viewer), lower(p, c as u32))),
                9 => parts.push("pass".to_owned()),
                _ => {}
            }
        }
        let moves = ways.into_iter().map(|(from, to, cards)| {
            let hidden = cards.iter().filter(|&&card| card < 0).count();
            let mut named: Vec<String> = cards
                .iter()
                .filter(|&&card| card >= 0)
                .map(|&card| self.card_words(card as usize, unicode))
                .collect();
            if hidden > 0 {
                named.push(format!("{hidden} card{}", if hidden == 1 { "" } else { "s" }));
            }
            let (from, to) = (pile_words(p, from, viewer), pile_words(p, to, viewer));
            format!("{} from {from} to {to}", named.join(" "))
        });
        moves.chain(parts).collect::<Vec<_>>().join("; ")
    }
}

fn lower(p: &Program, string: u32) -> String {
    p.rules.strings[string as usize].to_ascii_lowercase()
}

fn place_name(p: &Program, name: u32, index: i32) -> String {
    let name = lower(p, name);
    if index == 0 { name } else { format!("{name} {index}") }
}

fn owner_words(p: &Program, owner: u32, viewer: Option<Role>) -> String {
    if viewer.is_some_and(|role| u32::from(role.0) + 1 == owner) {
        return "you".to_owned();
    }
    if owner >= p.seats { format!("team {}", owner - p.seats) } else { owner_name(p, owner) }
}

fn whose(p: &Program, owner: u32, viewer: Role) -> String {
    match owner_words(p, owner, Some(viewer)).as_str() {
        "table" => "the".to_owned(),
        "you" => "your".to_owned(),
        other => format!("{other}'s"),
    }
}

fn pile_words(p: &Program, pile: u32, viewer: Role) -> String {
    let (place, owner) = p.pile(pile as usize);
    format!("{} {}", whose(p, owner, viewer), place_name(p, place.name, place.index))
}

fn store_words(p: &Program, kind: usize, address: u32, viewer: Role) -> String {
    let names = [&p.rules.ints, &p.rules.strs, &p.rules.maps][kind];
    let name = lower(p, names[(address / p.owners) as usize]);
    format!("{} {name}", whose(p, address % p.owners, viewer))
}
