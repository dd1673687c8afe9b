//! The results of one step: gains and percepts.

use serde::{Deserialize, Serialize};

use crate::{Move, Percept, Role};

/// The result of a step, apart from the new state. Callers keep one of these and reuse it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Whether the players had a turn; false for the silent steps of chance.
    pub tick: bool,
    /// The gain of each role, including chance, in this step. All zero if the game pays at the end.
    pub gains: Vec<f64>,
    /// The percepts of each role; empty with perfect information, where every role observes the
    /// joint move.
    pub percepts: Percepts,
}

impl Step {
    /// An empty step; it grows at its first use.
    pub fn new() -> Self {
        Step::default()
    }

    /// Resets it for a game with this many roles: no gains and no percepts.
    pub fn clear(&mut self, roles: usize) {
        self.tick = true;
        self.gains.clear();
        self.gains.resize(roles, 0.0);
        self.percepts.clear(roles);
    }
}

/// A sorted set of percepts for each role.
///
/// All percepts are in one vector, role after role, so that clearing and refilling does not
/// allocate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Percepts {
    items: Vec<Percept>,
    /// For each role, the end of its percepts in `items`.
    ends: Vec<u32>,
}

impl Percepts {
    /// Empties the sets and creates one for each role.
    pub fn clear(&mut self, roles: usize) {
        self.items.clear();
        self.ends.clear();
        self.ends.resize(roles, 0);
    }

    /// Adds a percept to the set of a role. Panics if the game has no such role.
    pub fn insert(&mut self, role: Role, percept: Percept) {
        let (start, end) = self.range(role);
        if let Err(place) = self.items[start..end].binary_search(&percept) {
            self.items.insert(start + place, percept);
            for end in &mut self.ends[role.index()..] {
                *end += 1;
            }
        }
    }

    /// The percepts of a role, in ascending order.
    pub fn of(&self, role: Role) -> &[Percept] {
        if role.index() >= self.ends.len() {
            return &[];
        }
        let (start, end) = self.range(role);
        &self.items[start..end]
    }

    /// Whether all sets are empty.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    fn range(&self, role: Role) -> (usize, usize) {
        let start = match role.index() {
            0 => 0,
            index => self.ends[index - 1] as usize,
        };
        (start, self.ends[role.index()] as usize)
    }
}

/// What a role observes of one turn.
///
/// A role cannot distinguish two histories if and only if its own moves and its observations are
/// equal in both. Information sets need no other comparison.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Observation {
    /// With perfect information: the moves of all roles, including chance.
    Joint(Box<[Move]>),
    /// With hidden information: the percepts of this role.
    Percepts(Box<[Percept]>),
}

impl Observation {
    /// Whether a role makes exactly this observation at a step.
    pub fn agrees(&self, role: Role, joint: &[Move], step: &Step) -> bool {
        match self {
            Observation::Joint(moves) => joint == &**moves,
            Observation::Percepts(percepts) => step.percepts.of(role) == &**percepts,
        }
    }
}

/// One turn from the perspective of one role.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Turn {
    /// The role's move.
    pub own: Move,
    /// Its observation afterwards.
    pub seen: Observation,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percepts_are_sorted_sets_per_role() {
        let mut percepts = Percepts::default();
        percepts.clear(3);
        for (role, percept) in [(2, 5), (0, 9), (2, 1), (0, 9), (0, 3)] {
            percepts.insert(Role(role), Percept(percept));
        }
        assert_eq!(percepts.of(Role(0)), [Percept(3), Percept(9)]);
        assert_eq!(percepts.of(Role(1)), []);
        assert_eq!(percepts.of(Role(2)), [Percept(1), Percept(5)]);
        assert_eq!(percepts.of(Role(3)), []);
        percepts.clear(3);
        assert!(percepts.is_empty());
    }

    #[test]
    fn clearing_keeps_the_memory() {
        let mut step = Step::new();
        step.clear(4);
        step.percepts.insert(Role(3), Percept(1));
        step.gains[2] = 1.0;
        let memory = step.gains.as_ptr();
        step.clear(4);
        assert_eq!(step.gains, [0.0; 4]);
        assert!(step.tick && step.percepts.is_empty());
        assert_eq!(memory, step.gains.as_ptr());
    }
}
