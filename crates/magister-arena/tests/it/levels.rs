//! Difficulty levels: higher ones win. `cargo xtask levels` measures all of them; this is its short
//! form. Levels count iterations, so the results are the same on every machine.

use std::ops::ControlFlow;
use std::sync::Arc;

use magister_arena::{Contest, Series, Summary, TimeControl};
use magister_core::{PlayerSource, Seed};
use magister_players::Spec;

/// The score of a level against another one.
fn score(game: &str, higher: &str, lower: &str, games: u64) -> f64 {
    let playable = magister::open(game).unwrap();
    let source = |name: &str| -> Arc<dyn PlayerSource> { Arc::new(name.parse::<Spec>().unwrap()) };
    let series = Series {
        contest: Contest::new(Arc::clone(&playable.game), TimeControl::default()),
        players: vec![source(higher), source(lower)],
        games,
        seed: Seed::from(1),
        jobs: 2,
    };
    let mut summary = Summary::new(playable.game.info());
    series
        .play(|_, record| {
            assert!(record.errors.is_empty(), "{:?}", record.errors);
            summary.add(&record);
            ControlFlow::Continue(())
        })
        .unwrap();
    let line = summary.players.iter().find(|line| line.player == higher).unwrap();
    line.score.unwrap()
}

#[test]
fn higher_levels_win() {
    for (game, higher, lower) in
        [("connect-four", "medium", "beginner"), ("breakthrough", "medium", "beginner")]
    {
        let score = score(game, higher, lower, 10);
        assert!(score >= 0.65, "{game}: {higher} scores {score} against {lower}");
    }
}
