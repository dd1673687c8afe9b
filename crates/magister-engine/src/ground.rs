//! Ground terms as trees: the exchange format of evaluators with different term numbers.

use std::cmp::Ordering;
use std::fmt::{self, Write as _};
use std::str::FromStr;
use std::sync::Arc;

use magister_gdl::{Dialect, Options, StatementKind, Syntax, Term, TermKind, read};

use crate::term::compare_names;

/// A term without variables. `Display` writes it in KIF, `FromStr` reads KIF.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ground {
    /// The name at the top.
    pub name: Arc<str>,
    /// The arguments; `None` for a constant, which differs from an empty argument list.
    pub args: Option<Box<[Ground]>>,
}

impl Ground {
    /// The constant of this name.
    pub fn constant(name: &str) -> Self {
        Ground { name: Arc::from(name), args: None }
    }

    /// A name applied to arguments.
    pub fn compound(name: &str, args: Vec<Ground>) -> Self {
        Ground { name: Arc::from(name), args: Some(args.into()) }
    }

    /// Parses consecutive terms. `None` if the text is anything else.
    pub fn read_all(text: &str, syntax: Syntax) -> Option<Vec<Ground>> {
        // The dialect is given, so that it is not guessed from the text.
        let dialect = if syntax == Syntax::Kif { Dialect::Gdl2 } else { Dialect::Operations };
        let options =
            Options { syntax: Some(syntax), dialect: Some(dialect), ..Options::default() };
        let sheet = read(text, &options);
        if sheet.diagnostics.has_errors() {
            return None;
        }
        let term = |kind: &StatementKind| match kind {
            StatementKind::Rule(rule) if !rule.arrow => Ground::from_syntax(&rule.head),
            _ => None,
        };
        sheet.rules.statements.iter().map(|statement| term(&statement.kind)).collect()
    }

    /// Reads one term.
    pub fn read(text: &str, syntax: Syntax) -> Option<Ground> {
        let mut terms = Ground::read_all(text, syntax)?;
        if terms.len() == 1 { terms.pop() } else { None }
    }

    /// Reads one term in either syntax, the given one first.
    pub fn read_either(text: &str, first: Syntax) -> Option<Ground> {
        let second = if first == Syntax::Kif { Syntax::Infix } else { Syntax::Kif };
        Ground::read(text, first).or_else(|| Ground::read(text, second))
    }

    /// The term of a syntax tree; `None` if it contains variables.
    pub fn from_syntax(term: &Term) -> Option<Ground> {
        match &term.kind {
            TermKind::Variable(_) | TermKind::Wildcard => None,
            TermKind::Constant(name) => Some(Ground::constant(name)),
            TermKind::Compound(name, args) => {
                let args: Option<Vec<Ground>> = args.iter().map(Ground::from_syntax).collect();
                Some(Ground::compound(name, args?))
            }
            TermKind::List(items, tail) => {
                let end = match tail {
                    Some(tail) => Ground::from_syntax(tail)?,
                    None => Ground::constant("nil"),
                };
                items.iter().rev().try_fold(end, |rest, item| {
                    Some(Ground::compound("cons", vec![Ground::from_syntax(item)?, rest]))
                })
            }
        }
    }

    /// The term in a syntax; lists are written as such in infix.
    pub fn text(&self, syntax: Syntax) -> String {
        let mut out = String::new();
        match syntax {
            Syntax::Kif => self.kif(&mut out),
            Syntax::Infix => self.infix(&mut out),
        }
        out
    }

    fn kif(&self, out: &mut String) {
        let Some(args) = &self.args else {
            out.push_str(&self.name);
            return;
        };
        out.push('(');
        out.push_str(&self.name);
        for arg in args {
            out.push(' ');
            arg.kif(out);
        }
        out.push(')');
    }

    fn infix(&self, out: &mut String) {
        match &self.args {
            None if &*self.name == "nil" => out.push_str("[]"),
            None => out.push_str(&self.name),
            Some(args) if &*self.name == "cons" && args.len() == 2 => self.infix_list(out),
            Some(args) => {
                let _ = write!(out, "{}(", self.name);
                for (place, arg) in args.iter().enumerate() {
                    if place > 0 {
                        out.push(',');
                    }
                    arg.infix(out);
                }
                out.push(')');
            }
        }
    }

    /// `[a,b]`, or `a!b!t` if the list does not end in nil.
    fn infix_list(&self, out: &mut String) {
        let (mut items, mut rest) = (Vec::new(), self);
        while let Some([first, tail]) = rest.args.as_deref()
            && &*rest.name == "cons"
        {
            items.push(first.text(Syntax::Infix));
            rest = tail;
        }
        if rest.args.is_none() && &*rest.name == "nil" {
            let _ = write!(out, "[{}]", items.join(","));
        } else {
            let _ = write!(out, "{}!", items.join("!"));
            rest.infix(out);
        }
    }
}

impl fmt::Display for Ground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Syntax::Kif))
    }
}

/// A text that is not a ground term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotATerm;

impl fmt::Display for NotATerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this is not a term without variables")
    }
}

impl std::error::Error for NotATerm {}

impl FromStr for Ground {
    type Err = NotATerm;

    fn from_str(text: &str) -> Result<Self, NotATerm> {
        Ground::read(text, Syntax::Kif).ok_or(NotATerm)
    }
}

impl Ord for Ground {
    /// The order of [`Terms::compare`](crate::term::Terms::compare).
    fn cmp(&self, other: &Self) -> Ordering {
        self.args
            .is_some()
            .cmp(&other.args.is_some())
            .then_with(|| compare_names(&self.name, &other.name))
            .then_with(|| {
                self.args.as_ref().map(|a| a.len()).cmp(&other.args.as_ref().map(|a| a.len()))
            })
            .then_with(|| self.args.cmp(&other.args))
    }
}

impl PartialOrd for Ground {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_syntaxes_are_read_and_written() {
        for (kif, infix) in [
            ("(mark 1 2)", "mark(1,2)"),
            ("noop", "noop"),
            ("(f (g a) (h))", "f(g(a),h())"),
            ("(f (cons a (cons b nil)) nil)", "f([a,b],[])"),
            ("(cons a b)", "a!b"),
            ("(score -5)", "score(-5)"),
        ] {
            let term = Ground::read(kif, Syntax::Kif).expect(kif);
            assert_eq!(term, Ground::read(infix, Syntax::Infix).expect(infix));
            assert_eq!(term.text(Syntax::Kif), kif);
            assert_eq!(term.text(Syntax::Infix), infix);
        }
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["", "?x", "(f ?x)", "(f", "a b", "(<= a b)", "()"] {
            assert_eq!(Ground::read(text, Syntax::Kif), None, "{text}");
        }
        for text in ["X", "f(X)", "p :- q", "f(", "~p", "_"] {
            assert_eq!(Ground::read(text, Syntax::Infix), None, "{text}");
        }
    }

    #[test]
    fn several_terms_in_sequence() {
        let terms = Ground::read_all("(a 1) b (c)", Syntax::Kif).expect("three terms");
        assert_eq!(terms.len(), 3);
        assert_eq!(Ground::read_all("a(1) b c()", Syntax::Infix), Some(terms));
    }
}
