//! Recognises and draws the boards of small games.

mod shapes;

use std::fmt::Write as _;
use std::sync::Arc;

use magister_core::{Game, Stop, Style};
use magister_gdl::{Options, read};

use super::{Painter, Picture, fluents};
use crate::{Evaluator, Program, prepare};

/// The first position of a game, drawn.
fn drawn(text: &str, style: &str) -> String {
    pictured(text, style).text(80, true)
}

/// The first position of a game as a picture.
fn pictured(text: &str, style: &str) -> Picture {
    let rules = read(text, &Options::default()).rules;
    let prepared = prepare(&rules, text, "test", None, &Stop::never()).unwrap();
    let program = Program::new(&rules, text).unwrap();
    let style = style_of(style);
    let painter = Painter::new(
        &*prepared.game,
        prepared.network.as_deref().map(crate::evaluator::NetworkGame::network),
        Some(&program),
        &style,
    );
    let mut state = Vec::new();
    prepared.game.worker().save(&mut state);
    painter.picture(&*prepared.game, &state)
}

/// A style in JSON, which the tests of this crate can parse.
fn style_of(text: &str) -> Style {
    if text.is_empty() { Style::default() } else { serde_json::from_str(text).unwrap() }
}

/// A game of cells with changing contents: `values` are facts `(holds column row value)`.
fn grid(cell: &str, facts: &str) -> String {
    format!(
        "(role you) {facts}
         (<= (init {cell}) (start ?x ?y ?v))
         (<= (base {cell}) (start ?x ?y ?w) (value ?v))
         (init (clock 1)) (base (clock 1)) (base (clock 2)) (base (clock 3))
         (succ 1 2) (succ 2 3)
         (<= (legal you (paint ?x ?y ?v)) (start ?x ?y ?w) (value ?v))
         (<= (next {cell}) (does you (paint ?x ?y ?v)))
         (<= (next {cell}) (true {cell}) (not (painted ?x ?y)))
         (<= (painted ?x ?y) (does you (paint ?x ?y ?v)))
         (<= (next (clock ?n)) (true (clock ?m)) (succ ?m ?n))
         (<= terminal (true (clock 3))) (goal you 100)"
    )
}

const BOARD: &str = "(start 1 1 white) (start 2 1 blank) (start 1 2 blank) (start 2 2 black)
    (start 1 3 blank) (start 2 3 blank) (value white) (value black) (value blank)";

#[test]
fn x_runs_to_the_right_and_y_upwards() {
    let text = drawn(&grid("(cell ?x ?y ?v)", BOARD), "");
    assert_eq!(text, "3 . .\n2 . b\n1 W .\n  1 2\nclock 1\nW white, b black\n");
}

#[test]
fn arguments_may_come_in_any_order() {
    // The legend lists the pieces in the order of the fluents, which begin with another argument.
    let board = |text: &str| text.lines().take(5).map(str::to_owned).collect::<Vec<_>>();
    let first = drawn(&grid("(cell ?x ?y ?v)", BOARD), "");
    assert_eq!(board(&drawn(&grid("(cell ?v ?y ?x)", BOARD), "")), board(&first));
    assert_eq!(
        drawn(&grid("(cell (at ?x ?y) ?v)", BOARD).replace("?x", "?c"), "").len(),
        first.len()
    );
}

#[test]
fn rows_run_downwards() {
    let rules = grid("(cell ?y ?x ?v)", BOARD).replace("?x", "?column").replace("?y", "?row");
    assert_eq!(drawn(&rules, "").lines().nth(1), Some("1 W ."));
}

#[test]
fn letters_and_successors_are_places_too() {
    let facts = "(start a one w) (start b one e) (start c one e) (start a two e) (start b two w)
        (start c two e) (start a three e) (start b three e) (start c three w)
        (value w) (value e) (after one two) (after two three)";
    let rules = grid("(cell ?m ?n ?v)", facts).replace("?x", "?m").replace("?y", "?n");
    let text = drawn(&rules, "");
    assert_eq!(text, "three . . w\n  two . w .\n  one w . .\n      a b c\nclock 1\n");
}

#[test]
fn a_style_has_precedence() {
    let style = r#"{"board": [{"fluents": ["cell"], "row": 1, "column": 2, "first-row": "top",
        "layout": "hexagons", "title": "Small"}], "symbols": {"white": "O"}, "hide": ["clock"]}"#;
    let text = drawn(&grid("(cell ?x ?y ?v)", BOARD), style);
    assert_eq!(text, "Small\n  1 2 3\n1 O . .\n 2 . b .\nO white, b black\n");
}

#[test]
fn heaps_scores_and_turns_are_lines_of_text() {
    let rules = "(role ann) (role bob) (init (heap a 3)) (init (heap b 0)) (init (control ann))
        (init (score ann 10)) (init (score bob 0)) (init busy)
        (legal ann wait) (legal bob wait) (<= (next (control bob)) (does ann wait))
        (<= (next (heap a 2)) (does ann wait)) (<= (next (heap b 1)) (does ann wait))
        (<= (next (score ?r 5)) (role ?r))
        (<= terminal (true (control bob))) (goal ann 50) (goal bob 50)";
    let text = drawn(rules, "");
    assert_eq!(text, "control ann\nheap a  ooo 3\nheap b  0\nscore: ann 10, bob 0\nbusy\n");
}

#[test]
fn points_that_facts_connect_are_a_graph() {
    let rules = "(role you) (road paris lyon) (road lyon nice) (road nice paris)
        (town paris) (town lyon) (town nice)
        (<= (init (mark ?t free)) (town ?t))
        (<= (legal you (take ?t)) (true (mark ?t free)))
        (<= (next (mark ?t taken)) (does you (take ?t)))
        (<= (next (mark ?t ?m)) (true (mark ?t ?m)) (not (does you (take ?t))))
        (<= terminal (not open)) (<= open (true (mark ?t free))) (goal you 100)";
    let text = drawn(rules, "");
    assert_eq!(
        text,
        "lyon  .  - nice paris\nnice  .  - lyon paris\nparis .  - lyon nice\nt taken\n"
    );
    let style = r#"{"board": [{"fluents": ["mark"], "column": 1, "layout": "graph",
        "places": {"paris": [1, 0], "lyon": [0, 1], "nice": [2, 1]}}]}"#;
    assert_eq!(drawn(rules, style), "    .\n  /   \\\n.-------.\nt taken\n");
}

#[test]
fn a_style_names_lines_and_marks_that_rules_derive() {
    let rules = grid("(cell ?x ?y ?v)", BOARD)
        + "(<= (near (cell 1 ?y) (cell 2 ?y)) (start 1 ?y ?v))
           (<= (slope 1 ?m 2 ?n) (succ ?m ?n))
           (<= (post 2 ?y) (start 2 ?y blank))";
    let style = r#"{"board": [{"fluents": ["cell"], "layout": "graph", "fixed": ["post"],
        "lines": ["near", "slope"]}], "symbols": {"post": "+", "blank": "o"}}"#;
    assert_eq!(
        drawn(&rules, style),
        "3 o---+\n    /\n2 o---b\n    /\n1 W---+\n  1   2\nclock 1\nW white, o blank, b black, + post\n"
    );
}

#[test]
fn the_board_of_the_vocabulary_agrees() {
    let text = grid("(cell ?x ?y ?v)", BOARD);
    let rules = read(&text, &Options::default()).rules;
    let prepared = prepare(&rules, &text, "test", Some(Evaluator::Sweep), &Stop::never()).unwrap();
    let game: Arc<dyn Game> = prepared.game;
    let board = game.board().unwrap();
    let shape = board.shape();
    assert_eq!((shape.cells.len(), shape.values[0].as_str()), (6, "blank"));
    let mut state = Vec::new();
    game.worker().save(&mut state);
    let mut cells = vec![9; 6];
    board.cells(&state, &mut cells);
    let named: Vec<(&str, &str)> = (0..6)
        .filter(|&cell| cells[cell] != 0)
        .map(|c| (shape.cells[c].name.as_str(), shape.values[usize::from(cells[c])].as_str()))
        .collect();
    // The names of variables affect the drawing but not the `Board`: there, the first argument is
    // the row.
    assert_eq!(named, [("1 1", "white"), ("2 2", "black")]);
    let role = game.info().role("you").unwrap();
    let choice = game.text().parse_move(role, "(paint 2 2 white)").unwrap();
    assert_eq!(board.target(choice), Some((4, 4)));
    assert_eq!(shape.neighbours[4], [1, 3, 5]);
    assert_eq!(fluents(&*game, &state).len(), 7);
}

#[test]
fn a_game_without_a_network_is_drawn_from_its_terms() {
    let text = grid("(cell ?x ?y ?v)", BOARD);
    let rules = read(&text, &Options::default()).rules;
    let by = |evaluator| {
        let prepared = prepare(&rules, &text, "test", Some(evaluator), &Stop::never()).unwrap();
        let network = prepared.network.as_deref().map(crate::evaluator::NetworkGame::network);
        let painter = Painter::new(&*prepared.game, network, None, &Style::default());
        let mut state = Vec::new();
        prepared.game.worker().save(&mut state);
        painter.picture(&*prepared.game, &state)
    };
    // Without the variable names of the rules, the direction is unknown.
    let text = "  1 2 3\n1 W . .\n2 . b .\nclock 1\nW white, b black\n";
    for evaluator in [Evaluator::Datalog, Evaluator::Reference, Evaluator::Sweep] {
        assert_eq!(by(evaluator).text(80, true), text, "{evaluator}");
    }
}

/// A game on a board of three by three whose rules apply `extra` to the cells.
fn with_constants(extra: &str, condition: &str) -> String {
    let cells = "(start 1 1 w) (start 2 1 e) (start 3 1 e) (start 1 2 e) (start 2 2 e)
        (start 3 2 e) (start 1 3 e) (start 2 3 e) (start 3 3 e) (value w) (value e)";
    let rules = grid("(cell ?x ?y ?v)", cells);
    rules + extra + "(<= (open ?x ?y) (true (cell ?x ?y e)) " + condition + ")"
}

#[test]
fn walls_and_signs_stand_between_cells() {
    let facts = "(wall 1 1 east) (wall 0 2 east) (wall 2 2 north) (wall 3 3 north)";
    let text = drawn(&with_constants(facts, "(not (wall ?x ?y east))"), "");
    assert_eq!(
        text.lines().take(6).collect::<Vec<_>>(),
        ["      -", "3 . . .", "    -", "2|. . .", "1 w|. .", "  1 2 3"]
    );
    let facts = "(cell_lt_right 1 1) (cell_lt_below 2 2)";
    let rules = with_constants(facts, "(not (cell_lt_right ?x ?y)) (not (cell_lt_below ?x ?y))");
    let text = drawn(&rules, "");
    assert_eq!(
        text.lines().take(5).collect::<Vec<_>>(),
        ["3 . . .", "2 . . .", "    ^", "1 w<. .", "  1 2 3"]
    );
    // Relations between numbers do not concern cells, and paths are not walls.
    let text = drawn(&with_constants("(path_east 1 1)", "(path_east ?x ?y)"), "");
    assert_eq!(text.lines().next(), Some("3 . . ."));
}

#[test]
fn rare_marks_of_cells_are_drawn() {
    let text = drawn(&with_constants("(pit 3 3) (pit 2 1)", "(not (pit ?x ?y))"), "");
    assert_eq!(
        text.lines().take(4).collect::<Vec<_>>(),
        ["3 . . p", "2 . . .", "1 w p .", "  1 2 3"]
    );
    assert!(text.contains("p pit"), "{text}");
    // No rule applies this to cells.
    let text = drawn(&with_constants("(succ 3 1)", "(succ ?x ?z)"), "");
    assert_eq!(text.lines().next(), Some("3 . . ."));
}

#[test]
fn adjacent_cells_make_hexagons() {
    let steps = "(<= (near ?x ?y ?u ?y) (inc ?x ?u) (inc ?y ?z)) (<= (near ?x ?y ?u ?y) (inc ?x ?u) (inc ?z ?y))
        (<= (near ?x ?y ?x ?v) (inc ?y ?v) (inc ?x ?z)) (<= (near ?x ?y ?x ?v) (inc ?y ?v) (inc ?z ?x))
        (inc 1 2) (inc 2 3)";
    let square = drawn(&with_constants(steps, "(near ?x ?y ?u ?v)"), "");
    assert_eq!(square.lines().next(), Some("3 . . ."));
    let third = "(<= (near ?x ?y ?u ?v) (inc ?x ?u) (inc ?v ?y))";
    let text = drawn(&with_constants(&format!("{steps}{third}"), "(near ?x ?y ?u ?v)"), "");
    assert_eq!(
        text.lines().take(4).collect::<Vec<_>>(),
        ["  3 . . .", " 2 . . .", "1 w . .", "  1 2 3"]
    );
}

#[test]
fn lines_of_hexagons_are_centred() {
    let cells = ["a1", "a2", "b1", "b2", "b3", "c1", "c2"];
    let pairs =
        "a1 a2, b1 b2, b2 b3, c1 c2, a1 b1, a1 b2, a2 b2, a2 b3, b1 c1, b2 c1, b2 c2, b3 c2";
    let mut rules = String::from("(role you) (value w) (value e) (init (at a1 w))");
    for cell in cells {
        let _ = write!(rules, "(place {cell}) (base (at {cell} w)) (base (at {cell} e))");
        if cell != "a1" {
            let _ = write!(rules, "(init (at {cell} e))");
        }
    }
    for pair in pairs.split(", ") {
        let _ = write!(rules, "(adj {pair})");
    }
    rules += "(<= (legal you (put ?c)) (true (at ?c e)))
        (<= (next (at ?c w)) (does you (put ?c)))
        (<= (next (at ?c ?v)) (true (at ?c ?v)) (not (does you (put ?c))))
        (<= terminal (true (at b2 w)) (adj ?c b2)) (goal you 100)";
    let text = drawn(&rules, "");
    assert_eq!(text.lines().take(3).collect::<Vec<_>>(), [" a w .", "b . . .", " c . ."]);
}

#[test]
fn two_halves_are_one_board() {
    let board = |light: &str| {
        let mut rules = String::from("(role you)");
        for (x, y) in (1..=4).flat_map(|x| (1..=4).map(move |y| (x, y))) {
            let name = if (x + y) % 2 == 0 { "dark" } else { light };
            let value = if y == 1 { "w" } else { "e" };
            let _ = write!(
                rules, "(init ({name} {x} {y} {value})) (base ({name} {x} {y} w)) (base ({name} {x} {y} e))
                 (<= (legal you (go {name} {x} {y})) (true ({name} {x} {y} e)))
                 (<= (next ({name} {x} {y} w)) (does you (go {name} {x} {y})))
                 (<= (next ({name} {x} {y} ?v)) (true ({name} {x} {y} ?v))
                     (not (does you (go {name} {x} {y}))))"
            );
        }
        drawn(&(rules + "(<= terminal (true (dark 4 4 w))) (goal you 100)"), "")
    };
    assert!(board("light").starts_with("  1 2 3 4\n1 w . . .\n2 w . . .\n"), "{}", board("light"));
}

#[test]
fn cells_that_hold_roles_are_a_board() {
    let mut rules = String::from(
        "(role white) (role black) (next 1 2) (next 2 3) (init (control white))
         (<= (base (cellHolds ?x ?y ?r)) (index ?x) (index ?y) (role ?r))
         (<= (legal ?r (put ?x ?y)) (true (control ?r)) (index ?x) (index ?y)
             (not (filled ?x ?y)))
         (<= (legal ?r wait) (role ?r) (not (true (control ?r))))
         (<= (filled ?x ?y) (true (cellHolds ?x ?y ?r)))
         (<= (next (cellHolds ?x ?y ?r)) (does ?r (put ?x ?y)))
         (<= (next (cellHolds ?x ?y ?r)) (true (cellHolds ?x ?y ?r)))
         (<= (next (control black)) (true (control white)))
         (<= (next (control white)) (true (control black)))
         (<= terminal (true (cellHolds 2 2 ?r))) (goal white 50) (goal black 50)
         (init (cellHolds 1 1 white)) (init (cellHolds 3 3 black))",
    );
    for number in 1..=3 {
        let _ = write!(rules, "(index {number})");
    }
    let text = drawn(&rules, "");
    assert_eq!(
        text.lines().take(4).collect::<Vec<_>>(),
        ["3 . . b", "2 . . .", "1 W . .", "  1 2 3"]
    );
    // A hand of cards is still a hand.
    let text = drawn(&rules.replace("cellHolds", "holds"), "");
    assert!(text.contains("holds: white: 1 1"), "{text}");
}

#[test]
fn cells_that_keep_old_values_are_one_board() {
    let mut rules = String::from(
        "(role you) (<= (legal you (press ?x ?y)) (index ?x) (index ?y))
         (<= (next (cell ?x ?y 2)) (does you (press ?x ?y)))
         (<= (next (cell ?x ?y 1)) (true (cell ?x ?y 2)))
         (<= (next (cell ?x ?y 0)) (true (cell ?x ?y 0)))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (init (step 1)) (<= terminal (true (step 6))) (goal you 100)",
    );
    for x in 1..=3 {
        let _ = write!(rules, "(index {x})");
        for y in 1..=3 {
            let _ = write!(rules, "(init (cell {x} {y} 0))");
        }
    }
    for step in 1..6 {
        let _ = write!(rules, "(succ {step} {})", step + 1);
    }
    let text = drawn(&rules, "");
    assert_eq!(text.lines().next(), Some("3 0 0 0"), "{text}");
}

#[test]
fn one_queen_in_each_lettered_column_is_a_board() {
    let mut rules = String::from(
        "(role you) (init (step 1)) (<= (legal you (place ?f ?n)) (true (step ?s)) (nth ?s ?f)
             (rank ?n))
         (<= (next (filled ?f ?n)) (does you (place ?f ?n)))
         (<= (next (filled ?f ?n)) (true (filled ?f ?n)))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= terminal (true (step 5))) (goal you 100)",
    );
    for (number, file) in (1..=4).zip(["a", "b", "c", "d"]) {
        let next = number + 1;
        let _ = write!(rules, "(nth {number} {file}) (rank {number}) (succ {number} {next})");
    }
    let text = drawn(&rules, "");
    assert_eq!(text.lines().next(), Some("4 . . . ."), "{text}");
    assert!(text.contains("  a b c d"), "{text}");
}

#[test]
fn blocks_with_names_of_squares_are_not_a_board() {
    let rules = "(role you) (init (on c1 a1)) (init (clear c1)) (init (clear b1))
        (init (table a1)) (init (table b1)) (init (on c2 a2)) (init (clear c2))
        (init (clear b2)) (init (table a2)) (init (table b2)) (init (step 1))
        (<= (legal you (lift ?x ?y)) (true (on ?x ?y)) (true (clear ?x)))
        (legal you wait)
        (<= (next (clear ?y)) (does you (lift ?x ?y)))
        (<= (next (table ?x)) (does you (lift ?x ?y)))
        (<= (next (on ?x ?y)) (true (on ?x ?y)) (not (does you (lift ?x ?y))))
        (<= (next (clear ?x)) (true (clear ?x))) (<= (next (table ?x)) (true (table ?x)))
        (<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)))
        (base (on c1 a1)) (base (on c2 a2)) (base (on a1 c1)) (base (on a2 c2))
        (<= terminal (true (step 3))) (goal you 100)";
    let text = drawn(rules, "");
    assert!(text.contains("clear") && text.contains("table"), "{text}");
    assert!(!text.starts_with("  a b c"), "{text}");
}
