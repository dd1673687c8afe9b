//! Positions as data for pictures: cells with values, and everything else as facts.
//!
//! The shape of a game is constant: its boards, cells, values and the drawings of values. A
//! position is then one small number per cell. Both come from the engine's recognition of boards
//! and from the game's `style.toml`.

pub(crate) mod cards;
mod data;
mod lessons;
mod moves;
mod sample;
mod shape;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use magister::Playable;
use magister::engine::board::{Line, Painter, Picture};
use magister_core::{Game, Layout, Style};
use rustc_hash::{FxHashMap, FxHashSet};

pub use data::{BoardNames, Cell, Edge, Fact, Group, Item, Painted, Shape};
use lessons::Lessons;
use moves::{arguments, own_board, words};
use sample::fluents;
pub(crate) use sample::sample;
use shape::{Votes, probe};

use crate::pieces::{Piece, Recogniser};

/// The engine's symbol for an empty cell.
const EMPTY: &str = ".";
/// Words for an empty cell in rules, in addition to those that the engine knows.
const NOTHING: [&str; 4] = ["nix", "nil", "nothing", "noone"];

/// Draws the positions of one game.
#[derive(Debug)]
pub struct Drawing {
    /// `None` for card games, whose tables are drawn without it.
    painter: Option<Painter>,
    shape: Option<Shape>,
    recogniser: Recogniser,
    /// The cells by board, column and row.
    places: FxHashMap<(usize, usize, usize), usize>,
    /// Labels of empty cells.
    blanks: FxHashSet<String>,
    /// Values by name, including those that occurred after the shape was made.
    values: Mutex<Values>,
    /// The cells of the game's own board as cells of the shape, if they fit.
    board: Option<Vec<usize>>,
    /// Cells by the words that name them in moves.
    words: FxHashMap<Vec<String>, usize>,
    /// For the name and length of a move, where it names cells, as indexes of the first words.
    arguments: FxHashMap<(String, usize), (usize, Vec<usize>)>,
    /// Cells of each board by the words that name them in moves.
    named: FxHashMap<(usize, Vec<String>), usize>,
    /// Moves whose effects showed that they name other cells.
    lessons: Lessons,
}

#[derive(Debug, Default)]
struct Values {
    names: Vec<String>,
    /// The labels of values that consist of several things in one cell.
    labels: FxHashMap<String, Vec<String>>,
    numbers: FxHashMap<String, u16>,
    symbols: BTreeMap<String, String>,
}

impl Values {
    fn number(&mut self, name: &str) -> u16 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        // In a game with more values, the rest are shown as the last one.
        let number = self.names.len().min(usize::from(u16::MAX)) as u16;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

impl Drawing {
    /// Determines how positions of a game are drawn.
    pub fn new(playable: &Playable) -> Self {
        Drawing::styled(playable, playable.source.style())
    }

    /// The same with another style.
    pub fn styled(playable: &Playable, style: &Style) -> Self {
        let game = &*playable.game;
        let info = game.info();
        let painter = cards::card_game(game).is_none().then(|| playable.painter_with(style));
        let mut drawing = Drawing {
            painter,
            shape: None,
            recogniser: Recogniser::new(&info.roles, None, &[], false),
            places: FxHashMap::default(),
            blanks: FxHashSet::default(),
            values: Mutex::default(),
            board: None,
            words: FxHashMap::default(),
            arguments: FxHashMap::default(),
            named: FxHashMap::default(),
            lessons: Lessons::default(),
        };
        let Some(painter) = &drawing.painter else { return drawing };
        let (all, listed) = fluents(playable);
        let whole = painter.paint(&all);
        let bare = painter.paint(&[]);
        if whole.panels.iter().all(|panel| panel.spots.is_empty()) {
            return drawing;
        }
        let mut reversed = Votes::default();
        let symbols = probe(painter, &all, &whole, &bare, &mut reversed);
        for (label, symbol) in &symbols {
            if symbol == EMPTY || NOTHING.contains(&label.as_str()) {
                drawing.blanks.insert(label.clone());
            }
        }
        let mut names: Vec<String> = vec![String::new()];
        let labels = whole.panels.iter().flat_map(|p| &p.spots).flat_map(|s| &s.labels);
        let mut known: FxHashSet<&String> = FxHashSet::default();
        for label in labels {
            if !drawing.blanks.contains(label) && known.insert(label) {
                names.push(label.clone());
            }
        }
        let chance = info.chance.map(magister_core::Role::index);
        let points = whole.panels.iter().any(|panel| panel.layout == Layout::Graph);
        drawing.recogniser = Recogniser::new(&info.roles, chance, &names, points);
        let mut values = Values { symbols, ..Values::default() };
        names.iter().for_each(|name| {
            values.number(name);
        });
        let shape = drawing.make_shape(&whole, &bare, &values);
        drawing.words = words(&shape, &whole, reversed.reversed());
        drawing.board = own_board(game, &shape, &whole, &drawing.places);
        if drawing.board.is_none() {
            drawing.arguments = arguments(game, &drawing.words);
        }
        drawing.shape = Some(shape);
        drawing.values = Mutex::new(values);
        // Values that need several fluents are found during play.
        if !listed {
            drawing.meet(game);
        }
        drawing.named = drawing.by_board(reversed.reversed());
        drawing.lessons = drawing.learn(game);
        drawing
    }

    /// The constant part; `None` if the game has no board.
    pub fn shape(&self) -> Option<&Shape> {
        self.shape.as_ref()
    }

    /// Values that occurred after the shape was made, by number, with their drawings.
    pub fn later(&self, cells: &[Option<u16>]) -> BTreeMap<u16, (String, Piece)> {
        let Some(shape) = &self.shape else { return BTreeMap::new() };
        let values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let new = cells.iter().flatten().filter(|&&cell| usize::from(cell) >= shape.values.len());
        new.filter_map(|&cell| {
            let name = values.names.get(usize::from(cell))?;
            Some((cell, (name.clone(), self.drawn(name, &values))))
        })
        .collect()
    }

    /// The position of a state.
    pub fn paint(&self, game: &dyn Game, state: &[u64]) -> Painted {
        if let Some(painter) = &self.painter {
            self.lay_out(&painter.picture(game, state))
        } else {
            let facts = cards::table(game, state, None).unwrap_or_default();
            Painted { cells: Vec::new(), facts }
        }
    }

    fn lay_out(&self, picture: &Picture) -> Painted {
        let mut facts = self.facts(picture);
        let count = self.shape.as_ref().map_or(0, |shape| shape.cells.len());
        let mut cells = vec![0; count];
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        for (board, panel) in picture.panels.iter().enumerate() {
            for spot in &panel.spots {
                let labels: Vec<&str> = spot
                    .labels
                    .iter()
                    .filter(|label| !self.blanks.contains(*label))
                    .map(String::as_str)
                    .collect();
                if labels.is_empty() {
                    continue;
                }
                match self.places.get(&(board, spot.column, spot.row)) {
                    Some(&cell) => {
                        let name = labels.join(" ");
                        if labels.len() > 1 && !values.symbols.contains_key(&name) {
                            values.symbols.insert(name.clone(), spot.symbol.clone());
                            let labels = labels.iter().map(|&label| label.to_owned()).collect();
                            values.labels.insert(name.clone(), labels);
                        }
                        cells[cell] = values.number(&name);
                    }
                    None => facts.push(fact(&spot.name, labels.join(" "))),
                }
            }
        }
        Painted { cells, facts }
    }

    /// The facts that are not on the board.
    fn facts(&self, picture: &Picture) -> Vec<Fact> {
        let mut facts = Vec::new();
        for line in &picture.lines {
            facts.push(match line {
                Line::Word { name, value } => self.word(name, value),
                Line::Counters { name, entries, piles } => {
                    let text: Vec<String> =
                        entries.iter().map(|(key, value)| format!("{key} {value}")).collect();
                    let kind = if *piles { "piles" } else { "counters" };
                    Fact { kind, entries: entries.clone(), ..fact(name, text.join(", ")) }
                }
                Line::List { name, items } => {
                    let things = items.iter().map(|text| self.item(name, text)).collect();
                    Fact { kind: "list", items: things, ..fact(name, items.join(", ")) }
                }
                Line::Groups { name, groups, stacked } => {
                    let group = |(group, things): &(String, Vec<String>)| Group {
                        name: group.clone(),
                        items: things.iter().map(|text| self.item(name, text)).collect(),
                        hidden: 0,
                    };
                    let groups: Vec<Group> = groups.iter().map(group).collect();
                    let text: Vec<String> = groups.iter().map(Group::text).collect();
                    let kind = if *stacked { "stacks" } else { "groups" };
                    Fact { kind, groups, ..fact(name, text.join("; ")) }
                }
                Line::Flags { entries } => {
                    let word = |on: &bool| if *on { "on" } else { "off" }.to_owned();
                    let entries: Vec<(String, String)> =
                        entries.iter().map(|(name, on)| (name.clone(), word(on))).collect();
                    let text: Vec<String> =
                        entries.iter().map(|(name, on)| format!("{name} {on}")).collect();
                    Fact { kind: "flags", entries, ..fact("", text.join(", ")) }
                }
            });
        }
        facts.extend(picture.facts.iter().map(|text| Fact {
            kind: "fact",
            label: crate::words::label(text),
            ..fact("", text.clone())
        }));
        facts
    }

    /// A name and its value. Cards and dice are drawn.
    fn word(&self, name: &str, value: &str) -> Fact {
        let things = || value.split(' ').map(|text| self.item(name, text)).collect::<Vec<Item>>();
        let drawn = |items: &[Item]| {
            !items.is_empty() && items.iter().all(|one| matches!(one.piece.shape, "card" | "die"))
        };
        // The name of a card may consist of several words.
        let whole = vec![self.item(name, value)];
        let items = if drawn(&whole) { whole } else { things() };
        let kind = if drawn(&items) { "list" } else { "word" };
        let items = if kind == "list" { items } else { Vec::new() };
        Fact { kind, items, ..fact(name, value.to_owned()) }
    }

    /// An item beside the board. The name of its list may indicate what it is.
    fn item(&self, list: &str, text: &str) -> Item {
        Item { piece: self.recogniser.thing(list, text), text: text.to_owned() }
    }

    fn drawn(&self, name: &str, values: &Values) -> Piece {
        match values.labels.get(name) {
            Some(labels) => self.recogniser.together(labels, &values.symbols),
            None => self.recogniser.piece(name, values.symbols.get(name).map(String::as_str)),
        }
    }

    /// Plays a little, so that the shape contains the values of a game without a list of fluents.
    fn meet(&mut self, game: &dyn Game) {
        for state in sample(game, 9) {
            self.paint(game, &state);
        }
        let values = self.values.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(shape) = &mut self.shape {
            shape.values.clone_from(&values.names);
            shape.symbols.clone_from(&values.symbols);
            for name in
                values.names.iter().skip(1).filter(|name| !values.labels.contains_key(*name))
            {
                let symbol = values.symbols.get(name).map(String::as_str);
                let piece = self.recogniser.piece(name, symbol);
                shape.pieces.entry(name.clone()).or_insert(piece);
            }
            #[expect(clippy::iter_over_hash_type, reason = "every name has its own entry")]
            for (name, labels) in &values.labels {
                let piece = self.recogniser.together(labels, &values.symbols);
                shape.pieces.entry(name.clone()).or_insert(piece);
            }
        }
    }
}

fn fact(name: &str, text: String) -> Fact {
    let label = if name.is_empty() { text.clone() } else { format!("{name}: {text}") };
    Fact {
        name: name.to_owned(),
        label,
        text,
        kind: "word",
        role: None,
        entries: vec![],
        items: vec![],
        groups: vec![],
    }
}

/// The name of a layout.
pub fn layout(layout: Layout) -> &'static str {
    match layout {
        Layout::Hexagons => "hexagons",
        Layout::Graph => "graph",
        _ => "grid",
    }
}
