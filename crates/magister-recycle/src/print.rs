//! Tree to text.

use crate::tree::{Node, NodeKind};

/// The text without comments and superfluous blanks, which is the same for equal rules.
pub(crate) fn canonical(forms: &[Node]) -> String {
    let mut out = String::new();
    for form in forms {
        write(form, &mut out);
    }
    out
}

fn write(node: &Node, out: &mut String) {
    match &node.kind {
        NodeKind::List(items) => {
            out.push('(');
            for item in items {
                write(item, out);
            }
            out.push(')');
        }
        NodeKind::Word(word) => word_apart(word, out),
        NodeKind::Name(name) => word_apart(name, out),
        NodeKind::Var(name) => {
            out.push('\'');
            out.push_str(name);
        }
        NodeKind::Int(number) => word_apart(&number.to_string(), out),
        NodeKind::Mark(mark) => {
            if out.ends_with(|c: char| !(c.is_alphanumeric() || "()_".contains(c))) {
                out.push(' ');
            }
            out.push_str(mark);
        }
    }
}

/// Writes a word, with a blank before it if necessary.
fn word_apart(word: &str, out: &mut String) {
    if out.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
        out.push(' ');
    }
    out.push_str(word);
}
