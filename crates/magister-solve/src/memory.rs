//! The information states of all players, numbered.

use magister_core::{Information, Move, Observation, Percept, Role, Step, Turn};
use rustc_hash::FxHashMap;

use crate::held;

/// The number that stands for `None`.
pub(crate) const NONE: u32 = u32::MAX;

/// The information states of all players, as trees: each is a situation, the player's move there
/// and the observation afterwards.
///
/// A situation is an information state together with its legal moves. A well-formed game has one
/// situation for each; if there are several, the role is assumed to know its legal moves, and
/// `revealed` counts these cases.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    histories: Vec<History>,
    situations: Vec<Situation>,
    after: FxHashMap<(u32, Move, u32), u32>,
    within: FxHashMap<(u32, u32), u32>,
    seen: Interned,
    legal: Interned,
    /// The number of situations beyond the first of their information state.
    pub(crate) revealed: usize,
}

#[derive(Debug)]
struct History {
    /// The situation of the last move; [`NONE`] at the beginning.
    before: u32,
    own: Move,
    seen: u32,
    /// Its first situation.
    first: u32,
}

#[derive(Debug)]
struct Situation {
    history: u32,
    legal: u32,
}

/// Lists of numbers, each stored once.
#[derive(Debug, Default)]
struct Interned {
    numbers: FxHashMap<Box<[u32]>, u32>,
    lists: Vec<Box<[u32]>>,
    room: Vec<u32>,
    /// The memory of the lists, which exist twice.
    content: usize,
}

impl Interned {
    fn number(&mut self, items: impl Iterator<Item = u32>) -> u32 {
        self.room.clear();
        self.room.extend(items);
        if let Some(&number) = self.numbers.get(&self.room[..]) {
            return number;
        }
        let number = self.lists.len() as u32;
        self.content += 2 * held::block(4 * self.room.len());
        self.lists.push(self.room[..].into());
        self.numbers.insert(self.room[..].into(), number);
        number
    }

    fn bytes(&self) -> usize {
        held::table(&self.numbers) + held::list(&self.lists) + self.content
    }

    fn find(&self, items: impl Iterator<Item = u32>) -> Option<u32> {
        self.numbers.get(&items.collect::<Box<[u32]>>()).copied()
    }
}

impl Memory {
    /// A memory for some players, whose information states before the first turn are 0, 1 and so
    /// on.
    pub(crate) fn new(players: usize) -> Self {
        let mut memory = Memory::default();
        for _ in 0..players {
            memory.histories.push(History { before: NONE, own: Move::IDLE, seen: 0, first: NONE });
        }
        memory
    }

    /// The number of information states.
    pub(crate) fn len(&self) -> usize {
        self.histories.len()
    }

    /// The memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        held::list(&self.histories)
            + held::list(&self.situations)
            + held::table(&self.after)
            + held::table(&self.within)
            + self.seen.bytes()
            + self.legal.bytes()
    }

    /// The situation of an information state with these legal moves.
    pub(crate) fn situation(&mut self, history: u32, legal: &[Move]) -> u32 {
        let legal = self.legal.number(legal.iter().map(|choice| choice.0));
        let next = self.situations.len() as u32;
        let number = *self.within.entry((history, legal)).or_insert(next);
        if number == next {
            self.situations.push(Situation { history, legal });
            let first = &mut self.histories[history as usize].first;
            if *first == NONE {
                *first = number;
            } else {
                self.revealed += 1;
            }
        }
        number
    }

    /// The information state after a move in a situation and the observation that followed.
    pub(crate) fn after(
        &mut self,
        situation: u32,
        own: Move,
        (information, role): (Information, Role),
        joint: &[Move],
        step: &Step,
    ) -> u32 {
        let seen = match information {
            Information::Perfect => self.seen.number(joint.iter().map(|choice| choice.0)),
            Information::Hidden => self.seen.number(step.percepts.of(role).iter().map(|p| p.0)),
        };
        let next = self.histories.len() as u32;
        let number = *self.after.entry((situation, own, seen)).or_insert(next);
        if number == next {
            self.histories.push(History { before: situation, own, seen, first: NONE });
        }
        number
    }

    /// The first situation after these turns, if it was reached.
    pub(crate) fn find(&self, player: usize, turns: &[Turn]) -> Option<u32> {
        let mut at = self.histories.get(player)?.first;
        for turn in turns {
            let seen = match &turn.seen {
                Observation::Joint(joint) => self.seen.find(joint.iter().map(|m| m.0))?,
                Observation::Percepts(seen) => self.seen.find(seen.iter().map(|p| p.0))?,
            };
            // If an information state has several situations, all continue with the same turns.
            let history = self.situations.get(at as usize)?.history;
            let next = self.within_all(history).find_map(|situation| {
                let after = self.after.get(&(situation, turn.own, seen))?;
                Some(self.histories[*after as usize].first)
            });
            at = next.filter(|&next| next != NONE)?;
        }
        self.situations.get(at as usize).map(|_| at)
    }

    fn within_all(&self, history: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.histories[history as usize].first;
        let revealed = if self.revealed > 0 { self.situations.len() as u32 } else { 0 };
        std::iter::once(first).filter(|&at| at != NONE).chain(
            (0..revealed)
                .filter(move |&at| at != first && self.situations[at as usize].history == history),
        )
    }

    /// The legal moves of a situation.
    pub(crate) fn legal(&self, situation: u32) -> impl Iterator<Item = Move> + '_ {
        let legal = self.situations[situation as usize].legal;
        self.legal.lists[legal as usize].iter().map(|&number| Move(number))
    }

    /// The turns that lead to a situation.
    pub(crate) fn turns(&self, information: Information, situation: u32) -> Vec<Turn> {
        let mut turns = Vec::new();
        let mut at = situation;
        loop {
            let history = &self.histories[self.situations[at as usize].history as usize];
            if history.before == NONE {
                turns.reverse();
                return turns;
            }
            let seen = self.seen.lists[history.seen as usize].iter();
            let seen = match information {
                Information::Perfect => Observation::Joint(seen.map(|&n| Move(n)).collect()),
                Information::Hidden => Observation::Percepts(seen.map(|&n| Percept(n)).collect()),
            };
            turns.push(Turn { own: history.own, seen });
            at = history.before;
        }
    }
}
