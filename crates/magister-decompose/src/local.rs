//! The states of one part, enumerated: only its own fluents and its own moves.

use magister_core::{Halt, Role, Stop};
use magister_engine::network::{Edge, Network, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::decomposition::Decomposition;
use crate::effects::Idle;
use crate::prove::Prover;
use crate::split::CONTEXT;
use crate::support::{Support, conjuncts};
use crate::tops::Tops;

/// The maximum number of pairs of move classes that are tested for being legal together.
const PAIRS: usize = 10_000;

/// The values of some fluents, as words.
pub(crate) type Bits = Box<[u64]>;

/// Packs truth values into words.
pub(crate) fn pack(values: impl ExactSizeIterator<Item = bool>) -> Bits {
    let mut words = vec![0u64; values.len().div_ceil(64)];
    for (at, value) in values.enumerate() {
        words[at / 64] |= u64::from(value) << (at % 64);
    }
    words.into()
}

/// The values of some fluents in a state of the whole game.
pub(crate) fn project(fluents: &[usize], state: &[u64]) -> Bits {
    let holds =
        |&fluent: &usize| state.get(fluent / 64).is_some_and(|w| w >> (fluent % 64) & 1 == 1);
    pack(fluents.iter().map(holds))
}

fn unpack(fluents: &[usize], bits: &[u64], values: &mut [bool]) {
    for (at, &fluent) in fluents.iter().enumerate() {
        values[fluent + 1] = bits[at / 64] >> (at % 64) & 1 == 1;
    }
}

/// The states of the context in order: a path that ends in a cycle.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    /// The context's fluents.
    pub(crate) fluents: Vec<usize>,
    /// Their values in each state.
    pub(crate) states: Vec<Bits>,
    /// The number of each state.
    pub(crate) known: FxHashMap<Bits, usize>,
    /// The state that follows the last one.
    pub(crate) back: usize,
    /// The values of the context's concepts, in each state.
    pub(crate) concepts: Vec<Vec<bool>>,
}

impl Course {
    pub(crate) fn new(
        network: &Network,
        whole: &Decomposition,
        tops: &Tops,
        limit: usize,
    ) -> Result<Self, Halt> {
        let fluents: Vec<usize> =
            (0..network.fluents()).filter(|&f| whole.split.part_of[f] == CONTEXT).collect();
        let next: Vec<Edge> = fluents
            .iter()
            .map(|&fluent| match whole.effects.idle[fluent] {
                Idle::Keeps => Edge::of(NodeId::new(fluent + 1)),
                Idle::Follows => network.next[fluent],
                Idle::Gets(edge) => edge,
            })
            .collect();
        let own = &tops.concepts[whole.split.parts];
        let wires = next.iter().copied().chain(own.iter().flatten().copied());
        let cone = Cone::new(whole, wires);
        let mut known: FxHashMap<Bits, usize> = FxHashMap::default();
        let mut state = pack(fluents.iter().map(|&f| network.initial[f]));
        let (mut states, mut concepts) = (Vec::new(), Vec::new());
        let mut values = cone.memory();
        loop {
            if let Some(&back) = known.get(&state) {
                return Ok(Course { fluents, states, known, back, concepts });
            }
            if states.len() >= limit {
                return Err(Halt::Limit(format!("the context has more than {limit} states")));
            }
            known.insert(state.clone(), states.len());
            unpack(&fluents, &state, &mut values);
            cone.evaluate(&mut values);
            concepts.push(own.iter().map(|all| all.iter().all(|&e| read(&values, e))).collect());
            states.push(state);
            state = pack(next.iter().map(|&edge| read(&values, edge)));
        }
    }

    /// Whether all of these wires, which depend only on the context, are true in a state.
    pub(crate) fn holds(&self, whole: &Decomposition, wires: &[Edge], state: usize) -> bool {
        let cone = Cone::new(whole, wires.iter().copied());
        let mut values = cone.memory();
        unpack(&self.fluents, &self.states[state], &mut values);
        cone.evaluate(&mut values);
        wires.iter().all(|&edge| read(&values, edge))
    }

    /// The successor of a state.
    pub(crate) fn after(&self, state: usize) -> usize {
        if state + 1 < self.states.len() { state + 1 } else { self.back }
    }
}

/// The gates that some wires need, in order.
#[derive(Clone, Debug)]
struct Cone<'a> {
    whole: &'a Decomposition,
    gates: Vec<NodeId>,
}

impl<'a> Cone<'a> {
    fn new(whole: &'a Decomposition, wires: impl Iterator<Item = Edge>) -> Self {
        let graph = &whole.effects.graph;
        let gates = graph.reachable(wires).into_iter().filter(|&n| !graph.is_input(n)).collect();
        Cone { whole, gates }
    }

    fn memory(&self) -> Vec<bool> {
        let mut values = vec![false; self.whole.effects.graph.len()];
        values[0] = true;
        values
    }

    fn evaluate(&self, values: &mut [bool]) {
        let graph = &self.whole.effects.graph;
        for &node in &self.gates {
            values[node.index()] = graph.children(node).iter().all(|&edge| read(values, edge));
        }
    }
}

fn read(values: &[bool], edge: Edge) -> bool {
    values[edge.node().index()] != edge.negated()
}

/// The actions of the roles on a part in one step: the class of each role's move, or 0 if it does
/// not act.
pub(crate) type Label = Box<[u32]>;

/// The states of one part.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    /// Its fluents.
    pub(crate) fluents: Vec<usize>,
    /// The number of each state: the values of its fluents, and the state of the context if it is
    /// included.
    pub(crate) known: FxHashMap<(Bits, u32), u32>,
    /// The labels that occur.
    pub(crate) labels: Vec<Label>,
    /// For every state, its successors with their labels, in the order of the labels.
    pub(crate) next: Vec<Vec<(u32, u32)>>,
    /// For every state, the values of the part's concepts.
    pub(crate) concepts: Vec<Box<[bool]>>,
    /// Whether states include the state of the context.
    pub(crate) timed: bool,
    /// Whether every fluent keeps its value when no move acts on the part.
    pub(crate) keeps: bool,
}

/// How the states of parts are enumerated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The maximum number of states of one part.
    pub(crate) states: usize,
    /// The maximum number of successors of all states of one part.
    pub(crate) edges: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { states: 400_000, edges: 8_000_000 }
    }
}

impl Bounds {
    /// Limits for an assessment: large enough for games that pay off, and soon reached by the
    /// others.
    pub(crate) fn small() -> Self {
        Bounds { states: 30_000, edges: 4_000_000 }
    }
}

impl Local {
    pub(crate) fn new(
        network: &Network,
        whole: &Decomposition,
        tops: &Tops,
        course: &Course,
        part: usize,
        bounds: Bounds,
        stop: &Stop,
    ) -> Result<Self, Halt> {
        let fluents: Vec<usize> =
            (0..network.fluents()).filter(|&f| whole.split.part_of[f] == part as u32).collect();
        let moves = LocalMoves::new(network, whole, part, &fluents);
        let idle: Vec<Edge> = fluents
            .iter()
            .map(|&fluent| match whole.effects.idle[fluent] {
                Idle::Keeps => Edge::of(NodeId::new(fluent + 1)),
                Idle::Follows => network.next[fluent],
                Idle::Gets(edge) => edge,
            })
            .collect();
        let keeps = fluents.iter().all(|&fluent| whole.effects.idle[fluent] == Idle::Keeps);
        let own = &tops.concepts[part];
        let acting = moves.classes.iter().flat_map(|class| class.wires.iter().copied().flatten());
        let conditions =
            moves.classes.iter().flat_map(|class| class.legal.iter().flatten().copied());
        let all: Vec<Edge> = idle
            .iter()
            .copied()
            .chain(acting)
            .chain(conditions)
            .chain(own.iter().flatten().copied())
            .collect();
        let cone = Cone::new(whole, all.iter().copied());
        let (mut timed, mut mutual) = (false, false);
        let steps = idle
            .iter()
            .copied()
            .chain(moves.classes.iter().flat_map(|c| c.wires.iter().copied().flatten()));
        Support::new().each(
            &whole.effects.graph,
            steps.chain(own.iter().flatten().copied()),
            |input| match whole.split.part_of.get(input) {
                None => mutual = true,
                Some(&CONTEXT) => timed = true,
                Some(&other) => debug_assert_eq!(other as usize, part, "parts are independent"),
            },
        );
        let labels = moves.labels(network, whole, bounds, stop)?;
        let mut local = Local {
            fluents: Vec::new(),
            known: FxHashMap::default(),
            labels,
            next: Vec::new(),
            concepts: Vec::new(),
            timed,
            keeps,
        };
        let start = pack(fluents.iter().map(|&f| network.initial[f]));
        let mut open: Vec<(Bits, u32)> = vec![(start.clone(), 0)];
        local.known.insert((start, 0), 0);
        let mut values = cone.memory();
        let mut edges = 0;
        while let Some((state, time)) = open.get(local.next.len()).cloned() {
            if local.next.len().is_multiple_of(256) {
                stop.check()?;
            }
            unpack(&fluents, &state, &mut values);
            if timed {
                unpack(&course.fluents, &course.states[time as usize], &mut values);
            }
            cone.evaluate(&mut values);
            local
                .concepts
                .push(own.iter().map(|all| all.iter().all(|&e| read(&values, e))).collect());
            let possible = moves.possible(&values);
            let later = if timed { course.after(time as usize) as u32 } else { 0 };
            let mut successors = Vec::new();
            for (number, label) in local.labels.iter().enumerate() {
                let fits = |(role, &class): (usize, &u32)| match class {
                    0 => true,
                    class => possible[moves.index(role, class)],
                };
                if !label.iter().enumerate().all(fits) {
                    continue;
                }
                if mutual {
                    moves.make(network, label, &mut values);
                    cone.evaluate(&mut values);
                }
                let after = pack((0..fluents.len()).map(|at| {
                    let acted = label.iter().enumerate().find_map(|(role, &class)| {
                        (class > 0)
                            .then(|| moves.classes[moves.index(role, class)].wires[at])
                            .flatten()
                    });
                    read(&values, acted.unwrap_or(idle[at]))
                }));
                let fresh = local.known.len() as u32;
                let target = *local.known.entry((after.clone(), later)).or_insert(fresh);
                if target == fresh {
                    open.push((after, later));
                }
                successors.push((number as u32, target));
            }
            if mutual {
                moves.clear(network, &mut values);
            }
            edges += successors.len();
            local.next.push(successors);
            if open.len() > bounds.states || edges > bounds.edges {
                return Err(Halt::Limit(format!(
                    "a part has more than {} states",
                    bounds.states.min(open.len())
                )));
            }
        }
        local.fluents = fluents;
        Ok(local)
    }

    /// The number of the state of this part in a state of the whole game, if it was enumerated.
    pub(crate) fn place(&self, state: &[u64], time: usize) -> Option<u32> {
        let time = if self.timed { time as u32 } else { 0 };
        self.known.get(&(project(&self.fluents, state), time)).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.next.len()
    }

    /// The states in an order in which successors come first; `None` if states can repeat. Steps in
    /// which no role acts are excluded.
    pub(crate) fn ends_first(&self) -> Option<Vec<usize>> {
        let acts = |label: u32| self.labels[label as usize].iter().any(|&class| class > 0);
        let (mut order, mut done) = (Vec::new(), vec![false; self.len()]);
        let mut open = vec![false; self.len()];
        let mut stack = vec![(0, false)];
        while let Some((state, ready)) = stack.pop() {
            if done[state] {
                continue;
            }
            if ready {
                done[state] = true;
                open[state] = false;
                order.push(state);
                continue;
            }
            open[state] = true;
            stack.push((state, true));
            for &(label, target) in &self.next[state] {
                let target = target as usize;
                if !acts(label) || done[target] {
                    continue;
                }
                if open[target] {
                    return None;
                }
                stack.push((target, false));
            }
        }
        Some(order)
    }
}

/// The effect of one class of moves on a part.
#[derive(Debug)]
struct Class {
    role: Role,
    number: u32,
    /// For each fluent of the part, the wire of its next value, if the class acts on it.
    wires: Vec<Option<Edge>>,
    /// For each move of the class, the conditions of its legality that depend only on this part.
    legal: Vec<Vec<Edge>>,
    /// The moves of the class.
    places: Vec<usize>,
    /// Their side of the guard.
    side: u8,
}

#[derive(Debug)]
struct LocalMoves {
    classes: Vec<Class>,
    numbers: FxHashMap<(usize, u32), usize>,
    /// For each role and each side of the guard, an input that is true when the role does not act
    /// on the part; `None` if it always acts.
    rests: Vec<[Option<usize>; 3]>,
}

impl LocalMoves {
    fn new(network: &Network, whole: &Decomposition, part: usize, fluents: &[usize]) -> Self {
        let mut classes: Vec<Class> = Vec::new();
        let mut numbers: FxHashMap<(usize, u32), usize> = FxHashMap::default();
        let mut rests: Vec<[Option<usize>; 3]> =
            network.idle.iter().map(|idle| [idle.map(|input| input.node().index()); 3]).collect();
        let mut support = Support::new();
        for (place, list) in whole.classes_of_moves.iter().enumerate() {
            let role = network.moves[place].0;
            let Some(&(_, number)) = list.iter().find(|&&(p, _)| p as usize == part) else {
                let input = Some(network.inputs[place].node().index());
                rests[role.index()][0] = input;
                rests[role.index()][usize::from(whole.effects.sides[place])] = input;
                continue;
            };
            let index = *numbers.entry((role.index(), number)).or_insert_with(|| {
                let mut wires = vec![None; fluents.len()];
                for &(fluent, edge) in &whole.effects.acts[place] {
                    if let Ok(at) = fluents.binary_search(&(fluent as usize)) {
                        wires[at] = Some(edge);
                    }
                }
                let (legal, places) = (Vec::new(), Vec::new());
                let side = whole.effects.sides[place];
                classes.push(Class { role, number, wires, legal, places, side });
                classes.len() - 1
            });
            let mut own = Vec::new();
            for edge in conjuncts(&network.graph, network.legal[place]) {
                let (mut here, mut elsewhere) = (false, false);
                support.each(&network.graph, [edge], |input| {
                    let there = whole.split.part_of[input];
                    here |= there as usize == part;
                    elsewhere |= there as usize != part;
                });
                if here && !elsewhere {
                    own.push(edge);
                }
            }
            classes[index].legal.push(own);
            classes[index].places.push(place);
        }
        for class in &mut classes {
            class.legal.sort_unstable();
            class.legal.dedup();
        }
        LocalMoves { classes, numbers, rests }
    }

    fn index(&self, role: usize, class: u32) -> usize {
        self.numbers[&(role, class)]
    }

    /// Which classes have a move that may be legal.
    fn possible(&self, values: &[bool]) -> Vec<bool> {
        let may = |class: &Class| {
            class.legal.iter().any(|all| all.iter().all(|&edge| read(values, edge)))
        };
        self.classes.iter().map(may).collect()
    }

    /// All combinations of actions of the roles on the part.
    fn labels(
        &self,
        network: &Network,
        whole: &Decomposition,
        bounds: Bounds,
        stop: &Stop,
    ) -> Result<Vec<Label>, Halt> {
        let turns = whole.effects.turns.is_some();
        let roles = network.roles();
        let apart =
            if turns || roles == 1 { FxHashSet::default() } else { self.apart(network, stop) };
        let mut labels: Vec<Vec<u32>> = vec![vec![]];
        for role in 0..roles {
            let mut own: Vec<u32> =
                if self.rests[role][0].is_some() || turns { vec![0] } else { vec![] };
            own.extend(self.classes.iter().filter(|c| c.role.index() == role).map(|c| c.number));
            let mut longer = Vec::new();
            for label in &labels {
                for &class in &own {
                    // If roles take turns, at most one of them acts.
                    let before = |(other, &c): (usize, &u32)| {
                        c > 0
                            && class > 0
                            && (turns
                                || apart.contains(&(self.index(other, c), self.index(role, class))))
                    };
                    if !label.iter().enumerate().any(before) {
                        longer.push([&label[..], &[class]].concat());
                    }
                }
            }
            labels = longer;
            if labels.len() > bounds.edges {
                return Err(Halt::Limit("a part has too many joint moves".to_owned()));
            }
        }
        Ok(labels.into_iter().map(Vec::into_boxed_slice).collect())
    }

    /// Pairs of classes of different roles whose moves are never legal together.
    fn apart(&self, network: &Network, stop: &Stop) -> FxHashSet<(usize, usize)> {
        let mut apart = FxHashSet::default();
        let count = self.classes.len();
        if count * count > PAIRS {
            return apart;
        }
        let mut prover = Prover::new(network, &network.graph, stop);
        let any: Vec<_> = self
            .classes
            .iter()
            .map(|class| {
                let lits: Vec<_> =
                    class.places.iter().map(|&place| prover.lit(network.legal[place])).collect();
                prover.any(&lits)
            })
            .collect();
        for (first, one) in self.classes.iter().enumerate() {
            for (second, other) in self.classes.iter().enumerate().skip(first + 1) {
                if one.role != other.role && prover.never(&[any[first], any[second]]) {
                    apart.insert((first, second));
                    apart.insert((second, first));
                }
            }
        }
        apart
    }

    /// Sets the inputs of moves, for wires that depend on the moves of other roles.
    fn make(&self, network: &Network, label: &[u32], values: &mut [bool]) {
        self.clear(network, values);
        let acting = label.iter().enumerate().find(|&(_, &class)| class > 0);
        let side = acting.map_or(0, |(role, &class)| self.classes[self.index(role, class)].side);
        for (role, &class) in label.iter().enumerate() {
            // Every role makes exactly one move; the gates rely on this.
            if class > 0 {
                let place = self.classes[self.index(role, class)].places[0];
                values[network.inputs[place].node().index()] = true;
            } else if let Some(input) = self.rests[role][usize::from(side)] {
                values[input] = true;
            }
        }
    }

    fn clear(&self, network: &Network, values: &mut [bool]) {
        for class in &self.classes {
            values[network.inputs[class.places[0]].node().index()] = false;
        }
        for &input in self.rests.iter().flatten().flatten() {
            values[input] = false;
        }
    }
}
