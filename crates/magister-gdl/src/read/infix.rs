//! Infix rules: HRF, Prolog style, and Gamemaster's operations.
//!
//! Statements need no terminator: one ends where the next token cannot continue it. After an error
//! the parser continues at the next full stop or at the next token in the first column, where
//! statements usually begin.

use super::Reader;
use super::lexer::{Kind, Lexer, Token};
use super::lower;
use crate::ast::{Formula, FormulaKind, Statement, StatementKind, Term, TermKind};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::name::Name;
use magister_diagnostic::{Severity, Span};

/// An expression whose role is not yet known.
#[derive(Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) enum ExprKind {
    Term(Term),
    Not(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Arrow(Box<Expr>, Box<Expr>),
    Define(Box<Expr>, Box<Expr>),
    If(Box<Expr>, Option<Box<Expr>>),
    Operation(Box<Expr>, Box<Expr>),
}

/// The precedence of the connectives, loosest first.
mod level {
    pub(super) const OPERATION: u8 = 0;
    pub(super) const IF: u8 = 1;
    pub(super) const DEFINE: u8 = 2;
    pub(super) const ARROW: u8 = 3;
    pub(super) const OR: u8 = 4;
    pub(super) const AND: u8 = 5;
    pub(super) const UNARY: u8 = 6;
}

pub(super) fn read(text: &str, reader: &mut Reader) {
    let mut lexer = Lexer::new(text);
    let token = lexer.next(reader);
    let mut parser = Parser {
        lexer,
        token,
        reader,
        depth: 0,
        last: Span::default(),
        stops: 0,
        stopped: false,
        commas: [0; 2],
    };
    parser.statements();
    let (stops, [commas, ampersands]) = (parser.stops, parser.commas);
    reader.style.stops = stops * 2 > reader.statements.len();
    reader.style.commas = commas > ampersands;
}

/// Means that the statement could not be read; the reason has already been reported.
struct Failed;

struct Parser<'a, 'r> {
    lexer: Lexer<'a>,
    token: Token,
    reader: &'r mut Reader,
    depth: usize,
    /// The position of the previous token.
    last: Span,
    stops: usize,
    /// Whether a full stop precedes the current statement.
    stopped: bool,
    /// The number of conjunctions with `,` and with `&`.
    commas: [usize; 2],
}

impl Parser<'_, '_> {
    fn advance(&mut self) -> Token {
        let next = self.lexer.next(self.reader);
        self.last = self.token.span;
        std::mem::replace(&mut self.token, next)
    }

    fn eat(&mut self, kind: &Kind) -> bool {
        let found = self.token.kind == *kind;
        if found {
            self.advance();
        }
        found
    }

    fn statements(&mut self) {
        while self.token.kind != Kind::End && !self.reader.full {
            if self.eat(&Kind::Stop) {
                self.stops += 1;
                self.stopped = true;
                continue;
            }
            let start = self.token.span.start;
            let margin = self.token.margin;
            let parsed = self.expr(level::OPERATION, true);
            let span = Span { start, end: self.last.end };
            let kind = if let Ok(expr) = parsed {
                lower::statement(expr, self.reader)
            } else {
                self.recover(start);
                None
            };
            if let Some(kind) = kind {
                if !margin && !self.stopped && self.is_torn_off(&kind) {
                    self.reader.push(
                        Diagnostic::new(
                            Code::Stray,
                            span,
                            "a connective, such as `&`, is missing before this",
                        )
                        .help("write `&` between conditions, and between effects")
                        .severity(Severity::Warning),
                    );
                }
                self.reader.statements.push(Statement { kind, span });
            }
            self.stopped = false;
        }
    }

    /// Whether a statement is probably the rest of the previous one: facts have no variables, so a
    /// fact with variables on the same line as a rule is a condition or effect after a missing `&`.
    fn is_torn_off(&self, kind: &StatementKind) -> bool {
        let loose = match kind {
            StatementKind::Rule(rule) => {
                let fact = rule.body.is_empty() && !rule.arrow;
                fact && !rule.head.is_ground() && rule.head.name().is_some()
            }
            StatementKind::Stray(_) => true,
            _ => false,
        };
        let before = self.reader.statements.last().map(|before| &before.kind);
        loose
            && match before {
                // After a bare name a `_` may be missing instead: `opposite score(S)`.
                Some(StatementKind::Rule(rule)) => rule.arrow && !ends_bare(&rule.body),
                Some(StatementKind::Operation(_)) => true,
                _ => false,
            }
    }

    /// Skips to the apparent start of the next statement.
    fn recover(&mut self, start: u32) {
        self.depth = 0;
        loop {
            match self.token.kind {
                Kind::End => return,
                Kind::Stop => {
                    self.advance();
                    return;
                }
                _ if self.token.margin && self.token.span.start > start => return,
                _ => {}
            }
            self.advance();
        }
    }

    fn unexpected(&mut self, wanted: &str) -> Failed {
        let diagnostic = Diagnostic::new(
            Code::Unexpected,
            self.token.span,
            format!("expected {}, found {}", wanted, self.token.kind.describe()),
        );
        self.reader.push(diagnostic);
        Failed
    }

    /// An expression whose connectives bind at least as tightly as `min`.
    ///
    /// `commas` means that a comma is a conjunction here; inside arguments it is a separator.
    fn expr(&mut self, min: u8, commas: bool) -> Result<Expr, Failed> {
        self.depth += 1;
        if self.depth > self.reader.limits.depth {
            self.reader.too_deep(self.token.span);
            return Err(Failed);
        }
        let result = self.binary(min, commas);
        self.depth -= 1;
        result
    }

    fn binary(&mut self, min: u8, commas: bool) -> Result<Expr, Failed> {
        let mut left = self.unary(commas)?;
        loop {
            let (at, kind) = match &self.token.kind {
                Kind::And => (level::AND, Kind::And),
                Kind::Comma if commas => (level::AND, Kind::And),
                Kind::Or => (level::OR, Kind::Or),
                Kind::Arrow => (level::ARROW, Kind::Arrow),
                Kind::Define => (level::DEFINE, Kind::Define),
                Kind::If => (level::IF, Kind::If),
                Kind::Operation => (level::OPERATION, Kind::Operation),
                _ => return Ok(left),
            };
            if at < min {
                return Ok(left);
            }
            // Only `&` and `|` chain. Refusing the others also keeps the tree flat.
            let repeated = matches!(
                (&kind, &left.kind),
                (Kind::Arrow, ExprKind::Arrow(..))
                    | (Kind::Define, ExprKind::Define(..))
                    | (Kind::If, ExprKind::If(..))
                    | (Kind::Operation, ExprKind::Operation(..))
            );
            if repeated {
                return Err(self.unexpected("the end of the statement"));
            }
            if at == level::AND {
                self.commas[usize::from(self.token.kind == Kind::And)] += 1;
            }
            self.advance();
            if kind == Kind::If && self.ends_body() {
                let span = left.span.to(self.last);
                left = Expr { kind: ExprKind::If(Box::new(left), None), span };
                continue;
            }
            // Connectives bind tighter to the right, so the recursion is shallow.
            let right = self.binary(at + 1, commas)?;
            let span = left.span.to(right.span);
            let join = |a: Expr, b: Expr| (Box::new(a), Box::new(b));
            let kind = match (kind, left.kind) {
                (Kind::And, ExprKind::And(mut all)) => {
                    all.push(right);
                    ExprKind::And(all)
                }
                (Kind::Or, ExprKind::Or(mut all)) => {
                    all.push(right);
                    ExprKind::Or(all)
                }
                (op, kind) => {
                    let left = Expr { kind, span: left.span };
                    match op {
                        Kind::And => ExprKind::And(vec![left, right]),
                        Kind::Or => ExprKind::Or(vec![left, right]),
                        Kind::Arrow => {
                            let (a, b) = join(left, right);
                            ExprKind::Arrow(a, b)
                        }
                        Kind::Define => {
                            let (a, b) = join(left, right);
                            ExprKind::Define(a, b)
                        }
                        Kind::If => ExprKind::If(Box::new(left), Some(Box::new(right))),
                        _ => {
                            let (a, b) = join(left, right);
                            ExprKind::Operation(a, b)
                        }
                    }
                }
            };
            left = Expr { kind, span };
        }
    }

    /// After `:-`, whether the body is empty, so that the rule is a fact.
    fn ends_body(&self) -> bool {
        matches!(self.token.kind, Kind::Stop | Kind::End)
    }

    fn unary(&mut self, commas: bool) -> Result<Expr, Failed> {
        let start = self.token.span;
        match &self.token.kind {
            Kind::Not => {
                self.advance();
                let inner = self.expr(level::UNARY, commas)?;
                let span = start.to(inner.span);
                Ok(Expr { kind: ExprKind::Not(Box::new(inner)), span })
            }
            Kind::Plus | Kind::Minus | Kind::Star => {
                let name = match self.advance().kind {
                    Kind::Plus => "insert",
                    Kind::Minus => "delete",
                    _ => "enqueue",
                };
                let inner = self.expr(level::UNARY, commas)?;
                let inner = lower::term(inner, self.reader).ok_or(Failed)?;
                let span = start.to(inner.span);
                let term = Term::compound(self.reader.names.get(name), vec![inner], span);
                Ok(Expr { kind: ExprKind::Term(term), span })
            }
            _ => self.cons(),
        }
    }

    /// A primary expression, or a list written as `head!tail`.
    fn cons(&mut self) -> Result<Expr, Failed> {
        let first = self.primary()?;
        if self.token.kind == Kind::Unequal {
            self.advance();
            let right = self.primary()?;
            let span = first.span.to(right.span);
            let mut sides = Vec::with_capacity(2);
            for side in [first, right] {
                sides.push(lower::term(side, self.reader).ok_or(Failed)?);
            }
            let term = Term::compound(self.reader.names.get("distinct"), sides, span);
            return Ok(Expr { kind: ExprKind::Term(term), span });
        }
        if self.token.kind != Kind::Cons {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.eat(&Kind::Cons) {
            items.push(self.primary()?);
        }
        let span = items[0].span.to(self.last);
        let mut terms = Vec::with_capacity(items.len());
        for item in items {
            terms.push(lower::term(item, self.reader).ok_or(Failed)?);
        }
        let kind = match terms.pop() {
            Some(Term { kind: TermKind::List(more, tail), .. }) => {
                terms.extend(more);
                TermKind::List(terms, tail)
            }
            Some(Term { kind: TermKind::Constant(name), .. }) if name == "nil" => {
                TermKind::List(terms, None)
            }
            tail => TermKind::List(terms, tail.map(Box::new)),
        };
        Ok(Expr { kind: ExprKind::Term(Term::new(kind, span)), span })
    }

    fn primary(&mut self) -> Result<Expr, Failed> {
        let span = self.token.span;
        if !self.reader.node(span) {
            return Err(Failed);
        }
        let kind = match self.token.kind.clone() {
            Kind::Name(name) => {
                self.advance();
                let open = self.token.kind == Kind::Open;
                if name == "not" && (open || self.starts_primary()) {
                    let inner = self.expr(level::UNARY, false)?;
                    let span = span.to(inner.span);
                    return Ok(Expr { kind: ExprKind::Not(Box::new(inner)), span });
                } else if open {
                    let args = self.arguments(&Kind::Close)?;
                    TermKind::Compound(name, args)
                } else {
                    TermKind::Constant(name)
                }
            }
            Kind::Variable(name) => {
                self.advance();
                // `Legal(x)` is a mistake; `X (a)` may be two statements.
                if self.token.kind == Kind::Open && self.token.span.start == span.end {
                    self.reader.push(
                        Diagnostic::new(
                            Code::Unexpected,
                            span,
                            format!("the variable `{name}` cannot have arguments"),
                        )
                        .help("names of relations and functions begin with a lower-case letter"),
                    );
                    return Err(Failed);
                }
                TermKind::Variable(name)
            }
            Kind::Wildcard => {
                self.advance();
                TermKind::Wildcard
            }
            Kind::OpenSquare => {
                let items = self.arguments(&Kind::CloseSquare)?;
                TermKind::List(items, None)
            }
            Kind::Open => {
                self.advance();
                let inner = self.expr(level::ARROW, true)?;
                if !self.eat(&Kind::Close) {
                    return Err(self.not_closed(span, &Kind::Close));
                }
                return Ok(Expr { kind: inner.kind, span: span.to(self.last) });
            }
            Kind::Close | Kind::CloseSquare => {
                let message = format!("this {} has no opening one", self.token.kind.describe());
                self.reader.push(
                    Diagnostic::new(Code::Unopened, span, message)
                        .help("remove it, or open a list before it"),
                );
                return Err(Failed);
            }
            _ => return Err(self.unexpected("a relation or a term")),
        };
        let span = span.to(self.last);
        Ok(Expr { kind: ExprKind::Term(Term::new(kind, span)), span })
    }

    fn starts_primary(&self) -> bool {
        matches!(self.token.kind, Kind::Name(_) | Kind::Variable(_) | Kind::Wildcard | Kind::Not)
    }

    /// Terms between the current opening token and `close`, separated by commas.
    fn arguments(&mut self, close: &Kind) -> Result<Vec<Term>, Failed> {
        let open = self.advance().span;
        let mut args = Vec::new();
        if self.eat(close) {
            return Ok(args);
        }
        loop {
            let expr = self.expr(level::OR, false)?;
            args.push(lower::term(expr, self.reader).ok_or(Failed)?);
            if self.eat(&Kind::Comma) {
                if self.token.kind == *close {
                    return Err(self.unexpected("a term after the comma"));
                }
                continue;
            }
            if self.eat(close) {
                return Ok(args);
            }
            return Err(self.not_closed(open, close));
        }
    }

    fn not_closed(&mut self, open: Span, close: &Kind) -> Failed {
        let here = self.token.kind.describe();
        let at_next = self.token.margin;
        let mut diagnostic = if at_next {
            Diagnostic::new(Code::Unclosed, open, "this parenthesis is never closed")
                .help(format!("add the missing {}", close.describe()))
                .related(self.token.span, "the next statement begins here")
        } else {
            Diagnostic::new(
                Code::Unexpected,
                self.token.span,
                format!("expected {} or `,`, found {here}", close.describe()),
            )
            .related(open, "opened here")
        };
        if self.token.kind == Kind::End {
            diagnostic.related.clear();
        }
        self.reader.push(diagnostic);
        Failed
    }
}

/// Whether the last condition is a name without arguments.
fn ends_bare(body: &[Formula]) -> bool {
    let last = body.last().map(|formula| &formula.kind);
    matches!(last, Some(FormulaKind::Atom(Term { kind: TermKind::Constant(_), .. })))
}

/// The name of a connective inside a term.
pub(super) fn connective(kind: &ExprKind, reader: &mut Reader) -> Option<Name> {
    match kind {
        ExprKind::Not(_) => Some(reader.names.get("not")),
        ExprKind::And(_) => Some(reader.names.get("and")),
        ExprKind::Or(_) => Some(reader.names.get("or")),
        _ => None,
    }
}
