//! Playouts that share their luck.
//!
//! Two playouts of the same world draw the same random number for the same move of the same role at
//! the same decision (common random numbers). If they differ only in their first move, most of what
//! follows is the same, and the difference of their results is mostly due to that move. A single
//! playout is still uniformly random.

use std::sync::Arc;

use magister_core::{Game, Halt, Info, Move, Payment, Role, Step, Stop, View, Worker};
use magister_infoset::{ViewId, Views};
use rustc_hash::FxHashMap;

use super::habits::{Habit, Habits};
use super::utility::Utility;
use crate::playing::MAX_STEPS;
use crate::rewards::{self, Scale};

/// The maximum number of nodes of the tree.
const MOST_NODES: usize = 200_000;

/// The random numbers of a world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Luck(pub(crate) u64);

impl Luck {
    /// The number for a move of a role at its decision with this number.
    fn of(self, role: Role, decision: u32, choice: Move) -> u64 {
        let which = u64::from(role.0) << 32 | u64::from(decision);
        mix(self.0.wrapping_add(mix(which)) ^ mix(u64::from(choice.0) | 1 << 40))
    }
}

/// Mixes the bits of a number.
fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number ^ number >> 32
}

/// The reward of the searching role in a playout, and its utility.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    pub(crate) reward: f64,
    pub(crate) utility: f64,
}

/// The statistics of a move in the tree.
#[derive(Clone, Copy, Debug)]
struct Arm {
    choice: Move,
    visits: f64,
    /// How often it was legal.
    available: f64,
    sum: f64,
}

/// Playouts for a decision of a role. The first moves of a playout may follow a tree over the
/// role's observations, as in single-observer information-set MCTS.
pub(crate) struct Playouts<'a> {
    game: Arc<dyn Game>,
    me: Role,
    plan: Plan,
    utility: Utility,
    habits: &'a mut Habits,
    /// The decisions of this playout, and the last move of a player.
    made: Vec<Habit>,
    last: Move,
    /// The number of the role's turns before this decision, and of each role's turns in this
    /// playout.
    before: u32,
    turns: Vec<u32>,
    /// For each role, the sum of its utilities, and the number of playouts.
    sums: Vec<f64>,
    count: f64,
    scale: Scale,
    views: Views,
    nodes: FxHashMap<(ViewId, Role), Vec<Arm>>,
    /// The number of decisions of each role in this playout.
    decisions: Vec<u32>,
    path: Vec<((ViewId, Role), usize)>,
    /// Whether this playout has left a tree that is full.
    left: bool,
    step: Step,
    joint: Vec<Move>,
    totals: Vec<f64>,
}

/// The settings of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// The exploration constant and the maximum depth of the tree.
    pub(crate) c: f64,
    pub(crate) depth: usize,
    /// The weight of the lead in score relative to the rank.
    pub(crate) margin: f64,
    /// How much playouts follow what they have learned, for the searching role and for the others.
    pub(crate) own: f32,
    pub(crate) others: f32,
}

impl<'a> Playouts<'a> {
    /// Playouts for the next decision of a view.
    pub(crate) fn new(view: &View, plan: Plan, habits: &'a mut Habits) -> Self {
        let game = view.game();
        let before = view.turns().iter().filter(|turn| turn.own != Move::IDLE).count() as u32;
        Playouts {
            game: Arc::clone(game),
            me: view.role(),
            plan,
            utility: Utility::new(game.info(), plan.margin),
            habits,
            made: Vec::new(),
            last: Move::IDLE,
            before,
            turns: Vec::new(),
            sums: vec![0.0; game.info().roles.len()],
            count: 0.0,
            scale: Scale::of(game.info()),
            views: Views::new(&**game),
            nodes: FxHashMap::default(),
            decisions: Vec::new(),
            path: Vec::new(),
            left: false,
            step: Step::new(),
            joint: Vec::new(),
            totals: Vec::new(),
        }
    }

    /// Makes a move in a state and plays to the end.
    pub(crate) fn play(
        &mut self,
        worker: &mut dyn Worker,
        state: &[u64],
        choice: Move,
        luck: Luck,
        stop: &Stop,
    ) -> Result<Outcome, Halt> {
        // Only the tree needs percepts.
        worker.quiet(self.plan.depth == 0);
        let outcome = self.play_on(worker, state, choice, luck, stop);
        worker.quiet(false);
        outcome
    }

    fn play_on(
        &mut self,
        worker: &mut dyn Worker,
        state: &[u64],
        choice: Move,
        luck: Luck,
        stop: &Stop,
    ) -> Result<Outcome, Halt> {
        let game = Arc::clone(&self.game);
        let info = game.info();
        worker.load(state, stop)?;
        self.totals.clear();
        self.totals.resize(info.roles.len(), 0.0);
        self.decisions.clear();
        self.decisions.resize(info.roles.len(), 0);
        self.turns.clear();
        self.turns.resize(info.roles.len(), self.before);
        self.path.clear();
        self.made.clear();
        self.last = Move::IDLE;
        self.left = false;
        let mut view = self.views.root(self.me);
        let mut inside = self.plan.depth > 0;
        for number in 0..MAX_STEPS {
            if worker.terminal() {
                break;
            }
            let first = (number == 0).then_some(choice);
            let before = self.nodes.len();
            self.choose(worker, info, first, inside.then_some(view), luck);
            worker.step(&self.joint, &mut self.step, stop)?;
            self.totals.iter_mut().zip(&self.step.gains).for_each(|(total, gain)| *total += gain);
            // A playout adds one node and leaves the tree.
            let stays = inside
                && self.nodes.len() == before
                && self.path.len() < self.plan.depth
                && !self.left;
            if stays && self.step.tick {
                view = self.views.extend(view, self.me, &self.joint, &self.step);
            }
            if inside && !stays {
                worker.quiet(true);
            }
            inside = stays;
        }
        if info.payment == Payment::AtEnd {
            if worker.terminal() {
                self.totals = rewards::terminal(worker, self.scale, &mut Vec::new());
            } else {
                self.totals.fill(self.scale.middle());
            }
        }
        let reward = self.totals[self.me.index()];
        self.utility.convert(&mut self.totals);
        self.learn();
        for (key, at) in self.path.drain(..) {
            if let Some(arms) = self.nodes.get_mut(&key) {
                arms[at].visits += 1.0;
                arms[at].sum += self.totals[key.1.index()];
            }
        }
        Ok(Outcome { reward, utility: self.totals[self.me.index()] })
    }

    /// Adds this playout to the habits: by how much each role did better than usual.
    fn learn(&mut self) {
        self.count += 1.0;
        self.sums.iter_mut().zip(&self.totals).for_each(|(sum, total)| *sum += total);
        if self.plan.own == 0.0 && self.plan.others == 0.0 {
            return;
        }
        for &habit in &self.made {
            let at = habit.role.index();
            let advantage = self.totals[at] - self.sums[at] / self.count;
            self.habits.add(habit, advantage as f32);
        }
    }

    /// Draws a move; those with a higher expected advantage are more likely.
    fn by_habit(
        &self,
        legal: &[Move],
        turn: u32,
        trust: f32,
        number: impl Fn(Move) -> u64,
    ) -> Move {
        let mut best = (f32::NEG_INFINITY, Move::IDLE);
        for &one in legal {
            let here = trust * self.habits.worth(self.last, turn, one) + gumbel(number(one));
            if here > best.0 {
                best = (here, one);
            }
        }
        best.1
    }

    /// Chooses the next joint move: the given first move, by the tree if there is an information
    /// state, and otherwise at random.
    fn choose(
        &mut self,
        worker: &dyn Worker,
        info: &Info,
        first: Option<Move>,
        view: Option<ViewId>,
        luck: Luck,
    ) {
        self.joint.clear();
        for role in info.all_roles() {
            let legal = worker.legal(role);
            let forced = if legal.len() < 2 { legal.first().or(Some(&Move::IDLE)) } else { None };
            let given = first.filter(|_| role == self.me).or(forced.copied());
            if let Some(given) = given {
                self.joint.push(given);
                if legal.len() > 1 {
                    let turn = self.turns[role.index()];
                    self.made.push(Habit { role, before: self.last, turn, choice: given });
                }
                self.turns[role.index()] += u32::from(given != Move::IDLE);
                continue;
            }
            let turn = self.turns[role.index()];
            self.turns[role.index()] += 1;
            let decision = self.decisions[role.index()];
            self.decisions[role.index()] += 1;
            let number = |choice: Move| luck.of(role, decision, choice);
            let choice = match view {
                _ if info.chance == Some(role) => {
                    by_chance(legal, worker.weights(), number(Move::IDLE))
                }
                Some(view)
                    if self.nodes.len() < MOST_NODES || self.nodes.contains_key(&(view, role)) =>
                {
                    let arms = self.nodes.entry((view, role)).or_default();
                    let at = select(arms, legal, self.plan.c, number);
                    self.path.push(((view, role), at));
                    arms.get(at).map_or(Move::IDLE, |arm| arm.choice)
                }
                _ => {
                    self.left |= view.is_some();
                    let trust = if role == self.me { self.plan.own } else { self.plan.others };
                    if trust > 0.0 {
                        self.by_habit(legal, turn, trust, number)
                    } else {
                        legal.iter().copied().max_by_key(|&one| number(one)).unwrap_or(Move::IDLE)
                    }
                }
            };
            self.joint.push(choice);
            if info.chance != Some(role) {
                self.made.push(Habit { role, before: self.last, turn, choice });
            }
        }
        let players = info.players().map(|role| self.joint[role.index()]);
        self.last = players.filter(|&one| one != Move::IDLE).last().unwrap_or(self.last);
    }
}

/// A number with a Gumbel distribution: of several values plus such numbers, each is the highest with
/// a probability that is proportional to the exponential of the value.
fn gumbel(number: u64) -> f32 {
    let uniform = ((number >> 40) as f32 + 0.5) / (1 << 24) as f32;
    -(-uniform.ln()).ln()
}

/// The move of chance for a random number, by its weights.
fn by_chance(legal: &[Move], weights: &[u32], number: u64) -> Move {
    let share = |total: u64| ((u128::from(number) * u128::from(total)) >> 64) as u64;
    let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    let mut rest = share(total);
    for (&choice, &weight) in legal.iter().zip(weights) {
        match rest.checked_sub(u64::from(weight)) {
            Some(less) => rest = less,
            None => return choice,
        }
    }
    // All moves are equally likely.
    legal.get(share(legal.len() as u64) as usize).copied().unwrap_or(Move::IDLE)
}

/// Selects a legal move by upper confidence bounds. New moves come first, in the order of their
/// random numbers.
fn select(arms: &mut Vec<Arm>, legal: &[Move], c: f64, number: impl Fn(Move) -> u64) -> usize {
    for &choice in legal {
        if !arms.iter().any(|arm| arm.choice == choice) {
            arms.push(Arm { choice, visits: 0.0, available: 0.0, sum: 0.0 });
        }
    }
    let (mut best, mut most) = (0, (f64::NEG_INFINITY, 0));
    for (at, arm) in arms.iter_mut().enumerate() {
        if !legal.contains(&arm.choice) {
            continue;
        }
        arm.available += 1.0;
        let worth = if arm.visits == 0.0 {
            f64::INFINITY
        } else {
            arm.sum / arm.visits + c * (arm.available.ln() / arm.visits).sqrt()
        };
        let here = (worth, number(arm.choice));
        if here > most {
            (best, most) = (at, here);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOVES: [Move; 4] = [Move(3), Move(7), Move(8), Move(20)];

    /// The choice with the highest number is uniform, and independent of other decisions.
    #[test]
    fn luck_is_uniform() {
        let mut counts = [[0_u32; 4]; 4];
        for seed in 0..16_000_u64 {
            let luck = Luck(mix(seed));
            let best = |decision: u32| {
                let number = |at: &usize| luck.of(Role(1), decision, MOVES[*at]);
                (0..4).max_by_key(number).unwrap_or(0)
            };
            counts[best(0)][best(1)] += 1;
        }
        for count in counts.iter().flatten() {
            assert!((850..1150).contains(count), "{counts:?}");
        }
    }

    #[test]
    fn chance_follows_its_weights() {
        let mut counts = [0_u32; 2];
        for number in 0..10_000_u64 {
            let drawn = by_chance(&MOVES[..2], &[1, 3], mix(number));
            counts[usize::from(drawn == MOVES[1])] += 1;
        }
        assert!((2300..2700).contains(&counts[0]), "{counts:?}");
        assert_eq!(by_chance(&MOVES, &[], 0), MOVES[0]);
        assert_eq!(by_chance(&MOVES, &[], u64::MAX), MOVES[3]);
    }

    /// Untried moves are selected before others, then the better one.
    #[test]
    fn the_tree_selects_by_confidence_bounds() {
        let mut arms = Vec::new();
        let number = |choice: Move| u64::from(choice.0);
        let first = select(&mut arms, &MOVES[..2], 0.1, number);
        assert_eq!(arms[first].choice, MOVES[1]);
        (arms[first].visits, arms[first].sum) = (1.0, 1.0);
        let second = select(&mut arms, &MOVES[..2], 0.1, number);
        assert_eq!(arms[second].choice, MOVES[0]);
        (arms[second].visits, arms[second].sum) = (1.0, 0.0);
        assert_eq!(select(&mut arms, &MOVES[..2], 0.1, number), first);
        // A move that is not legal in this world is never selected.
        let at = select(&mut arms, &MOVES[..1], 0.1, number);
        assert_eq!(arms[at].choice, MOVES[0]);
    }
}
