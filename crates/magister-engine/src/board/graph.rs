//! Points that are connected by rules.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::domain::{Domain, Kind};
use super::material::Material;

/// Connected places by column and row, each pair in both directions.
pub(super) type Links = Vec<((usize, usize), (usize, usize))>;

/// The maximum number of connections per point, on average. Relations with more are orders.
const MOST: usize = 8;

/// The connections of points by the relation that connects most of them.
pub(super) fn links(points: &Domain, material: &Material) -> Option<Links> {
    let lists = network(points, material)?;
    let pairs = |(from, list): (usize, &Vec<usize>)| {
        list.iter().map(move |&to| ((from, 0), (to, 0))).collect::<Links>()
    };
    Some(lists.iter().enumerate().flat_map(pairs).collect())
}

/// The neighbours of every point. The two points of a fact follow each other: `(next a b)`,
/// `(next north a b)`, `(next a b 3)`.
fn network(points: &Domain, material: &Material) -> Option<Vec<Vec<usize>>> {
    let count = points.names.len();
    let mut best: Option<(usize, Vec<Vec<usize>>)> = None;
    for facts in material.facts.values() {
        let widest = facts.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..widest.saturating_sub(1) {
            let mut links: Vec<Vec<usize>> = vec![Vec::new(); count];
            for fact in facts {
                let Some([from, to]) = fact.get(at..at + 2) else { continue };
                if let (Some(a), Some(b)) = (points.position(&from.name), points.position(&to.name))
                    && a != b
                {
                    links[a].push(b);
                    links[b].push(a);
                }
            }
            for list in &mut links {
                list.sort_unstable();
                list.dedup();
            }
            let connected = links.iter().filter(|list| !list.is_empty()).count();
            let ends: usize = links.iter().map(Vec::len).sum();
            // Isolated pairs are not a graph.
            if connected * 4 >= count * 3
                && ends * 2 > count * 3
                && ends <= MOST * count
                && best.as_ref().is_none_or(|&(most, _)| connected > most)
            {
                best = Some((connected, links));
            }
        }
    }
    Some(best?.1)
}

/// Whether facts connect these points to more than a line: to a ring, or with several ways on.
pub(super) fn branches(points: &Domain, material: &Material) -> bool {
    let word = matches!(points.kind, Kind::Letters | Kind::Series | Kind::None);
    let Some(lists) = network(points, material).filter(|_| word) else { return false };
    let many = lists.iter().filter(|list| list.len() > 2).count();
    let ring = lists.len() > 3 && lists.iter().all(|list| list.len() == 2);
    ring || many * 3 > lists.len()
}

/// The length of the rows, if facts list all rows and all columns of a rectangle of points in their
/// order, as `(line a b c)` and `(line a d g)` do.
pub(super) fn rectangle(points: &Domain, material: &Material) -> Option<usize> {
    let names = &points.names;
    let count = names.len();
    if count < 9 || !matches!(points.kind, Kind::Letters | Kind::Series | Kind::Numbers) {
        return None;
    }
    for facts in material.facts.values() {
        let lines: BTreeSet<Vec<&Arc<str>>> =
            facts.iter().map(|fact| fact.iter().map(|term| &term.name).collect()).collect();
        let wide = |&width: &usize| {
            let row = |y: usize| (0..width).map(|x| &names[y * width + x]).collect::<Vec<_>>();
            let column = |x: usize| (0..width).map(|y| &names[y * width + x]).collect::<Vec<_>>();
            width * width == count
                && (0..width).all(|y| lines.contains(&row(y)) && lines.contains(&column(y)))
        };
        if let Some(width) = (3..count).find(wide) {
            return Some(width);
        }
    }
    None
}

/// The places of points in rows of a length, and their connections.
pub(super) fn in_rows(count: usize, width: usize) -> (Vec<(f32, f32)>, Links) {
    let places = (0..count).map(|at| ((at % width) as f32, (at / width) as f32)).collect();
    let mut links = Links::new();
    for at in 0..count {
        let right = (at % width + 1 < width).then_some(at + 1);
        for to in right.into_iter().chain(Some(at + width).filter(|&to| to < count)) {
            links.extend([((at, 0), (to, 0)), ((to, 0), (at, 0))]);
        }
    }
    links.sort_unstable();
    (places, links)
}
