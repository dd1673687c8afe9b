//! Descents in batches: selection of new positions, one evaluation of all of them, and backup.

use magister_core::{
    Budget, Evaluate, Evaluations, Halt, Move, Positions, Rng, Role, Step, Stop, Worker,
};

use super::Config;
use super::tree::{Arm, Node};
use crate::choices::Choices;
use crate::playing::outcome;
use crate::rewards::{self, Scale};

/// One search from one position.
pub(super) struct Search<'a> {
    worker: &'a mut dyn Worker,
    root: &'a [u64],
    evaluate: &'a mut dyn Evaluate,
    config: Config,
    nodes: Vec<Node>,
    scale: Scale,
    /// The lowest and the highest reward seen.
    range: (f64, f64),
    /// The approximate memory of the nodes in bytes.
    used: usize,
    /// The request to the evaluator, and its answers.
    asked: Positions,
    answers: Evaluations,
    /// New positions, and the data to compute for each.
    fresh: Vec<Fresh>,
    descents: Vec<Descent>,
    step: Step,
    goals: Vec<f64>,
    state: Vec<u64>,
}

/// A step of a descent: the node, the move of each actor, and the payment.
struct Hop {
    node: u32,
    picks: Vec<usize>,
    gains: Vec<f64>,
}

/// A descent through the tree.
struct Descent {
    hops: Vec<Hop>,
    /// The values at its end.
    end: End,
}

enum End {
    /// These values.
    Known(Vec<f64>),
    /// The answer for this position of the request.
    Asked(usize),
    /// The value of this new node, once it is known.
    Opened(u32),
}

/// A new node whose value is requested.
struct Fresh {
    node: u32,
    /// Its number in the request.
    asked: usize,
    /// The positions after each move of its only actor, if the priors come from their values.
    after: Vec<After>,
}

/// The position after a move, and the payment.
struct After {
    gains: Vec<f64>,
    end: End,
}

/// The result of a descent.
enum Found {
    Descent(Descent),
    /// A position whose value is pending.
    Waits,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        worker: &'a mut dyn Worker,
        root: &'a [u64],
        me: Role,
        evaluate: &'a mut dyn Evaluate,
        config: Config,
    ) -> Self {
        let scale = Scale::of(worker.info());
        let roles = worker.info().roles.len();
        let high = if scale.high.is_finite() { scale.high } else { scale.low };
        Search {
            worker,
            root,
            evaluate,
            config,
            nodes: Vec::new(),
            scale,
            range: (scale.low, high),
            used: 0,
            asked: Positions::new(roles, me),
            answers: Evaluations::default(),
            fresh: Vec::new(),
            descents: Vec::new(),
            step: Step::new(),
            goals: Vec::new(),
            state: Vec::new(),
        }
    }

    /// The moves of a role at the root.
    pub(super) fn arms(&self, role: Role) -> &[Arm] {
        self.nodes.first().map_or(&[], |root| root.arms(role))
    }

    /// Descends until the budget is spent, and returns the number of descents. If the rules fail in
    /// a later position, the search ends and the player still moves.
    pub(super) fn run(&mut self, budget: &mut Budget, rng: &mut Rng) -> u64 {
        let size = match (self.config.loss > 0.0, self.config.batch) {
            (false, _) => 1,
            (true, 0) => self.evaluate.batch().max(1),
            (true, batch) => batch,
        };
        let mut iterations = 0;
        // A descent that ended in a pending position is repeated without charging the budget again.
        let mut paid = false;
        loop {
            let stop = budget.stop().clone();
            let mut failed = None;
            while self.descents.len() < size && (std::mem::take(&mut paid) || budget.spend(1)) {
                let before = rng.clone();
                match self.begin(&stop).and_then(|()| self.descend(&stop, rng)) {
                    Ok(Found::Descent(descent)) => self.descents.push(descent),
                    Ok(Found::Waits) => {
                        *rng = before;
                        paid = true;
                        break;
                    }
                    Err(halt) => {
                        failed = Some(halt);
                        break;
                    }
                }
            }
            if self.descents.is_empty() {
                return iterations;
            }
            let made = self.descents.len() as u64;
            if self.value(&stop).is_err() {
                return iterations;
            }
            self.back_up();
            iterations += made;
            if failed.is_some() {
                return iterations;
            }
        }
    }

    /// Adds and evaluates the root, if it is new.
    fn begin(&mut self, stop: &Stop) -> Result<(), Halt> {
        if self.nodes.is_empty() {
            self.worker.load(self.root, stop)?;
            self.open(&mut Vec::new(), stop)?;
            self.value(stop)?;
        }
        Ok(())
    }

    /// One descent to a new position, or to the end of the game.
    fn descend(&mut self, stop: &Stop, rng: &mut Rng) -> Result<Found, Halt> {
        self.worker.load(self.root, stop)?;
        let mut path: Vec<Box<[Move]>> = Vec::new();
        let mut hops: Vec<Hop> = Vec::new();
        let mut at = 0;
        let end = loop {
            let node = &self.nodes[at];
            if node.waits() {
                return Ok(Found::Waits);
            }
            if node.terminal {
                break End::Known(node.values.clone());
            }
            let picks = node.select(&self.config, self.range);
            let drawn = outcome(node.choices.probabilities(), rng);
            let joint: Box<[Move]> = node.choices.joint(node.choices.profile(&picks), drawn).into();
            self.worker.step(&joint, &mut self.step, stop)?;
            hops.push(Hop { node: at as u32, picks, gains: self.step.gains.clone() });
            path.push(joint.clone());
            if let Some(&child) = node.children.get(&joint) {
                at = child as usize;
                continue;
            }
            if self.used >= self.config.memory {
                break self.ask(&path, None);
            }
            let child = self.nodes.len() as u32;
            let end = self.open(&mut path, stop)?;
            self.nodes[at].children.insert(joint, child);
            break end;
        };
        for hop in &hops {
            self.nodes[hop.node as usize].enter(&hop.picks);
        }
        Ok(Found::Descent(Descent { hops, end }))
    }

    /// The value of the worker's position: the rewards if the game is over, otherwise a request. A
    /// policy is requested if there are choices.
    fn ask(&mut self, path: &[Box<[Move]>], choices: Option<&Choices>) -> End {
        if self.worker.terminal() {
            return End::Known(rewards::terminal(self.worker, self.scale, &mut self.goals));
        }
        self.worker.save(&mut self.state);
        self.asked.push(&self.state, path.iter().map(|joint| &**joint));
        for &role in choices.map_or(&[][..], Choices::actors) {
            self.asked.choice(role, choices.map_or(&[], |choices| choices.moves(role)));
        }
        End::Asked(self.asked.len() - 1)
    }

    /// A new node for the worker's position; the worker may be in any position afterwards.
    fn open(&mut self, path: &mut Vec<Box<[Move]>>, stop: &Stop) -> Result<End, Halt> {
        let terminal = self.worker.terminal();
        let choices = if terminal { Choices::default() } else { Choices::of(self.worker) };
        let mut end = self.ask(path, Some(&choices));
        let mut node = Node::new(choices, terminal);
        self.used += node.memory(self.worker.info().roles.len());
        match end {
            End::Known(ref values) => node.values.clone_from(values),
            End::Asked(asked) => {
                let after = self.after(&node, path, stop)?;
                let number = self.nodes.len() as u32;
                self.fresh.push(Fresh { node: number, asked, after });
                end = End::Opened(number);
            }
            End::Opened(_) => {}
        }
        self.nodes.push(node);
        Ok(end)
    }

    /// The positions after the moves of a node, if its priors come from their values.
    fn after(
        &mut self,
        node: &Node,
        path: &mut Vec<Box<[Move]>>,
        stop: &Stop,
    ) -> Result<Vec<After>, Halt> {
        let alone = node.arms.len() == 1 && node.choices.probabilities().len() == 1;
        if self.config.sharp <= 0.0 || !alone || self.evaluate.has_policies() {
            return Ok(Vec::new());
        }
        let mut state = Vec::new();
        self.worker.save(&mut state);
        let mut after = Vec::with_capacity(node.arms[0].len());
        for profile in 0..node.arms[0].len() {
            self.worker.load(&state, stop)?;
            let joint = node.choices.joint(profile, 0);
            self.worker.step(&joint, &mut self.step, stop)?;
            let gains = self.step.gains.clone();
            path.push(joint.into());
            let end = self.ask(path, None);
            path.pop();
            after.push(After { gains, end });
        }
        Ok(after)
    }

    /// Evaluates all new positions in one call.
    fn value(&mut self, stop: &Stop) -> Result<(), Halt> {
        if self.asked.is_empty() {
            return Ok(());
        }
        self.answers.reset(&self.asked, self.scale.low);
        let said = self.evaluate.evaluate(&self.asked, &mut self.answers, stop);
        self.answers.mend(self.scale.middle());
        let mut fresh = std::mem::take(&mut self.fresh);
        if said.is_ok() {
            for new in &fresh {
                self.settle(new);
            }
        }
        fresh.clear();
        self.fresh = fresh;
        self.asked.clear();
        said
    }

    /// Sets the value and the priors of a new node. If the positions after its moves were evaluated,
    /// its value is that of the best of them, and each move begins with the value of its own.
    fn settle(&mut self, new: &Fresh) {
        let told = |after: &After, role: usize| {
            let values = match &after.end {
                End::Known(values) => values,
                End::Asked(asked) => self.answers.values(*asked),
                End::Opened(node) => &self.nodes[*node as usize].values,
            };
            values[role] + after.gains.get(role).copied().unwrap_or(0.0)
        };
        let mut values = self.answers.values(new.asked).to_vec();
        let mut worth = Vec::new();
        if let Some(role) = self.nodes[new.node as usize].choices.actors().first() {
            worth.extend(new.after.iter().map(|after| told(after, role.index())));
        }
        let best = (0..worth.len()).max_by(|&a, &b| worth[a].total_cmp(&worth[b]));
        if let Some(best) = best {
            (0..).zip(&mut values).for_each(|(role, value)| *value = told(&new.after[best], role));
        }
        let node = &mut self.nodes[new.node as usize];
        node.values = values;
        node.set_priors(&self.answers, new.asked);
        let Some(best) = best else { return };
        let spread = (self.range.1 - self.range.0).max(1e-9);
        let odds = |value: f64| (self.config.sharp * (value - worth[best]) / spread).exp();
        let sum: f64 = worth.iter().copied().map(odds).sum();
        for (arm, &value) in node.arms[0].iter_mut().zip(&worth) {
            (arm.prior, arm.first) = (odds(value) / sum, Some(value));
        }
    }

    /// Backs up all descents in order.
    fn back_up(&mut self) {
        for descent in self.descents.drain(..) {
            let mut values = match descent.end {
                End::Known(values) => values,
                End::Asked(asked) => self.answers.values(asked).to_vec(),
                End::Opened(node) => self.nodes[node as usize].values.clone(),
            };
            for hop in descent.hops.into_iter().rev() {
                values.iter_mut().zip(&hop.gains).for_each(|(value, gain)| *value += gain);
                let node = &mut self.nodes[hop.node as usize];
                node.leave(&hop.picks);
                node.learn(&hop.picks, &values, &mut self.range);
            }
        }
    }
}
