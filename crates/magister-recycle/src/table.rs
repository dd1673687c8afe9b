//! Positions and events as text, for people at the table.

use std::fmt::Write as _;

use magister_core::{Percept, Role};

use crate::game::CardGame;
use crate::ir::Vis;
use crate::machine::{Machine, Wait};
use crate::moves::owner_name;
use crate::program::Program;

/// A visible pile with more cards than this is shown as its size and its top card.
const LISTED: usize = 14;

/// A position as seen by a person at the table.
///
/// It is the same in all states of the viewer's information set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The table, the players and the teams that own something.
    pub owners: Vec<Owner>,
    /// The player to move, if the game waits for a player.
    pub turn: Option<Role>,
}

/// An owner of piles and values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// `table`, the name of a player, or a team.
    pub name: String,
    /// The player; `None` for the table and for teams.
    pub player: Option<Role>,
    /// The piles with cards.
    pub piles: Vec<Pile>,
    /// The names and the values of stores, such as scores.
    pub values: Vec<(String, String)>,
}

/// A pile of cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pile {
    /// Its name in small letters.
    pub name: String,
    /// Whether it belongs to one person, such as a hand.
    pub own: bool,
    /// Whether its cards are only remembered, because they are also in another pile.
    pub memory: bool,
    /// The cards: a hand in its sorted order, other piles from the bottom. `None` is a card that
    /// the viewer does not see.
    pub cards: Vec<Option<Card>>,
}

/// A card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// Its name as in moves.
    pub name: String,
    /// Its name for people, such as `Q♠`.
    pub label: String,
}

impl CardGame {
    /// A position as data. A viewer sees the cards of its own piles and of visible ones. Without a
    /// viewer, all cards that any player sees are shown. `None` if the words are not a state.
    pub fn table(&self, state: &[u64], viewer: Option<Role>) -> Option<Table> {
        self.laid_out(state, viewer, false, true)
    }

    fn laid_out(
        &self,
        state: &[u64],
        viewer: Option<Role>,
        all: bool,
        unicode: bool,
    ) -> Option<Table> {
        let p = &self.shared.program;
        let eyes = viewer.map_or(u64::MAX, |role| 1 << role.0);
        let mut machine = Machine::new(p);
        machine.load(p, state)?;
        let mut owners = Vec::new();
        for owner in 0..p.owners {
            let player = (1..p.seats).contains(&owner).then(|| Role((owner - 1) as u8));
            let name = owner_words(p, owner, viewer);
            let mut found = Owner { name, player, piles: Vec::new(), values: Vec::new() };
            let piles = (0..p.piles()).filter(|_| owner < p.seats);
            for pile in piles.filter(|&pile| p.pile(pile).1 == owner && machine.lens[pile] > 0) {
                let place = p.pile(pile).0;
                let own = place.vis == Vis::Owner;
                let seen = all || p.seen[pile] & eyes != 0;
                let card = |&card: &u16| {
                    seen.then(|| Card {
                        name: self.shared.moves.card(card as usize).to_owned(),
                        label: self.card_words(card as usize, unicode),
                    })
                };
                found.piles.push(Pile {
                    name: place_name(p, place.name, place.index),
                    own,
                    memory: place.vis == Vis::Memory,
                    cards: self.in_order(machine.pile(pile), own).iter().map(card).collect(),
                });
            }
            let stores = |values: &[i32]| -> Vec<(usize, i32)> {
                let own =
                    values.iter().enumerate().filter(|(at, _)| *at as u32 % p.owners == owner);
                own.filter(|(_, value)| **value != 0).map(|(at, &value)| (at, value)).collect()
            };
            for (address, value) in stores(&machine.ints) {
                let name = p.rules.ints[address / p.owners as usize];
                found.values.push((lower(p, name), value.to_string()));
            }
            for (address, value) in stores(&machine.strs) {
                let name = p.rules.strs[address / p.owners as usize];
                found.values.push((lower(p, name), lower(p, value as u32)));
            }
            if !(found.piles.is_empty() && found.values.is_empty()) {
                owners.push(found);
            }
        }
        let waits = matches!(machine.wait, Wait::Choice(_));
        Some(Table { owners, turn: waits.then(|| Role(machine.current() as u8)) })
    }

    /// The cards of a pile. A hand is sorted by its last attribute, which is the suit in most decks.
    fn in_order(&self, cards: &[u16], own: bool) -> Vec<u16> {
        let mut sorted = cards.to_vec();
        if own {
            let last = |card: u16| self.shared.program.rules.cards[card as usize].values.last();
            sorted.sort_by_key(|&card| (last(card).map(|&(_, value)| value), card));
        }
        sorted
    }

    /// A position as text: the table and the players with their piles and scores. A viewer sees the
    /// cards of its own piles and of visible ones, and the number of cards in other piles. Without
    /// a viewer all cards are shown. `None` if the words are not a state.
    pub fn table_text(&self, state: &[u64], viewer: Option<Role>, unicode: bool) -> Option<String> {
        let mut text = String::new();
        let table = self.laid_out(state, viewer, viewer.is_none(), unicode)?;
        for owner in &table.owners {
            let piles =
                owner.piles.iter().map(|pile| format!("{} {}", pile.name, cards_text(pile)));
            let values = owner.values.iter().map(|(name, value)| format!("{name} {value}"));
            let parts: Vec<String> = piles.chain(values).collect();
            let _ = writeln!(text, "{:<7}{}", owner.name, parts.join("; "));
        }
        if let Some(role) = table.turn {
            let name = owner_words(&self.shared.program, u32::from(role.0) + 1, viewer);
            let _ = writeln!(text, "on turn: {name}");
        }
        Some(text)
    }

    /// A card in short, such as `Q♠`, if it has a rank and a suit of a common deck; otherwise its
    /// name as in moves.
    pub(crate) fn card_words(&self, card: usize, unicode: bool) -> String {
        let name = self.shared.moves.card(card);
        match crate::short::card(&self.shared.program, card, unicode) {
            // A numbered name distinguishes equal cards.
            Some(short) if !name.contains('#') => short,
            _ => name.to_owned(),
        }
    }

    /// A pile as a viewer calls it, such as `your hand`.
    pub(crate) fn pile_text(&self, pile: u32, viewer: Role) -> String {
        pile_words(&self.shared.program, pile, Some(viewer))
    }

    /// The observations of a turn as text: where cards went and which values changed. The viewer is
    /// called `you`. Empty if there is nothing to report.
    pub fn news(&self, viewer: Option<Role>, percepts: &[Percept], unicode: bool) -> String {
        let p = &self.shared.program;
        let mut keys: Vec<_> =
            percepts.iter().filter_map(|&percept| self.shared.percepts.key(percept)).collect();
        keys.sort_unstable();
        let mut parts: Vec<String> = Vec::new();
        // Cards that move between the same piles are one event.
        let mut ways: Vec<(u32, u32, Vec<i32>)> = Vec::new();
        for &(_, kind, a, b, c) in &keys {
            match kind {
                0 => match ways.iter_mut().find(|(from, to, _)| (*from, *to) == (a, b)) {
                    Some((.., cards)) => cards.push(c),
                    None => ways.push((a, b, vec![c])),
                },
                1 => parts.push(format!("{}: {c}", store_words(p, 0, a, viewer))),
                2 => {
                    parts.push(format!("{}: {}", store_words(p, 1, a, viewer), lower(p, c as u32)));
                }
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

/// The cards of a pile as text.
fn cards_text(pile: &Pile) -> String {
    let count = pile.cards.len();
    let plural = if count == 1 { "" } else { "s" };
    let seen: Option<Vec<&str>> =
        pile.cards.iter().map(|card| Some(card.as_ref()?.label.as_str())).collect();
    match seen {
        None => format!("({count} card{plural})"),
        Some(cards) if !pile.own && count > LISTED => {
            format!("({count} cards, {} on top)", cards[count - 1])
        }
        Some(cards) => cards.join(" "),
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

fn whose(p: &Program, owner: u32, viewer: Option<Role>) -> String {
    match owner_words(p, owner, viewer).as_str() {
        "table" => "the".to_owned(),
        "you" => "your".to_owned(),
        other => format!("{other}'s"),
    }
}

fn pile_words(p: &Program, pile: u32, viewer: Option<Role>) -> String {
    let (place, owner) = p.pile(pile as usize);
    format!("{} {}", whose(p, owner, viewer), place_name(p, place.name, place.index))
}

fn store_words(p: &Program, kind: usize, address: u32, viewer: Option<Role>) -> String {
    let names = [&p.rules.ints, &p.rules.strs, &p.rules.maps][kind];
    let name = lower(p, names[(address / p.owners) as usize]);
    match address % p.owners {
        0 => name,
        owner => format!("{} {name}", whose(p, owner, viewer)),
    }
}
