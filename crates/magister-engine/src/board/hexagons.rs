//! Boards of hexagons, recognised by the adjacency relations of the rules.
//!
//! The cells of a hexagonal board form lines, and every line is shifted relative to the next. Rules
//! use one of several systems of coordinates; a system fits if it makes all pairs of cells of some
//! constant relation neighbours.

use std::cmp::Reverse;
use std::collections::BTreeMap;
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
enum Shift {
    /// Each line is shifted by half a cell more than the previous one.
    Right,
    /// Each line is shifted by half a cell less.
    Left,
    /// Lines of different length are centred.
    Centred,
    /// Every line has its own shift, in half cells, which follows from the pairs.
    Each(Vec<i64>),
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
        // Others relate distant cells, such as those of a jump, while directions lead to the same
        // line or to the next one.
        let near = || {
            let mut near = [false, true].map(|turned| {
                let lists = related.iter().filter(|pairs| pairs.iter().all(|p| beside(p, turned)));
                lists.flatten().copied().collect::<Vec<Pair>>()
            });
            near.sort_by_key(|pairs| Reverse(pairs.len()));
            near.iter().find_map(|pairs| fitting(plan, pairs))
        };
        let one = || related.iter().find_map(|pairs| fitting(plan, pairs));
        let found = whole().or_else(near).or_else(one);
        // Without adjacency in the rules, the outline of the board decides.
        let silent = related.iter().all(|pairs| pairs.len() < plan.cells.len());
        let found =
            found.or_else(|| silent.then(|| outline(plan)).flatten().map(|shift| (shift, false)));
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
        plan.shift = shifts(plan, &shift);
    }
}

/// The shift of the lines of a board that has the shape of a hexagon in slanted coordinates: a
/// parallelogram without two opposite corners, which are triangles.
fn outline(plan: &Plan) -> Option<Shift> {
    let (columns, rows) = (plan.columns.names.len() as i64, plan.rows.names.len() as i64);
    let cells = || plan.cells.iter().map(|&(_, x, y)| (x as i64, y as i64));
    let side = |cut: i64| (2..columns.min(rows)).contains(&cut);
    // Along a row, cells are 0 to `columns` - 1; the diagonals are the sums or the differences.
    for (slope, shift) in [(1, Shift::Right), (-1, Shift::Left)] {
        let diagonal = |(x, y): (i64, i64)| x + slope * y;
        let (least, most) = (cells().map(diagonal).min()?, cells().map(diagonal).max()?);
        let lowest = if slope > 0 { 0 } else { 1 - rows };
        let highest = columns - 1 + if slope > 0 { rows - 1 } else { 0 };
        let (low, high) = (least - lowest, highest - most);
        let inside = (0..columns).flat_map(|x| (0..rows).map(move |y| (x, y)));
        let inside = inside.filter(|&at| (least..=most).contains(&diagonal(at))).count();
        // The other two corners exist, and some cells inside may be holes.
        let (first, last) = if slope > 0 { (rows - 1, 0) } else { (0, rows - 1) };
        let corner = |x: i64, y: i64| plan.cells.contains(&(0, x as usize, y as usize));
        let corners = corner(0, first) && corner(columns - 1, last);
        let full = plan.cells.len() * 10 >= inside * 9;
        if corners && side(low) && side(high) && low.abs_diff(high) <= 1 && full {
            return Some(shift);
        }
    }
    None
}

/// Whether two places are in the same line or in neighbouring lines.
fn beside(&((x, y), (u, v)): &Pair, turned: bool) -> bool {
    if turned { x.abs_diff(u) <= 1 } else { y.abs_diff(v) <= 1 }
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
    if pairs.len() < plan.cells.len() {
        return None;
    }
    let ways = [
        (Some(Shift::Centred), false),
        (Some(Shift::Centred), true),
        (Some(Shift::Right), false),
        (Some(Shift::Right), true),
        (Some(Shift::Left), false),
        (Some(Shift::Left), true),
        (each(plan, pairs, false), false),
        (each(plan, pairs, true), true),
    ];
    let ways = ways.into_iter().filter_map(|(shift, turned)| Some((shift?, turned)));
    let fitting = ways.filter_map(|(shift, turned)| {
        let wrong = fits(plan, pairs, &shift, turned)?;
        Some((wrong, shift, turned))
    });
    let (_, shift, turned) = fitting.min_by_key(|&(wrong, ..)| wrong)?;
    Some((shift, turned))
}

/// The shift of every line for which the pairs are neighbours: two places of the next line touch a
/// place, so that the distances along the lines are two consecutive numbers.
fn each(plan: &Plan, pairs: &[Pair], turned: bool) -> Option<Shift> {
    let count = lines(plan, turned).len();
    let mut distances: Vec<BTreeMap<i64, usize>> = vec![BTreeMap::new(); count.checked_sub(1)?];
    for &((x, y), (u, v)) in pairs {
        let ((at, line), (to, other)) = if turned { ((y, x), (v, u)) } else { ((x, y), (u, v)) };
        let (first, far) = match (line.min(other), line < other) {
            (first, true) => (first, to as i64 - at as i64),
            (first, false) => (first, at as i64 - to as i64),
        };
        if line.abs_diff(other) == 1 {
            *distances[first].entry(far).or_default() += 1;
        }
    }
    let mut shifts = vec![0];
    for known in &distances {
        let with = |&far: &i64| {
            known.get(&far).copied().unwrap_or(0) + known.get(&(far + 1)).copied().unwrap_or(0)
        };
        let both = |far: &&i64| known.contains_key(&(**far + 1));
        let near = known.keys().filter(both).max_by_key(|far| (with(far), Reverse(far.abs())))?;
        shifts.push(shifts.last()? - 1 - 2 * near);
    }
    Some(Shift::Each(shifts))
}

/// The number of pairs that are not neighbours with this shift; `None` if it does not fit.
fn fits(plan: &Plan, pairs: &[Pair], shift: &Shift, turned: bool) -> Option<usize> {
    let lines = lines(plan, turned);
    // Lines that begin or end at different places have the shape of a hexagon or a star.
    let shaped = match shift {
        Shift::Centred => true,
        Shift::Each(_) => lines.iter().any(|line| *line != lines[0]),
        Shift::Right | Shift::Left => false,
    };
    if matches!(shift, Shift::Centred) && !centred(&lines) {
        return None;
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
    // A square grid has two directions, so shifted lines need a third, unless their shape tells.
    let both = seen.contains(&(1, 1)) && seen.contains(&(1, -1));
    let fits = wrong * (FITTING + 1) <= pairs.len() && both && (shaped || seen.len() == 3);
    fits.then_some(wrong)
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
fn half_steps(lines: &[Option<(usize, usize)>], shift: &Shift, line: usize) -> i64 {
    match shift {
        Shift::Right => line as i64,
        Shift::Left => -(line as i64),
        Shift::Centred => lines[line].map_or(0, |(_, last)| -(last as i64)),
        Shift::Each(shifts) => shifts.get(line).copied().unwrap_or(0),
    }
}

/// The shift of every row in cells; the smallest is 0.
fn shifts(plan: &Plan, shift: &Shift) -> Vec<f32> {
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
