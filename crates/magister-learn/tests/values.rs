//! Learning with value functions, for games of every kind.

use std::ops::ControlFlow;
use std::sync::Arc;

use magister_core::{Game, Native, Seed};
use magister_learn::driver::{Plan, Progress};
use magister_learn::recipe::{Kind, Recipe, Rule};
use magister_learn::{AgentFile, FileError, LearnedAgent, Learner, Sight};

#[path = "../../magister-games/src/native/nim.rs"]
#[allow(dead_code, unreachable_pub, reason = "the module is part of another crate")]
mod nim;
#[path = "../../magister-games/src/native/rock_paper_scissors.rs"]
#[allow(dead_code, unreachable_pub, reason = "the module is part of another crate")]
mod rock_paper_scissors;

fn plan(games: u64) -> Plan {
    Plan { games: Some(games), before: 0, done: 0.0, actors: 1, report: 10, seed: Seed::from(1) }
}

/// A game of one simultaneous decision has one position, which no fact distinguishes from another.
#[test]
fn a_game_with_one_position_is_learned() {
    let game: Arc<dyn Game> = Arc::new(Native::new(rock_paper_scissors::RockPaperScissors));
    for kind in [Kind::Ntuple, Kind::Linear, Kind::Net] {
        for rule in [Rule::Td, Rule::Sarsa, Rule::Q] {
            let sight = Sight::new(&game, true, 1).unwrap();
            let recipe = Recipe::recommended(kind, &*game, sight.reading()).by(rule);
            let mut learner = Learner::new(&game, sight, recipe, 1).unwrap();
            learner.train(&plan(300), &|_: &Progress| ControlFlow::Continue(0.0)).unwrap();
            assert_eq!(learner.header().games, 300, "{kind:?} {rule:?}");
            let again = Learner::open(&game, learner.file()).unwrap();
            assert_eq!(again.header(), learner.header());
        }
    }
}

/// A small trained agent.
fn small() -> (Arc<dyn Game>, AgentFile) {
    let game: Arc<dyn Game> = Arc::new(Native::new(nim::Nim::new(2, &[2, 3]).unwrap()));
    let sight = Sight::new(&game, true, 1).unwrap();
    let recipe = Recipe::recommended(Kind::Ntuple, &*game, sight.reading());
    let mut learner = Learner::new(&game, sight, recipe, 1).unwrap();
    learner.train(&plan(20), &|_: &Progress| ControlFlow::Continue(0.0)).unwrap();
    (game, learner.file())
}

/// A checksum does not make a heading sound: impossible numbers are refused when the file is read,
/// before anything of their size is allocated.
#[test]
fn impossible_headings_are_refused() {
    let (_, file) = small();
    assert_eq!(AgentFile::from_bytes(&file.to_bytes(true)).as_ref(), Ok(&file));
    let changes: &[fn(&mut AgentFile)] = &[
        |file| file.header.heads = 7,
        |file| file.header.tuples = vec![vec![999]],
        |file| file.header.tuples = Vec::new(),
        |file| file.header.tuples = vec![vec![0]; 500],
        |file| file.header.slots = 0,
        |file| file.header.slots = 1_000_000_000_000,
        |file| file.header.players = 0,
        |file| file.header.weights = 1 << 28,
        |file| file.header.weights = u64::MAX,
        |file| file.header.recipe.settings.lambda = 5.0,
        |file| file.header.recipe.settings.replay = usize::MAX,
        |file| file.header.version = 0,
    ];
    for (number, change) in changes.iter().enumerate() {
        let mut changed = file.clone();
        change(&mut changed);
        let error = AgentFile::from_bytes(&changed.to_bytes(true)).unwrap_err();
        assert!(matches!(error, FileError::Damaged(_)), "{number}: {error}");
    }
}

#[test]
fn other_and_changed_rules_are_distinguished() {
    let (game, file) = small();
    let bytes = file.to_bytes(false);
    let read = LearnedAgent::from_bytes(&bytes).unwrap();
    assert_eq!(read.suits(&game), Ok(()));
    let mut changed = file.clone();
    changed.header.rules_hash = "abc".to_owned();
    let said = changed.suits(&game).unwrap_err().to_string();
    assert!(said.contains("have changed since"), "{said}");
    let other: Arc<dyn Game> = Arc::new(Native::new(rock_paper_scissors::RockPaperScissors));
    let said = read.suits(&other).unwrap_err().to_string();
    assert!(said.contains("cannot play rock-paper-scissors"), "{said}");
    let mut fewer = file;
    fewer.header.slots -= 1;
    fewer.header.weights = fewer.header.weights / 3 * 2;
    assert!(matches!(fewer.suits(&game), Err(FileError::Damaged(_))));
}

/// Traces of full length reach back to the first move.
#[test]
fn lambda_may_be_one() {
    let (game, _) = small();
    let sight = Sight::new(&game, true, 1).unwrap();
    let mut recipe = Recipe::recommended(Kind::Ntuple, &*game, sight.reading());
    recipe.settings.lambda = 1.0;
    let mut learner = Learner::new(&game, sight, recipe, 1).unwrap();
    learner.train(&plan(20), &|_: &Progress| ControlFlow::Continue(0.0)).unwrap();
    assert_eq!(learner.header().games, 20);
}
