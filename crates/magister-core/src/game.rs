//! The two traits behind every game: [`Game`], the shared part, and [`Worker`], the state of one
//! thread.

use std::sync::Arc;

use crate::playout::{self, Batch, LeafResults, Leaves, Results, Tried, Tries};
use crate::{Board, Halt, Info, Move, Role, StateTensors, Step, Stop, Symmetry, Text, Worlds};

/// A game with its rules, ready to be played, in whatever language it was written.
///
/// A game is shared between threads and never changes. Tables that its workers need are in `Arc`s,
/// because workers outlive the borrow that created them.
pub trait Game: Send + Sync {
    /// The facts of the game.
    fn info(&self) -> &Info;

    /// A fresh worker in the initial state. A thread creates one and keeps it, because a worker
    /// owns the memory it computes in.
    fn worker(&self) -> Box<dyn Worker>;

    /// The text of states, moves and percepts, in both directions.
    fn text(&self) -> &dyn Text;

    /// The board, if the game has one.
    fn board(&self) -> Option<&dyn Board> {
        None
    }

    /// Known symmetries of the game, without the identity. The list need not be complete, but every
    /// entry must hold: learning and transposition tables rely on them.
    fn symmetries(&self) -> &[Symmetry] {
        &[]
    }

    /// States as tensors for learning, if the game has better ones than the defaults. All callers
    /// write tensors through [`StateObserver`](crate::StateObserver).
    fn tensors(&self) -> Option<&dyn StateTensors> {
        None
    }

    /// The same game with better playouts, if there is one: a role that can win at once does so,
    /// and otherwise it blocks a win that another role threatens. States, moves and rewards are the
    /// same, but some legal moves are missing, so it is for playouts only.
    ///
    /// The first call may take as long as the preparation of the game.
    fn tactical(&self) -> Option<Arc<dyn Game>> {
        None
    }

    /// Builds the data for large numbers of playouts, which the first of them would otherwise have
    /// to build.
    fn warm_up(&self, _stop: &Stop) -> Result<(), Halt> {
        Ok(())
    }

    /// A sampler of the histories that are consistent with a role's information state, if the game
    /// has a better way than to guess the moves of chance one by one.
    fn worlds(&self, _role: Role) -> Option<Box<dyn Worlds>> {
        None
    }

    /// The game as its concrete type, if that offers more than this trait. Code that analyses the
    /// circuit of a game, such as decomposition, asks for it.
    fn as_any(&self) -> Option<&dyn std::any::Any> {
        None
    }
}

/// The current state of one thread and the memory to compute with it.
///
/// A state is a list of words, as [`save`](Worker::save) writes it. States are equal if and only if
/// their words are equal, so callers can store, compare and hash the words. Methods do not allocate
/// once their buffers have grown.
pub trait Worker: Send {
    /// The facts of the game, the same as [`Game::info`]. The provided playouts need them.
    fn info(&self) -> &Info;

    /// Goes to the initial state.
    fn reset(&mut self);

    /// Goes to a state that some worker of this game saved. Words that are not a state are refused
    /// with [`Halt::BadState`] if that can be detected, and never cause a panic. After an error the
    /// worker is in an unspecified state of the game.
    fn load(&mut self, state: &[u64], stop: &Stop) -> Result<(), Halt>;

    /// Replaces the contents of `out` by the words of the current state.
    fn save(&self, out: &mut Vec<u64>);

    /// Whether the game is over.
    fn terminal(&self) -> bool;

    /// The legal moves of a role. The list is empty for every role if the state is terminal, and
    /// for no role otherwise: a role with nothing to do has exactly [`Move::IDLE`], or the `noop`
    /// of its language. The order is fixed and does not depend on how the state was reached.
    fn legal(&self, role: Role) -> &[Move];

    /// The weights of the legal moves of chance, parallel to them, all positive, with a total that
    /// fits in 32 bits. Empty if all are equally likely.
    fn weights(&self) -> &[u32];

    /// Whether the step from this state is silent, such as one card of a shuffle. Chance alone
    /// makes a silent step; the players have no turn and perceive nothing. They perceive what they
    /// may know of it at the next tick. It is a property of the state, because the match must know
    /// before the step whether to ask the players. Games with perfect information have no silent
    /// steps.
    fn silent(&self) -> bool {
        false
    }

    /// Makes the joint move, one move per role in order, and replaces the contents of `out`. After
    /// an illegal move or any other error, the state is unchanged.
    fn step(&mut self, joint: &[Move], out: &mut Step, stop: &Stop) -> Result<(), Halt>;

    /// Replaces the contents of `out` with the percepts that a joint move would cause, without
    /// making it: the state does not change. The percepts imply nothing about the next state, not
    /// even that it exists. Returns false, without any effect, if the engine has no better way than
    /// to make the step and undo it.
    fn perceive(&mut self, _joint: &[Move], _out: &mut Step, _stop: &Stop) -> Result<bool, Halt> {
        Ok(false)
    }

    /// Asks for steps without percepts, or for the usual ones again. Playouts do not use percepts, and
    /// some engines save work without them. After an error in a quiet step the state is
    /// unspecified. An engine may ignore the request.
    fn quiet(&mut self, _quiet: bool) {}

    /// Undoes the last step since the last [`reset`](Worker::reset) or [`load`](Worker::load).
    /// Returns false, without any effect, if there is none or the engine cannot undo.
    fn undo(&mut self) -> bool {
        false
    }

    /// Replaces the contents of `out` with all goal values of a role in this state: none, one or
    /// several. If a player has none or several in a terminal state, the rules are defective, and
    /// this is reported. Games with [intermediate rewards](crate::Payment::OnTheWay) need not have
    /// any.
    fn goals(&self, role: Role, out: &mut Vec<f64>);

    /// The number of playouts that this worker can play at about the cost of one. A search requests
    /// this many at a time.
    fn lanes(&self) -> usize {
        1
    }

    /// Plays many random games; [`playout`] specifies them exactly. Afterwards the worker is in an
    /// unspecified state of the game.
    fn playouts(&mut self, batch: &Batch<'_>, out: &mut Results, stop: &Stop) -> Result<(), Halt> {
        playout::one_by_one(self, batch, out, stop)
    }

    /// Plays a few random games from each of many states; [`Leaves`] specifies them exactly.
    /// Afterwards the worker is in an unspecified state of the game.
    fn leaves(
        &mut self,
        leaves: &Leaves<'_>,
        out: &mut LeafResults,
        stop: &Stop,
    ) -> Result<(), Halt> {
        playout::leaves_one_by_one(self, leaves, out, stop)
    }

    /// Makes one step from each of many states and compares it with a role's observation; [`Tries`]
    /// specifies this exactly. Returns false, without any effect, if the worker has no better way
    /// than to make the steps one by one. Afterwards the worker is in an unspecified state of the
    /// game.
    fn tries(&mut self, _tries: &Tries<'_>, _out: &mut Tried, _stop: &Stop) -> Result<bool, Halt> {
        Ok(false)
    }

    /// The number of streams that this worker would play at once if it got this many. A caller that
    /// divides a batch should give each part a multiple of it; otherwise lanes stay empty.
    fn side_by_side(&self, _streams: usize) -> usize {
        1
    }
}
