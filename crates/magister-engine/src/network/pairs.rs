//! Shares common subexpressions: the most frequent pair of inputs becomes a separate gate,
//! repeatedly, until no pair occurs twice.

use magister_core::{Halt, Stop};
use rustc_hash::FxHashMap;

use super::NodeId;
use super::graph::{Edge, Graph};

/// The maximum number of inputs of a processed gate. The widest limit with few enough pairs is
/// used, because wide gates share the most.
const WIDEST: [usize; 3] = [400, 150, 60];

/// The maximum number of pairs before a narrower limit is used.
const PAIRS: usize = 8_000_000;

/// Gates as mutable lists. The numbers are those of the graph; new gates follow.
struct Lists {
    children: Vec<Vec<Edge>>,
    /// The number of inputs. Node 0 is the constant, and the inputs follow it.
    inputs: usize,
}

/// Rebuilds the part of a graph that `outputs` depend on, with single-use conjunctions merged into
/// their users and common pairs shared. Returns the new graph and the new outputs.
pub(super) fn share(
    graph: &Graph,
    outputs: &[Edge],
    stop: &Stop,
) -> Result<(Graph, Vec<Edge>), Halt> {
    let nodes = graph.reachable(outputs.iter().copied());
    let mut lists = Lists { children: vec![Vec::new(); graph.len()], inputs: graph.inputs() };
    let mut uses = vec![0u32; graph.len()];
    for edge in outputs {
        uses[edge.node().index()] += 1;
    }
    for &node in &nodes {
        for edge in graph.children(node) {
            uses[edge.node().index()] += 1;
        }
    }
    // A conjunction whose only user is a conjunction becomes part of it.
    for &node in &nodes {
        let mut flat = Vec::new();
        for &edge in graph.children(node) {
            let inner = &lists.children[edge.node().index()];
            if !edge.negated() && uses[edge.node().index()] == 1 && !inner.is_empty() {
                flat.extend_from_slice(inner);
            } else {
                flat.push(edge);
            }
        }
        flat.sort_unstable();
        flat.dedup();
        lists.children[node.index()] = flat;
    }
    let live = live(&lists, outputs, graph.len());
    extract(&mut lists, &live, stop)?;
    Ok(rebuild(graph, &lists, outputs))
}

/// The gates that outputs still depend on.
fn live(lists: &Lists, outputs: &[Edge], count: usize) -> Vec<NodeId> {
    let mut seen = vec![false; count];
    let mut stack: Vec<NodeId> = outputs.iter().map(|e| e.node()).collect();
    while let Some(node) = stack.pop() {
        if !std::mem::replace(&mut seen[node.index()], true) {
            stack.extend(lists.children[node.index()].iter().map(|e| e.node()));
        }
    }
    (0..count).filter(|&n| seen[n] && !lists.children[n].is_empty()).map(NodeId::new).collect()
}

type Pair = (Edge, Edge);

fn pair(a: Edge, b: Edge) -> Pair {
    if a < b { (a, b) } else { (b, a) }
}

/// Pairs by frequency, most frequent first; among ties the latest one.
#[derive(Default)]
struct Queue {
    buckets: Vec<Vec<Pair>>,
}

impl Queue {
    fn push(&mut self, pair: Pair, count: usize) {
        if self.buckets.len() <= count {
            self.buckets.resize_with(count + 1, Vec::new);
        }
        self.buckets[count].push(pair);
    }

    fn pop(&mut self) -> Option<(Pair, usize)> {
        loop {
            let last = self.buckets.last_mut()?;
            if let Some(pair) = last.pop() {
                return Some((pair, self.buckets.len() - 1));
            }
            self.buckets.pop();
        }
    }
}

fn extract(lists: &mut Lists, live: &[NodeId], stop: &Stop) -> Result<(), Halt> {
    let pairs = |width: usize| -> usize {
        let sizes = live.iter().map(|&n| lists.children[n.index()].len());
        sizes.filter(|&n| n <= width).map(|n| n * n / 2).sum()
    };
    let widest =
        WIDEST.into_iter().find(|&width| pairs(width) <= PAIRS).unwrap_or(WIDEST[WIDEST.len() - 1]);
    let mut users: FxHashMap<Pair, Vec<NodeId>> = FxHashMap::default();
    for &node in live {
        let children = &lists.children[node.index()];
        if children.len() > widest {
            continue;
        }
        for (at, &a) in children.iter().enumerate() {
            for &b in &children[at + 1..] {
                users.entry((a, b)).or_default().push(node);
            }
        }
    }
    let mut queue = Queue::default();
    let mut frequent: Vec<(Pair, usize)> =
        users.iter().filter(|(_, list)| list.len() > 1).map(|(&p, list)| (p, list.len())).collect();
    // Among equally frequent pairs, pairs of inputs that are rarely true go first: such a gate
    // switches less often, which makes the incremental evaluator faster. Most fluents and moves are
    // false in most states, so the negation of an input is often true.
    let often = |e: Edge| u8::from(e.negated() && e.node().index() <= lists.inputs);
    let rank = |&(pair, _): &(Pair, usize)| (often(pair.0) + often(pair.1), pair);
    frequent.sort_unstable_by_key(|entry| std::cmp::Reverse(rank(entry)));
    frequent.into_iter().for_each(|(pair, count)| queue.push(pair, count));
    while let Some(((a, b), count)) = queue.pop() {
        stop.check()?;
        let Some(list) = users.get_mut(&(a, b)) else { continue };
        list.retain(|&node| {
            let children = &lists.children[node.index()];
            children.len() > 1
                && children.binary_search(&a).is_ok()
                && children.binary_search(&b).is_ok()
        });
        // A gate may have got the same pair more than once.
        list.sort_unstable();
        list.dedup();
        let actual = list.len();
        if actual < 2 {
            continue;
        }
        if actual < count {
            queue.push((a, b), actual);
            continue;
        }
        let list = std::mem::take(list);
        // One of them may be exactly this pair; then it is the gate to share.
        let exact = list.iter().copied().find(|&n| lists.children[n.index()].len() == 2);
        let shared = exact.unwrap_or_else(|| {
            lists.children.push(vec![a, b]);
            NodeId::new(lists.children.len() - 1)
        });
        let wire = Edge::of(shared);
        for node in list {
            if node == shared {
                continue;
            }
            let children = &mut lists.children[node.index()];
            children.retain(|&e| e != a && e != b);
            let others = children.clone();
            if let Err(at) = children.binary_search(&wire) {
                children.insert(at, wire);
            }
            for other in others.into_iter().filter(|&other| other != wire) {
                let key = pair(other, wire);
                let list = users.entry(key).or_default();
                list.push(node);
                if list.len() > 1 {
                    queue.push(key, list.len());
                }
            }
        }
    }
    Ok(())
}

/// A new graph from the lists, children before parents.
fn rebuild(graph: &Graph, lists: &Lists, outputs: &[Edge]) -> (Graph, Vec<Edge>) {
    let mut fresh = graph.emptied();
    let mut new: Vec<Option<Edge>> = vec![None; lists.children.len()];
    for (node, wire) in new.iter_mut().enumerate().take(graph.inputs() + 1) {
        *wire = Some(Edge::of(NodeId::new(node)));
    }
    let translate = |new: &[Option<Edge>], e: Edge| {
        let wire = new[e.node().index()].unwrap_or(Edge::TRUE);
        if e.negated() { !wire } else { wire }
    };
    let mut stack: Vec<NodeId> = outputs.iter().map(|e| e.node()).collect();
    while let Some(&node) = stack.last() {
        if new[node.index()].is_some() {
            stack.pop();
            continue;
        }
        let children = &lists.children[node.index()];
        let missing: Vec<NodeId> =
            children.iter().map(|e| e.node()).filter(|&n| new[n.index()].is_none()).collect();
        if missing.is_empty() {
            let edges: Vec<Edge> = children.iter().map(|&e| translate(&new, e)).collect();
            new[node.index()] = Some(fresh.and(edges));
            stack.pop();
        } else {
            stack.extend(missing);
        }
    }
    let outputs = outputs.iter().map(|&e| translate(&new, e)).collect();
    (fresh, outputs)
}

#[cfg(test)]
mod tests {
    use magister_core::{Rng, Seed};

    use super::super::InputId;
    use super::*;

    fn value(graph: &Graph, inputs: &[u64], outputs: &[Edge]) -> Vec<u64> {
        let mut wires = vec![!0];
        wires.extend_from_slice(inputs);
        let read = |wires: &[u64], e: Edge| {
            let wire = wires[e.node().index()];
            if e.negated() { !wire } else { wire }
        };
        for node in graph.gate_nodes() {
            let value = graph.children(node).iter().fold(!0, |all, &e| all & read(&wires, e));
            wires.push(value);
        }
        outputs.iter().map(|&e| read(&wires, e)).collect()
    }

    /// Many gates over few inputs, so that they have much in common.
    fn random(rng: &mut Rng) -> (Graph, Vec<Edge>) {
        let inputs = 6 + rng.below(20) as usize;
        let mut graph = Graph::new(inputs, Vec::new());
        let mut wires: Vec<Edge> = (0..inputs).map(|n| graph.input(InputId::new(n))).collect();
        for _ in 0..20 + rng.below(400) {
            let edges: Vec<Edge> = (0..2 + rng.below(10))
                .map(|_| {
                    let wire = wires[rng.below(wires.len().min(40) as u64) as usize];
                    if rng.below(6) == 0 { !wire } else { wire }
                })
                .collect();
            wires.push(graph.and(edges));
        }
        let outputs = wires.into_iter().filter(|_| rng.below(3) == 0).collect();
        (graph, outputs)
    }

    /// A gate that is used beside its own parts gets the wire of the pair a second time.
    #[test]
    fn a_gate_beside_its_parts_is_shared_once() {
        let mut graph = Graph::new(4, Vec::new());
        let [a, b, c, d] = [0, 1, 2, 3].map(|n| graph.input(InputId(n)));
        let both = graph.and([a, b]);
        let outputs = [both, graph.and([both, a, b, c]), graph.and([both, a, b, d])];
        let inputs = [0xff00, 0xf0f0, 0xcccc, 0xaaaa];
        let (after, edges) = share(&graph, &outputs, &Stop::never()).unwrap();
        assert_eq!(value(&after, &inputs, &edges), value(&graph, &inputs, &outputs));
    }

    #[test]
    fn sharing_changes_no_output() {
        for seed in 0..600 {
            let mut rng = Seed::from(seed).rng();
            let (graph, outputs) = random(&mut rng);
            // Mostly ones, because otherwise all wide conjunctions would be zero.
            let mut word = || rng.next_u64() | rng.next_u64() | rng.next_u64() | rng.next_u64();
            let inputs: Vec<u64> = (0..graph.inputs()).map(|_| word()).collect();
            let expected = value(&graph, &inputs, &outputs);
            let (mut now, mut edges) = (graph, outputs);
            for _ in 0..3 {
                (now, edges) = share(&now, &edges, &Stop::never()).unwrap();
                assert_eq!(value(&now, &inputs, &edges), expected, "seed {seed}");
            }
        }
    }
}
