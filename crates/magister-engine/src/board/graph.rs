//! Points that are connected by rules.

use super::domain::Domain;
use super::material::Material;

/// Connected places by column and row, each pair in both directions.
pub(super) type Links = Vec<((usize, usize), (usize, usize))>;

/// The connections of points by the relation that connects most of them.
pub(super) fn links(points: &Domain, material: &Material) -> Option<Links> {
    let mut best: Option<(usize, Vec<Vec<usize>>)> = None;
    for facts in material.facts.values() {
        let mut links: Vec<Vec<usize>> = vec![Vec::new(); points.names.len()];
        for fact in facts {
            let [from, to, ..] = &fact[..] else { continue };
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
        if connected * 4 >= points.names.len() * 3
            && ends * 2 > points.names.len() * 3
            && best.as_ref().is_none_or(|&(most, _)| connected > most)
        {
            best = Some((connected, links));
        }
    }
    let links = best?.1;
    let pairs = |(from, list): (usize, &Vec<usize>)| {
        list.iter().map(move |&to| ((from, 0), (to, 0))).collect::<Links>()
    };
    Some(links.iter().enumerate().flat_map(pairs).collect())
}
