//! Diagnostics as data. [`Source`](crate::Source) renders them.

use serde::Serialize;

use crate::source::Span;

/// How severe a finding is.
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
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// The codes of one language, which identify the kind of a diagnostic.
pub trait Code: Copy + Ord {
    /// The stable identifier, such as `G201`.
    fn id(self) -> &'static str;

    /// Its default severity.
    fn severity(self) -> Severity;
}

/// Another position that is related to a diagnostic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Related {
    /// The position.
    pub span: Span,
    /// How it is related.
    pub message: String,
}

/// One finding with its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic<C> {
    /// The kind of finding. It is stable, so tools may rely on it.
    pub code: C,
    /// The severity; it may depend on the dialect.
    pub severity: Severity,
    /// The position.
    pub span: Span,
    /// What is wrong, in one sentence.
    pub message: String,
    /// A few words beside the marked position; may be empty.
    pub label: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Related positions.
    pub related: Vec<Related>,
}

impl<C: Code> Diagnostic<C> {
    /// A diagnostic with the default severity of its code.
    pub fn new(code: C, span: Span, message: impl Into<String>) -> Self {
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

    /// Adds a label beside the marked position.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.label = text.into();
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(clip(text.into()));
        self
    }

    /// Adds advice, if there is any.
    #[must_use]
    pub fn maybe_help(mut self, text: Option<String>) -> Self {
        self.help = text.or(self.help);
        self
    }

    /// Adds a related position.
    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Related { span, message: text.into() });
        self
    }

    /// Sets a severity other than the default.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}

/// Limits the length of a message: it contains names from the rules, which may be megabytes long.
fn clip(mut text: String) -> String {
    const LONGEST: usize = 400;
    if text.len() > LONGEST {
        text.truncate(text.floor_char_boundary(LONGEST));
        text.push('…');
    }
    text
}

/// A bounded list of diagnostics, because hostile input may have millions of mistakes.
///
/// Errors, warnings and notes have separate limits, so that many warnings never hide an error.
#[derive(Clone, Debug)]
pub struct Diagnostics<C> {
    list: Vec<Diagnostic<C>>,
    limit: usize,
    /// The number of each severity, including those that were not kept.
    counts: [usize; 3],
    kept: [usize; 3],
}

impl<C: Code> Diagnostics<C> {
    /// An empty list that keeps at most `limit` errors, warnings and notes each.
    pub fn new(limit: usize) -> Self {
        Self { list: Vec::new(), limit, counts: [0; 3], kept: [0; 3] }
    }

    /// Adds a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic<C>) {
        let severity = diagnostic.severity as usize;
        self.counts[severity] += 1;
        if self.kept[severity] < self.limit {
            self.kept[severity] += 1;
            self.list.push(diagnostic);
        }
    }

    /// Whether there are too many diagnostics for expensive suggestions.
    pub fn is_full(&self) -> bool {
        self.list.len() >= self.limit
    }

    /// The diagnostics, in the order of the text.
    pub fn as_slice(&self) -> &[Diagnostic<C>] {
        &self.list
    }

    /// The number of diagnostics that were counted but not kept.
    pub fn dropped(&self) -> usize {
        self.counts.iter().sum::<usize>() - self.list.len()
    }

    /// The number of diagnostics with this severity, including dropped ones.
    pub fn count(&self, severity: Severity) -> usize {
        self.counts[severity as usize]
    }

    /// Whether there is any error.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// Appends the diagnostics of another list, each changed or removed by a function.
    pub fn append(
        &mut self,
        other: Diagnostics<C>,
        change: impl FnMut(Diagnostic<C>) -> Option<Diagnostic<C>>,
    ) {
        for (count, (all, kept)) in self.counts.iter_mut().zip(other.counts.iter().zip(other.kept))
        {
            *count += all - kept;
        }
        other.list.into_iter().filter_map(change).for_each(|d| self.push(d));
    }

    /// Sorts by position; ties keep the order of discovery.
    pub fn sort(&mut self) {
        self.list.sort_by_key(|d| (d.span.start, d.span.end, d.code));
    }
}
