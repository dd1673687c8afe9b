//! Splits rules whose variables have at most one value in every reachable state.
//!
//! If every cell holds at most one number, a rule that reads nine cells and asks for something of
//! each number need not be joined over all nine at once: for given cells the numbers are
//! determined, so every condition can be asked separately. Conditions on many such variables are
//! replaced by the definitions of their relations first.

use rustc_hash::{FxHashMap, FxHashSet};

use super::rewrite::{is_plain, substitute};
use super::rules::{Condition, FLUENTS, Kind, Rule, RuleSet, TableId, collect, variables_of};
use crate::program::Pattern;
use crate::term::Symbol;

/// Conditions on at least this many determined variables are replaced by definitions, and rules
/// with at least this many are split.
const MANY: usize = 3;

/// The maximum number of rules that splitting may create.
const RULES: usize = 50_000;

/// Fluents with an argument that the other arguments determine: a reachable state contains at most
/// one of the fluents that differ only in this argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Functional {
    /// The name of the fluents.
    pub symbol: Symbol,
    /// Their number of arguments.
    pub arity: usize,
    /// The place of the argument.
    pub place: usize,
}

/// Splits all rules that can be split.
pub(super) fn split(set: &mut RuleSet, functional: &[Functional]) {
    let known: FxHashSet<Functional> = functional.iter().copied().collect();
    let mut definitions: FxHashMap<TableId, Vec<Rule>> = FxHashMap::default();
    for rule in &set.rules {
        definitions.entry(rule.head).or_default().push(rule.clone());
    }
    for (table, _) in &set.facts {
        definitions.remove(table);
    }
    definitions.retain(|&table, rules| rules.iter().all(|rule| is_plain(rule, table)));
    let mut queue = std::mem::take(&mut set.rules);
    queue.reverse();
    let mut parts: FxHashMap<(Vec<Condition>, Box<[Pattern]>), TableId> = FxHashMap::default();
    while let Some(rule) = queue.pop() {
        let division = (queue.len() + set.rules.len() < RULES)
            .then(|| Division::of(&rule, set, &known))
            .flatten();
        let Some(division) = division else {
            set.rules.push(rule);
            continue;
        };
        if let [part] = &division.parts[..] {
            // A single condition cannot be divided, but perhaps its definitions can.
            match definitions_of(&rule, part.place, part.wide, &definitions) {
                Some(variants) => queue.extend(variants),
                None => set.rules.push(rule),
            }
            continue;
        }
        let mut body = division.kept;
        for part in division.parts {
            let key = (part.body.clone(), part.columns.clone());
            let table = *parts.entry(key).or_insert_with(|| {
                let table = set.new_table(part.columns.len(), Kind::Dynamic, Some(rule.head));
                let args = part.columns.clone();
                queue.push(Rule { head: table, args, body: part.body, ..rule.clone() });
                table
            });
            body.push(Condition::In(table, part.columns));
        }
        set.rules.push(Rule { body, ..rule });
    }
}

/// A rule with a condition on many variables replaced by each of the definitions of its relation.
fn definitions_of(
    rule: &Rule,
    place: usize,
    wide: bool,
    definitions: &FxHashMap<TableId, Vec<Rule>>,
) -> Option<Vec<Rule>> {
    let Condition::In(table, given) = &rule.body[place] else { return None };
    let all = definitions.get(table).filter(|_| wide)?;
    Some(all.iter().map(|one| substitute(rule, place, given, one)).collect())
}

/// A rule as a conjunction of conditions that can be asked separately.
struct Division {
    /// The conditions without determined variables, and the fluents whose values nothing asks for.
    kept: Vec<Condition>,
    parts: Vec<Part>,
}

/// A condition, after the fluents that determine its variables.
struct Part {
    /// The place of the condition in the rule.
    place: usize,
    columns: Box<[Pattern]>,
    body: Vec<Condition>,
    /// Whether it has many determined variables.
    wide: bool,
}

impl Division {
    /// The division of a rule; `None` if it would not help or is not possible.
    fn of(rule: &Rule, set: &RuleSet, known: &FxHashSet<Functional>) -> Option<Self> {
        let computes = |c: &Condition| matches!(c, Condition::Builtin(..));
        if set.kind(rule.head) != Kind::Dynamic || rule.body.iter().any(computes) {
            return None;
        }
        let (outer, sources) = given(rule, set, known)?;
        if sources.len() < MANY {
            return None;
        }
        let is_source: FxHashSet<usize> = sources.values().copied().collect();
        let (mut kept, mut parts, mut used) = (Vec::new(), Vec::new(), FxHashSet::default());
        for (place, condition) in rule.body.iter().enumerate() {
            if is_source.contains(&place) {
                continue;
            }
            let inner: Vec<u32> =
                condition.variables().into_iter().filter(|v| sources.contains_key(v)).collect();
            if inner.is_empty() {
                kept.push(condition.clone());
                continue;
            }
            let needed = needed(rule, &inner, &sources);
            used.extend(needed.iter().copied());
            let mut body: Vec<Condition> = needed.iter().map(|&at| rule.body[at].clone()).collect();
            let mut bound = Vec::new();
            let positive = |c: &&Condition| c.is_positive();
            let binding = body.iter().chain(Some(condition)).filter(positive);
            binding.for_each(|c| c.patterns(&mut |p| collect(p, &mut bound)));
            body.push(condition.clone());
            let mut columns: Vec<u32> = body.iter().flat_map(Condition::variables).collect();
            columns.retain(|v| outer.contains(v));
            columns.sort_unstable();
            columns.dedup();
            if !columns.iter().all(|v| bound.contains(v)) {
                return None;
            }
            // Static relations of the columns keep the new relation small.
            let about = |c: &&Condition| {
                let variables = c.variables();
                let inside = variables.iter().all(|v| columns.contains(v));
                c.is_positive() && set.is_static(c) && !variables.is_empty() && inside
            };
            body.splice(0..0, rule.body.iter().filter(about).cloned());
            let columns = columns.into_iter().map(Pattern::Variable).collect();
            parts.push(Part { place, columns, body, wide: inner.len() >= MANY });
        }
        let mut unused: Vec<usize> =
            is_source.into_iter().filter(|at| !used.contains(at)).collect();
        unused.sort_unstable();
        kept.extend(unused.into_iter().map(|at| rule.body[at].clone()));
        Some(Division { kept, parts })
    }
}

/// The variables of the head and of static relations, and the variables that fluents determine for
/// given values of those, each with the place of such a fluent; `None` if others are left. Static
/// relations with few such variables come first, because those with many may ask for values that
/// fluents determine.
fn given(
    rule: &Rule,
    set: &RuleSet,
    known: &FxHashSet<Functional>,
) -> Option<(Vec<u32>, FxHashMap<u32, usize>)> {
    let mut outer = variables_of(&rule.args);
    loop {
        let sources = determine(rule, &outer, known);
        let open = |condition: &Condition| -> Vec<u32> {
            let given = |v: &u32| outer.contains(v) || sources.contains_key(v);
            condition.variables().into_iter().filter(|v| !given(v)).collect()
        };
        if rule.body.iter().all(|condition| open(condition).is_empty()) {
            return Some((outer, sources));
        }
        let statics = rule.body.iter().filter(|c| c.is_positive() && set.is_static(c));
        let next = statics.map(open).filter(|open| !open.is_empty()).min_by_key(Vec::len)?;
        outer.extend(next);
    }
}

/// The variables that fluents determine for given variables, each with the place of such a fluent.
fn determine(rule: &Rule, outer: &[u32], known: &FxHashSet<Functional>) -> FxHashMap<u32, usize> {
    let mut sources: FxHashMap<u32, usize> = FxHashMap::default();
    loop {
        let before = sources.len();
        for (at, condition) in rule.body.iter().enumerate() {
            let Condition::In(FLUENTS, args) = condition else { continue };
            let [Pattern::Compound(symbol, args)] = &args[..] else { continue };
            for (place, arg) in args.iter().enumerate() {
                let Pattern::Variable(variable) = arg else { continue };
                let functional = Functional { symbol: *symbol, arity: args.len(), place };
                let mut others = Vec::new();
                for (other, pattern) in args.iter().enumerate() {
                    if other != place {
                        collect(pattern, &mut others);
                    }
                }
                let given =
                    |v: &u32| v != variable && (outer.contains(v) || sources.contains_key(v));
                if known.contains(&functional)
                    && !outer.contains(variable)
                    && !sources.contains_key(variable)
                    && others.iter().all(given)
                {
                    sources.insert(*variable, at);
                }
            }
        }
        if sources.len() == before {
            return sources;
        }
    }
}

/// The fluents that determine these variables, with those that determine their other arguments.
fn needed(rule: &Rule, variables: &[u32], sources: &FxHashMap<u32, usize>) -> Vec<usize> {
    let mut all: Vec<usize> = Vec::new();
    let mut queue = variables.to_vec();
    while let Some(variable) = queue.pop() {
        let Some(&at) = sources.get(&variable) else { continue };
        if !all.contains(&at) {
            all.push(at);
            queue.extend(rule.body[at].variables());
        }
    }
    all.sort_unstable();
    all
}
