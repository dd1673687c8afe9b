//! A step of a card game does not allocate once the buffers have grown.
//!
//! This file has only one test, because the allocator counts for the whole process.

// An allocator cannot be written without `unsafe`.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use magister_core::{Game, Move, Seed, Step, Stop, Worker, draw};
use magister_recycle::{Options, examine};

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

const GAME: &str = "
(game
  (setup (create players 3)
    (create deck (game iloc STOCK) (deck (RANK (LOW, MID, TOP)) (SUIT (SUN, MOON, STAR)))))
  (do ((shuffle (game iloc STOCK))
       (all player 'P (repeat 3 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
  (stage player (end (all player 'P (== (size ('P iloc HAND)) 0)))
    (stage player (end (all player 'P (== (size ('P vloc TRICK)) 1)))
      (choice (
        (any ((current player) iloc HAND) 'C
          (do ((move 'C (top ((current player) vloc TRICK)))
               (set (game str LEAD) (cardatt SUIT 'C)))))
        ((> (size ((current player) iloc HAND)) 1)
         (any (filter (subsets ((current player) iloc HAND)) 'S (== (size 'S) 1)) 'T
          (all 'T 'D (move 'D (top ((current player) vloc TRICK)))))))))
    (do ((set (game points ORDER) (((SUIT : (game str LEAD)) 10) ((RANK : TOP) 3) ((RANK : MID) 2)))
         (cycle next (owner (max (union (all player 'P ('P vloc TRICK))) using (game points ORDER))))
         (inc ((next player) sto WON) 1)
         (all player 'P (move (top ('P vloc TRICK)) (top (game vloc DONE)))))))
  (scoring max ((current player) sto WON)))";

/// Plays the same random game, with all queries that a search would make.
fn play(worker: &mut dyn Worker, start: &[u64], buffers: &mut Buffers) {
    let mut rng = Seed::from(3).rng();
    let chance = worker.info().chance;
    worker.load(start, &Stop::never()).unwrap();
    while !worker.terminal() {
        buffers.joint.clear();
        for role in worker.info().all_roles() {
            let weights = if chance == Some(role) { worker.weights() } else { &[] };
            buffers.joint.push(draw(worker.legal(role), weights, &mut rng).unwrap());
            worker.goals(role, &mut buffers.goals);
        }
        worker.save(&mut buffers.state);
        worker.step(&buffers.joint, &mut buffers.step, &Stop::never()).unwrap();
    }
}

#[derive(Default)]
struct Buffers {
    joint: Vec<Move>,
    step: Step,
    state: Vec<u64>,
    goals: Vec<f64>,
}

#[test]
fn a_step_does_not_allocate() {
    let game = examine("tricks", GAME, &Options::default()).game.expect("a game");
    let mut worker = game.worker();
    let mut start = Vec::new();
    let mut buffers = Buffers::default();
    worker.save(&mut start);
    let mut count = || {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        play(&mut *worker, &start, &mut buffers);
        ALLOCATIONS.load(Ordering::Relaxed) - before
    };
    assert!(count() > 0, "the first game makes the buffers grow");
    count();
    // The test harness may allocate at the same time; a step that allocates would do so in every
    // game.
    let fewest = (0..5).map(|_| count()).min();
    assert_eq!(fewest, Some(0));
}
