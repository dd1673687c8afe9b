//! The estimated costs of joins.

use super::plan::{Source, parts};
use super::rules::{Condition, Rule};
use super::table::{Path, Table};
use crate::program::Pattern;
use crate::term::Terms;

/// The maximum number of conditions for which all orders are compared, by dynamic programming over
/// subsets.
const EXHAUSTIVE: usize = 8;

/// An order with fewer visited rows is not worth improving.
const CHEAP: f64 = 1000.0;

/// The data of a positive condition for its cost.
struct Weight {
    place: usize,
    variables: Vec<u32>,
    rows: f64,
    /// For each part that is a constant or a variable: the variable, if any, and the selectivity of
    /// a value.
    shares: Vec<(Option<u32>, f64)>,
}

impl Weight {
    fn new(rule: &Rule, place: usize, tables: &mut [Table], terms: &Terms) -> Option<Weight> {
        let Condition::In(table, args) = &rule.body[place] else { return None };
        let variables = rule.body[place].variables();
        let everything = vec![true; rule.variables as usize];
        let nothing = vec![false; rule.variables as usize];
        let table = &mut tables[table.index()];
        let (mut functors, mut keys, mut key) = (Vec::new(), Vec::new(), Vec::new());
        for (column, arg) in args.iter().enumerate() {
            // The required functors, regardless of bindings; then every part by itself.
            parts(
                arg,
                vec![column as u8],
                &nothing,
                &mut functors,
                &mut Vec::new(),
                &mut Vec::new(),
            );
            leaves(arg, vec![column as u8], &everything, &mut keys, &mut key);
        }
        let mut rows = f64::from(table.len());
        let mut shares = Vec::new();
        for (path, source) in keys.iter().zip(&key) {
            let (fitting, values) = table.spread(&functors, path, terms);
            rows = f64::from(fitting);
            let variable = if let Source::Variable(v) = source { Some(*v) } else { None };
            shares.push((variable, 1.0 / (values.max(1) as f64)));
        }
        Some(Weight { place, variables, rows, shares })
    }

    /// The expected number of matching rows when these variables are bound. Parts are seldom
    /// independent, so each further part counts less.
    fn matches(&self, bound: &[bool]) -> f64 {
        let known = |v: &Option<u32>| v.is_none_or(|v| bound[v as usize]);
        let mut shares: Vec<f64> =
            self.shares.iter().filter(|(v, _)| known(v)).map(|(_, share)| *share).collect();
        shares.sort_by(f64::total_cmp);
        let mut matches = self.rows;
        let mut weight = 1.0;
        for share in shares {
            matches *= share.powf(weight);
            weight *= 0.7;
        }
        if self.variables.iter().all(|&v| bound[v as usize]) { matches.min(1.0) } else { matches }
    }

    fn bind(&self, bound: &mut [bool]) {
        self.variables.iter().for_each(|&v| bound[v as usize] = true);
    }
}

/// The parts of a pattern, one by one.
fn leaves(
    pattern: &Pattern,
    path: Vec<u8>,
    bound: &[bool],
    keys: &mut Vec<Path>,
    key: &mut Vec<Source>,
) {
    if let Pattern::Compound(_, args) = pattern {
        for (at, arg) in args.iter().enumerate() {
            let mut deeper = path.clone();
            deeper.push(at as u8);
            leaves(arg, deeper, bound, keys, key);
        }
    } else {
        parts(pattern, path, bound, &mut Vec::new(), keys, key);
    }
}

/// The order in which positive conditions are joined. The condition with new rows, if any, comes
/// first.
pub(super) fn order(
    rule: &Rule,
    newest: Option<usize>,
    tables: &mut [Table],
    terms: &Terms,
) -> Vec<usize> {
    let mut bound = vec![false; rule.variables as usize];
    let mut order = Vec::new();
    let mut weights: Vec<Weight> =
        (0..rule.body.len()).filter_map(|place| Weight::new(rule, place, tables, terms)).collect();
    if let Some(first) = weights.iter().position(|w| Some(w.place) == newest) {
        let first = weights.remove(first);
        first.bind(&mut bound);
        order.push(first.place);
    }
    let (greedy, cost) = greedy(&weights, &bound);
    // With more conditions, the cheapest next one is taken repeatedly.
    let decided =
        if cost < CHEAP { weights.len() } else { weights.len().saturating_sub(EXHAUSTIVE) };
    for &next in &greedy[..decided] {
        weights[next].bind(&mut bound);
        order.push(weights[next].place);
    }
    let rest: Vec<&Weight> = greedy[decided..].iter().map(|&next| &weights[next]).collect();
    order.extend(exhaustive(&rest, &bound));
    order
}

/// A greedy order, in which the next condition is the one with the fewest expected matches, and its
/// total cost.
fn greedy(weights: &[Weight], bound: &[bool]) -> (Vec<usize>, f64) {
    let mut bound = bound.to_vec();
    let mut left: Vec<usize> = (0..weights.len()).collect();
    let mut order = Vec::new();
    let (mut cost, mut rows) = (0.0, 1.0);
    while !left.is_empty() {
        let matches: Vec<f64> = left.iter().map(|&w| weights[w].matches(&bound)).collect();
        let best = (0..left.len()).min_by(|&a, &b| matches[a].total_cmp(&matches[b])).unwrap_or(0);
        let next = left.remove(best);
        cost += rows * (matches[best] + 0.5);
        rows *= matches[best];
        weights[next].bind(&mut bound);
        order.push(next);
    }
    (order, cost)
}

/// The cheapest order of all.
fn exhaustive(weights: &[&Weight], bound: &[bool]) -> Vec<usize> {
    /// The best join of a set: visited rows, expected rows, and the last condition.
    #[derive(Clone, Copy)]
    struct Best {
        cost: f64,
        rows: f64,
        last: usize,
    }
    let all = 1usize << weights.len();
    let mut best: Vec<Option<Best>> = vec![None; all];
    best[0] = Some(Best { cost: 0.0, rows: 1.0, last: 0 });
    for set in 0..all {
        let Some(here) = best[set] else { continue };
        let mut known = bound.to_vec();
        let members = (0..weights.len()).filter(|w| set >> w & 1 == 1);
        members.for_each(|w| weights[w].bind(&mut known));
        for (last, weight) in weights.iter().enumerate().filter(|(w, _)| set >> w & 1 == 0) {
            let matches = weight.matches(&known);
            // A lookup without a result has a cost too.
            let cost = here.cost + here.rows * (matches + 0.5);
            let next = &mut best[set | 1 << last];
            if next.is_none_or(|n| cost < n.cost) {
                *next = Some(Best { cost, rows: here.rows * matches, last });
            }
        }
    }
    let mut order = Vec::new();
    let mut set = all - 1;
    while set != 0 {
        let Some(Best { last, .. }) = best[set] else { break };
        order.push(weights[last].place);
        set &= !(1 << last);
    }
    order.reverse();
    order
}
