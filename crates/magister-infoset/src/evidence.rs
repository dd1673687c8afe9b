//! Whether a step is possible and consistent with a role's observations.

use magister_core::{Halt, Move, Observation, Role, Step};

/// The distance between what a role perceives at a step and what it observed: the number of missing
/// percepts plus the number of extra ones. Zero if they agree.
pub(crate) fn distance(seen: &Observation, role: Role, joint: &[Move], step: &Step) -> usize {
    match seen {
        Observation::Joint(moves) => joint.iter().zip(moves).filter(|(a, b)| a != b).count(),
        Observation::Percepts(percepts) => {
            let perceived = step.percepts.of(role);
            let missing = percepts.iter().filter(|percept| !perceived.contains(percept)).count();
            let added = perceived.iter().filter(|percept| !percepts.contains(percept)).count();
            missing + added
        }
    }
}

/// Whether the worker computed percepts. If the rules fail during that computation, the step itself
/// reports the error.
pub(crate) fn perceived(perceived: Result<bool, Halt>) -> Result<bool, Halt> {
    match perceived {
        Err(Halt::Rules(_)) => Ok(false),
        other => other,
    }
}

/// Whether a step is possible. A step at which the rules fail cannot be part of a match, because
/// the match would have ended there.
pub(crate) fn possible(made: Result<(), Halt>) -> Result<bool, Halt> {
    match made {
        Ok(()) => Ok(true),
        Err(Halt::Rules(_)) => Ok(false),
        Err(halt) => Err(halt),
    }
}
