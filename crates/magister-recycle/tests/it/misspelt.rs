//! What the checker says about misspelt words and older spellings.

use magister_core::{Game, Role};
use magister_recycle::{Code, Examined, Options, examine};

fn examined(text: &str) -> Examined {
    examine("game", text, &Options::default())
}

/// A game with these blocks.
fn text(blocks: &str) -> String {
    format!(
        "(game (setup (create players 2) (create deck (game iloc STOCK) (deck (RANK (ACE, TWO)) \
         (SUIT (RED, BLACK)))))\n{blocks}\n(choice ((turn pass)))\n(scoring max (game sto X)))"
    )
}

/// The findings, each with its help.
fn found(text: &str) -> Vec<String> {
    let examined = examined(text);
    let all = examined.diagnostics.as_slice().iter();
    all.map(|one| {
        let help = one.help.as_deref().map(|help| format!("; {help}")).unwrap_or_default();
        format!("{} {}{help}", one.code, one.message)
    })
    .collect()
}

#[test]
fn a_misspelt_keyword_is_corrected() {
    for (wrong, right) in [
        ("(do ((shufle (game iloc STOCK))))", "shuffle"),
        ("(do ((shuffle (game ilco STOCK))))", "iloc"),
        ("(do ((inc (game sto X) (siez (game iloc STOCK)))))", "size"),
        ("(do ((inc ((curent player) sto X) 1)))", "current"),
        ("(do ((set (game points P) (((RNK : ACE) 1)))))", "RANK"),
        ("(do ((set (game points P) (((RANK : ACEE) 1)))))", "ACE"),
    ] {
        let text = text(wrong);
        let all = found(&text);
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(all[0].ends_with(&format!("did you mean `{right}`?")), "{all:?}");
        // With the word, nothing is wrong.
        let [fix] = &examined(&text).fixes[..] else { panic!("{wrong}: one fix") };
        let mut fixed = text.clone();
        fixed.replace_range(fix.span.start as usize..fix.span.end as usize, &fix.word);
        assert_eq!(found(&fixed), [""; 0], "{fixed}");
    }
    for (right, wrong) in [
        ("setup", "setpu"),
        ("scoring", "scorin"),
        ("create players", "craete players"),
        ("create players", "create playrs"),
    ] {
        let all = found(&text("").replace(right, wrong));
        let word = right.split(' ').find(|word| !wrong.contains(word)).expect("a word");
        let help = format!("did you mean `{word}`?");
        assert!(all.iter().any(|one| one.ends_with(&help)), "{all:?}");
    }
}

#[test]
fn points_for_unknown_values_are_reported() {
    let all = found(&text("(do ((set (game points P) (((RNK : ACE) 1) ((SUIT : GREEN) 2)))))"));
    assert_eq!(
        all,
        [
            "R301 no card has the attribute `RNK`; did you mean `RANK`?",
            "R306 no card has the value `GREEN` of `SUIT`"
        ]
    );
}

#[test]
fn teams_may_be_listed_as_seats() {
    let plain = text("").replace("(create players 2)", "(create players 2) (create teams 0 1)");
    let all = found(&plain);
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(all[0].starts_with("R104 `(create teams 0 1)` is an older spelling"), "{all:?}");
    // Each seat is a team.
    let blocks = "(do ((inc (game sto X) (size team)) (inc (game sto X) (size (1 team)))))";
    let text = text(blocks).replace("(create players 2)", "(create players 2) (create teams 0 1)");
    assert_eq!(score(&text).to_string(), "3");
}

#[test]
fn a_partition_without_an_attribute_groups_equal_cards() {
    let text = text("(do ((inc (game sto X) (size (partition (game iloc STOCK))))))")
        .replace("(create deck (game iloc STOCK)", "(repeat 3 (create deck (game iloc STOCK)")
        .replace("BLACK)))", "BLACK))))");
    let all = found(&text);
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(all[0].starts_with("R104 "), "{all:?}");
    assert_eq!(score(&text).to_string(), "4");
}

/// The first player's result of a game with one decision.
fn score(text: &str) -> f64 {
    let game = examined(text).game.expect("a game");
    let mut worker = game.worker();
    let joint: Vec<_> = game.info().all_roles().map(|role| worker.legal(role)[0]).collect();
    let mut step = magister_core::Step::new();
    worker.step(&joint, &mut step, &magister_core::Stop::never()).expect("it passes");
    let mut goals = Vec::new();
    worker.goals(Role(0), &mut goals);
    goals[0]
}

#[test]
fn put_leads_to_set() {
    let all = found(&text("(do ((put points P (((RANK : ACE) 1)))))"));
    assert_eq!(
        all,
        [
            "R103 `put` is no longer a keyword; a point map is set: `(set (game points NAME) (AWARD ..))`"
        ]
    );
}

#[test]
fn a_missing_owner_is_named() {
    let all = found(&text("(do ((shuffle (iloc STOCK))))"));
    assert_eq!(all, ["R102 an owner such as `game` is missing; `(game iloc STOCK)`"]);
}

#[test]
fn a_second_setup_is_one_error() {
    let all = found(&text("(setup (create players 2))"));
    assert_eq!(all, ["R102 a second setup: a game has one, before its first block"]);
}

#[test]
fn a_team_in_a_game_without_teams() {
    let all = found(&text("(do ((inc ((0 team) sto X) 1)))"));
    assert!(all[0].starts_with("R302 the game has no teams"), "{all:?}");
}

#[test]
fn what_is_not_text_has_one_error() {
    let garbage: String = (0..4096u32).map(|n| char::from((n * 7 % 251) as u8)).collect();
    assert_eq!(found(&garbage), ["R005 this is not text"]);
}

#[test]
fn deep_nesting_is_one_error() {
    let examined = examined(&format!("(game {}", "(do ".repeat(200_000)));
    let codes: Vec<Code> = examined.diagnostics.as_slice().iter().map(|one| one.code).collect();
    assert_eq!(codes, [Code::TooDeep]);
}
