//! Strongly connected components of a graph over dense numbers.

/// The strongly connected component of every node, numbered so that a component's successors have
/// smaller numbers. `to` returns the target of an edge.
///
/// Tarjan's algorithm with an explicit stack, so that a long chain of rules cannot overflow the
/// call stack.
pub fn components<E>(edges: &[Vec<E>], to: impl Fn(&E) -> usize) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let n = edges.len();
    let mut order = vec![NONE; n];
    let mut low = vec![0; n];
    let mut component = vec![NONE; n];
    let mut path = Vec::new();
    let mut calls: Vec<(usize, usize)> = Vec::new();
    let mut visited = 0;
    let mut count = 0;
    for root in 0..n {
        if order[root] != NONE {
            continue;
        }
        calls.push((root, 0));
        while let Some(&mut (node, ref mut next)) = calls.last_mut() {
            if *next == 0 {
                order[node] = visited;
                low[node] = visited;
                visited += 1;
                path.push(node);
            }
            if let Some(edge) = edges[node].get(*next) {
                let to = to(edge);
                *next += 1;
                if order[to] == NONE {
                    calls.push((to, 0));
                } else if component[to] == NONE {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            if *next == 0 {
                *next = 1; // A node without successors is entered once as well.
            }
            calls.pop();
            if low[node] == order[node] {
                while let Some(member) = path.pop() {
                    component[member] = count;
                    if member == node {
                        break;
                    }
                }
                count += 1;
            }
            if let Some(&(parent, _)) = calls.last() {
                low[parent] = low[parent].min(low[node]);
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_one_component_and_successors_come_first() {
        // 0 -> 1 -> 2 -> 0, 2 -> 3, 4 -> 4, 5 alone
        let c = components(&[vec![1], vec![2], vec![0, 3], vec![], vec![4], vec![]], |&to| to);
        assert_eq!(c[0], c[1]);
        assert_eq!(c[1], c[2]);
        assert!(c[3] < c[0]);
        assert_ne!(c[4], c[5]);
    }

    #[test]
    fn a_long_chain_does_not_exhaust_the_stack() {
        let n = 300_000;
        let edges: Vec<Vec<usize>> =
            (0..n).map(|i| if i + 1 < n { vec![i + 1] } else { vec![] }).collect();
        let c = components(&edges, |&to| to);
        assert!(c.windows(2).all(|w| w[0] > w[1]));
    }
}
