//! Conditions, rules and operations as text.

use std::fmt::Write as _;

use magister_gdl::Syntax;

use crate::program::{Atom, Collect, Effect, Goal, Literal, Names, Pattern, Program};
use crate::reference::bind::UNBOUND;
use crate::term::{TermId, Terms};

/// Writes parts of a program in a syntax.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    pub(crate) program: &'a Program,
    pub(crate) terms: &'a Terms,
    pub(crate) syntax: Syntax,
}

/// How the variables of a rule are written: as values, or as names.
#[derive(Clone, Copy)]
pub(super) struct Values<'a> {
    pub(super) names: &'a Names,
    pub(super) bindings: &'a [TermId],
}

/// The maximum nesting of hidden relations that are written out.
const NESTING: u32 = 8;

impl Words<'_> {
    pub(super) fn term(&self, term: TermId) -> String {
        self.terms.export(term).text(self.syntax)
    }

    /// A name applied to texts.
    pub(super) fn apply(&self, name: &str, args: &[String]) -> String {
        match self.syntax {
            Syntax::Kif if args.is_empty() => format!("({name})"),
            Syntax::Kif => format!("({name} {})", args.join(" ")),
            Syntax::Infix => format!("{name}({})", args.join(",")),
        }
    }

    /// A variable.
    pub(super) fn variable(&self, names: &Names, variable: u32) -> String {
        let name = names.get(variable as usize).and_then(Option::as_ref);
        match (name, self.syntax) {
            (Some(name), Syntax::Kif) => format!("?{name}"),
            (Some(name), Syntax::Infix) => name.to_string(),
            (None, Syntax::Kif) => "?_".to_owned(),
            (None, Syntax::Infix) => "_".to_owned(),
        }
    }

    fn value(&self, values: Values<'_>, variable: u32) -> String {
        match values.bindings.get(variable as usize) {
            Some(&term) if term != UNBOUND => self.term(term),
            _ => self.variable(values.names, variable),
        }
    }

    /// `?x = a, ?y = b` for the variables with a name and a value.
    pub(super) fn bindings(&self, values: Values<'_>) -> String {
        let pairs = values.names.iter().zip(values.bindings).enumerate();
        let shown = pairs.filter(|(_, (name, term))| name.is_some() && **term != UNBOUND).map(
            |(place, (_, &term))| {
                format!("{} = {}", self.variable(values.names, place as u32), self.term(term))
            },
        );
        shown.collect::<Vec<_>>().join(", ")
    }

    fn pattern(&self, pattern: &Pattern, write: &dyn Fn(u32) -> String) -> String {
        match pattern {
            Pattern::Ground(term) => self.term(*term),
            Pattern::Variable(variable) => write(*variable),
            Pattern::Compound(symbol, args) => {
                let args: Vec<String> = args.iter().map(|arg| self.pattern(arg, write)).collect();
                match (self.terms.name(*symbol), self.syntax, &args[..]) {
                    ("cons", Syntax::Infix, [first, rest]) => format!("{first}!{rest}"),
                    (name, ..) => self.apply(name, &args),
                }
            }
        }
    }

    /// A term with the names of its variables.
    pub(super) fn written(&self, pattern: &Pattern, names: &Names) -> String {
        self.pattern(pattern, &|variable| self.variable(names, variable))
    }

    pub(super) fn literal(&self, literal: &Literal, values: Values<'_>) -> String {
        self.condition(literal, &|variable| self.value(values, variable), NESTING)
    }

    fn condition(&self, literal: &Literal, write: &dyn Fn(u32) -> String, nesting: u32) -> String {
        let text = self.goal(&literal.goal, write, nesting);
        match (literal.negated, self.syntax) {
            (false, _) => text,
            (true, Syntax::Kif) => format!("(not {text})"),
            (true, Syntax::Infix) => format!("~{text}"),
        }
    }

    fn goal(&self, goal: &Goal, write: &dyn Fn(u32) -> String, nesting: u32) -> String {
        let text = |pattern: &Pattern| self.pattern(pattern, write);
        match goal {
            Goal::Relation(atom) => self.atom(atom, write, nesting),
            Goal::Fluent(fluent) if self.program.dialect == magister_gdl::Dialect::Operations => {
                text(fluent)
            }
            Goal::Fluent(fluent) => self.apply("true", &[text(fluent)]),
            Goal::Does(role, choice) => self.apply("does", &[text(role), text(choice)]),
            Goal::Distinct(a, b) => self.apply("distinct", &[text(a), text(b)]),
            Goal::Builtin(builtin, args) => {
                let args: Vec<String> = args.iter().map(text).collect();
                if args.is_empty() {
                    builtin.name.to_owned()
                } else {
                    self.apply(builtin.name, &args)
                }
            }
            Goal::Aggregate(collect, atom, result) => {
                let name = if *collect == Collect::Count { "countofall" } else { "setofall" };
                let item = self.last_of_head(atom, write);
                self.apply(name, &[item, self.atom(atom, write, nesting), text(result)])
            }
        }
    }

    /// The item that an aggregate collects.
    fn last_of_head(&self, atom: &Atom, write: &dyn Fn(u32) -> String) -> String {
        let info = &self.program.relations[atom.relation.index()];
        let Some(&rule) = info.rules.first() else { return self.variable(&Names::default(), 0) };
        let rule = &self.program.rules[rule as usize];
        let last = rule.head.args.last();
        last.map_or_else(String::new, |last| {
            self.pattern(last, &|variable| self.inside(atom, rule, variable, write))
        })
    }

    /// A variable in the rule of a hidden relation, in terms of the rule that uses the relation.
    fn inside(
        &self,
        atom: &Atom,
        rule: &crate::program::Rule,
        variable: u32,
        write: &dyn Fn(u32) -> String,
    ) -> String {
        let place = rule.head.args.iter().position(|arg| *arg == Pattern::Variable(variable));
        match place.map(|place| &atom.args[place]) {
            // The item of an aggregate has no name outside of it.
            Some(Pattern::Variable(outer)) if write(*outer).ends_with('_') => {
                self.variable(&rule.names, variable)
            }
            Some(arg) => self.pattern(arg, write),
            None => self.variable(&rule.names, variable),
        }
    }

    fn atom(&self, atom: &Atom, write: &dyn Fn(u32) -> String, nesting: u32) -> String {
        let info = &self.program.relations[atom.relation.index()];
        let name = self.terms.name(info.functor.symbol);
        if info.hidden && nesting > 0 && !info.rules.is_empty() {
            return self.formula(atom, write, nesting - 1);
        }
        if info.functor.arity.is_none() {
            return name.to_owned();
        }
        let args: Vec<String> = atom.args.iter().map(|arg| self.pattern(arg, write)).collect();
        self.apply(name, &args)
    }

    /// The formula of a hidden relation.
    fn formula(&self, atom: &Atom, write: &dyn Fn(u32) -> String, nesting: u32) -> String {
        let info = &self.program.relations[atom.relation.index()];
        let case = |&number: &u32| {
            let rule = &self.program.rules[number as usize];
            let inside = |variable| self.inside(atom, rule, variable, write);
            let body: Vec<String> =
                rule.body.iter().map(|l| self.condition(l, &inside, nesting)).collect();
            self.connected("and", " & ", body)
        };
        self.connected("or", " | ", info.rules.iter().map(case).collect())
    }

    fn connected(&self, word: &str, sign: &str, mut parts: Vec<String>) -> String {
        match (parts.len(), self.syntax) {
            (1, _) => parts.remove(0),
            (_, Syntax::Kif) => self.apply(word, &parts),
            (_, Syntax::Infix) => format!("({})", parts.join(sign)),
        }
    }

    /// A rule as written, or with bindings.
    pub(super) fn rule(&self, number: u32, bindings: &[TermId]) -> String {
        let rule = &self.program.rules[number as usize];
        let values = Values { names: &rule.names, bindings };
        let write = |variable| self.value(values, variable);
        let body: Vec<String> =
            rule.body.iter().map(|literal| self.literal(literal, values)).collect();
        let info = &self.program.relations[rule.head.relation.index()];
        if info.hidden {
            return self.connected("and", " & ", body);
        }
        let head = self.atom(&rule.head, &write, 0);
        match self.syntax {
            _ if body.is_empty() => head,
            Syntax::Kif => format!("(<= {head} {})", body.join(" ")),
            Syntax::Infix => format!("{head} :- {}", body.join(" & ")),
        }
    }

    /// The head of a rule, with the names of its variables.
    pub(crate) fn head(&self, number: u32) -> String {
        let rule = &self.program.rules[number as usize];
        self.atom(&rule.head, &|variable| self.variable(&rule.names, variable), 0)
    }

    /// An operation as written.
    pub(crate) fn operation(&self, number: u32) -> String {
        let operation = &self.program.operations[number as usize];
        let write = |variable| self.variable(&operation.names, variable);
        let mut text = self.pattern(&operation.action, &write);
        let _ = write!(text, " :: {}", self.effects(&operation.effects, &write));
        text
    }

    fn effects(&self, effects: &[Effect], write: &dyn Fn(u32) -> String) -> String {
        let effect = |effect: &Effect| match effect {
            Effect::Add(atom) => self.pattern(atom, write),
            Effect::Delete(atom) => format!("~{}", self.pattern(atom, write)),
            Effect::When(condition, inner) => {
                let condition = self.formula(condition, write, NESTING);
                format!("{condition} ==> {}", self.effects(inner, write))
            }
        };
        effects.iter().map(effect).collect::<Vec<_>>().join(" & ")
    }
}
