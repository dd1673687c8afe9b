//! The errors of the paper's search: positions whose value changes if both roles may make only the
//! moves that its rule keeps.

use magister_core::{Halt, Stop};
use magister_engine::Compiled;
use rustc_hash::FxHashMap;

use super::{Kept, Tree};
use crate::decomposition::Decomposition;
use crate::local::Bits;
use crate::refine::refine;
use crate::sum::Sum;

/// The maximum number of states that are compared.
const MOST: usize = 4_000_000;
/// The maximum depth of a game that is compared.
const DEEPEST: usize = 500;
/// The number of mistakes to list.
const SHOWN: usize = 3;

/// A position with a wrong value.
#[derive(Clone, PartialEq, Debug)]
pub struct Mistake {
    /// The fluents that hold.
    pub fluents: Vec<usize>,
    /// The maximum number of remaining moves.
    pub left: usize,
    /// The role to move.
    pub mover: usize,
    /// The value for the first role.
    pub value: f64,
    /// The value if only the moves that the rule keeps may be made.
    pub found: f64,
}

/// The result of the comparison. Equivalent states are counted once.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Errors {
    /// The number of states in which a role has a choice of moves.
    pub states: usize,
    /// The number of these whose value is wrong.
    pub wrong: usize,
    /// The number of these in which the move that the search would choose loses value.
    pub losing: usize,
    /// The value of the initial state, and its value if only the moves that the rule keeps may be
    /// made.
    pub value: (f64, f64),
    /// Some of the wrong states, those with the fewest remaining moves first.
    pub mistakes: Vec<Mistake>,
}

impl Errors {
    /// Compares the paper's search with the true values on all states of a sum.
    pub fn new(compiled: &Compiled, whole: &Decomposition, stop: &Stop) -> Result<Self, Halt> {
        let sum = match &whole.sum {
            Some(sum) => sum.clone(),
            None => Sum::new(compiled, whole, stop)?,
        };
        let fits = sum.outcomes.opposite() && sum.turns_only();
        if !fits || sum.height().is_none_or(|height| height > DEEPEST) {
            return Err(Halt::Limit(
                "only constant-sum games of two roles that always end are compared".to_owned(),
            ));
        }
        let mut kept = Vec::new();
        for part in 0..sum.locals.len() {
            let tree = Tree::new(compiled, whole, part, None, stop)?;
            kept.push(tree.search(stop)?.1);
        }
        let mut work = Work {
            classes: classes(&sum, &kept),
            states: sum.locals.iter().map(|local| bits_of(&local.known)).collect(),
            sum: &sum,
            kept,
            known: FxHashMap::default(),
            errors: Errors::default(),
            stop,
        };
        let start = vec![0; sum.locals.len()];
        let (value, found, _) = work.compare(&start, 0)?;
        let mut errors = work.errors;
        errors.value = (value, found);
        errors.mistakes.sort_by(|a, b| a.left.cmp(&b.left).then(a.fluents.cmp(&b.fluents)));
        Ok(errors)
    }
}

fn bits_of(known: &FxHashMap<(Bits, u32), u32>) -> Vec<Bits> {
    let mut all = vec![Bits::default(); known.len()];
    known.iter().for_each(|((bits, _), &number)| all[number as usize].clone_from(bits));
    all
}

/// Classes of states of each part with the same outcome and the same options; kept and pruned
/// options are distinguished.
fn classes(sum: &Sum, kept: &[Kept]) -> Vec<Vec<u32>> {
    let of_part = |(part, kept): (usize, &Kept)| {
        let local = &sum.locals[part];
        let colours = local.concepts.iter().map(|vector| sum.outcomes.kinds[part][vector]);
        refine(colours.collect(), |state, colours, out| {
            let survive = kept.get(&(state as u32)).map_or(&[][..], Vec::as_slice);
            let mut own: Vec<u64> = Vec::new();
            for (role, target) in steps(sum, part, state as u32) {
                let keeps = survive.contains(&(role, target));
                let colour = u64::from(colours[target as usize]);
                own.push(u64::from(role) << 40 | u64::from(keeps) << 39 | colour);
            }
            own.sort_unstable();
            own.dedup();
            out.extend(own);
        })
    };
    kept.iter().enumerate().map(of_part).collect()
}

/// The moves of all roles in a state of a part: role and successor.
fn steps(sum: &Sum, part: usize, state: u32) -> Vec<(u8, u32)> {
    let local = &sum.locals[part];
    let acting =
        |label: u32| local.labels[label as usize].iter().position(|&c| c > 0).map(|r| r as u8);
    let next = local.next[state as usize].iter();
    next.filter_map(|&(label, target)| Some((acting(label)?, target))).collect()
}

struct Work<'a> {
    sum: &'a Sum,
    classes: Vec<Vec<u32>>,
    /// The fluents of each state of each part.
    states: Vec<Vec<Bits>>,
    kept: Vec<Kept>,
    /// For each combination of classes: the value, the value with kept moves only, and the number
    /// of remaining moves.
    known: FxHashMap<Vec<u32>, (f64, f64, usize)>,
    errors: Errors,
    stop: &'a Stop,
}

impl Work<'_> {
    fn key(&self, state: &[u32], time: usize) -> Vec<u32> {
        let classes = state.iter().zip(&self.classes).map(|(&at, classes)| classes[at as usize]);
        classes.chain([time as u32]).collect()
    }

    fn compare(&mut self, state: &[u32], time: usize) -> Result<(f64, f64, usize), Halt> {
        let key = self.key(state, time);
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        if self.known.len().is_multiple_of(1024) {
            self.stop.check()?;
        }
        if self.known.len() >= MOST {
            return Err(Halt::Limit(format!("more than {MOST} states")));
        }
        let ended = self.sum.end_of(state, time);
        let result = match ended {
            Some(value) => (value, value, 0),
            None => self.inner(state, time)?,
        };
        self.known.insert(key, result);
        Ok(result)
    }

    /// The values of a non-terminal state.
    fn inner(&mut self, state: &[u32], time: usize) -> Result<(f64, f64, usize), Halt> {
        let mover = self.sum.mover(&[time as u64]).unwrap_or(0);
        let later = self.sum.after_time(time);
        // Better for the role to move.
        let better = |a: f64, b: f64| if mover == 0 { a > b } else { a < b };
        let (mut value, mut found): (Option<f64>, Option<(f64, f64)>) = (None, None);
        let (mut left, mut options) = (0, 0);
        for part in 0..state.len() {
            for (role, target) in steps(self.sum, part, state[part]) {
                if role as usize != mover {
                    continue;
                }
                options += 1;
                let mut next = state.to_vec();
                next[part] = target;
                let (truth, paper, moves) = self.compare(&next, later)?;
                left = left.max(moves + 1);
                if value.is_none_or(|best| better(truth, best)) {
                    value = Some(truth);
                }
                let keeps = self.kept[part].get(&state[part]);
                let keeps = keeps.is_some_and(|kept| kept.contains(&(role, target)));
                if keeps && found.is_none_or(|(best, _)| better(paper, best)) {
                    found = Some((paper, truth));
                }
            }
        }
        let Some(value) = value else {
            // The role to move has no move, so the turn passes.
            let stuck = (0..state.len()).all(|part| steps(self.sum, part, state[part]).is_empty());
            if stuck {
                return Err(Halt::Limit(
                    "the game continues although no role has a move".to_owned(),
                ));
            }
            let (truth, paper, moves) = self.compare(state, later)?;
            return Ok((truth, paper, moves + 1));
        };
        let (paper, chosen) = found.unwrap_or((value, value));
        if options > 1 {
            self.errors.states += 1;
            self.errors.losing += usize::from(better(value, chosen));
            if (paper - value).abs() > 1e-9 {
                self.errors.wrong += 1;
                self.note(state, time, (mover, left), (value, paper));
            }
        }
        Ok((value, paper, left))
    }

    fn note(
        &mut self,
        state: &[u32],
        time: usize,
        (mover, left): (usize, usize),
        (value, found): (f64, f64),
    ) {
        let worst = self.errors.mistakes.iter().map(|one| one.left).max();
        let full = self.errors.mistakes.len() >= SHOWN;
        if full && worst.is_some_and(|worst| worst <= left) {
            return;
        }
        if full && let Some(at) = self.errors.mistakes.iter().position(|m| Some(m.left) == worst) {
            self.errors.mistakes.swap_remove(at);
        }
        let mut fluents = self.sum.context_fluents(time);
        for (part, &at) in state.iter().enumerate() {
            let bits = &self.states[part][at as usize];
            let own = self.sum.locals[part].fluents.iter().enumerate();
            fluents.extend(
                own.filter(|(place, _)| bits[place / 64] >> (place % 64) & 1 == 1).map(|(_, &f)| f),
            );
        }
        fluents.sort_unstable();
        self.errors.mistakes.push(Mistake { fluents, left, mover, value, found });
    }
}
