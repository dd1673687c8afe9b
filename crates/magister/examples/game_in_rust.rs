//! A game written in Rust: its rules, the test battery that every game must pass, and its value.
//!
//! Two players take turns to place tokens on a strip of cells. A token may not be adjacent to
//! another one. A player who cannot move loses.

#![expect(clippy::print_stdout, reason = "examples print their results")]

use magister::core::{Budget, Game, Info, Move, Native, Role, Rules, Step, battery};
use magister::solve::{Solution, SolveLimits};

/// The rules. The value is the number of cells, at most 16.
struct Strip(u8);

impl Strip {
    /// The cells on which a token may be placed: those without a token on or beside them.
    fn free(&self, tokens: u16) -> impl Iterator<Item = u32> + use<> {
        let around = |cell: u32| (0b111_u32 << cell) >> 1;
        (0..u32::from(self.0)).filter(move |&cell| u32::from(tokens) & around(cell) == 0)
    }
}

impl Rules for Strip {
    /// A bit for each token, and the player to move. States are small plain values.
    type State = (u16, u8);

    fn info(&self) -> Info {
        Info {
            moves: Some(u32::from(self.0)),
            max_length: Some(u32::from(self.0)),
            constant_sum: Some(100.0),
            // The last text replaces a rulesheet: change it whenever the rules change.
            ..Info::new("strip", &["left", "right"], &format!("strip {} version 1", self.0))
        }
    }

    fn initial(&self) -> Self::State {
        (0, 0)
    }

    fn terminal(&self, &(tokens, _): &Self::State) -> bool {
        self.free(tokens).next().is_none()
    }

    // A role without an entry here has nothing to do, because it is the other's turn.
    fn legal(&self, &(tokens, turn): &Self::State, role: Role, out: &mut Vec<Move>) {
        if role.0 == turn {
            out.extend(self.free(tokens).map(Move));
        }
    }

    fn step(&self, (tokens, turn): &mut Self::State, joint: &[Move], _out: &mut Step) {
        *tokens |= 1 << joint[usize::from(*turn)].0;
        *turn = 1 - *turn;
    }

    fn reward(&self, &(_, turn): &Self::State, role: Role) -> f64 {
        if role.0 == turn { 0.0 } else { 100.0 }
    }

    // States may come from a file or from another program, so they are checked.
    fn valid(&self, &(tokens, turn): &Self::State) -> bool {
        let inside = u32::from(tokens) < 1 << self.0;
        inside && tokens & (tokens << 1) == 0 && turn < 2
    }

    fn move_text(&self, choice: Move) -> String {
        format!("(place {})", choice.0 + 1)
    }

    fn state_text(&self, (tokens, turn): &Self::State) -> String {
        format!("{tokens} {turn}")
    }

    fn parse_state(&self, text: &str) -> Option<Self::State> {
        let (tokens, turn) = text.split_once(' ')?;
        Some((tokens.parse().ok()?, turn.parse().ok()?))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The battery walks through the game at random and checks the contract of games.
    let report = battery::check(&Native::new(Strip(9)), &battery::Options::default());
    println!("battery: {} failures, {} warnings", report.failures.len(), report.warnings.len());
    assert!(report.failures.is_empty(), "{:?}", report.failures);

    // The rest of Magister treats it like any other game.
    for cells in 1..=12 {
        let game = Native::new(Strip(cells));
        let mut budget = Budget::iterations(u64::MAX);
        let limits = SolveLimits::default();
        let solution = Solution::new(&mut *game.worker(), Role(0), &limits, &mut budget)?;
        let winner = if solution.value()[0] > 50.0 { "left" } else { "right" };
        println!("{cells:2} cells: {winner} wins, {} positions", solution.positions());
    }
    Ok(())
}
