//! Hostile rulesheets.

use std::fmt::Write as _;

/// `(n 0) ... (n 9)`.
pub(super) fn digits() -> String {
    (0..10).map(|n| format!("(n {n})")).collect()
}

/// `(n ?a) (n ?b) ...`, and the list of variables.
pub(super) fn wide(count: usize) -> (String, String) {
    let names: Vec<String> = (0..count).map(|n| format!("?x{n}")).collect();
    (names.iter().map(|name| format!("(n {name})")).collect(), names.join(" "))
}

/// A relation with ten arguments over ten constants, evaluated in the initial state.
pub(super) fn exploding() -> String {
    let (body, names) = wide(10);
    format!(
        "(role a) (init (at 0)) {}\n(<= (all {names}) {body})\n(<= terminal (all {names}))
         (legal a go) (<= (next (at 1)) (does a go)) (goal a 0)",
        digits()
    )
}

/// The pigeonhole problem: more things than places, and no two things in the same place. It has no
/// answer, which only an exhaustive search shows.
pub(super) fn pigeons() -> String {
    let (things, places) = (15, 14);
    let mut body = String::new();
    for thing in 0..things {
        let _ = write!(body, "(place ?x{thing})");
        (0..thing).for_each(|other| {
            let _ = write!(body, "(distinct ?x{other} ?x{thing})");
        });
    }
    let places: String = (0..places).map(|n| format!("(place {n})")).collect();
    format!(
        "(role a) (init (at 0)) {places}\n(<= fits {body})\n(<= terminal fits)
         (legal a go) (<= (next (at 1)) (does a go)) (goal a 0)"
    )
}

/// The initial state is cheap to compute; the first step is expensive.
pub(super) fn heavy_step() -> String {
    let (body, _) = wide(10);
    format!(
        "(role a) (init (at 0)) {}\n(legal a go) (goal a 0) (<= terminal (true (at 7)))
         (<= (next (at 1)) (does a go) {body} (never ?x0 ?x9)) (<= (next (at 0)) (true (at 0)))",
        digits()
    )
}

/// A game that never ends; its steps are cheap.
pub(super) const ENDLESS: &str = "(role a) (init (at 0)) (legal a go) (legal a stay) (goal a 0)
(<= (next (at 1)) (does a go) (true (at 0))) (<= (next (at 0)) (does a go) (true (at 1)))
(<= (next (at ?x)) (does a stay) (true (at ?x))) (<= terminal (true (at 2)))";
