//! Text to tree. Reading never panics and never stops at the first error.

use magister_diagnostic::{Severity, Span};

use crate::code::{Code, Diagnostic, Diagnostics};
use crate::limits::CardLimits;
use crate::tree::{Comment, Node, NodeKind};

/// The result of reading.
#[derive(Clone, Debug)]
pub struct Read {
    /// The forms of the text. The first of them is the game; anything else is reported.
    pub forms: Vec<Node>,
    /// The comments, in order.
    pub comments: Vec<Comment>,
    /// The defects of parentheses and words.
    pub diagnostics: Diagnostics,
}

const MARKS: [&str; 16] =
    ["//", "<=", ">=", "==", "!=", "..", "+", "-", "*", "%", "^", "<", ">", ",", ":", "/"];

/// Parses a text into lists and words.
pub fn read(text: &str, limits: &CardLimits) -> Read {
    read_as(text, limits, false)
}

/// Parses a text. The original program ignores blanks between words, so it reads two names in a row
/// as one. With `joined`, this function does the same, with a warning.
pub(crate) fn read_as(text: &str, limits: &CardLimits, joined: bool) -> Read {
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: 0,
        nodes: 0,
        joined,
        stack: Vec::new(),
        out: Read {
            forms: Vec::new(),
            comments: Vec::new(),
            diagnostics: Diagnostics::new(limits.diagnostics),
        },
    };
    if text.len() > limits.bytes {
        reader.report(
            Code::TooLarge,
            Span::new(0, 0),
            format!("the text has {} bytes; the limit is {}", text.len(), limits.bytes),
        );
        return reader.out;
    }
    if is_binary(text) {
        reader.report(Code::Unexpected, Span::new(0, 0), "this is not text");
        return reader.out;
    }
    reader.run(limits);
    reader.out
}

/// A text may have this many strange characters, for instance in comments of another encoding.
const STRANGE: usize = 32;

/// Whether a text contains what no editor writes: a zero byte, or many control characters. Invalid
/// UTF-8 was replaced earlier.
fn is_binary(text: &str) -> bool {
    let strange = |letter: &char| {
        *letter == '\u{fffd}' || (letter.is_control() && !letter.is_ascii_whitespace())
    };
    // White space does not count, because formatting changes it.
    let letters = text.chars().filter(|letter| !letter.is_whitespace()).count();
    text.contains('\0') || text.chars().filter(strange).count() > STRANGE.max(letters / 20)
}

/// An open list: its parenthesis, and its contents so far.
struct Open {
    start: usize,
    items: Vec<Node>,
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    nodes: usize,
    joined: bool,
    stack: Vec<Open>,
    out: Read,
}

impl Reader<'_> {
    fn run(&mut self, limits: &CardLimits) {
        let mut skipped = 0usize;
        while let Some(&byte) = self.bytes.get(self.at) {
            let start = self.at;
            if self.nodes >= limits.nodes {
                // A text that is nested too deeply has been reported.
                if skipped > 0 {
                    break;
                }
                self.report(
                    Code::TooLarge,
                    Span::new(start, start),
                    format!("the text has more than {} words and lists", limits.nodes),
                );
                break;
            }
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b';' => self.comment(),
                // A byte order mark, which some editors write.
                0xef if start == 0 && self.text.starts_with('\u{feff}') => self.at += 3,
                b'(' => {
                    self.at += 1;
                    if self.stack.len() >= limits.depth {
                        if skipped == 0 {
                            let message =
                                format!("lists are nested deeper than {} levels", limits.depth);
                            self.report(Code::TooDeep, Span::new(start, start + 1), message);
                        }
                        skipped += 1;
                    } else {
                        self.nodes += 1;
                        self.stack.push(Open { start, items: Vec::new() });
                    }
                }
                b')' => {
                    self.at += 1;
                    if skipped > 0 {
                        skipped -= 1;
                    } else {
                        self.close(start);
                    }
                }
                _ => self.word(),
            }
        }
        // A list that is nested too deeply is not closed, because it was not opened.
        self.unclosed(skipped > 0);
    }

    fn comment(&mut self) {
        let start = self.at;
        let rest = &self.text[start..];
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        self.at += length;
        let line = self.text[..start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let trailing = !self.text[line..start].trim().is_empty();
        self.out.comments.push(Comment { span: Span::new(start, self.at), trailing });
    }

    fn close(&mut self, at: usize) {
        if let Some(open) = self.stack.pop() {
            let span = Span::new(open.start, at + 1);
            self.push(NodeKind::List(open.items), span);
        } else {
            let before = !self.out.forms.is_empty();
            let message = if before {
                "this parenthesis has no opening one: the game ends before it"
            } else {
                "this parenthesis has no opening one"
            };
            self.report(Code::Unopened, Span::new(at, at + 1), message);
        }
    }

    /// Closes the lists that are still open at the end of the text.
    fn unclosed(&mut self, mut reported: bool) {
        while let Some(open) = self.stack.pop() {
            if !reported {
                self.out.diagnostics.push(
                    Diagnostic::new(
                        Code::Unclosed,
                        Span::new(open.start, open.start + 1),
                        "this parenthesis is never closed",
                    )
                    .label("opened here"),
                );
                reported = true;
            }
            let span = Span::new(open.start, self.text.len());
            self.push(NodeKind::List(open.items), span);
        }
    }

    fn word(&mut self) {
        let start = self.at;
        let rest = &self.text[start..];
        if let Some(mark) = MARKS.into_iter().find(|mark| rest.starts_with(mark)) {
            self.at += mark.len();
            let span = Span::new(start, self.at);
            if mark == "/" {
                self.report(Code::Unexpected, span, "division is written `//`");
            } else {
                self.push(NodeKind::Mark(mark), span);
            }
            return;
        }
        let first = rest.chars().next().unwrap_or(' ');
        let quoted = first == '\'';
        let body = if quoted { &rest[1..] } else { rest };
        let length =
            body.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(body.len());
        let body = &body[..length];
        self.at += length + usize::from(quoted);
        let span = Span::new(start, self.at);
        if body.is_empty() {
            if !quoted {
                self.at += first.len_utf8();
            }
            let span = Span::new(start, self.at);
            self.report(
                Code::Unexpected,
                span,
                format!("`{}` has no meaning here", first.escape_debug()),
            );
            return;
        }
        let upper = body.bytes().all(|b| !b.is_ascii_lowercase());
        let digits = body.bytes().all(|b| b.is_ascii_digit());
        let kind = if quoted {
            if !upper || body.as_bytes()[0].is_ascii_digit() {
                let message = format!("`'{body}` is not a variable: its name must be in capitals");
                self.report(Code::BadName, span, message);
            }
            NodeKind::Var(body.to_ascii_uppercase())
        } else if digits {
            if let Ok(number) = body.parse() {
                NodeKind::Int(number)
            } else {
                self.report(Code::BadNumber, span, "the number does not fit into 32 bits");
                NodeKind::Int(0)
            }
        } else if body.bytes().all(|b| b.is_ascii_lowercase()) {
            NodeKind::Word(body.to_owned())
        } else {
            if !upper || body.as_bytes()[0].is_ascii_digit() {
                let message =
                    format!("`{body}` is neither a keyword nor a name: names are in capitals");
                self.report(Code::BadName, span, message);
            }
            NodeKind::Name(body.to_ascii_uppercase())
        };
        self.push(kind, span);
    }

    fn push(&mut self, kind: NodeKind, span: Span) {
        self.nodes += 1;
        if self.joined
            && let NodeKind::Name(name) = &kind
            && let Some(last) = self.stack.last_mut().and_then(|open| open.items.last_mut())
            && let NodeKind::Name(before) = &mut last.kind
        {
            before.push_str(name);
            last.span = last.span.to(span);
            let message = format!("two names in a row are read as one, `{before}`");
            let diagnostic = Diagnostic::new(Code::BadName, last.span, message);
            self.out.diagnostics.push(diagnostic.severity(Severity::Warning));
            return;
        }
        let node = Node { kind, span };
        match self.stack.last_mut() {
            Some(open) => open.items.push(node),
            None => self.out.forms.push(node),
        }
    }

    fn report(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.out.diagnostics.push(Diagnostic::new(code, span, message));
    }
}
