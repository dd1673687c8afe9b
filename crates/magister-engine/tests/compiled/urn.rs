//! An urn: hidden draws with weights that depend on the state, hidden information, simultaneous
//! moves, and fractional rewards.

use magister_core::text::{list, terms};
use magister_core::{Info, Information, Move, Native, Payment, Percept, Role, Rules, Step};
use magister_engine::compiled::{Compiled, CompiledBuilder, FluentId, Wire};

use crate::twins::assert_twins;

const NAMES: [&str; 3] = ["chance", "left", "right"];
const CHANCE: Role = Role(0);
/// Two balls are drawn in secret, one after the other. Then both players guess whether they have
/// the same colour. There are four rounds, and the balls left in the urn determine the weights.
const BALLS: [u8; 2] = [5, 3];
const ROUNDS: u8 = 3;

struct Urn {
    silent: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Balls {
    left: [u8; 2],
    /// The colours drawn in this round; 2 means none.
    drawn: [u8; 2],
    round: u8,
}

magister_core::pack_struct!(Balls { left: [u8; 2], drawn: [u8; 2], round: u8 });

impl Balls {
    fn drawing(self) -> bool {
        self.drawn[1] == 2
    }
}

/// Moves: red, black, same, different.
impl Rules for Urn {
    type State = Balls;

    fn info(&self) -> Info {
        Info {
            chance: Some(CHANCE),
            moves: Some(4),
            rewards: (-100.0, 100.0),
            payment: Payment::OnTheWay,
            information: Information::Hidden,
            ..Info::new("urn", &NAMES, "urn 1")
        }
    }

    fn initial(&self) -> Balls {
        Balls { left: BALLS, drawn: [2; 2], round: 0 }
    }

    fn terminal(&self, state: &Balls) -> bool {
        state.round == ROUNDS
    }

    fn legal(&self, state: &Balls, role: Role, out: &mut Vec<Move>) {
        if role == CHANCE && state.drawing() {
            out.extend((0..2).filter(|&colour| state.left[colour] > 0).map(|c| Move(c as u32)));
        } else if role != CHANCE && !state.drawing() {
            out.extend([Move(2), Move(3)]);
        }
    }

    fn weights(&self, state: &Balls, out: &mut Vec<u32>) {
        out.extend(state.left.iter().filter(|&&left| left > 0).map(|&left| u32::from(left)));
    }

    fn silent(&self, state: &Balls) -> bool {
        self.silent && state.drawing()
    }

    fn step(&self, state: &mut Balls, joint: &[Move], out: &mut Step) {
        if state.drawing() {
            let colour = joint[0].index();
            state.left[colour] -= 1;
            let place = usize::from(state.drawn[0] != 2);
            state.drawn[place] = colour as u8;
            return;
        }
        let same = state.drawn[0] == state.drawn[1];
        for role in [1, 2] {
            let right = (joint[role] == Move(2)) == same;
            out.gains[role] = if right { 0.7 } else { -0.1 };
            // A player that guesses "same" sees the first ball.
            if joint[role] == Move(2) {
                out.percepts.insert(Role(role as u8), Percept(u32::from(state.drawn[0])));
            }
        }
        if same {
            out.gains[1] += 0.3;
        }
        state.drawn = [2; 2];
        state.round += 1;
    }

    fn reward(&self, _state: &Balls, _role: Role) -> f64 {
        0.0
    }

    fn move_text(&self, choice: Move) -> String {
        ["red", "black", "same", "different"][choice.index()].to_owned()
    }

    fn percepts(&self) -> u32 {
        2
    }

    fn percept_text(&self, percept: Percept) -> String {
        ["saw-red", "saw-black"][percept.0 as usize].to_owned()
    }

    fn state_text(&self, state: &Balls) -> String {
        let mut all = Vec::new();
        for (colour, left) in state.left.iter().enumerate() {
            let digit = |&digit: &usize| left >> digit & 1 == 1;
            all.extend((0..3).filter(digit).map(|digit| format!("(left {colour} {digit})")));
        }
        for (place, &colour) in state.drawn.iter().enumerate().filter(|(_, c)| **c < 2) {
            all.push(format!("(drawn {place} {colour})"));
        }
        all.push(format!("(round {})", state.round));
        list(all)
    }

    fn parse_state(&self, text: &str) -> Option<Balls> {
        let mut state = Balls { left: [0; 2], drawn: [2; 2], round: 0 };
        for term in terms(text)? {
            let numbers: Vec<u8> = term[1..].iter().filter_map(|n| n.parse().ok()).collect();
            match (term[0], &numbers[..]) {
                ("left", [colour @ 0..2, digit @ 0..3]) => {
                    state.left[usize::from(*colour)] |= 1 << digit;
                }
                ("drawn", [place @ 0..2, colour]) => state.drawn[usize::from(*place)] = *colour,
                ("round", [round]) => state.round = *round,
                _ => return None,
            }
        }
        Some(state)
    }

    fn valid(&self, state: &Balls) -> bool {
        let gone = 2 * state.round + u8::from(state.drawn[0] < 2) + u8::from(state.drawn[1] < 2);
        state.round <= ROUNDS
            && (0..2).all(|colour| state.left[colour] <= BALLS[colour])
            && state.left[0] + state.left[1] + gone == BALLS[0] + BALLS[1]
            && state.drawn.iter().all(|&colour| colour <= 2)
            && (state.drawn[0] < 2 || state.drawn[1] == 2)
            && (state.round < ROUNDS || state.drawn == [2; 2])
    }
}

fn build(silent: bool) -> Compiled {
    let mut game = CompiledBuilder::new("urn", &NAMES, "urn 1");
    game.info_mut().rewards = (-100.0, 100.0);
    game.chance(CHANCE);
    // Binary counters, for weights that are numbers.
    let mut left: Vec<Vec<FluentId>> = Vec::new();
    for (colour, &balls) in BALLS.iter().enumerate() {
        let digit = |digit: usize| (format!("(left {colour} {digit})"), balls >> digit & 1 == 1);
        left.push((0..3).map(digit).map(|(text, first)| game.fluent(&text, first)).collect());
    }
    let drawn: Vec<Vec<FluentId>> = (0..2)
        .map(|place| {
            let one = |colour| game.fluent(&format!("(drawn {place} {colour})"), false);
            (0..2).map(one).collect()
        })
        .collect();
    let rounds: Vec<FluentId> =
        (0..=ROUNDS).map(|n| game.fluent(&format!("(round {n})"), n == 0)).collect();
    game.exclusive(&rounds);
    drawn.iter().for_each(|colours| game.exclusive(colours));
    let wires = |game: &CompiledBuilder, list: &[Vec<FluentId>]| -> Vec<Vec<Wire>> {
        list.iter().map(|row| row.iter().map(|&fluent| game.holds(fluent)).collect()).collect()
    };
    let (count, colours) = (wires(&game, &left), wires(&game, &drawn));
    let [first, second] = [0, 1].map(|place: usize| game.or(colours[place].clone()));
    let round: Vec<Wire> = rounds.iter().map(|&fluent| game.holds(fluent)).collect();
    let drawing = !second;

    for (colour, text) in ["red", "black"].into_iter().enumerate() {
        let draw = game.add_move(CHANCE, text);
        let some = game.or(count[colour].iter().copied());
        let legal = game.and([drawing, some]);
        game.legal(draw, legal);
        for (digit, &wire) in count[colour].iter().enumerate() {
            game.weight(draw, 1 << digit, wire);
        }
        // Decrement: a digit changes if all digits below it are zero.
        let does = game.does(draw);
        let mut borrow = does;
        for (digit, &wire) in count[colour].iter().enumerate() {
            let next = game.xor(wire, borrow);
            game.next(left[colour][digit], next);
            borrow = game.and([borrow, !wire]);
        }
        let goes_first = game.and([does, !first]);
        let stays = game.and([colours[0][colour], drawing]);
        let next = game.or([goes_first, stays]);
        game.next(drawn[0][colour], next);
        let goes_second = game.and([does, first]);
        game.next(drawn[1][colour], goes_second);
    }
    let ways: Vec<Wire> =
        (0..2).map(|colour| game.and([colours[0][colour], colours[1][colour]])).collect();
    let same = game.or(ways);
    for role in [Role(1), Role(2)] {
        let [yes, no] = ["same", "different"].map(|text| {
            let choice = game.add_move(role, text);
            game.legal(choice, second);
            choice
        });
        let (yes, no) = (game.does(yes), game.does(no));
        let (right, other) = (game.and([yes, same]), game.and([no, !same]));
        let right = game.or([right, other]);
        let (wrong, other) = (game.and([yes, !same]), game.and([no, same]));
        let wrong = game.or([wrong, other]);
        let guessed = game.or([yes, no]);
        let extra = game.and([guessed, same]);
        if role == Role(1) {
            game.gain(role, 0.3, extra);
        }
        game.gain(role, 0.7, right);
        game.gain(role, -0.1, wrong);
        for (colour, text) in ["saw-red", "saw-black"].into_iter().enumerate() {
            let sees = game.and([yes, colours[0][colour]]);
            game.percept(role, text, sees);
        }
    }
    for (number, &fluent) in rounds.iter().enumerate() {
        let stays = game.and([round[number], drawing]);
        let comes = match number.checked_sub(1) {
            Some(before) => game.and([round[before], second]),
            None => Wire::FALSE,
        };
        let next = game.or([stays, comes]);
        game.next(fluent, next);
    }
    game.terminal(round[usize::from(ROUNDS)]);
    if silent {
        game.silent(drawing);
    }
    game.build().unwrap()
}

#[test]
fn compiled_urn_equals_plain_urn() {
    for silent in [true, false] {
        assert_twins(&Native::new(Urn { silent }), build(silent), 60);
    }
}
