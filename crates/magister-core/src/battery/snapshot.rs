//! All answers of a worker about its state, for comparison.

use crate::{Move, Worker};

/// The answers of a worker in one state.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Snapshot {
    pub(super) words: Vec<u64>,
    pub(super) terminal: bool,
    pub(super) silent: bool,
    pub(super) legal: Vec<Vec<Move>>,
    pub(super) weights: Vec<u32>,
    pub(super) goals: Vec<Vec<f64>>,
}

impl Snapshot {
    pub(super) fn take(worker: &dyn Worker) -> Self {
        let info = worker.info();
        let mut words = Vec::new();
        worker.save(&mut words);
        Snapshot {
            words,
            terminal: worker.terminal(),
            silent: worker.silent(),
            legal: info.all_roles().map(|role| worker.legal(role).to_vec()).collect(),
            weights: worker.weights().to_vec(),
            goals: info
                .all_roles()
                .map(|role| {
                    let mut goals = Vec::new();
                    worker.goals(role, &mut goals);
                    goals
                })
                .collect(),
        }
    }

    /// The first difference between two snapshots.
    pub(super) fn difference(&self, other: &Snapshot) -> Option<&'static str> {
        if self.words != other.words {
            Some("the words of the state")
        } else if self.terminal != other.terminal {
            Some("whether the state is terminal")
        } else if self.silent != other.silent {
            Some("whether the step is silent")
        } else if self.legal != other.legal {
            Some("the legal moves or their order")
        } else if self.weights != other.weights {
            Some("the weights of chance")
        } else if self.goals != other.goals {
            Some("the goal values")
        } else {
            None
        }
    }
}
