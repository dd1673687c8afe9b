//! Gamemaster's operations to GDL.
//!
//! Performing an action makes some facts true and others false; all other facts do not change. In
//! GDL this is
//!
//! ```text
//! added(p)     :- does(R,a) & conditions        for each effect p of a
//! deleted(p)   :- does(R,a) & conditions        for each effect ~p of a
//! performs_b   :- does(R,a) & conditions        for each effect b that is an operation
//! next(P)      :- added(P)
//! next(P)      :- true(P) & ~deleted(P)
//! ```
//!
//! where an operation that effects call has `performs_b` in place of `does(R,b)`. As in Gamemaster,
//! conditions refer to the old state, and additions take precedence over deletions. The role in
//! control has the legal actions; the others have a move without effect.

mod body;
mod frame;
mod terms;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Translated, fresh_list};
use crate::ast::{
    Dialect, Effect, EffectKind, Formula, FormulaKind, Rule, Rulesheet, Statement, StatementKind,
    Style, Term, TermKind,
};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::name::Name;
use magister_diagnostic::Severity;
use magister_diagnostic::Span;
use terms::{
    bound_by, covers, first_unbound, fresh_name, is_foreign_keyword, key, may_match, relation,
};

pub(super) fn to_gdl(rules: &Rulesheet) -> Result<Translated, Diagnostics> {
    let mut translator = Translator::new(rules);
    for statement in &rules.statements {
        translator.statement(statement);
    }
    translator.open_actions();
    translator.frame();
    if translator.problems.has_errors() {
        return Err(translator.problems);
    }
    Ok(Translated {
        rules: Rulesheet {
            syntax: rules.syntax,
            dialect: Dialect::Gdl,
            style: Style::default(),
            statements: translator.out,
            comments: rules.comments.clone(),
        },
        diagnostics: translator.problems,
    })
}

/// Names that the translation adds, chosen to be new.
struct Fresh {
    added: Name,
    deleted: Name,
    legal: Name,
    idle: Name,
    initial: Name,
    possible: Name,
}

/// A name with a number of arguments.
type Key = (Name, usize);

/// The bound variables at some point.
type Bound = FxHashSet<Name>;

struct Translator<'a> {
    rules: &'a Rulesheet,
    taken: FxHashSet<Name>,
    /// Relations that the rulesheet defines; everything else is a fluent.
    views: FxHashSet<&'a str>,
    /// The heads of operations, by name and arity.
    operations: FxHashMap<Key, Vec<&'a Term>>,
    /// The operations that effects call, each with the relation for its performance.
    called: FxHashMap<Key, Name>,
    roles: usize,
    /// Fluents that may become true; `None` if some head or effect is open.
    fluents: Option<FxHashSet<Key>>,
    /// Whether `base` covers every fluent, so that it can be kept.
    complete_base: bool,
    /// Relations that conditions use.
    asked: FxHashSet<&'a str>,
    names: Fresh,
    /// Names of the game that are keywords of GDL.
    renamed: FxHashMap<Name, Name>,
    /// Whether the current rule is fixed before the first move.
    fixed: bool,
    helpers: usize,
    out: Vec<Statement>,
    problems: Diagnostics,
}

impl<'a> Translator<'a> {
    fn new(rules: &'a Rulesheet) -> Self {
        let mut taken = FxHashSet::default();
        let mut views: FxHashSet<&str> = FxHashSet::default();
        let mut asked: FxHashSet<&str> = FxHashSet::default();
        let mut collect = |t: &Term| {
            t.walk(&mut |t| taken.extend(t.name().cloned()));
        };
        for statement in &rules.statements {
            let mut conditions = |f: &'a Formula| {
                f.atoms(&mut |t, _| {
                    collect(t);
                    asked.extend(t.name().map(Name::as_str));
                });
            };
            match &statement.kind {
                StatementKind::Rule(rule) => {
                    rule.body.iter().for_each(&mut conditions);
                    collect(&rule.head);
                    views.extend(rule.head.name().map(Name::as_str));
                }
                StatementKind::Operation(operation) => {
                    operation.conditions(&mut conditions);
                    operation.changes(&mut |t, _| collect(t));
                    collect(&operation.action);
                    views.extend(operation.action.name().map(Name::as_str));
                }
                StatementKind::Definition(..) | StatementKind::Stray(_) => {}
            }
        }
        let mut fresh = |wishes: &[&str]| fresh_name(&mut taken, wishes);
        let names = Fresh {
            added: fresh(&["added", "becomes_true"]),
            deleted: fresh(&["deleted", "becomes_false"]),
            legal: fresh(&["legal_action", "possible_action"]),
            idle: fresh(&["noop", "idle", "wait"]),
            initial: fresh(&["initially"]),
            possible: fresh(&["fluent"]),
        };
        let mut clashes: Vec<Name> =
            taken.iter().filter(|n| is_foreign_keyword(n)).cloned().collect();
        clashes.sort_unstable();
        let renamed = clashes
            .into_iter()
            .map(|name| {
                let new = fresh_name(&mut taken, &[&format!("{name}_")]);
                (name, new)
            })
            .collect();
        let mut operations: FxHashMap<Key, Vec<&Term>> = FxHashMap::default();
        for (operation, _) in rules.operations() {
            if let Some(key) = key(&operation.action) {
                operations.entry(key).or_default().push(&operation.action);
            }
        }
        let roles = rules.rules().filter(|(r, _)| r.head.is("role", 1)).count();
        let mut translator = Self {
            rules,
            taken,
            asked,
            views,
            operations,
            called: FxHashMap::default(),
            roles,
            fluents: None,
            complete_base: false,
            names,
            renamed,
            fixed: false,
            helpers: 0,
            out: Vec::new(),
            problems: fresh_list(),
        };
        translator.complete_base = translator.base_is_complete();
        translator.find_calls();
        translator.fluents = translator.find_fluents();
        translator
    }

    fn find_calls(&mut self) {
        let mut keys: Vec<Key> = Vec::new();
        for (operation, _) in self.rules.operations() {
            operation.changes(&mut |t, add| {
                if add && self.is_operation(t) == Some(true) {
                    keys.extend(key(t));
                }
            });
        }
        for key in keys {
            if !self.called.contains_key(&key) {
                let name = fresh_name(&mut self.taken, &[&format!("performs_{}", key.0)]);
                self.called.insert(key, name);
            }
        }
    }

    fn find_fluents(&self) -> Option<FxHashSet<Key>> {
        let mut found = FxHashSet::default();
        let mut open = false;
        let mut add = |t: &Term| match key(t) {
            Some(key) => _ = found.insert(key),
            None => open = true,
        };
        for (rule, _) in self.rules.rules() {
            // An action without an operation becomes a fact, so actions count too.
            if ["init", "legal", "action"].iter().any(|k| rule.head.is(k, 1)) {
                let term = &rule.head.args()[0];
                if rule.head.is("init", 1) || !term.is_variable() {
                    add(term);
                }
            }
        }
        for (operation, _) in self.rules.operations() {
            operation.changes(&mut |t, positive| {
                if positive {
                    add(t);
                }
            });
        }
        (!open).then_some(found)
    }

    /// Actions must be known by name, because their effect depends on whether they have an
    /// operation.
    fn open_actions(&mut self) {
        let heads =
            |name: &'static str| self.rules.rules().filter(move |(r, _)| r.head.is(name, 1));
        let open = |(rule, _): &(&'a Rule, Span)| rule.head.args()[0].is_variable();
        let listed = heads("action").next().is_some() && !heads("action").any(|r| open(&r));
        let culprit = heads("legal").chain(heads("action")).find(open);
        if let Some((rule, _)) = culprit
            && !listed
        {
            self.problem(
                Diagnostic::new(
                    Code::NotExpressible,
                    rule.head.span,
                    "this does not determine which actions exist",
                )
                .help("list all actions with `action(...)`"),
            );
        }
    }

    /// Whether `base` lists every possible fluent by name and arity.
    fn base_is_complete(&self) -> bool {
        let heads = |name: &'static str| {
            self.rules
                .rules()
                .filter(move |(r, _)| r.head.is(name, 1))
                .map(|(r, _)| &r.head.args()[0])
        };
        let listed: FxHashSet<_> = heads("base").map(key).collect();
        let covers = |t: &Term| t.is("control", 1) || listed.contains(&key(t));
        let mut complete = !listed.is_empty() && heads("init").all(covers);
        for (operation, _) in self.rules.operations() {
            operation.changes(&mut |t, add| {
                complete &= !add || covers(t) || self.is_operation(t) == Some(true);
            });
        }
        complete
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.problems.push(diagnostic);
    }

    fn emit(&mut self, head: Term, body: Vec<Formula>, span: Span) {
        let arrow = !body.is_empty();
        let rule = Rule { head, body, arrow };
        self.out.push(Statement { kind: StatementKind::Rule(rule), span });
    }

    fn statement(&mut self, statement: &'a Statement) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Rule(rule) => self.rule(rule, span),
            StatementKind::Operation(operation) => {
                let performed = self.performed(&operation.action, Some(statement));
                self.effects(&operation.effects, &[performed], span);
            }
            StatementKind::Definition(head, _) => self.problem(
                Diagnostic::new(
                    Code::NoCounterpart,
                    head.span,
                    "a function definition has no counterpart in GDL",
                )
                .help("tabulate the function with facts"),
            ),
            StatementKind::Stray(formula) => self.problem(
                Diagnostic::new(Code::Stray, formula.span, "this stray formula is left out")
                    .severity(Severity::Warning),
            ),
        }
    }

    fn rule(&mut self, rule: &'a Rule, span: Span) {
        let head = &rule.head;
        let Some(name) = head.name() else {
            self.left_out(head.span, "a rule without a relation in its head is left out");
            return;
        };
        // In Gamemaster the query binds the role of a goal; here a condition must.
        let role: Vec<Formula> = match head.args().first() {
            Some(Term { kind: TermKind::Variable(role), .. })
                if head.is("goal", 2) && !bound_by(&rule.body).contains(role) =>
            {
                let role = Term::compound("role", vec![head.args()[0].clone()], head.span);
                vec![Formula::atom(role)]
            }
            _ => Vec::new(),
        };
        self.fixed = ["init", "base", "action"].iter().any(|k| head.is(k, 1));
        let body = self.body(&rule.body, &role);
        self.fixed = false;
        let Some(mut body) = body else { return };
        let mut bound = bound_by(&rule.body);
        bound.extend(bound_by(&role));
        body.splice(0..0, role);
        let new_head = match (name.as_str(), head.args().len()) {
            ("legal", 1) => {
                Term::compound(self.names.legal.clone(), self.terms(head.args()), head.span)
            }
            ("base", 1) => {
                let args = self.terms(head.args());
                if self.asked.contains("base") {
                    let copy = Term::compound(self.names.possible.clone(), args.clone(), head.span);
                    self.emit(copy, body.clone(), span);
                }
                if !self.complete_base {
                    return;
                }
                Term::compound("base", args, head.span)
            }
            ("init", 1) => {
                let args = self.terms(head.args());
                if self.asked.contains("init") {
                    let copy = Term::compound(self.names.initial.clone(), args.clone(), head.span);
                    self.emit(copy, body.clone(), span);
                }
                Term::compound("init", args, head.span)
            }
            _ => self.term(head),
        };
        if let Some((variable, at)) = first_unbound(head, &bound) {
            self.problem(
                Diagnostic::new(
                    Code::NotExpressible,
                    at,
                    format!("only the query binds `{variable}`, which GDL does not allow"),
                )
                .help(format!("add a condition that says which values `{variable}` may take")),
            );
        }
        self.emit(new_head, body, span);
    }

    fn left_out(&mut self, span: Span, why: &str) {
        self.problem(Diagnostic::new(Code::NotAnAtom, span, why).severity(Severity::Warning));
    }

    /// The condition that an action is performed, in a rule with the variables of `statement`.
    fn performed(&self, action: &Term, statement: Option<&Statement>) -> Formula {
        let span = action.span;
        if let Some(name) = key(action).and_then(|k| self.called.get(&k)) {
            return Formula::atom(relation(name.clone(), self.terms(action.args()), span));
        }
        let mut used = FxHashSet::default();
        if let Some(Statement { kind: StatementKind::Operation(operation), .. }) = statement {
            let mut collect = |t: &Term| t.variables(&mut |v, _| _ = used.insert(v.clone()));
            collect(&operation.action);
            operation.changes(&mut |t, _| collect(t));
            operation.conditions(&mut |f| f.atoms(&mut |t, _| collect(t)));
        }
        let role = fresh_name(&mut used, &["R", "Role", "Player"]);
        let does = vec![Term::variable(role, span), self.term(action)];
        Formula::atom(Term::compound("does", does, span))
    }

    /// The rules for these effects, which happen if `conditions` hold.
    fn effects(&mut self, effects: &'a [Effect], conditions: &[Formula], span: Span) {
        for effect in effects {
            match &effect.kind {
                EffectKind::When(more, inner) => {
                    let Some(more) = self.body(more, conditions) else {
                        continue;
                    };
                    let all: Vec<Formula> = conditions.iter().cloned().chain(more).collect();
                    self.effects(inner, &all, span);
                }
                EffectKind::Add(term) => self.effect(term, true, conditions, span),
                EffectKind::Delete(term) => self.effect(term, false, conditions, span),
            }
        }
    }

    fn effect(&mut self, term: &'a Term, add: bool, conditions: &[Formula], span: Span) {
        if let Some((variable, at)) = first_unbound(term, &bound_by(conditions)) {
            self.problem(
                Diagnostic::new(
                    Code::NotExpressible,
                    at,
                    format!("nothing binds `{variable}` in this effect"),
                )
                .help("bind it in the action, or in a condition before `==>`"),
            );
            return;
        }
        let called = if add { self.is_operation(term) } else { Some(false) };
        let Some(called) = called else {
            self.problem(
                Diagnostic::new(
                    Code::NotExpressible,
                    term.span,
                    "this effect is an operation for some values and a fact for others",
                )
                .help("use only variables in the heads of operations that effects call"),
            );
            return;
        };
        let head = if called {
            match self.performed(term, None).kind {
                FormulaKind::Atom(atom) => atom,
                _ => return,
            }
        } else {
            let change = if add { &self.names.added } else { &self.names.deleted };
            Term::compound(change.clone(), vec![self.term(term)], term.span)
        };
        self.emit(head, conditions.to_vec(), span);
    }

    /// Whether an effect calls an operation: always, never, or (`None`) only for some values.
    fn is_operation(&self, term: &Term) -> Option<bool> {
        let mut partly = false;
        let heads = key(term).and_then(|k| self.operations.get(&k));
        for action in heads.into_iter().flatten() {
            if covers(action, term) {
                return Some(true);
            }
            partly |= may_match(action, term);
        }
        if partly { None } else { Some(false) }
    }

    fn terms(&self, terms: &[Term]) -> Vec<Term> {
        terms.iter().map(|t| self.term(t)).collect()
    }

    /// A term in which names that are keywords of GDL are renamed.
    fn term(&self, term: &Term) -> Term {
        let rename = |name: &Name| self.renamed.get(name).unwrap_or(name).clone();
        let kind = match &term.kind {
            TermKind::Constant(name) => TermKind::Constant(rename(name)),
            TermKind::Compound(name, args) => {
                TermKind::Compound(rename(name), args.iter().map(|t| self.term(t)).collect())
            }
            TermKind::List(items, tail) => TermKind::List(
                items.iter().map(|t| self.term(t)).collect(),
                tail.as_ref().map(|t| Box::new(self.term(t))),
            ),
            kind => kind.clone(),
        };
        Term::new(kind, term.span)
    }
}
