//! Misspelt words: what may be meant, and how to repair it.

use magister_diagnostic::Span;

use super::Checker;
use crate::code::{Code, Diagnostic};
use crate::tree::Node;

/// The words that blocks and actions begin with.
pub(super) const STATEMENTS: &[&str] = &[
    "do", "choice", "stage", "any", "all", "let", "set", "inc", "dec", "move", "remember",
    "forget", "shuffle", "turn", "repeat", "cycle",
];

/// The words that expressions begin with.
pub(super) const EXPRESSIONS: &[&str] = &[
    "tri",
    "fib",
    "random",
    "size",
    "sum",
    "score",
    "and",
    "or",
    "not",
    "any",
    "all",
    "cardatt",
    "top",
    "bottom",
    "max",
    "min",
    "actual",
    "union",
    "intersect",
    "disjunction",
    "sort",
    "run",
    "runs",
    "filter",
    "tuples",
    "partition",
    "subsets",
    "range",
    "owner",
    "team",
    "indexed",
    "current",
    "next",
    "previous",
    "other",
    "game",
    "player",
];

/// The words after an owner.
pub(super) const STORES: &[&str] = &["vloc", "iloc", "hloc", "oloc", "mem", "sto", "str", "points"];

/// Longer words are not compared.
const LONGEST: usize = 64;

/// A word of the text, and the one that is probably meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The position of the word.
    pub span: Span,
    /// The word that is probably meant.
    pub word: String,
}

impl Checker<'_> {
    /// Reports a keyword without meaning, with the nearest one that has a meaning.
    pub(super) fn unknown(&mut self, word: &Node, message: String, known: &[&str]) {
        let near = word.word().and_then(|word| nearest(word, known)).map(str::to_owned);
        self.suggest(Code::UnknownForm, word.span, message, near);
    }

    /// Reports a finding with the word that is probably meant instead.
    pub(super) fn suggest(
        &mut self,
        code: Code,
        span: Span,
        message: String,
        near: Option<String>,
    ) {
        let mut found = Diagnostic::new(code, span, message);
        if let Some(word) = near {
            found = found.help(format!("did you mean `{word}`?"));
            self.fixes.push(Fix { span, word });
        }
        self.push(found);
    }

    /// Reports an attribute that no card has.
    pub(super) fn known_attribute(&mut self, name: u32, span: Span) -> bool {
        let known = &self.attributes;
        if known.iter().any(|&(attribute, _)| attribute == name) {
            return true;
        }
        let text = &self.strings[name as usize];
        let message = format!("no card has the attribute `{text}`");
        let names: Vec<&str> =
            known.iter().map(|&(name, _)| self.strings[name as usize].as_str()).collect();
        let near = nearest(text, &names).map(str::to_owned);
        self.suggest(Code::UnknownAttribute, span, message, near);
        false
    }

    /// Reports the values in point maps that no card has. A name that the rules also use elsewhere,
    /// such as `NONE`, is meant to suit no card.
    pub(super) fn warn_unknown_values(&mut self) {
        for (name, value, span) in std::mem::take(&mut self.unknown_values) {
            if self.mentioned.contains(&value) || self.attributes.contains(&(name, value)) {
                continue;
            }
            let text = |id: u32| self.strings[id as usize].as_str();
            let message = format!("no card has the value `{}` of `{}`", text(value), text(name));
            let known = self.attributes.iter().filter(|one| one.0 == name);
            let values: Vec<&str> = known.map(|&(_, value)| text(value)).collect();
            let near = nearest(text(value), &values).map(str::to_owned);
            self.suggest(Code::UnknownValue, span, message, near);
        }
    }
}

/// The known word that differs least, if it differs by few letters.
pub(super) fn nearest<'a>(wrong: &str, known: &[&'a str]) -> Option<&'a str> {
    if wrong.len() > LONGEST {
        return None;
    }
    // In words of one or two letters any other letter makes another word.
    let allowed = (wrong.len() / 3).min(2);
    let near = known.iter().map(|&one| (strsim::osa_distance(wrong, one), one));
    near.filter(|&(distance, one)| distance > 0 && distance <= allowed && distance < one.len())
        .min()
        .map(|(_, one)| one)
}
