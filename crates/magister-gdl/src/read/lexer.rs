//! The tokens of infix rules.

use super::{Reader, sexp};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::name::Name;
use magister_diagnostic::Span;

/// The kind of a token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Name(Name),
    Variable(Name),
    Wildcard,
    Open,
    Close,
    OpenSquare,
    CloseSquare,
    Comma,
    Stop,
    If,
    Operation,
    Arrow,
    Define,
    And,
    Or,
    Not,
    Cons,
    Unequal,
    Plus,
    Minus,
    Star,
    End,
}

impl Kind {
    /// Its name in a message.
    pub(super) fn describe(&self) -> String {
        let fixed = match self {
            Kind::Name(name) => return format!("`{name}`"),
            Kind::Variable(name) => return format!("the variable `{name}`"),
            Kind::Wildcard => "`_`",
            Kind::Open => "`(`",
            Kind::Close => "`)`",
            Kind::OpenSquare => "`[`",
            Kind::CloseSquare => "`]`",
            Kind::Comma => "`,`",
            Kind::Stop => "a full stop",
            Kind::If => "`:-`",
            Kind::Operation => "`::`",
            Kind::Arrow => "`==>`",
            Kind::Define => "`:=`",
            Kind::And => "`&`",
            Kind::Or => "`|`",
            Kind::Not => "`~`",
            Kind::Cons => "`!`",
            Kind::Unequal => "`!=`",
            Kind::Plus => "`+`",
            Kind::Minus => "`-`",
            Kind::Star => "`*`",
            Kind::End => "the end of the text",
        };
        fixed.to_owned()
    }
}

/// A token with its position.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
    /// Whether it is in the first column, where statements usually begin.
    pub(super) margin: bool,
}

pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line_start: bool,
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '*' | '+' | '-')
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, line_start: true }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next token; always `End` after the last one.
    pub(super) fn next(&mut self, reader: &mut Reader) -> Token {
        loop {
            let start = self.at;
            let Some(c) = self.rest().chars().next() else {
                return Token { kind: Kind::End, span: Span::new(start, start), margin: true };
            };
            let margin = start == 0 || matches!(self.text.as_bytes()[start - 1], b'\n' | b'\r');
            if c.is_whitespace() || c.is_control() || c == '\u{feff}' {
                self.at += c.len_utf8();
                self.line_start |= c == '\n' || c == '\r';
                continue;
            }
            if self.rest().starts_with("/*") {
                self.block_comment(reader);
                continue;
            }
            if c == '%' || (c == ';' && self.line_start) {
                self.comment(reader);
                continue;
            }
            self.line_start = false;
            if let Some(kind) = self.token(c, reader) {
                return Token { kind, span: Span::new(start, self.at), margin };
            }
        }
    }

    fn comment(&mut self, reader: &mut Reader) {
        let rest = self.rest();
        let line = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
        if reader.node(Span::new(self.at, self.at + line.len())) {
            reader.comments.push(sexp::comment(line, self.at, self.line_start));
        }
        self.at += line.len();
    }

    /// A comment between `/*` and `*/`, as in Prolog: one comment for each of its lines.
    fn block_comment(&mut self, reader: &mut Reader) {
        let start = self.at;
        let rest = &self.rest()[2..];
        let end = rest.find("*/").unwrap_or(rest.len());
        if end == rest.len() {
            reader.push(
                Diagnostic::new(
                    Code::Unterminated,
                    Span::new(start, start + 2),
                    "this comment is not closed",
                )
                .help("add the closing `*/`"),
            );
        }
        let mut at = start + 2;
        for line in rest[..end].split_inclusive(['\n', '\r']) {
            let text = line.trim().trim_start_matches('*').trim();
            if !text.is_empty() && reader.node(Span::new(at, at + line.len())) {
                reader.comments.push(crate::ast::Comment {
                    markers: 1,
                    text: format!(" {text}"),
                    span: Span::new(at, at + line.trim_end().len()),
                    own_line: self.line_start,
                });
            }
            self.line_start |= line.ends_with(['\n', '\r']);
            at += line.len();
        }
        self.at = (start + 2 + end + 2).min(self.text.len());
    }

    /// The token that begins with `c`; `None` if there is no such token, which is reported.
    fn token(&mut self, c: char, reader: &mut Reader) -> Option<Kind> {
        const FIXED: &[(&str, Kind)] = &[
            ("==>", Kind::Arrow),
            (":-", Kind::If),
            ("<=", Kind::If),
            ("::", Kind::Operation),
            (":=", Kind::Define),
            ("!=", Kind::Unequal),
            ("\\=", Kind::Unequal),
            ("\\+", Kind::Not),
            ("(", Kind::Open),
            (")", Kind::Close),
            ("[", Kind::OpenSquare),
            ("]", Kind::CloseSquare),
            (",", Kind::Comma),
            (".", Kind::Stop),
            ("&", Kind::And),
            ("|", Kind::Or),
            (";", Kind::Or),
            ("~", Kind::Not),
            ("!", Kind::Cons),
            ("+", Kind::Plus),
            ("*", Kind::Star),
        ];
        let rest = self.rest();
        if let Some(kind) = self.misspelt(reader) {
            return Some(kind);
        }
        match c {
            '"' => return self.string(reader),
            '\'' => return self.quoted(reader),
            '-' if rest[1..].starts_with(|d: char| d.is_ascii_digit()) => {
                return Some(self.name(1, reader));
            }
            '-' => {
                self.at += 1;
                return Some(Kind::Minus);
            }
            _ if c.is_alphanumeric() || matches!(c, '_' | '/') => {
                return Some(self.name(0, reader));
            }
            '?' if rest[1..].starts_with(is_name_char) => {
                let start = self.at;
                self.at += 1;
                let kind = self.name(0, reader);
                let (Kind::Name(name) | Kind::Variable(name)) = kind else {
                    return Some(Kind::Wildcard);
                };
                let mut capital = name.to_string();
                if let Some(first) = capital.get_mut(0..1) {
                    first.make_ascii_uppercase();
                }
                self.unexpected(
                    start,
                    "variables are not marked with `?` in infix rules",
                    &format!("write `{capital}`: a capital makes a variable"),
                    reader,
                );
                return Some(Kind::Variable(name));
            }
            _ => {}
        }
        if let Some((text, kind)) = FIXED.iter().find(|(text, _)| rest.starts_with(text)) {
            self.at += text.len();
            return Some(kind.clone());
        }
        let start = self.at;
        self.at += c.len_utf8();
        self.unexpected(
            start,
            &format!("the character `{}` has no meaning here", c.escape_default()),
            "put names that contain it in single quotes",
            reader,
        );
        None
    }

    /// A connective of another language: it is reported and read as the intended one, so that the
    /// rest of the statement is not reported too.
    fn misspelt(&mut self, reader: &mut Reader) -> Option<Kind> {
        const ARROWS: &[&str] = &["-->", "===>", "=>", "->"];
        let (start, rest) = (self.at, self.rest());
        if let Some(arrow) = ARROWS.iter().find(|arrow| rest.starts_with(**arrow)) {
            self.at += arrow.len();
            let message = format!("`{arrow}` is not a connective of this language");
            let help = "write `==>` between conditions and effects, `:-` between head and body";
            self.unexpected(start, &message, help, reader);
            return Some(Kind::Arrow);
        }
        let single = rest.starts_with(':')
            && !["::", ":-", ":="].iter().any(|known| rest.starts_with(known));
        if single {
            self.at += 1;
            // Effects follow an action, conditions a head.
            let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
            let effects = line.contains("==>") || line.contains("-->");
            let (kind, help) = if effects {
                (Kind::Operation, "write `::` between an action and its effects")
            } else {
                (Kind::If, "write `:-` for a rule, or `::` for an operation")
            };
            self.unexpected(start, "a single `:` has no meaning", help, reader);
            return Some(kind);
        }
        None
    }

    fn unexpected(&self, start: usize, message: &str, help: &str, reader: &mut Reader) {
        let span = Span::new(start, self.at);
        reader.push(Diagnostic::new(Code::Unexpected, span, message).help(help));
    }

    /// A name or variable; its first `sign` characters are taken literally.
    fn name(&mut self, sign: usize, reader: &mut Reader) -> Kind {
        let rest = self.rest();
        let mut end = sign;
        let mut chars = rest[sign..].chars().peekable();
        while let Some(c) = chars.next() {
            // A full stop belongs to a name only if the name continues: `3.14`, but `terminal.`
            let inside = is_name_char(c)
                && (c != '.'
                    || chars.peek().is_some_and(|&next| next != '.' && is_name_char(next)));
            if !inside {
                break;
            }
            end += c.len_utf8();
        }
        self.at += end;
        let word = &rest[..end];
        let first = word.chars().next().unwrap_or_default();
        if word == "_" {
            Kind::Wildcard
        } else if first.is_uppercase() || first == '_' {
            Kind::Variable(reader.names.get(word))
        } else {
            Kind::Name(reader.names.get(word))
        }
    }

    /// The part of the line after the opening quote, up to the closing one.
    fn upto_quote(&mut self, quote: char, reader: &mut Reader) -> Option<&'a str> {
        let start = self.at;
        let rest = &self.rest()[1..];
        let mut from = 0;
        let end = loop {
            let Some(found) = rest[from..].find([quote, '\n', '\r']) else { break rest.len() };
            let end = from + found;
            if !rest[end..].starts_with(quote) {
                break end;
            }
            if quote == '\'' && rest[end + 1..].starts_with(quote) {
                from = end + 2; // A doubled quote is one quote.
                continue;
            }
            self.at += end + 2;
            return Some(&rest[..end]);
        };
        self.at += 1 + end;
        let span = Span::new(start, self.at);
        reader.push(
            Diagnostic::new(Code::Unterminated, span, "this quote is not closed on its line")
                .help(format!("add the closing `{quote}`")),
        );
        None
    }

    fn string(&mut self, reader: &mut Reader) -> Option<Kind> {
        let inner = self.upto_quote('"', reader)?;
        Some(Kind::Name(reader.names.get(&format!("\"{inner}\""))))
    }

    fn quoted(&mut self, reader: &mut Reader) -> Option<Kind> {
        let inner = self.upto_quote('\'', reader)?;
        Some(Kind::Name(reader.names.get(&inner.replace("''", "'"))))
    }
}
