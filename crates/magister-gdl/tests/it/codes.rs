//! Every code has a file with exactly that defect, and a correct file.

use magister_gdl::{Code, Diagnostic, Options, check, read};

fn diagnostics(text: &str) -> Vec<Diagnostic> {
    let sheet = read(text, &Options::default());
    let mut all = sheet.diagnostics.as_slice().to_vec();
    // Unreadable parts would cause further reports about missing rules.
    if !sheet.diagnostics.has_errors() {
        all.extend_from_slice(check(&sheet.rules).as_slice());
    }
    all
}

#[test]
fn the_bad_example_shows_its_code_and_no_other() {
    let mut wrong = Vec::new();
    for &code in Code::ALL {
        let Some((bad, _)) = code.examples() else { continue };
        let found: Vec<(Code, String)> =
            diagnostics(bad).into_iter().map(|d| (d.code, d.message)).collect();
        if found.is_empty() || found.iter().any(|(c, _)| *c != code) {
            wrong.push(format!("{code}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_good_example_is_clean() {
    for &code in Code::ALL {
        let Some((_, good)) = code.examples() else { continue };
        let found: Vec<(Code, String)> =
            diagnostics(good).into_iter().map(|d| (d.code, d.message)).collect();
        assert!(found.is_empty(), "{code}: {found:?}");
    }
}

#[test]
fn only_codes_that_no_small_file_can_show_lack_examples() {
    let without: Vec<&str> =
        Code::ALL.iter().filter(|c| c.examples().is_none()).map(|c| c.id()).collect();
    assert_eq!(without, ["G001", "G002", "G008", "G601", "G602", "G603"]);
}
