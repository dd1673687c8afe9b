//! Diagnostics as data. How they look is the business of [`Source`](crate::Source).

use serde::Serialize;

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

/// The codes of one language: which rule a diagnostic is about.
pub trait Code: Copy + Ord {
    /// The stable identifier, such as `G201`.
    fn id(self) -> &'static str;

    /// The severity it usually has.
    fn severity(self) -> Severity;
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
pub struct Diagnostic<C> {
    /// Which rule was broken. Stable: tools may rely on it.
    pub code: C,
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

impl<C: Code> Diagnostic<C> {
    /// A diagnostic of the code's usual severity.
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
///
/// Errors and the rest have a limit each, so that many warnings never hide an error.
#[derive(Clone, Debug)]
pub struct Diagnostics<C> {
    list: Vec<Diagnostic<C>>,
    limit: usize,
    /// How many there were of each severity, those that were not kept included.
    counts: [usize; 3],
    kept: [usize; 3],
}

impl<C: Code> Diagnostics<C> {
    /// An empty list that keeps at most `limit` errors, warnings and notes each.
    pub fn new(limit: usize) -> Self {
        Self { list: Vec::new(), limit, counts: [0; 3], kept: [0; 3] }
    }

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic<C>) {
        let severity = diagnostic.severity as usize;
        self.counts[severity] += 1;
        if self.kept[severity] < self.limit {
            self.kept[severity] += 1;
            self.list.push(diagnostic);
        }
    }

    /// Whether so many are known that costly advice need not be worked out any more.
    pub fn is_full(&self) -> bool {
        self.list.len() >= self.limit
    }

    /// The diagnostics, in the order of the text.
    pub fn as_slice(&self) -> &[Diagnostic<C>] {
        &self.list
    }

    /// How many were counted but not kept.
    pub fn dropped(&self) -> usize {
        self.counts.iter().sum::<usize>() - self.list.len()
    }

    /// How many have this severity, the dropped ones included.
    pub fn count(&self, severity: Severity) -> usize {
        self.counts[severity as usize]
    }

    /// Whether there is any error.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// Appends what another list holds, changed or left out one by one.
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

    /// Puts them in the order of the text; the order of finding breaks ties.
    pub fn sort(&mut self) {
        self.list.sort_by_key(|d| (d.span.start, d.span.end, d.code));
    }
}
