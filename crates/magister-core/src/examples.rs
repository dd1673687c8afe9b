//! The smallest complete game, for examples in documentation and for tests.

use crate::{Info, Move, Role, Rules, Step};

/// Two players take turns to remove one or two objects from a heap; the player who takes the last
/// one wins. The value is the size of the heap.
///
/// ```
/// magister_core::battery::assert_game(&magister_core::Native::new(
///     magister_core::examples::Countdown(5),
/// ));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Countdown(pub u8);

impl Rules for Countdown {
    /// The size of the heap, and the role to move.
    type State = (u8, u8);

    fn info(&self) -> Info {
        Info {
            moves: Some(2),
            max_length: Some(u32::from(self.0)),
            constant_sum: Some(100.0),
            ..Info::new("countdown", &["first", "second"], &format!("countdown {} 1", self.0))
        }
    }

    fn initial(&self) -> Self::State {
        (self.0, 0)
    }

    fn terminal(&self, &(left, _): &Self::State) -> bool {
        left == 0
    }

    fn legal(&self, &(left, turn): &Self::State, role: Role, out: &mut Vec<Move>) {
        if role.0 == turn {
            out.extend((0..u32::from(left.min(2))).map(Move));
        }
    }

    fn step(&self, (left, turn): &mut Self::State, joint: &[Move], _out: &mut Step) {
        *left -= joint[usize::from(*turn)].0 as u8 + 1;
        *turn = 1 - *turn;
    }

    fn reward(&self, &(_, turn): &Self::State, role: Role) -> f64 {
        if role.0 == turn { 0.0 } else { 100.0 }
    }

    fn valid(&self, &(left, turn): &Self::State) -> bool {
        left <= self.0 && turn < 2
    }

    fn move_text(&self, choice: Move) -> String {
        format!("(take {})", choice.0 + 1)
    }

    fn state_text(&self, (left, turn): &Self::State) -> String {
        format!("{left} {turn}")
    }

    fn parse_state(&self, text: &str) -> Option<Self::State> {
        let (left, turn) = text.split_once(' ')?;
        Some((left.parse().ok()?, turn.parse().ok()?))
    }
}
