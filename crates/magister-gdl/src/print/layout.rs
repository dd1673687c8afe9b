//! Arranges statements and comments on lines.

use std::fmt::Write as _;

use super::{Block, WIDTH};
use crate::ast::{Comment, Rulesheet, Syntax};
use magister_diagnostic::Span;

/// A part of a statement that gets its own line when lines are broken.
pub(super) struct Piece {
    /// The text; further lines in it are already indented.
    pub(super) text: String,
    /// The separator before the next piece, such as ` &`.
    pub(super) after: &'static str,
    pub(super) indent: usize,
    /// Its position in the old text, for placing comments.
    pub(super) span: Span,
}

pub(super) struct Layout<'a> {
    text: &'a str,
    comments: std::iter::Peekable<std::slice::Iter<'a, Comment>>,
    marker: char,
    out: String,
    /// The end of the last printed element in the old text.
    last_end: Option<usize>,
    /// The current line ends with a comment, so nothing can follow on it.
    line_commented: bool,
}

impl<'a> Layout<'a> {
    pub(super) fn new(text: &'a str, rules: &'a Rulesheet, syntax: Syntax) -> Self {
        Self {
            text,
            comments: rules.comments.iter().peekable(),
            marker: if syntax == Syntax::Kif { ';' } else { '%' },
            out: String::new(),
            last_end: None,
            line_commented: false,
        }
    }

    pub(super) fn statement(&mut self, span: Span, block: &Block) {
        while let Some(comment) = self.comments.next_if(|c| c.span.start < span.start) {
            self.blank_line(comment.span);
            self.comment(comment);
            self.newline();
        }
        self.blank_line(span);
        // A comment after the last piece, before the closing parenthesis, can also follow the
        // statement.
        let inner_end = block.pieces.last().map_or(span.start, |p| p.span.end);
        let commented = self.comments.peek().is_some_and(|c| c.span.start < inner_end);
        match one_line(block) {
            Some(line) if !commented => self.out.push_str(&line),
            _ => self.broken(span, block),
        }
        if span.end > span.start {
            self.last_end = self.last_end.max(Some(span.end as usize));
        }
        self.trailing_after(span);
        self.newline();
    }

    /// One piece per line, with the comments between them.
    fn broken(&mut self, span: Span, block: &Block) {
        for (i, piece) in block.pieces.iter().enumerate() {
            if i > 0 {
                self.newline();
                let before = piece.span.start;
                while let Some(comment) = self.comments.next_if(|c| c.span.start < before) {
                    self.indent(piece.indent);
                    self.comment(comment);
                    self.newline();
                }
            }
            self.indent(piece.indent);
            self.out.push_str(&piece.text);
            self.out.push_str(piece.after);
            // Comments inside the piece, or after it on its line, follow it; a second comment would
            // become part of the first, so it is placed with the next piece.
            let next = block.pieces.get(i + 1).map_or(span.end, |p| p.span.start);
            let end = piece.span.end;
            if let Some(comment) = self
                .comments
                .next_if(|c| c.span.start < next && (!c.own_line || c.span.start < end))
            {
                self.out.push_str("  ");
                self.comment(comment);
            }
        }
        // The remaining comments are after the last piece but before the end of the statement.
        while let Some(comment) = self.comments.next_if(|c| c.span.start < span.end) {
            self.newline();
            self.comment(comment);
        }
    }

    fn trailing_after(&mut self, span: Span) {
        if self.line_commented {
            return; // It gets its own line, before whatever follows.
        }
        let end = span.end as usize;
        let text = self.text;
        let behind = |c: &&Comment| {
            !c.own_line
                && span.end > span.start
                && text.get(end..c.span.start as usize).is_some_and(|gap| {
                    !gap.contains(['\n', '\r', '('])
                        && gap.trim().trim_matches('.').trim().is_empty()
                })
        };
        if let Some(comment) = self.comments.next_if(behind) {
            self.out.push_str("  ");
            self.comment(comment);
            self.last_end = Some(comment.span.end as usize);
        }
    }

    fn comment(&mut self, comment: &Comment) {
        self.out.extend(std::iter::repeat_n(self.marker, comment.markers));
        self.out.push_str(&comment.text);
        self.line_commented = true;
        self.last_end = Some(comment.span.end as usize);
    }

    fn newline(&mut self) {
        self.out.push('\n');
        self.line_commented = false;
    }

    fn indent(&mut self, by: usize) {
        self.out.extend(std::iter::repeat_n(' ', by));
    }

    /// A blank line, if there was one before `span`.
    fn blank_line(&mut self, span: Span) {
        let Some(end) = self.last_end else { return };
        let Some(gap) = self.text.get(end..span.start as usize) else {
            return;
        };
        let ends = gap.matches('\n').count().max(gap.matches('\r').count());
        if ends > 1 {
            self.newline();
        }
    }

    pub(super) fn finish(mut self) -> String {
        while let Some(comment) = self.comments.next() {
            self.blank_line(comment.span);
            self.comment(comment);
            self.newline();
        }
        self.out
    }
}

/// The statement on one line, if it is short enough.
fn one_line(block: &Block) -> Option<String> {
    let mut line = String::new();
    for (i, piece) in block.pieces.iter().enumerate() {
        if piece.text.contains('\n') {
            return None;
        }
        let gap = if i > 0 { " " } else { "" };
        let _ = write!(line, "{gap}{}{}", piece.text, piece.after);
    }
    let single = block.pieces.len() <= 1;
    (single || line.chars().count() <= block.one_line.min(WIDTH)).then_some(line)
}
