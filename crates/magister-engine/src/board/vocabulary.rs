//! The recognised boards as the [`Board`] of the vocabulary, for clicks and learning.

use std::sync::Arc;

use magister_core::{Board, Cell, Game, Layout, Move, Shape, Style};
use rustc_hash::FxHashMap;

use super::Painter;
use super::fill::label;
use super::plan::{Place, Plan, Use};
use crate::compiled::FluentBoard;
use crate::network::GdlNetwork;
use crate::observation::set_bits;
use crate::{Ground, Program};

/// The board of a game on a network: all recognised boards as one list of cells.
#[derive(Debug)]
pub struct NetworkBoard {
    shape: Shape,
    /// For each fluent its cell and value.
    fluents: Vec<Option<(u32, u16)>>,
    /// For each move its origin and target.
    targets: Vec<Option<(u32, u32)>>,
}

impl NetworkBoard {
    /// The board of a game, if it has one. `moves` are the moves by number.
    pub fn new(
        game: &dyn Game,
        network: &GdlNetwork,
        rules: &Program,
        moves: &[Ground],
    ) -> Option<Self> {
        let painter = Painter::new(game, Some(network), Some(rules), &Style::default());
        let mut cells: FxHashMap<(usize, Place), u32> = FxHashMap::default();
        let mut shape = Shape {
            cells: Vec::new(),
            values: vec![String::new()],
            neighbours: Vec::new(),
            layout: painter.plans.first()?.layout,
            boards: Vec::new(),
        };
        for (number, plan) in painter.plans.iter().enumerate() {
            add(plan, number, painter.plans.len() > 1, &mut shape, &mut cells);
        }
        let mut values: FxHashMap<String, u16> = FxHashMap::default();
        let mut value = |plan: &Plan, label: String, shape: &mut Shape| {
            if plan.symbols.blank.as_ref() == Some(&label) {
                if shape.values[0].is_empty() {
                    shape.values[0].clone_from(&label);
                }
                return 0;
            }
            let next = shape.values.len() as u16;
            *values.entry(label).or_insert_with_key(|label| {
                shape.values.push(label.clone());
                next
            })
        };
        let mut fluents = Vec::new();
        for &term in &network.fluents {
            let fluent = network.terms.export(term);
            let found = painter.on_board(&fluent).and_then(|(plan, place, label)| {
                let cell = *cells.get(&(plan, place))?;
                Some((cell, value(&painter.plans[plan], label, &mut shape)))
            });
            fluents.push(found);
        }
        let targets = moves.iter().map(|choice| painter.target(choice, &cells)).collect();
        Some(NetworkBoard { shape, fluents, targets })
    }

    /// Writes the value of each cell in the state with these fluents, given by number in ascending
    /// order.
    pub(super) fn put(&self, fluents: impl Iterator<Item = usize>, out: &mut [u16]) {
        out.fill(0);
        for fluent in fluents {
            if let Some(&Some((cell, value))) = self.fluents.get(fluent)
                && let Some(cell) = out.get_mut(cell as usize)
                && *cell == 0
            {
                *cell = value;
            }
        }
    }
}

impl FluentBoard for NetworkBoard {
    fn place(&self, fluent: usize) -> Option<(u32, u16)> {
        self.fluents.get(fluent).copied().flatten()
    }
}

impl Board for NetworkBoard {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn cells(&self, state: &[u64], out: &mut [u16]) {
        self.put(set_bits(state), out);
    }

    fn target(&self, choice: Move) -> Option<(u32, u32)> {
        self.targets.get(choice.index()).copied().flatten()
    }
}

/// Adds the cells of a plan, row by row from the top.
fn add(
    plan: &Plan,
    number: usize,
    several: bool,
    shape: &mut Shape,
    cells: &mut FxHashMap<(usize, Place), u32>,
) {
    let (columns, rows) = (&plan.columns.names, &plan.rows.names);
    let mut joined: FxHashMap<(usize, usize), Vec<(usize, usize)>> = FxHashMap::default();
    for &(from, to) in &plan.links {
        joined.entry(from).or_default().push(to);
    }
    for board in 0..plan.boards() {
        let split = plan.split_names(board).join(" ");
        let name = if several { plan.name.as_str() } else { "" };
        shape.boards.push(format!("{name} {split}").trim().to_owned());
        for y in 0..rows.len() {
            let row = if plan.up { rows.len() - 1 - y } else { y };
            for (column, name) in columns.iter().enumerate() {
                let place = (board, column, row);
                if !plan.cells.contains(&place) {
                    continue;
                }
                cells.insert((number, place), shape.cells.len() as u32);
                let (first, second) =
                    if plan.turned { (&rows[row], name) } else { (name, &rows[row]) };
                let name = format!("{split} {first} {second}");
                shape.cells.push(Cell {
                    name: name.trim().to_owned(),
                    x: column as f32,
                    y: y as f32,
                    board: (shape.boards.len() - 1) as u16,
                });
            }
        }
        for y in 0..rows.len() {
            let row = if plan.up { rows.len() - 1 - y } else { y };
            for column in 0..columns.len() {
                if !plan.cells.contains(&(board, column, row)) {
                    continue;
                }
                let beside = |dx: isize, dy: isize| {
                    let column = column.checked_add_signed(dx)?;
                    let row = row.checked_add_signed(dy)?;
                    cells.get(&(number, (board, column, row))).copied()
                };
                let sides = [(0, -1), (-1, 0), (1, 0), (0, 1)];
                let mut next: Vec<u32> = if plan.layout == Layout::Hexagons {
                    let steps = plan.hexagonal_steps(row);
                    steps.into_iter().filter_map(|(dx, dy)| beside(dx, dy)).collect()
                } else if plan.links.is_empty() {
                    sides.iter().filter_map(|&(dx, dy)| beside(dx, dy)).collect()
                } else {
                    let ends = joined.get(&(column, row)).map_or(&[][..], Vec::as_slice);
                    let cell = |&(x, y): &_| cells.get(&(number, (board, x, y))).copied();
                    ends.iter().filter_map(cell).collect()
                };
                next.sort_unstable();
                shape.neighbours.push(next);
            }
        }
    }
}

impl Painter {
    /// The board of a fluent, its place and its label.
    fn on_board(&self, fluent: &Ground) -> Option<(usize, Place, String)> {
        let (form, leaves) = self.forms.parts(fluent);
        // A cell has one value for learning; a second property is an ordinary fluent.
        let (_, Use::Board { plan, lie, named, over: false }) = self.uses.get(&form)? else {
            return None;
        };
        let place = self.plans[*plan].place(lie, &leaves)?;
        Some((*plan, place, label(&fluent.name, lie, *named, &leaves)))
    }

    /// The cells of a move whose arguments name places of the first board as its fluents do.
    fn target(
        &self,
        choice: &Ground,
        cells: &FxHashMap<(usize, Place), u32>,
    ) -> Option<(u32, u32)> {
        let plan = self.plans.first()?;
        let uses = self.uses.values().filter_map(|(number, how)| match how {
            Use::Board { plan: 0, lie, named: false, .. } => Some((*number, lie)),
            _ => None,
        });
        let (_, lie) = uses.min_by_key(|&(number, _)| number)?;
        let mut words: Vec<Arc<str>> = Vec::new();
        leaves(choice, &mut words);
        let cell = |place: Place| cells.get(&(0, place)).copied();
        let found: Vec<u32> = plan.named(lie, &words).into_iter().filter_map(cell).collect();
        Some((*found.first()?, *found.last()?))
    }
}

/// The names at the leaves of a term.
pub(super) fn leaves(term: &Ground, out: &mut Vec<Arc<str>>) {
    for arg in term.args.iter().flatten() {
        if arg.args.is_some() {
            leaves(arg, out);
        } else {
            out.push(Arc::clone(&arg.name));
        }
    }
}
