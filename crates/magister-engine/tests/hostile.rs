//! Rules that nobody should write, and flags that are set at a bad moment: everything ends soon,
//! within bounds, and says why.
#![allow(clippy::print_stderr)]

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use magister_core::playout::{Batch, Detail, Results, Stream};
use magister_core::{Game, Halt, Move, Role, Step, Stop, Worker};
use magister_engine::explain::{Extent, Scene};
use magister_engine::{Error, Evaluator, Explainer, Prepared, Program, coverage, prepare};
use magister_gdl::{Options, Rulesheet, read};

/// How long anything may take. Times are for the whole of a case, on a busy machine, in a build
/// without optimisation.
const TIME: Duration = Duration::from_secs(60);
/// How soon after the flag is set an evaluation has ended.
const SOON: Duration = Duration::from_secs(2);
/// How much memory the process may have had at any time, in bytes.
const MEMORY: u64 = 2 << 30;

/// One case at a time, so that time and memory are those of the case.
static ALONE: Mutex<()> = Mutex::new(());

struct Watch {
    start: Instant,
    _alone: MutexGuard<'static, ()>,
}

/// Begins to watch a case.
fn watch() -> Watch {
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // Linux forgets the peak on request; elsewhere memory is not looked at.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    Watch { start: Instant::now(), _alone: alone }
}

impl Watch {
    fn end(self, what: &str) {
        let time = self.start.elapsed();
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak =
            peak.and_then(|text| text.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
        let peak = peak.unwrap_or(0) * 1024;
        eprintln!("{what}: {time:.2?}, {} MiB at most", peak >> 20);
        assert!(time < TIME, "{what}: {time:?}");
        assert!(peak < MEMORY, "{what}: {peak} bytes");
    }
}

fn rules(text: &str) -> Rulesheet {
    let sheet = read(text, &Options::default());
    assert!(!sheet.diagnostics.has_errors(), "{:?}", sheet.diagnostics.as_slice());
    sheet.rules
}

fn prepared(text: &str, evaluator: Option<Evaluator>) -> Result<Prepared, Error> {
    prepare(&rules(text), text, "hostile", evaluator, &Stop::never())
}

fn game(text: &str, evaluator: Option<Evaluator>) -> Arc<dyn Game> {
    prepared(text, evaluator).expect("a game").game
}

/// Preparation fails, with these words in its message.
fn refused(text: &str, words: &[&str]) {
    let error = prepared(text, None).expect_err("no game").to_string();
    for word in words {
        assert!(error.contains(word), "{word}: {error}");
    }
}

/// `(n 0) ... (n 9)`.
fn digits() -> String {
    (0..10).map(|n| format!("(n {n})")).collect()
}

/// `(n ?a) (n ?b) ...`, and the variables.
fn wide(count: usize) -> (String, String) {
    let names: Vec<String> = (0..count).map(|n| format!("?x{n}")).collect();
    (names.iter().map(|name| format!("(n {name})")).collect(), names.join(" "))
}

/// A relation of ten arguments over ten constants, asked for in the first position.
fn exploding() -> String {
    let (body, names) = wide(10);
    format!(
        "(role a) (init (at 0)) {}\n(<= (all {names}) {body})\n(<= terminal (all {names}))
         (legal a go) (<= (next (at 1)) (does a go)) (goal a 0)",
        digits()
    )
}

/// More things than places, and no two of them in the same: no answer to count, and no way to see
/// that but to try.
fn pigeons() -> String {
    let (things, places) = (15, 14);
    let mut body = String::new();
    for thing in 0..things {
        let _ = write!(body, "(place ?x{thing})");
        (0..thing).for_each(|other| {
            let _ = write!(body, "(distinct ?x{other} ?x{thing})");
        });
    }
    let places: String = (0..places).map(|n| format!("(place {n})")).collect();
    format!(
        "(role a) (init (at 0)) {places}\n(<= fits {body})\n(<= terminal fits)
         (legal a go) (<= (next (at 1)) (does a go)) (goal a 0)"
    )
}

/// The first position is easy; the step out of it is not.
fn heavy_step() -> String {
    let (body, _) = wide(10);
    format!(
        "(role a) (init (at 0)) {}\n(legal a go) (goal a 0) (<= terminal (true (at 7)))
         (<= (next (at 1)) (does a go) {body} (never ?x0 ?x9)) (<= (next (at 0)) (true (at 0)))",
        digits()
    )
}

/// Never over, and quick.
const ENDLESS: &str = "(role a) (init (at 0)) (legal a go) (legal a stay) (goal a 0)
(<= (next (at 1)) (does a go) (true (at 0))) (<= (next (at 0)) (does a go) (true (at 1)))
(<= (next (at ?x)) (does a stay) (true (at ?x))) (<= terminal (true (at 2)))";

#[test]
fn rules_that_explode() {
    let watch = watch();
    refused(&exploding(), &["answers", "the rule for `all` with 10 arguments in line 2"]);
    watch.end("exploding relation");
}

#[test]
fn rules_that_explode_without_an_answer() {
    let watch = watch();
    refused(&pigeons(), &["steps", "the rule for `fits` in line 2"]);
    watch.end("exploding join");
}

#[test]
fn terms_without_end() {
    let watch = watch();
    let text = "(role a) (p 0)\n(<= (p (s ?x)) (p ?x))\n(<= (legal a ?x) (p ?x))
                (<= terminal (true (at 1))) (goal a 0)";
    refused(text, &["nested", "the rule for `p` with 1 arguments in line 2"]);
    watch.end("infinite relation");
}

#[test]
fn counters_that_grow_for_ever() {
    let watch = watch();
    let text = "(role a) (init (count 0)) (legal a go)
(<= (next (count (s ?x))) (true (count ?x)))
(<= terminal (true (count end))) (goal a 0)";
    let game = game(text, None);
    let mut worker = game.worker();
    let halt = (0..2000).find_map(|_| {
        let go = worker.legal(Role(0))[0];
        worker.step(&[go], &mut Step::new(), &Stop::never()).err()
    });
    let halt = halt.expect("a limit").to_string();
    assert!(halt.contains("the rule for `next` with 1 arguments in line 2"), "{halt}");
    watch.end("growing counter");
}

#[test]
fn goals_that_are_missing_or_too_many() {
    let watch = watch();
    for &evaluator in Evaluator::ALL {
        let none = "(role a) (init (at 0)) (legal a go) (<= (next (at 1)) (does a go))
                    (<= terminal (true (at 1)))";
        let many = format!("{none} (goal a 0) (<= (goal a 100) (true (at 1)))");
        for (text, expected) in [(none, &[][..]), (&many, &[0.0, 100.0])] {
            let game = game(text, Some(evaluator));
            let mut worker = game.worker();
            let go = worker.legal(Role(0))[0];
            worker.step(&[go], &mut Step::new(), &Stop::never()).expect("a step");
            let mut goals = Vec::new();
            worker.goals(Role(0), &mut goals);
            assert!(worker.terminal() && goals == expected, "{evaluator}: {goals:?}");
        }
    }
    watch.end("goals");
}

#[test]
fn roles_without_a_move() {
    let watch = watch();
    let at_once = "(role a) (role b) (init (at 0)) (legal a go) (<= terminal (true (at 1)))
                   (<= (next (at 1)) (does a go))";
    refused(at_once, &["`b` has no legal move"]);
    let later = "(role a) (role b) (init (at 0)) (legal a go) (<= (legal b go) (true (at 0)))
                 (<= terminal (true (at 2))) (<= (next (at 1)) (does a go))";
    for &evaluator in Evaluator::ALL {
        let game = game(later, Some(evaluator));
        let mut worker = game.worker();
        let joint: Vec<Move> = game.info().all_roles().map(|role| worker.legal(role)[0]).collect();
        let halt = worker.step(&joint, &mut Step::new(), &Stop::never()).expect_err("stuck");
        assert!(halt.to_string().contains("`b` has no legal move"), "{evaluator}: {halt}");
        // The state stays as it was.
        assert_eq!(worker.legal(Role(1)), &joint[1..], "{evaluator}");
    }
    watch.end("roles without moves");
}

#[test]
fn games_without_an_end_or_without_roles() {
    let watch = watch();
    let endless = "(role a) (init (at 0)) (legal a go) (<= (next (at 0)) (does a go)) (goal a 0)";
    for &evaluator in Evaluator::ALL {
        assert!(!game(endless, Some(evaluator)).worker().terminal(), "{evaluator}");
    }
    refused("(init (at 0)) (legal a go) terminal (goal a 0)", &["no role", "(role r)"]);
    let many: String = (0..100_000).map(|n| format!("(role r{n}) (legal r{n} go)")).collect();
    refused(&format!("{many} terminal"), &["100000 roles"]);
    refused("(role a) (<= (legal a go) (not (legal a go)))", &["line 1", "its own negation"]);
    watch.end("no end, no roles");
}

#[test]
fn chains_that_are_long() {
    let watch = watch();
    let mut text = "(role a) (init (at 0)) (legal a go) (goal a 0) (reach 0)\n".to_owned();
    for n in 0..200_000 {
        let _ = writeln!(text, "(succ {n} {})", n + 1);
    }
    text.push_str(
        "(<= (reach ?y) (succ ?x ?y) (reach ?x)) (<= (next (at 1)) (does a go) (reach 200000))
         (<= terminal (true (at 1)))",
    );
    let game = game(&text, None);
    let mut worker = game.worker();
    let go = worker.legal(Role(0))[0];
    worker.step(&[go], &mut Step::new(), &Stop::never()).expect("a step");
    assert!(worker.terminal());
    watch.end("a chain of 200000 facts");
}

#[test]
fn moves_and_states_that_are_none() {
    let watch = watch();
    for &evaluator in Evaluator::ALL {
        let game = game(ENDLESS, Some(evaluator));
        let mut worker = game.worker();
        let stop = Stop::never();
        let mut step = Step::new();
        let halt = worker.step(&[Move(77)], &mut step, &stop);
        assert!(matches!(halt, Err(Halt::IllegalMove { role: Role(0), .. })), "{evaluator}");
        let halt = worker.step(&[], &mut step, &stop);
        assert!(matches!(halt, Err(Halt::JointLength { expected: 1, given: 0 })), "{evaluator}");
        assert_eq!(game.text().parse_state("((at 0) (nowhere 7"), None);
        // A fluent that no rule knows is no state of a network; the interpreter takes it as it is.
        let odd = game.text().parse_state("((at 0) (nowhere 7))");
        if let Some(words) = odd {
            assert_eq!(evaluator, Evaluator::Reference);
            worker.load(&words, &stop).expect("a state");
            assert_eq!(game.text().state_text(&words), "((at 0) (nowhere 7))");
        }
        for words in [vec![u64::MAX], vec![1 << 40; 3], vec![u64::MAX; 100]] {
            assert_eq!(worker.load(&words, &stop), Err(Halt::BadState), "{evaluator}");
        }
    }
    watch.end("moves and states");
}

/// Sets a flag after a while, and asserts that the work ends soon after.
fn interrupted<T>(what: &str, work: impl FnOnce(&Stop) -> T) -> T {
    let stop = Stop::new();
    let flag = stop.clone();
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        flag.set();
        Instant::now()
    });
    let result = work(&stop);
    let set = setter.join().expect("it only waits");
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
            let error = interrupted(&format!("preparation for {name}"), |stop| {
                prepare(&rules, &text, "hostile", evaluator, stop).expect_err("no game")
            });
            assert!(stopped(&error), "{name}: {error}");
            // A flag that is set before is heeded too.
            let stop = Stop::new();
            stop.set();
            let error = prepare(&rules, &text, "hostile", evaluator, &stop).expect_err("no game");
            assert!(stopped(&error), "{name}: {error}");
        }
    }
    watch.end("interrupted preparations");
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
        let game = self::game(ENDLESS, Some(evaluator));
        let mut worker = game.worker();
        let go = worker.legal(Role(0))[0];
        // A step that takes no time may be made in spite of the flag.
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
    // The question itself, the search for a proof, and the search for what is nearest.
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
            // Some of them end by themselves; then the flag is waited for.
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
            let seed = magister_core::Seed::from(1);
            coverage(&program, rules.syntax, 1000, 1000, seed, stop)
        });
    }
    watch.end("interrupted coverage");
}
