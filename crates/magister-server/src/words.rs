//! Moves and facts as text for people.

/// A term as text for people: `drop 3` for `(drop 3)` and for `drop(3)`, `pass` for `noop`.
pub(crate) fn label(text: &str) -> String {
    if text == "noop" {
        return "pass".to_owned();
    }
    tokens(text).join(" ")
}

/// The words of a term.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let split = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','));
    split.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Whether a move has no effect, judging by its name.
pub(crate) fn is_idle(text: &str) -> bool {
    matches!(text, "noop" | "-")
}

/// A text with HTML markup characters escaped.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_in_either_syntax() {
        assert_eq!(label("(move (cell 1 2) up)"), "move cell 1 2 up");
        assert_eq!(label("write(1,2,3)"), "write 1 2 3");
        assert_eq!(label("noop"), "pass");
        assert_eq!(escape("<script>'\"&"), "&lt;script&gt;&#39;&quot;&amp;");
    }
}
