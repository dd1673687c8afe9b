//! Printing and reading are inverse: every rulesheet of the oracle, in both syntaxes.

use super::sheets;
use magister_gdl::{Dialect, Options, Syntax, print, read, same_rules};

fn comments(text: &str) -> Vec<(usize, String)> {
    read(text, &Options::default())
        .rules
        .comments
        .into_iter()
        .map(|c| (c.markers, c.text))
        .collect()
}

#[test]
fn printing_and_reading_again_gives_the_same_rules() {
    let mut count = 0;
    for (name, text) in sheets::all_sheets() {
        let sheet = read(&text, &Options::default());
        assert!(!sheet.diagnostics.has_errors(), "{name}: {:?}", sheet.diagnostics.as_slice());
        for syntax in [Syntax::Kif, Syntax::Infix] {
            if sheet.rules.dialect == Dialect::Operations && syntax == Syntax::Kif {
                continue;
            }
            let printed = print(&sheet.rules, &text, syntax)
                .unwrap_or_else(|e| panic!("{name}: {:?}", e.as_slice()));
            let again = read(&printed, &Options { syntax: Some(syntax), ..Options::default() });
            assert!(!again.diagnostics.has_errors(), "{name}: {:?}", again.diagnostics.as_slice());
            assert!(same_rules(&sheet.rules, &again.rules), "{name} differs in {syntax:?}");
            assert_eq!(again.rules.dialect, sheet.rules.dialect, "{name} in {syntax:?}");
            assert_eq!(
                read(&printed, &Options::default()).rules.syntax,
                syntax,
                "{name}: the content determines the syntax"
            );
            assert!(comments(&printed) == comments(&text), "{name}: comments in {syntax:?}");
            // Formatting twice changes nothing more.
            let twice = print(&again.rules, &printed, syntax).expect("printed before");
            assert!(twice == printed, "{name} is not stable in {syntax:?}");
            // And back to the syntax it came from.
            let back = print(&again.rules, &printed, sheet.rules.syntax).expect("printed before");
            let options = Options { syntax: Some(sheet.rules.syntax), ..Options::default() };
            assert!(
                same_rules(&sheet.rules, &read(&back, &options).rules),
                "{name}: the round trip changes the rules"
            );
        }
        count += 1;
    }
    if sheets::oracle().is_some() {
        assert!(count > 300, "{count} rulesheets");
    }
}
