//! Descents through the tree to where there is something to learn.

use std::ops::Range;

use magister_core::{Halt, Move, Payment, Rng, Role, Step, Stop, Worker};

use super::Config;
use super::edges::{GROUP, LOST};
use super::prior::Priors;
use super::tree::{Crowd, Joint, Kind, NONE, Tree};
use crate::choices::Choices;
use crate::playing::outcome;
use crate::rewards::{self, Scale};

/// One step of a descent: a node, and what was chosen there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    pub(super) node: u32,
    /// The edge, where one role or chance chooses; where several do, the place of their choice in
    /// [`Search::many`].
    pub(super) edge: u32,
    pub(super) several: bool,
    /// The step before; [`NONE`] if this is the first.
    pub(super) before: u32,
}

/// What several chose at the same time: the edge of each, and the number of the joint move.
#[derive(Clone, Debug)]
pub(super) struct Many {
    pub(super) edges: Vec<u32>,
    pub(super) number: u64,
}

/// A descent: the node that it has come to, and its last step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Descent {
    pub(super) leaf: u32,
    pub(super) last: u32,
    pub(super) depth: u32,
    /// The last node on the way that has means of its own, or [`NONE`].
    near: u32,
    /// Whether the leaf needs playouts; if not, its values are known.
    pub(super) open: bool,
}

/// Descents that are made side by side, one step of each in turn. They choose what they would
/// choose one after the other, since values change only when they are done; but while one waits
/// for memory the others go on.
const SIDE_BY_SIDE: usize = 32;

/// From this depth on it is looked whether descents go in circles.
const DEEP: u32 = 16;

/// The search of one thread.
pub(super) struct Search<'a> {
    pub(super) worker: &'a mut dyn Worker,
    pub(super) tree: &'a mut Tree,
    pub(super) config: &'a Config,
    pub(super) priors: &'a mut Priors,
    pub(super) rng: &'a mut Rng,
    pub(super) stop: Stop,
    pub(super) scale: Scale,
    /// The least and the greatest value: of the game, or seen so far where it does not say; and
    /// one divided by what is between them.
    pub(super) seen: (f32, f32),
    pub(super) spread: f32,
    pub(super) root: u32,
    /// Whether the tree may grow.
    pub(super) room: bool,
    /// The hops of all descents of a round, and what several chose at once there.
    pub(super) hops: Vec<Hop>,
    pub(super) many: Vec<Many>,
    pub(super) step: Step,
    pub(super) goals: Vec<f64>,
    pub(super) state: Vec<u64>,
    pub(super) joint: Vec<Move>,
    /// What a descent brought, for each role.
    pub(super) sample: Vec<f32>,
}

impl Search<'_> {
    /// Makes so many descents from the root. Everything on the way counts as visited once more
    /// until a descent is backed up or given up, so that the next one goes elsewhere. What ends
    /// where values are known is backed up at once; the others are added to `open`.
    pub(super) fn descend(&mut self, count: u64, open: &mut Vec<Descent>) -> Result<(), Halt> {
        let root = self.root;
        let first = Descent { leaf: root, last: NONE, depth: 0, near: NONE, open: false };
        let mut left = count as usize;
        let mut walking = Vec::with_capacity(SIDE_BY_SIDE);
        while left > 0 && !self.tree.node(root).proven {
            let now = left.min(SIDE_BY_SIDE);
            left -= now;
            walking.resize(now, first);
            while !walking.is_empty() {
                let mut going = 0;
                for at in 0..walking.len() {
                    let mut descent = walking[at];
                    match self.hop(&mut descent) {
                        Ok(true) => {
                            walking[going] = descent;
                            going += 1;
                        }
                        Ok(false) => {
                            self.tree.node_mut(descent.leaf).pending += 1;
                            if descent.open {
                                open.push(descent);
                            } else {
                                self.back_up(&descent, &mut Vec::new());
                            }
                        }
                        Err(halt) => {
                            let others = walking[..going].iter().chain(&walking[at..]);
                            others.for_each(|descent| self.release(descent));
                            return Err(halt);
                        }
                    }
                }
                walking.truncate(going);
            }
        }
        Ok(())
    }

    /// Looks at how far apart values are.
    pub(super) fn stretch(&mut self) {
        self.spread = 1.0 / (self.seen.1 - self.seen.0).max(1e-6);
    }

    /// Gives up a descent whose playouts were not made.
    pub(super) fn abandon(&mut self, descent: &Descent) {
        self.release(descent);
        self.tree.node_mut(descent.leaf).pending -= 1;
    }

    /// Takes back what was counted as under way.
    fn release(&mut self, descent: &Descent) {
        let mut at = descent.last;
        while at != NONE {
            let hop = self.hops[at as usize];
            self.tree.node_mut(hop.node).pending -= 1;
            if hop.several {
                for at in 0..self.many[hop.edge as usize].edges.len() {
                    let edge = self.many[hop.edge as usize].edges[at];
                    self.tree.edges.leave(edge as usize);
                }
            } else {
                self.tree.edges.leave(hop.edge as usize);
            }
            at = hop.before;
        }
    }

    /// Whether a descent has been at its node before.
    fn circles(&self, descent: &Descent) -> bool {
        let mut at = descent.last;
        while at != NONE {
            let hop = &self.hops[at as usize];
            if hop.node == descent.leaf {
                return true;
            }
            at = hop.before;
        }
        false
    }

    /// Takes a descent one step further; false if it has come to its end.
    fn hop(&mut self, descent: &mut Descent) -> Result<bool, Halt> {
        let at = descent.leaf;
        let node = self.tree.node(at);
        if node.proven {
            return Ok(false);
        }
        let leaf = node.kind == Kind::Leaf;
        // A position that was played out too little is, and so is one that closes a circle.
        if (leaf && (node.own < self.config.expand || !self.room))
            || (descent.depth >= DEEP && self.circles(descent))
        {
            descent.open = true;
            return Ok(false);
        }
        if leaf {
            self.expand(at)?;
        }
        if self.config.grave > 0.0 && self.priors.node(at).is_some() {
            descent.near = at;
        }
        let hop = self.select(descent);
        let child = self.follow(hop, leaf)?;
        self.tree.node_mut(at).pending += 1;
        if hop.several {
            let edges = &self.many[hop.edge as usize].edges;
            edges.iter().for_each(|&edge| self.tree.edges.enter(edge as usize));
        } else {
            self.tree.edges.enter(hop.edge as usize);
        }
        descent.last = self.hops.len() as u32;
        descent.depth += 1;
        descent.leaf = child;
        self.hops.push(hop);
        Ok(true)
    }

    /// Gives a node its edges, and leaves the worker there.
    fn expand(&mut self, at: u32) -> Result<(), Halt> {
        self.worker.load(self.tree.state(at), &self.stop)?;
        let info = self.worker.info();
        let alone = |role: Role| self.worker.legal(role).len() > 1;
        let mut actors = info.players().filter(|&role| alone(role));
        let (one, two) = (actors.next(), actors.next());
        let lottery = info.chance.is_some_and(alone);
        let (fpu, roles) = (self.config.fpu, self.tree.roles);
        let pays = info.payment == Payment::OnTheWay;
        let edges = &mut self.tree.edges;
        let priors = &*self.priors;
        let (kind, (first, count)) = match (one, two) {
            (Some(role), None) if !lottery => {
                let moves = self.worker.legal(role).iter();
                let moves = moves.map(|&choice| (choice, priors.lead(role, choice)));
                (Kind::One(role), edges.add(moves, fpu, roles, pays))
            }
            (None, _) => {
                let choices = Choices::of(self.worker);
                let all = choices.probabilities().iter();
                let all = all.map(|&likely| (Move::IDLE, likely as f32));
                (Kind::Chance, edges.add(all, fpu, roles, pays))
            }
            _ => {
                let choices = Choices::of(self.worker);
                let outcomes = choices.probabilities().to_vec();
                let joints =
                    choices.profiles().map(|profiles| profiles as u64 * outcomes.len() as u64);
                let count = |&role: &Role| (role, choices.moves(role).len() as u32);
                let actors = choices.actors().iter().map(count).collect();
                self.tree.crowds.insert(at, Crowd { actors, outcomes, joints });
                let moves = choices.actors().iter().flat_map(|&role| {
                    let lead = move |&choice: &Move| (choice, priors.lead(role, choice));
                    choices.moves(role).iter().map(lead)
                });
                (Kind::Many, edges.add(moves, fpu, roles, pays))
            }
        };
        let hope = match kind {
            Kind::One(role) => self.tree.values(at)[role.index()],
            _ => 0.0,
        };
        let node = self.tree.node_mut(at);
        (node.kind, node.first, node.edges) = (kind, first, count);
        node.hope = hope;
        Ok(())
    }

    /// Chooses an edge, or a joint move.
    fn select(&mut self, descent: &Descent) -> Hop {
        let (at, before, near) = (descent.leaf, descent.last, descent.near);
        let node = self.tree.node(at);
        let range = self.tree.range(at);
        let one = |edge: usize| Hop { node: at, edge: edge as u32, several: false, before };
        match node.kind {
            Kind::One(role) if self.config.plain => one(self.quickest(at, role)),
            Kind::One(role) => one(self.best(at, near, range, role)),
            Kind::Many => {
                let mut edges = Vec::new();
                let (mut first, mut number) = (range.start, 0_u64);
                let Some(crowd) = self.tree.crowds.get(&at) else { return one(range.start) };
                for &(role, count) in &crowd.actors {
                    let edge = self.best(at, near, first..first + count as usize, role);
                    number = number.wrapping_mul(u64::from(count)) + (edge - first) as u64;
                    edges.push(edge as u32);
                    first += count as usize;
                }
                let outcome = outcome(&crowd.outcomes, self.rng) as u64;
                number = number.wrapping_mul(crowd.outcomes.len() as u64) + outcome;
                self.many.push(Many { edges, number });
                Hop { node: at, edge: self.many.len() as u32 - 1, several: true, before }
            }
            // The outcome that is most behind its share, so that the mean is soon exact.
            Kind::Chance | Kind::Leaf | Kind::Terminal => {
                let total = f64::from(node.visits + node.pending + 1);
                let edges = &self.tree.edges;
                let behind = |edge: usize| {
                    f64::from(edges.prior[edge]) * total - f64::from(edges.count(edge))
                };
                let all = range.map(|edge| (edge, behind(edge)));
                let most = all.reduce(|a, b| if b.1 > a.1 { b } else { a });
                one(most.map_or(0, |most| most.0))
            }
        }
    }

    /// What [`best`](Self::best) is where nothing counts but the edges themselves, several at a
    /// time: this is where a search spends most of its time.
    fn quickest(&self, at: u32, role: Role) -> usize {
        let node = self.tree.node(at);
        let (low, spread) = (self.seen.0, self.spread);
        let c = self.config.c * node.curiosity;
        debug_assert!((node.hope - self.tree.values(at)[role.index()]).abs() < 1e-3);
        let hope = (node.hope - low) * spread;
        let range = self.tree.range(at);
        let mut most = [f32::NEG_INFINITY; GROUP];
        // Small whole numbers; as floats, since then a group is chosen as its promise is.
        let mut place = [0.0_f32; GROUP];
        let mut number = 0.0;
        for group in self.tree.edges.groups(range.clone()) {
            for lane in 0..GROUP {
                let lure = group.lure[lane];
                let worth = if lure.is_nan() { hope } else { (lure - low) * spread };
                let promise = worth + c * group.rare[lane];
                let better = promise > most[lane];
                most[lane] = if better { promise } else { most[lane] };
                place[lane] = if better { number } else { place[lane] };
            }
            number += GROUP as f32;
        }
        for (lane, place) in place.iter_mut().enumerate() {
            *place += lane as f32;
        }
        // The better of each two, until there is one; of equal ones the first in the list.
        let mut left = GROUP / 2;
        while left > 0 {
            for lane in 0..left {
                let (a, b) = ((most[lane], place[lane]), (most[lane + left], place[lane + left]));
                let other = b.0 > a.0 || (b.0 >= a.0 && b.1 < a.1);
                (most[lane], place[lane]) = if other { b } else { a };
            }
            left /= 2;
        }
        (range.start + place[0] as usize).min(range.end - 1)
    }

    /// The edge that promises most to a role: what it is worth, and more for what was visited
    /// little. What was never visited is hoped to be worth what its brothers are.
    fn best(&self, at: u32, near: u32, range: Range<usize>, role: Role) -> usize {
        let tree = &*self.tree;
        let (low, spread) = (self.seen.0, self.spread);
        let c = self.config.c * tree.node(at).curiosity;
        let hope = (tree.values(at)[role.index()] - low) * spread;
        let near = self.priors.node(near);
        let mut best = (range.start, f32::NEG_INFINITY);
        for edge in range {
            let lure = tree.edges.lure(edge);
            let mut promise = if lure.is_nan() {
                hope + self.config.bias * tree.edges.prior[edge]
            } else {
                (lure - low) * spread
            };
            // What playouts say in which the move was made later counts as long as the move
            // itself was tried little.
            let choice = tree.edges.choice[edge];
            if let Some((mean, belief)) = near.and_then(|near| near.of(role, choice))
                && lure != LOST
            {
                let count = tree.edges.count(edge);
                let share = (self.config.grave / (3.0 * count + self.config.grave)).sqrt() * belief;
                promise += share * (mean - promise);
            }
            promise += c * tree.edges.rare(edge);
            if promise > best.1 {
                best = (edge, promise);
            }
        }
        best.0
    }

    /// The node that a hop leads to. `here` says that the worker is in the position already.
    fn follow(&mut self, hop: Hop, here: bool) -> Result<u32, Halt> {
        let at = hop.node;
        let known = if hop.several {
            let number = self.many[hop.edge as usize].number;
            self.tree.joints.get(&(at, number)).map_or(NONE, |joint| joint.child)
        } else {
            self.tree.edges.child(hop.edge as usize)
        };
        if known != NONE {
            return Ok(known);
        }
        if !here {
            self.worker.load(self.tree.state(at), &self.stop)?;
        }
        let mut joint = std::mem::take(&mut self.joint);
        self.moves(hop, &mut joint);
        let made = self.worker.step(&joint, &mut self.step, &self.stop);
        self.joint = joint;
        made?;
        let mut state = std::mem::take(&mut self.state);
        self.worker.save(&mut state);
        let child = match self.tree.find(&state) {
            Some(child) => child,
            None => self.add(&state),
        };
        self.state = state;
        let pays = self.worker.info().payment == Payment::OnTheWay;
        let gains = self.step.gains.iter().map(|&gain| gain as f32);
        if hop.several {
            let number = self.many[hop.edge as usize].number;
            let gains = if pays { gains.collect() } else { Vec::new() };
            self.tree.joints.insert((at, number), Joint { child, proven: false, gains });
        } else {
            let (edge, roles) = (hop.edge as usize, self.tree.roles);
            self.tree.edges.set_child(edge, child);
            if pays {
                let own = &mut self.tree.edges.gains[edge * roles..][..roles];
                own.iter_mut().zip(gains).for_each(|(own, gain)| *own = gain);
            }
        }
        Ok(child)
    }

    /// The joint move of a hop, in the worker's position.
    fn moves(&self, hop: Hop, joint: &mut Vec<Move>) {
        let info = self.worker.info();
        let tree = &*self.tree;
        let only = |role| self.worker.legal(role).first().copied().unwrap_or(Move::IDLE);
        joint.clear();
        joint.extend(info.all_roles().map(only));
        let luck = |joint: &mut Vec<Move>, outcome: usize| {
            if let Some(role) = info.chance
                && let Some(&choice) = self.worker.legal(role).get(outcome)
            {
                joint[role.index()] = choice;
            }
        };
        match tree.node(hop.node).kind {
            Kind::One(role) => joint[role.index()] = tree.edges.choice[hop.edge as usize],
            _ if hop.several => {
                let Some(crowd) = tree.crowds.get(&hop.node) else { return };
                let many = &self.many[hop.edge as usize];
                for (&(role, _), &edge) in crowd.actors.iter().zip(&many.edges) {
                    joint[role.index()] = tree.edges.choice[edge as usize];
                }
                luck(joint, (many.number % crowd.outcomes.len().max(1) as u64) as usize);
            }
            _ => luck(joint, (hop.edge - tree.node(hop.node).first) as usize),
        }
    }

    /// A new node of the worker's position.
    fn add(&mut self, state: &[u64]) -> u32 {
        let child = self.tree.add(self.worker, state);
        if self.worker.terminal() {
            let values = rewards::terminal(self.worker, self.scale, &mut self.goals);
            for (value, end) in self.tree.values_mut(child).iter_mut().zip(values) {
                *value = end as f32;
            }
            self.tree.node_mut(child).proven = true;
        }
        child
    }
}
