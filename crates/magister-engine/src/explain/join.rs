//! Instances of rules: the bindings under which all conditions hold, or all but a few.

use magister_core::{Halt, Stop};

use crate::program::{Depends, Goal, Literal, Pattern};
use crate::reference::bind::UNBOUND;
use crate::reference::{Bindings, Reference};
use crate::term::TermId;

/// The limits of a search for instances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The maximum number of instances.
    pub(super) found: usize,
    /// The maximum number of conditions to evaluate.
    pub(super) asked: usize,
}

/// An instance of a rule.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub(super) bindings: Bindings,
    /// The conditions that do not hold.
    pub(super) failing: Vec<u32>,
    /// The conditions that cannot be evaluated, because a failing one would have bound a variable.
    pub(super) open: Vec<u32>,
}

/// A path through a body, with the conditions that it skipped.
#[derive(Clone, Debug)]
struct Way {
    step: usize,
    instance: Instance,
    skips: usize,
}

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Instances {
    pub(super) found: Vec<Instance>,
    /// Whether the limits were reached.
    pub(super) cut: bool,
    /// The path that got furthest without skipping a condition that might hold. Its last condition
    /// is the failing one.
    furthest: Option<(usize, Instance)>,
}

/// The instances of a rule from given bindings, with up to `skips` failing conditions besides the
/// known ones.
pub(super) fn instances(
    reference: &mut Reference,
    rule: u32,
    bindings: &[TermId],
    known: &[u32],
    skips: usize,
    bounds: Bounds,
    stop: &Stop,
) -> Result<Instances, Halt> {
    let order = reference.order(rule, bindings);
    let body: Vec<Literal> = reference.program().rules[rule as usize].body.clone();
    let first = Instance { bindings: bindings.into(), failing: Vec::new(), open: Vec::new() };
    let mut ways = vec![Way { step: 0, instance: first, skips }];
    let mut result = Instances::default();
    let mut asked = 0;
    while let Some(mut way) = ways.pop() {
        let Some(&place) = order.get(way.step) else {
            result.found.push(way.instance);
            if result.found.len() >= bounds.found {
                result.cut = true;
                break;
            }
            continue;
        };
        way.step += 1;
        if known.contains(&place) {
            way.instance.failing.push(place);
            ways.push(way);
            continue;
        }
        let literal = &body[place as usize];
        if waits(&body, literal, &way.instance) {
            way.instance.open.push(place);
            ways.push(way);
            continue;
        }
        asked += 1;
        if asked > bounds.asked {
            result.cut = true;
            break;
        }
        stop.check()?;
        let solutions = match reference.solutions(literal, &way.instance.bindings, stop) {
            Ok(solutions) => solutions,
            // Queried with fewer bindings than in the rules, a relation may be infinite, or leave
            // variables unbound.
            Err(Halt::Limit(_) | Halt::Rules(_)) if !way.instance.failing.is_empty() => {
                way.instance.open.push(place);
                ways.push(way);
                continue;
            }
            Err(halt) => return Err(halt),
        };
        let straight = way.instance.failing.iter().all(|place| known.contains(place));
        let further = result.furthest.as_ref().is_none_or(|furthest| furthest.0 < way.step);
        if solutions.is_empty() && straight && further {
            let mut instance = way.instance.clone();
            instance.failing.push(place);
            // Conditions that were not evaluated are unknown, unless they always fail.
            for &later in &order[way.step..] {
                let fails = known.contains(&later);
                (if fails { &mut instance.failing } else { &mut instance.open }).push(later);
            }
            result.furthest = Some((way.step, instance));
        }
        if way.skips > 0 {
            let mut skipping = way.clone();
            skipping.skips -= 1;
            skipping.instance.failing.push(place);
            ways.push(skipping);
        }
        for bindings in solutions.into_iter().rev() {
            let instance = Instance { bindings, ..way.instance.clone() };
            ways.push(Way { instance, ..way });
        }
    }
    Ok(result)
}

/// Whether a condition that binds nothing needs a variable that a failing one would have bound.
fn waits(body: &[Literal], literal: &Literal, instance: &Instance) -> bool {
    if literal.binds() || instance.failing.is_empty() {
        return false;
    }
    let mut waits = false;
    literal.goal.variables(&mut |variable| {
        waits |= instance.bindings[variable as usize] == UNBOUND
            && instance.failing.iter().chain(&instance.open).any(|&place| {
                let mut gives = false;
                body[place as usize].goal.variables(&mut |other| gives |= other == variable);
                gives
            });
    });
    waits
}

/// Conditions that fail for all values of the rule's other variables.
fn hopeless(
    reference: &mut Reference,
    rule: u32,
    bindings: &[TermId],
    stop: &Stop,
) -> Result<Vec<u32>, Halt> {
    let body: Vec<Literal> = reference.program().rules[rule as usize].body.clone();
    let mut found = Vec::new();
    for (place, literal) in body.iter().enumerate() {
        let mut ready = literal.binds();
        if !ready {
            // A filter can be evaluated only if nothing else in the rule would bind its variable.
            ready = true;
            literal.goal.variables(&mut |variable| {
                let given = |other: &Literal| {
                    let mut gives = false;
                    other.goal.variables(&mut |v| gives |= v == variable);
                    gives
                };
                let elsewhere = body.iter().enumerate().any(|(at, l)| at != place && given(l));
                ready &= bindings[variable as usize] != UNBOUND || !elsewhere;
            });
        }
        if !ready {
            continue;
        }
        match reference.solutions(literal, bindings, stop) {
            Ok(solutions) if solutions.is_empty() => found.push(place as u32),
            Ok(_) | Err(Halt::Limit(_) | Halt::Rules(_)) => {}
            Err(halt) => return Err(halt),
        }
    }
    Ok(found)
}

/// Whether the skipped conditions really fail. A skipped condition that would have bound a variable
/// for a waiting one may hold by itself; then the other one fails.
fn all_fail(
    reference: &mut Reference,
    rule: u32,
    instance: &Instance,
    known: &[u32],
    stop: &Stop,
) -> Result<bool, Halt> {
    if instance.open.is_empty() {
        return Ok(!instance.failing.is_empty());
    }
    for &place in instance.failing.iter().filter(|place| !known.contains(place)) {
        let literal = reference.program().rules[rule as usize].body[place as usize].clone();
        match reference.solutions(&literal, &instance.bindings, stop) {
            Ok(solutions) if solutions.is_empty() => {}
            Ok(_) | Err(Halt::Limit(_) | Halt::Rules(_)) => return Ok(false),
            Err(halt) => return Err(halt),
        }
    }
    Ok(!instance.failing.is_empty())
}

/// The nearest miss, if the position determines it.
///
/// In a game with one pile, `(true (pile ?pile))` has one value. That value explains more than
/// other piles for which the other conditions would hold, so it is used if some condition then
/// fails for all values of the remaining variables. Bindings that the rules determine take
/// precedence over bindings that the state determines: if the rules say which cell must be empty,
/// that cell is the reason.
fn forced_miss(
    reference: &mut Reference,
    rule: u32,
    bindings: &[TermId],
    known: &[u32],
    stop: &Stop,
) -> Result<Option<Instance>, Halt> {
    let body: Vec<Literal> = reference.program().rules[rule as usize].body.clone();
    let mut forced: Bindings = bindings.into();
    let mut of_state = false;
    // Every round binds a variable.
    for _ in 0..bindings.len() {
        if let Some(next) = one_value(reference, &body, &forced, true, stop)? {
            forced = next;
        } else if let Some(next) = one_value(reference, &body, &forced, false, stop)? {
            forced = next;
            of_state = true;
        } else {
            break;
        }
    }
    if !of_state {
        return Ok(None);
    }
    let failing = hopeless(reference, rule, &forced, stop)?;
    let state = |place: &u32| {
        let literal = &body[*place as usize];
        !literal.negated && matches!(literal.goal, Goal::Fluent(_))
    };
    // A missing fluent says more with the values that the other conditions give.
    if failing.len() <= known.len() || failing.iter().any(|p| !known.contains(p) && state(p)) {
        return Ok(None);
    }
    let all = 0..body.len() as u32;
    let is_open = |place: &u32| {
        let mut open = false;
        body[*place as usize].goal.variables(&mut |v| open |= forced[v as usize] == UNBOUND);
        open && !failing.contains(place)
    };
    let open = all.filter(is_open).collect();
    Ok(Some(Instance { bindings: forced, failing, open }))
}

/// The bindings with the values of the first condition that has exactly one solution: a relation
/// that never changes, or a fluent.
fn one_value(
    reference: &mut Reference,
    body: &[Literal],
    bindings: &[TermId],
    fixed: bool,
    stop: &Stop,
) -> Result<Option<Bindings>, Halt> {
    for literal in body.iter().filter(|literal| !literal.negated) {
        let wanted = match &literal.goal {
            Goal::Relation(atom) => {
                let info = &reference.program().relations[atom.relation.index()];
                fixed && info.depends == Depends::Nothing
            }
            Goal::Fluent(_) => !fixed,
            _ => false,
        };
        let mut unbound = false;
        literal.goal.variables(&mut |v| unbound |= bindings[v as usize] == UNBOUND);
        if !wanted || !unbound {
            continue;
        }
        match reference.solutions(literal, bindings, stop) {
            Ok(mut solutions) if solutions.len() == 1 => return Ok(solutions.pop()),
            Ok(_) | Err(Halt::Limit(_) | Halt::Rules(_)) => {}
            Err(halt) => return Err(halt),
        }
    }
    Ok(None)
}

/// The maximum number of failing conditions in a nearest miss, besides those that fail in all
/// instances.
const FAILING: usize = 2;

/// Whether the head of a rule may match a call without being an instance of it: `(p ?x ?x)` and
/// `(p (f ?x))` require more than the values of single arguments show.
fn is_loose(args: &[Pattern]) -> bool {
    let mut seen = Vec::new();
    let mut again = false;
    for arg in args {
        arg.variables(&mut |variable| {
            again |= seen.contains(&variable);
            seen.push(variable);
        });
    }
    again || args.iter().any(|arg| matches!(arg, Pattern::Compound(..)))
}

/// The instances of a rule that come nearest to deriving an atom: those with the fewest failing
/// conditions. If none fails, the rule derives a similar atom.
pub(super) fn nearest_misses(
    reference: &mut Reference,
    rule: u32,
    bindings: &[TermId],
    args: &[Pattern],
    bounds: Bounds,
    stop: &Stop,
) -> Result<Instances, Halt> {
    let known = hopeless(reference, rule, bindings, stop)?;
    if let Some(instance) = forced_miss(reference, rule, bindings, &known, stop)? {
        return Ok(Instances { found: vec![instance], ..Instances::default() });
    }
    if known.is_empty() && is_loose(args) {
        let result = instances(reference, rule, bindings, &[], 0, bounds, stop)?;
        if !result.found.is_empty() {
            return Ok(result);
        }
    }
    let mut furthest = None;
    for skips in usize::from(known.is_empty())..=FAILING {
        let mut result = instances(reference, rule, bindings, &known, skips, bounds, stop)?;
        let mut misses = Vec::with_capacity(result.found.len());
        for instance in std::mem::take(&mut result.found) {
            if all_fail(reference, rule, &instance, &known, stop)? {
                misses.push(instance);
            }
        }
        result.found = misses;
        if !result.found.is_empty() {
            return Ok(result);
        }
        furthest = furthest.or(result.furthest.take());
    }
    let instance = match furthest {
        Some((_, instance)) if !instance.failing.is_empty() => instance,
        _ => {
            let all = 0..reference.program().rules[rule as usize].body.len() as u32;
            let open = all.filter(|place| !known.contains(place)).collect();
            Instance { bindings: bindings.into(), failing: known, open }
        }
    };
    Ok(Instances { found: vec![instance], cut: true, furthest: None })
}
