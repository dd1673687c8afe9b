//! The evaluation of each kind of literal.

use std::sync::Arc;

use magister_core::Halt;

use super::bind::{match_all, matches, resolve, value};
use super::builtin::{self, Outcome};
use super::machine::{Machine, Waiting};
use super::table::{Consumer, Task};
use crate::program::{Atom, Collect, Goal, Literal, Pattern, Program};
use crate::term::{TermId, Terms};

impl Machine {
    /// Advances a task, whose bindings are in the frame, until it needs the answers of another
    /// call.
    pub(super) fn advance(&mut self, program: &Program, mut task: Task) -> Result<(), Halt> {
        let rule = &program.rules[task.rule as usize];
        while let Some(place) = self.plans.literal(task.plan, task.step) {
            let literal = &rule.body[place];
            let negated = literal.negated;
            task.step += 1;
            let goes_on = match &literal.goal {
                Goal::Relation(atom) => {
                    if program.relations[atom.relation.index()].rules.is_empty() {
                        self.ask_facts(program, atom, negated, task)
                    } else {
                        self.ask_table(program, atom, literal, place, task)?
                    }
                }
                Goal::Fluent(pattern) => self.ask_state(pattern, negated, task),
                Goal::Does(role, choice) => self.ask_moves(role, choice, negated, task),
                Goal::Distinct(a, b) => self.differ(a, b) != negated,
                Goal::Builtin(builtin, args) => {
                    let (name, depth) = (builtin.name, self.limits().depth);
                    let definitions = &program.definitions;
                    let terms = &mut self.terms;
                    match builtin::solve(name, args, &self.frame, terms, definitions, depth) {
                        Outcome::NoEnd => {
                            return Err(self.too_deep(&program.rule_name(task.rule)));
                        }
                        Outcome::Test(holds) => holds != negated,
                        Outcome::Values(pattern, values) => {
                            self.spread(&values, whole(pattern), negated, task)
                        }
                    }
                }
                Goal::Aggregate(_, atom, _) => {
                    self.ask_table(program, atom, literal, place, task)?
                }
            };
            if !goes_on {
                return Ok(());
            }
        }
        self.answer(program, rule, task)
    }

    /// Creates a task for every matching candidate; if negated, checks that there is none. Returns
    /// true if the task itself continues.
    fn spread(
        &mut self,
        candidates: &[TermId],
        fits: impl Fn(TermId, &mut [TermId], &Terms) -> bool,
        negated: bool,
        task: Task,
    ) -> bool {
        for &candidate in candidates {
            let top = self.bindings.len();
            self.bindings.extend_from_slice(&self.frame);
            let found = fits(candidate, &mut self.bindings[top..], &self.terms);
            if found && !negated {
                self.tasks.push(task);
                continue;
            }
            self.bindings.truncate(top);
            if found {
                return false;
            }
        }
        negated
    }

    fn ask_facts(&mut self, program: &Program, atom: &Atom, negated: bool, task: Task) -> bool {
        let functor = program.relations[atom.relation.index()].functor;
        if let Some(used) = &mut self.used {
            used.relations[atom.relation.index()] = true;
        }
        let facts = Arc::clone(&self.facts);
        let list = facts.candidates(functor, &atom.args, &self.frame);
        self.spread(list, arguments(&atom.args), negated, task)
    }

    fn ask_state(&mut self, pattern: &Pattern, negated: bool, task: Task) -> bool {
        if let Some(fluent) = value(pattern, &self.frame, &mut self.terms) {
            return self.state.contains(fluent) != negated;
        }
        let state = std::mem::take(&mut self.state);
        let list = state.matching(pattern, &self.frame);
        let goes_on = self.spread(list, whole(pattern), negated, task);
        self.state = state;
        goes_on
    }

    fn ask_moves(&mut self, role: &Pattern, choice: &Pattern, negated: bool, task: Task) -> bool {
        for place in 0..self.moves().len() {
            let (mover, made) = self.moves()[place];
            let fits = |made, bindings: &mut [TermId], terms: &Terms| {
                matches(role, mover, bindings, terms) && matches(choice, made, bindings, terms)
            };
            if !self.spread(&[made], fits, negated, task) && negated {
                return false;
            }
        }
        negated
    }

    /// Two terms with unbound variables differ if nothing could make them equal.
    fn differ(&mut self, a: &Pattern, b: &Pattern) -> bool {
        let a = resolve(a, &self.frame, &mut self.terms);
        let b = resolve(b, &self.frame, &mut self.terms);
        !a.may_meet(&b, &self.terms)
    }

    /// Registers a consumer of a table, or waits for it to be complete.
    fn ask_table(
        &mut self,
        program: &Program,
        atom: &Atom,
        literal: &Literal,
        place: usize,
        task: Task,
    ) -> Result<bool, Halt> {
        let id = self.call(program, atom)?;
        let bindings = self.frame.as_slice();
        let table = &mut self.tables[id.depends as usize].list[id.number as usize];
        if literal.needs_completion() {
            if matches!(literal.goal, Goal::Relation(_)) {
                if !table.answers.is_empty() {
                    return Ok(false);
                }
                if table.complete {
                    return Ok(true);
                }
            }
            let waiting = Waiting { task, literal: place, table: id, bindings: bindings.into() };
            self.waiting.entry(literal.stratum).or_default().push(waiting);
            return Ok(false);
        }
        if !table.complete && !table.satisfied() {
            table.consumers.push(Consumer { task, bindings: bindings.into() });
        }
        let answers = std::mem::take(&mut table.answers);
        self.spread(&answers, arguments(&atom.args), false, task);
        self.table(id).answers = answers;
        Ok(false)
    }

    /// Continues a consumer with an answer.
    pub(super) fn deliver(&mut self, program: &Program, consumer: &Consumer, answer: TermId) {
        let task = consumer.task;
        let place = self.plans.literal(task.plan, task.step - 1);
        let goal = place.map(|place| &program.rules[task.rule as usize].body[place].goal);
        if let Some(Goal::Relation(atom)) = goal {
            self.frame.clear();
            self.frame.extend_from_slice(&consumer.bindings);
            self.spread(&[answer], arguments(&atom.args), false, task);
        }
    }

    /// Continues a task whose table is now complete.
    pub(super) fn resume(&mut self, program: &Program, waiting: &Waiting) -> Result<(), Halt> {
        let task = waiting.task;
        let literal = &program.rules[task.rule as usize].body[waiting.literal];
        self.frame.clear();
        self.frame.extend_from_slice(&waiting.bindings);
        let goes_on = match &literal.goal {
            Goal::Aggregate(kind, _, result) => {
                let answers = self.table(waiting.table).answers.clone();
                let depth = self.limits().depth;
                let Some(value) = collect(*kind, &answers, &mut self.terms, depth) else {
                    return Err(self.too_deep(&program.rule_name(task.rule)));
                };
                self.spread(&[value], whole(result), literal.negated, task)
            }
            _ => self.table(waiting.table).answers.is_empty(),
        };
        if goes_on {
            self.bindings.extend_from_slice(&waiting.bindings);
            self.tasks.push(task);
        }
        Ok(())
    }
}

/// The number or the list of the distinct last arguments of all answers; `None` if the list is too
/// long.
pub(super) fn collect(
    kind: Collect,
    answers: &[TermId],
    terms: &mut Terms,
    depth: u32,
) -> Option<TermId> {
    let last = |&answer: &TermId| terms.args(answer).last().copied();
    let mut found: Vec<TermId> = answers.iter().filter_map(last).collect();
    terms.sort(&mut found);
    match kind {
        Collect::Count => Some(terms.constant_named(&found.len().to_string())),
        Collect::List if found.len() > depth as usize => None,
        Collect::List => Some(builtin::list(&found, terms)),
    }
}

/// A term fits if it matches the pattern.
fn whole(pattern: &Pattern) -> impl Fn(TermId, &mut [TermId], &Terms) -> bool {
    |term, bindings, terms| matches(pattern, term, bindings, terms)
}

/// An atom fits if its arguments match the patterns.
fn arguments(patterns: &[Pattern]) -> impl Fn(TermId, &mut [TermId], &Terms) -> bool {
    |atom, bindings, terms| match_all(patterns, terms.args(atom), bindings, terms)
}
