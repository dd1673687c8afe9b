//! A step of a playout allocates nothing once the buffers have grown, nor does the observation of a
//! state.
//!
//! This file has only one test, because the allocator counts for the whole process.

// An allocator cannot be written without `unsafe`.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use magister_core::{Game, Move, Role, Seed, StateObserver, Step, Stop, Worker, draw};
use magister_engine::Evaluator;
use magister_games::{catalogue, native};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: all calls are passed on unchanged to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Plays the same random game, with all queries that a search would make.
fn play(worker: &mut dyn Worker, start: &[u64], buffers: &mut Buffers) -> u32 {
    let mut rng = Seed::from(3).rng();
    let chance = worker.info().chance;
    let roles = worker.info().roles.len();
    worker.load(start, &Stop::never()).unwrap();
    let mut steps = 0;
    while !worker.terminal() {
        buffers.joint.clear();
        for role in (0..roles).map(|role| Role(role as u8)) {
            let weights = if chance == Some(role) { worker.weights() } else { &[] };
            buffers.joint.push(draw(worker.legal(role), weights, &mut rng).unwrap());
            worker.goals(role, &mut buffers.goals);
        }
        worker.save(&mut buffers.state);
        worker.step(&buffers.joint, &mut buffers.step, &Stop::never()).unwrap();
        assert!(worker.undo());
        worker.step(&buffers.joint, &mut buffers.step, &Stop::never()).unwrap();
        steps += 1;
    }
    steps
}

#[derive(Default)]
struct Buffers {
    joint: Vec<Move>,
    goals: Vec<f64>,
    state: Vec<u64>,
    step: Step,
}

/// Bundled rulesheets of all kinds.
const BUNDLED: [&str; 8] = [
    "tictactoe",
    "connect-four",
    "blind-tictactoe",
    "exploding-bomb",
    "monty-hall",
    "rock-paper-scissors",
    "buttonsandlights",
    // A game with thousands of moves.
    "amazons-6x6",
];

/// Games written in Rust, and bundled rulesheets on every evaluator except the reference
/// interpreter.
fn games() -> Vec<(String, Arc<dyn Game>)> {
    let mut all: Vec<(String, Arc<dyn Game>)> =
        native::all().into_iter().map(|(name, _, make)| (format!("rust:{name}"), make())).collect();
    for entry in BUNDLED.iter().filter_map(|name| catalogue::find(name)) {
        let source = magister::Options::default().find(entry.name).expect("a bundled game");
        for evaluator in
            [Evaluator::Incremental, Evaluator::Sweep, Evaluator::Code, Evaluator::Datalog]
        {
            let playable = source.prepare(Some(evaluator));
            // Not every machine supports machine code.
            if evaluator == Evaluator::Code && playable.is_err() {
                continue;
            }
            let game = playable.expect("all evaluators take bundled games").game;
            all.push((format!("{} {evaluator}", entry.name), game));
        }
    }
    let evaluator = Some(Evaluator::Datalog);
    let options = magister::Options { evaluator, ..magister::Options::default() };
    let counting = options.open_text("counting", SHEET).expect("it takes every game");
    all.push(("counting datalog".to_owned(), counting.game));
    all
}

/// Operations, builtins and aggregates, which no bundled rulesheet has together.
const SHEET: &str = "role(you)\nrole(me)\ninit(control(you))\ninit(count(0))\n\
    init(cell(1,b))\ninit(cell(2,b))\ninit(cell(3,b))\ninit(cell(4,b))\n\
    legal(mark(X)) :- cell(X,b)\n\
    mark(X) :: control(R) & other(R,S) ==> ~control(R) & control(S)\n\
    mark(X) :: control(R) ==> ~cell(X,b) & cell(X,R) & step\n\
    step :: count(N) & evaluate(plus(N,1),M) ==> ~count(N) & count(M)\n\
    other(you,me)\nother(me,you)\n\
    goal(R,V) :- role(R) & countofall(X,cell(X,R),N) & evaluate(times(N,20),V)\n\
    terminal :- ~open\nopen :- setofall(X,cell(X,b),L) & distinct(L,nil)\n";

#[test]
fn no_allocation_per_step() {
    for (name, game) in games() {
        let mut worker = game.worker();
        let mut start = Vec::new();
        worker.save(&mut start);
        let mut buffers = Buffers::default();
        let warm = play(&mut *worker, &start, &mut buffers);
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let steps = play(&mut *worker, &start, &mut buffers);
        let after = ALLOCATIONS.load(Ordering::Relaxed);
        assert_eq!(after - before, 0, "{name} allocates");
        assert!(steps > 0 && steps == warm, "{name}");
        let observer = StateObserver::new(&game);
        // Hashed terms must be written as text first.
        if observer.tensors().range("terms").is_none() {
            let mut row = vec![0.0; observer.tensors().len()];
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            observer.write(&buffers.state, &mut row);
            let after = ALLOCATIONS.load(Ordering::Relaxed);
            assert_eq!(after - before, 0, "the observation of {name} allocates");
        }
    }
}
