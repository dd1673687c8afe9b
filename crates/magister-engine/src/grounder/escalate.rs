//! Grounds rules that cannot be grounded as written, with increasing effort.

use magister_core::{Halt, Stop};

use super::demand::{self, Level};
use super::rules::{Condition, Kind, Rule, RuleSet};
use super::{Failure, GroundLimits, Grounded, Progress, attempt, rewrite, roots, split};
use crate::Error;
use crate::program::Program;

/// The maximum number of attempts. Each guards another relation, or uses more precise guards.
const ATTEMPTS: usize = 12;

/// The maximum number of rows of a relation that is computed as a whole although it can be guarded.
const LARGE: usize = 1_000_000;

/// The maximum number of visited rows in an attempt that is not the last.
const ROWS: u64 = 100_000_000;

/// After a failed attempt, relations with more rows than this are guarded in the next attempt.
const SUSPECT: u32 = 20_000;

/// Grounds rules that failed as written: they are rewritten and split, and large relations are
/// guarded. After each failure, more relations are guarded, or guarded more precisely.
pub(super) fn ground(
    program: &Program,
    mut base: RuleSet,
    mut failure: Failure,
    limits: &GroundLimits,
    (stop, progress): (&Stop, &Progress),
) -> Result<Grounded, Error> {
    let mut levels: Vec<Level> = vec![Level::None; base.arities.len()];
    let mut guarded = levels.clone();
    let mut patient = true;
    let mut left = limits.work;
    // A count does not restrict the relation that it counts.
    let mut roots = roots(program);
    roots.extend(base.counters.iter().map(|c| c.of));
    for _ in 0..ATTEMPTS {
        let Failure { halt, latest, origin, before_play, sizes, looked } = failure;
        left = left.saturating_sub(looked);
        if !matches!(halt, Halt::Limit(_)) || left == 0 {
            return Err(halt.into());
        }
        if before_play {
            // A relation that cannot be computed before play is computed on demand during play.
            if base.kinds[origin.index()] != Kind::Static || roots.contains(&origin) {
                return Err(halt.into());
            }
            base.kinds[origin.index()] = Kind::Dynamic;
            base.settle();
            levels.truncate(base.arities.len());
            levels[origin.index()] = Level::Wide;
        }
        let mut set = base.clone();
        rewrite::deduplicate(&mut set);
        rewrite::merge(&mut set);
        rewrite::unfold(&mut set);
        split::split(&mut set, 0);
        levels.resize(set.arities.len(), Level::None);
        guarded.resize(set.arities.len(), Level::None);
        let size = |table: usize| sizes.get(table).copied().unwrap_or(0);
        let suspect = |&t: &usize| size(t) > SUSPECT || t == latest.index();
        let large: Vec<usize> = if before_play {
            vec![origin.index()]
        } else {
            (0..levels.len()).filter(suspect).collect()
        };
        let around = around(&large, &calls(&set), set.arities.len());
        let mut raise = |tables: &[usize], from: Level, to: Level| {
            let mut raised = false;
            for &table in tables {
                let open =
                    set.kinds[table] == Kind::Dynamic && !roots.iter().any(|r| r.index() == table);
                if open && levels[table] == from && guarded[table] == from {
                    levels[table] = to;
                    raised = true;
                }
            }
            raised
        };
        let better =
            raise(&around, Level::None, Level::Narrow) || raise(&large, Level::Narrow, Level::Wide);
        if !better && !before_play && !std::mem::replace(&mut patient, false) {
            return Err(halt.into());
        }
        guarded = demand::guard(&mut set, &levels)?;
        let within = if patient {
            let (table, rows) = (limits.table.min(LARGE), limits.rows.min(ROWS).min(left));
            GroundLimits { rows, table, ..*limits }
        } else {
            GroundLimits { rows: limits.rows.min(left), ..*limits }
        };
        failure = match attempt(program, set, &within, stop, progress) {
            Ok(grounded) => return Ok(grounded),
            Err(failure) => failure,
        };
    }
    Err(failure.halt.into())
}

/// The dependencies between tables.
fn calls(set: &RuleSet) -> Vec<(usize, usize)> {
    let asks = |rule: &Rule| {
        let head = rule.head.index();
        let asked = rule.body.iter().filter_map(Condition::table);
        asked.map(move |table| (head, table.index())).collect::<Vec<_>>()
    };
    let mut calls: Vec<(usize, usize)> = set.rules.iter().flat_map(asks).collect();
    calls.sort_unstable();
    calls.dedup();
    calls
}

/// Tables with all their dependents and dependencies, direct and indirect. Bindings come from the
/// dependents and restrict the dependencies.
fn around(tables: &[usize], calls: &[(usize, usize)], count: usize) -> Vec<usize> {
    let mut above = vec![false; count];
    tables.iter().for_each(|&t| above[t] = true);
    let mut below = above.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for &(from, to) in calls {
            changed |= above[to] && !std::mem::replace(&mut above[from], true);
            changed |= below[from] && !std::mem::replace(&mut below[to], true);
        }
    }
    (0..count).filter(|&t| above[t] || below[t]).collect()
}
