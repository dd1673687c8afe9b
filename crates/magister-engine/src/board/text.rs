//! Pictures as text.

use std::fmt::Write as _;

use magister_core::Layout;
use rustc_hash::FxHashMap;

use super::picture::{Line, Panel, Picture, Side};
use super::symbols::EMPTY;

/// The space between adjacent boards.
const GAP: usize = 4;
/// The maximum number of constant fluents to list.
const ALWAYS: usize = 20;

impl Picture {
    /// The picture in lines of at most `width` characters, unless boards are wider. The legend
    /// explains the symbols.
    pub fn text(&self, width: usize, legend: bool) -> String {
        let mut out = String::new();
        let mut from = 0;
        while from < self.panels.len() {
            let row = self.panels[from].row;
            let mut blocks: Vec<Vec<String>> = Vec::new();
            let mut total = 0;
            while let Some(panel) = self.panels.get(from).filter(|panel| panel.row == row) {
                let block = panel.lines(width);
                let wide = block.iter().map(|line| line.chars().count()).max().unwrap_or(0);
                if !blocks.is_empty() && total + GAP + wide > width {
                    break;
                }
                total += wide + if blocks.is_empty() { 0 } else { GAP };
                blocks.push(block);
                from += 1;
            }
            beside(&blocks, &mut out);
        }
        self.words(width, &mut out);
        if legend && !self.legend.is_empty() {
            let entries = self.legend.iter().map(|(symbol, label)| format!("{symbol} {label}"));
            wrap("", entries, ", ", width, &mut out);
        }
        if legend && !self.always.is_empty() {
            let more = self.always.len().saturating_sub(ALWAYS);
            let more = (more > 0).then(|| format!("and {more} more"));
            let items = self.always.iter().take(ALWAYS).cloned().chain(more);
            wrap("always: ", items, " ", width, &mut out);
        }
        out
    }

    fn words(&self, width: usize, out: &mut String) {
        let mut short: Vec<String> = Vec::new();
        for line in &self.lines {
            if let Line::Word { name, value } = line {
                short.push(format!("{name} {value}"));
            }
        }
        if !short.is_empty() {
            wrap("", short.into_iter(), ", ", width, out);
        }
        for line in &self.lines {
            match line {
                Line::Word { .. } => {}
                Line::Counters { name, entries, piles: true } => piles(name, entries, out),
                Line::Counters { name, entries, piles: false } => {
                    let entries = entries.iter().map(|(key, value)| format!("{key} {value}"));
                    wrap(&format!("{name}: "), entries, ", ", width, out);
                }
                Line::List { name, items } => {
                    wrap(&format!("{name}: "), items.iter().cloned(), ", ", width, out);
                }
                Line::Groups { name, groups, stacked } => {
                    let between = if *stacked { " < " } else { " " };
                    let groups = groups.iter().map(|(group, things)| {
                        let gap = if group.is_empty() || things.is_empty() { "" } else { ": " };
                        format!("{group}{gap}{}", things.join(between))
                    });
                    wrap(&format!("{name}: "), groups, "; ", width, out);
                }
                Line::Flags { entries } => {
                    let word = |(name, on): &(String, bool)| {
                        format!("{name} {}", if *on { "on" } else { "off" })
                    };
                    wrap("", entries.iter().map(word), ", ", width, out);
                }
            }
        }
        if !self.facts.is_empty() {
            wrap("", self.facts.iter().cloned(), " ", width, out);
        }
    }
}

/// Heaps as rows of things.
fn piles(name: &str, entries: &[(String, String)], out: &mut String) {
    let wide = entries.iter().map(|(key, _)| key.chars().count()).max().unwrap_or(0);
    for (key, value) in entries {
        let things = "o".repeat(value.parse().unwrap_or(0));
        let space = if things.is_empty() { "" } else { " " };
        let _ = writeln!(out, "{name} {key:wide$}  {things}{space}{value}");
    }
}

impl Panel {
    /// The lines of a board and everything that belongs to it.
    fn lines(&self, width: usize) -> Vec<String> {
        let mut lines = match self.layout {
            Layout::Graph if self.is_list() => self.list(width),
            Layout::Graph => self.canvas(),
            _ => self.grid(),
        };
        if !self.title.is_empty() {
            lines.insert(0, self.title.clone());
        }
        lines
    }

    /// Whether the points are not on a grid, so that characters cannot show where they are.
    fn is_list(&self) -> bool {
        let on_grid = |at: f32| (at - at.round()).abs() < 1e-3;
        !self.spots.iter().all(|spot| on_grid(spot.at.0) && on_grid(spot.at.1))
    }

    /// Rows and columns with their names.
    fn grid(&self) -> Vec<String> {
        let most = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
        let symbol = most(&mut self.spots.iter().map(|spot| spot.symbol.chars().count())).max(1);
        let label = most(&mut self.columns.iter().map(|name| name.chars().count()));
        // Long numbers above narrow columns are written from top to bottom.
        let numbers = self.columns.iter().all(|name| name.bytes().all(|b| b.is_ascii_digit()));
        let upright = numbers && label > symbol;
        let cell = if upright { symbol } else { symbol.max(label) };
        let left = most(&mut self.rows.iter().map(|name| name.chars().count()));
        let left = if left > 0 { left + 1 } else { 0 };
        // Numbers are right-aligned.
        let pad = |text: &str| {
            let space = " ".repeat(cell - text.chars().count().min(cell));
            format!("{space}{text}")
        };
        let joined = |texts: &mut dyn Iterator<Item = String>| {
            texts.map(|text| pad(&text)).collect::<Vec<_>>().join(" ").trim_end().to_owned()
        };
        let mut grid = vec![vec![String::new(); self.columns.len()]; self.rows.len()];
        // The shift of each row of hexagons, in characters.
        let mut shifts = vec![0; self.rows.len()];
        for spot in &self.spots {
            grid[spot.row][spot.column].clone_from(&spot.symbol);
            let shift = (spot.at.0 - spot.column as f32) * (cell + 1) as f32;
            shifts[spot.row] = shift.round().max(0.0) as usize;
        }
        let edges = Edges::new(self);
        let mut lines = Vec::new();
        for (row, (cells, name)) in grid.into_iter().zip(&self.rows).enumerate() {
            lines.extend(edges.above(row, cell).map(|line| format!("{}{line}", " ".repeat(left))));
            let indent = left.saturating_sub(1) + shifts[row];
            let mut line = format!("{name:>indent$}{}", edges.upright(row, 0));
            for (column, text) in cells.iter().enumerate() {
                line.push_str(&pad(text));
                line.push(edges.upright(row, column + 1));
            }
            let line = if left > 0 || edges.any() { &line } else { line.get(1..).unwrap_or("") };
            lines.push(line.trim_end().to_owned());
        }
        let below = edges.above(self.rows.len(), cell);
        lines.extend(below.map(|line| format!("{}{line}", " ".repeat(left))));
        // Columns of shifted rows have no common heading, unless every row is shifted like the
        // previous one.
        let straight = shifts
            .windows(3)
            .all(|w| w[1] >= w[0] && w[1] - w[0] == w[2].wrapping_sub(w[1]))
            || shifts.windows(3).all(|w| w[0] >= w[1] && w[0] - w[1] == w[1].wrapping_sub(w[2]));
        if self.columns.len() > 1 && straight {
            let heads: Vec<String> = if upright {
                let digit = |name: &String, line: usize| {
                    let at = (line + name.len()).checked_sub(label);
                    at.and_then(|at| name.get(at..=at)).unwrap_or("").to_owned()
                };
                let head = |line| joined(&mut self.columns.iter().map(|name| digit(name, line)));
                (0..label).map(head).collect()
            } else {
                vec![joined(&mut self.columns.iter().cloned())]
            };
            let at = if self.up { lines.len() } else { 0 };
            let nearest = if self.up { shifts.last() } else { shifts.first() };
            let left = left + nearest.copied().unwrap_or(0);
            let heads = heads.into_iter().map(|head| format!("{}{head}", " ".repeat(left)));
            lines.splice(at..at, heads);
        }
        lines
    }

    /// Points with their contents and connections.
    fn list(&self, width: usize) -> Vec<String> {
        let name = self.spots.iter().map(|spot| spot.name.chars().count()).max().unwrap_or(0);
        let symbol = self.spots.iter().map(|spot| spot.symbol.chars().count()).max().unwrap_or(0);
        let mut lines = Vec::new();
        for (number, spot) in self.spots.iter().enumerate() {
            let links = self.links.get(number).map_or(&[][..], Vec::as_slice);
            let mut line = format!("{:name$} {:symbol$}", spot.name, spot.symbol);
            if !links.is_empty() {
                let names: Vec<&str> =
                    links.iter().map(|&to| self.spots[to].name.as_str()).collect();
                let _ = write!(line, "  - {}", names.join(" "));
            }
            lines.push(line.chars().take(width).collect());
        }
        lines
    }

    /// Points at their coordinates, with the lines between them along rows, columns and diagonals,
    /// and the names of rows and columns if there are any.
    fn canvas(&self) -> Vec<String> {
        let named = self.rows.len() > 1;
        let most = self.rows.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let left = if named { most + 1 } else { 0 };
        let round = |at: f32| at.round().max(0.0) as usize;
        let place = |spot: &super::Spot| (left + round(spot.at.0) * 4, round(spot.at.1) * 2);
        let width = self.spots.iter().map(|spot| place(spot).0).max().unwrap_or(0) + 8;
        let height = self.spots.iter().map(|spot| place(spot).1).max().unwrap_or(0) + 1;
        let mut canvas = vec![vec![' '; width]; height];
        for (from, links) in self.links.iter().enumerate() {
            for &to in links {
                let ((x, y), (u, v)) = (place(&self.spots[from]), place(&self.spots[to]));
                if y == v && x < u {
                    canvas[y][x + 1..u].fill('-');
                } else if x == u && y < v {
                    (y + 1..v).for_each(|line| canvas[line][x] = '|');
                } else if u > x && v > y && u - x == 4 && v - y == 2 {
                    canvas[y + 1][x + 2] = if canvas[y + 1][x + 2] == '/' { 'X' } else { '\\' };
                } else if x > u && v > y && x - u == 4 && v - y == 2 {
                    canvas[y + 1][u + 2] = if canvas[y + 1][u + 2] == '\\' { 'X' } else { '/' };
                }
            }
        }
        for spot in &self.spots {
            let (x, y) = place(spot);
            // Points have no row or column headings, so empty points show their short names.
            let free = !named && spot.symbol == EMPTY && spot.name.chars().count() < 3;
            let text = if free { &spot.name } else { &spot.symbol };
            for (offset, letter) in text.chars().enumerate().take(4) {
                canvas[y][x + offset] = letter;
            }
        }
        let mut lines: Vec<String> =
            canvas.into_iter().map(|line| line.into_iter().collect()).collect();
        if named {
            for (row, name) in self.rows.iter().enumerate() {
                if let Some(line) = lines.get_mut(row * 2) {
                    *line = format!("{name:>most$}{}", &line[most..]);
                }
            }
            let names = self.columns.iter().map(|name| format!("{name:<4}"));
            let heads = format!("{}{}", " ".repeat(left), names.collect::<String>());
            lines.insert(if self.up { lines.len() } else { 0 }, heads);
        }
        lines.iter().map(|line| line.trim_end().to_owned()).collect()
    }
}

/// Walls and signs between the cells of a grid.
struct Edges {
    /// Vertical edges: before each column, and after the last one, by row.
    upright: FxHashMap<(usize, usize), char>,
    /// Horizontal edges: above each row, and below the last one, by column.
    level: FxHashMap<(usize, usize), char>,
    columns: usize,
}

impl Edges {
    fn new(panel: &Panel) -> Self {
        let mut edges = Edges {
            upright: FxHashMap::default(),
            level: FxHashMap::default(),
            columns: panel.columns.len(),
        };
        for edge in &panel.edges {
            let Some(spot) = panel.spots.get(edge.spot) else { continue };
            let (row, column) = (spot.row, spot.column);
            match edge.side {
                Side::Left => edges.upright.insert((row, column), edge.sign.unwrap_or('|')),
                Side::Right => edges.upright.insert((row, column + 1), edge.sign.unwrap_or('|')),
                Side::Top => edges.level.insert((row, column), edge.sign.unwrap_or('-')),
                Side::Bottom => edges.level.insert((row + 1, column), edge.sign.unwrap_or('-')),
            };
        }
        edges
    }

    fn any(&self) -> bool {
        !self.upright.is_empty()
    }

    /// The character before a column.
    fn upright(&self, row: usize, column: usize) -> char {
        self.upright.get(&(row, column)).copied().unwrap_or(' ')
    }

    /// The line above a row, if it is not empty.
    fn above(&self, row: usize, cell: usize) -> Option<String> {
        let level = |column: usize| self.level.get(&(row, column)).copied();
        (0..self.columns).any(|column| level(column).is_some()).then(|| {
            let text = |column| match level(column) {
                Some('-') => "-".repeat(cell),
                Some(sign) => format!("{sign:>cell$}"),
                None => " ".repeat(cell),
            };
            let texts: Vec<String> = (0..self.columns).map(text).collect();
            texts.join(" ").trim_end().to_owned()
        })
    }
}

/// Blocks of lines, side by side.
fn beside(blocks: &[Vec<String>], out: &mut String) {
    let height = blocks.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = blocks
        .iter()
        .map(|block| block.iter().map(|line| line.chars().count()).max().unwrap_or(0))
        .collect();
    for row in 0..height {
        let mut line = String::new();
        for (block, width) in blocks.iter().zip(&widths) {
            let text = block.get(row).map_or("", String::as_str);
            let space = width - text.chars().count();
            let _ = write!(line, "{text}{}", " ".repeat(space + GAP));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// Items on lines of limited length; the lines after the first are indented.
fn wrap(
    start: &str,
    items: impl Iterator<Item = String>,
    between: &str,
    width: usize,
    out: &mut String,
) {
    let indent = start.chars().count();
    out.push_str(start);
    let (mut used, mut first) = (indent, true);
    for item in items {
        let length = item.chars().count();
        if !first && used + between.len() + length > width {
            out.push_str(between.trim_end());
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            used = indent;
        } else if !first {
            out.push_str(between);
            used += between.len();
        }
        out.push_str(&item);
        used += length;
        first = false;
    }
    out.push('\n');
}
