//! The boards of a game: which relations lie on which, and what the cells are.

use std::sync::Arc;

use magister_core::{BoardStyle, Layout, Style};
use rustc_hash::FxHashSet;

use super::classify::{Axis, Class, Lie};
use super::domain::{Domain, square};
use super::graph::{self, Links};
use super::material::Material;
use super::relation::{Forms, Relation};
use super::symbols::Symbols;
use crate::Ground;

/// A place: the board among those of a plan, then column and row, as positions in their domains.
pub(super) type Place = (usize, usize, usize);

/// Boards of one kind, of which there is more than one where relations are split.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) title: Option<String>,
    /// The relation that it is about; others lie on it too.
    pub(super) name: String,
    pub(super) layout: Layout,
    pub(super) columns: Domain,
    pub(super) rows: Domain,
    pub(super) splits: Vec<Domain>,
    /// Whether the first row is at the bottom.
    pub(super) up: bool,
    /// Whether there is a relation on it that fills it.
    full: bool,
    /// The cells that there are.
    pub(super) cells: FxHashSet<Place>,
    pub(super) labels: Vec<String>,
    pub(super) symbols: Symbols,
    /// What never changes: places and labels.
    pub(super) fixed: Vec<(Place, String)>,
    pub(super) links: Option<Links>,
    /// Where the points of a graph lie.
    pub(super) places: Vec<(f32, f32)>,
}

/// How the fluents of a relation are shown.
#[derive(Clone, Debug)]
pub(super) enum Use {
    /// On a board; with the name of the relation before what lies there.
    Board { plan: usize, lie: Lie, named: bool },
    /// One word and its value.
    Line,
    /// Keys and values.
    Counters { value: usize, piles: bool },
    /// Listed.
    List,
    /// Not at all.
    Hidden,
}

/// The values of heaps that are drawn as such.
const PILE: usize = 31;

/// The boards of a game, and how each relation is shown.
pub(super) fn plan(
    relations: &[(String, Relation)],
    forms: &Forms,
    material: &Material,
    style: &Style,
) -> (Vec<Plan>, Vec<Use>) {
    let mut plans: Vec<Plan> = Vec::new();
    let mut uses: Vec<Use> = vec![Use::List; relations.len()];
    let styled =
        |relation: &Relation| style.boards.iter().find(|b| b.fluents.contains(&relation.name));
    let classes: Vec<Class> = relations
        .iter()
        .map(|(_, relation)| relation.classify(material, styled(relation)))
        .collect();
    // Boards that a style names come first and in its order, then those that something fills.
    let mut order: Vec<usize> = (0..relations.len()).collect();
    order.sort_by_key(|&number| {
        let relation = &relations[number].1;
        let place = style.boards.iter().position(|b| b.fluents.contains(&relation.name));
        let within =
            place.map(|place| style.boards[place].fluents.iter().position(|f| *f == relation.name));
        (
            place.unwrap_or(usize::MAX),
            within,
            !matches!(classes[number], Class::Board(_)),
            !relation.full,
        )
    });
    for number in order {
        let relation = &relations[number].1;
        if style.hide.contains(&relation.name) {
            uses[number] = Use::Hidden;
            continue;
        }
        uses[number] = match &classes[number] {
            Class::Board(lie) => lay(&mut plans, relation, lie, styled(relation), material),
            Class::Guest(lie) => {
                let new = Plan::new(relation, lie, styled(relation), material);
                let host = plans.iter().position(|plan| plan.hosts(&new));
                let large = new.columns.names.len() > 2 && new.rows.names.len() > 2;
                match host {
                    Some(plan) => Use::Board { plan, lie: lie.clone(), named: true },
                    None if large => {
                        plans.push(new);
                        let plan = plans.len() - 1;
                        Use::Board { plan, lie: lie.clone(), named: false }
                    }
                    None => Use::Line,
                }
            }
            Class::Graph(point, label) => {
                let lie = Lie {
                    column: Axis::Leaf(*point),
                    row: Axis::One,
                    split: Vec::new(),
                    label: label.clone(),
                    up: false,
                };
                lay(&mut plans, relation, &lie, styled(relation), material)
            }
            Class::Counters(value) => {
                let key = 1 - value;
                let most = relation.domains[*value].names.len();
                let piles = relation.domains[*value].is_numeric()
                    && !relation.domains[key].roles
                    && most <= PILE
                    && relation.domains[key].names.len() <= 12;
                Use::Counters { value: *value, piles }
            }
            Class::Line => Use::Line,
            Class::List | Class::Fact => Use::List,
        };
    }
    fill(&mut plans, &uses, relations, forms, material, style);
    (plans, uses)
}

/// Puts a relation on the board that it fits, or on one of its own.
fn lay(
    plans: &mut Vec<Plan>,
    relation: &Relation,
    lie: &Lie,
    style: Option<&BoardStyle>,
    material: &Material,
) -> Use {
    let new = Plan::new(relation, lie, style, material);
    let named = style.map(|style| &style.fluents);
    let place = plans.iter().position(|plan| match named {
        Some(names) => names.contains(&plan.name) && plan.fits(&new, true),
        None => plan.fits(&new, false),
    });
    if let Some(plan) = place {
        plans[plan].join(&new, material);
        return Use::Board { plan, lie: lie.clone(), named: true };
    }
    plans.push(new);
    Use::Board { plan: plans.len() - 1, lie: lie.clone(), named: false }
}

impl Plan {
    fn new(
        relation: &Relation,
        lie: &Lie,
        style: Option<&BoardStyle>,
        material: &Material,
    ) -> Self {
        let columns = axis(relation, lie.column, material);
        let points = lie.row == Axis::One;
        let links = if points { graph::links(&columns, material) } else { None };
        let places: Vec<(f32, f32)> = style.map_or_else(Vec::new, |style| {
            let place = |name: &Arc<str>| style.places.get(&**name).copied();
            columns.names.iter().map(place).collect::<Option<_>>().unwrap_or_default()
        });
        let graph = points && !columns.is_ordered();
        let layout = if graph { Layout::Graph } else { Layout::Grid };
        Plan {
            title: style.and_then(|style| style.title.clone()),
            name: relation.name.clone(),
            layout: style.and_then(|style| style.layout).unwrap_or(layout),
            rows: axis(relation, lie.row, material),
            splits: lie.split.iter().map(|&leaf| relation.domains[leaf].clone()).collect(),
            up: lie.up,
            full: relation.full,
            cells: FxHashSet::default(),
            labels: Vec::new(),
            symbols: Symbols::default(),
            fixed: Vec::new(),
            links,
            places,
            columns,
        }
    }

    /// Whether something that covers less lies on this board too.
    fn hosts(&self, other: &Plan) -> bool {
        self.splits.is_empty()
            && self.columns.contains(&other.columns)
            && self.rows.contains(&other.rows)
    }

    /// Whether two relations share a board: over about the same cells, and not both fill it.
    fn fits(&self, other: &Plan, asked: bool) -> bool {
        let near = |a: &Domain, b: &Domain| {
            let (small, large) = if a.names.len() < b.names.len() { (a, b) } else { (b, a) };
            large.contains(small) && small.names.len() * 2 > large.names.len()
        };
        let splits = self.splits.len() == other.splits.len()
            && self.splits.iter().zip(&other.splits).all(|(a, b)| near(a, b));
        splits
            && (asked || !(self.full && other.full))
            && near(&self.columns, &other.columns)
            && near(&self.rows, &other.rows)
            && (self.layout == other.layout || asked)
    }

    fn join(&mut self, other: &Plan, material: &Material) {
        self.columns = self.columns.join(&other.columns, material);
        self.rows = self.rows.join(&other.rows, material);
        for (own, other) in self.splits.iter_mut().zip(&other.splits) {
            *own = own.join(other, material);
        }
        self.full |= other.full;
    }

    /// Where a fluent with these leaves lies.
    pub(super) fn place(&self, lie: &Lie, leaves: &[Arc<str>]) -> Option<Place> {
        let mut board = 0;
        for (domain, &leaf) in self.splits.iter().zip(&lie.split) {
            board = board * domain.names.len() + domain.position(leaves.get(leaf)?)?;
        }
        let column = coordinate(&self.columns, lie.column, leaves)?;
        Some((board, column, coordinate(&self.rows, lie.row, leaves)?))
    }

    /// How many boards there are.
    pub(super) fn boards(&self) -> usize {
        self.splits.iter().map(|domain| domain.names.len()).product()
    }

    /// What tells a board from the others of the plan.
    pub(super) fn split_names(&self, mut board: usize) -> Vec<Arc<str>> {
        let mut names = Vec::new();
        for domain in self.splits.iter().rev() {
            names.push(Arc::clone(&domain.names[board % domain.names.len()]));
            board /= domain.names.len();
        }
        names.reverse();
        names
    }
}

/// The values along an axis.
fn axis(relation: &Relation, axis: Axis, material: &Material) -> Domain {
    let parts = |leaf: usize, second: bool| {
        let names = relation.domains[leaf].names.iter().filter_map(|name| {
            let (a, b) = square(name)?;
            Some(Arc::from(if second { b } else { a }))
        });
        let names: Vec<Arc<str>> = names.collect();
        Domain::new(names.iter(), material)
    };
    match axis {
        Axis::Leaf(leaf) => relation.domains[leaf].clone(),
        Axis::First(leaf) => parts(leaf, false),
        Axis::Second(leaf) => parts(leaf, true),
        Axis::One => Domain::new([Arc::from("")].iter(), material),
    }
}

fn coordinate(domain: &Domain, axis: Axis, leaves: &[Arc<str>]) -> Option<usize> {
    match axis {
        Axis::Leaf(leaf) => domain.position(leaves.get(leaf)?),
        Axis::First(leaf) => domain.position(square(leaves.get(leaf)?)?.0),
        Axis::Second(leaf) => domain.position(square(leaves.get(leaf)?)?.1),
        Axis::One => Some(0),
    }
}

/// What a fluent with these leaves puts on its board.
pub(super) fn label(name: &str, lie: &Lie, named: bool, leaves: &[Arc<str>]) -> String {
    let words = lie.label.iter().filter_map(|&leaf| leaves.get(leaf)).map(|word| &**word);
    let words: Vec<&str> = words.collect();
    match (words.is_empty(), named) {
        (true, _) => name.to_owned(),
        (false, true) => format!("{name} {}", words.join(" ")),
        (false, false) => words.join(" "),
    }
}

/// Finds the cells, labels and symbols of all boards.
fn fill(
    plans: &mut [Plan],
    uses: &[Use],
    relations: &[(String, Relation)],
    forms: &Forms,
    material: &Material,
    style: &Style,
) {
    let mut seen: Vec<FxHashSet<String>> = plans.iter().map(|_| FxHashSet::default()).collect();
    for fluent in &material.fluents {
        let (form, leaves) = forms.parts(fluent);
        let Some(number) = relations.iter().position(|(other, _)| *other == form) else { continue };
        let Use::Board { plan: at, lie, named } = &uses[number] else { continue };
        let plan = &mut plans[*at];
        if let Some(place) = plan.place(lie, &leaves) {
            plan.cells.insert(place);
        }
        let label = label(&fluent.name, lie, *named, &leaves);
        if seen[*at].insert(label.clone()) {
            plan.labels.push(label);
        }
    }
    for plan in plans {
        let asked = style.boards.iter().find(|board| board.fluents.contains(&plan.name));
        for name in asked.iter().flat_map(|board| &board.fixed) {
            let facts = material.facts.get(name).map_or(&[][..], Vec::as_slice);
            for fact in facts {
                let Some((place, label)) = fixed(plan, name, fact) else { continue };
                plan.cells.insert(place);
                if !plan.labels.contains(&label) {
                    plan.labels.push(label.clone());
                }
                plan.fixed.push((place, label));
            }
        }
        plan.symbols = Symbols::new(&plan.labels, &style.symbols, &material.roles);
    }
}

/// A fact as something on a board: column and row as the fluents have them, then what lies there.
fn fixed(plan: &Plan, name: &str, fact: &[Ground]) -> Option<(Place, String)> {
    let [first, second, rest @ ..] = fact else { return None };
    let place = (0, plan.columns.position(&first.name)?, plan.rows.position(&second.name)?);
    let label = rest.first().map_or_else(|| name.to_owned(), |value| value.name.to_string());
    Some((place, label))
}
