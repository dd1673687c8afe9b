//! Games whose states are tuples of small numbers, computed by rules that are not a network.

use std::fmt;
use std::sync::Arc;

use magister_core::{Game, Halt, Info, Move, Percept, Role, Step, Stop, Text, Worker};

/// The rules of a game of tuples.
pub(crate) trait Dynamics: Send + Sync {
    /// The initial state.
    fn start(&self) -> Vec<u64>;
    /// Whether words are a state.
    fn is_state(&self, state: &[u64]) -> bool;
    /// Whether a state is terminal, and otherwise the legal moves of each role.
    fn moves(&self, state: &[u64], legal: &mut [Vec<Move>]) -> bool;
    /// Makes a legal joint move.
    fn make(&self, state: &mut Vec<u64>, joint: &[Move]);
    /// The goal values of a role in a terminal state.
    fn goals(&self, state: &[u64], role: Role, out: &mut Vec<f64>);
    /// The text of a move.
    fn move_text(&self, choice: Move) -> String;
}

/// A game of tuples.
pub(crate) struct Abstract<D> {
    info: Info,
    dynamics: Arc<D>,
}

impl<D> fmt::Debug for Abstract<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Abstract").field("info", &self.info).finish_non_exhaustive()
    }
}

impl<D: Dynamics + 'static> Abstract<D> {
    /// The game; `info` is that of the game that it represents.
    pub(crate) fn new(info: &Info, what: &str, dynamics: Arc<D>) -> Self {
        let info = Info {
            name: format!("{} ({what})", info.name),
            moves: None,
            percepts: Some(0),
            state_words: Some(dynamics.start().len()),
            ..info.clone()
        };
        Abstract { info, dynamics }
    }
}

impl<D: Dynamics + 'static> Game for Abstract<D> {
    fn info(&self) -> &Info {
        &self.info
    }

    fn worker(&self) -> Box<dyn Worker> {
        let mut worker = AbstractWorker {
            info: self.info.clone(),
            dynamics: Arc::clone(&self.dynamics),
            state: Vec::new(),
            terminal: false,
            legal: vec![Vec::new(); self.info.roles.len()],
        };
        worker.reset();
        Box::new(worker)
    }

    fn text(&self) -> &dyn Text {
        self
    }
}

impl<D: Dynamics + 'static> Text for Abstract<D> {
    fn move_text(&self, choice: Move) -> String {
        self.dynamics.move_text(choice)
    }

    fn parse_move(&self, _role: Role, _text: &str) -> Option<Move> {
        None
    }

    fn percept_text(&self, _percept: Percept) -> String {
        "?".to_owned()
    }

    fn parse_percept(&self, _text: &str) -> Option<Percept> {
        None
    }

    fn state_text(&self, state: &[u64]) -> String {
        let words: Vec<String> = state.iter().map(u64::to_string).collect();
        format!("({})", words.join(" "))
    }

    fn parse_state(&self, text: &str) -> Option<Vec<u64>> {
        let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
        let state: Option<Vec<u64>> = inner.split_whitespace().map(|w| w.parse().ok()).collect();
        state.filter(|state| self.dynamics.is_state(state))
    }
}

struct AbstractWorker<D> {
    info: Info,
    dynamics: Arc<D>,
    state: Vec<u64>,
    terminal: bool,
    legal: Vec<Vec<Move>>,
}

impl<D: Dynamics> AbstractWorker<D> {
    fn refresh(&mut self) {
        self.legal.iter_mut().for_each(Vec::clear);
        self.terminal = self.dynamics.moves(&self.state, &mut self.legal);
        for legal in &mut self.legal {
            if self.terminal {
                legal.clear();
            } else if legal.is_empty() {
                legal.push(Move::IDLE);
            }
        }
    }
}

impl<D: Dynamics> Worker for AbstractWorker<D> {
    fn info(&self) -> &Info {
        &self.info
    }

    fn reset(&mut self) {
        self.state = self.dynamics.start();
        self.refresh();
    }

    fn load(&mut self, state: &[u64], _stop: &Stop) -> Result<(), Halt> {
        if !self.dynamics.is_state(state) {
            return Err(Halt::BadState);
        }
        self.state.clear();
        self.state.extend_from_slice(state);
        self.refresh();
        Ok(())
    }

    fn save(&self, out: &mut Vec<u64>) {
        out.clone_from(&self.state);
    }

    fn terminal(&self) -> bool {
        self.terminal
    }

    fn legal(&self, role: Role) -> &[Move] {
        self.legal.get(role.index()).map_or(&[], Vec::as_slice)
    }

    fn weights(&self) -> &[u32] {
        &[]
    }

    fn step(&mut self, joint: &[Move], out: &mut Step, _stop: &Stop) -> Result<(), Halt> {
        let expected = self.legal.len();
        if joint.len() != expected {
            return Err(Halt::JointLength { expected, given: joint.len() });
        }
        for (index, (legal, &choice)) in self.legal.iter().zip(joint).enumerate() {
            if !legal.contains(&choice) {
                return Err(Halt::IllegalMove { role: Role(index as u8), choice });
            }
        }
        out.clear(expected);
        self.dynamics.make(&mut self.state, joint);
        self.refresh();
        Ok(())
    }

    fn goals(&self, role: Role, out: &mut Vec<f64>) {
        out.clear();
        if self.terminal {
            self.dynamics.goals(&self.state, role, out);
        }
    }
}
