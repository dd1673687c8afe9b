//! Moves: options as numbers and as text.
//!
//! An option is an alternative of a choice with an element for each of its `any` forms. A move is
//! identified by these and not by its effect, because the effect may be hidden: a card is
//! identified by name if the player sees it when choosing, and by its position otherwise.
//!
//! With up to two elements the number of a move follows from the rules alone. Other options are
//! numbered in order of first appearance.

use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use magister_core::Move;
use rustc_hash::FxHashMap;

use crate::ir::{Act, Card, Cards, Int, Key, SlotKind, Stmt, StmtId, Str};
use crate::machine::{CARD, Machine};
use crate::program::Program;

/// Marks a group in the key of a move: the number of its cards, and the cards follow.
const GROUP: i32 = -2;
/// The integers with fixed numbers in the numbering of moves.
const INTS: std::ops::Range<i32> = -16..240;
/// The first number for moves that are numbered on demand.
const MET: u32 = 1 << 31;

/// The numbering of a game's moves.
#[derive(Debug)]
pub(crate) struct Moves {
    /// For each choice, the label of each alternative. Alternatives of different choices may have
    /// the same label.
    of_choice: FxHashMap<StmtId, Vec<u32>>,
    labels: Vec<String>,
    by_label: FxHashMap<String, u32>,
    tokens: Vec<String>,
    by_token: FxHashMap<String, u32>,
    draws: u32,
    cards: u32,
    strings: u32,
    owners: u32,
    met: Mutex<Met>,
}

#[derive(Debug, Default)]
struct Met {
    numbers: FxHashMap<Box<[i32]>, u32>,
    keys: Vec<Box<[i32]>>,
}

impl Moves {
    pub(crate) fn new(p: &Program, text: &str) -> Self {
        let mut of_choice = FxHashMap::default();
        let mut labels: Vec<String> = Vec::new();
        let mut by_label: FxHashMap<String, u32> = FxHashMap::default();
        for (id, stmt) in p.rules.stmts.iter().enumerate() {
            let Stmt::Choice(alternatives) = stmt else { continue };
            let label = |&alternative: &StmtId| {
                let start = p.rules.spans[alternative as usize].start as usize;
                named(text, start).unwrap_or_else(|| label(p, alternative))
            };
            let mut own: Vec<String> = alternatives.iter().map(label).collect();
            make_unique(&mut own);
            let numbers = own.into_iter().map(|label| {
                *by_label.entry(label.clone()).or_insert_with(|| {
                    labels.push(label);
                    labels.len() as u32 - 1
                })
            });
            of_choice.insert(id as StmtId, numbers.collect());
        }
        let mut tokens: Vec<String> = (0..p.cards).map(|card| card_name(p, card)).collect();
        make_unique(&mut tokens);
        tokens.extend((0..p.cards).map(|at| format!("?{at}")));
        tokens.extend(p.rules.strings.iter().map(|string| format!("={string}")));
        tokens.extend((0..p.owners).map(|owner| owner_name(p, owner)));
        tokens.extend(INTS.map(|number| number.to_string()));
        let by_token = index(&tokens);
        Moves {
            of_choice,
            labels,
            by_label,
            by_token,
            tokens,
            draws: (p.cards as u32).max(crate::game::MOST_DRAWS as u32),
            cards: p.cards as u32,
            strings: p.rules.strings.len() as u32,
            owners: p.owners,
            met: Mutex::default(),
        }
    }

    /// The name of a card, unique in the game.
    pub(crate) fn card(&self, card: usize) -> &str {
        &self.tokens[card]
    }

    pub(crate) fn card_of(&self, name: &str) -> Option<u32> {
        self.by_token.get(name).copied().filter(|&token| token < self.cards)
    }

    /// The card with this name in small or capital letters.
    pub(crate) fn card_like(&self, name: &str) -> Option<u32> {
        let alike = |&card: &u32| self.tokens[card as usize].eq_ignore_ascii_case(name);
        self.card_of(name).or_else(|| (0..self.cards).find(alike))
    }

    /// The moves of chance.
    pub(crate) fn draws(&self) -> u32 {
        self.draws
    }

    /// The number of the move of an option.
    pub(crate) fn number(
        &self,
        p: &Program,
        machine: &Machine,
        choice: StmtId,
        option: usize,
        key: &mut Vec<i32>,
    ) -> Move {
        key.clear();
        let path = machine.choosing.path(option);
        key.push(self.of_choice[&choice][path[0] as usize] as i32);
        let me = 1u64 << machine.current();
        let seen = |card: usize| p.seen[machine.at[card] as usize] & me != 0;
        let mut values = machine.choosing.values(option).iter().copied();
        while let (Some(slot), Some(count)) = (values.next(), values.next()) {
            if count >= 0 {
                key.push(GROUP);
                key.push(count);
                let from = key.len();
                let mut hidden = false;
                for _ in 0..count {
                    let card = values.next().unwrap_or(0) & CARD;
                    hidden |= !seen(card as usize);
                    key.push(card);
                }
                let at = values.next().unwrap_or(0);
                // A group with cards that the player does not see is identified by its position.
                if hidden {
                    key.truncate(from - 2);
                    key.push(self.place(at));
                }
                continue;
            }
            let word = values.next().unwrap_or(0);
            let at = values.next().unwrap_or(0);
            let token = match p.rules.slot_kinds[slot as usize] {
                SlotKind::Card | SlotKind::Cards => {
                    let card = word & CARD;
                    if seen(card as usize) { card } else { self.place(at) }
                }
                SlotKind::Str => (2 * self.cards) as i32 + word,
                SlotKind::Owner => (2 * self.cards + self.strings) as i32 + word,
                SlotKind::Int => match word {
                    word if INTS.contains(&word) => {
                        (2 * self.cards + self.strings + self.owners) as i32 + word - INTS.start
                    }
                    word => {
                        key.push(GROUP);
                        key.push(-1);
                        key.push(word);
                        continue;
                    }
                },
            };
            key.push(token);
        }
        self.of_key(key)
    }

    /// The token for an element given by its position in its collection.
    fn place(&self, at: i32) -> i32 {
        self.cards as i32 + at.min(self.cards as i32 - 1)
    }

    fn of_key(&self, key: &[i32]) -> Move {
        let (labels, tokens) = (self.labels.len() as u64, self.tokens.len() as u64);
        let (label, rest) = key.split_first().map_or((0, key), |(&l, rest)| (l as u64, rest));
        if !rest.contains(&GROUP) {
            let number = match *rest {
                [] => Some(label),
                [a] => Some(labels + label * tokens + a as u64),
                [a, b] => {
                    Some(labels + labels * tokens + (label * tokens + a as u64) * tokens + b as u64)
                }
                _ => None,
            };
            if let Some(number) = number
                && number < u64::from(MET - self.draws)
            {
                return Move(self.draws + number as u32);
            }
        }
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = met.numbers.get(key) {
            return Move(MET + number);
        }
        let number = met.keys.len() as u32;
        met.keys.push(key.into());
        met.numbers.insert(key.into(), number);
        Move(MET + number)
    }

    fn key(&self, choice: Move) -> Option<Vec<i32>> {
        let (labels, tokens) = (self.labels.len() as u64, self.tokens.len() as u64);
        if choice.0 >= MET {
            let met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
            return met.keys.get((choice.0 - MET) as usize).map(|key| key.to_vec());
        }
        let number = u64::from(choice.0.checked_sub(self.draws)?);
        if number < labels {
            return Some(vec![number as i32]);
        }
        let number = number - labels;
        if number < labels * tokens {
            return Some(vec![(number / tokens) as i32, (number % tokens) as i32]);
        }
        let number = number - labels * tokens;
        let label = number / tokens / tokens;
        (label < labels).then(|| {
            vec![label as i32, (number / tokens % tokens) as i32, (number % tokens) as i32]
        })
    }

    /// The text of a move: `(draw 3)` for chance, and `(LABEL ELEMENT ..)` for players.
    pub(crate) fn text(&self, choice: Move) -> String {
        if choice.0 < self.draws {
            return format!("(draw {})", choice.0);
        }
        let Some(key) = self.key(choice) else { return format!("(unknown {})", choice.0) };
        let mut out = format!("({}", self.labels[key[0] as usize]);
        let mut rest = key[1..].iter().copied();
        while let Some(token) = rest.next() {
            if token != GROUP {
                let _ = write!(out, " {}", self.tokens[token as usize]);
                continue;
            }
            match rest.next().unwrap_or(0) {
                -1 => {
                    let _ = write!(out, " {}", rest.next().unwrap_or(0));
                }
                count => {
                    let cards: Vec<&str> = (0..count)
                        .filter_map(|_| rest.next())
                        .map(|card| self.tokens[card as usize].as_str())
                        .collect();
                    let _ = write!(out, " [{}]", cards.join(" "));
                }
            }
        }
        out.push(')');
        out
    }

    /// The move of a text.
    pub(crate) fn parse(&self, text: &str) -> Option<Move> {
        let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
        let inner = inner.replace('[', " [ ").replace(']', " ] ");
        let mut words = inner.split_whitespace();
        let label = words.next()?;
        if label == "draw" {
            let number: u32 = words.next()?.parse().ok()?;
            return (words.next().is_none() && number < self.draws).then_some(Move(number));
        }
        let mut key = vec![*self.by_label.get(label)? as i32];
        while let Some(word) = words.next() {
            if word == "[" {
                let from = key.len();
                key.extend([GROUP, 0]);
                loop {
                    match words.next()? {
                        "]" => break,
                        card => key.push(self.card_of(card)? as i32),
                    }
                }
                key[from + 1] = (key.len() - from - 2) as i32;
            } else if let Some(&token) = self.by_token.get(word) {
                key.push(token as i32);
            } else {
                key.extend([GROUP, -1, word.parse().ok()?]);
            }
        }
        // Texts from outside are not stored, because they could fill the memory.
        if key.len() > 3 || key.contains(&GROUP) {
            let met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
            return met.numbers.get(&key[..]).map(|&number| Move(MET + number));
        }
        Some(self.of_key(&key))
    }
}

fn index(names: &[String]) -> FxHashMap<String, u32> {
    names.iter().enumerate().map(|(at, name)| (name.clone(), at as u32)).collect()
}

/// Adds numbers to duplicate names.
fn make_unique(names: &mut [String]) {
    let mut counts: FxHashMap<String, u32> = FxHashMap::default();
    for name in names.iter() {
        *counts.entry(name.clone()).or_default() += 1;
    }
    let mut seen: FxHashMap<String, u32> = FxHashMap::default();
    for name in names {
        if counts[name.as_str()] > 1 {
            let number = seen.entry(name.clone()).or_default();
            *number += 1;
            let _ = write!(name, "#{number}");
        }
    }
}

/// The name of a card: short for common decks, otherwise its values.
fn card_name(p: &Program, card: usize) -> String {
    if let Some(short) = crate::short::card(p, card, false) {
        return short;
    }
    let values = &p.rules.cards[card].values;
    let names: Vec<&str> =
        values.iter().map(|&(_, value)| p.rules.strings[value as usize].as_str()).collect();
    if names.is_empty() { "CARD".to_owned() } else { names.join("-") }
}

pub(crate) fn owner_name(p: &Program, owner: u32) -> String {
    let players = p.rules.players;
    match owner {
        0 => "table".to_owned(),
        owner if owner <= players => format!("p{}", owner - 1),
        owner => format!("t{}", owner - 1 - players),
    }
}

/// The maximum length of a name that a comment may give to an alternative.
const LONGEST_NAME: usize = 24;

/// The name that the rules give to an alternative: a comment on the line before it that consists of
/// a few short words and a colon, such as `;; lay off:`.
fn named(text: &str, start: usize) -> Option<String> {
    let before = text.get(..start)?.trim_end();
    let line = before.rsplit('\n').next()?.trim();
    let name = line.trim_start_matches(';').trim().strip_suffix(':')?.trim_end();
    let small = |letter: char| letter.is_ascii_lowercase() || letter == ' ';
    let fits = line.starts_with(';') && name.len() <= LONGEST_NAME && name.chars().all(small);
    let words: Vec<&str> = name.split_whitespace().collect();
    (fits && !words.is_empty() && words != ["draw"]).then(|| words.join("-"))
}

/// The name of an alternative: that of its first action.
fn label(p: &Program, stmt: StmtId) -> String {
    let string = |id: u32| p.rules.strings[id as usize].to_ascii_lowercase();
    let place = |key: &Key| match key {
        Key::Family(family) => string(p.rules.places[*family as usize].name),
        _ => "place".to_owned(),
    };
    match &p.rules.stmts[stmt as usize] {
        Stmt::Seq(list) | Stmt::Blocks(list) | Stmt::Choice(list) => {
            list.first().map_or_else(|| "nothing".to_owned(), |&first| label(p, first))
        }
        Stmt::If(_, body)
        | Stmt::All(_, _, body)
        | Stmt::Any(_, _, body)
        | Stmt::Let(_, _, body)
        | Stmt::Repeat(_, body)
        | Stmt::Stage { body, .. } => label(p, *body),
        Stmt::RepeatMove { to, .. } => format!("move-all-to-{}", place(&to.key)),
        Stmt::RepeatForget(_) | Stmt::Act(Act::Forget(_)) => "forget".to_owned(),
        Stmt::Act(act) => match act {
            Act::SetInt(_, key, Int::Const(value)) => {
                format!("{}-{value}", store(p, "set", 0, key))
            }
            Act::SetInt(_, key, _) => store(p, "set", 0, key),
            Act::Add(true, _, key, _) => store(p, "increase", 0, key),
            Act::Add(false, _, key, _) => store(p, "decrease", 0, key),
            Act::SetStr(_, key, Str::Const(value)) => {
                format!("{}-{}", store(p, "set", 1, key), string(*value))
            }
            Act::SetStr(_, key, _) => store(p, "set", 1, key),
            Act::SetPoints(points, _) => store(p, "set", 2, &points.key),
            Act::CycleNext(_) => "next".to_owned(),
            Act::CycleCurrent(_) => "current".to_owned(),
            Act::Move { card: Card::At(_, cards), to, .. } => match &**cards {
                Cards::Place(from) => format!("{}-to-{}", place(&from.key), place(&to.key)),
                _ => format!("move-to-{}", place(&to.key)),
            },
            Act::Move { to, .. } => format!("move-to-{}", place(&to.key)),
            Act::Remember { to, .. } => format!("remember-in-{}", place(&to.key)),
            Act::Shuffle(of) => format!("shuffle-{}", place(&of.key)),
            Act::Pass | Act::Forget(_) => "pass".to_owned(),
        },
    }
}

fn store(p: &Program, verb: &str, kind: usize, key: &Key) -> String {
    let names = [&p.rules.ints, &p.rules.strs, &p.rules.maps][kind];
    match key {
        Key::Family(family) => {
            let name = &p.rules.strings[names[*family as usize] as usize];
            format!("{verb}-{}", name.to_ascii_lowercase())
        }
        _ => verb.to_owned(),
    }
}
