//! Slides of 2048 that are easy to get wrong.

use magister_core::text::list;
use magister_core::{Move, Step, Stop, Worker};
use magister_games::native;

/// A worker in the position with this board, given row by row.
fn load(rows: [[u32; 4]; 4]) -> Box<dyn Worker> {
    let game = native::find("2048").unwrap();
    let cells = rows.iter().flatten().enumerate().filter(|&(_, &value)| value > 0);
    let term = |(i, value)| format!("(cell {} {} {value})", i / 4 + 1, i % 4 + 1);
    let text = list(cells.map(term).chain(["(control player)".to_owned()]));
    let mut worker = game.worker();
    worker.load(&game.text().parse_state(&text).unwrap(), &Stop::never()).unwrap();
    worker
}

/// Slides a board and returns the board and the gain; `None` if the slide is illegal.
fn slide(rows: [[u32; 4]; 4], direction: &str) -> Option<([[u32; 4]; 4], f64)> {
    let game = native::find("2048").unwrap();
    let mut worker = load(rows);
    let player = game.info().role("player").unwrap();
    let choice = game.text().parse_move(player, direction).unwrap();
    let mut step = Step::new();
    worker.step(&[choice, Move::IDLE], &mut step, &Stop::never()).ok()?;

    let board = game.board().unwrap();
    let mut state = Vec::new();
    worker.save(&mut state);
    let mut cells = [0; 16];
    board.cells(&state, &mut cells);
    let value = |cell: usize| board.shape().values[usize::from(cells[cell])].parse().unwrap_or(0);
    let rows = std::array::from_fn(|row| std::array::from_fn(|column| value(4 * row + column)));
    Some((rows, step.gains[0]))
}

#[test]
fn rows_slide_left() {
    let none = [0; 4];
    let cases = [
        ([2, 2, 2, 2], [4, 4, 0, 0], 8.0),
        ([2, 2, 4, 0], [4, 4, 0, 0], 4.0),
        ([4, 2, 2, 0], [4, 4, 0, 0], 4.0),
        ([2, 0, 0, 2], [4, 0, 0, 0], 4.0),
        ([0, 2, 2, 2], [4, 2, 0, 0], 4.0),
        ([0, 0, 0, 8], [8, 0, 0, 0], 0.0),
        ([1024, 1024, 2, 2], [2048, 4, 0, 0], 2052.0),
        ([65536, 65536, 0, 0], [131_072, 0, 0, 0], 131_072.0),
    ];
    for (before, after, gain) in cases {
        let result = slide([none, before, none, none], "left");
        assert_eq!(result, Some(([none, after, none, none], gain)), "{before:?}");
    }
    assert_eq!(slide([[2, 4, 2, 4], none, none, none], "left"), None);
}

#[test]
fn all_four_directions() {
    let board = [[2, 0, 0, 2], [2, 4, 0, 0], [0, 4, 0, 0], [2, 0, 0, 2]];
    let down = [[0, 0, 0, 0], [0, 0, 0, 0], [2, 0, 0, 0], [4, 8, 0, 4]];
    let up = [[4, 8, 0, 4], [2, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]];
    let right = [[0, 0, 0, 4], [0, 0, 2, 4], [0, 0, 0, 4], [0, 0, 0, 4]];
    let left = [[4, 0, 0, 0], [2, 4, 0, 0], [4, 0, 0, 0], [4, 0, 0, 0]];
    assert_eq!(slide(board, "down"), Some((down, 16.0)));
    assert_eq!(slide(board, "up"), Some((up, 16.0)));
    assert_eq!(slide(board, "right"), Some((right, 8.0)));
    assert_eq!(slide(board, "left"), Some((left, 8.0)));
}

#[test]
fn a_full_board_without_equal_neighbours_is_the_end() {
    let row = |first| [first, 6 - first, first, 6 - first];
    let checks = [row(2), row(4), row(2), row(4)];
    for direction in ["left", "up", "right", "down"] {
        assert_eq!(slide(checks, direction), None);
    }
    let worker = load(checks);
    assert!(worker.terminal());
}
