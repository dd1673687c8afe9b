//! Partially known terms.

use magister_engine::program::Pattern;
use magister_engine::term::{Functor, Symbol, TermId, Terms};

/// The maximum depth of a compound whose arguments are kept.
const DEEPEST: usize = 4;

/// A partially known term.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Shape {
    /// Any term.
    Any,
    /// The value of a variable of the current rule.
    Variable(u32),
    /// This term.
    Ground(TermId),
    /// A name with arguments.
    Compound(Symbol, Box<[Shape]>),
}

impl Shape {
    /// The name and the arguments of a term, if it has a name.
    pub(super) fn parts(&self, terms: &Terms) -> Option<(Functor, Vec<Shape>)> {
        match self {
            Shape::Any | Shape::Variable(_) => None,
            Shape::Ground(term) => {
                let args = terms.args(*term).iter().map(|&arg| Shape::Ground(arg)).collect();
                Some((terms.functor(*term), args))
            }
            Shape::Compound(symbol, args) => {
                let functor = Functor { symbol: *symbol, arity: Some(args.len() as u32) };
                Some((functor, args.to_vec()))
            }
        }
    }

    /// A pattern under a binding of its variables.
    pub(super) fn of(pattern: &Pattern, bound: &[Option<Shape>]) -> Shape {
        Self::within(pattern, bound, 0)
    }

    fn within(pattern: &Pattern, bound: &[Option<Shape>], depth: usize) -> Shape {
        match pattern {
            Pattern::Variable(variable) => bound[*variable as usize].clone().unwrap_or(Shape::Any),
            Pattern::Ground(term) => Shape::Ground(*term),
            Pattern::Compound(..) if depth >= DEEPEST => Shape::Any,
            Pattern::Compound(symbol, args) => {
                let args = args.iter().map(|arg| Self::within(arg, bound, depth + 1)).collect();
                Shape::Compound(*symbol, args)
            }
        }
    }

    /// Matches a pattern with a partially known term; returns false if they have no common
    /// instance.
    pub(super) fn bind(
        &self,
        pattern: &Pattern,
        bound: &mut [Option<Shape>],
        terms: &Terms,
    ) -> bool {
        match pattern {
            Pattern::Variable(variable) => {
                let known = &mut bound[*variable as usize];
                match known {
                    None => *known = Some(self.clone()),
                    Some(other) => match other.meet(self, terms) {
                        Some(both) => *other = both,
                        None => return false,
                    },
                }
                true
            }
            Pattern::Ground(term) => Shape::Ground(*term).meet(self, terms).is_some(),
            Pattern::Compound(symbol, args) => match self.parts(terms) {
                None => args.iter().all(|arg| Shape::Any.bind(arg, bound, terms)),
                Some((functor, own)) => {
                    let wanted = Functor { symbol: *symbol, arity: Some(args.len() as u32) };
                    functor == wanted
                        && own.iter().zip(args).all(|(own, arg)| own.bind(arg, bound, terms))
                }
            },
        }
    }

    /// The partially known term that fits both; `None` if there is no such term. The variables of
    /// the rule are kept if possible.
    pub(super) fn meet(&self, other: &Shape, terms: &Terms) -> Option<Shape> {
        match (self, other) {
            (Shape::Any, shape) | (shape, Shape::Any) => Some(shape.clone()),
            (Shape::Variable(_), _) => Some(self.clone()),
            (_, Shape::Variable(_)) => Some(other.clone()),
            (Shape::Ground(a), Shape::Ground(b)) => (a == b).then(|| self.clone()),
            _ => {
                let ((a, xs), (b, ys)) = (self.parts(terms)?, other.parts(terms)?);
                if a != b {
                    return None;
                }
                let both = xs.iter().zip(&ys).map(|(x, y)| x.meet(y, terms));
                let args = both.collect::<Option<Box<[Shape]>>>()?;
                Some(Shape::Compound(a.symbol, args))
            }
        }
    }

    /// Whether the two may be the same term.
    pub(super) fn meets(&self, other: &Shape, terms: &Terms) -> bool {
        self.meet(other, terms).is_some()
    }

    /// The text, with a question mark for every unknown part.
    pub(super) fn text(&self, terms: &Terms) -> String {
        match self {
            Shape::Any | Shape::Variable(_) => "?".to_owned(),
            Shape::Ground(term) if terms.functor(*term).arity.is_none() => {
                terms.name(terms.functor(*term).symbol).to_owned()
            }
            _ => {
                let Some((functor, args)) = self.parts(terms) else { return "?".to_owned() };
                let mut text = format!("({}", terms.name(functor.symbol));
                for arg in args {
                    text.push(' ');
                    text += &arg.text(terms);
                }
                text + ")"
            }
        }
    }
}
