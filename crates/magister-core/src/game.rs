//! The two traits that carry every game: [`Game`], what is shared, and [`Worker`], what one
//! thread computes with.

use crate::playout::{self, Batch, Leaves, Results, Tried, Tries, Yields};
use crate::{Board, Halt, Info, Move, Role, StateTensors, Step, Stop, Symmetry, Text};

/// A game with its rules, ready to be played, whatever language it was written in.
///
/// A game is shared between threads and never changes. Tables that its workers need are kept in
/// `Arc`s, because workers outlive the borrow they were made from.
pub trait Game: Send + Sync {
    /// The facts of the game.
    fn info(&self) -> &Info;

    /// A fresh worker in the initial state. A thread makes one and keeps it: a worker owns the
    /// memory it computes in.
    fn worker(&self) -> Box<dyn Worker>;

    /// The words for states, moves and percepts, both ways.
    fn text(&self) -> &dyn Text;

    /// The board, where the game has one.
    fn board(&self) -> Option<&dyn Board> {
        None
    }

    /// Known symmetries of the game, without the identity. They need not be all, but those that
    /// are given must be true: learning and transposition tables rely on them.
    fn symmetries(&self) -> &[Symmetry] {
        &[]
    }

    /// States as tensors for learning, where the game knows better ones than the defaults of
    /// [`StateObserver`](crate::StateObserver), which is what everybody uses to write them.
    fn tensors(&self) -> Option<&dyn StateTensors> {
        None
    }

    /// The game as its own type, where that offers more than this trait. Programs that study the
    /// circuit of a game, such as its decomposition, ask for it.
    fn as_any(&self) -> Option<&dyn std::any::Any> {
        None
    }
}

/// One current state and the memory to compute with it.
///
/// A state is what [`save`](Worker::save) writes: words. States are equal if and only if their
/// words are equal, so callers keep, compare and hash words in arenas of their own. Methods
/// allocate nothing once their buffers have grown.
pub trait Worker: Send {
    /// The facts of the game, the same as [`Game::info`]. The provided playouts need them.
    fn info(&self) -> &Info;

    /// Goes to the initial state.
    fn reset(&mut self);

    /// Goes to a state that some worker of this game saved. Words that are no state are refused
    /// with [`Halt::BadState`] where that can be seen, and never panic. After an error the
    /// worker is in some state of the game, but it is not said in which.
    fn load(&mut self, state: &[u64], stop: &Stop) -> Result<(), Halt>;

    /// Replaces the contents of `out` by the words of the current state.
    fn save(&self, out: &mut Vec<u64>);

    /// Whether the game is over.
    fn terminal(&self) -> bool;

    /// The legal moves of a role. Empty for every role if the state is terminal, and for none
    /// otherwise: a role with nothing to do has exactly [`Move::IDLE`], or the `noop` of its
    /// language. The order is fixed and does not depend on how the state was reached.
    fn legal(&self, role: Role) -> &[Move];

    /// The weights of the legal moves of chance, parallel to them, all positive, with a total
    /// that fits 32 bits. Empty if all are equally likely.
    fn weights(&self) -> &[u32];

    /// Whether the step that leads out of this state is silent: one card of a shuffle, for
    /// instance. A silent step is made by chance alone, the players have no turn for it and
    /// perceive nothing; what they may know of it they perceive at the next tick. It is a
    /// property of the state because the holder of a match must know before the step whether to
    /// ask the players. Games of perfect information have no silent steps.
    fn silent(&self) -> bool {
        false
    }

    /// Makes the joint move, one move per role in the order of the roles, and replaces the
    /// contents of `out`. If a move is not legal, or anything else goes wrong, the state stays
    /// as it was.
    fn step(&mut self, joint: &[Move], out: &mut Step, stop: &Stop) -> Result<(), Halt>;

    /// Replaces the contents of `out` by what the roles would perceive of a joint move, which is not
    /// made: the state stays as it is. It tells nothing of where the move would lead, not even
    /// whether the game can go on there. False, without any effect, if the engine knows no better
    /// way than to make the step and take it back.
    fn perceive(&mut self, _joint: &[Move], _out: &mut Step, _stop: &Stop) -> Result<bool, Halt> {
        Ok(false)
    }

    /// Takes back the last step made since the last [`reset`](Worker::reset) or
    /// [`load`](Worker::load). False, without any effect, if there is none or the engine can
    /// not.
    fn undo(&mut self) -> bool {
        false
    }

    /// Replaces the contents of `out` by all goal values that the rules give a role in this
    /// state: none, one or several. None or several for a player in a terminal state is a defect
    /// of the rules, to be reported as such; nobody invents a value. Games that pay
    /// [on the way](crate::Payment::OnTheWay) need not have any.
    fn goals(&self, role: Role, out: &mut Vec<f64>);

    /// How many playouts this worker plays side by side, at about the cost of one; whoever
    /// searches asks for so many at a time.
    fn lanes(&self) -> usize {
        1
    }

    /// Plays many random games; see [`playout`] for what exactly is played. Afterwards the
    /// worker is in some state of the game, but it is not said in which.
    fn playouts(&mut self, batch: &Batch<'_>, out: &mut Results, stop: &Stop) -> Result<(), Halt> {
        playout::one_by_one(self, batch, out, stop)
    }

    /// Plays a few random games from each of many states; see [`Leaves`] for what exactly is
    /// played. Afterwards the worker is in some state of the game, but it is not said in which.
    fn leaves(&mut self, leaves: &Leaves<'_>, out: &mut Yields, stop: &Stop) -> Result<(), Halt> {
        playout::leaves_one_by_one(self, leaves, out, stop)
    }

    /// Makes one step out of each of many states and holds it against what a role saw; see
    /// [`Tries`] for what exactly is tried. False, without any effect, if the worker knows no
    /// better way than to make them one by one. Afterwards the worker is in some state of the
    /// game, but it is not said in which.
    fn tries(&mut self, _tries: &Tries<'_>, _out: &mut Tried, _stop: &Stop) -> Result<bool, Halt> {
        Ok(false)
    }

    /// How many streams this worker would play side by side if it were given so many. Who cuts a
    /// batch into parts gives each a multiple of it, or lanes are left empty.
    fn side_by_side(&self, _streams: usize) -> usize {
        1
    }
}
