//! The simulation order for roles that move simultaneously.
//!
//! In a two-player constant-sum game, state `t` of a part is at least as good for the first role as
//! state `s` if the outcome of `t` is, whatever the results of the other parts are, and if there
//! are maps of actions, `f` from `s` to `t` for the first role and `g` from `t` to `s` for the
//! second, such that the successor of `t` under `f(a)` and `b` is at least as good as the successor
//! of `s` under `a` and `g(b)`, for all actions `a` and `b`. Moves in other parts are among these
//! actions, and both maps keep them unchanged, so that the other parts are unaffected. A mixed
//! strategy for `s` is then copied through `f`. The relation is the greatest one that the search
//! for maps finds; any relation whose pairs all have such maps is sound.
//!
//! An action is pruned if another one leads to a state that is at least as good against every
//! action of the other role: it is a dominated row of every matrix in which it occurs.

use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of pairs of states; beyond it, nothing is pruned.
const MOST: usize = 4_000_000;
/// The maximum number of choices that are tried to find the maps of one pair.
const TRIES: usize = 2_000;

/// One part: the successors under the actions of both roles. Action 0 is a move in another part.
pub(crate) struct Part<'a> {
    /// For every state, the successor under each pair of actions.
    next: Vec<FxHashMap<(u32, u32), u32>>,
    /// For every state and role, the actions, without 0.
    actions: Vec<[Vec<u32>; 2]>,
    /// Whether the second state is at least as good for the first role with respect to the outcome,
    /// and looks the same to the moves of other parts.
    outcome: &'a dyn Fn(usize, usize) -> bool,
}

impl<'a> Part<'a> {
    pub(crate) fn new(
        next: Vec<FxHashMap<(u32, u32), u32>>,
        outcome: &'a dyn Fn(usize, usize) -> bool,
    ) -> Self {
        let of_state = |next: &FxHashMap<(u32, u32), u32>| {
            let mut both = [Vec::new(), Vec::new()];
            #[expect(clippy::iter_over_hash_type, reason = "both lists are sorted below")]
            for &(a, b) in next.keys() {
                both[0].push(a);
                both[1].push(b);
            }
            for actions in &mut both {
                actions.sort_unstable();
                actions.dedup();
                actions.retain(|&action| action > 0);
            }
            both
        };
        let actions = next.iter().map(of_state).collect();
        Part { next, actions, outcome }
    }

    /// For every state, the dominated actions: role and action.
    pub(crate) fn dominated(&self) -> Vec<FxHashSet<(usize, u32)>> {
        let count = self.next.len();
        let mut dropped = vec![FxHashSet::default(); count];
        if count.saturating_mul(count) > MOST {
            return dropped;
        }
        let better = self.order();
        let at_most = |low: u32, high: u32| better[low as usize * count + high as usize];
        for (state, dropped) in dropped.iter_mut().enumerate() {
            for role in 0..2 {
                let own = &self.actions[state][role];
                let below = |one: u32, other: u32| self.below(state, role, one, other, &at_most);
                for &one in own {
                    let by = |&&other: &&u32| {
                        other != one && below(one, other) && (other < one || !below(other, one))
                    };
                    if own.iter().any(|other| by(&other)) {
                        dropped.insert((role, one));
                    }
                }
            }
        }
        dropped
    }

    /// Whether one action of a role is at most as good for it as another, whatever the other role
    /// does.
    fn below(
        &self,
        state: usize,
        role: usize,
        one: u32,
        other: u32,
        at_most: &impl Fn(u32, u32) -> bool,
    ) -> bool {
        let next = &self.next[state];
        let answers = self.actions[state][1 - role].iter().copied().chain([0]);
        answers.into_iter().all(|answer| {
            let pair = |action: u32| if role == 0 { (action, answer) } else { (answer, action) };
            match (next.get(&pair(one)), next.get(&pair(other))) {
                (Some(&low), Some(&high)) if role == 0 => at_most(low, high),
                (Some(&low), Some(&high)) => at_most(high, low),
                (None, None) => true,
                _ => false,
            }
        })
    }

    /// Whether the second state of each pair is at least as good for the first role.
    fn order(&self) -> Vec<bool> {
        let count = self.next.len();
        let alike = |s: usize, t: usize| {
            (0..2).all(|role| self.actions[s][role].is_empty() == self.actions[t][role].is_empty())
        };
        let mut better: Vec<bool> = (0..count * count)
            .map(|pair| {
                let (s, t) = (pair / count, pair % count);
                s == t || alike(s, t) && (self.outcome)(s, t)
            })
            .collect();
        let mut pairs: Vec<u32> =
            (0..(count * count) as u32).filter(|&pair| better[pair as usize]).collect();
        loop {
            let before = pairs.len();
            pairs.retain(|&pair| {
                let (s, t) = (pair as usize / count, pair as usize % count);
                let holds = s == t || self.maps(s, t, &better);
                better[pair as usize] = holds;
                holds
            });
            if pairs.len() == before {
                return better;
            }
        }
    }

    /// Whether the maps of a pair are found.
    fn maps(&self, s: usize, t: usize, better: &[bool]) -> bool {
        let count = self.next.len();
        // The successor in `s` is at most as good as the successor in `t`. A pair that cannot occur
        // in `t` imposes no condition.
        let fits = |(a, b): (u32, u32), (x, y): (u32, u32)| match (
            self.next[s].get(&(a, b)),
            self.next[t].get(&(x, y)),
        ) {
            (Some(&low), Some(&high)) => better[low as usize * count + high as usize],
            (_, None) => true,
            (None, Some(_)) => false,
        };
        if !fits((0, 0), (0, 0)) {
            return false;
        }
        let first: Vec<(u32, Vec<u32>)> = self.actions[s][0]
            .iter()
            .map(|&a| {
                let to = self.actions[t][0].iter().copied();
                (a, to.filter(|&x| fits((a, 0), (x, 0))).collect())
            })
            .collect();
        let second: Vec<(u32, Vec<u32>)> = self.actions[t][1]
            .iter()
            .map(|&y| {
                let to = self.actions[s][1].iter().copied();
                (y, to.filter(|&b| fits((0, b), (0, y))).collect())
            })
            .collect();
        let mut left = TRIES;
        assign(&first, &second, &fits, &mut left)
    }
}

/// Chooses `f` action by action, and keeps for every action of the second role in `t` the actions
/// that `g` may still map it to.
fn assign(
    first: &[(u32, Vec<u32>)],
    second: &[(u32, Vec<u32>)],
    fits: &impl Fn((u32, u32), (u32, u32)) -> bool,
    left: &mut usize,
) -> bool {
    if second.iter().any(|(_, choices)| choices.is_empty()) {
        return false;
    }
    let Some(((a, choices), rest)) = first.split_first() else { return true };
    for &x in choices {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let narrowed: Vec<(u32, Vec<u32>)> = second
            .iter()
            .map(|(y, open)| {
                let open = open.iter().copied().filter(|&b| fits((*a, b), (x, *y))).collect();
                (*y, open)
            })
            .collect();
        if assign(rest, &narrowed, fits, left) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States 0 to 3; in state 3 the first role chooses between 2 (good) and 1 (bad), and the
    /// second role moves in another part or turns the result into 0, the worst.
    #[test]
    fn bad_actions_are_dropped() {
        let end = FxHashMap::default();
        let mut choice: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for (pair, to) in
            [((0, 0), 3), ((1, 0), 1), ((2, 0), 2), ((0, 1), 0), ((1, 1), 0), ((2, 1), 1)]
        {
            choice.insert(pair, to);
        }
        let next = vec![end.clone(), end.clone(), end, choice];
        let part = Part::new(next, &|s, t| s <= t && t < 3);
        let dropped = part.dominated();
        assert!(dropped[3].contains(&(0, 1)) && !dropped[3].contains(&(0, 2)));
        assert!(!dropped[3].contains(&(1, 1)));
    }
}
