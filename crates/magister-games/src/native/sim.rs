//! Sim: two players draw the lines between six points; the first player to complete a triangle
//! loses.

use magister_core::{Info, Move, Role, Rules, Step, text};

const PLAYERS: [&str; 2] = ["red", "blue"];
/// The lines, the lower point first.
const LINES: [(u32, u32); 15] = [
    (1, 2),
    (1, 3),
    (1, 4),
    (1, 5),
    (1, 6),
    (2, 3),
    (2, 4),
    (2, 5),
    (2, 6),
    (3, 4),
    (3, 5),
    (3, 6),
    (4, 5),
    (4, 6),
    (5, 6),
];

/// The rules; a state is the lines of red and those of blue, and move number `i` draws line `i`.
#[derive(Clone, Copy, Debug)]
pub struct Sim;

fn line(a: u32, b: u32) -> u16 {
    LINES.iter().position(|&one| one == (a, b)).map_or(0, |at| 1 << at)
}

fn triangle(lines: u16) -> bool {
    (1..=4).any(|a| {
        (a + 1..=5).any(|b| {
            (b + 1..=6).any(|c| {
                let three = line(a, b) | line(b, c) | line(a, c);
                lines & three == three
            })
        })
    })
}

fn turn(state: [u16; 2]) -> usize {
    (state[0] | state[1]).count_ones() as usize % 2
}

impl Rules for Sim {
    type State = [u16; 2];

    fn info(&self) -> Info {
        let mut info = Info::new("sim", &PLAYERS, "sim 1");
        (info.moves, info.max_length, info.constant_sum) = (Some(15), Some(15), Some(100.0));
        info
    }

    fn initial(&self) -> [u16; 2] {
        [0, 0]
    }

    fn terminal(&self, state: &[u16; 2]) -> bool {
        state.iter().any(|&lines| triangle(lines))
    }

    fn legal(&self, state: &[u16; 2], role: Role, out: &mut Vec<Move>) {
        if role.index() == turn(*state) {
            let drawn = state[0] | state[1];
            out.extend((0..15).filter(|line| drawn >> line & 1 == 0).map(Move));
        }
    }

    fn step(&self, state: &mut [u16; 2], joint: &[Move], _out: &mut Step) {
        let player = turn(*state);
        state[player] |= 1 << joint[player].0;
    }

    fn reward(&self, state: &[u16; 2], role: Role) -> f64 {
        if triangle(state[role.index()]) { 0.0 } else { 100.0 }
    }

    fn valid(&self, &[red, blue]: &[u16; 2]) -> bool {
        let lead = red.count_ones().wrapping_sub(blue.count_ones());
        let mine = (red | blue) < 1 << 15 && red & blue == 0;
        // Only the player that moved last can have a triangle.
        mine && (lead == 0 && !triangle(red) || lead == 1 && !triangle(blue))
    }

    fn move_text(&self, choice: Move) -> String {
        let (a, b) = LINES[choice.index() % LINES.len()];
        format!("(draw {a} {b})")
    }

    fn state_text(&self, state: &[u16; 2]) -> String {
        let mut terms = Vec::new();
        for (number, (a, b)) in LINES.iter().enumerate() {
            if let Some(player) = (0..2).find(|&player| state[player] >> number & 1 == 1) {
                terms.push(format!("(line {a} {b} {})", PLAYERS[player]));
            }
        }
        terms.push(format!("(control {})", PLAYERS[turn(*state)]));
        text::list(terms)
    }

    fn parse_state(&self, text: &str) -> Option<[u16; 2]> {
        let mut state = [0, 0];
        for term in text::terms(text)? {
            if let ["line", a, b, name] = term[..] {
                let player = PLAYERS.iter().position(|&player| player == name)?;
                state[player] |= line(a.parse().ok()?, b.parse().ok()?);
            }
        }
        Some(state).filter(|state| self.state_text(state) == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_lines_between_three_points_lose() {
        assert!(triangle(line(1, 2) | line(2, 5) | line(1, 5)));
        assert!(!triangle(line(1, 2) | line(2, 5) | line(1, 6)));
        assert!(!triangle(0) && triangle(0x7fff));
    }
}
