//! Rubik's cube of three by three by three.
//!
//! The turns are computed from the geometry of the cube.

use magister_core::text;
use magister_core::{Element, Info, Move, Role, Rules, Step, Tensor, Tensors};

const SIDE: i32 = 3;
/// The number of stickers of a face, and of all faces.
const FACE: usize = 9;
const STICKERS: usize = 54;
const FACES: [&str; 6] = ["u", "l", "f", "r", "b", "d"];
const COLOURS: [&str; 6] = ["white", "orange", "green", "red", "blue", "yellow"];
/// The number of turns after which the game ends; every scramble can be solved in as many.
const LIMIT: u8 = 26;
/// The stickers at the start, face by face, as numbers of colours: twelve turns from the solved cube.
const SCRAMBLE: [u8; STICKERS] = [
    5, 5, 0, 2, 0, 0, 4, 4, 2, 4, 1, 0, 4, 1, 1, 5, 5, 5, 3, 0, 3, 4, 2, 2, 2, 2, 0, 0, 3, 4, 5, 3,
    5, 2, 2, 2, 1, 1, 1, 4, 4, 3, 5, 1, 4, 3, 3, 1, 3, 5, 0, 3, 0, 1,
];

/// The number of stickers that a turn moves: eight of the face and twelve around it.
const MOVED: usize = 20;

/// The rules. Move `2f` turns face `f` clockwise, move `2f + 1` counter-clockwise.
#[derive(Clone, Copy, Debug)]
pub struct RubiksCube;

/// The colours of the stickers and the number of turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facelets {
    stickers: [u8; STICKERS],
    turns: u8,
}

magister_core::pack_struct!(Facelets { stickers: [u8; STICKERS], turns: u8 });

/// A place of a sticker: its position and the direction that it faces.
type Place = [[i32; 3]; 2];

/// The place of a sticker. To the right is `x`, up is `y`, to the front is `z`.
const fn place(sticker: usize) -> Place {
    let (row, column) = ((sticker % FACE) as i32 / SIDE - 1, (sticker % FACE) as i32 % SIDE - 1);
    match sticker / FACE {
        0 => [[column, 1, row], [0, 1, 0]],
        1 => [[-1, -row, column], [-1, 0, 0]],
        2 => [[column, -row, 1], [0, 0, 1]],
        3 => [[1, -row, -column], [1, 0, 0]],
        4 => [[-column, -row, -1], [0, 0, -1]],
        _ => [[column, -1, -row], [0, -1, 0]],
    }
}

/// A vector after a clockwise quarter turn of a face, as seen from outside.
const fn turned(face: usize, [x, y, z]: [i32; 3]) -> [i32; 3] {
    match face {
        0 => [-z, y, x],
        1 => [x, -z, y],
        2 => [y, -x, z],
        3 => [x, z, -y],
        4 => [-y, x, z],
        _ => [z, y, -x],
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

/// For each face, the stickers that a clockwise turn moves: from which place to which.
const TURNS: [[(u8, u8); MOVED]; 6] = {
    let mut turns = [[(0, 0); MOVED]; 6];
    let mut face = 0;
    while face < 6 {
        // The sticker in the middle faces in the direction of the face.
        let direction = place(face * FACE + 4)[1];
        let (mut from, mut count) = (0, 0);
        while from < STICKERS {
            let old = place(from);
            let layer =
                old[0][0] * direction[0] + old[0][1] * direction[1] + old[0][2] * direction[2];
            if layer == 1 {
                let new = [turned(face, old[0]), turned(face, old[1])];
                let mut to = 0;
                while !same(place(to), new) {
                    to += 1;
                }
                if to != from {
                    turns[face][count] = (from as u8, to as u8);
                    count += 1;
                }
            }
            from += 1;
        }
        face += 1;
    }
    turns
};

impl Facelets {
    fn turn(&mut self, choice: u32) {
        let old = self.stickers;
        let moved = &TURNS[choice as usize / 2 % 6];
        for &(from, to) in moved {
            let (from, to) = (usize::from(from), usize::from(to));
            if choice.is_multiple_of(2) {
                self.stickers[to] = old[from];
            } else {
                self.stickers[from] = old[to];
            }
        }
        self.turns += 1;
    }

    fn solved(&self) -> bool {
        self.stickers.chunks_exact(FACE).all(|face| face.iter().all(|one| *one == face[0]))
    }
}

impl Rules for RubiksCube {
    type State = Facelets;

    fn info(&self) -> Info {
        let mut info = Info::new("rubik-3x3x3", &["player"], "rubik-3x3x3 1");
        (info.moves, info.max_length) = (Some(12), Some(u32::from(LIMIT)));
        info
    }

    fn initial(&self) -> Facelets {
        Facelets { stickers: SCRAMBLE, turns: 0 }
    }

    fn terminal(&self, state: &Facelets) -> bool {
        state.turns >= LIMIT || state.solved()
    }

    fn legal(&self, _state: &Facelets, _role: Role, out: &mut Vec<Move>) {
        out.extend((0..12).map(Move));
    }

    fn step(&self, state: &mut Facelets, joint: &[Move], _out: &mut Step) {
        state.turn(joint[0].0);
    }

    fn reward(&self, state: &Facelets, _role: Role) -> f64 {
        if state.solved() { 100.0 } else { 0.0 }
    }

    fn valid(&self, state: &Facelets) -> bool {
        // Every colour has nine stickers, and those in the middle never move.
        let mut counts = [0; 6];
        for &colour in &state.stickers {
            let Some(count) = counts.get_mut(usize::from(colour)) else { return false };
            *count += 1;
        }
        state.turns <= LIMIT
            && counts == [FACE; 6]
            && (0..6).all(|face| state.stickers[face * FACE + 4] == face as u8)
    }

    fn move_text(&self, choice: Move) -> String {
        let face = FACES[choice.index() / 2 % 6];
        let way = if choice.0.is_multiple_of(2) { "clockwise" } else { "counter" };
        format!("({way} {face})")
    }

    fn state_text(&self, state: &Facelets) -> String {
        let mut terms: Vec<String> = state
            .stickers
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

    fn parse_state(&self, text: &str) -> Option<Facelets> {
        let mut state = Facelets { stickers: [0; STICKERS], turns: 0 };
        for term in text::terms(text)? {
            match term[..] {
                ["sticker", place, colour] => {
                    let (face, number) = place.split_at_checked(1)?;
                    let face = FACES.iter().position(|&one| one == face)?;
                    let number: usize = number.parse().ok().filter(|n| (1..=FACE).contains(n))?;
                    let colour = COLOURS.iter().position(|&one| one == colour)?;
                    state.stickers[face * FACE + number - 1] = colour as u8;
                }
                ["step", number] => state.turns = number.parse().ok()?,
                _ => return None,
            }
        }
        Some(state).filter(|state| self.state_text(state) == text)
    }

    /// The colour of each sticker, and the number of turns.
    fn tensors(&self) -> Option<Tensors> {
        let stickers = Tensor::new("stickers", Element::Bit, &[STICKERS, 6]);
        let turns = Tensor::new("turns", Element::Bit, &[usize::from(LIMIT) + 1]);
        Some(Tensors::new([stickers, turns]))
    }

    fn write_tensors(&self, state: &Facelets, out: &mut [f32]) {
        for (sticker, &colour) in state.stickers.iter().enumerate() {
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
        for choice in 0..12 {
            let mut state = RubiksCube.initial();
            (0..4).for_each(|_| state.turn(choice));
            assert_eq!(state.stickers, SCRAMBLE);
            state.turn(choice);
            state.turn(choice ^ 1);
            assert_eq!(state.stickers, SCRAMBLE);
        }
    }

    /// The known numbers of positions at each distance from the solved cube, in quarter turns.
    #[test]
    fn positions_at_each_distance_from_the_solved_cube() {
        let solved =
            Facelets { stickers: std::array::from_fn(|sticker| (sticker / FACE) as u8), turns: 0 };
        assert!(solved.solved());
        let mut seen = BTreeSet::from([solved.stickers]);
        let mut level = vec![solved];
        for expected in [12, 114, 1068, 10_011] {
            let mut next = Vec::new();
            for state in &level {
                for choice in 0..12 {
                    let mut after = *state;
                    after.turn(choice);
                    if seen.insert(after.stickers) {
                        next.push(after);
                    }
                }
            }
            assert_eq!(next.len(), expected);
            level = next;
        }
    }
}
