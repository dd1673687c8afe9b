//! Diagnostics with their source lines.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::{Source, clean};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::source::Span;

/// The maximum length of a line that is shown, because a mark in a longer one could not be found.
const LONGEST_LINE: usize = 400;
/// A mark that covers more lines than this is shortened to its first line.
const MOST_LINES: usize = 8;

pub(super) fn render<C: Code>(
    source: &Source<'_>,
    diagnostic: &Diagnostic<C>,
    colours: bool,
) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(clean(&diagnostic.message)).id(diagnostic.code.id());
    let mut group = Group::with_title(title);
    let mut marks = vec![(diagnostic.span, clean(&diagnostic.label), true)];
    marks.extend(diagnostic.related.iter().map(|r| (r.span, clean(&r.message), false)));
    let whole_file = diagnostic.span == Span::default() && diagnostic.related.is_empty();
    if whole_file {
        group = group.element(Origin::path(source.name));
    } else {
        for excerpt in excerpts(source, marks) {
            group = match excerpt {
                Excerpt::Lines(snippet) => group.element(snippet),
                Excerpt::Place(origin) => group.element(origin),
            };
        }
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(clean(help)));
    }
    let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
    renderer.decor_style(DecorStyle::Ascii).render(&[group])
}

/// A position, its label, and whether it is the main one.
type Mark = (Span, String, bool);

enum Excerpt<'a> {
    Lines(Snippet<'a, annotate_snippets::Annotation<'a>>),
    Place(Origin<'a>),
}

/// Marks that are close to each other share an excerpt of the text.
fn excerpts<'a>(source: &Source<'a>, marks: Vec<Mark>) -> Vec<Excerpt<'a>> {
    let mut groups: Vec<(usize, usize, Vec<Mark>)> = Vec::new();
    for (span, label, primary) in marks {
        let span = shorten(source, span);
        let first = source.lines.line_of(span.start);
        let last = source.lines.line_of(span.end.max(span.start + 1) - 1).max(first);
        let near = groups.iter_mut().find(|(a, b, _)| first <= *b + 3 && last + 3 >= *a);
        match near {
            Some((a, b, list)) => {
                *a = first.min(*a);
                *b = last.max(*b);
                list.push((span, label, primary));
            }
            None => groups.push((first, last, vec![(span, label, primary)])),
        }
    }
    groups.into_iter().map(|(a, b, list)| excerpt(source, a, b, list)).collect()
}

/// The span, cut down to its first line if it covers many.
fn shorten(source: &Source<'_>, span: Span) -> Span {
    let text = source.text;
    let length = text.len() as u32;
    let start = text.floor_char_boundary(span.start.min(length) as usize) as u32;
    let end = text.ceil_char_boundary(span.end.min(length) as usize) as u32;
    let first = source.lines.line_of(start);
    let last = source.lines.line_of(end);
    if last - first < MOST_LINES {
        return Span { start, end };
    }
    let line_end = source.lines.start(first + 1).unwrap_or(text.len());
    let visible = text[start as usize..line_end].trim_end().len() as u32;
    Span { start, end: start + visible }
}

fn excerpt<'a>(source: &Source<'a>, first: usize, last: usize, marks: Vec<Mark>) -> Excerpt<'a> {
    let from = source.lines.start(first).unwrap_or(0);
    let to = source.lines.start(last + 1).unwrap_or(source.text.len());
    let text = &source.text[from..to];
    if text.lines().any(|line| line.len() > LONGEST_LINE) {
        let at = source.place(marks[0].0.start);
        let origin =
            Origin::path(source.name).line(at.line as usize).char_column(at.column as usize);
        return Excerpt::Place(origin);
    }
    let mut snippet =
        Snippet::source(clean(text)).line_start(first + 1).path(source.name).fold(true);
    for (span, label, primary) in marks {
        let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let start = (span.start as usize).clamp(from, to) - from;
        let end = (span.end as usize).clamp(from, to) - from;
        let annotation = kind.span(start..end.max(start));
        snippet =
            snippet.annotation(if label.is_empty() { annotation } else { annotation.label(label) });
    }
    Excerpt::Lines(snippet)
}
