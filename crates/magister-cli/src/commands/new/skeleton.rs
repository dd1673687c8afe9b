//! NAME.
//!
//! A small complete game to start from: two players take one, two or three stones from a pile in
//! turn, and the one that takes the last stone wins. Everything that is not a comment is needed.

use magister_core::text::{list, terms};
use magister_core::{Info, Move, Role, Rules, Step};

/// The players, in the order in which they move.
const PLAYERS: [&str; 2] = ["first", "second"];
/// The most stones that can be taken at once.
const HANDFUL: u8 = 3;

/// The rules; the value is the number of stones at the start.
#[derive(Clone, Copy, Debug)]
pub struct Game(pub u8);

/// The stones that are left, and whose turn it is. A state contains everything that the rest of the
/// game depends on; `pack_struct!` defines how it is packed into bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pile {
    left: u8,
    turn: u8,
}

magister_core::pack_struct!(Pile { left: u8, turn: u8 });

impl Rules for Game {
    type State = Pile;

    /// What is known about the game in advance. The last argument changes with the rules.
    fn info(&self) -> Info {
        Info {
            moves: Some(u32::from(HANDFUL)),
            max_length: Some(u32::from(self.0)),
            constant_sum: Some(100.0),
            ..Info::new("NAME", &PLAYERS, &format!("NAME {} 1", self.0))
        }
    }

    fn initial(&self) -> Pile {
        Pile { left: self.0, turn: 0 }
    }

    fn terminal(&self, state: &Pile) -> bool {
        state.left == 0
    }

    /// Moves are numbers from 0: here, one less than the stones that are taken. A role without a
    /// move of its own only waits.
    fn legal(&self, state: &Pile, role: Role, out: &mut Vec<Move>) {
        if role.0 == state.turn {
            out.extend((0..u32::from(state.left.min(HANDFUL))).map(Move));
        }
    }

    fn step(&self, state: &mut Pile, joint: &[Move], _out: &mut Step) {
        state.left -= joint[usize::from(state.turn)].0 as u8 + 1;
        state.turn = 1 - state.turn;
    }

    /// The role to move has lost, because the other one took the last stone.
    fn reward(&self, state: &Pile, role: Role) -> f64 {
        if role.0 == state.turn { 0.0 } else { 100.0 }
    }

    /// States come from text and from files too; no method may panic on one that is valid.
    fn valid(&self, state: &Pile) -> bool {
        state.left <= self.0 && state.turn < 2
    }

    fn move_text(&self, choice: Move) -> String {
        format!("(take {})", choice.0 + 1)
    }

    /// What is written can be read again: these two functions are inverse to each other. The
    /// automatic board draws facts such as `(pile 3)`.
    fn state_text(&self, state: &Pile) -> String {
        let turn = PLAYERS[usize::from(state.turn)];
        list([format!("(pile {})", state.left), format!("(control {turn})")])
    }

    fn parse_state(&self, text: &str) -> Option<Pile> {
        let terms = terms(text)?;
        let (["pile", left], ["control", turn]) = (&terms.first()?[..], &terms.get(1)?[..]) else {
            return None;
        };
        let turn = PLAYERS.iter().position(|player| player == turn)? as u8;
        Some(Pile { left: left.parse().ok()?, turn })
    }
}

#[cfg(test)]
mod tests {
    use magister_core::{Native, battery};

    use super::Game;

    /// Random walks that test everything that the traits promise.
    #[test]
    fn it_is_a_game() {
        battery::assert_game(&Native::new(Game(10)));
    }
}
