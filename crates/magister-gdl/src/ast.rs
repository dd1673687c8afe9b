//! The syntax tree: one for prefix and infix, for GDL, GDL-II and Gamemaster's operations.
//!
//! Every node has its position in the text. The tree keeps only what a printer needs to reproduce
//! the text (lists as lists, `(p)` distinct from `p`).

use crate::name::Name;
use magister_diagnostic::Span;

/// The syntax of rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Syntax {
    /// Prefix: `(<= (next (cell ?x)) (true (cell ?x)))`.
    Kif,
    /// Infix: `next(cell(X)) :- true(cell(X))`.
    Infix,
}

/// The dialect of rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dialect {
    /// GDL, with perfect information: `next`, `does`, `true`.
    Gdl,
    /// GDL with `sees` and the role `random`.
    Gdl2,
    /// Gamemaster's operations: `::`, `==>`, `legal(a)`, `control(r)`.
    Operations,
}

impl Dialect {
    /// The usual name.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Gdl => "GDL",
            Dialect::Gdl2 => "GDL-II",
            Dialect::Operations => "Gamemaster",
        }
    }
}

/// The punctuation of an infix text, which a formatter preserves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Style {
    /// Statements end in a full stop.
    pub stops: bool,
    /// `,` and `not` as in Prolog, instead of `&` and `~`.
    pub commas: bool,
}

/// A term, or an atomic formula: the two have the same shape.
#[derive(Clone, Debug)]
pub struct Term {
    /// Its kind.
    pub kind: TermKind,
    /// Its position.
    pub span: Span,
}

/// The kinds of [`Term`].
#[derive(Clone, Debug)]
pub enum TermKind {
    /// A variable, without its `?`.
    Variable(Name),
    /// `_`: a variable that occurs nowhere else.
    Wildcard,
    /// A constant or proposition. A string constant keeps its double quotes.
    Constant(Name),
    /// A name with arguments; no arguments in `(p)` and `p()`, which differ from `p`.
    Compound(Name, Vec<Term>),
    /// `[a,b]` or, with a tail, `a!b!T`. The same as `cons(a,cons(b,nil))`.
    List(Vec<Term>, Option<Box<Term>>),
}

/// A formula in a body.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Its kind.
    pub kind: FormulaKind,
    /// Its position.
    pub span: Span,
}

/// The kinds of [`Formula`].
#[derive(Clone, Debug)]
pub enum FormulaKind {
    /// An atomic formula; a variable or a list here is a mistake that the checks report.
    Atom(Term),
    /// Negation as failure.
    Not(Box<Formula>),
    /// A conjunction.
    And(Vec<Formula>),
    /// A disjunction.
    Or(Vec<Formula>),
}

/// A rule, or a fact when the body is empty.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The head.
    pub head: Term,
    /// The conditions, all of which must hold.
    pub body: Vec<Formula>,
    /// Written with an arrow, even if the body is empty.
    pub arrow: bool,
}

/// The effects of an action on the state, in Gamemaster's dialect.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The action, or the name of a helper operation.
    pub action: Term,
    /// The effects.
    pub effects: Vec<Effect>,
}

/// One effect of an operation.
#[derive(Clone, Debug)]
pub struct Effect {
    /// Its kind.
    pub kind: EffectKind,
    /// Its position.
    pub span: Span,
}

/// The kinds of [`Effect`].
#[derive(Clone, Debug)]
pub enum EffectKind {
    /// The atom becomes true; if it names an operation, that operation is performed instead.
    Add(Term),
    /// The atom becomes false.
    Delete(Term),
    /// `conditions ==> effects`; the conditions refer to the old state.
    When(Vec<Formula>, Vec<Effect>),
}

/// One statement of a rulesheet.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Its kind.
    pub kind: StatementKind,
    /// Its position.
    pub span: Span,
}

/// The kinds of [`Statement`].
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// A rule or fact.
    Rule(Rule),
    /// An operation.
    Operation(Operation),
    /// `f(X) := term`.
    Definition(Term, Term),
    /// A formula in the place of a fact, such as `~p & ~q`.
    Stray(Formula),
}

/// A comment without its marker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    /// The number of marker characters.
    pub markers: usize,
    /// The text after the markers, without trailing white space.
    pub text: String,
    /// Its position.
    pub span: Span,
    /// Only white space precedes it on its line.
    pub own_line: bool,
}

/// A rulesheet: the contents of a file of rules.
#[derive(Clone, Debug)]
pub struct Rulesheet {
    /// Its syntax.
    pub syntax: Syntax,
    /// Its dialect.
    pub dialect: Dialect,
    /// The punctuation of an infix text.
    pub style: Style,
    /// The statements, in order.
    pub statements: Vec<Statement>,
    /// The comments, in order.
    pub comments: Vec<Comment>,
}

impl Rulesheet {
    /// The rules and facts, with the span of their statement.
    pub fn rules(&self) -> impl Iterator<Item = (&Rule, Span)> {
        self.statements.iter().filter_map(|s| match &s.kind {
            StatementKind::Rule(rule) => Some((rule, s.span)),
            _ => None,
        })
    }

    /// The operations, with the span of their statement.
    pub fn operations(&self) -> impl Iterator<Item = (&Operation, Span)> {
        self.statements.iter().filter_map(|s| match &s.kind {
            StatementKind::Operation(operation) => Some((operation, s.span)),
            _ => None,
        })
    }
}

impl Term {
    /// A term of this kind at this position.
    pub fn new(kind: TermKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// The constant `name`.
    pub fn constant(name: impl Into<Name>, span: Span) -> Self {
        Self::new(TermKind::Constant(name.into()), span)
    }

    /// The variable `name`.
    pub fn variable(name: impl Into<Name>, span: Span) -> Self {
        Self::new(TermKind::Variable(name.into()), span)
    }

    /// `name(args)`.
    pub fn compound(name: impl Into<Name>, args: Vec<Term>, span: Span) -> Self {
        Self::new(TermKind::Compound(name.into(), args), span)
    }

    /// The name of a constant or compound.
    pub fn name(&self) -> Option<&Name> {
        match &self.kind {
            TermKind::Constant(name) | TermKind::Compound(name, _) => Some(name),
            _ => None,
        }
    }

    /// The arguments of a compound; empty for everything else.
    pub fn args(&self) -> &[Term] {
        match &self.kind {
            TermKind::Compound(_, args) => args,
            _ => &[],
        }
    }

    /// Whether this is `name` with `arity` arguments.
    pub fn is(&self, name: &str, arity: usize) -> bool {
        self.name().is_some_and(|n| n == name) && self.args().len() == arity
    }

    /// Whether this is a variable, named or anonymous.
    pub fn is_variable(&self) -> bool {
        matches!(self.kind, TermKind::Variable(_) | TermKind::Wildcard)
    }

    /// The direct subterms.
    pub fn children(&self) -> impl Iterator<Item = &Term> {
        let (list, tail): (&[Term], Option<&Term>) = match &self.kind {
            TermKind::Compound(_, args) => (args, None),
            TermKind::List(items, tail) => (items, tail.as_deref()),
            _ => (&[], None),
        };
        list.iter().chain(tail)
    }

    /// Calls `visit` on the term and all its subterms.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Term)) {
        visit(self);
        for child in self.children() {
            child.walk(visit);
        }
    }

    /// Whether it contains no variable.
    pub fn is_ground(&self) -> bool {
        !self.is_variable() && self.children().all(Term::is_ground)
    }

    /// Calls `visit` on the name and position of every named variable in it.
    pub fn variables<'a>(&'a self, visit: &mut impl FnMut(&'a Name, Span)) {
        self.walk(&mut |t| {
            if let TermKind::Variable(name) = &t.kind {
                visit(name, t.span);
            }
        });
    }
}

impl Formula {
    /// A formula of this kind at this position.
    pub fn new(kind: FormulaKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// The formula that consists of this atom.
    pub fn atom(term: Term) -> Self {
        let span = term.span;
        Self::new(FormulaKind::Atom(term), span)
    }

    /// The negation of an atom.
    pub fn negated(term: Term) -> Self {
        let span = term.span;
        Self::new(FormulaKind::Not(Box::new(Self::atom(term))), span)
    }

    /// Calls `visit` on every atom, and whether it is under an odd number of negations.
    pub fn atoms<'a>(&'a self, visit: &mut impl FnMut(&'a Term, bool)) {
        self.atoms_under(false, visit);
    }

    fn atoms_under<'a>(&'a self, negated: bool, visit: &mut impl FnMut(&'a Term, bool)) {
        match &self.kind {
            FormulaKind::Atom(term) => visit(term, negated),
            FormulaKind::Not(inner) => inner.atoms_under(!negated, visit),
            FormulaKind::And(all) | FormulaKind::Or(all) => {
                for f in all {
                    f.atoms_under(negated, visit);
                }
            }
        }
    }
}

impl Operation {
    /// Calls `visit` on every condition of an effect.
    pub fn conditions<'a>(&'a self, visit: &mut impl FnMut(&'a Formula)) {
        fn go<'a>(effects: &'a [Effect], visit: &mut impl FnMut(&'a Formula)) {
            for effect in effects {
                if let EffectKind::When(conditions, inner) = &effect.kind {
                    conditions.iter().for_each(&mut *visit);
                    go(inner, visit);
                }
            }
        }
        go(&self.effects, visit);
    }

    /// Calls `visit` on every atom that is added (`true`) or deleted (`false`).
    pub fn changes<'a>(&'a self, visit: &mut impl FnMut(&'a Term, bool)) {
        fn go<'a>(effects: &'a [Effect], visit: &mut impl FnMut(&'a Term, bool)) {
            for effect in effects {
                match &effect.kind {
                    EffectKind::Add(term) => visit(term, true),
                    EffectKind::Delete(term) => visit(term, false),
                    EffectKind::When(_, inner) => go(inner, visit),
                }
            }
        }
        go(&self.effects, visit);
    }
}
