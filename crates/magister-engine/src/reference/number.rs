//! Numbers as in Gamemaster: symbols that are read and written as in JavaScript.

use crate::term::{TermId, Terms};

const FUNCTIONS: &[&str] = &[
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "clz32",
    "cos",
    "cosh",
    "exp",
    "expm1",
    "floor",
    "fround",
    "hypot",
    "imul",
    "log",
    "log10",
    "log1p",
    "log2",
    "max",
    "min",
    "minus",
    "plus",
    "pow",
    "quotient",
    "remainder",
    "round",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "times",
    "trunc",
];

/// Whether there is a numeric function with this name.
pub(super) fn supported(name: &str) -> bool {
    FUNCTIONS.contains(&name)
}

/// The number of a term.
pub(crate) fn of(term: TermId, terms: &Terms) -> Option<f64> {
    read(terms.constant_text(term)?)
}

/// The number at the beginning of a text; the rest is ignored.
fn read(text: &str) -> Option<f64> {
    match text {
        "true" => return Some(1.0),
        "false" | "blank" => return Some(0.0),
        "infinity" => return Some(f64::INFINITY),
        "neginfinity" => return Some(f64::NEG_INFINITY),
        _ => {}
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
        return None;
    }
    let end =
        text.find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c))).unwrap_or(text.len());
    // Names are short, so trying ever shorter prefixes is simple and fast enough.
    (1..=end.min(64)).rev().find_map(|end| text[..end].parse().ok())
}

/// A number as JavaScript writes it.
pub(super) fn text(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 {
        "0".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { "infinity" } else { "neginfinity" }.to_owned()
    } else if (1e-6..1e21).contains(&size) {
        format!("{number}")
    } else {
        let text = format!("{number:e}");
        if text.contains("e-") { text } else { text.replace('e', "e+") }
    }
}

/// A numeric function; `None` if it has no value.
pub(super) fn apply(name: &str, args: &[f64]) -> Option<f64> {
    let (&x, rest) = args.split_first()?;
    let fold = |f: fn(f64, f64) -> f64| rest.iter().fold(x, |a, &b| f(a, b));
    let result = match (name, rest) {
        ("plus", _) => fold(|a, b| a + b),
        ("minus", []) => -x,
        ("minus", _) => fold(|a, b| a - b),
        ("times", _) => fold(|a, b| a * b),
        ("quotient", _) => fold(|a, b| a / b),
        ("remainder", _) => fold(|a, b| a % b),
        ("max", _) => fold(f64::max),
        ("min", _) => fold(f64::min),
        ("hypot", _) => args.iter().map(|a| a * a).sum::<f64>().sqrt(),
        ("pow", &[y]) => x.powf(y),
        ("atan2", &[y]) => x.atan2(y),
        ("imul", &[y]) => f64::from(to_int32(x).wrapping_mul(to_int32(y))),
        ("abs", []) => x.abs(),
        ("acos", []) => x.acos(),
        ("acosh", []) => x.acosh(),
        ("asin", []) => x.asin(),
        ("asinh", []) => x.asinh(),
        ("atan", []) => x.atan(),
        ("atanh", []) => x.atanh(),
        ("cbrt", []) => x.cbrt(),
        ("ceil", []) => x.ceil(),
        ("clz32", []) => f64::from(to_int32(x).leading_zeros()),
        ("cos", []) => x.cos(),
        ("cosh", []) => x.cosh(),
        ("exp", []) => x.exp(),
        ("expm1", []) => x.exp_m1(),
        ("floor", []) => x.floor(),
        ("fround", []) => f64::from(x as f32),
        ("log", []) => x.ln(),
        ("log10", []) => x.log10(),
        ("log1p", []) => x.ln_1p(),
        ("log2", []) => x.log2(),
        ("round", []) => (x + 0.5).floor(),
        ("sign", []) if x == 0.0 => 0.0,
        ("sign", []) => x.signum(),
        ("sin", []) => x.sin(),
        ("sinh", []) => x.sinh(),
        ("sqrt", []) => x.sqrt(),
        ("tan", []) => x.tan(),
        ("tanh", []) => x.tanh(),
        ("trunc", []) => x.trunc(),
        _ => return None,
    };
    (!result.is_nan()).then_some(result)
}

/// A statistic of a list of numbers; `None` if it has no value.
pub(super) fn statistic(name: &str, numbers: &[f64]) -> Option<f64> {
    if name == "sum" {
        return Some(numbers.iter().sum());
    }
    let least = numbers.iter().copied().reduce(f64::min)?;
    let most = numbers.iter().copied().reduce(f64::max)?;
    match name {
        "minimum" => Some(least),
        "maximum" => Some(most),
        "range" => Some(most - least),
        "midrange" => Some(f64::midpoint(least, most)),
        "mean" => Some(numbers.iter().sum::<f64>() / numbers.len() as f64),
        "median" => {
            let mut sorted = numbers.to_vec();
            sorted.sort_by(f64::total_cmp);
            let middle = sorted.len() / 2;
            let upper = sorted[middle];
            Some(if sorted.len() % 2 == 1 {
                upper
            } else {
                f64::midpoint(sorted[middle - 1], upper)
            })
        }
        _ => None,
    }
}

/// Modulo 2^32, as in the conversions of JavaScript.
fn to_int32(number: f64) -> i32 {
    let wrapped = if number.is_finite() { number.trunc().rem_euclid(4_294_967_296.0) } else { 0.0 };
    (wrapped as u32).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_javascript_reads_them() {
        for (text, number) in [
            ("10", 10.0),
            ("-2.5", -2.5),
            ("3abc", 3.0),
            ("1e3", 1000.0),
            ("5-6", 5.0),
            (".5", 0.5),
        ] {
            assert_eq!(read(text), Some(number), "{text}");
        }
        for text in ["", "a", "-", "inf", "nan"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_written_as_javascript_writes_them() {
        for (number, expected) in [
            (5.0, "5"),
            (-0.0, "0"),
            (0.1, "0.1"),
            (1e21, "1e+21"),
            (123_456_789_012_345_680_000.0, "123456789012345680000"),
            (1.5e-7, "1.5e-7"),
            (0.000_001, "0.000001"),
        ] {
            assert_eq!(text(number), expected);
        }
    }
}
