//! The valid states of a network: those that satisfy its invariants.

use crate::network::{FluentId, Invariants};

/// The invariants of a network, as masks over the words of a state.
#[derive(Clone, Debug)]
pub(super) struct Possible {
    groups: Vec<Masks>,
    /// Pairs of fluents, the first of which implies the second.
    implied: Vec<(FluentId, FluentId)>,
}

/// The members of a group of fluents.
#[derive(Clone, Debug)]
struct Masks {
    words: Vec<(u32, u64)>,
    exact: bool,
}

impl Possible {
    pub(super) fn new(invariants: &Invariants) -> Self {
        let groups = invariants.groups.iter().map(|group| {
            let mut words: Vec<(u32, u64)> = Vec::new();
            for fluent in group.members.iter().map(|node| node.fluent().0) {
                let (word, bit) = (fluent / 64, 1 << (fluent % 64));
                match words.last_mut() {
                    Some((last, mask)) if *last == word => *mask |= bit,
                    _ => words.push((word, bit)),
                }
            }
            Masks { words, exact: group.exact }
        });
        Self { groups: groups.collect(), implied: invariants.implied.clone() }
    }

    /// Whether a state of the right length may be reachable, by the known invariants.
    pub(super) fn allows(&self, state: &[u64]) -> bool {
        let holds = |fluent: FluentId| state[fluent.index() / 64] >> (fluent.0 % 64) & 1 == 1;
        self.groups.iter().all(|group| {
            let mut some = false;
            group.words.iter().all(|&(word, mask)| {
                let bits = state[word as usize] & mask;
                // At most one bit, here and in all words together.
                let one = bits & bits.wrapping_sub(1) == 0 && !(some && bits != 0);
                some |= bits != 0;
                one
            }) && (some || !group.exact)
        }) && self.implied.iter().all(|&(a, b)| !holds(a) || holds(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Group, NodeId};

    #[test]
    fn states_are_checked_against_invariants() {
        let invariants = Invariants {
            groups: vec![
                Group { members: [1, 64, 65, 130].map(NodeId).into(), exact: true },
                Group { members: [2, 3].map(NodeId).into(), exact: false },
            ],
            implied: vec![(FluentId(1), FluentId(5))],
        };
        let possible = Possible::new(&invariants);
        let state = |fluents: &[u32]| {
            let mut words = [0u64; 3];
            fluents.iter().for_each(|&f| words[f as usize / 64] |= 1 << (f % 64));
            possible.allows(&words)
        };
        assert!(state(&[0]) && state(&[64]) && state(&[129, 2]));
        assert!(!state(&[]), "one of the first group is always true");
        assert!(!state(&[0, 129]) && !state(&[63, 64]), "two at once");
        assert!(!state(&[0, 1, 2, 5]), "two at once");
        assert!(!state(&[0, 1]) && state(&[0, 1, 5]), "one implies the other");
    }
}
