//! Retrograde analysis of games with perfect information.

use magister_core::{Budget, Game, Halt, Move, Role, Worker};

use crate::combine::{Outlook, Verdict, combine};
use crate::limits::{SolveLimits, Unsolved};
use crate::positions::{Kind, Positions};

/// Differences below this count as zero.
const TINY: f64 = 1e-9;

/// The value of every reachable position if all roles maximise their own reward. An indifferent
/// role chooses the move that is worst for the role for which the game was solved.
///
/// Simultaneous moves of two roles whose payoffs have a constant sum are solved exactly, others by
/// regret matching, which proves nothing; see [`exact`](Solution::exact). A game with percepts is
/// solved too, if the percepts always reveal the whole state to all roles. If positions repeat, the
/// value in a one-player or two-player constant-sum game is what the players can force in finite
/// time; a position has no value if the reward that one player can force differs from the one to
/// which the other can limit it.
pub struct Solution {
    all: Positions,
    me: Role,
    exact: bool,
    /// Whether some values were found although positions repeat.
    repeats: bool,
    /// The order in which positions got their values; following it makes progress. If positions
    /// repeat, there is one order per role.
    orders: Vec<Vec<u32>>,
}

/// A move in a solved position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The move.
    pub choice: Move,
    /// The probability of the move.
    pub likely: f64,
    /// The value of the move for its player under optimal play afterwards; unknown if others choose
    /// simultaneously, or if play need not end.
    pub value: Option<f64>,
}

/// A position without a value so far.
const OPEN: u32 = u32::MAX;

impl Solution {
    /// Solves the game from a worker's position. Each position costs one iteration of the budget.
    pub fn new(
        worker: &mut dyn Worker,
        me: Role,
        limits: &SolveLimits,
        budget: &mut Budget,
    ) -> Result<Self, Unsolved> {
        let info = worker.info().clone();
        let all = Positions::explore(worker, limits, budget)?;
        let order = vec![OPEN; all.len()];
        let mut solution = Solution { all, me, exact: true, repeats: false, orders: vec![order] };
        solution.value_from_ends(info.rewards.1, budget)?;
        if !solution.all.known(0) {
            let players: Vec<Role> = info.players().collect();
            solution.value_by_force(&players, budget)?;
        }
        if solution.all.known(0) {
            Ok(solution)
        } else {
            let why = "positions can repeat, and no player can force the best end that the others \
                       cannot prevent";
            Err(Unsolved::Undefined(why.to_owned()))
        }
    }

    /// Solves a game from its initial state.
    pub fn of_game(
        game: &dyn Game,
        me: Role,
        limits: &SolveLimits,
        budget: &mut Budget,
    ) -> Result<Self, Unsolved> {
        let mut worker = game.worker();
        worker.reset();
        Self::new(worker.as_mut(), me, limits, budget)
    }

    /// The number of positions.
    pub fn positions(&self) -> usize {
        self.all.len()
    }

    /// The memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.all.held() + 4 * self.all.len() * self.orders.len()
    }

    /// Whether all values are proven: false if there are simultaneous moves that are not a
    /// two-player constant-sum matrix game.
    pub fn exact(&self) -> bool {
        self.exact
    }

    /// Whether positions can repeat. A best move may then lead back, and only the move that
    /// [`moves`](Self::moves) chooses makes progress.
    pub fn repeats(&self) -> bool {
        self.repeats
    }

    /// The value of the first position for each role.
    pub fn value(&self) -> &[f64] {
        self.all.value(0)
    }

    /// The value of a position for each role, if it was solved.
    pub fn values(&self, state: &[u64]) -> Option<&[f64]> {
        let place = self.all.find(state)?;
        self.all.known(place).then(|| self.all.value(place))
    }

    /// The moves of a role in a position in which it has a choice.
    pub fn moves(&self, state: &[u64], role: Role) -> Option<Vec<Candidate>> {
        let at = self.all.find(state)?;
        if !self.all.known(at) {
            return None;
        }
        match self.all.kind(at) {
            Kind::One(actor) if actor == role => {
                let best = self.best(at, role);
                let option = |(edge, &choice): (usize, &Move)| {
                    let value = self.all.worth(at, edge, role.index());
                    let likely = f64::from(u8::from(edge == best));
                    Candidate { choice, likely, value: (!value.is_nan()).then_some(value) }
                };
                Some(self.all.moves(at).iter().enumerate().map(option).collect())
            }
            Kind::Mixed(number) => {
                let choices = self.all.mixed(number);
                let actor = choices.actors().iter().position(|&actor| actor == role)?;
                let cells = self.cells(at, number, f64::MIN / 4.0);
                let Verdict { mixtures, .. } = combine(choices, &cells, Outlook::Selfish, self.me);
                let alone = choices.actors().len() == 1;
                let option = |(edge, &choice): (usize, &Move)| {
                    let value = alone.then(|| cells[edge][role.index()]);
                    let value = value.filter(|&value| value > f64::MIN / 8.0);
                    Candidate { choice, likely: mixtures[actor][edge], value }
                };
                Some(choices.moves(role).iter().enumerate().map(option).collect())
            }
            _ => None,
        }
    }

    /// Computes the values of positions whose successors all have values, then of those in which a
    /// role can take the highest reward although some successors are unknown.
    fn value_from_ends(&mut self, high: f64, budget: &Budget) -> Result<(), Unsolved> {
        let count = self.all.len();
        let parents = self.all.parents();
        let mut open: Vec<u32> = (0..count).map(|at| self.all.children(at).len() as u32).collect();
        let mut queue: Vec<u32> =
            (0..count).filter(|&at| self.all.known(at)).map(|at| at as u32).collect();
        for (rank, &at) in queue.iter().enumerate() {
            self.orders[0][at as usize] = rank as u32;
        }
        let mut next = 0;
        loop {
            while let Some(&at) = queue.get(next) {
                next += 1;
                if next % 1024 == 0 {
                    budget.stop().check()?;
                }
                for &parent in parents.of(at as usize) {
                    let parent = parent as usize;
                    open[parent] -= 1;
                    if open[parent] == 0 && !self.all.known(parent) {
                        self.settle(parent, &mut queue);
                    }
                }
            }
            // Positions repeat, or all are known.
            let top = |at: &usize| !self.all.known(*at) && self.takes(*at, high);
            let more: Vec<usize> = (0..count).filter(top).collect();
            if more.is_empty() {
                return Ok(());
            }
            self.repeats = true;
            more.into_iter().for_each(|at| self.settle(at, &mut queue));
        }
    }

    /// Whether the choosing role can take the highest reward in a position.
    fn takes(&self, at: usize, high: f64) -> bool {
        let Kind::One(actor) = self.all.kind(at) else { return false };
        let mut edges = 0..self.all.children(at).len();
        self.all.pays_at_end() && edges.any(|edge| self.all.worth(at, edge, actor.index()) >= high)
    }

    /// Sets the value of a position.
    fn settle(&mut self, at: usize, queue: &mut Vec<u32>) {
        let value = self.combined(at);
        self.all.set(at, &value);
        self.orders[0][at] = queue.len() as u32;
        queue.push(at as u32);
    }

    /// The value of a position whose successors all have values.
    fn combined(&mut self, at: usize) -> Vec<f64> {
        let roles = self.all.roles;
        let edge = |edge| (0..roles).map(|role| self.all.worth(at, edge, role)).collect();
        match self.all.kind(at) {
            Kind::End => self.all.value(at).to_vec(),
            Kind::Forced => edge(0),
            Kind::One(actor) => edge(self.best(at, actor)),
            Kind::Mixed(number) => {
                let cells = self.cells(at, number, 0.0);
                let choices = self.all.mixed(number);
                self.exact &= match choices.actors() {
                    [] | [_] => true,
                    [one, two] => crate::combine::opposed(&cells, *one, *two),
                    _ => false,
                };
                combine(choices, &cells, Outlook::Selfish, self.me).values
            }
        }
    }

    /// The best edge for a role; among equals, the worst for the role for which the game was
    /// solved, and among those, the one whose value was known first.
    fn best(&self, at: usize, actor: Role) -> usize {
        let order = self.orders.get(actor.index()).unwrap_or(&self.orders[0]);
        let own = |edge| self.all.worth(at, edge, actor.index());
        let mine = |edge| self.all.worth(at, edge, self.me.index());
        let children = self.all.children(at);
        let better = |a: usize, b: usize| {
            if own(b).is_nan() || own(a).is_nan() {
                return own(b).is_nan() && !own(a).is_nan();
            }
            let (gain, harm) = (own(a) - own(b), mine(b) - mine(a));
            gain > TINY
                || gain > -TINY
                    && (harm > TINY
                        || harm > -TINY
                            && order[children[a] as usize] < order[children[b] as usize])
        };
        (1..children.len()).fold(0, |best, edge| if better(edge, best) { edge } else { best })
    }

    /// The values of all profiles of a position; `unknown` replaces missing ones.
    fn cells(&self, at: usize, number: u32, unknown: f64) -> Vec<Vec<f64>> {
        let outcomes = self.all.mixed(number).probabilities();
        let profiles = self.all.children(at).len() / outcomes.len();
        let cell = |profile: usize| {
            let worth = |role: usize| -> f64 {
                let edges = (0..outcomes.len()).map(|outcome| profile * outcomes.len() + outcome);
                edges.zip(outcomes).map(|(e, likely)| likely * self.all.worth(at, e, role)).sum()
            };
            let values: Vec<f64> = (0..self.all.roles).map(worth).collect();
            if values.iter().any(|value| value.is_nan()) {
                vec![unknown; self.all.roles]
            } else {
                values
            }
        };
        (0..profiles).map(cell).collect()
    }

    /// Computes the values of repeating positions from the rewards that the players can force in
    /// finite time: for one player, the best reachable reward; in a two-player constant-sum game,
    /// the reward that one can force, if the other can limit it to the same value.
    fn value_by_force(&mut self, players: &[Role], budget: &Budget) -> Result<(), Unsolved> {
        let constant = self.constant_sum(players);
        let endless = || Unsolved::Undefined("positions can repeat forever".to_owned());
        if !self.all.pays_at_end() || players.len() > 2 || players.len() == 2 && constant.is_none()
        {
            return Err(endless());
        }
        let mut forced = Vec::new();
        let count = self.all.len();
        self.repeats = true;
        self.orders = vec![self.orders[0].clone(); self.all.roles];
        for &role in players {
            forced.push(self.force(role, budget)?);
        }
        for at in (0..count).filter(|&at| !self.all.known(at)).collect::<Vec<_>>() {
            let known = match (&forced[..], constant) {
                ([one], _) => !one[at].is_nan(),
                ([one, two], Some(sum)) => (one[at] + two[at] - sum).abs() < TINY,
                _ => false,
            };
            if known {
                let mut value = vec![0.0; self.all.roles];
                for (role, forced) in players.iter().zip(&forced) {
                    value[role.index()] = forced[at];
                }
                self.all.set(at, &value);
            }
        }
        Ok(())
    }

    /// The highest reward that a role can force in each position without a value, whatever the
    /// others do; NaN if it cannot force a terminal position. In unsolved positions with chance or
    /// simultaneous moves, nothing can be forced.
    fn force(&mut self, role: Role, budget: &Budget) -> Result<Vec<f64>, Unsolved> {
        let count = self.all.len();
        let parents = self.all.parents();
        let value = |all: &Positions, at: usize| all.value(at)[role.index()];
        let mut forced: Vec<f64> = (0..count).map(|at| value(&self.all, at)).collect();
        let mut ends: Vec<u32> =
            (0..count as u32).filter(|&at| self.all.known(at as usize)).collect();
        // The best first; among equals, the first to get its value.
        let order = &mut self.orders[role.index()];
        ends.sort_by(|&a, &b| {
            let (a, b) = (a as usize, b as usize);
            forced[b].total_cmp(&forced[a]).then(order[a].cmp(&order[b]))
        });
        let mut open: Vec<u32> = (0..count).map(|at| self.all.children(at).len() as u32).collect();
        let mut rank = count as u32;
        let level = |at: u32| value(&self.all, at as usize);
        for group in ends.chunk_by(|&a, &b| level(a).total_cmp(&level(b)).is_eq()) {
            budget.stop().check()?;
            let level = level(group[0]);
            let mut queue = group.to_vec();
            let mut next = 0;
            while let Some(&at) = queue.get(next) {
                next += 1;
                for &parent in parents.of(at as usize) {
                    let parent = parent as usize;
                    if !forced[parent].is_nan() {
                        continue;
                    }
                    open[parent] -= 1;
                    let joins = match self.all.kind(parent) {
                        Kind::One(actor) if actor == role => true,
                        Kind::One(_) | Kind::Forced => open[parent] == 0,
                        Kind::End | Kind::Mixed(_) => false,
                    };
                    if joins {
                        forced[parent] = level;
                        order[parent] = rank;
                        rank += 1;
                        queue.push(parent as u32);
                    }
                }
            }
        }
        Ok(forced)
    }

    /// The sum of these players' rewards, if it is the same in all terminal positions.
    fn constant_sum(&self, players: &[Role]) -> Option<f64> {
        let sum = |at: usize| -> f64 {
            players.iter().map(|role| self.all.value(at)[role.index()]).sum()
        };
        let mut ends = (0..self.all.len()).filter(|&at| self.all.kind(at) == Kind::End);
        let first = sum(ends.next()?);
        ends.all(|at| (sum(at) - first).abs() < TINY).then_some(first)
    }

    /// The joint moves of optimal play from the first position, up to the first position with
    /// chance or simultaneous choices.
    pub fn line(&self, worker: &mut dyn Worker, longest: usize) -> Result<Vec<Vec<Move>>, Halt> {
        let mut line = Vec::new();
        let (mut state, mut step) = (Vec::new(), magister_core::Step::new());
        let stop = magister_core::Stop::never();
        while line.len() < longest && !worker.terminal() {
            worker.save(&mut state);
            let Some(at) = self.all.find(&state).filter(|&at| self.all.known(at)) else { break };
            let mut joint: Vec<Move> = worker
                .info()
                .all_roles()
                .map(|role| worker.legal(role).first().copied().unwrap_or(Move::IDLE))
                .collect();
            match self.all.kind(at) {
                Kind::Forced => {}
                Kind::One(actor) => {
                    joint[actor.index()] = self.all.moves(at)[self.best(at, actor)];
                }
                Kind::End | Kind::Mixed(_) => break,
            }
            worker.step(&joint, &mut step, &stop)?;
            line.push(joint);
        }
        Ok(line)
    }
}

impl std::fmt::Debug for Solution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solution").field("positions", &self.all.len()).finish_non_exhaustive()
    }
}
