//! What the grounder works on: rules over numbered tables.
//!
//! Fluents and moves are tables like any other.

use crate::program::Pattern;
use crate::term::TermId;

/// A table: fluents, moves, or a relation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct TableId(pub(super) u32);

/// What is true in the state.
pub(super) const FLUENTS: TableId = TableId(0);
/// What the roles do.
pub(super) const DOES: TableId = TableId(1);
/// What is true in the next state.
pub(super) const NEXT: TableId = TableId(2);
/// What an action is performed, in the operations dialect.
pub(super) const PERFORMED: TableId = TableId(3);
/// What becomes true, in the operations dialect.
pub(super) const ADDED: TableId = TableId(4);
/// What becomes false, in the operations dialect.
pub(super) const DELETED: TableId = TableId(5);
/// The tables that every game has; relations come after them.
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

/// What the rows of a table mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// They are true in every state, and nothing else is.
    Static,
    /// They may be true in some state. Each is an atom.
    Dynamic,
    /// They are worth asking for. A guard keeps rules from having instances that nobody needs;
    /// it is no condition of the instances they do have.
    Guard,
}

/// A condition.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Condition {
    /// A tuple is in a table.
    In(TableId, Box<[Pattern]>),
    /// A tuple is not in a table; all variables are bound elsewhere.
    NotIn(TableId, Box<[Pattern]>),
    /// Two terms differ, or (`false`) are the same.
    Differ(Pattern, Pattern, bool),
}

impl Condition {
    /// Calls `visit` on every pattern in it.
    pub(super) fn patterns<'a>(&'a self, visit: &mut impl FnMut(&'a Pattern)) {
        match self {
            Condition::In(_, args) | Condition::NotIn(_, args) => args.iter().for_each(visit),
            Condition::Differ(a, b, _) => {
                visit(a);
                visit(b);
            }
        }
    }

    /// Its variables, each once.
    pub(super) fn variables(&self) -> Vec<u32> {
        let mut all = Vec::new();
        self.patterns(&mut |p| collect(p, &mut all));
        all
    }

    /// The table it asks, if any.
    pub(super) fn table(&self) -> Option<TableId> {
        match self {
            Condition::In(table, _) | Condition::NotIn(table, _) => Some(*table),
            Condition::Differ(..) => None,
        }
    }

    /// Whether it binds variables by going through a table.
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

/// The variables of patterns, each once.
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
    /// For messages: the line of the statement it comes from.
    pub(super) line: u32,
}

/// Rules, tables and facts.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleSet {
    pub(super) rules: Vec<Rule>,
    /// The number of columns of each table.
    pub(super) arities: Vec<usize>,
    pub(super) kinds: Vec<Kind>,
    /// For every table the relation it was made for: itself, if that is in the rulesheet.
    pub(super) origins: Vec<TableId>,
    /// What is true without conditions.
    pub(super) facts: Vec<(TableId, Vec<TermId>)>,
}

impl RuleSet {
    /// Adds a table, made for the sake of another unless that is none.
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

    /// What depends on something that changes may change.
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

    /// Whether a condition says the same in every state.
    pub(super) fn is_static(&self, condition: &Condition) -> bool {
        condition.table().is_none_or(|t| self.kind(t) == Kind::Static)
    }
}
