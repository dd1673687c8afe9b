//! Which relations can be enumerated.
//!
//! `(<= (other ?x ?y) (distinct ?x ?y))` is a test for known arguments only: a query without known
//! arguments would not return all its answers.

use magister_gdl::{Use, components};

use crate::program::{Goal, Literal, Pattern, Program, Rule};

/// The relations in dependency order, except for recursive ones, with the dependencies and the
/// component of each.
struct Order {
    relations: Vec<usize>,
    edges: Vec<Vec<usize>>,
    component: Vec<usize>,
}

impl Order {
    fn new(program: &Program) -> Self {
        let asked = |relation: usize| {
            let rules = program.relations[relation].rules.iter();
            let bodies = rules.flat_map(|&rule| &program.rules[rule as usize].body);
            bodies.filter_map(|literal| literal.goal.atom()).map(|atom| atom.relation.index())
        };
        let mut relations: Vec<usize> = (0..program.relations.len()).collect();
        let edges: Vec<Vec<usize>> = relations.iter().map(|&r| asked(r).collect()).collect();
        let component = components(&edges, |&to| to);
        relations.sort_by_key(|&relation| component[relation]);
        Order { relations, edges, component }
    }
}

/// For each relation, whether a query without known arguments returns all its answers.
pub(super) fn enumerable(program: &Program) -> Vec<bool> {
    let mut safe = vec![true; program.relations.len()];
    let order = Order::new(program);
    let mut changed = true;
    while changed {
        changed = false;
        for &relation in &order.relations {
            let rules = &program.relations[relation].rules;
            let binds = |&rule: &u32| binds_head(&program.rules[rule as usize], &safe);
            if safe[relation] && !rules.iter().all(binds) {
                safe[relation] = false;
                changed = true;
            }
        }
    }
    safe
}

/// For each relation, whether a query without known arguments is finite and returns all its
/// answers.
///
/// Only relations that build new terms from their own answers can be infinite, so those are
/// excluded, and so are the relations that depend on them.
pub(super) fn finite(program: &Program, enumerable: &[bool]) -> Vec<bool> {
    let Order { relations, edges, component } = Order::new(program);
    let mut endless = vec![false; component.iter().max().map_or(0, |max| max + 1)];
    for relation in relations {
        let home = component[relation];
        let recursive = edges[relation].iter().any(|&to| component[to] == home);
        let mut rules = program.relations[relation].rules.iter();
        let grows = recursive && rules.any(|&rule| makes_terms(&program.rules[rule as usize]));
        let below = edges[relation].iter().any(|&to| endless[component[to]]);
        endless[home] |= grows || below || !enumerable[relation];
    }
    component.iter().map(|&home| !endless[home]).collect()
}

/// Whether a rule can build new terms.
fn makes_terms(rule: &Rule) -> bool {
    rule.head.args.iter().any(|arg| matches!(arg, Pattern::Compound(..)))
        || rule
            .body
            .iter()
            .any(|literal| matches!(literal.goal, Goal::Builtin(..) | Goal::Aggregate(..)))
}

/// Whether the body binds every variable of the head.
fn binds_head(rule: &Rule, safe: &[bool]) -> bool {
    let mut bound = vec![false; rule.variables as usize];
    let mut left: Vec<&Literal> = rule.body.iter().filter(|literal| !literal.negated).collect();
    loop {
        let before = left.len();
        left.retain(|literal| !gives(&literal.goal, &mut bound, safe));
        if left.len() == before {
            break;
        }
    }
    rule.head.args.iter().all(|arg| known(arg, &bound))
}

fn known(pattern: &Pattern, bound: &[bool]) -> bool {
    let mut all = true;
    pattern.variables(&mut |variable| all &= bound[variable as usize]);
    all
}

fn mark(pattern: &Pattern, bound: &mut [bool]) {
    pattern.variables(&mut |variable| bound[variable as usize] = true);
}

/// Marks the variables that a condition binds; false if they are not known yet.
fn gives(goal: &Goal, bound: &mut [bool], safe: &[bool]) -> bool {
    match goal {
        Goal::Relation(atom) if !safe[atom.relation.index()] => return false,
        Goal::Relation(_) | Goal::Fluent(_) | Goal::Does(..) => {
            goal.patterns(&mut |pattern| mark(pattern, bound));
        }
        Goal::Distinct(..) => {}
        Goal::Aggregate(_, _, value) => mark(value, bound),
        Goal::Builtin(builtin, args) => match (builtin.name, builtin.usage, &args[..]) {
            ("same", _, [left, right]) => {
                if !known(left, bound) && !known(right, bound) {
                    return false;
                }
                mark(left, bound);
                mark(right, bound);
            }
            ("member", _, [item, list]) => {
                if !known(list, bound) {
                    return false;
                }
                mark(item, bound);
            }
            (_, Use::Value, [inputs @ .., output]) => {
                if !inputs.iter().all(|input| known(input, bound)) {
                    return false;
                }
                mark(output, bound);
            }
            _ => {}
        },
    }
    true
}
