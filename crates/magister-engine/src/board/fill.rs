//! The contents of the boards of a game: cells, labels and symbols.

use std::sync::Arc;

use magister_core::{Layout, Style};
use rustc_hash::{FxHashMap, FxHashSet};

use super::classify::Lie;
use super::graph::Links;
use super::layout::layout;
use super::marks::mark;
use super::material::Material;
use super::plan::{Place, Plan, Use};
use super::relation::{Forms, Relation};
use super::symbols::Symbols;
use super::vocabulary::leaves;
use crate::Ground;

/// The label of a fluent with these leaves on its board.
pub(super) fn label(name: &str, lie: &Lie, named: bool, leaves: &[Arc<str>]) -> String {
    let words = lie.label.iter().filter_map(|&leaf| leaves.get(leaf)).map(|word| &**word);
    let words: Vec<&str> = words.collect();
    match (words.is_empty(), named) {
        (true, _) => name.to_owned(),
        (false, true) => format!("{name} {}", words.join(" ")),
        (false, false) => words.join(" "),
    }
}

/// Finds the cells, labels and symbols of all boards.
pub(super) fn fill(
    plans: &mut [Plan],
    uses: &mut [Use],
    relations: &[(String, Relation)],
    forms: &Forms,
    material: &Material,
    style: &Style,
) {
    let index: FxHashMap<&str, &Use> =
        relations.iter().map(|(form, _)| form.as_str()).zip(uses.iter()).collect();
    // The board of a fluent, its place on it, and its label.
    let on_board = |plans: &[Plan], fluent: &Ground| {
        let (form, leaves) = forms.parts(fluent);
        let Use::Board { plan, lie, named, .. } = *index.get(form.as_str())? else { return None };
        let places = plans[*plan].places(lie, &leaves);
        Some((*plan, places, label(&fluent.name, lie, *named, &leaves)))
    };
    let mut seen: Vec<FxHashSet<String>> = plans.iter().map(|_| FxHashSet::default()).collect();
    for fluent in &material.fluents {
        let Some((plan, places, label)) = on_board(plans, fluent) else { continue };
        if places.is_empty() {
            continue;
        }
        plans[plan].cells.extend(places);
        if seen[plan].insert(label.clone()) {
            plans[plan].labels.push(label);
        }
    }
    let mut first: Vec<Vec<String>> = plans.iter().map(|_| Vec::new()).collect();
    for fluent in material.states.first().into_iter().flatten() {
        if let Some((plan, places, label)) = on_board(plans, fluent)
            && !places.is_empty()
        {
            first[plan].push(label);
        }
    }
    mark(plans, uses, relations, forms, material, style);
    for (number, plan) in plans.iter_mut().enumerate() {
        let asked = style.boards.iter().find(|board| board.fluents.contains(&plan.name));
        for name in asked.iter().flat_map(|board| &board.fixed) {
            let facts = material.facts.get(name).map_or(&[][..], Vec::as_slice);
            for fact in facts {
                let Some((place, label)) = fixed(plan, plan.across, name, fact) else { continue };
                plan.cells.insert(place);
                if !plan.labels.contains(&label) {
                    plan.labels.push(label.clone());
                }
                plan.fixed.push((place, label));
            }
        }
        let lie = uses.iter().find_map(|how| match how {
            Use::Board { plan, lie, named: false, .. } if *plan == number => Some(lie),
            _ => None,
        });
        let lines = asked.and_then(|board| board.lines.as_ref());
        for name in lines.into_iter().flatten() {
            let facts = material.facts.get(name).map_or(&[][..], Vec::as_slice);
            let pairs = facts.iter().filter_map(|fact| joined(plan, lie?, fact));
            let pairs: Links = pairs.flat_map(|(from, to)| [(from, to), (to, from)]).collect();
            plan.links.extend(pairs);
        }
        for (name, place) in asked.iter().flat_map(|board| &board.places) {
            if let [column, row] = name.split(' ').collect::<Vec<_>>()[..] {
                let (column, row) = if plan.across { (column, row) } else { (row, column) };
                if let (Some(x), Some(y)) = (plan.columns.position(column), plan.rows.position(row))
                {
                    plan.spots.insert((x, y), *place);
                }
            }
        }
        for (from, to) in asked.iter().flat_map(|board| &board.links) {
            let point = |name: &str| plan.columns.position(name).map(|at| (at, 0));
            if let (Some(from), Some(to)) = (point(from), point(to)) {
                plan.links.extend([(from, to), (to, from)]);
            }
        }
        plan.links.sort_unstable();
        plan.links.dedup();
        if plan.layout == Layout::Graph && plan.rows.names.len() == 1 && plan.points.is_empty() {
            plan.points = layout(plan.columns.names.len(), &plan.links);
        }
        let usual = usual(&first[number], plan.cells.len());
        let wide =
            plan.labels.len() > 2 && plan.rows.names.len() > 2 && plan.columns.names.len() > 2;
        let usual = usual.filter(|_| wide);
        plan.symbols = Symbols::new(&plan.labels, &style.symbols, &material.roles, usual);
    }
}

/// The two places of a board that a fact connects.
fn joined(plan: &Plan, lie: &Lie, fact: &[Ground]) -> Option<((usize, usize), (usize, usize))> {
    let mut words = Vec::new();
    for term in fact {
        match term.args {
            Some(_) => leaves(term, &mut words),
            None => words.push(Arc::clone(&term.name)),
        }
    }
    let [(_, x, y), (_, u, v)] = plan.named(lie, &words)[..] else { return None };
    ((x, y) != (u, v)).then_some(((x, y), (u, v)))
}

/// The most frequent label of a board at the start, unless it is a number.
fn usual(labels: &[String], cells: usize) -> Option<&str> {
    let mut sorted: Vec<&str> = labels.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    let runs = sorted.chunk_by(|a, b| a == b);
    let most = runs.max_by_key(|run| run.len()).filter(|run| run.len() * 10 >= cells * 6)?;
    Some(most[0]).filter(|label| label.parse::<i64>().is_err())
}

/// A fact as contents of a board: its place as for the fluents, then its label.
fn fixed(plan: &Plan, across: bool, name: &str, fact: &[Ground]) -> Option<(Place, String)> {
    let find = |first: &Ground, second: &Ground| {
        let (column, row) = if across { (first, second) } else { (second, first) };
        Some((0, plan.columns.position(&column.name)?, plan.rows.position(&row.name)?))
    };
    if let [first, second, rest @ ..] = fact
        && let Some(place) = find(first, second)
    {
        let label = rest.first().map_or(name, |value| &*value.name);
        return Some((place, label.to_owned()));
    }
    let [.., first, second] = fact else { return None };
    Some((find(first, second)?, name.to_owned()))
}
