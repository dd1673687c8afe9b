//! The search of one thread, and how its tree grows.

use std::num::NonZeroU32;

use magister_core::{Halt, Move, Payment, Rng, Role, Step, Stop, Worker};

use super::Config;
use super::descent::{Hop, Many, Party};
use super::edges::GROUP;
use super::policy::Policy;
use super::prior::Priors;
use super::tree::{Joint, JointNode, Kind, NONE, Tree};
use crate::choices::Choices;
use crate::rewards::{self, Scale};

/// The search of one thread.
pub(super) struct Search<'a> {
    pub(super) worker: &'a mut dyn Worker,
    pub(super) tree: &'a mut Tree,
    pub(super) config: &'a Config,
    pub(super) priors: &'a mut Priors,
    pub(super) policy: &'a mut Policy,
    pub(super) rng: &'a mut Rng,
    pub(super) stop: Stop,
    pub(super) scale: Scale,
    /// The lowest and the highest value, from the game or as observed so far, and one divided by
    /// their difference.
    pub(super) seen: (f32, f32),
    pub(super) spread: f32,
    pub(super) root: u32,
    /// Whether the tree may grow.
    pub(super) room: bool,
    /// The steps of all descents of a round, each after its predecessor, and the simultaneous
    /// choices.
    pub(super) hops: Vec<Hop>,
    pub(super) many: Vec<Many>,
    /// For each step and role, the sum of the results of its descents.
    pub(super) sums: Vec<f32>,
    /// The descents of a round that ended in known values.
    pub(super) known: Vec<Party>,
    /// The number of concurrent descents through a node is at most its visits divided by this;
    /// `None` for no cap.
    pub(super) concurrency_cap: Option<NonZeroU32>,
    /// The number of descents of a round that were abandoned because of the concurrency cap.
    pub(super) given_up: u32,
    /// Reused buffers: parties, and their choices.
    pub(super) parties: Vec<Party>,
    pub(super) next: Vec<Party>,
    pub(super) chosen: Vec<(u32, u32)>,
    pub(super) promise: Vec<[f32; GROUP]>,
    pub(super) step: Step,
    pub(super) goals: Vec<f64>,
    pub(super) state: Vec<u64>,
    pub(super) joint: Vec<Move>,
    /// The mean results of a descent's playouts, for each role.
    pub(super) sample: Vec<f32>,
}

impl Search<'_> {
    /// Updates the range of values.
    pub(super) fn stretch(&mut self) {
        self.spread = 1.0 / (self.seen.1 - self.seen.0).max(1e-6);
    }

    /// Adds the edges of a node, and leaves the worker there.
    pub(super) fn expand(&mut self, at: u32) -> Result<(), Halt> {
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
                self.tree.joint_nodes.insert(at, JointNode { actors, outcomes, joints });
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

    /// The target node of a hop. `here` means that the worker is already in the position.
    pub(super) fn follow(&mut self, hop: Hop, here: bool) -> Result<u32, Halt> {
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
                let Some(joint_node) = tree.joint_nodes.get(&hop.node) else { return };
                let many = &self.many[hop.edge as usize];
                for (&(role, _), &edge) in joint_node.actors.iter().zip(&many.edges) {
                    joint[role.index()] = tree.edges.choice[edge as usize];
                }
                luck(joint, (many.number % joint_node.outcomes.len().max(1) as u64) as usize);
            }
            _ => luck(joint, (hop.edge - tree.node(hop.node).first) as usize),
        }
    }

    /// Adds a node for the worker's position.
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
