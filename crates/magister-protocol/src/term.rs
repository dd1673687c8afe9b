//! Terms of KIF: an atom, or a list of terms in parentheses.

use std::error::Error;
use std::fmt;

/// A term. Names keep the case in which they were read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// A word without white space, parentheses or semicolons.
    Atom(String),
    /// Terms in parentheses.
    List(Vec<Term>),
}

/// The limits of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of bytes of the text.
    pub bytes: usize,
    /// The maximum number of atoms and lists.
    pub nodes: usize,
    /// The maximum depth of nesting. It bounds the stack of all traversals of a term.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 16 << 20, nodes: 2_000_000, depth: 250 }
    }
}

/// Why a text is not a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermError {
    /// There is only white space and comments.
    Empty,
    /// A parenthesis is not closed.
    Unclosed,
    /// A closing parenthesis has no opening one.
    Unopened,
    /// The text has more bytes than the limit.
    TooLong,
    /// The text has more atoms and lists than the limit.
    TooMany,
    /// The lists are nested deeper than the limit.
    TooDeep,
}

impl fmt::Display for TermError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TermError::Empty => "the text is empty",
            TermError::Unclosed => "a parenthesis is not closed",
            TermError::Unopened => "a closing parenthesis has no opening one",
            TermError::TooLong => "the text is too long",
            TermError::TooMany => "the text has too many terms",
            TermError::TooDeep => "the lists are nested too deeply",
        })
    }
}

impl Error for TermError {}

impl Term {
    /// An atom.
    pub fn atom(text: &str) -> Self {
        Term::Atom(text.to_owned())
    }

    /// Whether a text can be an atom, so that it survives printing and reading.
    pub fn is_atom_text(text: &str) -> bool {
        !text.is_empty() && !text.chars().any(|c| is_break(c) || is_space(c))
    }

    /// The word of an atom.
    pub fn as_atom(&self) -> Option<&str> {
        match self {
            Term::Atom(text) => Some(text),
            Term::List(_) => None,
        }
    }

    /// The terms of a list.
    pub fn as_list(&self) -> Option<&[Term]> {
        match self {
            Term::Atom(_) => None,
            Term::List(terms) => Some(terms),
        }
    }

    /// Whether this is an atom with this text, in any case.
    pub fn is_word(&self, word: &str) -> bool {
        self.as_atom().is_some_and(|text| text.eq_ignore_ascii_case(word))
    }

    /// Whether this is an empty value: `nil` in any case, or `()`.
    pub fn is_nil(&self) -> bool {
        match self {
            Term::Atom(_) => self.is_word("nil"),
            Term::List(terms) => terms.is_empty(),
        }
    }

    /// Reads the first term of a text. Text after it is ignored, as in other programs.
    pub fn read(text: &str) -> Result<Term, TermError> {
        Term::read_within(text, &Limits::default())
    }

    /// Reads the first term of a text within limits.
    pub fn read_within(text: &str, limits: &Limits) -> Result<Term, TermError> {
        let mut reader = Reader::new(text, limits)?;
        reader.next_term()?.ok_or(TermError::Empty)
    }

    /// Reads all terms of a text: a rulesheet.
    ///
    /// ```
    /// use magister_protocol::{Limits, Term};
    ///
    /// let sheet = Term::read_all("(role x) ; the only role\n(init (cell 1))", &Limits::default())?;
    /// assert_eq!(sheet.len(), 2);
    /// # Ok::<(), magister_protocol::TermError>(())
    /// ```
    pub fn read_all(text: &str, limits: &Limits) -> Result<Vec<Term>, TermError> {
        let mut reader = Reader::new(text, limits)?;
        let mut terms = Vec::new();
        while let Some(term) = reader.next_term()? {
            terms.push(term);
        }
        Ok(terms)
    }

    /// The same term with every atom replaced.
    #[must_use]
    pub fn map(&self, replace: &mut impl FnMut(&str) -> String) -> Term {
        match self {
            Term::Atom(text) => Term::Atom(replace(text)),
            Term::List(terms) => Term::List(terms.iter().map(|term| term.map(replace)).collect()),
        }
    }

    /// Calls `visit` on every atom, in order.
    pub fn atoms<'a>(&'a self, visit: &mut impl FnMut(&'a str)) {
        match self {
            Term::Atom(text) => visit(text),
            Term::List(terms) => terms.iter().for_each(|term| term.atoms(visit)),
        }
    }

    /// The term as ggp-base prints it, with a blank inside every parenthesis: `( mark 1 1 )`.
    pub fn spaced(&self) -> String {
        let mut out = String::new();
        self.write_spaced(&mut out);
        out
    }

    pub(crate) fn write_spaced(&self, out: &mut String) {
        match self {
            Term::Atom(text) => out.push_str(text),
            Term::List(terms) => {
                out.push_str("( ");
                for term in terms {
                    term.write_spaced(out);
                    out.push(' ');
                }
                out.push(')');
            }
        }
    }

    pub(crate) fn write_compact(&self, out: &mut String) {
        match self {
            Term::Atom(text) => out.push_str(text),
            Term::List(terms) => {
                out.push('(');
                for (index, term) in terms.iter().enumerate() {
                    if index > 0 {
                        out.push(' ');
                    }
                    term.write_compact(out);
                }
                out.push(')');
            }
        }
    }
}

impl fmt::Display for Term {
    /// The term without superfluous blanks: `(mark 1 1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.write_compact(&mut out);
        f.pad(&out)
    }
}

fn is_break(c: char) -> bool {
    matches!(c, '(' | ')' | ';')
}

/// White space, and the other control characters, which no name contains and which programs treat
/// differently.
fn is_space(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

/// Whether the parentheses of a text are balanced and there is at least one term. This is used for
/// messages without a length.
pub fn is_complete(text: &str) -> bool {
    let (mut depth, mut any, mut comment) = (0usize, false, false);
    for byte in text.bytes() {
        match byte {
            b'\n' | b'\r' => comment = false,
            _ if comment => {}
            b';' => comment = true,
            b'(' => depth += 1,
            b')' if depth == 0 => return true,
            b')' => {
                depth -= 1;
                any = true;
            }
            _ => {}
        }
        if any && depth == 0 {
            return true;
        }
    }
    false
}

/// Whether a parenthesis of a text is not closed.
pub(crate) fn is_open(text: &str) -> bool {
    let (mut depth, mut comment) = (0usize, false);
    for byte in text.bytes() {
        match byte {
            b'\n' | b'\r' => comment = false,
            _ if comment => {}
            b';' => comment = true,
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth > 0
}

struct Reader<'a> {
    rest: &'a str,
    nodes: usize,
    depth: usize,
}

enum Token<'a> {
    Open,
    Close,
    Word(&'a str),
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, limits: &Limits) -> Result<Self, TermError> {
        if text.len() > limits.bytes {
            return Err(TermError::TooLong);
        }
        Ok(Reader { rest: text, nodes: limits.nodes, depth: limits.depth })
    }

    fn token(&mut self) -> Option<Token<'a>> {
        loop {
            self.rest = self.rest.trim_start_matches(is_space);
            match self.rest.chars().next()? {
                ';' => {
                    let end = self.rest.find(['\n', '\r']).unwrap_or(self.rest.len());
                    self.rest = &self.rest[end..];
                }
                '(' => {
                    self.rest = &self.rest[1..];
                    return Some(Token::Open);
                }
                ')' => {
                    self.rest = &self.rest[1..];
                    return Some(Token::Close);
                }
                _ => {
                    let end = self.rest.find(|c| is_break(c) || is_space(c));
                    let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
                    self.rest = rest;
                    return Some(Token::Word(word));
                }
            }
        }
    }

    /// The next term, without recursion, because the text is untrusted.
    fn next_term(&mut self) -> Result<Option<Term>, TermError> {
        let mut open: Vec<Vec<Term>> = Vec::new();
        loop {
            let Some(token) = self.token() else {
                return if open.is_empty() { Ok(None) } else { Err(TermError::Unclosed) };
            };
            let done = match token {
                Token::Open => {
                    if open.len() >= self.depth {
                        return Err(TermError::TooDeep);
                    }
                    open.push(Vec::new());
                    continue;
                }
                Token::Close => Term::List(open.pop().ok_or(TermError::Unopened)?),
                Token::Word(word) => Term::Atom(word.to_owned()),
            };
            self.nodes = self.nodes.checked_sub(1).ok_or(TermError::TooMany)?;
            match open.last_mut() {
                Some(list) => list.push(done),
                None => return Ok(Some(done)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spacings_are_read() {
        let term = Term::read("(mark 1 (f x))").unwrap();
        assert_eq!(term.spaced(), "( mark 1 ( f x ) )");
        assert_eq!(Term::read(&term.spaced()).unwrap(), term);
        assert_eq!(term.to_string(), "(mark 1 (f x))");
    }

    #[test]
    fn broken_texts_are_errors() {
        let cases = [
            ("", TermError::Empty),
            (" ; only a comment", TermError::Empty),
            ("(a", TermError::Unclosed),
            (")", TermError::Unopened),
        ];
        for (text, error) in cases {
            assert_eq!(Term::read(text), Err(error), "{text}");
        }
        let deep = "(".repeat(100_000);
        assert_eq!(Term::read(&deep), Err(TermError::TooDeep));
        let limits = Limits { nodes: 3, ..Limits::default() };
        assert_eq!(Term::read_within("(a b c)", &limits), Err(TermError::TooMany));
    }

    #[test]
    fn a_message_is_complete_when_its_last_parenthesis_is_closed() {
        assert!(is_complete("( PLAY m1 (a b) )"));
        assert!(!is_complete("( PLAY m1 (a b)"));
        assert!(!is_complete("  "));
    }
}
