//! Keywords, connectives and syntactic form: what may occur where.

use super::model::{Model, is_atom_named};
use super::{Report, arithmetic};
use crate::ast::{Dialect, Formula, FormulaKind, Rule, StatementKind, Syntax, Term, TermKind};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::suggest;
use crate::vocabulary::{self, is_connective, keyword};
use magister_diagnostic::Severity;

pub(super) fn check(model: &Model<'_>, report: &mut Report) {
    let form = Form { model, operations: model.dialect == Dialect::Operations };
    for statement in &model.rules.statements {
        match &statement.kind {
            StatementKind::Rule(rule) => form.rule(rule, statement.span, report),
            StatementKind::Operation(operation) => {
                if !form.operations {
                    report.push(
                        Diagnostic::new(
                            Code::WrongDialect,
                            operation.action.span,
                            "an operation in a GDL rulesheet",
                        )
                        .help("describe the next state with `next` and `does`"),
                    );
                }
                form.shape(&operation.action, report);
                operation.conditions(&mut |f| form.formula(f, false, report));
                operation.changes(&mut |t, _| {
                    match t.name() {
                        None => report.push(form.not_an_atom(t, "an effect")),
                        Some(name) if is_connective(name) => report.push(
                            Diagnostic::new(
                                Code::ConnectiveAsName,
                                t.span,
                                "an effect adds or deletes one relation, not a formula",
                            )
                            .help("write one effect for each relation, joined by `&`"),
                        ),
                        Some(_) => {}
                    }
                    form.shape(t, report);
                });
            }
            StatementKind::Stray(formula) => {
                report.push(
                    Diagnostic::new(
                        Code::Stray,
                        formula.span,
                        "this formula is neither a fact nor a rule",
                    )
                    .help("is the statement before it broken, perhaps by a misplaced `(`?"),
                );
                form.formula(formula, false, report);
            }
            StatementKind::Definition(head, value) => {
                // Conditions may occur inside `if`, but a connective alone is not a term.
                for term in [head, value] {
                    term.walk(&mut |t| {
                        if let TermKind::Constant(name) = &t.kind
                            && is_connective(name)
                        {
                            report.push(Diagnostic::new(
                                Code::ConnectiveAsName,
                                t.span,
                                format!("`{name}` cannot be a constant"),
                            ));
                        }
                    });
                }
            }
        }
    }
}

struct Form<'a> {
    model: &'a Model<'a>,
    operations: bool,
}

impl Form<'_> {
    fn rule(&self, rule: &Rule, span: magister_diagnostic::Span, report: &mut Report) {
        self.head(rule, report);
        if rule.arrow && rule.body.is_empty() {
            report.push(
                Diagnostic::new(Code::EmptyBody, span, "this rule has no conditions")
                    .help("write it as a fact, without the arrow"),
            );
        }
        for formula in &rule.body {
            self.formula(formula, false, report);
        }
    }

    fn head(&self, rule: &Rule, report: &mut Report) {
        let head = &rule.head;
        self.shape(head, report);
        let Some(name) = head.name() else {
            report.push(self.not_an_atom(head, "a head"));
            return;
        };
        if is_connective(name) {
            report.push(
                Diagnostic::new(
                    Code::ConnectiveAsName,
                    head.span,
                    format!("`{name}` cannot be defined"),
                )
                .help("is a parenthesis in the wrong place?"),
            );
            return;
        }
        let fact = rule.body.is_empty();
        if let Some(keyword) = keyword(self.model.dialect, name) {
            if !keyword.head {
                report.push(
                    Diagnostic::new(
                        Code::KeywordInHead,
                        head.span,
                        format!("`{name}` comes from the match and cannot be defined"),
                    )
                    .help(match name.as_str() {
                        "true" => "use `init` for the start and `next` for later states",
                        _ => "use `legal` to say which moves are possible",
                    }),
                );
            } else if name == "role" && !fact {
                report.push(
                    Diagnostic::new(
                        Code::KeywordInHead,
                        head.span,
                        "roles must be stated as ground facts",
                    )
                    .help("write one fact for each role, in seat order"),
                );
            }
            self.arity(head, keyword.arity, report);
        } else if self.operations && is_older(name, head.args().len()) {
            report.push(
                Diagnostic::new(
                    Code::WrongDialect,
                    head.span,
                    format!("`{name}` has no meaning in Gamemaster's dialect"),
                )
                .help("describe what an action does with `action :: conditions ==> effects`"),
            );
        }
    }

    fn arity(&self, atom: &Term, wanted: usize, report: &mut Report) {
        let found = atom.args().len();
        if found == wanted {
            return;
        }
        let name = atom.name().map_or("", |n| n.as_str());
        let message = format!("`{name}` has {} and must have {wanted}", arguments(found));
        let mut diagnostic = Diagnostic::new(Code::KeywordArity, atom.span, message);
        let other = match (name, self.operations) {
            ("legal", true) => Some("legal(a) applies to the role in control; leave out the role"),
            ("legal", false) => Some("legal takes a role and a move"),
            ("goal", _) => Some("goal takes a role and a value"),
            _ => None,
        };
        if let Some(help) = other {
            diagnostic = diagnostic.help(help);
        }
        report.push(diagnostic);
    }

    fn formula(&self, formula: &Formula, in_or: bool, report: &mut Report) {
        match &formula.kind {
            FormulaKind::Atom(term) => self.condition(term, report),
            FormulaKind::Not(inner) => {
                let sentence =
                    matches!(inner.kind, FormulaKind::Atom(_)) && !is_atom_named(inner, "distinct");
                if !sentence && !self.operations {
                    let help = if is_atom_named(inner, "distinct") {
                        "use the same variable twice instead"
                    } else {
                        "define the formula as a relation by a separate rule, and negate that relation"
                    };
                    report.push(
                        Diagnostic::new(
                            Code::NegatedFormula,
                            formula.span,
                            "only a single relation can be negated",
                        )
                        .help(help),
                    );
                }
                self.formula(inner, false, report);
            }
            FormulaKind::And(all) => {
                if self.model.rules.syntax == Syntax::Kif {
                    report.push(
                        Diagnostic::new(
                            Code::Conjunction,
                            formula.span,
                            "`and` is not part of GDL; it is read as a conjunction here",
                        )
                        .help("other programs read it as a relation: use a separate rule"),
                    );
                }
                all.iter().for_each(|f| self.formula(f, false, report));
            }
            FormulaKind::Or(all) => {
                if in_or {
                    report.push(
                        Diagnostic::new(
                            Code::OddDisjunction,
                            formula.span,
                            "a disjunction inside a disjunction",
                        )
                        .help("move its members into the outer one"),
                    );
                } else if all.len() < 2 {
                    report.push(
                        Diagnostic::new(
                            Code::OddDisjunction,
                            formula.span,
                            match all.len() {
                                0 => "an empty disjunction, which is false",
                                _ => "a disjunction with one member",
                            },
                        )
                        .help("remove the `or`"),
                    );
                }
                all.iter().for_each(|f| self.formula(f, true, report));
            }
        }
    }

    fn condition(&self, atom: &Term, report: &mut Report) {
        self.shape(atom, report);
        let Some(name) = atom.name() else {
            report.push(self.not_an_atom(atom, "a condition"));
            return;
        };
        if is_connective(name) && name != "distinct" {
            let help = arithmetic::advice(name, atom.args().len(), self.model.rules.syntax);
            report.push(
                Diagnostic::new(
                    Code::ConnectiveAsName,
                    atom.span,
                    format!("`{name}` is a connective and cannot be used here"),
                )
                .maybe_help(help),
            );
            return;
        }
        if self.model.builtin(atom).is_some() {
            return;
        }
        if let Some(keyword) = keyword(self.model.dialect, name) {
            if !keyword.body {
                let help = match name.as_str() {
                    "init" | "next" | "base" => "test the state with `true`",
                    _ => "test the state with `true` and the moves with `does`",
                };
                report.push(
                    Diagnostic::new(
                        Code::KeywordInBody,
                        atom.span,
                        format!("`{name}` cannot be a condition"),
                    )
                    .help(if self.operations {
                        "test fluents by their names"
                    } else {
                        help
                    }),
                );
            }
            self.arity(atom, keyword.arity, report);
        } else if self.operations && is_older(name, atom.args().len()) {
            report.push(
                Diagnostic::new(
                    Code::WrongDialect,
                    atom.span,
                    format!("`{name}` has no meaning in Gamemaster's dialect and is never true"),
                )
                .help("test fluents by their names; the action is the head of an operation"),
            );
        }
    }

    /// Checks the syntax of an atom: its arguments, and superfluous parentheses.
    fn shape(&self, atom: &Term, report: &mut Report) {
        Self::needless(atom, report);
        let formula = self.model.inner_formula(atom);
        // A percept may have the name of the move it reports; that is unambiguous.
        let percept = atom.is("sees", 2) || atom.is("percept", 2);
        for arg in atom.children() {
            if formula.is_some_and(|f| std::ptr::eq(f, arg)) {
                continue;
            }
            self.argument(arg, percept, report);
        }
    }

    fn argument(&self, term: &Term, percept: bool, report: &mut Report) {
        if !term.name().is_some_and(|n| self.is_keyword(n)) {
            Self::needless(term, report);
        }
        match &term.kind {
            TermKind::Compound(name, _) if is_connective(name) => {
                let infix = self.model.rules.syntax == Syntax::Infix;
                report.push(
                    Diagnostic::new(
                        Code::ConnectiveAsName,
                        term.span,
                        format!("`{name}` builds formulas and cannot be inside a term"),
                    )
                    .help(if infix && name == "and" {
                        "there are no tuples: give the pair a name, as in `pair(a,b)`"
                    } else {
                        "is a parenthesis in the wrong place?"
                    }),
                );
            }
            TermKind::Constant(name) if is_connective(name) => {
                report.push(
                    Diagnostic::new(
                        Code::ConnectiveAsName,
                        term.span,
                        format!("`{name}` cannot be a constant"),
                    )
                    .help("is a parenthesis missing before it?"),
                );
            }
            TermKind::Compound(name, _) if !self.operations && self.is_keyword(name) => {
                report.push(
                    Diagnostic::new(
                        Code::KeywordAsFunction,
                        term.span,
                        format!("the keyword `{name}` cannot be used as a function"),
                    )
                    .help(if percept {
                        "name the percept differently, as in `(did ...)`"
                    } else {
                        "is a parenthesis in the wrong place?"
                    })
                    .severity(if percept {
                        Severity::Warning
                    } else {
                        Severity::Error
                    }),
                );
            }
            TermKind::Constant(name) if !self.operations && self.is_keyword(name) => {
                report.push(
                    Diagnostic::new(
                        Code::KeywordAsConstant,
                        term.span,
                        format!("the keyword `{name}` is used as a constant"),
                    )
                    .help("choose another name"),
                );
            }
            _ => {}
        }
        term.children().for_each(|t| self.argument(t, percept, report));
    }

    fn not_an_atom(&self, term: &Term, what: &str) -> Diagnostic {
        not_an_atom(term, what, self.model.rules.syntax)
    }

    fn is_keyword(&self, name: &str) -> bool {
        keyword(self.model.dialect, name).is_some()
    }

    fn needless(term: &Term, report: &mut Report) {
        if let TermKind::Compound(name, args) = &term.kind
            && args.is_empty()
            && !is_connective(name)
            && report.once(Code::NeedlessParentheses, name)
        {
            report.push(
                Diagnostic::new(
                    Code::NeedlessParentheses,
                    term.span,
                    format!("`{name}` has parentheses but no arguments"),
                )
                .help(format!(
                    "write `{name}`: some programs treat the two spellings as different"
                )),
            );
        }
    }
}

/// Whether an atom is a keyword of GDL that Gamemaster's dialect no longer has.
pub(super) fn is_older(name: &str, arity: usize) -> bool {
    matches!((name, arity), ("next" | "true", 1) | ("does" | "input", 2))
}

fn not_an_atom(term: &Term, what: &str, syntax: Syntax) -> Diagnostic {
    let shown = match (&term.kind, syntax) {
        (TermKind::Variable(name), Syntax::Kif) => format!("the variable `?{name}`"),
        (TermKind::Variable(name), Syntax::Infix) => format!("the variable `{name}`"),
        (TermKind::Wildcard, _) => "`_`".to_owned(),
        _ => "a list".to_owned(),
    };
    Diagnostic::new(Code::NotAnAtom, term.span, format!("{shown} cannot be {what}"))
        .help("write a relation with its arguments")
}

/// `one argument`, `3 arguments`.
pub(super) fn arguments(count: usize) -> String {
    match count {
        0 => "no arguments".to_owned(),
        1 => "one argument".to_owned(),
        n => format!("{n} arguments"),
    }
}

/// The keyword that was probably intended.
pub(super) fn near_keyword(dialect: Dialect, name: &str) -> Option<&'static str> {
    suggest::nearest(name, vocabulary::keywords(dialect).map(|k| k.name))
}
