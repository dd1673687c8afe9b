//! The boards of a game: their relations and cells.

use std::cmp::Reverse;
use std::sync::Arc;

use magister_core::{BoardStyle, Layout, Style};
use rustc_hash::{FxHashMap, FxHashSet};

use super::classify::{Axis, Class, Lie};
use super::coordinates::Former;
use super::domain::{Domain, square};
use super::families::families;
use super::fill::fill;
use super::graph::{self, Links};
use super::groups::Things;
use super::marks::{Border, words};
use super::material::Material;
use super::notes::{Notes, note};
use super::relation::{Forms, Relation};
use super::symbols::Symbols;

/// A place: the board among those of a plan, then column and row, as indexes of their domains.
pub(super) type Place = (usize, usize, usize);

/// Boards of one kind; several if relations are split.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about a board")]
pub(super) struct Plan {
    pub(super) title: Option<String>,
    /// Its main relation; others may share the board.
    pub(super) name: String,
    pub(super) layout: Layout,
    pub(super) columns: Domain,
    pub(super) rows: Domain,
    pub(super) splits: Vec<Domain>,
    /// Whether the first row is at the bottom.
    pub(super) up: bool,
    /// Whether a relation fills it.
    full: bool,
    /// Whether its relations have one value for each cell.
    single: bool,
    /// The existing cells.
    pub(super) cells: FxHashSet<Place>,
    /// The names of its contents.
    values: FxHashSet<Arc<str>>,
    pub(super) labels: Vec<String>,
    pub(super) symbols: Symbols,
    /// Constant contents: places and labels.
    pub(super) fixed: Vec<(Place, String)>,
    /// The labels of constant contents that were recognised without a style.
    pub(super) marks: FxHashSet<String>,
    /// The connections between its points; empty if unknown.
    pub(super) links: Links,
    /// The coordinates of a graph's points.
    pub(super) points: Vec<(f32, f32)>,
    /// How far each row of hexagons is shifted to the right; by default half a cell per row.
    pub(super) shift: Vec<f32>,
    /// Whether the fluents have the row before the column; the name of a cell then begins with its
    /// row.
    pub(super) turned: bool,
    /// The notes beside its rows and columns.
    pub(super) notes: Notes,
    /// The coordinates that a style gives to cells by their names.
    pub(super) spots: FxHashMap<(usize, usize), (f32, f32)>,
    /// How its cells were named before the rules gave them coordinates.
    pub(super) former: Option<Former>,
    /// Whether fluents name the column before the row.
    pub(super) across: bool,
    /// Walls and signs.
    pub(super) borders: Vec<Border>,
    /// The cells of its relations, by the names of column and row.
    taken: FxHashSet<(Arc<str>, Arc<str>)>,
}

/// How the fluents of a relation are shown.
#[derive(Clone, Debug)]
pub(super) enum Use {
    /// On a board; `named` puts the name of the relation before the label. A relation laid `over`
    /// another is a further property of the same cells.
    Board { plan: usize, lie: Lie, named: bool, over: bool },
    /// A name and its value.
    Line,
    /// Keys and values.
    Counters { value: usize, piles: bool },
    /// Things by the role in a leaf; with the roles in their order.
    Groups { owner: usize, owners: Vec<Arc<str>> },
    /// Things that stand on each other.
    Stacks { things: Things },
    /// As a switch, on or off.
    Flag,
    /// In a list.
    List,
    /// Once, because it never changes.
    Constant,
    /// Not at all.
    Hidden,
}

/// Names that rules use for the relation between cells and pieces.
const CELLS: [&str; 6] = ["cell", "board", "square", "piece", "location", "holds"];
/// Words for dice. The numbers of two dice are not a column and a row.
const DICE: [&str; 6] = ["die", "dice", "roll", "rolled", "throw", "thrown"];
/// The maximum number of marks that are not drawn as a board.
const FEW_MARKS: usize = 12;
/// The maximum size of heaps that are drawn as such.
const PILE: usize = 31;
const SMALL_PILE: usize = 12;
/// The maximum number of facts that are shown as switches.
const FLAGS: usize = 16;

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
    // Things that stand on each other are not cells, even if they are called `a1` and `b2`.
    let things: FxHashSet<Arc<str>> =
        relations.iter().filter_map(|(_, relation)| relation.stacked()).flatten().collect();
    let classes: Vec<Class> = relations
        .iter()
        .map(|(_, relation)| match relation.classify(material, styled(relation)) {
            Class::Board(_) if styled(relation).is_none() && relation.is_about(&things) => {
                Class::List
            }
            class => class,
        })
        .collect();
    // Boards of a style come first and in its order, then those that a relation fills.
    let mut order: Vec<usize> = (0..relations.len()).collect();
    order.sort_by_key(|&number| {
        let relation = &relations[number].1;
        let place = style.boards.iter().position(|b| b.fluents.contains(&relation.name));
        let within =
            place.map(|place| style.boards[place].fluents.iter().position(|f| *f == relation.name));
        let guest = !matches!(classes[number], Class::Board(_) | Class::Graph(..));
        // Pieces at positions come after the boards that they may stand on.
        let loose = matches!(&classes[number], Class::Board(Lie { column: Axis::Leaf(leaf), .. })
            if relation.determined.contains(leaf));
        let marks = relation.determined.is_empty();
        // Fluents that players consider when they choose a move come before bookkeeping.
        let aside = !material.deciding.contains(&relation.name);
        // Relations that are named after the cells of a board are the board.
        let other = !CELLS.iter().any(|word| relation.name.to_lowercase().contains(word));
        let size = Reverse(relation.size);
        let place = place.unwrap_or(usize::MAX);
        (place, within, guest, loose, !relation.full, (marks, other, aside), size)
    });
    let shared = if style.boards.is_empty() {
        families(relations, &things, forms, material)
    } else {
        Vec::new()
    };
    for family in &shared {
        let mut board: Option<Plan> = None;
        for &member in &family.members {
            let own = Plan::new(&relations[member].1, &family.lie, None, material);
            match &mut board {
                Some(board) => board.join(&own, material),
                None => board = Some(own),
            }
            let lie = family.lie.clone();
            uses[member] = Use::Board { plan: plans.len(), lie, named: false, over: false };
        }
        plans.extend(board.map(|board| Plan { full: true, ..board }));
    }
    let in_family = |number: usize| shared.iter().any(|family| family.members.contains(&number));
    for number in order.into_iter().filter(|&number| !in_family(number)) {
        let relation = &relations[number].1;
        if style.hide.contains(&relation.name) {
            uses[number] = Use::Hidden;
            continue;
        }
        if relation.constant && styled(relation).is_none() {
            uses[number] = Use::Constant;
            continue;
        }
        uses[number] = match &classes[number] {
            Class::Board(lie) => lay(&mut plans, relation, lie, styled(relation), material),
            Class::Guest(lie) => {
                let new = Plan::new(relation, lie, styled(relation), material);
                let host = plans.iter().position(|plan| plan.hosts(&new));
                let (columns, rows) = (new.columns.names.len(), new.rows.names.len());
                let most = columns * rows <= relation.size * 2;
                let dice = words(&relation.name).iter().any(|word| DICE.contains(&word.as_str()));
                let large = plans.is_empty() && columns > 2 && rows > 2 && most && !dice;
                match host {
                    Some(plan) => Use::Board { plan, lie: lie.clone(), named: true, over: false },
                    None if large => {
                        plans.push(new);
                        let plan = plans.len() - 1;
                        Use::Board { plan, lie: lie.clone(), named: false, over: false }
                    }
                    None => Use::Line,
                }
            }
            Class::Graph(point, label) => {
                let lie = Lie::points(*point, label.clone());
                lay(&mut plans, relation, &lie, styled(relation), material)
            }
            Class::Counters(value) => {
                let marks = relation.marks(material).filter(|_| styled(relation).is_none());
                let host = marks.and_then(|lie| {
                    let new = Plan::new(relation, &lie, None, material);
                    let large = |plan: &Plan| plan.columns.names.len() * plan.rows.names.len();
                    let fits = |plan: &Plan| plan.hosts(&new) && relation.size * 2 > large(plan);
                    plans.iter().position(fits).map(|plan| (plan, lie))
                });
                match host {
                    Some((plan, lie)) => Use::Board { plan, lie, named: true, over: false },
                    None => Use::Counters { value: *value, piles: piles(relation, *value) },
                }
            }
            Class::Groups(owner) => {
                let owners = relation.domains[*owner].names.clone();
                Use::Groups { owner: *owner, owners }
            }
            Class::Stacks(things) => Use::Stacks { things: things.clone() },
            // A thing at one of the points, such as a traveller in a network of towns.
            Class::Line => match &relation.domains[..] {
                [point] => {
                    let on = |plan: &Plan| {
                        let points = &plan.columns;
                        plan.layout == Layout::Graph
                            && plan.splits.is_empty()
                            && points.contains(point)
                            && point.names.len() * 2 > points.names.len()
                    };
                    let lie = Lie::points(0, Vec::new());
                    let host = plans.iter().position(on);
                    host.map_or(Use::Line, |plan| Use::Board { plan, lie, named: true, over: true })
                }
                _ => Use::Line,
            },
            Class::List | Class::Fact => Use::List,
        };
    }
    let fact = |class: &Class| matches!(class, Class::Fact);
    let facts = classes.iter().filter(|class| fact(class)).count();
    if plans.is_empty() && (2..=FLAGS).contains(&facts) {
        for (how, _) in uses.iter_mut().zip(&classes).filter(|(_, class)| fact(class)) {
            if matches!(how, Use::List) {
                *how = Use::Flag;
            }
        }
    }
    tell_apart(&mut uses, plans.len(), relations);
    fill(&mut plans, &mut uses, relations, forms, material, style);
    note(&mut plans, material);
    (plans, uses)
}

/// Whether counters are sizes of heaps.
fn piles(relation: &Relation, value: usize) -> bool {
    let (keys, values) = (&relation.domains[1 - value], &relation.domains[value]);
    let called = ["heap", "pile", "stack"].iter().any(|word| relation.name.contains(word));
    let (most, many) = if called { (PILE, 12) } else { (SMALL_PILE, 6) };
    values.is_numeric() && !keys.roles && values.names.len() <= most && keys.names.len() <= many
}

/// If two relations on a board share a value, all except the first put their name before the value.
fn tell_apart(uses: &mut [Use], plans: usize, relations: &[(String, Relation)]) {
    let mut values: Vec<FxHashSet<&str>> = vec![FxHashSet::default(); plans];
    for pass in [false, true] {
        for (how, (_, relation)) in uses.iter_mut().zip(relations) {
            let Use::Board { plan, lie, named, .. } = how else { continue };
            if *named != pass {
                continue;
            }
            let mut own: FxHashSet<&str> = FxHashSet::default();
            for &leaf in &lie.label {
                own.extend(relation.domains[leaf].names.iter().map(|name| &**name));
            }
            *named = pass && !own.is_disjoint(&values[*plan]);
            values[*plan].extend(own);
        }
    }
}

/// Puts a relation on the board that it fits, or on a new one.
fn lay(
    plans: &mut Vec<Plan>,
    relation: &Relation,
    lie: &Lie,
    style: Option<&BoardStyle>,
    material: &Material,
) -> Use {
    // Pieces that have the names of boards lie on those boards, one on each.
    let boards = |plan: &&Plan| {
        lie.split.is_empty()
            && plan.splits.len() == lie.label.len()
            && plan.splits.iter().zip(&lie.label).all(|(split, &leaf)| {
                let names = &relation.domains[leaf].names;
                !names.is_empty()
                    && split.names.len() == names.len()
                    && split.contains(&relation.domains[leaf])
            })
    };
    let mut lie = lie.clone();
    if style.is_none() && !lie.label.is_empty() && plans.iter().any(|plan| boards(&plan)) {
        lie.split = std::mem::take(&mut lie.label);
    }
    let lie = &lie;
    // The contents are cells too: a group of stones, for example, is named after one of its cells.
    let refers = |plan: &Plan| {
        let at = |axis: Axis| match axis {
            Axis::Leaf(leaf) => Some(&relation.domains[leaf].names),
            _ => None,
        };
        let (Some(columns), Some(rows)) = (at(lie.column), at(lie.row)) else { return false };
        let cells: Vec<_> = lie.label.iter().map(|&leaf| &relation.domains[leaf].names).collect();
        let named = cells == [columns, rows] || cells == [rows, columns];
        named && plan.columns.names == *columns && plan.rows.names == *rows
    };
    if style.is_none() && lie.split.is_empty() && plans.iter().any(refers) {
        return Use::List;
    }
    let new = Plan::new(relation, lie, style, material);
    let named = style.map(|style| &style.fluents);
    let place = plans.iter().position(|plan| match named {
        Some(names) => names.contains(&plan.name) && plan.fits(&new, true),
        None => plan.fits(&new, false),
    });
    let over = plans.iter().position(|plan| style.is_none() && plan.lies_under(&new));
    if let Some(plan) = over.filter(|_| place.is_none()) {
        plans[plan].join(&new, material);
        return Use::Board { plan, lie: lie.clone(), named: true, over: true };
    }
    if let Some(plan) = place {
        // Relations that divide the cells of a board among them need no names to distinguish them.
        let named = !plans[plan].completed_by(&new);
        plans[plan].join(&new, material);
        return Use::Board { plan, lie: lie.clone(), named, over: false };
    }
    // If few cells are marked, they are better listed than drawn.
    if style.is_none() && relation.determined.is_empty() {
        let few = !plans.is_empty() && relation.size <= FEW_MARKS;
        if few || plans.iter().any(|plan| plan.hosts(&new)) {
            return Use::List;
        }
    }
    plans.push(new);
    Use::Board { plan: plans.len() - 1, lie: lie.clone(), named: false, over: false }
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
        // If a style gives the lines between points, they are computed when all cells are known.
        let asked = style.is_some_and(|style| style.lines.is_some());
        let free = points && style.is_none();
        let rows = free.then(|| graph::rectangle(&columns, material)).flatten();
        let rows = rows.map(|width| graph::in_rows(columns.names.len(), width));
        let graph = points
            && (!columns.is_ordered() || rows.is_some() || graph::branches(&columns, material));
        let (places, links) = rows.unwrap_or_else(|| {
            let given = |style: &BoardStyle| {
                let place = |name: &Arc<str>| style.places.get(&**name).copied();
                columns.names.iter().map(place).collect::<Option<_>>().unwrap_or_default()
            };
            let links = if points && !asked { graph::links(&columns, material) } else { None };
            (style.map_or_else(Vec::new, given), links.unwrap_or_default())
        });
        let layout = if graph { Layout::Graph } else { Layout::Grid };
        Plan {
            title: style.and_then(|style| style.title.clone()),
            name: relation.name.clone(),
            layout: style.and_then(|style| style.layout).unwrap_or(layout),
            rows: axis(relation, lie.row, material),
            splits: lie.split.iter().map(|&leaf| relation.domains[leaf].clone()).collect(),
            up: lie.up,
            full: relation.full,
            single: !lie.label.is_empty()
                && lie.label.iter().all(|leaf| relation.determined.contains(leaf)),
            cells: FxHashSet::default(),
            values: lie
                .label
                .iter()
                .flat_map(|&leaf| relation.domains[leaf].names.clone())
                .collect(),
            labels: Vec::new(),
            symbols: Symbols::default(),
            fixed: Vec::new(),
            marks: FxHashSet::default(),
            links,
            points: places,
            shift: Vec::new(),
            turned: matches!((lie.row, lie.column), (Axis::Leaf(row), Axis::Leaf(column)) if row < column),
            notes: Notes::default(),
            spots: FxHashMap::default(),
            former: None,
            across: match (lie.column, lie.row) {
                (Axis::Leaf(column), Axis::Leaf(row)) => column < row,
                _ => true,
            },
            borders: Vec::new(),
            taken: taken(relation, lie),
            columns,
        }
    }

    /// Whether a smaller relation lies on this board too.
    fn hosts(&self, other: &Plan) -> bool {
        self.splits.is_empty()
            && self.columns.contains(&other.columns)
            && self.rows.contains(&other.rows)
    }

    /// Whether two relations share a board: over about the same cells, and not both filling it.
    fn fits(&self, other: &Plan, asked: bool) -> bool {
        let near = |a: &Domain, b: &Domain| {
            let (small, large) = if a.names.len() < b.names.len() { (a, b) } else { (b, a) };
            large.contains(small) && (asked || small.names.len() * 2 > large.names.len())
        };
        let splits = self.splits.len() == other.splits.len()
            && self.splits.iter().zip(&other.splits).all(|(a, b)| near(a, b));
        splits
            && (asked
                || self.completed_by(other)
                || !(self.full && other.full) && self.suits(&other.values))
            && near(&self.columns, &other.columns)
            && near(&self.rows, &other.rows)
            && (self.layout == other.layout || asked)
    }

    /// Whether two relations are parts of one board: both fill their cells, have the same contents
    /// and share no cell, such as the dark and the light squares.
    fn completed_by(&self, other: &Plan) -> bool {
        self.full
            && other.full
            && self.splits.is_empty()
            && other.splits.is_empty()
            && self.values == other.values
            && !self.taken.is_empty()
            && !other.taken.is_empty()
            && self.taken.is_disjoint(&other.taken)
    }

    /// Whether another relation gives a second property of the same cells, such as a number for
    /// every piece.
    fn lies_under(&self, other: &Plan) -> bool {
        // One of the values may be a word for an empty cell.
        let numbers = |plan: &Plan| {
            let words = plan.values.iter().filter(|value| value.parse::<i64>().is_err()).count();
            words < 2 && words < plan.values.len()
        };
        let one = |plan: &Plan| plan.single && !plan.values.is_empty();
        one(self)
            && one(other)
            && self.splits.is_empty()
            && other.splits.is_empty()
            && numbers(self) != numbers(other)
            && self.layout == other.layout
            && !other.taken.is_empty()
            && other.taken.is_subset(&self.taken)
            && other.taken.len() * 2 > self.taken.len()
    }

    /// Whether things with these names fit here too: the names are different, and numbers do not
    /// mix with pieces.
    fn suits(&self, values: &FxHashSet<Arc<str>>) -> bool {
        let numbers = |values: &FxHashSet<Arc<str>>| {
            values.iter().filter(|value| value.parse::<i64>().is_ok()).count() > 2
        };
        let either = self.values.is_empty() || values.is_empty();
        either || (self.values.is_disjoint(values) && numbers(&self.values) == numbers(values))
    }

    fn join(&mut self, other: &Plan, material: &Material) {
        self.columns = self.columns.join(&other.columns, material);
        self.rows = self.rows.join(&other.rows, material);
        for (own, other) in self.splits.iter_mut().zip(&other.splits) {
            *own = own.join(other, material);
        }
        self.full |= other.full;
        self.taken.extend(other.taken.iter().cloned());
        self.values.extend(other.values.iter().cloned());
    }

    /// The place of a fluent with these leaves.
    pub(super) fn place(&self, lie: &Lie, leaves: &[Arc<str>]) -> Option<Place> {
        let (splits, columns, rows) = match &self.former {
            Some(former) => (&former.splits, &former.columns, &former.rows),
            None => (&self.splits, &self.columns, &self.rows),
        };
        let mut board = 0;
        for (domain, &leaf) in splits.iter().zip(&lie.split) {
            board = board * domain.names.len() + domain.position(leaves.get(leaf)?)?;
        }
        let column = coordinate(columns, lie.column, leaves)?;
        let place = (board, column, coordinate(rows, lie.row, leaves)?);
        match &self.former {
            Some(former) => former.to.get(&place).copied(),
            None => Some(place),
        }
    }

    /// All places of a fluent with these leaves; some things fill two cells.
    pub(super) fn places(&self, lie: &Lie, leaves: &[Arc<str>]) -> Vec<Place> {
        let second = lie.also.and_then(|(column, row)| {
            let (column, row) = (Axis::Leaf(column), Axis::Leaf(row));
            self.place(&Lie { column, row, also: None, ..lie.clone() }, leaves)
        });
        let first = self.place(lie, leaves);
        first.into_iter().chain(second.filter(|_| first.is_some() && second != first)).collect()
    }

    /// The places that words name in the order of a fluent's arguments, at most two.
    pub(super) fn named(&self, lie: &Lie, words: &[Arc<str>]) -> Vec<Place> {
        // The leaves of a place, in the order of the fluents.
        let mut order: Vec<usize> = lie.split.clone();
        for axis in [lie.column, lie.row] {
            if let Axis::Leaf(leaf) | Axis::First(leaf) | Axis::Second(leaf) = axis {
                order.push(leaf);
            }
        }
        order.sort_unstable();
        order.dedup();
        let count = order.len();
        let mut found: Vec<Place> = Vec::new();
        let mut at = 0;
        while count > 0 && at + count <= words.len() && found.len() < 2 {
            let mut leaves: Vec<Arc<str>> = vec![Arc::from(""); order[count - 1] + 1];
            for (place, &leaf) in order.iter().enumerate() {
                leaves[leaf] = Arc::clone(&words[at + place]);
            }
            match self.place(lie, &leaves).filter(|place| self.cells.contains(place)) {
                Some(place) => {
                    found.push(place);
                    at += count;
                }
                None => at += 1,
            }
        }
        found
    }

    /// How far a row of hexagons is shifted to the right.
    pub(super) fn shift_of(&self, row: usize) -> f32 {
        self.shift.get(row).copied().unwrap_or(0.5 * row as f32)
    }

    /// The steps from a cell of a row of hexagons to its neighbours, in columns and rows.
    pub(super) fn hexagonal_steps(&self, row: usize) -> Vec<(isize, isize)> {
        let mut steps = vec![(-1, 0), (1, 0)];
        for (other, dy) in [(row.checked_sub(1), -1), (Some(row + 1), 1)] {
            let Some(other) = other.filter(|&other| other < self.rows.names.len()) else {
                continue;
            };
            // Half a cell to one side or the other.
            let ahead = self.shift_of(row) - self.shift_of(other);
            steps.extend([-0.5, 0.5].map(|half| ((ahead + half).round() as isize, dy)));
        }
        steps
    }

    /// The number of boards.
    pub(super) fn boards(&self) -> usize {
        self.splits.iter().map(|domain| domain.names.len()).product()
    }

    /// The names that distinguish a board from the others of the plan.
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

/// The cells of a relation, by the names of column and row.
fn taken(relation: &Relation, lie: &Lie) -> FxHashSet<(Arc<str>, Arc<str>)> {
    let none: Arc<str> = Arc::from("");
    let cell = |leaves: &Vec<Arc<str>>| match (lie.column, lie.row) {
        (Axis::Leaf(column), Axis::Leaf(row)) => {
            Some((Arc::clone(&leaves[column]), Arc::clone(&leaves[row])))
        }
        (Axis::Leaf(column), Axis::One) => Some((Arc::clone(&leaves[column]), Arc::clone(&none))),
        _ => None,
    };
    relation.members.iter().filter_map(cell).collect()
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
