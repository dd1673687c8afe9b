//! Depth-first search to terminal states with limited backtracking.

use magister_core::{Budget, Halt, Move, Rng};
use rustc_hash::FxHashSet;

use super::{Ground, Plan};
use crate::table::Key;

/// The order of moves.
#[derive(Clone, Copy, Debug)]
enum Order {
    /// Moves that leave few moves come first.
    Narrow,
    /// Moves with a good goal value come first; among equals, those that leave few moves.
    Rich,
    /// Random order.
    Random,
}

/// A depth-first search that restarts with other random numbers in each turn.
pub(super) struct Dive {
    order: Order,
}

/// A position on the path: its state and the remaining moves, best last.
struct Fork {
    state: Vec<u64>,
    left: Vec<Move>,
}

impl Dive {
    pub(super) fn new(number: u64) -> Self {
        let order = match number % 3 {
            0 => Order::Narrow,
            1 => Order::Rich,
            _ => Order::Random,
        };
        Dive { order }
    }

    pub(super) fn run(
        &self,
        ground: &mut Ground<'_>,
        root: &[u64],
        plan: &mut Plan,
        share: u64,
        budget: &Budget,
        rng: &mut Rng,
    ) -> Result<(), Halt> {
        let mut seen = FxHashSet::default();
        seen.insert(ground.key(root));
        let left = self.moves(ground, root, &mut seen, rng)?;
        let mut path = vec![Fork { state: root.to_vec(), left }];
        let mut made: Vec<Move> = Vec::new();
        let mut looked = 0;
        while looked < share {
            if budget.remaining().is_some_and(|left| left.is_zero()) {
                return Err(Halt::Stopped);
            }
            let Some(fork) = path.last_mut() else { return Ok(()) };
            let Some(choice) = fork.left.pop() else {
                path.pop();
                made.pop();
                continue;
            };
            ground.load(&fork.state)?;
            ground.make(choice)?;
            looked += 1;
            if ground.worker.terminal() {
                let value = ground.reward();
                plan.offer(value, || [&made[..], &[choice]].concat());
                if value >= ground.scale.high {
                    return Ok(());
                }
                continue;
            }
            let mut state = Vec::new();
            ground.worker.save(&mut state);
            if !seen.insert(ground.key(&state)) {
                continue;
            }
            let left = self.moves(ground, &state, &mut seen, rng)?;
            made.push(choice);
            path.push(Fork { state, left });
        }
        Ok(())
    }

    /// The moves of a position, best last, ties in random order.
    fn moves(
        &self,
        ground: &mut Ground<'_>,
        state: &[u64],
        seen: &mut FxHashSet<Key>,
        rng: &mut Rng,
    ) -> Result<Vec<Move>, Halt> {
        ground.load(state)?;
        let mut moves = ground.worker.legal(ground.role).to_vec();
        rng.shuffle(&mut moves);
        if matches!(self.order, Order::Random) || moves.len() < 2 {
            return Ok(moves);
        }
        let mut child = Vec::new();
        let mut ranked = Vec::with_capacity(moves.len());
        for choice in moves {
            ground.load(state)?;
            ground.make(choice)?;
            let end = ground.worker.terminal();
            let value = if end { ground.reward() } else { ground.guess() };
            // A terminal state without the best reward is tried last.
            let width = match (end, value >= ground.scale.high) {
                (true, true) => 0,
                (true, false) => usize::MAX,
                (false, _) => ground.worker.legal(ground.role).len(),
            };
            ground.worker.save(&mut child);
            if !end && seen.contains(&ground.key(&child)) {
                continue;
            }
            let rich = if matches!(self.order, Order::Rich) { value } else { 0.0 };
            ranked.push((rich, width, choice));
        }
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        Ok(ranked.into_iter().map(|(_, _, choice)| choice).collect())
    }
}
