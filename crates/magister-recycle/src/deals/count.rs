//! Exact counting of deals: cards in groups of positions with given sizes, where some cards are
//! excluded from some groups.

use magister_core::Rng;

/// The maximum number of entries of the table. Beyond it, exclusions are ignored; the replay then
/// rejects the deals that violate them.
const ENTRIES: usize = 4_000_000;

/// All ways to distribute cards over groups of positions.
#[derive(Debug)]
pub(super) struct Count {
    /// For each group, its number of positions.
    sizes: Vec<usize>,
    /// For each card, the groups that it may be in, as bits.
    allowed: Vec<u64>,
    /// For each group, the stride of its free positions in an index of the table.
    strides: Vec<usize>,
    /// For each card and each vector of free positions, the number of ways to place this card and
    /// the following ones.
    ways: Vec<Vec<f64>>,
}

impl Count {
    /// Counts all ways. `None` if there is none, or if the table would be too large.
    pub(super) fn new(sizes: &[usize], allowed: &[u64]) -> Option<Self> {
        let mut strides = Vec::with_capacity(sizes.len());
        let mut states = 1usize;
        for &size in sizes {
            strides.push(states);
            states = states.checked_mul(size + 1)?;
        }
        if states.checked_mul(allowed.len() + 1)? > ENTRIES || sizes.len() > 64 {
            return None;
        }
        let mut count =
            Count { sizes: sizes.to_vec(), allowed: allowed.to_vec(), strides, ways: Vec::new() };
        // After the last card no position is free.
        let mut next = vec![0.0; states];
        next[0] = 1.0;
        count.ways.push(next);
        let mut free = vec![0usize; sizes.len()];
        for card in (0..allowed.len()).rev() {
            let left = allowed.len() - card;
            let after = &count.ways[count.ways.len() - 1];
            let mut now = vec![0.0; states];
            free.fill(0);
            for (state, ways) in now.iter_mut().enumerate() {
                let mut rest = state;
                for (group, free) in free.iter_mut().enumerate() {
                    *free = rest % (count.sizes[group] + 1);
                    rest /= count.sizes[group] + 1;
                }
                if free.iter().sum::<usize>() == left {
                    *ways = (0..free.len())
                        .filter(|&group| free[group] > 0 && count.allowed[card] >> group & 1 == 1)
                        .map(|group| after[state - count.strides[group]])
                        .sum();
                }
            }
            count.ways.push(now);
        }
        count.ways.reverse();
        (count.ways[0][states - 1] > 0.0).then_some(count)
    }

    fn start(&self) -> usize {
        self.sizes.iter().zip(&self.strides).map(|(size, stride)| size * stride).sum()
    }

    /// Draws one of all ways, uniformly: the group of each card.
    pub(super) fn draw(&self, rng: &mut Rng, groups: &mut Vec<usize>) {
        groups.clear();
        let mut state = self.start();
        for (card, &allowed) in self.allowed.iter().enumerate() {
            let mut point = rng.f64() * self.ways[card][state];
            let mut taken = None;
            for (group, &stride) in self.strides.iter().enumerate() {
                let free = !(state / stride).is_multiple_of(self.sizes[group] + 1);
                if free && allowed >> group & 1 == 1 {
                    let ways = self.ways[card + 1][state - stride];
                    if ways > 0.0 {
                        taken = Some(group);
                        point -= ways;
                        if point < 0.0 {
                            break;
                        }
                    }
                }
            }
            // The table counts this card, so there is a group for it.
            let group = taken.unwrap_or(0);
            state -= self.strides[group];
            groups.push(group);
        }
    }

    /// The probability that each card is in each group, if all ways are equally likely.
    pub(super) fn odds(&self) -> Vec<Vec<f64>> {
        let mut odds = vec![vec![0.0; self.sizes.len()]; self.allowed.len()];
        let total = self.ways[0][self.start()];
        let mut before = vec![0.0; self.ways[0].len()];
        before[self.start()] = 1.0;
        for (card, odds) in odds.iter_mut().enumerate() {
            let mut after = vec![0.0; before.len()];
            for (state, &reached) in
                before.iter().enumerate().filter(|(_, reached)| **reached > 0.0)
            {
                for (group, &stride) in self.strides.iter().enumerate() {
                    let free = !(state / stride).is_multiple_of(self.sizes[group] + 1);
                    if free && self.allowed[card] >> group & 1 == 1 {
                        after[state - stride] += reached;
                        odds[group] += reached * self.ways[card + 1][state - stride] / total;
                    }
                }
            }
            before = after;
        }
        odds
    }
}

#[cfg(test)]
mod tests {
    use magister_core::Seed;

    use super::*;

    /// All ways, one by one.
    fn enumerate(sizes: &[usize], allowed: &[u64]) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new()];
        for &groups in allowed {
            all = all
                .into_iter()
                .flat_map(|way: Vec<usize>| {
                    (0..sizes.len()).filter(move |group| groups >> group & 1 == 1).map(
                        move |group| way.iter().copied().chain([group]).collect::<Vec<usize>>(),
                    )
                })
                .filter(|way| {
                    (0..sizes.len())
                        .all(|group| way.iter().filter(|&&g| g == group).count() <= sizes[group])
                })
                .collect();
        }
        all
    }

    const CASES: [(&[usize], &[u64]); 4] = [
        (&[2, 2], &[0b11, 0b11, 0b01, 0b11]),
        (&[3, 2, 2], &[0b111, 0b101, 0b110, 0b011, 0b111, 0b010, 0b111]),
        (&[1, 3], &[0b11, 0b10, 0b10, 0b11]),
        (&[4], &[1, 1, 1, 1]),
    ];

    #[test]
    fn the_number_of_ways_and_the_odds_are_exact() {
        for (sizes, allowed) in CASES {
            let all = enumerate(sizes, allowed);
            let count = Count::new(sizes, allowed).expect("there are ways");
            assert!((count.ways[0][count.start()] - all.len() as f64).abs() < 1e-9);
            for (card, odds) in count.odds().iter().enumerate() {
                for (group, &odds) in odds.iter().enumerate() {
                    let share = all.iter().filter(|way| way[card] == group).count() as f64
                        / all.len() as f64;
                    assert!((share - odds).abs() < 1e-9, "{sizes:?} {card} {group}");
                }
            }
        }
        assert!(Count::new(&[1, 1], &[0b01, 0b01]).is_none());
    }

    #[test]
    fn all_ways_are_drawn_equally_often() {
        let (mut rng, mut groups) = (Seed::from(5).rng(), Vec::new());
        for (sizes, allowed) in CASES {
            let all = enumerate(sizes, allowed);
            let count = Count::new(sizes, allowed).expect("there are ways");
            let mut seen = vec![0u32; all.len()];
            let draws = 2_000 * all.len() as u32;
            for _ in 0..draws {
                count.draw(&mut rng, &mut groups);
                let way = all.iter().position(|way| *way == groups).expect("a way");
                seen[way] += 1;
            }
            let chi: f64 = seen.iter().map(|&n| (f64::from(n) - 2_000.0).powi(2) / 2_000.0).sum();
            let freedom = all.len() as f64 - 1.0;
            assert!(chi < freedom + 5.0 * (2.0 * freedom).sqrt() + 5.0, "{sizes:?}: {chi}");
        }
    }
}
