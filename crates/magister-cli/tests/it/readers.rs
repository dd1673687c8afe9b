//! What two readers stumbled over who had only the README and the program.

use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::folder::Folder;
use crate::interrupts::{interrupt, interruptible, signal};
use crate::stumbles::{flat, has, lacks, play, run_in};
use serde_json::Value;

/// A game of one move, which decides the result.
const ONE_MOVE: &str = "(role x)
(legal x go)
(legal x stay)
(<= (next (did ?m)) (does x ?m))
(<= terminal (true (did ?m)))
(<= (goal x 100) (true (did go)))
(<= (goal x 0) (true (did stay)))
";

fn spawn(folder: &Folder, args: &[&str]) -> Child {
    interruptible()
        .args(args)
        .current_dir(&folder.0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs")
}

/// Reads until a text appears.
fn until(from: &mut impl Read, wanted: &str) -> String {
    let mut text = Vec::new();
    let mut byte = [0];
    while !String::from_utf8_lossy(&text).contains(wanted) {
        let count = from.read(&mut byte).expect("readable");
        assert!(count > 0, "`{wanted}` is missing in:\n{}", String::from_utf8_lossy(&text));
        text.extend(byte);
    }
    String::from_utf8_lossy(&text).into_owned()
}

fn records(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
}

#[test]
fn a_match_is_recorded_as_soon_as_it_ends() {
    let folder = Folder::new("record-end");
    folder.file("one.kif", ONE_MOVE);
    let file = folder.0.join("one.jsonl");
    let mut child = spawn(&folder, &["play", "one.kif", "--record", "one.jsonl"]);
    let mut input = child.stdin.take().expect("piped");
    let mut output = child.stdout.take().expect("piped");
    input.write_all(b"stay\n").expect("it reads");
    until(&mut output, "recorded in one.jsonl.");
    let found = records(&file);
    assert_eq!((found.len(), &found[0]["rewards"][0]), (1, &Value::from(0.0)), "{found:?}");
    // After a move was taken back, the match has another end, and still one record.
    input.write_all(b"undo\ngo\nrematch\nstay\nquit\n").expect("it reads");
    drop(input);
    assert!(child.wait().expect("it ends").success());
    let rewards: Vec<Value> = records(&file).iter().map(|one| one["rewards"][0].clone()).collect();
    assert_eq!(rewards, [Value::from(100.0), Value::from(0.0)]);
}

#[cfg(unix)]
#[test]
fn a_closed_terminal_loses_no_match() {
    let folder = Folder::new("record-signal");
    folder.file("one.kif", ONE_MOVE);
    for name in ["-HUP", "-TERM"] {
        let file = format!("one{name}.jsonl");
        let mut child = spawn(&folder, &["play", "one.kif", "--record", &file]);
        let _input = child.stdin.take().expect("piped");
        let mut output = child.stdout.take().expect("piped");
        until(&mut output, "x> ");
        signal(&child, name);
        // A terminal that is gone takes no output.
        drop(output);
        child.wait().expect("it ends");
        let found = records(&folder.0.join(&file));
        assert_eq!((found.len(), &found[0]["end"]), (1, &Value::from("left")), "{found:?}");
    }
}

#[test]
fn forced_moves_may_be_written_down() {
    let folder = Folder::new("forced");
    let written = "c3d4; f6e5; d4f6";
    for moves in [written, "c3d4; f6e5; (jump 4 4 6 6)", "c3d4; f6e5; jump 4 4 6 6"] {
        let (text, code) = run_in(&folder, &["step", "checkers", "--moves", moves], "");
        assert_eq!(code, 0, "{moves}: {text}");
    }
    // A legal move has priority over the command of that name.
    let (text, code) = run_in(&folder, &["step", "checkers"], "c3d4\nf6e5\njump 4 4 6 6\njump 0\n");
    assert_eq!(code, 0, "{text}");
    let (text, code) =
        run_in(&folder, &["explain", "checkers", "terminal", "--moves", written], "");
    assert_eq!(code, 1, "{text}");
    // A number alone is still a move of the next choice.
    let (_, code) = run_in(&folder, &["step", "checkers", "--moves", "1; 1; 1; 1"], "");
    assert_eq!(code, 0);
    has(&run_in(&folder, &["show", "checkers"], "").0, "(forced)");
}

#[test]
fn explain_takes_moves_as_play_does() {
    let folder = Folder::new("explain-moves");
    let explain = |args: &[&str]| {
        // The default limit is too short for a busy machine.
        let all = [&["explain"], args, &["--seconds", "600"]].concat();
        let (text, code) = run_in(&folder, &all, "");
        (flat(&text), text.lines().count(), code)
    };
    let not = |args: &[&str], part: &str| {
        let (text, _, code) = explain(args);
        has(&text, part);
        assert_eq!(code, 1, "{text}");
    };
    not(&["chess", "(move a 1 a 3)"], "move a 1 a 3 is not legal: ");
    not(&["chess", "Ra3"], "move a 1 a 3 is not legal: ");
    not(&["chess", "Nf4"], "no knight of white can go to f4.");
    not(&["checkers", "e3f5"], "e3f5 is never legal: the board has no cell f5.");
    not(&["checkers", "c3e5"], "3 3 5 5 is not legal");
    let taken = ["checkers", "a3b4", "--moves", "c3d4; f6e5"];
    not(&taken, "move 1 3 2 4 is not legal: ");
    not(&["tictactoe", "put 2 2", "--moves", "put 2 2; put 1 1"], "put 2 2 is not legal: ");
    for one in ["(put 2 2)", "put 2 2", "b2", "5"] {
        let (text, _, code) = explain(&["tictactoe", one]);
        has(&text, "(legal x (put ");
        has(&text, " holds");
        assert_eq!(code, 0, "{text}");
    }
    not(&["chess", "a1z9"], "no pawn of white can go to z9.");
    // Names that the rules do not have need no proof.
    let (text, lines, code) = explain(&["chess", "move a 1 z 9"]);
    has(&text, "is never legal: `z` does not occur in the rules.");
    assert_eq!((lines, code), (1, 1), "{text}");
    // A condition is not a move, even if it is misspelt.
    has(&explain(&["tictactoe", "(lines x)"]).0, "nothing defines");
}

#[cfg(unix)]
#[test]
fn interrupted_training_keeps_what_was_learned() {
    let folder = Folder::new("train-interrupt");
    let mut child = spawn(&folder, &["train", "tictactoe", "--seconds", "600", "--out", "a.agent"]);
    let mut progress = child.stderr.take().expect("piped");
    until(&mut progress, "games");
    assert!(!folder.0.join("a.agent").exists(), "an agent that has learned nothing");
    interrupt(&child);
    let mut rest = String::new();
    progress.read_to_string(&mut rest).expect("text");
    assert!(child.wait().expect("it ends").success(), "{rest}");
    has(&flat(&rest), "interrupted; what was learned is in a.agent");
    assert!(folder.0.join("a.agent").exists());
    // An agent of one game does not play another.
    let players = ["match", "connect-four", "--players", "td:file=a.agent,random"];
    let (text, code) = run_in(&folder, &players, "");
    has(&flat(&text), "cannot play connect-four: it was trained for tictactoe");
    assert_eq!(code, 2, "{text}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_sweep_shows_its_table_and_goes_on() {
    let folder = Folder::new("sweep-interrupt");
    let sweep = "train tictactoe --games 200000000 --sweep games=20,200000000 --matches 2 --out s";
    let words: Vec<&str> = sweep.split(' ').collect();
    let mut child = spawn(&folder, &words);
    let mut progress = child.stderr.take().expect("piped");
    until(&mut progress, "1/2 games=20 seed=0:");
    interrupt(&child);
    let mut rest = String::new();
    progress.read_to_string(&mut rest).expect("text");
    assert!(child.wait().expect("it ends").success(), "{rest}");
    has(&flat(&rest), "the same command continues after the agents in s/results.jsonl");
    let mut table = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut table).expect("text");
    has(&flat(&table), "games against seeds matches points 95 % interval 20 random 1 2 ");
}

/// The rule for `next` of the turn is missing.
const NO_TURN: &str = "(role a)
(role b)
(init (control a))
(init (pile 3))
(succ 0 1)
(succ 1 2)
(succ 2 3)
(<= (legal ?p take) (true (control ?p)))
(<= (legal ?p noop) (role ?p) (true (control ?q)) (distinct ?p ?q))
(<= (next (pile ?m)) (true (pile ?n)) (succ ?m ?n))
(<= terminal (true (pile 0)))
(<= (goal ?p 100) (true (control ?p)))
(<= (goal ?p 0) (role ?p) (not (true (control ?p))))
";

#[test]
fn a_missing_turn_is_named() {
    let folder = Folder::new("no-turn");
    folder.file("turn.kif", NO_TURN);
    let (text, _) = run_in(&folder, &["playable", "turn.kif", "--playouts", "10"], "");
    has(&flat(&text), "after step 1 no `control` is left. Does a rule for `next` keep or set it?");
    lacks(&text, "--fix");
    let (text, _) = run_in(&folder, &["check", "--fix", "turn.kif"], "");
    has(&flat(&text), "turn.kif was not changed: --fix found nothing to repair");
    assert_eq!(std::fs::read_to_string(folder.0.join("turn.kif")).expect("there"), NO_TURN);
}

#[test]
fn matches_without_steps_say_nothing_about_rules() {
    let folder = Folder::new("no-steps");
    folder.file("over.kif", format!("{ONE_MOVE}terminal\n(<= (q ?x) (p ?y))\n(p 1)\n"));
    let (text, code) = run_in(&folder, &["playable", "over.kif", "--playouts", "10"], "");
    assert_eq!(code, 1, "{text}");
    lacks(&text, "every rule applied");
    has(&flat(&text), "over.kif has errors, so it may not be the game that you mean");
    let (text, _) = run_in(&folder, &["check", "over.kif"], "");
    has(&text, "`magister check --explain G");
}

#[test]
fn card_games_are_sampled_and_not_enumerated() {
    let folder = Folder::new("deals");
    let begun = Instant::now();
    let (text, code) = run_in(&folder, &["infoset", "hearts", "--role", "p0"], "");
    assert_eq!(code, 2, "{text}");
    has(&flat(&text), "draw a sample with --sample 1000, or raise --limit");
    assert!(begun.elapsed() < Duration::from_mins(1));
    let (text, code) =
        run_in(&folder, &["infoset", "hearts", "--role", "p0", "--sample", "20"], "");
    assert_eq!(code, 0, "{text}");
    has(&text, "in a sample of 20");
}

#[test]
fn recycle_is_not_gdl() {
    let folder = Folder::new("not-gdl");
    let (text, code) = run_in(&folder, &["convert", "hearts", "--to", "kif"], "");
    has(&flat(&text), "cannot be translated to GDL");
    assert_eq!((code, text.lines().count()), (2, 1), "{text}");
    folder.file("a.rcy", "(game)\n");
    let (text, code) = run_in(&folder, &["check", "a.rcy", "--language", "kif"], "");
    assert_eq!(code, 1, "{text}");
    has(&text, "G");
    lacks(&text, "error[R");
    folder.file("b.txt", "(game)\n");
    let (text, _) = run_in(&folder, &["check", "b.txt", "--language", "recycle"], "");
    has(&text, "error[R");
}

#[test]
fn people_at_one_terminal_are_called_by_their_roles() {
    let folder = Folder::new("two-people");
    let text = play(&folder, &["tictactoe", "--as", "all"], "1\n4\n2\n5\n3\nquit\nquit\n");
    has(&text, "x wins. (x 100, o 0)");
    lacks(&text, "You win");
    assert_eq!(text.matches("Type rematch").count(), 1, "{text}");
    let text = play(&folder, &["tictactoe"], "10\nquit\n");
    has(&text, "there is no move 10; `moves` lists the legal moves");
}

#[test]
fn tables_say_what_they_count() {
    let folder = Folder::new("tables");
    let args = [
        "tournament",
        "tictactoe",
        "--players",
        "random,legal",
        "--log",
        "t.jsonl",
        "--games",
        "2",
    ];
    let (text, code) = run_in(&folder, &args, "");
    assert_eq!(code, 0, "{text}");
    has(&text, "score (wins count 1, draws 1/2), row against column:");
    for command in ["matches", "leaderboard"] {
        let (text, code) = run_in(&folder, &[command, "--store", "none.db"], "");
        assert_eq!(code, 2, "{text}");
        has(&text, "there is no store");
    }
    let (text, _) = run_in(&folder, &["replay", "t.jsonl", "--number", "1"], "");
    has(&text, "Result: x ");
}

#[cfg(unix)]
#[test]
fn an_interrupted_series_says_how_far_it_came() {
    let folder = Folder::new("interrupted");
    let args =
        ["match", "tictactoe", "--players", "mcts,mcts", "--games", "100000", "--iterations"];
    let mut child = spawn(&folder, &[&args[..], &["20"]].concat());
    let mut output = child.stdout.take().expect("piped");
    until(&mut output, "game 2");
    interrupt(&child);
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("text");
    child.wait().expect("it ends");
    has(&rest, "interrupted after ");
    has(&rest, " of 100000 games");
    let args = ["tournament", "tictactoe", "--players", "mcts,random", "--log", "t.jsonl"];
    let more = ["--rounds", "100000", "--iterations", "20"];
    let mut child = spawn(&folder, &[&args[..], &more[..]].concat());
    let mut errors = child.stderr.take().expect("piped");
    until(&mut errors, "3/");
    interrupt(&child);
    let mut rest = String::new();
    errors.read_to_string(&mut rest).expect("text");
    has(&flat(&rest), "the same command continues");
    let mut table = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut table).expect("text");
    has(&table, "row against column");
    child.wait().expect("it ends");
}
