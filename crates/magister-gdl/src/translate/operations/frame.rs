//! Rules for the whole game: turns, idle moves, and the frame rules.

use rustc_hash::FxHashSet;

use super::terms::{key, numbered, relation};
use super::{Key, Translator};
use crate::ast::{Formula, Rulesheet, Statement, StatementKind, Term};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::name::Name;
use magister_diagnostic::Span;

impl Translator<'_> {
    /// Rules for the whole game: turns, idle moves, and the frame rules.
    pub(super) fn frame(&mut self) {
        let at = Span::default();
        let variable = |name: &str| Term::variable(name, at);
        let atom = |name: &str, args: Vec<Term>| Term::compound(name, args, at);
        let role = || Formula::atom(atom("role", vec![variable("R")]));
        let idle = Term::constant(self.names.idle.clone(), at);

        let control = atom("control", vec![variable("R")]);
        let stated = self.views.contains("control");
        let fluent = self.is_fluent("control");
        let in_control = if stated { control } else { atom("true", vec![control]) };
        let legal = Formula::atom(atom(&self.names.legal, vec![variable("A")]));
        let head = atom("legal", vec![variable("R"), variable("A")]);
        if stated || fluent {
            let body = vec![role(), Formula::atom(in_control.clone()), legal];
            self.emit(head, body, at);
            let head = atom("legal", vec![variable("R"), idle.clone()]);
            self.emit(head, vec![role(), Formula::negated(in_control)], at);
        } else if self.roles <= 1 {
            self.emit(head, vec![role(), legal], at);
        } else {
            self.problem(
                Diagnostic::new(Code::NoControl, at, "no fact or rule says whose turn it is")
                    .help("make `control(r)` a fluent"),
            );
        }

        let defined =
            |name: &str, rules: &Rulesheet| rules.rules().any(|(r, _)| r.head.is(name, 1));
        if self.complete_base {
            let listed = self
                .rules
                .rules()
                .any(|(r, _)| r.head.is("base", 1) && r.head.args()[0].is("control", 1));
            if fluent && !stated && !listed {
                let head = atom("base", vec![atom("control", vec![variable("R")])]);
                self.emit(head, vec![role()], at);
            }
            if defined("action", self.rules) {
                let head = atom("input", vec![variable("R"), variable("A")]);
                let action = Formula::atom(atom("action", vec![variable("A")]));
                self.emit(head, vec![role(), action], at);
                let head = atom("input", vec![variable("R"), idle]);
                self.emit(head, vec![role()], at);
            }
        }

        self.called_actions();
        self.facts_from_actions();
        let p = || vec![variable("P")];
        let added = Formula::atom(atom(&self.names.added, p()));
        let deleted = self.names.deleted.clone();
        let holds = Formula::atom(atom("true", p()));
        let has = |out: &[Statement], name: &Name| {
            out.iter().any(|s| matches!(&s.kind, StatementKind::Rule(r) if r.head.is(name, 1)))
        };
        if has(&self.out, &self.names.added) {
            self.emit(atom("next", p()), vec![added], at);
        }
        let mut stays = vec![holds];
        if has(&self.out, &deleted) {
            stays.push(Formula::negated(atom(&deleted, p())));
        }
        self.emit(atom("next", p()), stays, at);
    }

    /// An operation that effects call may also be an action.
    fn called_actions(&mut self) {
        let actions = self.rules.rules().filter(|(r, _)| is_action_head(&r.head));
        let mut both: Vec<(Key, Name)> = actions
            .filter_map(|(r, _)| {
                let key = key(&r.head.args()[0])?;
                let name = self.called.get(&key)?.clone();
                Some((key, name))
            })
            .collect();
        both.sort_unstable();
        both.dedup();
        for ((action, arity), name) in both {
            let at = Span::default();
            let args = numbered(arity);
            let action = self.term(&relation(action, args.clone(), at));
            let does = Term::compound("does", vec![Term::variable("R", at), action], at);
            self.emit(relation(name, args, at), vec![Formula::atom(does)], at);
        }
    }

    /// An action without an operation is added to the state itself.
    fn facts_from_actions(&mut self) {
        let mut seen = FxHashSet::default();
        let mut open = Vec::new();
        for (rule, _) in self.rules.rules() {
            if !is_action_head(&rule.head) {
                continue;
            }
            let Some(key) = key(&rule.head.args()[0]) else { continue };
            if !self.operations.contains_key(&key) && seen.insert(key.clone()) {
                open.push(key);
            }
        }
        for (name, arity) in open {
            let at = Span::default();
            let action = relation(name, numbered(arity), at);
            let head = Term::compound(self.names.added.clone(), vec![self.term(&action)], at);
            let performed = self.performed(&action, None);
            self.emit(head, vec![performed], at);
        }
    }

    /// Whether a name can become true as a fluent.
    fn is_fluent(&self, name: &str) -> bool {
        let mut found = self.rules.rules().any(|(r, _)| {
            r.head.is("init", 1) && r.head.args()[0].name().is_some_and(|n| n == name)
        });
        for (operation, _) in self.rules.operations() {
            operation.changes(&mut |t, add| {
                found |= add && t.name().is_some_and(|n| n == name);
            });
        }
        found
    }
}

/// Whether a head declares an action.
fn is_action_head(head: &Term) -> bool {
    head.is("legal", 1) || head.is("action", 1)
}
