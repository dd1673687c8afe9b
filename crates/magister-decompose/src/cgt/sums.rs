//! The winner of a sum of values, without the smallest form of the sum.
//!
//! The smallest form of a sum of hot values can be very large. The winner is found by a search
//! among the values: the means and temperatures of its parts bound the result of a sum, so that
//! most sums are decided at once.

use magister_core::{Halt, Stop};
use rustc_hash::FxHashMap;

use super::dyadic::Dyadic;
use super::forms::{Form, Forms};
use super::thermograph::Thermograph;

/// Sums whose winners are known.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    graphs: FxHashMap<Form, Thermograph>,
    /// Whether Left, or else Right, wins a sum by moving first.
    known: FxHashMap<(Sum, bool), bool>,
}

/// A sum of values.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Sum {
    /// The total of all numbers.
    number: Dyadic,
    /// The other values, ascending. No two of them add up to zero, and at most one is a nimber.
    parts: Vec<Form>,
}

impl Sum {
    fn add(&mut self, form: Form, forms: &mut Forms) {
        if let Some(number) = forms.number(form) {
            self.number = self.number + number;
            return;
        }
        let negative = forms.negative(form);
        if let Ok(at) = self.parts.binary_search(&negative) {
            self.parts.remove(at);
            return;
        }
        if let Some(size) = forms.nimber_size(form) {
            let nimber = |&part: &Form| forms.nimber_size(part);
            let other =
                self.parts.iter().enumerate().find_map(|(at, part)| Some((at, nimber(part)?)));
            if let Some((at, other)) = other {
                self.parts.remove(at);
                let total = forms.nimber(size ^ other);
                return self.add(total, forms);
            }
        }
        let at = self.parts.partition_point(|&part| part < form);
        self.parts.insert(at, form);
    }
}

impl Sums {
    /// Whether Left (or else Right) wins a sum by moving first.
    pub fn wins(
        &mut self,
        forms: &mut Forms,
        parts: impl IntoIterator<Item = Form>,
        left: bool,
        stop: &Stop,
    ) -> Result<bool, Halt> {
        let mut sum = Sum::default();
        parts.into_iter().for_each(|part| sum.add(part, forms));
        self.search(forms, sum, left, stop)
    }

    fn search(
        &mut self,
        forms: &mut Forms,
        sum: Sum,
        left: bool,
        stop: &Stop,
    ) -> Result<bool, Halt> {
        let (mean, heat) = self.bounds(forms, &sum);
        let mean = if left { mean } else { -mean };
        // The player who moves first gets at least the mean, and at most the highest temperature
        // more. A sum of numbers has no temperature: a move only loses.
        if mean > Dyadic::ZERO {
            return Ok(true);
        }
        if heat.is_none_or(|heat| mean + heat < Dyadic::ZERO) {
            return Ok(false);
        }
        let key = (sum, left);
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        stop.check()?;
        let (sum, _) = &key;
        // No player needs to move in a number while there is another value.
        let mut options = Vec::new();
        for (at, &part) in sum.parts.iter().enumerate() {
            if at > 0 && sum.parts[at - 1] == part {
                continue;
            }
            let own = if left { forms.left(part).to_vec() } else { forms.right(part).to_vec() };
            for option in own {
                let mut next = sum.clone();
                next.parts.remove(at);
                next.add(option, forms);
                let (mean, _) = self.bounds(forms, &next);
                options.push((if left { -mean } else { mean }, next));
            }
        }
        options.sort_by_key(|option| option.0);
        let mut wins = false;
        for (_, next) in options {
            if !self.search(forms, next, !left, stop)? {
                wins = true;
                break;
            }
        }
        self.known.insert(key, wins);
        Ok(wins)
    }

    /// The mean of a sum, and the highest temperature of its parts.
    fn bounds(&mut self, forms: &Forms, sum: &Sum) -> (Dyadic, Option<Dyadic>) {
        let (mut mean, mut highest) = (sum.number, None);
        for &part in &sum.parts {
            if !self.graphs.contains_key(&part) {
                forms.thermograph_of(part, &mut self.graphs);
            }
            let graph = &self.graphs[&part];
            mean = mean + graph.mean();
            highest = highest.max(Some(graph.temperature()));
        }
        (mean, highest)
    }
}

#[cfg(test)]
mod tests {
    use magister_core::Seed;

    use super::super::Outcome;
    use super::*;

    /// A random value of small games.
    fn random(forms: &mut Forms, rng: &mut magister_core::Rng, depth: u32) -> Form {
        if depth == 0 || rng.below(4) == 0 {
            return forms.whole(rng.below(5) as i64 - 2);
        }
        let mut side = |forms: &mut Forms| -> Vec<Form> {
            (0..rng.below(3)).map(|_| random(forms, rng, depth - 1)).collect()
        };
        let (left, right) = (side(forms), side(forms));
        forms.position(&left, &right)
    }

    /// The search finds the winner that the smallest form of the sum has.
    #[test]
    fn winners_of_sums() {
        let mut rng = Seed::from(7).rng();
        let (mut forms, mut sums, stop) = (Forms::new(), Sums::default(), Stop::never());
        for _ in 0..3_000 {
            let parts: Vec<Form> =
                (0..=rng.below(4)).map(|_| random(&mut forms, &mut rng, 3)).collect();
            let total = parts.iter().fold(Forms::ZERO, |total, &part| forms.sum(total, part));
            let outcome = forms.outcome(total);
            let mut wins =
                |left| sums.wins(&mut forms, parts.iter().copied(), left, &stop).expect("no halt");
            let found = (wins(true), wins(false));
            let left = matches!(outcome, Outcome::Left | Outcome::First);
            let right = matches!(outcome, Outcome::Right | Outcome::First);
            let texts: Vec<String> = parts.iter().map(|&part| forms.text(part)).collect();
            assert_eq!(found, (left, right), "{texts:?}");
        }
        assert!(sums.known.len() > 300, "{} sums were searched", sums.known.len());
    }
}
