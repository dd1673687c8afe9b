//! Learning with policy-and-value networks on games from rules, and the player that uses them.

use std::ops::ControlFlow;
use std::sync::Arc;

use magister::core::{Budget, Game, Seed, View};
use magister::learn::az::{AzLearner, AzSettings, Size};
use magister::learn::driver::{Plan, Progress};

fn trained(game: &Arc<dyn Game>, games: u64) -> AzLearner {
    let settings = AzSettings {
        size: Size { channels: Some(16), blocks: Some(1), ..Size::default() },
        simulations: 8,
        games: 8,
        batch: 32,
        longest: 60,
        ..AzSettings::default()
    };
    let seed = Seed::from(1);
    let plan = Plan { games: Some(games), before: 0, done: 0.0, actors: 1, report: 1, seed };
    let mut learner = AzLearner::new(game, settings, 1).unwrap();
    learner.train(&plan, &|_: &Progress| ControlFlow::Continue(0.0)).unwrap();
    learner
}

/// Chance, three players, simultaneous moves, and one player.
#[test]
fn games_from_rules_are_learned() {
    for name in ["rust:2048", "nim-3-4-5", "chicken", "eightpuzzle"] {
        let game = magister::open(name).unwrap().game;
        let learner = trained(&game, 8);
        assert!(learner.header().games >= 8 && learner.header().steps > 0, "{name}");
        assert!(learner.file().weights.iter().all(|weight| weight.is_finite()), "{name}");
    }
}

#[test]
fn the_player_works_alone_and_inside_of_searches() {
    let game = magister::open("tictactoe").unwrap().game;
    let learner = trained(&game, 100);
    let path = std::env::temp_dir().join(format!("magister-az-{}.agent", std::process::id()));
    std::fs::write(&path, learner.file().to_bytes(false)).unwrap();
    let outers = [
        "az:file=F",
        "az:file=F,search=0",
        "puct:inner=[az:file=F]",
        "plies:depth=2,inner=[az:file=F]",
    ];
    for outer in outers {
        let text = outer.replace('F', &path.display().to_string());
        let mut agent = text.parse::<magister::players::Spec>().unwrap().agent();
        let role = game.info().players().next().unwrap();
        let view = View::new(Arc::clone(&game), role);
        let mut decide = |budget: u64| {
            let mut rng = Seed::from(1).rng();
            agent.decide(&view, &mut Budget::iterations(budget), &mut rng).unwrap()
        };
        let decision = decide(100);
        assert!(game.worker().legal(role).contains(&decision.choice), "{outer}");
        // Even without any iteration there is a legal move.
        assert!(game.worker().legal(role).contains(&decide(0).choice), "{outer}");
        let values = agent.value(&view).unwrap();
        assert!(values.iter().all(|value| (0.0..=100.0).contains(value)), "{outer}");
    }
    let td = format!("td:file={}", path.display()).parse::<magister::players::Spec>().unwrap();
    let said = td.try_agent().err().unwrap().to_string();
    assert!(said.contains("az:file=FILE"), "{said}");
    std::fs::remove_file(&path).unwrap();
}
