//! The builtins of Gamemaster's dialect.

/// The use of a builtin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// A condition that binds nothing.
    Test,
    /// A condition that may bind any of its arguments.
    Binding,
    /// A function: as a condition it takes its value as an additional last argument.
    Value,
    /// Its second argument is a formula, its last argument takes the result.
    Aggregate,
    /// It depends on chance or on the clock.
    Impure,
}

/// A builtin relation or function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// Its use.
    pub usage: Use,
    /// The minimum number of arguments when used as a condition.
    pub least: usize,
    /// The maximum number of arguments when used as a condition.
    pub most: usize,
}

const ANY: usize = usize::MAX;

const fn entry(name: &'static str, usage: Use, least: usize, most: usize) -> Builtin {
    Builtin { name, usage, least, most }
}

/// The builtins, sorted by name.
const TABLE: &[Builtin] = {
    use Use::{Aggregate, Binding, Impure, Test, Value};
    &[
        entry("abs", Value, 2, 2),
        entry("acos", Value, 2, 2),
        entry("acosh", Value, 2, 2),
        entry("append", Value, 3, ANY),
        entry("asin", Value, 2, 2),
        entry("asinh", Value, 2, 2),
        entry("atan", Value, 2, 2),
        entry("atan2", Value, 3, 3),
        entry("atanh", Value, 2, 2),
        entry("bitand", Value, 3, 3),
        entry("bitior", Value, 3, 3),
        entry("bitlsh", Value, 3, 3),
        entry("bitnot", Value, 2, 2),
        entry("bitxor", Value, 3, 3),
        entry("cbrt", Value, 2, 2),
        entry("ceil", Value, 2, 2),
        entry("choose", Impure, 2, 3),
        entry("clz32", Value, 2, 2),
        entry("cos", Value, 2, 2),
        entry("cosh", Value, 2, 2),
        entry("countofall", Aggregate, 3, 3),
        entry("delistify", Value, 2, 2),
        entry("distinct", Test, 2, 2),
        entry("evaluate", Value, 2, 2),
        entry("exists", Test, 2, 2),
        entry("exp", Value, 2, 2),
        entry("expm1", Value, 2, 2),
        entry("false", Test, 0, 0),
        entry("first", Value, 2, 2),
        entry("floor", Value, 2, 2),
        entry("fround", Value, 2, 2),
        entry("getdate", Impure, 2, 2),
        entry("gethour", Impure, 2, 2),
        entry("getminute", Impure, 2, 2),
        entry("getmonth", Impure, 2, 2),
        entry("getsecond", Impure, 2, 2),
        entry("getyear", Impure, 2, 2),
        entry("hastype", Test, 2, 2),
        entry("hypot", Value, 3, ANY),
        entry("imul", Value, 3, 3),
        entry("last", Value, 2, 2),
        entry("length", Value, 2, 2),
        entry("leq", Test, 2, 2),
        entry("less", Test, 2, 2),
        entry("listify", Value, 2, 2),
        entry("log", Value, 2, 2),
        entry("log10", Value, 2, 2),
        entry("log1p", Value, 2, 2),
        entry("log2", Value, 2, 2),
        entry("maketimestamp", Impure, 2, ANY),
        entry("map", Value, 3, 3),
        entry("matches", Binding, 2, ANY),
        entry("max", Value, 2, ANY),
        entry("maximum", Value, 2, 2),
        entry("mean", Value, 2, 2),
        entry("median", Value, 2, 2),
        entry("member", Binding, 2, 2),
        entry("midrange", Value, 2, 2),
        entry("min", Value, 2, ANY),
        entry("minimum", Value, 2, 2),
        entry("minus", Value, 2, ANY),
        entry("mutex", Test, 2, ANY),
        entry("newsymbolize", Impure, 2, 2),
        entry("plus", Value, 2, ANY),
        entry("pow", Value, 3, 3),
        entry("quotient", Value, 2, ANY),
        entry("random", Impure, 0, 1),
        entry("range", Value, 2, 2),
        entry("readstring", Value, 2, 2),
        entry("readstringall", Value, 2, 2),
        entry("remainder", Value, 2, ANY),
        entry("rest", Value, 2, 2),
        entry("revappend", Value, 3, 3),
        entry("reverse", Value, 2, 2),
        entry("round", Value, 2, 2),
        entry("same", Binding, 2, 2),
        entry("setofall", Aggregate, 3, 3),
        entry("sign", Value, 2, 2),
        entry("sin", Value, 2, 2),
        entry("sinh", Value, 2, 2),
        entry("sort", Value, 2, 2),
        entry("sqrt", Value, 2, 2),
        entry("stddev", Value, 2, 2),
        entry("stringappend", Value, 2, ANY),
        entry("stringify", Value, 2, 2),
        entry("stringifyall", Value, 2, 2),
        entry("stringjoin", Value, 3, 3),
        entry("stringmin", Value, 2, ANY),
        entry("submatches", Value, 3, 3),
        entry("sum", Value, 2, 2),
        entry("symbolize", Value, 2, 2),
        entry("symleq", Test, 2, 2),
        entry("symless", Test, 2, 2),
        entry("tan", Value, 2, 2),
        entry("tanh", Value, 2, 2),
        entry("times", Value, 2, ANY),
        entry("timestamp", Impure, 0, 1),
        entry("true", Test, 0, 2),
        entry("trunc", Value, 2, 2),
        entry("variance", Value, 2, 2),
    ]
};

impl Builtin {
    /// The builtin of this name.
    pub fn find(name: &str) -> Option<&'static Builtin> {
        TABLE.binary_search_by(|b| b.name.cmp(name)).ok().map(|i| &TABLE[i])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_so_that_every_builtin_is_found() {
        assert!(TABLE.is_sorted_by(|a, b| a.name < b.name));
        assert_eq!(Builtin::find("plus").map(|b| b.usage), Some(Use::Value));
        assert!(Builtin::find("cell").is_none());
    }
}
