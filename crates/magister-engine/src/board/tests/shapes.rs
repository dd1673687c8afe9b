//! Boards that are not rectangles of cells: networks, rings, hexagons, and things of two cells.

use std::fmt::Write as _;

use magister_core::Layout;

use super::{Picture, drawn, pictured};

/// A game in which one thing after the other is put on points: `(disc POINT COLOUR)`.
fn points(names: &[&str], facts: &str) -> String {
    let mut rules = String::from("(role you) (colour red) (colour green)");
    for name in names {
        let _ = write!(
            rules,
            "(point {name}) (init (disc {name} none)) (base (disc {name} none))
             (base (disc {name} red)) (base (disc {name} green))"
        );
    }
    rules
        + facts
        + "(<= (legal you (put ?p ?c)) (true (disc ?p none)) (colour ?c))
           (<= (next (disc ?p ?c)) (does you (put ?p ?c)))
           (<= (next (disc ?p ?c)) (true (disc ?p ?c)) (not (put ?p)))
           (<= (put ?p) (does you (put ?p ?c)))
           (<= terminal (not free)) (<= free (true (disc ?p none))) (goal you 100)"
}

/// The names of the points that are connected with one.
fn around(picture: &Picture, name: &str) -> Vec<String> {
    let panel = &picture.panels[0];
    let spot = panel.spots.iter().position(|spot| spot.name == name).unwrap();
    panel.links[spot].iter().map(|&to| panel.spots[to].name.clone()).collect()
}

#[test]
fn a_ring_of_numbered_places_is_not_a_row() {
    let names = ["p1", "p2", "p3", "p4", "p5", "p6"];
    let row = "(near p1 p2) (near p2 p3) (near p3 p4) (near p4 p5) (near p5 p6)";
    let open = pictured(&points(&names, row), "");
    assert_eq!(open.panels[0].layout, Layout::Grid);
    let ring = pictured(&points(&names, &format!("{row} (near p6 p1)")), "");
    assert_eq!(ring.panels[0].layout, Layout::Graph);
    assert_eq!(around(&ring, "p1"), ["p2", "p6"]);
}

#[test]
fn the_points_of_a_fact_may_follow_a_role() {
    let steps = "(next-pit you p1 p2) (next-pit you p2 home) (next-pit you home p3)
        (next-pit you p3 p4) (next-pit you p4 p1)";
    let picture = pictured(&points(&["p1", "p2", "p3", "p4", "home"], steps), "");
    assert_eq!(picture.panels[0].layout, Layout::Graph);
    assert_eq!(around(&picture, "home"), ["p2", "p3"]);
}

#[test]
fn lines_of_points_make_a_rectangle() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    let rows = "(line a b c) (line d e f) (line g h i)";
    let lines = format!("{rows} (line a d g) (line b e h) (line c f i) (line a e i)");
    let picture = pictured(&points(&names, &lines), "");
    let at: Vec<(f32, f32)> = picture.panels[0].spots.iter().map(|spot| spot.at).collect();
    assert_eq!((at[0], at[4], at[8]), ((0.0, 0.0), (1.0, 1.0), (2.0, 2.0)));
    assert_eq!(around(&picture, "b"), ["a", "c", "e"]);
}

#[test]
fn a_rectangle_of_points_may_occur_on_several_boards() {
    let mut rules = String::from(
        "(role you) (line a b c) (line d e f) (line g h i) (line a d g) (line b e h) (line c f i)",
    );
    for board in ["left", "right"] {
        for name in ["a", "b", "c", "d", "e", "f", "g", "h", "i"] {
            let _ = write!(rules, "(init (blank {name} {board}))");
        }
    }
    rules += "(<= (legal you (mark ?p ?b)) (true (blank ?p ?b)))
        (<= (next (cross ?p ?b)) (does you (mark ?p ?b)))
        (<= (next (cross ?p ?b)) (true (cross ?p ?b)))
        (<= (next (blank ?p ?b)) (true (blank ?p ?b)) (not (does you (mark ?p ?b))))
        (<= terminal (line ?x ?y ?z) (true (cross ?x ?b)) (true (cross ?y ?b)) (true (cross ?z ?b)))
        (goal you 100)";
    let picture = pictured(&rules, "");
    assert_eq!(picture.panels.len(), 2);
    assert!(picture.panels.iter().all(|panel| panel.spots.len() == 9));
    assert_eq!(around(&picture, "e"), ["b", "d", "f", "h"]);
}

#[test]
fn a_traveller_stands_in_its_network() {
    let roads = "a b, a c, a d, b c, b e, c e, d e, d f, e f, f a, c f";
    let mut rules = String::from("(role you) (init (place a)) (init (seen a))");
    for road in roads.split(", ") {
        let _ = write!(rules, "(road {road})");
    }
    for town in ["a", "b", "c", "d", "e", "f"] {
        let _ = write!(rules, "(base (place {town})) (base (seen {town}))");
    }
    rules += "(<= (way ?x ?y) (road ?x ?y)) (<= (way ?x ?y) (road ?y ?x))
        (<= (legal you (go ?y)) (true (place ?x)) (way ?x ?y))
        (<= (next (place ?y)) (does you (go ?y))) (<= (next (seen ?y)) (does you (go ?y)))
        (<= (next (seen ?y)) (true (seen ?y)))
        (<= terminal (true (seen b)) (true (seen d)) (true (seen e)) (true (seen f)))
        (goal you 100)";
    let picture = pictured(&rules, "");
    let labels = |name: &str| {
        let spot = picture.panels[0].spots.iter().find(|spot| spot.name == name).unwrap();
        spot.labels.clone()
    };
    assert_eq!(labels("a"), ["place", "seen"]);
    assert!(labels("b").is_empty());
    assert_eq!(around(&picture, "b"), ["a", "c", "e"]);
}

/// Cells of a board, given as pairs of column and row, with moves that fill them.
fn cells(all: impl Iterator<Item = (usize, usize)>, more: &str) -> String {
    let mut rules = String::from("(role you)");
    for (x, y) in all {
        let value = if (x, y) == (3, 3) { "red" } else { "none" };
        let _ = write!(
            rules,
            "(init (cell {x} {y} {value})) (base (cell {x} {y} red)) (base (cell {x} {y} none))"
        );
    }
    rules
        + more
        + "(<= (legal you (put ?x ?y)) (true (cell ?x ?y none)))
           (<= (next (cell ?x ?y red)) (does you (put ?x ?y)))
           (<= (next (cell ?x ?y ?v)) (true (cell ?x ?y ?v)) (not (does you (put ?x ?y))))
           (<= terminal (not free)) (<= free (true (cell ?x ?y none))) (goal you 100)"
}

#[test]
fn two_missing_corners_make_a_hexagon() {
    let all = || (1..=5).flat_map(|x| (1..=5).map(move |y| (x, y)));
    let layout = |rules: &str| pictured(rules, "").panels[0].layout;
    let hexagon = cells(all().filter(|(x, y)| (4..=8).contains(&(x + y))), "");
    assert_eq!(layout(&hexagon), Layout::Hexagons);
    let first = drawn(&hexagon, "");
    assert_eq!(first.lines().next(), Some("    5 . . ."), "{first}");
    // All four corners are missing: an octagon of squares.
    let octagon = all().filter(|(x, y)| (4..=8).contains(&(x + y)) && x.abs_diff(*y) < 3);
    assert_eq!(layout(&cells(octagon, "")), Layout::Grid);
    assert_eq!(layout(&cells(all(), "")), Layout::Grid);
}

#[test]
fn every_line_of_hexagons_may_have_its_own_shift() {
    // Rows of 3, 4, 3 and 4 cells; the names of the longer ones begin with 0.
    let all = (1..=4).flat_map(|y| (usize::from(y % 2 == 1)..=3).map(move |x| (x, y)));
    let mut facts = String::new();
    let mut near = |a: (usize, usize), b: (usize, usize)| {
        let _ = write!(facts, "(near {} {} {} {})", a.0, a.1, b.0, b.1);
    };
    for y in 1..=4 {
        let first = usize::from(y % 2 == 1);
        for x in first..=3 {
            if x < 3 {
                near((x, y), (x + 1, y));
            }
            if y < 4 && y % 2 == 1 {
                near((x, y), (x - 1, y + 1));
                near((x, y), (x, y + 1));
            } else if y < 4 {
                for to in [x, x + 1].into_iter().filter(|to| (1..=3).contains(to)) {
                    near((x, y), (to, y + 1));
                }
            }
        }
    }
    let picture = pictured(&cells(all, &facts), "");
    let panel = &picture.panels[0];
    assert_eq!(panel.layout, Layout::Hexagons);
    let at = |name: &str| panel.spots.iter().find(|spot| spot.name == name).unwrap().at;
    assert!((at("1 1").0 - at("0 2").0 - 0.5).abs() < 1e-3);
    assert!((at("1 2").0 - at("1 1").0 - 0.5).abs() < 1e-3);
    assert!((at("1 3").0 - at("1 1").0).abs() < 1e-3);
}

#[test]
fn two_directions_make_hexagons_beside_a_relation_of_distant_cells() {
    // Rows of 1, 2, 3, 2 and 1 cells; all begin with 1. There are no steps along the rows.
    let length = |y: usize| [0, 1, 2, 3, 2, 1, 0][y];
    let all = (1..=5).flat_map(|y| (1..=length(y)).map(move |x| (x, y)));
    let mut facts = String::new();
    for (x, y) in all.clone() {
        let grows = length(y + 1) > length(y);
        for (name, to) in
            [("left", if grows { x } else { x - 1 }), ("right", x + usize::from(grows))]
        {
            if (1..=length(y + 1)).contains(&to) {
                let _ = write!(facts, "({name} {x} {y} {to} {})", y + 1);
            }
        }
        for (u, v) in all.clone().filter(|&(_, v)| v > y + 1) {
            let _ = write!(facts, "(far {x} {y} {u} {v})");
        }
    }
    let picture = pictured(&cells(all, &facts), "");
    assert_eq!(picture.panels[0].layout, Layout::Hexagons);
}

#[test]
fn cells_that_refer_to_cells_have_no_labels() {
    let all = (1..=3).flat_map(|x| (1..=3).map(move |y| (x, y)));
    let groups = "(index 1) (index 2) (index 3)
        (<= (base (group ?x ?y ?u ?v)) (index ?x) (index ?y) (index ?u) (index ?v))
        (init (group 3 3 3 3))
        (<= (next (group ?x ?y ?x ?y)) (does you (put ?x ?y)))
        (<= (next (group ?x ?y ?u ?v)) (true (group ?x ?y ?u ?v)))";
    let picture = pictured(&cells(all, groups), "");
    assert_eq!(picture.panels.len(), 1);
    let labels = picture.panels[0].spots.iter().flat_map(|spot| &spot.labels);
    assert!(labels.into_iter().all(|label| label == "red" || label == "none"));
}

#[test]
fn a_thing_of_two_cells_lies_on_both() {
    let mut rules = String::from("(role left) (role right)");
    for n in 1..=4 {
        let _ = write!(rules, "(index {n})");
    }
    rules += "(succ 1 2) (succ 2 3) (succ 3 4)
        (<= (base (ship ?r ?x ?y ?u ?y)) (role ?r) (index ?y) (succ ?x ?u))
        (<= (base (ship ?r ?x ?y ?x ?v)) (role ?r) (index ?x) (succ ?y ?v))
        (init (ship left 1 1 2 1)) (init (ship right 4 3 4 4))
        (<= (legal ?r (sail ?x ?y ?u ?v)) (true (ship ?r ?x ?y ?u ?v)))
        (<= (legal ?r (sail ?x ?w ?u ?w)) (true (ship ?r ?x ?y ?u ?y)) (succ ?y ?w))
        (<= (legal ?r (sail ?w ?y ?w ?v)) (true (ship ?r ?x ?y ?x ?v)) (succ ?w ?x))
        (<= (next (ship ?r ?x ?y ?u ?v)) (does ?r (sail ?x ?y ?u ?v)))
        (<= terminal (true (ship left 1 4 2 4))) (<= (goal ?r 50) (role ?r))";
    let picture = pictured(&rules, "");
    let of = |label: &str| -> Vec<&str> {
        let spots = picture.panels[0].spots.iter();
        let spots = spots.filter(|spot| spot.labels == [label.to_owned()]);
        spots.map(|spot| spot.name.as_str()).collect()
    };
    assert_eq!(picture.panels.len(), 1);
    assert_eq!((of("left").len(), of("right").len()), (2, 2));
    assert!(of("left").contains(&"2 1") && of("right").contains(&"4 4"));
}

#[test]
fn terms_of_several_kinds_are_things_and_not_coordinates() {
    let rules = "(role you) (file 1) (file 2) (file 3) (file 4) (rank 1) (rank 2) (rank 3)
        (man (pawn white)) (man (rook white)) (man (lance 1 2))
        (init (cell 1 1 (pawn white))) (init (cell 2 1 (lance 1 2))) (init (cell 3 1 empty))
        (init (cell 4 1 empty))
        (<= (init (cell ?x ?y empty)) (file ?x) (rank ?y) (distinct ?y 1))
        (<= (base (cell ?x ?y empty)) (file ?x) (rank ?y))
        (<= (base (cell ?x ?y ?m)) (file ?x) (rank ?y) (man ?m))
        (<= (legal you (put ?x ?y ?m)) (true (cell ?x ?y empty)) (man ?m))
        (<= (next (cell ?x ?y ?m)) (does you (put ?x ?y ?m)))
        (<= (next (cell ?x ?y ?m)) (true (cell ?x ?y ?m)) (not (filled ?x ?y)))
        (<= (filled ?x ?y) (does you (put ?x ?y ?m)))
        (<= terminal (not free)) (<= free (true (cell ?x ?y empty))) (goal you 100)";
    let picture = pictured(rules, "");
    assert_eq!(picture.panels.len(), 1, "{picture:?}");
    let labels = |name: &str| {
        let spot = picture.panels[0].spots.iter().find(|spot| spot.name == name).unwrap();
        spot.labels.join(", ")
    };
    assert_eq!((labels("1 1"), labels("2 1")), ("pawn white".to_owned(), "lance 1 2".to_owned()));
}

#[test]
fn rows_and_columns_that_say_so_are_not_exchanged() {
    let rules = |first: &str, second: &str| {
        let mut text = String::from("(role you)");
        for a in 1..=3 {
            for b in 1..=4 {
                let _ = write!(
                    text,
                    "(init (cell {first}{a} {second}{b} red)) (at {first}{a} {second}{b})"
                );
            }
        }
        text + "(<= (base (cell ?m ?n red)) (at ?m ?n)) (<= (base (cell ?m ?n green)) (at ?m ?n))
            (<= (legal you (flip ?m ?n)) (true (cell ?m ?n red)))
            (<= (next (cell ?m ?n green)) (does you (flip ?m ?n)))
            (<= (next (cell ?m ?n ?c)) (true (cell ?m ?n ?c)) (not (does you (flip ?m ?n))))
            (<= terminal (not red)) (<= red (true (cell ?m ?n red))) (goal you 100)"
    };
    let columns = |text: &str| pictured(text, "").panels[0].columns.len();
    assert_eq!(columns(&rules("r", "c")), 4);
    assert_eq!(columns(&rules("c", "r")), 3);
}

#[test]
fn walls_between_columns_and_rows_have_one_place_each() {
    let rules = "(role you) (after a b) (after b c) (after c d) (next-row 1 2) (next-row 2 3)
        (<= (init (wall ?a ?b ?m ?n none)) (after ?a ?b) (next-row ?m ?n))
        (<= (base (wall ?a ?b ?m ?n none)) (after ?a ?b) (next-row ?m ?n))
        (<= (base (wall ?a ?b ?m ?n red)) (after ?a ?b) (next-row ?m ?n))
        (<= (legal you (put ?a ?b ?m ?n)) (true (wall ?a ?b ?m ?n none)))
        (<= (next (wall ?a ?b ?m ?n red)) (does you (put ?a ?b ?m ?n)))
        (<= (next (wall ?a ?b ?m ?n ?c)) (true (wall ?a ?b ?m ?n ?c)) (not (does you (put ?a ?b ?m ?n))))
        (<= terminal (not free)) (<= free (true (wall ?a ?b ?m ?n none))) (goal you 100)";
    let picture = pictured(rules, "");
    let spots = &picture.panels[0].spots;
    assert_eq!(spots.len(), 6, "{picture:?}");
    assert!(spots.iter().all(|spot| spot.labels == ["none"]), "{picture:?}");
}

#[test]
fn two_dice_are_not_a_cell() {
    let rules = |name: &str| {
        let mut text = String::from("(role you)");
        for n in 1..=4 {
            let _ = write!(text, "(side {n})");
        }
        format!(
            "{text} (init ({name} 1 1)) (<= (base ({name} ?a ?b)) (side ?a) (side ?b))
            (<= (legal you (turn ?a ?b)) (side ?a) (side ?b))
            (<= (next ({name} ?a ?b)) (does you (turn ?a ?b)))
            (<= terminal (true ({name} 4 4))) (goal you 100)"
        )
    };
    assert_eq!(pictured(&rules("dice"), "").panels.len(), 0);
    assert_eq!(pictured(&rules("place"), "").panels.len(), 1);
}
