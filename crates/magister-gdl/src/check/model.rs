//! A rulesheet as the checks see it: clauses, and the definitions and uses of every relation.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Dialect, Formula, FormulaKind, Rulesheet, StatementKind, Term, TermKind};
use crate::builtins::{Builtin, Use};
use crate::name::Name;
use magister_diagnostic::Span;

/// A rule or fact with a proper head.
pub(super) struct Clause<'a> {
    pub(super) head: &'a Term,
    pub(super) body: &'a [Formula],
    pub(super) relation: usize,
}

/// A relation: a name with a number of arguments.
pub(super) struct Relation<'a> {
    pub(super) name: &'a Name,
    pub(super) arity: usize,
    /// Heads.
    pub(super) defined: Vec<Span>,
    /// Conditions.
    pub(super) used: Vec<Span>,
    /// Effects, in operations.
    pub(super) changed: Vec<Span>,
}

pub(super) struct Model<'a> {
    pub(super) rules: &'a Rulesheet,
    pub(super) dialect: Dialect,
    pub(super) clauses: Vec<Clause<'a>>,
    pub(super) relations: Vec<Relation<'a>>,
    index: FxHashMap<(&'a str, usize), usize>,
}

impl<'a> Model<'a> {
    pub(super) fn new(rules: &'a Rulesheet) -> Self {
        let mut model = Self {
            rules,
            dialect: rules.dialect,
            clauses: Vec::new(),
            relations: Vec::new(),
            index: FxHashMap::default(),
        };
        let performed: FxHashSet<(&str, usize)> = rules
            .operations()
            .filter_map(|(o, _)| Some((o.action.name()?.as_str(), o.action.args().len())))
            .collect();
        for statement in &rules.statements {
            match &statement.kind {
                StatementKind::Rule(rule) => {
                    if let Some(relation) = model.relation(&rule.head) {
                        model.relations[relation].defined.push(rule.head.span);
                        model.clauses.push(Clause { head: &rule.head, body: &rule.body, relation });
                    }
                    model.uses(&rule.body);
                }
                StatementKind::Operation(operation) => {
                    operation.conditions(&mut |f| model.uses(std::slice::from_ref(f)));
                    operation.changes(&mut |term, _| {
                        // An effect that calls an operation does not itself change a fluent.
                        let called = term
                            .name()
                            .is_some_and(|n| performed.contains(&(n.as_str(), term.args().len())));
                        if called {
                            return;
                        }
                        if let Some(relation) = model.relation(term) {
                            model.relations[relation].changed.push(term.span);
                        }
                    });
                }
                StatementKind::Definition(..) | StatementKind::Stray(_) => {}
            }
        }
        model
    }

    fn relation(&mut self, atom: &'a Term) -> Option<usize> {
        let name = atom.name()?;
        let arity = atom.args().len();
        let next = self.relations.len();
        let id = *self.index.entry((name.as_str(), arity)).or_insert(next);
        if id == next {
            self.relations.push(Relation {
                name,
                arity,
                defined: Vec::new(),
                used: Vec::new(),
                changed: Vec::new(),
            });
        }
        Some(id)
    }

    fn uses(&mut self, body: &'a [Formula]) {
        for formula in body {
            formula.atoms(&mut |atom, _| self.use_of(atom));
        }
    }

    fn use_of(&mut self, atom: &'a Term) {
        if let Some(id) = self.relation(atom) {
            self.relations[id].used.push(atom.span);
        }
        // The formula inside an aggregate counts too.
        if let Some(formula) = self.inner_formula(atom) {
            self.use_inside(formula);
        }
    }

    fn use_inside(&mut self, term: &'a Term) {
        match &term.kind {
            TermKind::Compound(name, args) if matches!(name.as_str(), "and" | "or" | "not") => {
                args.iter().for_each(|a| self.use_inside(a));
            }
            _ => self.use_of(term),
        }
    }

    /// The formula that is an argument of this atom, if it is an aggregate.
    pub(super) fn inner_formula(&self, atom: &'a Term) -> Option<&'a Term> {
        if self.dialect != Dialect::Operations {
            return None;
        }
        let builtin = Builtin::find(atom.name()?)?;
        let takes_formula = builtin.usage == Use::Aggregate || builtin.name == "exists";
        if takes_formula { atom.args().get(1) } else { None }
    }

    /// The relation with this name and arity, if the rulesheet mentions it.
    pub(super) fn find(&self, name: &str, arity: usize) -> Option<usize> {
        self.index.get(&(name, arity)).copied()
    }

    /// The relation of an atom.
    pub(super) fn relation_of(&self, atom: &Term) -> Option<usize> {
        self.find(atom.name()?, atom.args().len())
    }

    /// The builtin of an atom, if the dialect has builtins.
    pub(super) fn builtin(&self, atom: &Term) -> Option<&'static Builtin> {
        if self.dialect != Dialect::Operations {
            return None;
        }
        Builtin::find(atom.name()?)
    }

    /// All heads of this name and arity.
    pub(super) fn heads(&self, name: &'static str, arity: usize) -> impl Iterator<Item = &'a Term> {
        self.clauses.iter().map(|c| c.head).filter(move |h| h.is(name, arity))
    }

    /// The constants that are declared as roles.
    pub(super) fn roles(&self) -> Vec<(&'a Name, Span)> {
        self.clauses
            .iter()
            .filter(|c| c.head.is("role", 1) && c.body.is_empty())
            .filter_map(|c| match &c.head.args()[0].kind {
                TermKind::Constant(name) => Some((name, c.head.span)),
                _ => None,
            })
            .collect()
    }
}

/// Whether a formula is an atom of this name.
pub(super) fn is_atom_named(formula: &Formula, name: &str) -> bool {
    matches!(&formula.kind, FormulaKind::Atom(t) if t.name().is_some_and(|n| n == name))
}

/// Calls `visit` on every atom of the rulesheet: heads, conditions, actions and effects.
pub(super) fn for_each_atom<'a>(rules: &'a Rulesheet, visit: &mut impl FnMut(&'a Term)) {
    for statement in &rules.statements {
        match &statement.kind {
            StatementKind::Rule(rule) => {
                visit(&rule.head);
                rule.body.iter().for_each(|f| f.atoms(&mut |t, _| visit(t)));
            }
            StatementKind::Operation(operation) => {
                visit(&operation.action);
                operation.conditions(&mut |f| f.atoms(&mut |t, _| visit(t)));
                operation.changes(&mut |t, _| visit(t));
            }
            StatementKind::Definition(head, value) => {
                visit(head);
                visit(value);
            }
            StatementKind::Stray(formula) => formula.atoms(&mut |t, _| visit(t)),
        }
    }
}
