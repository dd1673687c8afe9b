//! Programs to rules over tables.
//!
//! Operations become rules for what is added and
//! deleted; a negation with variables that nothing else binds gets a relation of its own.

use magister_gdl::Dialect;
use rustc_hash::{FxHashMap, FxHashSet};

use super::rules::{
    ADDED, Condition, DELETED, DOES, FIXED, FLUENTS, Kind, NEXT, PERFORMED, Rule, RuleSet, TableId,
    table,
};
use crate::Error;
use crate::program::{Atom, Depends, Effect, Goal, Pattern, Program, Relation};

/// Makes tables and rules of a program; an error if it has what cannot be grounded.
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
    let mut prepare = Prepare { program, set, inlined };
    prepare.facts();
    for rule in 0..program.rules.len() {
        prepare.rule(rule)?;
    }
    for operation in &program.operations {
        let performed = Condition::In(PERFORMED, Box::new([operation.action.clone()]));
        prepare.effects(
            &operation.effects,
            &[performed],
            operation.variables,
            program.line(operation.span),
        )?;
    }
    prepare.frame();
    Ok(prepare.set)
}

struct Prepare<'a> {
    program: &'a Program,
    set: RuleSet,
    /// Relations that stand for the conditions of operations.
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
struct Renaming {
    known: FxHashMap<u32, u32>,
    count: u32,
}

impl Renaming {
    /// Every variable keeps its number.
    fn identity(variables: u32) -> Self {
        Self { known: (0..variables).map(|v| (v, v)).collect(), count: variables }
    }

    /// Variables get numbers behind those that are taken.
    fn into(taken: u32) -> Self {
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

impl Prepare<'_> {
    fn facts(&mut self) {
        for (number, info) in self.program.relations.iter().enumerate() {
            let table = TableId(FIXED + number as u32);
            for &fact in &info.facts {
                let tuple = self.program.terms.args(fact).to_vec();
                self.set.facts.push((table, tuple));
            }
        }
    }

    fn refuse(&self, line: u32, what: &str) -> Error {
        let _ = self;
        Error::Statement { line, what: what.to_owned() }
    }

    /// The conditions of a rule, with its variables renamed.
    fn conditions(&self, number: usize, names: &mut Renaming) -> Result<Vec<Condition>, Error> {
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
                Goal::Builtin(builtin, _) => {
                    return Err(self.refuse(line, &format!("the builtin `{}`", builtin.name)));
                }
                Goal::Aggregate(..) => return Err(self.refuse(line, "an aggregate")),
            };
            body.push(if literal.negated {
                Condition::NotIn(table, args)
            } else {
                Condition::In(table, args)
            });
        }
        Ok(body)
    }

    fn rule(&mut self, number: usize) -> Result<(), Error> {
        let program = self.program;
        let rule = &program.rules[number];
        let info = &program.relations[rule.head.relation.index()];
        let line = program.line(rule.span);
        // What stands for the conditions of an operation is put where it is asked for.
        if info.hidden && self.inlined.contains(&rule.head.relation) {
            return Ok(());
        }
        let mut names = Renaming::identity(rule.variables);
        let mut body = self.conditions(number, &mut names)?;
        let name = program.terms.name(info.functor.symbol);
        // The query binds the role of a goal, a legal move or a percept; here a condition must.
        if matches!((name, rule.head.args.len()), ("goal" | "legal" | "sees", 2))
            && let Some(Pattern::Variable(role)) = rule.head.args.first()
            && !is_bound(&body, *role)
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

    /// A relation that stands for a part of a formula is asked for in one place, and may take
    /// variables from there: then the conditions that bind them there bind them here.
    fn demand(
        &self,
        rule: &crate::program::Rule,
        body: &mut Vec<Condition>,
        names: &mut Renaming,
    ) -> Result<(), Error> {
        let open = rule.head.args.iter().any(|arg| {
            let mut open = false;
            arg.variables(&mut |v| open |= !is_bound(body, v));
            open
        });
        if !open {
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
    fn add(
        &mut self,
        head: TableId,
        args: Box<[Pattern]>,
        mut body: Vec<Condition>,
        variables: u32,
        stratum: u32,
        line: u32,
    ) -> Result<(), Error> {
        for place in 0..body.len() {
            let Condition::NotIn(of, patterns) = &body[place] else { continue };
            let mut open = false;
            let mut known: Vec<u32> = Vec::new();
            for pattern in patterns {
                pattern.variables(&mut |v| {
                    if !is_bound(&body, v) {
                        open = true;
                    } else if !known.contains(&v) {
                        known.push(v);
                    }
                });
            }
            if !open {
                continue;
            }
            // "There is none" of the open variables: a relation over the others.
            let (of, patterns) = (*of, patterns.clone());
            let made = self.set.new_table(known.len(), self.set.kind(of), None);
            let columns: Box<[Pattern]> = known.iter().map(|&v| Pattern::Variable(v)).collect();
            self.set.rules.push(Rule {
                head: made,
                args: columns.clone(),
                body: vec![Condition::In(of, patterns)],
                variables,
                stratum: stratum.saturating_sub(1),
                line,
            });
            body[place] = Condition::NotIn(made, columns);
        }
        for pattern in &args {
            let mut free = false;
            pattern.variables(&mut |v| free |= !is_bound(&body, v));
            if free {
                return Err(self.refuse(line, "a variable that only the query binds"));
            }
        }
        for condition in &body {
            if let Condition::Differ(a, b, _) = condition {
                let mut free = false;
                for side in [a, b] {
                    side.variables(&mut |v| free |= !is_bound(&body, v));
                }
                if free {
                    return Err(
                        self.refuse(line, "a `distinct` over a variable that nothing binds")
                    );
                }
            }
        }
        self.set.rules.push(Rule { head, args, body, variables, stratum, line });
        Ok(())
    }

    fn effects(
        &mut self,
        effects: &[Effect],
        conditions: &[Condition],
        variables: u32,
        line: u32,
    ) -> Result<(), Error> {
        for effect in effects {
            match effect {
                Effect::When(atom, inner) => {
                    let rules = self.program.relations[atom.relation.index()].rules.clone();
                    for rule in rules {
                        // The conditions, with their variables named as they are here.
                        let mut names = Renaming::into(variables);
                        let head = &self.program.rules[rule as usize].head;
                        for (given, taken) in atom.args.iter().zip(&head.args) {
                            if let (Pattern::Variable(given), Pattern::Variable(taken)) =
                                (given, taken)
                            {
                                names.known.insert(*taken, *given);
                            }
                        }
                        let mut more = conditions.to_vec();
                        more.extend(self.conditions(rule as usize, &mut names)?);
                        self.effects(inner, &more, names.count, line)?;
                    }
                }
                Effect::Add(term) => {
                    let head = if self.is_operation(term, line)? { PERFORMED } else { ADDED };
                    self.add(
                        head,
                        Box::from([term.clone()]),
                        conditions.to_vec(),
                        variables,
                        0,
                        line,
                    )?;
                }
                Effect::Delete(term) => {
                    let args = Box::from([term.clone()]);
                    self.add(DELETED, args, conditions.to_vec(), variables, 0, line)?;
                }
            }
        }
        Ok(())
    }

    /// Whether an effect calls an operation; an error if only some of its instances do.
    fn is_operation(&self, term: &Pattern, line: u32) -> Result<bool, Error> {
        let terms = &self.program.terms;
        let meets = self.program.operations.iter().filter(|o| o.action.may_meet(term, terms));
        let mut partly = false;
        for operation in meets {
            let mut seen = Vec::new();
            let general = match &operation.action {
                Pattern::Ground(_) | Pattern::Variable(_) => true,
                Pattern::Compound(_, args) => args.iter().all(|a| match a {
                    Pattern::Variable(v) => {
                        let new = !seen.contains(v);
                        seen.push(*v);
                        new
                    }
                    _ => false,
                }),
            };
            if general || operation.action == *term {
                return Ok(true);
            }
            partly = true;
        }
        if partly {
            return Err(self.refuse(line, "an effect that is an operation for some values only"));
        }
        Ok(false)
    }

    /// What holds for every game: where the next state comes from.
    fn frame(&mut self) {
        let fluent = || Box::from([Pattern::Variable(0)]);
        let mut push = |head: TableId, args: Box<[Pattern]>, body: Vec<Condition>| {
            self.set.rules.push(Rule { head, args, body, variables: 2, stratum: 0, line: 0 });
        };
        if self.program.dialect == Dialect::Operations {
            let action: Box<[Pattern]> = Box::from([Pattern::Variable(1)]);
            let does = Box::from([Pattern::Variable(0), Pattern::Variable(1)]);
            push(PERFORMED, action, vec![Condition::In(DOES, does)]);
            push(NEXT, fluent(), vec![Condition::In(ADDED, fluent())]);
            push(
                NEXT,
                fluent(),
                vec![Condition::In(FLUENTS, fluent()), Condition::NotIn(DELETED, fluent())],
            );
        } else if let Some(Goal::Relation(Atom { relation, .. })) =
            self.program.goal("next", vec![Pattern::Variable(0)])
        {
            push(NEXT, fluent(), vec![Condition::In(table(relation), fluent())]);
        }
    }
}

/// Whether a positive condition binds a variable.
fn is_bound(body: &[Condition], variable: u32) -> bool {
    body.iter().any(|condition| {
        let Condition::In(_, args) = condition else { return false };
        let mut found = false;
        for arg in args {
            arg.variables(&mut |v| found |= v == variable);
        }
        found
    })
}
