//! Values and policies of many positions at once: what a search asks of a model.
//!
//! A search collects the leaves of several descents in [`Positions`] and asks an [`Evaluate`] for all
//! of them in one call, so that a neural network, a batch of playouts or another machine can work
//! on them side by side. The answers come back in [`Evaluations`].

use crate::{Halt, Move, Role, Stop};

/// Values many positions of one game in one call: a learned model, playouts, or a player with
/// opinions.
///
/// What it says of a position should not depend on which other positions are asked for in the same
/// call; then the result of a search does not depend on how its requests are cut.
pub trait Evaluate: Send {
    /// Writes what each role can expect in each of the positions, and, if it has
    /// [policies](Evaluate::has_policies), how likely each legal move is to be the right one. The
    /// values are in the scale of the rewards and leave out what was gained before the position.
    ///
    /// `out` comes with the lowest reward for everybody and the same probability for all moves. After
    /// an error its contents say nothing.
    fn evaluate(
        &mut self,
        positions: &Positions,
        out: &mut Evaluations,
        stop: &Stop,
    ) -> Result<(), Halt>;

    /// How many positions it values at about the cost of one; a search asks for so many at a time
    /// where it can.
    fn batch(&self) -> usize {
        1
    }

    /// Whether it writes policies.
    fn has_policies(&self) -> bool {
        false
    }
}

/// Positions of one game that are to be valued. A search keeps one and fills it again and again,
/// which then allocates nothing.
///
/// A position is a state in which the game goes on. In a game that hides information it is one
/// that the search imagines.
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
    /// For each position the ends of its state, its path and its choices.
    ends: Vec<(usize, usize, usize)>,
}

impl Positions {
    /// No positions yet, of a game with so many roles, for a search by this role.
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

    /// Adds a position: its state, and the joint moves that lead to it from where the search began.
    pub fn push<'a>(&mut self, state: &[u64], path: impl IntoIterator<Item = &'a [Move]>) {
        self.states.extend_from_slice(state);
        path.into_iter().for_each(|joint| self.paths.extend_from_slice(joint));
        self.ends.push((self.states.len(), self.paths.len(), self.choices.len()));
    }

    /// Adds to the last position that a role, other than chance, has a choice among these moves.
    pub fn choice(&mut self, role: Role, moves: &[Move]) {
        self.moves.extend_from_slice(moves);
        self.choices.push((role, self.moves.len()));
        if let Some(last) = self.ends.last_mut() {
            last.2 = self.choices.len();
        }
    }

    /// Whose search it is.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The number of roles of the game, chance included.
    pub fn roles(&self) -> usize {
        self.roles
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The position of this number.
    ///
    /// # Panics
    ///
    /// If there are fewer.
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

    /// Where the moves of a choice are.
    fn range(&self, choice: usize) -> std::ops::Range<usize> {
        choice.checked_sub(1).map_or(0, |before| self.choices[before].1)..self.choices[choice].1
    }
}

/// One of some [`Positions`].
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

    /// The joint moves that lead to it from where the search began.
    pub fn path(&self) -> impl ExactSizeIterator<Item = &'a [Move]> + use<'a> {
        let path = self.all.start(self.position).1..self.all.ends[self.position].1;
        self.all.paths[path].chunks_exact(self.all.roles.max(1))
    }

    /// The roles that have a choice, chance left out, each with its legal moves.
    pub fn choices(&self) -> impl ExactSizeIterator<Item = (Role, &'a [Move])> + use<'a> {
        let all = self.all;
        let choices = all.start(self.position).2..all.ends[self.position].2;
        choices.map(move |choice| (all.choices[choice].0, &all.moves[all.range(choice)]))
    }
}

/// What was said of some [`Positions`]: a value for each role, and for each role that has a choice
/// a probability for each of its moves. A search keeps one and hands it in again and again.
#[derive(Clone, Debug, Default)]
pub struct Evaluations {
    roles: usize,
    values: Vec<f64>,
    priors: Vec<f32>,
    /// For each choice the end of its priors.
    choices: Vec<usize>,
    /// For each position the end of its choices.
    ends: Vec<usize>,
}

impl Evaluations {
    /// Nothing is known of these positions: everybody can expect `lowest`, and all moves are equally
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

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// What each role, chance included, can expect in a position.
    pub fn values(&self, position: usize) -> &[f64] {
        &self.values[position * self.roles..][..self.roles]
    }

    /// The same, to be written.
    pub fn values_mut(&mut self, position: usize) -> &mut [f64] {
        &mut self.values[position * self.roles..][..self.roles]
    }

    /// The probabilities of the legal moves of the role that has this choice, counted from 0 in the
    /// order of [`Position::choices`].
    pub fn priors(&self, position: usize, choice: usize) -> &[f32] {
        &self.priors[self.range(position, choice)]
    }

    /// The same, to be written. They need not have the sum 1.
    pub fn priors_mut(&mut self, position: usize, choice: usize) -> &mut [f32] {
        let range = self.range(position, choice);
        &mut self.priors[range]
    }

    /// Mends what a model may get wrong: the probabilities of each choice get the sum 1, or are all
    /// the same if they are negative, not finite or all zero; a value that is not finite becomes
    /// `unknown`.
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

    /// Three positions; in the second nobody has a choice, in the third two roles have one.
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
    fn positions_are_what_was_pushed() {
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
    fn without_an_answer_all_moves_are_alike() {
        let mut out = Evaluations::default();
        out.reset(&some(), -1.0);
        assert_eq!(out.values(2), [-1.0, -1.0]);
        assert_eq!(out.priors(2, 0), [0.5, 0.5]);
        assert_eq!(out.priors(2, 1), [0.25; 4]);
    }

    #[test]
    fn nonsense_is_mended() {
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
    fn a_choice_that_there_is_not() {
        let mut out = Evaluations::default();
        out.reset(&some(), 0.0);
        out.priors(1, 0);
    }
}
