//! The reserved words of the languages.

use crate::ast::Dialect;

/// A keyword of GDL or of Gamemaster's dialect, and where it may occur.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keyword {
    pub(crate) name: &'static str,
    pub(crate) arity: usize,
    /// It may be the head of a rule or fact.
    pub(crate) head: bool,
    /// It may be a condition.
    pub(crate) body: bool,
    /// It is fixed before the first move.
    pub(crate) fixed: bool,
}

const fn word(name: &'static str, arity: usize, head: bool, body: bool, fixed: bool) -> Keyword {
    Keyword { name, arity, head, body, fixed }
}

const GDL: &[Keyword] = &[
    word("role", 1, true, true, true),
    word("init", 1, true, false, true),
    word("true", 1, false, true, false),
    word("next", 1, true, false, false),
    word("does", 2, false, true, false),
    word("legal", 2, true, true, false),
    word("goal", 2, true, true, false),
    word("terminal", 0, true, true, false),
    word("base", 1, true, false, true),
    word("input", 2, true, false, true),
    word("distinct", 2, false, true, false),
];

const GDL2: &[Keyword] =
    &[word("sees", 2, true, false, false), word("percept", 2, true, false, true)];

const OPERATIONS: &[Keyword] = &[
    word("role", 1, true, true, true),
    word("init", 1, true, false, true),
    word("base", 1, true, true, true),
    word("action", 1, true, true, true),
    word("legal", 1, true, true, false),
    word("goal", 2, true, true, false),
    word("terminal", 0, true, true, false),
    word("control", 1, true, true, false),
];

/// The keywords of a dialect.
pub(crate) fn keywords(dialect: Dialect) -> impl Iterator<Item = &'static Keyword> {
    let (first, second): (&[Keyword], &[Keyword]) = match dialect {
        Dialect::Gdl => (GDL, &[]),
        Dialect::Gdl2 => (GDL, GDL2),
        Dialect::Operations => (OPERATIONS, &[]),
    };
    first.iter().chain(second)
}

/// The keyword of this name in a dialect.
pub(crate) fn keyword(dialect: Dialect, name: &str) -> Option<&'static Keyword> {
    keywords(dialect).find(|k| k.name == name)
}

/// Names that build formulas and cannot be anything else.
pub(crate) fn is_connective(name: &str) -> bool {
    matches!(name, "not" | "or" | "and" | "<=" | "distinct")
}

/// Relations that programs query although no rule uses them.
pub(crate) fn is_asked_from_outside(dialect: Dialect, name: &str) -> bool {
    keyword(dialect, name).is_some() || matches!(name, "action" | "percept" | "sees" | "sees_xml")
}

/// The keyword that `name` is in prefix rules, ignoring case.
pub(crate) fn fold(name: &str) -> Option<&'static str> {
    const EXTRA: [&str; 2] = ["random", "distinct"];
    if !name.bytes().any(|b| b.is_ascii_uppercase()) {
        return None;
    }
    keywords(Dialect::Gdl2)
        .map(|k| k.name)
        .chain(EXTRA)
        .find(|keyword| keyword.eq_ignore_ascii_case(name))
}
