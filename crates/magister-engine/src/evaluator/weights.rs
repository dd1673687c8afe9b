//! The weights of the legal moves of chance in a state.

use magister_core::{Halt, Move};

use super::machine::Machine;
use super::places::Places;
use crate::network::Network;

/// The parts of the weights of chance moves, move by move.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    chance: usize,
    /// The start of the parts of each move of the network.
    starts: Vec<u32>,
    parts: Vec<u32>,
}

impl Weights {
    /// `None` if all chance moves are equally likely, or if there is no chance.
    pub(super) fn new(network: &Network, chance: Option<usize>) -> Option<Self> {
        let chance = chance.filter(|_| !network.weights.is_empty())?;
        debug_assert!(network.weights.is_sorted_by_key(|weight| weight.place));
        let places = 0..=network.moves.len() as u32;
        let before =
            |place| network.weights.partition_point(|weight| weight.place.0 < place) as u32;
        Some(Self {
            chance,
            starts: places.map(before).collect(),
            parts: network.weights.iter().map(|weight| weight.weight).collect(),
        })
    }

    /// The chance role.
    pub(super) fn chance(&self) -> usize {
        self.chance
    }

    /// Writes the weights of the legal moves of chance; nothing if chance has no move. An error if
    /// one of them has no weight.
    pub(super) fn list(
        &self,
        places: &Places,
        machine: &impl Machine,
        legal: &[Move],
        out: &mut Vec<u32>,
    ) -> Result<(), Move> {
        out.clear();
        for &choice in legal {
            let Some(place) = places.place(self.chance, choice) else { return Ok(()) };
            let parts = self.starts[place] as usize..self.starts[place + 1] as usize;
            let held = parts.filter(|&part| machine.weight(part));
            let weight: u32 = held.map(|part| self.parts[part]).sum();
            if weight == 0 {
                return Err(choice);
            }
            out.push(weight);
        }
        Ok(())
    }
}

/// A legal move of chance with weight zero is a defect of the rules.
pub(super) fn weightless(text: &str) -> Halt {
    Halt::Rules(format!("the move `{text}` of chance is legal and has weight 0"))
}
