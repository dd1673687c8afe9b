//! Thermographs: the result of a value as a function of the tax on every move.

use rustc_hash::FxHashMap;

use super::dyadic::Dyadic;
use super::forms::{Form, Forms};

/// A function of the tax that is linear between its corners. The first corner is at tax -1, the
/// last one at a tax above all temperatures.
type Wall = Vec<(Dyadic, Dyadic)>;

/// The tax beyond all temperatures.
const HIGHEST: i64 = 1 << 20;

/// A thermograph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thermograph {
    left: Wall,
    right: Wall,
    temperature: Dyadic,
    mean: Dyadic,
}

impl Thermograph {
    /// The tax at which both players become indifferent to moving; -1 for integers.
    pub fn temperature(&self) -> Dyadic {
        self.temperature
    }

    /// The mean value, which is the average result in a long sum.
    pub fn mean(&self) -> Dyadic {
        self.mean
    }

    /// The corners of Left's wall from tax 0 upwards: taxes and values.
    pub fn left(&self) -> &[(Dyadic, Dyadic)] {
        &self.left
    }

    /// The corners of Right's wall.
    pub fn right(&self) -> &[(Dyadic, Dyadic)] {
        &self.right
    }

    fn mast(at: Dyadic, from: Dyadic) -> Self {
        let wall = vec![(Dyadic::whole(-1), at), (Dyadic::whole(HIGHEST), at)];
        Thermograph { left: wall.clone(), right: wall, temperature: from, mean: at }
    }
}

impl Forms {
    /// The thermograph of a value.
    pub fn thermograph(&self, form: Form) -> Thermograph {
        self.thermograph_of(form, &mut FxHashMap::default())
    }

    /// The thermograph, with all others that it is computed from.
    pub(super) fn thermograph_of(
        &self,
        form: Form,
        known: &mut FxHashMap<Form, Thermograph>,
    ) -> Thermograph {
        if let Some(found) = known.get(&form) {
            return found.clone();
        }
        let found = match self.number(form) {
            Some(number) if number.is_whole() => Thermograph::mast(number, Dyadic::whole(-1)),
            _ => {
                let one = Dyadic::whole(1);
                let mut left: Option<Wall> = None;
                for &option in self.left(form) {
                    let wall = tilted(&self.thermograph_of(option, known).right, -one);
                    left = Some(left.map_or(wall.clone(), |old| upper(&old, &wall)));
                }
                let mut right: Option<Wall> = None;
                for &option in self.right(form) {
                    let wall = tilted(&self.thermograph_of(option, known).left, one);
                    let lower = |old: Wall| negated(&upper(&negated(&old), &negated(&wall)));
                    right = Some(right.map_or(wall.clone(), lower));
                }
                // In smallest forms, only integers lack options of one side.
                cut(&left.unwrap_or_default(), &right.unwrap_or_default())
            }
        };
        known.insert(form, found.clone());
        found
    }
}

/// The wall plus the tax times 1 or -1.
fn tilted(wall: &Wall, sign: Dyadic) -> Wall {
    let add = |&(tax, value): &(Dyadic, Dyadic)| {
        (tax, if sign > Dyadic::ZERO { value + tax } else { value - tax })
    };
    wall.iter().map(add).collect()
}

fn negated(wall: &Wall) -> Wall {
    wall.iter().map(|&(tax, value)| (tax, -value)).collect()
}

/// The value of a wall at a tax. Slopes are -1, 0 and 1.
fn at(wall: &Wall, tax: Dyadic) -> Dyadic {
    let after = wall.partition_point(|&(corner, _)| corner <= tax).max(1) - 1;
    let (from, value) = wall[after];
    match wall.get(after + 1) {
        Some(&(_, next)) if next > value => value + (tax - from),
        Some(&(_, next)) if next < value => value - (tax - from),
        _ => value,
    }
}

/// All taxes at which one of two walls has a corner or both intersect.
fn corners(a: &Wall, b: &Wall) -> Vec<Dyadic> {
    let mut taxes: Vec<Dyadic> = a.iter().chain(b).map(|&(tax, _)| tax).collect();
    taxes.sort_unstable();
    taxes.dedup();
    let mut all = taxes.clone();
    for pair in taxes.windows(2) {
        let (low, high) = (pair[0], pair[1]);
        let before = at(a, low) - at(b, low);
        let after = at(a, high) - at(b, high);
        if (before < Dyadic::ZERO) == (after < Dyadic::ZERO)
            || before == Dyadic::ZERO
            || after == Dyadic::ZERO
        {
            continue;
        }
        // The difference changes by one or two for each unit of tax.
        let distance = if before < Dyadic::ZERO { -before } else { before };
        let change = if after < before { before - after } else { after - before };
        let twice = change == (high - low) + (high - low);
        all.push(low + if twice { distance.half() } else { distance });
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The greater of two walls.
fn upper(a: &Wall, b: &Wall) -> Wall {
    let points = corners(a, b).into_iter().map(|tax| (tax, at(a, tax).max(at(b, tax))));
    simple(points.collect())
}

/// Drops corners on straight lines.
fn simple(wall: Wall) -> Wall {
    let mut kept: Wall = Vec::new();
    for point in wall {
        while let [.., a, b] = kept[..] {
            let sign = |from: (Dyadic, Dyadic), to: (Dyadic, Dyadic)| to.1.cmp(&from.1);
            if sign(a, b) == sign(b, point) {
                kept.pop();
            } else {
                break;
            }
        }
        kept.push(point);
    }
    kept
}

/// Two scaffolds up to the tax at which they meet, and a mast above it.
fn cut(left: &Wall, right: &Wall) -> Thermograph {
    let all = corners(left, right);
    let meet = all.iter().copied().find(|&tax| at(left, tax) <= at(right, tax));
    let temperature = meet.unwrap_or(Dyadic::whole(HIGHEST));
    let mean = at(left, temperature);
    let wall = |scaffold: &Wall| {
        let below = all.iter().copied().filter(|&tax| tax < temperature);
        let mut wall: Wall = below.map(|tax| (tax, at(scaffold, tax))).collect();
        wall.push((temperature, mean));
        wall.push((Dyadic::whole(HIGHEST), mean));
        simple(wall)
    };
    Thermograph { left: wall(left), right: wall(right), temperature, mean }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperatures_of_small_values() {
        let mut forms = Forms::new();
        let whole = |value: i64| Dyadic::whole(value);
        let three = forms.whole(3);
        assert_eq!(forms.thermograph(three).temperature(), whole(-1));
        let star = forms.nimber(1);
        assert_eq!(forms.thermograph(star).temperature(), Dyadic::ZERO);
        let one = forms.whole(1);
        let half = forms.position(&[Forms::ZERO], &[one]);
        assert_eq!(forms.thermograph(half).temperature(), Dyadic::new(-1, 1));
        assert_eq!(forms.thermograph(half).mean(), Dyadic::new(1, 1));
        // The mean of a sum is the sum of the means, and a sum is not hotter than its hottest part.
        let values: Vec<Form> = [7, 5, 4, 1].into_iter().map(|value| forms.whole(value)).collect();
        let low = forms.position(&[values[2]], &[values[3]]);
        let hot = forms.position(&[values[1]], &[low]);
        let game = forms.position(&[values[0]], &[hot]);
        let found = forms.thermograph(game);
        assert!(found.temperature() > Dyadic::ZERO);
        let double = forms.sum(game, game);
        let twice = forms.thermograph(double);
        assert_eq!(twice.mean(), found.mean() + found.mean());
        assert!(twice.temperature() <= found.temperature());
    }
}
