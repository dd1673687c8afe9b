//! Observations: a state, or what a role knows, as tensors for learning.
//!
//! An observation is a list of [`Tensor`]s, each with a name, an element type and a shape. The
//! caller provides the buffer: all tensors are written in sequence, each in row-major order, as
//! `f32`. A batch of observations is a buffer with one row per observation.
//!
//! | observation | of | for |
//! |---|---|---|
//! | [`StateObserver`] | a state | code that has a state: a search, a learner in self-play, a referee |
//! | [`ViewObserver`] | the view of a role, its information state | a player |
//!
//! Every game has both. A game with better tensors of its states returns them from
//! [`Game::tensors`](crate::Game::tensors); games from rules text have planes for their board and
//! one bit for each remaining fluent. [`StateObserver`] describes the defaults.
//!
//! Two games with the same `rules_hash` have the same tensors with the same numbers.

mod hashed;
mod planes;
mod state;
mod view;

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use hashed::HASHED;
pub use planes::Planes;
pub use state::StateObserver;
pub(crate) use state::{StateFormat, write_bits, write_board};
pub use view::{TURN_HASHED, ViewObserver};

/// The element type of a tensor. All numbers are written as `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Element {
    /// 0 or 1.
    Bit,
    /// Any finite number.
    Real,
}

/// The specification of one tensor: its name, its element type and its shape.
///
/// ```
/// use magister_core::{Element, Tensor};
/// let board = Tensor::new("board", Element::Bit, &[3, 6, 7]);
/// assert_eq!(board.len(), 126);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tensor {
    /// Its name, unique within an observation.
    pub name: String,
    /// Its element type.
    #[serde(rename = "type")]
    pub element: Element,
    /// The length of each axis, the slowest first.
    pub shape: Vec<usize>,
}

impl Tensor {
    /// A tensor of this name, kind and shape.
    pub fn new(name: &str, element: Element, shape: &[usize]) -> Self {
        Tensor { name: name.to_owned(), element, shape: shape.to_vec() }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The tensors of an observation, in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tensors(Vec<Tensor>);

impl Tensors {
    /// These tensors, without those that have no elements.
    pub fn new(tensors: impl IntoIterator<Item = Tensor>) -> Self {
        Tensors(tensors.into_iter().filter(|tensor| !tensor.is_empty()).collect())
    }

    /// The tensors.
    pub fn list(&self) -> &[Tensor] {
        &self.0
    }

    /// The total number of elements: the length of one row.
    pub fn len(&self) -> usize {
        self.0.iter().map(Tensor::len).sum()
    }

    /// Whether there are no tensors.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The range of a tensor in a row.
    pub fn range(&self, name: &str) -> Option<Range<usize>> {
        let at = self.0.iter().position(|tensor| tensor.name == name)?;
        let start = self.0[..at].iter().map(Tensor::len).sum();
        Some(start..start + self.0[at].len())
    }
}

/// How a game writes its states as tensors.
///
/// The numbers depend on the state alone. Different states should have different numbers, because a
/// learner cannot distinguish states with equal observations.
pub trait StateTensors: Send + Sync {
    /// The tensors of every state.
    fn tensors(&self) -> &Tensors;

    /// Writes the numbers of a state into `out`, which has [`Tensors::len`] entries, all zero. A
    /// worker of the game must have saved the state; for other words the numbers are meaningless.
    fn write(&self, state: &[u64], out: &mut [f32]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_are_contiguous() {
        let all = Tensors::new([
            Tensor::new("board", Element::Bit, &[2, 3, 4]),
            Tensor::new("nothing", Element::Bit, &[0]),
            Tensor::new("turn", Element::Real, &[1]),
        ]);
        assert_eq!(all.len(), 25);
        assert_eq!(all.range("turn"), Some(24..25));
        assert_eq!(all.range("nothing"), None);
    }

    #[test]
    fn a_specification_is_plain_json() {
        let all = Tensors::new([Tensor::new("board", Element::Bit, &[2, 3])]);
        let json = serde_json::to_string(&all).unwrap();
        assert_eq!(json, r#"[{"name":"board","type":"bit","shape":[2,3]}]"#);
        assert_eq!(serde_json::from_str::<Tensors>(&json).unwrap(), all);
    }
}
