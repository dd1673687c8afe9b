//! Maps the moves of the vocabulary to those of a network.

use magister_core::{Move, Role};

use crate::network::{InputId, Network};

/// There is no such move.
const NOWHERE: u32 = u32::MAX;

/// The numbers of a network's moves, and the reverse mapping.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// The range of each role's moves in the network's list.
    pub(super) ranges: Vec<(usize, usize)>,
    /// The vocabulary's number of each move of the network. Moves with the same text have the same
    /// number.
    pub(super) numbers: Vec<u32>,
    /// For each role and each move of the vocabulary, the network's number, or [`NOWHERE`], and its
    /// input.
    found: Vec<Vec<(u32, InputId)>>,
    /// For each role, the input of its idle move.
    idle: Vec<Option<InputId>>,
}

impl Places {
    /// The mapping for a number of moves.
    pub(super) fn new(network: &Network, moves: usize) -> Self {
        let numbers: Vec<u32> = network.moves.iter().map(|(_, choice)| choice.0).collect();
        let mut ranges = Vec::new();
        let mut places = Vec::new();
        for role in 0..network.roles() {
            let own = network.places(Role(role as u8));
            ranges.push((own.start, own.end));
            let mut place = vec![(NOWHERE, InputId(NOWHERE)); moves];
            for at in own {
                place[numbers[at] as usize] = (at as u32, network.inputs[at]);
            }
            places.push(place);
        }
        Self { ranges, numbers, found: places, idle: network.idle.clone() }
    }

    /// The network's number of a move of a role, and its input.
    #[inline]
    fn find(&self, role: usize, choice: Move) -> Option<(u32, InputId)> {
        let place = self.found[role].get(choice.0 as usize).copied();
        place.filter(|&(at, _)| at != NOWHERE)
    }

    /// The network's number of a move of a role.
    pub(super) fn place(&self, role: usize, choice: Move) -> Option<usize> {
        self.find(role, choice).map(|(at, _)| at as usize)
    }

    /// The input of a move of a role, or of its idle move.
    #[inline]
    pub(super) fn input(&self, role: usize, choice: Move) -> Option<InputId> {
        match self.find(role, choice) {
            Some((_, input)) => Some(input),
            None if choice == Move::IDLE => self.idle[role],
            None => None,
        }
    }
}
