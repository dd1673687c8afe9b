//! From random planes to the number of the chosen move.

use std::ops::Range;

use magister_lanes::{BITS, Operation};

use super::choice::scale;
use super::program::Choice;
use super::rows::fix;
use crate::circuit::{Circuit, Wire};

/// The wires of the planes of every draw and of the random numbers of every choice.
pub(super) struct Planes {
    /// The first plane of each draw.
    pub(super) draws: Vec<Wire>,
    /// The first digit of the random number of each choice; the first plane of the draw if there is
    /// only one choice.
    pub(super) random: Vec<Wire>,
}

impl Planes {
    /// Allocates the wires.
    pub(super) fn new(
        circuit: &mut Circuit<'_>,
        fixed: &mut Vec<Wire>,
        choices: &[Choice],
    ) -> Self {
        let draws: Vec<Wire> = choices.iter().map(|_| fix(circuit, fixed, BITS)).collect();
        let random = (0..choices.len())
            .map(|at| if at == 0 { draws[0] } else { fix(circuit, fixed, BITS) })
            .collect();
        Self { draws, random }
    }
}

/// The random numbers of the later choices, selected from their draws.
pub(super) fn mix(
    circuit: &mut Circuit<'_>,
    choices: &[Choice],
    planes: &Planes,
    which: Range<usize>,
) {
    for (choice, &random) in choices.iter().zip(&planes.random).skip(1) {
        for bit in which.start as u32..which.end as u32 {
            let mut parts: Vec<Wire> = choice
                .draws
                .iter()
                .zip(&planes.draws)
                .map(|(&mask, draw)| circuit.two(Operation::And, draw + bit, mask))
                .collect();
            let last = parts.pop().unwrap_or(0);
            let others = circuit.any(&parts).unwrap_or(last);
            circuit.write(Operation::Or, [others, last, last], random + bit);
        }
    }
}

/// Makes the choices from the upper planes, and returns the lanes in which the upper planes do not
/// suffice.
pub(super) fn scale_all(
    circuit: &mut Circuit<'_>,
    choices: &[Choice],
    planes: &Planes,
    from: usize,
) -> Wire {
    let mut unsure = Vec::new();
    for (choice, &random) in choices.iter().zip(&planes.random) {
        let planes: Vec<Wire> = (random + from as u32..random + BITS as u32).collect();
        let (digits, ones) = scale(circuit, &planes, &choice.count);
        for (out, digit) in choice.number.clone().zip(digits) {
            match digit {
                Some(wire) => circuit.write(Operation::And, [wire; 3], out),
                None => circuit.write(Operation::Nor, [0; 3], out),
            }
        }
        unsure.extend(ones);
    }
    let unsure = circuit.any(&unsure);
    unsure.unwrap_or_else(|| circuit.two(Operation::Nor, 0, 0))
}
