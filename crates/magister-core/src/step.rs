//! What comes out of one step: gains and percepts.

use serde::{Deserialize, Serialize};

use crate::{Move, Percept, Role};

/// What a step gave, apart from the new state. Callers keep one and hand it in again and again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Whether the players had a turn; false for the silent steps of chance.
    pub tick: bool,
    /// What each role, chance included, gained in this step. All zero where the game pays at
    /// the end.
    pub gains: Vec<f64>,
    /// What each role perceives; empty in games of perfect information, where everybody sees
    /// the joint move.
    pub percepts: Percepts,
}

impl Step {
    /// An empty step; it grows at its first use.
    pub fn new() -> Self {
        Step::default()
    }

    /// Makes it the step of a game with so many roles in which nothing was gained or perceived.
    pub fn clear(&mut self, roles: usize) {
        self.tick = true;
        self.gains.clear();
        self.gains.resize(roles, 0.0);
        self.percepts.clear(roles);
    }
}

/// A sorted set of percepts for each role.
///
/// All percepts lie in one vector, role after role, so that clearing and filling it again
/// allocates nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Percepts {
    items: Vec<Percept>,
    /// For each role, the end of its percepts in `items`.
    ends: Vec<u32>,
}

impl Percepts {
    /// Empties the sets and makes one for each of so many roles.
    pub fn clear(&mut self, roles: usize) {
        self.items.clear();
        self.ends.clear();
        self.ends.resize(roles, 0);
    }

    /// Adds a percept to the set of a role. A role beyond the number of roles is a mistake of
    /// the game and panics.
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

    /// Whether nobody perceives anything.
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

/// What a role sees of one turn.
///
/// Two histories look the same to a role exactly if its own moves and its observations are
/// equal; comparing them is all that information sets need.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Observation {
    /// In a game of perfect information: the moves of all roles, chance included.
    Joint(Box<[Move]>),
    /// In a game that hides information: the percepts of this role.
    Percepts(Box<[Percept]>),
}

impl Observation {
    /// Whether this is what a role sees of a step.
    pub fn agrees(&self, role: Role, joint: &[Move], step: &Step) -> bool {
        match self {
            Observation::Joint(moves) => joint == &**moves,
            Observation::Percepts(percepts) => step.percepts.of(role) == &**percepts,
        }
    }
}

/// One turn as one role lived it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Turn {
    /// The move the role made.
    pub own: Move,
    /// What it saw afterwards.
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
