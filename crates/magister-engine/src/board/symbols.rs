//! Values as single characters, as far as there are enough.

use std::collections::BTreeMap;

/// With more values than this, they are written out.
const MOST: usize = 60;

/// Names of nothing, the surest first.
const NOTHING: [&str; 13] = [
    "blank",
    "empty",
    "b",
    "none",
    "nil",
    "null",
    "nothing",
    "free",
    "unoccupied",
    "e",
    "_",
    "dirt",
    "unknown",
];

/// Names of what nobody can pass.
const WALLS: [&str; 6] = ["wall", "walls", "blocked", "obstacle", "block", "hole"];

/// What is drawn for a cell with nothing in it.
pub(super) const EMPTY: &str = ".";

/// The symbols of the values of a board.
#[derive(Clone, Debug, Default)]
pub(super) struct Symbols {
    by_label: BTreeMap<String, String>,
    /// The value that stands for nothing.
    pub(super) blank: Option<String>,
}

impl Symbols {
    /// Symbols for labels, each its own; those that a style gives come first.
    pub(super) fn new(
        labels: &[String],
        given: &BTreeMap<String, String>,
        roles: &[String],
    ) -> Self {
        let blank = blank(labels);
        let mut symbols = Symbols { by_label: BTreeMap::new(), blank: blank.clone() };
        let numeric = |label: &str| label.parse::<i64>().is_ok();
        let mut rest: Vec<&String> = Vec::new();
        for label in labels {
            let symbol = if let Some(symbol) = given.get(label) {
                symbol.clone()
            } else if blank.as_ref() == Some(label) {
                EMPTY.to_owned()
            } else if numeric(label) || label.chars().count() == 1 || labels.len() > MOST {
                label.clone()
            } else {
                rest.push(label);
                continue;
            };
            symbols.by_label.insert(label.clone(), symbol);
        }
        let sides = Sides::new(labels, roles);
        for label in rest {
            let free = |symbol: &String| !symbols.by_label.values().any(|other| other == symbol);
            let symbol = sides.proposals(label).into_iter().find(free);
            symbols.by_label.insert(label.clone(), symbol.unwrap_or_else(|| label.clone()));
        }
        symbols
    }

    pub(super) fn get<'a>(&'a self, label: &'a str) -> &'a str {
        self.by_label.get(label).map_or(label, String::as_str)
    }
}

/// The label that stands for nothing.
fn blank(labels: &[String]) -> Option<String> {
    let has = |name: &str| labels.iter().any(|label| label.eq_ignore_ascii_case(name));
    let sure = NOTHING.iter().find(|&&name| has(name))?;
    // Where there is w, b is black.
    let black = *sure == "b" && (has("w") || has("white") || has("r") || has("red"));
    let found = labels.iter().find(|label| label.eq_ignore_ascii_case(sure));
    found.filter(|_| !black).cloned()
}

/// The two sides of a game, whose pieces differ in case.
struct Sides {
    /// Names of the side with capital letters, and of the other one.
    names: [Vec<String>; 2],
    /// Whether values such as `wp` and `bp` are a side and a piece.
    short: bool,
}

impl Sides {
    fn new(labels: &[String], roles: &[String]) -> Self {
        let mut names = [vec!["white".to_owned()], vec!["black".to_owned()]];
        if let [first, second, ..] = roles
            && first != "black"
            && second != "white"
        {
            names[0].push(first.clone());
            names[1].push(second.clone());
        }
        let two = |side: char| {
            labels.iter().filter(|label| label.len() == 2 && label.starts_with(side)).count()
        };
        let short = two('w') > 0 && two('b') > 0;
        Sides { names, short }
    }

    /// The side and the piece of a label.
    fn split<'a>(&self, label: &'a str) -> Option<(usize, &'a str)> {
        for (side, names) in self.names.iter().enumerate() {
            for name in names {
                let trimmed = |rest: &'a str| rest.trim_matches([' ', '_', '-']);
                let before = label.strip_prefix(name.as_str()).map(trimmed);
                let after = label.strip_suffix(name.as_str()).map(trimmed);
                // A single letter at the front of a word is no side, unless it stands alone.
                let apart = name.len() > 1 || label.contains([' ', '_', '-']) || label.len() == 1;
                if let Some(piece) = before.or(after).filter(|_| apart) {
                    return Some((side, piece));
                }
            }
        }
        if self.short && label.len() == 2 && label.is_ascii() {
            let side = ['w', 'b'].iter().position(|&side| label.starts_with(side))?;
            return Some((side, &label[1..]));
        }
        None
    }

    /// Symbols for a label, the best first.
    fn proposals(&self, label: &str) -> Vec<String> {
        let mut all = Vec::new();
        if WALLS.contains(&label) {
            all.push("#".to_owned());
        }
        let side = self.split(label);
        let (capital, word) = match side {
            Some((side, piece)) => (Some(side == 0), if piece.is_empty() { label } else { piece }),
            None => (None, label),
        };
        let cased = |letter: char, capital: bool| {
            let letter =
                if capital { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() };
            letter.to_string()
        };
        // Chess players know the knight by another letter.
        if let (Some(capital), "knight") = (capital, word) {
            all.push(cased('n', capital));
        }
        let letters: Vec<char> = word.chars().filter(char::is_ascii_alphanumeric).collect();
        let initials = word.split([' ', '_', '-']).filter_map(|part| part.chars().next());
        let letters: Vec<char> = initials.chain(letters).collect();
        let first = capital.unwrap_or(false);
        all.extend(letters.iter().map(|&letter| cased(letter, first)));
        all.extend(letters.iter().map(|&letter| cased(letter, !first)));
        let spare = "*+@&%$=~^!?<>".chars().chain('a'..='z').chain('A'..='Z').chain('0'..='9');
        all.extend(spare.map(String::from));
        all
    }
}
