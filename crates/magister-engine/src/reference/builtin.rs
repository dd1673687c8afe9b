//! The builtins of the operations dialect.
//!
//! If an input is not known or is invalid (an improper list, a division without a result), the
//! condition fails.

use super::bind::{UNBOUND, matches, value};
use super::number;
use crate::program::{Definition, Pattern};
use crate::term::{TermId, Terms};

/// The result of a builtin.
pub(crate) enum Outcome<'a> {
    /// Whether it holds.
    Test(bool),
    /// It holds for each of these values of the pattern.
    Values(&'a Pattern, Vec<TermId>),
    /// A list or a chain of definitions exceeded the limits.
    NoEnd,
}

/// The maximum number of function calls per condition; definitions may be infinitely recursive.
const CALLS: u32 = 1_000_000;

const TESTS: &[&str] = &["false", "leq", "less", "mutex", "symleq", "symless"];
const LISTS: &[&str] = &[
    "append",
    "first",
    "last",
    "length",
    "maximum",
    "mean",
    "median",
    "midrange",
    "minimum",
    "range",
    "rest",
    "revappend",
    "reverse",
    "sort",
    "sum",
];

/// Whether the interpreter supports a builtin with this arity.
pub(crate) fn supported(name: &str, args: usize) -> bool {
    match name {
        "same" | "member" | "evaluate" => args == 2,
        _ => TESTS.contains(&name) || LISTS.contains(&name) || number::supported(name),
    }
}

/// Whether a builtin is a test that binds nothing.
pub(crate) fn is_test(name: &str) -> bool {
    TESTS.contains(&name)
}

/// Evaluates a builtin. `depth` bounds the nesting of terms and of function calls.
pub(crate) fn solve<'a>(
    name: &str,
    args: &'a [Pattern],
    bindings: &[TermId],
    terms: &mut Terms,
    definitions: &[Definition],
    depth: u32,
) -> Outcome<'a> {
    match (name, args) {
        ("same", [a, b]) => {
            if let Some(term) = value(a, bindings, terms) {
                Outcome::Values(b, vec![term])
            } else if let Some(term) = value(b, bindings, terms) {
                Outcome::Values(a, vec![term])
            } else {
                Outcome::Test(false)
            }
        }
        ("member", [item, list]) => {
            let list = value(list, bindings, terms);
            let items = list.and_then(|list| items(list, terms)).unwrap_or_default();
            Outcome::Values(item, items)
        }
        _ if TESTS.contains(&name) => {
            let values: Option<Vec<TermId>> =
                args.iter().map(|arg| value(arg, bindings, terms)).collect();
            Outcome::Test(values.is_some_and(|values| test(name, &values, terms)))
        }
        (_, [inputs @ .., output]) => {
            let inputs: Option<Vec<TermId>> =
                inputs.iter().map(|arg| value(arg, bindings, terms)).collect();
            let mut functions = Functions { terms, definitions, depth, calls: 0, no_end: false };
            let result = inputs.and_then(|inputs| match name {
                "evaluate" => functions.evaluate(*inputs.first()?, 0),
                _ => functions.apply(name, &inputs),
            });
            if functions.no_end {
                return Outcome::NoEnd;
            }
            Outcome::Values(output, result.into_iter().collect())
        }
        (_, []) => Outcome::Test(false),
    }
}

fn test(name: &str, values: &[TermId], terms: &Terms) -> bool {
    let numbers = || Some((number::of(values[0], terms)?, number::of(values[1], terms)?));
    let texts = || Some((terms.constant_text(values[0])?, terms.constant_text(values[1])?));
    match name {
        "leq" => numbers().is_some_and(|(a, b)| a <= b),
        "less" => numbers().is_some_and(|(a, b)| a < b),
        "symleq" => texts().is_some_and(|(a, b)| a <= b),
        "symless" => texts().is_some_and(|(a, b)| a < b),
        "mutex" => (1..values.len()).all(|place| !values[..place].contains(&values[place])),
        _ => false,
    }
}

/// Functions and their limits. An undefined value is `None`. So is the value of an infinite
/// computation, which is also recorded.
struct Functions<'a> {
    terms: &'a mut Terms,
    definitions: &'a [Definition],
    depth: u32,
    calls: u32,
    no_end: bool,
}

impl Functions<'_> {
    /// The value of an expression: functions are applied from the inside out, and everything else
    /// is kept.
    fn evaluate(&mut self, term: TermId, nesting: u32) -> Option<TermId> {
        let functor = self.terms.functor(term);
        if functor.arity.is_none() {
            return Some(term);
        }
        if nesting > self.depth {
            self.no_end = true;
            return None;
        }
        let args = self.terms.args(term).to_vec();
        let args: Option<Vec<TermId>> =
            args.into_iter().map(|arg| self.evaluate(arg, nesting + 1)).collect();
        let args = args?;
        let name = self.terms.name(functor.symbol).to_owned();
        if LISTS.contains(&name.as_str()) || number::supported(&name) {
            return self.apply(&name, &args);
        }
        let term = self.terms.compound(functor.symbol, &args);
        for definition in self.definitions {
            let mut bindings = vec![UNBOUND; definition.variables as usize];
            if matches(&definition.head, term, &mut bindings, self.terms) {
                let body = value(&definition.value, &bindings, self.terms)?;
                return self.evaluate(body, nesting + 1);
            }
        }
        Some(term)
    }

    /// A function applied to known arguments.
    fn apply(&mut self, name: &str, args: &[TermId]) -> Option<TermId> {
        self.calls += 1;
        if self.calls > CALLS {
            self.no_end = true;
            return None;
        }
        if !LISTS.contains(&name) {
            let numbers: Option<Vec<f64>> =
                args.iter().map(|&arg| number::of(arg, self.terms)).collect();
            return Some(self.number(number::apply(name, &numbers?)?));
        }
        let lists: Option<Vec<Vec<TermId>>> =
            args.iter().map(|&arg| items(arg, self.terms)).collect();
        let mut lists = lists?;
        let one = lists.first()?.clone();
        match name {
            "first" => one.first().copied(),
            "last" => one.last().copied(),
            "rest" => self.list(one.get(1..)?),
            "length" => Some(self.number(one.len() as f64)),
            "append" => self.list(&lists.concat()),
            "reverse" | "revappend" => {
                lists[0].reverse();
                self.list(&lists.concat())
            }
            "sort" => {
                let mut sorted = one;
                let terms = &self.terms;
                sorted.sort_by(|&a, &b| {
                    let texts = terms.constant_text(a).cmp(&terms.constant_text(b));
                    texts.then_with(|| terms.compare(a, b))
                });
                self.list(&sorted)
            }
            _ => {
                let numbers: Option<Vec<f64>> =
                    one.iter().map(|&item| number::of(item, self.terms)).collect();
                Some(self.number(number::statistic(name, &numbers?)?))
            }
        }
    }

    fn number(&mut self, number: f64) -> TermId {
        self.terms.constant_named(&number::text(number))
    }

    fn list(&mut self, items: &[TermId]) -> Option<TermId> {
        // A list is as deeply nested as it is long.
        self.no_end |= items.len() > self.depth as usize;
        if self.no_end { None } else { Some(list(items, self.terms)) }
    }
}

/// The list of these items.
pub(crate) fn list(items: &[TermId], terms: &mut Terms) -> TermId {
    let cons = terms.symbol("cons");
    let nil = terms.constant_named("nil");
    items.iter().rev().fold(nil, |rest, &item| terms.compound(cons, &[item, rest]))
}

/// The items of a list; `None` if the term is not a list.
fn items(mut term: TermId, terms: &Terms) -> Option<Vec<TermId>> {
    let mut items = Vec::new();
    while let &[first, rest] = terms.args(term) {
        if terms.name(terms.functor(term).symbol) != "cons" {
            return None;
        }
        items.push(first);
        term = rest;
    }
    (terms.constant_text(term) == Some("nil")).then_some(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::Ground;
    use magister_gdl::Syntax;

    fn evaluated(expression: &str) -> Option<String> {
        let mut terms = Terms::default();
        let term = terms.import(&Ground::read(expression, Syntax::Infix).expect("a term"));
        let (definitions, depth) = (&[][..], 100);
        let mut functions =
            Functions { terms: &mut terms, definitions, depth, calls: 0, no_end: false };
        let result = functions.evaluate(term, 0)?;
        Some(terms.export(result).text(Syntax::Infix))
    }

    #[test]
    fn expressions() {
        for (expression, result) in [
            ("plus(2,times(3,4),1)", "15"),
            ("minus(1,3)", "-2"),
            ("quotient(7,2)", "3.5"),
            ("remainder(7,3)", "1"),
            ("max(1,10,9)", "10"),
            ("round(-2.5)", "-2"),
            ("sqrt(2)", "1.4142135623730951"),
            ("append([a],[b,c],[])", "[a,b,c]"),
            ("reverse([1,2,3])", "[3,2,1]"),
            ("length([a,b])", "2"),
            ("sum([1,2,3.5])", "6.5"),
            ("median([3,1,2])", "2"),
            ("sort([b,c,a])", "[a,b,c]"),
            ("f(plus(1,1))", "f(2)"),
            ("rest([a])", "[]"),
        ] {
            assert_eq!(evaluated(expression).as_deref(), Some(result), "{expression}");
        }
        for nothing in ["plus(a,1)", "first([])", "quotient(0,0)", "length(a)", "first(f(a))"] {
            assert_eq!(evaluated(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn unknown_inputs_have_no_value() {
        let mut terms = Terms::default();
        let args = [Pattern::Variable(0), Pattern::Variable(1)];
        for name in ["leq", "mutex", "same"] {
            let outcome = solve(name, &args, &[UNBOUND; 2], &mut terms, &[], 100);
            assert!(matches!(outcome, Outcome::Test(false)), "{name}");
        }
    }
}
