//! The policy of playouts that run one by one.
//!
//! It mostly chooses the move with the best mean in earlier playouts, regardless of the position
//! (move-average sampling technique, MAST), or after the same joint moves (n-gram selection
//! technique, NST: Tak, Winands and Björnsson, 2012); sometimes a random move.

use magister_core::{Move, Rng, Role};
use rustc_hash::FxHashMap;

use super::descent::Descent;
use super::search::Search;
use super::tree::{Kind, NONE};

/// The policies. The first is NST if playouts run one by one anyway.
pub(crate) const POLICIES: &[&str] = &["auto", "nst", "mast", "uniform"];

/// The maximum length of the n-grams of each policy.
const LENGTHS: [usize; 4] = [LONGEST, LONGEST, 1, 0];

/// The maximum length of n-grams: the move to judge and those before it.
const LONGEST: usize = 3;

/// Longer n-grams are used once the shorter one was seen this often.
const ENOUGH: f32 = 7.0;

/// Counts are halved at this number, long before small values lose precision.
const MOST: f32 = 1e6;

/// The discount of old statistics when the search moves to another position.
const KEPT: f32 = 0.6;

/// Counts below this are then removed.
const FORGOTTEN: f32 = 0.5;

/// The maximum size of an n-gram in bytes while its table grows.
const GRAM: usize = 64;

/// A move of a role as n-grams, from the move alone to the longest.
type Grams = [u64; LONGEST];

/// The statistics of moves in playouts, and the selection by them.
#[derive(Debug, Default)]
pub(super) struct Policy {
    /// One of the [`POLICIES`].
    number: usize,
    /// The length of n-grams: 0 for a uniform policy, 1 if only the move itself counts.
    longest: usize,
    /// The probability of a random move.
    epsilon: f64,
    /// The maximum number of n-grams.
    room: usize,
    /// The count of each n-gram, and the sum of its values from 0 to 1.
    seen: FxHashMap<u64, (f32, f32)>,
    /// Hashes of the last joint move, the last two, and so on.
    before: [u64; LONGEST - 1],
    /// The moves of this playout.
    history: Vec<(Role, Grams)>,
}

impl Policy {
    /// One of the [`POLICIES`], with a memory limit in bytes.
    pub(super) fn new(number: u32, epsilon: f64, bytes: usize) -> Self {
        let number = number as usize;
        let longest = LENGTHS.get(number).copied().unwrap_or(0);
        Policy { number, longest, epsilon, room: bytes / GRAM, ..Policy::default() }
    }

    /// Whether it was set explicitly.
    pub(super) fn named(&self) -> bool {
        self.number > 0 && self.learns()
    }

    /// Chooses the default for an engine with or without batch playouts. With batch playouts,
    /// single playouts serve only for comparison, so they must be uniform too.
    pub(super) fn suit(&mut self, side_by_side: bool) {
        if self.number == 0 {
            self.longest = if side_by_side { 0 } else { LENGTHS[0] };
        }
    }

    /// Whether the policy learns.
    pub(super) fn learns(&self) -> bool {
        self.longest > 0
    }

    /// The maximum size of the statistics in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.seen.len() * GRAM
    }

    /// Clears all statistics.
    pub(super) fn clear(&mut self) {
        self.seen.clear();
    }

    /// Discounts earlier statistics when a new search starts.
    pub(super) fn fade(&mut self) {
        self.seen.retain(|_, (count, sum)| {
            (*count, *sum) = (*count * KEPT, *sum * KEPT);
            *count >= FORGOTTEN
        });
    }

    /// Starts a playout.
    pub(super) fn begin(&mut self) {
        self.before = Default::default();
        self.history.clear();
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
            // Ties are broken uniformly.
            if worth > most || (worth >= most && rng.below(equal) == 0) {
                (best, most) = (Some(choice), worth);
            }
        }
        best
    }

    /// The value of a move by its longest n-gram with enough data, or by the move alone. An unknown
    /// move has a high value, so that it is tried.
    ///
    /// Other implementations use the mean of all its n-grams. But the value of a move in other
    /// contexts says little if its value in this one is known, as with the columns of Connect Four.
    fn worth(&self, role: Role, choice: Move) -> f32 {
        let mut worth = None;
        for gram in &self.grams(role, choice)[..self.longest] {
            match self.seen.get(gram) {
                Some(&(count, sum)) if worth.is_none() || count >= ENOUGH => {
                    worth = Some(sum / count);
                }
                _ => break,
            }
        }
        worth.unwrap_or(1.0)
    }

    /// The n-grams that end with a move.
    fn grams(&self, role: Role, choice: Move) -> Grams {
        let own = mix(u64::from(role.0) << 32 | u64::from(choice.0));
        std::array::from_fn(|length| match length {
            0 => own,
            _ => mix(self.before[length - 1] ^ own.rotate_left(length as u32)),
        })
    }

    /// Records a step in which some roles had a choice.
    pub(super) fn made(&mut self, moves: impl Iterator<Item = (Role, Move)>) {
        let first = self.history.len();
        for (role, choice) in moves {
            let grams = self.grams(role, choice);
            self.history.push((role, grams));
        }
        if self.history.len() == first {
            return;
        }
        let joint = self.history[first..].iter().fold(0, |joint, (_, grams)| mix(joint ^ grams[0]));
        for length in (1..self.before.len()).rev() {
            self.before[length] = mix(self.before[length - 1].wrapping_add(joint));
        }
        self.before[0] = joint;
    }

    /// Ends a playout, with a value from 0 to 1 for each role.
    pub(super) fn learn(&mut self, values: impl Fn(Role) -> f32) {
        for (role, grams) in self.history.drain(..) {
            let value = values(role);
            for gram in &grams[..self.longest] {
                if self.seen.len() >= self.room && !self.seen.contains_key(gram) {
                    break;
                }
                let (count, sum) = self.seen.entry(*gram).or_default();
                if *count >= MOST {
                    (*count, *sum) = (*count / 2.0, *sum / 2.0);
                }
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
    /// Starts a playout with the moves of a descent.
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
                && let Some(joint_node) = self.tree.joint_nodes.get(&hop.node)
            {
                let edges = &self.many[hop.edge as usize].edges;
                let chosen = joint_node.actors.iter().zip(edges);
                self.policy.made(chosen.map(|(actor, &edge)| (actor.0, choice[edge as usize])));
            }
        }
    }

    /// Updates the policy with a playout, whose result is in [`Search::sample`], and with the path
    /// to it.
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

/// Mixes the bits of a number.
fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number ^ number >> 32
}

#[cfg(test)]
mod tests {
    use magister_core::Seed;

    use super::*;

    const ME: Role = Role(0);
    const ROOM: usize = 1000;
    const MOVES: [Move; 5] = [Move(0), Move(1), Move(2), Move(3), Move(4)];

    fn policy(name: &str, epsilon: f64) -> Policy {
        let number = POLICIES.iter().position(|&known| known == name).unwrap();
        Policy::new(number as u32, epsilon, ROOM * GRAM)
    }

    /// A playout: the first move is given, the policy makes the second, and both determine the
    /// value. Returns the second move.
    fn play(policy: &mut Policy, first: Move, value: fn(Move, Move) -> f32, rng: &mut Rng) -> Move {
        policy.begin();
        policy.made(std::iter::once((ME, first)));
        let second = policy.choose(ME, &MOVES, rng).unwrap();
        policy.made(std::iter::once((ME, second)));
        policy.learn(|_| value(first, second));
        second
    }

    /// How many of the last hundred playouts made the desired second move.
    fn share(policy: &mut Policy, value: fn(Move, Move) -> f32) -> usize {
        let mut rng = Seed::from(7).rng();
        let mut good = 0;
        for number in 0..600 {
            let first = Move(10 + number % 2);
            let second = play(policy, first, value, &mut rng);
            good += usize::from(number >= 500 && value(first, second) > 0.5);
        }
        good
    }

    #[test]
    fn a_winning_move_is_soon_preferred() {
        let wins = |_: Move, second: Move| if second == Move(3) { 1.0 } else { 0.0 };
        for name in ["mast", "nst"] {
            let good = share(&mut policy(name, 0.1), wins);
            assert!(good > 80, "{name}: {good}");
        }
        assert!(!policy("uniform", 0.1).learns());
        let mut suited = policy("auto", 0.1);
        suited.suit(true);
        assert!(!suited.learns());
        suited.suit(false);
        assert!(suited.learns());
    }

    #[test]
    fn only_longer_grams_see_earlier_moves() {
        // One move wins after the first move, the other after the second.
        let wins = |first: Move, second: Move| if second.0 + 10 == first.0 { 1.0 } else { 0.0 };
        let (mast, nst) =
            (share(&mut policy("mast", 0.1), wins), share(&mut policy("nst", 0.1), wins));
        assert!(mast < 70 && nst > 80, "{mast} and {nst}");
    }

    #[test]
    fn rare_grams_fall_back_to_shorter_ones() {
        let mut policy = policy("nst", 0.0);
        let after = |policy: &mut Policy, first: u32, value: f32| {
            policy.begin();
            policy.made(std::iter::once((ME, Move(first))));
            policy.made(std::iter::once((ME, Move(1))));
            policy.learn(|_| value);
        };
        // Nothing is known about the move, so it is worth trying.
        assert!(policy.worth(ME, Move(1)) >= 1.0);
        (0..40).for_each(|_| after(&mut policy, 10, 0.25));
        (0..2).for_each(|_| after(&mut policy, 11, 1.0));
        let alone = policy.worth(ME, Move(1));
        let mut then = |first: u32| {
            policy.begin();
            policy.made(std::iter::once((ME, Move(first))));
            policy.worth(ME, Move(1))
        };
        assert!(alone > 0.25 && alone < 0.3);
        // Two observations do not suffice, but forty do.
        assert!((then(11) - alone).abs() < 1e-6);
        assert!((then(10) - 0.25).abs() < 1e-6);
    }

    #[test]
    fn statistics_fade_and_are_bounded() {
        let mut policy = policy("nst", 0.0);
        let mut rng = Seed::from(1).rng();
        for number in 0..3 * ROOM as u32 {
            policy.begin();
            policy.made(std::iter::once((ME, Move(number))));
            policy.learn(|_| 1.0);
        }
        assert_eq!(policy.seen.len(), ROOM);
        policy.fade();
        assert_eq!(policy.seen.len(), ROOM);
        policy.fade();
        assert!(policy.seen.is_empty());
        assert_eq!(policy.choose(ME, &MOVES[..1], &mut rng), Some(Move(0)));
        assert_eq!(policy.choose(ME, &[], &mut rng), None);
    }
}
