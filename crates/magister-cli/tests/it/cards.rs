//! Card games on the command line, for people and players.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::folder::Folder;

/// The output of a command, given some input.
fn magister(args: &[&str], input: &str) -> (i32, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_magister"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    // It may end before it has read everything.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().expect("a code"), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn a_person_sees_the_hand_and_chooses_by_name() {
    let (_, text) =
        magister(&["play", "hearts", "--level", "beginner", "--seed", "1"], "1\nquit\n");
    assert!(text.contains("you    hand "), "{text}");
    assert!(text.contains("p1     hand (13 cards)"), "{text}");
    assert!(text.contains("on turn: you"), "{text}");
    assert!(text.contains("1 pass-on "), "{text}");
    assert!(!text.contains("worked out"), "{text}");
    let dealt = text.split("The position at the end").next().unwrap_or_default();
    assert!(!dealt.contains("SPADES"), "cards are written in short: {text}");
}

#[test]
fn step_deals_and_shows_all_hands() {
    let (code, text) = magister(&["step", "hearts", "--seed", "2"], "random\nundo\nquit\n");
    assert_eq!(code, 0, "{text}");
    assert!(text.starts_with("step 51\n"), "{text}");
    assert!(text.contains("p3     hand ") && !text.contains("draw"), "{text}");
    assert_eq!(text.matches("step 51\n").count(), 2, "{text}");
}

#[test]
fn players_make_no_errors_in_card_games() {
    for (game, players) in
        [("hearts", "honest,random,random,random"), ("casino-blackjack", "honest")]
    {
        let args = ["match", game, "--players", players, "--iterations", "2", "--json"];
        let (code, text) = magister(&args, "");
        assert_eq!(code, 0, "{text}");
        let record = text.lines().next().unwrap_or_default();
        let record: serde_json::Value = serde_json::from_str(record).expect("a record");
        let errors = record.get("errors").and_then(serde_json::Value::as_array);
        assert!(errors.is_none_or(Vec::is_empty), "{game}: {errors:?}");
        assert!(record["moves"].as_array().is_some_and(|moves| moves.len() > 50), "{game}");
    }
}

#[test]
fn experiments_check_their_sums_and_report_no_fault() {
    let small = ["--games", "6", "--iterations", "2"];
    let table = ["experiment", "thesis-table2", "--only", "golf"];
    // So few matches prove nothing, so the players may miss their bars.
    let (code, text) = magister(&[&table[..], &small].concat(), "");
    assert!(code == 0 || code == 1, "{text}");
    assert!(text.contains("honest - thesis-honest: "), "{text}");
    assert_eq!(text.matches("sum of the seats 1.500 (must be 1.5)").count(), 3, "{text}");
    assert!(text.contains("thesis-honest:flaws=1"), "{text}");
    let valet = ["experiment", "valet", "--only", "leduc-poker/recycle"];
    let (code, more) = magister(&[&valet[..], &small].concat(), "");
    assert_eq!(code, 0, "{more}");
    let (_, most) =
        magister(&[&["experiment", "baselines", "--only", "agram"][..], &small].concat(), "");
    assert!(most.contains("honest against lazy-mcts"), "{most}");
    let all = [text, more, most].concat();
    assert!(!all.contains("missing") && !all.contains("are not counted"), "{all}");
}

#[test]
fn experiments_take_variants_and_short_names() {
    let table = ["experiment", "thesis-table2", "--honest", "honest"];
    let small = ["--games", "5", "--iterations", "1"];
    let golf = ["--only", "golf", "--variant", "golf-measured"];
    let (code, text) = magister(&[&table[..], &golf, &small].concat(), "");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("golf-measured is a variant of golf: every second turn"), "{text}");
    assert!(text.contains("golf-measured: 6 matches instead of 5"), "{text}");
    assert!(text.contains("golf-measured: 6 matches, sum of the seats 1.500"), "{text}");
    assert!(text.contains("golf-measured, honest and clairvoyant:most=400: 0 of 6"), "{text}");
    let agram = ["--only", "thesis-agram", "--variant", "golf-measured"];
    let (code, text) = magister(&[&table[..], &agram, &small].concat(), "");
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("golf-measured is a variant of golf, which --only leaves out"), "{text}");
    // An error comes before the header of the table.
    let (code, text) = magister(&["experiment", "valet", "--only", "chess"], "");
    assert_eq!(code, 2, "{text}");
    assert!(!text.contains("branching") && text.contains("leduc-poker/recycle"), "{text}");
    let short = ["experiment", "valet", "--only", "leduc-poker", "--only", "blackjack"];
    let (code, text) = magister(&[&short[..], &small].concat(), "");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("\ncasino-blackjack ") && text.contains("Of 2 games"), "{text}");
    assert!(text.contains("casino-blackjack, honest: 0 of 5 matches"), "{text}");
}

/// The figures of finished games are in the file while the next game is played.
#[test]
fn an_interrupted_experiment_keeps_its_results() {
    let folder = Folder::new("interrupted-experiment");
    let csv = folder.0.join("table.csv");
    let players = ["--honest", "honest", "--clairvoyant", "random", "--iterations", "500"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_magister"))
        .args(["experiment", "thesis-table2", "--only", "golf", "--only", "thesis-hearts"])
        .args(players)
        .args(["--games", "6", "--csv"])
        .arg(&csv)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let complete = || {
        let text = std::fs::read_to_string(&csv).unwrap_or_default();
        text.lines().filter(|line| line.starts_with("golf,honest,")).count() == 3
    };
    let start = std::time::Instant::now();
    while !complete() && start.elapsed().as_secs() < 300 {
        assert_eq!(child.try_wait().expect("it can be asked"), None, "it has ended too early");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    child.kill().expect("it can be ended");
    let _ = child.wait();
    assert!(complete());
    let text = std::fs::read_to_string(&csv).expect("it is written");
    assert!(!text.contains("thesis-hearts"), "{text}");
}

#[test]
fn a_part_of_the_baselines_has_no_verdict() {
    let args = ["experiment", "baselines", "--only", "goofspiel", "--games", "2"];
    let (code, text) = magister(&[&args[..], &["--iterations", "1"]].concat(), "");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("no verdict: that needs all 8 games"), "{text}");
    assert!(text.contains("goofspiel, honest and pipmc: 0 of 2 matches"), "{text}");
}

#[test]
fn explain_takes_a_card() {
    let (code, text) = magister(&["explain", "hearts", "nonsense", "--seed", "1"], "");
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("nonsense is not an option of p0"), "{text}");
    let options = text.split_once("options: ").map(|(_, rest)| rest).unwrap_or_default();
    let card = options.split([' ', ',']).nth(1).unwrap_or_default();
    let (code, text) = magister(&["explain", "hearts", card, "--seed", "1"], "");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("offers it, among 13"), "{text}");
}

#[test]
fn explain_says_why_a_card_is_not_offered() {
    let (code, text) = magister(&["explain", "agram", "--seed", "3", "--moves", "6C", "9H"], "");
    assert_eq!(code, 1, "{text}");
    assert!(
        text.contains("`(cardatt SUIT 'H)` is\n    HEARTS, `(game str LED)` is CLUBS"),
        "{text}"
    );
    assert!(!text.contains("...\n"), "the rule is shown in full: {text}");
    let (_, text) = magister(&["explain", "agram", "--seed", "3", "--moves", "6C", "8D"], "");
    assert!(text.contains("why not: 8D is not in p1's hand"), "{text}");
}

#[test]
fn explain_rejects_atoms_in_card_games() {
    for atom in ["terminal", "(goal p0 100)"] {
        let (code, text) = magister(&["explain", "hearts", atom], "");
        assert_eq!(code, 2, "{text}");
        assert!(text.contains("are not available for card games"), "{text}");
    }
}

#[test]
fn why_says_that_a_card_is_not_in_the_hand() {
    let play = ["play", "hearts", "--level", "beginner", "--seed", "1"];
    let (_, text) = magister(&play, "why KS\nquit\n");
    assert!(text.contains("KS is not in your hand."), "{text}");
    assert!(text.contains("; broken: no; first: yes"), "{text}");
}

#[test]
fn where_gives_the_odds_of_unseen_cards() {
    let play = ["play", "agram", "--as", "p1", "--seed", "1", "--against", "random", "--ascii"];
    let (_, text) = magister(&play, "where\nwhere 3C\nwhere AS\nhelp\nquit\n");
    // 35 cards without those that p1 holds or has seen: p0 has five left, p2 has six.
    assert!(text.contains("p0's hand 17.9 %, p2's hand 21.4 %"), "{text}");
    assert!(text.contains("the stock 60.7 %"), "{text}");
    assert!(text.contains("AS is not a card of this game"), "{text}");
    assert!(text.contains("where [CARD]"), "{text}");
    let (_, text) = magister(&["play", "tictactoe", "--seed", "1"], "help\nquit\n");
    assert!(!text.contains("where [CARD]"), "{text}");
}

/// A card game in a file of its own, with these blocks in line 3.
fn file(name: &str, blocks: &str) -> String {
    let path = std::env::temp_dir().join(format!("magister-{}-{name}.rcy", std::process::id()));
    let text = format!(
        "(game (setup (create players 2)\n  (create deck (game iloc STOCK) (deck (RANK (A, B)))))\n\
         {blocks}\n(choice ((turn pass)))\n(scoring max (game sto X)))\n"
    );
    std::fs::write(&path, text).expect("the file is written");
    path.to_string_lossy().into_owned()
}

#[test]
fn a_game_that_cannot_begin_is_an_error_of_every_command() {
    let path = file("begin", "(do ((inc (game sto X) (// 1 0))))");
    let commands: [(&[&str], i32); 7] = [
        (&["check"], 1),
        (&["playable"], 2),
        (&["match", "--players", "random,random"], 2),
        (&["play"], 2),
        (&["step"], 2),
        (&["bench"], 2),
        (&["show"], 1),
    ];
    for (command, wanted) in commands {
        let (code, text) = magister(&[command, &[&*path]].concat(), "");
        assert_eq!(code, wanted, "{command:?}: {text}");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("a number is divided by zero: `(// 1 0)`"), "{command:?}: {text}");
        assert!(text.contains(".rcy:3:24"), "{command:?}: {text}");
    }
    let _ = std::fs::remove_file(path);
}

#[test]
fn rules_that_fail_in_a_match_are_reported_by_the_exit_code() {
    let path = file("later", "(choice ((turn pass)))\n(do ((inc (game sto X) (// 1 0))))");
    let two = ["--players", "random,random"];
    let log = std::env::temp_dir().join(format!("magister-{}-later.log", std::process::id()));
    let log = ["--log", &log.to_string_lossy()].map(str::to_owned);
    let log: Vec<&str> = log.iter().map(String::as_str).collect();
    for (command, input) in [
        ([&["match", &path], &two[..]].concat(), ""),
        ([&["tournament", &path, "--players", "random,honest"], &log[..]].concat(), ""),
        (vec!["play", &path, "--level", "beginner"], "1\n1\nquit\n"),
    ] {
        let (code, text) = magister(&command, input);
        assert_eq!(code, 1, "{command:?}: {text}");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(command[0] == "tournament" || text.contains("divided by zero"), "{text}");
    }
    // A match that is only too long is no fault.
    let (code, text) =
        magister(&["match", "tictactoe", "--players", "random,random", "--max-steps", "2"], "");
    assert_eq!(code, 0, "{text}");
    let _ = (std::fs::remove_file(path), std::fs::remove_file(log[1]));
}

#[test]
fn endless_rules_are_tested_in_few_matches() {
    let path = file(
        "endless",
        "(choice ((turn pass)))\n(stage player (end (== 1 2)) (do ((inc (game sto X) 1))))",
    );
    let (code, text) = magister(&["playable", &path], "");
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("195 matches were not played"), "{text}");
    assert!(text.contains("in line 4:") && text.contains("in 5 of 5 matches"), "{text}");
    let _ = std::fs::remove_file(path);
}

#[test]
fn misspelt_keywords_are_repaired() {
    let path = file("misspelt", "(do ((shufle (game iloc STOCK))))");
    let (_, text) = magister(&["check", &path], "");
    assert!(text.contains("did you mean `shuffle`?"), "{text}");
    let (code, text) = magister(&["check", "--fix", &path], "");
    assert_eq!(code, 0, "{text}");
    assert!(std::fs::read_to_string(&path).expect("a file").contains("((shuffle (game"), "{text}");
    let _ = std::fs::remove_file(path);
}

#[test]
fn the_designers_metrics_are_drawn() {
    let path = std::env::temp_dir().join(format!("magister-{}-designer.svg", std::process::id()));
    let svg = path.to_string_lossy();
    let args = ["analyze", "kuhn-poker/recycle", "--designer", "--games", "2", "--svg", &svg];
    let (code, text) = magister(&args, "");
    assert_eq!(code, 0, "{text}");
    assert!(std::fs::read_to_string(&path).expect("a file").contains("fairness: "), "{text}");
    let _ = std::fs::remove_file(path);
}

#[test]
fn network_names_the_language() {
    let (code, text) = magister(&["network", "agram"], "");
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("agram is written in RECYCLE"), "{text}");
}
