//! The syntax tree: lists and words with their positions.
//!
//! RECYCLE is written in parentheses, and the tree follows the parentheses. The meaning of a word
//! depends on its context; the checker determines it.

use magister_diagnostic::Span;

/// A list or a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its kind.
    pub kind: NodeKind,
    /// Its position.
    pub span: Span,
}

/// The kinds of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A list in parentheses.
    List(Vec<Node>),
    /// A keyword in lower case, such as `choice`.
    Word(String),
    /// A name in upper case, such as `STOCK`.
    Name(String),
    /// A variable, without its quote.
    Var(String),
    /// A number.
    Int(i32),
    /// An operator or a mark: `+`, `==`, `,`, `:`, `..`.
    Mark(&'static str),
}

/// A comment, without its semicolons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Its position.
    pub span: Span,
    /// Whether other text precedes it on its line.
    pub trailing: bool,
}

impl Node {
    /// The items of a list.
    pub fn list(&self) -> Option<&[Node]> {
        match &self.kind {
            NodeKind::List(items) => Some(items),
            _ => None,
        }
    }

    /// The keyword.
    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The operator or mark.
    pub fn mark(&self) -> Option<&'static str> {
        match &self.kind {
            NodeKind::Mark(mark) => Some(mark),
            _ => None,
        }
    }

    /// Whether it is this keyword.
    pub fn is(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    /// The variable's name.
    pub fn var(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Var(name) => Some(name),
            _ => None,
        }
    }

    /// Whether it is a variable or a list, and thus may be an owner.
    pub(crate) fn is_operand(&self) -> bool {
        matches!(self.kind, NodeKind::Var(_) | NodeKind::List(_))
    }

    /// The first keyword or operator of a list.
    pub fn head(&self) -> Option<&str> {
        let first = self.list()?.first()?;
        first.word().or_else(|| first.mark())
    }
}
