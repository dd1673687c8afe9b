//! Repairs of card games: words that are probably misspelt.

use magister_gdl::Severity;
use magister_recycle::{Fix, examine};

use super::{Change, REPAIRS, Repair, line_of};
use crate::Reading;

/// Replaces misspelt words one by one, as long as the errors and warnings become fewer. `None` if
/// errors are left, because the game then still cannot be played.
pub(super) fn repair(name: &str, text: &str, reading: &Reading) -> Option<Repair> {
    let examined = |text: &str| {
        let found = examine(name, text, &reading.recycle);
        let count = |severity| found.diagnostics.count(severity);
        ((count(Severity::Error), count(Severity::Warning)), found.fixes)
    };
    let (mut now, mut changes) = (text.to_owned(), Vec::new());
    let (mut bad, mut fixes) = examined(&now);
    for _ in 0..REPAIRS {
        let better = fixes.iter().find_map(|Fix { span, word }| {
            let range = span.start as usize..span.end as usize;
            let wrong = now.get(range.clone())?.to_owned();
            let mut tried = now.clone();
            tried.replace_range(range.clone(), word);
            let (left, more) = examined(&tried);
            let what = format!("`{wrong}` became `{word}`");
            (left < bad)
                .then(|| (tried, left, more, Change { line: line_of(&now, range.start), what }))
        });
        let Some((tried, left, more, change)) = better else { break };
        (now, bad, fixes) = (tried, left, more);
        changes.push(change);
    }
    (bad.0 == 0 && !changes.is_empty()).then_some(Repair { text: now, changes })
}

#[cfg(test)]
mod tests {
    use super::repair;
    use crate::Reading;

    const GAME: &str = "(game (setup (create players 2) (create deck (game iloc STOCK)
        (deck (RANK (ONE, TWO)))))
        (do ((shuffle (game iloc STOCK)) (set (game points P) (((RANK : ONE) 1)))))
        (choice ((turn pass)))
        (scoring max (sum (game iloc STOCK) using (game points P))))";

    #[test]
    fn misspelt_words_are_corrected() {
        let wrong = GAME.replace("shuffle", "shufle").replace("RANK :", "RNK :");
        let repaired = repair("game", &wrong, &Reading::default()).expect("a repair");
        assert_eq!(repaired.text, GAME, "{:?}", repaired.changes);
        assert_eq!(repaired.changes[0].line, 3);
        assert_eq!(repair("game", GAME, &Reading::default()), None);
        let hopeless = wrong.replace("(turn pass)", "(nonsense)");
        assert_eq!(repair("game", &hopeless, &Reading::default()), None);
    }
}
