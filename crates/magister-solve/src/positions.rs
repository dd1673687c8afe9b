//! The graph of all positions of a game.

use magister_core::{Budget, Halt, Info, Information, Move, Payment, Percept, Role, Step, Worker};
use rustc_hash::FxHashMap;

use crate::Key;
use crate::choices::Choices;
use crate::held;
use crate::limits::{Size, SolveLimits, Unsolved};

/// The kind of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A terminal position.
    End,
    /// No role has a choice.
    Forced,
    /// One role has a choice, and chance has none.
    One(Role),
    /// Several roles choose, or chance does; the number is the index of the choices.
    Mixed(u32),
}

struct Node {
    kind: Kind,
    /// Its first edge.
    first: u32,
}

/// All positions that are reachable from the first one.
pub(crate) struct Positions {
    pub(crate) roles: usize,
    places: FxHashMap<Key, u32>,
    nodes: Vec<Node>,
    /// The targets of the edges: outcome after outcome of each profile.
    children: Vec<u32>,
    /// The moves of a single choosing role, one per edge.
    moves: Vec<Move>,
    /// The gain of each role on each edge, in games with intermediate rewards.
    gains: Vec<f64>,
    mixed: Vec<Choices>,
    /// The memory of the choices, beside the list.
    mixed_bytes: usize,
    /// The value for each role, position after position. At first, only those of terminal positions
    /// are known.
    pub(crate) values: Vec<f64>,
}

impl Positions {
    /// Visits every position once. Each position costs one iteration of the budget.
    ///
    /// A game may be declared as one with hidden information although it hides nothing: a role that
    /// knows the position, its own move and its percepts then also knows the next position. This is
    /// checked; the result is [`Halt::Hidden`] if it does not hold.
    pub(crate) fn explore(
        worker: &mut dyn Worker,
        limits: &SolveLimits,
        budget: &mut Budget,
    ) -> Result<Self, Unsolved> {
        let info = worker.info().clone();
        let mut all = Positions {
            roles: info.roles.len(),
            places: FxHashMap::default(),
            nodes: Vec::new(),
            children: Vec::new(),
            moves: Vec::new(),
            gains: Vec::new(),
            mixed: Vec::new(),
            mixed_bytes: 0,
            values: Vec::new(),
        };
        let stop = budget.stop().clone();
        let (mut root, mut child, mut step) = (Vec::new(), Vec::new(), Step::new());
        worker.save(&mut root);
        all.places.insert(Key::of(&root), 0);
        // The words of positions that were reached but not expanded.
        let mut states = std::collections::VecDeque::from([root]);
        // The depth that is being expanded, and the positions where it begins and ends.
        let (mut depth, mut begin, mut end) = (0, 0, 1);
        let mut witness = (info.information == Information::Hidden).then(Witness::default);
        while let Some(state) = states.pop_front() {
            let queued = states.len() * (24 + held::block(8 * state.len()));
            let bytes = all.held() + queued.max(all.needed());
            let nodes = all.places.len();
            if all.nodes.len() == end {
                (depth, begin, end) = (depth + 1, end, nodes);
            }
            let size = Size { nodes, depth, bytes, ..Size::default() };
            if nodes >= limits.nodes || bytes > limits.bytes {
                let expected = next_width((begin, end), all.nodes.len(), nodes);
                return Err(Unsolved::TooLarge(Size { expected, ..size }));
            }
            if !budget.spend(1) {
                return Err(Unsolved::Late(size));
            }
            let failed = |halt: Halt| Unsolved::from(halt).or_late(size);
            worker.load(&state, &stop).map_err(failed)?;
            let first = all.children.len() as u32;
            if worker.terminal() {
                all.nodes.push(Node { kind: Kind::End, first });
                all.values.extend(rewards(worker, &info)?);
                continue;
            }
            let choices = Choices::of(worker);
            let outcomes = choices.probabilities().len();
            let Some(profiles) = choices.profiles().filter(|&count| count < limits.nodes) else {
                return Err(Unsolved::TooLarge(size));
            };
            let mut here = true;
            for profile in 0..profiles {
                for outcome in 0..outcomes {
                    if !here && !worker.undo() {
                        worker.load(&state, &stop).map_err(failed)?;
                    }
                    here = false;
                    let joint = choices.joint(profile, outcome);
                    worker.step(&joint, &mut step, &stop).map_err(failed)?;
                    worker.save(&mut child);
                    let next = all.places.len() as u32;
                    let known = *all.places.entry(Key::of(&child)).or_insert_with(|| {
                        states.push_back(child.clone());
                        next
                    });
                    all.children.push(known);
                    if let Some(witness) = &mut witness
                        && !witness.knows(&info, &joint, &step, known)
                    {
                        return Err(Halt::Hidden.into());
                    }
                    if info.payment == Payment::OnTheWay {
                        all.gains.extend_from_slice(&step.gains);
                    }
                }
            }
            if let Some(witness) = &mut witness {
                witness.seen.clear();
            }
            let kind = match choices.actors() {
                [] if outcomes == 1 => Kind::Forced,
                [actor] if outcomes == 1 => Kind::One(*actor),
                _ => Kind::Mixed(all.mixed.len() as u32),
            };
            match kind {
                Kind::One(actor) => all.moves.extend_from_slice(choices.moves(actor)),
                _ => all.moves.resize(all.children.len(), Move::IDLE),
            }
            if matches!(kind, Kind::Mixed(_)) {
                all.mixed_bytes += choices.bytes();
                all.mixed.push(choices);
            }
            all.nodes.push(Node { kind, first });
            all.values.resize(all.nodes.len() * all.roles, f64::NAN);
        }
        Ok(all)
    }

    /// The number of positions.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The memory in bytes.
    pub(crate) fn held(&self) -> usize {
        held::table(&self.places)
            + held::list(&self.nodes)
            + held::list(&self.children)
            + held::list(&self.moves)
            + held::list(&self.gains)
            + held::list(&self.mixed)
            + self.mixed_bytes
            + held::list(&self.values)
    }

    /// The memory for computing values, in bytes: incoming edges, open edges, queues, and for each
    /// role the order and the rewards that it can force.
    fn needed(&self) -> usize {
        self.nodes.len() * (24 + 12 * self.roles) + self.children.len() * 4
    }

    /// The index of a position.
    pub(crate) fn find(&self, state: &[u64]) -> Option<usize> {
        self.places.get(&Key::of(state)).map(|&place| place as usize)
    }

    pub(crate) fn kind(&self, at: usize) -> Kind {
        self.nodes[at].kind
    }

    fn edges(&self, at: usize) -> std::ops::Range<usize> {
        let end = self.nodes.get(at + 1).map_or(self.children.len(), |node| node.first as usize);
        self.nodes[at].first as usize..end
    }

    /// The targets of the edges of a position.
    pub(crate) fn children(&self, at: usize) -> &[u32] {
        &self.children[self.edges(at)]
    }

    /// The moves of a single choosing role in a position.
    pub(crate) fn moves(&self, at: usize) -> &[Move] {
        &self.moves[self.edges(at)]
    }

    /// The choices of a position in which several roles or chance choose.
    pub(crate) fn mixed(&self, number: u32) -> &Choices {
        &self.mixed[number as usize]
    }

    /// The values of a position for the roles; NaN if unknown.
    pub(crate) fn value(&self, at: usize) -> &[f64] {
        &self.values[at * self.roles..][..self.roles]
    }

    /// Whether the value of a position is known.
    pub(crate) fn known(&self, at: usize) -> bool {
        self.value(at).first().is_some_and(|value| !value.is_nan())
    }

    pub(crate) fn set(&mut self, at: usize, value: &[f64]) {
        self.values[at * self.roles..][..self.roles].copy_from_slice(value);
    }

    /// Whether the game pays only at the end.
    pub(crate) fn pays_at_end(&self) -> bool {
        self.gains.is_empty()
    }

    /// The value of an edge for a role: its gain on the edge plus the value of the target.
    pub(crate) fn worth(&self, at: usize, edge: usize, role: usize) -> f64 {
        let edge = self.nodes[at].first as usize + edge;
        let gain = self.gains.get(edge * self.roles + role).copied().unwrap_or(0.0);
        self.values[self.children[edge] as usize * self.roles + role] + gain
    }

    /// For each position, the sources of its incoming edges.
    pub(crate) fn parents(&self) -> Parents {
        let mut first = vec![0_u32; self.len() + 1];
        for &child in &self.children {
            first[child as usize + 1] += 1;
        }
        for at in 0..self.len() {
            first[at + 1] += first[at];
        }
        let mut next = first.clone();
        let mut list = vec![0; self.children.len()];
        for at in 0..self.len() {
            for &child in self.children(at) {
                let place = &mut next[child as usize];
                list[*place as usize] = at as u32;
                *place += 1;
            }
        }
        Parents { first, list }
    }
}

/// Estimates the number of positions at the next depth: the number found so far, divided by the
/// share of this depth, from `begin` to `end`, that was expanded.
pub(crate) fn next_width((begin, end): (usize, usize), expanded: usize, found: usize) -> usize {
    (found - end).saturating_mul(end - begin) / (expanded - begin).max(1)
}

/// Checks whether all players know the position after a step.
#[derive(Default)]
struct Witness {
    /// The next position, by role, own move and percepts.
    seen: FxHashMap<(Role, Move, Box<[Percept]>), u32>,
}

impl Witness {
    /// Adds a step from the current position. Returns false if some player cannot distinguish it
    /// from a step to another position.
    fn knows(&mut self, info: &Info, joint: &[Move], step: &Step, to: u32) -> bool {
        info.players().all(|role| {
            let seen: Box<[Percept]> = step.percepts.of(role).into();
            *self.seen.entry((role, joint[role.index()], seen)).or_insert(to) == to
        })
    }
}

/// The incoming edges of all positions.
pub(crate) struct Parents {
    first: Vec<u32>,
    list: Vec<u32>,
}

impl Parents {
    pub(crate) fn of(&self, at: usize) -> &[u32] {
        &self.list[self.first[at] as usize..self.first[at + 1] as usize]
    }
}

/// The rewards of all roles in a terminal position, without intermediate rewards.
pub(crate) fn rewards(worker: &dyn Worker, info: &Info) -> Result<Vec<f64>, Unsolved> {
    let mut goals = Vec::new();
    let mut value = vec![0.0; info.roles.len()];
    if info.payment == Payment::AtEnd {
        for role in info.players() {
            worker.goals(role, &mut goals);
            let [goal] = goals[..] else {
                let name = info.role_name(role);
                let what = format!("a match can end without a single goal value for {name}");
                return Err(Unsolved::Undefined(what));
            };
            value[role.index()] = goal;
        }
    }
    Ok(value)
}
