//! The histories of particles, with shared prefixes.

use magister_core::Move;

/// The empty history.
pub(crate) const START: u32 = u32::MAX;

/// Histories as a tree of joint moves: extending costs one entry, copying nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trails {
    roles: usize,
    /// The previous entry of each entry.
    before: Vec<u32>,
    /// The joint move of each entry.
    moves: Vec<Move>,
}

impl Trails {
    pub(crate) fn new(roles: usize) -> Self {
        Trails { roles, ..Trails::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.before.len()
    }

    /// A history extended by joint moves.
    pub(crate) fn extend(&mut self, mut trail: u32, path: &[Move]) -> u32 {
        for joint in path.chunks(self.roles) {
            self.before.push(trail);
            self.moves.extend_from_slice(joint);
            trail = self.before.len() as u32 - 1;
        }
        trail
    }

    /// All joint moves of a history in order.
    pub(crate) fn path(&self, mut trail: u32) -> Vec<Move> {
        let mut entries = Vec::new();
        while trail != START {
            entries.push(trail as usize);
            trail = self.before[trail as usize];
        }
        let joints = entries.iter().rev();
        joints
            .flat_map(|&at| &self.moves[at * self.roles..(at + 1) * self.roles])
            .copied()
            .collect()
    }

    /// Removes all entries that are not part of the given histories, and renumbers these.
    pub(crate) fn keep(&mut self, trails: &mut [u32]) {
        let mut used = vec![false; self.len()];
        for &trail in &*trails {
            let mut at = trail;
            while at != START && !used[at as usize] {
                used[at as usize] = true;
                at = self.before[at as usize];
            }
        }
        let mut numbers = vec![START; self.len()];
        let mut kept = Trails::new(self.roles);
        // An entry always follows its predecessor.
        for at in (0..self.len()).filter(|&at| used[at]) {
            let before = match self.before[at] {
                START => START,
                before => numbers[before as usize],
            };
            numbers[at] = kept.extend(before, &self.moves[at * self.roles..(at + 1) * self.roles]);
        }
        for trail in trails.iter_mut().filter(|trail| **trail != START) {
            *trail = numbers[*trail as usize];
        }
        *self = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histories_share_their_prefixes() {
        let mut trails = Trails::new(2);
        let one = trails.extend(START, &[Move(1), Move(2)]);
        let lost = trails.extend(START, &[Move(9), Move(9)]);
        let two = trails.extend(one, &[Move(3), Move(4), Move(5), Move(6)]);
        assert_eq!(trails.path(lost), [Move(9), Move(9)]);
        let mut kept = [one, two, START];
        trails.keep(&mut kept);
        assert_eq!(trails.len(), 3);
        assert_eq!(trails.path(kept[1]), [1, 2, 3, 4, 5, 6].map(Move));
        assert_eq!(trails.path(kept[0]), [1, 2].map(Move));
        assert_eq!(trails.path(kept[2]), []);
    }
}
