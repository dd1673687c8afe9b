//! The capabilities of the terminal: its width, and whether it supports Unicode.

use std::io::IsTerminal as _;

/// The width of output that does not go to a terminal.
const PLAIN: usize = 80;
/// The minimum width of lines; narrower terminals break them themselves.
const NARROW: usize = 40;
/// The maximum width of prose, because longer lines are hard to read.
const PROSE: usize = 100;

/// The number of columns: those of the terminal, of `COLUMNS`, or 80.
pub(crate) fn width() -> usize {
    let real = terminal_size::terminal_size_of(std::io::stdout());
    let real = real.map(|(columns, _)| usize::from(columns.0));
    let set = || std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    real.or_else(set).unwrap_or(PLAIN).clamp(NARROW, 1000)
}

/// The width of lines of prose.
pub(crate) fn prose() -> usize {
    width().min(PROSE)
}

/// Whether a person reads standard output.
pub(crate) fn is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether to draw with characters beyond ASCII. Pipes and files get ASCII.
pub(crate) fn unicode(ascii: bool) -> bool {
    if ascii || !is_terminal() {
        return false;
    }
    // The Linux console has few glyphs.
    if std::env::var("TERM").is_ok_and(|term| matches!(term.as_str(), "dumb" | "linux")) {
        return false;
    }
    // The first of these variables that is set decides.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    locale.is_some_and(|locale| is_utf8(&locale))
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// A paragraph in lines of at most `width` characters.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is always a line");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

/// Paragraphs in lines of the width of the terminal; every line of the text is a paragraph.
pub(crate) fn paragraphs(text: &str) -> String {
    let width = prose();
    let lines = text.trim().lines().flat_map(|line| wrap(line, width));
    lines.map(|line| line + "\n").collect()
}

/// A line, wrapped at the width of the terminal; the lines after the first are indented.
pub(crate) fn hanging(line: &str, indent: usize) -> String {
    hanging_to(line, indent, width())
}

/// Breaks a line at blanks. Terms in brackets and quoted commands are kept whole if they fit.
fn hanging_to(line: &str, indent: usize, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let blank = line.len() - line.trim_start_matches(' ').len();
    // Text before the indented column, such as a heading, keeps its blanks.
    let heading = line.get(..indent).is_some_and(|heading| heading.ends_with(' '));
    let margin = if heading { indent.max(blank) } else { blank };
    let mut text = line[..margin].to_owned();
    let (mut used, mut first) = (margin, true);
    let room = width.saturating_sub(indent).max(1);
    let pieces = pieces(&line[margin..], room);
    for piece in pieces {
        let length = piece.chars().count();
        if !first && used + 1 + length > width {
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            used = indent;
        } else if !first {
            text.push(' ');
            used += 1;
        }
        text.push_str(&piece);
        used += length;
        first = false;
    }
    text
}

/// The parts of a text between which a line may end: words, and terms in brackets that are not
/// longer than `room`.
fn pieces(text: &str, room: usize) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let (mut depth, mut quoted) = (0_i64, false);
    let mut close = |open: &mut Vec<&str>| {
        let whole = open.join(" ");
        if whole.chars().count() <= room {
            pieces.push(whole);
        } else {
            // The outer brackets are split, so that the terms in them stay whole.
            pieces.extend(inner(open, room));
        }
        open.clear();
    };
    for word in text.split_whitespace() {
        open.push(word);
        depth += balance(word);
        quoted ^= !word.matches('`').count().is_multiple_of(2);
        if depth <= 0 && !quoted {
            depth = 0;
            close(&mut open);
        }
    }
    if !open.is_empty() {
        close(&mut open);
    }
    pieces
}

/// The parts of a term that is too long for a line: its words, and the terms inside.
fn inner(words: &[&str], room: usize) -> Vec<String> {
    let [first, rest @ ..] = words else { return Vec::new() };
    let mut parts = vec![(*first).to_owned()];
    let mut open: Vec<&str> = Vec::new();
    let mut depth = 0;
    for word in rest {
        open.push(word);
        depth += balance(word);
        let whole: usize = open.iter().map(|word| word.chars().count() + 1).sum();
        if depth <= 0 || whole > room {
            parts.push(open.join(" "));
            open.clear();
            depth = 0;
        }
    }
    if !open.is_empty() {
        parts.push(open.join(" "));
    }
    parts
}

/// The number of brackets that a word opens but does not close.
fn balance(word: &str) -> i64 {
    word.chars().map(|c| i64::from(c == '(') - i64::from(c == ')')).sum()
}

/// A text of several lines, each wrapped at the width of the terminal. The continuation of a line
/// is indented by four more blanks.
pub(crate) fn fitted(text: &str) -> String {
    let fit = |line: &str| {
        let margin = line.len() - line.trim_start_matches(' ').len();
        hanging(line, margin + 4) + "\n"
    };
    text.lines().map(fit).collect()
}

#[cfg(test)]
mod tests {
    use super::{hanging_to, is_utf8, wrap};

    #[test]
    fn locales() {
        assert!(is_utf8("en_GB.UTF-8") && is_utf8("C.utf8"));
        assert!(!is_utf8("C") && !is_utf8("POSIX"));
    }

    #[test]
    fn terms_stay_whole() {
        let line = "  (true (cell 1 1 b)): not in the state, which has (cell 1 1 x)";
        let text = "  (true (cell 1 1 b)): not in\n      the state, which has\n      (cell 1 1 x)";
        assert_eq!(hanging_to(line, 6, 30), text);
        let rule = "line 4: (<= (p ?x) (true (q ?x)) (not (r ?x)))";
        assert_eq!(
            hanging_to(rule, 4, 30),
            "line 4: (<= (p ?x)\n    (true (q ?x))\n    (not (r ?x)))"
        );
        let row = "tags:   one, two, three, four, five";
        assert_eq!(hanging_to(row, 8, 20), "tags:   one, two,\n        three, four,\n        five");
        let quoted = "See all of it with `magister show chess`, or not.";
        assert_eq!(
            hanging_to(quoted, 2, 30),
            "See all of it with\n  `magister show chess`, or\n  not."
        );
        assert_eq!(hanging_to("a ) b", 2, 30), "a ) b");
        assert_eq!(hanging_to("(((", 2, 30), "(((");
    }

    #[test]
    fn words_stay_whole() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("incomprehensible", 7), ["incomprehensible"]);
        assert_eq!(wrap("", 7), [""]);
    }
}
