//! From sums of products to factored form.

use rustc_hash::FxHashMap;

use super::graph::{Edge, Graph};

/// Builds gates for disjunctions of conjunctions.
pub(super) struct Factor<'a> {
    pub(super) graph: &'a mut Graph,
    /// The frequency of each literal in the whole program. Ties are broken in favour of the rarest
    /// literal, so that the rest can be shared by many.
    pub(super) common: &'a FxHashMap<Edge, u32>,
}

impl Factor<'_> {
    /// The wire of a disjunction of conjunctions, each sorted.
    pub(super) fn sum(&mut self, mut cubes: Vec<Vec<Edge>>) -> Edge {
        cubes.sort_unstable();
        cubes.dedup();
        let mut terms: Vec<Edge> = Vec::new();
        let mut counts: FxHashMap<Edge, u32> = FxHashMap::default();
        for &edge in cubes.iter().flatten() {
            *counts.entry(edge).or_default() += 1;
        }
        loop {
            if cubes.iter().any(Vec::is_empty) {
                return Edge::TRUE;
            }
            // A single literal absorbs every product that contains it.
            let mut singles: Vec<Edge> =
                cubes.iter().filter(|c| c.len() == 1).map(|c| c[0]).collect();
            if !singles.is_empty() {
                singles.sort_unstable();
                singles.dedup();
                cubes.retain(|cube| {
                    let absorbed = cube.iter().any(|e| singles.binary_search(e).is_ok());
                    if absorbed {
                        for edge in cube {
                            if let Some(count) = counts.get_mut(edge) {
                                *count -= 1;
                            }
                        }
                    }
                    !absorbed
                });
                // Its negation can be removed from the others.
                for cube in &mut cubes {
                    cube.retain(|e| {
                        let needless = singles.binary_search(&!*e).is_ok();
                        if needless && let Some(count) = counts.get_mut(e) {
                            *count -= 1;
                        }
                        !needless
                    });
                }
                terms.extend(singles);
                continue;
            }
            let rarity = |e: &Edge| self.common.get(e).copied().unwrap_or(0);
            let best = counts
                .iter()
                .filter(|&(_, &count)| count > 1)
                .max_by_key(|&(edge, &count)| (count, std::cmp::Reverse((rarity(edge), *edge))))
                .map(|(&edge, _)| edge);
            let Some(best) = best else {
                for cube in cubes {
                    terms.push(self.graph.and(cube));
                }
                return self.graph.or(terms);
            };
            let (with, without): (Vec<_>, Vec<_>) =
                cubes.into_iter().partition(|c| c.binary_search(&best).is_ok());
            for &edge in with.iter().flatten() {
                if let Some(count) = counts.get_mut(&edge) {
                    *count -= 1;
                }
            }
            let rest = with
                .into_iter()
                .map(|mut cube| {
                    cube.retain(|&e| e != best);
                    cube
                })
                .collect();
            let rest = self.sum(rest);
            terms.push(self.graph.and([best, rest]));
            cubes = without;
        }
    }
}
