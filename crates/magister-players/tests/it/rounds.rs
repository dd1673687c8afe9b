//! Results that must not change when many descents are made at once.

use magister_core::{Budget, Seed};
use magister_infoset::Determinization;
use magister_players::Spec;

/// Whether the walker goes left or right, every second toss ends the game; otherwise the path to
/// the highest reward is long.
const TOSS: &str = "
(role walker) (role random)
(init (step 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
(path a) (path b) (path c) (path d) (path e) (path f)
(<= (legal walker left) (true (step 0)))
(<= (legal walker right) (true (step 0)))
(<= (legal random heads) (true (step 0)))
(<= (legal random tails) (true (step 0)))
(<= (legal walker (take ?p)) (path ?p) (not (true (step 0))))
(<= (legal random noop) (not (true (step 0))))
(<= (next out) (does random tails))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (went ?m ?p)) (true (step ?m)) (does walker (take ?p)))
(<= (next (went ?m ?p)) (true (went ?m ?p)))
(<= terminal (true out))
(<= terminal (true (step 8)))
(<= (goal walker 0) (true out))
(<= (goal walker 100) (not (true out)))
";

/// The concurrency cap abandons descents, but never depending on a random outcome: descents that
/// end early have known values, and none of them is abandoned.
#[test]
fn the_cap_does_not_bias_chance() {
    let game = magister::open_text("toss", TOSS).unwrap().game;
    let walker = game.info().players().next().unwrap();
    let mut start = Vec::new();
    game.worker().save(&mut start);
    let view = Determinization::view(&game, &start, walker);
    for seed in 0..5 {
        let mut agent = "uct:batch=128,patience=1".parse::<Spec>().unwrap().agent();
        let mut rng = Seed::from(seed).rng();
        let decision = agent.decide(&view, &mut Budget::iterations(2000), &mut rng).unwrap();
        let all = decision.thoughts.iter();
        let visits: u64 = all.clone().map(|thought| thought.visits).sum();
        let sum: f64 = all.map(|t| t.value.unwrap() * t.visits as f64).sum();
        let value = sum / visits as f64;
        assert!((45.0..55.0).contains(&value), "{value} with seed {seed}");
    }
}
