//! Runs the plan of a rule over the tables.

use magister_core::{Halt, Stop};

use super::plan::{Plan, Rows, Source, Step};
use super::rules::{Condition, Kind, Rule};
use super::table::{Key, Table, matches};
use crate::program::{Definition, Pattern};
use crate::reference::bind::UNBOUND;
use crate::reference::builtin::{self, Outcome};
use crate::term::{TermId, Terms};

/// The number of rows between two checks of the stop flag.
const PATIENCE: u64 = 1 << 14;

/// The maximum number of terms that builtins may create. No game counts further.
const COMPUTED: usize = 4096;

/// A match of all conditions: the row of each positive one, and the values of the variables.
pub(super) struct Match<'a> {
    pub(super) rows: &'a [u32],
    pub(super) bindings: &'a [Option<TermId>],
}

/// The state of a join.
pub(super) struct Join<'a> {
    pub(super) rule: &'a Rule,
    pub(super) plan: &'a Plan,
    pub(super) tables: &'a [Table],
    /// For each table the number of old rows and of all rows.
    pub(super) marks: &'a [(u32, u32)],
    pub(super) kinds: &'a [Kind],
    pub(super) terms: &'a mut Terms,
    pub(super) stop: &'a Stop,
    pub(super) bindings: Vec<Option<TermId>>,
    pub(super) rows: Vec<u32>,
    pub(super) trail: Vec<u32>,
    /// The buffer for tuples to look up.
    pub(super) tuple: Vec<TermId>,
    pub(super) looked: u64,
    /// The maximum number of visited rows.
    pub(super) most: u64,
    /// For builtins: functions, the nesting limit of terms, and the number of new terms.
    pub(super) definitions: &'a [Definition],
    pub(super) depth: u32,
    pub(super) computed: usize,
}

impl Join<'_> {
    /// Calls `give` on every match.
    pub(super) fn run(
        &mut self,
        give: &mut impl FnMut(&mut Terms, Match<'_>) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        self.step(0, give)
    }

    fn step(
        &mut self,
        at: usize,
        give: &mut impl FnMut(&mut Terms, Match<'_>) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let plan = self.plan;
        let Some(step) = plan.steps.get(at) else {
            let matched = Match { rows: &self.rows, bindings: &self.bindings };
            return give(self.terms, matched);
        };
        match step {
            Step::Test(condition) => {
                if self.holds(*condition) {
                    self.step(at + 1, give)
                } else {
                    Ok(())
                }
            }
            Step::Ask(condition) => {
                let Condition::Builtin(name, args, holds) = &self.rule.body[*condition] else {
                    return Ok(());
                };
                let (values, pattern) = match self.ask(name, args)? {
                    Outcome::Test(yes) if yes == *holds => return self.step(at + 1, give),
                    Outcome::Values(pattern, values) => (values, pattern),
                    _ => return Ok(()),
                };
                let mut met = false;
                for value in values {
                    let before = self.trail.len();
                    let (bindings, trail) = (&mut self.bindings, &mut self.trail);
                    let fits = matches(pattern, value, self.terms, bindings, trail);
                    met |= fits;
                    if fits && *holds {
                        self.step(at + 1, give)?;
                    }
                    self.undo(before);
                }
                if met || *holds { Ok(()) } else { self.step(at + 1, give) }
            }
            Step::Find { condition, key, rows } => {
                let Some(table) = self.rule.body[*condition].table() else { return Ok(()) };
                let (from, to) = self.range(table.index(), *rows);
                self.look()?;
                let mut tuple = std::mem::take(&mut self.tuple);
                tuple.clear();
                tuple.extend(key.iter().map_while(|part| self.value(part)));
                let found = self.tables[table.index()].find(&tuple);
                self.tuple = tuple;
                match found {
                    Some(row) if (from..to).contains(&row) => {
                        self.rows[*condition] = row;
                        self.step(at + 1, give)
                    }
                    _ => Ok(()),
                }
            }
            Step::Scan { condition, index, key, rows } => {
                let Condition::In(table, args) = &self.rule.body[*condition] else {
                    return Ok(());
                };
                let (from, to) = self.range(table.index(), *rows);
                let source = &self.tables[table.index()];
                let Some(index) = index else {
                    for row in from..to {
                        self.candidate(at, *condition, source, row, args, give)?;
                    }
                    return Ok(());
                };
                let mut wanted = Key::default();
                for part in key {
                    let Some(term) = self.value(part) else { return Ok(()) };
                    wanted.push(term);
                }
                let candidates = source.lookup(*index, wanted);
                let first = candidates.partition_point(|&row| row < from);
                let last = candidates.partition_point(|&row| row < to);
                for &row in &candidates[first..last] {
                    self.candidate(at, *condition, source, row, args, give)?;
                }
                Ok(())
            }
        }
    }

    /// Counts a visited row.
    fn look(&mut self) -> Result<(), Halt> {
        self.looked += 1;
        if self.looked.is_multiple_of(PATIENCE) {
            self.stop.check()?;
            if self.looked > self.most {
                let line = self.rule.line;
                return Err(Halt::Limit(format!(
                    "joins visit too many rows, most recently for the rule in line {line}"
                )));
            }
        }
        Ok(())
    }

    /// The rows of a table that a step may use.
    fn range(&self, table: usize, rows: Rows) -> (u32, u32) {
        let (old, all) = self.marks[table];
        match rows {
            Rows::Old => (0, old),
            Rows::New => (old, all),
            Rows::All => (0, all),
        }
    }

    /// A part of a key; `None` if a variable is unbound.
    fn value(&mut self, part: &Source) -> Option<TermId> {
        match part {
            Source::Ground(term) => Some(*term),
            Source::Variable(variable) => self.bindings[*variable as usize],
            Source::Build(pattern) => self.build(pattern),
        }
    }

    fn candidate(
        &mut self,
        at: usize,
        condition: usize,
        source: &Table,
        row: u32,
        args: &[Pattern],
        give: &mut impl FnMut(&mut Terms, Match<'_>) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        self.look()?;
        let before = self.trail.len();
        let tuple = source.row(row);
        let fits = args.iter().zip(tuple).all(|(pattern, &term)| {
            matches(pattern, term, self.terms, &mut self.bindings, &mut self.trail)
        });
        if fits {
            self.rows[condition] = row;
            self.step(at + 1, give)?;
        }
        self.undo(before);
        Ok(())
    }

    /// Undoes the bindings since the trail had this length.
    fn undo(&mut self, before: usize) {
        for variable in self.trail.drain(before..) {
            self.bindings[variable as usize] = None;
        }
    }

    /// Evaluates a builtin. Rules that compute infinitely many values end here.
    fn ask<'p>(&mut self, name: &str, args: &'p [Pattern]) -> Result<Outcome<'p>, Halt> {
        let bindings: Vec<TermId> = self.bindings.iter().map(|b| b.unwrap_or(UNBOUND)).collect();
        let before = self.terms.len();
        let outcome =
            builtin::solve(name, args, &bindings, self.terms, self.definitions, self.depth);
        self.computed += self.terms.len() - before;
        let line = self.rule.line;
        if matches!(outcome, Outcome::NoEnd) || self.computed > COMPUTED {
            return Err(Halt::Limit(format!(
                "the rule in line {line} computes infinitely many values"
            )));
        }
        Ok(outcome)
    }

    /// A test: `distinct`, or a negation over a static table. A negation over a dynamic one is kept
    /// in the instance and not decided here.
    fn holds(&mut self, condition: usize) -> bool {
        match &self.rule.body[condition] {
            Condition::In(..) | Condition::Builtin(..) => true,
            Condition::Differ(a, b, differ) => {
                let (a, b) = (self.build(a), self.build(b));
                (a != b) == *differ
            }
            Condition::NotIn(table, args) => {
                if self.kinds[table.index()] != Kind::Static {
                    return true;
                }
                let tuple: Option<Vec<TermId>> = args.iter().map(|a| self.build(a)).collect();
                tuple.is_none_or(|tuple| self.tables[table.index()].find(&tuple).is_none())
            }
        }
    }

    /// The ground term of a pattern whose variables are bound.
    fn build(&mut self, pattern: &Pattern) -> Option<TermId> {
        instantiate(pattern, &self.bindings, self.terms)
    }
}

/// The ground term of a pattern; `None` if a variable is unbound.
pub(super) fn instantiate(
    pattern: &Pattern,
    bindings: &[Option<TermId>],
    terms: &mut Terms,
) -> Option<TermId> {
    match pattern {
        Pattern::Ground(term) => Some(*term),
        Pattern::Variable(variable) => bindings[*variable as usize],
        Pattern::Compound(symbol, args) => {
            let args: Option<Vec<TermId>> =
                args.iter().map(|arg| instantiate(arg, bindings, terms)).collect();
            Some(terms.compound(*symbol, &args?))
        }
    }
}
