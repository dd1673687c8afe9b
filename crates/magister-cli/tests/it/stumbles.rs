//! Problems of new users: each of these commands once did something harmful, false or unclear.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use crate::folder::Folder;

/// Runs the program in a folder, with an input.
pub(crate) fn run_in(folder: &Folder, args: &[&str], input: &str) -> (String, i32) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_magister"))
        .args(args)
        .current_dir(&folder.0)
        .env_remove("MAGISTER_STORE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("piped");
    // It may end before it has read everything.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let Output { status, stdout, stderr } = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&stdout) + String::from_utf8_lossy(&stderr);
    (text.into_owned(), status.code().expect("it ended by itself"))
}

/// The output without line breaks, which depend on the width.
pub(crate) fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(crate) fn play(folder: &Folder, args: &[&str], input: &str) -> String {
    let all = [&["play"], args, &["--seed", "3"]].concat();
    flat(&run_in(folder, &all, input).0)
}

#[track_caller]
pub(crate) fn has(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is missing in:\n{text}");
}

#[track_caller]
pub(crate) fn lacks(text: &str, part: &str) {
    assert!(!text.contains(part), "`{part}` is in:\n{text}");
}

#[test]
fn saving_never_destroys_another_file() {
    let folder = Folder::new("save");
    let rules = folder.file("mine.kif", "(role a)\n");
    let game = ["tictactoe", "--against", "legal"];
    let text = play(&folder, &game, "save mine.kif\nsave! other.json\nsave other.json\nquit\n");
    has(&text, "mine.kif exists and is not a save of this match; choose another name");
    has(&text, "`save! mine.kif`");
    assert_eq!(text.matches("Saved.").count(), 2, "{text}");
    assert_eq!(std::fs::read_to_string(&rules).expect("the rules"), "(role a)\n");
    // Another match of the same game is not an earlier save.
    let (text, _) =
        run_in(&folder, &["play", "tictactoe", "--seed", "4"], "save other.json\nquit\n");
    has(&text, "is not a save of this match");
    // The same after the end of a match.
    let text = play(&folder, &game, "resign\nsave mine.kif\nsave! mine.kif\nquit\n");
    has(&text, "is not a save of this match");
    has(&text, "Saved. `magister replay mine.kif` shows the match.");
}

#[test]
fn reasons_fit_the_position() {
    let folder = Folder::new("why");
    run_in(&folder, &["new", "pile"], "");
    let script = "take 3\ntake 3\ntake 3\nwhy\nwhy take 9\nquit\n";
    let text = play(&folder, &["pile.kif", "--against", "legal"], script);
    // Three were taken, then one, three and one: two are left.
    has(&text, "take 3 is not legal: it needs `minus 2 3 ?left`, and there is no such ?left.");
    lacks(&text, "needs `pile");
    has(&text, "take 9 is never legal:");
    let text = play(&folder, &["sokoban"], "why up\nquit\n");
    has(&text, "up is not legal: it needs `floor 2 3`, which is never true.");
    has(&text, "`rules` explains the moves in words.");
    let text = play(&folder, &["connect-four"], "drop 8\nwhy\nquit\n");
    has(&text, "drop 8 is never legal; `moves` lists the legal moves and `why` gives the reason");
    has(&text, "drop 8 is never legal:");
}

#[test]
fn only_own_pieces_are_meant_in_chess() {
    let folder = Folder::new("own-pieces");
    let script = "Nf4\nwhy\nKe2\nwhy\nO-O\nwhy\nwhy Nf6\nmoves e2\nquit\n";
    let text = play(&folder, &["chess"], script);
    has(&text, "white> Nf4 no knight of yours can go to f4");
    has(&text, "white> why You have not tried an illegal move yet");
    has(&text, "move e 1 e 2 is not legal here");
    has(&text, "move e 1 g 1 is not legal here");
    has(&text, "no knight of yours can go to f6");
    lacks(&text, "move b 8");
    lacks(&text, "move e 8");
    has(&text, "Your moves: 11 move e 2 e 3 12 move e 2 e 4 white>");
    has(&text, "castling: white: c g; black: c g");
}

#[test]
fn a_player_that_cannot_play_stops_before_the_first_match() {
    let folder = Folder::new("cannot-play");
    folder.file("nim.kif", "(role a)\n");
    for (players, why) in [
        ("td,random", "td cannot play: it needs a learned agent. Write td:file=FILE;"),
        ("td:file=nim.kif,random", "td:file=nim.kif cannot play: nim.kif: this file is not"),
        ("http://127.0.0.1:1,random", "http://127.0.0.1:1 cannot play: no connection"),
    ] {
        let args = ["tictactoe", "--players", players, "--time", "1s"];
        let (text, code) = run_in(&folder, &[&["match"], &args[..]].concat(), "");
        has(&flat(&text), why);
        lacks(&text, "game 1");
        assert_eq!(code, 2, "{text}");
        let all = [&["tournament"], &args[..], &["--log", "log.jsonl"]].concat();
        let (text, code) = run_in(&folder, &all, "");
        has(&flat(&text), why);
        assert_eq!(code, 2, "{text}");
    }
    let (text, code) = run_in(&folder, &["match", "tictactoe", "--players", "uctt,random"], "");
    has(&text, "did you mean uct");
    lacks(&text, "mo-ismcts");
    assert_eq!(code, 2, "{text}");
}

/// Nim with three piles, with or without the condition that only the other piles stay the same.
fn nim(condition: &str) -> String {
    format!(
        "(role first)\n(role second)\n\
         (less 0 1)\n(less 0 2)\n(less 0 3)\n(less 1 2)\n(less 1 3)\n(less 2 3)\n\
         (other first second)\n(other second first)\n\
         (init (pile a 1))\n(init (pile b 2))\n(init (pile c 3))\n(init (control first))\n\
         (<= (legal ?p (reduce ?heap ?n)) (true (control ?p)) (true (pile ?heap ?m)) (less ?n ?m))\n\
         (<= (legal ?p noop) (role ?p) (not (true (control ?p))))\n\
         (<= (next (pile ?heap ?n)) (does ?p (reduce ?heap ?n)))\n\
         (<= (next (pile ?heap ?n)) (true (pile ?heap ?n)) (does ?p (reduce ?other ?m)){condition})\n\
         (<= (next (control ?p)) (true (control ?q)) (other ?q ?p))\n\
         (<= some (true (pile ?heap ?n)) (distinct ?n 0))\n\
         (<= terminal (not some))\n\
         (<= (goal ?p 0) (true (control ?p)))\n\
         (<= (goal ?p 100) (role ?p) (not (true (control ?p))))\n"
    )
}

#[test]
fn a_forgotten_condition_is_noticed() {
    let folder = Folder::new("doubled");
    folder.file("good.kif", nim(" (distinct ?heap ?other)"));
    folder.file("bad.kif", nim(""));
    let (good, code) = run_in(&folder, &["playable", "good.kif"], "");
    lacks(&good, "note:");
    assert_eq!(code, 0, "{good}");
    let (bad, _) = run_in(&folder, &["playable", "bad.kif", "--max-steps", "200"], "");
    let bad = flat(&bad);
    has(
        &bad,
        "note: every `pile` has one value at the start, but after step 1 there are 2 at once:",
    );
    has(&bad, "Is a condition missing in the rule in line 18?");
    // Boards, cards and trails give no such note.
    for game in ["tictactoe", "connect-four", "checkers", "kuhn-poker", "knightstour", "chess"] {
        let (text, _) = run_in(&folder, &["playable", game, "--playouts", "3"], "");
        lacks(&text, "at once");
    }
    let same =
        nim(" (distinct ?heap ?other)").replace("(<= (goal ?p 0) (true (control ?p)))\n", "");
    let same = same.replace(
        "(<= (goal ?p 100) (role ?p) (not (true (control ?p))))",
        "(goal first 50)\n(goal second 50)",
    );
    folder.file("same.kif", same);
    let (text, _) = run_in(&folder, &["playable", "same.kif"], "");
    has(&flat(&text), "note: the result is the same in every random match.");
}

#[test]
fn repairs_begin_with_the_spelling() {
    let folder = Folder::new("spelling");
    run_in(&folder, &["new", "n1"], "");
    let file = folder.0.join("n1.kif");
    let good = std::fs::read_to_string(&file).expect("the template");
    let typo = good.replace("(next (control ?player))", "(next (contrl ?player))");
    folder.file("n1.kif", &typo);
    let (text, _) = run_in(&folder, &["check", "--fix", "n1.kif"], "");
    has(&text, "`contrl` is now `control`");
    assert_eq!(std::fs::read_to_string(&file).expect("the rules"), good);
    let good = nim(" (distinct ?heap ?other)");
    let typo = good.replace("(next (control ?p))", "(next (contrl ?p))");
    // A second mistake that no repair corrects.
    folder.file("n4.kif", typo.replace("(role second)\n", "(role ?x)\n"));
    let (text, code) = run_in(&folder, &["check", "--fix", "n4.kif"], "");
    has(&text, "n4.kif was not changed: ");
    assert_eq!(code, 1, "{text}");
    // A warning precedes the advice to add a move.
    folder.file(
        "n2.kif",
        good.replace(
            "(not (true (control ?p))))\n(<= (next (pile ?heap ?n)) (does",
            "(true (contrl ?p)))\n(<= (next (pile ?heap ?n)) (does",
        ),
    );
    let (text, _) = run_in(&folder, &["playable", "n2.kif"], "");
    let text = flat(&text);
    has(&text, "has no legal move");
    has(&text, "`magister check n2.kif` reports 1 warning, which may be the cause.");
    lacks(&text, "noop`:");
    // The advice is not given if an error explains more.
    folder.file("n3.kif", good.replace("(<= terminal (not some))\n", ""));
    let (text, _) = run_in(&folder, &["playable", "n3.kif"], "");
    lacks(&flat(&text), "give it a move `noop`");
}

#[test]
fn a_hint_is_consistent() {
    let folder = Folder::new("hint");
    let text =
        play(&folder, &["connect-four", "--hint", "mcts", "--iterations", "300"], "hint\nquit\n");
    has(&text, "of 100 points (searched ");
    let times: Vec<u32> = text
        .split("(searched ")
        .skip(1)
        .filter_map(|rest| rest.split(' ').next()?.parse().ok())
        .collect();
    assert!(times.len() > 1 && times.is_sorted_by(|a, b| a >= b), "{text}");
    let text =
        play(&folder, &["eightpuzzle", "--hint", "mcts", "--iterations", "20"], "hint\nquit\n");
    has(&text, "No solution found in this time; this is a guess.");
}

#[test]
fn an_illegal_move_of_several_words_is_explained() {
    let folder = Folder::new("illegal");
    let (text, code) = run_in(&folder, &["step", "tictactoe", "--moves", "put 2 2; put 2 2"], "");
    let text = flat(&text);
    has(&text, "step 2: o cannot play put 2 2 here; legal moves: (put 1 1)");
    has(&text, "Why: `magister explain tictactoe \"(legal o (put 2 2))\" --moves \"put 2 2\"`");
    assert_eq!(code, 1, "{text}");
    let moves = ["--moves", "e2e4; e7e5; Nf3", "--iterations", "5"];
    let (text, code) = run_in(&folder, &[&["inspect", "chess"], &moves[..]].concat(), "");
    assert_eq!(code, 0, "{text}");
    let (text, code) = run_in(&folder, &["inspect", "tictactoe", "--moves", "put 9 9"], "");
    has(&text, "x cannot play put 9 9 here");
    assert_eq!(code, 2, "{text}");
    let (text, code) = run_in(&folder, &["explain", "connect-four", "drop 1"], "");
    has(&text, "(legal red (drop 1)) holds");
    assert_eq!(code, 0, "{text}");
    let (text, code) = run_in(&folder, &["explain", "chess", "e2e5"], "");
    has(&text, "(legal white (move e 2 e 5)) does not hold");
    has(&text, "(--width 8 shows more)");
    assert_eq!(code, 1, "{text}");
    let (text, code) = run_in(&folder, &["explain", "tictactoe", "cross in the middle"], "");
    has(&text, "is not a condition or a move, such as \"put 1 1\"");
    assert_eq!(code, 2, "{text}");
}

#[test]
fn what_was_seen_stays_in_sight() {
    let folder = Folder::new("seen");
    let text = play(&folder, &["kuhn-poker", "--as", "second"], "show\nhistory\n1\nundo\nquit\n");
    has(&text, "Seen so far: card ");
    assert!(text.contains("first: bet") || text.contains("first: check"), "{text}");
    lacks(&text, "did bet");
    has(&text, "What was hidden has been shown, so moves cannot be taken back.");
    let text = play(&folder, &["backgammon-small"], "quit\n");
    lacks(&text, "with what was hidden");
}

#[test]
fn slips_of_the_keyboard_are_no_moves() {
    let folder = Folder::new("slips");
    let script = "-1\nd3\n+2\nd 3\nquit\n";
    let text = play(&folder, &["connect-four", "--against", "legal"], script);
    assert_eq!(text.matches("I do not understand").count(), 3, "{text}");
    has(&text, "red> d 3 You: drop 3");
    folder.file("nim.kif", nim(" (distinct ?heap ?other)"));
    let text = play(&folder, &["nim.kif", "--against", "legal"], "reduce a\nquit\n");
    has(&text, "You: reduce a 0");
}

#[test]
fn training_works_with_its_defaults() {
    let folder = Folder::new("train-defaults");
    let (text, code) = run_in(&folder, &["train", "kuhn-poker", "--out", "z", "--games", "10"], "");
    assert_eq!(code, 0, "{text}");
    lacks(&text, "000000 games/s");
    let (text, code) = run_in(&folder, &["train", "tictactoe", "--out", "z"], "");
    has(&text, "give --games or --seconds");
    assert_eq!(code, 2, "{text}");
}

#[test]
fn records_say_what_happened() {
    let folder = Folder::new("happened");
    folder.file("garbage.jsonl", "hello\n");
    let (text, _) = run_in(&folder, &["replay", "garbage.jsonl"], "");
    has(&text, "No match was verified.");
    lacks(&text, "agree");
    let game = ["tictactoe", "--against", "legal", "--record", "mine.jsonl"];
    play(&folder, &game, "put 2 2\nresign\nquit\n");
    let (text, code) = run_in(&folder, &["replay", "mine.jsonl"], "");
    has(&text, "human resigned after 2 steps");
    has(&text, "The match agrees with the rules.");
    assert_eq!(code, 0, "{text}");
    // Listing the matches of a store does not create it.
    run_in(&folder, &["matches"], "");
    run_in(&folder, &["leaderboard"], "");
    assert!(!folder.0.join("magister.db").exists());
    let (text, code) = run_in(&folder, &["import", "garbage.jsonl"], "");
    has(&text, "garbage.jsonl is not a file of matches");
    assert_eq!(code, 2, "{text}");
    play(&folder, &["tictactoe"], "save bt.json\nquit\n");
    let (text, code) = run_in(&folder, &["play", "--resume", "bt.json", "chess"], "");
    has(&text, "bt.json is a match of tictactoe, not of chess");
    assert_eq!(code, 2, "{text}");
    let (text, code) = run_in(&folder, &["play"], "");
    has(&text, "Which game? `magister games` lists the games.");
    assert_eq!(code, 2, "{text}");
}

#[test]
fn long_lists_of_errors_are_cut() {
    let folder = Folder::new("many-errors");
    let lines: String = (0..300).map(|n| format!("((( bad{n} ) x\n")).collect();
    folder.file("garbage.kif", lines);
    for args in [["playable", "garbage.kif"], ["check", "garbage.kif"]] {
        let (text, code) = run_in(&folder, &args, "");
        assert!(code > 0, "{text}");
        assert!(text.lines().count() < 250, "{} lines", text.lines().count());
    }
    let (text, _) = run_in(&folder, &["games", "cards"], "");
    has(&text, "kuhn-poker");
}

#[test]
fn a_tournament_lists_everyone() {
    let folder = Folder::new("everyone");
    let args = ["tictactoe", "--players", "random,legal,onestep", "--iterations", "5"];
    let swiss = ["--system", "swiss", "--rounds", "1", "--log", "log.jsonl"];
    let (text, code) = run_in(&folder, &[&["tournament"], &args[..], &swiss[..]].concat(), "");
    assert_eq!(code, 0, "{text}");
    has(&text, "no opponent yet");
    has(&text, "score (wins count 1, draws 1/2), row against column:");
    has(&text, "failed");
    has(&flat(&text), "400 points are odds of 10 to 1");
}

/// Every example of how moves name cells agrees with the cells that change.
#[test]
fn cells_are_named_as_the_board_shows_them() {
    let folder = Folder::new("cells");
    for (game, script, row) in
        [("tictactoe", "b1\nquit\n", "1 O X ."), ("tictactoe", "put 1 2\nquit\n", "1 O X .")]
    {
        let text = play(&folder, &[game, "--against", "legal", "--ascii"], script);
        has(&text, row);
    }
}

#[test]
fn a_match_that_is_left_keeps_its_secrets() {
    let folder = Folder::new("secrets");
    let text = play(&folder, &["kuhn-poker", "--against", "legal"], "save k.json\nquit\n");
    has(&text, "Saved.");
    lacks(&text, "with what was hidden");
    let text = play(&folder, &["kuhn-poker", "--against", "legal"], "resign\nquit\n");
    has(&text, "You resign; ");
}

#[test]
fn undo_and_redo_say_what_they_did() {
    let folder = Folder::new("undo");
    let script = "drop 4\nundo\nredo\nswap\nquit\n";
    let text = play(&folder, &["connect-four", "--against", "legal"], script);
    has(&text, "Taken back: red: drop 4; yellow: drop 1.");
    has(&text, "red> redo red: drop 4 yellow: drop 1");
    has(&text, "`swap` is available after the match");
}

#[test]
fn explain_begins_with_the_short_answer() {
    let folder = Folder::new("short");
    let (text, code) = run_in(&folder, &["explain", "chess", "a1a3"], "");
    assert_eq!(code, 1);
    assert!(text.starts_with("move a 1 a 3 is not legal: "), "{text}");
    // Cells are named as in `play`.
    let moves = ["explain", "checkers", "a3c5", "--moves", "c3d4; b6a5"];
    has(&flat(&run_in(&folder, &moves, "").0), "(legal black (jump 1 3 3 5)) does not hold");
}

#[test]
fn small_questions_have_answers() {
    let folder = Folder::new("small");
    assert_eq!(run_in(&folder, &["help", "--help"], "").1, 0);
    lacks(&run_in(&folder, &["games", "nim"], "").0, "hanoi");
    folder.file("mine.kif", "(role a)\n");
    has(&run_in(&folder, &["check", "mine"], "").0, "did you mean mine.kif");
}
