//! Small games, solved outright.

use magister_core::{Budget, Game, Halt, Move, Payment, Role, Step, Worker};
use rustc_hash::FxHashMap;

use crate::choices::Choices;
use crate::combine::{Outlook, Verdict, combine};
use crate::rewards::{self, Scale};
use crate::table::Key;

/// The value of every position that can be reached from one, if all play for themselves; who is
/// indifferent does what is worse for one of them, the one it was solved for.
///
/// Simultaneous moves of two with opposite interests are solved exactly, those of others by
/// regret matching, which is no proof; a game with such positions is solved only in that sense.
/// Positions from which play may go on for ever have no value, unless somebody can force an end
/// with the best reward.
pub struct Solution {
    places: FxHashMap<Key, u32>,
    nodes: Vec<Node>,
    roles: usize,
    me: Role,
}

struct Node {
    choices: Choices,
    /// The children, outcome after outcome of each profile, and what each role gained where the
    /// game pays on the way.
    children: Vec<u32>,
    gains: Vec<f64>,
    values: Option<Vec<f64>>,
}

impl Solution {
    /// Solves the game from a worker's position on; `None` if it has more positions than that or
    /// the budget is not enough. An iteration is a position.
    pub fn new(
        worker: &mut dyn Worker,
        me: Role,
        limit: usize,
        budget: &mut Budget,
    ) -> Result<Option<Self>, Halt> {
        let roles = worker.info().roles.len();
        let mut solution = Solution { places: FxHashMap::default(), nodes: Vec::new(), roles, me };
        if !solution.look(worker, limit, budget)? {
            return Ok(None);
        }
        let high = Scale::of(worker.info()).high;
        while solution.pass(high) {
            if budget.stop().is_set() {
                return Ok(None);
            }
        }
        Ok(solution.nodes[0].values.is_some().then_some(solution))
    }

    /// Solves a game from its beginning.
    pub fn of_game(
        game: &dyn Game,
        me: Role,
        limit: usize,
        budget: &mut Budget,
    ) -> Result<Option<Self>, Halt> {
        let mut worker = game.worker();
        worker.reset();
        Self::new(worker.as_mut(), me, limit, budget)
    }

    /// How many positions there are.
    pub fn positions(&self) -> usize {
        self.nodes.len()
    }

    /// What each role gets from a position on, if it is one of those that were solved.
    pub fn values(&self, state: &[u64]) -> Option<&[f64]> {
        let &place = self.places.get(&Key::of(state))?;
        self.nodes[place as usize].values.as_deref()
    }

    /// How likely each move of a role is in a position, and what it gives.
    pub(crate) fn mixture(&self, state: &[u64], role: Role) -> Option<Vec<(Move, f64, f64)>> {
        let &place = self.places.get(&Key::of(state))?;
        let node = &self.nodes[place as usize];
        node.values.as_ref()?;
        let actor = node.choices.actors().iter().position(|&actor| actor == role)?;
        let cells = self.cells(node, true)?;
        let Verdict { mixtures, values } =
            combine(&node.choices, &cells, Outlook::Selfish, self.me);
        let moves = node.choices.moves(role).iter().enumerate();
        let alone = node.choices.actors().len() == 1;
        let gives = |at: usize| if alone { cells[at][role.index()] } else { values[role.index()] };
        Some(moves.map(|(at, &choice)| (choice, mixtures[actor][at], gives(at))).collect())
    }

    /// Visits every position once. False if there are too many.
    fn look(
        &mut self,
        worker: &mut dyn Worker,
        limit: usize,
        budget: &mut Budget,
    ) -> Result<bool, Halt> {
        let scale = Scale::of(worker.info());
        let pays = worker.info().payment == Payment::OnTheWay;
        let mut root = Vec::new();
        worker.save(&mut root);
        let mut states = vec![root.clone()];
        self.places.insert(Key::of(&root), 0);
        let stop = budget.stop().clone();
        let (mut goals, mut step, mut child) = (Vec::new(), Step::new(), Vec::new());
        let mut next = 0;
        while next < states.len() {
            if states.len() > limit || !budget.spend(1) {
                return Ok(false);
            }
            let state = std::mem::take(&mut states[next]);
            next += 1;
            worker.load(&state, &stop)?;
            if worker.terminal() {
                let values = Some(rewards::terminal(worker, scale, &mut goals));
                let (choices, children, gains) = (Choices::default(), Vec::new(), Vec::new());
                self.nodes.push(Node { choices, children, gains, values });
                continue;
            }
            let choices = Choices::of(worker);
            let Some(profiles) = choices.profiles().filter(|&count| count < limit) else {
                return Ok(false);
            };
            let (mut children, mut gains) = (Vec::new(), Vec::new());
            for profile in 0..profiles {
                for outcome in 0..choices.probabilities().len() {
                    worker.load(&state, &stop)?;
                    worker.step(&choices.joint(profile, outcome), &mut step, &stop)?;
                    worker.save(&mut child);
                    let known = *self.places.entry(Key::of(&child)).or_insert_with(|| {
                        states.push(child.clone());
                        states.len() as u32 - 1
                    });
                    children.push(known);
                    if pays {
                        gains.extend_from_slice(&step.gains);
                    }
                }
            }
            self.nodes.push(Node { choices, children, gains, values: None });
        }
        Ok(true)
    }

    /// Values what can be valued by what has a value. Whether anything was.
    fn pass(&mut self, high: f64) -> bool {
        let mut any = false;
        for at in (0..self.nodes.len()).rev() {
            let node = &self.nodes[at];
            if node.values.is_some() {
                continue;
            }
            let values = match self.cells(node, false) {
                Some(cells) => combine(&node.choices, &cells, Outlook::Selfish, self.me).values,
                None => match self.best(node, high) {
                    Some(values) => values,
                    None => continue,
                },
            };
            self.nodes[at].values = Some(values);
            any = true;
        }
        any
    }

    /// The values of a move to the best reward, if one is known, although not all are.
    fn best(&self, node: &Node, high: f64) -> Option<Vec<f64>> {
        let [actor] = *node.choices.actors() else { return None };
        let outcomes = node.choices.probabilities().len();
        (outcomes == 1).then_some(())?;
        node.children
            .iter()
            .filter_map(|&child| self.nodes[child as usize].values.clone())
            .find(|values| values[actor.index()] >= high)
    }

    /// The values of all profiles, if they are known; with `partly`, a profile that is not known
    /// is worth nothing to anybody.
    fn cells(&self, node: &Node, partly: bool) -> Option<Vec<Vec<f64>>> {
        let outcomes = node.choices.probabilities();
        let mut cells = Vec::with_capacity(node.children.len() / outcomes.len());
        for (profile, children) in node.children.chunks(outcomes.len()).enumerate() {
            let mut cell = vec![0.0; self.roles];
            for (outcome, (&child, likely)) in children.iter().zip(outcomes).enumerate() {
                let first = (profile * outcomes.len() + outcome) * self.roles;
                let values = match &self.nodes[child as usize].values {
                    Some(values) => values,
                    None if partly => &vec![f64::MIN / 4.0; self.roles],
                    None => return None,
                };
                for (role, cell) in cell.iter_mut().enumerate() {
                    let gain = node.gains.get(first + role).copied().unwrap_or(0.0);
                    *cell += likely * (values[role] + gain);
                }
            }
            cells.push(cell);
        }
        Some(cells)
    }
}

impl std::fmt::Debug for Solution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solution").field("positions", &self.nodes.len()).finish_non_exhaustive()
    }
}
