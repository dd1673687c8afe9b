//! Rules, moves and percepts in the form of messages.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use magister::{Playable, Reading, Source};
use magister_core::Rng;
use magister_gdl::{Dialect, Syntax, print, translate};
use magister_protocol::{Limits, Term};

use crate::gamemaster::statements;

/// The rules of a game in the form that is sent to players, and the words of its moves.
///
/// Names keep the case of the rulesheet. In replies, a word in another case is accepted if it
/// matches only one word of the rules.
#[derive(Clone, Debug)]
pub struct WireGame {
    rules: Vec<Term>,
    words: BTreeSet<String>,
    /// Words in lower case, with the matching word of the rules if there is only one.
    folded: BTreeMap<String, Option<String>>,
    gdl2: bool,
    /// The rules in Gamemaster's language, if the game is written in it.
    operations: Option<Vec<String>>,
}

/// Why a game cannot be sent to players.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoRules(String);

impl fmt::Display for NoRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoRules {}

impl WireGame {
    /// The rules of a rulesheet in prefix notation.
    pub fn from_kif(text: &str, gdl2: bool) -> Result<Self, NoRules> {
        let rules = Term::read_all(text, &Limits::default());
        let rules = rules.map_err(|error| NoRules(format!("the rules cannot be sent: {error}")))?;
        let mut words = BTreeSet::new();
        for rule in &rules {
            rule.atoms(&mut |word| {
                words.insert(word.to_owned());
            });
        }
        let mut folded: BTreeMap<String, Option<String>> = BTreeMap::new();
        for word in &words {
            folded
                .entry(word.to_lowercase())
                .and_modify(|known| *known = None)
                .or_insert_with(|| Some(word.clone()));
        }
        Ok(WireGame { rules, words, folded, gdl2, operations: None })
    }

    /// The rules of a game source. Infix rules are converted to prefix notation.
    pub fn of(source: &Source) -> Result<Self, NoRules> {
        let (Some(sheet), Some(input)) = (source.rulesheet(), source.input()) else {
            let name = source.name();
            return Err(NoRules(format!(
                "{name} has no rules in GDL, so it cannot be played with remote players"
            )));
        };
        let gdl2 = sheet.dialect == Dialect::Gdl2;
        match (sheet.syntax, sheet.dialect) {
            (Syntax::Kif, _) => WireGame::from_kif(&input.text, gdl2),
            (_, Dialect::Operations) => Err(NoRules(format!(
                "{} is written as operations; translate it to GDL first",
                source.name()
            ))),
            (Syntax::Infix, _) => WireGame::from_kif(&prefix(sheet, &input.text)?, gdl2),
        }
    }

    /// Whether players get percepts instead of the joint move.
    pub fn is_gdl2(&self) -> bool {
        self.gdl2
    }

    /// The rules in Gamemaster's language, one text each, if the game is written in it.
    pub fn operations(&self) -> Option<&[String]> {
        self.operations.as_deref()
    }

    /// The rules.
    pub fn rules(&self) -> &[Term] {
        &self.rules
    }

    /// A reply with the words in the case of the rules.
    pub fn resolve(&self, reply: &Term) -> Term {
        reply.map(&mut |word| {
            if self.words.contains(word) {
                return word.to_owned();
            }
            let known = self.folded.get(&word.to_lowercase()).and_then(Clone::clone);
            known.unwrap_or_else(|| word.to_owned())
        })
    }
}

/// Opens a game that will be sent to players. Gamemaster's operations are translated to GDL and
/// played in that form, so that manager and players have the same rules.
pub fn open(source: &Source) -> Result<(Playable, WireGame), magister::Error> {
    let refuse = |what: String| {
        let error = std::io::Error::new(std::io::ErrorKind::InvalidInput, what);
        magister::Error::Io { what: source.name().to_owned(), error }
    };
    if let (Some(sheet), Some(input)) = (source.rulesheet(), source.input())
        && sheet.dialect == Dialect::Operations
    {
        let gdl = translate(sheet, Dialect::Gdl)
            .map_err(|_| refuse("its operations cannot be translated to GDL".to_owned()))?;
        let text = prefix(&gdl.rules, &input.text).map_err(|error| refuse(error.to_string()))?;
        let options = magister::Options { reading: Reading::default(), ..Default::default() };
        let again = options.read_text(source.name(), &text)?;
        let wire = WireGame::from_kif(&text, false).map_err(|error| refuse(error.to_string()))?;
        let wire = WireGame { operations: Some(statements(&input.text)), ..wire };
        return Ok((again.prepare(None)?, wire));
    }
    let wire = WireGame::of(source).map_err(|error| refuse(error.to_string()))?;
    Ok((source.prepare(None)?, wire))
}

fn prefix(sheet: &magister_gdl::Rulesheet, text: &str) -> Result<String, NoRules> {
    print(sheet, text, Syntax::Kif).map_err(|problems| {
        let first = problems.as_slice().first().map(|problem| problem.message.clone());
        NoRules(format!(
            "the rules cannot be written in prefix notation: {}",
            first.unwrap_or_default()
        ))
    })
}

/// A scrambling of all words that have no meaning in GDL, so that a player cannot recognise a game
/// by its names.
#[derive(Clone, Debug, Default)]
pub struct Scramble {
    there: BTreeMap<String, String>,
    back: BTreeMap<String, String>,
}

/// The keywords of GDL. They are not scrambled, and neither are numbers.
const KEYWORDS: [&str; 19] = [
    "role", "init", "true", "next", "does", "legal", "goal", "terminal", "base", "input", "sees",
    "percept", "distinct", "not", "or", "and", "<=", "random", "action",
];

const SYLLABLES: [&str; 24] = [
    "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "qui", "ro", "su",
    "ta", "ve", "wi", "xo", "zu", "ster", "lin", "mor", "tan",
];

impl Scramble {
    /// A random scrambling of the words of a game.
    pub fn new(game: &WireGame, rng: &mut Rng) -> Self {
        let mut scramble = Scramble::default();
        for word in &game.words {
            let (mark, name) = word.strip_prefix('?').map_or(("", word.as_str()), |n| ("?", n));
            let keyword = KEYWORDS.iter().any(|known| known.eq_ignore_ascii_case(name));
            if keyword || name.is_empty() || name == "_" || name.parse::<f64>().is_ok() {
                continue;
            }
            let new = loop {
                let count = 2 + rng.below(3);
                let made: String = (0..count).map(|_| SYLLABLES[rng.below(24) as usize]).collect();
                let made = format!("{mark}{made}");
                if !scramble.back.contains_key(&made) && !game.words.contains(&made) {
                    break made;
                }
            };
            scramble.there.insert(word.clone(), new.clone());
            scramble.back.insert(new, word.clone());
        }
        scramble
    }

    /// A scrambled term, as the player sees it.
    pub fn apply(&self, term: &Term) -> Term {
        term.map(&mut |word| self.there.get(word).cloned().unwrap_or_else(|| word.to_owned()))
    }

    /// A reply with the original words. Unknown words are kept.
    pub fn undo(&self, term: &Term) -> Term {
        term.map(&mut |word| {
            let known = self.back.get(word).or_else(|| self.back.get(&word.to_lowercase()));
            known.cloned().unwrap_or_else(|| word.to_owned())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use magister_core::Seed;

    const SHEET: &str = "(role White) (role black) ; two\n\
        (<= (legal ?r (Mark ?x 1)) (role ?r) (true (cell ?x)))";

    #[test]
    fn replies_in_another_case_are_understood() {
        let game = WireGame::from_kif(SHEET, false).unwrap();
        let resolve = |text: &str| game.resolve(&Term::read(text).unwrap()).to_string();
        assert_eq!(resolve("(MARK 3 1)"), "(Mark 3 1)");
        assert_eq!(resolve("(other 1)"), "(other 1)");
    }

    #[test]
    fn scrambling_is_undone() {
        let game = WireGame::from_kif(SHEET, false).unwrap();
        let scramble = Scramble::new(&game, &mut Seed::from(3).rng());
        for rule in game.rules() {
            let there = scramble.apply(rule);
            assert_eq!(&scramble.undo(&there), rule);
            assert!(!there.to_string().contains("Mark") && !there.to_string().contains("cell"));
            assert!(there.to_string().contains("role"));
        }
    }
}
