//! Solved positions, which examine players.

use std::fmt;
use std::str::FromStr;

use magister_core::{Halt, Stop};

use super::board::{COLUMNS, Position};
use super::solver::Solver;

/// Wins in fewer plies than this are easy to find.
const DISTANT: u32 = 11;

/// A solved position, in which a player can make a mistake.
///
/// As text, it has four words: the columns played so far, counted from 1; the class (1 for a win, 0
/// for a draw, -1 for a loss of the player to move); the columns that preserve it; and `hard` or
/// `other`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solved {
    /// The columns played so far, counted from 1.
    pub columns: Vec<u32>,
    /// 1 for a win, 0 for a draw, -1 for a loss of the player to move.
    pub class: i32,
    /// The columns that preserve the class, counted from 1.
    pub keeping: Vec<u32>,
    /// Whether exactly one move preserves the class, and that move draws or wins in 11 plies or
    /// more.
    pub hard: bool,
}

impl Solved {
    /// Solves a position. `None` if no move changes the class or there is only one move, so that a
    /// player cannot make a mistake.
    pub fn new(
        columns: Vec<u32>,
        position: &Position,
        solver: &mut Solver,
        stop: &Stop,
    ) -> Result<Option<Self>, Halt> {
        let open: Vec<u32> = (0..COLUMNS).filter(|&column| position.can_play(column)).collect();
        let classes = solver.classes(position, stop)?;
        let Some(class) = classes.into_iter().flatten().max() else { return Ok(None) };
        let keeping: Vec<u32> = open
            .iter()
            .filter(|&&column| classes[column as usize] == Some(class))
            .map(|&column| column + 1)
            .collect();
        if keeping.len() == open.len() {
            return Ok(None);
        }
        let hard = keeping.len() == 1
            && match class {
                0 => true,
                1 => solver.score(position, stop)?.distance(position.plies()) >= DISTANT,
                _ => false,
            };
        Ok(Some(Solved { columns, class, keeping, hard }))
    }

    /// The position.
    pub fn position(&self) -> Option<Position> {
        let columns: Option<Vec<u32>> =
            self.columns.iter().map(|column| column.checked_sub(1)).collect();
        Position::of_columns(&columns?)
    }
}

impl fmt::Display for Solved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = |columns: &[u32]| columns.iter().map(u32::to_string).collect::<String>();
        let kind = if self.hard { "hard" } else { "other" };
        write!(f, "{} {} {} {kind}", digits(&self.columns), self.class, digits(&self.keeping))
    }
}

impl FromStr for Solved {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let wrong = || format!("not a solved position: {line}");
        let [columns, class, keeping, kind] = line.split(' ').collect::<Vec<_>>()[..] else {
            return Err(wrong());
        };
        let digits = |text: &str| text.chars().map(|c| c.to_digit(10)).collect::<Option<Vec<_>>>();
        Ok(Solved {
            columns: digits(columns).ok_or_else(wrong)?,
            class: class.parse().map_err(|_| wrong())?,
            keeping: digits(keeping).ok_or_else(wrong)?,
            hard: kind == "hard",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_written() {
        let solved = Solved { columns: vec![4, 4, 1], class: -1, keeping: vec![2, 7], hard: false };
        assert_eq!(solved.to_string().parse(), Ok(solved.clone()));
        assert_eq!(solved.position().map(|position| position.plies()), Some(3));
        for wrong in ["44", "4a 1 2 hard", "44 x 2 hard", ""] {
            assert!(wrong.parse::<Solved>().is_err(), "{wrong}");
        }
    }
}
