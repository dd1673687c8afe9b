//! Connect Four: discs fall down their columns, and four in a line win.

use magister_core::{Info, Move, Role, Rules, Shape, Step, Symmetry, text};

const COLUMNS: u32 = 7;
const ROWS: u32 = 6;
/// The bits of a column: its cells and one that stays empty, so that lines do not wrap around the
/// edge.
const BITS: u32 = ROWS + 1;
const VALUES: [&str; 3] = ["b", "red", "yellow"];
/// All cells.
const BOARD: u64 = {
    let (mut board, mut column) = (0, 0);
    while column < COLUMNS {
        board |= ((1 << ROWS) - 1) << (column * BITS);
        column += 1;
    }
    board
};

/// The rules; a state is the discs of red and those of yellow, column by column from the bottom,
/// and move number `i` drops a disc into column `i + 1`.
#[derive(Clone, Copy, Debug)]
pub struct ConnectFour;

fn won(discs: u64) -> bool {
    // Up, along the row, and along both diagonals.
    [1, BITS, BITS - 1, BITS + 1].into_iter().any(|step| {
        let pairs = discs & (discs >> step);
        pairs & (pairs >> (2 * step)) != 0
    })
}

/// The number of discs in a column.
fn height(all: u64, column: u32) -> u32 {
    (all >> (column * BITS) & ((1 << ROWS) - 1)).count_ones()
}

fn turn(&[red, yellow]: &[u64; 2]) -> usize {
    (red | yellow).count_ones() as usize % 2
}

/// The bit of a cell of the board, which is numbered row by row from the top.
fn bit(cell: u32) -> u64 {
    1 << (cell % COLUMNS * BITS + ROWS - 1 - cell / COLUMNS)
}

impl Rules for ConnectFour {
    type State = [u64; 2];
    fn info(&self) -> Info {
        let mut info = Info::new("connect-four", &["red", "yellow"], "connect-four 1");
        info.moves = Some(COLUMNS);
        (info.max_length, info.constant_sum) = (Some(COLUMNS * ROWS), Some(100.0));
        info
    }
    fn initial(&self) -> [u64; 2] {
        [0, 0]
    }
    fn terminal(&self, &[red, yellow]: &[u64; 2]) -> bool {
        won(red) || won(yellow) || red | yellow == BOARD
    }
    fn legal(&self, state: &[u64; 2], role: Role, out: &mut Vec<Move>) {
        if role.index() == turn(state) {
            let all = state[0] | state[1];
            out.extend((0..COLUMNS).filter(|&column| height(all, column) < ROWS).map(Move));
        }
    }
    fn step(&self, state: &mut [u64; 2], joint: &[Move], _out: &mut Step) {
        let turn = turn(state);
        let column = joint[turn].0;
        state[turn] |= 1 << (column * BITS + height(state[0] | state[1], column));
    }
    fn reward(&self, state: &[u64; 2], role: Role) -> f64 {
        let [own, other] = [role.index(), 1 - role.index()].map(|role| f64::from(won(state[role])));
        50.0 + 50.0 * (own - other)
    }
    fn valid(&self, &[red, yellow]: &[u64; 2]) -> bool {
        let all = red | yellow;
        // No disc floats: adding one to each column gives the next free cell.
        let falls = (0..COLUMNS).all(|column| {
            let discs = all >> (column * BITS) & ((1 << BITS) - 1);
            discs & (discs + 1) == 0
        });
        let lead = red.count_ones().wrapping_sub(yellow.count_ones());
        let fair = lead == 0 && !won(red) || lead == 1 && !won(yellow);
        all & !BOARD == 0 && red & yellow == 0 && falls && fair
    }
    fn move_text(&self, choice: Move) -> String {
        format!("(drop {})", choice.0 + 1)
    }
    fn state_text(&self, state: &[u64; 2]) -> String {
        let mut discs = Vec::new();
        for column in 0..COLUMNS {
            for row in 0..ROWS {
                let there = |side: usize| state[side] >> (column * BITS + row) & 1 == 1;
                if let Some(side) = (0..2).find(|&side| there(side)) {
                    discs.push(format!("(cell {} {} {})", column + 1, row + 1, VALUES[side + 1]));
                }
            }
        }
        discs.push(format!("(control {})", VALUES[turn(state) + 1]));
        text::list(discs)
    }
    fn parse_state(&self, text: &str) -> Option<[u64; 2]> {
        let mut state = [0, 0];
        for term in text::terms(text)? {
            if let ["cell", column, row, side] = term[..] {
                let column = column.parse::<u32>().ok().filter(|c| (1..=COLUMNS).contains(c))?;
                let row = row.parse::<u32>().ok().filter(|r| (1..=ROWS).contains(r))?;
                let side = VALUES[1..].iter().position(|&name| name == side)?;
                state[side] |= 1 << ((column - 1) * BITS + row - 1);
            }
        }
        Some(state).filter(|state| self.state_text(state) == text)
    }
    fn board(&self) -> Option<Shape> {
        let mut shape = Shape::grid(COLUMNS, ROWS, &VALUES);
        for (number, cell) in (0..).zip(&mut shape.cells) {
            cell.name = format!("{} {}", number % COLUMNS + 1, ROWS - number / COLUMNS);
        }
        Some(shape)
    }
    fn cells(&self, &[red, yellow]: &[u64; 2], out: &mut [u16]) {
        for (number, cell) in (0..).zip(out) {
            *cell = u16::from(red & bit(number) != 0) + 2 * u16::from(yellow & bit(number) != 0);
        }
    }
    fn symmetries(&self) -> Vec<Symmetry> {
        let mirrored = |cell| cell / COLUMNS * COLUMNS + COLUMNS - 1 - cell % COLUMNS;
        let mut mirror = Symmetry::identity(COLUMNS * ROWS, 3, COLUMNS, 2);
        mirror.cells = (0..COLUMNS * ROWS).map(mirrored).collect();
        mirror.moves = (0..COLUMNS).rev().collect();
        vec![mirror]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_do_not_run_over_the_edge() {
        let cell = |column: u32, row: u32| 1_u64 << (column * BITS + row);
        assert!(won((2..6).map(|column| cell(column, 5)).sum()));
        assert!(won((0..4).map(|i| cell(3 + i, i)).sum()));
        assert!(won((0..4).map(|i| cell(3 - i, i)).sum()));
        assert!(won((2..6).map(|row| cell(6, row)).sum()));
        // Three at the top of a column and one at the bottom of the next.
        assert!(!won(cell(0, 3) | cell(0, 4) | cell(0, 5) | cell(1, 0)));
    }

    #[test]
    fn floating_discs_are_not_a_position() {
        assert!(!ConnectFour.valid(&[2, 0]));
        assert!(ConnectFour.valid(&[1, 2]));
        assert!(!ConnectFour.valid(&[1 << ROWS, 0]));
    }
}
