//! The records of matches: summaries, logs of tournaments, and replays.

use std::process::{Command, Output};

use crate::folder::Folder;
use serde_json::{Value, json};

/// Runs the binary in the folder.
impl Folder {
    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("readable")
    }

    /// Runs the binary with arguments that are separated by spaces.
    fn run(&self, args: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_magister"));
        let command = command.args(args.split_whitespace()).current_dir(&self.0);
        command.output().expect("the binary runs")
    }

    /// The exit code and the whole output.
    fn said(&self, args: &str) -> (i32, String) {
        let output = self.run(args);
        let (out, err) = (&output.stdout, &output.stderr);
        let text = String::from_utf8_lossy(out).into_owned() + &String::from_utf8_lossy(err);
        (output.status.code().expect("it ends by itself"), text)
    }

    /// The output as lines of JSON.
    fn lines(&self, args: &str) -> Vec<Value> {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        objects(&output)
    }
}

/// The output of a command as lines of JSON.
fn objects(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// A game of two roles that never ends.
const ENDLESS: &str = "(role x) (role o) (init on) (legal x a) (legal x b) (legal o a) (next on)
(<= terminal (true off)) (goal x 100) (goal o 0)
";

/// After one of two moves no role has a legal move.
const TRAP: &str = "(role x) (role o) (init on)
(<= (legal x m) (true on)) (<= (legal x n) (true on))
(<= (legal o m) (true on))
(<= (legal x n) (true over)) (<= (legal o n) (true over))
(<= (next off) (does x m))
(<= (next over) (does x n))
(<= terminal (true over)) (goal x 100) (goal o 0)
";

#[test]
fn who_plays_alone_has_a_mean_reward_only() {
    let folder = Folder::new("alone");
    let args = "match monty-hall --players honest --iterations 20 --games 2";
    let value = folder.lines(&format!("{args} --json")).pop().expect("a summary");
    let line = &value["summary"]["players"][0];
    for field in ["wins", "draws", "losses", "score", "score_interval"] {
        assert!(line[field].is_null(), "{field}: {line}");
    }
    assert!(line["mean_reward"].is_number(), "{line}");
    let (_, text) = folder.said(args);
    let row = text.lines().last().expect("a row");
    assert_eq!(row.split_whitespace().filter(|&cell| cell == "-").count(), 5, "{text}");
}

#[test]
fn undecided_matches_are_reported_as_such() {
    let folder = Folder::new("endless");
    folder.file("endless.kif", ENDLESS);
    let args = "match endless.kif --players random --games 2 --iterations 1 --max-steps 5";
    let value = folder.lines(&format!("{args} --json")).pop().expect("a summary");
    let line = &value["summary"]["players"][0];
    assert_eq!((&value["summary"]["undecided"], &line["wins"]), (&json!(2), &json!(0)));
    assert!(line["score"].is_null() && line["mean_reward"].is_null(), "{line}");
    assert!(value["summary"]["roles"][0]["mean_reward"].is_null());
    let (code, text) = folder.said(args);
    assert_eq!(code, 0);
    assert!(text.contains("2 of 2 games undecided; --max-steps"), "{text}");
    let args = "tournament endless.kif --players random,legal --iterations 1 --max-steps 5";
    let (_, text) = folder.said(&format!("{args} --log t.jsonl"));
    assert!(text.contains("no match was decided"), "{text}");
    assert!(text.contains("2 of 2 matches undecided; --max-steps"), "{text}");
    let value = folder.lines(&format!("{args} --log t.jsonl --json")).remove(0);
    assert_eq!(value["undecided"], 2);
}

#[test]
fn intervals_stay_among_the_rewards() {
    let folder = Folder::new("intervals");
    let roles = |games: u32| {
        let args = format!("match tictactoe --players random --games {games} --iterations 1");
        let value = folder.lines(&format!("{args} --json")).pop().expect("a summary");
        value["summary"]["roles"].as_array().expect("roles").clone()
    };
    assert!(roles(3).iter().all(|role| role["reward_interval"].is_null()));
    for role in roles(12) {
        let Some(interval) = role["reward_interval"].as_array() else { continue };
        let inside = |end: &Value| end.as_f64().is_some_and(|end| (0.0..=100.0).contains(&end));
        assert!(interval.iter().all(inside), "{role}");
    }
}

#[test]
fn a_match_that_the_rules_break_off_keeps_its_last_move() {
    let folder = Folder::new("trap");
    folder.file("trap.kif", TRAP);
    let args = "match trap.kif --players random --games 8 --iterations 1 --json";
    let played = folder.run(args);
    // The answer is no: rules that break a match off are wrong.
    assert_eq!(played.status.code(), Some(1));
    let mut games = objects(&played);
    folder.file("played.jsonl", played.stdout);
    games.retain(|game| game["errors"].as_array().is_some_and(|errors| !errors.is_empty()));
    let game = games.first().expect("one of eight fell into the trap");
    assert_eq!(game["moves"], json!([["m", "m"]]), "{game}");
    assert_eq!(game["errors"][0]["step"], 1);
    assert_eq!(game["times_ms"].as_array().map(Vec::len), Some(1));
    let what = game["errors"][0]["what"].as_str().expect("a sentence");
    assert!(
        what.contains("no legal move") && what.contains("magister playable trap.kif"),
        "{what}"
    );
    let (code, text) = folder.said("replay played.jsonl");
    assert!(code == 0 && text.contains("8 matches, all agree"), "{text}");
    // Without the fault that broke it off, the record contradicts the rules.
    let silent = json!({
        "game": "trap.kif", "seed": "", "players": ["a", "b"], "moves": [["m", "m"]],
        "rewards": [null, null], "errors": [], "times_ms": [],
    });
    folder.file("silent.jsonl", silent.to_string() + "\n");
    let (code, text) = folder.said("replay silent.jsonl");
    assert!(code == 1 && text.contains("no legal move"), "{text}");
}

/// A line of a log in the format of earlier versions.
fn as_before(line: &str) -> String {
    let record: Value = serde_json::from_str(line).expect("JSON");
    let keys = ["game", "seed", "players", "moves", "rewards", "errors", "times_ms"];
    let report: serde_json::Map<String, Value> =
        keys.iter().map(|&key| (key.to_owned(), record[key].clone())).collect();
    let pairing =
        json!({"game": record["game"], "round": record["round"], "seats": record["players"]});
    json!({"pairing": pairing, "report": report}).to_string()
}

#[test]
fn a_log_is_of_one_tournament() {
    let folder = Folder::new("settings");
    let args = "tournament tictactoe --players uct,random --log t.jsonl";
    let same = format!("{args} --iterations 10 --seed 4");
    assert_eq!(folder.said(&same).0, 0);
    let (whole, first) = (folder.read("t.jsonl"), folder.lines(&format!("{same} --json")));
    assert_eq!(first[0]["matches"], 2);
    let (code, text) = folder.said(&format!("{args} --iterations 5 --seed 99 --max-steps 3"));
    assert_eq!(code, 2, "{text}");
    for difference in ["another seed", "iterations 10, now 5", "max-steps 10000, now 3"] {
        assert!(text.contains(difference), "{text}");
    }
    assert_eq!(folder.read("t.jsonl"), whole, "a refused log is not changed");

    // With an additional game and player it is the same tournament, of which only the requested
    // part counts.
    let more = "tournament nim-3-4-5 tictactoe --players uct,random,legal --log t.jsonl";
    let value = folder.lines(&format!("{more} --iterations 10 --seed 4 --json"));
    assert_eq!(value[0]["matches"], 8);
    let other = folder.run(&format!("{same} --json"));
    let value: Value = serde_json::from_slice(&other.stdout).expect("JSON");
    assert_eq!(value, first[0]);
    let text = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(text.contains("6 matches of another tournament"), "{text}");
    assert_eq!(folder.said("replay t.jsonl").0, 0);

    // Logs of earlier versions begin with the first match, in another format.
    let old: String = whole.lines().skip(1).map(|line| as_before(line) + "\n").collect();
    folder.file("t.jsonl", &old);
    let (code, text) = folder.said(&format!("{same} --rounds 4"));
    assert!(code == 0 && text.contains("earlier version"), "{text}");
    let now = folder.read("t.jsonl");
    assert!(now.starts_with(&old) && now.lines().count() == 4, "{now}");

    // A file that is not a log is not changed.
    folder.file("letter.txt", "dear reader");
    let (code, text) = folder.said("tournament tictactoe --players uct,legal --log letter.txt");
    assert!(code == 2 && text.contains("is not a tournament log"), "{text}");
    assert_eq!(folder.read("letter.txt"), "dear reader");
}

#[test]
fn tournaments_that_make_no_sense_are_refused() {
    let folder = Folder::new("senseless");
    let refused = |args: &str, why: &str| {
        let (code, text) = folder.said(&format!("tournament {args} --iterations 5"));
        assert!(code == 2 && text.contains(why), "{args}: {text}");
    };
    let log = "--log t.jsonl";
    refused(&format!("tictactoe --players uct {log}"), "give two players");
    refused(&format!("tictactoe --players uct,uct {log}"), "the player uct is given twice");
    refused(&format!("tictactoe tictactoe --players uct,mcs {log}"), "tictactoe is given twice");
    let endless = format!("tictactoe --players uct,random --rounds 4000000000 {log}");
    refused(&endless, "4000000000 matches");
    refused(&format!("tictactoe --players uct,random --rounds 0 {log}"), "1 or more");
    refused(
        &format!("kuhn-poker --players uct,random {log}"),
        "does not play games with hidden information",
    );
    assert!(!folder.0.join("t.jsonl").exists());
    if cfg!(target_os = "linux") {
        refused("tictactoe --players uct,random --log /dev/full", "name another log");
    }
    let alone = "tournament eightpuzzle --players legal --iterations 1 --max-steps 3 --log a.jsonl";
    let (code, text) = folder.said(alone);
    assert!(code == 0 && text.contains("no match was decided"), "{text}");
    let alone = "tournament monty-hall --players honest --iterations 5 --log b.jsonl";
    let (code, text) = folder.said(alone);
    assert!(code == 0 && text.contains("honest has no opponents"), "{text}");
}

#[test]
fn options_that_ask_for_nothing_are_refused() {
    let folder = Folder::new("nothing");
    let args = "match tictactoe --players random --iterations 1";
    for option in ["--games 0", "--max-steps 0", "--jobs 0"] {
        let (code, text) = folder.said(&format!("{args} {option}"));
        assert!(code == 2 && text.contains("1 or more"), "{option}: {text}");
    }
    let (code, text) = folder.said("match tictactoe --players random --iterations 0");
    assert!(code == 2 && text.contains("1 or more"), "{text}");
    assert_eq!(folder.said(&format!("{args} --grace 0ms")).0, 0);
    assert_eq!(folder.said(&format!("{args} --games 3 --jobs 99999999")).0, 0);
}

#[test]
fn faults_of_a_record_are_reported() {
    let folder = Folder::new("records");
    let args = "match tictactoe --players random --games 3 --iterations 1 --seed 1 --json";
    let output = folder.run(args).stdout;
    let text = String::from_utf8(output).expect("UTF-8");
    let games: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let replay = |content: &[u8]| {
        folder.file("r.jsonl", content);
        folder.said("replay r.jsonl")
    };
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut game = games[0].clone();
        change(&mut game);
        replay((game.to_string() + "\n").as_bytes())
    };
    let moves = |game: &mut Value| game["moves"].as_array_mut().expect("moves").clone();
    let steps = games[0]["moves"].as_array().expect("moves").len();

    let longer = |game: &mut Value| {
        let mut all = moves(game);
        all.push(all[0].clone());
        game["moves"] = json!(all);
    };
    let (code, said) = changed(&longer);
    assert!(code == 1 && said.contains(&format!("was over after step {steps}")), "{said}");
    let shorter = |game: &mut Value| game["moves"] = json!(moves(game)[..steps - 1]);
    let (code, said) = changed(&shorter);
    assert!(code == 1 && said.contains(&format!("not over after step {}", steps - 1)), "{said}");
    let (code, said) = changed(&|game| game["players"] = json!(["random"]));
    assert!(code == 1 && said.contains("(players 1, rewards 2, seats of the game 2)"), "{said}");
    let twice = |game: &mut Value| game["moves"][2] = game["moves"][0].clone();
    let (code, said) = changed(&twice);
    assert!(code == 1 && said.contains("step 3: `(put ") && said.contains("of x"), "{said}");
    let (code, said) = changed(&|game| game["game"] = json!("standard input"));
    assert!(code == 2 && said.contains("--game"), "{said}");

    // Garbage in the middle, and a truncated last line.
    let lines: Vec<&str> = text.lines().collect();
    let torn = format!("{}\nnonsense\n{}\n{}", lines[0], lines[1], &lines[2][..100]);
    let (code, said) = replay(torn.as_bytes());
    assert_eq!(code, 2, "{said}");
    assert!(
        said.contains("line 2 is not a match: ") && said.contains("line 4 is incomplete"),
        "{said}"
    );
    assert!(said.contains("match 2: tictactoe") && said.contains("2 matches, all agree"), "{said}");
    assert!(said.contains("2 lines of r.jsonl"), "{said}");
    let (code, said) = replay(b"\xff\xfe\x00\n");
    assert!(code == 2 && said.contains("line 1 is not text"), "{said}");

    for nothing in ["", "\n", &format!("{}\n", lines[3])] {
        let (code, said) = replay(nothing.as_bytes());
        assert!(code == 2 && said.contains("no match in r.jsonl"), "{said}");
    }
    let (code, said) = folder.said("replay .");
    assert!(code == 2 && said.contains(". cannot be read"), "{said}");
}
