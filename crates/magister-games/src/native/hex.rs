//! Hex on a rhombus of any side up to eleven.

use magister_core::{Info, Layout, Move, Role, Rules, Shape, Step, Symmetry, text};

const PLAYERS: [&str; 2] = ["red", "blue"];

/// The rules. The cell and the move in a column and a row have the number
/// `(row - 1) * side + column - 1`. Red connects the left and the right edge, blue the bottom and
/// the top.
#[derive(Clone, Copy, Debug)]
pub struct Hex {
    side: u32,
    name: &'static str,
}

/// The stones of red and blue, each in two words.
pub type Stones = [[u64; 2]; 2];

/// The largest side.
const LARGEST: u32 = 11;

impl Hex {
    /// The game of a name on a board of this size; `None` if the side is not between 2 and 11.
    pub fn new(name: &'static str, side: u32) -> Option<Self> {
        (2..=LARGEST).contains(&side).then_some(Hex { side, name })
    }

    fn count(self) -> u32 {
        self.side * self.side
    }

    fn board_bits(self) -> u128 {
        (1 << self.count()) - 1
    }

    /// The cells of one column.
    fn column(self, column: u32) -> u128 {
        (0..self.side).map(|row| 1_u128 << (row * self.side + column)).sum()
    }

    /// The cells of one row.
    fn row(self, row: u32) -> u128 {
        ((1_u128 << self.side) - 1) << (row * self.side)
    }

    /// Whether a player has connected its two edges: a flood fill from one edge over its stones.
    fn joined(self, stones: u128, player: usize) -> bool {
        let last = self.side - 1;
        let (from, to) = if player == 0 {
            (self.column(0), self.column(last))
        } else {
            (self.row(0), self.row(last))
        };
        let (not_left, not_right) = (!self.column(0), !self.column(last));
        let side = self.side;
        let mut reached = stones & from;
        loop {
            let right = (reached & not_right) << 1;
            let left = (reached & not_left) >> 1;
            // The third direction goes down to the right: one column more, one row less.
            let falls = (reached & not_right) << 1 >> side;
            let rises = (reached & not_left) >> 1 << side;
            let next = right | left | falls | rises | reached << side | reached >> side;
            let more = reached | next & stones;
            if more & to != 0 {
                return true;
            }
            if more == reached {
                return false;
            }
            reached = more;
        }
    }
}

fn wide([low, high]: [u64; 2]) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

fn turn(stones: &Stones) -> usize {
    let [red, blue] = stones.map(|side| wide(side).count_ones());
    usize::from(red > blue)
}

impl Rules for Hex {
    type State = Stones;

    fn info(&self) -> Info {
        let mut info = Info::new(self.name, &PLAYERS, &format!("hex {} 1", self.side));
        info.moves = Some(self.count());
        (info.max_length, info.constant_sum) = (Some(self.count()), Some(100.0));
        info
    }

    fn initial(&self) -> Stones {
        [[0; 2]; 2]
    }

    fn terminal(&self, state: &Stones) -> bool {
        (0..2).any(|player| self.joined(wide(state[player]), player))
    }

    fn legal(&self, state: &Stones, role: Role, out: &mut Vec<Move>) {
        if role.index() == turn(state) {
            let taken = wide(state[0]) | wide(state[1]);
            out.extend((0..self.count()).filter(|&cell| taken >> cell & 1 == 0).map(Move));
        }
    }

    fn step(&self, state: &mut Stones, joint: &[Move], _out: &mut Step) {
        let player = turn(state);
        let cell = joint[player].0;
        state[player][cell as usize / 64] |= 1 << (cell % 64);
    }

    fn reward(&self, state: &Stones, role: Role) -> f64 {
        if self.joined(wide(state[role.index()]), role.index()) { 100.0 } else { 0.0 }
    }

    fn valid(&self, state: &Stones) -> bool {
        let [red, blue] = state.map(wide);
        let lead = red.count_ones().wrapping_sub(blue.count_ones());
        let inside = (red | blue) & !self.board_bits() == 0;
        inside && red & blue == 0 && lead <= 1 && {
            // The player that has connected its edges moved last.
            let winner = (0..2).find(|&player| self.joined(wide(state[player]), player));
            winner.is_none_or(|winner| winner as u32 == 1 - lead)
        }
    }

    fn move_text(&self, choice: Move) -> String {
        format!("(put {} {})", choice.0 % self.side + 1, choice.0 / self.side + 1)
    }

    fn state_text(&self, state: &Stones) -> String {
        let mut terms = Vec::new();
        for cell in 0..self.count() {
            if let Some(player) = (0..2).find(|&player| wide(state[player]) >> cell & 1 == 1) {
                let (column, row) = (cell % self.side + 1, cell / self.side + 1);
                terms.push(format!("(cell {column} {row} {})", PLAYERS[player]));
            }
        }
        terms.push(format!("(control {})", PLAYERS[turn(state)]));
        text::list(terms)
    }

    fn parse_state(&self, text: &str) -> Option<Stones> {
        let mut state = self.initial();
        for term in text::terms(text)? {
            if let ["cell", column, row, name] = term[..] {
                let number = |word: &str| {
                    word.parse::<u32>().ok().filter(|n| (1..=self.side).contains(n)).map(|n| n - 1)
                };
                let cell = number(row)? * self.side + number(column)?;
                let player = PLAYERS.iter().position(|&player| player == name)?;
                state[player][cell as usize / 64] |= 1 << (cell % 64);
            }
        }
        Some(state).filter(|state| self.state_text(state) == text)
    }

    fn board(&self) -> Option<Shape> {
        let side = self.side;
        let mut shape = Shape::grid(side, side, &["b", PLAYERS[0], PLAYERS[1]]);
        shape.layout = Layout::Hexagons;
        for (number, cell) in (0..).zip(&mut shape.cells) {
            let (column, row) = (number % side, number / side);
            cell.name = format!("{} {}", column + 1, row + 1);
            (cell.x, cell.y) = (column as f32 + row as f32 / 2.0, (side - 1 - row) as f32);
        }
        for (number, near) in (0..).zip(&mut shape.neighbours) {
            let (column, row) = (number % side, number / side);
            if column + 1 < side && row > 0 {
                near.push(number + 1 - side);
            }
            if column > 0 && row + 1 < side {
                near.push(number + side - 1);
            }
            near.sort_unstable();
        }
        Some(shape)
    }

    fn cells(&self, state: &Stones, out: &mut [u16]) {
        let [red, blue] = state.map(wide);
        for (cell, value) in out.iter_mut().enumerate() {
            *value = (red >> cell & 1) as u16 + 2 * (blue >> cell & 1) as u16;
        }
    }

    fn target(&self, choice: Move) -> Option<(u32, u32)> {
        Some((choice.0, choice.0))
    }

    /// The rotation by 180 degrees.
    fn symmetries(&self) -> Vec<Symmetry> {
        let table: Vec<u32> = (0..self.count()).rev().collect();
        vec![Symmetry::of_cells(&table, 3, 2)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stones_touch_along_the_diagonal_that_falls_to_the_right() {
        let hex = Hex::new("hex-5", 5).unwrap();
        let cell = |column: u32, row: u32| 1_u128 << ((row - 1) * 5 + column - 1);
        // (1 3) (2 2) (3 1) touch each other, then along the bottom row.
        assert!(hex.joined(cell(1, 3) | cell(2, 2) | cell(3, 1) | cell(4, 1) | cell(5, 1), 0));
        // The cells on the other diagonal are not adjacent.
        assert!(!hex.joined(cell(1, 1) | cell(2, 2) | cell(3, 3) | cell(4, 4) | cell(5, 5), 0));
        assert!(hex.joined((1..=5).map(|row| cell(2, row)).sum(), 1));
        assert!(Hex::new("hex-12", 12).is_none());
    }
}
