//! Breadth-first search that visits every position once.

use magister_core::{Budget, Halt, Move};
use rustc_hash::FxHashMap;

use super::{Ground, Plan};
use crate::table::Key;

/// A breadth-first search that can be continued. The successors of positions are stored, so the
/// search after a move reuses all previous results.
///
/// Positions that differ only in a step counter are merged and keep the count at which they were
/// first reached. Every plan is therefore verified by replay.
#[derive(Debug, Default)]
pub(super) struct Levels {
    states: Vec<u64>,
    places: Vec<Place>,
    numbers: FxHashMap<Key, u32>,
    /// Moves and the positions that they lead to.
    edges: Vec<(Move, u32)>,
    /// The positions in the order of this search, each with the index of its predecessor in this
    /// order and the move.
    order: Vec<(u32, u32, Move)>,
    /// Whether this search has reached a position.
    reached: Vec<bool>,
    /// The index of the next position to expand.
    next: usize,
    memory: usize,
}

/// A position.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The start of its state.
    state: usize,
    known: Known,
}

/// The status of a position.
#[derive(Clone, Copy, Debug)]
enum Known {
    Nothing,
    /// The reward if the game ends there.
    End(f64),
    /// The range of its edges.
    Moves(u32, u32),
}

impl Levels {
    /// Starts a search from a position.
    pub(super) fn begin(&mut self, ground: &Ground<'_>, root: &[u64], memory: usize) {
        self.memory = memory;
        if self.full() {
            *self = Levels { memory, ..Levels::default() };
        }
        let root = self.number(ground.key(root), root);
        self.reached.clear();
        self.order.clear();
        self.next = 0;
        self.reach(root, u32::MAX, Move::IDLE);
    }

    /// Whether every position was expanded.
    pub(super) fn complete(&self) -> bool {
        self.next == self.order.len()
    }

    fn full(&self) -> bool {
        let places = size_of::<Place>() + size_of::<(Key, u32)>() + 1;
        let orders = size_of::<(u32, u32, Move)>();
        8 * self.states.len()
            + places * self.places.len()
            + size_of::<(Move, u32)>() * self.edges.len()
            + orders * self.order.len()
            > self.memory
    }

    /// The number of a position, which may be new.
    fn number(&mut self, key: Key, state: &[u64]) -> u32 {
        let next = self.places.len() as u32;
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.places.push(Place { state: self.states.len(), known: Known::Nothing });
            self.states.extend_from_slice(state);
        }
        number
    }

    /// Records that this search reached a position.
    fn reach(&mut self, number: u32, from: u32, choice: Move) {
        self.reached.resize(self.places.len(), false);
        if !std::mem::replace(&mut self.reached[number as usize], true) {
            self.order.push((number, from, choice));
        }
    }

    pub(super) fn go_on(
        &mut self,
        ground: &mut Ground<'_>,
        root: &[u64],
        plan: &mut Plan,
        share: u64,
        budget: &Budget,
    ) -> Result<(), Halt> {
        let mut looked = 0;
        while looked < share && self.next < self.order.len() {
            let place = self.order[self.next].0 as usize;
            let news = matches!(self.places[place].known, Known::Nothing);
            if news && self.full() {
                return Ok(());
            }
            // A known position takes less time than reading the clock.
            if (news || self.next.is_multiple_of(64))
                && budget.remaining().is_some_and(|left| left.is_zero())
            {
                return Err(Halt::Stopped);
            }
            if news {
                self.look(ground, place)?;
                looked += 1;
            }
            match self.places[place].known {
                Known::End(value) if plan.value.is_none_or(|best| value > best) => {
                    looked += 1;
                    let way = self.way(self.next);
                    if let Some(value) = follow(ground, root, &way)? {
                        plan.offer(value, || way);
                    }
                }
                Known::Moves(from, to) => {
                    for at in from..to {
                        let (choice, child) = self.edges[at as usize];
                        self.reach(child, self.next as u32, choice);
                    }
                }
                Known::End(_) | Known::Nothing => {}
            }
            self.next += 1;
        }
        Ok(())
    }

    /// Computes the successors of a position.
    fn look(&mut self, ground: &mut Ground<'_>, place: usize) -> Result<(), Halt> {
        let from = self.places[place].state;
        let to = self.places.get(place + 1).map_or(self.states.len(), |next| next.state);
        let state = self.states[from..to].to_vec();
        ground.load(&state)?;
        if ground.worker.terminal() {
            self.places[place].known = Known::End(ground.reward());
            return Ok(());
        }
        let (mut child, first) = (Vec::new(), self.edges.len());
        let moves = ground.worker.legal(ground.role).to_vec();
        for (number, &choice) in moves.iter().enumerate() {
            if number > 0 {
                ground.load(&state)?;
            }
            ground.make(choice)?;
            ground.worker.save(&mut child);
            let number = self.number(ground.key(&child), &child);
            self.edges.push((choice, number));
        }
        self.places[place].known = Known::Moves(first as u32, self.edges.len() as u32);
        Ok(())
    }

    /// The moves that lead to the position with this index in the order of this search.
    fn way(&self, mut at: usize) -> Vec<Move> {
        let mut moves = Vec::new();
        while self.order[at].1 != u32::MAX {
            moves.push(self.order[at].2);
            at = self.order[at].1 as usize;
        }
        moves.reverse();
        moves
    }
}

/// The true reward of a plan; `None` if it is impossible or does not reach a terminal state.
fn follow(ground: &mut Ground<'_>, root: &[u64], way: &[Move]) -> Result<Option<f64>, Halt> {
    ground.load(root)?;
    for &choice in way {
        if ground.worker.terminal() || !ground.worker.legal(ground.role).contains(&choice) {
            return Ok(None);
        }
        ground.make(choice)?;
    }
    Ok(ground.worker.terminal().then(|| ground.reward()))
}
