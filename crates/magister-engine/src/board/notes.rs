//! Numbers at the edges of a board: facts about whole rows and columns, such as the clues of a
//! nonogram.

use super::domain::Domain;
use super::marks::words;
use super::material::Material;
use super::plan::Plan;
use crate::Ground;

/// The notes beside the rows and columns of a board, in the order of their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Notes {
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<String>,
}

/// Words for numbers that describe a whole line.
const TELLING: [&str; 9] =
    ["clue", "clues", "sum", "total", "count", "hint", "number", "target", "blocks"];

/// Which lines a fact is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Row,
    Column,
}

fn line(name: &str) -> Option<Line> {
    let words = words(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    match (has(&["row", "rows", "across"]), has(&["col", "cols", "column", "columns", "down"])) {
        (true, false) => Some(Line::Row),
        (false, true) => Some(Line::Column),
        _ => None,
    }
}

/// Finds the notes of the only board with rows and columns.
pub(super) fn note(plans: &mut [Plan], material: &Material) {
    let mut boards = plans.iter_mut().filter(|plan| {
        plan.splits.is_empty() && plan.columns.names.len() > 2 && plan.rows.names.len() > 2
    });
    let (Some(plan), None) = (boards.next(), boards.next()) else { return };
    let mut found: Vec<(Line, usize, i64, String)> = Vec::new();
    for (name, facts) in &material.facts {
        let notes: Option<Vec<_>> = facts.iter().map(|fact| read(plan, name, fact)).collect();
        found.extend(notes.into_iter().flatten());
    }
    // Every line has a number, and both kinds of lines do.
    let beside = |line: Line, domain: &Domain| -> Option<Vec<String>> {
        let of = |at: usize| {
            let mut own: Vec<(i64, &str)> = found
                .iter()
                .filter(|one| one.0 == line && one.1 == at)
                .map(|one| (one.2, one.3.as_str()))
                .collect();
            own.sort_unstable();
            let text: Vec<&str> = own.into_iter().map(|(_, text)| text).collect();
            text.join(" ")
        };
        let all: Vec<String> = (0..domain.names.len()).map(of).collect();
        let some = all.iter().filter(|text| !text.is_empty()).count();
        (some * 4 >= all.len() * 3).then_some(all)
    };
    if let (Some(columns), Some(rows)) =
        (beside(Line::Column, &plan.columns), beside(Line::Row, &plan.rows))
    {
        plan.notes = Notes { columns, rows };
    }
}

/// The line of a fact, its place in the order, and its content: `(row 3 2 5)`, `(clue (row 3) 2 5)`
/// or `(row-sum 3 12)`.
fn read(plan: &Plan, name: &str, fact: &[Ground]) -> Option<(Line, usize, i64, String)> {
    let (first, rest) = fact.split_first()?;
    let (line, index) = match first.args.as_deref() {
        Some([index]) => (line(&first.name)?, index),
        Some(_) => return None,
        None => (line(name)?, first),
    };
    let domain = if line == Line::Row { &plan.rows } else { &plan.columns };
    let at = domain.position(&index.name)?;
    let number = |term: &Ground| term.args.is_none().then(|| term.name.parse::<i64>().ok())?;
    match rest {
        [order, value] => Some((line, at, number(order)?, number(value)?.to_string())),
        [value] if words(name).iter().any(|word| TELLING.contains(&word.as_str())) => {
            Some((line, at, 0, number(value)?.to_string()))
        }
        _ => None,
    }
}
