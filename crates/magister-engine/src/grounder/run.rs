//! Computes tables bottom-up to a fixpoint, by semi-naive evaluation.

use magister_core::{Halt, Stop};
use magister_gdl::Dialect;

use super::plan::Plan;
use super::rules::{ADDED, Condition, DOES, FLUENTS, Kind, NEXT, Rule, RuleSet, TableId, table};
use super::table::Table;
use super::{GroundLimits, Progress};
use crate::program::{Goal, Pattern, Program};
use crate::term::{TermId, Terms};

/// An instance as it is found; its atoms are rows of tables.
pub(super) struct Raw {
    pub(super) head: (TableId, u32),
    /// The start of its positive conditions in `positive`, and of its negative ones in `negative`.
    pub(super) positive: u32,
    pub(super) negative: u32,
}

pub(super) struct Grounder<'a> {
    pub(super) program: &'a Program,
    pub(super) set: RuleSet,
    pub(super) limits: GroundLimits,
    pub(super) stop: &'a Stop,
    pub(super) progress: &'a Progress,
    pub(super) terms: Terms,
    pub(super) tables: Vec<Table>,
    /// For each table, the number of old rows, and the number of rows that count in this round.
    pub(super) marks: Vec<(u32, u32)>,
    pub(super) found: Vec<Raw>,
    pub(super) positive: Vec<(TableId, u32)>,
    /// Tuples of negated conditions, concatenated: table, length, terms.
    pub(super) negative: Vec<u32>,
    pub(super) legal: Option<TableId>,
    legal_seen: u32,
    next_seen: u32,
    pub(super) roles: Vec<TermId>,
    /// The number of visited rows.
    pub(super) looked: u64,
    /// The number of terms created by builtins.
    pub(super) computed: usize,
    /// The table of the last rule, which is reported when a limit is reached.
    pub(super) latest: TableId,
}

impl<'a> Grounder<'a> {
    pub(super) fn new(
        program: &'a Program,
        set: RuleSet,
        limits: GroundLimits,
        stop: &'a Stop,
        progress: &'a Progress,
    ) -> Self {
        let tables: Vec<Table> = set.arities.iter().map(|&arity| Table::new(arity)).collect();
        let marks = vec![(0, 0); tables.len()];
        Self {
            program,
            limits,
            stop,
            progress,
            terms: program.terms.clone(),
            tables,
            marks,
            found: Vec::new(),
            positive: Vec::new(),
            negative: Vec::new(),
            legal: legal_table(program),
            legal_seen: 0,
            next_seen: 0,
            roles: program.roles.clone(),
            looked: 0,
            computed: 0,
            latest: FLUENTS,
            set,
        }
    }

    /// Computes static relations, stratum by stratum, so that negated relations are complete.
    pub(super) fn static_tables(&mut self) -> Result<(), Halt> {
        for (table, tuple) in std::mem::take(&mut self.set.facts) {
            let (row, _) = self.tables[table.index()].insert(&tuple);
            if self.set.is_dynamic(table) {
                self.record((table, row), &[], &[]);
            }
        }
        let is_static = |rule: &Rule| self.set.kind(rule.head) == Kind::Static;
        let mut strata: Vec<u32> =
            self.set.rules.iter().filter(|r| is_static(r)).map(|r| r.stratum).collect();
        strata.sort_unstable();
        strata.dedup();
        // All results of earlier strata are new to the rules of a stratum.
        let everything = vec![true; self.tables.len()];
        for stratum in strata {
            let here = |rule: &Rule, set: &RuleSet| {
                rule.stratum == stratum && set.kind(rule.head) == Kind::Static
            };
            self.with_rules(here, |this, rules| this.fixpoint(rules, &everything, false))?;
        }
        Ok(())
    }

    pub(super) fn dynamic_tables(&mut self) -> Result<(), Halt> {
        for fluent in self.initial() {
            self.tables[FLUENTS.index()].insert(&[fluent]);
        }
        let changes = |rule: &Rule, set: &RuleSet| set.kind(rule.head) != Kind::Static;
        let moving: Vec<bool> = self.set.kinds.iter().map(|&k| k != Kind::Static).collect();
        self.with_rules(changes, |this, rules| this.fixpoint(rules, &moving, true))
    }

    /// Takes the rules of the `wanted` tables while tables grow.
    fn with_rules<T>(
        &mut self,
        wanted: impl Fn(&Rule, &RuleSet) -> bool,
        work: impl FnOnce(&mut Self, &[&Rule]) -> T,
    ) -> T {
        let all = std::mem::take(&mut self.set.rules);
        let some: Vec<&Rule> = all.iter().filter(|r| wanted(r, &self.set)).collect();
        let result = work(self, &some);
        self.set.rules = all;
        result
    }

    pub(super) fn initial(&self) -> Vec<TermId> {
        let Some(table) = relation_table(self.program, "init", 1) else { return Vec::new() };
        let table = &self.tables[table.index()];
        (0..table.len()).map(|row| table.row(row)[0]).collect()
    }

    /// Runs rules to a fixpoint. `moving` marks the tables that may grow.
    fn fixpoint(&mut self, rules: &[&Rule], moving: &[bool], play: bool) -> Result<(), Halt> {
        let mut plans: Vec<Vec<Option<Plan>>> =
            rules.iter().map(|rule| vec![None; rule.body.len() + 1]).collect();
        let changing: Vec<Vec<usize>> = rules
            .iter()
            .map(|rule| {
                let moves = |c: &Condition| matches!(c, Condition::In(t, _) if moving[t.index()]);
                (0..rule.body.len()).filter(|&place| moves(&rule.body[place])).collect()
            })
            .collect();
        for mark in &mut self.marks {
            *mark = (0, 0);
        }
        let mut first = true;
        loop {
            if play {
                self.moves_and_fluents();
                self.counts()?;
            }
            let mut grown = false;
            for (table, mark) in self.marks.iter_mut().enumerate() {
                let now = self.tables[table].len();
                grown |= now > mark.1 && moving[table];
                *mark = (mark.1, now);
            }
            if !grown && !first {
                return Ok(());
            }
            for (number, rule) in rules.iter().enumerate() {
                self.latest = rule.head;
                let changing = &changing[number];
                if changing.is_empty() && first {
                    self.run_plan(rule, None, moving, &mut plans[number])?;
                }
                for &place in changing {
                    let Some(table) = rule.body[place].table() else { continue };
                    let (old, all) = self.marks[table.index()];
                    if old < all {
                        self.run_plan(rule, Some(place), moving, &mut plans[number])?;
                    }
                }
            }
            first = false;
            self.check_limits()?;
        }
    }

    /// Legal moves become moves that may be made, and next fluents become fluents that may be true.
    fn moves_and_fluents(&mut self) {
        if let Some(legal) = self.legal {
            let table = &self.tables[legal.index()];
            let operations = self.program.dialect == Dialect::Operations;
            let mut new: Vec<[TermId; 2]> = Vec::new();
            for row in self.legal_seen..table.len() {
                let tuple = table.row(row);
                if operations {
                    new.extend(self.roles.iter().map(|&role| [role, tuple[0]]));
                } else if self.roles.contains(&tuple[0]) {
                    new.push([tuple[0], tuple[1]]);
                }
            }
            self.legal_seen = table.len();
            for tuple in new {
                let (row, fresh) = self.tables[DOES.index()].insert(&tuple);
                if operations && fresh && !self.is_operation(tuple[1]) {
                    let (added, _) = self.tables[ADDED.index()].insert(&[tuple[1]]);
                    self.record((ADDED, added), &[(DOES, row)], &[]);
                }
            }
        }
        let next: Vec<TermId> = (self.next_seen..self.tables[NEXT.index()].len())
            .map(|row| self.tables[NEXT.index()].row(row)[0])
            .collect();
        self.next_seen = self.tables[NEXT.index()].len();
        for fluent in next {
            self.tables[FLUENTS.index()].insert(&[fluent]);
        }
    }

    /// Whether an action has an operation; an action without one becomes a fact itself.
    fn is_operation(&self, action: TermId) -> bool {
        let wanted = Pattern::Ground(action);
        self.program.operations.iter().any(|o| o.action.may_meet(&wanted, &self.terms))
    }

    fn check_limits(&self) -> Result<(), Halt> {
        self.stop.check()?;
        let tables: usize = self.tables.iter().map(Table::bytes).sum();
        let bytes =
            tables + self.positive.len() * 8 + self.negative.len() * 4 + self.found.len() * 16;
        if bytes > self.limits.bytes {
            return Err(Halt::Limit(format!(
                "grounding needs more than {} MiB",
                self.limits.bytes >> 20
            )));
        }
        Ok(())
    }
}

/// The table of a relation of the rulesheet.
pub(super) fn relation_table(program: &Program, name: &str, arity: usize) -> Option<TableId> {
    let args = vec![Pattern::Variable(0); arity];
    match program.goal(name, args)? {
        Goal::Relation(atom) => Some(table(atom.relation)),
        _ => None,
    }
}

/// The table of the legal moves.
pub(super) fn legal_table(program: &Program) -> Option<TableId> {
    let arity = if program.dialect == Dialect::Operations { 1 } else { 2 };
    relation_table(program, "legal", arity)
}
