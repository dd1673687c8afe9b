//! Gamemaster's operations become GDL that passes all checks.

use super::sheets;
use magister_gdl::{Code, Dialect, Options, Severity, Syntax, check, print, read, translate};

#[test]
fn every_gamemaster_rulesheet_translates_or_says_why_not() {
    let mut refused = Vec::new();
    for (name, text) in sheets::sheets("gamemaster/games", &[".hrf"]) {
        let sheet = read(&text, &Options::default());
        match translate(&sheet.rules, Dialect::Gdl) {
            Ok(done) => {
                let found = check(&done.rules);
                let errors: Vec<_> = found
                    .as_slice()
                    .iter()
                    .filter(|d| d.severity == Severity::Error)
                    .map(|d| (d.code, d.message.clone()))
                    .collect();
                assert!(errors.is_empty(), "{name}: {errors:?}");
                for syntax in [Syntax::Kif, Syntax::Infix] {
                    let printed = print(&done.rules, &text, syntax)
                        .unwrap_or_else(|e| panic!("{name}: {:?}", e.as_slice()));
                    let again = read(&printed, &Options::default());
                    assert!(
                        magister_gdl::same_rules(&done.rules, &again.rules),
                        "{name} {syntax:?}"
                    );
                    assert_eq!(again.rules.dialect, Dialect::Gdl, "{name} {syntax:?}");
                }
            }
            Err(why) => {
                assert!(
                    why.as_slice()
                        .iter()
                        .any(|d| d.severity == Severity::Error && d.help.is_some()),
                    "{name}"
                );
                refused.push((name, why.as_slice()[0].code, why.as_slice()[0].message.clone()));
            }
        }
    }
    // Only sheets with computations cannot be expressed in GDL.
    for (name, code, message) in &refused {
        assert!(matches!(code, Code::NoCounterpart | Code::NotExpressible), "{name}: {message}");
    }
    assert!(refused.len() <= 4, "{refused:?}");
}
