//! Othello, on a board of any even side up to eight.

use magister_core::{Info, Move, Role, Rules, Shape, Step, Symmetry, text};

const PLAYERS: [&str; 2] = ["black", "white"];

/// The rules. Cells are numbered row by row from the top, as the board draws them; move number
/// `i` puts a disc on cell `i`, and the last move passes.
#[derive(Clone, Copy, Debug)]
pub struct Othello {
    side: u32,
    name: &'static str,
}

/// The discs of black and white, and the role to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discs {
    discs: [u64; 2],
    turn: u8,
}

magister_core::pack_struct!(Discs { discs: [u64; 2], turn: u8 });

impl Othello {
    /// The standard game on eight by eight cells.
    pub fn eight() -> Self {
        Othello { side: 8, name: "othello" }
    }

    /// The game on six by six cells.
    pub fn six() -> Self {
        Othello { side: 6, name: "othello-6x6" }
    }

    fn count(self) -> u32 {
        self.side * self.side
    }

    /// The cell at a column and a row, both from 1, the first row at the bottom.
    fn cell(self, column: u32, row: u32) -> Option<u32> {
        let inside = |at: u32| (1..=self.side).contains(&at);
        (inside(column) && inside(row)).then(|| (self.side - row) * self.side + column - 1)
    }

    fn place(self, cell: u32) -> (u32, u32) {
        (cell % self.side + 1, self.side - cell / self.side)
    }

    /// The discs that a new disc on a cell would flip; none if the cell is occupied.
    fn turned(self, own: u64, other: u64, cell: u32) -> u64 {
        if (own | other) >> cell & 1 == 1 {
            return 0;
        }
        let side = self.side.cast_signed();
        let (column, row) = ((cell % self.side).cast_signed(), (cell / self.side).cast_signed());
        let mut turned = 0;
        for (right, down) in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
        {
            let (mut x, mut y, mut line) = (column + right, row + down, 0_u64);
            while (0..side).contains(&x) && (0..side).contains(&y) {
                let bit = 1_u64 << (y * side + x);
                if other & bit != 0 {
                    line |= bit;
                } else {
                    if own & bit != 0 {
                        turned |= line;
                    }
                    break;
                }
                x += right;
                y += down;
            }
        }
        turned
    }

    /// Whether a player could put a disc somewhere.
    fn active(self, discs: &[u64; 2], player: usize) -> bool {
        let (own, other) = (discs[player], discs[1 - player]);
        (0..self.count()).any(|cell| self.turned(own, other, cell) != 0)
    }
}

impl Rules for Othello {
    type State = Discs;

    fn info(&self) -> Info {
        let mut info = Info::new(self.name, &PLAYERS, &format!("othello {} 1", self.side));
        info.moves = Some(self.count() + 1);
        info.constant_sum = Some(100.0);
        // Passes never follow each other, and every other turn fills a cell.
        info.max_length = Some(2 * (self.count() - 4));
        info
    }

    fn initial(&self) -> Discs {
        let middle = self.side / 2;
        let bit = |column: u32, row: u32| self.cell(column, row).map_or(0, |cell| 1_u64 << cell);
        let black = bit(middle, middle + 1) | bit(middle + 1, middle);
        let white = bit(middle, middle) | bit(middle + 1, middle + 1);
        Discs { discs: [black, white], turn: 0 }
    }

    fn terminal(&self, state: &Discs) -> bool {
        !(0..2).any(|player| self.active(&state.discs, player))
    }

    fn legal(&self, state: &Discs, role: Role, out: &mut Vec<Move>) {
        if role.0 != state.turn {
            return;
        }
        let (own, other) = (state.discs[role.index()], state.discs[1 - role.index()]);
        out.extend((0..self.count()).filter(|&cell| self.turned(own, other, cell) != 0).map(Move));
        if out.is_empty() {
            out.push(Move(self.count()));
        }
    }

    fn step(&self, state: &mut Discs, joint: &[Move], _out: &mut Step) {
        let player = usize::from(state.turn);
        let cell = joint[player].0;
        if cell < self.count() {
            let turned = self.turned(state.discs[player], state.discs[1 - player], cell);
            state.discs[player] |= turned | 1 << cell;
            state.discs[1 - player] &= !turned;
        }
        state.turn = 1 - state.turn;
    }

    fn reward(&self, state: &Discs, role: Role) -> f64 {
        let [own, other] = [role.index(), 1 - role.index()].map(|p| state.discs[p].count_ones());
        match own.cmp(&other) {
            std::cmp::Ordering::Greater => 100.0,
            std::cmp::Ordering::Equal => 50.0,
            std::cmp::Ordering::Less => 0.0,
        }
    }

    fn valid(&self, state: &Discs) -> bool {
        let [black, white] = state.discs;
        let board = if self.count() == 64 { u64::MAX } else { (1 << self.count()) - 1 };
        state.turn < 2 && black & white == 0 && (black | white) & !board == 0
    }

    fn move_text(&self, choice: Move) -> String {
        if choice.0 == self.count() {
            return "pass".to_owned();
        }
        let (column, row) = self.place(choice.0);
        format!("(put {column} {row})")
    }

    fn state_text(&self, state: &Discs) -> String {
        let mut terms = Vec::new();
        for cell in 0..self.count() {
            if let Some(player) = (0..2).find(|&player| state.discs[player] >> cell & 1 == 1) {
                let (column, row) = self.place(cell);
                terms.push(format!("(cell {column} {row} {})", PLAYERS[player]));
            }
        }
        terms.push(format!("(control {})", PLAYERS[usize::from(state.turn)]));
        text::list(terms)
    }

    fn parse_state(&self, text: &str) -> Option<Discs> {
        let player = |name: &str| PLAYERS.iter().position(|&player| player == name);
        let mut state = Discs { discs: [0, 0], turn: 0 };
        for term in text::terms(text)? {
            match term[..] {
                ["control", name] => state.turn = player(name)? as u8,
                ["cell", column, row, name] => {
                    let cell = self.cell(column.parse().ok()?, row.parse().ok()?)?;
                    state.discs[player(name)?] |= 1 << cell;
                }
                _ => return None,
            }
        }
        Some(state).filter(|state| self.state_text(state) == text)
    }

    fn board(&self) -> Option<Shape> {
        let mut shape = Shape::grid(self.side, self.side, &["b", PLAYERS[0], PLAYERS[1]]);
        for (number, cell) in (0..).zip(&mut shape.cells) {
            let (column, row) = self.place(number);
            cell.name = format!("{column} {row}");
        }
        Some(shape)
    }

    fn cells(&self, state: &Discs, out: &mut [u16]) {
        for (cell, value) in out.iter_mut().enumerate() {
            let there = |player: usize| (state.discs[player] >> cell & 1) as u16;
            *value = there(0) + 2 * there(1);
        }
    }

    fn target(&self, choice: Move) -> Option<(u32, u32)> {
        (choice.0 < self.count()).then_some((choice.0, choice.0))
    }

    /// The symmetries that keep the four initial discs in place: both diagonals.
    fn symmetries(&self) -> Vec<Symmetry> {
        let (side, cells) = (self.side, self.count());
        let of = |image: &dyn Fn(u32, u32) -> (u32, u32)| {
            let table: Vec<u32> = (0..cells)
                .map(|cell| {
                    let (column, row) = image(cell % side, cell / side);
                    row * side + column
                })
                .collect();
            Symmetry {
                moves: table.iter().copied().chain([cells]).collect(),
                cells: table,
                ..Symmetry::identity(0, 3, 0, 2)
            }
        };
        let last = side - 1;
        Symmetry::close(&[
            of(&|column, row| (row, column)),
            of(&|column, row| (last - row, last - column)),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_has_four_first_moves_that_turn_one_disc_each() {
        let rules = Othello::eight();
        let start = rules.initial();
        let mut legal = Vec::new();
        rules.legal(&start, Role(0), &mut legal);
        let mut texts: Vec<String> = legal.iter().map(|&m| rules.move_text(m)).collect();
        texts.sort();
        assert_eq!(texts, ["(put 3 4)", "(put 4 3)", "(put 5 6)", "(put 6 5)"]);
        let mut state = start;
        rules.step(&mut state, &[legal[0], Move::IDLE], &mut Step::new());
        assert_eq!(state.discs.map(u64::count_ones), [4, 1]);
    }
}
