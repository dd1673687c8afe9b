//! GDL to GDL-II: every role sees every move.

use crate::ast::{Dialect, Formula, Rule, Rulesheet, Statement, StatementKind, Term, TermKind};
use crate::name::Name;
use magister_diagnostic::Span;

/// Adds the rule that turns a game with perfect information into GDL-II:
/// `sees(P,move(Q,M)) :- role(P) & does(Q,M)`.
pub(super) fn to_gdl2(rules: &mut Rulesheet) {
    let at = Span::default();
    let percept = percept_name(rules);
    let (p, q, m) = match rules.syntax {
        crate::ast::Syntax::Kif => ("p", "q", "m"),
        crate::ast::Syntax::Infix => ("P", "Q", "M"),
    };
    let variable = |name: &str| Term::variable(name, at);
    let seen = Term::compound(percept, vec![variable(q), variable(m)], at);
    let rule = Rule {
        head: Term::compound("sees", vec![variable(p), seen], at),
        body: vec![
            Formula::atom(Term::compound("role", vec![variable(p)], at)),
            Formula::atom(Term::compound("does", vec![variable(q), variable(m)], at)),
        ],
        arrow: true,
    };
    rules.statements.push(Statement { kind: StatementKind::Rule(rule), span: at });
    rules.dialect = Dialect::Gdl2;
}

/// `move`, unless the game already has a function or relation with that name.
fn percept_name(rules: &Rulesheet) -> Name {
    let taken = |wanted: &str| {
        let mut found = false;
        let mut look = |t: &Term| {
            t.walk(&mut |t| {
                found |= matches!(&t.kind, TermKind::Compound(n, _) | TermKind::Constant(n) if n == wanted);
            });
        };
        for (rule, _) in rules.rules() {
            look(&rule.head);
            rule.body.iter().for_each(|f| f.atoms(&mut |t, _| look(t)));
        }
        found
    };
    let name = ["move", "did", "moved"].into_iter().find(|n| !taken(n));
    Name::new(name.unwrap_or("sees_move"))
}
