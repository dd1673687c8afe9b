//! A network as a stepper, for comparison with recorded matches.

use std::sync::Arc;

use magister_core::{Halt, Stop};
use magister_gdl::Syntax;
use rustc_hash::FxHashMap;

use super::game::Shared;
use super::machine::Machine;
use crate::ground::Ground;
use crate::network::GdlNetwork;
use crate::term::TermId;
use crate::trace::{Stepper, Successor};

pub(super) struct NetworkStepper {
    shared: Arc<Shared>,
    source: Arc<GdlNetwork>,
    fluents: Arc<FxHashMap<Ground, u32>>,
    machine: Box<dyn Machine>,
    words: Vec<u64>,
}

impl NetworkStepper {
    pub(super) fn new(
        shared: Arc<Shared>,
        source: Arc<GdlNetwork>,
        fluents: Arc<FxHashMap<Ground, u32>>,
    ) -> Self {
        let machine = shared.machine();
        let words = vec![0; shared.initial.len()];
        Self { shared, source, fluents, machine, words }
    }

    fn export(&self, term: TermId) -> Ground {
        self.source.terms.export(term)
    }

    /// The term of a move, by its index in the network.
    fn move_at(&self, place: usize) -> Ground {
        self.export(self.source.moves[self.shared.network.moves[place].1.index()])
    }

    /// The state with these fluents; `None` if it is known to be unreachable.
    fn words(&self, fluents: &[Ground]) -> Option<Vec<u64>> {
        let mut words = vec![0; self.shared.initial.len()];
        for fluent in fluents {
            let number = *self.fluents.get(fluent)? as usize;
            words[number / 64] |= 1 << (number % 64);
        }
        Some(words).filter(|words| self.shared.possible.allows(words))
    }

    fn fluents(&self, words: &[u64]) -> Vec<Ground> {
        let all = self.source.fluents.iter().enumerate();
        all.filter(|(fluent, _)| words[fluent / 64] >> (fluent % 64) & 1 == 1)
            .map(|(_, &term)| self.export(term))
            .collect()
    }
}

impl Stepper for NetworkStepper {
    fn roles(&self) -> Vec<Ground> {
        self.shared.info.roles.iter().filter_map(|role| role.parse().ok()).collect()
    }

    fn initial(&mut self, _stop: &Stop) -> Result<Vec<Ground>, Halt> {
        Ok(self.fluents(&self.shared.initial))
    }

    fn load(&mut self, state: &[Ground], _stop: &Stop) -> Result<(), Halt> {
        let words = self.words(state).ok_or(Halt::BadState)?;
        self.machine.load(&words);
        Ok(())
    }

    fn terminal(&mut self, _stop: &Stop) -> Result<bool, Halt> {
        Ok(self.machine.terminal())
    }

    fn legal(&mut self, role: usize, _stop: &Stop) -> Result<Vec<Ground>, Halt> {
        let (from, to) = self.shared.places.ranges[role];
        let legal = (from..to).filter(|&at| self.machine.is_legal(at));
        Ok(legal.map(|at| self.move_at(at)).collect())
    }

    fn goals(&mut self, role: usize, _stop: &Stop) -> Result<Vec<Ground>, Halt> {
        self.machine.know_goals();
        let goals = self.shared.network.goals.iter().enumerate();
        let held =
            goals.filter(|&(number, goal)| goal.role.index() == role && self.machine.goal(number));
        Ok(held.map(|(number, _)| self.export(self.source.goals[number])).collect())
    }

    fn successor(&mut self, joint: &[Option<Ground>], _stop: &Stop) -> Result<Successor, Halt> {
        let network = Arc::clone(&self.shared.network);
        let mut inputs = Vec::new();
        for (role, choice) in joint.iter().enumerate() {
            let (from, to) = self.shared.places.ranges[role];
            let input = match choice {
                None => network.idle[role],
                Some(wanted) => (from..to)
                    .find(|&at| self.machine.is_legal(at) && self.move_at(at) == *wanted)
                    .map(|at| network.inputs[at]),
            };
            let Some(input) = input else {
                let name = &self.shared.info.roles[role];
                let what = choice.as_ref().map_or("nothing".to_owned(), |c| c.text(Syntax::Kif));
                return Err(Halt::Rules(format!("`{name}` does `{what}`, which is not legal")));
            };
            inputs.push(input);
        }
        self.machine.moves(&inputs);
        let mut words = std::mem::take(&mut self.words);
        self.machine.coming(&mut words);
        let state = self.fluents(&words);
        self.words = words;
        let mut percepts = vec![Vec::new(); joint.len()];
        for (number, sight) in network.percepts.iter().enumerate() {
            if self.machine.percept(number) {
                let term = self.source.percepts[sight.percept.0 as usize];
                percepts[sight.role.index()].push(self.export(term));
            }
        }
        self.machine.retreat(&inputs);
        Ok(Successor { state, percepts })
    }
}
