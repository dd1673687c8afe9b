//! Readers: text to syntax tree.
//!
//! A reader never panics and never stops at the first error: it returns the readable statements,
//! and diagnostics for the rest.

mod detect;
mod infix;
mod kif;
mod lexer;
mod lower;
mod sexp;

use crate::ast::{Dialect, Rulesheet, Style, Syntax, Term, TermKind};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::limits::ReadLimits;
use crate::name::Names;
use magister_diagnostic::Span;

/// The options of a reader; everything that is not given is detected from the content.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Prefix or infix.
    pub syntax: Option<Syntax>,
    /// GDL, GDL-II or Gamemaster's operations.
    pub dialect: Option<Dialect>,
    /// The limits.
    pub limits: ReadLimits,
}

/// The result of a reader.
#[derive(Clone, Debug)]
pub struct Read {
    /// All readable statements.
    pub rules: Rulesheet,
    /// The errors.
    pub diagnostics: Diagnostics,
}

/// Reads a rulesheet.
///
/// ```
/// use magister_gdl::{read, Options};
/// let sheet = read("(role x) (<= terminal (true done))", &Options::default());
/// assert_eq!(sheet.rules.statements.len(), 2);
/// assert!(!sheet.diagnostics.has_errors());
/// ```
pub fn read(text: &str, options: &Options) -> Read {
    let mut reader = Reader::new(options.limits);
    if text.len() > options.limits.bytes {
        reader.push(
            Diagnostic::new(
                Code::TooLarge,
                Span::default(),
                format!("the text has more than {} bytes", options.limits.bytes),
            )
            .help("split the file, or raise the limit in the calling program"),
        );
        let syntax = options.syntax.unwrap_or(Syntax::Kif);
        return reader.finish(syntax, options.dialect.unwrap_or(Dialect::Gdl));
    }
    let syntax = options.syntax.unwrap_or_else(|| {
        if options.dialect == Some(Dialect::Operations) {
            Syntax::Infix
        } else {
            detect::syntax(text)
        }
    });
    match syntax {
        Syntax::Kif => kif::read(text, &mut reader),
        Syntax::Infix => infix::read(text, &mut reader),
    }
    let mut read = reader.finish(syntax, Dialect::Gdl);
    read.rules.dialect = options.dialect.unwrap_or_else(|| detect::dialect(&read.rules));
    read
}

/// Shared by all readers: names, limits, statements and diagnostics.
struct Reader {
    names: Names,
    limits: ReadLimits,
    nodes: usize,
    full: bool,
    style: Style,
    statements: Vec<crate::ast::Statement>,
    comments: Vec<crate::ast::Comment>,
    diagnostics: Diagnostics,
}

impl Reader {
    fn new(limits: ReadLimits) -> Self {
        Self {
            names: Names::default(),
            limits,
            nodes: 0,
            full: false,
            style: Style::default(),
            statements: Vec::new(),
            comments: Vec::new(),
            diagnostics: Diagnostics::new(limits.diagnostics),
        }
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Counts a node at `span`; returns false, with one diagnostic, once there are too many.
    fn node(&mut self, span: Span) -> bool {
        self.nodes += 1;
        if self.nodes > self.limits.nodes && !self.full {
            self.full = true;
            let limit = self.limits.nodes;
            self.push(Diagnostic::new(
                Code::TooLarge,
                span,
                format!("there are more than {limit} names and lists; reading stops here"),
            ));
        }
        !self.full
    }

    /// An atom as a head or condition. `(terminal)` means `terminal`: the keyword has no arguments,
    /// so it cannot mean anything else. Other names keep the difference.
    fn atom(&mut self, mut term: Term) -> Term {
        if let TermKind::Compound(name, args) = &term.kind
            && args.is_empty()
            && *name == "terminal"
        {
            self.push(
                Diagnostic::new(
                    Code::NeedlessParentheses,
                    term.span,
                    "`terminal` has parentheses but no arguments",
                )
                .help("write `terminal`: some programs treat the two spellings as different"),
            );
            term.kind = TermKind::Constant(name.clone());
        }
        term
    }

    fn too_deep(&mut self, span: Span) {
        let limit = self.limits.depth;
        self.push(
            Diagnostic::new(
                Code::TooDeep,
                span,
                format!("parentheses are nested more than {limit} deep"),
            )
            .label("the limit is reached here")
            .help("is a closing parenthesis missing further up?"),
        );
    }

    fn finish(self, syntax: Syntax, dialect: Dialect) -> Read {
        let mut diagnostics = self.diagnostics;
        diagnostics.sort();
        Read {
            rules: Rulesheet {
                syntax,
                dialect,
                style: self.style,
                statements: self.statements,
                comments: self.comments,
            },
            diagnostics,
        }
    }
}
