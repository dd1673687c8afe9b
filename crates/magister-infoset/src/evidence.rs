//! Whether a step can be made and agrees with what a role lived through.

use magister_core::{Halt, Move, Observation, Role, Step};

/// How far what a role sees of a step is from what it saw: what is missing, and what is there
/// though it should not be. Nothing if it agrees.
pub(crate) fn distance(seen: &Observation, role: Role, joint: &[Move], step: &Step) -> usize {
    match seen {
        Observation::Joint(moves) => joint.iter().zip(moves).filter(|(a, b)| a != b).count(),
        Observation::Percepts(percepts) => {
            let told = step.percepts.of(role);
            let missing = percepts.iter().filter(|percept| !told.contains(percept)).count();
            let added = told.iter().filter(|percept| !percepts.contains(percept)).count();
            missing + added
        }
    }
}

/// Whether percepts were told. If the rules are at fault while they are computed, the step itself
/// will say so.
pub(crate) fn told(perceived: Result<bool, Halt>) -> Result<bool, Halt> {
    match perceived {
        Err(Halt::Rules(_)) => Ok(false),
        other => other,
    }
}

/// Whether a step could be made. One at which the rules are at fault is none that the match could
/// have taken: it would have been broken off there.
pub(crate) fn possible(made: Result<(), Halt>) -> Result<bool, Halt> {
    match made {
        Ok(()) => Ok(true),
        Err(Halt::Rules(_)) => Ok(false),
        Err(halt) => Err(halt),
    }
}
