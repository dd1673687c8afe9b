//! Compares small rulesheets for each feature of the grounder with the reference interpreter, with
//! normal effort and with every relation guarded.

use std::sync::Arc;

use magister_core::{Game, Halt, Seed, Step, Stop, Text as _};
use magister_gdl::{Options, read};

use super::demand::{self, Level};
use super::rules::{Kind, RuleSet};
use super::{
    GroundLimits, Grounded, Progress, attempt, ground, ground_determined, ground_with,
    ground_without_goals, lower, relevant, rewrite, roots, split,
};
use crate::evaluator::NetworkGame;
use crate::network::{GdlNetwork, NetworkLimits, functional};
use crate::{Error, Evaluator, Program, ReferenceGame};

fn program(text: &str) -> Program {
    Program::new(&read(text, &Options::default()).rules, text).expect("a game")
}

/// The rules rewritten and split, with guards for all relations that can have them.
fn prepared(program: &Program, level: Level) -> RuleSet {
    let lowered = lower::lower(program).expect("it can be grounded");
    let mut set = relevant(lowered, &roots(program));
    rewrite::deduplicate(&mut set);
    rewrite::merge(&mut set);
    rewrite::unfold(&mut set);
    split::split(&mut set, 0);
    let roots = roots(program);
    let open = |table: usize| {
        set.kinds[table] == Kind::Dynamic
            && !roots.iter().any(|r| r.index() == table)
            && !set.counters.iter().any(|c| c.of.index() == table)
    };
    let levels: Vec<Level> =
        (0..set.kinds.len()).map(|t| if open(t) { level } else { Level::None }).collect();
    demand::guard(&mut set, &levels).expect("everything is bound");
    set
}

/// The ground program at every level of effort.
fn efforts(program: &Program) -> Vec<Grounded> {
    let (limits, stop) = (GroundLimits::default(), Stop::never());
    let mut all = vec![ground(program, &limits, &stop).expect("grounds")];
    let progress = Progress::default();
    for level in [Level::None, Level::Narrow, Level::Wide] {
        let set = prepared(program, level);
        match attempt(program, set, &limits, &stop, &progress) {
            Ok(grounded) => all.push(grounded),
            Err(failure) => panic!("{}", failure.halt),
        }
    }
    let functional = functional(&all[0], &NetworkLimits::default(), &stop).expect("a network");
    all.push(
        ground_determined(program, &functional, &limits, (&stop, &progress)).expect("grounds"),
    );
    all
}

/// Compares ground programs with the reference interpreter on random walks.
fn assert_agrees(text: &str) {
    let program = Arc::new(program(text));
    let rules = read(text, &Options::default()).rules;
    let judge = ReferenceGame::new(&rules, text, "judge").expect("a game");
    for grounded in efforts(&program) {
        let network =
            GdlNetwork::new(&grounded, &NetworkLimits::default(), &Stop::never()).expect("fits");
        let game = NetworkGame::new(&program, Arc::new(network), Evaluator::Sweep, text, "test")
            .expect("it can start");
        for walk in 0..20 {
            let mut rng = Seed::from(walk).rng();
            let (mut a, mut b) = (judge.worker(), game.worker());
            for _ in 0..30 {
                let (mut words_a, mut words_b) = (Vec::new(), Vec::new());
                a.save(&mut words_a);
                b.save(&mut words_b);
                assert_eq!(judge.state_text(&words_a), game.state_text(&words_b));
                assert_eq!(a.terminal(), b.terminal());
                let (mut joint_a, mut joint_b) = (Vec::new(), Vec::new());
                for role in judge.info().all_roles() {
                    let (mut goals_a, mut goals_b) = (Vec::new(), Vec::new());
                    a.goals(role, &mut goals_a);
                    b.goals(role, &mut goals_b);
                    goals_a.sort_by(f64::total_cmp);
                    goals_b.sort_by(f64::total_cmp);
                    assert_eq!(goals_a, goals_b);
                    assert_eq!(a.legal(role).len(), b.legal(role).len());
                    if !a.terminal() {
                        let pick = rng.below(a.legal(role).len() as u64) as usize;
                        joint_a.push(a.legal(role)[pick]);
                        joint_b.push(b.legal(role)[pick]);
                    }
                }
                if a.terminal() {
                    break;
                }
                a.step(&joint_a, &mut Step::new(), &Stop::never()).expect("legal");
                b.step(&joint_b, &mut Step::new(), &Stop::never()).expect("legal");
            }
        }
    }
}

/// Ten numbers, a fluent for each, and a move that switches one.
const SWITCHES: &str = "(role you) (init (on 1)) (init (on 5)) (init (turn 0))
    (num 1) (num 2) (num 3) (num 4) (num 5) (num 6)
    (next-turn 0 1) (next-turn 1 2) (next-turn 2 3) (next-turn 3 4) (next-turn 4 5)
    (<= (legal you (switch ?n)) (num ?n))
    (<= (next (on ?n)) (does you (switch ?n)) (not (true (on ?n))))
    (<= (next (on ?n)) (true (on ?n)) (not (does you (switch ?n))))
    (<= (next (turn ?m)) (true (turn ?n)) (next-turn ?n ?m))
    (<= terminal (true (turn 5)))";

fn switches(rules: &str) -> String {
    format!("{SWITCHES} {rules}")
}

#[test]
fn products_become_sums() {
    let text = switches(
        "(<= (goal you 100) (true (on ?a)) (true (on ?b)) (true (on ?c)) (true (on ?d))
             (distinct ?a ?b) (distinct ?b ?c) (distinct ?c ?d))
         (<= (goal you 50) (num ?a) (num ?b) (num ?c) (not (true (on ?a))) (true (on ?b))
             (not (pair ?a ?b ?c)))
         (<= (pair ?a ?b ?c) (true (on ?a)) (num ?b) (true (on ?c)))",
    );
    assert_agrees(&text);
    let program = program(&text);
    let all = attempt(
        &program,
        prepared(&program, Level::None),
        &GroundLimits::default(),
        &Stop::never(),
        &Progress::default(),
    );
    let plain = ground(&program, &GroundLimits::default(), &Stop::never()).expect("grounds");
    let split = all.unwrap_or_else(|f| panic!("{}", f.halt));
    assert!(split.instances() * 2 < plain.instances(), "{}", split.instances());
}

#[test]
fn definitions_and_disjunctions() {
    assert_agrees(&switches(
        "(<= (other ?a ?b ?c ?d) (num ?a) (num ?b) (num ?c) (num ?d) (distinct ?a ?c))
         (<= (other ?a ?b ?c ?d) (num ?a) (num ?b) (num ?c) (num ?d) (distinct ?b ?d))
         (<= (near ?a ?b) (true (on ?a)) (num ?b) (not (true (on ?b))))
         (<= (far ?a ?b) (true (on ?b)) (num ?a))
         (<= (seen ?a ?b) (num ?a) (num ?b) (or (near ?c ?d) (far ?c ?d)) (other ?a ?b ?c ?d))
         (<= (goal you 10) (seen 1 2)) (<= (goal you 20) (not (seen 3 3)) (true (on 2)))",
    ));
}

#[test]
fn recursion_is_computed_on_demand() {
    // The number of switches that are on, counted up from zero; computed as a whole, the relation
    // would count from every number.
    assert_agrees(&switches(
        "(<= (count ?n ?k ?t) (last ?n) (num0 ?k) (step ?n ?k ?t))
         (<= (count ?n ?k ?t) (after ?n ?m) (step ?n ?k ?l) (count ?m ?l ?t))
         (<= (step ?n ?k ?l) (true (on ?n)) (up ?k ?l))
         (<= (step ?n ?k ?k) (num ?n) (num0 ?k) (not (true (on ?n))))
         (last 6) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6)
         (<= (num0 ?n) (num ?n)) (num0 0)
         (up 0 1) (up 1 2) (up 2 3) (up 3 4) (up 4 5) (up 5 6)
         (<= (goal you ?t) (count 1 0 ?t))",
    ));
}

#[test]
fn infinite_relations_are_computed_on_demand() {
    let text = switches(
        "(<= (size nil z)) (<= (size (cons ?x ?l) (s ?n)) (num ?x) (size ?l ?n))
         (<= (goal you 100) (true (on ?a)) (true (on ?b)) (size (cons ?a (cons ?b nil)) (s (s z))))",
    );
    let program = program(&text);
    let limits = GroundLimits { depth: 12, ..GroundLimits::default() };
    let grounded = ground(&program, &limits, &Stop::never()).expect("grounds");
    assert!(grounded.instances() < 1000);
}

#[test]
fn infinite_rules_are_an_error_with_the_line() {
    let text = "(role you) (init (at z)) (legal you go)
        (<= (next (at (s ?n))) (true (at ?n)))
        (<= terminal (true (at x))) (goal you 0)";
    let error = ground(&program(text), &GroundLimits::default(), &Stop::never());
    assert!(matches!(error, Err(Error::Halt(Halt::Limit(what))) if what.contains("line 2")));
    let text = "role(you) init(at(0)) legal(go) go :: at(N) & plus(N,1,M) ==> ~at(N) & at(M)
        goal(you,0) terminal :- at(x)";
    let error = ground(&program(text), &GroundLimits::default(), &Stop::never());
    assert!(matches!(error, Err(Error::Halt(Halt::Limit(what))) if what.contains("line 1")));
}

const POINTS: &str = "role(you) role(other) init(step(0)) init(points(0)) init(control(you))
    spot(1) spot(2) spot(3) succ(0,1) succ(1,2) succ(2,3) succ(3,4)
    legal(mark(X)) :- spot(X) & ~cell(X,you) & ~cell(X,other)
    legal(pass)
    mark(X) :: control(R) ==> cell(X,R)
    mark(X) :: points(P) & plus(P,X,Q) & leq(Q,6) ==> ~points(P) & points(Q)
    mark(X) :: turn
    pass :: turn
    turn :: control(you) ==> ~control(you) & control(other)
    turn :: control(other) ==> ~control(other) & control(you)
    turn :: step(M) & succ(M,N) ==> ~step(M) & step(N)
    terminal :- step(4)";

#[test]
fn builtins_are_computed() {
    assert_agrees(&format!(
        "{POINTS} goal(R,N) :- points(P) & times(P,10,N) & ~leq(N,20)
         goal(R,N) :- points(P) & minus(P,1,Q) & max(Q,0,N) & leq(P,2)"
    ));
}

#[test]
fn counts_are_atoms() {
    assert_agrees(&format!(
        "{POINTS} goal(R,N) :- score(R,M) & times(M,10,N)
         score(R,N) :- countofall(X,cell(X,R),N)"
    ));
    assert_agrees(&format!(
        "{POINTS} goal(R,100) :- countofall(X,cell(X,S),2)
         goal(R,0) :- ~countofall(X,cell(X,S),2)"
    ));
}

#[test]
fn a_variable_of_the_query_is_bound_by_the_query() {
    assert_agrees(&switches(
        "(<= (bigger ?a ?b) (true (on ?b)) (distinct ?a ?b))
         (<= (goal you 100) (num ?a) (true (on ?a)) (bigger ?a 5))",
    ));
}

#[test]
fn progress_can_be_read() {
    let text = switches("(goal you 0)");
    let progress = Progress::default();
    let (limits, stop) = (GroundLimits::default(), Stop::never());
    let grounded = ground_with(&program(&text), &limits, &stop, &progress).expect("grounds");
    assert_eq!(progress.read(), (1, grounded.instances()));
}

/// Two rows of four cells, each of which gets one number. A row is good if it has every number
/// exactly once, which is written as a relation of all its numbers, and so is a square.
const NUMBERS: &str = "(role you) (num 1) (num 2) (num 3) (num 4)
    (same 1 1) (same 2 2) (same 3 3) (same 4 4) (after 1 2) (after 2 3) (after 3 4)
    (row 1) (row 2)
    (<= (filled ?r ?c) (true (holds ?r ?c ?n)))
    (<= (legal you (write ?r ?c ?n)) (row ?r) (num ?c) (num ?n) (not (filled ?r ?c)))
    (<= (next (holds ?r ?c ?n)) (does you (write ?r ?c ?n)))
    (<= (next (holds ?r ?c ?n)) (true (holds ?r ?c ?n)))
    (<= open (row ?r) (num ?c) (not (filled ?r ?c)))
    (<= terminal (not open))
    (<= (first ?z ?a ?b ?c ?d) (same ?z ?a) (num ?b) (num ?c) (num ?d)
        (not (same ?z ?b)) (not (same ?z ?c)) (not (same ?z ?d)))
    (<= (once ?z ?a ?b ?c ?d) (first ?z ?a ?b ?c ?d))
    (<= (once ?z ?a ?b ?c ?d) (first ?z ?b ?a ?c ?d))
    (<= (once ?z ?a ?b ?c ?d) (first ?z ?c ?a ?b ?d))
    (<= (once ?z ?a ?b ?c ?d) (first ?z ?d ?a ?b ?c))
    (<= (good ?r) (true (holds ?r 1 ?a)) (true (holds ?r 2 ?b)) (true (holds ?r 3 ?c))
        (true (holds ?r 4 ?d)) (once 1 ?a ?b ?c ?d) (once 2 ?a ?b ?c ?d) (once 3 ?a ?b ?c ?d)
        (once 4 ?a ?b ?c ?d))
    (<= (square ?r ?k) (after ?r ?s) (after ?k ?l) (true (holds ?r ?k ?a)) (true (holds ?r ?l ?b))
        (true (holds ?s ?k ?c)) (true (holds ?s ?l ?d)) (once 1 ?a ?b ?c ?d) (once 2 ?a ?b ?c ?d))
    (<= (goal you 100) (good 1) (good 2) (square 1 1))
    (<= (goal you 50) (square 1 ?k) (not (good 1)))
    (<= (goal you 25) (good ?r) (not (square 1 1)))
    (<= (goal you 0) (not (good 1)) (not (good 2)))";

#[test]
fn determined_variables_are_asked_one_by_one() {
    assert_agrees(NUMBERS);
}

/// Rules that are too large as written can be grounded if their variables are determined.
#[test]
fn determined_variables_make_rules_smaller() {
    let program = program(NUMBERS);
    let (stop, progress) = (Stop::never(), Progress::default());
    let limits = GroundLimits { table: 100, rows: 20_000, work: 20_000, ..GroundLimits::default() };
    assert!(matches!(ground(&program, &limits, &stop), Err(Error::Halt(Halt::Limit(_)))));
    let others = ground_without_goals(&program, &limits, (&stop, &progress)).expect("grounds");
    let functional = functional(&others, &NetworkLimits::default(), &stop).expect("a network");
    assert_eq!(functional.iter().map(|one| (one.arity, one.place)).collect::<Vec<_>>(), [(3, 2)]);
    let grounded = ground_determined(&program, &functional, &limits, (&stop, &progress));
    assert_eq!(grounded.expect("grounds").goals.len(), 4);
}
