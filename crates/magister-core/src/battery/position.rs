//! Checks of a single position.

use super::snapshot::Snapshot;
use super::walk::Walker;
use crate::text::IDLE_TEXT;
use crate::{Information, Move, Payment};

impl Walker<'_> {
    /// Checks everything that does not need a move.
    pub(super) fn position(&mut self, here: &Snapshot, totals: &[f64], position: &str) {
        self.lists(here, position);
        self.texts(here, position);
        self.rewards(here, totals, position);
        self.board(here, position);
        self.observed(here, position);
    }

    /// Legal moves and weights.
    fn lists(&mut self, here: &Snapshot, position: &str) {
        let words = here.words.len();
        if self.info.state_words.is_some_and(|expected| expected != words) {
            self.report.fail("facts", position, format!("this state has {words} words"));
        }
        for (role, legal) in self.info.all_roles().zip(&here.legal) {
            let name = self.info.role_name(role);
            if here.terminal != legal.is_empty() {
                let what = if here.terminal {
                    format!("the state is terminal, but {name} has legal moves")
                } else {
                    format!("the state is not terminal, but {name} has no legal move")
                };
                self.report.fail("terminal", position, what);
            }
            if legal.len() > 1 && legal.contains(&Move::IDLE) {
                self.report.fail(
                    "legal",
                    position,
                    format!("{name} has both the idle move and other moves"),
                );
            }
            let bound = self.info.moves.unwrap_or(u32::MAX);
            if let Some(choice) = legal.iter().find(|&&m| m != Move::IDLE && m.0 >= bound) {
                let what = format!("move {} of {name} is not below {bound}", choice.0);
                self.report.fail("legal", position, what);
            }
            let mut sorted = legal.clone();
            sorted.sort_unstable();
            sorted.dedup();
            if sorted.len() != legal.len() {
                self.report.fail("legal", position, format!("{name} has a legal move twice"));
            }
            if here.silent && self.info.chance != Some(role) && legal.len() > 1 {
                let what = format!("the step is silent, but {name} has a choice");
                self.report.fail("tick", position, what);
            }
        }
        if here.silent && self.info.information == Information::Perfect {
            let what = "a step is silent in a game of perfect information";
            self.report.fail("tick", position, what);
        }
        if here.weights.is_empty() {
            return;
        }
        let count = self.info.chance.map_or(0, |chance| here.legal[chance.index()].len());
        let total: u64 = here.weights.iter().map(|&weight| u64::from(weight)).sum();
        let what = if here.weights.len() != count {
            format!("chance has {count} legal moves and {} weights", here.weights.len())
        } else if here.weights.contains(&0) {
            "a legal move of chance has the weight zero".to_owned()
        } else if total > u64::from(u32::MAX) {
            format!("the weights of chance have the total {total}, which is above 2^32 - 1")
        } else {
            return;
        };
        self.report.fail("weights", position, what);
    }

    /// States and moves as text and back.
    fn texts(&mut self, here: &Snapshot, position: &str) {
        let text = self.game.text();
        let words = text.state_text(&here.words);
        if text.parse_state(&words).as_ref() != Some(&here.words) {
            self.report.fail("text", position, "the text of the state reads as another state");
        }
        for (role, legal) in self.info.all_roles().zip(&here.legal) {
            for &choice in legal {
                let words = text.move_text(choice);
                if text.parse_move(role, &words) != Some(choice) {
                    let what = format!("`{words}` does not read as the move {}", choice.0);
                    self.report.fail("text", position, what);
                }
                if (choice == Move::IDLE) != (words == IDLE_TEXT) {
                    let what = format!("`{words}` is not a text for the move {}", choice.0);
                    self.report.fail("text", position, what);
                }
                let first = *self.texts.entry(words.clone()).or_insert(choice);
                if first != choice {
                    let what =
                        format!("the moves {} and {} both read `{words}`", first.0, choice.0);
                    self.report.fail("text", position, what);
                }
            }
        }
    }

    /// Goal values, and intermediate rewards.
    fn rewards(&mut self, here: &Snapshot, totals: &[f64], position: &str) {
        let (low, high) = self.info.rewards;
        let mut sum = Some(0.0);
        for role in self.info.players() {
            let name = self.info.role_name(role);
            let goals = &here.goals[role.index()];
            let rewards = match self.info.payment {
                Payment::AtEnd => goals.as_slice(),
                Payment::OnTheWay if here.terminal => &totals[role.index()..=role.index()],
                Payment::OnTheWay => &[],
            };
            if let Some(reward) = rewards.iter().find(|&&reward| !(low..=high).contains(&reward)) {
                let what = format!("the reward {reward} of {name} is outside {low} to {high}");
                self.report.fail("rewards", position, what);
            }
            if here.terminal && rewards.len() != 1 {
                let what = format!("{name} has {} goal values at the end, not one", rewards.len());
                self.report.fail("rewards", position, what);
            }
            sum = if let [reward] = rewards { sum.map(|sum| sum + reward) } else { None };
        }
        if let (true, Some(sum), Some(expected)) = (here.terminal, sum, self.info.constant_sum)
            && (sum - expected).abs() > 1e-9 * expected.abs().max(1.0)
        {
            let what = format!("the rewards have the sum {sum}, not {expected}");
            self.report.fail("rewards", position, what);
        }
    }

    /// Cells and targets.
    fn board(&mut self, here: &Snapshot, position: &str) {
        let Some(board) = self.game.board() else {
            return;
        };
        let shape = board.shape();
        let mut cells = vec![u16::MAX; shape.cells.len()];
        board.cells(&here.words, &mut cells);
        if let Some(cell) = cells.iter().position(|&v| usize::from(v) >= shape.values.len()) {
            let what = format!("cell {cell} has the value {}, which has no name", cells[cell]);
            self.report.fail("board", position, what);
        }
        let count = shape.cells.len();
        for &choice in here.legal.iter().flatten() {
            if let Some((from, to)) = board.target(choice)
                && from.max(to) as usize >= count
            {
                let what = format!("move {} goes to a cell that does not exist", choice.0);
                self.report.fail("board", position, what);
            }
        }
    }
}
