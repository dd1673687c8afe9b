//! 2048, whose rules do not ground: slides that are easy to get wrong, and random games beside a
//! slow version that shares no code with the fast one.

use magister_core::text::list;
use magister_core::{Move, Role, Seed, Step, Stop, Worker};
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

/// A board as a list of rows with tiles by value, and the score so far.
#[derive(Clone, Debug, PartialEq)]
struct Slow {
    rows: Vec<Vec<u32>>,
    score: u32,
}

/// A row that slides to the left, and what it scores.
fn pushed(row: &[u32]) -> (Vec<u32>, u32) {
    let tiles: Vec<u32> = row.iter().copied().filter(|&tile| tile > 0).collect();
    match tiles[..] {
        [a, b, ..] if a == b => {
            let (rest, score) = pushed(&tiles[2..]);
            ([vec![2 * a], rest].concat(), score + 2 * a)
        }
        [a, ..] => {
            let (rest, score) = pushed(&tiles[1..]);
            ([vec![a], rest].concat(), score)
        }
        [] => (Vec::new(), 0),
    }
}

impl Slow {
    fn mirrored(&self) -> Slow {
        let rows = self.rows.iter().map(|row| row.iter().rev().copied().collect()).collect();
        Slow { rows, ..self.clone() }
    }

    /// Rows become columns.
    fn turned(&self) -> Slow {
        let rows = (0..4).map(|at| self.rows.iter().map(|row| row[at]).collect()).collect();
        Slow { rows, ..self.clone() }
    }

    fn left(&self) -> Slow {
        let mut next = self.clone();
        for row in &mut next.rows {
            let (mut tiles, score) = pushed(row);
            tiles.resize(4, 0);
            *row = tiles;
            next.score += score;
        }
        next
    }

    /// The board after a slide; `None` if nothing changes.
    fn slid(&self, direction: &str) -> Option<Slow> {
        let next = match direction {
            "left" => self.left(),
            "right" => self.mirrored().left().mirrored(),
            "up" => self.turned().left().turned(),
            _ => self.turned().mirrored().left().mirrored().turned(),
        };
        (next.rows != self.rows).then_some(next)
    }

    fn directions(&self) -> Vec<&'static str> {
        let all = ["down", "left", "right", "up"];
        all.into_iter().filter(|direction| self.slid(direction).is_some()).collect()
    }

    fn facts(&self) -> Vec<String> {
        let cell = |row: usize, column: usize, value: u32| {
            format!("(cell {} {} {value})", row + 1, column + 1)
        };
        let rows = self.rows.iter().enumerate();
        let mut facts: Vec<String> = rows
            .flat_map(|(row, tiles)| {
                let tiles = tiles.iter().enumerate().filter(|tile| *tile.1 > 0);
                tiles.map(move |(column, &value)| cell(row, column, value))
            })
            .collect();
        facts.sort();
        facts
    }
}

#[test]
fn random_games_agree_with_a_slow_version() {
    let game = native::find("2048").unwrap();
    let mut rng = Seed::from(48).rng();
    let (mut worker, mut step) = (game.worker(), Step::new());
    let (mut slides, mut largest) = (0, 0);
    for _ in 0..40 {
        worker.reset();
        let mut slow = Slow { rows: vec![vec![0; 4]; 4], score: 0 };
        let mut score = 0.0;
        for turn in 0.. {
            let mut state = Vec::new();
            worker.save(&mut state);
            let shown = game.text().state_text(&state);
            let facts = slow.facts();
            assert_eq!(shown.matches("(cell").count(), facts.len(), "{shown}");
            assert!(facts.iter().all(|fact| shown.contains(fact)), "{shown} and {facts:?}");
            // Two tiles come first, and one after each slide.
            let puts = turn < 2 || turn % 2 == 1;
            assert_eq!(worker.terminal(), !puts && slow.directions().is_empty());
            if worker.terminal() {
                break;
            }
            let role = Role(u8::from(puts));
            let legal = worker.legal(role).to_vec();
            let mut texts: Vec<String> =
                legal.iter().map(|&choice| game.text().move_text(choice)).collect();
            let number = rng.below(legal.len() as u64) as usize;
            let (choice, text) = (legal[number], texts[number].clone());
            if puts {
                let empty = slow.rows.iter().flatten().filter(|&&tile| tile == 0).count();
                assert_eq!(legal.len(), 2 * empty);
                assert_eq!(worker.weights().iter().sum::<u32>() as usize, 10 * empty);
            } else {
                texts.sort();
                assert_eq!(texts, slow.directions());
                slow = slow.slid(&text).unwrap();
                slides += 1;
            }
            let joint = if puts { [Move::IDLE, choice] } else { [choice, Move::IDLE] };
            worker.step(&joint, &mut step, &Stop::never()).unwrap();
            score += step.gains[0];
            if puts {
                // The text of a move of chance names the row, the column and the tile.
                let numbers: Vec<u32> = text
                    .split(|c: char| !c.is_ascii_digit())
                    .filter_map(|word| word.parse().ok())
                    .collect();
                let [row, column, tile] = numbers[..] else { panic!("{text}") };
                let cell = &mut slow.rows[row as usize - 1][column as usize - 1];
                assert_eq!(*cell, 0);
                *cell = tile;
            }
        }
        assert!((score - f64::from(slow.score)).abs() < 1e-9);
        largest = largest.max(slow.rows.iter().flatten().copied().max().unwrap_or(0));
    }
    assert!(slides > 3_000 && largest >= 128, "{slides} slides, largest tile {largest}");
}
