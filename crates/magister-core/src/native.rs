//! Games written in Rust: a small typed layer, [`Rules`], and [`Native`], which turns it into a
//! [`Game`].

use std::fmt::{self, Debug};
use std::sync::Arc;

use crate::observation::{write_bits, write_board};
use crate::pack::{self, Pack};
use crate::text::IDLE_TEXT;
use crate::{
    Board, Element, Game, Halt, Info, Move, Percept, Planes, Role, Shape, StateTensors, Step, Stop,
    Symmetry, Tensor, Tensors, Text, Worker,
};

/// The rules of a game over a typed state. The value itself contains the parameters of the rules:
/// sizes, heaps, payoffs.
///
/// Methods with a state argument get only states that were reached from [`initial`](Rules::initial)
/// by steps, or that [`valid`](Rules::valid) accepted.
pub trait Rules: Send + Sync + 'static {
    /// A state: small, plain, and sufficient to continue the game.
    type State: Pack + Copy + Eq + Debug + Send + Sync + 'static;

    /// The facts of the game. [`Native`] fills in the words of a state and the number of percepts.
    fn info(&self) -> Info;

    /// The initial state.
    fn initial(&self) -> Self::State;

    /// Whether the game is over.
    fn terminal(&self, state: &Self::State) -> bool;

    /// Appends the legal moves of a role in a non-terminal state; nothing if the role has nothing
    /// to do.
    fn legal(&self, state: &Self::State, role: Role, out: &mut Vec<Move>);

    /// Appends the weights of the legal moves of chance; nothing if all are equally likely.
    fn weights(&self, _state: &Self::State, _out: &mut Vec<u32>) {}

    /// Whether the step out of this state is silent; see [`Worker::silent`].
    fn silent(&self, _state: &Self::State) -> bool {
        false
    }

    /// Makes a legal joint move. `out` is empty at first; gains and percepts are added to it.
    fn step(&self, state: &mut Self::State, joint: &[Move], out: &mut Step);

    /// The reward of a player in a terminal state. It is not called if the game has intermediate
    /// rewards.
    fn reward(&self, state: &Self::State, role: Role) -> f64;

    /// Whether a state that was read from words or text can belong to this game. The check need not
    /// be perfect, but no method may panic on a state that passes it.
    fn valid(&self, _state: &Self::State) -> bool {
        true
    }

    /// The text of a move other than [`Move::IDLE`].
    fn move_text(&self, choice: Move) -> String;

    /// The move with this text. The default implementation searches all moves.
    fn parse_move(&self, _role: Role, text: &str) -> Option<Move> {
        let count = self.info().moves.unwrap_or(0);
        (0..count).map(Move).find(|&choice| self.move_text(choice) == text)
    }

    /// The number of distinct percepts.
    fn percepts(&self) -> u32 {
        0
    }

    /// The text of a percept.
    fn percept_text(&self, percept: Percept) -> String {
        percept.0.to_string()
    }

    /// The text of a state.
    fn state_text(&self, state: &Self::State) -> String;

    /// The state with this text; [`Native`] checks that it is valid.
    fn parse_state(&self, text: &str) -> Option<Self::State>;

    /// The shape of the board, if there is one.
    fn board(&self) -> Option<Shape> {
        None
    }

    /// Writes the value of each cell of the board.
    fn cells(&self, _state: &Self::State, _out: &mut [u16]) {}

    /// The cells that a move other than [`Move::IDLE`] goes from and to; see [`Board::target`].
    fn target(&self, _choice: Move) -> Option<(u32, u32)> {
        None
    }

    /// The tensors of a state for learning, if the rules have better ones than the planes of the
    /// board and the bits of the packed state; see [`Game::tensors`].
    fn tensors(&self) -> Option<Tensors> {
        None
    }

    /// Writes the numbers of these tensors for a state into `out`, which is filled with zeros at
    /// first.
    fn write_tensors(&self, _state: &Self::State, _out: &mut [f32]) {}

    /// Symmetries of the game; see [`Game::symmetries`].
    fn symmetries(&self) -> Vec<Symmetry> {
        Vec::new()
    }
}

/// A [`Game`] from [`Rules`].
pub struct Native<R: Rules> {
    shared: Arc<Shared<R>>,
    shape: Option<Shape>,
    tensors: NativeTensors,
    symmetries: Vec<Symmetry>,
}

struct Shared<R> {
    rules: R,
    info: Info,
}

impl<R: Rules> Native<R> {
    /// The game of these rules.
    pub fn new(rules: R) -> Self {
        let info = Info {
            state_words: Some(pack::words::<R::State>()),
            percepts: Some(rules.percepts()),
            ..rules.info()
        };
        let shape = rules.board();
        let tensors = NativeTensors::of(&rules, shape.as_ref());
        let symmetries = rules.symmetries();
        Native { shared: Arc::new(Shared { rules, info }), shape, tensors, symmetries }
    }

    /// The rules.
    pub fn rules(&self) -> &R {
        &self.shared.rules
    }

    /// The typed state of these words, if they are valid.
    pub fn unpack(&self, words: &[u64]) -> Option<R::State> {
        pack::unpack(words).filter(|state| self.rules().valid(state))
    }
}

impl<R: Rules> Debug for Native<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Native").field("info", &self.shared.info).finish_non_exhaustive()
    }
}

impl<R: Rules> Game for Native<R> {
    fn info(&self) -> &Info {
        &self.shared.info
    }

    fn worker(&self) -> Box<dyn Worker> {
        Box::new(NativeWorker::new(Arc::clone(&self.shared)))
    }

    fn text(&self) -> &dyn Text {
        self
    }

    fn board(&self) -> Option<&dyn Board> {
        if self.shape.is_some() { Some(self) } else { None }
    }

    fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    fn tensors(&self) -> Option<&dyn StateTensors> {
        Some(self)
    }
}

/// The tensors of a game, and how to write them.
struct NativeTensors {
    tensors: Tensors,
    /// Whether the rules write their own tensors.
    own: bool,
    /// The planes of the board, if the rules do not write their own tensors.
    planes: Option<Planes>,
}

impl NativeTensors {
    fn of<R: Rules>(rules: &R, shape: Option<&Shape>) -> Self {
        if let Some(tensors) = rules.tensors() {
            return NativeTensors { tensors, own: true, planes: None };
        }
        let planes = shape.map(Planes::new);
        let bits = Tensor::new("state", Element::Bit, &[<R::State as Pack>::BITS]);
        let tensors = Tensors::new(planes.iter().map(Planes::tensor).chain([bits]));
        NativeTensors { tensors, own: false, planes }
    }
}

/// The tensors of the rules, or `board` and `state`: the planes of the board and the bits of the
/// packed state.
impl<R: Rules> StateTensors for Native<R> {
    fn tensors(&self) -> &Tensors {
        &self.tensors.tensors
    }

    fn write(&self, state: &[u64], out: &mut [f32]) {
        let NativeTensors { own, planes, .. } = &self.tensors;
        if *own {
            if let Some(state) = self.unpack(state) {
                self.rules().write_tensors(&state, out);
            }
            return;
        }
        let (board, bits) = out.split_at_mut(planes.as_ref().map_or(0, Planes::tensor_len));
        if let Some(planes) = planes {
            write_board(planes, self, state, board);
        }
        write_bits(state, bits);
    }
}

impl<R: Rules> Text for Native<R> {
    fn move_text(&self, choice: Move) -> String {
        if choice == Move::IDLE { IDLE_TEXT.to_owned() } else { self.rules().move_text(choice) }
    }

    fn parse_move(&self, role: Role, text: &str) -> Option<Move> {
        if text == IDLE_TEXT { Some(Move::IDLE) } else { self.rules().parse_move(role, text) }
    }

    fn percept_text(&self, percept: Percept) -> String {
        self.rules().percept_text(percept)
    }

    fn parse_percept(&self, text: &str) -> Option<Percept> {
        let rules = self.rules();
        (0..rules.percepts()).map(Percept).find(|&percept| rules.percept_text(percept) == text)
    }

    fn state_text(&self, state: &[u64]) -> String {
        match self.unpack(state) {
            Some(state) => self.rules().state_text(&state),
            None => Halt::BadState.to_string(),
        }
    }

    fn parse_state(&self, text: &str) -> Option<Vec<u64>> {
        let state = self.rules().parse_state(text).filter(|state| self.rules().valid(state))?;
        let mut words = Vec::new();
        pack::pack(&state, &mut words);
        Some(words)
    }
}

/// [`Game::board`] returns this only if there is a shape.
impl<R: Rules> Board for Native<R> {
    fn shape(&self) -> &Shape {
        self.shape.as_ref().expect("a board is returned only if it has a shape")
    }

    fn cells(&self, state: &[u64], out: &mut [u16]) {
        match self.unpack(state) {
            Some(state) => self.rules().cells(&state, out),
            None => out.fill(0),
        }
    }

    fn target(&self, choice: Move) -> Option<(u32, u32)> {
        if choice == Move::IDLE { None } else { self.rules().target(choice) }
    }
}

/// The worker of a game that is written in Rust. Legal moves are computed once per state.
struct NativeWorker<R: Rules> {
    shared: Arc<Shared<R>>,
    state: R::State,
    /// The states before the steps made since the last reset or load.
    past: Vec<R::State>,
    terminal: bool,
    legal: Vec<Vec<Move>>,
    weights: Vec<u32>,
}

impl<R: Rules> NativeWorker<R> {
    fn new(shared: Arc<Shared<R>>) -> Self {
        let state = shared.rules.initial();
        let legal = vec![Vec::new(); shared.info.roles.len()];
        let mut worker = NativeWorker {
            shared,
            state,
            past: Vec::new(),
            terminal: false,
            legal,
            weights: Vec::new(),
        };
        worker.refresh();
        worker
    }

    fn refresh(&mut self) {
        let Shared { rules, info } = &*self.shared;
        self.terminal = rules.terminal(&self.state);
        self.weights.clear();
        for (role, legal) in info.all_roles().zip(&mut self.legal) {
            legal.clear();
            if self.terminal {
                continue;
            }
            rules.legal(&self.state, role, legal);
            if legal.is_empty() {
                legal.push(Move::IDLE);
            } else if info.chance == Some(role) {
                rules.weights(&self.state, &mut self.weights);
            }
        }
    }
}

impl<R: Rules> Worker for NativeWorker<R> {
    fn info(&self) -> &Info {
        &self.shared.info
    }

    fn reset(&mut self) {
        self.past.clear();
        self.state = self.shared.rules.initial();
        self.refresh();
    }

    fn load(&mut self, state: &[u64], _stop: &Stop) -> Result<(), Halt> {
        let state = pack::unpack(state)
            .filter(|state| self.shared.rules.valid(state))
            .ok_or(Halt::BadState)?;
        self.past.clear();
        self.state = state;
        self.refresh();
        Ok(())
    }

    fn save(&self, out: &mut Vec<u64>) {
        pack::pack(&self.state, out);
    }

    fn terminal(&self) -> bool {
        self.terminal
    }

    fn legal(&self, role: Role) -> &[Move] {
        self.legal.get(role.index()).map_or(&[], Vec::as_slice)
    }

    fn weights(&self) -> &[u32] {
        &self.weights
    }

    fn silent(&self) -> bool {
        !self.terminal && self.shared.rules.silent(&self.state)
    }

    fn step(&mut self, joint: &[Move], out: &mut Step, _stop: &Stop) -> Result<(), Halt> {
        let expected = self.legal.len();
        if joint.len() != expected {
            return Err(Halt::JointLength { expected, given: joint.len() });
        }
        for (index, (legal, &choice)) in self.legal.iter().zip(joint).enumerate() {
            if !legal.contains(&choice) {
                return Err(Halt::IllegalMove { role: Role(index as u8), choice });
            }
        }
        out.clear(expected);
        out.tick = !self.silent();
        self.past.push(self.state);
        self.shared.rules.step(&mut self.state, joint, out);
        self.refresh();
        Ok(())
    }

    fn undo(&mut self) -> bool {
        let Some(state) = self.past.pop() else {
            return false;
        };
        self.state = state;
        self.refresh();
        true
    }

    fn goals(&self, role: Role, out: &mut Vec<f64>) {
        let Shared { rules, info } = &*self.shared;
        out.clear();
        let pays = info.payment == crate::Payment::AtEnd && info.chance != Some(role);
        if self.terminal && pays && role.index() < info.roles.len() {
            out.push(rules.reward(&self.state, role));
        }
    }
}
