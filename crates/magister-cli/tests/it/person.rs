//! A person plays: the output, the questions, and the input of a script.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn say(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_magister"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("piped");
    std::thread::scope(|scope| {
        // It may end before it has read everything, and it writes while it reads.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().expect("it ends")
    })
}

fn shown(output: &Output) -> String {
    format!(
        "{}{}exit code {}\n",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
        output.status.code().expect("it ended by itself")
    )
}

fn play(args: &[&str], input: &str) -> String {
    let thinking = ["--iterations", "50", "--seed", "3"];
    shown(&say(&[&["play"], args, &thinking].concat(), input.as_bytes()))
}

#[test]
fn a_match_from_a_script() {
    let script = "help\n5\nhello\n(put 2 2)\n#99\nhint\nundo\nundo\nredo\nhistory\nundo 5\nmoves\n\
                  do 1\nshow\nredo\nresign\n";
    let against = ["tictactoe", "--against", "legal", "--hint", "alphabeta"];
    insta::assert_snapshot!("play-script", play(&against, script));
    // The end of the input means the same as quit.
    let left = play(&["tictactoe", "--as", "o", "--against", "legal"], "");
    assert!(left.contains("You left the match") && left.contains("exit code 0"), "{left}");
}

#[test]
fn a_match_to_its_end_can_be_taken_back() {
    let script = "(put 2 2)\n(put 3 1)\nundo\n(put 1 2)\n(put 3 2)\nundo\nnonsense\nhistory\n\n";
    insta::assert_snapshot!("play-end", play(&["tictactoe", "--against", "legal"], script));
}

#[test]
fn who_plays_sees_what_the_role_sees() {
    let script = "1\nshow\n2\nhistory\nundo\n\n";
    insta::assert_snapshot!("play-hidden", play(&["monty-hall"], script));
    let script = "5\n5\n(mark 1 1)\nquit\n";
    let against = ["blind-tictactoe", "--against", "legal"];
    insta::assert_snapshot!("play-blind", play(&against, script));
}

#[test]
fn simultaneous_moves_chance_and_gains() {
    insta::assert_snapshot!(
        "play-both",
        play(&["rock-paper-scissors", "--as", "all"], "1\n2\nundo\n")
    );
    let two = ["tictactoe", "--as", "x,o"];
    insta::assert_snapshot!("play-two", play(&two, "1\n2\nundo\n3\nquit\n"));
    insta::assert_snapshot!("play-chance", play(&["rust:2048"], "up\nleft\n#1\nundo 2\nquit\n"));
}

#[test]
fn garbage_is_reported_and_the_match_continues() {
    let long = vec![b'x'; 200_000];
    let garbage: [&[u8]; 4] = [b"\xff\xfe\x00\n\n", &long, b"\nundo -1\nredo x\ndo\n", b"((((\n"];
    let output = say(&["play", "tictactoe", "--iterations", "5"], &garbage.concat());
    let text = shown(&output);
    assert!(text.contains("exit code 0"), "{text}");
    assert!(text.contains("-1 is not a number of moves"), "{text}");
    assert!(text.contains("I do not understand"), "{text}");
    for (args, said) in [
        (&["tictactoe", "--as", "z"][..], "z is not a role of this game; the roles are x, o"),
        (&["tictactoe", "--against", "uct,uct"], "there is 1 other seat, so name 1 player"),
        (&["tictactoe", "--against", "human"], "--as"),
        (
            &["monty-hall", "--as", "random"],
            "random is not a role of this game; the roles are candidate",
        ),
        (&["kuhn-poker", "--against", "mcts"], "hidden information"),
        (&["-"], "name a file"),
    ] {
        let text = play(args, "");
        assert!(text.contains(said) && text.contains("exit code 2"), "{text}");
    }
}

#[test]
fn what_a_person_played_is_recorded_and_replayed() {
    let path = std::env::temp_dir().join(format!("magister-person-{}", std::process::id()));
    let path = Remove(path);
    let file = path.0.to_str().expect("UTF-8");
    let script = "(put 2 2)\nundo\n(put 2 2)\n(put 1 2)\n(put 3 2)\n";
    for _ in 0..2 {
        let text = play(&["tictactoe", "--against", "legal", "--record", file], script);
        assert!(text.contains("You win! (x 100, o 0)"), "{text}");
    }
    let output = say(&["replay", file], b"");
    let text = shown(&output);
    assert!(text.contains("2 matches, all agree with the rules"), "{text}");
    let record = std::fs::read_to_string(file).expect("written");
    assert!(record.contains("taken-back"), "{record}");
}

#[test]
fn people_play_in_matches() {
    let script = "(put 2 2)\n(put 1 2)\n(put 3 2)\nquit\nquit\n";
    let args = ["match", "tictactoe", "--players", "human,legal", "--games", "4"];
    let text = shown(&say(&[&args[..], &["--iterations", "5"]].concat(), script.as_bytes()));
    assert!(text.contains("game 1: human 100, legal 0, 5 steps"), "{text}");
    assert!(text.contains("game 2: legal without a result, human without a result"), "{text}");
    assert!(!text.contains("game 3"), "a person who leaves is not asked again: {text}");
    let text = shown(&say(
        &["tournament", "tictactoe", "--players", "human,uct", "--log", "/dev/null"],
        b"",
    ));
    assert!(text.contains("exit code 2") && text.contains("magister play"), "{text}");
}

/// A file that is removed at the end.
struct Remove(PathBuf);

impl Drop for Remove {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A saved match continues in another process exactly as it would have without interruption.
#[test]
fn a_match_is_saved_and_resumed() {
    let path = Remove(std::env::temp_dir().join(format!("magister-saved-{}", std::process::id())));
    let file = path.0.to_str().expect("UTF-8");
    let moves = "(put 2 2)\n(put 3 1)\n";
    let straight = play(&["tictactoe", "--against", "random"], &format!("{moves}history\nquit\n"));
    let script = format!("(put 2 2)\nsave {file}\nquit\n");
    let saved = play(&["tictactoe", "--against", "random"], &script);
    assert!(saved.contains(&format!("`magister play --resume {file}`")), "{saved}");
    let resumed = shown(&say(&["play", "--resume", file], b"(put 3 1)\nhistory\nquit\n"));
    let history = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.starts_with("  ") && line.contains(": put "))
            .map(str::to_owned)
            .collect()
    };
    assert!(!history(&straight).is_empty(), "{straight}");
    assert_eq!(history(&resumed), history(&straight), "{resumed}");
    // A match that has ended is not resumed.
    std::fs::remove_file(file).expect("there");
    play(&["tictactoe", "--against", "legal", "--record", file], "(put 2 2)\nresign\n");
    let ended = shown(&say(&["play", "--resume", file], b""));
    assert!(ended.contains("has ended") && ended.contains("exit code 2"), "{ended}");
}

#[test]
fn rematch_swap_and_score() {
    let win = "(put 2 2)\n(put 1 2)\n(put 3 2)\n";
    let script = format!("{win}rematch\n{win}swap\nquit\n");
    let text = play(&["tictactoe", "--against", "legal"], &script);
    assert!(text.contains("Score: you 2, computer 0, draws 0."), "{text}");
    assert!(text.contains("You are o;"), "{text}");
}

#[test]
fn levels_have_names() {
    for level in ["beginner", "easy"] {
        let args = ["play", "connect-four", "--level", level, "--seed", "5"];
        let text = shown(&say(&args, b"4\nquit\n"));
        assert!(text.contains(&format!("(level {level})")), "{text}");
        // The same seed gives the same answer on every machine.
        assert_eq!(text, shown(&say(&args, b"4\nquit\n")));
    }
    let text = shown(&say(&["play", "connect-four"], b"quit\n"));
    assert!(text.contains("(level medium)") && text.contains("Seed "), "{text}");
    let wrong = shown(&say(&["play", "connect-four", "--level", "hardest"], b""));
    assert!(wrong.contains("strongest"), "{wrong}");
}

/// Moves keep their numbers, and moves without effect are not shown.
#[test]
fn moves_keep_their_numbers() {
    let fill = "1\n1\n1\n";
    let text = play(&["connect-four", "--against", "legal"], &format!("{fill}history\n7\nquit\n"));
    assert!(text.contains("Your moves: drop 2   drop 3"), "{text}");
    assert!(text.contains("red: drop 7") || text.contains("drop 7"), "{text}");
    assert!(!text.contains("noop"), "{text}");
}

#[test]
fn reasons_and_suggestions() {
    let script = "(put 2 2)\n(put 2 2)\nwhy\nwhy (put 9 9)\nptu 3 3\nmoves 3\nrules\nquit\n";
    insta::assert_snapshot!("play-why", play(&["tictactoe", "--against", "legal"], script));
}

/// The facts that the role knows for certain are drawn, and each person sees only their own
/// percepts.
#[test]
fn what_is_certain_is_drawn() {
    let args = ["krieg-tictactoe-4x4", "--as", "all"];
    insta::assert_snapshot!("play-certain", play(&args, "1 1\n1 1\n2 2\n1 2\nquit\n"));
    insta::assert_snapshot!("play-dice", play(&["backgammon-small"], "quit\n"));
    insta::assert_snapshot!("play-clues", play(&["nonogram"], "3 3\nquit\n"));
}
