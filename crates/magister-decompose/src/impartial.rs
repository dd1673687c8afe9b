//! Impartial games: sums in which every role has the same options.
//!
//! Under normal play (a player without a move loses), the value of a part is its nimber, the least
//! number that is not the nimber of one of its options, and the value of a sum is the exclusive or
//! of its parts. Under misère play nimbers decide only if every part is a heap of Nim.

use rustc_hash::FxHashMap;

use crate::sum::Sum;

/// The result for the role that cannot move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Convention {
    /// It loses.
    Normal,
    /// It wins.
    Misere,
}

/// An impartial sum with the nimbers of its classes.
#[derive(Clone, Debug)]
pub struct Impartial {
    /// Normal or misère play.
    pub convention: Convention,
    /// The nimber of each class.
    nimbers: Vec<u32>,
    /// The nimber of each part at the start.
    pub heaps: Vec<u32>,
    /// Whether every part is a heap of Nim: from nimber n it can move to exactly 0 to n - 1.
    pub nim: bool,
}

/// A winning first move: a part, the class it leads to, and its nimber.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Winning {
    /// The part.
    pub part: usize,
    /// The class of the part after the move.
    pub class: u32,
    /// Its nimber.
    pub nimber: u32,
}

impl Impartial {
    /// The nimbers of a sum, if it is impartial and nimbers decide it; otherwise the reason.
    ///
    /// The requirements are: two roles take turns; both have the same options in every class; the
    /// game ends exactly when no part has a move; and the goals then depend only on whose turn it
    /// is.
    pub fn new(sum: &Sum) -> Result<Self, &'static str> {
        let classes = &sum.classes;
        if classes.iter().any(|class| class.options.len() != 2) {
            return Err("only games of two roles are impartial");
        }
        if classes.iter().any(|class| class.options[0] != class.options[1]) {
            return Err("the roles have different options");
        }
        let convention = sum.last_mover()?;
        let nimbers = nimbers(classes.len(), |class| &classes[class].options[0])
            .ok_or("positions can repeat")?;
        let is_heap = |class: usize| {
            let mut below: Vec<u32> =
                classes[class].options[0].iter().map(|&o| nimbers[o as usize]).collect();
            below.sort_unstable();
            below.dedup();
            below.len() as u32 == nimbers[class]
                && below.iter().enumerate().all(|(n, &v)| n as u32 == v)
        };
        let nim = (0..classes.len()).all(is_heap);
        if convention == Convention::Misere && !nim {
            return Err("under misère play, nimbers decide only heaps of Nim");
        }
        let heaps = sum.start.iter().map(|&class| nimbers[class as usize]).collect();
        Ok(Impartial { convention, nimbers, heaps, nim })
    }

    /// The nimber of a class.
    pub fn nimber(&self, class: u32) -> u32 {
        self.nimbers[class as usize]
    }

    /// Whether the role to move wins with these nimbers.
    pub fn wins(&self, heaps: &[u32]) -> bool {
        let sum = heaps.iter().fold(0, |all, heap| all ^ heap);
        match self.convention {
            Convention::Misere if heaps.iter().all(|&heap| heap <= 1) => sum == 0,
            Convention::Normal | Convention::Misere => sum != 0,
        }
    }

    /// All winning moves of the initial position: parts, and the classes they lead to.
    pub fn winning(&self, sum: &Sum) -> Vec<Winning> {
        let mut found = Vec::new();
        let mut heaps = self.heaps.clone();
        for (part, &class) in sum.start.iter().enumerate() {
            for &option in &sum.classes[class as usize].options[0] {
                let nimber = self.nimbers[option as usize];
                let before = std::mem::replace(&mut heaps[part], nimber);
                if !self.wins(&heaps) {
                    found.push(Winning { part, class: option, nimber });
                }
                heaps[part] = before;
            }
        }
        found
    }
}

/// The least number that is not among these (minimum excludant).
pub fn mex(values: impl IntoIterator<Item = u32>) -> u32 {
    let mut all: Vec<u32> = values.into_iter().collect();
    all.sort_unstable();
    all.dedup();
    all.iter().zip(0..).find(|&(&value, place)| value != place).map_or(all.len() as u32, |(_, p)| p)
}

/// The nimber of every class; `None` if classes can repeat.
fn nimbers<'a>(count: usize, options: impl Fn(usize) -> &'a [u32] + 'a) -> Option<Vec<u32>> {
    let mut known: FxHashMap<usize, u32> = FxHashMap::default();
    let mut open = vec![false; count];
    for root in 0..count {
        let mut stack = vec![(root, false)];
        while let Some((class, ready)) = stack.pop() {
            if known.contains_key(&class) {
                continue;
            }
            if ready {
                let value = mex(options(class).iter().map(|&o| known[&(o as usize)]));
                known.insert(class, value);
                open[class] = false;
                continue;
            }
            if std::mem::replace(&mut open[class], true) {
                return None;
            }
            stack.push((class, true));
            for &option in options(class) {
                if open[option as usize] {
                    return None;
                }
                if !known.contains_key(&(option as usize)) {
                    stack.push((option as usize, false));
                }
            }
        }
    }
    Some((0..count).map(|class| known[&class]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_missing_number() {
        assert_eq!(mex([0, 1, 3]), 2);
        assert_eq!(mex([]), 0);
        assert_eq!(mex([1, 2]), 0);
        assert_eq!(mex([2, 0, 1, 1]), 3);
    }

    #[test]
    fn circles_have_no_nimbers() {
        let circle: [&[u32]; 2] = [&[1], &[0]];
        assert_eq!(nimbers(2, |class| circle[class]), None);
        let heap: [&[u32]; 3] = [&[], &[0], &[0, 1]];
        assert_eq!(nimbers(3, |class| heap[class]), Some(vec![0, 1, 2]));
    }
}
