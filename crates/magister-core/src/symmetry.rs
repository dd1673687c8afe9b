//! Symmetries of games, as permutations.

use std::collections::BTreeSet;

use crate::{Move, Role};

/// A way to rename the cells, values, moves and roles of a game that leaves the game the same.
///
/// Entry `i` of a table is what `i` becomes. The initial state is its own image, and playing the
/// image of a joint move leads to the image of the state it led to; rewards follow the roles.
/// Games without a board leave the tables of cells and values empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symmetry {
    /// Where each cell of the board goes.
    pub cells: Vec<u32>,
    /// What each value of a cell becomes.
    pub values: Vec<u16>,
    /// What each move becomes.
    pub moves: Vec<u32>,
    /// What each role becomes.
    pub roles: Vec<u8>,
}

impl Symmetry {
    /// The renaming that changes nothing, for these numbers of cells, values, moves and roles.
    pub fn identity(cells: u32, values: u16, moves: u32, roles: u8) -> Self {
        Symmetry {
            cells: (0..cells).collect(),
            values: (0..values).collect(),
            moves: (0..moves).collect(),
            roles: (0..roles).collect(),
        }
    }

    /// The renaming of cells alone, for a game whose move number `i` puts something on cell `i`;
    /// values and roles, so many of each, stay what they are.
    pub fn of_cells(cells: &[u32], values: u16, roles: u8) -> Self {
        Symmetry {
            cells: cells.to_vec(),
            moves: cells.to_vec(),
            ..Symmetry::identity(0, values, 0, roles)
        }
    }

    /// First this renaming, then the other.
    #[must_use]
    pub fn then(&self, other: &Symmetry) -> Symmetry {
        Symmetry {
            cells: self.cells.iter().map(|&i| other.cells[i as usize]).collect(),
            values: self.values.iter().map(|&i| other.values[usize::from(i)]).collect(),
            moves: self.moves.iter().map(|&i| other.moves[i as usize]).collect(),
            roles: self.roles.iter().map(|&i| other.roles[usize::from(i)]).collect(),
        }
    }

    /// What a move becomes. Idleness stays what it is.
    pub fn of_move(&self, choice: Move) -> Move {
        if choice == Move::IDLE { choice } else { Move(self.moves[choice.index()]) }
    }

    /// What a role becomes.
    pub fn of_role(&self, role: Role) -> Role {
        Role(self.roles[role.index()])
    }

    /// Whether every table is a permutation, of these numbers of cells, values, moves and roles.
    pub fn is_permutation(&self, cells: usize, values: usize, moves: usize, roles: usize) -> bool {
        fn permutes(table: impl Iterator<Item = usize>, count: usize) -> bool {
            let image: Vec<usize> = table.collect();
            image.len() == count
                && image.iter().copied().collect::<BTreeSet<_>>().into_iter().eq(0..count)
        }
        permutes(self.cells.iter().map(|&i| i as usize), cells)
            && permutes(self.values.iter().map(|&i| usize::from(i)), values)
            && permutes(self.moves.iter().map(|&i| i as usize), moves)
            && permutes(self.roles.iter().map(|&i| usize::from(i)), roles)
    }

    /// Everything that compositions of some generators give, in a fixed order and without the
    /// identity: a game names two or three generators and gets the whole group.
    pub fn close(generators: &[Symmetry]) -> Vec<Symmetry> {
        let Some(first) = generators.first() else {
            return Vec::new();
        };
        let identity = Symmetry::identity(
            first.cells.len() as u32,
            first.values.len() as u16,
            first.moves.len() as u32,
            first.roles.len() as u8,
        );
        let mut group = BTreeSet::from([identity.clone()]);
        let mut fresh = vec![identity.clone()];
        while let Some(symmetry) = fresh.pop() {
            for generator in generators {
                let next = symmetry.then(generator);
                if group.insert(next.clone()) {
                    fresh.push(next);
                }
            }
        }
        group.remove(&identity);
        group.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The square: a quarter turn and a reflection of its corners.
    fn generators() -> [Symmetry; 2] {
        let of =
            |cells: [u32; 4]| Symmetry { cells: cells.to_vec(), ..Symmetry::identity(0, 2, 0, 1) };
        [of([1, 2, 3, 0]), of([1, 0, 3, 2])]
    }

    #[test]
    fn a_square_has_seven_symmetries_besides_the_identity() {
        let group = Symmetry::close(&generators());
        assert_eq!(group.len(), 7);
        assert!(group.iter().all(|symmetry| symmetry.is_permutation(4, 2, 0, 1)));
    }

    #[test]
    fn four_quarter_turns_change_nothing() {
        let [turn, _] = generators();
        let half = turn.then(&turn);
        assert_eq!(half.then(&half), Symmetry::identity(4, 2, 0, 1));
        assert_eq!(half.cells, [2, 3, 0, 1]);
    }

    #[test]
    fn tables_that_permute_nothing() {
        let [turn, _] = generators();
        assert!(!Symmetry { cells: vec![0, 0, 1, 2], ..turn.clone() }.is_permutation(4, 2, 0, 1));
        assert!(!turn.is_permutation(5, 2, 0, 1));
        assert_eq!(turn.of_move(Move::IDLE), Move::IDLE);
    }
}
