//! States of games from rules as tensors: the planes of the board, and the other fluents.

use magister_core::{Element, Planes, Tensor, Tensors};

use crate::compiled::FluentBoard;

/// The position of each fluent in the tensors of a state.
///
/// `board` has a bit for each value of each cell; a cell with several things has several bits.
/// `fluents` has a bit for each fluent that is not on the board, in the order of the fluents of the
/// game. So every fluent has its own bit, and different states have different observations.
#[derive(Debug)]
pub(crate) struct FluentTensors {
    tensors: Tensors,
    /// For each fluent the index of its bit, and the index of its cell's empty bit.
    places: Vec<(u32, Option<u32>)>,
    /// The indexes of the empty bits of cells that have no fluent for emptiness.
    empty: Vec<u32>,
}

impl FluentTensors {
    /// The tensors of a game with this many fluents.
    pub(crate) fn new(fluents: usize, board: Option<&dyn FluentBoard>) -> Self {
        let Some(board) = board else {
            return FluentTensors {
                tensors: Tensors::new([rest(fluents)]),
                places: (0..fluents as u32).map(|fluent| (fluent, None)).collect(),
                empty: Vec::new(),
            };
        };
        let shape = board.shape();
        let planes = Planes::new(shape);
        let plane = planes.tensor();
        let lies = |fluent: usize| board.place(fluent).map(|(c, v)| (c as usize, usize::from(v)));
        let mut said = vec![false; shape.cells.len()];
        for (cell, value) in (0..fluents).filter_map(lies) {
            said[cell] |= value == 0;
        }
        let mut taken = vec![false; plane.len()];
        let mut others = 0;
        let mut places = Vec::with_capacity(fluents);
        for fluent in 0..fluents {
            let lie = lies(fluent);
            let empty =
                lie.filter(|&(cell, _)| !said[cell]).map(|lie| planes.place(lie.0, 0) as u32);
            let place = lie.map(|(cell, value)| planes.place(cell, value));
            // Two fluents with the same label on a cell are still two fluents.
            let free = place.filter(|&place| !std::mem::replace(&mut taken[place], true));
            if let Some(place) = free {
                places.push((place as u32, empty));
            } else {
                places.push(((plane.len() + others) as u32, empty));
                others += 1;
            }
        }
        let unsaid = said.iter().enumerate().filter(|(_, said)| !**said);
        FluentTensors {
            empty: unsaid.map(|(cell, _)| planes.place(cell, 0) as u32).collect(),
            tensors: Tensors::new([plane, rest(others)]),
            places,
        }
    }

    /// The tensors of every state.
    pub(crate) fn tensors(&self) -> &Tensors {
        &self.tensors
    }

    /// Writes the state with these fluents into a buffer of zeros. Numbers of unknown fluents are
    /// ignored.
    pub(crate) fn write(&self, fluents: impl Iterator<Item = usize>, out: &mut [f32]) {
        for &place in &self.empty {
            out[place as usize] = 1.0;
        }
        for fluent in fluents {
            let Some(&(place, empty)) = self.places.get(fluent) else { continue };
            if let Some(empty) = empty {
                out[empty as usize] = 0.0;
            }
            out[place as usize] = 1.0;
        }
    }
}

fn rest(fluents: usize) -> Tensor {
    Tensor::new("fluents", Element::Bit, &[fluents])
}

/// The numbers of the set bits.
pub(crate) fn set_bits(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(word, &bits)| {
        let mut rest = bits;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(word * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_counted_over_words() {
        assert_eq!(set_bits(&[0b101, 0, 1 << 63]).collect::<Vec<_>>(), [0, 2, 191]);
        assert_eq!(set_bits(&[]).count(), 0);
    }
}
