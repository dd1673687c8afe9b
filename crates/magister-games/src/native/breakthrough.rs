//! Breakthrough: pawns only move forward, and the first one to reach the far side wins.

use magister_core::{Info, Move, Role, Rules, Shape, Step, Symmetry, text};

const SIDE: u32 = 8;
const PLAYERS: [&str; 2] = ["white", "black"];
/// Moves of a player: each cell, and the three cells before it.
const MOVES: u32 = SIDE * SIDE * 3;

/// The rules. Cells are numbered row by row from white's side.
#[derive(Clone, Copy, Debug)]
pub struct Breakthrough;

/// The pawns of white and black, and the role to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pawns {
    pawns: [u64; 2],
    turn: u8,
}

magister_core::pack_struct!(Pawns { pawns: [u64; 2], turn: u8 });

/// The player of a move, its origin, and the column and row of its target, which may be outside the
/// board.
fn parts(choice: Move) -> (usize, u32, (i32, i32)) {
    let (player, rest) = (choice.0 / MOVES, choice.0 % MOVES);
    let (from, side) = (rest / 3, rest.cast_signed() % 3 - 1);
    let ahead = if player == 0 { 1 } else { -1 };
    let (column, row) = ((from % SIDE).cast_signed(), (from / SIDE).cast_signed());
    (player as usize, from, (column + side, row + ahead))
}

/// The cell at a column and a row.
fn cell((column, row): (i32, i32)) -> Option<u32> {
    let inside = |at: i32| (0..SIDE.cast_signed()).contains(&at);
    (inside(column) && inside(row)).then(|| row as u32 * SIDE + column as u32)
}

/// Whether a player has a pawn on the farthest row.
fn arrived(pawns: &[u64; 2], player: usize) -> bool {
    let row = if player == 0 { SIDE - 1 } else { 0 };
    pawns[player] >> (row * SIDE) & 0xff != 0
}

impl Rules for Breakthrough {
    type State = Pawns;
    fn info(&self) -> Info {
        let mut info = Info::new("breakthrough", &PLAYERS, "breakthrough 1");
        (info.moves, info.constant_sum) = (Some(2 * MOVES), Some(100.0));
        // Sixteen pawns each, none of which advances more than six rows before one arrives.
        info.max_length = Some(2 * 16 * 6 + 1);
        info
    }
    fn initial(&self) -> Pawns {
        Pawns { pawns: [0xffff, 0xffff << 48], turn: 0 }
    }
    fn terminal(&self, state: &Pawns) -> bool {
        (0..2).any(|player| arrived(&state.pawns, player) || state.pawns[player] == 0)
    }
    fn legal(&self, state: &Pawns, role: Role, out: &mut Vec<Move>) {
        if role.0 != state.turn {
            return;
        }
        let (own, other) = (state.pawns[role.index()], state.pawns[1 - role.index()]);
        let first = u32::from(role.0) * MOVES;
        for choice in (first..first + MOVES).map(Move) {
            let (_, from, to) = parts(choice);
            let Some(target) = cell(to).filter(|_| own >> from & 1 == 1) else { continue };
            let straight = target % SIDE == from % SIDE;
            let taken = if straight { own | other } else { own };
            if taken >> target & 1 == 0 {
                out.push(choice);
            }
        }
    }
    fn step(&self, state: &mut Pawns, joint: &[Move], _out: &mut Step) {
        let (player, from, to) = parts(joint[usize::from(state.turn)]);
        if let Some(target) = cell(to) {
            state.pawns[player] ^= 1 << from | 1 << target;
            state.pawns[1 - player] &= !(1 << target);
        }
        state.turn = 1 - state.turn;
    }
    fn reward(&self, state: &Pawns, role: Role) -> f64 {
        let wins = arrived(&state.pawns, role.index()) || state.pawns[1 - role.index()] == 0;
        if wins { 100.0 } else { 0.0 }
    }
    fn valid(&self, state: &Pawns) -> bool {
        let [white, black] = state.pawns;
        let both = (0..2).filter(|&p| arrived(&state.pawns, p) || state.pawns[1 - p] == 0).count();
        state.turn < 2 && white & black == 0 && both < 2
            // A player without a legal move would be stuck, but that cannot happen: the foremost
            // pawn of a side can always advance.
            && white.count_ones() <= 16 && black.count_ones() <= 16
    }
    fn move_text(&self, choice: Move) -> String {
        let (_, from, (column, row)) = parts(choice);
        format!("(move {} {} {} {})", from % SIDE + 1, from / SIDE + 1, column + 1, row + 1)
    }
    fn state_text(&self, state: &Pawns) -> String {
        let mut terms = Vec::new();
        for number in 0..SIDE * SIDE {
            if let Some(player) = (0..2).find(|&player| state.pawns[player] >> number & 1 == 1) {
                let (column, row) = (number % SIDE + 1, number / SIDE + 1);
                terms.push(format!("(cell {column} {row} {})", PLAYERS[player]));
            }
        }
        terms.push(format!("(control {})", PLAYERS[usize::from(state.turn)]));
        text::list(terms)
    }
    fn parse_state(&self, text: &str) -> Option<Pawns> {
        let player = |name: &str| PLAYERS.iter().position(|&player| player == name);
        let mut state = Pawns { pawns: [0, 0], turn: 0 };
        for term in text::terms(text)? {
            match term[..] {
                ["control", name] => state.turn = player(name)? as u8,
                ["cell", column, row, name] => {
                    let place = (column.parse::<i32>().ok()?, row.parse::<i32>().ok()?);
                    let number = cell((place.0.checked_sub(1)?, place.1.checked_sub(1)?))?;
                    state.pawns[player(name)?] |= 1 << number;
                }
                _ => return None,
            }
        }
        Some(state).filter(|state| self.state_text(state) == text)
    }
    fn board(&self) -> Option<Shape> {
        let mut shape = Shape::grid(SIDE, SIDE, &["b", "white", "black"]);
        for (number, cell) in (0..).zip(&mut shape.cells) {
            // Row 1 is at the bottom.
            cell.name = format!("{} {}", number % SIDE + 1, SIDE - number / SIDE);
        }
        Some(shape)
    }
    fn cells(&self, state: &Pawns, out: &mut [u16]) {
        for (number, value) in (0..).zip(out) {
            let bit = drawn(number);
            let there = |player: usize| (state.pawns[player] >> bit & 1) as u16;
            *value = there(0) + 2 * there(1);
        }
    }
    fn target(&self, choice: Move) -> Option<(u32, u32)> {
        let (_, from, to) = parts(choice);
        Some((drawn(from), drawn(cell(to)?)))
    }
    fn symmetries(&self) -> Vec<Symmetry> {
        let mirrored = |number: u32| number / SIDE * SIDE + SIDE - 1 - number % SIDE;
        let mut mirror = Symmetry::identity(SIDE * SIDE, 3, 2 * MOVES, 2);
        mirror.cells = (0..SIDE * SIDE).map(mirrored).collect();
        mirror.moves = (0..2 * MOVES)
            .map(|choice| {
                let (player, rest) = (choice / MOVES, choice % MOVES);
                player * MOVES + mirrored(rest / 3) * 3 + 2 - rest % 3
            })
            .collect();
        vec![mirror]
    }
}

/// Converts a cell to the numbering of the board, which begins with the top row, and back.
fn drawn(number: u32) -> u32 {
    (SIDE - 1 - number / SIDE) * SIDE + number % SIDE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pawns_capture_diagonally_and_never_straight() {
        let state = Breakthrough
            .parse_state("((cell 4 4 white) (cell 3 5 black) (cell 4 5 black) (control white))")
            .unwrap();
        let mut legal = Vec::new();
        Breakthrough.legal(&state, Role(0), &mut legal);
        let texts: Vec<String> = legal.iter().map(|&m| Breakthrough.move_text(m)).collect();
        assert_eq!(texts, ["(move 4 4 3 5)", "(move 4 4 5 5)"]);
    }
}
