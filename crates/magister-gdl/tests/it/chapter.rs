//! The games in the GDL-II chapter are reported with the defects that are visible without playing.

use magister_gdl::{Code, Diagnostic, Options, Severity, check, read};

fn diagnostics(text: &str) -> Vec<Diagnostic> {
    let sheet = read(text, &Options::default());
    assert!(!sheet.diagnostics.has_errors(), "{:?}", sheet.diagnostics.as_slice());
    check(&sheet.rules).as_slice().to_vec()
}

fn has(found: &[Diagnostic], code: Code, words: &str) -> bool {
    found.iter().any(|d| {
        d.code == code
            && (d.message.contains(words) || d.help.as_ref().is_some_and(|h| h.contains(words)))
    })
}

#[test]
fn blind_tictactoe_has_variables_in_facts() {
    let found = diagnostics(include_str!("chapter/blind-tictactoe.hrf"));
    assert!(has(&found, Code::VariableInFact, "`X`"), "{found:?}");
    assert!(has(&found, Code::VariableInFact, "`O`"), "{found:?}");
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn the_bomb_has_goals_that_depend_on_moves_and_one_name_in_two_uses() {
    let found = diagnostics(include_str!("chapter/exploding-bomb.hrf"));
    let goals = found.iter().filter(|d| d.code == Code::DependsOnMoves).count();
    assert_eq!(goals, 2, "{found:?}");
    assert!(has(&found, Code::DependsOnMoves, "explodes"));
    assert!(has(&found, Code::RelationAndFunction, "`score`"), "{found:?}");
    let errors = found.iter().filter(|d| d.severity == Severity::Error).count();
    assert_eq!(errors, 2, "{found:?}");
}

#[test]
fn the_bomb_with_tell_has_an_undeclared_role_and_a_misspelt_relation() {
    let found = diagnostics(include_str!("chapter/exploding-bomb-tell.hrf"));
    assert!(has(&found, Code::UndeclaredRole, "`random`"), "{found:?}");
    assert!(has(&found, Code::DependsOnMoves, "explodes"), "{found:?}");
    assert!(has(&found, Code::Undefined, "`opposite_score`"), "{found:?}");
    assert!(has(&found, Code::RelationAndFunction, "`score`"), "{found:?}");
}

/// The card fragments are not games: they have no roles, no end and no goals, and no rule ever puts
/// a card into the deck or deals one.
#[test]
fn the_card_fragments_are_not_games() {
    for (text, fluent) in [
        (include_str!("chapter/face-down-deal.hrf"), "`indeck`"),
        (include_str!("chapter/river.hrf"), "`indeck`"),
        (include_str!("chapter/private-trade.hrf"), "`has`"),
    ] {
        let found = diagnostics(text);
        for code in [Code::NoRole, Code::NoTerminal, Code::NoGoal] {
            assert!(found.iter().any(|d| d.code == code), "{code:?}: {found:?}");
        }
        assert!(has(&found, Code::NeverTrue, fluent), "{found:?}");
        assert_eq!(found.len(), 4, "{found:?}");
    }
}

#[test]
fn every_role_may_see_every_move() {
    let found = diagnostics(include_str!("chapter/complete-information.hrf"));
    assert!(found.is_empty(), "{found:?}");
}
