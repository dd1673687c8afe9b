//! Bodies as disjunctions of conjunctions.

use magister_gdl::{Formula, FormulaKind, Term};

/// The maximum number of rules from one statement. Ten disjunctions of two alternatives make 1,024
/// rules; many more are a mistake or an attack.
const ALTERNATIVES: usize = 4096;

/// An indivisible part of a body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece<'a> {
    /// An atom or its negation.
    Atom(&'a Term, bool),
    /// The negation of a conjunction, which may have local variables.
    NotAll(&'a [Formula]),
}

/// Conjunctions, one of which must hold.
pub(super) type Cases<'a> = Vec<Vec<Piece<'a>>>;

/// Too many alternatives.
#[derive(Debug)]
pub(super) struct TooMany;

impl TooMany {
    pub(super) fn message() -> String {
        format!(
            "the disjunctions of this statement combine to more than {ALTERNATIVES} cases; \
             define a relation for some of them"
        )
    }
}

/// All combinations of alternatives that satisfy all formulas.
///
/// `(not (or a b))` is `not a` and `not b`. A negated conjunction stays one piece, because with
/// local variables it is not a disjunction of negations.
pub(super) fn all(body: &[Formula]) -> Result<Cases<'_>, TooMany> {
    product(body.iter().map(|formula| alternatives(formula, false)))
}

fn alternatives(formula: &Formula, negated: bool) -> Result<Cases<'_>, TooMany> {
    match (&formula.kind, negated) {
        (FormulaKind::Atom(term), _) => Ok(vec![vec![Piece::Atom(term, negated)]]),
        (FormulaKind::Not(inner), _) => alternatives(inner, !negated),
        (FormulaKind::And(parts), true) => match parts.as_slice() {
            [one] => alternatives(one, true),
            parts => Ok(vec![vec![Piece::NotAll(parts)]]),
        },
        (FormulaKind::And(parts), false) => {
            product(parts.iter().map(|part| alternatives(part, false)))
        }
        (FormulaKind::Or(parts), true) => {
            product(parts.iter().map(|part| alternatives(part, true)))
        }
        (FormulaKind::Or(parts), false) => {
            let mut sum = Vec::new();
            for part in parts {
                sum.extend(alternatives(part, false)?);
                if sum.len() > ALTERNATIVES {
                    return Err(TooMany);
                }
            }
            Ok(sum)
        }
    }
}

fn product<'a>(
    factors: impl Iterator<Item = Result<Cases<'a>, TooMany>>,
) -> Result<Cases<'a>, TooMany> {
    let mut cases: Cases<'a> = vec![Vec::new()];
    for factor in factors {
        let factor = factor?;
        if cases.len() * factor.len() > ALTERNATIVES {
            return Err(TooMany);
        }
        cases = cases
            .iter()
            .flat_map(|left| factor.iter().map(|right| [left.as_slice(), right].concat()))
            .collect();
    }
    Ok(cases)
}
