//! Values and policies of many positions at once: the interface between a search and a model.
//!
//! A search collects the leaves of several descents in [`Positions`] and calls an [`Evaluate`] once
//! for all of them, so that a neural network, a batch of playouts or another machine can process
//! them together. The answers are in [`Evaluations`].

use crate::{Halt, Move, Role, Stop};

/// Evaluates many positions of one game in one call: a learned model, playouts, or a player with
/// estimates.
///
/// The value of a position should not depend on the other positions in the call, so that the result
/// of a search does not depend on how its requests are divided.
pub trait Evaluate: Send {
    /// Writes the expected reward of each role in each position and, if it has
    /// [policies](Evaluate::has_policies), a weight for each legal move. The values are on the
    /// scale of the rewards and exclude gains before the position.
    ///
    /// `out` is initialised with the lowest reward for every role and a uniform policy. After an
    /// error its contents are meaningless.
    fn evaluate(
        &mut self,
        positions: &Positions,
        out: &mut Evaluations,
        stop: &Stop,
    ) -> Result<(), Halt>;

    /// The number of positions that can be evaluated at about the cost of one. A search requests
    /// this many at a time if it can.
    fn batch(&self) -> usize {
        1
    }

    /// Whether it writes policies.
    fn has_policies(&self) -> bool {
        false
    }
}

/// Positions of one game to be evaluated. A search keeps one of these and refills it, which does
/// not allocate.
///
/// A position is a non-terminal state. With hidden information it is a determinization that the
/// search has sampled.
///
/// ```
/// use magister_core::{Move, Positions, Role};
///
/// let mut positions = Positions::new(2, Role(0));
/// positions.push(&[42], [&[Move(3), Move::IDLE][..]]);
/// positions.choice(Role(1), &[Move(0), Move(1)]);
/// let first = positions.get(0);
/// assert_eq!(first.state(), [42]);
/// assert_eq!(first.path().len(), 1);
/// assert_eq!(first.choices().next(), Some((Role(1), &[Move(0), Move(1)][..])));
/// ```
#[derive(Clone, Debug)]
pub struct Positions {
    roles: usize,
    role: Role,
    states: Vec<u64>,
    paths: Vec<Move>,
    moves: Vec<Move>,
    /// Each role that has a choice, and the end of its moves.
    choices: Vec<(Role, usize)>,
    /// For each position, the ends of its state, its path and its choices.
    ends: Vec<(usize, usize, usize)>,
}

impl Positions {
    /// An empty list, for a game with this number of roles and a search by this role.
    pub fn new(roles: usize, role: Role) -> Self {
        Positions {
            roles,
            role,
            states: Vec::new(),
            paths: Vec::new(),
            moves: Vec::new(),
            choices: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Removes all positions.
    pub fn clear(&mut self) {
        self.states.clear();
        self.paths.clear();
        self.moves.clear();
        self.choices.clear();
        self.ends.clear();
    }

    /// Adds a position: its state, and the joint moves that lead to it from the root of the search.
    pub fn push<'a>(&mut self, state: &[u64], path: impl IntoIterator<Item = &'a [Move]>) {
        self.states.extend_from_slice(state);
        path.into_iter().for_each(|joint| self.paths.extend_from_slice(joint));
        self.ends.push((self.states.len(), self.paths.len(), self.choices.len()));
    }

    /// Adds a choice of a role, other than chance, to the last position.
    pub fn choice(&mut self, role: Role, moves: &[Move]) {
        self.moves.extend_from_slice(moves);
        self.choices.push((role, self.moves.len()));
        if let Some(last) = self.ends.last_mut() {
            last.2 = self.choices.len();
        }
    }

    /// The role that searches.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The number of roles of the game, including chance.
    pub fn roles(&self) -> usize {
        self.roles
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The position with this number.
    ///
    /// # Panics
    ///
    /// If there are not enough positions.
    pub fn get(&self, position: usize) -> Position<'_> {
        assert!(position < self.len(), "there is no position {position}");
        Position { all: self, position }
    }

    /// All positions, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Position<'_>> {
        (0..self.len()).map(|position| Position { all: self, position })
    }

    fn start(&self, position: usize) -> (usize, usize, usize) {
        position.checked_sub(1).map_or((0, 0, 0), |before| self.ends[before])
    }

    /// The range of the moves of a choice.
    fn range(&self, choice: usize) -> std::ops::Range<usize> {
        choice.checked_sub(1).map_or(0, |before| self.choices[before].1)..self.choices[choice].1
    }
}

/// One of the [`Positions`].
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    all: &'a Positions,
    position: usize,
}

impl<'a> Position<'a> {
    /// Its state.
    pub fn state(&self) -> &'a [u64] {
        &self.all.states[self.all.start(self.position).0..self.all.ends[self.position].0]
    }

    /// The joint moves that lead to it from the root of the search.
    pub fn path(&self) -> impl ExactSizeIterator<Item = &'a [Move]> + use<'a> {
        let path = self.all.start(self.position).1..self.all.ends[self.position].1;
        self.all.paths[path].chunks_exact(self.all.roles.max(1))
    }

    /// The roles that have a choice, without chance, each with its legal moves.
    pub fn choices(&self) -> impl ExactSizeIterator<Item = (Role, &'a [Move])> + use<'a> {
        let all = self.all;
        let choices = all.start(self.position).2..all.ends[self.position].2;
        choices.map(move |choice| (all.choices[choice].0, &all.moves[all.range(choice)]))
    }
}

/// The answers for [`Positions`]: a value for each role, and for each choice a probability for each
/// move. A search keeps one of these and reuses it.
#[derive(Clone, Debug, Default)]
pub struct Evaluations {
    roles: usize,
    values: Vec<f64>,
    priors: Vec<f32>,
    /// The end of the priors of each choice.
    choices: Vec<usize>,
    /// The end of the choices of each position.
    ends: Vec<usize>,
}

impl Evaluations {
    /// Initialises the answers: the value of every role is `lowest`, and all moves are equally
    /// likely.
    pub fn reset(&mut self, positions: &Positions, lowest: f64) {
        self.roles = positions.roles;
        self.values.clear();
        self.values.resize(positions.len() * positions.roles, lowest);
        self.priors.clear();
        self.choices.clear();
        for choice in 0..positions.choices.len() {
            let moves = positions.range(choice).len();
            self.priors.resize(self.priors.len() + moves, 1.0 / moves as f32);
            self.choices.push(self.priors.len());
        }
        self.ends.clear();
        self.ends.extend(positions.ends.iter().map(|end| end.2));
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The expected reward of each role, including chance, in a position.
    pub fn values(&self, position: usize) -> &[f64] {
        &self.values[position * self.roles..][..self.roles]
    }

    /// As [`values`](Evaluations::values), for writing.
    pub fn values_mut(&mut self, position: usize) -> &mut [f64] {
        &mut self.values[position * self.roles..][..self.roles]
    }

    /// The probabilities of the legal moves of a choice, counted from 0 in the order of
    /// [`Position::choices`].
    pub fn priors(&self, position: usize, choice: usize) -> &[f32] {
        &self.priors[self.range(position, choice)]
    }

    /// As [`priors`](Evaluations::priors), for writing. They need not sum to 1.
    pub fn priors_mut(&mut self, position: usize, choice: usize) -> &mut [f32] {
        let range = self.range(position, choice);
        &mut self.priors[range]
    }

    /// Repairs invalid answers: normalises the probabilities of each choice, or makes them uniform
    /// if they are negative, not finite or all zero; a value that is not finite becomes `unknown`.
    pub fn mend(&mut self, unknown: f64) {
        self.values
            .iter_mut()
            .filter(|value| !value.is_finite())
            .for_each(|value| *value = unknown);
        let mut start = 0;
        for &end in &self.choices {
            let priors = &mut self.priors[start..end];
            start = end;
            let sum: f32 = priors.iter().sum();
            let sound = sum.is_finite() && sum > 0.0 && priors.iter().all(|&prior| prior >= 0.0);
            let same = 1.0 / priors.len() as f32;
            priors.iter_mut().for_each(|prior| *prior = if sound { *prior / sum } else { same });
        }
    }

    fn range(&self, position: usize, choice: usize) -> std::ops::Range<usize> {
        let first = position.checked_sub(1).map_or(0, |before| self.ends[before]);
        assert!(first + choice < self.ends[position], "position {position} has no choice {choice}");
        let number = first + choice;
        number.checked_sub(1).map_or(0, |before| self.choices[before])..self.choices[number]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three positions; in the second no role has a choice, in the third two roles have one.
    fn some() -> Positions {
        let mut positions = Positions::new(2, Role(1));
        positions.push(&[1, 2], []);
        positions.choice(Role(0), &[Move(0), Move(1), Move(2)]);
        positions.push(&[3, 4], [&[Move(0), Move::IDLE][..]]);
        positions.push(&[5, 6], [&[Move(1), Move::IDLE][..], &[Move::IDLE, Move(4)]]);
        positions.choice(Role(0), &[Move(7), Move(8)]);
        positions.choice(Role(1), &[Move(7), Move(8), Move(9), Move(10)]);
        positions
    }

    #[test]
    fn positions_keep_their_contents() {
        let positions = some();
        let states: Vec<&[u64]> = positions.iter().map(|position| position.state()).collect();
        assert_eq!(states, [[1, 2], [3, 4], [5, 6]]);
        let lengths: Vec<usize> = positions.iter().map(|position| position.path().len()).collect();
        assert_eq!(lengths, [0, 1, 2]);
        assert_eq!(positions.get(2).path().nth(1), Some(&[Move::IDLE, Move(4)][..]));
        let counts: Vec<usize> = positions.iter().map(|p| p.choices().len()).collect();
        assert_eq!(counts, [1, 0, 2]);
        let last = positions.get(2).choices().nth(1);
        assert_eq!(last, Some((Role(1), &[Move(7), Move(8), Move(9), Move(10)][..])));
    }

    #[test]
    fn without_an_answer_the_policy_is_uniform() {
        let mut out = Evaluations::default();
        out.reset(&some(), -1.0);
        assert_eq!(out.values(2), [-1.0, -1.0]);
        assert_eq!(out.priors(2, 0), [0.5, 0.5]);
        assert_eq!(out.priors(2, 1), [0.25; 4]);
    }

    #[test]
    fn invalid_answers_are_repaired() {
        let mut out = Evaluations::default();
        out.reset(&some(), 0.0);
        out.values_mut(1)[0] = f64::NAN;
        out.values_mut(2).copy_from_slice(&[70.0, f64::INFINITY]);
        out.priors_mut(0, 0).copy_from_slice(&[3.0, 0.0, 1.0]);
        out.priors_mut(2, 0).copy_from_slice(&[-1.0, 2.0]);
        out.priors_mut(2, 1).copy_from_slice(&[0.0, f32::NAN, 0.0, 0.0]);
        out.mend(50.0);
        assert_eq!(out.values(1), [50.0, 0.0]);
        assert_eq!(out.values(2), [70.0, 50.0]);
        assert_eq!(out.priors(0, 0), [0.75, 0.0, 0.25]);
        assert_eq!(out.priors(2, 0), [0.5, 0.5]);
        assert_eq!(out.priors(2, 1), [0.25; 4]);
    }

    #[test]
    #[should_panic(expected = "position 1 has no choice 0")]
    fn a_missing_choice_panics() {
        let mut out = Evaluations::default();
        out.reset(&some(), 0.0);
        out.priors(1, 0);
    }
}
