//! Learning on games from rules and in Rust.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use magister::core::{Agent as _, Budget, Game, Referee, Seed, Stop, View};
use magister::learn::cells::CellMap;
use magister::learn::driver::{Plan, Progress};
use magister::learn::environment::Environment as _;
use magister::learn::file::Reading;
use magister::learn::games::any::AnyGame;
use magister::learn::recipe::{Kind, Recipe};
use magister::learn::{AgentFile, FileError, Learned, Learner, Sight};

fn plan(games: u64, seed: u64) -> Plan {
    let seed = Seed::from(seed);
    Plan { games: Some(games), before: 0, done: 0.0, actors: 1, report: 100, seed }
}

fn trained(game: &Arc<dyn Game>, kind: Kind, fast: bool, games: u64, seed: u64) -> Learner {
    let sight = Sight::new(game, fast, seed).unwrap();
    let recipe = Recipe::recommended(kind, game.as_ref(), sight.reading());
    let mut learner = Learner::new(game, sight, recipe, seed).unwrap();
    learner.train(&plan(games, seed), &|_: &Progress| ControlFlow::Continue(0.0)).unwrap();
    learner
}

/// The share of the points against random play.
fn against_random(game: &Arc<dyn Game>, file: &Arc<AgentFile>, matches: u64) -> f64 {
    let mut points = 0.0;
    let players: Vec<_> = game.info().players().collect();
    for number in 0..matches {
        let seed = Seed::from(number);
        let me = players[number as usize % players.len()];
        let mut agent = Learned::new("td", Arc::clone(file));
        let mut rng = seed.derive("others").rng();
        let mut referee = Referee::new(Arc::clone(game), seed, &Stop::never()).unwrap();
        while !referee.terminal() {
            let mut joint = Vec::new();
            for role in game.info().all_roles() {
                let legal = referee.legal(role).to_vec();
                joint.push(if role == me {
                    let mut budget = Budget::iterations(1_000);
                    let decision = agent.decide(referee.view(role), &mut budget, &mut rng);
                    let choice = decision.unwrap().choice;
                    assert!(legal.contains(&choice));
                    choice
                } else {
                    legal[rng.below(legal.len() as u64) as usize]
                });
            }
            referee.advance(&joint, &Stop::never()).unwrap();
        }
        let rewards: Vec<f64> =
            referee.outcome().unwrap().iter().map(|reward| reward.unwrap_or(0.0)).collect();
        // A point against each opponent with a lower reward, half a point for the same.
        let own = rewards[me.index()];
        for other in players.iter().filter(|&&role| role != me) {
            let other = rewards[other.index()];
            let point = f64::from(u8::from(own > other)) + f64::from(u8::from(own >= other));
            points += point / 2.0 / (players.len() - 1) as f64;
        }
    }
    points / matches as f64
}

#[test]
fn fast_versions_are_recognised_by_how_they_play() {
    let reading = |name: &str| {
        let game = magister::open(name).unwrap().game;
        Sight::new(&game, true, 0).unwrap().reading().clone()
    };
    assert_eq!(reading("connect-four"), Reading::ConnectFour);
    assert_eq!(reading("rust:connect-four"), Reading::ConnectFour);
    assert_eq!(reading("tictactoe"), Reading::Tictactoe);
    assert_eq!(reading("rust:tictactoe"), Reading::Tictactoe);
    assert_eq!(reading("rust:2048"), Reading::Twenty48);
    assert!(matches!(reading("breakthrough"), Reading::Cells(_)));
}

#[test]
fn every_kind_learns_a_game_from_rules() {
    let game = magister::open("tictactoe").unwrap().game;
    for kind in [Kind::Ntuple, Kind::Linear, Kind::Net] {
        let learner = trained(&game, kind, false, 6_000, 1);
        let share = against_random(&game, &Arc::new(learner.file()), 200);
        assert!(share > 0.8, "{kind:?}: {share}");
    }
}

/// A few hundred games suffice to beat random play clearly, on a board and in a game whose players
/// often have only one move.
#[test]
fn few_games_suffice_to_beat_random_play() {
    for (name, games) in [("breakthrough", 500), ("kono", 1_000)] {
        let game = magister::open(name).unwrap().game;
        let learner = trained(&game, Kind::Ntuple, true, games, 5);
        let share = against_random(&game, &Arc::new(learner.file()), 60);
        assert!(share > 0.85, "{name}: {share}");
    }
}

/// A sample has as many different moves as requested, all of them legal, and every move occurs.
#[test]
fn moves_are_sampled() {
    let game = magister::open("hex-5").unwrap().game;
    let Reading::Cells(plan) = Sight::new(&game, false, 0).unwrap().reading().clone() else {
        panic!("Hex is read cell by cell")
    };
    let map = Arc::new(CellMap::new(&game, plan).unwrap());
    let mut rng = Seed::from(1).rng();
    let mut listed = |sampled: usize| {
        // Every actor has a copy.
        let mut env = AnyGame::new(&game, &map, true).unwrap().sampling(sampled).clone();
        let (start, mut out) = (env.start(&mut rng).unwrap(), Vec::new());
        env.choices(&start, &mut rng, &mut out).unwrap();
        out.into_iter().map(|choice| choice.id).collect::<Vec<_>>()
    };
    let all = listed(0);
    assert_eq!((all.len(), listed(100).len()), (25, 25));
    let mut seen = BTreeSet::new();
    for _ in 0..100 {
        let sample: BTreeSet<u32> = listed(4).into_iter().collect();
        assert!(sample.len() == 4 && sample.iter().all(|id| all.contains(id)));
        seen.extend(sample);
    }
    assert_eq!(seen.len(), all.len());
}

#[test]
fn games_for_one_and_three_players_are_learned() {
    let game = magister::open("nim-3-4-5").unwrap().game;
    let learner = trained(&game, Kind::Ntuple, true, 20_000, 2);
    assert_eq!(learner.header().heads, 3);
    let share = against_random(&game, &Arc::new(learner.file()), 300);
    assert!(share > 0.53, "{share}");
    let alone = magister::open("eightpuzzle").unwrap().game;
    let learner = trained(&alone, Kind::Ntuple, true, 20, 2);
    assert_eq!((learner.header().heads, learner.header().games), (1, 20));
}

#[test]
fn the_same_seed_gives_the_same_file_and_training_can_go_on() {
    let game = magister::open("tictactoe").unwrap().game;
    let one = trained(&game, Kind::Ntuple, true, 500, 3).file();
    let two = trained(&game, Kind::Ntuple, true, 500, 3).file();
    assert!(one.to_bytes(true) == two.to_bytes(true));
    let read = AgentFile::from_bytes(&one.to_bytes(true)).unwrap();
    let mut resumed = Learner::open(&game, read).unwrap();
    resumed.train(&plan(800, 3), &|_: &Progress| ControlFlow::Continue(0.0)).unwrap();
    assert_eq!(resumed.header().games, 800);
    assert!(resumed.file().weights != one.weights);
}

#[test]
fn an_agent_plays_no_other_rules() {
    let game = magister::open("tictactoe").unwrap().game;
    let file = trained(&game, Kind::Ntuple, true, 10, 4).file();
    let other = magister::open("connect-four").unwrap().game;
    let error = Learner::open(&other, file.clone()).err().unwrap();
    assert!(matches!(error, FileError::OtherRules { .. }), "{error}");
    let mut agent = Learned::new("td", Arc::new(file));
    let role = other.info().players().next().unwrap();
    let view = View::new(Arc::clone(&other), role);
    let mut rng = Seed::from(1).rng();
    let error = agent.decide(&view, &mut Budget::iterations(9), &mut rng).unwrap_err();
    assert!(error.to_string().contains("cannot play"), "{error}");
}

/// With a jack no player should call a bet, and with a king every player should.
#[test]
fn games_that_hide_information_are_learned_from_views() {
    let game = magister::open("rust:kuhn-poker").unwrap().game;
    let learner = trained(&game, Kind::Ntuple, true, 20_000, 6);
    assert!(matches!(learner.header().reading, Reading::Views(_)));
    let file = Arc::new(learner.file());
    let mut agent = Learned::new("td", file);
    let (mut asked, mut right) = (0, 0);
    for number in 0..60 {
        let seed = Seed::from(number);
        let mut rng = seed.rng();
        let mut referee = Referee::new(Arc::clone(&game), seed, &Stop::never()).unwrap();
        while !referee.terminal() {
            let mut joint = Vec::new();
            for role in game.info().all_roles() {
                let legal = referee.legal(role).to_vec();
                let text = |choice: &magister::core::Move| game.text().move_text(*choice);
                let view = referee.view(role);
                let called = legal.iter().find(|choice| text(choice).contains("call"));
                if let (Some(&call), true) = (called, legal.len() > 1) {
                    let values = agent.of_view(view, &legal).unwrap();
                    let best = legal.iter().zip(&values).max_by(|a, b| a.1.total_cmp(b.1));
                    let calls = *best.unwrap().0 == call;
                    let seen = format!("{:?}", view.turns());
                    assert!(!seen.contains("Joint"), "a view shows the moves of all");
                    let card = view.turns().iter().find_map(|turn| match &turn.seen {
                        magister::core::Observation::Percepts(percepts) => {
                            percepts.iter().map(|&p| game.text().percept_text(p)).next()
                        }
                        magister::core::Observation::Joint(_) => None,
                    });
                    match card.unwrap_or_default() {
                        card if card.contains("jack") => {
                            (asked, right) = (asked + 1, right + u32::from(!calls));
                        }
                        card if card.contains("king") => {
                            (asked, right) = (asked + 1, right + u32::from(calls));
                        }
                        _ => {}
                    }
                }
                joint.push(legal[rng.below(legal.len() as u64) as usize]);
            }
            referee.advance(&joint, &Stop::never()).unwrap();
        }
    }
    assert!(asked > 10 && right == asked, "{right} of {asked}");
}

#[test]
fn a_learned_agent_works_inside_of_searches() {
    let game = magister::open("tictactoe").unwrap().game;
    let file = trained(&game, Kind::Ntuple, true, 3_000, 5).file();
    let path = std::env::temp_dir().join(format!("magister-learn-{}.agent", std::process::id()));
    std::fs::write(&path, file.to_bytes(false)).unwrap();
    for outer in ["td:file=F", "plies:depth=2,inner=[td:file=F]", "puct:inner=[td:file=F]"] {
        let text = outer.replace('F', &path.display().to_string());
        let mut agent = text.parse::<magister::players::Spec>().unwrap().agent();
        let role = game.info().players().next().unwrap();
        let view = View::new(Arc::clone(&game), role);
        let mut rng = Seed::from(1).rng();
        let decision = agent.decide(&view, &mut Budget::iterations(50), &mut rng).unwrap();
        assert!(game.worker().legal(role).contains(&decision.choice), "{outer}");
    }
    std::fs::remove_file(&path).unwrap();
}
