//! Which cells moves name, learned from the changes in random play.
//!
//! The words of a move may be ambiguous: in `place 3 1 2 across` both `3 1` and `1 2` look like a
//! cell, and with two boards `fire 1 2` names a cell of each. The cells that change after such
//! moves show, for each role, which words and which board are meant.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use magister_core::{Game, Move, Seed, Step, Stop, draw};
use rustc_hash::FxHashMap;

use super::Drawing;

/// The maximum number of steps of random play, and of cells that are drawn in all of them.
const STEPS: usize = 240;
const DRAWN: usize = 40_000;
/// A bound for games whose steps are very slow.
const TIME: Duration = Duration::from_secs(10);
/// The minimum number of moves of one kind to learn from.
const ENOUGH: u32 = 6;

/// The role, the first word of a move, and the number of its words.
type Kind = (usize, String, usize);

/// The lessons learned, by the kind of the move.
pub(super) type Lessons = FxHashMap<Kind, Lesson>;

/// How a kind of moves names the cell that it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Lesson {
    board: usize,
    start: usize,
    length: usize,
}

impl Lesson {
    /// The cell of a move.
    pub(super) fn cell(
        self,
        named: &FxHashMap<(usize, Vec<String>), usize>,
        words: &[String],
    ) -> Option<usize> {
        let part = words.get(self.start..self.start + self.length)?;
        named.get(&(self.board, part.to_vec())).copied()
    }
}

/// How often a kind of moves was made, and how often each interpretation named a cell that changed.
#[derive(Debug, Default)]
struct Tally {
    made: u32,
    /// The number of moves whose currently assumed target changed.
    present: u32,
    readings: BTreeMap<Lesson, u32>,
}

impl Drawing {
    /// Cells of each board by the words that name them.
    pub(super) fn by_board(&self, reversed: bool) -> FxHashMap<(usize, Vec<String>), usize> {
        let cells = self.shape.iter().flat_map(|shape| shape.cells.iter().enumerate());
        cells
            .map(|(number, cell)| {
                let mut name: Vec<String> = cell.name.split(' ').map(str::to_owned).collect();
                if reversed {
                    name.reverse();
                }
                ((cell.board, name), number)
            })
            .collect()
    }

    /// Plays at random and compares the cells that moves name with those that change. The current
    /// interpretation is kept, unless another one is clearly better.
    pub(super) fn learn(&self, game: &dyn Game) -> Lessons {
        let boards = self.shape.as_ref().map_or(0, |shape| shape.boards.len());
        let info = game.info();
        let mut tallies: BTreeMap<Kind, Tally> = BTreeMap::new();
        let mut worker = game.worker();
        let mut step = Step::new();
        let mut rng = Seed::from(17).rng();
        let mut state = Vec::new();
        worker.reset();
        worker.save(&mut state);
        let mut before = self.paint(game, &state).cells;
        let begun = Instant::now();
        let steps = (DRAWN / before.len().max(1)).clamp(20, STEPS);
        for _ in 0..steps {
            if begun.elapsed() > TIME {
                break;
            }
            let choose = |role| {
                let weights = if info.chance == Some(role) { worker.weights() } else { &[] };
                draw(worker.legal(role), weights, &mut rng)
            };
            let joint: Option<Vec<Move>> = info.all_roles().map(choose).collect();
            let done = joint
                .filter(|_| !worker.terminal())
                .filter(|joint| worker.step(joint, &mut step, &Stop::never()).is_ok());
            let Some(joint) = done else {
                worker.reset();
                worker.save(&mut state);
                before = self.paint(game, &state).cells;
                continue;
            };
            worker.save(&mut state);
            let after = self.paint(game, &state).cells;
            let changed = |cell: usize| before.get(cell) != after.get(cell);
            for role in info.players() {
                let choice = joint[role.index()];
                let words = crate::words::tokens(&game.text().move_text(choice));
                let (from, to) = self.target(game, role, choice);
                // A move with an origin already names both ends.
                if words.len() < 2 || from.is_some() {
                    continue;
                }
                let kind = (role.index(), words[0].clone(), words.len());
                let tally = tallies.entry(kind).or_default();
                tally.made += 1;
                tally.present += u32::from(to.is_some_and(changed));
                for board in 0..boards {
                    for length in 1..=3 {
                        for start in 1..words.len() {
                            let lesson = Lesson { board, start, length };
                            if lesson.cell(&self.named, &words).is_some_and(changed) {
                                *tally.readings.entry(lesson).or_default() += 1;
                            }
                        }
                    }
                }
            }
            before = after;
        }
        tallies.into_iter().filter_map(|(kind, tally)| Some((kind, tally.lesson()?))).collect()
    }
}

impl Tally {
    /// The interpretation that nearly always names a cell that changed, if the current one does
    /// not.
    fn lesson(self) -> Option<Lesson> {
        let (best, hits) = self
            .readings
            .into_iter()
            .max_by_key(|&(lesson, hits)| (hits, std::cmp::Reverse(lesson)))?;
        let sure = self.made >= ENOUGH && hits * 10 >= self.made * 9;
        (sure && self.present * 2 < hits).then_some(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clearly_better_reading_replaces_the_present_one() {
        let one = Lesson { board: 0, start: 2, length: 2 };
        let other = Lesson { board: 1, start: 2, length: 2 };
        let tally = |made, present, readings: &[(Lesson, u32)]| Tally {
            made,
            present,
            readings: readings.iter().copied().collect(),
        };
        assert_eq!(tally(20, 3, &[(one, 20), (other, 4)]).lesson(), Some(one));
        assert_eq!(tally(20, 18, &[(one, 20)]).lesson(), None, "the current one is good");
        assert_eq!(tally(20, 0, &[(one, 12), (other, 12)]).lesson(), None, "none of them is good");
        assert_eq!(tally(3, 0, &[(one, 3)]).lesson(), None, "too few moves");
    }
}
