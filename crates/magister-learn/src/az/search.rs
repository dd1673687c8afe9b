//! The search of the player `az`: a tree grown by PUCT with the network, in batches.

use std::sync::Arc;

use magister_core::{Budget, Game, Halt, Move, Rng, Role, Thought};

use super::judge::{BATCH, Judge, ask};
use super::net::Net;
use super::stepper::Stepper;
use super::tree::{Arm, Found, Leaf, Tree};

/// A search with a network, which keeps its tree from move to move.
#[derive(Debug)]
pub struct AzSearch {
    judge: Judge,
    stepper: Stepper,
    tree: Option<Tree>,
    c: f32,
    batch: usize,
    /// The most positions in the tree.
    most: usize,
}

impl AzSearch {
    pub(crate) fn new(
        game: &Arc<dyn Game>,
        net: Arc<Net>,
        c: f32,
        batch: usize,
        memory: usize,
    ) -> Self {
        let stepper = Stepper::new(game, net.shape());
        // A position has a state, its moves, and links to some of the positions after them.
        let each = 400 + 8 * game.info().state_words.unwrap_or(16) + 64 * net.shape().players;
        AzSearch {
            judge: Judge::new(game, net, stepper.bounded()),
            stepper,
            tree: None,
            c,
            batch: if batch == 0 { BATCH } else { batch },
            most: (memory / each).max(64),
        }
    }

    /// Searches from a state until the budget is spent or the result is certain. Returns the number
    /// of descents.
    pub fn run(&mut self, state: &[u64], budget: &mut Budget, rng: &mut Rng) -> Result<u64, Halt> {
        let stop = budget.stop().clone();
        let mut tree = self.tree.take().and_then(|tree| tree.below(state));
        if tree.is_none() && budget.spend(1) {
            self.stepper.load(state, &stop)?;
            let mut fresh = Tree::new(&mut self.stepper, self.c, rng, &stop)?;
            if fresh.nodes[0].exact.is_none() {
                self.judge.clear();
                ask(&mut self.judge, &fresh, 0);
                self.judge.run();
                self.settle(&mut fresh, 0, 0);
            }
            tree = Some(fresh);
        }
        let Some(mut tree) = tree else { return Ok(0) };
        let mut iterations = 0;
        let mut leaves: Vec<Leaf> = Vec::new();
        let mut failed = None;
        loop {
            self.judge.clear();
            let mut waiting = false;
            let mut made = 0;
            while made < self.batch
                && tree.nodes[0].exact.is_none()
                && tree.nodes.len() < self.most
                && budget.spend(1)
            {
                made += 1;
                match tree.descend(None, &mut self.stepper, rng, &stop) {
                    Ok(Found::Done) => {}
                    Ok(Found::Leaf(leaf)) => {
                        ask(&mut self.judge, &tree, leaf.node);
                        leaves.push(leaf);
                    }
                    Ok(Found::Waits) => {
                        waiting = true;
                        break;
                    }
                    Err(halt) => {
                        failed = Some(halt);
                        break;
                    }
                }
            }
            iterations += made as u64;
            if !leaves.is_empty() {
                self.judge.run();
            }
            for (position, leaf) in leaves.drain(..).enumerate() {
                self.settle(&mut tree, leaf.node, position);
                tree.finish(leaf);
            }
            let full = made < self.batch && !waiting;
            if full || failed.is_some() {
                break;
            }
        }
        // If the rules fail in a later position, the moves that were examined still count.
        let useful =
            tree.nodes[0].actors.iter().any(|actor| actor.arms.iter().any(|a| a.visits > 0));
        self.tree = Some(tree);
        match failed {
            Some(halt) if !useful => Err(halt),
            _ => Ok(iterations),
        }
    }

    fn settle(&mut self, tree: &mut Tree, node: u32, position: usize) {
        let values = self.judge.values(position).to_vec();
        let judge = &self.judge;
        tree.settle(node, &values, &mut |choice| judge.logits(position, choice).to_vec());
    }

    fn arms(&self, role: Role) -> &[Arm] {
        let actors = self.tree.as_ref().map_or(&[][..], |tree| &tree.nodes[0].actors);
        actors.iter().find(|actor| actor.role == role).map_or(&[], |actor| &actor.arms)
    }

    /// The best move of a role in the last search: a certain win, or the most visited move that
    /// does not certainly lose, unless a certain result is better than its mean.
    pub fn best(&self, role: Role) -> Option<Move> {
        let arms = self.arms(role);
        let exact = |arm: &&Arm| arm.exact.is_some();
        let certain =
            arms.iter().filter(exact).reduce(|a, b| if b.exact > a.exact { b } else { a });
        let open = arms.iter().filter(|arm| arm.exact.is_none()).reduce(|a, b| {
            let key = |arm: &Arm| (arm.visits, arm.prior);
            if key(b) > key(a) { b } else { a }
        });
        let choice = match (certain, open) {
            (Some(certain), Some(open)) => {
                let better = certain.exact > open.value().or(Some(-1.0));
                if better { certain } else { open }
            }
            (None, Some(open)) => open,
            // Everything is certain. If all moves are equally bad, the one that took most effort
            // to refute is the hardest for the other players.
            (Some(certain), None) => {
                let equal = arms.iter().filter(|arm| arm.exact == certain.exact);
                equal.reduce(|a, b| if b.visits > a.visits { b } else { a })?
            }
            (None, None) => return None,
        };
        Some(choice.choice)
    }

    /// The estimates of the moves of a role.
    pub fn thoughts(&self, role: Role) -> Vec<Thought> {
        let arms = self.arms(role);
        let thought = |arm: &Arm| Thought {
            visits: u64::from(arm.visits),
            proven: arm.exact.is_some(),
            probability: Some(f64::from(arm.prior)),
            value: arm.value().map(|value| self.stepper.outwards(value)),
            ..Thought::new(arm.choice, 0.0)
        };
        arms.iter().map(thought).collect()
    }

    /// The expected reward of each role in the last search.
    pub fn values(&self) -> Option<Vec<f64>> {
        let root = self.tree.as_ref()?.nodes.first()?;
        let mut out = vec![0.0; self.stepper.worker().info().roles.len()];
        for (player, role) in self.stepper.players().iter().enumerate() {
            out[role.index()] = self.stepper.outwards(root.mean(player));
        }
        Some(out)
    }
}
