//! Rock, Paper, Scissors: both players choose at the same time, once.

use magister_core::text::terms;
use magister_core::{Info, Move, Role, Rules, Step, Symmetry};

const HANDS: [&str; 3] = ["rock", "paper", "scissors"];

/// The rules. The winner gets 100, the loser 0; equal hands give 50 each.
#[derive(Clone, Copy, Debug)]
pub struct RockPaperScissors;

impl Rules for RockPaperScissors {
    /// The hands, counted from 1; both 0 before the move.
    type State = [u8; 2];

    fn info(&self) -> Info {
        Info {
            moves: Some(3),
            max_length: Some(1),
            constant_sum: Some(100.0),
            ..Info::new("rock-paper-scissors", &["left", "right"], "rock-paper-scissors 1")
        }
    }

    fn initial(&self) -> Self::State {
        [0, 0]
    }

    fn terminal(&self, state: &Self::State) -> bool {
        state[0] != 0
    }

    fn legal(&self, _state: &Self::State, _role: Role, out: &mut Vec<Move>) {
        out.extend((0..3).map(Move));
    }

    fn step(&self, state: &mut Self::State, joint: &[Move], _out: &mut Step) {
        *state = [joint[0].0 as u8 + 1, joint[1].0 as u8 + 1];
    }

    /// Each hand beats the previous one in the cycle of three.
    fn reward(&self, state: &Self::State, role: Role) -> f64 {
        let (own, other) = (state[role.index()], state[1 - role.index()]);
        match (own + 3 - other) % 3 {
            0 => 50.0,
            1 => 100.0,
            _ => 0.0,
        }
    }

    fn valid(&self, &[left, right]: &Self::State) -> bool {
        left <= 3 && right <= 3 && (left == 0) == (right == 0)
    }

    fn move_text(&self, choice: Move) -> String {
        HANDS[choice.index()].to_owned()
    }

    fn state_text(&self, &[left, right]: &Self::State) -> String {
        if left == 0 {
            return "()".to_owned();
        }
        let hand = |number: u8| HANDS[usize::from(number) - 1];
        format!("((showed left {}) (showed right {}))", hand(left), hand(right))
    }

    fn parse_state(&self, text: &str) -> Option<Self::State> {
        let hand = |name| HANDS.iter().position(|&hand| hand == name).map(|hand| hand as u8 + 1);
        match terms(text)?.iter().map(Vec::as_slice).collect::<Vec<_>>()[..] {
            [] => Some([0, 0]),
            [["showed", "left", left], ["showed", "right", right]] => {
                Some([hand(*left)?, hand(*right)?])
            }
            _ => None,
        }
    }

    /// The players can swap places, and the cycle of hands can rotate.
    fn symmetries(&self) -> Vec<Symmetry> {
        let identity = Symmetry::identity(0, 0, 3, 2);
        Symmetry::close(&[
            Symmetry { roles: vec![1, 0], ..identity.clone() },
            Symmetry { moves: vec![1, 2, 0], ..identity },
        ])
    }
}
