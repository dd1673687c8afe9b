//! How moves are chosen in playouts that are played one by one.
//!
//! Mostly the move is made that did best in earlier playouts, wherever it was made (the
//! move-average sampling technique, MAST), or where it was made after the same joint moves (the
//! n-gram selection technique, NST: Tak, Winands and Björnsson, 2012); now and then any.

use magister_core::{Move, Rng, Role};
use rustc_hash::FxHashMap;

use super::descent::Descent;
use super::search::Search;
use super::tree::{Kind, NONE};

/// The policies.
pub(crate) const POLICIES: &[&str] = &["uniform", "mast", "nst"];

/// The n-grams of each: the moves of the longest.
const LENGTHS: [usize; 3] = [0, 1, LONGEST];

/// The moves of the longest n-gram: the one to judge, and those before it.
const LONGEST: usize = 3;

/// Longer n-grams are noted and asked for once the shorter one was seen so often.
const ENOUGH: f32 = 7.0;

/// What is left of what was seen when another position is thought about.
const KEPT: f32 = 0.6;

/// What was seen less than this is forgotten then.
const FORGOTTEN: f32 = 0.5;

/// More n-grams than this are not kept: some tens of megabytes.
const ROOM: usize = 1 << 20;

/// A move of a role as n-grams, from the move alone to the longest.
type Grams = [u64; LONGEST];

/// What came of moves in playouts, and how to choose by it.
#[derive(Debug, Default)]
pub(super) struct Policy {
    /// The length of n-grams: 0 if all moves are equally likely, 1 if only the move itself counts.
    longest: usize,
    /// How likely any move is made instead of the best.
    epsilon: f64,
    /// How often n-grams were seen, and the sum of the values, from 0 to 1.
    seen: FxHashMap<u64, (f32, f32)>,
    /// What stands for the last joint move, the last two, and so on.
    before: [u64; LONGEST - 1],
    /// The moves of this playout.
    course: Vec<(Role, Grams)>,
}

impl Policy {
    /// One of the [`POLICIES`].
    pub(super) fn new(number: u32, epsilon: f64) -> Self {
        let longest = LENGTHS.get(number as usize).copied().unwrap_or(0);
        Policy { longest, epsilon, ..Policy::default() }
    }

    /// Whether anything is learnt at all.
    pub(super) fn learns(&self) -> bool {
        self.longest > 0
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.seen.clear();
    }

    /// Another position is thought about: what was learnt counts less.
    pub(super) fn fade(&mut self) {
        self.seen.retain(|_, (count, sum)| {
            (*count, *sum) = (*count * KEPT, *sum * KEPT);
            *count >= FORGOTTEN
        });
    }

    /// A playout begins, with the way to it.
    pub(super) fn begin(&mut self) {
        self.before = Default::default();
        self.course.clear();
    }

    /// The choice of a role.
    pub(super) fn choose(&self, role: Role, legal: &[Move], rng: &mut Rng) -> Option<Move> {
        if legal.len() < 2 {
            return legal.first().copied();
        }
        if rng.f64() < self.epsilon {
            return Some(legal[rng.below(legal.len() as u64) as usize]);
        }
        let (mut best, mut most, mut equal) = (None, f32::NEG_INFINITY, 0);
        for &choice in legal {
            let worth = self.worth(role, choice);
            equal = if worth > most { 1 } else { equal + u64::from(worth >= most) };
            // Of those that are equally good, each with the same likelihood.
            if worth > most || (worth >= most && rng.below(equal) == 0) {
                (best, most) = (Some(choice), worth);
            }
        }
        best
    }

    /// What a move is worth here: the mean over its n-grams that were seen enough. One that was
    /// never seen is worth a try.
    fn worth(&self, role: Role, choice: Move) -> f32 {
        let (mut sum, mut known) = (0.0, 0.0);
        for gram in &self.grams(role, choice)[..self.longest] {
            let Some(&(count, total)) = self.seen.get(gram) else { break };
            if known > 0.0 && count < ENOUGH {
                break;
            }
            sum += total / count;
            known += 1.0;
        }
        if known > 0.0 { sum / known } else { 1.0 }
    }

    /// The n-grams that end with a move.
    fn grams(&self, role: Role, choice: Move) -> Grams {
        let own = mix(u64::from(role.0) << 32 | u64::from(choice.0));
        std::array::from_fn(|length| match length {
            0 => own,
            _ => mix(self.before[length - 1] ^ own.rotate_left(length as u32)),
        })
    }

    /// A step was made, in which some roles had a choice.
    pub(super) fn made(&mut self, moves: impl Iterator<Item = (Role, Move)>) {
        let first = self.course.len();
        for (role, choice) in moves {
            let grams = self.grams(role, choice);
            self.course.push((role, grams));
        }
        if self.course.len() == first {
            return;
        }
        let joint = self.course[first..].iter().fold(0, |joint, (_, grams)| mix(joint ^ grams[0]));
        for length in (1..self.before.len()).rev() {
            self.before[length] = mix(self.before[length - 1].wrapping_add(joint));
        }
        self.before[0] = joint;
    }

    /// The playout has come to its end, and brought each role a value from 0 to 1.
    pub(super) fn learn(&mut self, values: impl Fn(Role) -> f32) {
        for (role, grams) in self.course.drain(..) {
            let value = values(role);
            for gram in &grams[..self.longest] {
                if self.seen.len() >= ROOM && !self.seen.contains_key(gram) {
                    break;
                }
                let (count, sum) = self.seen.entry(*gram).or_default();
                *count += 1.0;
                *sum += value;
                if *count < ENOUGH {
                    break;
                }
            }
        }
    }
}

impl Search<'_> {
    /// Begins a playout with the moves of a descent.
    pub(super) fn recall(&mut self, descent: &Descent) {
        if !self.policy.learns() {
            return;
        }
        self.policy.begin();
        let mut way = Vec::with_capacity(descent.depth as usize);
        let mut at = descent.last;
        while at != NONE {
            way.push(at);
            at = self.hops[at as usize].before;
        }
        let choice = &self.tree.edges.choice;
        for &at in way.iter().rev() {
            let hop = self.hops[at as usize];
            if let Kind::One(role) = self.tree.node(hop.node).kind {
                self.policy.made(std::iter::once((role, choice[hop.edge as usize])));
            } else if hop.several
                && let Some(crowd) = self.tree.crowds.get(&hop.node)
            {
                let edges = &self.many[hop.edge as usize].edges;
                let chosen = crowd.actors.iter().zip(edges);
                self.policy.made(chosen.map(|(actor, &edge)| (actor.0, choice[edge as usize])));
            }
        }
    }

    /// Lets the policy learn from a playout, which is in [`Search::sample`], and from the way to it.
    pub(super) fn teach(&mut self, descent: &Descent) {
        if !self.policy.learns() {
            return;
        }
        let mut values = self.sample.clone();
        let mut at = descent.last;
        while at != NONE {
            let hop = self.hops[at as usize];
            values.iter_mut().zip(self.gains(hop)).for_each(|(value, gain)| *value += gain);
            at = hop.before;
        }
        let (low, spread) = (self.seen.0, self.spread);
        self.policy.learn(|role| ((values[role.index()] - low) * spread).clamp(0.0, 1.0));
    }
}

/// Spreads the bits of a number over all of them.
fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number ^ number >> 32
}
