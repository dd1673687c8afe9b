//! Nim for two or three players.
//!
//! Players take turns; each takes one or more objects from one heap. The player who takes the last
//! object gets 100, and the next player, who has nothing to take, gets 0. With three players, the
//! third one gets 50: otherwise a player could decide in many positions which of the others wins,
//! and would be indifferent. With these rewards every player has a preference in every position.
//! The mean reward of the players is always 50.

use magister_core::text::{list, terms};
use magister_core::{Info, Move, Role, Rules, Step};

/// The maximum number of heaps, because states have a fixed size.
pub const MAX_HEAPS: usize = 6;

static PLAYERS: [&str; 3] = ["first", "second", "third"];

/// The rules, with the initial heaps.
#[derive(Clone, Debug)]
pub struct Nim {
    players: &'static [&'static str],
    heaps: [u8; MAX_HEAPS],
    count: usize,
}

/// The heaps, and the role to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heaps {
    left: [u8; MAX_HEAPS],
    turn: u8,
}

magister_core::pack_struct!(Heaps { left: [u8; MAX_HEAPS], turn: u8 });

impl Nim {
    /// Nim for two or three players with these heaps; `None` if there are more than
    /// [`MAX_HEAPS`], or another number of players.
    pub fn new(players: usize, sizes: &[u8]) -> Option<Self> {
        let players = PLAYERS.get(..players).filter(|players| players.len() > 1)?;
        let mut heaps = [0; MAX_HEAPS];
        heaps.get_mut(..sizes.len())?.copy_from_slice(sizes);
        Some(Nim { players, heaps, count: sizes.len() })
    }

    /// The heap and the number of objects of a move. Moves are numbered heap by heap.
    fn taken(&self, choice: Move) -> (usize, u8) {
        let mut rest = choice.0;
        for (heap, &size) in self.heaps.iter().enumerate() {
            match rest.checked_sub(u32::from(size)) {
                Some(less) => rest = less,
                None => return (heap, rest as u8 + 1),
            }
        }
        (0, 0)
    }
}

impl Rules for Nim {
    type State = Heaps;

    fn info(&self) -> Info {
        let sizes: Vec<String> = self.heaps[..self.count].iter().map(u8::to_string).collect();
        let name = format!("nim-{}", sizes.join("-"));
        let objects = self.heaps.iter().map(|&size| u32::from(size)).sum();
        Info {
            moves: Some(objects),
            max_length: Some(objects),
            constant_sum: Some(50.0 * self.players.len() as f64),
            ..Info::new(&name, self.players, &format!("{name} {} players 1", self.players.len()))
        }
    }

    fn initial(&self) -> Heaps {
        Heaps { left: self.heaps, turn: 0 }
    }

    fn terminal(&self, state: &Heaps) -> bool {
        state.left.iter().all(|&left| left == 0)
    }

    fn legal(&self, state: &Heaps, role: Role, out: &mut Vec<Move>) {
        if role.0 != state.turn {
            return;
        }
        let mut first = 0;
        for (&left, &size) in state.left.iter().zip(&self.heaps) {
            out.extend((first..first + u32::from(left)).map(Move));
            first += u32::from(size);
        }
    }

    fn step(&self, state: &mut Heaps, joint: &[Move], _out: &mut Step) {
        let (heap, number) = self.taken(joint[usize::from(state.turn)]);
        state.left[heap] -= number;
        state.turn = (state.turn + 1) % self.players.len() as u8;
    }

    /// In a terminal state, it is the turn of the player who has nothing to take.
    fn reward(&self, state: &Heaps, role: Role) -> f64 {
        let players = self.players.len() as u8;
        let rank = (role.0 + players - state.turn) % players;
        100.0 * f64::from(rank) / f64::from(players - 1)
    }

    fn valid(&self, state: &Heaps) -> bool {
        usize::from(state.turn) < self.players.len()
            && state.left.iter().zip(&self.heaps).all(|(left, size)| left <= size)
    }

    fn move_text(&self, choice: Move) -> String {
        let (heap, number) = self.taken(choice);
        format!("(take {} {number})", heap + 1)
    }

    fn state_text(&self, state: &Heaps) -> String {
        let control = format!("(control {})", PLAYERS[usize::from(state.turn)]);
        let heaps = state.left[..self.count].iter().enumerate();
        let heap = |(heap, left)| format!("(heap {} {left})", heap + 1);
        list([control].into_iter().chain(heaps.map(heap)))
    }

    fn parse_state(&self, text: &str) -> Option<Heaps> {
        let mut state = Heaps { left: [0; MAX_HEAPS], turn: 0 };
        for term in terms(text)? {
            match term[..] {
                ["control", turn] => {
                    state.turn = PLAYERS.iter().position(|&name| name == turn)? as u8;
                }
                ["heap", heap, left] => {
                    let heap = heap.parse::<usize>().ok()?.checked_sub(1)?;
                    *state.left[..self.count].get_mut(heap)? = left.parse().ok()?;
                }
                _ => return None,
            }
        }
        Some(state)
    }
}
