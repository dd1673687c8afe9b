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

/// Stalks of red-blue Hackenbush: a role cuts an edge of its own, and everything above it falls.
/// Each stalk is written from the ground, `l` for an edge of Left and `r` for one of Right.
fn hackenbush(stalks: &[&str]) -> String {
    let mut text = String::from(NORMAL_PLAY) + LOSES;
    let highest = stalks.iter().map(|stalk| stalk.len()).max().unwrap_or(0);
    for low in 1..=highest {
        for high in low..=highest {
            let _ = writeln!(text, "(carries {low} {high})");
        }
    }
    for (stalk, edges) in stalks.iter().enumerate() {
        for (below, colour) in edges.chars().enumerate() {
            let (role, edge) = (if colour == 'l' { "left" } else { "right" }, below + 1);
            let _ = writeln!(text, "(edge {role} s{stalk} {edge}) (init (stands s{stalk} {edge}))");
        }
    }
    text + "
(<= (can ?p (cut ?s ?e)) (edge ?p ?s ?e) (true (stands ?s ?e)))
(<= (falls ?s ?e) (does ?p (cut ?s ?d)) (carries ?d ?e))
(<= (next (stands ?s ?e)) (true (stands ?s ?e)) (not (falls ?s ?e)))
"
}

/// A sum for a duel.
pub(super) struct Sum {
    pub(super) name: &'static str,
    pub(super) rules: String,
    /// The number of random moves at the beginning.
    pub(super) opening: u32,
}

/// The five sums. Random moves make matches differ; in Hackenbush they would decide the match, so
/// every stalk stands there with its negative instead.
pub(super) fn all() -> [Sum; 5] {
    let sum = |name, rules| Sum { name, rules, opening: 2 };
    let stalks = [
        "lrlrrlrl", "rlrllrlr", "lrrlrlrr", "rllrlrll", "llrlrr", "rrlrll", "lrlllrlr", "rlrrrlrl",
    ];
    [
        sum("nim-17-23-29-31", nim(&[17, 23, 29, 31], false)),
        sum("misere-nim-14-19-26-30", nim(&[14, 19, 26, 30], true)),
        sum("kayles-9-10-11-12", kayles(&[9, 10, 11, 12])),
        sum("snort-5-6-6-7", snort(&[5, 6, 6, 7])),
        Sum { name: "hackenbush-8-stalks", rules: hackenbush(&stalks), opening: 0 },
    ]
}
