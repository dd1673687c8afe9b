//! Level by level, every position once.

use magister_core::{Budget, Halt, Move};
use rustc_hash::FxHashSet;

use super::{Course, Ground};
use crate::table::Key;

/// A breadth-first search that can be gone on with.
pub(super) struct Levels {
    states: Vec<u64>,
    /// For each position where its state begins, its parent and the move from there.
    places: Vec<(usize, u32, Move)>,
    seen: FxHashSet<Key>,
    /// The next position to look at.
    next: usize,
    memory: usize,
}

impl Levels {
    pub(super) fn new(ground: &Ground<'_>, root: &[u64], memory: usize) -> Self {
        let mut seen = FxHashSet::default();
        seen.insert(ground.key(root));
        let places = vec![(0, u32::MAX, Move::IDLE)];
        Levels { states: root.to_vec(), places, seen, next: 0, memory }
    }

    /// Whether every position was looked at.
    pub(super) fn complete(&self) -> bool {
        self.next == self.places.len()
    }

    fn full(&self) -> bool {
        8 * self.states.len() + 48 * self.places.len() > self.memory
    }

    pub(super) fn go_on(
        &mut self,
        ground: &mut Ground<'_>,
        course: &mut Course,
        share: u64,
        budget: &Budget,
    ) -> Result<(), Halt> {
        let mut child = Vec::new();
        for _ in 0..share {
            if self.next >= self.places.len() || self.full() {
                return Ok(());
            }
            if budget.remaining().is_some_and(|left| left.is_zero()) {
                return Err(Halt::Stopped);
            }
            let at = self.next;
            let from = self.places[at].0;
            let to = self.places.get(at + 1).map_or(self.states.len(), |place| place.0);
            let state = self.states[from..to].to_vec();
            ground.load(&state)?;
            if ground.worker.terminal() {
                let value = ground.reward();
                course.offer(value, || self.way(at));
                self.next += 1;
                continue;
            }
            let moves = ground.worker.legal(ground.role).to_vec();
            for (number, &choice) in moves.iter().enumerate() {
                if number > 0 {
                    ground.load(&state)?;
                }
                ground.make(choice)?;
                ground.worker.save(&mut child);
                if self.seen.insert(ground.key(&child)) {
                    self.places.push((self.states.len(), at as u32, choice));
                    self.states.extend_from_slice(&child);
                }
            }
            self.next += 1;
        }
        Ok(())
    }

    /// The moves that lead to a position.
    fn way(&self, mut at: usize) -> Vec<Move> {
        let mut moves = Vec::new();
        while self.places[at].1 != u32::MAX {
            moves.push(self.places[at].2);
            at = self.places[at].1 as usize;
        }
        moves.reverse();
        moves
    }
}
