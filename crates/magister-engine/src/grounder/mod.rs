//! Grounding: from rules to the finite set of their relevant instances.
//!
//! Static relations are evaluated once, exactly. The rest is computed bottom-up by semi-naive
//! evaluation from the initial state: the fluents that `next` derives, the moves that `legal`
//! derives, and everything that follows from them. Negations over dynamic relations count as
//! possible, so the result covers every reachable state and possibly more; every instance is kept
//! with its dynamic conditions.
//!
//! The declarations `base` and `input` are not used: they may be wrong, and nothing here could
//! detect that. The price is additional instances where relaxed reachability exceeds real
//! reachability.

mod cost;
mod count;
mod demand;
mod determined;
mod escalate;
mod finish;
mod grounded;
mod groups;
mod harvest;
mod join;
mod lower;
mod operations;
mod plan;
mod progress;
mod rewrite;
mod rules;
mod run;
mod split;
mod table;

#[cfg(test)]
mod tests;

use magister_core::{Halt, Stop};

use crate::Error;
use crate::program::Program;

pub use determined::Functional;
pub use grounded::{AtomId, AtomKind, Grounded, Relation, Signed, Truth};
pub use progress::Progress;
use rules::{FIXED, Kind, RuleSet, TableId};
use run::{Grounder, legal_table, relation_table};

/// The limits of grounding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GroundLimits {
    /// The maximum number of rule instances.
    pub instances: usize,
    /// The maximum memory in bytes, approximately.
    pub bytes: usize,
    /// The maximum nesting of terms. It stops rules that build ever larger terms.
    pub depth: u32,
    /// The maximum number of rows that joins visit in one attempt.
    pub rows: u64,
    /// The maximum number of rows that joins visit in all attempts together. It replaces a time
    /// limit, because the result must be the same on every machine.
    pub work: u64,
    /// The maximum number of rows of one relation.
    pub table: usize,
}

impl Default for GroundLimits {
    fn default() -> Self {
        Self {
            instances: 8_000_000,
            bytes: 2 << 30,
            depth: 60,
            rows: 100_000_000,
            work: 100_000_000,
            table: 8_000_000,
        }
    }
}

/// Grounds a program.
///
/// Rules are first grounded as written, because this gives slightly better networks. If that
/// exceeds the limits, they are rewritten and split into parts with smaller joins; then relations
/// that become too large are computed only on demand.
pub fn ground(program: &Program, limits: &GroundLimits, stop: &Stop) -> Result<Grounded, Error> {
    ground_with(program, limits, stop, &Progress::default())
}

/// [`ground`], with progress counters.
pub fn ground_with(
    program: &Program,
    limits: &GroundLimits,
    stop: &Stop,
    progress: &Progress,
) -> Result<Grounded, Error> {
    let set = relevant(lower::lower(program)?, &roots(program));
    ground_set(program, set, limits, (stop, progress))
}

/// [`ground`] for rules without goals, which are sometimes much larger than the rest.
pub fn ground_without_goals(
    program: &Program,
    limits: &GroundLimits,
    (stop, progress): (&Stop, &Progress),
) -> Result<Grounded, Error> {
    let goal = relation_table(program, "goal", 2);
    let roots: Vec<TableId> = roots(program).into_iter().filter(|&t| Some(t) != goal).collect();
    let mut set = relevant(lower::lower(program)?, &roots);
    set.rules.retain(|rule| Some(rule.head) != goal);
    ground_set(program, set, limits, (stop, progress))
}

/// [`ground`] for rules with fluents that have an argument with at most one value in every
/// reachable state: rules are split at the variables that such fluents determine.
pub fn ground_determined(
    program: &Program,
    functional: &[Functional],
    limits: &GroundLimits,
    (stop, progress): (&Stop, &Progress),
) -> Result<Grounded, Error> {
    let roots = roots(program);
    let mut set = relevant(lower::lower(program)?, &roots);
    determined::split(&mut set, functional);
    ground_set(program, relevant(set, &roots), limits, (stop, progress))
}

fn ground_set(
    program: &Program,
    set: RuleSet,
    limits: &GroundLimits,
    (stop, progress): (&Stop, &Progress),
) -> Result<Grounded, Error> {
    let modest = GroundLimits {
        instances: limits.instances.min(1_000_000),
        rows: limits.rows.min(20_000_000).min(limits.work),
        table: limits.table.min(500_000),
        ..*limits
    };
    if let Some(root) = roots(program).into_iter().find(|root| set.asked.contains(root)) {
        let rule = set.rules.iter().find(|r| r.head == root);
        let line = rule.map_or(0, |r| r.line);
        return Err(lower::refuse(line, "a variable that only the query binds"));
    }
    let mut plain = set.clone();
    demand::guard(&mut plain, &[])?;
    match attempt(program, plain, &modest, stop, progress) {
        Ok(grounded) => Ok(grounded),
        Err(failure) => escalate::ground(program, set, failure, limits, (stop, progress)),
    }
}

/// Why an attempt ended, and the tables at that point.
struct Failure {
    halt: Halt,
    /// The table of the last rule, and the relation it was created for.
    latest: TableId,
    origin: TableId,
    /// Whether that was a static relation.
    before_play: bool,
    /// The number of rows of each table.
    sizes: Vec<u32>,
    /// The number of visited rows.
    looked: u64,
}

fn attempt(
    program: &Program,
    set: RuleSet,
    limits: &GroundLimits,
    stop: &Stop,
    progress: &Progress,
) -> Result<Grounded, Failure> {
    progress.attempt();
    let mut grounder = Grounder::new(program, set, *limits, stop, progress);
    let done = grounder.static_tables().and_then(|()| grounder.dynamic_tables());
    progress.worked(grounder.looked);
    match done {
        Ok(()) => Ok(grounder.finish()),
        Err(halt) => Err(Failure {
            halt,
            latest: grounder.latest,
            origin: grounder.set.origins[grounder.latest.index()],
            before_play: grounder.set.kind(grounder.latest) == Kind::Static,
            sizes: grounder.tables.iter().map(table::Table::len).collect(),
            looked: grounder.looked,
        }),
    }
}

/// The tables that are queried from outside: legal moves, the next state, goals, terminal,
/// percepts, and the initial state.
fn roots(program: &Program) -> Vec<TableId> {
    let named = [("init", 1), ("goal", 2), ("terminal", 0), ("sees", 2), ("control", 1)];
    let mut roots: Vec<TableId> = (0..FIXED).map(TableId).collect();
    roots.extend(legal_table(program));
    roots
        .extend(named.into_iter().filter_map(|(name, arity)| relation_table(program, name, arity)));
    roots
}

/// Keeps only the rules on which a root depends.
fn relevant(mut set: RuleSet, roots: &[TableId]) -> RuleSet {
    let mut relevant = vec![false; set.arities.len()];
    let mut queue = roots.to_vec();
    while let Some(table) = queue.pop() {
        if std::mem::replace(&mut relevant[table.index()], true) {
            continue;
        }
        queue.extend(set.counters.iter().filter(|c| c.table == table).map(|c| c.of));
        let rules = set.rules.iter().filter(|r| r.head == table);
        queue.extend(rules.flat_map(|r| &r.body).filter_map(rules::Condition::table));
    }
    set.rules.retain(|r| relevant[r.head.index()]);
    set
}
