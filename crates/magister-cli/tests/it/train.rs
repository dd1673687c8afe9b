//! Training and measuring agents on the command line.

use serde_json::Value;

use crate::folder::Folder;
use crate::stumbles::{flat, has, lacks, run_in};

fn run(folder: &Folder, words: &str) -> (String, i32) {
    run_in(folder, &words.split(' ').collect::<Vec<_>>(), "")
}

fn good(folder: &Folder, words: &str) -> String {
    let (text, code) = run(folder, words);
    assert_eq!(code, 0, "{words}: {text}");
    text
}

fn bad(folder: &Folder, words: &str) -> String {
    let (text, code) = run(folder, words);
    assert_eq!(code, 2, "{words}: {text}");
    flat(&text)
}

fn last(text: &str) -> Value {
    let line = text.lines().rfind(|line| line.starts_with('{')).expect("a line of JSON");
    serde_json::from_str(line).expect("JSON")
}

#[test]
fn simultaneous_games_are_learned_and_played() {
    let folder = Folder::new("train-simultaneous");
    for more in ["", " --agent linear", " --agent net", " --rule q", " --rule sarsa"] {
        for game in ["rock-paper-scissors", "rust:rock-paper-scissors"] {
            good(&folder, &format!("train {game} --games 50 --out f{more}"));
            let text = good(&folder, &format!("eval {game} f --against random --games 4 --json"));
            assert_eq!(last(&text)["errors"], 0, "{text}");
        }
    }
}

#[test]
fn a_sweep_is_a_table_and_goes_on_where_it_ended() {
    let folder = Folder::new("train-sweep");
    let sweep = "train tictactoe --general --games 40 --sweep alpha=0.1,1 --sweep lambda=0,0.5 \
                 --seeds 2 --against random,onestep --matches 4 --csv t.csv --out s";
    let text = good(&folder, sweep);
    has(&flat(&text), "alpha lambda against seeds matches points 95 % interval");
    has(&flat(&text), "0.1 0.5 onestep 2 8 ");
    has(&text, "8/8 alpha=1 lambda=0.5 seed=1: ");
    let csv = std::fs::read_to_string(folder.0.join("t.csv")).expect("a table");
    assert_eq!(csv.lines().count(), 9, "{csv}");
    // An interrupted run has fewer lines, perhaps one that is cut off.
    let journal = folder.0.join("s/results.jsonl");
    let lines = std::fs::read_to_string(&journal).expect("results");
    std::fs::write(&journal, &lines[..lines.len() - 20]).expect("written");
    let again = good(&folder, &format!("{sweep} --json"));
    has(&again, "7/8 alpha=1 lambda=0.5 seed=0: known from");
    lacks(&again, "8/8 alpha=1 lambda=0.5 seed=1: known");
    assert_eq!(last(&again)["parameters"]["lambda"], 0.5);
    assert_eq!(std::fs::read_to_string(folder.0.join("t.csv")).expect("a table"), csv);
    let wrong = "train tictactoe --games 4 --out s --sweep";
    has(&bad(&folder, &format!("{wrong} beta=1")), "no parameter `beta`; it has agent");
    has(&bad(&folder, &format!("{wrong} alpha=x")), "`x` is not a number");
    has(&bad(&folder, &format!("{wrong} steps=fast")), "it has plain, coherent");
}

#[test]
fn curves_are_drawn() {
    let folder = Folder::new("train-curve");
    let text = good(&folder, "train tictactoe --games 2000 --svg c.svg --out f");
    has(&text, "Mean result of the first player");
    has(&text, " 2000 games");
    let page = std::fs::read_to_string(folder.0.join("c.svg")).expect("a page");
    assert_eq!(page.matches("class=\"line\"").count(), 2, "{page}");
    let (text, code) = run(&folder, "train tictactoe --games 9 --svg no/c.svg --out f");
    has(&text, "cannot write no/c.svg");
    assert_eq!(code, 2);
}

/// Short and resumed runs count what they did, and do not invent rates.
#[test]
fn figures_of_short_and_resumed_runs_are_right() {
    let folder = Folder::new("train-figures");
    let first = last(&good(&folder, "train tictactoe --games 20 --json --out f"));
    let more = last(&good(&folder, "train tictactoe --resume f --games 5 --json --out f"));
    assert_eq!((&first["games"], &more["games"]), (&20.into(), &25.into()));
    assert_eq!((&more["new_games"], &more["mean_games"]), (&5.into(), &5.into()));
    let moves = |object: &Value, name: &str| object[name].as_u64().expect("a number");
    assert_eq!(moves(&more, "moves"), moves(&first, "moves") + moves(&more, "new_moves"));
    for run in [&first, &more] {
        assert!(run["moves_per_s"].is_null() && run["episodes_per_s"].is_null(), "{run}");
        assert!(run["mean"].is_f64() && run["error"].is_f64(), "{run}");
    }
    let az = "train tictactoe --agent az --channels 8 --games 20 --threads 2 --json --out z";
    let az = last(&good(&folder, az));
    assert_eq!(az["games"], 20);
    assert!(az["error"].as_f64().expect("a number") > 0.0, "{az}");
}

/// Few games say little about a goal.
#[test]
fn a_goal_needs_hundreds_of_games() {
    let folder = Folder::new("train-goal");
    let text = good(&folder, "train tictactoe --goal -0.5 --games 50000 --out f");
    has(&text, "goal -0.5 reached: mean ");
    has(&text, "over the last 416 games");
    let text = good(&folder, "train tictactoe --goal -0.5 --games 100 --out f --json");
    assert_eq!(last(&text)["goal_reached"], false, "{text}");
}

#[test]
fn agents_of_other_games_are_refused_before_the_match() {
    let folder = Folder::new("train-foreign");
    good(&folder, "train tictactoe --agent az --channels 8 --games 4 --out z");
    for words in [
        "match connect-four --players az:file=z,random --games 2",
        "match connect-four --players puct:inner=[az:file=z],random --games 2",
        "inspect connect-four --player az:file=z",
        "answer connect-four --player az:file=z",
        "analyze connect-four --player az:file=z",
        "audit connect-four --player az:file=z",
    ] {
        has(&bad(&folder, words), "cannot play connect-four: it was trained for tictactoe");
    }
    has(&bad(&folder, "eval connect-four z"), "learned tictactoe and cannot play connect-four");
}

#[test]
fn options_that_would_be_ignored_are_errors() {
    let folder = Folder::new("train-ignored");
    good(&folder, "train tictactoe --games 4 --lambda 1 --general --out f");
    let text = bad(&folder, "train tictactoe --resume f --agent az --lambda 0.1 --games 4 --out f");
    has(&text, "--agent");
    has(&text, "--lambda");
    has(&bad(&folder, "eval tictactoe f --inside puct"), "write AGENT where it belongs");
    let text = bad(&folder, "match tictactoe --players expectimax:inner=mcs,random");
    has(&text, "expectimax around another player is plies:inner=[PLAYER]");
    has(&bad(&folder, "train tictactoe --games 4 --out f --seeds 3"), "--sweep");
    has(&bad(&folder, "train tictactoe --games 4 --out f --against uct"), "are for --sweep");
}

#[test]
fn values_of_moves_are_shown_where_information_is_hidden() {
    let folder = Folder::new("train-hidden");
    good(&folder, "train kuhn-poker --games 200 --out f");
    let text = good(&folder, "inspect kuhn-poker --player td:file=f --json");
    let moves = last(&text)["moves"].as_array().expect("moves").clone();
    assert!(moves.len() == 2 && moves.iter().all(|one| one["value"].is_number()), "{text}");
}

/// Each of the ten agents is measured, and its file says how strong it is, and how it played.
#[test]
fn popular_agents_state_their_strength() {
    let folder = Folder::new("train-popular");
    let popular = "train --popular --games 3 --matches 1 --iterations 2 --against random --out p";
    let text = good(&folder, popular);
    assert_eq!(text.lines().filter(|line| line.contains(" % (")).count(), 10, "{text}");
    has(&text, "docs/learning.md has the strength after longer training");
    let text = good(&folder, "eval tictactoe p/tictactoe.agent --games 1 --iterations 1");
    has(&text, "measured after the training inside puct:sharp=20,inner=[AGENT] against random: ");
}

/// The time limit also ends games.
#[test]
fn popular_networks_state_their_strength() {
    let folder = Folder::new("train-popular-az");
    let popular = "train --popular --agent az --seconds 0.02 --channels 4 --blocks 0 --simulations 2 \
                   --matches 1 --iterations 1 --against random --out p";
    let text = good(&folder, popular);
    assert_eq!(text.lines().filter(|line| line.contains(" % (")).count(), 10, "{text}");
    let text = good(&folder, "eval tictactoe p/tictactoe.agent --games 1 --iterations 1");
    has(&text, "measured after the training against random: ");
}

/// A function that reads less of a position plays it, too.
#[test]
fn parts_of_a_position_can_be_read() {
    let folder = Folder::new("train-observe");
    for part in ["board", "facts", "all"] {
        good(&folder, &format!("train tictactoe --observe {part} --games 300 --out {part}"));
        let text =
            good(&folder, &format!("eval tictactoe {part} --against random --games 4 --json"));
        assert_eq!(last(&text)["errors"], 0, "{text}");
    }
    let read = |part: &str| std::fs::read(folder.0.join(part)).expect("a file");
    assert!(read("board") != read("facts"));
    let train = "train rock-paper-scissors --games 4 --out f --observe board";
    has(&bad(&folder, train), "choose --observe facts");
    let train = "train kuhn-poker --games 4 --out f --observe facts";
    has(&bad(&folder, train), "leave out --observe");
}
