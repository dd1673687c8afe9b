//! The formatter.
//!
//! A list that fits the line stays on it. Otherwise its first words stay beside the parenthesis and
//! each further part gets its own line. Comments keep their place: at the end of a line, or on
//! their own lines before the same part.

use crate::limits::CardLimits;
use crate::read;
use crate::tree::{Comment, Node, NodeKind};

/// The maximum line width.
const WIDTH: usize = 100;

/// The formatted text; `None` if its parentheses or words are wrong.
pub fn format(text: &str, limits: &CardLimits) -> Option<String> {
    let read = read::read(text, limits);
    if !read.diagnostics.as_slice().is_empty() {
        return None;
    }
    let mut printer = Printer { text, comments: &read.comments, next: 0, out: String::new() };
    for form in &read.forms {
        printer.before(form.span.start, 0);
        printer.node(form, 0);
        printer.end_line(form.span.end);
    }
    printer.before(u32::MAX, 0);
    let mut out = printer.out;
    while out.ends_with("\n\n") {
        out.pop();
    }
    Some(out)
}

/// Whether two texts have the same words and the same number of comments.
pub fn same_text(one: &str, other: &str, limits: &CardLimits) -> bool {
    let (one, other) = (read::read(one, limits), read::read(other, limits));
    let canonical = crate::print::canonical;
    canonical(&one.forms) == canonical(&other.forms) && one.comments.len() == other.comments.len()
}

struct Printer<'a> {
    text: &'a str,
    comments: &'a [Comment],
    next: usize,
    out: String,
}

impl Printer<'_> {
    fn indent(&mut self, depth: usize) {
        self.out.extend(std::iter::repeat_n(' ', depth));
    }

    /// Writes the comments on their own lines before a position in the text. The current line must
    /// be empty.
    fn before(&mut self, start: u32, depth: usize) {
        while let Some(comment) = self.comments.get(self.next)
            && comment.span.start < start
        {
            self.next += 1;
            self.indent(depth);
            self.comment(comment);
            self.out.push('\n');
        }
    }

    fn comment(&mut self, comment: &Comment) {
        self.out.push_str(self.text[comment.span.range()].trim_end());
    }

    /// Ends a line, with the comments after the last written word.
    fn end_line(&mut self, end: u32) {
        if let Some(comment) = self.comments.get(self.next)
            && comment.trailing
            && comment.span.start >= end
            && !self.text[end as usize..comment.span.start as usize].contains(['\n', '\r'])
        {
            self.next += 1;
            self.out.push(' ');
            self.comment(comment);
        }
        self.out.push('\n');
    }

    /// Whether it contains a comment.
    fn has_comment(&self, node: &Node) -> bool {
        let next = self.comments.get(self.next);
        next.is_some_and(|comment| comment.span.start < node.span.end)
    }

    /// Writes a node at this depth.
    fn node(&mut self, node: &Node, depth: usize) {
        let flat = flat(node);
        let Some(items) = node.list() else {
            self.out.push_str(&flat);
            return;
        };
        if !self.has_comment(node) && depth + flat.chars().count() <= WIDTH {
            self.out.push_str(&flat);
            return;
        }
        self.out.push('(');
        // The words at the beginning stay on the line.
        let head = items
            .iter()
            .take_while(|item| item.list().is_none())
            .take_while(|item| !self.has_comment(item))
            .count();
        let mut last = node.span.start + 1;
        for (at, item) in items[..head].iter().enumerate() {
            if at > 0 && !is_mark(item, &[",", ":"]) {
                self.out.push(' ');
            }
            self.out.push_str(&self::flat(item));
            last = item.span.end;
        }
        let inner = depth + 2;
        for item in &items[head..] {
            if is_mark(item, &[","]) && !self.has_comment(item) {
                self.out.push(',');
                last = item.span.end;
                continue;
            }
            self.end_line(last);
            self.before(item.span.start, inner);
            self.indent(inner);
            self.node(item, inner);
            last = item.span.end;
        }
        // Comments before the closing parenthesis keep it on its own line.
        if self.has_comment(node) {
            self.end_line(last);
            self.before(node.span.end, inner);
            self.indent(depth);
        }
        self.out.push(')');
    }
}

fn is_mark(node: &Node, marks: &[&str]) -> bool {
    node.mark().is_some_and(|mark| marks.contains(&mark))
}

/// A node on one line.
fn flat(node: &Node) -> String {
    match &node.kind {
        NodeKind::List(items) => {
            let mut out = String::from("(");
            for (at, item) in items.iter().enumerate() {
                let tight = at == 0 || is_mark(item, &[","]) || is_range(items, at);
                if !tight {
                    out.push(' ');
                }
                out.push_str(&flat(item));
            }
            out.push(')');
            out
        }
        NodeKind::Word(word) => word.clone(),
        NodeKind::Name(name) => name.clone(),
        NodeKind::Var(name) => format!("'{name}"),
        NodeKind::Int(number) => number.to_string(),
        NodeKind::Mark(mark) => (*mark).to_owned(),
    }
}

/// Whether this is a `..` between two numbers, or the number after it.
fn is_range(items: &[Node], at: usize) -> bool {
    let number = |node: &Node| matches!(node.kind, NodeKind::Int(_));
    let dots = |at: usize| {
        is_mark(&items[at], &[".."])
            && at > 0
            && number(&items[at - 1])
            && items.get(at + 1).is_some_and(number)
    };
    dots(at) || (at > 0 && dots(at - 1))
}
