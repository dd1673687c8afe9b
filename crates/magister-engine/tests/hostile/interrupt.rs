//! Stop flags that are set at an unfavourable moment.

use std::sync::Arc;
use std::time::{Duration, Instant};

use magister_core::playout::{Batch, Detail, Results, Stream};
use magister_core::{Halt, Role, Seed, Step, Stop, Worker};
use magister_engine::explain::{Extent, Scene};
use magister_engine::{Error, Evaluator, Explainer, Program, coverage, prepare};

use super::sheets::{ENDLESS, digits, exploding, heavy_step, pigeons, wide};
use super::watch::watch;
use super::{game, rules};

/// The longest time from the flag to the end of an evaluation.
const SOON: Duration = Duration::from_secs(2);

/// Sets a flag after a delay and asserts that the work ends soon afterwards.
fn interrupted<T>(what: &str, work: impl FnOnce(&Stop) -> T) -> T {
    let stop = Stop::new();
    let flag = stop.clone();
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        flag.set();
        Instant::now()
    });
    let result = work(&stop);
    let set = setter.join().expect("the setter does not panic");
    assert!(stop.is_set(), "{what} ended by itself");
    let late = Instant::now().saturating_duration_since(set);
    eprintln!("{what}: {late:.2?} after the flag was set");
    assert!(late < SOON, "{what}: {late:?}");
    result
}

#[test]
fn preparation_can_be_interrupted() {
    let watch = watch();
    let stopped =
        |error: &Error| matches!(error, Error::Halt(Halt::Stopped) | Error::Network(Halt::Stopped));
    for text in [exploding(), pigeons()] {
        let rules = rules(&text);
        for evaluator in Evaluator::ALL.iter().copied().map(Some).chain([None]) {
            let name = evaluator.map_or("the best", Evaluator::name);
            let start = Instant::now();
            let result = interrupted(&format!("preparation for {name}"), |stop| {
                let result = prepare(&rules, &text, "hostile", evaluator, stop);
                result.map(|_| start.elapsed())
            });
            match result {
                Err(error) => assert!(stopped(&error), "{name}: {error}"),
                // An evaluator that does not need the exploding rule is ready before the flag is
                // set.
                Ok(took) => assert!(took < SOON, "{name}: {took:?}"),
            }
            // A flag that is set before the start is respected too.
            let stop = Stop::new();
            stop.set();
            let error = prepare(&rules, &text, "hostile", evaluator, &stop).expect_err("no game");
            assert!(stopped(&error), "{name}: {error}");
        }
    }
    watch.end("interrupted preparations");
}

/// A flag ends the preparation or has no effect: it never changes the game.
#[test]
fn a_flag_never_changes_a_game() {
    let watch = watch();
    let mut text = String::from(
        "(role x) (role o) (init (control x)) (other x o) (other o x)
         (<= (legal ?r (mark ?c)) (true (control ?r)) (true (cell ?c b)))
         (<= (legal ?r noop) (true (control ?s)) (other ?s ?r))
         (<= (next (cell ?c ?r)) (does ?r (mark ?c)))
         (<= (next (cell ?c ?v)) (true (cell ?c ?v)) (distinct ?v b))
         (<= (next (cell ?c b)) (true (cell ?c b)) (not (taken ?c)))
         (<= (taken ?c) (does ?r (mark ?c)))
         (<= (next (control ?o)) (true (control ?r)) (other ?r ?o))
         (<= terminal (not open)) (<= open (true (cell ?c b)))
         (<= (goal ?r 100) (role ?r) (true (cell 1 ?r)))
         (<= (goal ?r 0) (role ?r) (not (true (cell 1 ?r))))",
    );
    text.extend((1..=40).map(|cell| format!("(init (cell {cell} b))")));
    let rules = rules(&text);
    let never = prepare(&rules, &text, "row", Some(Evaluator::Sweep), &Stop::never()).unwrap();
    let (mut refused, mut made) = (0, 0);
    for delay in 0..40 {
        let stop = Stop::new();
        let flag = stop.clone();
        let setter = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(delay * 5));
            flag.set();
        });
        match prepare(&rules, &text, "row", Some(Evaluator::Sweep), &stop) {
            Ok(prepared) => {
                made += 1;
                assert_eq!(prepared.gates, never.gates);
                assert_eq!(prepared.game.info(), never.game.info());
            }
            Err(Error::Halt(Halt::Stopped) | Error::Network(Halt::Stopped)) => refused += 1,
            Err(error) => panic!("{error}"),
        }
        setter.join().expect("the setter does not panic");
    }
    eprintln!("{refused} refused, {made} made");
    watch.end("flags at many moments");
}

#[test]
fn steps_can_be_interrupted() {
    let watch = watch();
    let game = game(&heavy_step(), Some(Evaluator::Reference));
    let mut worker = game.worker();
    let mut before = Vec::new();
    worker.save(&mut before);
    let go = worker.legal(Role(0))[0];
    let mut step = Step::new();
    let halt = interrupted("a step", |stop| worker.step(&[go], &mut step, stop));
    assert_eq!(halt, Err(Halt::Stopped));
    let mut after = Vec::new();
    worker.save(&mut after);
    assert_eq!((before, go), (after, worker.legal(Role(0))[0]));
    let stop = Stop::new();
    stop.set();
    for &evaluator in Evaluator::ALL {
        let game = super::game(ENDLESS, Some(evaluator));
        let mut worker = game.worker();
        let go = worker.legal(Role(0))[0];
        // A very short step may succeed despite the flag.
        let made = worker.step(&[go], &mut step, &stop);
        assert!(matches!(made, Ok(()) | Err(Halt::Stopped)), "{evaluator}: {made:?}");
    }
    watch.end("interrupted steps");
}

fn playouts(worker: &mut dyn Worker, max_steps: u32, quota: u32, stop: &Stop) -> Result<(), Halt> {
    let mut start = Vec::new();
    worker.save(&mut start);
    let streams = [Stream { id: 1, start: &start, quota }];
    let batch = Batch { seed: 1, streams: &streams, max_steps, detail: Detail::Sums };
    worker.playouts(&batch, &mut Results::default(), stop)
}

#[test]
fn playouts_can_be_interrupted() {
    let watch = watch();
    for &evaluator in Evaluator::ALL {
        let game = game(ENDLESS, Some(evaluator));
        for (max_steps, quota) in [(u32::MAX, 1), (1, u32::MAX), (u32::MAX, u32::MAX)] {
            let what = format!("{quota} playouts of {max_steps} steps by {evaluator}");
            let mut worker = game.worker();
            let halt = interrupted(&what, |stop| playouts(&mut *worker, max_steps, quota, stop));
            assert_eq!(halt, Err(Halt::Stopped), "{what}");
        }
    }
    let game = game(&heavy_step(), Some(Evaluator::Reference));
    let mut worker = game.worker();
    let halt = interrupted("heavy playouts", |stop| playouts(&mut *worker, 10, 10, stop));
    assert_eq!(halt, Err(Halt::Stopped));
    watch.end("interrupted playouts");
}

fn explainer(text: &str, question: &str) -> Explainer {
    let rules = rules(text);
    let program = Program::new(&rules, text).expect("a program");
    Explainer::new(program, rules.syntax, question, &Scene::default()).expect("a question")
}

#[test]
fn explanations_can_be_interrupted() {
    let watch = watch();
    // The query itself, the search for a proof, and the search for the nearest failure.
    let (body, names) = wide(10);
    let proof = format!(
        "(role a) {} (m 0)\n(<= p (q 0))\n(<= (q ?x) (r ?x) {body}) (<= (r ?x) (q ?x)) (<= (q ?x)
         (m ?x))\n(<= (s ?x) {body} (t ?x))\n(<= (t ?x) {body} (s ?x9)) (<= (t 0) (m 0)) (<= u (s 0))",
        digits()
    );
    let miss = format!(
        "(role a) {}\n(<= p {body} (not (n ?x0)) (z ?x1) (z ?x2) (z ?x3) (distinct ?x4 ?x4))
         (<= (all {names}) {body})",
        digits()
    );
    for (text, question) in [
        (exploding(), "terminal".to_owned()),
        (pigeons(), "terminal".to_owned()),
        (proof, "u".to_owned()),
        (miss, "(not p)".to_owned()),
    ] {
        let mut explainer = explainer(&text, &question);
        let halt = interrupted(&format!("explain {question}"), |stop| {
            let result = explainer.explain(Extent::default(), stop);
            // Some of them end before the flag is set; then wait for the flag.
            while !stop.is_set() {
                std::thread::sleep(Duration::from_millis(5));
            }
            result
        });
        assert!(!matches!(halt, Err(Halt::Rules(_))), "{question}: {halt:?}");
    }
    watch.end("interrupted explanations");
}

#[test]
fn the_search_for_unused_rules_can_be_interrupted() {
    let watch = watch();
    for text in [exploding(), pigeons(), heavy_step()] {
        let rules = rules(&text);
        let program = Arc::new(Program::new(&rules, &text).expect("a program"));
        interrupted("coverage", |stop| {
            let seed = Seed::from(1);
            coverage(&program, rules.syntax, 1000, 1000, seed, stop)
        });
    }
    watch.end("interrupted coverage");
}
