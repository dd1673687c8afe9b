//! Solved games are played perfectly: the strong player is asked in their positions and compared
//! with the full solution. `cargo xtask perfect` asks in every position of the larger ones.

mod puzzles;

use std::fmt::Write as _;
use std::sync::Arc;

use magister_arena::{Exam, Marks};
use magister_core::Game;

fn game(name: &str) -> Arc<dyn Game> {
    magister::open(name).expect("a bundled game").game
}

fn rules(name: &str, text: &str) -> Arc<dyn Game> {
    magister::open_text(name, text).expect("a game").game
}

/// Asks a prepared player in every `every`-th position.
fn ask_prepared(game: &Arc<dyn Game>, start: u64, every: usize) -> Marks {
    let exam = Exam::new(Arc::clone(game), "uct".parse().expect("a player"), 1_000);
    marks(&Exam { start: Some(start), every, ..exam })
}

/// Asks a player in every `every`-th position.
fn ask(game: &Arc<dyn Game>, player: &str, iterations: u64, every: usize) -> Marks {
    let exam = Exam::new(Arc::clone(game), player.parse().expect("a player"), iterations);
    marks(&Exam { every, jobs: 2, ..exam })
}

fn marks(exam: &Exam) -> Marks {
    let marks = exam.run().expect("it can be solved");
    let (wrong, first) = (marks.blunders.len(), marks.blunders.first());
    assert!(wrong == 0, "{exam:?}: {wrong} of {}, {first:?}", marks.asked);
    assert!(marks.asked > 0, "{exam:?}");
    marks
}

#[test]
fn tictactoe_from_every_position() {
    let game = game("tictactoe");
    assert_eq!(ask(&game, "uct", 30_000, 1).positions, 5478);
    ask(&game, "alphabeta", 100_000, 7);
}

#[test]
fn nim_with_four_heaps_of_every_kind() {
    let game = |heaps| game(heaps);
    assert_eq!(ask(&game("nim-1-5-4-2"), "uct", 5_000, 1).positions, 344);
    ask(&game("nim-1-5-4-2"), "alphabeta", 100_000, 1);
    ask(&game("nim-2-2-10-10"), "uct", 20_000, 11);
    ask_prepared(&game("nim-2-2-10-10"), 10_000, 1);
}

#[test]
fn small_connect_four() {
    for (width, height, line, every) in [(3, 3, 3, 1), (4, 3, 3, 97), (4, 4, 4, 9_001)] {
        let name = format!("connect-{line}-{width}x{height}");
        let marks = ask(&rules(&name, &connect(width, height, line)), "uct", 60_000, every);
        if (width, height, line) == (4, 4, 4) {
            // A published number.
            assert_eq!(marks.positions, 161_029);
        }
    }
}

#[test]
fn small_connect_four_from_every_position() {
    for (width, height, line, positions) in [(3, 3, 3, 694), (4, 3, 3, 7_157), (4, 4, 4, 161_029)] {
        let name = format!("connect-{line}-{width}x{height}");
        let game = rules(&name, &connect(width, height, line));
        assert_eq!(ask_prepared(&game, 2_000_000, 1).positions, positions, "{name}");
    }
}

#[test]
fn puzzles_from_every_position() {
    assert_eq!(ask(&game("buttonsandlights"), "uct", 2_000, 1).positions, 32);
    assert_eq!(ask(&game("hanoi"), "uct", 20_000, 1).positions, 2753);
}

/// Connect Four with another board size and line length.
fn connect(width: u32, height: u32, line: u32) -> String {
    let mut text = "(role x) (role o) (init (control x))
        (<= (legal ?p (drop ?c)) (true (control ?p)) (column ?c) (not (full ?c)))
        (<= (legal x noop) (true (control o)))
        (<= (legal o noop) (true (control x)))
        (<= (next (cell ?c ?r ?p)) (does ?p (drop ?c)) (lowest ?c ?r))
        (<= (next (cell ?c ?r ?p)) (true (cell ?c ?r ?p)))
        (<= (next (control x)) (true (control o)))
        (<= (next (control o)) (true (control x)))
        (<= (taken ?c ?r) (true (cell ?c ?r ?p)))
        (<= (lowest ?c 1) (column ?c) (not (taken ?c 1)))
        (<= (lowest ?c ?r) (column ?c) (succ ?q ?r) (taken ?c ?q) (not (taken ?c ?r)))
        (<= (open) (column ?c) (not (full ?c)))
        (<= terminal (line x)) (<= terminal (line o)) (<= terminal (not (open)))
        (<= (goal ?p 100) (line ?p))
        (<= (goal x 0) (line o)) (<= (goal o 0) (line x))
        (<= (goal ?p 50) (role ?p) (not (line x)) (not (line o)))\n"
        .to_owned();
    for column in 1..=width {
        let _ = writeln!(text, "(column {column})");
    }
    for row in 1..height {
        let _ = writeln!(text, "(succ {row} {})", row + 1);
    }
    let _ = writeln!(text, "(<= (full ?c) (column ?c) (taken ?c {height}))");
    for column in 1..=width {
        for row in 1..=height {
            for player in ["x", "o"] {
                let _ = writeln!(text, "(base (cell {column} {row} {player}))");
            }
            for (across, up) in [(1_i64, 0_i64), (0, 1), (1, 1), (1, -1)] {
                let cells: Vec<(i64, i64)> = (0..i64::from(line))
                    .map(|at| (i64::from(column) + across * at, i64::from(row) + up * at))
                    .collect();
                let inside = |&(c, r): &(i64, i64)| {
                    (1..=i64::from(width)).contains(&c) && (1..=i64::from(height)).contains(&r)
                };
                if cells.iter().all(inside) {
                    let all: String =
                        cells.iter().map(|(c, r)| format!(" (true (cell {c} {r} ?p))")).collect();
                    let _ = writeln!(text, "(<= (line ?p) (role ?p){all})");
                }
            }
        }
    }
    text + "(base (control x)) (base (control o)) (input x noop) (input o noop)
        (<= (input ?p (drop ?c)) (role ?p) (column ?c))\n"
}
