//! Tables of calls and their answers so far.

use rustc_hash::{FxHashMap, FxHashSet};

use super::bind::{UNBOUND, known, value};
use crate::program::{Depends, Pattern, Relation};
use crate::term::{TermId, Terms};

/// One path through the body of a rule. The values of the rule's variables are stored separately.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    /// The table that its answers go to.
    pub(super) table: TableId,
    pub(super) rule: u32,
    pub(super) plan: u32,
    /// The next step of the plan.
    pub(super) step: u32,
}

/// A task that waits for answers.
#[derive(Clone, Debug)]
pub(super) struct Consumer {
    pub(super) task: Task,
    pub(super) bindings: Box<[TermId]>,
}

/// All answers to one call.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) relation: Relation,
    /// The arguments of the call, with variables numbered in order of occurrence.
    pub(super) call: Box<[Pattern]>,
    /// The number of those variables.
    pub(super) variables: usize,
    pub(super) answers: Vec<TermId>,
    seen: FxHashSet<TermId>,
    pub(super) consumers: Vec<Consumer>,
    pub(super) complete: bool,
}

/// Up to this number, answers are compared one by one; a hash set would cost more.
const FEW: usize = 8;

impl Table {
    pub(super) fn new(relation: Relation, call: Box<[Pattern]>, variables: usize) -> Self {
        Table {
            relation,
            call,
            variables,
            answers: Vec::new(),
            seen: FxHashSet::default(),
            consumers: Vec::new(),
            complete: false,
        }
    }

    /// Whether no more answers are possible: a call without variables has at most one.
    pub(super) fn satisfied(&self) -> bool {
        self.variables == 0 && !self.answers.is_empty()
    }

    /// Adds an answer; returns false if it was known.
    pub(super) fn insert(&mut self, answer: TermId) -> bool {
        if self.answers.len() < FEW {
            if self.answers.contains(&answer) {
                return false;
            }
        } else {
            if self.seen.is_empty() {
                self.seen.extend(&self.answers);
            }
            if !self.seen.insert(answer) {
                return false;
            }
        }
        self.answers.push(answer);
        true
    }
}

/// A table: its dependencies, which determine its lifetime, and its number among the tables with
/// the same dependencies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TableId {
    pub(super) depends: Depends,
    pub(super) number: u32,
}

/// The tables with the same lifetime.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    pub(super) index: FxHashMap<Box<[u32]>, u32>,
    pub(super) list: Vec<Table>,
}

impl Tables {
    pub(super) fn clear(&mut self) {
        self.index.clear();
        self.list.clear();
    }
}

const VARIABLE: u32 = 1 << 31;
const COMPOUND: u32 = 3 << 30;

/// Writes a pattern under bindings as numbers, equal for calls that differ only in the names of
/// variables. `seen` contains the unbound variables so far.
pub(super) fn encode(
    pattern: &Pattern,
    bindings: &[TermId],
    terms: &mut Terms,
    seen: &mut Vec<u32>,
    out: &mut Vec<u32>,
) {
    match pattern {
        Pattern::Ground(term) => out.push(term.0),
        Pattern::Variable(variable) => match bindings[*variable as usize] {
            UNBOUND => {
                let number = seen.iter().position(|v| v == variable).unwrap_or_else(|| {
                    seen.push(*variable);
                    seen.len() - 1
                });
                out.push(VARIABLE | number as u32);
            }
            term => out.push(term.0),
        },
        Pattern::Compound(symbol, args) => {
            if let Some(term) = value(pattern, bindings, terms) {
                out.push(term.0);
                return;
            }
            out.extend([COMPOUND | symbol.0, args.len() as u32]);
            for arg in args {
                encode(arg, bindings, terms, seen, out);
            }
        }
    }
}

/// The depth of the deepest term in a call.
pub(super) fn depth(call: &[Pattern], terms: &Terms) -> u32 {
    let deepest = |pattern: &Pattern| match pattern {
        Pattern::Compound(_, args) => 1 + depth(args, terms),
        _ => known(pattern, &[]).map_or(0, |term| terms.depth(term)),
    };
    call.iter()
        .map(|pattern| if let Pattern::Variable(_) = pattern { 1 } else { deepest(pattern) })
        .max()
        .unwrap_or(0)
}
