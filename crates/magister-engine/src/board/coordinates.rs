//! Boards whose rules give coordinates to the cells: `(global 2 1 1 4 1)` puts the cell 1 1 of
//! board 2 into column 4 and row 1 of the whole board.

use std::sync::Arc;

use magister_core::{Layout, Style};
use rustc_hash::{FxHashMap, FxHashSet};

use super::classify::{Axis, Lie};
use super::domain::{Domain, Kind};
use super::material::Material;
use super::plan::{Place, Plan, Use};
use crate::Ground;

/// How cells were named before they got coordinates.
#[derive(Debug)]
pub(super) struct Former {
    pub(super) splits: Vec<Domain>,
    pub(super) columns: Domain,
    pub(super) rows: Domain,
    pub(super) to: FxHashMap<Place, Place>,
}

/// Whether rules may give the cells of a board other coordinates.
pub(super) fn may_be(plan: &Plan, style: &Style) -> bool {
    let points = plan.rows.names.len() == 1 && plan.columns.kind != Kind::Numbers;
    (!plan.splits.is_empty() || points)
        && plan.former.is_none()
        && !style.boards.iter().any(|board| board.fluents.contains(&plan.name))
}

/// Uses the coordinates that rules give.
pub(super) fn recognise(plans: &mut [Plan], uses: &[Use], material: &Material, style: &Style) {
    for (number, plan) in plans.iter_mut().enumerate() {
        let lie = uses.iter().find_map(|how| match how {
            Use::Board { plan, lie, named: false, .. } if *plan == number => Some(lie),
            _ => None,
        });
        let Some(lie) = lie.filter(|_| may_be(plan, style)) else { continue };
        let Some(found) =
            material.facts.values().find_map(|facts| given(plan, lie, facts, material))
        else {
            continue;
        };
        let (columns, rows, to) = found;
        let place = |place: &Place| to.get(place).copied();
        plan.cells = plan.cells.iter().filter_map(place).collect();
        plan.fixed.retain_mut(|(at, _)| place(at).map(|new| *at = new).is_some());
        plan.layout = Layout::Grid;
        plan.links.clear();
        plan.up = lie.up || lie.row == Axis::One;
        plan.turned = false;
        plan.former = Some(Former {
            splits: std::mem::take(&mut plan.splits),
            columns: std::mem::replace(&mut plan.columns, columns),
            rows: std::mem::replace(&mut plan.rows, rows),
            to,
        });
    }
}

type Given = (Domain, Domain, FxHashMap<Place, Place>);

/// The coordinates that facts give to all cells: each has its own column and row.
fn given(plan: &Plan, lie: &Lie, facts: &[Vec<Ground>], material: &Material) -> Option<Given> {
    let mut leaves: Vec<usize> = lie.split.clone();
    for axis in [lie.column, lie.row] {
        if let Axis::Leaf(leaf) | Axis::First(leaf) | Axis::Second(leaf) = axis {
            leaves.push(leaf);
        }
    }
    leaves.sort_unstable();
    leaves.dedup();
    let (count, last) = (leaves.len(), *leaves.last()?);
    let mut named: Vec<(Place, &Arc<str>, &Arc<str>)> = Vec::new();
    for fact in facts {
        if fact.len() != count + 2 || fact.iter().any(|arg| arg.args.is_some()) {
            return None;
        }
        let mut words: Vec<Arc<str>> = vec![Arc::from(""); last + 1];
        leaves.iter().zip(fact).for_each(|(&leaf, arg)| words[leaf] = Arc::clone(&arg.name));
        let place = plan.place(lie, &words).filter(|place| plan.cells.contains(place));
        if let Some(place) = place {
            named.push((place, &fact[count].name, &fact[count + 1].name));
        }
    }
    let cells: FxHashSet<Place> = named.iter().map(|&(place, ..)| place).collect();
    if cells.len() != plan.cells.len() || named.len() != cells.len() {
        return None;
    }
    let columns = Domain::new(named.iter().map(|(_, column, _)| *column), material);
    let rows = Domain::new(named.iter().map(|(.., row)| *row), material);
    let line = |domain: &Domain| domain.is_ordered() && domain.is_dense();
    if !line(&columns) || !line(&rows) {
        return None;
    }
    let place = |&(place, column, row): &(Place, &Arc<str>, &Arc<str>)| {
        Some((place, (0, columns.position(column)?, rows.position(row)?)))
    };
    let to: FxHashMap<Place, Place> = named.iter().filter_map(place).collect();
    let different: FxHashSet<&Place> = to.values().collect();
    (different.len() == cells.len()).then_some((columns, rows, to))
}
