//! The possible joint moves of a state, given the move of one role.

use magister_core::{Halt, Move, Rng, Role, Worker, draw, odds};

use crate::model::Model;

/// All joint moves of a state, numbered, with their probabilities.
#[derive(Debug, Default)]
pub(crate) struct Joints {
    moves: Vec<Move>,
    shares: Vec<f64>,
    ends: Vec<usize>,
    buffer: Vec<f64>,
}

impl Joints {
    /// Enumerates the joint moves in a worker's state. Returns false if there is none: the game is
    /// over, or the given move is illegal.
    pub(crate) fn look(
        &mut self,
        worker: &dyn Worker,
        model: &dyn Model,
        role: Role,
        own: Option<Move>,
    ) -> bool {
        self.moves.clear();
        self.shares.clear();
        self.ends.clear();
        if worker.terminal() {
            return false;
        }
        let info = worker.info();
        for whose in info.all_roles() {
            let legal = worker.legal(whose);
            if let Some(own) = own.filter(|_| whose == role) {
                if !legal.contains(&own) {
                    return false;
                }
                self.moves.push(own);
                self.shares.push(1.0);
            } else if info.chance == Some(whose) {
                self.moves.extend_from_slice(legal);
                let odds = odds(legal.len(), worker.weights());
                self.shares.extend((0..legal.len()).map(odds));
            } else if legal.len() == 1 {
                self.moves.push(legal[0]);
                self.shares.push(1.0);
            } else {
                model.shares(worker, whose, &mut self.buffer);
                for (&choice, &share) in legal.iter().zip(&self.buffer) {
                    // Moves with probability zero are left out.
                    if share > 0.0 {
                        self.moves.push(choice);
                        self.shares.push(share);
                    }
                }
            }
            self.ends.push(self.moves.len());
        }
        true
    }

    /// The number of joint moves.
    pub(crate) fn count(&self) -> u64 {
        let mut start = 0;
        let mut count = 1_u64;
        for &end in &self.ends {
            count = count.saturating_mul((end - start) as u64);
            start = end;
        }
        count
    }

    /// Writes the joint move with a given number and returns its probability.
    pub(crate) fn write(&self, mut number: u64, joint: &mut Vec<Move>) -> f64 {
        joint.clear();
        let mut share = 1.0;
        let mut start = 0;
        for &end in &self.ends {
            let size = (end - start) as u64;
            let at = start + (number % size) as usize;
            number /= size;
            joint.push(self.moves[at]);
            share *= self.shares[at];
            start = end;
        }
        share
    }
}

impl Joints {
    /// Sorts the moves of each role by rank, highest first, ties in random order. The ranks of a
    /// role's moves are requested together; false means that it has none.
    pub(crate) fn rank(
        &mut self,
        rng: &mut Rng,
        mut rank: impl FnMut(&[Move], &mut Vec<u64>) -> Result<bool, Halt>,
    ) -> Result<(), Halt> {
        let (mut start, mut ranks) = (0, Vec::new());
        for &end in &self.ends {
            let (moves, shares) = (&mut self.moves[start..end], &mut self.shares[start..end]);
            start = end;
            if moves.len() == 1 {
                continue;
            }
            let ranked = rank(moves, &mut ranks)?;
            if !ranked {
                ranks.clear();
                ranks.resize(moves.len(), 0);
            }
            let mut entries: Vec<(u64, Move, f64)> = std::iter::zip(&ranks, &*moves)
                .zip(&*shares)
                .map(|((&rank, &choice), &share)| (rank, choice, share))
                .collect();
            for at in (1..entries.len()).rev() {
                entries.swap(at, rng.below(at as u64 + 1) as usize);
            }
            if ranked {
                entries.sort_by_key(|entry| std::cmp::Reverse(entry.0));
            }
            for (at, (_, choice, share)) in entries.into_iter().enumerate() {
                (moves[at], shares[at]) = (choice, share);
            }
        }
        Ok(())
    }

    /// All joint moves, ordered so that combinations of the first moves of every role come first.
    pub(crate) fn shells(&self) -> Shells {
        let mut start = 0;
        let sizes = self.ends.iter().map(|&end| (end - std::mem::replace(&mut start, end)) as u64);
        Shells::of(sizes.collect())
    }
}

/// The numbers of joint moves, shell by shell: in shell `k` the highest move number is `k`.
#[derive(Clone, Debug)]
pub(crate) struct Shells {
    sizes: Vec<u64>,
    shell: u64,
    /// The first role that makes its move number `shell`.
    corner: usize,
    /// The number of joint moves of this corner so far.
    next: u64,
}

impl Iterator for Shells {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let most = self.sizes.iter().copied().max().unwrap_or(0);
        while self.shell < most {
            if let Some(number) = self.number() {
                self.next += 1;
                return Some(number);
            }
            self.next = 0;
            self.corner += 1;
            if self.corner == self.sizes.len() {
                self.corner = 0;
                self.shell += 1;
            }
        }
        None
    }
}

impl Shells {
    /// All joint moves of roles with these numbers of moves.
    pub(crate) fn of(sizes: Vec<u64>) -> Self {
        Shells { sizes, shell: 0, corner: 0, next: 0 }
    }

    /// The number of moves of each role.
    pub(crate) fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// The current joint move; `None` at the end of this corner.
    fn number(&self) -> Option<u64> {
        let Shells { sizes, shell, corner, next } = self;
        if sizes[*corner] <= *shell {
            return None;
        }
        let (mut rest, mut number, mut unit) = (*next, 0_u64, 1_u64);
        for (role, &size) in sizes.iter().enumerate() {
            let at = if role == *corner {
                *shell
            } else {
                // Roles before the corner stay below the shell.
                let bound = size.min(if role < *corner { *shell } else { *shell + 1 });
                if bound == 0 {
                    return None;
                }
                let at = rest % bound;
                rest /= bound;
                at
            };
            number = number.wrapping_add(at.wrapping_mul(unit));
            unit = unit.wrapping_mul(size);
        }
        (rest == 0).then_some(number)
    }
}

/// Draws a joint move in a worker's state, given the move of one role. Returns false if there is
/// none.
pub(crate) fn draw_joint(
    worker: &dyn Worker,
    model: &dyn Model,
    role: Role,
    own: Option<Move>,
    joint: &mut Vec<Move>,
    rng: &mut Rng,
) -> bool {
    joint.clear();
    if worker.terminal() {
        return false;
    }
    let info = worker.info();
    for whose in info.all_roles() {
        let legal = worker.legal(whose);
        let choice = match own.filter(|_| whose == role) {
            Some(own) if legal.contains(&own) => Some(own),
            Some(_) => None,
            None if info.chance == Some(whose) => draw(legal, worker.weights(), rng),
            None if legal.len() == 1 => Some(legal[0]),
            None => model.draw(worker, whose, rng),
        };
        match choice {
            Some(choice) => joint.push(choice),
            None => return false,
        }
    }
    true
}

/// The probability of a joint move in a worker's state, given the move of one role; zero if it is
/// impossible.
pub(crate) fn share_of(
    worker: &dyn Worker,
    model: &dyn Model,
    role: Role,
    joint: &[Move],
    own: bool,
    buffer: &mut Vec<f64>,
) -> f64 {
    if worker.terminal() {
        return 0.0;
    }
    let info = worker.info();
    let mut share = 1.0;
    for (whose, choice) in info.all_roles().zip(joint) {
        let legal = worker.legal(whose);
        let Some(at) = legal.iter().position(|other| other == choice) else { return 0.0 };
        if own && whose == role || legal.len() == 1 {
            continue;
        }
        if info.chance == Some(whose) {
            share *= odds(legal.len(), worker.weights())(at);
        } else {
            model.shares(worker, whose, buffer);
            share *= buffer.get(at).copied().unwrap_or(0.0);
        }
    }
    share
}

/// A pseudo-random permutation of the numbers below a bound, without storing it.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    bound: u64,
    step: u64,
    at: u64,
    left: u64,
}

impl Order {
    pub(crate) fn new(bound: u64, rng: &mut Rng) -> Self {
        if bound == 0 {
            return Order { bound: 1, step: 1, at: 0, left: 0 };
        }
        // A step that is coprime to the bound visits all numbers.
        let mut step = rng.below(bound);
        while gcd(step, bound) != 1 {
            step = (step + 1) % bound.max(2);
        }
        Order { bound, step, at: rng.below(bound), left: bound }
    }
}

impl Iterator for Order {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.left = self.left.checked_sub(1)?;
        let now = self.at;
        self.at = ((u128::from(self.at) + u128::from(self.step)) % u128::from(self.bound)) as u64;
        Some(now)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use magister_core::Seed;

    #[test]
    fn shells_have_every_number_once() {
        for sizes in [vec![1, 1, 1], vec![3, 4], vec![5, 1, 2], vec![1, 7], vec![2, 2, 2]] {
            let count = sizes.iter().product();
            let all = Shells::of(sizes);
            let mut numbers: Vec<u64> = all.collect();
            assert_eq!(numbers[0], 0);
            numbers.sort_unstable();
            assert_eq!(numbers, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_order_has_every_number_once() {
        let mut rng = Seed::from(4).rng();
        for bound in [0, 1, 2, 3, 4, 6, 12, 97, 360] {
            let mut all: Vec<u64> = Order::new(bound, &mut rng).collect();
            all.sort_unstable();
            assert_eq!(all, (0..bound).collect::<Vec<_>>());
        }
    }
}
