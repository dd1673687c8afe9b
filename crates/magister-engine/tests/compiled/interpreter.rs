//! An independent back end that runs batch programs word by word, 64 games at once, written from
//! the documentation alone. It plays the same games as the evaluators.

use std::sync::Arc;

use magister_core::playout::{LANES, numbers, pick};
use magister_core::{Batch, Detail, Game, Payment, Results, Stop, Stream};
use magister_engine::batch::{BatchProgram, Gate, Signal, StepProgram};
use magister_engine::compiled::Compiled;
use magister_engine::evaluator::CompiledGame;
use magister_engine::network::FluentId;
use magister_engine::{Evaluator, prepare};
use magister_gdl::{Options, read};

use crate::slide::Slide;

const SEED: u64 = 0x0123_4567_89ab_cdef;
const MOST: u32 = 300;

/// The result of the single playout of a lane.
#[derive(Clone, Default, PartialEq, Debug)]
struct Lane {
    steps: u32,
    finished: bool,
    rewards: Vec<Option<f64>>,
}

struct Machine<'a> {
    program: &'a BatchProgram,
    wires: Vec<u64>,
}

impl Machine<'_> {
    fn read(&self, signal: Signal) -> u64 {
        let word = self.wires[signal.wire as usize];
        if signal.negated { !word } else { word }
    }

    fn run(&mut self, gates: &[Gate]) {
        for gate in gates {
            let [a, b, c] = [gate.a, gate.b, gate.c].map(|wire| self.wires[wire as usize]);
            self.wires[gate.out as usize] = gate.operation.apply(a, b, c);
        }
    }

    /// The step to run; all lanes are in the same phase.
    fn step(&self, alive: u64) -> usize {
        let turn = |&(fluent, negated): &(FluentId, bool)| {
            let word = self.read(Signal { wire: fluent.index() as u32 + 1, negated });
            word & alive == alive
        };
        self.program.turns.iter().position(turn).unwrap_or(0)
    }

    /// Makes the choices of a sweep with two streams of 32 lanes each.
    fn choose(&mut self, step: &StepProgram, streams: [u64; 2], sweep: u64) {
        for choice in &step.choices {
            for wire in choice.number.clone() {
                self.wires[wire as usize] = 0;
            }
            for lane in 0..64 {
                let bit = |wire: u32| self.wires[wire as usize] >> lane & 1;
                let draw = choice.draws.iter().position(|&mask| bit(mask) == 1).unwrap();
                let count: u64 =
                    choice.count.iter().enumerate().map(|(n, &wire)| bit(wire) << n).sum();
                let all = numbers(SEED, streams[lane / LANES], sweep, draw as u8);
                let number = pick(all[lane % LANES], count as usize) as u64;
                for (digit, wire) in choice.number.clone().enumerate() {
                    self.wires[wire as usize] |= (number >> digit & 1) << lane;
                }
            }
        }
    }
}

/// Plays one playout in each of 64 lanes.
fn play(game: &CompiledGame, streams: [u64; 2]) -> Vec<Lane> {
    let program = game.batch_program();
    let info = game.info();
    let most = program.steps.iter().map(|step| step.wires).max().unwrap();
    let mut machine = Machine { program: &program, wires: vec![0; most as usize] };
    machine.wires[0] = !0;
    for (fluent, &holds) in program.initial.iter().enumerate() {
        machine.wires[fluent + 1] = if holds { !0 } else { 0 };
    }
    let mut lanes = vec![Lane::default(); 64];
    let mut gains = vec![vec![0.0; program.roles]; 64];
    let mut alive = !0u64;
    for sweep in 0.. {
        let step = &program.steps[machine.step(alive)];
        machine.run(&step.legal_gates);
        let over = machine.wires[step.terminal as usize];
        let ending = if sweep == u64::from(MOST) { alive } else { over & alive };
        machine.run(&step.goal_gates);
        for (lane, played) in lanes.iter_mut().enumerate().filter(|(l, _)| ending >> l & 1 == 1) {
            *played = Lane {
                steps: sweep as u32,
                finished: over >> lane & 1 == 1,
                rewards: (0..program.roles)
                    .map(|role| {
                        if info.chance.is_some_and(|chance| chance.index() == role) {
                            return None;
                        }
                        if info.payment == Payment::OnTheWay {
                            return Some(gains[lane][role]);
                        }
                        let paid = step.rewards.iter().find(|(whose, _, wire)| {
                            whose.index() == role && machine.wires[*wire as usize] >> lane & 1 == 1
                        });
                        paid.filter(|_| over >> lane & 1 == 1).map(|&(_, value, _)| value)
                    })
                    .collect(),
            };
        }
        alive &= !ending;
        if alive == 0 {
            break;
        }
        assert_eq!(machine.wires[step.stuck as usize] & alive, 0, "no lane is stuck");
        machine.choose(step, streams, sweep);
        machine.run(&step.next_gates);
        for (role, _) in info.roles.iter().enumerate() {
            let made = program.moves.iter().zip(&step.made).filter(|((r, _), _)| r.index() == role);
            let mut any = 0;
            for (at, (_, wire)) in made.enumerate() {
                let Some(wire) = *wire else { continue };
                let word = machine.wires[wire as usize] & alive;
                assert_eq!(any & word, 0, "a role has two moves, the second is {at}");
                any |= word;
            }
        }
        for &(role, value, wire) in &step.gains {
            let word = machine.wires[wire as usize] & alive;
            for lane in (0..64).filter(|lane| word >> lane & 1 == 1) {
                gains[lane][role.index()] += value;
            }
        }
        machine.run(&step.percept_gates);
        let next: Vec<u64> = step.next.iter().map(|&signal| machine.read(signal)).collect();
        machine.wires[1..=next.len()].copy_from_slice(&next);
    }
    lanes
}

fn assert_plays(game: &CompiledGame) {
    let mut start = Vec::new();
    game.worker().save(&mut start);
    for streams in [[0, 1], [77, u64::MAX]] {
        let all = streams.map(|id| Stream { id, start: &start, quota: LANES as u32 });
        let batch =
            Batch { seed: SEED, streams: &all, max_steps: MOST, detail: Detail::PerPlayout };
        let mut results = Results::default();
        game.worker().playouts(&batch, &mut results, &Stop::never()).unwrap();
        let lanes = play(game, streams);
        let roles = game.info().roles.len();
        for (tally, lanes) in results.streams.iter().zip(lanes.chunks(LANES)) {
            let playouts = tally.playouts.iter().zip(tally.rewards.chunks(roles));
            for ((playout, rewards), lane) in playouts.zip(lanes) {
                let expected = Lane {
                    steps: playout.steps,
                    finished: playout.finished,
                    rewards: rewards.to_vec(),
                };
                assert_eq!(*lane, expected, "{}", game.info().name);
            }
        }
    }
}

fn built(compiled: Compiled) -> CompiledGame {
    CompiledGame::new(Arc::new(compiled), Evaluator::Sweep).unwrap()
}

#[test]
fn games_built_gate_by_gate() {
    assert_plays(&built(crate::nim::build(true)));
    assert_plays(&built(crate::nim::build(false)));
    assert_plays(&built(crate::slide::build(Slide { side: 2, largest: 5 })));
    assert_plays(&built(crate::slide::build(Slide { side: 3, largest: 3 })));
}

/// A game of turns with two programs, a simultaneous game with chance, and a game in which a role
/// may have to pass.
const GDL: &[&str] = &[
    "(role x) (role o) (init (control x)) (init (cell 1 b)) (init (cell 2 b)) (init (cell 3 b))
     (init (cell 4 b)) (succ 1 2) (succ 2 3) (succ 3 4) (other x o) (other o x)
     (<= (legal ?p (put ?n)) (true (control ?p)) (true (cell ?n b)))
     (<= (legal ?p noop) (true (control ?q)) (other ?p ?q))
     (<= (next (cell ?n ?p)) (does ?p (put ?n)))
     (<= (next (cell ?n ?c)) (true (cell ?n ?c)) (not (put ?n))) (<= (put ?n) (does ?p (put ?n)))
     (<= (next (control ?p)) (true (control ?q)) (other ?p ?q))
     (<= (line ?p) (role ?p) (succ ?m ?n) (true (cell ?m ?p)) (true (cell ?n ?p)))
     (<= open (true (cell ?n b))) (<= terminal (line ?p)) (<= terminal (not open))
     (<= (goal ?p 100) (line ?p)) (<= (goal ?p 0) (role ?p) (not (line ?p)))",
    "(role you) (role random) (init (step 1))
     (<= (legal you (guess ?s)) (side ?s) (true (step 1))) (side heads) (side tails)
     (<= (legal you noop) (true (step 2)))
     (<= (legal random (toss ?s)) (side ?s)) (legal random (toss edge))
     (<= (next (won)) (does you (guess ?s)) (does random (toss ?s)))
     (<= (next (won)) (true (won))) (<= (next (step 2)) (true (step 1)))
     (<= (next (step 3)) (true (step 2)))
     (<= (sees you ?s) (does random (toss ?s)) (true (step 1)))
     (<= terminal (true (step 3)))
     (<= (goal you 100) (true (won))) (<= (goal you 0) (not (true (won))))",
];

#[test]
fn games_from_rules() {
    for text in GDL {
        let rules = read(text, &Options::default()).rules;
        let never = Stop::never();
        let prepared = prepare(&rules, text, "rules", Some(Evaluator::Sweep), &never).unwrap();
        assert_plays(prepared.network.as_ref().unwrap());
    }
}
