//! Positions as values in their smallest forms.

use magister_core::{Halt, Stop};
use rustc_hash::FxHashMap;

use super::dyadic::Dyadic;

/// A value in its smallest form. Equal values of one [`Forms`] have equal numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Form(u32);

/// The winner of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Left wins, whether it moves first or second.
    Left,
    /// Right wins, whether it moves first or second.
    Right,
    /// The player that moves first wins.
    First,
    /// The player that moves second wins.
    Second,
}

/// Values in their smallest forms, each stored once.
#[derive(Clone, Debug, Default)]
pub struct Forms {
    options: Vec<(Vec<Form>, Vec<Form>)>,
    known: FxHashMap<(Vec<Form>, Vec<Form>), Form>,
    at_most: FxHashMap<(Form, Form), bool>,
    sums: FxHashMap<(Form, Form), Form>,
    negatives: FxHashMap<Form, Form>,
}

impl Forms {
    /// Only zero is stored.
    pub fn new() -> Self {
        let mut forms = Forms::default();
        forms.intern(Vec::new(), Vec::new());
        forms
    }

    /// The position in which no player can move.
    pub const ZERO: Form = Form(0);

    fn intern(&mut self, left: Vec<Form>, right: Vec<Form>) -> Form {
        let fresh = Form(self.options.len() as u32);
        let key = (left, right);
        let form = *self.known.entry(key.clone()).or_insert(fresh);
        if form == fresh {
            self.options.push(key);
        }
        form
    }

    /// Left's options.
    pub fn left(&self, form: Form) -> &[Form] {
        &self.options[form.0 as usize].0
    }

    /// Right's options.
    pub fn right(&self, form: Form) -> &[Form] {
        &self.options[form.0 as usize].1
    }

    /// The number of values that are stored.
    pub fn len(&self) -> usize {
        self.options.len()
    }

    /// Whether only zero is stored.
    pub fn is_empty(&self) -> bool {
        self.len() <= 1
    }

    /// Whether the first value is at most the second, so that Left does not prefer the first.
    pub fn at_most(&mut self, low: Form, high: Form) -> bool {
        if low == high {
            return true;
        }
        if let Some(&known) = self.at_most.get(&(low, high)) {
            return known;
        }
        let mut result = true;
        for at in 0..self.left(low).len() {
            let option = self.left(low)[at];
            if self.at_most(high, option) {
                result = false;
                break;
            }
        }
        for at in 0..self.right(high).len() {
            if !result {
                break;
            }
            let option = self.right(high)[at];
            result = !self.at_most(option, low);
        }
        self.at_most.insert((low, high), result);
        result
    }

    /// The value of the position with these options, in its smallest form: dominated options are
    /// removed, and reversible options are bypassed: if the opponent can answer an option with a
    /// position that is at least as good for the opponent as the original position, the option is
    /// replaced by the options of that answer.
    pub fn position(&mut self, left: &[Form], right: &[Form]) -> Form {
        let (mut left, mut right) = (left.to_vec(), right.to_vec());
        loop {
            self.drop_dominated(&mut left, true);
            self.drop_dominated(&mut right, false);
            if !self.bypass(&mut left, &mut right) {
                break;
            }
        }
        self.intern(left, right)
    }

    fn drop_dominated(&mut self, options: &mut Vec<Form>, for_left: bool) {
        options.sort_unstable();
        options.dedup();
        let all = options.clone();
        options.retain(|&one| {
            !all.iter().any(|&other| {
                other != one
                    && if for_left { self.at_most(one, other) } else { self.at_most(other, one) }
            })
        });
    }

    /// Bypasses one reversible option; returns whether there was one.
    fn bypass(&mut self, left: &mut Vec<Form>, right: &mut Vec<Form>) -> bool {
        for at in 0..left.len() {
            for answer in self.right(left[at]).to_vec() {
                if self.at_most_position(answer, left, right) {
                    left.swap_remove(at);
                    left.extend_from_slice(self.left(answer));
                    return true;
                }
            }
        }
        for at in 0..right.len() {
            for answer in self.left(right[at]).to_vec() {
                if self.at_least_position(answer, left, right) {
                    right.swap_remove(at);
                    right.extend_from_slice(self.right(answer));
                    return true;
                }
            }
        }
        false
    }

    /// Whether a value is at most that of a position which is not stored yet.
    fn at_most_position(&mut self, form: Form, left: &[Form], right: &[Form]) -> bool {
        for option in self.left(form).to_vec() {
            if self.at_least_position(option, left, right) {
                return false;
            }
        }
        right.iter().all(|&option| !self.at_most(option, form))
    }

    /// Whether a value is at least that of a position which is not stored yet.
    fn at_least_position(&mut self, form: Form, left: &[Form], right: &[Form]) -> bool {
        for option in self.right(form).to_vec() {
            if self.at_most_position(option, left, right) {
                return false;
            }
        }
        left.iter().all(|&option| !self.at_most(form, option))
    }

    /// The value of the sum of two positions. That of several hot values can be very large.
    pub fn sum(&mut self, a: Form, b: Form) -> Form {
        self.sum_unless(a, b, &Stop::never()).expect("nothing stops it")
    }

    /// [`Forms::sum`] that can be stopped.
    pub fn sum_unless(&mut self, a: Form, b: Form, stop: &Stop) -> Result<Form, Halt> {
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.sums.get(&key) {
            return Ok(known);
        }
        stop.check()?;
        let (a, b) = key;
        let mut sides = [Vec::new(), Vec::new()];
        for (side, list) in sides.iter_mut().enumerate() {
            for (from, with) in [(a, b), (b, a)] {
                let (left, right) = &self.options[from.0 as usize];
                let options = if side == 0 { left.clone() } else { right.clone() };
                for option in options {
                    list.push(self.sum_unless(option, with, stop)?);
                }
            }
        }
        let form = self.position(&sides[0], &sides[1]);
        self.sums.insert(key, form);
        Ok(form)
    }

    /// The value with the roles exchanged.
    pub fn negative(&mut self, form: Form) -> Form {
        if let Some(&known) = self.negatives.get(&form) {
            return known;
        }
        let (left, right) = (self.left(form).to_vec(), self.right(form).to_vec());
        let mut exchanged = |options: Vec<Form>| -> Vec<Form> {
            let mut list: Vec<Form> = options.into_iter().map(|one| self.negative(one)).collect();
            list.sort_unstable();
            list
        };
        let (left, right) = (exchanged(right), exchanged(left));
        // The negative of a smallest form is itself a smallest form.
        let negative = self.intern(left, right);
        self.negatives.insert(form, negative);
        self.negatives.insert(negative, form);
        negative
    }

    /// The integer with this value.
    pub fn whole(&mut self, value: i64) -> Form {
        let mut form = Self::ZERO;
        for _ in 0..value.unsigned_abs() {
            form = if value > 0 {
                self.intern(vec![form], Vec::new())
            } else {
                self.intern(Vec::new(), vec![form])
            };
        }
        form
    }

    /// The nimber of this size.
    pub fn nimber(&mut self, size: usize) -> Form {
        let mut all = vec![Self::ZERO];
        for _ in 0..size {
            let mut options = all.clone();
            options.sort_unstable();
            all.push(self.intern(options.clone(), options));
        }
        all[size]
    }

    /// The number that a value equals; `None` if it is not a number.
    pub fn number(&self, form: Form) -> Option<Dyadic> {
        let one = Dyadic::whole(1);
        match (self.left(form), self.right(form)) {
            ([], []) => Some(Dyadic::ZERO),
            (&[low], []) => Some(self.number(low)? + one),
            ([], &[high]) => Some(self.number(high)? - one),
            (&[low], &[high]) => {
                let (low, high) = (self.number(low)?, self.number(high)?);
                (low < high).then(|| (low + high).half())
            }
            _ => None,
        }
    }

    /// The winner under optimal play.
    pub fn outcome(&mut self, form: Form) -> Outcome {
        match (self.at_most(form, Self::ZERO), self.at_most(Self::ZERO, form)) {
            (true, true) => Outcome::Second,
            (true, false) => Outcome::Right,
            (false, true) => Outcome::Left,
            (false, false) => Outcome::First,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_minus_itself_is_zero() {
        let mut forms = Forms::new();
        let (one, minus) = (forms.whole(1), forms.whole(-1));
        let hot = forms.position(&[one], &[minus]);
        let up = {
            let star = forms.nimber(1);
            forms.position(&[Forms::ZERO], &[star])
        };
        for form in [one, hot, up] {
            let negative = forms.negative(form);
            assert_eq!(forms.sum(form, negative), Forms::ZERO);
        }
        assert_eq!(forms.outcome(hot), Outcome::First);
        assert_eq!(forms.outcome(up), Outcome::Left);
    }

    #[test]
    fn nimbers_add_as_in_nim() {
        let mut forms = Forms::new();
        for a in 0..4 {
            for b in 0..4 {
                let (x, y, z) = (forms.nimber(a), forms.nimber(b), forms.nimber(a ^ b));
                assert_eq!(forms.sum(x, y), z, "{a} {b}");
            }
        }
    }

    #[test]
    fn numbers_are_the_simplest_ones() {
        let mut forms = Forms::new();
        let (zero, one, three) = (Forms::ZERO, forms.whole(1), forms.whole(3));
        let half = forms.position(&[zero], &[one]);
        assert_eq!(forms.number(half), Some(Dyadic::new(1, 1)));
        assert_eq!(forms.sum(half, half), one);
        let simple = forms.position(&[half], &[three]);
        assert_eq!(forms.number(simple), Some(Dyadic::whole(1)));
        assert_eq!(simple, one);
    }
}
