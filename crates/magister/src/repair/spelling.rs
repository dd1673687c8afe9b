//! Fluents that rules make true but never read, with a name similar to that of a fluent that is
//! read.

use std::collections::BTreeSet;

use magister_gdl::{Dialect, Options, nearest, read};

use super::Candidate;
use super::candidates::respelt;

/// Rules in which one such name is spelt like the other.
pub(super) fn candidates(text: &str, options: &Options) -> Vec<Candidate> {
    let read = read(text, options);
    let rules = &read.rules;
    if rules.dialect == Dialect::Operations {
        return Vec::new();
    }
    let made: Vec<_> = rules
        .rules()
        .filter(|(rule, _)| rule.head.is("init", 1) || rule.head.is("next", 1))
        .filter_map(|(rule, _)| {
            let fluent = &rule.head.args()[0];
            Some((fluent.name()?.to_string(), fluent.span))
        })
        .collect();
    let used = used(text);
    let mut all = Vec::new();
    for (name, span) in made.iter().filter(|(name, _)| !used.contains(name.as_str())) {
        let others = used.iter().copied().filter(|other| other != name);
        if let Some(meant) = nearest(name, others) {
            all.extend(respelt(text, *span, &format!("`{name}`"), meant));
        }
    }
    all
}

/// The names that directly follow `true`.
fn used(text: &str) -> BTreeSet<&str> {
    let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let after = |(at, word): (usize, &str)| {
        let rest = text[at + word.len()..].trim_start_matches(['(', ' ', '\t', '\n', '\r']);
        let end = rest.find(|c| !name(c)).unwrap_or(rest.len());
        (end > 0).then(|| &rest[..end])
    };
    text.match_indices("true").filter_map(after).collect()
}
