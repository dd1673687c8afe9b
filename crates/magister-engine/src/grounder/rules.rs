//! The grounder's rules over numbered tables.
//!
//! Fluents and moves are tables like any other.

use crate::program::Pattern;
use crate::reference::builtin;
use crate::term::TermId;

/// A table: fluents, moves, or a relation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct TableId(pub(super) u32);

/// The true fluents.
pub(super) const FLUENTS: TableId = TableId(0);
/// The moves of the roles.
pub(super) const DOES: TableId = TableId(1);
/// The true fluents of the next state.
pub(super) const NEXT: TableId = TableId(2);
/// The performed actions, in the operations dialect.
pub(super) const PERFORMED: TableId = TableId(3);
/// The additions, in the operations dialect.
pub(super) const ADDED: TableId = TableId(4);
/// The deletions, in the operations dialect.
pub(super) const DELETED: TableId = TableId(5);
/// The number of tables of every game; relations follow.
pub(super) const FIXED: u32 = 6;

impl TableId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The table of a relation.
pub(super) fn table(relation: crate::program::Relation) -> TableId {
    TableId(FIXED + relation.0)
}

/// The meaning of the rows of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// They are true in every state, and all other rows are false.
    Static,
    /// They may be true in some state. Each is an atom.
    Dynamic,
    /// They are requested. A guard prevents unneeded instances of rules; it is not a condition of
    /// the remaining instances.
    Guard,
}

/// A condition.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Condition {
    /// A tuple is in a table.
    In(TableId, Box<[Pattern]>),
    /// A tuple is not in a table; all variables are bound elsewhere.
    NotIn(TableId, Box<[Pattern]>),
    /// Two terms differ, or (`false`) are equal.
    Differ(Pattern, Pattern, bool),
    /// A builtin holds, or (`false`) does not. If it holds, it may bind its result.
    Builtin(&'static str, Box<[Pattern]>, bool),
}

impl Condition {
    /// Calls `visit` on every pattern in it.
    pub(super) fn patterns<'a>(&'a self, visit: &mut impl FnMut(&'a Pattern)) {
        match self {
            Condition::In(_, args) | Condition::NotIn(_, args) | Condition::Builtin(_, args, _) => {
                args.iter().for_each(visit);
            }
            Condition::Differ(a, b, _) => {
                visit(a);
                visit(b);
            }
        }
    }

    /// Its variables, without duplicates.
    pub(super) fn variables(&self) -> Vec<u32> {
        let mut all = Vec::new();
        self.patterns(&mut |p| collect(p, &mut all));
        all
    }

    /// Its table, if any.
    pub(super) fn table(&self) -> Option<TableId> {
        match self {
            Condition::In(table, _) | Condition::NotIn(table, _) => Some(*table),
            Condition::Differ(..) | Condition::Builtin(..) => None,
        }
    }

    /// For a builtin that binds: its input variables, and the variables that it then binds.
    pub(super) fn computes(&self) -> Option<(Vec<u32>, Vec<u32>)> {
        let Condition::Builtin(name, args, true) = self else { return None };
        Some(match (*name, &args[..]) {
            ("member", [item, list]) => {
                (variables_of(std::slice::from_ref(list)), variables_of(std::slice::from_ref(item)))
            }
            _ if builtin::is_test(name) => (variables_of(args), Vec::new()),
            (_, [inputs @ .., output]) => {
                (variables_of(inputs), variables_of(std::slice::from_ref(output)))
            }
            (_, []) => (Vec::new(), Vec::new()),
        })
    }

    /// Whether it binds variables by iterating over a table.
    pub(super) fn is_positive(&self) -> bool {
        matches!(self, Condition::In(..))
    }
}

/// Adds the variables of a pattern that are not in the list.
pub(super) fn collect(pattern: &Pattern, into: &mut Vec<u32>) {
    pattern.variables(&mut |v| {
        if !into.contains(&v) {
            into.push(v);
        }
    });
}

/// Adds the variables that builtins bind once those in the list are bound.
pub(super) fn compute(body: &[Condition], known: &mut Vec<u32>) {
    let mut computed: Vec<usize> = Vec::new();
    loop {
        let next = body.iter().enumerate().find_map(|(place, condition)| {
            let (needs, gives) = condition.computes()?;
            let ready = !computed.contains(&place) && needs.iter().all(|v| known.contains(v));
            ready.then_some((place, gives))
        });
        let Some((place, gives)) = next else { break };
        computed.push(place);
        known.extend(gives);
    }
}

/// The variables that a body binds, given those in `known`.
pub(super) fn bound(body: &[Condition], mut known: Vec<u32>) -> Vec<u32> {
    for condition in body.iter().filter(|c| c.is_positive()) {
        known.extend(condition.variables());
    }
    compute(body, &mut known);
    known
}

/// The variables of patterns, without duplicates.
pub(super) fn variables_of(patterns: &[Pattern]) -> Vec<u32> {
    let mut all = Vec::new();
    patterns.iter().for_each(|p| collect(p, &mut all));
    all
}

/// A rule.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) head: TableId,
    pub(super) args: Box<[Pattern]>,
    pub(super) body: Vec<Condition>,
    pub(super) variables: u32,
    pub(super) stratum: u32,
    /// The line of its statement, for messages.
    pub(super) line: u32,
}

/// Rules, tables and facts.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleSet {
    pub(super) rules: Vec<Rule>,
    /// The number of columns of each table.
    pub(super) arities: Vec<usize>,
    pub(super) kinds: Vec<Kind>,
    /// For every table, the relation it was created for; a relation of the rulesheet has itself.
    pub(super) origins: Vec<TableId>,
    /// Facts.
    pub(super) facts: Vec<(TableId, Vec<TermId>)>,
    /// Relations that can only be computed on demand, because their rules need variables that the
    /// query binds.
    pub(super) asked: Vec<TableId>,
    /// The tables with the numbers of rows of others.
    pub(super) counters: Vec<Counter>,
}

/// A table of counts: for every key, the number of rows of another table that begin with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    /// The table with the rows: the key, then the counted part.
    pub(super) of: TableId,
    /// The table with the counts: the key, then the count.
    pub(super) table: TableId,
    /// The requested keys, if there is a key.
    pub(super) keys: Option<TableId>,
}

impl RuleSet {
    /// Adds a table, created for another one if given.
    pub(super) fn new_table(
        &mut self,
        arity: usize,
        kind: Kind,
        origin: Option<TableId>,
    ) -> TableId {
        let made = TableId(self.arities.len() as u32);
        self.arities.push(arity);
        self.kinds.push(kind);
        self.origins.push(origin.map_or(made, |o| self.origins[o.index()]));
        made
    }

    /// Finds the relations whose rules need a binding from the query: the key of a count, or a
    /// variable in the head that nothing in the body binds.
    pub(super) fn find_asked(&mut self) {
        let mut needed: Vec<Vec<bool>> = self.arities.iter().map(|&a| vec![false; a]).collect();
        for counter in &self.counters {
            let columns = &mut needed[counter.table.index()];
            let key = columns.len() - 1;
            columns[..key].fill(true);
        }
        loop {
            let mut changed = false;
            for rule in &self.rules {
                let mut known: Vec<u32> = Vec::new();
                for condition in &rule.body {
                    let Condition::In(table, args) = condition else { continue };
                    let given = args.iter().zip(&needed[table.index()]).filter(|(_, n)| !**n);
                    given.for_each(|(arg, _)| collect(arg, &mut known));
                }
                compute(&rule.body, &mut known);
                for (column, arg) in rule.args.iter().enumerate() {
                    let mut free = false;
                    arg.variables(&mut |v| free |= !known.contains(&v));
                    changed |=
                        free && !std::mem::replace(&mut needed[rule.head.index()][column], true);
                }
            }
            if !changed {
                break;
            }
        }
        for (table, needed) in needed.iter().enumerate() {
            if needed.contains(&true) {
                self.asked.push(TableId(table as u32));
                self.kinds[table] = Kind::Dynamic;
            }
        }
    }

    /// Marks all tables that depend on dynamic tables as dynamic.
    pub(super) fn settle(&mut self) {
        loop {
            let changes = |rule: &Rule| {
                self.kind(rule.head) == Kind::Static && !rule.body.iter().all(|c| self.is_static(c))
            };
            let Some(rule) = self.rules.iter().find(|r| changes(r)) else { break };
            let head = rule.head;
            self.kinds[head.index()] = Kind::Dynamic;
        }
    }

    pub(super) fn kind(&self, table: TableId) -> Kind {
        self.kinds[table.index()]
    }

    pub(super) fn is_dynamic(&self, table: TableId) -> bool {
        self.kind(table) == Kind::Dynamic
    }

    /// Whether a condition is constant.
    pub(super) fn is_static(&self, condition: &Condition) -> bool {
        condition.table().is_none_or(|t| self.kind(t) == Kind::Static)
    }
}
