//! The coarsest partition of states that agrees with their colours and with their successors.

use rustc_hash::FxHashMap;

/// Refines colours until states of one colour have equal signatures. `signature` writes the
/// signature of a state under the current colours; it need not contain the state's own colour.
pub(crate) fn refine(
    mut colours: Vec<u32>,
    mut signature: impl FnMut(usize, &[u32], &mut Vec<u64>),
) -> Vec<u32> {
    let mut count = renumber(&mut colours);
    let mut word = Vec::new();
    loop {
        let mut known: FxHashMap<Box<[u64]>, u32> = FxHashMap::default();
        let mut next = Vec::with_capacity(colours.len());
        for state in 0..colours.len() {
            word.clear();
            word.push(u64::from(colours[state]));
            signature(state, &colours, &mut word);
            let fresh = known.len() as u32;
            let colour = known.get(&word[..]).copied().unwrap_or_else(|| {
                known.insert(word.clone().into(), fresh);
                fresh
            });
            next.push(colour);
        }
        let now = known.len();
        colours = next;
        if now == count {
            return colours;
        }
        count = now;
    }
}

/// Numbers colours in the order of their first state; returns their number.
fn renumber(colours: &mut [u32]) -> usize {
    let mut known: FxHashMap<u32, u32> = FxHashMap::default();
    for colour in colours.iter_mut() {
        let fresh = known.len() as u32;
        *colour = *known.entry(*colour).or_insert(fresh);
    }
    known.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cycle of six states with alternating colours has two classes; with one state marked it
    /// has six.
    #[test]
    fn cycles_are_refined() {
        let next = |state: usize| (state + 1) % 6;
        let run = |colours: Vec<u32>| {
            let found = refine(colours, |s, c, out| out.push(u64::from(c[next(s)])));
            found.iter().max().map_or(0, |&max| max + 1)
        };
        assert_eq!(run(vec![0, 1, 0, 1, 0, 1]), 2);
        assert_eq!(run(vec![1, 0, 0, 0, 0, 0]), 6);
    }
}
