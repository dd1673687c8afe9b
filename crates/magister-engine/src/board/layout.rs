//! Where the points of a graph are drawn if nothing gives their coordinates.
//!
//! Points lie as far apart as there are steps between them, as nearly as possible. Rings become
//! circles. The work is counted, and the arithmetic is exact on every machine, apart from the
//! circle of the beginning, so the result is rounded.

use std::collections::VecDeque;

use super::graph::Links;

/// The maximum number of points that are moved; more lie on a circle.
const MOST: usize = 120;
const ROUNDS: usize = 300;
/// The smallest distance between two points, in lengths of a connection.
const APART: f64 = 0.45;

/// The coordinates of points, which begin at 0.
pub(super) fn layout(points: usize, links: &Links) -> Vec<(f32, f32)> {
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); points];
    for &((from, _), (to, _)) in links {
        if from < points && to < points {
            near[from].push(to);
        }
    }
    let mut start = vec![(0.0, 0.0); points];
    for (place, point) in walk(&near).into_iter().enumerate() {
        start[point] = circle(place, points);
    }
    let ring = near.iter().all(|list| list.len() == 2);
    let found = if ring || points > MOST || near.iter().all(Vec::is_empty) {
        start
    } else {
        spread(&near, &start).unwrap_or(start)
    };
    let left = found.iter().map(|at| at.0).fold(f64::INFINITY, f64::min);
    let top = found.iter().map(|at| at.1).fold(f64::INFINITY, f64::min);
    let rounded = |value: f64| ((value * 100.0).round() / 100.0) as f32;
    found.into_iter().map(|(x, y)| (rounded(x - left), rounded(y - top))).collect()
}

/// A place on a circle whose neighbours are about one apart.
fn circle(place: usize, points: usize) -> (f64, f64) {
    let angle = std::f64::consts::TAU * place as f64 / points as f64;
    let radius = points as f64 / 4.0;
    (radius * angle.sin(), -radius * angle.cos())
}

/// The points in the order of a walk along connections, so that neighbours follow each other.
fn walk(near: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(near.len());
    let mut seen = vec![false; near.len()];
    for first in 0..near.len() {
        let mut at = Some(first).filter(|&first| !seen[first]);
        while let Some(point) = at {
            seen[point] = true;
            order.push(point);
            let free = near[point].iter().copied().filter(|&to| !seen[to]);
            at = free.min_by_key(|&to| (near[to].iter().filter(|&&next| !seen[next]).count(), to));
        }
    }
    order
}

/// The number of steps between all points; more than all steps if there is no way.
fn distances(near: &[Vec<usize>]) -> Vec<Vec<f64>> {
    let far = near.len().isqrt() as f64 + 1.0;
    let from = |first: usize| {
        let mut steps = vec![far; near.len()];
        let mut seen = vec![false; near.len()];
        let mut queue = VecDeque::from([(first, 0.0)]);
        seen[first] = true;
        while let Some((point, step)) = queue.pop_front() {
            steps[point] = step;
            for &to in &near[point] {
                if !std::mem::replace(&mut seen[to], true) {
                    queue.push_back((to, step + 1.0));
                }
            }
        }
        steps
    };
    (0..near.len()).map(from).collect()
}

/// Moves every point towards the places that its distances to all others ask for (stress
/// majorisation). `None` if points lie on each other afterwards.
fn spread(near: &[Vec<usize>], start: &[(f64, f64)]) -> Option<Vec<(f64, f64)>> {
    let wanted = distances(near);
    let mut at = start.to_vec();
    for _ in 0..ROUNDS {
        let old = at.clone();
        for (point, place) in at.iter_mut().enumerate() {
            let (mut x, mut y, mut weights) = (0.0, 0.0, 0.0);
            for (other, &(u, v)) in old.iter().enumerate().filter(|&(other, _)| other != point) {
                let (dx, dy) = (old[point].0 - u, old[point].1 - v);
                let length = (dx * dx + dy * dy).sqrt().max(1e-6);
                let steps = wanted[point][other];
                let weight = 1.0 / (steps * steps);
                x += weight * (u + dx * steps / length);
                y += weight * (v + dy * steps / length);
                weights += weight;
            }
            *place = (x / weights, y / weights);
        }
    }
    let apart = |a: (f64, f64), b: (f64, f64)| ((a.0 - b.0).powi(2) + (a.1 - b.1).powi(2)).sqrt();
    let pairs = (0..at.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    pairs.into_iter().all(|(a, b)| apart(at[a], at[b]) >= APART).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(pairs: &[(usize, usize)]) -> Links {
        pairs.iter().flat_map(|&(a, b)| [((a, 0), (b, 0)), ((b, 0), (a, 0))]).collect()
    }

    fn apart(places: &[(f32, f32)], a: usize, b: usize) -> f32 {
        (places[a].0 - places[b].0).hypot(places[a].1 - places[b].1)
    }

    #[test]
    fn a_ring_becomes_a_circle_in_the_order_of_its_connections() {
        // 0 - 2 - 4 - 1 - 3 - 0
        let places = layout(5, &both(&[(0, 2), (2, 4), (4, 1), (1, 3), (3, 0)]));
        assert!((apart(&places, 0, 2) - apart(&places, 4, 1)).abs() < 0.05);
        assert!(apart(&places, 0, 1) > 1.3 * apart(&places, 0, 2));
    }

    #[test]
    fn connected_points_are_nearer_than_others() {
        // Two rows of four points.
        let pairs =
            [(0, 1), (1, 2), (2, 3), (4, 5), (5, 6), (6, 7), (0, 4), (1, 5), (2, 6), (3, 7)];
        let places = layout(8, &both(&pairs));
        for &(a, b) in &pairs {
            assert!((0.7..1.4).contains(&apart(&places, a, b)), "{a} {b} {places:?}");
        }
        assert!(apart(&places, 0, 3) > 2.3 && apart(&places, 0, 5) > 1.1);
    }

    #[test]
    fn points_never_lie_on_each_other() {
        // Three points that hang on one have the same distances.
        let places = layout(5, &both(&[(0, 1), (0, 2), (0, 3), (0, 4)]));
        for a in 0..5 {
            assert!((0..a).all(|b| apart(&places, a, b) > 0.4));
        }
    }
}
