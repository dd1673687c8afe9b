//! Tic-Tac-Toe: three in a row wins.

use magister_core::{Info, Move, Role, Rules, Shape, Step, Symmetry, text};

const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
const VALUES: [&str; 3] = ["b", "x", "o"];

/// The rules; a state is the cells of x and those of o, and move number `i` marks cell `i`.
#[derive(Clone, Copy, Debug)]
pub struct TicTacToe;

fn won(marks: u16) -> bool {
    LINES.iter().any(|line| marks & line == *line)
}

impl Rules for TicTacToe {
    type State = [u16; 2];
    fn info(&self) -> Info {
        let mut info = Info::new("tictactoe", &["x", "o"], "tictactoe 1");
        (info.moves, info.max_length, info.constant_sum) = (Some(9), Some(9), Some(100.0));
        info
    }
    fn initial(&self) -> [u16; 2] {
        [0, 0]
    }
    fn terminal(&self, &[x, o]: &[u16; 2]) -> bool {
        won(x) || won(o) || x | o == 0o777
    }
    fn legal(&self, &[x, o]: &[u16; 2], role: Role, out: &mut Vec<Move>) {
        if u32::from(role.0) == (x | o).count_ones() % 2 {
            out.extend((0..9).filter(|cell| (x | o) >> cell & 1 == 0).map(Move));
        }
    }
    fn step(&self, state: &mut [u16; 2], joint: &[Move], _out: &mut Step) {
        let turn = (state[0] | state[1]).count_ones() as usize % 2;
        state[turn] |= 1 << joint[turn].0;
    }
    fn reward(&self, state: &[u16; 2], role: Role) -> f64 {
        let [own, other] = [role.index(), 1 - role.index()].map(|role| f64::from(won(state[role])));
        50.0 + 50.0 * (own - other)
    }
    fn valid(&self, &[x, o]: &[u16; 2]) -> bool {
        let lead = x.count_ones().wrapping_sub(o.count_ones());
        x | o <= 0o777 && x & o == 0 && (lead == 0 && !won(x) || lead == 1 && !won(o))
    }
    fn move_text(&self, choice: Move) -> String {
        format!("(mark {} {})", choice.0 / 3 + 1, choice.0 % 3 + 1)
    }
    fn state_text(&self, state: &[u16; 2]) -> String {
        let mut cells = [0; 9];
        self.cells(state, &mut cells);
        let cell = |i: usize| {
            let (row, column, mark) = (i / 3 + 1, i % 3 + 1, VALUES[usize::from(cells[i])]);
            format!("(cell {row} {column} {mark})")
        };
        let turn = VALUES[1 + (state[0] | state[1]).count_ones() as usize % 2];
        text::list((0..9).map(cell).chain([format!("(control {turn})")]))
    }
    fn parse_state(&self, text: &str) -> Option<[u16; 2]> {
        let terms = text::terms(text)?;
        let marked = |i: usize, mark| terms.get(i).is_some_and(|term| term.last() == Some(&mark));
        let cells = |mark| (0..9).filter(|&i| marked(i, mark)).map(|i| 1 << i).sum();
        Some([cells("x"), cells("o")]).filter(|state| self.state_text(state) == text)
    }
    fn board(&self) -> Option<Shape> {
        Some(Shape::grid(3, 3, &VALUES))
    }
    fn cells(&self, &[x, o]: &[u16; 2], out: &mut [u16]) {
        for (i, cell) in out.iter_mut().enumerate() {
            *cell = (x >> i & 1) + 2 * (o >> i & 1);
        }
    }
    fn target(&self, choice: Move) -> Option<(u32, u32)> {
        Some((choice.0, choice.0))
    }
    fn symmetries(&self) -> Vec<Symmetry> {
        let (turn, mirror) = ([2, 5, 8, 1, 4, 7, 0, 3, 6], [2, 1, 0, 5, 4, 3, 8, 7, 6]);
        Symmetry::close(&[turn, mirror].map(|cells| Symmetry::of_cells(&cells, 3, 2)))
    }
}
