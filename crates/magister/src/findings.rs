//! The defects of rules in any language.

use magister_diagnostic::{Code, Diagnostics, Severity, Source};

use crate::Input;

/// The defects of rules, with their positions.
#[derive(Clone, Debug)]
pub struct Findings {
    input: Input,
    found: Found,
}

/// Each language has its own codes.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    Gdl(magister_gdl::Diagnostics),
    Recycle(magister_recycle::Diagnostics),
}

impl Findings {
    pub(crate) fn new(input: Input, found: Found) -> Self {
        Findings { input, found }
    }

    /// The rules as text, with their name.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// Whether the rules have errors, so that they cannot be played.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// The number of findings with a severity.
    pub fn count(&self, severity: Severity) -> usize {
        match &self.found {
            Found::Gdl(found) => found.count(severity),
            Found::Recycle(found) => found.count(severity),
        }
    }

    /// One line per finding, with its position.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method is not general enough"
    )]
    pub fn lines(&self) -> Vec<String> {
        match &self.found {
            Found::Gdl(found) => self.each(found, |source, one| source.line(one)),
            Found::Recycle(found) => self.each(found, |source, one| source.line(one)),
        }
    }

    /// The line of the first error.
    pub fn first_error(&self) -> Option<String> {
        fn line<C: Code>(input: &Input, found: &Diagnostics<C>) -> Option<String> {
            let mut all = found.as_slice().iter();
            let first = all.find(|one| one.severity == Severity::Error)?;
            Some(Source::new(&input.name, &input.text).line(first))
        }
        match &self.found {
            Found::Gdl(found) => line(&self.input, found),
            Found::Recycle(found) => line(&self.input, found),
        }
    }

    /// Each finding for a terminal: with source lines, advice and colours.
    pub fn terminal(&self) -> Vec<String> {
        match &self.found {
            Found::Gdl(found) => self.each(found, |source, one| source.terminal(one, true)),
            Found::Recycle(found) => self.each(found, |source, one| source.terminal(one, true)),
        }
    }

    /// One JSON object per finding.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method is not general enough"
    )]
    pub fn json(&self) -> Vec<String> {
        match &self.found {
            Found::Gdl(found) => self.each(found, |source, one| source.json(one)),
            Found::Recycle(found) => self.each(found, |source, one| source.json(one)),
        }
    }

    fn each<C: Code>(
        &self,
        found: &Diagnostics<C>,
        show: impl Fn(&Source<'_>, &magister_diagnostic::Diagnostic<C>) -> String,
    ) -> Vec<String> {
        let source = Source::new(&self.input.name, &self.input.text);
        found.as_slice().iter().map(|one| show(&source, one)).collect()
    }
}
