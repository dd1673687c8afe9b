//! Views as tensors.

use std::fmt;
use std::sync::Arc;

use super::{Element, StateObserver, Tensor, Tensors, hashed};
use crate::{
    Game, Halt, Information, Move, Observation, Percept, Role, Step, Stop, Turn, View, Worker,
};

/// The length of the row of a turn whose moves and percepts are not known in advance.
pub const TURN_HASHED: usize = 256;

/// The maximum number of turns in a view, and the maximum number of elements for them if these are
/// more than eight turns.
const TURNS: usize = 64;
const FEW_TURNS: usize = 8;
const NUMBERS: usize = 1 << 16;

/// Writes the information state of a role as tensors.
///
/// With perfect information these are `role`, one bit per role of the game, and the tensors of the
/// current [state](StateObserver).
///
/// With hidden information they depend only on the turns of the view, so histories in the same
/// information set have the same numbers:
///
/// - `role`: one bit per role of the game;
/// - `turns`: one number, the turns so far divided by the maximum number of turns in the tensors;
/// - `own`, `[turns, moves + 1]`: for each turn the bit of the role's move; the last bit is
///   [`Move::IDLE`];
/// - `percepts`, `[turns, percepts]`: for each turn the bits of the role's percepts;
/// - `history`, `[turns, 256]`, instead of `own` and `percepts` if the rules do not fix the moves
///   or percepts: for each turn [`TURN_HASHED`] bits, two of which are set by the text of the move
///   and two by that of each percept. This is the only case in which different turns can have the
///   same numbers, and the only one in which writing allocates.
///
/// Turns are in order, the first in row 0; rows of future turns are zero. There are as many rows as
/// a match can have turns ([`Info::max_length`](crate::Info::max_length)), but at most 64, and at
/// most as many as give `own` and `percepts` 65,536 elements, with a minimum of eight turns. If a
/// match is longer, only its last turns are included.
///
/// With hidden information the observer has neither a worker nor a state, so it cannot leak
/// anything.
pub struct ViewObserver {
    game: Arc<dyn Game>,
    tensors: Tensors,
    kind: Kind,
}

enum Kind {
    Perfect(Box<Following>),
    Hidden(History),
}

/// A worker that follows a match with perfect information.
struct Following {
    states: StateObserver,
    worker: Box<dyn Worker>,
    /// The joint moves so far, in order.
    made: Vec<Move>,
    step: Step,
    words: Vec<u64>,
}

/// How turns are written.
#[derive(Clone, Copy, Debug)]
struct History {
    turns: usize,
    /// The numbers of moves and percepts; `None` if they are unknown.
    vocabulary: Option<(usize, usize)>,
}

impl ViewObserver {
    /// The observer of a game, for the views of all its roles.
    pub fn new(game: &Arc<dyn Game>) -> Self {
        let info = game.info();
        let role = Tensor::new("role", Element::Bit, &[info.roles.len()]);
        let (list, kind) = match info.information {
            Information::Perfect => {
                let states = StateObserver::new(game);
                let list = [role].into_iter().chain(states.tensors().list().iter().cloned());
                (list.collect::<Vec<_>>(), Kind::Perfect(Box::new(Following::new(states))))
            }
            Information::Hidden => {
                let history = History::of(game.as_ref());
                let list = [role].into_iter().chain(history.tensors());
                (list.collect(), Kind::Hidden(history))
            }
        };
        ViewObserver { game: Arc::clone(game), tensors: Tensors::new(list), kind }
    }

    /// The tensors of every view.
    pub fn tensors(&self) -> &Tensors {
        &self.tensors
    }

    /// Overwrites `out` with the numbers of a view of this game.
    ///
    /// With perfect information the joint moves of the view are replayed, starting from the
    /// previous view if that is a prefix; the error says why this was impossible. Games with hidden
    /// information give no errors.
    ///
    /// # Panics
    ///
    /// If `out` does not have [`Tensors::len`] entries.
    pub fn write(&mut self, view: &View, stop: &Stop, out: &mut [f32]) -> Result<(), Halt> {
        let rest = self.role(view.role(), out);
        match &mut self.kind {
            Kind::Perfect(following) => following.write(view.turns(), stop, rest)?,
            Kind::Hidden(history) => history.write(self.game.as_ref(), view.turns(), rest),
        }
        Ok(())
    }

    /// Overwrites `out` with the numbers of a role's view of this state, with perfect information;
    /// [`Halt::Hidden`] otherwise. For searches, which have the state but not its history.
    ///
    /// # Panics
    ///
    /// If `out` does not have [`Tensors::len`] entries.
    pub fn write_state(&self, role: Role, state: &[u64], out: &mut [f32]) -> Result<(), Halt> {
        let Kind::Perfect(following) = &self.kind else { return Err(Halt::Hidden) };
        following.states.write(state, self.role(role, out));
        Ok(())
    }

    /// Writes the role and returns the rest of the buffer.
    fn role<'a>(&self, role: Role, out: &'a mut [f32]) -> &'a mut [f32] {
        assert_eq!(out.len(), self.tensors.len(), "a buffer for another observation");
        let (roles, rest) = out.split_at_mut(self.game.info().roles.len());
        roles.fill(0.0);
        if let Some(bit) = roles.get_mut(role.index()) {
            *bit = 1.0;
        }
        rest
    }
}

impl Following {
    fn new(states: StateObserver) -> Self {
        let worker = states.game().worker();
        Following { states, worker, made: Vec::new(), step: Step::new(), words: Vec::new() }
    }

    fn write(&mut self, turns: &[Turn], stop: &Stop, out: &mut [f32]) -> Result<(), Halt> {
        self.go(turns, stop).inspect_err(|_| {
            // After an error the worker is in an unspecified state.
            self.made.clear();
            self.worker.reset();
        })?;
        self.worker.save(&mut self.words);
        self.states.write(&self.words, out);
        Ok(())
    }

    /// Goes to the state after these turns.
    fn go(&mut self, turns: &[Turn], stop: &Stop) -> Result<(), Halt> {
        let roles = self.worker.info().roles.len();
        let mut known = self.made.chunks_exact(roles);
        let same = |turn: &Turn| match (&turn.seen, known.next()) {
            (Observation::Joint(joint), Some(made)) => **joint == *made,
            _ => false,
        };
        let same = turns.iter().map(same).take_while(|&same| same).count();
        let fresh = if same * roles == self.made.len() {
            &turns[same..]
        } else {
            self.made.clear();
            self.worker.reset();
            turns
        };
        for turn in fresh {
            let Observation::Joint(joint) = &turn.seen else { return Err(Halt::Hidden) };
            self.worker.step(joint, &mut self.step, stop)?;
            self.made.extend_from_slice(joint);
        }
        Ok(())
    }
}

impl History {
    fn of(game: &dyn Game) -> Self {
        let info = game.info();
        let vocabulary = info
            .moves
            .zip(info.percepts)
            .map(|(moves, percepts)| (moves as usize + 1, percepts as usize));
        let row = vocabulary.map_or(TURN_HASHED, |(moves, percepts)| moves + percepts);
        let longest = info.max_length.map_or(TURNS, |length| (length as usize).clamp(1, TURNS));
        let fitting = (NUMBERS / row).max(FEW_TURNS);
        History { turns: longest.min(fitting), vocabulary }
    }

    fn tensors(&self) -> Vec<Tensor> {
        let mut list = vec![Tensor::new("turns", Element::Real, &[1])];
        match self.vocabulary {
            Some((moves, percepts)) => {
                list.push(Tensor::new("own", Element::Bit, &[self.turns, moves]));
                list.push(Tensor::new("percepts", Element::Bit, &[self.turns, percepts]));
            }
            None => list.push(Tensor::new("history", Element::Bit, &[self.turns, TURN_HASHED])),
        }
        list
    }

    fn write(self, game: &dyn Game, turns: &[Turn], out: &mut [f32]) {
        out.fill(0.0);
        let (count, rows) = out.split_at_mut(1);
        count[0] = turns.len() as f32 / self.turns as f32;
        let shown = &turns[turns.len().saturating_sub(self.turns)..];
        let Some((moves, percepts)) = self.vocabulary else {
            let text = game.text();
            for (turn, row) in shown.iter().zip(rows.chunks_exact_mut(TURN_HASHED)) {
                hashed::set(&format!("does {}", text.move_text(turn.own)), row);
                for &percept in perceived(turn) {
                    hashed::set(&format!("sees {}", text.percept_text(percept)), row);
                }
            }
            return;
        };
        let (own, seen) = rows.split_at_mut(self.turns * moves);
        for (at, turn) in shown.iter().enumerate() {
            let place = if turn.own == Move::IDLE { moves - 1 } else { turn.own.index() };
            if let Some(bit) = own[at * moves..][..moves].get_mut(place) {
                *bit = 1.0;
            }
            let row = &mut seen[at * percepts..][..percepts];
            for percept in perceived(turn) {
                if let Some(bit) = row.get_mut(percept.0 as usize) {
                    *bit = 1.0;
                }
            }
        }
    }
}

/// The percepts of a turn.
fn perceived(turn: &Turn) -> &[Percept] {
    match &turn.seen {
        Observation::Joint(_) => &[],
        Observation::Percepts(percepts) => percepts,
    }
}

impl fmt::Debug for ViewObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ViewObserver")
            .field("game", &self.game.info().name)
            .field("tensors", &self.tensors)
            .finish_non_exhaustive()
    }
}
