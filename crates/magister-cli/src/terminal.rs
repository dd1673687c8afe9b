//! What the terminal can show: its width, and whether it has Unicode.

use std::io::IsTerminal as _;

/// The width of output that no terminal shows.
const PLAIN: usize = 80;
/// Narrower terminals get lines of this width, which they break themselves.
const NARROW: usize = 40;
/// Longer lines of prose are hard to read.
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

/// The number of lines of the terminal, if there is one.
pub(crate) fn is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether to draw with characters beyond ASCII. Pipes and files get ASCII.
pub(crate) fn unicode(ascii: bool) -> bool {
    if ascii || !is_terminal() {
        return false;
    }
    // The console of Linux has few glyphs.
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

/// Paragraphs in lines of the width of the terminal; the lines of the text begin paragraphs.
pub(crate) fn paragraphs(text: &str) -> String {
    let width = prose();
    let lines = text.trim().lines().flat_map(|line| wrap(line, width));
    lines.map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::{is_utf8, wrap};

    #[test]
    fn locales() {
        assert!(is_utf8("en_GB.UTF-8") && is_utf8("C.utf8"));
        assert!(!is_utf8("C") && !is_utf8("POSIX"));
    }

    #[test]
    fn words_stay_whole() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("incomprehensible", 7), ["incomprehensible"]);
        assert_eq!(wrap("", 7), [""]);
    }
}
