//! Rules as code: the compiler's output, which the machine runs.

use std::sync::Arc;

use crate::program::{Collect, Depends, Pattern, Program, Relation};
use crate::term::{Functor, Symbol, TermId, Terms};

use super::table::Table;

/// How a term is built from the variables of a rule.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Build {
    Known(TermId),
    Variable(u32),
    /// A name applied to arguments that are built recursively.
    Compound(Symbol, Box<[Build]>),
    /// An unbound variable; used only to compare partially known terms.
    Any,
}

/// How a term is decomposed.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Match {
    /// Matches anything.
    Any,
    /// Binds the variable.
    Bind(u32),
    /// Must equal a bound variable.
    Same(u32),
    Known(TermId),
    Compound(Symbol, Box<[Match]>),
}

/// A procedure: an index into [`Code::procedures`].
pub(super) type ProcedureId = u32;

/// The link between a caller and a procedure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Link {
    /// The procedure is not recursive, or not mutually recursive with the caller: all its answers
    /// are computed before the caller continues.
    Nested,
    /// The procedure and the caller are mutually recursive. The caller continues with the existing
    /// answers, and again with each new one.
    Mutual,
}

/// How a row binds or tests variables: the relevant columns.
pub(super) type Outs = Box<[(u32, Match)]>;

/// One step of a body.
#[derive(Clone, Debug)]
pub(super) enum Op {
    /// Iterates over the rows of a constant table.
    Table { table: u32, index: u32, key: Box<[Build]>, outs: Outs, negated: bool },
    /// Iterates over the fluents of a group. `whole` is bound to the fluent itself, if needed.
    Fluents {
        group: u32,
        index: u32,
        key: Box<[Build]>,
        outs: Outs,
        whole: Option<u32>,
        negated: bool,
    },
    /// Whether a fluent holds. The group is unknown if the fluent is the value of a variable.
    Holds { fluent: Build, group: Option<u32>, negated: bool },
    /// Iterates over all fluents.
    Every { fluent: Match, negated: bool },
    /// Iterates over the moves.
    Does { role: Match, choice: Match, negated: bool },
    /// Two terms differ, or not.
    Distinct { left: Build, right: Build, negated: bool },
    /// Iterates over the answers of a procedure.
    Call { procedure: ProcedureId, link: Link, key: Box<[Build]>, outs: Outs, negated: bool },
    /// A builtin. Its values for the variables it reads are cached.
    Builtin { builtin: u32, reads: Box<[u32]>, value: Match, negated: bool },
    /// The number or the list of the answers of a procedure.
    Aggregate {
        procedure: ProcedureId,
        key: Box<[Build]>,
        collect: Collect,
        value: Match,
        negated: bool,
    },
    /// An error: the head has an unbound variable.
    Unsafe,
}

/// A step and where to continue when it fails. A position `n` means: try the next match of step
/// `n - 1`. Zero means that no match is left.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) op: Op,
    /// The last earlier step that may have another match.
    pub(super) back: u32,
    /// The step to return to if this one has no match at all: the last earlier step that may have
    /// another match and affects this one.
    pub(super) fail: u32,
}

/// One rule of a procedure.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The rule, for messages.
    pub(super) rule: u32,
    pub(super) variables: u32,
    /// The patterns of the call's inputs.
    pub(super) inputs: Box<[Match]>,
    pub(super) steps: Box<[Step]>,
    /// The answer.
    pub(super) outputs: Box<[Build]>,
    /// Where to continue after an answer; matches that would give the same answer are skipped.
    pub(super) after: u32,
}

/// A relation queried with some of its arguments known.
#[derive(Clone, Debug)]
pub(super) struct Procedure {
    pub(super) relation: Relation,
    pub(super) modes: Box<[Mode]>,
    pub(super) inputs: u32,
    pub(super) outputs: u32,
    pub(super) plans: Vec<Plan>,
    /// The number of its component if it is recursive.
    pub(super) component: Option<u32>,
    pub(super) depends: Depends,
    /// The groups of fluents that it depends on, as bits.
    pub(super) groups: Box<[u64]>,
}

/// The mode of an argument.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Mode {
    /// It is known.
    Input,
    /// It is requested.
    Output,
    /// It is irrelevant.
    Ignored,
}

/// A group of fluents: those of one functor.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) functor: Functor,
    /// The columns by which plans look up its fluents.
    pub(super) indexes: Vec<Box<[u32]>>,
}

/// A builtin in a rule.
#[derive(Clone, Debug)]
pub(super) struct BuiltinCall {
    pub(super) name: &'static str,
    pub(super) args: Box<[Pattern]>,
    /// The highest variable number plus one.
    pub(super) variables: u32,
}

/// The queries of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queries<T> {
    /// `(init ?fluent)`.
    pub(super) init: T,
    pub(super) terminal: T,
    /// `(legal role ?move)`, in the operations dialect `legal(Move)`.
    pub(super) legal: T,
    /// `(goal role ?value)`.
    pub(super) goal: T,
    /// `(next ?fluent)`; unused in the operations dialect.
    pub(super) next: T,
    /// `(sees role ?percept)`.
    pub(super) sees: T,
    /// `control(Role)` of the operations dialect.
    pub(super) control: T,
    /// Whether an atom is an action with an operation.
    pub(super) operation: T,
    /// The additions of an action.
    pub(super) adds: T,
    /// The deletions of an action.
    pub(super) deletes: T,
}

impl<T: Copy> Queries<T> {
    /// The same value for all queries.
    pub(super) fn all(one: T) -> Self {
        Queries {
            init: one,
            terminal: one,
            legal: one,
            goal: one,
            next: one,
            sees: one,
            control: one,
            operation: one,
            adds: one,
            deletes: one,
        }
    }
}

/// A compiled program.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) program: Arc<Program>,
    /// All terms of the rules and of the tables.
    pub(super) terms: Terms,
    pub(super) procedures: Vec<Procedure>,
    pub(super) tables: Vec<Table>,
    pub(super) groups: Vec<Group>,
    pub(super) builtins: Vec<BuiltinCall>,
    pub(super) queries: Queries<ProcedureId>,
}
