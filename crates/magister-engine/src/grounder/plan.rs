//! The join order of a rule's conditions.
//!
//! The condition that uses new rows comes first. Tests are evaluated as soon as possible, and the
//! other conditions follow in the order with the fewest expected rows.

use super::cost;
use super::rules::{Condition, Rule};
use super::table::{Path, Shape, Table};
use crate::program::Pattern;
use crate::term::{Functor, TermId, Terms};

/// The rows of a table that a step may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rows {
    /// The rows before the newest round.
    Old,
    /// The rows of the newest round.
    New,
    /// All rows.
    All,
}

/// A part of a key.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Ground(TermId),
    Variable(u32),
    /// A compound whose variables are all bound.
    Build(Pattern),
}

/// One step of a join.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Iterates over the matching rows of a table.
    Scan { condition: usize, index: Option<usize>, key: Vec<Source>, rows: Rows },
    /// Looks up one row of a table, when all variables are bound.
    Find { condition: usize, key: Vec<Source>, rows: Rows },
    /// Evaluates a builtin, which may bind variables.
    Ask(usize),
    /// Continues only if the condition holds; all its variables are bound.
    Test(usize),
}

/// The steps of a join, and the sizes of tables it was planned for.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    sizes: Vec<u32>,
}

impl Plan {
    /// The plan for a rule in which the condition `newest`, if any, uses new rows only.
    pub(super) fn new(
        rule: &Rule,
        newest: Option<usize>,
        dynamic: &[bool],
        tables: &mut [Table],
        terms: &Terms,
    ) -> Self {
        let order = cost::order(rule, newest, tables, terms);
        let mut bound = vec![false; rule.variables as usize];
        let mut tests: Vec<usize> =
            (0..rule.body.len()).filter(|&c| !rule.body[c].is_positive()).collect();
        let mut steps = Vec::new();
        // Tests and builtins are evaluated as soon as their inputs are bound.
        let mut test = |bound: &mut [bool], steps: &mut Vec<Step>, at_last: bool| loop {
            let ready = tests.iter().position(|&c| {
                let condition = &rule.body[c];
                let needs = condition.computes().map_or_else(|| condition.variables(), |n| n.0);
                at_last || needs.iter().all(|&v| bound[v as usize])
            });
            let Some(ready) = ready else { break };
            let condition = tests.remove(ready);
            steps.push(match rule.body[condition] {
                Condition::Builtin(..) => Step::Ask(condition),
                _ => Step::Test(condition),
            });
            if let Some((_, gives)) = rule.body[condition].computes() {
                gives.iter().for_each(|&v| bound[v as usize] = true);
            }
        };
        test(&mut bound, &mut steps, false);
        for condition in order {
            let rows = match newest {
                Some(first) if first == condition => Rows::New,
                _ => rows(rule, condition, newest, dynamic),
            };
            steps.push(Self::scan(rule, condition, &bound, rows, tables, terms));
            bind(&rule.body[condition], &mut bound);
            test(&mut bound, &mut steps, false);
        }
        // A negated builtin may have local variables.
        test(&mut bound, &mut steps, true);
        let sizes = sizes(rule, tables);
        Self { steps, sizes }
    }

    /// Whether tables have grown so much that another order may be better.
    pub(super) fn is_stale(&self, rule: &Rule, tables: &[Table]) -> bool {
        let now = sizes(rule, tables);
        self.sizes.iter().zip(now).any(|(&then, now)| now > 16 && now / 4 > then)
    }

    fn scan(
        rule: &Rule,
        condition: usize,
        bound: &[bool],
        rows: Rows,
        tables: &mut [Table],
        terms: &Terms,
    ) -> Step {
        let Condition::In(table, args) = &rule.body[condition] else {
            return Step::Test(condition);
        };
        let mut functors = Vec::new();
        let mut keys: Vec<Path> = Vec::new();
        let mut key = Vec::new();
        for (column, arg) in args.iter().enumerate() {
            let path = vec![column as u8];
            parts(arg, path, bound, &mut functors, &mut keys, &mut key);
        }
        let table = &mut tables[table.index()];
        if key.len() == args.len() && functors.is_empty() {
            return Step::Find { condition, key, rows };
        }
        if keys.is_empty() && functors.is_empty() {
            return Step::Scan { condition, index: None, key, rows };
        }
        let shape = Shape { functors: functors.into(), keys: keys.into() };
        let index = table.index(&shape, terms);
        Step::Scan { condition, index: Some(index), key, rows }
    }
}

fn sizes(rule: &Rule, tables: &[Table]) -> Vec<u32> {
    rule.body
        .iter()
        .filter_map(|c| match c {
            Condition::In(table, _) => Some(tables[table.index()].len()),
            _ => None,
        })
        .collect()
}

/// The rows for each condition, so that each match is found once: only old rows before the newest
/// condition, and all rows after it.
fn rows(rule: &Rule, condition: usize, newest: Option<usize>, dynamic: &[bool]) -> Rows {
    let Condition::In(table, _) = &rule.body[condition] else { return Rows::All };
    match newest {
        Some(first) if condition < first && dynamic[table.index()] => Rows::Old,
        _ => Rows::All,
    }
}

/// The known parts of a pattern, which can be looked up in an index.
pub(super) fn parts(
    pattern: &Pattern,
    path: Vec<u8>,
    bound: &[bool],
    functors: &mut Vec<(Path, Functor)>,
    keys: &mut Vec<Path>,
    key: &mut Vec<Source>,
) {
    match pattern {
        Pattern::Ground(term) => {
            keys.push(path.into());
            key.push(Source::Ground(*term));
        }
        Pattern::Variable(variable) => {
            if bound[*variable as usize] {
                keys.push(path.into());
                key.push(Source::Variable(*variable));
            }
        }
        Pattern::Compound(symbol, args) => {
            if is_bound(pattern, bound) {
                keys.push(path.into());
                key.push(Source::Build(pattern.clone()));
                return;
            }
            let functor = Functor { symbol: *symbol, arity: Some(args.len() as u32) };
            functors.push((path.clone().into(), functor));
            for (at, arg) in args.iter().enumerate() {
                let mut deeper = path.clone();
                deeper.push(at as u8);
                parts(arg, deeper, bound, functors, keys, key);
            }
        }
    }
}

pub(super) fn is_bound(pattern: &Pattern, bound: &[bool]) -> bool {
    let mut all = true;
    pattern.variables(&mut |v| all &= bound[v as usize]);
    all
}

fn bind(condition: &Condition, bound: &mut [bool]) {
    if let Condition::In(_, args) = condition {
        for arg in args {
            arg.variables(&mut |v| bound[v as usize] = true);
        }
    }
}
