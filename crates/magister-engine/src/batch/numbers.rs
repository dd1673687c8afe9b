//! From random planes to the number of the move that a role takes.

use std::ops::Range;

use magister_lanes::{BITS, Operation};

use super::choice::{Counted, scale};
use super::program::Builder;
use crate::circuit::Wire;

impl Builder<'_> {
    /// Rows for the planes of every draw and for the random numbers of every choice. With several
    /// choices, a role takes the draw after those of the roles before it that have two or more
    /// moves: for every choice and draw, the lanes in which it takes it.
    pub(super) fn draws(&mut self, counted: &[Counted]) -> (Vec<Wire>, Vec<Wire>, Vec<Vec<Wire>>) {
        let draws: Vec<Wire> = counted.iter().map(|_| self.fixed(BITS)).collect();
        if counted.len() <= 1 {
            return (draws.clone(), draws, Vec::new());
        }
        let mut random = vec![draws[0]];
        let mut masks: Vec<Vec<Wire>> = vec![vec![0]];
        for index in 1..counted.len() {
            random.push(self.fixed(BITS));
            let before = masks[index - 1].clone();
            let high = &counted[index - 1].digits()[1..];
            let Some(two) = self.circuit.any(high) else {
                masks.push(before);
                continue;
            };
            let mut now = Vec::new();
            for draw in 0..=before.len() {
                let same = before.get(draw).map(|&m| self.circuit.two(Operation::AndNot, m, two));
                let after =
                    draw.checked_sub(1).map(|d| self.circuit.two(Operation::And, before[d], two));
                now.extend(match (same, after) {
                    (Some(a), Some(b)) => Some(self.circuit.two(Operation::Or, a, b)),
                    (one, other) => one.or(other),
                });
            }
            masks.push(now);
        }
        (draws, random, masks)
    }

    /// The random numbers of the choices behind the first, out of the draws they take.
    pub(super) fn mix(
        &mut self,
        draws: &[Wire],
        random: &[Wire],
        masks: &[Vec<Wire>],
        planes: Range<usize>,
    ) {
        for (index, masks) in masks.iter().enumerate().skip(1) {
            for bit in planes.start as u32..planes.end as u32 {
                let mut parts: Vec<Wire> = masks
                    .iter()
                    .enumerate()
                    .map(|(draw, &mask)| self.circuit.two(Operation::And, draws[draw] + bit, mask))
                    .collect();
                let last = parts.pop().unwrap_or(0);
                let others = self.circuit.any(&parts).unwrap_or(last);
                self.circuit.write(Operation::Or, [others, last, last], random[index] + bit);
            }
        }
    }

    /// Makes the choices from the upper planes, and gives the lanes in which those are not enough.
    pub(super) fn scale(
        &mut self,
        counted: &[Counted],
        random: &[Wire],
        numbers: &[Wire],
        from: usize,
    ) -> Wire {
        let mut unsure = Vec::new();
        for ((counted, &random), &number) in counted.iter().zip(random).zip(numbers) {
            let planes: Vec<Wire> = (random + from as u32..random + BITS as u32).collect();
            let (digits, ones) = scale(&mut self.circuit, &planes, counted.digits());
            for (out, digit) in (number..).zip(digits) {
                match digit {
                    Some(wire) => self.circuit.write(Operation::And, [wire; 3], out),
                    None => self.circuit.write(Operation::Nor, [0; 3], out),
                }
            }
            unsure.extend(ones);
        }
        let unsure = self.circuit.any(&unsure);
        unsure.unwrap_or_else(|| self.circuit.two(Operation::Nor, 0, 0))
    }
}
