//! The strong player: Monte Carlo tree search in a graph of positions, with proven values and
//! playouts of many leaves at once.
//!
//! A round makes several descents before any playout. A pending descent counts as a visit to all
//! nodes on its path but not as a result, so the next one goes elsewhere without lowering the
//! values. Then the playouts of all leaves run on vectors, and everything is backed up, each shared
//! step once.
//!
//! - Each role maximises its own mean (max-n); with two players this is UCT. Roles that move
//!   simultaneously choose independently (decoupled UCT) and play in proportion to their visits.
//! - Transpositions share a node. An edge has the mean of its target node, and the value of a node
//!   is the mean of its edges weighted by visits.
//! - Terminal positions are proofs. A node is proven when a move to the best reward is proven, or
//!   all moves are; a chance node when all outcomes are proven; a node with simultaneous moves when
//!   all joint moves are, by solving the matrix game. Moves that are proven to lose are neither
//!   visited nor counted.
//! - The value of an unvisited move is that of its position, adjusted by the value of the move in
//!   all playouts (MAST). A move with few visits is also evaluated by the playouts in which it was
//!   made later (GRAVE), if the engine collects these statistics.
//! - Playouts that run one by one mostly choose the move with the best mean in earlier playouts
//!   (MAST), or after the same moves (NST), unless the engine could play them on vectors.
//! - The graph is kept from move to move.
//! - A small game is solved before the first move with a part of the budget, and then played
//!   perfectly.
//! - A game that decomposes is solved by its parts, if that is possible with a part of the start
//!   clock, and then played perfectly; the search chooses among moves of the same value.
//! - A game for one player without chance is a puzzle: half of the time is spent on a search for a
//!   plan with the best reward, and once such a plan is known, it is followed.

mod backup;
mod descent;
mod edges;
mod leaves;
mod pace;
mod parts;
mod policy;
mod prior;
mod search;
mod select;
mod solo;
mod tree;
mod verdict;

use magister_core::playout::Team;
use magister_core::{Agent, Budget, Decision, Halt, Move, Rng, Step, Stop, View, Worker};
use magister_solve::Solution;

use crate::follow::Follower;
use crate::puzzle::{self, Plan};
use crate::registry::{Arguments, Made};
use crate::rewards::Scale;
use leaves::Round;
use pace::Pace;
use parts::Parts;
pub(crate) use policy::POLICIES;
use policy::Policy;
use prior::Priors;
use search::Search;
use tree::{NONE, Tree};

/// The number of playouts per leaf if the engine plays many at the cost of one. It is small, so
/// that a round has many leaves. With statistics of moves, it is the number of lanes of a stream.
const SIDE_BY_SIDE: u32 = 4;
const STREAM: u32 = 32;

/// The number of playouts of a leaf before it is expanded, if playouts run on vectors.
const EXPAND: u32 = 16;

/// The settings.
#[derive(Clone, Debug)]
struct Config {
    c: f32,
    fpu: f32,
    bias: f32,
    grave: f32,
    /// The number of playouts of a leaf before it is expanded.
    expand: u32,
    /// Whether no statistics of moves are needed.
    plain: bool,
    batch: u32,
    /// The number of descents in a round is at most the visits of the root divided by this, so that
    /// a small search does not suffer from descents that know nothing about each other. This does
    /// not apply if the clock leaves time for only a few rounds.
    patience: u32,
    /// The number of concurrent descents through a node is at most its visits divided by this, for
    /// the same reason and with the same exception.
    concurrency_cap: u32,
    playouts: u32,
    /// Whether spare lanes give leaves more playouts.
    spare: bool,
    max_steps: u32,
    memory: usize,
    /// Whether playouts run on vectors or on several threads.
    lanes: bool,
    threads: usize,
}

/// The strong player.
pub(crate) struct Uct {
    name: String,
    config: Config,
    /// The playouts per leaf, the descents per round, and the playouts of a leaf before it is
    /// expanded; 0 means a default that suits the engine.
    playouts: u32,
    batch: u32,
    expand: u32,
    follower: Follower,
    tree: Tree,
    priors: Priors,
    policy: Policy,
    rules: String,
    seen: Option<(f32, f32)>,
    /// The solution of a small game, and whether solving was tried.
    solution: Option<Solution>,
    attempted: bool,
    /// Whether games are decomposed, and what is known from their parts.
    decompose: bool,
    parts: Parts,
    /// Workers for playouts, if there are several threads.
    team: Option<Team>,
    /// Whether tactical playouts are requested, and the worker for them if the game has them.
    tactics: bool,
    tactician: Option<Box<dyn Worker>>,
    /// The best plan of a puzzle, the position where it starts, and the memory of the puzzle
    /// search.
    plan: Plan,
    begins: Vec<u64>,
    puzzle: puzzle::Memory,
}

impl Uct {
    pub(crate) fn make(settings: &Arguments) -> Made {
        let config = Config {
            c: settings.real("c")? as f32,
            fpu: settings.real("fpu")? as f32,
            bias: settings.real("bias")? as f32,
            grave: settings.real("grave")? as f32,
            expand: 1,
            plain: settings.real("bias")? <= 0.0 && settings.real("grave")? <= 0.0,
            batch: 1,
            patience: settings.whole("patience")?,
            concurrency_cap: settings.whole("concurrency")?,
            playouts: 1,
            spare: true,
            max_steps: settings.whole("steps")?,
            memory: (settings.whole("memory")? as usize) << 20,
            lanes: false,
            threads: settings.whole("threads")? as usize,
        };
        let (number, epsilon) = (settings.choice("policy")?, settings.real("epsilon")?);
        let policy = Policy::new(number as u32, epsilon, config.memory / 8);
        Ok(Box::new(Uct {
            name: settings.text().to_owned(),
            config,
            playouts: settings.whole("playouts")?,
            batch: settings.whole("batch")?,
            expand: settings.whole("expand")?,
            follower: Follower::new(),
            tree: Tree::default(),
            priors: Priors::default(),
            policy,
            rules: String::new(),
            seen: None,
            solution: None,
            attempted: false,
            decompose: settings.whole("decompose")? == 1,
            parts: Parts::default(),
            team: None,
            tactics: settings.whole("tactics")? == 1,
            tactician: None,
            plan: Plan::default(),
            begins: Vec::new(),
            puzzle: puzzle::Memory::default(),
        }))
    }

    /// Clears everything if the game has changed.
    fn meet(&mut self, view: &View) {
        let info = view.game().info();
        if self.rules == info.rules_hash && self.tree.roles == info.roles.len() {
            return;
        }
        self.tree = Tree::with_room(info.roles.len(), self.config.memory / 2);
        self.priors = Priors::new(info);
        self.policy.clear();
        self.rules.clone_from(&info.rules_hash);
        self.seen = None;
        self.begins.clear();
        self.puzzle = puzzle::Memory::default();
        self.solution = None;
        self.attempted = false;
        self.parts = Parts::default();
        let tactical = self.tactics.then(|| view.game().tactical()).flatten();
        let playing = tactical.as_ref().unwrap_or_else(|| view.game());
        let threads = self.config.threads;
        self.team = (threads > 1).then(|| Team::new(&**playing, threads));
        self.tactician = tactical.as_ref().map(|game| game.worker());
    }

    /// Searches the current position until the budget ends; returns the root and the number of
    /// descents.
    fn think(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Option<(u32, u64)>, Halt> {
        let worker = self.follower.follow(view, budget.stop())?;
        if worker.terminal() {
            return Ok(None);
        }
        let info = worker.info();
        let side_by_side = worker.lanes() > 1;
        self.policy.suit(side_by_side || self.config.threads > 1);
        // With one descent at a time there is nothing to batch.
        self.config.lanes =
            (side_by_side || self.config.threads > 1) && self.batch != 1 && !self.policy.named();
        self.config.playouts = match self.playouts {
            0 if self.config.lanes && side_by_side && !self.config.plain => STREAM,
            0 if self.config.lanes && side_by_side => SIDE_BY_SIDE,
            0 => 1,
            given => given,
        };
        self.config.spare = self.playouts == 0;
        self.config.expand = match self.expand {
            // If playouts are cheap, expansion is relatively expensive; but in a puzzle, the only
            // path to a solution may need it.
            0 if side_by_side && info.players().count() > 1 => EXPAND,
            0 => 1,
            given => given,
        };
        self.config.batch = match self.batch {
            // Some are abandoned, so more are started than there are lanes.
            0 if self.config.lanes => (2 * leaves::LANES / self.config.playouts).max(1),
            0 => 1,
            given => given,
        };
        let scale = Scale::of(info);
        let mut state = Vec::new();
        worker.save(&mut state);
        let mut root = self.tree.find(&state).unwrap_or(NONE);
        let mut renumbered = true;
        if root == NONE {
            // Nothing in the tree can recur, unless the game has cycles.
            self.tree.clear();
            root = self.tree.add(worker, &state);
        } else if self.tree.bytes() > self.config.memory / 4 {
            root = self.tree.keep(root, self.config.memory / 2);
        } else {
            renumbered = false;
        }
        self.priors.fade(renumbered);
        self.policy.fade();
        let low = scale.low as f32;
        let high = if scale.high.is_finite() { scale.high as f32 } else { low };
        let roles = self.tree.roles;
        let mut search = Search {
            worker,
            tree: &mut self.tree,
            config: &self.config,
            priors: &mut self.priors,
            policy: &mut self.policy,
            stop: budget.stop().clone(),
            scale,
            seen: self.seen.unwrap_or((low, high)),
            spread: 1.0,
            root,
            room: true,
            hops: Vec::new(),
            many: Vec::new(),
            sums: Vec::new(),
            known: Vec::new(),
            concurrency_cap: None,
            given_up: 0,
            parties: Vec::new(),
            next: Vec::new(),
            chosen: Vec::new(),
            promise: Vec::new(),
            sample: vec![0.0; roles],
            step: Step::new(),
            goals: Vec::new(),
            state: Vec::new(),
            joint: Vec::new(),
            rng,
        };
        search.stretch();
        let seed = search.rng.next_u64();
        let mut round = Round::new(seed, &mut self.team, &mut self.tactician);
        let mut iterations = 0;
        let mut pace = Pace::new(budget);
        loop {
            let node = search.tree.node(root);
            if node.proven {
                break;
            }
            let size = pace.size(node.visits, search.config, budget);
            let size = budget.left().map_or(u64::from(size), |left| left.min(u64::from(size)));
            if size == 0 || !budget.spend(0) {
                break;
            }
            search.concurrency_cap = pace.concurrency_cap(search.config, budget);
            // Vectors double in size when they grow, so half of the memory must stay free.
            search.room = search.tree.bytes() + search.policy.bytes() < search.config.memory / 2;
            match search.round(&mut round, size) {
                Ok(()) => {
                    let made = size - u64::from(search.given_up);
                    debug_assert!(made > 0, "a round makes progress");
                    iterations += made;
                    if made == 0 || !budget.spend(made) {
                        break;
                    }
                }
                // If the rules fail in a later position, the player still has to move here.
                Err(_) => break,
            }
        }
        let under_way = |node: &tree::Node| node.pending > 0;
        debug_assert!(!search.tree.nodes.iter().any(under_way), "no descent is pending");
        self.seen = Some(search.seen);
        Ok(Some((root, iterations)))
    }

    /// The decision: by the solution of the game, by the plan of a puzzle, or by search.
    fn choose(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Option<Decision>, Halt> {
        if let Some(decision) = self.solved(view, budget, rng)? {
            return Ok(Some(decision));
        }
        if let Some(decision) = self.puzzle(view, budget, rng)? {
            self.advance(view, decision.choice);
            return Ok(Some(decision));
        }
        let advice = self.by_parts(view, budget)?;
        let high = view.game().info().rewards.1;
        let settled = advice.as_deref().and_then(|moves| parts::settled(moves, high, rng));
        if settled.is_some() {
            return Ok(settled);
        }
        let me = view.role();
        // A plan that was found before the time was up is better than nothing.
        let found = self.think(view, budget, rng).unwrap_or_default();
        let (root, iterations) = found.unwrap_or((NONE, 0));
        let decision = if root == NONE { None } else { self.decision(root, me, rng) };
        // In a puzzle the best plan counts more than any mean below it.
        let mean = decision
            .as_ref()
            .map_or(f64::NEG_INFINITY, |_| f64::from(self.tree.values(root)[me.index()]));
        let planned = self.planned(iterations).filter(|_| {
            !self.begins.is_empty() && self.plan.value.is_some_and(|value| value > mean)
        });
        let decision = planned.or(decision).map(|decision| Decision { iterations, ..decision });
        let decision = match advice {
            Some(moves) => parts::among(&moves, decision),
            None => decision,
        };
        if let Some(decision) = &decision {
            self.advance(view, decision.choice);
        }
        Ok(decision)
    }
}

impl Agent for Uct {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn prepare(&mut self, view: &View, stop: &Stop) -> Result<(), Halt> {
        self.meet(view);
        if let Some(tactical) = self.tactics.then(|| view.game().tactical()).flatten() {
            // Parts that are not finished in time are built by the first playouts.
            let _ = tactical.warm_up(stop);
        }
        self.detect(view, stop)
    }

    fn ready(&mut self, view: &View, budget: &mut Budget, rng: &mut Rng) -> Result<(), Halt> {
        self.prepare(view, budget.stop())?;
        self.attempt(view, budget, solo::START)?;
        if self.solution.is_none() {
            self.split(view, budget, parts::START)?;
            self.value_regions(view, budget)?;
        }
        if self.solution.is_some() || self.parts.solved() {
            return Ok(());
        }
        match self.puzzle(view, budget, rng)? {
            Some(_) => Ok(()),
            None => self.think(view, budget, rng).map(|_| ()),
        }
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        self.meet(view);
        let me = view.role();
        let worker = self.follower.follow(view, budget.stop())?;
        let legal = worker.legal(me).to_vec();
        if legal.len() < 2 {
            return Ok(legal.first().copied().unwrap_or(Move::IDLE).into());
        }
        let fallback: Decision = legal[rng.below(legal.len() as u64) as usize].into();
        match self.choose(view, budget, rng) {
            Ok(decision) => Ok(decision.unwrap_or(fallback)),
            // The time ended before anything was found, but the legal moves are known.
            Err(Halt::Stopped) => Ok(fallback),
            Err(halt) => Err(halt),
        }
    }

    fn value(&mut self, view: &View) -> Option<Vec<f64>> {
        let worker: &mut dyn Worker =
            self.follower.follow(view, &magister_core::Stop::never()).ok()?;
        let mut state = Vec::new();
        worker.save(&mut state);
        if let Some(solution) = &self.solution
            && let Some(values) = solution.values(&state)
        {
            return Some(values.to_vec());
        }
        let root = self.tree.find(&state)?;
        let seen = self.tree.node(root).visits > 0 || self.tree.node(root).proven;
        seen.then(|| self.tree.values(root).iter().map(|&value| f64::from(value)).collect())
    }
}
