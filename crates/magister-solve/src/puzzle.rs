//! Games of one player without chance: the best reward, and a shortest path to it.

use magister_core::{Halt, Information, Move, Payment, Role, Step, Stop, Worker};
use rustc_hash::FxHashSet;

use crate::Key;
use crate::held;
use crate::limits::{Size, SolveLimits, Unsolved};
use crate::positions::{next_width, rewards};

/// The best reachable result.
#[derive(Clone, Debug, PartialEq)]
pub struct PuzzleSolution {
    /// Its reward.
    pub value: f64,
    /// The joint moves of a shortest path to it.
    pub line: Vec<Vec<Move>>,
    /// The number of positions visited.
    pub positions: usize,
}

/// Whether a game has one player, no chance and perfect information, and pays at the end.
pub fn is_puzzle(worker: &dyn Worker) -> bool {
    let info = worker.info();
    info.players().count() == 1
        && info.chance.is_none()
        && info.information == Information::Perfect
        && info.payment == Payment::AtEnd
}

/// Breadth-first search from a worker's position, until a position has the highest possible reward
/// or all have been visited. The path to the best position is then a shortest one.
pub fn shortest(
    worker: &mut dyn Worker,
    limits: &SolveLimits,
    stop: &Stop,
) -> Result<PuzzleSolution, Unsolved> {
    let info = worker.info().clone();
    let role = info.players().next().unwrap_or(Role(0));
    let mut states: Vec<Vec<u64>> = vec![Vec::new()];
    worker.save(&mut states[0]);
    // The predecessor and move by which each position was first reached.
    let mut ways: Vec<(u32, Move)> = vec![(0, Move::IDLE)];
    let mut known: FxHashSet<Key> = FxHashSet::default();
    known.insert(Key::of(&states[0]));
    let mut best: Option<(f64, usize)> = None;
    let (mut step, mut child, mut bytes) = (Step::new(), Vec::new(), 0);
    let (mut depth, mut begin, mut end) = (0, 0, 1);
    let mut at = 0;
    while at < states.len() {
        if at == end {
            (depth, begin, end) = (depth + 1, end, states.len());
        }
        let size = Size {
            nodes: states.len(),
            depth,
            bytes: bytes + held::set(&known) + held::list(&states) + held::list(&ways),
            ..Size::default()
        };
        let failed = |halt: Halt| Unsolved::from(halt).or_late(size);
        if stop.is_set() {
            return Err(Unsolved::Late(size));
        }
        if size.nodes >= limits.nodes || size.bytes > limits.bytes {
            let expected = next_width((begin, end), at, states.len());
            return Err(Unsolved::TooLarge(Size { expected, ..size }));
        }
        let state = std::mem::take(&mut states[at]);
        bytes -= held::block(8 * state.len()).min(bytes);
        worker.load(&state, stop).map_err(failed)?;
        if worker.terminal() {
            let value = rewards(worker, &info)?[role.index()];
            if best.is_none_or(|(most, _)| value > most) {
                best = Some((value, at));
            }
            if value >= info.rewards.1 {
                break;
            }
        }
        let legal = worker.legal(role).to_vec();
        for (number, &choice) in legal.iter().enumerate() {
            if number > 0 && !worker.undo() {
                worker.load(&state, stop).map_err(failed)?;
            }
            worker.step(&joint(&info, role, choice), &mut step, stop).map_err(failed)?;
            worker.save(&mut child);
            if known.insert(Key::of(&child)) {
                bytes += held::block(8 * child.len());
                states.push(child.clone());
                ways.push((at as u32, choice));
            }
        }
        at += 1;
    }
    let Some((value, mut at)) = best else {
        return Err(Unsolved::Undefined("the game never ends".to_owned()));
    };
    let mut line = Vec::new();
    while at != 0 {
        let (before, choice) = ways[at];
        line.push(joint(&info, role, choice));
        at = before as usize;
    }
    line.reverse();
    Ok(PuzzleSolution { value, line, positions: states.len() })
}

/// A joint move in a game of one player.
fn joint(info: &magister_core::Info, role: Role, choice: Move) -> Vec<Move> {
    info.all_roles().map(|other| if other == role { choice } else { Move::IDLE }).collect()
}
