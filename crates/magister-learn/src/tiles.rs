//! Playing 2048 with a learned network, with and without search.

use magister_core::Rng;

use crate::games::twenty48::{Twenty48, empty_cells, put};
use crate::nibbles::Nibbles;

/// The best slide by learned values, and its value; `None` if nothing can slide.
///
/// With one ply, it maximises the gain plus the afterstate value. Each further ply averages over
/// the tiles that chance can place and takes the best reply to each.
pub fn best_slide(env: &Twenty48, network: &Nibbles, board: u64, plies: u32) -> Option<(u32, f32)> {
    let slides = env.slides(board);
    let values = if plies <= 1 {
        network.values_of(slides.map(|slide| slide.0))
    } else {
        slides.map(
            |(after, _)| {
                if after == board { 0.0 } else { chance_value(env, network, after, plies) }
            },
        )
    };
    let mut best: Option<(u32, f32)> = None;
    for ((direction, (after, gain)), value) in (0..).zip(slides).zip(values) {
        if after != board && best.is_none_or(|(_, most)| gain + value > most) {
            best = Some((direction, gain + value));
        }
    }
    best
}

/// The value of an afterstate: the mean over the tiles that chance can place.
fn chance_value(env: &Twenty48, network: &Nibbles, after: u64, plies: u32) -> f32 {
    let mut free = empty_cells(after);
    let count = free.count_ones();
    let mut sum = 0.0;
    while free != 0 {
        let cell = free.trailing_zeros();
        free &= free - 1;
        for (tile, probability) in [(1_u64, 0.9), (2, 0.1)] {
            let board = after | tile << cell;
            let value = best_slide(env, network, board, plies - 1).map_or(0.0, |best| best.1);
            sum += probability * value;
        }
    }
    if count == 0 { 0.0 } else { sum / count as f32 }
}

/// Plays one game and returns its score and its number of slides.
pub fn play(env: &Twenty48, network: &Nibbles, plies: u32, rng: &mut Rng) -> (f64, u64) {
    let first = put(0, rng);
    let mut board = put(first, rng);
    let (mut score, mut slides) = (0.0, 0);
    while let Some((direction, _)) = best_slide(env, network, board, plies) {
        let Some((after, gain)) = env.slide(board, direction) else { break };
        score += f64::from(gain);
        slides += 1;
        board = put(after, rng);
    }
    (score, slides)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::Steps;
    use magister_core::Seed;

    #[test]
    fn search_averages_over_all_tiles() {
        let env = Twenty48::default();
        let network = Nibbles::new(vec![vec![0, 1]], 0.0, Steps::Plain).unwrap();
        // 2 2 in the first row: sliding sideways gains 4, and then any pair gains again.
        let one = best_slide(&env, &network, 0x0011, 1).unwrap();
        assert_eq!(one.1.to_bits(), 4.0_f32.to_bits());
        let two = best_slide(&env, &network, 0x0011, 2).unwrap();
        assert!(two.1 > 4.0, "{two:?}");
        assert_eq!(best_slide(&env, &network, 0x1212_2121_1212_2121, 2), None);
        let (score, slides) = play(&env, &network, 1, &mut Seed::from(1).rng());
        assert!(score > 0.0 && slides > 10);
    }
}
