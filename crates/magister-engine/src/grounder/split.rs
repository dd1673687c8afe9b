//! Splits rules with needlessly large joins.
//!
//! A variable that is not in the head matters only to the conditions that contain it. These
//! conditions become a separate relation over the variables that they share with the rest of the
//! rule. The rest is then joined once for each tuple of that relation instead of once for each
//! value of the variable. This turns products into sums, which badly written rules need.
//! Eliminating the variables one by one, those with the fewest neighbours first, follows a tree
//! decomposition of the rule.

use super::rules::{Condition, Kind, Rule, RuleSet, TableId, variables_of};
use crate::program::Pattern;

/// The maximum number of conditions of a rule that is split. Real rules are shorter, and splitting
/// takes time.
const LONGEST: usize = 100;

/// Splits every rule from number `first` on, if that helps.
pub(super) fn split(set: &mut RuleSet, first: usize) {
    let mut queue = set.rules.split_off(first);
    queue.reverse();
    while let Some(mut rule) = queue.pop() {
        while let Some(part) = Part::find(&rule) {
            queue.push(part.take(&mut rule, set));
        }
        set.rules.push(rule);
    }
}

/// The maximum number of variables that are joined at once when a rule is fully split.
pub(super) fn width(rule: &Rule) -> usize {
    let mut rule = rule.clone();
    let mut width = 0;
    while let Some(part) = Part::find(&rule) {
        width = width.max(part.bag.len());
        let columns = part.columns();
        let mut place = 0;
        rule.body.retain(|_| {
            place += 1;
            !part.conditions.contains(&(place - 1))
        });
        // Only the variables matter here, not the table.
        rule.body.push(Condition::In(rule.head, columns));
    }
    let mut rest = variables_of(&rule.args);
    for condition in &rule.body {
        rest.extend(condition.variables());
    }
    rest.sort_unstable();
    rest.dedup();
    width.max(rest.len())
}

/// The part of a rule that contains one variable.
struct Part {
    /// Its conditions.
    conditions: Vec<usize>,
    /// All its variables.
    bag: Vec<u32>,
    /// Those of its variables that occur elsewhere.
    shared: Vec<u32>,
    /// Those of its variables that no positive condition of the part binds.
    open: Vec<u32>,
}

impl Part {
    /// The best part to extract from a rule, if one makes the rule smaller.
    fn find(rule: &Rule) -> Option<Part> {
        // The output of a builtin is bound in no other way, so rules with such a builtin are not
        // split.
        let computes = rule.body.iter().any(|c| matches!(c, Condition::Builtin(..)));
        if computes || rule.body.len() > LONGEST {
            return None;
        }
        let body: Vec<Vec<u32>> = rule.body.iter().map(Condition::variables).collect();
        let head = variables_of(&rule.args);
        let mut all: Vec<u32> = body.iter().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        if all.len() < 3 {
            return None;
        }
        all.iter()
            .filter(|v| !head.contains(v))
            .filter_map(|&v| Part::of(v, rule, &body, &head))
            .filter(|part| part.bag.len() < all.len())
            .min_by_key(|part| (part.bag.len(), part.open.len(), part.conditions.len()))
    }

    /// The part with a variable, if the rest is valid without it.
    fn of(v: u32, rule: &Rule, body: &[Vec<u32>], head: &[u32]) -> Option<Part> {
        let conditions: Vec<usize> = (0..body.len()).filter(|&c| body[c].contains(&v)).collect();
        let positive = |c: &usize| rule.body[*c].is_positive();
        let mut bag: Vec<u32> = conditions.iter().flat_map(|&c| body[c].clone()).collect();
        bag.sort_unstable();
        bag.dedup();
        let bound =
            |w: &u32| conditions.iter().filter(|c| positive(c)).any(|&c| body[c].contains(w));
        let open: Vec<u32> = bag.iter().copied().filter(|w| !bound(w)).collect();
        let rest: Vec<usize> = (0..body.len()).filter(|c| !conditions.contains(c)).collect();
        let shared: Vec<u32> = bag
            .iter()
            .copied()
            .filter(|w| head.contains(w) || rest.iter().any(|&c| body[c].contains(w)))
            .collect();
        // The rest must bind the open variables.
        let stands = rest.iter().any(positive)
            && open.iter().all(|w| rest.iter().any(|c| positive(c) && body[*c].contains(w)));
        (stands && !open.contains(&v)).then_some(Part { conditions, bag, shared, open })
    }

    fn columns(&self) -> Box<[Pattern]> {
        self.shared.iter().map(|&v| Pattern::Variable(v)).collect()
    }

    /// Extracts the part from a rule: returns the rule of the new relation.
    fn take(self, rule: &mut Rule, set: &mut RuleSet) -> Rule {
        let columns = self.columns();
        let mut taken = Vec::new();
        let mut kept = Vec::new();
        for (c, condition) in rule.body.drain(..).enumerate() {
            if self.conditions.contains(&c) {
                taken.push(condition);
            } else {
                kept.push(condition);
            }
        }
        taken.extend(bind(&self.open, &kept, rule, set));
        let kind = if set.kind(rule.head) == Kind::Guard {
            Kind::Guard
        } else if taken.iter().all(|c| set.is_static(c)) {
            Kind::Static
        } else {
            Kind::Dynamic
        };
        let made = set.new_table(self.shared.len(), kind, Some(rule.head));
        kept.push(Condition::In(made, columns.clone()));
        rule.body = kept;
        Rule { head: made, args: columns, body: taken, ..*rule }
    }
}

/// Conditions that bind variables to all values that `conditions` may give them: copies of static
/// conditions if those have no other variables, otherwise guards.
fn bind(open: &[u32], conditions: &[Condition], rule: &Rule, set: &mut RuleSet) -> Vec<Condition> {
    let mut binding = Vec::new();
    let mut left: Vec<u32> = open.to_vec();
    for condition in conditions.iter().filter(|c| c.is_positive() && set.is_static(c)) {
        let variables = condition.variables();
        if variables.iter().all(|v| open.contains(v)) && variables.iter().any(|v| left.contains(v))
        {
            left.retain(|v| !variables.contains(v));
            binding.push(condition.clone());
        }
    }
    while let Some(best) = conditions
        .iter()
        .filter(|c| c.is_positive())
        .max_by_key(|c| c.variables().iter().filter(|v| left.contains(v)).count())
        .filter(|_| !left.is_empty())
    {
        let variables = best.variables();
        let covered: Vec<u32> = left.iter().copied().filter(|v| variables.contains(v)).collect();
        if covered.is_empty() {
            break;
        }
        left.retain(|v| !covered.contains(v));
        let columns: Box<[Pattern]> = covered.iter().map(|&v| Pattern::Variable(v)).collect();
        let guard = guard(columns.clone(), vec![best.clone()], rule, set);
        binding.push(Condition::In(guard, columns));
    }
    binding
}

/// A guard with these columns for all tuples that satisfy these conditions. If all conditions are
/// static, the guard is exact.
fn guard(columns: Box<[Pattern]>, body: Vec<Condition>, rule: &Rule, set: &mut RuleSet) -> TableId {
    let kind = if body.iter().all(|c| set.is_static(c)) { Kind::Static } else { Kind::Guard };
    let head = set.new_table(columns.len(), kind, Some(rule.head));
    set.rules.push(Rule { head, args: columns, body, ..*rule });
    head
}
