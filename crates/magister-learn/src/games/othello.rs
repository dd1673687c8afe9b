//! Othello for learners.

use magister_core::{Halt, Rng};

use crate::environment::{CellLayout, Cells, Choice, Environment};

/// Othello. A player without a move has the single choice to pass, so that the players alternate and
/// the player to move tells who made the move before. Cells are numbered row by row.
#[derive(Clone, Copy, Debug)]
pub struct Othello {
    /// The number of phases of a game, by the number of discs. Each phase has weights of its own.
    pub phases: u32,
}

impl Default for Othello {
    fn default() -> Self {
        Othello { phases: 1 }
    }
}

impl Othello {
    /// The number of slots of weights.
    pub fn slots(&self) -> usize {
        2 * self.phases as usize
    }
}

/// The discs of black and white, and the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discs {
    /// The discs of black, who moves first, and of white.
    pub discs: [u64; 2],
    /// The player to move; 2 after the end.
    pub turn: u8,
}

/// The number of the move that passes.
pub const PASS: u32 = 64;

/// All columns but the first, and all but the last.
const NOT_FIRST: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_LAST: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// The bits one cell further in one of eight directions.
fn shifted(bits: u64, direction: usize) -> u64 {
    match direction {
        0 => (bits & NOT_LAST) << 1,
        1 => (bits & NOT_FIRST) >> 1,
        2 => bits << 8,
        3 => bits >> 8,
        4 => (bits & NOT_LAST) << 9,
        5 => (bits & NOT_FIRST) >> 9,
        6 => (bits & NOT_FIRST) << 7,
        _ => (bits & NOT_LAST) >> 7,
    }
}

/// The cells on which a player may put a disc.
fn moves(own: u64, other: u64) -> u64 {
    let free = !(own | other);
    let mut out = 0;
    for direction in 0..8 {
        let mut line = shifted(own, direction) & other;
        // A line has at most six discs between two others.
        for _ in 0..5 {
            line |= shifted(line, direction) & other;
        }
        out |= shifted(line, direction) & free;
    }
    out
}

/// The discs that a new disc turns.
fn turned(own: u64, other: u64, disc: u64) -> u64 {
    let mut out = 0;
    for direction in 0..8 {
        let (mut line, mut next) = (0, shifted(disc, direction));
        while next & other != 0 {
            line |= next;
            next = shifted(next, direction);
        }
        if next & own != 0 {
            out |= line;
        }
    }
    out
}

impl Discs {
    /// The position after a move of the player to move.
    #[must_use]
    pub fn play(&self, cell: u32) -> Self {
        let (own, other) = (usize::from(self.turn), usize::from(1 - self.turn));
        let mut discs = self.discs;
        let flips = turned(discs[own], discs[other], 1 << cell);
        discs[own] |= flips | 1 << cell;
        discs[other] &= !flips;
        let over = moves(discs[other], discs[own]) | moves(discs[own], discs[other]) == 0;
        Discs { discs, turn: if over { 2 } else { other as u8 } }
    }

    /// The cells on which the player to move may put a disc.
    pub fn legal(&self) -> u64 {
        match self.turn {
            0 => moves(self.discs[0], self.discs[1]),
            1 => moves(self.discs[1], self.discs[0]),
            _ => 0,
        }
    }
}

impl Default for Discs {
    fn default() -> Self {
        Discs { discs: [1 << 28 | 1 << 35, 1 << 27 | 1 << 36], turn: 0 }
    }
}

impl Environment for Othello {
    type State = Discs;

    fn players(&self) -> usize {
        2
    }

    fn opposed(&self) -> bool {
        true
    }

    fn start(&mut self, _rng: &mut Rng) -> Result<Discs, Halt> {
        Ok(Discs::default())
    }

    fn turn(&self, state: &Discs) -> Option<usize> {
        (state.turn < 2).then_some(usize::from(state.turn))
    }

    fn choices(
        &mut self,
        state: &Discs,
        _rng: &mut Rng,
        out: &mut Vec<Choice<Discs>>,
    ) -> Result<(), Halt> {
        out.clear();
        let mut rest = state.legal();
        while rest != 0 {
            let id = rest.trailing_zeros();
            rest &= rest - 1;
            out.push(Choice { id, after: state.play(id), gain: 0.0 });
        }
        if out.is_empty() && state.turn < 2 {
            out.push(Choice {
                id: PASS,
                after: Discs { turn: 1 - state.turn, ..*state },
                gain: 0.0,
            });
        }
        Ok(())
    }

    fn over(&self, after: &Discs) -> bool {
        after.turn > 1
    }

    fn settle(&mut self, _after: &mut Discs, _rng: &mut Rng) -> Result<(), Halt> {
        Ok(())
    }

    fn result(&self, end: &Discs, player: usize) -> f32 {
        let [black, white] = end.discs.map(|side| side.count_ones().cast_signed());
        let lead = (black - white).signum() as f32;
        if player == 0 { lead } else { -lead }
    }

    fn slot(&self, after: &Discs) -> usize {
        let [black, white] = after.discs;
        let phase = (black | white).count_ones().saturating_sub(5) * self.phases / 60;
        2 * phase as usize + usize::from(after.turn.min(1))
    }
}

impl Cells for Othello {
    fn layout(&self) -> CellLayout {
        let quarter = (0..64).map(|i| 8 * (i % 8) + 7 - i / 8).collect::<Vec<u16>>();
        let mirror = (0..64).map(|i| 8 * (i / 8) + 7 - i % 8).collect::<Vec<u16>>();
        CellLayout {
            symmetries: crate::tuples::close(&[quarter, mirror]),
            ..CellLayout::grid(8, 8, 3)
        }
    }

    /// 0 is a black disc, 1 an empty cell, 2 a white disc: an exchange of the colours exchanges the
    /// lowest and the highest value.
    fn write(&self, state: &Discs, out: &mut [u8]) {
        let [black, white] = state.discs;
        for (cell, value) in out.iter_mut().enumerate() {
            *value = 1 + (white >> cell & 1) as u8 - (black >> cell & 1) as u8;
        }
    }

    fn changes(
        &self,
        cells: &[u8],
        choice: &Choice<Discs>,
        _after: &mut [u8],
        out: &mut Vec<(u16, u8)>,
    ) {
        out.clear();
        if choice.id == PASS {
            return;
        }
        // All changed cells get the colour of the new disc.
        let colour = 2 * u8::from(choice.after.discs[1] >> choice.id & 1 == 1);
        let mut rest = choice.after.discs[usize::from(colour / 2)];
        while rest != 0 {
            let cell = rest.trailing_zeros() as u16;
            rest &= rest - 1;
            if cells[usize::from(cell)] != colour {
                out.push((cell, colour));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use magister_core::Seed;

    /// The published numbers of move sequences from the initial position.
    #[test]
    fn sequences_are_as_many_as_published() {
        fn count(state: &Discs, depth: u32) -> u64 {
            if depth == 0 {
                return 1;
            }
            let legal = state.legal();
            let cells = (0..64).filter(|cell| legal >> cell & 1 == 1);
            cells.map(|cell| count(&state.play(cell), depth - 1)).sum()
        }
        let counts: Vec<u64> = (1..=7).map(|depth| count(&Discs::default(), depth)).collect();
        assert_eq!(counts, [4, 12, 56, 244, 1396, 8200, 55092]);
    }

    #[test]
    fn phases_have_slots_of_their_own() {
        let env = Othello { phases: 3 };
        let full = |count: u32| Discs { discs: [u64::MAX >> (64 - count), 0], turn: 1 };
        let slots = [5, 24, 25, 45, 64].map(|count| env.slot(&full(count)));
        assert_eq!((slots, env.slots()), ([1, 1, 3, 5, 5], 6));
    }

    /// Random games with passes: discs are only added, and the game ends when no player can move.
    #[test]
    fn games_end_when_no_player_can_move() {
        let mut rng = Seed::from(3).rng();
        let mut passes = 0;
        let (mut choices, mut changes) = (Vec::new(), Vec::new());
        let (mut cells, mut after) = ([0; 64], [0; 64]);
        for _ in 0..200 {
            let mut state = Discs::default();
            while state.turn < 2 {
                Othello::default().choices(&state, &mut rng, &mut choices).unwrap();
                let chosen = &choices[rng.below(choices.len() as u64) as usize];
                let (next, pass) = (chosen.after, u32::from(chosen.id == PASS));
                let all = |state: &Discs| (state.discs[0] | state.discs[1]).count_ones();
                assert_eq!(all(&next), all(&state) + 1 - pass);
                // The changes that are listed lead to the cells of the new state.
                Othello::default().write(&state, &mut cells);
                Othello::default().changes(&cells, chosen, &mut after, &mut changes);
                changes.iter().for_each(|&(cell, new)| cells[usize::from(cell)] = new);
                Othello::default().write(&next, &mut after);
                assert_eq!(cells, after);
                passes += pass;
                state = next;
            }
            let [black, white] = state.discs;
            assert_eq!(moves(black, white) | moves(white, black), 0);
            assert!(
                (Othello::default().result(&state, 0) + Othello::default().result(&state, 1)).abs()
                    < 1e-6
            );
        }
        assert!(passes > 0);
    }
}
