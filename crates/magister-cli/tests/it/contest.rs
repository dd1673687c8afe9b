//! The commands in which players meet.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_magister"));
    command.args(args);
    command
}

fn magister(args: &[&str]) -> Output {
    command(args).output().expect("the binary runs")
}

fn lines(output: &Output) -> Vec<Value> {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// A file that is removed at the end.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("magister-{name}-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        File(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("UTF-8")
    }

    fn lines(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The matches of a log, without the settings.
    fn matches(&self) -> Vec<String> {
        self.lines().into_iter().filter(|line| line.contains("\"round\":")).collect()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn without_times(mut games: Vec<Value>) -> Vec<Value> {
    games.pop();
    for game in &mut games {
        game["times_ms"] = Value::Null;
    }
    games
}

#[test]
fn a_match_is_reported_as_documented() {
    let args = ["match", "tictactoe", "--players", "uct,random", "--games", "4", "--seed", "3"];
    let args = [&args[..], &["--iterations", "50", "--json"]].concat();
    let games = lines(&magister(&args));
    assert_eq!(games.len(), 5);
    for (number, game) in games[..4].iter().enumerate() {
        assert_eq!(game["game"], "tictactoe");
        assert!(game["seed"].is_string());
        let seats = if number % 2 == 0 { ["uct", "random"] } else { ["random", "uct"] };
        assert_eq!(game["players"], serde_json::json!(seats));
        let moves = game["moves"].as_array().expect("moves");
        assert!(moves.iter().all(|joint| joint.as_array().is_some_and(|joint| joint.len() == 2)));
        let rewards = game["rewards"].as_array().expect("rewards");
        let sum: f64 = rewards.iter().filter_map(Value::as_f64).sum();
        assert!((sum - 100.0).abs() < 1e-9);
        assert_eq!(game["errors"], serde_json::json!([]));
        assert_eq!(game["times_ms"].as_array().map(Vec::len), Some(moves.len()));
    }
    assert_eq!(games[4]["summary"]["games"], 4);
}

#[test]
fn the_same_seed_gives_the_same_games() {
    let args = ["match", "tictactoe", "--players", "uct,mcts", "--games", "4", "--seed", "3"];
    let run = |more: &[&str]| {
        let args = [&args[..], &["--iterations", "200", "--json"], more].concat();
        without_times(lines(&magister(&args)))
    };
    assert_eq!(run(&["--jobs", "1"]), run(&["--jobs", "2"]));
}

#[test]
fn the_number_of_threads_changes_no_move() {
    let moves = |threads: &str| -> Vec<Value> {
        let players = format!("uct:threads={threads},mcts");
        let args = ["match", "connect-four", "--players", &players, "--games", "2", "--json"];
        let games =
            lines(&magister(&[&args[..], &["--iterations", "200", "--seed", "3"]].concat()));
        games[..2].iter().map(|game| game["moves"].clone()).collect()
    };
    assert_eq!(moves("1"), moves("2"));
}

#[test]
fn a_council_does_not_depend_on_the_order_of_its_members() {
    let players = "council:threads=3,inner=uct,mcts";
    let args = ["match", "connect-four", "--players", players, "--games", "2", "--json"];
    let run = || without_times(lines(&magister(&[&args[..], &["--iterations", "300"]].concat())));
    let games = run();
    assert_eq!(games, run());
    assert!(games[..2].iter().all(|game| game["errors"].as_array().is_none_or(Vec::is_empty)));
}

/// The peak memory of a run in MiB; `None` if the system does not report it.
fn peak(args: &[&str]) -> Option<f64> {
    let mut child =
        command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary runs");
    let mut most = None;
    while child.try_wait().expect("it can be waited for").is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
        let line = status.ok().and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
            line.split_whitespace().nth(1)?.parse::<f64>().ok()
        });
        most = line.map(|kib| kib / 1024.0).or(most);
        std::thread::sleep(Duration::from_millis(2));
    }
    most
}

#[test]
fn players_keep_their_limit_of_memory() {
    let run = |player: &str, memory: &str| {
        let players = format!("{player},legal");
        let args = ["match", "breakthrough", "--players", &players, "--max-steps", "1"];
        let limits = ["--iterations", "15000", "--memory", memory, "--jobs", "1"];
        peak(&[&args[..], &limits].concat())
    };
    let Some(base) = run("legal", "4") else {
        // Bypasses the capture of the test runner, so that a skipped test is visible.
        let _ = writeln!(std::io::stderr(), "SKIPPED: the system does not report peak memory");
        return;
    };
    for player in ["mcts", "greedy", "pts", "puct:inner=onestep", "alphabeta", "uct"] {
        // A player that plays batches needs memory for the lanes, and the allocator needs some too.
        let Some(most) = run(player, "4") else { continue };
        assert!(most < base + 4.0 + 28.0, "{player}: {most:.0} MiB of {base:.0}");
    }
}

#[test]
fn records_keep_thoughts_only_on_request() {
    let args = ["match", "tictactoe", "--players", "uct,random", "--json", "--iterations", "50"];
    let record = |more: &[&str]| -> Value {
        let output = magister(&[&args[..], more].concat());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        serde_json::from_str(text.lines().next().expect("a game")).expect("JSON")
    };
    assert!(record(&[]).get("thoughts").is_none());
    let kept = record(&["--thoughts"]);
    let thoughts = kept["thoughts"].as_array().expect("a list");
    // The search of the first seat examines all nine first moves.
    assert_eq!(thoughts[0]["step"], 1);
    assert_eq!(thoughts[0]["moves"].as_array().map(Vec::len), Some(9));
    let without = magister(&["match", "tictactoe", "--players", "random", "--thoughts"]);
    assert_eq!(without.status.code(), Some(2));
}

#[test]
fn what_was_played_can_be_replayed() {
    let file = File::new("replay");
    let args = ["match", "nim-3-4-5", "--players", "random", "--games", "3", "--json"];
    let played = magister(&args);
    std::fs::write(file.path(), &played.stdout).expect("writable");
    let output = magister(&["replay", file.path()]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.ends_with("3 matches, all agree with the rules\n"), "{text}");

    let walk = ["replay", file.path(), "--number", "2", "--step"];
    let mut child = command(&walk)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let script = b"redo 2\nundo\njump 3\nhistory\n";
    child.stdin.take().expect("piped").write_all(script).expect("it reads");
    let walked = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&walked.stdout).into_owned();
    assert_eq!(walked.status.code(), Some(0), "{text}");
    assert!(text.starts_with("match 2: nim-3-4-5") && text.contains(">   3  "), "{text}");

    // The record of a game with chance proves that chance was fair; a forged one is detected.
    let output = magister(&["match", "rust:2048", "--players", "random", "--json"]);
    let record = String::from_utf8_lossy(&output.stdout).lines().next().expect("a game").to_owned();
    let value: Value = serde_json::from_str(&record).expect("JSON");
    for (key, forged) in [("seed", "0".repeat(64)), ("salt", "1".repeat(64))] {
        let mut forgery = value.clone();
        forgery[key] = forged.into();
        std::fs::write(file.path(), forgery.to_string()).expect("writable");
        let output = magister(&["replay", file.path(), "--game", "rust:2048"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.code() == Some(1) && text.contains("not fair"), "{text}");
    }
    std::fs::write(file.path(), record).expect("writable");
    let output = magister(&["replay", file.path(), "--game", "rust:2048"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));

    let wrong = String::from_utf8_lossy(&played.stdout).replacen("100.0", "99.0", 1);
    std::fs::write(file.path(), wrong).expect("writable");
    assert_eq!(magister(&["replay", file.path()]).status.code(), Some(1));
}

/// Six players on ten games with one, two and three seats, killed three times.
#[test]
fn a_killed_tournament_goes_on() {
    let file = File::new("tournament");
    let games = [
        "tictactoe",
        "nim-3-4-5",
        "rock-paper-scissors",
        "rust:2048",
        "eightpuzzle",
        "buttonsandlights",
        "prisoners-dilemma",
        "nim-1-5-4-2",
        "chomp",
        "tictactoe-3-players",
    ];
    let more = ["--players", "uct,mcts,mcs,onestep,random,legal", "--log", file.path()];
    let limits = ["--iterations", "30", "--rounds", "1", "--jobs", "2", "--max-steps", "40"];
    let args = [&["tournament"], &games[..], &more, &limits].concat();
    let mut kept: Vec<String> = Vec::new();
    for enough in [5, 40, 90] {
        let mut child = command(&args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        // Killed in the middle, as soon as some matches are finished; on Unix this is SIGKILL.
        for _ in 0..20_000 {
            if file.lines().len() >= enough {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().expect("it can be killed");
        let _ = child.wait();
        let now = file.lines();
        assert!(now.len() >= enough, "{}", now.len());
        // All finished matches are still there, and none was played again.
        assert!(kept.iter().all(|line| now.contains(line)));
        kept = now;
        // The last line may be incomplete.
        kept.pop();
    }
    let output = magister(&args);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let all = file.matches();
    assert_eq!(file.lines().len(), all.len() + 1, "the settings are written once");
    // Six players alone three times, fifteen pairs five times, twenty triples twice.
    let due = 6 * 3 + 15 * 5 + 20 * 2;
    assert_eq!(all.len(), due);
    assert!(kept.iter().all(|line| file.lines().contains(line)), "finished matches are kept");
    let mut pairings: Vec<String> = all
        .iter()
        .map(|line| {
            let record: Value = serde_json::from_str(line).expect("JSON");
            format!("{} {} {}", record["game"], record["round"], record["players"])
        })
        .collect();
    pairings.sort();
    pairings.dedup();
    assert_eq!(pairings.len(), due, "nothing is played twice");

    // The same tournament without interruption, on one thread, has the same matches.
    let whole = File::new("tournament-whole");
    let mut calm = args.clone();
    calm[args.len() - limits.len() - 1] = whole.path();
    calm[args.len() - 3] = "1";
    assert_eq!(magister(&calm).status.code(), Some(0));
    let timeless = |lines: Vec<String>| -> Vec<String> {
        let mut lines: Vec<String> = lines
            .iter()
            .map(|line| {
                let mut played: Value = serde_json::from_str(line).expect("JSON");
                played["times_ms"] = Value::Null;
                played.to_string()
            })
            .collect();
        lines.sort();
        lines
    };
    assert_eq!(timeless(file.matches()), timeless(whole.matches()));
}

#[test]
fn a_swiss_tournament_has_byes_and_draws_its_table() {
    let (log, csv, svg) = (File::new("swiss"), File::new("swiss-csv"), File::new("swiss-svg"));
    let args = ["tournament", "tictactoe", "--players", "uct,mcts,mcs,onestep,random"];
    let more = ["--system", "swiss", "--rounds", "5", "--iterations", "20", "--log", log.path()];
    let files = ["--csv", csv.path(), "--svg", svg.path()];
    let args = [&args[..], &more, &files].concat();
    for rating in ["bradley-terry", "elo", "glicko-2", "weng-lin"] {
        let output = magister(&[&args[..], &["--rating", rating]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("score (wins count 1, draws 1/2), row against column:"), "{text}");
        assert!(text.contains("\nratings: "), "{text}");
    }
    // Two matches per round; all players meet each other, and each has one bye.
    assert_eq!(log.matches().len(), 10);
    let mut pairs: Vec<Vec<String>> = log
        .matches()
        .iter()
        .map(|line| {
            let played: Value = serde_json::from_str(line).expect("JSON");
            let seats = played["players"].as_array().expect("seats").iter();
            let mut seats: Vec<String> = seats.map(ToString::to_string).collect();
            seats.sort();
            seats
        })
        .collect();
    pairs.sort();
    pairs.dedup();
    assert_eq!(pairs.len(), 10, "no pair meets twice");
    assert_eq!(csv.lines().len(), 21);
    let drawn = svg.lines().join("\n");
    assert!(drawn.starts_with("<svg") && drawn.contains("onestep"), "{drawn}");
    let answers = lines(&magister(&[&args[..], &["--json"]].concat())).remove(0);
    for scale in ["elo", "glicko-2", "weng-lin"] {
        assert_eq!(answers["scales"][scale].as_array().map(Vec::len), Some(5), "{scale}");
    }
    assert_eq!(answers["ratings"].as_array().map(Vec::len), Some(5));
}

#[test]
fn mistakes_are_reported() {
    let said = |args: &[&str]| {
        let output = magister(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let players = |list| said(&["match", "tictactoe", "--players", list]);
    assert!(players("nobody").contains("there is no player `nobody`"));
    assert!(players("uct:c=-1").contains("`c` is a number from 0 to 100"));
    assert!(players("uct,uct,uct").contains("the number of seats is 2"));
    let hidden = said(&["match", "kuhn-poker", "--players", "uct,random"]);
    assert!(hidden.contains("games with hidden information"), "{hidden}");
    assert!(said(&["match", "tictactoe", "--players", "uct", "--time", "0"]).contains("200ms"));
}

#[test]
fn a_player_says_what_it_thinks() {
    let moves = "(put 1 1); (put 2 2); (put 1 2); (put 3 3)";
    let args = ["inspect", "tictactoe", "--player", "uct", "--iterations", "500", "--json"];
    let thought = lines(&magister(&[&args[..], &["--moves", moves]].concat())).remove(0);
    assert_eq!(thought["move"], "(put 1 3)", "it wins at once");
    assert_eq!(thought["values"], serde_json::json!([100.0, 0.0]));
    assert!(thought["moves"].as_array().is_some_and(|moves| !moves.is_empty()));
}

/// Sends lines to `magister answer` and returns its output.
fn asked(args: &[&str], said: &str) -> Vec<Value> {
    use std::io::Write as _;
    let mut child = command(&[&["answer"], args].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child.stdin.take().expect("a pipe").write_all(said.as_bytes()).expect("it reads");
    lines(&child.wait_with_output().expect("it ends"))
}

#[test]
fn a_player_answers_other_programs() {
    let said =
        "play (put 1 1)\nplay (put 2 2); (put 1 2); (put 3 3)\ngo\nplay (put 1 3)\ngo\nnew 7\n";
    let answers = asked(&["tictactoe", "--player", "uct", "--iterations", "500"], said);
    assert_eq!(answers.len(), 7);
    assert_eq!(answers[0]["choosing"], serde_json::json!(["x"]));
    assert_eq!((&answers[3]["move"], &answers[3]["role"]), (&"(put 1 3)".into(), &"x".into()));
    assert_eq!(answers[4]["over"], true);
    assert_eq!(answers[4]["rewards"], serde_json::json!({ "x": 100.0, "o": 0.0 }));
    assert!(
        answers[5]["error"].as_str().is_some_and(|text| text.contains("no player has a choice"))
    );
    assert_eq!(answers[6]["over"], false);
    let wrong = asked(&["tictactoe"], "hello\nnew\nplay (put 9 9)\n");
    assert!(wrong[1..].iter().all(|answer| answer["error"].is_string()), "{wrong:?}");
    assert_eq!(wrong.len(), 4);
}

#[test]
fn the_same_seed_makes_the_same_random_moves() {
    let said = "random\nrandom\ngo\nnew 3\nrandom\nrandom\ngo\n";
    let answers = asked(&["breakthrough", "--seed", "3", "--iterations", "300"], said);
    assert_eq!(answers[3]["move"], answers[7]["move"]);
}
