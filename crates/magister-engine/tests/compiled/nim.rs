//! Nim with two heaps: no chance, rewards at the end.

use magister_core::text::{list, terms};
use magister_core::{Info, Move, Native, Role, Rules, Step};
use magister_engine::compiled::{Compiled, CompiledBuilder, Wire};

use crate::twins::assert_twins;

const SIZES: [usize; 2] = [3, 4];
const PLAYERS: [&str; 2] = ["first", "second"];

/// The same game in plain Rust. Moves are numbered heap by heap.
struct Nim;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Heaps {
    left: [u8; 2],
    turn: u8,
}

magister_core::pack_struct!(Heaps { left: [u8; 2], turn: u8 });

fn taken(choice: Move) -> (usize, u8) {
    match choice.index().checked_sub(SIZES[0]) {
        None => (0, choice.0 as u8 + 1),
        Some(rest) => (1, rest as u8 + 1),
    }
}

impl Rules for Nim {
    type State = Heaps;

    fn info(&self) -> Info {
        Info { moves: Some(7), ..Info::new("nim", &PLAYERS, "nim 1") }
    }

    fn initial(&self) -> Heaps {
        Heaps { left: SIZES.map(|size| size as u8), turn: 0 }
    }

    fn terminal(&self, state: &Heaps) -> bool {
        state.left == [0, 0]
    }

    fn legal(&self, state: &Heaps, role: Role, out: &mut Vec<Move>) {
        if role.0 == state.turn {
            let can = |&choice: &Move| state.left[taken(choice).0] >= taken(choice).1;
            out.extend((0..7).map(Move).filter(can));
        }
    }

    fn step(&self, state: &mut Heaps, joint: &[Move], _out: &mut Step) {
        let (heap, number) = taken(joint[usize::from(state.turn)]);
        state.left[heap] -= number;
        state.turn = 1 - state.turn;
    }

    fn reward(&self, state: &Heaps, role: Role) -> f64 {
        if role.0 == state.turn { 0.0 } else { 100.0 }
    }

    fn move_text(&self, choice: Move) -> String {
        let (heap, number) = taken(choice);
        format!("(take {heap} {number})")
    }

    fn state_text(&self, state: &Heaps) -> String {
        let heap = |heap: usize| format!("(heap {heap} {})", state.left[heap]);
        list([heap(0), heap(1), format!("(control {})", PLAYERS[usize::from(state.turn)])])
    }

    fn parse_state(&self, text: &str) -> Option<Heaps> {
        let mut state = Heaps { left: [0; 2], turn: 0 };
        for term in terms(text)? {
            match term[..] {
                ["heap", heap, left] => {
                    *state.left.get_mut(heap.parse::<usize>().ok()?)? = left.parse().ok()?;
                }
                ["control", turn] => {
                    state.turn = PLAYERS.iter().position(|&name| name == turn)? as u8;
                }
                _ => return None,
            }
        }
        Some(state)
    }

    fn valid(&self, state: &Heaps) -> bool {
        state.turn < 2 && (0..2).all(|heap| usize::from(state.left[heap]) <= SIZES[heap])
    }
}

pub(crate) fn build(hints: bool) -> Compiled {
    let mut game = CompiledBuilder::new("nim", &PLAYERS, "nim 1");
    let mut heaps = Vec::new();
    for (heap, &size) in SIZES.iter().enumerate() {
        let left: Vec<_> =
            (0..=size).map(|n| game.fluent(&format!("(heap {heap} {n})"), n == size)).collect();
        heaps.push(left);
    }
    let control = PLAYERS.map(|name| game.fluent(&format!("(control {name})"), name == "first"));
    if hints {
        heaps.iter().for_each(|left| game.exclusive(left));
        game.exclusive(&control);
    }
    let turn = control.map(|fluent| game.holds(fluent));
    let held: Vec<Vec<Wire>> =
        heaps.iter().map(|left| left.iter().map(|&fluent| game.holds(fluent)).collect()).collect();
    // For each heap and number of stones, whether either player takes this number from this heap.
    let mut taken: Vec<Vec<Wire>> = SIZES.iter().map(|&size| vec![Wire::FALSE; size + 1]).collect();
    for role in 0..2 {
        for (heap, &size) in SIZES.iter().enumerate() {
            for number in 1..=size {
                let choice = game.add_move(Role(role as u8), &format!("(take {heap} {number})"));
                let enough = game.or(held[heap][number..].iter().copied());
                let legal = game.and([turn[role], enough]);
                game.legal(choice, legal);
                let done = game.does(choice);
                taken[heap][number] = game.or([taken[heap][number], done]);
            }
        }
        game.goal(Role(role as u8), 0.0, turn[role]);
        game.goal(Role(role as u8), 100.0, turn[1 - role]);
    }
    for (heap, &size) in SIZES.iter().enumerate() {
        let untouched = game.or(taken[heap].iter().copied());
        for after in 0..=size {
            let mut ways = vec![game.and([held[heap][after], !untouched])];
            for before in after + 1..=size {
                ways.push(game.and([held[heap][before], taken[heap][before - after]]));
            }
            let next = game.or(ways);
            game.next(heaps[heap][after], next);
        }
    }
    game.next(control[0], turn[1]);
    game.next(control[1], turn[0]);
    let over = game.and([held[0][0], held[1][0]]);
    game.terminal(over);
    game.build().unwrap()
}

#[test]
fn compiled_nim_equals_plain_nim() {
    for hints in [true, false] {
        assert_twins(&Native::new(Nim), build(hints), 50);
    }
}

#[test]
fn hints_are_proven() {
    let network = build(true).network().clone();
    assert_eq!(network.invariants.groups.len(), 3);
    assert!(network.invariants.groups.iter().all(|group| group.exact));
    assert_eq!(network.per_player.len(), 2, "the players take turns");
    let plain = build(false).network().clone();
    assert!(plain.invariants.groups.is_empty());
    let step = |network: &magister_engine::network::Network| {
        let gates = network.gates();
        gates.legal + gates.next
    };
    assert!(step(&network) < step(&plain), "{} gates", step(&network));
}

/// A wrong hint has no effect.
#[test]
fn wrong_hints_are_ignored() {
    let mut game = CompiledBuilder::new("lamps", &["you"], "lamps 1");
    let lamps = [game.fluent("one", true), game.fluent("two", false)];
    game.exclusive(&lamps);
    let [one, two] = lamps.map(|lamp| game.holds(lamp));
    let press = game.add_move(Role(0), "press");
    game.legal(press, Wire::TRUE);
    let done = game.does(press);
    let lit = game.or([two, done]);
    game.next(lamps[0], one);
    game.next(lamps[1], lit);
    let both = game.and([one, two]);
    game.terminal(both);
    game.goal(Role(0), 1.0, Wire::TRUE);
    let compiled = game.build().unwrap();
    assert!(compiled.network().invariants.groups.iter().all(|group| group.members.len() == 1));
    assert_ne!(compiled.network().terminal, magister_engine::network::Edge::FALSE);
}
