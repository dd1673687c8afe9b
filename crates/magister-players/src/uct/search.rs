//! Descents through the tree to where there is something to learn.

use magister_core::{Halt, Move, Payment, Rng, Role, Step, Stop, Worker};

use super::Config;
use super::prior::Priors;
use super::tree::{Crowd, Edge, Joint, Kind, NONE, Tree};
use crate::choices::Choices;
use crate::playing::outcome;
use crate::rewards::{self, Scale};

/// One step of a descent: a node, and what was chosen there.
#[derive(Clone, Debug)]
pub(super) struct Hop {
    pub(super) node: u32,
    /// The edge, where one role or chance chooses.
    pub(super) edge: u32,
    /// Where several choose: the edge of each actor, and the number of the joint move.
    pub(super) many: Option<(Box<[u32]>, u64)>,
}

impl Hop {
    pub(super) fn edges(&self) -> &[u32] {
        match &self.many {
            None => std::slice::from_ref(&self.edge),
            Some((edges, _)) => edges,
        }
    }
}

/// A descent to a node, with all that it came through.
#[derive(Clone, Debug)]
pub(super) struct Descent {
    pub(super) path: Vec<Hop>,
    pub(super) leaf: u32,
    /// Whether the leaf needs playouts; if not, its values are known.
    pub(super) open: bool,
}

/// The search of one thread.
pub(super) struct Search<'a> {
    pub(super) worker: &'a mut dyn Worker,
    pub(super) tree: &'a mut Tree,
    pub(super) config: &'a Config,
    pub(super) priors: &'a mut Priors,
    pub(super) rng: &'a mut Rng,
    pub(super) stop: Stop,
    pub(super) scale: Scale,
    /// The least and the greatest value: of the game, or seen so far where it does not say.
    pub(super) seen: (f32, f32),
    pub(super) root: u32,
    /// The last node of the descent that has means of its own.
    pub(super) near: Option<u32>,
    pub(super) stamp: u32,
    /// Whether the tree may grow.
    pub(super) room: bool,
    pub(super) step: Step,
    pub(super) goals: Vec<f64>,
    pub(super) state: Vec<u64>,
    pub(super) joint: Vec<Move>,
}

impl Search<'_> {
    /// Goes down from the root. Everything on the way counts as visited once more until the
    /// descent is backed up or given up, so that the next descent goes elsewhere.
    pub(super) fn descend(&mut self) -> Result<Descent, Halt> {
        self.stamp = self.stamp.wrapping_add(1);
        let mut path = Vec::new();
        match self.walk(&mut path) {
            Ok((leaf, open)) => {
                self.tree.node_mut(leaf).pending += 1;
                Ok(Descent { path, leaf, open })
            }
            Err(halt) => {
                self.release(&path);
                Err(halt)
            }
        }
    }

    /// Gives up a descent whose playouts were not made.
    pub(super) fn abandon(&mut self, descent: &Descent) {
        self.release(&descent.path);
        self.tree.node_mut(descent.leaf).pending -= 1;
    }

    /// Takes back what was counted as under way.
    pub(super) fn release(&mut self, path: &[Hop]) {
        for hop in path {
            self.tree.node_mut(hop.node).pending -= 1;
            for &edge in hop.edges() {
                self.tree.edges[edge as usize].pending -= 1;
            }
        }
    }

    /// The node at which a descent ends, and whether it needs playouts.
    fn walk(&mut self, path: &mut Vec<Hop>) -> Result<(u32, bool), Halt> {
        let mut at = self.root;
        self.near = None;
        loop {
            let stamp = self.stamp;
            let room = self.room;
            let node = self.tree.node_mut(at);
            if node.proven {
                return Ok((at, false));
            }
            // A position that was never played out is, and so is one that closes a circle.
            let circle = node.stamp == stamp;
            node.stamp = stamp;
            if node.own == 0 || circle || (node.kind == Kind::Leaf && !room) {
                return Ok((at, true));
            }
            let leaf = node.kind == Kind::Leaf;
            if leaf {
                self.expand(at)?;
            }
            if self.config.grave > 0.0 && self.priors.node(at).is_some() {
                self.near = Some(at);
            }
            let hop = self.select(at);
            let child = self.follow(&hop, leaf)?;
            self.tree.node_mut(at).pending += 1;
            for &edge in hop.edges() {
                self.tree.edges[edge as usize].pending += 1;
            }
            path.push(hop);
            at = child;
        }
    }

    /// Gives a node its edges, and leaves the worker there.
    fn expand(&mut self, at: u32) -> Result<(), Halt> {
        self.worker.load(self.tree.state(at), &self.stop)?;
        let info = self.worker.info();
        let first = self.tree.edges.len();
        let alone = |role: Role| self.worker.legal(role).len() > 1;
        let mut actors = info.players().filter(|&role| alone(role));
        let (one, two) = (actors.next(), actors.next());
        let lottery = info.chance.is_some_and(alone);
        let edge = |choice: Move, prior: f32| Edge {
            choice,
            child: NONE,
            visits: 0,
            pending: 0,
            prior,
            proven: false,
        };
        let kind = match (one, two) {
            (Some(role), None) if !lottery => {
                for &choice in self.worker.legal(role) {
                    self.tree.edges.push(edge(choice, self.priors.lead(role, choice)));
                }
                Kind::One(role)
            }
            (None, _) => {
                let choices = Choices::of(self.worker);
                for &likely in choices.probabilities() {
                    self.tree.edges.push(edge(Move::IDLE, likely as f32));
                }
                Kind::Chance
            }
            _ => {
                let choices = Choices::of(self.worker);
                let mut crowd = Crowd {
                    actors: Vec::new(),
                    outcomes: choices.probabilities().to_vec(),
                    joints: choices
                        .profiles()
                        .map(|profiles| profiles as u64 * choices.probabilities().len() as u64),
                };
                for &role in choices.actors() {
                    crowd.actors.push((role, choices.moves(role).len() as u32));
                    for &choice in choices.moves(role) {
                        self.tree.edges.push(edge(choice, self.priors.lead(role, choice)));
                    }
                }
                self.tree.crowds.insert(at, crowd);
                Kind::Many
            }
        };
        let (count, roles) = (self.tree.edges.len(), self.tree.roles);
        self.tree.worth.resize(count * roles, 0.0);
        if self.worker.info().payment == Payment::OnTheWay {
            self.tree.gains.resize(count * roles, 0.0);
        }
        let node = self.tree.node_mut(at);
        (node.kind, node.first, node.edges) = (kind, first as u32, (count - first) as u32);
        Ok(())
    }

    /// Chooses an edge, or a joint move.
    fn select(&mut self, at: u32) -> Hop {
        let node = self.tree.node(at);
        let range = self.tree.range(at);
        match node.kind {
            Kind::One(role) => {
                Hop { node: at, edge: self.best(at, range, role) as u32, many: None }
            }
            Kind::Many => {
                let mut edges = Vec::new();
                let (mut first, mut number) = (range.start, 0_u64);
                let Some(crowd) = self.tree.crowds.get(&at) else {
                    return Hop { node: at, edge: range.start as u32, many: None };
                };
                for &(role, count) in &crowd.actors {
                    let edge = self.best(at, first..first + count as usize, role);
                    number = number.wrapping_mul(u64::from(count)) + (edge - first) as u64;
                    edges.push(edge as u32);
                    first += count as usize;
                }
                let outcome = outcome(&crowd.outcomes, self.rng) as u64;
                number = number.wrapping_mul(crowd.outcomes.len() as u64) + outcome;
                Hop { node: at, edge: 0, many: Some((edges.into(), number)) }
            }
            // The outcome that is most behind its share, so that the mean is soon exact.
            Kind::Chance | Kind::Leaf | Kind::Terminal => {
                let total = f64::from(node.visits + node.pending + 1);
                let behind = |edge: usize| {
                    let edge = &self.tree.edges[edge];
                    f64::from(edge.prior) * total - f64::from(edge.visits + edge.pending)
                };
                let all = range.map(|edge| (edge, behind(edge)));
                let most = all.reduce(|a, b| if b.1 > a.1 { b } else { a });
                Hop { node: at, edge: most.map_or(0, |most| most.0) as u32, many: None }
            }
        }
    }

    /// The edge that promises most to a role: what it is worth, and more for what was visited
    /// little. What was never visited is hoped to be worth what its brothers are.
    fn best(&self, at: u32, range: std::ops::Range<usize>, role: Role) -> usize {
        let tree = &*self.tree;
        let node = tree.node(at);
        let low = self.seen.0;
        let spread = 1.0 / (self.seen.1 - low).max(1e-6);
        let c = self.config.c * ((node.visits + node.pending).max(1) as f32).ln().sqrt();
        let hope = (tree.values(at)[role.index()] - low) * spread;
        let lowest = self.scale.low as f32;
        let near = self.near.and_then(|node| self.priors.node(node));
        let mut best = (range.start, f32::NEG_INFINITY);
        for edge in range {
            let this = &tree.edges[edge];
            let tried = (this.visits + this.pending) as f32;
            let mut promise = if this.visits == 0 {
                hope + self.config.bias * this.prior
            } else {
                let worth = tree.worth_of(edge, role);
                if this.proven && worth <= lowest {
                    // What is lost is taken only if everything is.
                    -1e6
                } else {
                    (worth - low) * spread
                }
            };
            // What playouts say in which the move was made later counts as long as the move
            // itself was tried little.
            if let Some((mean, belief)) = near.and_then(|near| near.of(role, this.choice)) {
                let share = (self.config.grave / (3.0 * tried + self.config.grave)).sqrt() * belief;
                promise += share * (mean - promise.max(-1.0));
            }
            let tried =
                if this.visits == 0 { self.config.fpu + this.pending as f32 } else { tried };
            promise += c / tried.sqrt();
            if promise > best.1 {
                best = (edge, promise);
            }
        }
        best.0
    }

    /// The node that a hop leads to. `here` says that the worker is in the position already.
    fn follow(&mut self, hop: &Hop, here: bool) -> Result<u32, Halt> {
        let at = hop.node;
        let known = match &hop.many {
            None => self.tree.edges[hop.edge as usize].child,
            Some((_, number)) => self.tree.joints.get(&(at, *number)).map_or(NONE, |j| j.child),
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
        match &hop.many {
            None => {
                let (edge, roles) = (hop.edge as usize, self.tree.roles);
                self.tree.edges[edge].child = child;
                if pays {
                    let own = &mut self.tree.gains[edge * roles..][..roles];
                    own.iter_mut().zip(gains).for_each(|(own, gain)| *own = gain);
                }
            }
            Some((_, number)) => {
                let gains = if pays { gains.collect() } else { Vec::new() };
                self.tree.joints.insert((at, *number), Joint { child, proven: false, gains });
            }
        }
        Ok(child)
    }

    /// The joint move of a hop, in the worker's position.
    fn moves(&self, hop: &Hop, joint: &mut Vec<Move>) {
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
        match (tree.node(hop.node).kind, &hop.many) {
            (Kind::One(role), _) => joint[role.index()] = tree.edges[hop.edge as usize].choice,
            (_, Some((edges, number))) => {
                let Some(crowd) = tree.crowds.get(&hop.node) else { return };
                for (&(role, _), &edge) in crowd.actors.iter().zip(edges) {
                    joint[role.index()] = tree.edges[edge as usize].choice;
                }
                luck(joint, (number % crowd.outcomes.len().max(1) as u64) as usize);
            }
            (_, None) => luck(joint, (hop.edge - tree.node(hop.node).first) as usize),
        }
    }

    /// A new node of the worker's position.
    pub(super) fn add(&mut self, state: &[u64]) -> u32 {
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
