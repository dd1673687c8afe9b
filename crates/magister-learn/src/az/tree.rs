//! The search tree: descents to new positions, values from a network, and exact results.
//!
//! A position with one deciding player and no chance is exact once its best result is certain; the
//! search then spends nothing more on it.

use magister_core::{Halt, Move, Rng, Role, Stop};
use rustc_hash::FxHashMap;

use super::net::softmax;
use super::stepper::Stepper;

/// With at most this many moves, all moves of a new position are tried once, which finds wins in
/// one move without the network.
const LOOK: usize = 16;
/// A bounded value from here on is the best possible.
const BEST: f32 = 1.0 - 1e-6;

/// A move of a player in a position.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) choice: Move,
    pub(crate) logit: f32,
    pub(crate) prior: f32,
    pub(crate) visits: u32,
    sum: f32,
    /// Descents through it whose value is not known yet.
    pending: u32,
    /// The exact value of the player.
    pub(crate) exact: Option<f32>,
}

impl Arm {
    /// The exact or mean value; `None` before the first visit.
    pub(crate) fn value(&self) -> Option<f32> {
        self.exact.or_else(|| (self.visits > 0).then(|| self.sum / self.visits as f32))
    }
}

/// A player who has a choice in a position.
#[derive(Clone, Debug)]
pub(crate) struct Actor {
    pub(crate) player: usize,
    pub(crate) role: Role,
    pub(crate) arms: Vec<Arm>,
}

#[derive(Clone, Debug)]
enum Link {
    Fixed { node: u32, gains: Box<[f32]> },
    Chance(FxHashMap<Box<[u64]>, u32>),
}

/// A position.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) state: Box<[u64]>,
    pub(crate) actors: Vec<Actor>,
    /// The network's values of all players; empty until they are known.
    pub(crate) values: Vec<f32>,
    visits: u32,
    sums: Vec<f32>,
    /// The exact values of all players.
    pub(crate) exact: Option<Box<[f32]>>,
    links: FxHashMap<u64, Link>,
}

impl Node {
    /// The exact value of a player, or the mean over all visits, including the network's.
    pub(crate) fn mean(&self, player: usize) -> f32 {
        if let Some(exact) = &self.exact {
            return exact[player];
        }
        let first = self.values.get(player).copied().unwrap_or(0.0);
        (first + self.sums[player]) / (1 + self.visits) as f32
    }
}

/// A step of a descent.
#[derive(Clone, Debug)]
struct Hop {
    node: u32,
    picks: Box<[u16]>,
    gains: Box<[f32]>,
}

/// A descent that waits for the values of its last position.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) node: u32,
    hops: Vec<Hop>,
}

/// How a descent ended.
pub(crate) enum Found {
    /// Its value was exact and is backed up.
    Done,
    /// The network must evaluate a position.
    Leaf(Leaf),
    /// It met a position that already waits for the network.
    Waits,
}

/// A search tree.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// The exploration constant.
    c: f32,
    bounded: bool,
    /// The lowest and the highest value so far.
    range: (f32, f32),
}

impl Tree {
    /// A tree whose root is the stepper's position.
    pub(crate) fn new(
        stepper: &mut Stepper,
        c: f32,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<Self, Halt> {
        let bounded = stepper.bounded();
        let range = if bounded { (-1.0, 1.0) } else { (f32::INFINITY, f32::NEG_INFINITY) };
        let mut tree = Tree { nodes: Vec::new(), c, bounded, range };
        tree.open(stepper, rng, stop)?;
        Ok(tree)
    }

    /// The part of the tree below a state, if it is there and evaluated.
    pub(crate) fn below(self, state: &[u64]) -> Option<Self> {
        let Tree { nodes, c, bounded, range } = self;
        let known = |node: &Node| *node.state == *state && !node.values.is_empty();
        let root = nodes.iter().position(known)? as u32;
        let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::from_iter([(root, 0)]);
        let mut order = vec![root];
        let mut kept: Vec<Node> = Vec::new();
        while let Some(&old) = order.get(kept.len()) {
            let mut node = nodes[old as usize].take()?;
            let mut number = |child: &mut u32| {
                let next = numbers.len() as u32;
                *child = *numbers.entry(*child).or_insert_with_key(|&old| {
                    order.push(old);
                    next
                });
            };
            // The order of the links decides only the numbers of nodes, which have no meaning.
            #[expect(clippy::iter_over_hash_type, reason = "numbers of nodes have no meaning")]
            for link in node.links.values_mut() {
                match link {
                    Link::Fixed { node, .. } => number(node),
                    Link::Chance(all) => all.values_mut().for_each(&mut number),
                }
            }
            kept.push(node);
        }
        Some(Tree { nodes: kept, c, bounded, range })
    }

    /// Adds the stepper's position. Its moves are tried once if they are few.
    fn open(&mut self, stepper: &mut Stepper, rng: &mut Rng, stop: &Stop) -> Result<u32, Halt> {
        let number = self.nodes.len() as u32;
        let exact = stepper.results();
        let actors = stepper
            .choices()
            .into_iter()
            .map(|(player, role, moves)| {
                let prior = 1.0 / moves.len() as f32;
                let arm = |choice| Arm {
                    choice,
                    logit: 0.0,
                    prior,
                    visits: 0,
                    sum: 0.0,
                    pending: 0,
                    exact: None,
                };
                Actor { player, role, arms: moves.into_iter().map(arm).collect() }
            })
            .collect::<Vec<_>>();
        let state = stepper.state();
        let players = stepper.players().len();
        let over = exact.is_some();
        self.nodes.push(Node {
            state,
            actors,
            values: Vec::new(),
            visits: 0,
            sums: vec![0.0; players],
            exact,
            links: FxHashMap::default(),
        });
        if !over {
            self.look(number, stepper, rng, stop)?;
        }
        Ok(number)
    }

    /// Finds the moves that end the game.
    fn look(
        &mut self,
        at: u32,
        stepper: &mut Stepper,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<(), Halt> {
        let node = &self.nodes[at as usize];
        let [actor] = &node.actors[..] else { return Ok(()) };
        if actor.arms.len() > LOOK {
            return Ok(());
        }
        let (role, moves) =
            (actor.role, actor.arms.iter().map(|arm| arm.choice).collect::<Vec<_>>());
        let state = node.state.clone();
        let mut gains = Vec::new();
        for (pick, choice) in moves.into_iter().enumerate() {
            if pick > 0 {
                stepper.load(&state, stop)?;
            }
            gains.clear();
            let random = stepper.play(&[(role, choice)], rng, &mut gains, None, stop)?;
            if random {
                // Where chance decides, nothing is certain, and other moves are likely the same.
                return Ok(());
            }
            let Some(results) = stepper.results() else { continue };
            let node = self.nodes.len() as u32;
            self.nodes.push(Node {
                state: stepper.state(),
                actors: Vec::new(),
                values: Vec::new(),
                visits: 0,
                sums: vec![0.0; results.len()],
                exact: Some(results),
                links: FxHashMap::default(),
            });
            let link = Link::Fixed { node, gains: gains.as_slice().into() };
            self.nodes[at as usize].links.insert(pick as u64, link);
            if self.prove(at, pick) {
                break;
            }
        }
        Ok(())
    }

    /// Updates the exact value of a move whose position is exact, and that of its node. Returns
    /// whether the node is exact.
    fn prove(&mut self, at: u32, pick: usize) -> bool {
        let node = &self.nodes[at as usize];
        if node.exact.is_some() || node.actors.len() != 1 {
            return node.exact.is_some();
        }
        let Some(values) = self.through(at, pick) else { return false };
        let node = &mut self.nodes[at as usize];
        let actor = &mut node.actors[0];
        let own = values[actor.player];
        actor.arms[pick].exact = Some(own);
        if self.bounded && own >= BEST {
            node.exact = Some(values);
            return true;
        }
        if actor.arms.iter().any(|arm| arm.exact.is_none()) {
            return false;
        }
        let arms = actor.arms.iter().enumerate();
        let best = arms.reduce(|a, b| if b.1.exact > a.1.exact { b } else { a });
        let best = best.map_or(0, |best| best.0);
        let values = self.through(at, best);
        self.nodes[at as usize].exact = values;
        true
    }

    /// The exact values of all players after a move, with its gains.
    fn through(&self, at: u32, pick: usize) -> Option<Box<[f32]>> {
        let Link::Fixed { node, gains } = self.nodes[at as usize].links.get(&(pick as u64))? else {
            return None;
        };
        let mut values = self.nodes[*node as usize].exact.clone()?;
        values.iter_mut().zip(gains).for_each(|(value, gain)| *value += gain);
        Some(values)
    }

    /// Descends to a new position. The first moves may be given.
    pub(crate) fn descend(
        &mut self,
        first: Option<&[u16]>,
        stepper: &mut Stepper,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<Found, Halt> {
        let mut hops: Vec<Hop> = Vec::new();
        let mut at = 0_u32;
        loop {
            let node = &self.nodes[at as usize];
            if node.exact.is_some() && !(hops.is_empty() && first.is_some()) {
                self.back_up(hops, at);
                return Ok(Found::Done);
            }
            if node.values.is_empty() {
                return Ok(Found::Waits);
            }
            let picks: Box<[u16]> = match first.filter(|_| hops.is_empty()) {
                Some(first) => first.into(),
                None => node.actors.iter().map(|actor| self.select(node, actor)).collect(),
            };
            let mut key = 0_u64;
            for (actor, &pick) in node.actors.iter().zip(&picks) {
                key = key.wrapping_mul(actor.arms.len() as u64).wrapping_add(u64::from(pick));
            }
            if let Some(Link::Fixed { node, gains }) = node.links.get(&key) {
                hops.push(Hop { node: at, picks, gains: gains.clone() });
                at = *node;
                continue;
            }
            let moves: Vec<(Role, Move)> = node
                .actors
                .iter()
                .zip(&picks)
                .map(|(actor, &pick)| (actor.role, actor.arms[usize::from(pick)].choice))
                .collect();
            stepper.load(&node.state, stop)?;
            let mut gains = Vec::new();
            let random = stepper.play(&moves, rng, &mut gains, None, stop)?;
            let gains: Box<[f32]> = gains.into();
            hops.push(Hop { node: at, picks, gains: gains.clone() });
            if random {
                let state = stepper.state();
                let known = match self.nodes[at as usize].links.get(&key) {
                    Some(Link::Chance(all)) => all.get(&state).copied(),
                    _ => None,
                };
                if let Some(known) = known {
                    at = known;
                    continue;
                }
                let child = self.open(stepper, rng, stop)?;
                let link = self.nodes[at as usize]
                    .links
                    .entry(key)
                    .or_insert_with(|| Link::Chance(FxHashMap::default()));
                if let Link::Chance(all) = link {
                    all.insert(state, child);
                }
                at = child;
            } else {
                let child = self.open(stepper, rng, stop)?;
                self.nodes[at as usize].links.insert(key, Link::Fixed { node: child, gains });
                at = child;
            }
            if self.nodes[at as usize].exact.is_some() {
                self.back_up(hops, at);
                return Ok(Found::Done);
            }
            for hop in &hops {
                for (actor, &pick) in
                    self.nodes[hop.node as usize].actors.iter_mut().zip(&hop.picks)
                {
                    actor.arms[usize::from(pick)].pending += 1;
                }
            }
            return Ok(Found::Leaf(Leaf { node: at, hops }));
        }
    }

    /// The move of a player by PUCT. Pending descents count as losses, so that the descents of a
    /// batch differ.
    fn select(&self, node: &Node, actor: &Actor) -> u16 {
        let own = node.mean(actor.player);
        let (visits, hopeless) = actor.arms.iter().fold((0, true), |(visits, hopeless), arm| {
            (visits + arm.visits + arm.pending, hopeless && self.lost(arm))
        });
        let root = self.c * (1.0 + visits as f32).sqrt();
        let mut best = (f32::NEG_INFINITY, 0);
        for (pick, arm) in actor.arms.iter().enumerate() {
            if !hopeless && self.lost(arm) {
                continue;
            }
            let value = match arm.exact {
                Some(exact) => exact,
                None if arm.visits + arm.pending == 0 => own,
                None => {
                    let losses = arm.pending as f32 * self.range.0;
                    (arm.sum + losses) / (arm.visits + arm.pending) as f32
                }
            };
            let exploring = root * arm.prior / (1 + arm.visits + arm.pending) as f32;
            let score = self.share(value) + exploring;
            if score > best.0 {
                best = (score, pick as u16);
            }
        }
        best.1
    }

    fn lost(&self, arm: &Arm) -> bool {
        self.bounded && arm.exact.is_some_and(|exact| exact <= -BEST)
    }

    /// A value as a number from 0 to 1.
    pub(crate) fn share(&self, value: f32) -> f32 {
        let (low, high) = self.range;
        if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 }
    }

    /// Sets the answers of the network for a position: the values of all players, and the logits of
    /// each choice.
    pub(crate) fn settle(
        &mut self,
        node: u32,
        values: &[f32],
        logits: &mut dyn FnMut(usize) -> Vec<f32>,
    ) {
        let node = &mut self.nodes[node as usize];
        node.values = values.to_vec();
        for (choice, actor) in node.actors.iter_mut().enumerate() {
            let logits = logits(choice);
            let mut priors = logits.clone();
            softmax(&mut priors);
            for (arm, (logit, prior)) in actor.arms.iter_mut().zip(logits.into_iter().zip(priors)) {
                (arm.logit, arm.prior) = (logit, prior);
            }
        }
        self.widen(values);
    }

    fn widen(&mut self, values: &[f32]) {
        if !self.bounded {
            for &value in values {
                self.range = (self.range.0.min(value), self.range.1.max(value));
            }
        }
    }

    /// Ends a descent whose position has its values.
    pub(crate) fn finish(&mut self, leaf: Leaf) {
        self.release(&leaf);
        self.back_up(leaf.hops, leaf.node);
    }

    /// Ends a descent without a result.
    pub(crate) fn release(&mut self, leaf: &Leaf) {
        for hop in &leaf.hops {
            for (actor, &pick) in self.nodes[hop.node as usize].actors.iter_mut().zip(&hop.picks) {
                actor.arms[usize::from(pick)].pending -= 1;
            }
        }
    }

    /// Adds the values of a position to all moves that led to it.
    fn back_up(&mut self, hops: Vec<Hop>, end: u32) {
        let last = &self.nodes[end as usize];
        let mut certain = last.exact.is_some();
        let mut values = match &last.exact {
            Some(exact) => exact.to_vec(),
            None => last.values.clone(),
        };
        for hop in hops.into_iter().rev() {
            values.iter_mut().zip(&hop.gains).for_each(|(value, gain)| *value += gain);
            self.widen(&values);
            let node = &mut self.nodes[hop.node as usize];
            node.visits += 1;
            node.sums.iter_mut().zip(&values).for_each(|(sum, value)| *sum += value);
            for (actor, &pick) in node.actors.iter_mut().zip(&hop.picks) {
                let arm = &mut actor.arms[usize::from(pick)];
                arm.visits += 1;
                arm.sum += values[actor.player];
            }
            if certain && let [pick] = hop.picks[..] {
                certain = self.prove(hop.node, usize::from(pick));
                if certain && let Some(exact) = &self.nodes[hop.node as usize].exact {
                    values.copy_from_slice(exact);
                }
            } else {
                certain = false;
            }
        }
    }
}
