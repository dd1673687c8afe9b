//! Grounding: rules to the finite set of their instances that can matter.
//!
//! Static relations are evaluated once, exactly. The rest is grown bottom-up and semi-naively
//! from the initial state: fluents that `next` gives, moves that `legal` gives, and whatever
//! follows. Negations over what changes count as possible, so the result covers every reachable
//! state and perhaps more; every instance found is kept with its dynamic conditions.

mod finish;
mod grounded;
mod join;
mod plan;
mod rules;
mod split;
mod table;

use magister_core::{Halt, Stop};
use magister_gdl::Dialect;

use crate::Error;
use crate::program::{Goal, Pattern, Program};
use crate::term::{TermId, Terms};

pub use grounded::{AtomId, AtomKind, Grounded, Signed, Truth};
use join::{Join, Match, instantiate};
use plan::Plan;
use rules::{Condition, DOES, FLUENTS, NEXT, RuleSet, TableId};
use table::Table;

/// How far grounding may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GroundLimits {
    /// Instances of rules.
    pub instances: usize,
    /// Memory in bytes, about.
    pub bytes: usize,
    /// Nesting of terms: rules that build ever larger ones end here.
    pub depth: u32,
    /// Rows that joins may look at.
    pub rows: u64,
}

impl Default for GroundLimits {
    fn default() -> Self {
        Self { instances: 8_000_000, bytes: 2 << 30, depth: 60, rows: 2_000_000_000 }
    }
}

/// Grounds a program.
///
/// Rules are taken as they are first. If that needs too much, they are split into parts that join
/// less, and tried again: networks are a little better without, badly written rules need it.
pub fn ground(program: &Program, limits: &GroundLimits, stop: &Stop) -> Result<Grounded, Error> {
    let modest = GroundLimits {
        instances: limits.instances.min(1_500_000),
        rows: limits.rows.min(30_000_000),
        ..*limits
    };
    match attempt(program, &modest, stop, false) {
        Err(Error::Halt(Halt::Limit(_))) => attempt(program, limits, stop, true),
        done => done,
    }
}

fn attempt(
    program: &Program,
    limits: &GroundLimits,
    stop: &Stop,
    split_rules: bool,
) -> Result<Grounded, Error> {
    let mut set = rules::prepare(program)?;
    if split_rules {
        split::split(&mut set);
    }
    let mut grounder = Grounder::new(program, set, *limits, stop);
    grounder.static_tables()?;
    grounder.dynamic_tables()?;
    Ok(grounder.finish())
}

/// An instance as it is found; atoms are rows of tables.
struct Raw {
    head: (TableId, u32),
    /// Where its positive conditions begin in `positive`, and its negative ones in `negative`.
    positive: u32,
    negative: u32,
}

struct Grounder<'a> {
    program: &'a Program,
    set: RuleSet,
    limits: GroundLimits,
    stop: &'a Stop,
    terms: Terms,
    tables: Vec<Table>,
    /// For each table the number of old rows, and of rows that count in this round.
    marks: Vec<(u32, u32)>,
    found: Vec<Raw>,
    positive: Vec<(TableId, u32)>,
    /// Tuples of negated conditions, in one tape: table, length, terms.
    negative: Vec<u32>,
    legal: Option<TableId>,
    legal_seen: u32,
    next_seen: u32,
    roles: Vec<TermId>,
    /// Rows that joins have looked at.
    looked: u64,
}

impl<'a> Grounder<'a> {
    fn new(program: &'a Program, set: RuleSet, limits: GroundLimits, stop: &'a Stop) -> Self {
        let tables: Vec<Table> = set.arities.iter().map(|&arity| Table::new(arity)).collect();
        let marks = vec![(0, 0); tables.len()];
        Self {
            program,
            limits,
            stop,
            terms: program.terms.clone(),
            tables,
            marks,
            found: Vec::new(),
            positive: Vec::new(),
            negative: Vec::new(),
            legal: relation_table(
                program,
                "legal",
                if program.dialect == Dialect::Operations { 1 } else { 2 },
            ),
            legal_seen: 0,
            next_seen: 0,
            roles: program.roles.clone(),
            looked: 0,
            set,
        }
    }

    /// Static relations, stratum by stratum, so that a negation finds what it negates complete.
    fn static_tables(&mut self) -> Result<(), Error> {
        for (table, tuple) in std::mem::take(&mut self.set.facts) {
            if self.set.dynamic[table.index()] {
                let (row, _) = self.tables[table.index()].insert(&tuple);
                self.record((table, row), &[], &[]);
            } else {
                self.tables[table.index()].insert(&tuple);
            }
        }
        let mut strata: Vec<u32> = self
            .set
            .rules
            .iter()
            .filter(|r| !self.set.dynamic[r.head.index()])
            .map(|r| r.stratum)
            .collect();
        strata.sort_unstable();
        strata.dedup();
        for stratum in strata {
            let rules: Vec<usize> = (0..self.set.rules.len())
                .filter(|&r| {
                    let rule = &self.set.rules[r];
                    rule.stratum == stratum && !self.set.dynamic[rule.head.index()]
                })
                .collect();
            // Everything that earlier strata gave is new to these rules.
            let everything = vec![true; self.set.dynamic.len()];
            self.fixpoint(&rules, &everything, false)?;
        }
        Ok(())
    }

    fn dynamic_tables(&mut self) -> Result<(), Error> {
        let initial: Vec<TermId> = self.initial();
        for fluent in initial {
            self.tables[FLUENTS.index()].insert(&[fluent]);
        }
        let relevant = self.relevant();
        let rules: Vec<usize> = (0..self.set.rules.len())
            .filter(|&r| {
                let head = self.set.rules[r].head;
                self.set.dynamic[head.index()] && relevant[head.index()]
            })
            .collect();
        let dynamic = self.set.dynamic.clone();
        self.fixpoint(&rules, &dynamic, true)
    }

    /// The tables on which legal moves, the next state, goals, the end and percepts depend.
    fn relevant(&self) -> Vec<bool> {
        let mut relevant = vec![false; self.tables.len()];
        let roots = [
            Some(NEXT),
            self.legal,
            relation_table(self.program, "goal", 2),
            relation_table(self.program, "terminal", 0),
            relation_table(self.program, "sees", 2),
            relation_table(self.program, "control", 1),
        ];
        let mut queue: Vec<TableId> = roots.into_iter().flatten().collect();
        while let Some(table) = queue.pop() {
            if std::mem::replace(&mut relevant[table.index()], true) {
                continue;
            }
            for rule in self.set.rules.iter().filter(|r| r.head == table) {
                queue.extend(rule.body.iter().filter_map(|c| match c {
                    Condition::In(table, _) | Condition::NotIn(table, _) => Some(*table),
                    Condition::Differ(..) => None,
                }));
            }
        }
        relevant
    }

    fn initial(&self) -> Vec<TermId> {
        let Some(table) = relation_table(self.program, "init", 1) else { return Vec::new() };
        let table = &self.tables[table.index()];
        (0..table.len()).map(|row| table.row(row)[0]).collect()
    }

    /// Runs rules until nothing new is found. `moving` says which tables may grow meanwhile.
    fn fixpoint(&mut self, rules: &[usize], moving: &[bool], keep: bool) -> Result<(), Error> {
        let mut plans: Vec<Vec<Option<Plan>>> = vec![Vec::new(); self.set.rules.len()];
        for mark in &mut self.marks {
            *mark = (0, 0);
        }
        let mut first = true;
        loop {
            if keep {
                self.moves_and_fluents();
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
            for &rule in rules {
                self.run_rule(rule, moving, first, keep, &mut plans[rule])?;
            }
            first = false;
            self.check_limits()?;
        }
    }

    fn run_rule(
        &mut self,
        number: usize,
        moving: &[bool],
        first: bool,
        keep: bool,
        plans: &mut Vec<Option<Plan>>,
    ) -> Result<(), Error> {
        let rule = self.set.rules[number].clone();
        plans.resize(rule.body.len() + 1, None);
        let changing: Vec<usize> = rule
            .body
            .iter()
            .enumerate()
            .filter(|(_, c)| matches!(c, Condition::In(t, _) if moving[t.index()]))
            .map(|(place, _)| place)
            .collect();
        if changing.is_empty() {
            if first {
                self.run_plan(&rule, None, moving, keep, plans)?;
            }
            return Ok(());
        }
        for place in changing {
            let Condition::In(table, _) = &rule.body[place] else { continue };
            let (old, all) = self.marks[table.index()];
            if old < all {
                self.run_plan(&rule, Some(place), moving, keep, plans)?;
            }
        }
        Ok(())
    }

    fn run_plan(
        &mut self,
        rule: &rules::Rule,
        newest: Option<usize>,
        moving: &[bool],
        keep: bool,
        plans: &mut [Option<Plan>],
    ) -> Result<(), Error> {
        let slot = newest.map_or(rule.body.len(), |place| place);
        let stale = plans[slot].as_ref().is_none_or(|p| p.is_stale(rule, &self.tables));
        if stale {
            plans[slot] = Some(Plan::new(rule, newest, moving, &mut self.tables, &self.terms));
        }
        let Some(plan) = &plans[slot] else { return Ok(()) };
        for step in &plan.steps {
            if let plan::Step::Scan { condition, index: Some(index), .. } = step
                && let Condition::In(table, _) = &rule.body[*condition]
            {
                self.tables[table.index()].refresh(*index, &self.terms);
            }
        }
        // What is found goes to a list first: tables must not change under a join.
        let mut heads: Vec<TermId> = Vec::new();
        let mut count = 0;
        let mut rows: Vec<u32> = Vec::new();
        let mut negated: Vec<u32> = Vec::new();
        let mut fresh = Table::new(rule.args.len());
        let depth = self.limits.depth;
        let bytes = self.limits.bytes;
        let room = self.limits.instances.saturating_sub(self.found.len());
        let dynamic = &self.set.dynamic;
        let mut join = Join {
            rule,
            plan,
            tables: &self.tables,
            marks: &self.marks,
            dynamic,
            terms: &mut self.terms,
            stop: self.stop,
            bindings: vec![None; rule.variables as usize],
            rows: vec![0; rule.body.len()],
            trail: Vec::new(),
            looked: 0,
            most: self.limits.rows.saturating_sub(self.looked),
        };
        join.run(&mut |terms: &mut Terms, matched: Match<'_>| {
            let start = heads.len();
            for arg in &rule.args {
                let term = instantiate(arg, matched.bindings, terms)
                    .ok_or_else(|| Halt::Rules("a variable is not bound".to_owned()))?;
                if terms.depth(term) > depth {
                    return Err(Halt::Limit(format!(
                        "the rule in line {} builds terms more than {depth} deep",
                        rule.line
                    )));
                }
                heads.push(term);
            }
            if !keep {
                // Of what does not change only the set matters, and it may be found many times.
                let known = self.tables[rule.head.index()].find(&heads[start..]).is_some();
                if known || !fresh.insert(&heads[start..]).1 {
                    heads.truncate(start);
                    return Ok(());
                }
            }
            count += 1;
            if keep {
                for (place, condition) in rule.body.iter().enumerate() {
                    match condition {
                        Condition::In(table, _) if dynamic[table.index()] => {
                            rows.push(matched.rows[place]);
                        }
                        Condition::NotIn(table, args) if dynamic[table.index()] => {
                            negated.push(table.0);
                            for arg in args {
                                let term = instantiate(arg, matched.bindings, terms)
                                    .ok_or_else(|| Halt::Rules("a variable is not bound".to_owned()))?;
                                negated.push(term.0);
                            }
                        }
                        _ => {}
                    }
                }
                if (heads.len() + rows.len() + negated.len()) * 4 > bytes {
                    return Err(Halt::Limit(format!(
                        "grounding needs more than {} MiB, most recently for the rule in line {}",
                        bytes >> 20,
                        rule.line
                    )));
                }
                if count > room {
                    return Err(Halt::Limit(format!(
                        "there are more than {room} instances, most recently of the rule in line {}",
                        rule.line
                    )));
                }
            }
            Ok(())
        })?;
        self.looked += join.looked;
        self.keep(rule, count, &heads, &rows, &negated, keep);
        Ok(())
    }

    /// Puts what a join found into the tables and the list of instances.
    fn keep(
        &mut self,
        rule: &rules::Rule,
        count: usize,
        heads: &[TermId],
        rows: &[u32],
        negated: &[u32],
        keep: bool,
    ) {
        let arity = rule.args.len();
        let positive: Vec<TableId> = rule
            .body
            .iter()
            .filter_map(|c| match c {
                Condition::In(table, _) if self.set.dynamic[table.index()] => Some(*table),
                _ => None,
            })
            .collect();
        let negative: usize = rule
            .body
            .iter()
            .map(|c| match c {
                Condition::NotIn(table, args) if self.set.dynamic[table.index()] => args.len() + 1,
                _ => 0,
            })
            .sum();
        for number in 0..count {
            let tuple = &heads[number * arity..(number + 1) * arity];
            let (row, _) = self.tables[rule.head.index()].insert(tuple);
            if keep {
                let rows = &rows[number * positive.len()..(number + 1) * positive.len()];
                let atoms: Vec<(TableId, u32)> =
                    positive.iter().copied().zip(rows.iter().copied()).collect();
                let negated = &negated[number * negative..(number + 1) * negative];
                self.record((rule.head, row), &atoms, negated);
            }
        }
    }

    fn record(&mut self, head: (TableId, u32), positive: &[(TableId, u32)], negative: &[u32]) {
        self.found.push(Raw {
            head,
            positive: self.positive.len() as u32,
            negative: self.negative.len() as u32,
        });
        self.positive.extend_from_slice(positive);
        self.negative.extend_from_slice(negative);
    }

    /// New legal moves may be made, and what is true next is true some time.
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
                    let (added, _) = self.tables[rules::ADDED.index()].insert(&[tuple[1]]);
                    self.record((rules::ADDED, added), &[(DOES, row)], &[]);
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

    /// Whether an action has an operation; without one it becomes a fact itself.
    fn is_operation(&self, action: TermId) -> bool {
        let wanted = Pattern::Ground(action);
        self.program.operations.iter().any(|o| o.action.may_meet(&wanted, &self.terms))
    }

    fn check_limits(&self) -> Result<(), Error> {
        self.stop.check()?;
        let tables: usize = self.tables.iter().map(Table::bytes).sum();
        let bytes =
            tables + self.positive.len() * 8 + self.negative.len() * 4 + self.found.len() * 16;
        if bytes > self.limits.bytes {
            return Err(Error::Halt(Halt::Limit(format!(
                "grounding needs more than {} MiB",
                self.limits.bytes >> 20
            ))));
        }
        Ok(())
    }
}

/// The table of a relation of the rulesheet.
fn relation_table(program: &Program, name: &str, arity: usize) -> Option<TableId> {
    let args = vec![Pattern::Variable(0); arity];
    match program.goal(name, args)? {
        Goal::Relation(atom) => Some(rules::table(atom.relation)),
        _ => None,
    }
}
