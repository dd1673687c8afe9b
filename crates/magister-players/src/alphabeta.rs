//! Alpha-beta search with a transposition table, move ordering and iterative deepening.

use magister_core::{
    Agent, Batch, Budget, Decision, Detail, Halt, Move, Results, Rng, Step, Stream, Thought, View,
    Worker,
};
use rustc_hash::FxHashMap;

use crate::choices::Choices;
use crate::combine::{Outlook, combine};
use crate::follow::{Follower, Standing};
use crate::lookahead::{Root, deepest};
use crate::registry::{Arguments, Made};
use crate::rewards::{self, Scale};
use crate::table::{Bound, Key, Known, Table};

/// The playouts per move that order the moves of the root.
const RANKING: u32 = 64;

/// Alpha-beta search. All others are assumed to minimise this player's reward, so it is exact for
/// two-player constant-sum games, and paranoid search for more players. Simultaneous moves are
/// solved as matrix games and chance is averaged; neither allows cutoffs.
pub(crate) struct AlphaBeta {
    name: String,
    follower: Follower,
    table: Table,
    memory: usize,
    playouts: u32,
    /// How often a move of a role caused a cutoff, weighted by depth (history heuristic).
    history: FxHashMap<(u8, Move), u64>,
    game: String,
}

impl AlphaBeta {
    pub(crate) fn make(settings: &Arguments) -> Made {
        Ok(Box::new(AlphaBeta {
            name: settings.text().to_owned(),
            follower: Follower::new(),
            table: Table::default(),
            memory: (settings.whole("memory")? as usize) << 20,
            playouts: settings.whole("playouts")?,
            history: FxHashMap::default(),
            game: String::new(),
        }))
    }
}

impl Agent for AlphaBeta {
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
        let (worker, legal, state) = match self.follower.standing(view, budget.stop())? {
            Standing::Settled(decision) => return Ok(decision),
            Standing::Open { worker, legal, state } => (worker, legal, state),
        };
        // Values in the table are from this role's point of view, so they cannot be used for
        // another role or game.
        let identity = format!("{} {}", view.game().info().rules_hash, me.0);
        if self.game != identity {
            self.table = Table::new(self.memory);
            self.history.clear();
            self.game = identity;
        }
        let choices = Choices::of(worker);
        let deepest = deepest(worker.info());
        let mut search = Search {
            scale: Scale::of(worker.info()),
            worker,
            budget,
            me: me.index(),
            playouts: self.playouts,
            seed: rng.next_u64(),
            table: &mut self.table,
            history: &mut self.history,
            results: Results::default(),
            goals: Vec::new(),
            step: Step::new(),
            nodes: 0,
            ranks: Vec::new(),
        };
        search.rank(&state, &choices);
        let mut decision: Decision = legal[rng.below(legal.len() as u64) as usize].into();
        let mut first = search.ranks.iter().position(|&rank| rank == 0).unwrap_or(0);
        for depth in 1..=deepest {
            let found = search.root(&state, &choices, depth as u16, first);
            // If the rules fail in a later position, the player still has to move here.
            let Ok((root, solved, order)) = found else { break };
            // An unfinished iteration still counts if it found something: its first move is the
            // best of the previous iteration.
            if let Some(better) = order.decide(&root, me, rng) {
                decision = better;
                first =
                    root.choices.moves(me).iter().position(|&m| m == decision.choice).unwrap_or(0);
            }
            if solved || !root.complete {
                break;
            }
        }
        let iterations = search.nodes;
        Ok(Decision { iterations, ..decision })
    }
}

/// The order in which the root's moves were searched, and which values are exact.
struct Order {
    /// For each cell of the root, its profile, whether its value is final, and whether it is exact
    /// rather than a bound.
    profiles: Vec<usize>,
    solved: Vec<bool>,
    exact: Vec<bool>,
}

impl Order {
    fn decide(&self, root: &Root, me: magister_core::Role, rng: &mut Rng) -> Option<Decision> {
        if root.choices.actors() != [me] {
            return root.decide(Outlook::Hostile, me, rng);
        }
        // The values of later moves may only be bounds, so the first of the best moves wins, and
        // bounds are not reported as values.
        let value = |at: &usize| root.cells[*at][me.index()];
        let best =
            (0..root.cells.len()).reduce(|a, b| if value(&b) > value(&a) { b } else { a })?;
        let moves = root.choices.moves(me);
        let thoughts = self
            .profiles
            .iter()
            .enumerate()
            .map(|(at, &profile)| Thought {
                proven: self.solved[at] && self.exact[at],
                value: self.exact[at].then_some(root.cells[at][me.index()]),
                ..Thought::new(moves[profile], root.cells[at][me.index()])
            })
            .collect();
        Some(Decision { thoughts, ..moves[self.profiles[best]].into() })
    }
}

struct Search<'a> {
    worker: &'a mut dyn Worker,
    budget: &'a mut Budget,
    scale: Scale,
    me: usize,
    playouts: u32,
    seed: u64,
    table: &'a mut Table,
    history: &'a mut FxHashMap<(u8, Move), u64>,
    results: Results,
    goals: Vec<f64>,
    step: Step,
    nodes: u64,
    /// The place of each profile of the root in the order of search.
    ranks: Vec<usize>,
}

impl Search<'_> {
    /// Orders the profiles of the root by playouts, where they are cheap: the first of the best is
    /// played, so this decides between moves that the search cannot distinguish.
    fn rank(&mut self, state: &[u64], choices: &Choices) {
        let count = choices.profiles().unwrap_or(0);
        self.ranks = (0..count).collect();
        if choices.actors().len() != 1 || self.worker.lanes() < 2 {
            return;
        }
        // The order of the rules is used if the time ends here.
        if let Ok(values) = self.ranking(state, choices) {
            let mut order: Vec<usize> = (0..count).collect();
            order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
            order.into_iter().enumerate().for_each(|(rank, at)| self.ranks[at] = rank);
        }
    }

    /// The mean of playouts after each profile of the root, with the first outcome of chance.
    fn ranking(&mut self, state: &[u64], choices: &Choices) -> Result<Vec<f64>, Halt> {
        let stop = self.budget.stop().clone();
        let (mut starts, mut gains) = (Vec::new(), Vec::new());
        for profile in 0..self.ranks.len() {
            self.worker.load(state, &stop)?;
            self.worker.step(&choices.joint(profile, 0), &mut self.step, &stop)?;
            gains.push(self.step.gains.get(self.me).copied().unwrap_or(0.0));
            let mut start = Vec::new();
            self.worker.save(&mut start);
            starts.push(start);
        }
        let stream = |start| Stream { id: Key::of(start).0, start, quota: RANKING };
        let streams: Vec<Stream<'_>> = starts.iter().map(|start| stream(start)).collect();
        let batch =
            Batch { seed: self.seed, streams: &streams, max_steps: 1000, detail: Detail::Sums };
        self.worker.playouts(&batch, &mut self.results, &stop)?;
        let role = magister_core::Role(self.me as u8);
        let means = self.results.streams.iter().zip(gains);
        let middle = self.scale.middle();
        Ok(means.map(|(tally, gain)| gain + tally.mean(role).unwrap_or(middle)).collect())
    }

    /// Searches the root. Also returns whether the result is final.
    fn root(
        &mut self,
        state: &[u64],
        choices: &Choices,
        depth: u16,
        first: usize,
    ) -> Result<(Root, bool, Order), Halt> {
        let stop = self.budget.stop().clone();
        self.worker.load(state, &stop)?;
        let mut root = Root { choices: choices.clone(), cells: Vec::new(), complete: false };
        let mut order = Order { profiles: Vec::new(), solved: Vec::new(), exact: Vec::new() };
        let count = choices.profiles().ok_or(Halt::Stopped)?;
        let alone = choices.actors().len() == 1;
        let mut profiles: Vec<usize> = (0..count).collect();
        if alone {
            profiles.sort_by_key(|&profile| (profile != first, self.ranks[profile]));
        }
        let mut alpha = f64::NEG_INFINITY;
        let mut all = true;
        if !self.budget.spend(1) {
            return Err(Halt::Stopped);
        }
        self.nodes += 1;
        for profile in profiles {
            let low = if alone { alpha } else { f64::NEG_INFINITY };
            match self.profile(state, choices, profile, depth - 1, (low, f64::INFINITY)) {
                Ok((value, solved)) => {
                    let mut cell = vec![0.0; self.worker.info().roles.len()];
                    cell[self.me] = value;
                    root.cells.push(cell);
                    order.profiles.push(profile);
                    order.solved.push(solved);
                    order.exact.push(value > low);
                    all &= solved;
                    alpha = alpha.max(value);
                    // A value that does not exceed the window is only a bound.
                    if alone && solved && value > low && value >= self.scale.high {
                        root.complete = true;
                        return Ok((root, true, order));
                    }
                }
                Err(_) => return Ok((root, false, order)),
            }
        }
        root.complete = true;
        Ok((root, all, order))
    }

    /// The value of a profile for me, and whether it is final. Afterwards the worker is in some
    /// later position.
    fn profile(
        &mut self,
        state: &[u64],
        choices: &Choices,
        profile: usize,
        depth: u16,
        window: (f64, f64),
    ) -> Result<(f64, bool), Halt> {
        let stop = self.budget.stop().clone();
        let probabilities = choices.probabilities();
        let (mut mean, mut all) = (0.0, true);
        for (outcome, &likely) in probabilities.iter().enumerate() {
            self.worker.load(state, &stop)?;
            self.worker.step(&choices.joint(profile, outcome), &mut self.step, &stop)?;
            let gain = self.step.gains.get(self.me).copied().unwrap_or(0.0);
            let (low, high) = match probabilities.len() {
                1 => (window.0 - gain, window.1 - gain),
                _ => (f64::NEG_INFINITY, f64::INFINITY),
            };
            let (value, solved) = self.search(depth, low, high)?;
            mean += likely * (value + gain);
            all &= solved;
        }
        Ok((mean, all))
    }

    /// The value of the worker's position for me if it lies between alpha and beta, otherwise a
    /// bound on it; and whether it is final.
    fn search(&mut self, depth: u16, mut alpha: f64, mut beta: f64) -> Result<(f64, bool), Halt> {
        if self.worker.terminal() {
            let values = rewards::terminal(self.worker, self.scale, &mut self.goals);
            return Ok((values[self.me], true));
        }
        let mut state = Vec::new();
        self.worker.save(&mut state);
        if depth == 0 {
            return Ok((self.guess(&state)?, false));
        }
        let key = Key::of(&state);
        let known = self.table.get(key);
        if let Some(known) = known
            && (known.solved || known.depth >= depth)
        {
            match known.bound {
                Bound::Exact => return Ok((known.value, known.solved)),
                Bound::Least if known.value >= beta => return Ok((known.value, known.solved)),
                Bound::Most if known.value <= alpha => return Ok((known.value, known.solved)),
                _ => {}
            }
        }
        if !self.budget.spend(1) {
            return Err(Halt::Stopped);
        }
        self.nodes += 1;
        let choices = Choices::of(self.worker);
        let too_many = || Halt::Limit("a position has too many joint moves to search".to_owned());
        let count = choices.profiles().ok_or_else(too_many)?;
        let me = self.worker.info().all_roles().nth(self.me).ok_or(Halt::BadState)?;
        let mut best = (f64::NAN, 0);
        let mut solved = true;
        let window = (alpha, beta);
        if let [actor] = *choices.actors() {
            let mine = actor == me;
            let mut order: Vec<usize> = (0..count).collect();
            let moves = choices.moves(actor);
            let hint = known.map(|known| known.best as usize);
            let history = &*self.history;
            order.sort_by_cached_key(|&at| {
                let good = history.get(&(actor.0, moves[at])).copied().unwrap_or(0);
                (Some(at) != hint, std::cmp::Reverse(good))
            });
            let mut every = true;
            let mut cut = false;
            for at in order {
                let (value, end) = self.profile(&state, &choices, at, depth - 1, (alpha, beta))?;
                every &= end;
                let better = if mine { value > best.0 } else { value < best.0 };
                if best.0.is_nan() || better {
                    best = (value, at);
                }
                // A value that does not exceed the window is a bound and does not end the search.
                let perfect = if mine {
                    value > alpha && value >= self.scale.high
                } else {
                    value < beta && value <= self.scale.low
                };
                if mine {
                    alpha = alpha.max(value);
                } else {
                    beta = beta.min(value);
                }
                if alpha >= beta || (perfect && end) {
                    let weight = 1 + u64::from(depth) * u64::from(depth);
                    *self.history.entry((actor.0, moves[at])).or_default() += weight;
                    cut = true;
                    // After a cutoff, only the value that caused it matters.
                    solved = end;
                    break;
                }
            }
            if !cut {
                solved = every;
            }
        } else {
            let whole = (f64::NEG_INFINITY, f64::INFINITY);
            let mut cells = Vec::with_capacity(count);
            for profile in 0..count {
                let inner = if count == 1 { (alpha, beta) } else { whole };
                let (value, end) = self.profile(&state, &choices, profile, depth - 1, inner)?;
                solved &= end;
                let mut cell = vec![0.0; self.worker.info().roles.len()];
                cell[self.me] = value;
                cells.push(cell);
            }
            best.0 = combine(&choices, &cells, Outlook::Hostile, me).values[self.me];
        }
        let bound = if best.0 <= window.0 {
            Bound::Most
        } else if best.0 >= window.1 {
            Bound::Least
        } else {
            Bound::Exact
        };
        let known =
            Known { value: best.0, best: best.1 as u32, depth, bound, solved, ..Known::default() };
        self.table.put(key, known);
        Ok((best.0, solved))
    }

    /// The heuristic value of the position for me: by the goal values of the rules, or by playouts.
    fn guess(&mut self, state: &[u64]) -> Result<f64, Halt> {
        if self.playouts == 0 {
            return Ok(rewards::guess(self.worker, self.scale, &mut self.goals)[self.me]);
        }
        let streams = [Stream { id: Key::of(state).0, start: state, quota: self.playouts }];
        let batch =
            Batch { seed: self.seed, streams: &streams, max_steps: 1000, detail: Detail::Sums };
        let stop = self.budget.stop().clone();
        self.worker.playouts(&batch, &mut self.results, &stop)?;
        let tally = self.results.streams.first();
        let role = magister_core::Role(self.me as u8);
        Ok(tally.and_then(|tally| tally.mean(role)).unwrap_or(self.scale.middle()))
    }
}
