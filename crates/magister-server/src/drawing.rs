//! Positions as data for pictures: cells with values, and everything else as facts.
//!
//! The shape of a game is constant: its boards, cells, values and how values are drawn. A position
//! is then one small number per cell. Both come from the engine's recognition of boards and from
//! the game's `style.toml`.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use magister::Playable;
use magister::engine::Ground;
use magister::engine::board::{Line, Painter, Picture, Spot};
use magister_core::{Game, Layout, Move, Seed, Step, Stop, draw};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use crate::pieces::{Piece, Recogniser};

/// What the engine draws for an empty cell.
const EMPTY: &str = ".";
/// The single fluents that are drawn at most, to learn the symbol of every value.
const PROBES: usize = 3_000;
/// The cells that are drawn at most in all probes together.
const PROBED_CELLS: usize = 3_000_000;
/// The states of random play that are drawn for a game without a list of fluents.
const SAMPLES: usize = 120;
/// The fluents of a game that are listed at most.
const FLUENTS: usize = 100_000;

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// Its name in the words of the game.
    pub name: String,
    /// Its horizontal position, to the right.
    pub x: f32,
    /// Its vertical position, downwards.
    pub y: f32,
    /// Its board.
    pub board: usize,
}

/// One board: the names beside its rows and columns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoardNames {
    /// The title above it; may be empty.
    pub title: String,
    /// `grid`, `hexagons` or `graph`.
    pub layout: &'static str,
    /// The names of the columns, from left to right.
    pub columns: Vec<String>,
    /// The names of the rows, from top to bottom.
    pub rows: Vec<String>,
    /// The position of the board among others of its kind.
    pub row: usize,
}

/// The constant part of all positions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shape {
    /// The geometry of the first board.
    pub layout: &'static str,
    /// The titles of the boards.
    pub boards: Vec<String>,
    /// More about the boards.
    pub panels: Vec<BoardNames>,
    /// The cells.
    pub cells: Vec<Cell>,
    /// The names of the values; value 0 is the empty cell.
    pub values: Vec<String>,
    /// Short symbols of the values, by name.
    pub symbols: BTreeMap<String, String>,
    /// How values are drawn, by name.
    pub pieces: BTreeMap<String, Piece>,
    /// For each cell the cells next to it.
    pub neighbours: Vec<Vec<usize>>,
    /// The lines between the points of a graph.
    pub lines: Vec<[usize; 2]>,
    /// Cells whose value never changes, such as walls.
    pub fixed: Vec<usize>,
}

/// A part of the state that is not on the board.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fact {
    /// Its name; empty if it is a whole fact.
    pub name: String,
    /// Its value as text.
    pub text: String,
    /// Name and value for people.
    pub label: String,
    /// `word`, `counters`, `piles`, `list` or `fact`.
    pub kind: &'static str,
    /// Keys and values of counters and piles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<(String, String)>,
    /// The things of a list, such as the cards of a hand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
}

/// A thing in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Item {
    /// Its name.
    pub text: String,
    /// How it is drawn.
    pub piece: Piece,
}

/// A position.
#[derive(Clone, Debug, PartialEq)]
pub struct Painted {
    /// The value of each cell.
    pub cells: Vec<u16>,
    /// The rest.
    pub facts: Vec<Fact>,
}

/// Draws the positions of one game.
#[derive(Debug)]
pub struct Drawing {
    painter: Painter,
    shape: Option<Shape>,
    recogniser: Recogniser,
    /// The cells by board, column and row.
    places: FxHashMap<(usize, usize, usize), usize>,
    /// Labels of empty cells.
    blanks: FxHashSet<String>,
    /// Values by name, with those that were met after the shape was made.
    values: Mutex<Values>,
    /// The cells of the game's own board as cells of the shape, if they fit.
    board: Option<Vec<usize>>,
    /// Cells by the words that name them in moves.
    words: FxHashMap<Vec<String>, usize>,
}

#[derive(Debug, Default)]
struct Values {
    names: Vec<String>,
    numbers: FxHashMap<String, u16>,
    symbols: BTreeMap<String, String>,
}

impl Values {
    fn number(&mut self, name: &str) -> u16 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        // A game with more values shows the rest as the last one.
        let number = self.names.len().min(usize::from(u16::MAX)) as u16;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

impl Drawing {
    /// Determines how positions of a game are drawn.
    pub fn new(playable: &Playable) -> Self {
        let game = &*playable.game;
        let info = game.info();
        let painter = playable.painter();
        let (all, listed) = fluents(playable);
        let whole = painter.paint(&all);
        let bare = painter.paint(&[]);
        let mut drawing = Drawing {
            painter,
            shape: None,
            recogniser: Recogniser::new(&info.roles, None, &[], false),
            places: FxHashMap::default(),
            blanks: FxHashSet::default(),
            values: Mutex::default(),
            board: None,
            words: FxHashMap::default(),
        };
        if whole.panels.iter().all(|panel| panel.spots.is_empty()) {
            return drawing;
        }
        let mut reversed = Votes::default();
        let symbols = drawing.probe(&all, &whole, &bare, &mut reversed);
        for (label, symbol) in &symbols {
            if symbol == EMPTY {
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
        drawing.shape = Some(shape);
        drawing.values = Mutex::new(values);
        // Values that need several fluents are met in play.
        if !listed {
            drawing.meet(game);
        }
        drawing
    }

    /// The constant part; none if the game has no board.
    pub fn shape(&self) -> Option<&Shape> {
        self.shape.as_ref()
    }

    /// Values that were met after the shape was made, by number, with their drawings.
    pub fn later(&self, cells: &[Option<u16>]) -> BTreeMap<u16, (String, Piece)> {
        let Some(shape) = &self.shape else { return BTreeMap::new() };
        let values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let new = cells.iter().flatten().filter(|&&cell| usize::from(cell) >= shape.values.len());
        new.filter_map(|&cell| {
            let name = values.names.get(usize::from(cell))?;
            Some((cell, (name.clone(), self.drawn(name, &values.symbols))))
        })
        .collect()
    }

    /// The position of a state.
    pub fn paint(&self, game: &dyn Game, state: &[u64]) -> Painted {
        self.lay_out(&self.painter.picture(game, state))
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
                        }
                        cells[cell] = values.number(&name);
                    }
                    None => facts.push(fact(&spot.name, labels.join(" "))),
                }
            }
        }
        Painted { cells, facts }
    }

    /// What is not on the board.
    fn facts(&self, picture: &Picture) -> Vec<Fact> {
        let mut facts = Vec::new();
        for line in &picture.lines {
            facts.push(match line {
                Line::Word { name, value } => fact(name, value.clone()),
                Line::Counters { name, entries, piles } => {
                    let text: Vec<String> =
                        entries.iter().map(|(key, value)| format!("{key} {value}")).collect();
                    let kind = if *piles { "piles" } else { "counters" };
                    Fact { kind, entries: entries.clone(), ..fact(name, text.join(", ")) }
                }
                Line::List { name, items } => {
                    let item = |text: &String| Item {
                        piece: self.recogniser.piece(text, None),
                        text: text.clone(),
                    };
                    let things = items.iter().map(item).collect();
                    Fact { kind: "list", items: things, ..fact(name, items.join(", ")) }
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

    fn drawn(&self, name: &str, symbols: &BTreeMap<String, String>) -> Piece {
        self.recogniser.piece(name, symbols.get(name).map(String::as_str))
    }

    /// Draws single fluents to learn the symbol of every label, and in which order fluents name
    /// column and row.
    fn probe(
        &self,
        all: &[Ground],
        whole: &Picture,
        bare: &Picture,
        reversed: &mut Votes,
    ) -> BTreeMap<String, String> {
        let spots: usize = whole.panels.iter().map(|panel| panel.spots.len()).sum();
        let labels: FxHashSet<&String> =
            whole.panels.iter().flat_map(|p| &p.spots).flat_map(|s| &s.labels).collect();
        let mut symbols = BTreeMap::new();
        let fixed = bare.panels.iter().flat_map(|panel| &panel.spots);
        for spot in fixed {
            if let [label] = &spot.labels[..] {
                symbols.insert(label.clone(), spot.symbol.clone());
            }
        }
        let most = PROBES.min(PROBED_CELLS / spots.max(1)).max(1);
        for fluent in all.iter().take(most) {
            if symbols.len() >= labels.len() && reversed.enough() {
                break;
            }
            let picture = self.painter.paint(std::slice::from_ref(fluent));
            for (board, panel) in picture.panels.iter().enumerate() {
                let before = bare.panels.get(board).map_or(&[][..], |panel| &panel.spots);
                let was = |spot: &Spot| {
                    let same = |old: &&Spot| (old.row, old.column) == (spot.row, spot.column);
                    before.iter().find(same).map_or(0, |old| old.labels.len())
                };
                for spot in panel.spots.iter().filter(|spot| spot.labels.len() > was(spot)) {
                    if let Some(label) = spot.labels.last() {
                        symbols.entry(label.clone()).or_insert_with(|| spot.symbol.clone());
                    }
                    reversed.vote(fluent, &spot.name);
                }
            }
        }
        symbols
    }

    fn make_shape(&mut self, whole: &Picture, bare: &Picture, values: &Values) -> Shape {
        let mut cells = Vec::new();
        let mut lines = Vec::new();
        let mut neighbours: Vec<Vec<usize>> = Vec::new();
        let mut panels = Vec::new();
        for (board, panel) in whole.panels.iter().enumerate() {
            let first = cells.len();
            for spot in &panel.spots {
                self.places.insert((board, spot.column, spot.row), cells.len());
                let (x, y) = spot.at;
                cells.push(Cell { name: spot.name.clone(), x, y, board });
            }
            for (number, spot) in panel.spots.iter().enumerate() {
                let beside = |dx: isize, dy: isize| {
                    let column = spot.column.checked_add_signed(dx)?;
                    let row = spot.row.checked_add_signed(dy)?;
                    self.places.get(&(board, column, row)).copied()
                };
                // Rows of hexagons are shifted by half a cell from row to row, to the right in the
                // direction in which the rows are counted.
                let sides: &[(isize, isize)] = match panel.layout {
                    Layout::Hexagons if panel.up => {
                        &[(0, -1), (-1, -1), (-1, 0), (1, 0), (0, 1), (1, 1)]
                    }
                    Layout::Hexagons => &[(0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1)],
                    _ => &[(0, -1), (-1, 0), (1, 0), (0, 1)],
                };
                let linked = panel.links.get(number).map_or(&[][..], Vec::as_slice);
                let mut next: Vec<usize> = if panel.layout == Layout::Graph {
                    linked.iter().map(|to| first + to).collect()
                } else {
                    sides.iter().filter_map(|&(dx, dy)| beside(dx, dy)).collect()
                };
                next.sort_unstable();
                next.dedup();
                for &to in linked {
                    let (from, to) = (first + number, first + to);
                    let line = [from.min(to), from.max(to)];
                    if from != to && !lines.contains(&line) {
                        lines.push(line);
                    }
                }
                neighbours.push(next);
            }
            panels.push(BoardNames {
                title: panel.title.clone(),
                layout: layout(panel.layout),
                columns: panel.columns.clone(),
                rows: panel.rows.clone(),
                row: panel.row,
            });
        }
        let mut fixed = Vec::new();
        for (board, panel) in bare.panels.iter().enumerate() {
            for spot in panel.spots.iter().filter(|spot| !spot.labels.is_empty()) {
                fixed.extend(self.places.get(&(board, spot.column, spot.row)));
            }
        }
        let named = values.names.iter().skip(1);
        let pieces = named.map(|name| (name.clone(), self.drawn(name, &values.symbols))).collect();
        Shape {
            layout: panels.first().map_or("grid", |panel| panel.layout),
            boards: panels.iter().map(|panel| panel.title.clone()).collect(),
            panels,
            cells,
            values: values.names.clone(),
            symbols: values.symbols.clone(),
            pieces,
            neighbours,
            lines,
            fixed,
        }
    }

    /// Plays a little, so that the shape lists the values of a game without a list of fluents.
    fn meet(&mut self, game: &dyn Game) {
        for state in sample(game) {
            self.paint(game, &state);
        }
        let values = self.values.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(shape) = &mut self.shape {
            shape.values.clone_from(&values.names);
            shape.symbols.clone_from(&values.symbols);
            for name in values.names.iter().skip(1) {
                let symbol = values.symbols.get(name).map(String::as_str);
                let piece = self.recogniser.piece(name, symbol);
                shape.pieces.entry(name.clone()).or_insert(piece);
            }
        }
    }

    /// The cells that a move names: where it comes from and where it goes to.
    pub fn target(&self, game: &dyn Game, choice: Move) -> (Option<usize>, Option<usize>) {
        if self.shape.is_none() || choice == Move::IDLE {
            return (None, None);
        }
        if let Some(map) = &self.board
            && let Some((from, to)) = game.board().and_then(|board| board.target(choice))
        {
            let cell = |at: u32| map.get(at as usize).copied();
            return places(&[cell(from), cell(to)].map(|one| one.unwrap_or(0)));
        }
        let text = game.text().move_text(choice);
        let words = crate::words::tokens(&text);
        let mut found = Vec::new();
        let mut at = 1;
        while at < words.len() {
            let named = [3, 2, 1].into_iter().find_map(|length| {
                let part = words.get(at..at + length)?;
                self.words.get(part).map(|&cell| (cell, length))
            });
            match named {
                Some((cell, length)) => {
                    found.push(cell);
                    at += length;
                }
                None => at += 1,
            }
        }
        places(&found)
    }
}

/// From and to; a move that names one place has no origin.
fn places(found: &[usize]) -> (Option<usize>, Option<usize>) {
    match found {
        [] => (None, None),
        [only] => (None, Some(*only)),
        [first, .., last] if first == last => (None, Some(*last)),
        [first, .., last] => (Some(*first), Some(*last)),
    }
}

fn fact(name: &str, text: String) -> Fact {
    let label = if name.is_empty() { text.clone() } else { format!("{name}: {text}") };
    Fact { name: name.to_owned(), label, text, kind: "word", entries: vec![], items: vec![] }
}

/// The name of a layout.
pub fn layout(layout: Layout) -> &'static str {
    match layout {
        Layout::Hexagons => "hexagons",
        Layout::Graph => "graph",
        _ => "grid",
    }
}

/// All fluents of a game, and whether these are all there are.
fn fluents(playable: &Playable) -> (Vec<Ground>, bool) {
    if let Some(network) = playable.network() {
        let network = network.network();
        if network.fluents.len() <= FLUENTS {
            let all = network.fluents.iter().map(|&term| network.terms.export(term));
            return (all.collect(), true);
        }
    }
    let game = &*playable.game;
    let mut known = FxHashSet::default();
    let mut all = Vec::new();
    for state in sample(game) {
        for fluent in magister::engine::board::fluents(game, &state) {
            if known.insert(fluent.text(magister_gdl::Syntax::Kif)) {
                all.push(fluent);
            }
        }
    }
    (all, false)
}

/// A few states of random play, the initial one first.
fn sample(game: &dyn Game) -> Vec<Vec<u64>> {
    let info = game.info();
    let mut worker = game.worker();
    let mut step = Step::new();
    let mut states = Vec::new();
    let mut rng = Seed::from(9).rng();
    worker.reset();
    while states.len() < SAMPLES {
        let mut state = Vec::new();
        worker.save(&mut state);
        states.push(state);
        let choose = |role| {
            let weights = if info.chance == Some(role) { worker.weights() } else { &[] };
            draw(worker.legal(role), weights, &mut rng)
        };
        let joint: Option<Vec<Move>> = info.all_roles().map(choose).collect();
        match joint.filter(|_| !worker.terminal()) {
            Some(joint) if worker.step(&joint, &mut step, &Stop::never()).is_ok() => {}
            _ if states.len() < SAMPLES / 2 => worker.reset(),
            _ => break,
        }
    }
    states
}

/// Whether fluents name the row before the column.
#[derive(Debug, Default)]
struct Votes {
    same: usize,
    turned: usize,
}

impl Votes {
    fn enough(&self) -> bool {
        self.same + self.turned >= 8
    }

    fn reversed(&self) -> bool {
        self.turned > self.same
    }

    fn vote(&mut self, fluent: &Ground, name: &str) {
        let Some((column, row)) = name.split_once(' ').filter(|(column, row)| column != row) else {
            return;
        };
        let words = crate::words::tokens(&fluent.text(magister_gdl::Syntax::Kif));
        let has = |a: &str, b: &str| words.windows(2).any(|pair| pair[0] == a && pair[1] == b);
        self.same += usize::from(has(column, row));
        self.turned += usize::from(has(row, column));
    }
}

/// The cells by the words that name them in moves. Of several boards the first has a name without
/// its title.
fn words(shape: &Shape, whole: &Picture, reversed: bool) -> FxHashMap<Vec<String>, usize> {
    let mut all = FxHashMap::default();
    for (number, cell) in shape.cells.iter().enumerate() {
        let mut name: Vec<String> = cell.name.split(' ').map(str::to_owned).collect();
        if reversed {
            name.reverse();
        }
        if whole.panels.len() > 1 {
            let title = &shape.boards[cell.board];
            let mut full: Vec<String> = title.split(' ').map(str::to_owned).collect();
            full.extend(name.clone());
            let tail = full.split_off(full.len().saturating_sub(name.len() + 1));
            all.insert(tail, number);
        }
        all.entry(name).or_insert(number);
    }
    all
}

/// The cells of the game's own board as cells of the shape, if every one has its place and name.
fn own_board(
    game: &dyn Game,
    shape: &Shape,
    whole: &Picture,
    places: &FxHashMap<(usize, usize, usize), usize>,
) -> Option<Vec<usize>> {
    let own = game.board()?.shape();
    if own.boards.len() != whole.panels.len() {
        return None;
    }
    own.cells
        .iter()
        .map(|cell| {
            let at = (usize::from(cell.board), cell.x as usize, cell.y as usize);
            let found = *places.get(&at)?;
            cell.name.ends_with(&shape.cells[found].name).then_some(found)
        })
        .collect()
}
