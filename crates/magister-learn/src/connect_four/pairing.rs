//! Bounds of scores by pairing: what a player gets that answers every move in the same column.
//!
//! The rows are numbered from 1. If a column has an even number of free cells, a player that answers
//! in it gets all free cells of even rows, and the other player those of odd rows. J. Allis, "A
//! knowledge-based approach of Connect-Four", 1988, calls this claimeven.

use super::board::{BITS, BOARD, BOTTOM, Position, ROWS, column_cells, four, threats};

/// Rows 1, 3 and 5.
const ODD_ROWS: u64 = BOTTOM | BOTTOM << 2 | BOTTOM << 4;
const EVEN_ROWS: u64 = BOARD ^ ODD_ROWS;

/// An upper bound of the score of a position, 0 or less, if the other player prevents every line of
/// the player to move by answers in the same column. The player to move must not be able to win at
/// once.
///
/// The lowest free cells of the columns with an odd number of free cells answer each other, so the
/// mover gets at most one of two; above them the rest of these columns is like the others.
///
/// If the number of all free cells is odd, the mover is the second player. Then the other player
/// also needs a cell in an odd row that completes a line, above an odd number of free cells: it
/// answers in that column, too, and the mover has to play below that cell in the end.
pub(crate) fn bound(position: &Position) -> Option<i32> {
    let (own, other) = (position.own, position.own ^ position.all);
    let (free, playable) = (BOARD ^ position.all, position.playable());
    let single = playable & EVEN_ROWS;
    let hostile = threats(other, position.all) & !playable;
    // The mover loses at once below a cell with which the other player wins, so it does not get
    // that cell or anything above.
    let deadly = hostile & EVEN_ROWS;
    let lost = from_here_up(deadly);
    let mover = own | free & ODD_ROWS & !lost;
    if position.plies().is_multiple_of(2) {
        return if lines_with_half(mover, single) {
            None
        } else if deadly != 0 {
            Some(win_after(lost))
        } else {
            let line = four(other | free & EVEN_ROWS & !single);
            Some(-i32::from(line))
        };
    }
    let mut cells = hostile & ODD_ROWS;
    let mut best = if four(own | free) { None } else { Some(0) };
    while cells != 0 {
        let cell = cells & cells.wrapping_neg();
        cells ^= cell;
        let column = column_cells(cell.trailing_zeros() / BITS);
        if single & column == 0 {
            continue;
        }
        let below = column & (cell - 1);
        let gets = mover & !(column & free) | free & below & EVEN_ROWS;
        if !lines_with_half(gets, single & !column) {
            let bound = win_after(lost & !column | column & !(cell - 1));
            best = Some(best.map_or(bound, |best: i32| best.min(bound)));
        }
    }
    best
}

/// The score of the loser if the winner wins at the latest when only these cells are free.
fn win_after(cells: u64) -> i32 {
    -(cells.count_ones().cast_signed() + 1) / 2
}

/// These cells and all above them. A column must not have cells in row 1.
fn from_here_up(cells: u64) -> u64 {
    let columns = (1..ROWS).fold(0, |found, row| found | cells >> row) & BOTTOM;
    // In each column, the difference has ones from the lowest of the cells up, and zeros at the
    // others.
    ((columns << ROWS) - cells) | cells
}

/// Whether a player with these cells and at most half of the others can have four in a line. If it
/// is uncertain, the answer is yes.
fn lines_with_half(cells: u64, others: u64) -> bool {
    if !four(cells | others) {
        return false;
    }
    let first = others & others.wrapping_neg();
    let rest = others ^ first;
    rest == 0 || rest & (rest - 1) != 0 || four(cells | first) || four(cells | rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connect_four::COLUMNS;
    use magister_core::Seed;

    /// The score by plain negamax.
    fn slow(position: &Position) -> i32 {
        if position.can_win() {
            return (43 - position.plies().cast_signed()) / 2;
        }
        let columns = (0..COLUMNS).filter(|&column| position.can_play(column));
        columns.map(|column| -slow(&position.play(column))).max().unwrap_or(0)
    }

    /// A random position with this many discs in which the game goes on.
    fn random(discs: u32, rng: &mut magister_core::Rng) -> Option<Position> {
        let mut position = Position::new();
        while position.plies() < discs {
            let column = rng.below(COLUMNS.into()) as u32;
            if !position.can_play(column) || position.wins(column) {
                return None;
            }
            position = position.play(column);
        }
        (!position.can_win()).then_some(position)
    }

    #[test]
    fn bounds_are_not_below_the_score() {
        let mut rng = Seed::from(11).rng();
        let (mut bounds, mut exact) = ([0; 5], 0);
        while bounds.iter().sum::<u32>() < 4_000 {
            let discs = 28 + rng.below(10) as u32;
            let Some(position) = random(discs, &mut rng) else { continue };
            let Some(bound) = bound(&position) else { continue };
            let score = slow(&position);
            assert!(score <= bound, "{position:?} has score {score} and bound {bound}");
            bounds[bound.unsigned_abs().min(4) as usize] += 1;
            exact += u32::from(score == bound);
        }
        // Draws, and losses of different lengths.
        assert!(bounds[..4].iter().all(|&count| count > 10), "{bounds:?}");
        assert!(exact > 1_000, "{exact}");
    }
}
