//! Points that rules connect.

use super::domain::Domain;
use super::material::Material;

/// Names of points, as positions in their domain, that facts connect.
pub(super) type Links = Vec<Vec<usize>>;

/// The connections of points by the relation that connects most of them.
pub(super) fn links(points: &Domain, material: &Material) -> Option<Links> {
    let mut best: Option<(usize, Links)> = None;
    for facts in material.facts.values() {
        let mut links: Links = vec![Vec::new(); points.names.len()];
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
        // Pairs are no graph.
        if connected * 4 >= points.names.len() * 3
            && ends * 2 > points.names.len() * 3
            && best.as_ref().is_none_or(|&(most, _)| connected > most)
        {
            best = Some((connected, links));
        }
    }
    best.map(|(_, links)| links)
}
