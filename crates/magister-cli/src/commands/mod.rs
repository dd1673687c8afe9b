//! One module for each command.

pub(crate) mod analyze;
pub(crate) mod answer;
pub(crate) mod audit;
pub(crate) mod backup;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod conform;
pub(crate) mod contest;
pub(crate) mod convert;
pub(crate) mod decompose;
pub(crate) mod eval;
pub(crate) mod experiment;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod fit;
pub(crate) mod fmt;
pub(crate) mod games;
pub(crate) mod import;
pub(crate) mod infoset;
pub(crate) mod inspect;
pub(crate) mod leaderboard;
pub(crate) mod matches;
pub(crate) mod measure;
pub(crate) mod network;
pub(crate) mod new;
pub(crate) mod perft;
pub(crate) mod play;
pub(crate) mod playable;
pub(crate) mod player;
pub(crate) mod players;
pub(crate) mod remote;
pub(crate) mod replay;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod solve;
pub(crate) mod start;
pub(crate) mod step;
pub(crate) mod tournament;
pub(crate) mod train;

use std::io::{self, Write};

use magister_gdl::{Diagnostics, Severity, Source};

use crate::terminal;

/// Writes diagnostics with their source lines to standard error.
pub(crate) fn complain(name: &str, text: &str, found: &Diagnostics) -> io::Result<()> {
    let source = Source::new(name, text);
    let mut err = anstream::stderr().lock();
    for diagnostic in found.as_slice() {
        writeln!(err, "{}\n", source.terminal(diagnostic, true))?;
    }
    Ok(())
}

/// `2 errors and 1 warning`.
fn tally(found: &[(Severity, usize)]) -> String {
    let parts: Vec<String> = found
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(severity, count)| plural(*count, severity.name()))
        .collect();
    parts.join(" and ")
}

/// A number with its noun: `1 match`, `2 matches`, `3 entries`.
pub(crate) fn plural(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    if count == 1 { format!("1 {noun}") } else { format!("{count} {}", plural_of(noun)) }
}

/// The plural of a noun phrase, of which the last word is inflected.
pub(crate) fn plural_of(noun: &str) -> String {
    let hisses = ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end));
    let mut before = noun.chars().rev().skip(1);
    let vowel = before.next().is_some_and(|letter| "aeiou".contains(letter));
    match noun.strip_suffix('y') {
        Some(stem) if !vowel => format!("{stem}ies"),
        _ if hisses => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// Items on lines of limited length; the lines after the first are indented like it.
pub(crate) fn wrapped(start: &str, items: impl Iterator<Item = String>, between: &str) -> String {
    let indent = start.chars().count();
    let most = terminal::width();
    let (mut text, mut width, mut first) = (start.to_owned(), indent, true);
    for item in items {
        let length = item.chars().count();
        if !first && width + between.len() + length > most {
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            width = indent;
        } else if !first {
            text.push_str(between);
            width += between.len();
        }
        text.push_str(&item);
        width += length;
        first = false;
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::plural;

    #[test]
    fn numbers_with_nouns() {
        assert_eq!(plural(1_u32, "match"), "1 match");
        assert_eq!(plural(2_usize, "match"), "2 matches");
        assert_eq!(plural(0_u64, "visit"), "0 visits");
        assert_eq!(plural(3_u64, "entry"), "3 entries");
        assert_eq!(plural(2_u64, "day"), "2 days");
        assert_eq!(plural(2_u64, "information set"), "2 information sets");
    }
}
