//! Every code has a game with exactly that defect, and a correct game.

use magister_recycle::{Code, Options, examine};

fn found(text: &str) -> Vec<(Code, String)> {
    let examined = examine("example", text, &Options::default());
    let all = examined.diagnostics.as_slice().iter();
    all.map(|d| (d.code, d.message.clone())).collect()
}

#[test]
fn the_bad_example_shows_its_code_and_no_other() {
    let mut wrong = Vec::new();
    for &code in Code::ALL {
        let Some((bad, _)) = code.examples() else { continue };
        let found = found(bad);
        if found.is_empty() || found.iter().any(|(c, _)| *c != code) {
            wrong.push(format!("{code}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_good_example_is_a_game_without_a_finding() {
    for &code in Code::ALL {
        let Some((_, good)) = code.examples() else { continue };
        assert_eq!(found(good), [], "{code}");
        assert!(examine("example", good, &Options::default()).game.is_some(), "{code}");
    }
}

#[test]
fn only_codes_that_no_small_game_can_show_lack_examples() {
    let without: Vec<&str> =
        Code::ALL.iter().filter(|c| c.examples().is_none()).map(|c| c.id()).collect();
    assert_eq!(without, ["R001", "R002"]);
}

#[test]
fn codes_are_found_by_number_and_by_name() {
    assert_eq!(Code::find("r201"), Some(Code::WrongType));
    assert_eq!(Code::find("wrong-type"), Some(Code::WrongType));
    assert_eq!(Code::find("R999"), None);
    for pair in Code::ALL.windows(2) {
        assert!(pair[0].id() < pair[1].id());
    }
}
