//! Builds a game gate by gate.

mod network;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use magister_core::{Game, Info, Information, Payment, Role, Stop};
use rustc_hash::FxHashMap;

use crate::network::FluentId;

use super::{BoardMaker, BuildError, Compiled, FluentBoard, Names, Reader};

/// A truth value that depends on the state and possibly on the moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Wire {
    /// The number of its builder; 0 for the constants.
    owner: u32,
    /// Twice the number of its node, plus one if it is negated.
    code: u32,
}

impl Wire {
    /// Always true.
    pub const TRUE: Wire = Wire { owner: 0, code: 0 };
    /// Always false.
    pub const FALSE: Wire = Wire { owner: 0, code: 1 };

    fn node(self) -> usize {
        self.code as usize >> 1
    }

    fn negated(self) -> bool {
        self.code & 1 == 1
    }
}

impl std::ops::Not for Wire {
    type Output = Wire;
    fn not(self) -> Wire {
        Wire { owner: self.owner, code: self.code ^ 1 }
    }
}

/// A move of a role of a builder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MoveHandle(u32);

#[derive(Clone, Debug)]
enum Node {
    True,
    Fluent(u32),
    /// A move that is made, by its index in the builder.
    Does(u32),
    And(Box<[Wire]>),
    /// A declared wire, and its definition once it has one.
    Open(Option<Wire>),
}

#[derive(Clone, Debug)]
struct Fluent {
    text: String,
    initial: bool,
    wire: Wire,
    next: Option<Wire>,
}

#[derive(Clone, Debug)]
struct RoleMove {
    role: Role,
    /// The number of its text.
    number: u32,
    wire: Wire,
    legal: Option<Wire>,
}

/// Builds a game as gates over fluents and moves, without any language.
///
/// A state is a set of fluents. Roles move simultaneously; a role without a legal move is idle.
/// Gates are created with [`and`](Self::and), [`or`](Self::or) and `!`; constants are folded and
/// equal gates are shared.
///
/// ```
/// use magister_core::{Game, Role, Step, Stop, Text as _};
/// use magister_engine::compiled::{CompiledBuilder, Wire};
/// use magister_engine::evaluator::CompiledGame;
/// use magister_engine::Evaluator;
/// use std::sync::Arc;
///
/// // One heap of three; taking the last one wins.
/// let mut game = CompiledBuilder::new("three", &["first", "second"], "three 1");
/// let left: Vec<_> = (0..=3).map(|n| game.fluent(&format!("(left {n})"), n == 3)).collect();
/// let turn = game.fluent("second-to-move", false);
/// game.exclusive(&left);
/// let held: Vec<Wire> = left.iter().map(|&fluent| game.holds(fluent)).collect();
/// let second = game.holds(turn);
/// let mut next = vec![Wire::FALSE; 4];
/// for (role, mine) in [(Role(0), !second), (Role(1), second)] {
///     for take in 1..=2 {
///         let choice = game.add_move(role, &format!("(take {take})"));
///         let enough = game.or(held[take..].iter().copied());
///         let legal = game.and([mine, enough]);
///         game.legal(choice, legal);
///         for before in take..=3 {
///             let done = game.does(choice);
///             let leads = game.and([held[before], done]);
///             next[before - take] = game.or([next[before - take], leads]);
///         }
///     }
/// // The role that would have to move finds nothing left, and has lost.
///     game.goal(role, 0.0, mine);
///     game.goal(role, 100.0, !mine);
/// }
/// left.iter().zip(next).for_each(|(&fluent, wire)| game.next(fluent, wire));
/// game.next(turn, !second);
/// game.terminal(held[0]);
///
/// let compiled = Arc::new(game.build()?);
/// let game = CompiledGame::new(compiled, Evaluator::Batch)?;
/// let mut worker = game.worker();
/// let take_two = game.parse_move(Role(0), "(take 2)").unwrap();
/// worker.step(&[take_two, magister_core::Move::IDLE], &mut Step::new(), &Stop::never())?;
/// assert_eq!(worker.legal(Role(1)).len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CompiledBuilder {
    id: u32,
    info: Info,
    nodes: Vec<Node>,
    known: FxHashMap<Box<[Wire]>, u32>,
    foreign: bool,
    fluents: Vec<Fluent>,
    moves: Vec<RoleMove>,
    move_texts: Vec<String>,
    percept_texts: Vec<String>,
    terminal: Option<Wire>,
    silent: Wire,
    goals: Vec<(Role, f64, Wire)>,
    percepts: Vec<(Role, u32, Wire)>,
    weights: Vec<(MoveHandle, u32, Wire)>,
    gains: Vec<(Role, f64, Wire)>,
    exclusive: Vec<Vec<FluentId>>,
    missing_goal: Option<f64>,
    reader: Option<Arc<dyn Reader>>,
    board: Option<BoardMaker>,
}

impl std::fmt::Debug for CompiledBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompiledBuilder")
            .field("info", &self.info)
            .field("fluents", &self.fluents.len())
            .field("moves", &self.moves.len())
            .field("gates", &self.nodes.len())
            .finish_non_exhaustive()
    }
}

/// The number of builders so far, so that wires of different builders are not confused.
static BUILDERS: AtomicU32 = AtomicU32::new(1);

impl CompiledBuilder {
    /// A builder without fluents and moves. `rules` identifies the rules in [`Info`] and changes
    /// with them.
    pub fn new(name: &str, roles: &[&str], rules: &str) -> Self {
        Self {
            id: BUILDERS.fetch_add(1, Ordering::Relaxed),
            info: Info::new(name, roles, rules),
            nodes: vec![Node::True],
            known: FxHashMap::default(),
            foreign: false,
            fluents: Vec::new(),
            moves: Vec::new(),
            move_texts: Vec::new(),
            percept_texts: Vec::new(),
            terminal: None,
            silent: Wire::FALSE,
            goals: Vec::new(),
            percepts: Vec::new(),
            weights: Vec::new(),
            gains: Vec::new(),
            exclusive: Vec::new(),
            missing_goal: None,
            reader: None,
            board: None,
        }
    }

    /// The facts of the game, for the caller to complete with the bounds of rewards and lengths,
    /// for example. [`build`](Self::build) fills in the facts that follow from other calls.
    pub fn info_mut(&mut self) -> &mut Info {
        &mut self.info
    }

    /// Sets the chance role.
    pub fn chance(&mut self, role: Role) {
        self.info.chance = Some(role);
    }

    fn node(&mut self, node: Node) -> Wire {
        self.nodes.push(node);
        Wire { owner: self.id, code: (self.nodes.len() as u32 - 1) << 1 }
    }

    /// Records wires of other builders, which `build` reports.
    fn own(&mut self, wire: Wire) -> Wire {
        self.foreign |= wire.owner != self.id && wire.owner != 0;
        wire
    }

    /// Adds a fluent with its initial value.
    pub fn fluent(&mut self, text: &str, initial: bool) -> FluentId {
        let number = self.fluents.len() as u32;
        let wire = self.node(Node::Fluent(number));
        self.fluents.push(Fluent { text: text.to_owned(), initial, wire, next: None });
        FluentId(number)
    }

    /// The wire of a fluent.
    pub fn holds(&self, fluent: FluentId) -> Wire {
        self.fluents[fluent.index()].wire
    }

    /// Adds a move of a role. Moves are numbered by text in order of first appearance; moves of
    /// different roles with the same text have the same number.
    pub fn add_move(&mut self, role: Role, text: &str) -> MoveHandle {
        let place = self.moves.len() as u32;
        let number = number_of(&mut self.move_texts, text);
        let wire = self.node(Node::Does(place));
        self.moves.push(RoleMove { role, number, wire, legal: None });
        MoveHandle(place)
    }

    /// The wire that is true when a move is made.
    pub fn does(&self, choice: MoveHandle) -> Wire {
        self.moves[choice.0 as usize].wire
    }

    /// The conjunction.
    pub fn and(&mut self, wires: impl IntoIterator<Item = Wire>) -> Wire {
        let mut all: Vec<Wire> = wires.into_iter().filter(|&wire| wire != Wire::TRUE).collect();
        for &wire in &all {
            self.own(wire);
        }
        all.sort_unstable_by_key(|wire| wire.code);
        all.dedup();
        if all.contains(&Wire::FALSE) || all.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Wire::FALSE;
        }
        match all[..] {
            [] => return Wire::TRUE,
            [one] => return one,
            _ => {}
        }
        if let Some(&code) = self.known.get(&all[..]) {
            return Wire { owner: self.id, code };
        }
        let key: Box<[Wire]> = all.into();
        let wire = self.node(Node::And(key.clone()));
        self.known.insert(key, wire.code);
        wire
    }

    /// The disjunction.
    pub fn or(&mut self, wires: impl IntoIterator<Item = Wire>) -> Wire {
        !self.and(wires.into_iter().map(|wire| !wire))
    }

    /// The exclusive disjunction of two wires.
    pub fn xor(&mut self, a: Wire, b: Wire) -> Wire {
        let (first, second) = (self.and([a, !b]), self.and([!a, b]));
        self.or([first, second])
    }

    /// Declares a wire that is defined later.
    pub fn announce(&mut self) -> Wire {
        self.node(Node::Open(None))
    }

    /// Defines a declared wire.
    pub fn define(&mut self, announced: Wire, wire: Wire) {
        self.own(announced);
        let wire = self.own(if announced.negated() { !wire } else { wire });
        if let Some(Node::Open(definition)) = self.nodes.get_mut(announced.node()) {
            *definition = Some(wire);
        }
    }

    /// Defines in which states a move is legal.
    pub fn legal(&mut self, choice: MoveHandle, when: Wire) {
        self.moves[choice.0 as usize].legal = Some(self.own(when));
    }

    /// Defines the next value of a fluent.
    pub fn next(&mut self, fluent: FluentId, when: Wire) {
        self.fluents[fluent.index()].next = Some(self.own(when));
    }

    /// Defines the terminal states.
    pub fn terminal(&mut self, when: Wire) {
        self.terminal = Some(self.own(when));
    }

    /// Defines in which states a role has a goal value.
    pub fn goal(&mut self, role: Role, value: f64, when: Wire) {
        let when = self.own(when);
        self.goals.push((role, value, when));
    }

    /// Sets the goal value of a role in terminal states in which no other value is defined.
    pub fn missing_goal(&mut self, value: f64) {
        self.missing_goal = Some(value);
    }

    /// Defines in which steps a role perceives something. The game then has hidden information.
    pub fn percept(&mut self, role: Role, text: &str, when: Wire) {
        let when = self.own(when);
        let number = number_of(&mut self.percept_texts, text);
        self.percepts.push((role, number, when));
    }

    /// Adds to the weight of a move of chance in some states. The weight of a move is the sum of
    /// its parts; without any, all legal moves of chance are equally likely.
    pub fn weight(&mut self, choice: MoveHandle, weight: u32, when: Wire) {
        let when = self.own(when);
        self.weights.push((choice, weight, when));
    }

    /// Adds to the gain of a role in some steps. The game then has intermediate rewards.
    pub fn gain(&mut self, role: Role, value: f64, when: Wire) {
        let when = self.own(when);
        self.info.payment = Payment::OnTheWay;
        self.gains.push((role, value, when));
    }

    /// Adds a number to the gain of a role: its binary digits, lowest first, in units of `unit`.
    pub fn gain_number(&mut self, role: Role, unit: f64, digits: &[Wire]) {
        let mut value = unit;
        for &digit in digits {
            self.gain(role, value, digit);
            value *= 2.0;
        }
    }

    /// Defines from which states the step is silent: made by chance alone, without percepts.
    pub fn silent(&mut self, when: Wire) {
        self.silent = self.own(when);
    }

    /// A hint that at most one of some fluents holds in every state. If it can be proven, the
    /// network becomes smaller; otherwise it is ignored.
    pub fn exclusive(&mut self, fluents: &[FluentId]) {
        self.exclusive.push(fluents.to_vec());
    }

    /// Sets the reader that parses texts.
    pub fn read_by(&mut self, reader: Arc<dyn Reader>) {
        self.reader = Some(reader);
    }

    /// Sets the board, which is created on demand.
    pub fn board(
        &mut self,
        maker: impl Fn(&dyn Game) -> Option<Box<dyn FluentBoard>> + Send + Sync + 'static,
    ) {
        self.board = Some(Box::new(maker));
    }

    /// The game, or the error.
    pub fn build(self) -> Result<Compiled, BuildError> {
        self.build_until(&Stop::never())
    }

    /// The same, with a flag that stops the work.
    pub fn build_until(mut self, stop: &Stop) -> Result<Compiled, BuildError> {
        if self.foreign {
            return Err(BuildError::Foreign);
        }
        if !(1..=255).contains(&self.info.roles.len()) {
            return Err(BuildError::Roles(self.info.roles.len()));
        }
        let fluents: Vec<String> = self.fluents.iter().map(|fluent| fluent.text.clone()).collect();
        let texts = (self.move_texts.clone(), self.percept_texts.clone(), fluents);
        let mut names = Names::new(texts.0, texts.1, texts.2);
        if let Some(reader) = self.reader.take() {
            names = names.read_by(reader);
        }
        check_names(&names)?;
        let network = network::build(&self, stop)?;
        if !self.percepts.is_empty() {
            self.info.information = Information::Hidden;
        }
        let mut compiled = Compiled::new(self.info, names, Arc::new(network));
        compiled.missing_goal = self.missing_goal;
        compiled.board_maker = self.board;
        Ok(compiled)
    }
}

/// The number of a text in a list, to which it is added if it is new.
fn number_of(texts: &mut Vec<String>, text: &str) -> u32 {
    let place = texts.iter().position(|other| other == text).unwrap_or_else(|| {
        texts.push(text.to_owned());
        texts.len() - 1
    });
    place as u32
}

/// Texts must be different, and must survive printing and parsing.
fn check_names(names: &Names) -> Result<(), BuildError> {
    let wrong = |what, text: &String| BuildError::Name { what, text: text.clone() };
    for (number, text) in names.moves().iter().enumerate() {
        let idle = text.trim() == magister_core::text::IDLE_TEXT;
        if idle || names.find_move(text) != Some(number as u32) {
            return Err(wrong("move", text));
        }
    }
    for (number, text) in names.percepts().iter().enumerate() {
        if names.find_percept(text) != Some(number as u32) {
            return Err(wrong("percept", text));
        }
    }
    for (number, text) in names.fluents().iter().enumerate() {
        let mut state = vec![0; names.fluents().len().div_ceil(64)];
        state[number / 64] |= 1 << (number % 64);
        if names.read_state(&names.state(&state)) != Some(state) {
            return Err(wrong("fluent", text));
        }
    }
    Ok(())
}
