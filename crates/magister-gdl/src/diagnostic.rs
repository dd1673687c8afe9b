//! Diagnostics as data. How they look is the business of [`crate::render`].

use serde::Serialize;

use crate::code::Code;
use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The rules cannot be used, or do not mean what they seem to mean.
    Error,
    /// Probably a mistake.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// Another place that has to do with a diagnostic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Related {
    /// Where.
    pub span: Span,
    /// What about it.
    pub message: String,
}

/// One thing that is wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Which rule was broken. Stable: tools may rely on it.
    pub code: Code,
    /// How bad it is; it may depend on the dialect.
    pub severity: Severity,
    /// Where.
    pub span: Span,
    /// What is wrong, in one sentence.
    pub message: String,
    /// A few words beside the marked place; empty for none.
    pub label: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Other places.
    pub related: Vec<Related>,
}

impl Diagnostic {
    /// A diagnostic of the code's usual severity.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            span,
            message: clip(message.into()),
            label: String::new(),
            help: None,
            related: Vec::new(),
        }
    }

    /// With these words beside the marked place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.label = text.into();
        self
    }

    /// With this advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(clip(text.into()));
        self
    }

    /// With this advice, if there is any.
    #[must_use]
    pub fn maybe_help(mut self, text: Option<String>) -> Self {
        self.help = text.or(self.help);
        self
    }

    /// With another place.
    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Related { span, message: text.into() });
        self
    }

    /// With another severity than usual.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}

/// A sentence of bearable length: names in it come from the rules and may be megabytes.
fn clip(mut text: String) -> String {
    const LONGEST: usize = 400;
    if text.len() > LONGEST {
        text.truncate(text.floor_char_boundary(LONGEST));
        text.push('…');
    }
    text
}

/// A bounded list of diagnostics: hostile input makes mistakes by the million.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    limit: usize,
    dropped: usize,
    dropped_errors: usize,
}

impl Diagnostics {
    /// An empty list that keeps at most `limit` diagnostics.
    pub fn new(limit: usize) -> Self {
        Self { list: Vec::new(), limit, dropped: 0, dropped_errors: 0 }
    }

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < self.limit {
            self.list.push(diagnostic);
        } else {
            self.dropped += 1;
            self.dropped_errors += usize::from(diagnostic.severity == Severity::Error);
        }
    }

    /// Whether no more are kept, so that costly advice need not be worked out.
    pub fn is_full(&self) -> bool {
        self.list.len() >= self.limit
    }

    /// The diagnostics, in the order of the text.
    pub fn as_slice(&self) -> &[Diagnostic] {
        &self.list
    }

    /// How many were counted but not kept.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// How many have this severity, the dropped ones included.
    pub fn count(&self, severity: Severity) -> usize {
        let kept = self.list.iter().filter(|d| d.severity == severity).count();
        kept + match severity {
            Severity::Error => self.dropped_errors,
            Severity::Warning => self.dropped - self.dropped_errors,
            Severity::Note => 0,
        }
    }

    /// Whether there is any error.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// Appends what another list holds.
    pub fn append(&mut self, other: Diagnostics) {
        self.dropped += other.dropped;
        self.dropped_errors += other.dropped_errors;
        other.list.into_iter().for_each(|d| self.push(d));
    }

    /// Puts them in the order of the text; the order of finding breaks ties.
    pub(crate) fn sort(&mut self) {
        self.list.sort_by_key(|d| (d.span.start, d.span.end, d.code));
    }
}
