//! Printers: syntax tree to text, in either syntax, with the comments in place.

mod infix;
mod kif;
mod layout;
mod names;

use crate::ast::{Rulesheet, Statement, Syntax};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::limits::ReadLimits;

use layout::{Layout, Piece};
use names::Variables;

/// The maximum line width.
const WIDTH: usize = 80;

/// Prints a rulesheet in a syntax.
///
/// `text` is the source of the rulesheet; blank lines between statements are taken from it. The
/// errors say which names or statements cannot be written in that syntax.
///
/// ```
/// use magister_gdl::{print, read, Options, Syntax};
/// let text = "(<= (next (cell ?x)) (true (cell ?x))) ; it stays";
/// let sheet = read(text, &Options::default());
/// let infix = print(&sheet.rules, text, Syntax::Infix).unwrap();
/// assert_eq!(infix, "next(cell(X)) :- true(cell(X))  % it stays\n");
/// ```
pub fn print(rules: &Rulesheet, text: &str, syntax: Syntax) -> Result<String, Diagnostics> {
    let mut printer = Printer {
        from: rules.syntax,
        rules,
        problems: Diagnostics::new(ReadLimits::default().diagnostics),
    };
    let mut layout = Layout::new(text, rules, syntax);
    for statement in &rules.statements {
        let pieces = match syntax {
            Syntax::Kif => printer.kif_statement(statement),
            Syntax::Infix => Some(printer.infix_statement(statement)),
        };
        if let Some(block) = pieces {
            layout.statement(statement.span, &block);
        }
    }
    if printer.problems.as_slice().is_empty() { Ok(layout.finish()) } else { Err(printer.problems) }
}

/// A statement as pieces.
struct Block {
    pieces: Vec<Piece>,
    /// The maximum width of the statement on one line; 0 forbids it.
    one_line: usize,
}

struct Printer<'a> {
    from: Syntax,
    rules: &'a Rulesheet,
    problems: Diagnostics,
}

impl Printer<'_> {
    fn problem(&mut self, diagnostic: Diagnostic) {
        self.problems.push(diagnostic);
    }

    fn variables(&self, statement: &Statement, to: Syntax) -> Variables {
        Variables::of(statement, self.from, to)
    }
}
