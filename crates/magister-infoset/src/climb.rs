//! An order in which joint moves are tried that learns from what they would have shown.

use crate::joints::Shells;

/// First the move of one role is varied after the other, the others being left as they are, and
/// what comes closest to what was seen is gone on from. Where each percept is brought about by one
/// role or another, that takes as many tries as there are moves, and not as there are joint moves.
/// After that come all joint moves, those with the first moves of every role first.
#[derive(Clone, Debug)]
pub(crate) struct Climb {
    sizes: Vec<u64>,
    /// The number of the move of each role in the best joint move so far, and how far that is.
    best: Vec<u64>,
    distance: usize,
    /// The role that is varied, and its next move; none when all joint moves come.
    role: Option<usize>,
    next: u64,
    /// The move of the role that was tried last, if it is not known yet what came of it.
    pending: Option<(usize, u64)>,
    better: bool,
    rest: Shells,
}

/// The moves of each role that are tried while it is varied.
const MOST: u64 = 64;

impl Climb {
    pub(crate) fn new(rest: Shells) -> Self {
        let sizes = rest.sizes().to_vec();
        let best = vec![0; sizes.len()];
        let (role, next) = (Some(0), 0);
        let (pending, better, distance) = (None, false, usize::MAX);
        Climb { sizes, best, distance, role, next, pending, better, rest }
    }

    /// Whether not all joint moves have their turn yet.
    pub(crate) fn is_climbing(&self) -> bool {
        self.role.is_some()
    }

    /// How far from what was seen the last joint move was.
    pub(crate) fn tell(&mut self, distance: usize) {
        if let Some((role, at)) = self.pending.take()
            && distance < self.distance
        {
            (self.best[role], self.distance) = (at, distance);
            self.better = true;
        }
    }

    fn number(&self, role: usize, at: u64) -> u64 {
        let places = self.sizes.iter().enumerate().rev();
        places.fold(0_u64, |number, (other, &size)| {
            let digit = if other == role { at } else { self.best[other] };
            number.wrapping_mul(size).wrapping_add(digit)
        })
    }
}

impl Iterator for Climb {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        while let Some(role) = self.role {
            let Some(&size) = self.sizes.get(role) else {
                // Again, as long as it gets better.
                self.role = self.better.then_some(0);
                self.better = false;
                continue;
            };
            let at = self.next;
            if at >= size.min(MOST) {
                (self.role, self.next) = (Some(role + 1), 0);
                continue;
            }
            self.next += 1;
            // The best one need not be tried again.
            if self.distance == usize::MAX || at != self.best[role] {
                self.pending = Some((role, at));
                return Some(self.number(role, at));
            }
        }
        self.rest.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The best joint move is found by trying moves, not joint moves; then every one comes.
    #[test]
    fn one_role_after_the_other() {
        let sizes = [40, 3, 60];
        let wanted = [17, 2, 41];
        let mut climb = Climb::new(Shells::of(sizes.to_vec()));
        let mut tried = 0;
        loop {
            let mut number = climb.next().unwrap();
            tried += 1;
            let digits = sizes.map(|size| {
                let digit = number % size;
                number /= size;
                digit
            });
            let distance = digits.iter().zip(&wanted).filter(|(a, b)| a != b).count();
            if distance == 0 {
                break;
            }
            climb.tell(distance);
        }
        assert!(tried <= 103, "{tried}");
        let all = climb.collect::<std::collections::BTreeSet<u64>>();
        assert_eq!(all.len(), 40 * 3 * 60);
    }
}
