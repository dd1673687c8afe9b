//! The common interface of the network machines.

use magister_core::Move;

use crate::network::InputId;

/// The legal moves of all roles.
#[derive(Clone, Debug)]
pub(super) struct Lists {
    /// Space for all moves of every role, and one more for the idle move.
    moves: Vec<Move>,
    /// For each role, the start of its space and the number of its legal moves.
    roles: Vec<(usize, usize)>,
    /// Whether some role had no legal move when the lists were filled.
    stuck: bool,
}

impl Lists {
    /// Empty lists. The ranges are those of the roles in the network's list of moves.
    pub(super) fn new(ranges: &[(usize, usize)]) -> Self {
        let places = ranges.iter().enumerate().map(|(role, &(from, _))| (from + role, 0));
        let room = ranges.iter().map(|(from, to)| to - from + 1).sum();
        Self { moves: vec![Move::IDLE; room], roles: places.collect(), stuck: false }
    }

    /// The legal moves of a role.
    #[inline]
    pub(super) fn of(&self, role: usize) -> &[Move] {
        let (start, count) = self.roles[role];
        &self.moves[start..start + count]
    }

    /// The number of legal moves of each role.
    pub(super) fn counts(&self) -> impl Iterator<Item = usize> {
        self.roles.iter().map(|&(_, count)| count)
    }

    /// Makes the idle move the only legal move of a role.
    pub(super) fn idle(&mut self, role: usize) {
        let (start, count) = &mut self.roles[role];
        self.moves[*start] = Move::IDLE;
        *count = 1;
    }

    /// Clears the lists.
    pub(super) fn clear(&mut self) {
        self.roles.iter_mut().for_each(|(_, count)| *count = 0);
    }

    /// Fills the space of each role with a function that returns the number of legal moves that it
    /// wrote.
    #[inline]
    pub(super) fn rooms(&mut self, mut fill: impl FnMut(usize, &mut [Move]) -> usize) {
        self.stuck = false;
        for (role, (start, count)) in self.roles.iter_mut().enumerate() {
            *count = fill(role, &mut self.moves[*start..]);
            self.stuck |= *count == 0;
        }
    }

    /// The first role without a legal move, after the lists were filled.
    #[inline]
    pub(super) fn stuck(&self) -> Option<usize> {
        if self.stuck { self.counts().position(|count| count == 0) } else { None }
    }
}

/// Runs a network: a state, and the moves made in it.
///
/// Moves are given by their inputs. `moves` switches them on and computes the next state and the
/// percepts; then `advance` goes to the next state, or `retreat` undoes the moves.
pub(super) trait Machine: Send {
    /// Goes to a state, a bit for every fluent.
    fn load(&mut self, state: &[u64]);
    /// The state.
    fn save(&self, state: &mut [u64]);
    /// Whether the state is terminal.
    fn terminal(&self) -> bool;
    /// Writes the legal moves of all roles, each in the order of the network.
    fn legal(&self, lists: &mut Lists);
    /// Whether a move is legal.
    fn is_legal(&self, number: usize) -> bool;
    /// Switches moves on.
    fn moves(&mut self, inputs: &[InputId]);
    /// Whether a part of the weights of chance moves counts.
    fn weight(&self, number: usize) -> bool;
    /// Whether the step from the state is silent.
    fn silent(&self) -> bool;
    /// Whether a percept occurs, while moves are on.
    fn percept(&self, number: usize) -> bool;
    /// Whether a part of the gains is paid, while moves are on.
    fn gain(&self, number: usize) -> bool;
    /// Goes to the next state; these moves were on.
    fn advance(&mut self, inputs: &[InputId]);
    /// Goes to the next state under moves that were not switched on, without percepts or gains.
    fn follow(&mut self, inputs: &[InputId]) {
        self.moves(inputs);
        self.advance(inputs);
    }
    /// Stays in the state; these moves were on.
    fn retreat(&mut self, inputs: &[InputId]);
    /// The next state, while moves are on.
    fn coming(&mut self, state: &mut [u64]);
    /// Computes the goals of the state, if necessary.
    fn know_goals(&mut self);
    /// Whether a goal value holds; `know_goals` was called in this state.
    fn goal(&self, number: usize) -> bool;
}
