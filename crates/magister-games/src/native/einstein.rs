//! A die names the stone that must move, and the first stone in the opposite corner wins.

use magister_core::text;
use magister_core::{Info, Information, Move, Percept, Role, Rules, Step};

const PLAYERS: [&str; 2] = ["red", "blue"];
/// The die is chance.
const DIE: Role = Role(2);
const SIDE: u8 = 5;
const STONES: usize = 6;
const WAYS: [&str; 3] = ["across", "along", "diagonal"];
/// The first move that moves a stone, after those that roll the die.
const MOVES: u32 = 6;
/// The place of a captured stone.
const CAPTURED: u8 = SIDE * SIDE;

/// The places of the stones of red, from 1 to 6; blue begins in the opposite places.
const BEGIN: [u8; STONES] =
    [place(1, 5), place(2, 5), place(3, 5), place(1, 4), place(2, 4), place(1, 3)];

/// A place by its column and its row, both from 1.
const fn place(column: u8, row: u8) -> u8 {
    (row - 1) * SIDE + column - 1
}

/// The rules. Moves 0 to 5 roll the die, and move `6 + 3s + w` moves stone `s` in way `w`.
#[derive(Clone, Copy, Debug)]
pub struct Einstein;

/// The places of all stones, row by row from the bottom; the player to move; and the die, or 0
/// before it is rolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    stones: [[u8; STONES]; 2],
    turn: u8,
    die: u8,
}

magister_core::pack_struct!(Race { stones: [[u8; STONES]; 2], turn: u8, die: u8 });

/// The place after a step of a player; `None` outside the board.
fn step(player: usize, from: u8, way: u32) -> Option<u8> {
    let (column, row) = (from % SIDE, from / SIDE);
    let (right, down) = [(1, 0), (0, 1), (1, 1)][way as usize % 3];
    let inside = |at: u8| (at < SIDE).then_some(at);
    // Below 0, a number wraps around and is outside, too.
    let (column, row) = if player == 0 {
        (column + right, row.wrapping_sub(down))
    } else {
        (column.wrapping_sub(right), row + down)
    };
    Some(inside(row)? * SIDE + inside(column)?)
}

impl Race {
    fn alive(&self, player: usize, stone: usize) -> bool {
        self.stones[player][stone] != CAPTURED
    }

    /// The stones that the die allows to move.
    fn movable(&self, player: usize) -> impl Iterator<Item = usize> + use<> {
        let die = usize::from(self.die).saturating_sub(1);
        let found = if self.die == 0 {
            [None, None]
        } else if self.alive(player, die) {
            [Some(die), None]
        } else {
            let lower = (0..die).rev().find(|&stone| self.alive(player, stone));
            [lower, (die + 1..STONES).find(|&stone| self.alive(player, stone))]
        };
        found.into_iter().flatten()
    }

    fn wins(&self, player: usize) -> bool {
        let corner = if player == 0 { place(5, 1) } else { place(1, 5) };
        self.stones[player].contains(&corner) || self.stones[1 - player] == [CAPTURED; STONES]
    }
}

impl Rules for Einstein {
    type State = Race;

    fn info(&self) -> Info {
        Info {
            chance: Some(DIE),
            moves: Some(MOVES + 18),
            constant_sum: Some(100.0),
            // Every move brings one stone closer to a corner that is at most eight cells away.
            max_length: Some(2 * 2 * 6 * 8),
            information: Information::Hidden,
            ..Info::new("einstein", &["red", "blue", "random"], "einstein 1")
        }
    }

    fn initial(&self) -> Race {
        Race { stones: [BEGIN, BEGIN.map(|at| SIDE * SIDE - 1 - at)], turn: 0, die: 0 }
    }

    fn terminal(&self, race: &Race) -> bool {
        (0..2).any(|player| race.wins(player))
    }

    fn legal(&self, race: &Race, role: Role, out: &mut Vec<Move>) {
        if role == DIE {
            if race.die == 0 {
                out.extend((0..MOVES).map(Move));
            }
        } else if role.index() == usize::from(race.turn) {
            for stone in race.movable(role.index()) {
                let from = race.stones[role.index()][stone];
                let ways = (0..3).filter(|&way| step(role.index(), from, way).is_some());
                out.extend(ways.map(|way| Move(MOVES + 3 * stone as u32 + way)));
            }
        }
    }

    /// Percepts 0 to 5 are the die; the moves of red and blue follow.
    fn step(&self, race: &mut Race, joint: &[Move], out: &mut Step) {
        let player = usize::from(race.turn);
        let seen = if race.die == 0 {
            let rolled = joint[DIE.index()].0;
            race.die = rolled as u8 + 1;
            rolled
        } else {
            let chosen = joint[player].0.wrapping_sub(MOVES);
            let stone = chosen as usize / 3 % STONES;
            if let Some(to) = step(player, race.stones[player][stone], chosen % 3) {
                for place in race.stones.as_flattened_mut() {
                    if *place == to {
                        *place = CAPTURED;
                    }
                }
                race.stones[player][stone] = to;
            }
            (race.turn, race.die) = (1 - race.turn, 0);
            MOVES + 18 * player as u32 + chosen
        };
        (0..2).for_each(|viewer| out.percepts.insert(Role(viewer), Percept(seen)));
    }

    fn reward(&self, race: &Race, role: Role) -> f64 {
        if race.wins(role.index()) { 100.0 } else { 0.0 }
    }

    fn valid(&self, race: &Race) -> bool {
        let mut seen = 0_u32;
        let places = race.stones.as_flattened().iter();
        let apart = places.filter(|&&place| place != CAPTURED).all(|&place| {
            let fresh = place < CAPTURED && seen >> place & 1 == 0;
            seen |= 1 << (place % 32);
            fresh
        });
        apart && race.turn < 2 && race.die <= 6 && !(race.wins(0) && race.wins(1))
    }

    fn move_text(&self, choice: Move) -> String {
        match choice.0.checked_sub(MOVES) {
            None => format!("(roll {})", choice.0 + 1),
            Some(chosen) => format!("(move {} {})", chosen / 3 % 6 + 1, WAYS[chosen as usize % 3]),
        }
    }

    fn percepts(&self) -> u32 {
        MOVES + 36
    }

    fn percept_text(&self, percept: Percept) -> String {
        match percept.0.checked_sub(MOVES) {
            None => format!("(roll {})", percept.0 + 1),
            Some(moved) => format!(
                "(moves {} {} {})",
                PLAYERS[moved as usize / 18 % 2],
                moved / 3 % 6 + 1,
                WAYS[moved as usize % 3]
            ),
        }
    }

    fn state_text(&self, race: &Race) -> String {
        let mut terms = Vec::new();
        for (player, stones) in PLAYERS.iter().zip(&race.stones) {
            for (stone, &at) in (1..).zip(stones) {
                if at != CAPTURED {
                    let (column, row) = (at % SIDE + 1, at / SIDE + 1);
                    terms.push(format!("(at {player} {stone} {column} {row})"));
                }
            }
        }
        terms.push(format!("(turn {})", PLAYERS[usize::from(race.turn)]));
        if race.die > 0 {
            terms.push(format!("(die {})", race.die));
        }
        text::list(terms)
    }

    fn parse_state(&self, text: &str) -> Option<Race> {
        let mut race = Race { stones: [[CAPTURED; STONES]; 2], turn: 0, die: 0 };
        let player = |name: &str| PLAYERS.iter().position(|&player| player == name);
        let number = |word: &str, most: u8| {
            word.parse::<u8>().ok().filter(|number| (1..=most).contains(number))
        };
        for term in text::terms(text)? {
            match term[..] {
                ["at", name, stone, column, row] => {
                    let stone = usize::from(number(stone, 6)?) - 1;
                    race.stones[player(name)?][stone] = place(number(column, 5)?, number(row, 5)?);
                }
                ["turn", name] => race.turn = player(name)? as u8,
                ["die", die] => race.die = number(die, 6)?,
                _ => return None,
            }
        }
        Some(race).filter(|race| self.state_text(race) == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_die_names_the_stone_or_its_neighbours() {
        let mut race = Einstein.initial();
        race.die = 3;
        assert_eq!(race.movable(0).collect::<Vec<_>>(), [2]);
        race.stones[0][2] = CAPTURED;
        assert_eq!(race.movable(0).collect::<Vec<_>>(), [1, 3]);
        (race.stones[0][3], race.stones[0][4], race.stones[0][5]) = (CAPTURED, CAPTURED, CAPTURED);
        assert_eq!(race.movable(0).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn stones_of_both_sides_are_captured() {
        let mut race = Einstein.initial();
        race.die = 1;
        // Red's first stone moves to the place of its fifth.
        let mut joint = [Move(MOVES + 2), Move::IDLE, Move::IDLE];
        let mut step = Step::new();
        step.clear(3);
        Einstein.step(&mut race, &joint, &mut step);
        assert_eq!((race.stones[0][0], race.stones[0][4]), (place(2, 4), CAPTURED));
        assert_eq!((race.turn, race.die), (1, 0));
        joint[DIE.index()] = Move(4);
        Einstein.step(&mut race, &joint, &mut step);
        assert_eq!((race.turn, race.die), (1, 5));
    }
}
