//! The strength of poker hands.

/// The strength of the best five of some cards, at least five; a stronger hand has a higher number.
/// Card `4r + s` has rank `r`, from 0 for the two to 12 for the ace, and suit `s`.
///
/// The ranks of each suit are the bits of a word, so that all ranks are counted together.
pub(crate) fn strength(cards: impl Iterator<Item = u8>) -> u32 {
    let mut suits = [0_u32; 4];
    cards.for_each(|card| suits[usize::from(card % 4)] |= 1 << (card / 4));
    let [a, b, c, d] = suits;
    // The ranks with at least one, two, three and four cards.
    let one = a | b | c | d;
    let two = a & b | c & d | (a | b) & (c | d);
    let three = a & b & (c | d) | c & d & (a | b);
    let four = a & b & c & d;
    let flush = suits.into_iter().find(|suit| suit.count_ones() >= 5);
    // The category, then two groups of ranks that decide among equals.
    let value = |category: u32, first: u32, second: u32| category << 26 | first << 13 | second;
    let straight_flush = flush.and_then(straight);
    if let Some(top) = straight_flush {
        return value(8, top, 0);
    }
    if four != 0 {
        let first = highest(four, 1);
        return value(7, first, highest(one & !first, 1));
    }
    let triple = highest(three, 1);
    let pair = highest(two & !triple, 1);
    if triple != 0 && pair != 0 {
        return value(6, triple, pair);
    }
    if let Some(flush) = flush {
        return value(5, highest(flush, 5), 0);
    }
    if let Some(top) = straight(one) {
        return value(4, top, 0);
    }
    if triple != 0 {
        return value(3, triple, highest(one & !triple, 2));
    }
    let pairs = highest(two, 2);
    match pairs.count_ones() {
        2 => value(2, pairs, highest(one & !pairs, 1)),
        1 => value(1, pairs, highest(one & !pairs, 3)),
        _ => value(0, 0, highest(one, 5)),
    }
}

/// The highest `count` of some bits.
fn highest(mut bits: u32, count: u32) -> u32 {
    while bits.count_ones() > count {
        bits &= bits - 1;
    }
    bits
}

/// The highest rank of a straight; the ace also counts below the two.
fn straight(ranks: u32) -> Option<u32> {
    let low = ranks << 1 | ranks >> 12;
    let runs = low & low >> 1 & low >> 2 & low >> 3 & low >> 4;
    // A run that begins at bit `i` of the shifted ranks ends at rank `i + 3`.
    (runs != 0).then(|| highest(runs, 1) << 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use magister_core::Seed;

    /// The same by another method: the best of all choices of five cards, each described by its
    /// groups of equal ranks.
    fn slow(cards: &[u8]) -> (u8, Vec<u8>) {
        let mut best = (0, Vec::new());
        for chosen in 0_u32..1 << cards.len() {
            if chosen.count_ones() != 5 {
                continue;
            }
            let five: Vec<u8> = cards
                .iter()
                .enumerate()
                .filter(|(at, _)| chosen >> at & 1 == 1)
                .map(|(_, &c)| c)
                .collect();
            let mut ranks: Vec<u8> = five.iter().map(|card| card / 4).collect();
            let mut of_rank = [0; 13];
            ranks.iter().for_each(|&rank| of_rank[usize::from(rank)] += 1);
            let same = |rank: u8| of_rank[usize::from(rank)];
            ranks.sort_by_key(|&rank| std::cmp::Reverse((same(rank), rank)));
            let groups: Vec<usize> = ranks.iter().map(|&rank| same(rank)).collect();
            let flush = five.iter().all(|card| card % 4 == five[0] % 4);
            let wheel = ranks == [12, 3, 2, 1, 0];
            let straight = wheel || ranks.windows(2).all(|pair| pair[0] == pair[1] + 1);
            if wheel {
                ranks = vec![3, 2, 1, 0, 0];
            }
            let category = match (straight, flush, &groups[..]) {
                (true, true, _) => 8,
                (_, _, [4, ..]) => 7,
                (_, _, [3, 3, 3, 2, 2]) => 6,
                (_, true, _) => 5,
                (true, _, _) => 4,
                (_, _, [3, ..]) => 3,
                (_, _, [2, 2, 2, 2, 1]) => 2,
                (_, _, [2, ..]) => 1,
                _ => 0,
            };
            best = best.max((category, ranks));
        }
        best
    }

    #[test]
    fn two_methods_order_hands_alike() {
        let mut rng = Seed::from(52).rng();
        let mut hand = |few: u64| {
            let mut cards: Vec<u8> = Vec::new();
            while cards.len() < 7 {
                // Fewer cards make more pairs, straights and flushes.
                let card = rng.below(few) as u8;
                if !cards.contains(&card) {
                    cards.push(card);
                }
            }
            cards
        };
        let mut categories = [0; 9];
        for number in 0..3000 {
            let few = [52, 24, 12][number % 3];
            let (one, two) = (hand(few), hand(few));
            let (a, b) = (slow(&one), slow(&two));
            let (x, y) = (strength(one.iter().copied()), strength(two.iter().copied()));
            assert_eq!(a.cmp(&b), x.cmp(&y), "{one:?} {two:?}");
            categories[usize::from(a.0)] += 1;
        }
        assert!(categories[1..].iter().all(|&count| count > 0), "{categories:?}");
    }

    /// The known numbers of hands of five cards in each category.
    #[test]
    fn hands_of_five_cards_are_as_many_as_known() {
        let mut counts = [0_u32; 9];
        for a in 0..52_u8 {
            for b in 0..a {
                for c in 0..b {
                    for d in 0..c {
                        for e in 0..d {
                            let value = strength([a, b, c, d, e].into_iter());
                            counts[(value >> 26) as usize] += 1;
                        }
                    }
                }
            }
        }
        let known = [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40];
        assert_eq!(counts, known);
    }
}
