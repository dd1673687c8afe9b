//! Moves as people write them: numbers that stay the same during a match, and tolerant spelling.

use std::collections::BTreeMap;

use magister_core::Move;
use magister_engine::Ground;
use magister_gdl::nearest_all;
use rustc_hash::FxHashMap;

/// The maximum number of moves that a query to the person names.
const NAMED: usize = 6;
/// The maximum number of suggestions.
const SUGGESTED: usize = 3;

/// The text for a move without effect.
const PASS: &str = "pass";

/// A move as text for people: `drop 3` for `(drop 3)` and for `drop(3)`, `pass` for `noop`.
pub(crate) fn plain(text: &str) -> String {
    if text == "noop" {
        return PASS.to_owned();
    }
    let spaced: String =
        text.chars().map(|c| if matches!(c, '(' | ')' | ',') { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text with the symbols of suits replaced by letters: `QH` for `Q♥`.
pub(crate) fn letters(text: &str) -> String {
    let letter = |c| SUITS.iter().find(|(sign, _)| *sign == c).map_or(c, |(_, letter)| *letter);
    // A symbol may be followed by a variation selector for colour.
    text.chars().filter(|c| *c != '\u{fe0f}').map(letter).collect()
}

/// A move with the letters of suits replaced by symbols, if a word consists of a rank and a suit:
/// `lead Q♥` for `lead QH`.
pub(crate) fn signs(text: &str) -> String {
    let word = |word: &str| {
        let mut all = word.chars();
        let suit = all.next_back();
        let sign = SUITS.iter().find(|(_, letter)| Some(*letter) == suit);
        match sign {
            Some((sign, _)) if RANKS.contains(&all.as_str()) => format!("{}{sign}", all.as_str()),
            _ => word.to_owned(),
        }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// The suits of common decks as symbols and letters, and the ranks.
const SUITS: [(char, char); 4] = [('♣', 'C'), ('♦', 'D'), ('♥', 'H'), ('♠', 'S')];
const RANKS: [&str; 15] =
    ["A", "K", "Q", "J", "Kn", "10", "9", "8", "7", "6", "5", "4", "3", "2", "1"];

/// Whether a word is a card of a common deck: a rank and the letter of a suit.
pub(super) fn is_card(word: &str) -> bool {
    let mut all = word.chars();
    let suit = all.next_back();
    SUITS.iter().any(|(_, letter)| Some(*letter) == suit) && RANKS.contains(&all.as_str())
}

/// Whether a move has no effect, judging by its name. It is not shown if it is the only move.
pub(crate) fn is_idle(text: &str) -> bool {
    matches!(text, "noop" | "-" | "wait" | "idle" | "nil" | "nop" | "null")
}

/// The numbers of a role's moves. A move keeps its number for the whole match.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    by_move: FxHashMap<Move, usize>,
    by_number: BTreeMap<usize, Move>,
}

impl Numbers {
    /// Gives numbers to moves that have none. `drop 3` is number 3 if that is free.
    pub(crate) fn assign(&mut self, moves: &[(Move, String)]) {
        let new: Vec<&(Move, String)> =
            moves.iter().filter(|(choice, _)| !self.by_move.contains_key(choice)).collect();
        for (choice, text) in &new {
            if let Some(number) = own_number(text).filter(|n| !self.by_number.contains_key(n)) {
                self.set(*choice, number);
            }
        }
        let mut next = 1;
        for (choice, _) in new {
            if self.by_move.contains_key(choice) {
                continue;
            }
            while self.by_number.contains_key(&next) {
                next += 1;
            }
            self.set(*choice, next);
        }
    }

    fn set(&mut self, choice: Move, number: usize) {
        self.by_move.insert(choice, number);
        self.by_number.insert(number, choice);
    }

    pub(super) fn of(&self, choice: Move) -> usize {
        self.by_move.get(&choice).copied().unwrap_or(0)
    }

    pub(super) fn find(&self, number: usize) -> Option<Move> {
        self.by_number.get(&number).copied()
    }
}

/// The number in a move that consists of a name and a number, such as `drop 3`.
fn own_number(text: &str) -> Option<usize> {
    let text = plain(text);
    let (name, number) = text.split_once(' ')?;
    let word = name.chars().all(|c| c.is_alphabetic() || c == '_' || c == '-');
    number.parse().ok().filter(|&number| word && (1..1000).contains(&number))
}

/// The meaning of a typed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meant {
    One(Move),
    /// It may mean several moves; these are their texts.
    Several(Vec<String>),
    Nothing,
}

/// A criterion by which a typed text may stand for a move, given the words of the move.
type Way<'a> = &'a dyn Fn(&[String]) -> bool;

/// The move that a person means. A text that is spelt like a move means that move; otherwise the
/// end of a move suffices, then the beginnings of its words, then its letters.
pub(crate) fn meant(typed: &str, moves: &[(Move, String)]) -> Meant {
    let wanted = tokens(typed);
    if wanted.is_empty() {
        return Meant::Nothing;
    }
    let joined = wanted.concat();
    // `d3` is a cell, not a short `drop 3`.
    let glued = typed
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit());
    let ways: [Way<'_>; 4] = [
        &|given| given == wanted,
        &|given| given.ends_with(&wanted),
        &|given| !glued && abbreviates(&wanted, given),
        &|given| joined.chars().count() > 1 && given.concat().ends_with(&joined),
    ];
    for way in ways {
        let found: Vec<&(Move, String)> =
            moves.iter().filter(|(_, text)| way(&tokens(&plain(text)))).collect();
        match found[..] {
            [] => {}
            [(choice, _)] => return Meant::One(*choice),
            _ => return Meant::Several(found.iter().map(|(_, text)| plain(text)).collect()),
        }
    }
    Meant::Nothing
}

/// The move that a person means, also in chess notation; the state shows where the pieces are.
pub(crate) fn understood(typed: &str, moves: &[(Move, String)], state: &[Ground]) -> Meant {
    match meant(typed, moves) {
        Meant::One(choice) => Meant::One(choice),
        // `e4` is a pawn move, even if other pieces can go there.
        other => match super::san::meant(typed, moves, state) {
            Meant::Nothing => other,
            algebraic => algebraic,
        },
    }
}

/// The typed words in the form of a move with the same name and the same number of words, in the
/// syntax of the rules: `(drop 8)` for `drop 8`, if there is `(drop 1)`. The name may be omitted if
/// words and numbers are in the same places as in a move: `(move e 2 e 5)` for `e2e5`.
pub(crate) fn shaped(typed: &str, moves: &[(Move, String)]) -> Option<String> {
    let typed = plain(&typed.to_lowercase());
    let mut words: Vec<String> = typed.split(' ').map(str::to_owned).collect();
    let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '.');
    if !words.iter().all(|word| !word.is_empty() && word.chars().all(name)) {
        return None;
    }
    let texts = || moves.iter().map(|(_, text)| text);
    let named = |text: &&String| {
        let text = plain(&text.to_lowercase());
        words.len() > 1
            && text.split(' ').next() == words.first().map(String::as_str)
            && text.split(' ').count() == words.len()
    };
    let kind = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let alike = if let Some(alike) = texts().find(named) {
        alike
    } else {
        let given = tokens(&typed);
        let alike = texts().find(|text| {
            let text = plain(&text.to_lowercase());
            let mut all = text.split(' ');
            let name = all.next().unwrap_or_default();
            let rest: Vec<&str> = all.collect();
            !kind(name)
                && given.len() > 1
                && rest.len() == given.len()
                && rest.iter().zip(&given).all(|(a, b)| kind(a) == kind(b) && a.len() == b.len())
        })?;
        words = given;
        words.insert(0, plain(alike).split(' ').next().unwrap_or_default().to_owned());
        alike
    };
    let mut next = words.into_iter();
    let mut shape = String::new();
    let mut inside = false;
    for letter in alike.chars() {
        let word = !letter.is_whitespace() && !matches!(letter, '(' | ')' | ',');
        if word && !inside {
            shape.push_str(&next.next()?);
        } else if !word {
            shape.push(letter);
        }
        inside = word;
    }
    Some(shape)
}

/// Moves as part of a sentence, up to a maximum number.
pub(crate) fn several(mut texts: Vec<String>) -> String {
    let more = texts.len().saturating_sub(NAMED);
    texts.truncate(NAMED);
    let listed = texts.join(", ");
    if more > 0 { format!("{listed} and {more} more") } else { listed }
}

/// Moves and commands that are similar to the typed text.
pub(super) fn suggestions(typed: &str, moves: &[(Move, String)], words: &[&str]) -> Vec<String> {
    let typed = plain(&typed.to_lowercase());
    let texts: Vec<String> = moves.iter().map(|(_, text)| plain(text)).collect();
    let all = texts.iter().map(String::as_str).chain(words.iter().copied());
    nearest_all(&typed, all).into_iter().take(SUGGESTED).map(str::to_owned).collect()
}

/// Words and numbers of a text: `e2e4` has four. A minus sign belongs to its number, unless it is
/// between two words, as in `e2-e4`.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut kind = None;
    let mut before = ' ';
    let text = text.to_lowercase();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let number = letters.peek().is_some_and(char::is_ascii_digit);
        let now = match letter {
            c if c.is_ascii_digit() => Some('0'),
            c if c.is_alphabetic() => Some('a'),
            '-' | '+' if number && !before.is_alphanumeric() => Some('0'),
            _ => None,
        };
        let signed = now == Some('0') && !letter.is_ascii_digit();
        match (now, tokens.last_mut()) {
            (Some(_), Some(last)) if now == kind && !signed => last.push(letter),
            (Some(_), _) => tokens.push(letter.to_string()),
            (None, _) => {}
        }
        (kind, before) = (now, letter);
    }
    tokens
}

/// Whether the typed words are prefixes of words of a move, in the same order. Numbers must be
/// equal.
fn abbreviates(typed: &[String], given: &[String]) -> bool {
    let mut rest = given.iter();
    typed.iter().all(|word| {
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        rest.any(|other| if number { other == word } else { other.starts_with(word.as_str()) })
    })
}

#[cfg(test)]
mod tests {
    use magister_core::Move;

    use super::{Meant, Numbers, letters, meant, plain, shaped, signs, suggestions};

    fn moves(texts: &[&str]) -> Vec<(Move, String)> {
        (0..).map(Move).zip(texts.iter().map(|&text| text.to_owned())).collect()
    }

    #[test]
    fn the_ways_to_type_a_move() {
        let drops = moves(&["(drop 1)", "(drop 2)", "(drop 3)"]);
        for typed in ["drop 3", "(drop 3)", "drop(3)", "Drop 3", "d 3", "3", "drop3"] {
            assert_eq!(meant(typed, &drops), Meant::One(Move(2)), "{typed}");
        }
        for typed in ["-3", "+3", "d3", "drop -3", "drop3 3"] {
            assert_eq!(meant(typed, &drops), Meant::Nothing, "{typed}");
        }
        let below = moves(&["(shift -1)", "(shift 1)"]);
        assert_eq!(meant("-1", &below), Meant::One(Move(0)));
        assert_eq!(meant("shift 1", &below), Meant::One(Move(1)));
        let chess = moves(&["(move e 2 e 4)", "(move d 3 e 4)", "(move g 1 f 3)"]);
        assert_eq!(meant("e2e4", &chess), Meant::One(Move(0)));
        assert_eq!(meant("e2-e4", &chess), Meant::One(Move(0)));
        assert_eq!(meant("f3", &chess), Meant::One(Move(2)));
        assert!(matches!(meant("e4", &chess), Meant::Several(found) if found.len() == 2));
        assert_eq!(meant("e5", &chess), Meant::Nothing);
        let cells = moves(&["(mark 1 2)", "(mark 2 2)", "noop"]);
        assert_eq!(meant("22", &cells), Meant::One(Move(1)));
        assert_eq!(meant("2 2", &cells), Meant::One(Move(1)));
        assert_eq!(meant("", &cells), Meant::Nothing);
        assert_eq!(meant("pass", &cells), Meant::One(Move(2)));
        assert_eq!(meant("((((", &cells), Meant::Nothing);
    }

    #[test]
    fn suits_as_signs_and_letters() {
        assert_eq!(letters("10♥"), "10H");
        assert_eq!(letters("Q♠\u{fe0f} k♦"), "QS kD");
        assert_eq!(signs("pass-on QH"), "pass-on Q♥");
        assert_eq!(signs("play 10S on KC"), "play 10♠ on K♣");
        assert_eq!(signs("bid 3 XS S H"), "bid 3 XS S H");
        let cards = moves(&["pass-on QD", "pass-on QH"]);
        assert_eq!(meant(&letters("Q♥"), &cards), Meant::One(Move(1)));
    }

    #[test]
    fn numbers_stay() {
        let mut numbers = Numbers::default();
        let all = moves(&["(drop 1)", "(drop 2)", "(drop 3)", "resign"]);
        numbers.assign(&all);
        assert_eq!(all.iter().map(|(m, _)| numbers.of(*m)).collect::<Vec<_>>(), [1, 2, 3, 4]);
        // A column is full; the others keep their numbers.
        numbers.assign(&all[2..]);
        assert_eq!(numbers.of(Move(2)), 3);
        assert_eq!(numbers.find(3), Some(Move(2)));
        // Numbers in moves are kept where they can be.
        let mut takes = Numbers::default();
        takes.assign(&moves(&["(take 2)", "(take 3)"]));
        assert_eq!((takes.of(Move(0)), takes.of(Move(1))), (2, 3));
    }

    #[test]
    fn plain_texts() {
        assert_eq!(plain("(move (cell 1 2) up)"), "move cell 1 2 up");
        assert_eq!(plain("write(1,2,3)"), "write 1 2 3");
        let all = moves(&["(drop 1)", "(drop 2)"]);
        assert!(suggestions("dorp 1", &all, &["undo"]).contains(&"drop 1".to_owned()));
    }

    #[test]
    fn words_in_the_shape_of_a_move() {
        let all = moves(&["(move (cell 1 2) up)", "drop(1)"]);
        let shape = |typed| shaped(typed, &all);
        assert_eq!(shape("move cell 9 9 down").as_deref(), Some("(move (cell 9 9) down)"));
        assert_eq!(shape("drop 8").as_deref(), Some("drop(8)"));
        assert_eq!(shape("drop(8)").as_deref(), Some("drop(8)"));
        let chess = moves(&["(move e 2 e 4)", "(promote e e queen)"]);
        assert_eq!(shaped("e2e5", &chess).as_deref(), Some("(move e 2 e 5)"));
        assert_eq!(shaped("e2-e5", &chess).as_deref(), Some("(move e 2 e 5)"));
        for typed in ["drop", "drop 1 2", "fall 8", "", "((", "drop ?"] {
            assert_eq!(shape(typed), None, "{typed}");
        }
    }
}
