//! The core of the reference interpreter: goal-directed evaluation with tables.
//!
//! Every distinct call has a table of answers. A rule that answers a call is a [`Task`] that goes
//! through its literals. At a relation with rules, it becomes a consumer of the table of that call,
//! and continues once for every answer, whenever it arrives. No call is evaluated twice and no
//! answer is delivered twice, so every recursion terminates if the number of answers is finite. All
//! stacks are explicit.
//!
//! A negated literal or an aggregate waits until its table is complete. When no task is left, the
//! tasks that wait for the lowest stratum can continue: a task that could still add an answer to
//! their tables would have to wait for a lower stratum, and none does.

use std::collections::BTreeMap;
use std::sync::Arc;

use magister_core::{Halt, Stop};

use super::bind::{UNBOUND, match_all, matches, open, renumber, resolve, value};
use super::facts::Facts;
use super::limits::QueryLimits;
use super::plan::Plans;
use super::table::{Table, TableId, Tables, Task, depth, encode};
use crate::coverage::Used;
use crate::program::{Atom, Depends, Goal, Pattern, Program, Rule};
use crate::term::{TermId, Terms};

/// A task that waits for a table to be complete.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) task: Task,
    /// Its place in the body.
    pub(super) literal: usize,
    pub(super) table: TableId,
    pub(super) bindings: Box<[TermId]>,
}

/// Evaluates queries in a given state and under given moves.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) program: Arc<Program>,
    pub(super) terms: Terms,
    limits: QueryLimits,
    pub(super) facts: Arc<Facts>,
    pub(super) state: Facts,
    moves: Vec<(TermId, TermId)>,
    pub(super) plans: Plans,
    /// The tables, by their dependencies.
    pub(super) tables: [Tables; 3],
    /// The tables of the current query, which are incomplete.
    unfinished: Vec<TableId>,
    pub(super) tasks: Vec<Task>,
    /// The bindings of all tasks, concatenated.
    pub(super) bindings: Vec<TermId>,
    pub(super) waiting: BTreeMap<u32, Vec<Waiting>>,
    /// The bindings of the current task.
    pub(super) frame: Vec<TermId>,
    scratch: Vec<TermId>,
    key: Vec<u32>,
    steps: u64,
    answers: usize,
    /// The rules and relations used so far, if they are recorded.
    pub(super) used: Option<Box<Used>>,
}

impl Machine {
    pub(super) fn new(program: Arc<Program>, limits: QueryLimits) -> Self {
        let terms = program.terms.clone();
        let facts = program.relations.iter().flat_map(|relation| relation.facts.iter().copied());
        let facts = Arc::new(Facts::new(facts, &terms));
        Machine {
            program,
            terms,
            limits,
            facts,
            state: Facts::default(),
            moves: Vec::new(),
            plans: Plans::default(),
            tables: Default::default(),
            unfinished: Vec::new(),
            tasks: Vec::new(),
            bindings: Vec::new(),
            waiting: BTreeMap::new(),
            frame: Vec::new(),
            scratch: Vec::new(),
            key: Vec::new(),
            steps: 0,
            answers: 0,
            used: None,
        }
    }

    /// Replaces the state and clears the moves.
    pub(super) fn set_state(&mut self, fluents: &[TermId]) {
        self.state = Facts::new(fluents.iter().copied(), &self.terms);
        self.tables[Depends::State as usize].clear();
        self.set_moves(Vec::new());
    }

    /// Replaces the moves: pairs of role and move.
    pub(super) fn set_moves(&mut self, moves: Vec<(TermId, TermId)>) {
        self.moves = moves;
        self.tables[Depends::Moves as usize].clear();
        self.answers = self.tables.iter().flat_map(|t| &t.list).map(|t| t.answers.len()).sum();
    }

    /// The fluents of the state.
    pub(super) fn state(&self) -> &[TermId] {
        self.state.all()
    }

    pub(super) fn limits(&self) -> &QueryLimits {
        &self.limits
    }

    pub(super) fn limit_steps(&mut self, steps: u64) -> u64 {
        std::mem::replace(&mut self.limits.steps, steps)
    }

    /// The moves: pairs of role and move.
    pub(super) fn moves(&self) -> &[(TermId, TermId)] {
        &self.moves
    }

    /// All ground atoms that answer a goal, whose variables are numbered from zero. The order
    /// depends only on the program and the earlier queries.
    pub(super) fn ask(&mut self, goal: &Goal, stop: &Stop) -> Result<Vec<TermId>, Halt> {
        match goal {
            Goal::Relation(atom) => {
                let answers = self.ask_relation(atom, stop);
                if answers.is_err() {
                    self.abandon();
                }
                answers
            }
            Goal::Fluent(pattern) => {
                let count = variables(std::slice::from_ref(pattern));
                let candidates = self.state.matching(pattern, &vec![UNBOUND; count]).iter();
                let fits = |&&fluent: &&TermId| {
                    matches(pattern, fluent, &mut vec![UNBOUND; count], &self.terms)
                };
                Ok(candidates.filter(fits).copied().collect())
            }
            _ => Ok(Vec::new()),
        }
    }

    fn ask_relation(&mut self, atom: &Atom, stop: &Stop) -> Result<Vec<TermId>, Halt> {
        stop.check()?;
        self.steps = 0;
        let program = Arc::clone(&self.program);
        self.frame.clear();
        self.frame.resize(variables(&atom.args), UNBOUND);
        let table = self.call(&program, atom)?;
        self.run(&program, stop)?;
        for id in std::mem::take(&mut self.unfinished) {
            let table = self.table(id);
            table.complete = true;
            table.consumers = Vec::new();
        }
        Ok(self.table(table).answers.clone())
    }

    /// Clears the remains of an incomplete evaluation.
    fn abandon(&mut self) {
        self.tasks.clear();
        self.bindings.clear();
        self.waiting.clear();
        self.unfinished.clear();
        self.tables.iter_mut().for_each(Tables::clear);
        self.answers = 0;
    }

    pub(super) fn table(&mut self, id: TableId) -> &mut Table {
        &mut self.tables[id.depends as usize].list[id.number as usize]
    }

    /// Works until nothing is left to do.
    fn run(&mut self, program: &Program, stop: &Stop) -> Result<(), Halt> {
        loop {
            while let Some(task) = self.tasks.pop() {
                let start =
                    self.bindings.len() - program.rules[task.rule as usize].variables as usize;
                self.frame.clear();
                self.frame.extend_from_slice(&self.bindings[start..]);
                self.bindings.truncate(start);
                self.steps += 1;
                if self.steps.is_multiple_of(256) {
                    stop.check()?;
                    self.check_limits(program, task)?;
                }
                // When uses are recorded, all rules are tried, even if no more answers are needed.
                if self.used.is_some() || !self.table(task.table).satisfied() {
                    self.advance(program, task)?;
                }
            }
            let Some((_, waiting)) = self.waiting.pop_first() else {
                return Ok(());
            };
            for waiting in waiting {
                self.resume(program, &waiting)?;
            }
        }
    }

    fn check_limits(&self, program: &Program, task: Task) -> Result<(), Halt> {
        let mut rule = task.rule;
        let limit = if self.steps > self.limits.steps {
            format!("{} steps for one query", self.limits.steps)
        } else if self.answers > self.limits.answers {
            rule = self.most_answered(program).unwrap_or(rule);
            format!("{} answers for one query", self.limits.answers)
        } else if self.terms.len() > self.limits.terms {
            format!("{} different terms", self.limits.terms)
        } else {
            return Ok(());
        };
        let rule = program.rule_name(rule);
        Err(Halt::Limit(format!("{limit}, at {rule}; it may be infinite")))
    }

    /// The first rule of the relation with the most answers, which is reported if there are too
    /// many answers.
    fn most_answered(&self, program: &Program) -> Option<u32> {
        let mut counts = vec![0; program.relations.len()];
        for table in self.tables.iter().flat_map(|tables| &tables.list) {
            counts[table.relation.index()] += table.answers.len();
        }
        let most = (0..counts.len()).max_by_key(|&relation| counts[relation])?;
        program.relations[most].rules.first().copied()
    }

    /// The table of a call under the bindings of the frame. A new one is started.
    pub(super) fn call(&mut self, program: &Program, atom: &Atom) -> Result<TableId, Halt> {
        let info = &program.relations[atom.relation.index()];
        let depends = info.depends;
        if let Some(used) = &mut self.used {
            used.relations[atom.relation.index()] = true;
        }
        let mut seen = Vec::new();
        self.key.clear();
        self.key.push(atom.relation.0);
        for arg in &atom.args {
            encode(arg, &self.frame, &mut self.terms, &mut seen, &mut self.key);
        }
        let tables = &mut self.tables[depends as usize];
        if let Some(&number) = tables.index.get(self.key.as_slice()) {
            return Ok(TableId { depends, number });
        }
        let mut seen = Vec::new();
        let call: Box<[Pattern]> = atom
            .args
            .iter()
            .map(|arg| {
                let mut arg = resolve(arg, &self.frame, &mut self.terms);
                renumber(&mut arg, &mut seen);
                arg
            })
            .collect();
        if depth(&call, &self.terms) > self.limits.depth {
            return Err(self.too_deep(&program.relation_name(atom.relation)));
        }
        let id = TableId { depends, number: tables.list.len() as u32 };
        tables.index.insert(self.key.as_slice().into(), id.number);
        tables.list.push(Table::new(atom.relation, call.clone(), seen.len()));
        self.unfinished.push(id);

        let facts = Arc::clone(&self.facts);
        let unbound = vec![UNBOUND; seen.len()];
        for &fact in facts.candidates(info.functor, &call, &unbound) {
            if match_all(&call, self.terms.args(fact), &mut unbound.clone(), &self.terms) {
                self.table(id).insert(fact);
                self.answers += 1;
            }
        }
        for &number in info.rules.iter().rev() {
            let rule = &program.rules[number as usize];
            let top = self.bindings.len();
            self.bindings.resize(top + rule.variables as usize, UNBOUND);
            let frame = &mut self.bindings[top..];
            let pairs = rule.head.args.iter().zip(&call);
            if pairs.into_iter().all(|(head, call)| open(head, call, frame, &self.terms)) {
                let bits = frame.iter().take(64).enumerate();
                let bound =
                    bits.filter(|(_, v)| **v != UNBOUND).fold(0, |m, (bit, _)| m | 1 << bit);
                let plan = self.plans.find(number, rule, bound);
                self.tasks.push(Task { table: id, rule: number, plan, step: 0 });
            } else {
                self.bindings.truncate(top);
            }
        }
        Ok(id)
    }

    /// A rule has succeeded: its head is an answer.
    pub(super) fn answer(
        &mut self,
        program: &Program,
        rule: &Rule,
        task: Task,
    ) -> Result<(), Halt> {
        if let Some(used) = &mut self.used {
            used.rules[task.rule as usize] = true;
        }
        self.scratch.clear();
        for arg in &rule.head.args {
            let Some(term) = value(arg, &self.frame, &mut self.terms) else {
                return Err(Halt::Rules(format!(
                    "{} leaves a variable of its head without a value",
                    program.rule_name(task.rule)
                )));
            };
            if self.terms.depth(term) > self.limits.depth {
                return Err(self.too_deep(&program.rule_name(task.rule)));
            }
            self.scratch.push(term);
        }
        let table = &mut self.tables[task.table.depends as usize].list[task.table.number as usize];
        let top = self.bindings.len();
        self.bindings.resize(top + table.variables, UNBOUND);
        let asked = match_all(&table.call, &self.scratch, &mut self.bindings[top..], &self.terms);
        self.bindings.truncate(top);
        if !asked {
            return Ok(());
        }
        let functor = program.relations[table.relation.index()].functor;
        let atom = match functor.arity {
            None => self.terms.constant(functor.symbol),
            Some(_) => self.terms.compound(functor.symbol, &self.scratch),
        };
        if !table.insert(atom) {
            return Ok(());
        }
        self.answers += 1;
        let consumers = std::mem::take(&mut table.consumers);
        for consumer in &consumers {
            self.deliver(program, consumer, atom);
        }
        let table = self.table(task.table);
        if !table.satisfied() {
            table.consumers = consumers;
        }
        Ok(())
    }

    /// The error that the nesting limit was exceeded.
    pub(super) fn too_deep(&self, what: &str) -> Halt {
        let depth = self.limits.depth;
        Halt::Limit(format!("terms or lists nested {depth} deep, at {what}; they may be infinite"))
    }
}

fn variables(patterns: &[Pattern]) -> usize {
    let mut count = 0;
    for pattern in patterns {
        pattern.variables(&mut |variable| count = count.max(variable as usize + 1));
    }
    count
}
