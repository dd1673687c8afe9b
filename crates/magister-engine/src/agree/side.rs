//! One evaluator on the walk, and its position in shared numbers.

use std::time::Duration;

use magister_core::{Game, Halt, Move, Role, Step, Stop, Worker};
use rustc_hash::FxHashMap;

use super::names::{Names, split};
use crate::clock::Clock;

/// How the words of a state are decoded. The encoding of states is private to an evaluator, so a
/// guess is tested on the first states and on some later ones, and dropped when it fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Encoding {
    /// A bit for each fluent.
    Bits,
    /// A word for each true fluent.
    Numbers,
    /// By text only.
    Opaque,
}

/// The number of first states that are also decoded from text ...
const TRIED: u64 = 128;
/// ... and then one in this many.
const SAMPLED: u64 = 64;

/// All answers of an evaluator about a position.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    pub(super) state: Vec<u32>,
    pub(super) terminal: bool,
    /// The legal moves of each role by name, with the evaluator's own number.
    pub(super) legal: Vec<Vec<(u32, Move)>>,
    goals: Vec<Vec<f64>>,
    percepts: Vec<Vec<u32>>,
    gains: Vec<f64>,
}

pub(super) struct Side<'a> {
    game: &'a dyn Game,
    worker: Box<dyn Worker>,
    last: Step,
    words: Vec<u64>,
    encoding: Encoding,
    fluents: FxHashMap<u64, u32>,
    moves: FxHashMap<u32, u32>,
    percepts: FxHashMap<u32, u32>,
    looks: u64,
    pub(super) view: View,
    /// Whether it still takes part.
    pub(super) walks: bool,
    pub(super) spent: Duration,
    pub(super) compared: u64,
    pub(super) error: Option<Halt>,
}

impl<'a> Side<'a> {
    pub(super) fn new(game: &'a dyn Game) -> Self {
        Side {
            game,
            worker: game.worker(),
            last: Step::new(),
            words: Vec::new(),
            encoding: Encoding::Bits,
            fluents: FxHashMap::default(),
            moves: FxHashMap::default(),
            percepts: FxHashMap::default(),
            looks: 0,
            view: View::default(),
            walks: true,
            spent: Duration::ZERO,
            compared: 0,
            error: None,
        }
    }

    pub(super) fn reset(&mut self) {
        self.worker.reset();
        self.last.clear(self.game.info().roles.len());
    }

    /// Makes the step of these moves, one name per role.
    pub(super) fn step(&mut self, joint: &[u32], stop: &Stop) -> Result<(), Halt> {
        let mut own = Vec::with_capacity(joint.len());
        for (legal, &name) in self.view.legal.iter().zip(joint) {
            // All legal moves were compared, so it exists.
            own.extend(legal.iter().find(|choice| choice.0 == name).map(|choice| choice.1));
        }
        let start = Clock::machine().start();
        let result = self.worker.step(&own, &mut self.last, stop);
        self.spent += start.elapsed();
        result
    }

    /// Reads the current position from the worker.
    pub(super) fn look(&mut self, names: &mut Names) {
        let start = Clock::machine().start();
        let roles: Vec<Role> = self.game.info().all_roles().collect();
        let words = self.game.text();
        let view = &mut self.view;
        view.terminal = self.worker.terminal();
        view.legal.resize(roles.len(), Vec::new());
        view.goals.resize(roles.len(), Vec::new());
        view.percepts.resize(roles.len(), Vec::new());
        for &role in &roles {
            let legal = &mut view.legal[role.index()];
            legal.clear();
            for &choice in self.worker.legal(role) {
                let name = *self
                    .moves
                    .entry(choice.0)
                    .or_insert_with(|| names.number(&words.move_text(choice)));
                legal.push((name, choice));
            }
            legal.sort_unstable_by_key(|choice| choice.0);
            let goals = &mut view.goals[role.index()];
            self.worker.goals(role, goals);
            goals.sort_by(f64::total_cmp);
            let percepts = &mut view.percepts[role.index()];
            percepts.clear();
            for &percept in self.last.percepts.of(role) {
                let name = self.percepts.entry(percept.0);
                percepts.push(*name.or_insert_with(|| names.number(&words.percept_text(percept))));
            }
            percepts.sort_unstable();
        }
        view.gains.clone_from(&self.last.gains);
        self.worker.save(&mut self.words);
        self.looks += 1;
        if self.looks <= TRIED || self.looks.is_multiple_of(SAMPLED) {
            self.check_encoding(names);
        } else {
            self.read_state(names);
        }
        self.spent += start.elapsed();
    }

    /// Reads the same position again, with the state decoded from its text.
    pub(super) fn look_carefully(&mut self, names: &mut Names) {
        self.check_encoding(names);
    }

    /// Decodes the state from its text. The fast decoding must agree; otherwise it is dropped.
    fn check_encoding(&mut self, names: &mut Names) {
        let text = self.game.text().state_text(&self.words);
        let mut state: Vec<u32> = split(&text).into_iter().map(|term| names.number(term)).collect();
        state.sort_unstable();
        loop {
            self.read_state(names);
            if self.view.state == state {
                return;
            }
            self.fluents.clear();
            self.encoding = match self.encoding {
                Encoding::Bits => Encoding::Numbers,
                Encoding::Numbers => Encoding::Opaque,
                Encoding::Opaque => return,
            };
        }
    }

    fn read_state(&mut self, names: &mut Names) {
        let text = self.game.text();
        let state = &mut self.view.state;
        state.clear();
        let mut name = |number: u64, alone: &dyn Fn() -> Vec<u64>| {
            let read = || match split(&text.state_text(&alone()))[..] {
                [term] => names.number(term),
                // No fluent has this number, so the fast decoding fails its check.
                _ => u32::MAX,
            };
            *self.fluents.entry(number).or_insert_with(read)
        };
        match self.encoding {
            Encoding::Bits => {
                for (at, &word) in self.words.iter().enumerate() {
                    let mut rest = word;
                    while rest != 0 {
                        let bit = rest & rest.wrapping_neg();
                        rest ^= bit;
                        let length = self.words.len();
                        let alone = || {
                            let mut words = vec![0; length];
                            words[at] = bit;
                            words
                        };
                        state.push(name(at as u64 * 64 + u64::from(bit.trailing_zeros()), &alone));
                    }
                }
            }
            Encoding::Numbers => {
                state.extend(self.words.iter().map(|&word| name(word, &|| vec![word])));
            }
            Encoding::Opaque => {
                let whole = text.state_text(&self.words);
                state.extend(split(&whole).into_iter().map(|term| names.number(term)));
            }
        }
        state.sort_unstable();
    }
}

impl PartialEq for View {
    fn eq(&self, other: &Self) -> bool {
        let same =
            |a: &[(u32, Move)], b: &[(u32, Move)]| a.iter().map(|c| c.0).eq(b.iter().map(|c| c.0));
        self.state == other.state
            && self.terminal == other.terminal
            && self.legal.len() == other.legal.len()
            && self.legal.iter().zip(&other.legal).all(|(a, b)| same(a, b))
            && self.goals == other.goals
            && self.percepts == other.percepts
            && self.gains == other.gains
    }
}

impl View {
    /// The first difference between two views, as text.
    pub(super) fn difference(&self, other: &View, names: &Names) -> Option<String> {
        if self == other {
            return None;
        }
        let apart = |what: String, one: &[u32], two: &[u32]| {
            let only = |of: &[u32], not: &[u32]| -> Vec<String> {
                let missing = of.iter().filter(|name| !not.contains(name));
                missing.map(|&name| names.text(name).to_owned()).collect()
            };
            format!(
                "{what}: only one has {:?}, only the other {:?}",
                only(one, two),
                only(two, one)
            )
        };
        if self.state != other.state {
            return Some(apart("state".to_owned(), &self.state, &other.state));
        }
        if self.terminal != other.terminal {
            return Some(format!("terminal: {} and {}", self.terminal, other.terminal));
        }
        let plain = |legal: &[(u32, Move)]| -> Vec<u32> { legal.iter().map(|c| c.0).collect() };
        for (role, (one, two)) in self.legal.iter().zip(&other.legal).enumerate() {
            let (one, two) = (plain(one), plain(two));
            if one != two {
                return Some(apart(format!("legal moves of role {role}"), &one, &two));
            }
        }
        for (role, (one, two)) in self.percepts.iter().zip(&other.percepts).enumerate() {
            if one != two {
                return Some(apart(format!("percepts of role {role}"), one, two));
            }
        }
        if self.goals != other.goals {
            return Some(format!("goals: {:?} and {:?}", self.goals, other.goals));
        }
        Some(format!("gains: {:?} and {:?}", self.gains, other.gains))
    }
}
