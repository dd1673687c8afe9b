//! The battery must be able to fail: games with one deliberate fault each.

use std::cell::Cell;
use std::sync::Arc;

use magister_core::battery::{self, Options, Report};
use magister_core::playout::one_by_one;
use magister_core::{
    Batch, Board, Game, Halt, Info, Information, Move, Percept, Results, Role, Step, Stop,
    Symmetry, Text, Worker,
};
use magister_games::native;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// The order of the legal moves changes from call to call.
    UnstableLegal,
    /// A worker that has loaded a state omits a legal move.
    Forgetful,
    /// Moves of one column have the text of another.
    SameText,
    /// The text of a state cannot be parsed.
    UnreadableState,
    ZeroWeight,
    MissingWeight,
    RewardTooHigh,
    RewardsDoNotAddUp,
    WrongSymmetry,
    NoPermutation,
    TerminalWithMoves,
    AcceptsIllegal,
    /// Undoing leads to the initial state.
    WrongUndo,
    /// Saving returns the loaded state, not the current one.
    StaleSave,
    TooLong,
    PanicsOnGarbage,
    /// Playouts depend on the other streams of the batch.
    EntangledPlayouts,
    /// A game with hidden information claims perfect information.
    ClaimsPerfect,
    /// The percepts of a player do not determine its legal moves.
    Unknowable,
}

/// A correct game with a fault.
struct Broken {
    game: Arc<dyn Game>,
    info: Info,
    symmetries: Vec<Symmetry>,
    fault: Fault,
}

impl Broken {
    fn new(name: &str, fault: Fault) -> Self {
        let game = native::find(name).unwrap();
        let mut info = game.info().clone();
        let mut symmetries = game.symmetries().to_vec();
        match fault {
            Fault::RewardTooHigh => info.rewards.1 = 99.0,
            Fault::RewardsDoNotAddUp => info.constant_sum = Some(101.0),
            Fault::TooLong => info.max_length = Some(4),
            Fault::ClaimsPerfect => info.information = Information::Perfect,
            Fault::WrongSymmetry => symmetries[0].moves.swap(0, 1),
            Fault::NoPermutation => symmetries[0].cells[0] = symmetries[0].cells[1],
            _ => {}
        }
        Broken { game, info, symmetries, fault }
    }
}

impl Game for Broken {
    fn info(&self) -> &Info {
        &self.info
    }
    fn worker(&self) -> Box<dyn Worker> {
        let mut worker = BrokenWorker {
            worker: self.game.worker(),
            info: self.info.clone(),
            fault: self.fault,
            lists: Vec::new(),
            weights: Vec::new(),
            start: Vec::new(),
            loaded: Vec::new(),
            asked: Cell::new(0),
        };
        worker.worker.save(&mut worker.start);
        worker.refresh();
        Box::new(worker)
    }
    fn text(&self) -> &dyn Text {
        self
    }
    fn board(&self) -> Option<&dyn Board> {
        self.game.board()
    }
    fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }
}

impl Text for Broken {
    fn move_text(&self, choice: Move) -> String {
        let text = self.game.text().move_text(choice);
        if self.fault == Fault::SameText { text.replace(" 3)", " 2)") } else { text }
    }
    fn parse_move(&self, role: Role, text: &str) -> Option<Move> {
        self.game.text().parse_move(role, text)
    }
    fn percept_text(&self, percept: Percept) -> String {
        self.game.text().percept_text(percept)
    }
    fn parse_percept(&self, text: &str) -> Option<Percept> {
        self.game.text().parse_percept(text)
    }
    fn state_text(&self, state: &[u64]) -> String {
        self.game.text().state_text(state)
    }
    fn parse_state(&self, text: &str) -> Option<Vec<u64>> {
        if self.fault == Fault::UnreadableState { None } else { self.game.text().parse_state(text) }
    }
}

struct BrokenWorker {
    worker: Box<dyn Worker>,
    info: Info,
    fault: Fault,
    /// For each role, its legal moves under the fault, in two orders.
    lists: Vec<[Vec<Move>; 2]>,
    weights: Vec<u32>,
    start: Vec<u64>,
    loaded: Vec<u64>,
    asked: Cell<usize>,
}

impl BrokenWorker {
    fn refresh(&mut self) {
        self.lists.clear();
        for role in self.info.all_roles() {
            let mut list = self.worker.legal(role).to_vec();
            if self.fault == Fault::TerminalWithMoves && list.is_empty() && role.0 == 1 {
                list.push(Move::IDLE);
            }
            if self.fault == Fault::Forgetful && !self.loaded.is_empty() && list.len() > 2 {
                list.pop();
            }
            let reversed = list.iter().rev().copied().collect();
            self.lists.push([list, reversed]);
        }
        self.weights = self.worker.weights().to_vec();
        match (self.fault, self.weights.last_mut()) {
            (Fault::ZeroWeight, Some(last)) => *last = 0,
            (Fault::MissingWeight, Some(_)) => drop(self.weights.pop()),
            _ => {}
        }
    }
}

impl Worker for BrokenWorker {
    fn info(&self) -> &Info {
        &self.info
    }
    fn reset(&mut self) {
        self.loaded.clear();
        self.worker.reset();
        self.refresh();
    }
    fn load(&mut self, state: &[u64], stop: &Stop) -> Result<(), Halt> {
        let result = self.worker.load(state, stop);
        assert!(result.is_ok() || self.fault != Fault::PanicsOnGarbage, "deliberate");
        self.loaded = state.to_vec();
        self.refresh();
        result
    }
    fn save(&self, out: &mut Vec<u64>) {
        self.worker.save(out);
        if self.fault == Fault::StaleSave && !self.loaded.is_empty() {
            out.clone_from(&self.loaded);
        }
    }
    fn terminal(&self) -> bool {
        self.worker.terminal()
    }
    fn legal(&self, role: Role) -> &[Move] {
        self.asked.set(self.asked.get() + 1);
        // The number of roles is even, so a whole round of queries must not restore the order.
        let order = self.asked.get() / self.info.roles.len() % 2;
        let order = if self.fault == Fault::UnstableLegal { order } else { 0 };
        self.lists.get(role.index()).map_or(&[], |lists| &lists[order])
    }
    fn weights(&self) -> &[u32] {
        &self.weights
    }
    fn step(&mut self, joint: &[Move], out: &mut Step, stop: &Stop) -> Result<(), Halt> {
        let result = self.worker.step(joint, out, stop);
        if self.fault == Fault::Unknowable && result.is_ok() {
            out.percepts.clear(self.info.roles.len());
        }
        self.refresh();
        match result {
            Err(Halt::IllegalMove { .. }) if self.fault == Fault::AcceptsIllegal => Ok(()),
            other => other,
        }
    }
    fn undo(&mut self) -> bool {
        let undone = self.worker.undo();
        if undone && self.fault == Fault::WrongUndo {
            self.worker.reset();
        }
        self.refresh();
        undone
    }
    fn goals(&self, role: Role, out: &mut Vec<f64>) {
        self.worker.goals(role, out);
    }
    fn playouts(&mut self, batch: &Batch<'_>, out: &mut Results, stop: &Stop) -> Result<(), Halt> {
        let entangled =
            if self.fault == Fault::EntangledPlayouts { batch.streams.len() } else { 0 };
        let seed = batch.seed + entangled as u64;
        one_by_one(self, &Batch { seed, ..*batch }, out, stop)
    }
}

fn report(name: &str, fault: Fault) -> Report {
    battery::check(&Broken::new(name, fault), &Options::default())
}

#[test]
fn a_wrapper_without_fault_passes() {
    for (name, _, _) in native::all() {
        let report = report(name, Fault::None);
        assert!(report.passed() && report.warnings.is_empty(), "{report}");
    }
}

#[test]
fn each_fault_is_found_by_its_check() {
    let cases = [
        ("tictactoe", Fault::UnstableLegal, "state"),
        ("tictactoe", Fault::Forgetful, "state"),
        ("tictactoe", Fault::SameText, "text"),
        ("tictactoe", Fault::UnreadableState, "text"),
        ("2048", Fault::ZeroWeight, "weights"),
        ("2048", Fault::MissingWeight, "weights"),
        ("tictactoe", Fault::RewardTooHigh, "rewards"),
        ("nim-3-4-5", Fault::RewardsDoNotAddUp, "rewards"),
        ("tictactoe", Fault::WrongSymmetry, "symmetry"),
        ("2048", Fault::WrongSymmetry, "symmetry"),
        ("tictactoe", Fault::NoPermutation, "symmetry"),
        ("tictactoe", Fault::TerminalWithMoves, "terminal"),
        ("kuhn-poker", Fault::AcceptsIllegal, "refusal"),
        ("nim-3-4-5", Fault::WrongUndo, "state"),
        ("nim-3-4-5", Fault::StaleSave, "state"),
        ("tictactoe", Fault::TooLong, "length"),
        ("monty-hall", Fault::PanicsOnGarbage, "garbage"),
        ("tictactoe", Fault::EntangledPlayouts, "playouts"),
        ("kuhn-poker", Fault::ClaimsPerfect, "percepts"),
    ];
    for (name, fault, check) in cases {
        let report = report(name, fault);
        let found = report.failures.iter().any(|finding| finding.check == check);
        assert!(found, "{fault:?} in {name} was not found by {check}:\n{report}");
    }
}

#[test]
fn unknowable_legal_moves_are_a_warning() {
    let report = report("kuhn-poker", Fault::Unknowable);
    assert!(report.passed(), "{report}");
    assert!(report.warnings.iter().any(|finding| finding.check == "knowledge"), "{report}");
}

#[test]
fn a_report_says_what_is_wrong_and_where() {
    let text = report("tictactoe", Fault::TerminalWithMoves).to_string();
    assert!(text.contains("the state is terminal, but o has legal moves"), "{text}");
    assert!(text.contains("in ((cell 1 1 "), "{text}");
}
