//! Whether the rules of two roles are the same when the roles are exchanged.
//!
//! The check is sound and incomplete: every rule for legal moves and for the next state must become
//! another such rule, up to the names of variables and the order of conditions, when the roles are
//! exchanged in control fluents, in `does` and in `legal`.

use std::fmt::Write as _;

use magister_engine::Program;
use magister_engine::program::{Goal, Pattern, Rule};
use magister_engine::term::{Functor, TermId};
use rustc_hash::FxHashSet;

use super::Roots;

pub(super) fn check(program: &Program, roots: &Roots, context: &FxHashSet<Functor>) -> bool {
    let &[one, two] = &program.roles[..] else { return false };
    let relations = [roots.legal, roots.next].into_iter().flatten();
    relations.into_iter().all(|relation| {
        let info = &program.relations[relation.index()];
        let legal = Some(relation) == roots.legal;
        let exchange = Exchange { program, roles: (one, two), context, legal };
        let rules = || info.rules.iter().map(|&rule| &program.rules[rule as usize]);
        let plain: FxHashSet<String> = rules().map(|rule| exchange.text(rule, false)).collect();
        // Facts name a role only where legal moves do.
        let facts: FxHashSet<Vec<TermId>> =
            info.facts.iter().map(|&fact| program.terms.args(fact).to_vec()).collect();
        let swapped = |args: &Vec<TermId>| match args[..] {
            [role, choice] if legal => vec![exchange.term(role), choice],
            _ => args.clone(),
        };
        rules().all(|rule| plain.contains(&exchange.text(rule, true)))
            && facts.iter().all(|args| facts.contains(&swapped(args)))
    })
}

struct Exchange<'a> {
    program: &'a Program,
    roles: (TermId, TermId),
    context: &'a FxHashSet<Functor>,
    /// Whether the rules are those of legal moves.
    legal: bool,
}

impl Exchange<'_> {
    fn term(&self, term: TermId) -> TermId {
        match term {
            role if role == self.roles.0 => self.roles.1,
            role if role == self.roles.1 => self.roles.0,
            other => other,
        }
    }

    /// A rule as text that is independent of the names of variables and the order of conditions,
    /// with the roles exchanged or unchanged.
    fn text(&self, rule: &Rule, swap: bool) -> String {
        // Conditions are first sorted without their variables; variables are then named by
        // occurrence.
        let mut body: Vec<usize> = (0..rule.body.len()).collect();
        let blank = |at: usize| self.literal(rule, at, swap, &mut |_| "?".to_owned());
        body.sort_by_cached_key(|&at| blank(at));
        let mut names: Vec<u32> = Vec::new();
        let mut name = |variable: u32| {
            let at = names.iter().position(|&known| known == variable).unwrap_or_else(|| {
                names.push(variable);
                names.len() - 1
            });
            format!("?{at}")
        };
        let mut text = String::new();
        for (at, arg) in rule.head.args.iter().enumerate() {
            let swap = swap && (self.legal && at == 0 || !self.legal && self.is_control(arg));
            text += &self.pattern(arg, swap, &mut name);
            text.push(' ');
        }
        for at in body {
            text += "& ";
            text += &self.literal(rule, at, swap, &mut name);
        }
        text
    }

    fn literal(
        &self,
        rule: &Rule,
        at: usize,
        swap: bool,
        name: &mut impl FnMut(u32) -> String,
    ) -> String {
        let literal = &rule.body[at];
        let mut text = if literal.negated { "not ".to_owned() } else { String::new() };
        match &literal.goal {
            Goal::Fluent(fluent) => {
                text += "true ";
                text += &self.pattern(fluent, swap && self.is_control(fluent), name);
            }
            Goal::Does(role, choice) => {
                text += "does ";
                text += &self.pattern(role, swap, name);
                text.push(' ');
                text += &self.pattern(choice, false, name);
            }
            Goal::Relation(atom) | Goal::Aggregate(_, atom, _) => {
                let _ = write!(text, "{} ", atom.relation.0);
                for arg in &atom.args {
                    text += &self.pattern(arg, false, name);
                    text.push(' ');
                }
            }
            Goal::Distinct(a, b) => {
                let mut both = [self.pattern(a, swap, name), self.pattern(b, swap, name)];
                both.sort();
                let _ = write!(text, "distinct {} {}", both[0], both[1]);
            }
            Goal::Builtin(builtin, args) => {
                let _ = write!(text, "{builtin:?} ");
                for arg in args {
                    text += &self.pattern(arg, false, name);
                    text.push(' ');
                }
            }
        }
        text
    }

    fn is_control(&self, fluent: &Pattern) -> bool {
        let functor = match fluent {
            Pattern::Variable(_) => return false,
            Pattern::Ground(term) => self.program.terms.functor(*term),
            Pattern::Compound(symbol, args) => {
                Functor { symbol: *symbol, arity: Some(args.len() as u32) }
            }
        };
        self.context.contains(&functor)
    }

    fn pattern(
        &self,
        pattern: &Pattern,
        swap: bool,
        name: &mut impl FnMut(u32) -> String,
    ) -> String {
        match pattern {
            Pattern::Variable(variable) => name(*variable),
            Pattern::Ground(term) => self.ground(*term, swap),
            Pattern::Compound(symbol, args) => {
                let mut text = format!("({}", self.program.terms.name(*symbol));
                for arg in args {
                    text.push(' ');
                    text += &self.pattern(arg, swap, name);
                }
                text + ")"
            }
        }
    }

    fn ground(&self, term: TermId, swap: bool) -> String {
        let term = if swap { self.term(term) } else { term };
        let terms = &self.program.terms;
        let mut text = terms.name(terms.functor(term).symbol).to_owned();
        let args = terms.args(term);
        if !args.is_empty() {
            let args: Vec<String> = args.iter().map(|&arg| self.ground(arg, swap)).collect();
            text = format!("({text} {})", args.join(" "));
        }
        text
    }
}
