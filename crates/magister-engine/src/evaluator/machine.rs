//! What the ways to run a network have in common.

/// Runs a network: a state, and the moves made in it.
///
/// Moves are given by their inputs. `moves` switches them on and computes the next state and the
/// percepts; then either `advance` goes there, or `retreat` takes the moves back.
pub(super) trait Machine: Send {
    /// Goes to a state, a bit for every fluent.
    fn load(&mut self, state: &[u64]);
    /// The state.
    fn save(&self, state: &mut [u64]);
    /// Whether the state is terminal.
    fn terminal(&self) -> bool;
    /// Writes the legal moves among those numbered `from..to`, ascending, and gives how many there
    /// are. There is room for all.
    fn legal(&self, from: usize, to: usize, out: &mut [u32]) -> usize;
    /// Whether a move is legal.
    fn is_legal(&self, number: usize) -> bool;
    /// Switches moves on.
    fn moves(&mut self, inputs: &[u32]);
    /// Whether a percept is seen, while moves are on.
    fn percept(&self, number: usize) -> bool;
    /// Goes to the next state; these moves were on.
    fn advance(&mut self, inputs: &[u32]);
    /// Stays in the state; these moves were on.
    fn retreat(&mut self, inputs: &[u32]);
    /// The next state, while moves are on.
    fn coming(&mut self, state: &mut [u64]);
    /// Computes the goals of the state, if that has not been done.
    fn know_goals(&mut self);
    /// Whether a goal value holds; `know_goals` has been called in this state.
    fn goal(&self, number: usize) -> bool;
}
