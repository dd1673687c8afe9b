//! Nested lists: the structure of prefix rules, without their meaning.
//!
//! The only structure is parentheses, so the reader is a loop with a stack, and no input can make
//! it recurse.

use super::Reader;
use crate::ast::Comment;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::name::Name;
use magister_diagnostic::Span;

/// A name or a list.
#[derive(Debug)]
pub(super) struct Sexp {
    pub(super) kind: SexpKind,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) enum SexpKind {
    Name(Name),
    List(Vec<Sexp>),
}

/// Parses all top-level lists and names of `text`.
pub(super) fn read(text: &str, reader: &mut Reader) -> Vec<Sexp> {
    let mut first = Scan::new(text, false);
    let forest = first.run(reader);
    if first.unclosed.is_empty() {
        first.report(reader);
        return forest;
    }
    // A parenthesis is never closed. The text is read again, and a parenthesis in the first column
    // now starts a new statement, so that one mistake costs one rule instead of the whole file.
    reader.comments.clear();
    reader.nodes = 0;
    let mut second = Scan::new(text, true);
    let forest = second.run(reader);
    second.report(reader);
    forest
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    line_start: bool,
    break_at_margin: bool,
    stack: Vec<(usize, Vec<Sexp>)>,
    forest: Vec<Sexp>,
    /// Unclosed parentheses, with the start of the next statement, if there is one.
    unclosed: Vec<(usize, Option<usize>)>,
    unopened: Vec<usize>,
    too_deep: Option<usize>,
    /// The depth of skipped parentheses that exceed the limit.
    skipped: usize,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str, break_at_margin: bool) -> Self {
        Self {
            text,
            at: 0,
            line_start: true,
            break_at_margin,
            stack: Vec::new(),
            forest: Vec::new(),
            unclosed: Vec::new(),
            unopened: Vec::new(),
            too_deep: None,
            skipped: 0,
        }
    }

    fn run(&mut self, reader: &mut Reader) -> Vec<Sexp> {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            let start = self.at;
            let at_margin = start == 0 || matches!(bytes[start - 1], b'\n' | b'\r');
            match byte {
                b'\n' | b'\r' => {
                    self.at += 1;
                    self.line_start = true;
                    continue;
                }
                b if b <= b' ' || b == 0x7f => {
                    self.at += 1;
                    continue;
                }
                b';' => {
                    self.comment(reader);
                    continue;
                }
                b'(' => {
                    self.at += 1;
                    if at_margin && self.break_at_margin && self.skipped + self.stack.len() > 0 {
                        self.close_all(Some(start));
                    }
                    if self.skipped > 0 {
                        self.skipped += 1;
                    } else if self.stack.len() >= reader.limits.depth {
                        self.too_deep.get_or_insert(start);
                        self.skipped = 1;
                    } else {
                        self.stack.push((start, Vec::new()));
                    }
                }
                b')' => {
                    self.at += 1;
                    if self.skipped > 0 {
                        self.skipped -= 1;
                    } else if let Some((open, items)) = self.stack.pop() {
                        let span = Span::new(open, self.at);
                        if !reader.node(span) {
                            break;
                        }
                        self.add(Sexp { kind: SexpKind::List(items), span });
                    } else {
                        self.unopened.push(start);
                    }
                }
                // A byte order mark, in any position.
                0xef if self.text[start..].starts_with('\u{feff}') => {
                    self.at += '\u{feff}'.len_utf8();
                    continue;
                }
                _ => {
                    self.at = start + name_length(&self.text[start..]);
                    if self.skipped == 0 {
                        let span = Span::new(start, self.at);
                        if !reader.node(span) {
                            break;
                        }
                        let name = reader.names.get(&self.text[start..self.at]);
                        self.add(Sexp { kind: SexpKind::Name(name), span });
                    }
                }
            }
            self.line_start = false;
        }
        if !reader.full {
            self.close_all(None);
        }
        std::mem::take(&mut self.forest)
    }

    fn add(&mut self, item: Sexp) {
        match self.stack.last_mut() {
            Some((_, items)) => items.push(item),
            None => self.forest.push(item),
        }
    }

    /// Ends the open statement, because a new one or the end of the text follows.
    ///
    /// Its contents are dropped, because with a missing parenthesis its structure is unknown, and
    /// diagnostics about it would be misleading.
    fn close_all(&mut self, next: Option<usize>) {
        self.skipped = 0;
        if let Some(&(open, _)) = self.stack.first() {
            self.unclosed.push((open, next));
        }
        self.stack.clear();
    }

    fn comment(&mut self, reader: &mut Reader) {
        let start = self.at;
        let rest = &self.text[start..];
        let line = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
        self.at += line.len();
        if reader.node(Span::new(start, self.at)) {
            reader.comments.push(comment(line, start, self.line_start));
        }
    }

    fn report(&self, reader: &mut Reader) {
        if let Some(at) = self.too_deep {
            reader.too_deep(Span::new(at, at + 1));
        }
        for &at in &self.unopened {
            reader.push(
                Diagnostic::new(
                    Code::Unopened,
                    Span::new(at, at + 1),
                    "this parenthesis has no opening one",
                )
                .help("remove it, or open a list before it"),
            );
        }
        for &(at, next) in &self.unclosed {
            let mut diagnostic = Diagnostic::new(
                Code::Unclosed,
                Span::new(at, at + 1),
                "this parenthesis is never closed",
            )
            .help("add the missing `)`");
            if let Some(next) = next {
                diagnostic =
                    diagnostic.related(Span::new(next, next + 1), "the next statement begins here");
            }
            reader.push(diagnostic);
        }
    }
}

/// The length of the name at the start of `rest`, in bytes.
fn name_length(rest: &str) -> usize {
    if let Some(inner) = rest.strip_prefix('"') {
        // A string, if it ends on this line; otherwise the quote is an ordinary character.
        if let Some(end) = inner.find(['"', '\n', '\r'])
            && inner[end..].starts_with('"')
        {
            return end + 2;
        }
    }
    rest.find(|c: char| c <= ' ' || matches!(c, '(' | ')' | ';' | '\u{7f}' | '\u{feff}'))
        .unwrap_or(rest.len())
}

/// A comment from its line, including the marker.
pub(super) fn comment(line: &str, start: usize, own_line: bool) -> Comment {
    let marker = line.as_bytes().first().copied().unwrap_or_default();
    let markers = line.bytes().take_while(|&b| b == marker).count();
    Comment {
        markers,
        text: line[markers..].trim_end().to_owned(),
        span: Span::new(start, start + line.len()),
        own_line,
    }
}
