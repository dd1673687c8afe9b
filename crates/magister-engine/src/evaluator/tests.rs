//! Compares networks with the reference interpreter, on small games that show every feature of the
//! languages, and runs the battery.

use std::sync::Arc;

use magister_core::{
    Batch, Detail, Game, Halt, Move, Observation, Results, Role, Seed, Step, Stop, Stream,
    Text as _, Tried, Tries, Turn, battery,
};
use magister_gdl::{Options, read};

use super::{NetworkGame, Playouts};
use crate::grounder::{GroundLimits, ground};
use crate::network::{GdlNetwork, NetworkLimits};
use crate::{Evaluator, Program, ReferenceGame};

const TOSS: &str = "(role you) (role random) (init (step 1))
    (<= (legal you (guess ?s)) (side ?s) (true (step 1))) (side heads) (side tails)
    (<= (legal you noop) (true (step 2)))
    (<= (legal random (toss ?s)) (side ?s)) (legal random (toss edge))
    (<= (next (won)) (does you (guess ?s)) (does random (toss ?s)))
    (<= (next (won)) (true (won))) (<= (next (step 2)) (true (step 1)))
    (<= (next (step 3)) (true (step 2)))
    (<= (sees you ?s) (does random (toss ?s)) (true (step 1)))
    (<= (sees random hello) (does you ?m))
    (<= terminal (true (step 3)))
    (<= (goal you 100) (true (won))) (<= (goal you 0) (not (true (won))))";

const LIGHTS: &str = "role(left) role(right) init(control(left)) init(lamp(1)) init(step(0))
    succ(0,1) succ(1,2) succ(2,3) succ(3,4)
    legal(push(X)) :- spot(X) & ~lamp(X)
    legal(wait)
    spot(1) spot(2) spot(3)
    push(X) :: lamp(Y) & distinct(X,Y) ==> ~lamp(Y) & lamp(X)
    push(X) :: turn
    wait :: turn
    turn :: control(left) ==> ~control(left) & control(right)
    turn :: control(right) ==> ~control(right) & control(left)
    turn :: step(M) & succ(M,N) ==> ~step(M) & step(N)
    goal(R,100) :- lamp(3)
    goal(left,40) :- ~lamp(3)
    terminal :- step(4)";

/// A path through a ring, with a cyclic recursive view.
const RING: &str = "(role walker) (init (at a)) (init (bridge b c)) (init (left 4))
    (edge a b) (edge c d) (edge d a) (less 4 3) (less 3 2) (less 2 1) (less 1 0)
    (<= (link ?x ?y) (edge ?x ?y)) (<= (link ?x ?y) (true (bridge ?x ?y)))
    (<= (reach ?x ?y) (link ?x ?y)) (<= (reach ?x ?z) (reach ?x ?y) (link ?y ?z))
    (<= (legal walker (go ?y)) (true (at ?x)) (link ?x ?y))
    (<= (legal walker burn) (true (bridge ?x ?y)))
    (<= (legal walker stay) (true (at ?x)) (not (reach ?x ?x)))
    (<= (legal walker stay) (true (at b)) (reach b b))
    (<= (next (at ?y)) (does walker (go ?y)))
    (<= (next (at ?x)) (true (at ?x)) (not moving))
    (<= moving (does walker (go ?y)))
    (<= (next (bridge ?x ?y)) (true (bridge ?x ?y)) (not (does walker burn)))
    (<= (next (left ?m)) (true (left ?n)) (less ?n ?m))
    (<= terminal (true (left 0))) (<= terminal (true (at b)) (not (reach b b)))
    (<= (goal walker 100) (true (at ?x)) (reach ?x ?x))
    (<= (goal walker 0) (true (at ?x)) (not (reach ?x ?x)))";

/// Two players who take turns; each wants two neighbouring cells, and a player that cannot place
/// anything passes.
const ROW: &str = "(role x) (role o) (init (control x)) (init (cell 1 b)) (init (cell 2 b))
    (init (cell 3 b)) (init (cell 4 b)) (init (cell 5 b)) (succ 1 2) (succ 2 3) (succ 3 4)
    (succ 4 5) (other x o) (other o x)
    (<= (legal ?p (put ?n)) (true (control ?p)) (true (cell ?n b)) (not (beside ?p ?n)))
    (<= (beside o ?n) (succ ?n ?m) (true (cell ?m x)))
    (<= (can ?p) (legal ?p (put ?n)))
    (<= (legal ?p pass) (true (control ?p)) (not (can ?p)))
    (<= (legal ?p pass) (true (control ?q)) (other ?p ?q))
    (<= (next (cell ?n ?p)) (does ?p (put ?n)))
    (<= (next (cell ?n ?c)) (true (cell ?n ?c)) (not (put ?n)))
    (<= (put ?n) (does ?p (put ?n)))
    (<= (next (control ?p)) (true (control ?q)) (other ?p ?q))
    (<= (line ?p) (role ?p) (succ ?m ?n) (true (cell ?m ?p)) (true (cell ?n ?p)))
    (<= open (true (cell ?n b)))
    (<= terminal (line ?p)) (<= terminal (not open))
    (<= (goal ?p 100) (line ?p)) (<= (goal ?p 0) (role ?p) (not (line ?p)))";

/// If chance draws one of the outcomes, the rules fail: `you` has no legal move.
const TRAP: &str = "(role you) (role random) (init (at start))
    (<= (legal you go) (true (at start))) (<= (legal you (say ?x)) (true (at right)) (word ?x))
    (word yes) (word no) (<= (legal random (to ?x)) (place ?x)) (place right) (place wrong)
    (<= (next (at ?x)) (true (at start)) (does random (to ?x)))
    (<= (next (at ended)) (true (at right)))
    (<= (sees you hello) (true (at start)))
    (<= terminal (true (at ended))) (goal you 100)";

fn games(text: &str) -> Vec<NetworkGame> {
    let rules = read(text, &Options::default()).rules;
    let program = Arc::new(Program::new(&rules, text).expect("a game"));
    let grounded = ground(&program, &GroundLimits::default(), &Stop::never()).expect("grounds");
    let network =
        GdlNetwork::new(&grounded, &NetworkLimits::default(), &Stop::never()).expect("fits");
    let network = Arc::new(network);
    let methods = [Evaluator::Sweep, Evaluator::Incremental, Evaluator::Code, Evaluator::Batch];
    let mut games: Vec<NetworkGame> = methods
        .map(|method| NetworkGame::new(&program, Arc::clone(&network), method, text, "test"))
        .map(|game| game.expect("it can start"))
        .into();
    let again = NetworkGame::new(&program, Arc::clone(&network), Evaluator::Sweep, text, "test");
    games.push(again.expect("it can start").playing_by(Playouts::Measured));
    games
}

#[test]
fn networks_pass_the_battery() {
    for text in [TOSS, LIGHTS, RING, ROW] {
        for game in games(text) {
            battery::assert_game(game.game());
        }
    }
}

/// Random walks in lockstep: every answer as text must be equal.
#[test]
fn networks_agree_with_the_reference() {
    for text in [TOSS, LIGHTS, RING, ROW] {
        let rules = read(text, &Options::default()).rules;
        let judge = ReferenceGame::new(&rules, text, "judge").expect("a game");
        for game in games(text) {
            for walk in 0..40 {
                let mut rng = Seed::from(walk).rng();
                let (mut a, mut b) = (judge.worker(), game.worker());
                let (mut seen_a, mut seen_b) = (Step::new(), Step::new());
                loop {
                    let (mut words_a, mut words_b) = (Vec::new(), Vec::new());
                    a.save(&mut words_a);
                    b.save(&mut words_b);
                    assert_eq!(judge.state_text(&words_a), game.state_text(&words_b));
                    assert_eq!(a.terminal(), b.terminal());
                    let (mut joint_a, mut joint_b) = (Vec::new(), Vec::new());
                    for role in judge.info().all_roles() {
                        let texts = |g: &dyn Game, list: &[magister_core::Move]| -> Vec<String> {
                            list.iter().map(|&m| g.text().move_text(m)).collect()
                        };
                        assert_eq!(texts(&judge, a.legal(role)), texts(game.game(), b.legal(role)));
                        let (mut goals_a, mut goals_b) = (Vec::new(), Vec::new());
                        a.goals(role, &mut goals_a);
                        b.goals(role, &mut goals_b);
                        goals_a.sort_by(f64::total_cmp);
                        goals_b.sort_by(f64::total_cmp);
                        assert_eq!(goals_a, goals_b);
                        if !a.terminal() {
                            let pick = rng.below(a.legal(role).len() as u64) as usize;
                            joint_a.push(a.legal(role)[pick]);
                            joint_b.push(b.legal(role)[pick]);
                        }
                    }
                    if a.terminal() {
                        break;
                    }
                    a.step(&joint_a, &mut seen_a, &Stop::never()).expect("legal");
                    b.step(&joint_b, &mut seen_b, &Stop::never()).expect("legal");
                    for role in judge.info().all_roles() {
                        let mut ours: Vec<String> = seen_b
                            .percepts
                            .of(role)
                            .iter()
                            .map(|&p| game.percept_text(p))
                            .collect();
                        let mut theirs: Vec<String> = seen_a
                            .percepts
                            .of(role)
                            .iter()
                            .map(|&p| judge.percept_text(p))
                            .collect();
                        ours.sort();
                        theirs.sort();
                        assert_eq!(ours, theirs);
                    }
                }
            }
        }
    }
}

#[test]
fn undo_goes_back_step_by_step() {
    for game in games(LIGHTS) {
        let mut worker = game.worker();
        let mut states = Vec::new();
        let mut step = Step::new();
        while !worker.terminal() {
            let mut words = Vec::new();
            worker.save(&mut words);
            states.push(words);
            let joint: Vec<_> =
                (0..2).map(|role| *worker.legal(Role(role)).last().expect("a move")).collect();
            worker.step(&joint, &mut step, &Stop::never()).expect("legal");
        }
        while let Some(before) = states.pop() {
            assert!(worker.undo());
            let mut words = Vec::new();
            worker.save(&mut words);
            assert_eq!(words, before);
        }
        assert!(!worker.undo());
    }
}

/// In an unreachable state, the assumptions of a per-player network need not hold.
#[test]
fn strange_states_run_on_the_whole_network() {
    for game in games(ROW) {
        assert_eq!(game.network().per_player.len(), 2, "x and o take turns");
        let facts = "((control x) (cell 1 x) (cell 2 x) (cell 3 b) (cell 4 o) (cell 5 b))";
        let state = game.parse_state(facts).expect("a state");
        let mut worker = game.worker();
        worker.load(&state, &Stop::never()).expect("a state");
        assert!(worker.terminal(), "x has a line although x is to move");
        let mut goals = Vec::new();
        worker.goals(Role(0), &mut goals);
        assert_eq!(goals, [100.0]);
        let streams = [Stream { id: 1, start: &state, quota: 40 }];
        let batch = Batch { seed: 1, streams: &streams, max_steps: 9, detail: Detail::Sums };
        let mut results = Results::default();
        worker.playouts(&batch, &mut results, &Stop::never()).expect("playouts end at once");
        let tally = &results.streams[0];
        assert_eq!((tally.finished, tally.steps, tally.sum[0]), (40, 0, 4000.0));
        worker.reset();
        assert_eq!(worker.legal(Role(0)).len(), 5);
    }
}

/// Streams may start in either player's turn.
#[test]
fn batches_are_the_same_from_every_phase() {
    let games = games(ROW);
    let mut states = Vec::new();
    let mut worker = games[0].worker();
    let mut step = Step::new();
    for _ in 0..3 {
        let mut words = Vec::new();
        worker.save(&mut words);
        states.push(words);
        let joint: Vec<_> = (0..2).map(|role| worker.legal(Role(role))[0]).collect();
        worker.step(&joint, &mut step, &Stop::never()).expect("legal");
    }
    for order in [[0, 1, 2, 1], [1, 1, 1, 1], [1, 0, 0, 2]] {
        let streams: Vec<Stream<'_>> = (0..40)
            .map(|id| Stream { id, start: &states[order[id as usize % 4]], quota: id as u32 * 3 })
            .collect();
        for detail in [Detail::Sums, Detail::PerPlayout, Detail::Moves] {
            let batch = Batch { seed: 5, streams: &streams, max_steps: 4, detail };
            let mut all: Vec<Results> = Vec::new();
            for game in &games {
                let mut results = Results::default();
                game.worker().playouts(&batch, &mut results, &Stop::never()).expect("played");
                all.push(results);
            }
            assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{detail:?}");
        }
    }
}

/// All methods of trying steps, in all dialects.
#[test]
fn steps_are_tried_alike() {
    for text in [TOSS, LIGHTS, RING, ROW] {
        let different = crate::agree::tries(&games(text)[0], &Stop::never());
        assert_eq!(different.as_ref().map(Vec::len), Ok(0), "{different:?}");
    }
}

#[test]
fn steps_at_which_the_rules_fail_do_not_agree() {
    for game in games(TRAP) {
        let mut worker = game.worker();
        let (mut start, mut out) = (Vec::new(), Tried::default());
        worker.save(&mut start);
        let starts: Vec<&[u64]> = vec![&start; 1000];
        let own = worker.legal(Role(0))[0];
        let hello = game.parse_percept("hello").expect("a percept");
        let turn = Turn { own, seen: Observation::Percepts([hello].into()) };
        let tries = Tries { seed: 1, first: 0, starts: &starts, role: Role(0), turn: &turn };
        assert_eq!(worker.tries(&tries, &mut out, &Stop::never()), Ok(true));
        assert!(out.places.len().abs_diff(500) < 100, "{}", out.places.len());
        let right = game.parse_move(Role(1), "(to right)").expect("a move");
        assert!(out.joints.chunks(2).all(|joint| joint == [own, right]));
        // No percept, an impossible percept, too many percepts.
        for seen in [vec![], vec![magister_core::Percept(9)], vec![hello, hello]] {
            let turn = Turn { own, seen: Observation::Percepts(seen.into()) };
            assert_eq!(
                worker.tries(&Tries { turn: &turn, ..tries }, &mut out, &Stop::never()),
                Ok(true)
            );
            assert_eq!(out.places.len(), 0);
        }
    }
}

#[test]
fn unusual_requests_for_tries_are_answered() {
    for game in games(TOSS) {
        let mut worker = game.worker();
        let (mut first, mut second, mut out) = (Vec::new(), Vec::new(), Tried::default());
        worker.save(&mut first);
        let guess = worker.legal(Role(0))[0];
        let joint = [guess, worker.legal(Role(1))[0]];
        worker.step(&joint, &mut Step::new(), &Stop::never()).expect("legal");
        worker.save(&mut second);
        let starts = [&first[..], &second, &first, &second];
        let heads = game.parse_percept("heads").expect("a percept");
        let turn = Turn { own: guess, seen: Observation::Percepts([heads].into()) };
        let role = Role(0);
        let mut some = 0;
        for seed in 0..20 {
            let tries = Tries { seed, first: 7, starts: &starts, role, turn: &turn };
            assert_eq!(worker.tries(&tries, &mut out, &Stop::never()), Ok(true));
            assert!(out.places.iter().all(|place| place % 2 == 0), "not legal in the others");
            some += out.places.len();
        }
        assert!(some > 2 && some < 30, "one of three tosses: {some} of 40");
        let tries = Tries { seed: 1, first: 7, starts: &starts, role, turn: &turn };
        for own in [Move(77), Move::IDLE, Move(u32::MAX - 1)] {
            let turn = Turn { own, ..turn.clone() };
            let tries = Tries { turn: &turn, ..tries };
            assert_eq!(worker.tries(&tries, &mut out, &Stop::never()), Ok(true));
            assert_eq!(out, Tried::default());
        }
        for seen in [vec![], vec![guess], vec![guess; 3], vec![Move::IDLE; 2]] {
            let turn = Turn { own: guess, seen: Observation::Joint(seen.into()) };
            let tries = Tries { turn: &turn, ..tries };
            assert_eq!(worker.tries(&tries, &mut out, &Stop::never()), Ok(true));
            assert_eq!(out, Tried::default());
        }
        assert_eq!(
            worker.tries(&Tries { starts: &[], ..tries }, &mut out, &Stop::never()),
            Ok(true)
        );
        assert_eq!(out, Tried::default());
        let nobody = Tries { role: Role(9), ..tries };
        assert_eq!(worker.tries(&nobody, &mut out, &Stop::never()), Ok(true));
        assert_eq!(out, Tried::default());
        for bad in [&[][..], &[0; 9], &[u64::MAX], &[0]] {
            let starts = [&first[..], bad];
            let tries = Tries { starts: &starts, ..tries };
            let halt = worker.tries(&tries, &mut out, &Stop::never());
            assert_eq!(halt, Err(Halt::BadState), "{bad:?}");
        }
        let stop = Stop::new();
        stop.set();
        assert_eq!(worker.tries(&tries, &mut out, &stop), Err(Halt::Stopped));
    }
}
