//! Arithmetic and comparisons, which authors write as in other languages.

use crate::ast::Syntax;

/// The advice about a relation that GDL does not have: a comparison or a computation.
pub(super) fn advice(name: &str, arity: usize, syntax: Syntax) -> Option<String> {
    let kif = syntax == Syntax::Kif;
    match (name, arity) {
        ("=" | "==" | "!=" | "/=" | "\\=", 2) => {
            let (equal, distinct) = if kif {
                ("(not (= a b))", "(distinct a b)")
            } else {
                ("~(a = b)", "distinct(a,b)")
            };
            Some(if matches!(name, "=" | "==") {
                format!(
                    "GDL has no equality: write the same variable in both places; for `{equal}` \
                     write `{distinct}`"
                )
            } else {
                format!("write `{distinct}`")
            })
        }
        _ if is_computed(name, arity) => {
            let fact = if kif { "(succ 0 1)" } else { "succ(0,1)" };
            Some(format!(
                "GDL has no arithmetic or comparison; define the numbers with facts such as \
                 `{fact}`"
            ))
        }
        _ => None,
    }
}

/// Whether another language would compute it.
pub(super) fn is_computed(name: &str, arity: usize) -> bool {
    let signs = ["<", "<=", "=<", ">", ">=", "+", "-", "*", "/", "is"];
    arity == 2 && signs.contains(&name)
}
