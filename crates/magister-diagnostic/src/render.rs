//! Rendering of diagnostics: for the terminal, as one line, as JSON.

mod terminal;

use std::fmt::Write as _;

use serde::Serialize;

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::source::{Lines, Place};

/// A text with its name, to show positions in it.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    name: &'a str,
    text: &'a str,
    lines: Lines,
}

/// A diagnostic as JSON: one flat object, positions counted from one.
#[derive(Serialize)]
struct Json<'a> {
    file: &'a str,
    code: &'a str,
    severity: Severity,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    message: &'a str,
    help: Option<&'a str>,
    related: Vec<JsonRelated<'a>>,
}

#[derive(Serialize)]
struct JsonRelated<'a> {
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    message: &'a str,
}

impl<'a> Source<'a> {
    /// A text with a name for messages.
    pub fn new(name: &'a str, text: &'a str) -> Self {
        Self { name, text, lines: Lines::new(text) }
    }

    /// The line and column of a byte offset.
    pub fn place(&self, offset: u32) -> Place {
        self.lines.place(self.text, offset)
    }

    /// The diagnostic with source lines and marks, in the style of rustc; `colours` for a terminal.
    pub fn terminal<C: Code>(&self, diagnostic: &Diagnostic<C>, colours: bool) -> String {
        terminal::render(self, diagnostic, colours)
    }

    /// The diagnostic on one line, in the format of compilers:
    /// `file:line:column: error[G201]: message`.
    pub fn line<C: Code>(&self, diagnostic: &Diagnostic<C>) -> String {
        let at = self.place(diagnostic.span.start);
        let mut out = format!(
            "{}:{}:{}: {}[{}]: {}",
            self.name,
            at.line,
            at.column,
            diagnostic.severity.name(),
            diagnostic.code.id(),
            clean(&diagnostic.message),
        );
        if let Some(help) = &diagnostic.help {
            let _ = write!(out, " ({})", clean(help));
        }
        out
    }

    /// One JSON object, without line breaks.
    pub fn json<C: Code>(&self, diagnostic: &Diagnostic<C>) -> String {
        let (start, end) = self.ends(diagnostic.span);
        let related = diagnostic
            .related
            .iter()
            .map(|r| {
                let (start, end) = self.ends(r.span);
                JsonRelated {
                    line: start.line,
                    column: start.column,
                    end_line: end.line,
                    end_column: end.column,
                    message: &r.message,
                }
            })
            .collect();
        let json = Json {
            file: self.name,
            code: diagnostic.code.id(),
            severity: diagnostic.severity,
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            message: &diagnostic.message,
            help: diagnostic.help.as_deref(),
            related,
        };
        serde_json::to_string(&json).expect("strings and numbers always serialise")
    }

    fn ends(&self, span: crate::source::Span) -> (Place, Place) {
        (self.place(span.start), self.place(span.end))
    }
}

/// Text from a rulesheet, without characters that could manipulate a terminal.
///
/// Replacements have the same length in bytes, so spans stay valid.
fn clean(text: &str) -> String {
    let harmless = |c: char| match c {
        '\t' | '\n' | '\r' => c,
        _ if c.is_control() && c.len_utf8() == 1 => '?',
        _ if c.is_control() => '\u{b7}',
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        _ => c,
    };
    text.chars().map(harmless).collect()
}
