//! The constant part of all positions of a game.

use std::collections::BTreeMap;

use magister::engine::Ground;
use magister::engine::board::{Painter, Picture, Side, Spot};
use magister_core::Layout;
use rustc_hash::FxHashSet;

use super::{BoardNames, Cell, Drawing, Edge, Shape, Values, layout};

/// The maximum number of single fluents that are drawn to learn the symbol of every value.
const PROBES: usize = 3_000;
/// The maximum number of cells that are drawn in all probes together.
const PROBED_CELLS: usize = 3_000_000;

/// Draws single fluents to learn the symbol of every label, and in which order fluents name
/// column and row.
pub(super) fn probe(
    painter: &Painter,
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
        let picture = painter.paint(std::slice::from_ref(fluent));
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

impl Drawing {
    pub(super) fn make_shape(&mut self, whole: &Picture, bare: &Picture, values: &Values) -> Shape {
        let mut cells = Vec::new();
        let mut lines = Vec::new();
        let mut neighbours: Vec<Vec<usize>> = Vec::new();
        let mut panels = Vec::new();
        let mut edges = Vec::new();
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
                let sides = [(0, -1), (-1, 0), (1, 0), (0, 1)];
                let linked = panel.links.get(number).map_or(&[][..], Vec::as_slice);
                let mut next: Vec<usize> = if panel.layout == Layout::Graph {
                    linked.iter().map(|to| first + to).collect()
                } else if panel.layout == Layout::Hexagons {
                    let others = panel.spots.iter().enumerate();
                    let next = others.filter(|(_, other)| touch(spot, other));
                    next.map(|(number, _)| first + number).collect()
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
            edges.extend(panel.edges.iter().map(|edge| Edge {
                cell: first + edge.spot,
                side: match edge.side {
                    Side::Top => "top",
                    Side::Right => "right",
                    Side::Bottom => "bottom",
                    Side::Left => "left",
                },
                sign: edge.sign,
                label: edge.label.clone(),
            }));
            panels.push(BoardNames {
                title: panel.title.clone(),
                layout: layout(panel.layout),
                columns: panel.columns.clone(),
                rows: panel.rows.clone(),
                column_notes: panel.column_notes.clone(),
                row_notes: panel.row_notes.clone(),
                row: panel.row,
                among: panel.among,
            });
            // If only every second cell of a board exists, the cells touch at their corners.
            let own = first..cells.len();
            if panel.layout == Layout::Grid && neighbours[own.clone()].iter().all(Vec::is_empty) {
                let corners = [(-1, -1), (1, -1), (-1, 1), (1, 1)];
                for (number, spot) in own.zip(&panel.spots) {
                    let at = |&(dx, dy): &(isize, isize)| {
                        let column = spot.column.checked_add_signed(dx)?;
                        let row = spot.row.checked_add_signed(dy)?;
                        self.places.get(&(board, column, row)).copied()
                    };
                    neighbours[number] = corners.iter().filter_map(at).collect();
                }
            }
        }
        let mut fixed = Vec::new();
        for (board, panel) in bare.panels.iter().enumerate() {
            for spot in panel.spots.iter().filter(|spot| !spot.labels.is_empty()) {
                fixed.extend(self.places.get(&(board, spot.column, spot.row)));
            }
        }
        let named = values.names.iter().skip(1);
        let pieces = named.map(|name| (name.clone(), self.drawn(name, values))).collect();
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
            edges,
        }
    }
}

/// Whether two hexagons touch: side by side in a row, or half a cell apart in adjacent rows.
fn touch(one: &Spot, other: &Spot) -> bool {
    let (dx, dy) = ((one.at.0 - other.at.0).abs(), (one.at.1 - other.at.1).abs());
    (dy < 0.1 && (dx - 1.0).abs() < 0.1) || ((dy - 1.0).abs() < 0.1 && (dx - 0.5).abs() < 0.1)
}

/// Whether fluents name the row before the column.
#[derive(Debug, Default)]
pub(super) struct Votes {
    same: usize,
    turned: usize,
}

impl Votes {
    pub(super) fn enough(&self) -> bool {
        self.same + self.turned >= 8
    }

    pub(super) fn reversed(&self) -> bool {
        self.turned > self.same
    }

    pub(super) fn vote(&mut self, fluent: &Ground, name: &str) {
        let Some((column, row)) = name.split_once(' ').filter(|(column, row)| column != row) else {
            return;
        };
        let words = crate::words::tokens(&fluent.text(magister_gdl::Syntax::Kif));
        let has = |a: &str, b: &str| words.windows(2).any(|pair| pair[0] == a && pair[1] == b);
        self.same += usize::from(has(column, row));
        self.turned += usize::from(has(row, column));
    }
}
