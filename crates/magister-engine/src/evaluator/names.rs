//! The moves of a network under the names that the vocabulary has for them.

use magister_core::Move;
use rustc_hash::FxHashMap;

use crate::network::Network;
use crate::term::TermId;

/// There is no such move.
const NOWHERE: u32 = u32::MAX;

/// What the vocabulary calls the moves of a network, and where the network has what it names.
#[derive(Clone, Debug)]
pub(super) struct Names {
    /// Where the moves of each role begin and end in the network's list.
    pub(super) ranges: Vec<(usize, usize)>,
    /// The vocabulary's number of each move of the network: moves of the same text have the same.
    pub(super) numbers: Vec<u32>,
    /// For each role the network's number of each of the vocabulary's moves, or [`NOWHERE`], and
    /// the input of it.
    places: Vec<Vec<(u32, u32)>>,
    /// For each role the input of its doing nothing.
    idle: Vec<Option<u32>>,
}

impl Names {
    /// The terms are the moves of all roles, in the order of the vocabulary.
    pub(super) fn new(network: &Network, roles: usize, terms: &[TermId]) -> Self {
        let number_of: FxHashMap<TermId, u32> =
            terms.iter().enumerate().map(|(n, &t)| (t, n as u32)).collect();
        let numbers: Vec<u32> = network.moves.iter().map(|(_, term)| number_of[term]).collect();
        let mut ranges = Vec::new();
        let mut places = Vec::new();
        for role in 0..roles as u32 {
            let from = network.moves.partition_point(|&(r, _)| r < role);
            let to = network.moves.partition_point(|&(r, _)| r <= role);
            ranges.push((from, to));
            let mut place = vec![(NOWHERE, NOWHERE); terms.len()];
            for at in from..to {
                place[numbers[at] as usize] = (at as u32, network.inputs[at]);
            }
            places.push(place);
        }
        Self { ranges, numbers, places, idle: network.idle.clone() }
    }

    /// The network's number of a move of a role, and the input of it.
    #[inline]
    fn find(&self, role: usize, choice: Move) -> Option<(u32, u32)> {
        let place = self.places[role].get(choice.0 as usize).copied();
        place.filter(|&(at, _)| at != NOWHERE)
    }

    /// The network's number of a move of a role.
    pub(super) fn place(&self, role: usize, choice: Move) -> Option<usize> {
        self.find(role, choice).map(|(at, _)| at as usize)
    }

    /// The input of a move of a role, or of its doing nothing.
    #[inline]
    pub(super) fn input(&self, role: usize, choice: Move) -> Option<u32> {
        match self.find(role, choice) {
            Some((_, input)) => Some(input),
            None if choice == Move::IDLE => self.idle[role],
            None => None,
        }
    }
}
