//! From programs to rules over tables.
//!
//! A negation with variables that nothing else binds gets its own relation, and an aggregate gets a
//! table of counts.

use rustc_hash::{FxHashMap, FxHashSet};

use super::rules::{
    Condition, Counter, DOES, FIXED, FLUENTS, Kind, PERFORMED, Rule, RuleSet, TableId, bound,
    table, variables_of,
};
use crate::Error;
use crate::program::{Atom, Collect, Depends, Effect, Goal, Pattern, Program, Relation};

/// Creates the tables and rules of a program; an error if it contains something that cannot be
/// grounded.
pub(super) fn lower(program: &Program) -> Result<RuleSet, Error> {
    let mut set = RuleSet::default();
    for arity in [1, 2, 1, 1, 1, 1] {
        set.new_table(arity, Kind::Dynamic, None);
    }
    for info in &program.relations {
        let kind = match info.depends {
            Depends::Nothing => Kind::Static,
            Depends::State | Depends::Moves => Kind::Dynamic,
        };
        set.new_table(info.functor.arity.unwrap_or(0) as usize, kind, None);
    }
    let mut inlined = FxHashSet::default();
    for operation in &program.operations {
        conditions_of(&operation.effects, &mut inlined);
    }
    let mut lower = Lower { program, set, inlined };
    lower.facts();
    for rule in 0..program.rules.len() {
        lower.rule(rule)?;
    }
    for operation in &program.operations {
        let performed = Condition::In(PERFORMED, Box::new([operation.action.clone()]));
        lower.effects(
            &operation.effects,
            &[performed],
            operation.variables,
            program.line(operation.span),
        )?;
    }
    lower.frame();
    lower.set.find_asked();
    lower.set.settle();
    Ok(lower.set)
}

pub(super) struct Lower<'a> {
    pub(super) program: &'a Program,
    pub(super) set: RuleSet,
    /// Relations that represent the conditions of operations.
    inlined: FxHashSet<Relation>,
}

fn conditions_of(effects: &[Effect], into: &mut FxHashSet<Relation>) {
    for effect in effects {
        if let Effect::When(atom, inner) = effect {
            into.insert(atom.relation);
            conditions_of(inner, into);
        }
    }
}

/// New numbers for the variables of a rule.
pub(super) struct Renaming {
    pub(super) known: FxHashMap<u32, u32>,
    pub(super) count: u32,
}

impl Renaming {
    /// Every variable keeps its number.
    fn identity(variables: u32) -> Self {
        Self { known: (0..variables).map(|v| (v, v)).collect(), count: variables }
    }

    /// Variables get numbers after those in use.
    pub(super) fn into(taken: u32) -> Self {
        Self { known: FxHashMap::default(), count: taken }
    }

    fn pattern(&mut self, pattern: &Pattern) -> Pattern {
        match pattern {
            Pattern::Variable(variable) => {
                let number = *self.known.entry(*variable).or_insert_with(|| {
                    self.count += 1;
                    self.count - 1
                });
                Pattern::Variable(number)
            }
            Pattern::Ground(term) => Pattern::Ground(*term),
            Pattern::Compound(symbol, args) => Pattern::Compound(*symbol, self.all(args)),
        }
    }

    fn all(&mut self, patterns: &[Pattern]) -> Box<[Pattern]> {
        patterns.iter().map(|p| self.pattern(p)).collect()
    }
}

impl Lower<'_> {
    fn facts(&mut self) {
        for (number, info) in self.program.relations.iter().enumerate() {
            let table = TableId(FIXED + number as u32);
            for &fact in &info.facts {
                let tuple = self.program.terms.args(fact).to_vec();
                self.set.facts.push((table, tuple));
            }
        }
    }

    /// The conditions of a rule, with its variables renamed.
    pub(super) fn conditions(
        &mut self,
        number: usize,
        names: &mut Renaming,
    ) -> Result<Vec<Condition>, Error> {
        let program = self.program;
        let rule = &program.rules[number];
        let line = program.line(rule.span);
        let mut body = Vec::new();
        for literal in &rule.body {
            let (table, args): (TableId, Box<[Pattern]>) = match &literal.goal {
                Goal::Relation(atom) => (table(atom.relation), names.all(&atom.args)),
                Goal::Fluent(fluent) => (FLUENTS, Box::from([names.pattern(fluent)])),
                Goal::Does(role, action) => {
                    (DOES, Box::from([names.pattern(role), names.pattern(action)]))
                }
                Goal::Distinct(a, b) => {
                    let (a, b) = (names.pattern(a), names.pattern(b));
                    body.push(Condition::Differ(a, b, !literal.negated));
                    continue;
                }
                Goal::Builtin(builtin, args) => {
                    let args = names.all(args);
                    body.push(Condition::Builtin(builtin.name, args, !literal.negated));
                    continue;
                }
                Goal::Aggregate(Collect::Count, atom, result) => {
                    let key = &atom.args[..atom.args.len().saturating_sub(1)];
                    let mut args = names.all(key).into_vec();
                    args.push(names.pattern(result));
                    (self.counter(table(atom.relation)), args.into())
                }
                Goal::Aggregate(Collect::List, ..) => {
                    return Err(refuse(line, "the list of an aggregate"));
                }
            };
            body.push(if literal.negated {
                Condition::NotIn(table, args)
            } else {
                Condition::In(table, args)
            });
        }
        Ok(body)
    }

    /// The table with the numbers of rows of another table.
    fn counter(&mut self, of: TableId) -> TableId {
        if let Some(counter) = self.set.counters.iter().find(|c| c.of == of) {
            return counter.table;
        }
        let arity = self.set.arities[of.index()];
        let table = self.set.new_table(arity, Kind::Dynamic, None);
        self.set.counters.push(Counter { of, table, keys: None });
        table
    }

    fn rule(&mut self, number: usize) -> Result<(), Error> {
        let program = self.program;
        let rule = &program.rules[number];
        let info = &program.relations[rule.head.relation.index()];
        let line = program.line(rule.span);
        // The relation of an operation's conditions is inlined where it is used.
        if info.hidden && self.inlined.contains(&rule.head.relation) {
            return Ok(());
        }
        let mut names = Renaming::identity(rule.variables);
        let mut body = self.conditions(number, &mut names)?;
        let name = program.terms.name(info.functor.symbol);
        // In a query, the role of a goal, a legal move or a percept is bound; here, a condition
        // must bind it.
        if matches!((name, rule.head.args.len()), ("goal" | "legal" | "sees", 2))
            && let Some(Pattern::Variable(role)) = rule.head.args.first()
            && let Some(Goal::Relation(Atom { relation, .. })) =
                program.goal("role", vec![Pattern::Variable(0)])
        {
            body.push(Condition::In(table(relation), Box::from([Pattern::Variable(*role)])));
        }
        if info.hidden {
            self.demand(rule, &mut body, &mut names)?;
        }
        self.add(
            table(rule.head.relation),
            rule.head.args.clone(),
            body,
            names.count,
            rule.stratum,
            line,
        )
    }

    /// A relation that represents a part of a formula is used in one place and may share variables
    /// with it. Then the conditions that bind these variables there are added here.
    fn demand(
        &mut self,
        rule: &crate::program::Rule,
        body: &mut Vec<Condition>,
        names: &mut Renaming,
    ) -> Result<(), Error> {
        let known = bound(body, Vec::new());
        if variables_of(&rule.head.args).iter().all(|v| known.contains(v)) {
            return Ok(());
        }
        let caller = self.program.rules.iter().enumerate().find_map(|(number, caller)| {
            let atom = caller.body.iter().find_map(|literal| {
                literal.goal.atom().filter(|atom| atom.relation == rule.head.relation)
            })?;
            Some((number, atom))
        });
        let Some((number, atom)) = caller else { return Ok(()) };
        let mut outer = Renaming::into(names.count);
        for (given, taken) in atom.args.iter().zip(&rule.head.args) {
            if let (Pattern::Variable(given), Pattern::Variable(taken)) = (given, taken) {
                outer.known.insert(*given, *taken);
            }
        }
        let more = self.conditions(number, &mut outer)?;
        body.extend(more.into_iter().filter(|c| matches!(c, Condition::In(..))));
        names.count = outer.count;
        Ok(())
    }

    /// Adds a rule, after making its negations safe.
    pub(super) fn add(
        &mut self,
        head: TableId,
        args: Box<[Pattern]>,
        mut body: Vec<Condition>,
        variables: u32,
        stratum: u32,
        line: u32,
    ) -> Result<(), Error> {
        // Variables that the body does not bind are bound by the query.
        let known = bound(&body, variables_of(&args));
        for condition in &mut body {
            let Condition::NotIn(of, patterns) = condition else { continue };
            let mut inside = variables_of(patterns);
            let count = inside.len();
            inside.retain(|v| known.contains(v));
            if inside.len() == count {
                continue;
            }
            // "There is none" over the open variables becomes a relation over the others.
            let (of, patterns) = (*of, patterns.clone());
            let made = self.set.new_table(inside.len(), self.set.kind(of), None);
            let columns: Box<[Pattern]> = inside.iter().map(|&v| Pattern::Variable(v)).collect();
            self.set.rules.push(Rule {
                head: made,
                args: columns.clone(),
                body: vec![Condition::In(of, patterns)],
                variables,
                stratum: stratum.saturating_sub(1),
                line,
            });
            *condition = Condition::NotIn(made, columns);
        }
        for condition in &body {
            let free = match condition.computes() {
                Some((needs, _)) => needs,
                None if matches!(condition, Condition::Differ(..)) => condition.variables(),
                None => Vec::new(),
            };
            if free.iter().any(|v| !known.contains(v)) {
                return Err(refuse(line, "a variable that nothing binds"));
            }
        }
        self.set.rules.push(Rule { head, args, body, variables, stratum, line });
        Ok(())
    }
}

/// The error for a construct that cannot be grounded.
pub(super) fn refuse(line: u32, what: &str) -> Error {
    Error::Statement { line, what: what.to_owned() }
}
