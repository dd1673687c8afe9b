//! Sums of small games, as rules: too large to be solved as a whole, and never drawn.

use std::fmt::Write as _;

/// The common rules of a game in which the role that cannot move loses.
const NORMAL_PLAY: &str = "
(role left) (role right)
(rival left right) (rival right left)
(init (control left))
(<= (next (control ?o)) (true (control ?p)) (rival ?p ?o))
(<= (legal ?p ?m) (true (control ?p)) (can ?p ?m))
(<= (legal ?p noop) (rival ?p ?o) (true (control ?o)))
(<= (mobile ?p) (can ?p ?m))
(<= (stuck ?p) (true (control ?p)) (not (mobile ?p)))
(<= terminal (stuck ?p))
";

const LOSES: &str = "
(<= (goal ?p 0) (stuck ?p))
(<= (goal ?p 100) (rival ?p ?o) (stuck ?o))
";

const WINS: &str = "
(<= (goal ?p 100) (stuck ?p))
(<= (goal ?p 0) (rival ?p ?o) (stuck ?o))
";

/// Heaps of Nim.
fn nim(heaps: &[u32], misere: bool) -> String {
    let mut text = String::from(NORMAL_PLAY);
    text += if misere { WINS } else { LOSES };
    let most = heaps.iter().copied().max().unwrap_or(0);
    for size in 0..most {
        for more in size + 1..=most {
            let _ = writeln!(text, "(smaller {size} {more})");
        }
    }
    for (heap, size) in heaps.iter().enumerate() {
        let _ = writeln!(text, "(init (heap h{heap} {size}))");
    }
    text + "
(<= (can ?p (leave ?h ?n)) (role ?p) (true (heap ?h ?m)) (smaller ?n ?m))
(<= (next (heap ?h ?n)) (does ?p (leave ?h ?n)))
(<= (taken ?h) (does ?p (leave ?h ?n)))
(<= (next (heap ?h ?n)) (true (heap ?h ?n)) (not (taken ?h)))
"
}

/// Rows of pins: a ball knocks down one pin, or two side by side.
fn kayles(rows: &[u32]) -> String {
    let mut text = String::from(NORMAL_PLAY) + LOSES;
    for (row, &length) in rows.iter().enumerate() {
        for pin in 1..=length {
            let _ = writeln!(text, "(init (standing r{row} {pin}))");
            if pin < length {
                let _ = writeln!(text, "(beside r{row} {pin} {})", pin + 1);
            }
        }
    }
    text + "
(<= (can ?p (one ?r ?x)) (role ?p) (true (standing ?r ?x)))
(<= (can ?p (two ?r ?x ?y)) (role ?p) (beside ?r ?x ?y) (true (standing ?r ?x)) (true (standing ?r ?y)))
(<= (hit ?r ?x) (does ?p (one ?r ?x)))
(<= (hit ?r ?x) (does ?p (two ?r ?x ?y)))
(<= (hit ?r ?y) (does ?p (two ?r ?x ?y)))
(<= (next (standing ?r ?x)) (true (standing ?r ?x)) (not (hit ?r ?x)))
"
}

/// Snort on paths: a role marks free vertices that are not adjacent to a mark of the other role.
fn snort(paths: &[u32]) -> String {
    let mut text = String::from(NORMAL_PLAY) + LOSES;
    for (path, &length) in paths.iter().enumerate() {
        for place in 1..=length {
            let _ = writeln!(text, "(place p{path} {place})");
            if place < length {
                let _ = writeln!(text, "(beside p{path} {place} {})", place + 1);
                let _ = writeln!(text, "(beside p{path} {} {place})", place + 1);
            }
        }
    }
    text + "
(<= (marked ?a ?x) (true (mark ?a ?x ?p)))
(<= (near ?a ?x ?p) (beside ?a ?x ?y) (true (mark ?a ?y ?p)))
(<= (can ?p (put ?a ?x)) (rival ?p ?o) (place ?a ?x) (not (marked ?a ?x)) (not (near ?a ?x ?o)))
(<= (next (mark ?a ?x ?p)) (does ?p (put ?a ?x)))
(<= (next (mark ?a ?x ?p)) (true (mark ?a ?x ?p)))
"
}

/// Boards of Domineering, each with its rows and columns.
fn domineering(boards: &[(u32, u32)]) -> String {
    let mut text = String::from(NORMAL_PLAY) + LOSES;
    for (board, &(rows, columns)) in boards.iter().enumerate() {
        for row in 1..=rows {
            for column in 1..=columns {
                if row < rows {
                    let below = row + 1;
                    let _ =
                        writeln!(text, "(domino left b{board} {row} {column} {below} {column})");
                }
                if column < columns {
                    let right = column + 1;
                    let _ = writeln!(text, "(domino right b{board} {row} {column} {row} {right})");
                }
            }
        }
    }
    text + "
(<= (can ?p (lay ?b ?r ?c)) (domino ?p ?b ?r ?c ?s ?d)
    (not (true (filled ?b ?r ?c))) (not (true (filled ?b ?s ?d))))
(<= (next (filled ?b ?r ?c)) (true (filled ?b ?r ?c)))
(<= (next (filled ?b ?r ?c)) (does ?p (lay ?b ?r ?c)))
(<= (next (filled ?b ?s ?d)) (does ?p (lay ?b ?r ?c)) (domino ?p ?b ?r ?c ?s ?d))
"
}

/// The five sums, by name.
pub(super) fn all() -> [(&'static str, String); 5] {
    [
        ("nim-17-23-29-31", nim(&[17, 23, 29, 31], false)),
        ("misere-nim-14-19-26-30", nim(&[14, 19, 26, 30], true)),
        ("kayles-9-10-11-12", kayles(&[9, 10, 11, 12])),
        ("snort-5-6-6-7", snort(&[5, 6, 6, 7])),
        ("domineering-3x3-3x4-3x4-4x3-4x3", domineering(&[(3, 3), (3, 4), (3, 4), (4, 3), (4, 3)])),
    ]
}
