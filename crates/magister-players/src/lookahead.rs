//! Depth-limited search without a transposition table, the core of the simple players.

use magister_core::{Budget, Decision, Halt, Info, Move, Rng, Role, Step, Thought, Worker};

use crate::choices::Choices;
use crate::combine::{Outlook, Verdict, combine, draw};
use crate::rewards::{self, Scale};

/// The maximum depth in games without a known maximum length.
const DEEP: u32 = 400;

/// The maximum useful depth in a game.
pub(crate) fn deepest(info: &Info) -> u32 {
    info.max_length.unwrap_or(DEEP).min(10 * DEEP)
}

/// Evaluates a position at the horizon, given the joint moves that lead there. The worker is in
/// that position, and may be in any position afterwards.
pub(crate) type Judge<'a> = dyn FnMut(&mut dyn Worker, &[Box<[Move]>]) -> Vec<f64> + 'a;

/// A depth-limited search. A judge evaluates positions at the horizon; without one, the goal values
/// of the rules are used.
pub(crate) struct Lookahead<'a> {
    pub(crate) worker: &'a mut dyn Worker,
    pub(crate) budget: &'a mut Budget,
    pub(crate) outlook: Outlook,
    pub(crate) me: Role,
    pub(crate) scale: Scale,
    /// Rewards that end the search at a node: one that is low enough for me, and one that is high
    /// enough.
    pub(crate) enough: Option<(f64, f64)>,
    /// Whether any position was evaluated at the horizon.
    pub(crate) horizon: bool,
    /// The number of expanded positions.
    pub(crate) nodes: u64,
    pub(crate) judge: Option<&'a mut Judge<'a>>,
    /// The joint moves from the root to the current position.
    path: Vec<Box<[Move]>>,
    goals: Vec<f64>,
    step: Step,
}

/// The result of a search at its root.
pub(crate) struct Root {
    pub(crate) choices: Choices,
    /// The values of the profiles searched so far, in order.
    pub(crate) cells: Vec<Vec<f64>>,
    /// Whether all necessary profiles were searched.
    pub(crate) complete: bool,
}

impl<'a> Lookahead<'a> {
    pub(crate) fn new(
        worker: &'a mut dyn Worker,
        budget: &'a mut Budget,
        outlook: Outlook,
        me: Role,
    ) -> Self {
        let scale = Scale::of(worker.info());
        Lookahead {
            worker,
            budget,
            outlook,
            me,
            scale,
            enough: None,
            horizon: false,
            nodes: 0,
            judge: None,
            path: Vec::new(),
            goals: Vec::new(),
            step: Step::new(),
        }
    }

    /// Searches the position to a depth. Results from before the end of the budget are kept.
    pub(crate) fn root(&mut self, state: &[u64], depth: u32) -> Result<Root, Halt> {
        let stop = self.budget.stop().clone();
        self.worker.load(state, &stop)?;
        let choices = Choices::of(self.worker);
        let mut root = Root { choices, cells: Vec::new(), complete: false };
        let Some(profiles) = root.choices.profiles() else { return Ok(root) };
        if !self.budget.spend(1) {
            return Ok(root);
        }
        self.nodes += 1;
        for profile in 0..profiles {
            match self.profile(state, &root.choices, profile, depth.saturating_sub(1)) {
                Ok(cell) => root.cells.push(cell),
                Err(_) => return Ok(root),
            }
            if self.settled(&root.choices, root.cells.last()) {
                break;
            }
        }
        root.complete = true;
        Ok(root)
    }

    /// The expected reward of each role in a position.
    pub(crate) fn value(&mut self, state: &[u64], depth: u32) -> Result<Vec<f64>, Halt> {
        let stop = self.budget.stop().clone();
        self.worker.load(state, &stop)?;
        if self.worker.terminal() {
            return Ok(rewards::terminal(self.worker, self.scale, &mut self.goals));
        }
        if depth == 0 {
            self.horizon = true;
            if let Some(judge) = &mut self.judge {
                return Ok(judge(self.worker, &self.path));
            }
            return Ok(rewards::guess(self.worker, self.scale, &mut self.goals));
        }
        if !self.budget.spend(1) {
            return Err(Halt::Stopped);
        }
        self.nodes += 1;
        let choices = Choices::of(self.worker);
        let too_many = || Halt::Limit("a position has too many joint moves to search".to_owned());
        let profiles = choices.profiles().ok_or_else(too_many)?;
        let mut cells = Vec::new();
        for profile in 0..profiles {
            cells.push(self.profile(state, &choices, profile, depth - 1)?);
            if self.settled(&choices, cells.last()) {
                // This is the best possible value; the rest need not be searched.
                cells.drain(..cells.len() - 1);
                return Ok(cells.remove(0));
            }
        }
        Ok(combine(&choices, &cells, self.outlook, self.me).values)
    }

    /// The expected rewards of a profile: the mean over the chance outcomes.
    fn profile(
        &mut self,
        state: &[u64],
        choices: &Choices,
        profile: usize,
        depth: u32,
    ) -> Result<Vec<f64>, Halt> {
        let stop = self.budget.stop().clone();
        let mut mean = vec![0.0; self.worker.info().roles.len()];
        let mut child = Vec::new();
        for (outcome, &likely) in choices.probabilities().iter().enumerate() {
            self.worker.load(state, &stop)?;
            let mut step = std::mem::take(&mut self.step);
            let joint = choices.joint(profile, outcome);
            let made = self.worker.step(&joint, &mut step, &stop);
            let gains = step.gains.clone();
            self.step = step;
            made?;
            self.worker.save(&mut child);
            self.path.push(joint.into());
            let values = self.value(&child, depth);
            self.path.pop();
            let values = values?;
            for ((mean, value), gain) in mean.iter_mut().zip(values).zip(gains) {
                *mean += likely * (value + gain);
            }
        }
        Ok(mean)
    }

    /// Whether no better value is possible at a node with a single actor.
    fn settled(&self, choices: &Choices, cell: Option<&Vec<f64>>) -> bool {
        let (Some((low, high)), [actor], Some(cell)) = (self.enough, choices.actors(), cell) else {
            return false;
        };
        match self.outlook {
            _ if *actor == self.me => cell[self.me.index()] >= high,
            Outlook::Hostile => cell[self.me.index()] <= low,
            Outlook::Kind => cell[self.me.index()] >= high,
            // Ties must be searched, because the worst of them for me counts.
            Outlook::Selfish => false,
        }
    }
}

impl Root {
    /// The resulting decision; `None` if too little was searched. Ties are broken uniformly.
    pub(crate) fn decide(&self, outlook: Outlook, me: Role, rng: &mut Rng) -> Option<Decision> {
        let moves = self.choices.moves(me);
        let actors = self.choices.actors();
        if actors == [me] {
            let best = self.cells.iter().map(|cell| cell[me.index()]).reduce(f64::max)?;
            let good: Vec<usize> =
                (0..self.cells.len()).filter(|&at| self.cells[at][me.index()] >= best).collect();
            let choice = moves[good[rng.below(good.len() as u64) as usize]];
            let thoughts = moves
                .iter()
                .zip(&self.cells)
                .map(|(&choice, cell)| Thought::new(choice, cell[me.index()]))
                .collect();
            return Some(Decision { thoughts, ..choice.into() });
        }
        if !self.complete || self.cells.len() < self.choices.profiles()? {
            return None;
        }
        let Verdict { mixtures, .. } = combine(&self.choices, &self.cells, outlook, me);
        let place = actors.iter().position(|&actor| actor == me)?;
        let choice = draw(moves, &mixtures[place], rng);
        let thoughts = moves
            .iter()
            .enumerate()
            .map(|(at, &choice)| Thought {
                value: Some(self.expected(at, place, &mixtures, me)),
                probability: Some(mixtures[place][at]),
                ..Thought::new(choice, 0.0)
            })
            .collect();
        Some(Decision { thoughts, ..choice.into() })
    }

    /// The value of a move of mine against the mixed strategies of the others.
    fn expected(&self, own: usize, place: usize, mixtures: &[Vec<f64>], me: Role) -> f64 {
        let mut sum = 0.0;
        for (profile, cell) in self.cells.iter().enumerate() {
            let picks = self.choices.picks(profile);
            if picks[place] == own {
                let others = (0..picks.len()).filter(|&actor| actor != place);
                let likely: f64 = others.map(|actor| mixtures[actor][picks[actor]]).product();
                sum += likely * cell[me.index()];
            }
        }
        sum
    }
}
