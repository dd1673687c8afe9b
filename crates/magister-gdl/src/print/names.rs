//! How names are written in each syntax.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Effect, EffectKind, Formula, Statement, StatementKind, Syntax, Term};
use crate::name::Name;
use crate::vocabulary;

/// The variables of one statement and their texts.
///
/// Prefix variables are `?x` and `?X`, infix ones begin with a capital or `_`. Renaming is local to
/// a statement, which is also the scope of a variable.
pub(super) struct Variables {
    written: FxHashMap<Name, String>,
    used: FxHashSet<String>,
    /// The number of variables that would get each text.
    wishes: FxHashMap<String, usize>,
    wildcards: usize,
}

impl Variables {
    pub(super) fn of(statement: &Statement, from: Syntax, to: Syntax) -> Self {
        let mut variables = Self {
            written: FxHashMap::default(),
            used: FxHashSet::default(),
            wishes: FxHashMap::default(),
            wildcards: 0,
        };
        let mut visit = |name: &Name| {
            if variables.written.contains_key(name) {
                return;
            }
            let wish = if from == to { name.to_string() } else { convert(name, to) };
            let text = variables.fresh(&wish);
            variables.written.insert(name.clone(), text);
        };
        for_each_variable(statement, &mut visit);
        variables
    }

    /// The text of a variable, in prefix without its `?`.
    pub(super) fn text<'a>(&'a self, name: &'a Name) -> &'a str {
        self.written.get(name).map_or(name.as_str(), String::as_str)
    }

    /// A text for an anonymous variable, which prefix does not have.
    pub(super) fn wildcard(&mut self) -> String {
        self.wildcards += 1;
        let wish = format!("_{}", self.wildcards);
        self.fresh(&wish)
    }

    fn fresh(&mut self, wish: &str) -> String {
        let number = self.wishes.entry(wish.to_owned()).or_insert(0);
        loop {
            *number += 1;
            let text = if *number == 1 { wish.to_owned() } else { format!("{wish}{number}") };
            if self.used.insert(text.clone()) {
                return text;
            }
        }
    }
}

fn convert(name: &str, to: Syntax) -> String {
    let mut chars = name.chars();
    let first = chars.next().unwrap_or('x');
    match to {
        Syntax::Kif => first.to_lowercase().chain(chars).collect(),
        Syntax::Infix => {
            let clean = |c: char| {
                if c.is_alphanumeric() || c == '_' { c } else { '_' }
            };
            let rest = chars.map(clean);
            if first.is_alphabetic() {
                let upper: String = first.to_uppercase().chain(rest).collect();
                // Letters without an upper case cannot begin a variable.
                if upper.starts_with(char::is_uppercase) { upper } else { format!("V{upper}") }
            } else if first == '_' && name.len() > 1 {
                std::iter::once('_').chain(rest).collect()
            } else {
                std::iter::once('V').chain(std::iter::once(clean(first))).chain(rest).collect()
            }
        }
    }
}

fn for_each_variable(statement: &Statement, visit: &mut impl FnMut(&Name)) {
    fn formulas(all: &[Formula], visit: &mut impl FnMut(&Name)) {
        for formula in all {
            formula.atoms(&mut |term, _| terms(term, visit));
        }
    }
    fn terms(term: &Term, visit: &mut impl FnMut(&Name)) {
        term.variables(&mut |name, _| visit(name));
    }
    fn effects(all: &[Effect], visit: &mut impl FnMut(&Name)) {
        for effect in all {
            match &effect.kind {
                EffectKind::Add(term) | EffectKind::Delete(term) => terms(term, visit),
                EffectKind::When(conditions, inner) => {
                    formulas(conditions, visit);
                    effects(inner, visit);
                }
            }
        }
    }
    match &statement.kind {
        StatementKind::Rule(rule) => {
            terms(&rule.head, visit);
            formulas(&rule.body, visit);
        }
        StatementKind::Operation(operation) => {
            terms(&operation.action, visit);
            effects(&operation.effects, visit);
        }
        StatementKind::Definition(head, value) => {
            terms(head, visit);
            terms(value, visit);
        }
        StatementKind::Stray(formula) => formulas(std::slice::from_ref(formula), visit),
    }
}

fn is_string(name: &str) -> bool {
    name.len() >= 2
        && name.starts_with('"')
        && name.ends_with('"')
        && !name[1..name.len() - 1].contains(['"', '\n', '\r'])
}

/// A constant in prefix form; `None` if it cannot be written.
pub(super) fn kif_constant(name: &str) -> Option<&str> {
    if is_string(name) {
        return Some(name);
    }
    let plain = !name.is_empty()
        && !name.starts_with(['?', '"'])
        && !name
            .contains(|c: char| c <= ' ' || matches!(c, '(' | ')' | ';' | '\u{7f}' | '\u{feff}'))
        && vocabulary::fold(name).is_none();
    plain.then_some(name)
}

/// A constant in infix form, quoted if necessary; `None` if it cannot be written.
pub(super) fn infix_constant(name: &str) -> Option<String> {
    if is_string(name) || is_plain_infix(name) {
        return Some(name.to_owned());
    }
    (!name.contains(['\n', '\r'])).then(|| format!("'{}'", name.replace('\'', "''")))
}

fn is_plain_infix(name: &str) -> bool {
    let digits = name.strip_prefix('-').filter(|r| r.starts_with(|c: char| c.is_ascii_digit()));
    let body = digits.unwrap_or(name);
    body.starts_with(|c: char| (c.is_alphanumeric() && !c.is_uppercase()) || c == '/')
        && body
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '*' | '+' | '-'))
        && !body.ends_with('.')
        && !body.contains("..")
        && !body.starts_with("/*")
}
