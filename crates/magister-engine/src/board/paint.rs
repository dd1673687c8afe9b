//! From a state to a picture.

use std::collections::BTreeMap;
use std::sync::Arc;

use magister_core::{Game, Layout, Style};
use magister_gdl::{Dialect, Syntax};
use rustc_hash::FxHashMap;

use super::coordinates;
use super::domain::{common_prefix, natural};
use super::fill::label;
use super::groups::{grouped, stacks};
use super::hexagons;
use super::material::{self, Material};
use super::picture::{Edge, Line, Panel, Picture, Spot};
use super::plan::{Place, Plan, Use, plan};
use super::relation::{Forms, Relation, relations};
use super::symbols::EMPTY;
use crate::network::GdlNetwork;
use crate::{Ground, Program};

/// A fluent that is shown as text, and its leaves.
type Written<'a> = (&'a Ground, Vec<Arc<str>>);

/// Draws the states of a game.
#[derive(Debug)]
pub struct Painter {
    pub(super) forms: Forms,
    /// How each relation is shown, by its form, in the order of the rules.
    pub(super) uses: FxHashMap<String, (usize, Use)>,
    pub(super) plans: Vec<Plan>,
    /// The facts that are shown as switches, on or off, in the order of the rules.
    flags: Vec<String>,
    names: BTreeMap<String, String>,
    syntax: Syntax,
}

impl Painter {
    /// Determines how to draw a game. The network provides the exclusions of fluents, the rules the
    /// names; both are optional.
    pub fn new(
        game: &dyn Game,
        network: Option<&GdlNetwork>,
        rules: Option<&Program>,
        style: &Style,
    ) -> Self {
        let mut material = Material::new(game, network, rules);
        let boards = style.boards.iter();
        let named = boards.flat_map(|board| board.fixed.iter().chain(board.lines.iter().flatten()));
        let named: Vec<&String> = named.collect();
        if let Some(rules) = rules.filter(|_| !named.is_empty()) {
            material.derive(rules, &named, Material::limits());
        }
        let forms = Forms::new(&material.fluents);
        let relations = relations(&material, &forms);
        let (mut plans, mut uses) = plan(&relations, &forms, &material, style);
        let open = |plan: &Plan| hexagons::may_be(plan, style) || coordinates::may_be(plan, style);
        if let Some(rules) = rules.filter(|_| plans.iter().any(open)) {
            material.derive_pairs(rules);
            coordinates::recognise(&mut plans, &uses, &material, style);
            hexagons::recognise(&mut plans, &mut uses, &material, style);
        }
        let flag = |((_, relation), how): ((&_, &Relation), &Use)| {
            matches!(how, Use::Flag).then(|| relation.name.clone())
        };
        let flags = relations.iter().map(|(form, relation)| (form, relation)).zip(&uses);
        let flags = flags.filter_map(flag).collect();
        let numbered = relations.into_iter().zip(uses).enumerate();
        let operations = rules.is_some_and(|rules| rules.dialect == Dialect::Operations);
        Painter {
            forms,
            uses: numbered.map(|(number, ((form, _), how))| (form, (number, how))).collect(),
            plans,
            flags,
            names: style.names.clone(),
            syntax: if operations { Syntax::Infix } else { Syntax::Kif },
        }
    }

    /// A picture of a state of the game.
    pub fn picture(&self, game: &dyn Game, state: &[u64]) -> Picture {
        self.paint(&material::fluents(game, state))
    }

    /// A picture of these fluents.
    pub fn paint(&self, fluents: &[Ground]) -> Picture {
        let mut picture = Picture::default();
        let mut cells: Vec<FxHashMap<Place, Vec<String>>> = Vec::new();
        for plan in &self.plans {
            let mut fixed: FxHashMap<Place, Vec<String>> = FxHashMap::default();
            for (place, label) in &plan.fixed {
                fixed.entry(*place).or_default().push(label.clone());
            }
            cells.push(fixed);
        }
        // The fluents shown as text, by the number of the relation.
        let mut words: BTreeMap<usize, (&Use, Vec<Written<'_>>)> = BTreeMap::new();
        for fluent in fluents {
            let (form, leaves) = self.forms.parts(fluent);
            match self.uses.get(&form) {
                Some((_, Use::Board { plan, lie, named, .. })) => {
                    let places = self.plans[*plan].places(lie, &leaves);
                    if places.is_empty() {
                        picture.facts.push(fluent.text(self.syntax));
                    }
                    for place in places {
                        let label = label(&fluent.name, lie, *named, &leaves);
                        cells[*plan].entry(place).or_default().push(label);
                    }
                }
                Some((_, Use::Hidden | Use::Flag)) => {}
                Some((_, Use::Constant)) => picture.always.push(fluent.text(self.syntax)),
                Some((number, how)) => {
                    let list = words.entry(*number).or_insert_with(|| (how, Vec::new()));
                    list.1.push((fluent, leaves));
                }
                None => picture.facts.push(fluent.text(self.syntax)),
            }
        }
        for (plan, cells) in self.plans.iter().zip(cells) {
            self.panels(plan, &cells, &mut picture);
        }
        // Things stand somewhere even if no thing stands on another.
        let mut uses: Vec<_> = self.uses.iter().collect();
        uses.sort_unstable_by(|a, b| a.0.cmp(b.0));
        for (form, (number, how)) in uses {
            if let (Use::Stacks { things }, false) = (how, words.contains_key(number)) {
                let name = form.split(' ').next().unwrap_or_default();
                picture.lines.push(stacks(self.name(name), things, &[]));
            }
        }
        for (how, list) in words.into_values() {
            self.line(how, list, &mut picture);
        }
        if !self.flags.is_empty() {
            let on = |name: &str| fluents.iter().any(|f| *f.name == *name && f.args.is_none());
            let entries = self.flags.iter().map(|name| (self.name(name), on(name))).collect();
            picture.lines.push(Line::Flags { entries });
        }
        picture
    }

    /// The display name of a fluent.
    fn name(&self, fluent: &str) -> String {
        self.names.get(fluent).map_or_else(|| fluent.to_owned(), Clone::clone)
    }

    fn line(&self, how: &Use, mut list: Vec<Written<'_>>, picture: &mut Picture) {
        let Some((first, leaves)) = list.first() else { return };
        let name = self.name(&first.name);
        if leaves.is_empty() {
            let asked = self.names.contains_key(&*first.name);
            let text = if asked { name } else { first.text(self.syntax) };
            picture.facts.push(text);
            return;
        }
        list.sort_by(|a, b| {
            let pairs = a.1.iter().zip(&b.1).map(|(a, b)| natural(a, b));
            pairs.into_iter().find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        });
        let joined = |leaves: &[Arc<str>]| leaves.join(" ");
        match how {
            Use::Line if list.len() == 1 => {
                let value = joined(&list[0].1);
                picture.lines.push(Line::Word { name, value });
            }
            Use::Counters { value, piles } => {
                let entry = |(_, leaves): &Written<'_>| {
                    (leaves[1 - value].to_string(), leaves[*value].to_string())
                };
                let entries = list.iter().map(entry).collect();
                picture.lines.push(Line::Counters { name, entries, piles: *piles });
            }
            Use::Groups { owner, owners } => {
                let list: Vec<_> = list.into_iter().map(|(_, leaves)| leaves).collect();
                picture.lines.push(grouped(name, *owner, owners, &list));
            }
            Use::Stacks { things } => {
                let list: Vec<_> = list.into_iter().map(|(_, leaves)| leaves).collect();
                picture.lines.push(stacks(name, things, &list));
            }
            _ => {
                let items = list.iter().map(|(_, leaves)| joined(leaves)).collect();
                picture.lines.push(Line::List { name, items });
            }
        }
    }

    fn panels(&self, plan: &Plan, cells: &FxHashMap<Place, Vec<String>>, picture: &mut Picture) {
        let boards = plan.boards();
        for board in 0..boards {
            let split = plan.split_names(board);
            let mut title = plan.title.clone().unwrap_or_default();
            let several = self.plans.len() > 1 || boards > 1;
            if plan.title.is_none() && several {
                title = match (self.plans.len() > 1, split.is_empty()) {
                    (true, _) | (_, true) => self.name(&plan.name),
                    (false, false) => String::new(),
                };
            }
            if !split.is_empty() {
                title.push(' ');
                title.push_str(&split.join(" "));
            }
            let last = plan.splits.last().filter(|_| plan.splits.len() > 1);
            let row = last.map_or(0, |domain| board / domain.names.len());
            let title = title.trim().to_owned();
            let mut one = panel(plan, board, title, row, cells);
            one.among = among(plan, board);
            picture.panels.push(one);
        }
        for label in &plan.labels {
            let symbol = plan.symbols.get(label);
            let number = |text: &str| text.parse::<i64>().is_ok();
            let plain = label.ends_with(symbol) && symbol.len() * 2 > label.len()
                || symbol == EMPTY
                || number(symbol) && number(label)
                || plan.symbols.blank.as_ref() == Some(label);
            let entry = (symbol.to_owned(), label.clone());
            if !plain && !picture.legend.contains(&entry) {
                picture.legend.push(entry);
            }
        }
    }
}

/// The position of a board among the boards of its plan: two arguments that distinguish them are
/// column and row, in the order of the cells.
fn among(plan: &Plan, board: usize) -> Option<(usize, usize)> {
    let [first, second] = &plan.splits[..] else { return None };
    let (a, b) = (board / second.names.len(), board % second.names.len());
    let ((column, row), rows) =
        if plan.across { ((a, b), second.names.len()) } else { ((b, a), first.names.len()) };
    Some((column, if plan.up { rows - 1 - row } else { row }))
}

fn panel(
    plan: &Plan,
    board: usize,
    title: String,
    row: usize,
    cells: &FxHashMap<Place, Vec<String>>,
) -> Panel {
    let (columns, rows) = (&plan.columns.names, &plan.rows.names);
    // The common prefix of all names is omitted above and beside the board.
    let text = |names: &[Arc<str>]| -> Vec<String> {
        let prefix = common_prefix(names.iter().map(|name| &**name)).unwrap_or("").len();
        names.iter().map(|name| name[prefix..].to_owned()).collect()
    };
    let (mut row_names, mut row_notes) = (text(rows), plan.notes.rows.clone());
    if plan.up {
        row_names.reverse();
        row_notes.reverse();
    }
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for label in cells.values().flatten() {
        *counts.entry(label).or_default() += 1;
    }
    let mut spots = Vec::new();
    let mut number: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for y in 0..rows.len() {
        let down = if plan.up { rows.len() - 1 - y } else { y };
        for (x, column) in columns.iter().enumerate() {
            let place = (board, x, down);
            let here = cells.get(&place).map_or(&[][..], Vec::as_slice);
            if here.is_empty() && !plan.cells.contains(&place) {
                continue;
            }
            let mut names = [&**column, &*rows[down]];
            if plan.turned {
                names.reverse();
            }
            let name = names.iter().filter(|name| !name.is_empty()).copied().collect::<Vec<_>>();
            let given = plan.spots.get(&(x, down)).or(plan.points.get(x));
            let at = match (given, plan.layout) {
                (Some(&place), _) => place,
                (None, Layout::Hexagons) => (x as f32 + plan.shift_of(down), y as f32),
                (None, _) => (x as f32, y as f32),
            };
            number.insert((x, down), spots.len());
            spots.push(Spot {
                name: name.join(" "),
                column: x,
                row: y,
                at,
                labels: here.to_vec(),
                symbol: symbol(plan, here, &counts),
            });
        }
    }
    let mut links = vec![Vec::new(); spots.len()];
    if plan.layout == Layout::Graph {
        for (from, to) in &plan.links {
            if let (Some(&from), Some(&to)) = (number.get(from), number.get(to)) {
                links[from].push(to);
            }
        }
    }
    let edges = plan.borders.iter().filter(|_| board == 0).filter_map(|border| {
        let (_, x, down) = border.place;
        let spot = *number.get(&(x, down))?;
        Some(Edge { spot, side: border.side, sign: border.sign, label: border.label.clone() })
    });
    Panel {
        title,
        edges: edges.collect(),
        layout: plan.layout,
        columns: text(columns),
        rows: row_names,
        column_notes: plan.notes.columns.clone(),
        row_notes,
        up: plan.up,
        spots,
        links,
        row,
        among: None,
    }
}

/// The symbol of a cell: if there are several things, the rarest one on the board, because pieces
/// lie on marks. Recognised marks take precedence over the most frequent contents, which may mean
/// an empty cell, but not over anything else.
fn symbol(plan: &Plan, labels: &[String], counts: &FxHashMap<&str, usize>) -> String {
    let there = labels.iter().filter(|&label| plan.symbols.blank.as_ref() != Some(label));
    let count = |label: &String| counts.get(label.as_str()).copied().unwrap_or(0);
    let most = counts.values().copied().max().unwrap_or(0);
    let top = there.rev().min_by_key(|&label| match plan.marks.contains(label) {
        true => (1, 0),
        false if plan.marks.is_empty() || count(label) < most => (0, count(label)),
        false => (2, 0),
    });
    top.map_or(EMPTY, |label| plan.symbols.get(label)).to_owned()
}
