//! Opening games by name, path and text, and the errors if there is no such game.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use magister::core::{Seed, Step, Stop};
use magister::engine::Evaluator;
use magister::{Error, Input, Language, Options, Playable, Source};

const SWITCH: &str = "(role you) (init (light off)) (legal you press)
    (<= (next (light on)) (does you press))
    (<= terminal (true (light on))) (goal you 100)";

/// A separate folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn open(name: &str) -> Playable {
    magister::open(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn names_are_those_of_the_catalogue() {
    for (name, language) in [
        ("tictactoe", "GDL"),
        ("Tic-Tac-Toe", "GDL"),
        ("connect-four/operations", "Gamemaster"),
        ("kuhn-poker", "GDL-II"),
        ("rust:tictactoe", "Rust"),
        ("tictactoe/rust", "Rust"),
        ("2048", "Rust"),
    ] {
        let playable = open(name);
        assert_eq!(playable.language().name(), language, "{name}");
        assert_eq!(playable.rules().is_some(), language != "Rust", "{name}");
        assert_eq!(playable.evaluator == "rust", language == "Rust", "{name}");
        assert!(!playable.game.info().roles.is_empty(), "{name}");
    }
    assert_eq!(open("2048").name, "rust:2048");
}

#[test]
fn a_text_is_a_game() {
    let playable = magister::open_text("switch", SWITCH).expect("a game");
    assert_eq!((playable.name.as_str(), playable.rules()), ("switch", Some(SWITCH)));
    assert!(matches!(playable.language(), Language::Gdl(..)));
    let mut worker = playable.game.worker();
    let press = worker.legal(playable.game.info().role("you").expect("a role"))[0];
    assert_eq!(playable.game.text().move_text(press), "press");
    worker.step(&[press], &mut Step::new(), &Stop::never()).expect("a legal move");
    assert!(worker.terminal());
    // The name of a bundled game does not turn a text into that game.
    let painter = magister::open_text("tictactoe", SWITCH).expect("a game").painter();
    let mut state = Vec::new();
    worker.save(&mut state);
    assert!(painter.picture(&*playable.game, &state).text(80, false).contains("on"));
}

#[test]
fn a_file_comes_before_a_bundled_game_and_brings_its_style() {
    let folder = folder("file");
    let file = folder.join("switch.kif");
    fs::write(&file, SWITCH).expect("a file");
    let path = file.to_str().expect("a plain path");
    assert_eq!(open(path).name, path);
    fs::write(folder.join("style.toml"), "nonsense = [").expect("a file");
    let error = magister::open(path).expect_err("a broken style");
    assert!(matches!(&error, Error::Style { path, .. } if path.ends_with("style.toml")));
    fs::remove_file(folder.join("style.toml")).expect("it is there");
    let folder = folder.to_str().expect("a plain path");
    assert!(matches!(magister::open(folder), Err(Error::Folder { .. })));
}

#[test]
fn unknown_names_get_suggestions() {
    let message = |name: &str| magister::open(name).expect_err(name).to_string();
    let near = "no file or bundled game is called tictacto; did you mean tictactoe";
    assert!(message("tictacto").starts_with(near), "{}", message("tictacto"));
    assert!(message("qqqqqqqqq").ends_with("`magister games` lists the games"));
    assert!(
        message("tictactoe/infixx").starts_with("there is no tictactoe/infixx; there is tictactoe")
    );
    assert!(message("rust:tictacto").ends_with("did you mean tictactoe?"));
    assert!(message("rust:qqqqqqqqq").contains("these are: 2048, "));
    assert!(matches!(Input::open("2048"), Err(Error::NoRulesheet { .. })));
}

#[test]
fn rules_with_errors_say_where() {
    let error =
        magister::open_text("mine.kif", "(role x)\n(<= (legal x ?m) (true (free").expect_err("");
    let Error::Rules(findings) = &error else { panic!("{error}") };
    assert!(findings.has_errors());
    assert_eq!(findings.lines().len(), findings.json().len());
    assert!(findings.terminal()[0].contains("mine.kif:2:"), "{:?}", findings.terminal());
    let text = error.to_string();
    assert!(
        text.starts_with("mine.kif cannot be played because it has errors, such as mine.kif:2:")
    );
    assert!(text.ends_with("`magister check` shows them all"), "{text}");
    // Findings of a thorough check alone do not prevent play.
    let source = Options::default().read_text("switch", SWITCH).expect("a game");
    assert!(!source.check().expect("rules").has_errors());
}

#[test]
fn rules_without_a_game_are_distinguished() {
    let error = magister::open_text("nothing", "(role you)").expect_err("no game");
    assert!(matches!(&error, Error::NotPlayable { name, .. } if name == "nothing"), "{error:?}");
}

#[test]
fn too_large_a_text_is_refused_before_it_fills_memory() {
    let endless = std::io::repeat(b'(');
    let input = Input::read("endless", endless).expect("it is cut off");
    let limit = Options::default().reading.gdl.limits.bytes;
    assert_eq!(input.text.len(), limit + 1);
    let refused = Source::read("endless", input, &Options::default());
    assert!(matches!(refused, Err(Error::Rules(_))));
}

#[test]
fn evaluators_can_be_chosen() {
    let source = Options::default().find("tictactoe").expect("a game");
    let all = source.prepare_each().expect("a game").taken;
    let names: Vec<&str> = all.iter().map(|playable| playable.evaluator).collect();
    for evaluator in Evaluator::ALL {
        if *evaluator != Evaluator::Code {
            assert!(names.contains(&evaluator.name()), "{names:?}");
        }
    }
    let options = Options { evaluator: Some(Evaluator::Sweep), ..Options::default() };
    assert_eq!(options.open("tictactoe").expect("a game").evaluator, "sweep");
    assert!(matches!(options.open("2048"), Err(Error::NoEvaluator { .. })));
}

#[test]
fn a_flag_stops_the_preparation_and_progress_is_reported() {
    let stop = Stop::new();
    stop.set();
    let heard = Arc::new(AtomicUsize::new(0));
    let listener = Arc::clone(&heard);
    let options = Options {
        stop,
        progress: Some(Arc::new(move |report| {
            assert_eq!(report.name, "chess");
            listener.fetch_add(usize::from(report.done), Ordering::Relaxed);
        })),
        ..Options::default()
    };
    assert!(matches!(options.open("chess"), Err(Error::NotPlayable { .. })));
    assert_eq!(heard.load(Ordering::Relaxed), 1);
}

#[test]
fn warming_up_changes_nothing_but_speed() {
    let [cold, warm] = [open("tictactoe"), open("tictactoe")];
    warm.warm_up();
    open("2048").warm_up();
    let number = |playable: &Playable| {
        let (mut worker, mut rng) = (playable.game.worker(), Seed::from(3).rng());
        let mut texts = Vec::new();
        while !worker.terminal() {
            let mut joint = Vec::new();
            for role in playable.game.info().all_roles() {
                let legal = worker.legal(role);
                joint.push(legal[rng.below(legal.len() as u64) as usize]);
            }
            texts.extend(joint.iter().map(|&choice| playable.game.text().move_text(choice)));
            worker.step(&joint, &mut Step::new(), &Stop::never()).expect("legal moves");
        }
        texts
    };
    assert_eq!(number(&cold), number(&warm));
}
