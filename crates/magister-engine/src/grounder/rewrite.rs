//! Rewrites rules so that they can be split better.
//!
//! Rules that differ in only one condition, as after the expansion of a disjunction, become one
//! rule again, with a relation for the difference. A static relation that connects variables is
//! replaced by its definition if the variables can then be joined separately: two squares differ if
//! their columns or their rows differ.

use rustc_hash::FxHashMap;

use super::rules::{Condition, Kind, Rule, RuleSet, TableId, variables_of};
use super::split::width;
use crate::program::Pattern;

/// The maximum number of definitions of an unfolded relation.
const DEFINITIONS: usize = 8;

/// The maximum number of rules that one rule may be replaced by.
const VARIANTS: usize = 64;

/// Removes duplicate conditions.
pub(super) fn deduplicate(set: &mut RuleSet) {
    for rule in &mut set.rules {
        let mut place = 0;
        while place < rule.body.len() {
            if rule.body[..place].contains(&rule.body[place]) {
                rule.body.remove(place);
            } else {
                place += 1;
            }
        }
    }
}

/// Merges rules that differ in one condition.
pub(super) fn merge(set: &mut RuleSet) {
    let rules = std::mem::take(&mut set.rules);
    let mut groups: FxHashMap<(TableId, u32), usize> = FxHashMap::default();
    let mut families: Vec<Vec<Rule>> = Vec::new();
    for rule in rules {
        let family = *groups.entry((rule.head, rule.line)).or_insert_with(|| {
            families.push(Vec::new());
            families.len() - 1
        });
        families[family].push(rule);
    }
    for mut family in families {
        while !family.is_empty() {
            let first = family.remove(0);
            merge_into(first, &mut family, set);
        }
    }
}

/// Merges all rules of a family that differ from a rule in the same one condition.
fn merge_into(mut rule: Rule, family: &mut Vec<Rule>, set: &mut RuleSet) {
    for place in 0..rule.body.len() {
        let alike: Vec<Vec<u32>> = family
            .iter()
            .map(|other| differs_in(&rule, other, place).unwrap_or_default())
            .collect();
        let ours = outside(&rule, place);
        let count = alike.iter().filter(|a| !a.is_empty()).count();
        if ours.is_empty() || count == 0 {
            continue;
        }
        let columns = |of: &[u32]| of.iter().map(|&v| Pattern::Variable(v)).collect::<Box<[_]>>();
        let mut members = vec![(rule.clone(), ours.clone())];
        for number in (0..family.len()).rev() {
            if !alike[number].is_empty() {
                members.push((family.remove(number), alike[number].clone()));
            }
        }
        let is_static = members.iter().all(|(r, _)| set.is_static(&r.body[place]));
        let kind = if is_static { Kind::Static } else { Kind::Dynamic };
        let made = set.new_table(ours.len(), kind, Some(rule.head));
        for (member, variables) in members {
            let body = vec![member.body[place].clone()];
            set.rules.push(Rule { head: made, args: columns(&variables), body, ..member });
        }
        rule.body[place] = Condition::In(made, columns(&ours));
    }
    set.rules.push(rule);
}

/// The variables of a condition that occur in the rest of the rule, in order.
fn outside(rule: &Rule, place: usize) -> Vec<u32> {
    let mut rest = variables_of(&rule.args);
    for (at, condition) in rule.body.iter().enumerate() {
        if at != place {
            rest.extend(condition.variables());
        }
    }
    let mut shared = rule.body[place].variables();
    shared.retain(|v| rest.contains(v));
    shared.sort_unstable();
    shared
}

/// If `other` equals `rule` except for the positive condition at `place`: the variables there that
/// correspond to the [`outside`] ones of `rule`.
fn differs_in(rule: &Rule, other: &Rule, place: usize) -> Option<Vec<u32>> {
    if rule.body.len() != other.body.len()
        || !rule.body[place].is_positive()
        || !other.body[place].is_positive()
    {
        return None;
    }
    let mut names = Names::default();
    let mut same = names.all(&rule.args, &other.args);
    for (at, (a, b)) in rule.body.iter().zip(&other.body).enumerate() {
        same &= at == place || names.condition(a, b);
    }
    if !same {
        return None;
    }
    let ours = outside(rule, place);
    let theirs: Vec<u32> = ours.iter().filter_map(|v| names.there.get(v).copied()).collect();
    let mut sorted = theirs.clone();
    sorted.sort_unstable();
    (theirs.len() == ours.len() && sorted == outside(other, place)).then_some(theirs)
}

/// The correspondence between the variables of two rules.
#[derive(Default)]
struct Names {
    there: FxHashMap<u32, u32>,
    here: FxHashMap<u32, u32>,
}

impl Names {
    fn pattern(&mut self, a: &Pattern, b: &Pattern) -> bool {
        match (a, b) {
            (Pattern::Variable(a), Pattern::Variable(b)) => {
                *self.there.entry(*a).or_insert(*b) == *b
                    && *self.here.entry(*b).or_insert(*a) == *a
            }
            (Pattern::Compound(f, xs), Pattern::Compound(g, ys)) => f == g && self.all(xs, ys),
            (a, b) => a == b,
        }
    }

    fn all(&mut self, a: &[Pattern], b: &[Pattern]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.pattern(a, b))
    }

    fn condition(&mut self, a: &Condition, b: &Condition) -> bool {
        match (a, b) {
            (Condition::In(t, xs), Condition::In(u, ys))
            | (Condition::NotIn(t, xs), Condition::NotIn(u, ys)) => t == u && self.all(xs, ys),
            (Condition::Differ(a, other, x), Condition::Differ(b, another, y)) => {
                x == y && self.pattern(a, b) && self.pattern(other, another)
            }
            _ => false,
        }
    }
}

/// Replaces static relations by their definitions if that makes rules narrower.
pub(super) fn unfold(set: &mut RuleSet) {
    let queue = std::mem::take(&mut set.rules);
    let mut definitions: FxHashMap<TableId, Vec<Rule>> = FxHashMap::default();
    for rule in queue.iter().filter(|r| set.kind(r.head) == Kind::Static) {
        definitions.entry(rule.head).or_default().push(rule.clone());
    }
    for (table, _) in &set.facts {
        definitions.remove(table);
    }
    definitions.retain(|&table, rules| {
        rules.len() <= DEFINITIONS && rules.iter().all(|r| is_plain(r, table))
    });
    let mut queue: Vec<(Rule, usize)> = queue.into_iter().rev().map(|r| (r, VARIANTS)).collect();
    while let Some((rule, room)) = queue.pop() {
        let variants = match set.kind(rule.head) {
            Kind::Static => None,
            _ => unfold_once(&rule, &definitions).filter(|v| v.len() <= room),
        };
        match variants {
            Some(variants) => {
                let share = room / variants.len().max(1);
                queue.extend(variants.into_iter().map(|v| (v, share)));
            }
            None => set.rules.push(rule),
        }
    }
}

/// Whether a definition can replace an atom: variables in the head, no recursion.
pub(super) fn is_plain(rule: &Rule, table: TableId) -> bool {
    let all_variables = rule.args.iter().all(|a| matches!(a, Pattern::Variable(_)));
    all_variables
        && variables_of(&rule.args).len() == rule.args.len()
        && rule.body.iter().all(|c| c.table() != Some(table))
}

fn unfold_once(rule: &Rule, definitions: &FxHashMap<TableId, Vec<Rule>>) -> Option<Vec<Rule>> {
    let before = width(rule);
    (0..rule.body.len()).find_map(|place| {
        let Condition::In(table, given) = &rule.body[place] else { return None };
        let variants: Vec<Rule> = definitions
            .get(table)?
            .iter()
            .map(|definition| substitute(rule, place, given, definition))
            .collect();
        variants.iter().all(|v| width(v) < before).then_some(variants)
    })
}

/// A rule with the condition at `place` replaced by a definition of its relation.
pub(super) fn substitute(rule: &Rule, place: usize, given: &[Pattern], definition: &Rule) -> Rule {
    let mut values: FxHashMap<u32, Pattern> = FxHashMap::default();
    for (arg, value) in definition.args.iter().zip(given) {
        if let Pattern::Variable(v) = arg {
            values.insert(*v, value.clone());
        }
    }
    let mut made = rule.clone();
    made.body.remove(place);
    for condition in &definition.body {
        let mut replace = |patterns: &[Pattern]| -> Box<[Pattern]> {
            patterns.iter().map(|p| replaced(p, &mut values, &mut made.variables)).collect()
        };
        made.body.push(match condition {
            Condition::In(table, args) => Condition::In(*table, replace(args)),
            Condition::NotIn(table, args) => Condition::NotIn(*table, replace(args)),
            Condition::Differ(a, b, differ) => {
                let sides = replace(&[a.clone(), b.clone()]);
                Condition::Differ(sides[0].clone(), sides[1].clone(), *differ)
            }
            Condition::Builtin(name, args, holds) => {
                Condition::Builtin(name, replace(args), *holds)
            }
        });
    }
    made
}

fn replaced(pattern: &Pattern, values: &mut FxHashMap<u32, Pattern>, count: &mut u32) -> Pattern {
    match pattern {
        Pattern::Ground(term) => Pattern::Ground(*term),
        Pattern::Variable(v) => values
            .entry(*v)
            .or_insert_with(|| {
                *count += 1;
                Pattern::Variable(*count - 1)
            })
            .clone(),
        Pattern::Compound(symbol, args) => {
            Pattern::Compound(*symbol, args.iter().map(|a| replaced(a, values, count)).collect())
        }
    }
}
