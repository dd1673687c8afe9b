//! Boards of hexagons, recognised by the adjacency relations of the rules.
//!
//! The cells of a hexagonal board form lines, and every line is shifted relative to the next. Rules
//! use one of several systems of coordinates; a system fits if it makes all pairs of cells of some
//! constant relation neighbours.

use std::sync::Arc;

use magister_core::{Layout, Style};
use rustc_hash::FxHashSet;

use super::classify::{Axis, Lie};
use super::material::Material;
use super::plan::{Plan, Use};
use super::vocabulary::leaves;

/// Two places, by column and row.
type Pair = ((usize, usize), (usize, usize));

/// The maximum number of pairs per cell; relations with more are not adjacency.
const MOST: usize = 12;
/// The minimum number of fitting pairs for each pair that does not fit. Rulesheets have mistakes.
const FITTING: usize = 20;

/// How lines are shifted.
#[derive(Clone, Copy)]
enum Shift {
    /// Each line is shifted by half a cell more than the previous one.
    Right,
    /// Each line is shifted by half a cell less.
    Left,
    /// Lines of different length are centred.
    Centred,
}

/// Whether the cells of a board may be hexagons, judging without the rules.
pub(super) fn may_be(plan: &Plan, style: &Style) -> bool {
    plan.layout == Layout::Grid
        && plan.splits.is_empty()
        && plan.borders.is_empty()
        && plan.columns.names.len() > 2
        && plan.rows.names.len() > 2
        && !style.boards.iter().any(|board| board.fluents.contains(&plan.name))
}

/// Sets the layout of boards whose cells are hexagons.
pub(super) fn recognise(plans: &mut [Plan], uses: &mut [Use], material: &Material, style: &Style) {
    for (number, plan) in plans.iter_mut().enumerate() {
        if !may_be(plan, style) {
            continue;
        }
        let lie = uses.iter().find_map(|how| match how {
            Use::Board { plan, lie, named: false, .. } if *plan == number => Some(lie.clone()),
            _ => None,
        });
        let Some(lie) = lie else { continue };
        let related: Vec<Vec<Pair>> = material
            .facts
            .values()
            .map(|facts| facts.iter().filter_map(|fact| pair(plan, &lie, fact)).collect())
            .filter(|pairs: &Vec<Pair>| !pairs.is_empty() && pairs.len() <= MOST * plan.cells.len())
            .collect();
        // Often there are several relations, one for each direction, or a set of directions for
        // each role.
        let whole = || fitting(plan, &related.concat());
        let found = whole().or_else(|| related.iter().find_map(|pairs| fitting(plan, pairs)));
        let Some((shift, turned)) = found else { continue };
        if turned {
            turn(plan);
            for how in uses.iter_mut() {
                if let Use::Board { plan, lie, .. } = how
                    && *plan == number
                {
                    std::mem::swap(&mut lie.column, &mut lie.row);
                }
            }
        }
        plan.layout = Layout::Hexagons;
        plan.shift = shifts(plan, shift);
    }
}

/// The two different places in a fact.
fn pair(plan: &Plan, lie: &Lie, fact: &[crate::Ground]) -> Option<Pair> {
    let mut words: Vec<Arc<str>> = Vec::new();
    for term in fact {
        match term.args {
            Some(_) => leaves(term, &mut words),
            None => words.push(Arc::clone(&term.name)),
        }
    }
    let wanted = if matches!(lie.column, Axis::Leaf(_)) { 4 } else { 2 };
    if words.len() > wanted + 1 {
        return None;
    }
    let [(_, x, y), (_, u, v)] = plan.named(lie, &words)[..] else { return None };
    ((x, y) != (u, v)).then_some(((x, y), (u, v)))
}

/// How the lines are shifted, and whether the columns are the lines.
fn fitting(plan: &Plan, pairs: &[Pair]) -> Option<(Shift, bool)> {
    let ways = [Shift::Centred, Shift::Right, Shift::Left];
    let ways = ways.into_iter().flat_map(|shift| [(shift, false), (shift, true)]);
    let mut ways = ways.filter(|_| pairs.len() >= plan.cells.len());
    ways.find(|&(shift, turned)| fits(plan, pairs, shift, turned))
}

/// Whether all pairs are neighbours with this shift.
fn fits(plan: &Plan, pairs: &[Pair], shift: Shift, turned: bool) -> bool {
    let lines = lines(plan, turned);
    let centring = matches!(shift, Shift::Centred);
    if centring && !centred(&lines) {
        return false;
    }
    let place = |(x, y): (usize, usize)| {
        let (at, line) = if turned { (y, x) } else { (x, y) };
        (at as i64 * 2 + half_steps(&lines, shift, line), line as i64)
    };
    let mut seen = FxHashSet::default();
    let mut wrong = 0;
    for &(from, to) in pairs {
        let ((x, y), (u, v)) = (place(from), place(to));
        let (steps, lines) = if v < y { (x - u, y - v) } else { (u - x, v - y) };
        match (lines, steps) {
            (0, 2 | -2) => drop(seen.insert((0, 2))),
            (1, 1 | -1) => drop(seen.insert((1, steps))),
            _ => wrong += 1,
        }
    }
    // A square grid has two directions, so shifted lines need a third. Centred lines already have
    // the shape of a hexagon or a star.
    let both = seen.contains(&(1, 1)) && seen.contains(&(1, -1));
    wrong * (FITTING + 1) <= pairs.len() && both && (centring || seen.len() == 3)
}

/// The first and the last place of every line, if it has any.
fn lines(plan: &Plan, turned: bool) -> Vec<Option<(usize, usize)>> {
    let count = if turned { plan.columns.names.len() } else { plan.rows.names.len() };
    let mut lines: Vec<Option<(usize, usize)>> = vec![None; count];
    plan.cells.iter().for_each(|&(_, x, y)| {
        let (at, line) = if turned { (y, x) } else { (x, y) };
        let (first, last) = lines[line].unwrap_or((at, at));
        lines[line] = Some((first.min(at), last.max(at)));
    });
    lines
}

/// Whether lines have different lengths and all begin with the first name.
fn centred(lines: &[Option<(usize, usize)>]) -> bool {
    let begin = lines.iter().flatten().all(|&(first, _)| first == 0);
    let lengths: FxHashSet<usize> = lines.iter().flatten().map(|&(_, last)| last).collect();
    begin && lengths.len() > 1
}

/// The shift of a line in half cells.
fn half_steps(lines: &[Option<(usize, usize)>], shift: Shift, line: usize) -> i64 {
    match shift {
        Shift::Right => line as i64,
        Shift::Left => -(line as i64),
        Shift::Centred => lines[line].map_or(0, |(_, last)| -(last as i64)),
    }
}

/// The shift of every row in cells; the smallest is 0.
fn shifts(plan: &Plan, shift: Shift) -> Vec<f32> {
    let lines = lines(plan, false);
    let steps: Vec<i64> = (0..lines.len()).map(|line| half_steps(&lines, shift, line)).collect();
    let least = steps.iter().copied().min().unwrap_or(0);
    steps.iter().map(|step| (step - least) as f32 / 2.0).collect()
}

/// Exchanges columns and rows.
fn turn(plan: &mut Plan) {
    std::mem::swap(&mut plan.columns, &mut plan.rows);
    plan.cells = plan.cells.iter().map(|&(board, x, y)| (board, y, x)).collect();
    for (from, to) in &mut plan.links {
        *from = (from.1, from.0);
        *to = (to.1, to.0);
    }
    for ((_, x, y), _) in &mut plan.fixed {
        std::mem::swap(x, y);
    }
    // The first line is at the top, as in a list of lines.
    plan.up = false;
    plan.turned = !plan.turned;
}
