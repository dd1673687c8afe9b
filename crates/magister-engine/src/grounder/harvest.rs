//! Runs one rule and stores its results.

use magister_core::Halt;

use super::join::{Join, Match, instantiate};
use super::plan::{Plan, Step};
use super::rules::{Condition, Kind, Rule, TableId};
use super::run::{Grounder, Raw};
use super::table::Table;
use crate::term::{TermId, Terms};

/// The results of a rule's matches. They are collected first, because tables must not change during
/// a join.
#[derive(Default)]
struct Harvest {
    count: usize,
    heads: Vec<TermId>,
    /// The rows of the positive conditions that are kept.
    rows: Vec<u32>,
    /// The tuples of the negative ones, each after its table.
    negated: Vec<u32>,
}

impl Grounder<'_> {
    /// Runs a rule with new rows for the condition `newest`, or once if nothing can be new.
    pub(super) fn run_plan(
        &mut self,
        rule: &Rule,
        newest: Option<usize>,
        moving: &[bool],
        plans: &mut [Option<Plan>],
    ) -> Result<(), Halt> {
        let slot = newest.unwrap_or(rule.body.len());
        let stale = plans[slot].as_ref().is_none_or(|p| p.is_stale(rule, &self.tables));
        if stale {
            plans[slot] = Some(Plan::new(rule, newest, moving, &mut self.tables, &self.terms));
        }
        let Some(plan) = &plans[slot] else { return Ok(()) };
        for step in &plan.steps {
            if let Step::Scan { condition, index: Some(index), .. } = step
                && let Some(table) = rule.body[*condition].table()
            {
                self.tables[table.index()].refresh(*index, &self.terms);
            }
        }
        let harvest = if self.set.is_dynamic(rule.head) {
            self.instances(rule, plan)?
        } else {
            self.rows(rule, plan)?
        };
        self.store(rule, &harvest);
        self.progress.found(self.found.len());
        if self.tables[rule.head.index()].len() as usize > self.limits.table {
            return Err(too_many_rows(rule));
        }
        Ok(())
    }

    fn join<'b>(&'b mut self, rule: &'b Rule, plan: &'b Plan) -> Join<'b> {
        Join {
            rule,
            plan,
            tables: &self.tables,
            marks: &self.marks,
            kinds: &self.set.kinds,
            terms: &mut self.terms,
            stop: self.stop,
            bindings: vec![None; rule.variables as usize],
            rows: vec![0; rule.body.len()],
            trail: Vec::new(),
            tuple: Vec::new(),
            looked: 0,
            most: self.limits.rows.saturating_sub(self.looked),
            definitions: &self.program.definitions,
            depth: self.limits.depth,
            computed: self.computed,
        }
    }

    /// New rows only: if the table has no atoms, only the set matters, not the number of
    /// derivations.
    fn rows(&mut self, rule: &Rule, plan: &Plan) -> Result<Harvest, Halt> {
        let mut harvest = Harvest::default();
        let mut fresh = Table::new(rule.args.len());
        let depth = self.limits.depth;
        let room = self.limits.table.saturating_sub(self.tables[rule.head.index()].len() as usize);
        let mut tuple: Vec<TermId> = Vec::new();
        let before = self.looked;
        let mut join = self.join(rule, plan);
        let tables = join.tables;
        let known = &tables[rule.head.index()];
        let done = join.run(&mut |terms: &mut Terms, matched: Match<'_>| {
            tuple.clear();
            head(rule, &matched, terms, depth, &mut tuple)?;
            if known.find(&tuple).is_none() && fresh.insert(&tuple).1 {
                harvest.heads.extend_from_slice(&tuple);
                harvest.count += 1;
                if harvest.count > room {
                    return Err(too_many_rows(rule));
                }
            }
            Ok(())
        });
        (self.looked, self.computed) = (before + join.looked, join.computed);
        done.map(|()| harvest)
    }

    /// Every match, with its dynamic conditions.
    fn instances(&mut self, rule: &Rule, plan: &Plan) -> Result<Harvest, Halt> {
        let mut harvest = Harvest::default();
        let depth = self.limits.depth;
        let bytes = self.limits.bytes;
        let most = self.limits.instances;
        let room = most.saturating_sub(self.found.len());
        let kinds = self.set.kinds.clone();
        let dynamic = |table: &TableId| kinds[table.index()] == Kind::Dynamic;
        let before = self.looked;
        let mut join = self.join(rule, plan);
        let done = join.run(&mut |terms: &mut Terms, matched: Match<'_>| {
            head(rule, &matched, terms, depth, &mut harvest.heads)?;
            harvest.count += 1;
            for (place, condition) in rule.body.iter().enumerate() {
                match condition {
                    Condition::In(table, _) if dynamic(table) => {
                        harvest.rows.push(matched.rows[place]);
                    }
                    Condition::NotIn(table, args) if dynamic(table) => {
                        harvest.negated.push(table.0);
                        for arg in args {
                            let term =
                                instantiate(arg, matched.bindings, terms).ok_or_else(unbound)?;
                            harvest.negated.push(term.0);
                        }
                    }
                    _ => {}
                }
            }
            if (harvest.heads.len() + harvest.rows.len() + harvest.negated.len()) * 4 > bytes {
                return Err(Halt::Limit(format!(
                    "grounding needs more than {} MiB, most recently for the rule in line {}",
                    bytes >> 20,
                    rule.line
                )));
            }
            if harvest.count > room {
                return Err(Halt::Limit(format!(
                    "there are more than {most} instances, most recently of the rule in line {}",
                    rule.line
                )));
            }
            Ok(())
        });
        (self.looked, self.computed) = (before + join.looked, join.computed);
        done.map(|()| harvest)
    }

    /// Stores the results of a join in the tables and the list of instances.
    fn store(&mut self, rule: &Rule, harvest: &Harvest) {
        let arity = rule.args.len();
        let keep = self.set.is_dynamic(rule.head);
        let positive: Vec<TableId> = rule
            .body
            .iter()
            .filter_map(|c| match c {
                Condition::In(table, _) if self.set.is_dynamic(*table) => Some(*table),
                _ => None,
            })
            .collect();
        let negative: usize = rule
            .body
            .iter()
            .map(|c| match c {
                Condition::NotIn(table, args) if self.set.is_dynamic(*table) => args.len() + 1,
                _ => 0,
            })
            .sum();
        let mut atoms: Vec<(TableId, u32)> = Vec::with_capacity(positive.len());
        for number in 0..harvest.count {
            let tuple = &harvest.heads[number * arity..(number + 1) * arity];
            let (row, _) = self.tables[rule.head.index()].insert(tuple);
            if keep {
                let rows = &harvest.rows[number * positive.len()..(number + 1) * positive.len()];
                atoms.clear();
                atoms.extend(positive.iter().copied().zip(rows.iter().copied()));
                let negated = &harvest.negated[number * negative..(number + 1) * negative];
                self.record((rule.head, row), &atoms, negated);
            }
        }
    }

    pub(super) fn record(
        &mut self,
        head: (TableId, u32),
        positive: &[(TableId, u32)],
        negative: &[u32],
    ) {
        self.found.push(Raw {
            head,
            positive: self.positive.len() as u32,
            negative: self.negative.len() as u32,
        });
        self.positive.extend_from_slice(positive);
        self.negative.extend_from_slice(negative);
    }
}

/// Adds the head of a match to `into`.
fn head(
    rule: &Rule,
    matched: &Match<'_>,
    terms: &mut Terms,
    depth: u32,
    into: &mut Vec<TermId>,
) -> Result<(), Halt> {
    for arg in &rule.args {
        let term = instantiate(arg, matched.bindings, terms).ok_or_else(unbound)?;
        if terms.depth(term) > depth {
            return Err(Halt::Limit(format!(
                "the rule in line {} builds terms more than {depth} deep",
                rule.line
            )));
        }
        into.push(term);
    }
    Ok(())
}

fn unbound() -> Halt {
    Halt::Rules("a variable is not bound".to_owned())
}

fn too_many_rows(rule: &Rule) -> Halt {
    Halt::Limit(format!("the relation of the rule in line {} is too large", rule.line))
}
