//! Domineering: values and temperatures, compared with published ones and with plain search.

use std::collections::BTreeMap;

use magister_decompose::cgt::{Dyadic, Form, Forms, Outcome};

/// A board of free squares: bit `row * columns + column`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Board {
    free: u32,
    rows: u32,
    columns: u32,
}

impl Board {
    fn new(rows: u32, columns: u32) -> Self {
        Board { free: (1u32 << (rows * columns)) - 1, rows, columns }
    }

    /// The boards after each domino of Left, who plays vertically, or of Right.
    fn after(self, left: bool) -> Vec<Board> {
        let mut boards = Vec::new();
        for row in 0..self.rows {
            for column in 0..self.columns {
                let (down, across) = if left { (1, 0) } else { (0, 1) };
                if row + down >= self.rows || column + across >= self.columns {
                    continue;
                }
                let bit = |row: u32, column: u32| 1u32 << (row * self.columns + column);
                let domino = bit(row, column) | bit(row + down, column + across);
                if self.free & domino == domino {
                    boards.push(Board { free: self.free & !domino, ..self });
                }
            }
        }
        boards
    }

    /// The connected regions of free squares.
    fn regions(self) -> Vec<Board> {
        let mut left = self.free;
        let mut regions = Vec::new();
        while left != 0 {
            let mut region = left & left.wrapping_neg();
            loop {
                let mut wider = region;
                for square in 0..self.rows * self.columns {
                    if region >> square & 1 == 0 {
                        continue;
                    }
                    let (row, column) = (square / self.columns, square % self.columns);
                    for (r, c) in [
                        (row.wrapping_sub(1), column),
                        (row + 1, column),
                        (row, column.wrapping_sub(1)),
                        (row, column + 1),
                    ] {
                        if r < self.rows && c < self.columns {
                            wider |= self.free & 1 << (r * self.columns + c);
                        }
                    }
                }
                if wider == region {
                    break;
                }
                region = wider;
            }
            left &= !region;
            regions.push(Board { free: region, ..self });
        }
        regions
    }
}

/// The value of a board: the sum of the values of its regions.
fn value(board: Board, forms: &mut Forms, known: &mut BTreeMap<Board, Form>) -> Form {
    let mut total = Forms::ZERO;
    for region in board.regions() {
        let form = if let Some(&form) = known.get(&region) {
            form
        } else {
            let left: Vec<Form> =
                region.after(true).into_iter().map(|next| value(next, forms, known)).collect();
            let right: Vec<Form> =
                region.after(false).into_iter().map(|next| value(next, forms, known)).collect();
            let form = forms.position(&left, &right);
            known.insert(region, form);
            form
        };
        total = forms.sum(total, form);
    }
    total
}

/// Whether the player to move wins, by plain search.
fn wins(board: Board, left: bool, known: &mut BTreeMap<(Board, bool), bool>) -> bool {
    if let Some(&known) = known.get(&(board, left)) {
        return known;
    }
    let result = board.after(left).into_iter().any(|next| !wins(next, !left, known));
    known.insert((board, left), result);
    result
}

fn found(rows: u32, columns: u32) -> (String, Dyadic, Dyadic) {
    of_board(Board::new(rows, columns))
}

/// The value of a board as text, its temperature and its mean.
fn of_board(board: Board) -> (String, Dyadic, Dyadic) {
    let (mut forms, mut known) = (Forms::new(), BTreeMap::new());
    let form = value(board, &mut forms, &mut known);
    let thermograph = forms.thermograph(form);
    (forms.text(form), thermograph.temperature(), thermograph.mean())
}

/// The values of small rectangles in Conway's "On Numbers and Games" and in "Winning Ways".
#[test]
fn published_values_of_domineering() {
    let whole = Dyadic::whole;
    for (rows, columns, text, temperature, mean) in [
        (1, 1, "0", whole(-1), whole(0)),
        (2, 1, "1", whole(-1), whole(1)),
        (1, 2, "-1", whole(-1), whole(-1)),
        (3, 1, "1", whole(-1), whole(1)),
        (4, 1, "2", whole(-1), whole(2)),
        (2, 2, "±1", whole(1), whole(0)),
        (2, 3, "{2|-1/2}", Dyadic::new(5, 2), Dyadic::new(3, 2)),
        (3, 2, "{1/2|-2}", Dyadic::new(5, 2), Dyadic::new(-3, 2)),
        (3, 3, "±1", whole(1), whole(0)),
        // Miny two and tiny two.
        (2, 4, "{{2|0}|0}", whole(0), whole(0)),
        (4, 2, "{0|{0|-2}}", whole(0), whole(0)),
    ] {
        let value = found(rows, columns);
        assert_eq!(value, (text.to_owned(), temperature, mean), "{rows}x{columns}");
    }
}

/// Boards with missing squares whose values `CGSuite` confirms, according to the tests of other
/// libraries.
#[test]
fn published_values_of_other_boards() {
    let whole = Dyadic::whole;
    for (rows, columns, missing, text, temperature) in [
        (2, 2, &[1][..], "*", whole(0)),
        (3, 3, &[1, 2, 4, 5][..], "0", whole(-1)),
        (3, 3, &[2, 5][..], "{1/2|-2}", Dyadic::new(5, 2)),
        (2, 4, &[1, 3, 5][..], "1*", whole(0)),
        (4, 4, &[0][..], "±1*", whole(1)),
    ] {
        let board = Board::new(rows, columns);
        let free = missing.iter().fold(board.free, |free, &square: &u32| free & !(1 << square));
        let (value, found, _) = of_board(Board { free, ..board });
        assert_eq!((&*value, found), (text, temperature), "{rows}x{columns} without {missing:?}");
    }
}

/// Every region that occurs in boards up to 4x4 has the winner that plain search finds, and so has
/// every sum of two of the smaller boards.
#[test]
fn winners_of_domineering_by_value_and_by_search() {
    let mut by_size = Vec::new();
    for rows in 1..=4 {
        for columns in 1..=4 {
            let (mut forms, mut known) = (Forms::new(), BTreeMap::new());
            let whole = Board::new(rows, columns);
            value(whole, &mut forms, &mut known);
            let mut searched = BTreeMap::new();
            for (&board, &form) in &known {
                let expected =
                    match (wins(board, true, &mut searched), wins(board, false, &mut searched)) {
                        (true, true) => Outcome::First,
                        (true, false) => Outcome::Left,
                        (false, true) => Outcome::Right,
                        (false, false) => Outcome::Second,
                    };
                assert_eq!(forms.outcome(form), expected, "{rows}x{columns} {:b}", board.free);
            }
            by_size.push((rows, columns, known.len()));
        }
    }
    assert!(by_size.iter().any(|&(rows, columns, regions)| rows * columns == 16 && regions > 100));
}

/// "Winning Ways" gives the 4x4 board as ±(0, {2|0, 2 + tiny two | 2|0, miny two}): tiny two is
/// {0||0|-2}, and miny two its negative.
#[test]
fn four_by_four() {
    let (text, temperature, mean) = found(4, 4);
    assert_eq!(text, "±(0,{{2|0},{2|{2|0}}|{2|0},{{2|0}|0}})");
    assert_eq!((temperature, mean), (Dyadic::ZERO, Dyadic::ZERO));
}
