//! The evaluation order of rules, and their dependencies.

use magister_gdl::components;

use super::{Depends, Goal, Program};
use crate::Error;

/// Assigns a stratum to every rule and to every literal that needs completion.
///
/// A relation may depend on its own negation as long as no atom does: `(goal ?r 0)` on the negation
/// of `(goal ?r 100)` is fine. Within a component of relations with an inner negation, rules are
/// therefore examined one by one, and a rule depends only on rules whose heads can match.
/// Elsewhere, whole relations are examined, which is cheaper.
pub(super) fn stratify(program: &mut Program) -> Result<(), Error> {
    let relations = program.relations.len();
    let by_relation: Vec<Vec<Edge>> = (0..relations)
        .map(|relation| {
            let rules = &program.relations[relation].rules;
            rules.iter().flat_map(|&rule| edges(program, rule, |r| r as usize)).collect()
        })
        .collect();
    let component = components(&by_relation, |edge| edge.to);
    let mut suspect = vec![false; relations];
    for (from, out) in by_relation.iter().enumerate() {
        if out.iter().any(|edge| edge.strict && component[edge.to] == component[from]) {
            suspect[component[from]] = true;
        }
    }

    // Nodes: relations, then the rules of suspect relations.
    let split = |relation: usize| suspect[component[relation]];
    let node_of = |program: &Program, rule: u32| {
        let relation = program.rules[rule as usize].head.relation.index();
        if split(relation) { relations + rule as usize } else { relation }
    };
    let mut graph: Vec<Vec<Edge>> = vec![Vec::new(); relations + program.rules.len()];
    for rule in 0..program.rules.len() as u32 {
        let node = node_of(program, rule);
        for literal in &program.rules[rule as usize].body {
            let Some(atom) = literal.goal.atom() else { continue };
            let strict = literal.needs_completion();
            if !split(atom.relation.index()) {
                graph[node].push(Edge { to: atom.relation.index(), strict });
                continue;
            }
            for &other in &program.relations[atom.relation.index()].rules {
                if atom.may_meet(&program.rules[other as usize].head, &program.terms) {
                    graph[node].push(Edge { to: relations + other as usize, strict });
                }
            }
        }
    }
    let strata = levels(&graph).map_err(|node| {
        let rule = match node.checked_sub(relations) {
            Some(rule) => rule as u32,
            None => program.relations[node].rules.first().copied().unwrap_or(0),
        };
        Error::Statement {
            line: program.line(program.rules[rule as usize].span),
            what: format!(
                "{} depends on its own negation, so it has no definite meaning",
                program.relation_name(program.rules[rule as usize].head.relation)
            ),
        }
    })?;

    for rule in 0..program.rules.len() {
        program.rules[rule].stratum = strata[node_of(program, rule as u32)];
        for place in 0..program.rules[rule].body.len() {
            let literal = &program.rules[rule].body[place];
            let Some(atom) = literal.goal.atom() else { continue };
            let stratum = if split(atom.relation.index()) {
                let rules = &program.relations[atom.relation.index()].rules;
                let answers = |&&other: &&u32| {
                    atom.may_meet(&program.rules[other as usize].head, &program.terms)
                };
                let strata = rules.iter().filter(answers).map(|&r| strata[relations + r as usize]);
                strata.max().unwrap_or(0)
            } else {
                strata[atom.relation.index()]
            };
            program.rules[rule].body[place].stratum = stratum;
        }
    }
    Ok(())
}

/// Determines for every relation whether it depends on the state or on the moves.
pub(super) fn dependencies(program: &mut Program) {
    // Three values and few relations: iteration to a fixpoint is fast enough.
    let mut changed = true;
    while changed {
        changed = false;
        for rule in &program.rules {
            let relation = rule.head.relation.index();
            let mut depends = program.relations[relation].depends;
            for literal in &rule.body {
                depends = depends.max(match &literal.goal {
                    Goal::Fluent(_) => Depends::State,
                    Goal::Does(..) => Depends::Moves,
                    Goal::Relation(atom) | Goal::Aggregate(_, atom, _) => {
                        program.relations[atom.relation.index()].depends
                    }
                    Goal::Distinct(..) | Goal::Builtin(..) => Depends::Nothing,
                });
            }
            if depends > program.relations[relation].depends {
                program.relations[relation].depends = depends;
                changed = true;
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    to: usize,
    strict: bool,
}

fn edges(program: &Program, rule: u32, node: impl Fn(u32) -> usize) -> Vec<Edge> {
    let body = program.rules[rule as usize].body.iter();
    body.filter_map(|literal| {
        let atom = literal.goal.atom()?;
        Some(Edge { to: node(atom.relation.0), strict: literal.needs_completion() })
    })
    .collect()
}

/// The maximum number of strict edges on a path from each node, or a node on a cycle with a strict
/// edge.
fn levels(graph: &[Vec<Edge>]) -> Result<Vec<u32>, usize> {
    let component = components(graph, |edge| edge.to);
    let count = component.iter().max().map_or(0, |max| max + 1);
    // Components are numbered from the leaves, so the dependencies of a component come before it.
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (node, &home) in component.iter().enumerate() {
        members[home].push(node);
    }
    let mut level = vec![0; count];
    for (home, nodes) in members.iter().enumerate() {
        for &node in nodes {
            for edge in &graph[node] {
                let there = component[edge.to];
                if there == home && edge.strict {
                    return Err(node);
                }
                if there != home {
                    level[home] = level[home].max(level[there] + u32::from(edge.strict));
                }
            }
        }
    }
    Ok(component.iter().map(|&home| level[home]).collect())
}
