//! Rubik's cube of two by two by two, the Pocket Cube.
//!
//! The turns are computed from the geometry of the cube. The halves opposite to the upper, right
//! and front one never turn, which fixes how the cube is held.

use magister_core::text;
use magister_core::{Element, Info, Move, Role, Rules, Step, Tensor, Tensors};

const SIDE: i32 = 2;
/// The number of stickers of a face, and of all faces.
const FACE: usize = (SIDE * SIDE) as usize;
const STICKERS: usize = 6 * FACE;
const FACES: [&str; 6] = ["u", "l", "f", "r", "b", "d"];
const COLOURS: [&str; 6] = ["white", "orange", "green", "red", "blue", "yellow"];
const HALVES: [&str; 3] = ["u", "r", "f"];
/// The number of turns after which the game ends; every scramble can be solved in as many.
const LIMIT: u8 = 14;
/// The stickers at the start, face by face, as numbers of colours.
const SCRAMBLE: [u8; STICKERS] =
    [0, 3, 4, 1, 4, 1, 1, 1, 0, 2, 2, 3, 0, 0, 4, 3, 2, 3, 5, 4, 5, 5, 5, 2];

/// The rules. Move `2h` turns half `h` clockwise, move `2h + 1` counter-clockwise.
#[derive(Clone, Copy, Debug)]
pub struct PocketCube;

/// The stickers, three bits each, and the number of turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stickers {
    /// The first half of the stickers.
    first: u64,
    /// The second half.
    second: u64,
    turns: u8,
}

magister_core::pack_struct!(Stickers { first: u64, second: u64, turns: u8 });

/// A place of a sticker: its position and the direction that it faces.
type Place = [[i32; 3]; 2];

/// The place of a sticker. To the right is `x`, up is `y`, to the front is `z`.
const fn place(sticker: usize) -> Place {
    let (row, column) = ((sticker % FACE) as i32 / SIDE, (sticker % FACE) as i32 % SIDE);
    let (row, column) = (2 * row - (SIDE - 1), 2 * column - (SIDE - 1));
    let edge = SIDE - 1;
    match sticker / FACE {
        0 => [[column, edge, row], [0, 1, 0]],
        1 => [[-edge, -row, column], [-1, 0, 0]],
        2 => [[column, -row, edge], [0, 0, 1]],
        3 => [[edge, -row, -column], [1, 0, 0]],
        4 => [[-column, -row, -edge], [0, 0, -1]],
        _ => [[column, -edge, -row], [0, -1, 0]],
    }
}

/// A vector after a clockwise quarter turn of a half.
const fn turned(half: usize, [x, y, z]: [i32; 3]) -> [i32; 3] {
    match half {
        0 => [-z, y, x],
        1 => [x, z, -y],
        _ => [y, -x, z],
    }
}

const fn same(a: Place, b: Place) -> bool {
    let mut axis = 0;
    while axis < 3 {
        if a[0][axis] != b[0][axis] || a[1][axis] != b[1][axis] {
            return false;
        }
        axis += 1;
    }
    true
}

/// For each half and each place, the place from which a clockwise turn brings its sticker.
const SOURCES: [[u8; STICKERS]; 3] = {
    let mut sources = [[0; STICKERS]; 3];
    let mut half = 0;
    while half < 3 {
        let axis = [1, 0, 2][half];
        let mut from = 0;
        while from < STICKERS {
            let old = place(from);
            let mut to = from;
            if old[0][axis] == SIDE - 1 {
                let new = [turned(half, old[0]), turned(half, old[1])];
                to = 0;
                while !same(place(to), new) {
                    to += 1;
                }
            }
            sources[half][to] = from as u8;
            from += 1;
        }
        half += 1;
    }
    sources
};

impl Stickers {
    fn of(colours: &[u8; STICKERS], turns: u8) -> Self {
        let pack = |part: &[u8]| part.iter().rev().fold(0, |all, &one| all << 3 | u64::from(one));
        let (first, second) = colours.split_at(STICKERS / 2);
        Stickers { first: pack(first), second: pack(second), turns }
    }

    fn colours(&self) -> [u8; STICKERS] {
        let half = STICKERS / 2;
        std::array::from_fn(|sticker| {
            let word = if sticker < half { self.first } else { self.second };
            (word >> (3 * (sticker % half)) & 7) as u8
        })
    }

    fn turn(&mut self, choice: u32) {
        let old = self.colours();
        let sources = &SOURCES[choice as usize / 2 % 3];
        let mut new = old;
        for (to, &from) in sources.iter().enumerate() {
            if choice.is_multiple_of(2) {
                new[to] = old[usize::from(from)];
            } else {
                new[usize::from(from)] = old[to];
            }
        }
        *self = Stickers::of(&new, self.turns + 1);
    }

    fn solved(&self) -> bool {
        self.colours().chunks_exact(FACE).all(|face| face.iter().all(|one| *one == face[0]))
    }
}

impl Rules for PocketCube {
    type State = Stickers;

    fn info(&self) -> Info {
        let mut info = Info::new("rubik-2x2x2", &["player"], "rubik-2x2x2 1");
        (info.moves, info.max_length) = (Some(6), Some(u32::from(LIMIT)));
        info
    }

    fn initial(&self) -> Stickers {
        Stickers::of(&SCRAMBLE, 0)
    }

    fn terminal(&self, state: &Stickers) -> bool {
        state.turns >= LIMIT || state.solved()
    }

    fn legal(&self, _state: &Stickers, _role: Role, out: &mut Vec<Move>) {
        out.extend((0..6).map(Move));
    }

    fn step(&self, state: &mut Stickers, joint: &[Move], _out: &mut Step) {
        state.turn(joint[0].0);
    }

    fn reward(&self, state: &Stickers, _role: Role) -> f64 {
        if state.solved() { 100.0 } else { 0.0 }
    }

    fn valid(&self, state: &Stickers) -> bool {
        let high = 3 * STICKERS / 2;
        state.turns <= LIMIT
            && state.first >> high == 0
            && state.second >> high == 0
            && state.colours().iter().all(|&colour| colour < 6)
    }

    fn move_text(&self, choice: Move) -> String {
        let half = HALVES[choice.index() / 2 % 3];
        let way = if choice.0.is_multiple_of(2) { "clockwise" } else { "counter" };
        format!("({way} {half})")
    }

    fn state_text(&self, state: &Stickers) -> String {
        let mut terms: Vec<String> = state
            .colours()
            .iter()
            .enumerate()
            .map(|(sticker, &colour)| {
                let (face, number) = (FACES[sticker / FACE], sticker % FACE + 1);
                format!("(sticker {face}{number} {})", COLOURS[usize::from(colour)])
            })
            .collect();
        terms.push(format!("(step {})", state.turns));
        text::list(terms)
    }

    fn parse_state(&self, text: &str) -> Option<Stickers> {
        let (mut colours, mut turns) = ([0; STICKERS], 0);
        for term in text::terms(text)? {
            match term[..] {
                ["sticker", place, colour] => {
                    let (face, number) = place.split_at_checked(1)?;
                    let face = FACES.iter().position(|&one| one == face)?;
                    let number: usize = number.parse().ok().filter(|n| (1..=FACE).contains(n))?;
                    let colour = COLOURS.iter().position(|&one| one == colour)?;
                    colours[face * FACE + number - 1] = colour as u8;
                }
                ["step", number] => turns = number.parse().ok()?,
                _ => return None,
            }
        }
        Some(Stickers::of(&colours, turns)).filter(|state| self.state_text(state) == text)
    }

    /// The colour of each sticker, and the number of turns.
    fn tensors(&self) -> Option<Tensors> {
        let stickers = Tensor::new("stickers", Element::Bit, &[STICKERS, 6]);
        let turns = Tensor::new("turns", Element::Bit, &[usize::from(LIMIT) + 1]);
        Some(Tensors::new([stickers, turns]))
    }

    fn write_tensors(&self, state: &Stickers, out: &mut [f32]) {
        for (sticker, &colour) in state.colours().iter().enumerate() {
            out[6 * sticker + usize::from(colour)] = 1.0;
        }
        out[6 * STICKERS + usize::from(state.turns)] = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn four_quarter_turns_change_nothing() {
        for choice in 0..6 {
            let mut state = PocketCube.initial();
            (0..4).for_each(|_| state.turn(choice));
            assert_eq!(state.colours(), SCRAMBLE);
            state.turn(choice);
            state.turn(choice ^ 1);
            assert_eq!(state.colours(), SCRAMBLE);
        }
    }

    /// The known numbers of positions at each distance from the solved cube, in quarter turns.
    #[test]
    fn positions_at_each_distance_from_the_solved_cube() {
        let solved = Stickers::of(&std::array::from_fn(|sticker| (sticker / FACE) as u8), 0);
        assert!(solved.solved());
        let mut seen = BTreeSet::from([(solved.first, solved.second)]);
        let mut level = vec![solved];
        for expected in [6, 27, 120, 534, 2256, 8969] {
            let mut next = Vec::new();
            for state in &level {
                for choice in 0..6 {
                    let mut after = *state;
                    after.turn(choice);
                    after.turns = 0;
                    if seen.insert((after.first, after.second)) {
                        next.push(after);
                    }
                }
            }
            assert_eq!(next.len(), expected);
            level = next;
        }
    }
}
