//! Games in which pieces are captured without notice to their owner. A player may not know its
//! legal moves, but it never plays an avoidable illegal move, and it always knows whose turn it is.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use magister_core::{
    Budget, Clock, Game, Move, PlayerSource as _, Referee, Role, Seed, Stop, View,
};
use magister_infoset::{InfosetLimits, Keep, Tracker, Uniform};
use magister_players::Spec;

/// Which role has the next turn.
#[derive(Clone, Copy)]
enum Turns {
    /// The other role.
    Alternate,
    /// The role that captured, otherwise the other one.
    Captured,
    /// Chance decides.
    Drawn,
}

impl Turns {
    fn rules(self) -> &'static str {
        match self {
            Turns::Alternate => "(<= (turn ?s) (true (control ?r)) (other ?r ?s))",
            Turns::Captured => {
                "(<= (captures ?r)
                     (does ?r (move ?a ?b ?x ?y)) (true (cell ?x ?y ?s)) (other ?r ?s))
                 (<= (turn ?r) (captures ?r))
                 (<= (turn ?s) (true (control ?r)) (not (captures ?r)) (other ?r ?s))"
            }
            Turns::Drawn => {
                "(role random) (legal random (give white)) (legal random (give black))
                 (<= (turn ?s) (does random (give ?s)))"
            }
        }
    }
}

/// The rules of a blind capture game. In every step, both roles learn whose turn it is, and
/// otherwise only what `extra` adds.
fn rules(size: u32, steps: u32, jumps: &[(i32, i32)], turns: Turns, extra: &str) -> String {
    let mut text = String::from(
        "(role white) (role black) (init (control white)) (init (step 1))
         (other white black) (other black white)
         (<= (legal ?r (move ?a ?b ?x ?y))
             (true (control ?r)) (true (cell ?a ?b ?r)) (reach ?a ?b ?x ?y)
             (not (true (cell ?x ?y ?r))))
         (<= (legal ?r noop) (true (control ?s)) (other ?r ?s))
         (<= (left ?a ?b) (does ?r (move ?a ?b ?x ?y)))
         (<= (entered ?x ?y) (does ?r (move ?a ?b ?x ?y)))
         (<= (next (cell ?x ?y ?r)) (does ?r (move ?a ?b ?x ?y)))
         (<= (next (cell ?x ?y ?r)) (true (cell ?x ?y ?r)) (not (left ?x ?y)) (not (entered ?x ?y)))
         (<= (next (control ?s)) (turn ?s))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= (sees ?r (turn ?s)) (turn ?s) (other ?r ?o))
         (<= (alive ?r) (true (cell ?x ?y ?r)))
         (<= terminal (other ?r ?s) (not (alive ?r)))
         (<= (goal ?r 100) (other ?r ?s) (not (alive ?s)))
         (<= (goal ?r 0) (other ?r ?s) (not (alive ?r)))
         (<= (goal ?r 50) (alive ?r) (other ?r ?s) (alive ?s))\n",
    );
    let _ = writeln!(text, "{}\n(<= terminal (true (step {steps})))", turns.rules());
    for step in 1..steps {
        let _ = writeln!(text, "(succ {step} {})", step + 1);
    }
    for x in 1..=size {
        let _ = writeln!(text, "(init (cell {x} 1 white)) (init (cell {x} {size} black))");
        for y in 1..=size {
            for (dx, dy) in jumps {
                let (to_x, to_y) = (x as i32 + dx, y as i32 + dy);
                if (1..=size as i32).contains(&to_x) && (1..=size as i32).contains(&to_y) {
                    let _ = writeln!(text, "(reach {x} {y} {to_x} {to_y})");
                }
            }
        }
    }
    text + extra
}

const STEPS: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const KNIGHT: [(i32, i32); 8] =
    [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];
/// A move that is legal in every state.
const PASS: &str = "(<= (legal ?r pass) (true (control ?r)))";
/// The capturing role learns about its captures, the other one does not.
const CAPTURES: &str = "(<= (sees ?r (captured ?x ?y))
    (does ?r (move ?a ?b ?x ?y)) (true (cell ?x ?y ?s)) (other ?r ?s))";

fn game(name: &str, text: &str) -> Arc<dyn Game> {
    magister::open_text(name, text).unwrap().game
}

/// The moves that are legal in all states of the exact information set; `None` if it is too large.
fn certain(view: &View) -> Option<Vec<Move>> {
    let (stop, limits) = (Stop::never(), InfosetLimits { states: 100_000, steps: 4_000_000 });
    let (game, model) = (view.game(), Arc::new(Uniform));
    let (shared, keep) = (Arc::clone(game), Keep::States);
    let mut tracker = Tracker::with(shared, view.role(), keep, limits, model, &stop).ok()?;
    for turn in view.turns() {
        tracker.advance(turn, &stop).ok()?;
    }
    let mut worker = game.worker();
    let layer = tracker.layer();
    let mut certain: Option<Vec<Move>> = None;
    for at in (0..layer.len()).filter(|&at| !layer.is_over(at)) {
        worker.load(layer.state(at), &stop).unwrap();
        let here = worker.legal(view.role());
        match &mut certain {
            None => certain = Some(here.to_vec()),
            Some(all) => all.retain(|choice| here.contains(choice)),
        }
    }
    certain
}

/// The mistakes of a player in a match against a random one.
#[derive(Debug, Default)]
struct Mistakes {
    decisions: usize,
    illegal: usize,
    /// An illegal move where the information set has a move that is legal in all states.
    avoidable: Vec<String>,
    /// `noop` on the role's own turn, or another move on the turn of the other role.
    out_of_turn: Vec<String>,
}

fn watch(
    name: &str,
    text: &str,
    player: &str,
    budget: &dyn Fn() -> Budget,
    seeds: u64,
) -> Mistakes {
    let game = game(name, text);
    let noop = game.text().parse_move(Role(0), "noop").unwrap();
    let mut mistakes = Mistakes::default();
    for seed in 0..seeds {
        let mut rng = Seed::from(seed).derive("others").rng();
        let mut referee =
            Referee::new(Arc::clone(&game), Seed::from(seed), &Stop::never()).unwrap();
        let me = Role((seed % 2) as u8);
        let mut agent = player.parse::<Spec>().unwrap().make(&game, me).unwrap();
        while !referee.terminal() {
            let mut joint = Vec::new();
            for role in game.info().all_roles() {
                let legal = referee.legal(role).to_vec();
                let drawn = legal[rng.below(legal.len() as u64) as usize];
                if role != me {
                    joint.push(drawn);
                    continue;
                }
                let view = referee.view(role).clone();
                let choice = agent.decide(&view, &mut budget(), &mut rng).unwrap().choice;
                mistakes.decisions += 1;
                if legal.contains(&choice) {
                    joint.push(choice);
                    continue;
                }
                joint.push(drawn);
                mistakes.illegal += 1;
                let turn = view.turns().len();
                let what = format!("seed {seed}, turn {turn}: {}", game.text().move_text(choice));
                if (choice == noop) != (legal == [noop]) {
                    mistakes.out_of_turn.push(what.clone());
                }
                if certain(&view).is_some_and(|moves| !moves.is_empty()) {
                    mistakes.avoidable.push(what);
                }
            }
            referee.advance(&joint, &Stop::never()).unwrap();
        }
    }
    mistakes
}

fn games() -> Vec<(&'static str, String)> {
    use Turns::{Alternate, Captured, Drawn};
    vec![
        ("blind steps", rules(5, 30, &STEPS, Alternate, "")),
        ("blind steps with a pass", rules(5, 30, &STEPS, Alternate, PASS)),
        ("blind knights", rules(6, 30, &KNIGHT, Alternate, "")),
        ("blind knights that know their captures", rules(6, 30, &KNIGHT, Alternate, CAPTURES)),
        ("captures give another turn", rules(5, 40, &STEPS, Captured, "")),
        ("captures give another turn, with a pass", rules(5, 40, &STEPS, Captured, PASS)),
        ("knights whose captures give another turn", rules(6, 50, &KNIGHT, Captured, "")),
        ("drawn turns", rules(5, 40, &STEPS, Drawn, "")),
        ("drawn turns with a pass", rules(5, 40, &STEPS, Drawn, PASS)),
    ]
}

/// A clock that runs down each time it is read, so that the result is the same on every machine.
struct Short(AtomicU32);

impl Clock for Short {
    fn remaining(&self) -> Option<Duration> {
        let read = self.0.fetch_add(1, Ordering::Relaxed);
        Some(Duration::from_micros(u64::from(READINGS.saturating_sub(read))))
    }
}

/// How often the short clock can be read.
const READINGS: u32 = 3_000;

/// Plays every game, or every `every`-th in a normal run; `MAGISTER_BLIND` is the number of matches
/// of a long run.
#[track_caller]
fn no_avoidable_mistakes(every: usize, budget: &dyn Fn() -> Budget) {
    let matches = std::env::var("MAGISTER_BLIND").ok().and_then(|text| text.parse().ok());
    let every = if matches.is_some() { 1 } else { every };
    let mut wrong = String::new();
    for (name, text) in games().into_iter().skip(every - 1).step_by(every) {
        let mistakes = watch(name, &text, "honest", budget, matches.unwrap_or(1));
        if !mistakes.avoidable.is_empty() || !mistakes.out_of_turn.is_empty() {
            let _ = writeln!(wrong, "{name}: {mistakes:?}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn honest_makes_no_avoidable_illegal_move() {
    no_avoidable_mistakes(3, &|| Budget::iterations(20));
}

#[test]
fn honest_makes_no_avoidable_illegal_move_in_a_hurry() {
    no_avoidable_mistakes(1, &|| {
        Budget::iterations(20).with_clock(Arc::new(Short(AtomicU32::new(0))))
    });
}
