//! Games with repeating positions, and games of chance.

use magister_core::examples::Countdown;
use magister_core::{Budget, Info, Move, Native, Role, Rules, Step, Stop};
use magister_solve::{Answer, Effort, Solution, SolveLimits, Unsolved, solve};

/// Two roles push a token along a line of cells, the first by up to `reach` cells, the second by
/// one. A role wins when the token reaches its own end of the line.
struct Push {
    start: u8,
    cells: u8,
    reach: u8,
}

impl Rules for Push {
    /// The position of the token, and the role to push.
    type State = (u8, u8);

    fn info(&self) -> Info {
        let rules = format!("push {} {} {} 1", self.start, self.cells, self.reach);
        Info { moves: Some(20), ..Info::new("push", &["up", "down"], &rules) }
    }

    fn initial(&self) -> Self::State {
        (self.start, 0)
    }

    fn terminal(&self, &(at, _): &Self::State) -> bool {
        at == 0 || at + 1 == self.cells
    }

    fn legal(&self, &(at, turn): &Self::State, role: Role, out: &mut Vec<Move>) {
        if role.0 == turn {
            let reach = if turn == 0 { self.reach } else { 1 };
            let up =
                (1..=reach).filter(|by| at + by < self.cells).map(|by| Move(10 + u32::from(by)));
            out.extend(up);
            out.push(Move(9));
        }
    }

    fn step(&self, (at, turn): &mut Self::State, joint: &[Move], _out: &mut Step) {
        *at = (u32::from(*at) + joint[usize::from(*turn)].0 - 10) as u8;
        *turn = 1 - *turn;
    }

    fn reward(&self, &(at, _): &Self::State, role: Role) -> f64 {
        if (at == 0) == (role.0 == 1) { 100.0 } else { 0.0 }
    }

    fn valid(&self, &(at, turn): &Self::State) -> bool {
        at < self.cells && turn < 2
    }

    fn move_text(&self, choice: Move) -> String {
        format!("(push {})", i64::from(choice.0) - 10)
    }

    fn state_text(&self, (at, turn): &Self::State) -> String {
        format!("{at} {turn}")
    }

    fn parse_state(&self, text: &str) -> Option<Self::State> {
        let (at, turn) = text.split_once(' ')?;
        Some((at.parse().ok()?, turn.parse().ok()?))
    }
}

fn value(start: u8, cells: u8, reach: u8) -> Result<Vec<f64>, Unsolved> {
    let game = Native::new(Push { start, cells, reach });
    let mut budget = Budget::until(Stop::never());
    let solution = Solution::of_game(&game, Role(0), &SolveLimits::default(), &mut budget)?;
    // Following the solution leads to the computed result.
    let mut worker = magister_core::Game::worker(&game);
    worker.reset();
    let line = solution.line(&mut *worker, 1000).unwrap();
    assert!(worker.terminal() && line.len() < 100, "{line:?}");
    let mut goals = Vec::new();
    worker.goals(Role(0), &mut goals);
    assert_eq!(goals, [solution.value()[0]]);
    Ok(solution.value().to_vec())
}

#[test]
fn the_value_is_what_can_be_forced() {
    // The first player gains a cell in every round.
    assert_eq!(value(5, 12, 2), Ok(vec![100.0, 0.0]));
    assert_eq!(value(1, 12, 2), Ok(vec![100.0, 0.0]));
    // Equal forces push forever, except next to an end.
    assert!(matches!(value(3, 7, 1), Err(Unsolved::Undefined(_))));
    assert_eq!(value(5, 7, 1), Ok(vec![100.0, 0.0]));
}

#[test]
fn leaving_a_multiple_of_three_wins() {
    for heap in 1..12 {
        let game = Native::new(Countdown(heap));
        let answer = solve(&game, &SolveLimits::default(), &Effort::default()).unwrap();
        let value = if heap % 3 == 0 { [0.0, 100.0] } else { [100.0, 0.0] };
        assert_eq!(answer.values(&game), value, "{heap}");
        assert!(matches!(answer, Answer::Positions(_)));
    }
    let limits = SolveLimits { nodes: 20, ..SolveLimits::default() };
    let found = solve(&Native::new(Countdown(100)), &limits, &Effort::default());
    assert!(matches!(found, Err(Unsolved::TooLarge(_))));
}
