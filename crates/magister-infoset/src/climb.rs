//! An order of trying joint moves that learns from the percepts that each would have caused.

use crate::joints::Shells;

/// Coordinate ascent: the move of one role varies while the others stay fixed, and the search
/// continues from the joint move whose percepts come closest to the observed ones. If each percept
/// depends on one role only, this needs as many tries as there are moves, not as many as there are
/// joint moves. Afterwards all joint moves follow, starting with those that consist of the first
/// moves of every role.
#[derive(Clone, Debug)]
pub(crate) struct Climb {
    sizes: Vec<u64>,
    /// The move number of each role in the best joint move so far, and its distance.
    best: Vec<u64>,
    distance: usize,
    /// The role that varies, and its next move; `None` in the phase of all joint moves.
    role: Option<usize>,
    next: u64,
    /// The move that was tried last, while its result is unknown.
    pending: Option<(usize, u64)>,
    better: bool,
    rest: Shells,
}

/// The maximum number of moves that are tried for one role.
const MOST: u64 = 64;

impl Climb {
    pub(crate) fn new(rest: Shells) -> Self {
        let sizes = rest.sizes().to_vec();
        let best = vec![0; sizes.len()];
        let (role, next) = (Some(0), 0);
        let (pending, better, distance) = (None, false, usize::MAX);
        Climb { sizes, best, distance, role, next, pending, better, rest }
    }

    /// Whether the phase of all joint moves has not begun.
    pub(crate) fn is_climbing(&self) -> bool {
        self.role.is_some()
    }

    /// Reports the distance of the last joint move from the observed percepts.
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
                // Another round, as long as the distance decreases.
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
            // The best move need not be tried again.
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

    /// Finds the best joint move by trying moves of single roles; then every joint move follows.
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
