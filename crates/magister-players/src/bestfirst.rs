//! Gamemaster's players that keep a tree and expand one position at a time: `pts` expands the least
//! visited part, `greedy` the part with the best values.

use magister_core::{Agent, Budget, Decision, Halt, Move, Rng, Role, Step, Thought, View, Worker};

use crate::choices::Choices;
use crate::combine::{Outlook, combine, draw};
use crate::follow::Follower;
use crate::registry::{Arguments, Made};
use crate::rewards::{self, Scale};

/// Which position is expanded next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// That of the least visited open child.
    Least,
    /// That of the open child with the best value for the role to move, plus a bonus for fewer
    /// visits than its siblings.
    Greedy,
}

/// A player with a tree of positions. Leaves are evaluated by the goal values of the rules and
/// backed up by minimax; proven nodes are closed and not visited again.
pub(crate) struct BestFirst {
    name: String,
    rule: Rule,
    memory: usize,
    follower: Follower,
    tree: Vec<Node>,
    used: usize,
    /// The rules and the role of the tree.
    owner: Option<(String, Role)>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    state: Vec<u64>,
    choices: Choices,
    /// The first child and the number of children, which are contiguous, outcome after outcome of
    /// each profile. `None` if the node is not expanded.
    children: Option<(usize, usize)>,
    values: Vec<f64>,
    /// The gain of each role in the step to this node.
    gains: Vec<f64>,
    visits: u64,
    /// Whether the values are proven.
    closed: bool,
}

impl BestFirst {
    fn make(settings: &Arguments, rule: Rule) -> Made {
        Ok(Box::new(BestFirst {
            name: settings.text().to_owned(),
            rule,
            memory: (settings.whole("memory")? as usize) << 20,
            follower: Follower::new(),
            tree: Vec::new(),
            used: 0,
            owner: None,
        }))
    }

    pub(crate) fn pts(settings: &Arguments) -> Made {
        Self::make(settings, Rule::Least)
    }

    pub(crate) fn greedy(settings: &Arguments) -> Made {
        Self::make(settings, Rule::Greedy)
    }
}

impl Agent for BestFirst {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let me = view.role();
        let worker = self.follower.follow(view, budget.stop())?;
        let legal = worker.legal(me).to_vec();
        if legal.len() < 2 {
            return Ok(legal.first().copied().unwrap_or(Move::IDLE).into());
        }
        let owner = Some((worker.info().rules_hash.clone(), me));
        if self.owner != owner {
            self.tree.clear();
            self.owner = owner;
        }
        let mut grower = Grower {
            scale: Scale::of(worker.info()),
            roles: worker.info().roles.len(),
            worker,
            me,
            rule: self.rule,
            tree: &mut self.tree,
            used: &mut self.used,
            goals: Vec::new(),
            step: Step::new(),
        };
        grower.replant();
        let mut iterations = 0;
        while !grower.tree[0].closed && *grower.used < self.memory && budget.spend(1) {
            // If the rules fail in a later position, the player still has to move here.
            if grower.grow(budget).is_err() {
                break;
            }
            iterations += 1;
        }
        let fallback: Decision = legal[rng.below(legal.len() as u64) as usize].into();
        let decision = grower.decide(rng).unwrap_or(fallback);
        Ok(Decision { iterations, ..decision })
    }
}

struct Grower<'a> {
    worker: &'a mut dyn Worker,
    me: Role,
    rule: Rule,
    scale: Scale,
    roles: usize,
    tree: &'a mut Vec<Node>,
    /// The approximate size of the tree in bytes.
    used: &'a mut usize,
    goals: Vec<f64>,
    step: Step,
}

impl Grower<'_> {
    /// Keeps the subtree below the current position if it is in the tree, and starts a new tree if
    /// not.
    fn replant(&mut self) {
        let mut state = Vec::new();
        self.worker.save(&mut state);
        let found = self.tree.iter().position(|node| node.state == state);
        let mut kept = Vec::new();
        if let Some(root) = found {
            kept.push(std::mem::take(&mut self.tree[root]));
            let mut next = 0;
            while next < kept.len() {
                if let Some((first, count)) = kept[next].children {
                    kept[next].children = Some((kept.len(), count));
                    for child in first..first + count {
                        kept.push(std::mem::take(&mut self.tree[child]));
                    }
                }
                next += 1;
            }
        } else {
            kept.push(self.node(state, vec![0.0; self.roles]));
        }
        *self.used = kept.iter().map(|node| self.size(node)).sum();
        *self.tree = kept;
    }

    fn size(&self, node: &Node) -> usize {
        // The vector of nodes may have up to twice the required capacity, and most nodes are never
        // expanded.
        2 * size_of::<Node>() + 8 * node.state.len() + 16 * self.roles + 64
    }

    /// The node of the worker's position.
    fn node(&mut self, state: Vec<u64>, gains: Vec<f64>) -> Node {
        let closed = self.worker.terminal();
        let values = if closed {
            rewards::terminal(self.worker, self.scale, &mut self.goals)
        } else {
            rewards::guess(self.worker, self.scale, &mut self.goals)
        };
        Node { state, values, gains, closed, ..Node::default() }
    }

    /// Expands the tree by one position.
    fn grow(&mut self, budget: &Budget) -> Result<(), Halt> {
        let mut path = vec![0];
        let mut at = 0;
        while let Some((first, count)) = self.tree[at].children {
            let open = (first..first + count).filter(|&child| !self.tree[child].closed);
            let mine = self.tree[at].choices.actors() == [self.me];
            let parent = self.tree[at].visits.max(1) as f64;
            let worth = |child: usize| {
                let node = &self.tree[child];
                let new = 100.0 * (1.0 - node.visits as f64 / parent);
                match self.rule {
                    Rule::Least => -(node.visits as f64),
                    Rule::Greedy if mine => node.values[self.me.index()] + new,
                    Rule::Greedy => new,
                }
            };
            let best = open.map(|child| (child, worth(child)));
            let best = best.reduce(|a, b| if b.1 > a.1 { b } else { a });
            let Some((child, _)) = best else { break };
            at = child;
            path.push(at);
        }
        if self.tree[at].children.is_none() {
            self.widen(at, budget)?;
        }
        for &node in path.iter().rev() {
            self.tree[node].visits += 1;
            self.back_up(node);
        }
        Ok(())
    }

    fn widen(&mut self, at: usize, budget: &Budget) -> Result<(), Halt> {
        let stop = budget.stop();
        let state = self.tree[at].state.clone();
        self.worker.load(&state, stop)?;
        let choices = Choices::of(self.worker);
        let too_many = || Halt::Limit("a position has too many joint moves to search".to_owned());
        let profiles = choices.profiles().ok_or_else(too_many)?;
        let mut children = Vec::new();
        for profile in 0..profiles {
            for outcome in 0..choices.probabilities().len() {
                self.worker.load(&state, stop)?;
                self.worker.step(&choices.joint(profile, outcome), &mut self.step, stop)?;
                let mut child = Vec::new();
                self.worker.save(&mut child);
                let gains = self.step.gains.clone();
                children.push(self.node(child, gains));
            }
        }
        *self.used += children.iter().map(|node| self.size(node)).sum::<usize>();
        self.tree[at].children = Some((self.tree.len(), children.len()));
        self.tree[at].choices = choices;
        self.tree.extend(children);
        Ok(())
    }

    /// The values of the profiles of an expanded node.
    fn cells(&self, at: usize) -> Vec<Vec<f64>> {
        let Some((first, count)) = self.tree[at].children else { return Vec::new() };
        let outcomes = self.tree[at].choices.probabilities();
        (first..first + count)
            .step_by(outcomes.len())
            .map(|profile| {
                let mut cell = vec![0.0; self.roles];
                for (outcome, likely) in outcomes.iter().enumerate() {
                    let child = &self.tree[profile + outcome];
                    for (role, cell) in cell.iter_mut().enumerate() {
                        *cell += likely * (child.values[role] + child.gains[role]);
                    }
                }
                cell
            })
            .collect()
    }

    fn back_up(&mut self, at: usize) {
        let Some((first, count)) = self.tree[at].children else { return };
        let cells = self.cells(at);
        let verdict = combine(&self.tree[at].choices, &cells, Outlook::Hostile, self.me);
        let outcomes = self.tree[at].choices.probabilities().len();
        let closed = |profile: usize| {
            let from = first + profile * outcomes;
            (from..from + outcomes).all(|child| self.tree[child].closed)
        };
        // A proven maximum reward settles the node, whatever the other moves give.
        let value = |profile: usize| cells[profile][self.me.index()];
        let settled =
            match *self.tree[at].choices.actors() {
                [actor] if actor == self.me => (0..cells.len())
                    .any(|profile| closed(profile) && value(profile) >= self.scale.high),
                [_] => (0..cells.len())
                    .any(|profile| closed(profile) && value(profile) <= self.scale.low),
                _ => false,
            };
        let all = (first..first + count).all(|child| self.tree[child].closed);
        self.tree[at].closed = settled || all;
        self.tree[at].values = verdict.values;
    }

    fn decide(&self, rng: &mut Rng) -> Option<Decision> {
        let root = &self.tree[0];
        let (first, _) = root.children?;
        let cells = self.cells(0);
        let verdict = combine(&root.choices, &cells, Outlook::Hostile, self.me);
        let place = root.choices.actors().iter().position(|&actor| actor == self.me)?;
        let moves = root.choices.moves(self.me);
        let choice = draw(moves, &verdict.mixtures[place], rng);
        let alone = root.choices.actors().len() == 1;
        let outcomes = root.choices.probabilities().len();
        let thoughts = moves
            .iter()
            .enumerate()
            .filter(|_| alone)
            .map(|(at, &choice)| {
                let children = &self.tree[first + at * outcomes..][..outcomes];
                Thought {
                    visits: children.iter().map(|child| child.visits).sum(),
                    proven: children.iter().all(|child| child.closed),
                    ..Thought::new(choice, cells[at][self.me.index()])
                }
            })
            .collect();
        Some(Decision { thoughts, ..choice.into() })
    }
}
