//! Constant properties of cells: walls and signs between cells, and marked cells.
//!
//! The sources are fluents that never change and constant facts. A fact counts only if some rule
//! applies it to cells of the board: it shares the variables of column and row with a fluent of the
//! board. This also shows which of its arguments are the column and the row.

use std::sync::Arc;

use magister_core::Style;

use super::classify::{Axis, Lie};
use super::domain::Domain;
use super::material::Material;
use super::picture::Side;
use super::plan::{Place, Plan, Use};
use super::relation::{Forms, Relation};

/// A wall or a sign at one side of a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Border {
    pub(super) place: Place,
    pub(super) side: Side,
    /// The sign; a wall has none.
    pub(super) sign: Option<char>,
    /// The words of the rules for it.
    pub(super) label: String,
}

/// Words for walls.
const WALLS: [&str; 8] =
    ["wall", "walls", "blocked", "block", "barrier", "fence", "hedge", "closed"];

/// The minimum number of cells per mark. More frequent marks are not worth drawing.
const RARE: usize = 3;

/// The rows of a constant relation.
struct Constant<'a> {
    name: &'a str,
    rows: Vec<Vec<Arc<str>>>,
}

impl Constant<'_> {
    /// Whether it lists the cells that have a wall at the side in its name.
    fn is_wall(&self) -> bool {
        let pairs = self.rows.iter().all(|names| names.len() == 2);
        pairs && meaning(self.name) == Some(Meaning::Wall) && last_side(self.name).is_some()
    }
}

/// Draws constant relations on the boards that they describe, and removes the fluents that are
/// drawn completely from the list.
pub(super) fn mark(
    plans: &mut [Plan],
    uses: &mut [Use],
    relations: &[(String, Relation)],
    forms: &Forms,
    material: &Material,
    style: &Style,
) {
    // The author of a style has decided what a board shows.
    let mut free: Vec<(usize, &mut Plan)> = plans
        .iter_mut()
        .enumerate()
        .filter(|(_, plan)| !style.boards.iter().any(|board| board.fluents.contains(&plan.name)))
        .filter(|(_, plan)| plan.splits.is_empty())
        .filter(|(_, plan)| plan.rows.names.len() > 1 && plan.columns.names.len() > 1)
        .collect();
    let plans = &mut free[..];
    for number in 0..uses.len() {
        if !matches!(uses[number], Use::Constant) {
            continue;
        }
        let (form, relation) = &relations[number];
        let first = material.states.first().into_iter().flatten();
        let parts = first.map(|fluent| forms.parts(fluent)).filter(|(other, _)| other == form);
        let rows = parts.map(|(_, leaves)| leaves).collect();
        let constant = Constant { name: &relation.name, rows };
        if draw(&constant, plans, uses, relations, material, true) {
            uses[number] = Use::Hidden;
        }
    }
    for (name, facts) in &material.facts {
        let atoms = |fact: &Vec<crate::Ground>| -> Option<Vec<Arc<str>>> {
            fact.iter().map(|arg| arg.args.is_none().then(|| Arc::clone(&arg.name))).collect()
        };
        let Some(rows) = facts.iter().map(atoms).collect::<Option<Vec<_>>>() else { continue };
        draw(&Constant { name, rows }, plans, uses, relations, material, false);
    }
}

/// Draws a constant relation on the first board that it describes. Returns whether all of it is
/// drawn.
fn draw(
    constant: &Constant<'_>,
    plans: &mut [(usize, &mut Plan)],
    uses: &[Use],
    relations: &[(String, Relation)],
    material: &Material,
    fluent: bool,
) -> bool {
    for (number, plan) in plans {
        for (how, (_, relation)) in uses.iter().zip(relations) {
            let Use::Board { plan: on, lie, .. } = how else { continue };
            if on != number {
                continue;
            }
            if let Some(complete) = between(constant, plan, lie) {
                return complete;
            }
            let Some((column, row)) = arguments(constant, relation, lie, material, fluent) else {
                continue;
            };
            if let Some(complete) = put(constant, plan, column, row) {
                return complete;
            }
        }
    }
    false
}

/// Puts walls and signs between two cells that each row names. Returns whether all of them are
/// neighbours, or `None` if the relation does not contain pairs of cells.
fn between(constant: &Constant<'_>, plan: &mut Plan, lie: &Lie) -> Option<bool> {
    let meaning = meaning(constant.name)?;
    let count = if matches!(lie.column, Axis::Leaf(_)) { 4 } else { 2 };
    if constant.rows.is_empty() || constant.rows.iter().any(|names| names.len() != count) {
        return None;
    }
    let mut found = Vec::new();
    for names in &constant.rows {
        let [from, to] = plan.named(lie, names)[..] else { return None };
        let steps = (to.1 as isize - from.1 as isize, to.2 as isize - from.2 as isize);
        let side = match (steps, plan.up) {
            ((1, 0), _) => Side::Right,
            ((-1, 0), _) => Side::Left,
            ((0, 1), true) | ((0, -1), false) => Side::Top,
            ((0, -1), true) | ((0, 1), false) => Side::Bottom,
            _ => return None,
        };
        let (sign, label) = (sign(meaning, side), constant.name.to_owned());
        found.push(Border { place: from, side, sign, label });
    }
    plan.borders.extend(found);
    plan.borders.sort();
    plan.borders.dedup();
    Some(true)
}

/// The arguments of a constant relation that are the column and the row of a board's relation.
fn arguments(
    constant: &Constant<'_>,
    relation: &Relation,
    lie: &Lie,
    material: &Material,
    fluent: bool,
) -> Option<(usize, usize)> {
    let (Axis::Leaf(column), Axis::Leaf(row)) = (lie.column, lie.row) else { return None };
    let (x, y) = (relation.places[column], relation.places[row]);
    let shared = material.shared.iter().find(|shared| {
        shared.constant == constant.name && shared.fluent == relation.name && shared.of == (x, y)
    });
    match shared {
        Some(shared) => Some(shared.arguments),
        // Fluents are part of the position, so their arguments are in the order of other fluents.
        // A wall at a side that the name says belongs to a cell, too.
        None if fluent || constant.is_wall() => Some(if x < y { (0, 1) } else { (1, 0) }),
        None => None,
    }
}

/// Puts the rows of a constant relation on a board. Returns whether all of them have a place, or
/// `None` if the relation does not concern the board.
fn put(constant: &Constant<'_>, plan: &mut Plan, column: usize, row: usize) -> Option<bool> {
    let count = constant.rows.first()?.len();
    let others: Vec<usize> = (0..count).filter(|&arg| arg != column && arg != row).collect();
    let side = |names: &[Arc<str>]| match others[..] {
        [] => last_side(constant.name),
        [other] => names.get(other).and_then(|word| only_side(word)),
        _ => None,
    };
    if constant.rows.iter().all(|names| names.len() == count && side(names).is_some()) {
        let meaning = meaning(constant.name)?;
        let mut complete = true;
        for names in &constant.rows {
            let side = side(names)?;
            let label = constant.name.to_owned();
            match edge(plan, names.get(column)?, names.get(row)?, side) {
                Some((place, side)) => {
                    let sign = sign(meaning, side);
                    plan.borders.push(Border { place, side, sign, label });
                }
                None => complete = false,
            }
        }
        plan.borders.sort();
        plan.borders.dedup();
        return Some(complete);
    }
    if others.len() > 1 || constant.rows.len() * RARE > plan.cells.len() {
        return None;
    }
    let places: Option<Vec<(Place, String)>> = constant
        .rows
        .iter()
        .map(|names| {
            let place = (0, plan.columns.position(names.get(column)?)?, {
                plan.rows.position(names.get(row)?)?
            });
            let label = others.first().map_or(constant.name, |&other| &*names[other]);
            // The label of a piece would be mistaken for a piece.
            (!plan.labels.iter().any(|known| known == label)).then(|| (place, label.to_owned()))
        })
        .collect();
    for (place, label) in places? {
        plan.cells.insert(place);
        if plan.marks.insert(label.clone()) {
            plan.labels.push(label.clone());
        }
        plan.fixed.push((place, label));
    }
    Some(true)
}

/// A side of a place. A wall beyond the edge belongs to the cell on its other side.
fn edge(plan: &Plan, column: &str, row: &str, side: Side) -> Option<(Place, Side)> {
    let towards = if plan.up { 1 } else { -1 };
    let (dx, dy) = match side {
        Side::Left => (-1, 0),
        Side::Right => (1, 0),
        Side::Top => (0, towards),
        Side::Bottom => (0, -towards),
    };
    let cell = |x: Option<usize>, y: Option<usize>| {
        let place = (0, x?, y?);
        plan.cells.contains(&place).then_some(place)
    };
    let (x, y) = (plan.columns.position(column), plan.rows.position(row));
    if let Some(place) = cell(x, y) {
        return Some((place, side));
    }
    let beyond = cell(next(&plan.columns, column, dx), next(&plan.rows, row, dy))?;
    Some((beyond, side.opposite()))
}

/// The value some steps after a name, which may be outside the domain.
fn next(domain: &Domain, name: &str, steps: isize) -> Option<usize> {
    if let Some(at) = domain.position(name) {
        return at.checked_add_signed(steps).filter(|&at| at < domain.names.len());
    }
    let number = name.parse::<i64>().ok()?.checked_add(steps as i64)?;
    domain.position(&number.to_string())
}

/// The words of a name such as `blockedEast` or `cell_lt_right`.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for letter in name.chars() {
        if !letter.is_alphabetic() || (letter.is_uppercase() && small) {
            words.push(String::new());
        }
        if letter.is_alphabetic() {
            words.last_mut().into_iter().for_each(|word| word.extend(letter.to_lowercase()));
        }
        small = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The side that a name ends with.
fn last_side(name: &str) -> Option<Side> {
    let words = words(name);
    let last = words.last()?;
    whole_side(last).or_else(|| whole_side(last.strip_prefix(wall_before_side(last)?)?))
}

/// The word for a wall in a name such as `blockednorth`, which ends with a side.
fn wall_before_side(word: &str) -> Option<&'static str> {
    let side = |wall: &&&str| word.strip_prefix(**wall).and_then(whole_side).is_some();
    WALLS.iter().find(side).copied()
}

/// The side that a value is the name of.
fn only_side(name: &str) -> Option<Side> {
    match name.to_lowercase().as_str() {
        "n" => Some(Side::Top),
        "s" => Some(Side::Bottom),
        "e" => Some(Side::Right),
        "w" => Some(Side::Left),
        word => whole_side(word),
    }
}

fn whole_side(word: &str) -> Option<Side> {
    match word {
        "north" | "up" | "above" | "top" => Some(Side::Top),
        "south" | "down" | "below" | "bottom" | "under" => Some(Side::Bottom),
        "east" | "right" => Some(Side::Right),
        "west" | "left" => Some(Side::Left),
        _ => None,
    }
}

/// The meaning of a name for a side of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Wall,
    /// The cell is smaller than its neighbour.
    Less,
    Greater,
}

/// The meaning of a name for a side. Fluents with other names are listed as text.
fn meaning(name: &str) -> Option<Meaning> {
    let words = words(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if has(&["lt", "less", "smaller"]) {
        return Some(Meaning::Less);
    }
    if has(&["gt", "greater", "larger", "bigger"]) {
        return Some(Meaning::Greater);
    }
    let joined = words.last().is_some_and(|word| wall_before_side(word).is_some());
    (has(&WALLS) || joined).then_some(Meaning::Wall)
}

/// The sign at a side of a cell. It points at the smaller of the two cells.
fn sign(meaning: Meaning, side: Side) -> Option<char> {
    match (meaning, side) {
        (Meaning::Wall, _) => None,
        (Meaning::Less, Side::Right) | (Meaning::Greater, Side::Left) => Some('<'),
        (Meaning::Less, Side::Left) | (Meaning::Greater, Side::Right) => Some('>'),
        (Meaning::Less, Side::Bottom) | (Meaning::Greater, Side::Top) => Some('^'),
        (Meaning::Less, Side::Top) | (Meaning::Greater, Side::Bottom) => Some('v'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sides() {
        assert_eq!(last_side("blockedEast"), Some(Side::Right));
        assert_eq!(last_side("cell_lt_below"), Some(Side::Bottom));
        assert_eq!(last_side("northern"), None);
        assert_eq!(last_side("blockednorth"), Some(Side::Top));
        assert_eq!(last_side("unblockednorth"), None);
        assert_eq!(meaning("blockednorth"), Some(Meaning::Wall));
        assert_eq!(meaning("cell_lt_below"), Some(Meaning::Less));
        assert_eq!(meaning("blockedEast"), Some(Meaning::Wall));
        assert_eq!(meaning("path_east"), None);
    }
}
