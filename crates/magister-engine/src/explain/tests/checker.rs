//! Checks an explanation with the reference interpreter, node by node.

use magister_core::{Halt, Stop};

use crate::explain::{Claim, Explainer, Explanation, ProofId, ProofStep, Reason};
use crate::program::{Goal, Literal, Pattern, Rule};
use crate::reference::bind::{UNBOUND, resolve};
use crate::term::TermId;

/// Panics if any part of an explanation is false or a proof depends on itself.
pub(super) fn check(explainer: &mut Explainer, explanation: &Explanation) {
    let mut at = None;
    let mut nodes: Vec<&ProofStep> = explanation.nodes.iter().collect();
    nodes.sort_by_key(|node| node.step);
    for node in nodes {
        if at != Some(node.step) {
            enter(explainer, node.step as usize);
            at = Some(node.step);
        }
        check_node(explainer, explanation, node);
    }
    well_founded(explanation);
}

fn enter(explainer: &mut Explainer, step: usize) {
    let moment = explainer.moments[step].clone();
    explainer.reference.set_state(&moment.state);
    if let Some(joint) = &moment.joint {
        explainer.reference.set_moves(joint);
    }
}

/// Whether a condition, with its bindings, holds for some values of its other variables.
fn holds(explainer: &mut Explainer, literal: &Literal) -> bool {
    let mut variables = 0;
    literal.goal.variables(&mut |variable| variables = variables.max(variable + 1));
    let unbound = vec![UNBOUND; variables as usize];
    match explainer.reference.solutions(literal, &unbound, &Stop::never()) {
        Ok(solutions) => !solutions.is_empty(),
        // Queried with fewer bindings than in the rules, a relation may be infinite, or leave
        // variables unbound.
        Err(Halt::Limit(_) | Halt::Rules(_)) => false,
        Err(halt) => panic!("{halt}"),
    }
}

/// A condition of a rule with bindings substituted.
fn under(explainer: &mut Explainer, literal: &Literal, bindings: &[TermId]) -> Vec<Pattern> {
    let mut patterns = Vec::new();
    literal.goal.patterns(&mut |pattern| {
        patterns.push(resolve(pattern, bindings, explainer.reference.terms_mut()));
    });
    patterns
}

/// Whether a claim is this condition under these bindings.
fn is_instance(
    explainer: &mut Explainer,
    claim: &Claim,
    literal: &Literal,
    bindings: &[TermId],
) -> bool {
    let Claim::Literal(claimed, _) = claim else { return false };
    let mut patterns = Vec::new();
    claimed.goal.patterns(&mut |pattern| patterns.push(pattern.clone()));
    let same_kind = std::mem::discriminant(&claimed.goal) == std::mem::discriminant(&literal.goal)
        && claimed.goal.atom().map(|a| a.relation) == literal.goal.atom().map(|a| a.relation);
    same_kind
        && claimed.negated == literal.negated
        && patterns == under(explainer, literal, bindings)
}

fn check_node(explainer: &mut Explainer, explanation: &Explanation, node: &ProofStep) {
    let children: Vec<&ProofStep> = node.children.iter().map(|&id| explanation.node(id)).collect();
    let rules = |explainer: &Explainer, rule: u32| -> Rule {
        explainer.reference.program().rules[rule as usize].clone()
    };
    match &node.claim {
        Claim::Literal(literal, _) => {
            assert_eq!(holds(explainer, literal), node.holds, "{node:?}");
        }
        Claim::Next(fluent) => {
            let next = explainer.reference.next(&Stop::never()).expect("a successor");
            assert_eq!(next.contains(fluent), node.holds, "{node:?}");
        }
        Claim::Instance(rule, bindings) => {
            let rule = rules(explainer, *rule);
            if let Reason::Gives(other) = node.reason {
                let head =
                    Literal { negated: false, goal: Goal::Relation(rule.head.clone()), stratum: 0 };
                let head = instance(explainer, &head, bindings);
                assert!(holds(explainer, &head), "{node:?}");
                let claim = Claim::Literal(head, rule.names.clone());
                assert_eq!(ground(explainer, &claim), other);
                return;
            }
            let Reason::Miss { hold, open, .. } = node.reason else {
                assert!(matches!(node.reason, Reason::Limit(_)), "{node:?}");
                return;
            };
            assert!(!children.is_empty(), "{node:?}");
            assert_eq!(children.len() + (hold + open) as usize, rule.body.len(), "{node:?}");
            for child in &children {
                let of_rule = |l: &Literal| is_instance(explainer, &child.claim, l, bindings);
                assert!(!child.holds && rule.body.iter().any(of_rule), "{child:?}");
            }
            let mut holding = 0;
            for literal in &rule.body {
                let claim = instance(explainer, literal, bindings);
                holding += u32::from(holds(explainer, &claim));
            }
            assert!(holding >= hold, "{node:?}");
        }
        Claim::Performed(_) | Claim::Effect(..) => {}
    }
    match &node.reason {
        Reason::Fact(line) => {
            let atom = ground(explainer, &node.claim);
            assert!(explainer.reference.is_fact(atom), "{node:?}");
            assert!(*line > 0, "{node:?}");
        }
        Reason::Rule(number, bindings) => {
            let rule = rules(explainer, *number);
            let head = Goal::Relation(rule.head.clone());
            let head = Literal { negated: false, goal: head, stratum: 0 };
            assert!(is_instance(explainer, &node.claim, &head, bindings), "{node:?}");
            assert_eq!(children.len(), rule.body.len(), "{node:?}");
            for (child, literal) in children.iter().zip(&rule.body) {
                assert!(is_instance(explainer, &child.claim, literal, bindings), "{child:?}");
                assert!(child.holds, "{child:?}");
            }
        }
        Reason::State(since) => {
            let fluent = ground(explainer, &node.claim);
            let from = since.unwrap_or(node.step);
            for step in from..=node.step {
                assert!(explainer.moments[step as usize].state.contains(&fluent), "{node:?}");
            }
            assert!(
                from == 0 || since.is_none() || {
                    !explainer.moments[from as usize - 1].state.contains(&fluent)
                }
            );
        }
        Reason::Misses(count) if matches!(node.claim, Claim::Literal(..)) => {
            let Claim::Literal(Literal { goal: Goal::Relation(atom), .. }, _) = &node.claim else {
                panic!("{node:?}");
            };
            let rules =
                explainer.reference.program().relations[atom.relation.index()].rules.clone();
            let opens = |&&rule: &&u32| explainer.reference.open_head(rule, &atom.args).is_some();
            assert_eq!(rules.iter().filter(opens).count() as u32, *count, "{node:?}");
        }
        Reason::Elsewhere(there) => {
            let there = explanation.node(*there);
            assert_eq!(there.holds, node.holds, "{node:?}");
            match (&there.claim, &node.claim) {
                (Claim::Literal(there, _), Claim::Literal(here, _)) => {
                    // Equal up to the names of variables.
                    assert_eq!(there.negated, here.negated);
                    assert_eq!(shape(&there.goal), shape(&here.goal));
                }
                (there, here) => assert_eq!(there, here),
            }
        }
        Reason::Present => assert!(children.iter().all(|child| child.holds), "{node:?}"),
        _ => {}
    }
}

/// A goal with its variables numbered in order of appearance.
fn shape(goal: &Goal) -> String {
    let text = format!("{goal:?}");
    let mut seen: Vec<&str> = Vec::new();
    let mut parts = text.split("Variable(");
    let mut shape = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_once(')').unwrap_or((part, ""));
        let at = seen.iter().position(|&other| other == number).unwrap_or_else(|| {
            seen.push(number);
            seen.len() - 1
        });
        shape.extend(["Variable(", &at.to_string(), ")", rest]);
    }
    shape
}

fn instance(explainer: &mut Explainer, literal: &Literal, bindings: &[TermId]) -> Literal {
    let mut patterns = under(explainer, literal, bindings).into_iter();
    let mut next = || patterns.next().expect("as many");
    let goal = match &literal.goal {
        Goal::Relation(atom) => {
            let mut atom = atom.clone();
            atom.args.iter_mut().for_each(|arg| *arg = next());
            Goal::Relation(atom)
        }
        Goal::Fluent(_) => Goal::Fluent(next()),
        Goal::Does(..) => Goal::Does(next(), next()),
        Goal::Distinct(..) => Goal::Distinct(next(), next()),
        Goal::Builtin(builtin, args) => {
            Goal::Builtin(builtin, args.iter().map(|_| next()).collect())
        }
        Goal::Aggregate(collect, atom, _) => {
            let mut atom = atom.clone();
            atom.args.iter_mut().for_each(|arg| *arg = next());
            Goal::Aggregate(*collect, atom, next())
        }
    };
    Literal { negated: literal.negated, goal, stratum: literal.stratum }
}

/// The term of a claim without variables.
fn ground(explainer: &mut Explainer, claim: &Claim) -> TermId {
    let Claim::Literal(literal, _) = claim else { panic!("{claim:?}") };
    match &literal.goal {
        Goal::Fluent(Pattern::Ground(term)) => *term,
        Goal::Relation(atom) => {
            let functor = explainer.reference.program().relations[atom.relation.index()].functor;
            let args: Vec<TermId> = atom
                .args
                .iter()
                .map(|arg| if let Pattern::Ground(arg) = arg { *arg } else { panic!("{claim:?}") })
                .collect();
            let terms = explainer.reference.terms_mut();
            match functor.arity {
                None => terms.constant(functor.symbol),
                Some(_) => terms.compound(functor.symbol, &args),
            }
        }
        _ => panic!("{claim:?}"),
    }
}

/// Checks that no node that holds depends on itself, through its children and references.
fn well_founded(explanation: &Explanation) {
    let below = |id: ProofId| {
        let node = explanation.node(id);
        let elsewhere = match node.reason {
            Reason::Elsewhere(there) if node.holds => Some(there),
            _ => None,
        };
        node.children.iter().copied().chain(elsewhere)
    };
    // 0 not visited, 1 in progress, 2 done.
    let mut marks = vec![0_u8; explanation.nodes.len()];
    for start in 0..explanation.nodes.len() as u32 {
        let mut stack = vec![(ProofId(start), false)];
        while let Some((id, done)) = stack.pop() {
            let mark = &mut marks[id.0 as usize];
            if done {
                *mark = 2;
                continue;
            }
            assert_ne!(*mark, 1, "depends on itself: {:?}", explanation.node(id));
            if *mark == 2 {
                continue;
            }
            *mark = 1;
            stack.push((id, true));
            for child in below(id) {
                assert_ne!(marks[child.0 as usize], 1, "{:?}", explanation.node(child));
                if marks[child.0 as usize] == 0 {
                    stack.push((child, false));
                }
            }
        }
    }
}
