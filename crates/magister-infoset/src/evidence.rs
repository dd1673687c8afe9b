//! Whether a step agrees with what a role lived through.

use magister_core::{Move, Observation, Role, Step};

/// Whether a role sees of a step what it saw.
pub(crate) fn agrees(seen: &Observation, role: Role, joint: &[Move], step: &Step) -> bool {
    match seen {
        Observation::Joint(moves) => joint == &**moves,
        Observation::Percepts(percepts) => step.percepts.of(role) == &**percepts,
    }
}
