//! Detects the syntax and the dialect of a text.

use crate::ast::{Dialect, Rulesheet, StatementKind, Syntax, TermKind};

/// The length of the examined sample: large enough to be reliable, small enough to be cheap.
const SAMPLE: usize = 64 << 10;

/// Detects prefix or infix.
///
/// Each syntax has marks that the other never has; the one with more marks wins. A text with
/// neither is classified by its first character.
pub(super) fn syntax(text: &str) -> Syntax {
    let sample = &text[..text.floor_char_boundary(SAMPLE.min(text.len()))];
    let mut prefix = 0usize;
    let mut infix = 0usize;
    let mut first = None;
    for line in sample.split(['\n', '\r']) {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if line.starts_with([';', '%']) {
            continue;
        }
        let line = line.split([';', '%']).next().unwrap_or_default();
        first = first.or_else(|| line.chars().next());
        prefix += ["(<=", "(role ", "(init ", "(true ", "(does ", "(legal ", " ?"]
            .iter()
            .map(|mark| line.matches(mark).count())
            .sum::<usize>();
        infix += [":-", "::", "==>", "role(", "init(", "true(", "does(", "legal(", " & "]
            .iter()
            .map(|mark| line.matches(mark).count())
            .sum::<usize>();
    }
    match prefix.cmp(&infix) {
        std::cmp::Ordering::Greater => Syntax::Kif,
        std::cmp::Ordering::Equal if first == Some('(') || first.is_none() => Syntax::Kif,
        std::cmp::Ordering::Equal | std::cmp::Ordering::Less => Syntax::Infix,
    }
}

/// Detects GDL, GDL-II or operations.
///
/// Operations and rules for `next` exclude each other; if a sheet has both, the more frequent kind
/// is assumed.
pub(super) fn dialect(rules: &Rulesheet) -> Dialect {
    let mut operations = 0usize;
    let mut gdl = 0usize;
    let mut hidden = false;
    for statement in &rules.statements {
        match &statement.kind {
            StatementKind::Operation(_) => operations += 1,
            StatementKind::Rule(rule) => {
                let head = &rule.head;
                operations += usize::from(head.is("legal", 1));
                gdl += usize::from(head.is("next", 1) || head.is("legal", 2));
                hidden |= head.is("sees", 2) || head.is("percept", 2);
                hidden |= head.is("role", 1)
                    && matches!(&head.args()[0].kind, TermKind::Constant(n) if n == "random");
            }
            _ => {}
        }
    }
    if rules.syntax == Syntax::Infix && operations > gdl {
        Dialect::Operations
    } else if hidden {
        Dialect::Gdl2
    } else {
        Dialect::Gdl
    }
}
