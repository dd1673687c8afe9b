//! The queries of a position as ordinary relations.
//!
//! Queries and operations become rules, so that one compiler and one machine suffice: an action
//! that adds an atom under conditions is a rule whose head is the action and the atom.

use magister_gdl::{Dialect, Span};

use super::code::Queries;
use crate::program::{
    Atom, Depends, Effect, Goal, Literal, Names, Pattern, Program, Relation, RelationInfo, Rule,
};
use crate::term::Functor;

/// Adds the relations of the queries to a program.
pub(super) fn extend(program: &mut Program) -> Queries<Relation> {
    let operations = program.dialect == Dialect::Operations;
    let queries = Queries {
        init: query(program, "init", 1),
        terminal: query(program, "terminal", 0),
        legal: query(program, "legal", if operations { 1 } else { 2 }),
        goal: query(program, "goal", 2),
        next: query(program, "next", 1),
        sees: query(program, "sees", 2),
        control: query(program, "control", 1),
        operation: relation(program, "the operation", 1),
        adds: relation(program, "the operation", 2),
        deletes: relation(program, "the operation", 2),
    };
    for operation in std::mem::take(&mut program.operations) {
        let (span, variables) = (operation.span, operation.variables);
        let head = [operation.action.clone()];
        rule(program, queries.operation, &head, Vec::new(), variables, span);
        let mut lowering = Effects { program, queries, action: operation.action, variables, span };
        lowering.add(&operation.effects, &[]);
    }
    queries
}

/// The relation with a name and an arity; for a fluent, a relation with one rule that looks it up
/// in the state.
fn query(program: &mut Program, name: &str, arity: u32) -> Relation {
    let args: Vec<Pattern> = (0..arity).map(Pattern::Variable).collect();
    let goal = program.goal(name, args.clone());
    if let Some(Goal::Relation(atom)) = goal {
        return atom.relation;
    }
    let query = relation(program, &format!("the query {name}"), arity);
    if let Some(goal) = goal {
        let body = vec![Literal { negated: false, goal, stratum: 0 }];
        rule(program, query, &args, body, arity, Span::default());
    }
    query
}

fn relation(program: &mut Program, name: &str, arity: u32) -> Relation {
    let symbol = program.terms.symbol(name);
    program.relations.push(RelationInfo {
        functor: Functor { symbol, arity: Some(arity) },
        facts: Vec::new(),
        spans: Vec::new(),
        rules: Vec::new(),
        depends: Depends::Moves,
        hidden: true,
    });
    Relation(program.relations.len() as u32 - 1)
}

fn rule(
    program: &mut Program,
    relation: Relation,
    head: &[Pattern],
    body: Vec<Literal>,
    variables: u32,
    span: Span,
) {
    let head = Atom { relation, args: head.into() };
    program.relations[relation.index()].rules.push(program.rules.len() as u32);
    program.rules.push(Rule { head, body, variables, names: Names::default(), stratum: 0, span });
}

struct Effects<'a> {
    program: &'a mut Program,
    queries: Queries<Relation>,
    action: Pattern,
    variables: u32,
    span: Span,
}

impl Effects<'_> {
    /// Adds a rule for every effect, with its enclosing conditions.
    fn add(&mut self, effects: &[Effect], conditions: &[Literal]) {
        for effect in effects {
            let (relation, atom) = match effect {
                Effect::Add(atom) => (self.queries.adds, atom),
                Effect::Delete(atom) => (self.queries.deletes, atom),
                Effect::When(condition, inner) => {
                    let goal = Goal::Relation(condition.clone());
                    let mut conditions = conditions.to_vec();
                    conditions.push(Literal { negated: false, goal, stratum: 0 });
                    self.add(inner, &conditions);
                    continue;
                }
            };
            let head = [self.action.clone(), atom.clone()];
            let (body, span) = (conditions.to_vec(), self.span);
            rule(self.program, relation, &head, body, self.variables, span);
        }
    }
}
