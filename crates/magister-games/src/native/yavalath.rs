//! Yavalath: four stones in a line win; three lose, unless the same move makes a line of four.

use magister_core::{Info, Layout, Move, Role, Rules, Shape, Step, Symmetry, text};

const PLAYERS: [&str; 2] = ["white", "black"];
/// The number of columns and rows of the rhombus around the board, and of cells of the board.
const SIDE: u32 = 9;
const CELLS: usize = 61;
/// Outside the board.
const NONE: u8 = CELLS as u8;

/// The column and the row of each cell, from 1: row by row from the bottom.
const PLACES: [(u32, u32); CELLS] = {
    let mut places = [(0, 0); CELLS];
    let (mut cell, mut row) = (0, 1);
    while row <= SIDE {
        let mut column = 1;
        while column <= SIDE {
            if inside(column, row) {
                places[cell] = (column, row);
                cell += 1;
            }
            column += 1;
        }
        row += 1;
    }
    places
};

const fn inside(column: u32, row: u32) -> bool {
    column >= 1
        && column <= SIDE
        && row >= 1
        && row <= SIDE
        && column + row >= 6
        && column + row <= 14
}

const fn cell(column: u32, row: u32) -> u8 {
    let mut cell = 0;
    while cell < CELLS {
        if PLACES[cell].0 == column && PLACES[cell].1 == row {
            return cell as u8;
        }
        cell += 1;
    }
    NONE
}

/// The next cell in each of six directions, in opposite pairs. The last entry is the outside.
const NEXT: [[u8; CELLS + 1]; 6] = {
    let mut next = [[NONE; CELLS + 1]; 6];
    let mut at = 0;
    while at < CELLS {
        // All numbers are at least 1, so the cell outside has a 0 and no wrap.
        let (column, row) = PLACES[at];
        next[0][at] = cell(column + 1, row);
        next[1][at] = cell(column - 1, row);
        next[2][at] = cell(column, row + 1);
        next[3][at] = cell(column, row - 1);
        next[4][at] = cell(column + 1, row - 1);
        next[5][at] = cell(column - 1, row + 1);
        at += 1;
    }
    next
};

/// The rules. Cells are numbered row by row from the bottom; move number `i` puts a stone on cell
/// `i`.
#[derive(Clone, Copy, Debug)]
pub struct Yavalath;

/// The stones of white and black, and the length of the longest line that the last move made, up
/// to 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    white: u64,
    black: u64,
    longest: u8,
}

magister_core::pack_struct!(Lines { white: u64, black: u64, longest: u8 });

/// The length of the longest line of `stones` through a cell.
fn longest(stones: u64, cell: u32) -> u32 {
    let run = |direction: usize| {
        let (mut at, mut length) = (NEXT[direction][cell as usize], 0);
        // No cell has the number of the outside, whose bit is never set.
        while stones >> at & 1 == 1 {
            at = NEXT[direction][usize::from(at)];
            length += 1;
        }
        length
    };
    (0..3).map(|pair| 1 + run(2 * pair) + run(2 * pair + 1)).max().unwrap_or(1)
}

impl Lines {
    fn turn(&self) -> usize {
        (self.white | self.black).count_ones() as usize % 2
    }

    fn full(&self) -> bool {
        (self.white | self.black).count_ones() as usize == CELLS
    }

    /// The state with these stones. Only one player can have a line of three or more.
    fn of(white: u64, black: u64) -> Self {
        let all = |stones: u64| {
            (0..CELLS as u32)
                .filter(move |cell| stones >> cell & 1 == 1)
                .map(move |cell| longest(stones, cell))
                .max()
                .unwrap_or(0)
        };
        let most = all(white).max(all(black));
        Lines { white, black, longest: if most < 3 { 0 } else { most.min(4) as u8 } }
    }
}

impl Rules for Yavalath {
    type State = Lines;

    fn info(&self) -> Info {
        let mut info = Info::new("yavalath", &PLAYERS, "yavalath 1");
        (info.moves, info.max_length) = (Some(CELLS as u32), Some(CELLS as u32));
        info.constant_sum = Some(100.0);
        info
    }

    fn initial(&self) -> Lines {
        Lines { white: 0, black: 0, longest: 0 }
    }

    fn terminal(&self, state: &Lines) -> bool {
        state.longest > 0 || state.full()
    }

    fn legal(&self, state: &Lines, role: Role, out: &mut Vec<Move>) {
        if role.index() == state.turn() {
            let filled = state.white | state.black;
            out.extend((0..CELLS as u32).filter(|cell| filled >> cell & 1 == 0).map(Move));
        }
    }

    fn step(&self, state: &mut Lines, joint: &[Move], _out: &mut Step) {
        let player = state.turn();
        let cell = joint[player].0;
        let stones = if player == 0 { &mut state.white } else { &mut state.black };
        *stones |= 1 << cell;
        let length = longest(*stones, cell);
        state.longest = if length < 3 { 0 } else { length.min(4) as u8 };
    }

    fn reward(&self, state: &Lines, role: Role) -> f64 {
        // The player who moved last is not the one to move.
        let moved = role.index() != state.turn();
        match state.longest {
            0 => 50.0,
            3 if moved => 0.0,
            3 => 100.0,
            _ if moved => 100.0,
            _ => 0.0,
        }
    }

    fn valid(&self, state: &Lines) -> bool {
        let Lines { white, black, .. } = *state;
        let lead = white.count_ones().wrapping_sub(black.count_ones());
        let quiet = |stones: u64, other: u64| Lines::of(stones, other).longest == 0;
        (white | black) >> CELLS == 0
            && white & black == 0
            && lead <= 1
            && Lines::of(white, black) == *state
            // Only the player who moved last can have made a line.
            && if lead == 1 { quiet(0, black) } else { quiet(white, 0) }
    }

    fn move_text(&self, choice: Move) -> String {
        let (column, row) = PLACES[choice.index() % CELLS];
        format!("(put {column} {row})")
    }

    fn state_text(&self, state: &Lines) -> String {
        let mut terms = Vec::new();
        for (number, (column, row)) in PLACES.iter().enumerate() {
            let stones = [state.white, state.black];
            if let Some(player) = (0..2).find(|&player| stones[player] >> number & 1 == 1) {
                terms.push(format!("(cell {column} {row} {})", PLAYERS[player]));
            }
        }
        terms.push(format!("(control {})", PLAYERS[state.turn()]));
        text::list(terms)
    }

    fn parse_state(&self, text: &str) -> Option<Lines> {
        let mut stones = [0_u64; 2];
        for term in text::terms(text)? {
            if let ["cell", column, row, name] = term[..] {
                let at = cell(column.parse().ok()?, row.parse().ok()?);
                let player = PLAYERS.iter().position(|&player| player == name)?;
                stones[player] |= 1_u64.checked_shl(u32::from(at)).filter(|_| at < NONE)?;
            }
        }
        let state = Lines::of(stones[0], stones[1]);
        Some(state).filter(|state| self.state_text(state) == text)
    }

    fn board(&self) -> Option<Shape> {
        let mut shape = Shape::grid(SIDE, SIDE, &["b", PLAYERS[0], PLAYERS[1]]);
        shape.layout = Layout::Hexagons;
        // The cells of the rhombus that belong to the board keep their order.
        let mut number = 0..;
        shape.cells.retain(|_| {
            let at: u32 = number.next().unwrap_or(0);
            inside(at % SIDE + 1, at / SIDE + 1)
        });
        for (cell, (column, row)) in shape.cells.iter_mut().zip(PLACES) {
            cell.name = format!("{column} {row}");
            (cell.x, cell.y) = (column as f32 + row as f32 / 2.0, (SIDE - row) as f32);
        }
        shape.neighbours = (0..CELLS)
            .map(|cell| {
                let near = NEXT.iter().map(|next| next[cell]).filter(|&next| next != NONE);
                let mut near: Vec<u32> = near.map(u32::from).collect();
                near.sort_unstable();
                near
            })
            .collect();
        Some(shape)
    }

    fn cells(&self, state: &Lines, out: &mut [u16]) {
        for (cell, value) in out.iter_mut().enumerate() {
            *value = (state.white >> cell & 1) as u16 + 2 * (state.black >> cell & 1) as u16;
        }
    }

    fn target(&self, choice: Move) -> Option<(u32, u32)> {
        Some((choice.0, choice.0))
    }

    /// The rotation by 180 degrees, and the reflection that exchanges columns and rows.
    fn symmetries(&self) -> Vec<Symmetry> {
        let half: Vec<u32> = (0..CELLS as u32).rev().collect();
        let mirror: Vec<u32> =
            PLACES.iter().map(|&(column, row)| u32::from(cell(row, column))).collect();
        [half, mirror].iter().map(|table| Symmetry::of_cells(table, 3, 2)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stones(places: &[(u32, u32)]) -> u64 {
        places.iter().map(|&(column, row)| 1 << cell(column, row)).sum()
    }

    #[test]
    fn lines_run_in_three_directions() {
        assert_eq!(longest(stones(&[(3, 5), (4, 5), (5, 5)]), cell(4, 5).into()), 3);
        assert_eq!(longest(stones(&[(5, 1), (5, 2), (5, 3), (5, 4)]), cell(5, 1).into()), 4);
        assert_eq!(longest(stones(&[(4, 6), (5, 5), (6, 4)]), cell(6, 4).into()), 3);
        // The other diagonal is not a line.
        assert_eq!(longest(stones(&[(4, 4), (5, 5), (6, 6)]), cell(5, 5).into()), 1);
        // Cells at the end of one row and at the start of the next do not touch.
        assert_eq!(longest(stones(&[(9, 1), (4, 2)]), cell(9, 1).into()), 1);
    }

    #[test]
    fn four_win_even_if_three_are_made_as_well() {
        let before = stones(&[(3, 5), (4, 5), (6, 5), (5, 6), (5, 7)]);
        let mut state = Lines {
            white: before,
            black: stones(&[(1, 9), (9, 1), (1, 5), (9, 5), (5, 1)]),
            longest: 0,
        };
        Yavalath.step(&mut state, &[Move(cell(5, 5).into()), Move::IDLE], &mut Step::new());
        assert!(Yavalath.terminal(&state));
        assert!((Yavalath.reward(&state, Role(0)) - 100.0).abs() < 1e-9);
        assert!(Yavalath.reward(&state, Role(1)).abs() < 1e-9);
        assert!(Yavalath.valid(&state));
    }
}
