//! Symbols for values: single characters, if there are enough.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::domain::common_prefix;
use super::marks::words;

/// The maximum number of values with symbols; more are written out.
const MOST: usize = 60;

/// The maximum length of labels that are written out.
const SHORT: usize = 6;
/// The maximum number of labels that may use letters other than initials.
const FEW: usize = 12;
/// Signs for labels without a letter.
const SPARE: &str = "*+@&%$=~^!?<>";

/// Names of empty cells, most reliable first.
const NOTHING: &[&str] = &[
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
    "unknown",
    "off",
    "dead",
    "dark",
];

/// Names of walls.
const WALLS: [&str; 8] =
    ["wall", "walls", "blocked", "obstacle", "block", "hole", "limits", "forbidden"];

/// The symbol of an empty cell.
pub(super) const EMPTY: &str = ".";

/// The symbols of the values of a board.
#[derive(Clone, Debug, Default)]
pub(super) struct Symbols {
    by_label: BTreeMap<String, String>,
    /// The value of an empty cell.
    pub(super) blank: Option<String>,
}

impl Symbols {
    /// Distinct symbols for labels. Those of a style come first. The most frequent label counts as
    /// empty if no other label has such a name.
    pub(super) fn new(
        labels: &[String],
        given: &BTreeMap<String, String>,
        roles: &[String],
        usual: Option<&str>,
    ) -> Self {
        // A label with a symbol in the style is not empty.
        let blank = blank(labels).or_else(|| usual.map(str::to_owned));
        let blank = blank.filter(|label| !given.contains_key(label));
        let mut symbols = Symbols { by_label: BTreeMap::new(), blank: blank.clone() };
        let numeric = |label: &str| label.parse::<i64>().is_ok();
        let mut rest: Vec<&String> = Vec::new();
        let others = || labels.iter().filter(|&label| blank.as_ref() != Some(label));
        let prefix = common_prefix(others().map(String::as_str)).unwrap_or("").len();
        let prefix = if labels.len() > 3 { prefix } else { 0 };
        for label in labels {
            let symbol = if let Some(symbol) = given.get(label) {
                symbol.clone()
            } else if blank.as_ref() == Some(label) {
                EMPTY.to_owned()
            } else if prefix > 0 {
                label[prefix..].to_owned()
            } else if numeric(label) || label.chars().count() == 1 || labels.len() > MOST {
                label.clone()
            } else {
                rest.push(label);
                continue;
            };
            symbols.by_label.insert(label.clone(), symbol);
        }
        let sides = Sides::new(labels, roles);
        let mut found: BTreeMap<String, String> = BTreeMap::new();
        for &label in &rest {
            let taken = symbols.by_label.values().chain(found.values());
            let taken: FxHashSet<&String> = taken.collect();
            let symbol = sides.proposals(label).into_iter().find(|symbol| !taken.contains(symbol));
            found.extend(symbol.map(|symbol| (label.clone(), symbol)));
        }
        // If letters do not suffice, short labels are clearer than other signs.
        let short = rest.iter().all(|label| label.chars().count() <= SHORT);
        let strange = |label: &&&String| {
            let (_, word) = sides.split(label).unwrap_or((0, label));
            let same = |symbol: &String| symbol.eq_ignore_ascii_case(word.get(..1).unwrap_or(""));
            !found.get(**label).is_some_and(same)
        };
        if short && rest.len() > FEW && rest.iter().filter(strange).count() * 2 > rest.len() {
            found.clear();
        }
        for label in rest {
            let symbol = found.get(label).cloned();
            let spare = SPARE.chars();
            let symbol = symbol.or_else(|| {
                let taken: FxHashSet<&String> =
                    symbols.by_label.values().chain(found.values()).collect();
                let letters = ('a'..='z').chain('A'..='Z').chain('0'..='9');
                let mut signs = spare.chain(letters).map(String::from);
                signs.find(|sign| !short && !taken.contains(sign))
            });
            symbols.by_label.insert(label.clone(), symbol.unwrap_or_else(|| label.clone()));
        }
        symbols
    }

    pub(super) fn get<'a>(&'a self, label: &'a str) -> &'a str {
        self.by_label.get(label).map_or(label, String::as_str)
    }
}

/// The label of an empty cell.
fn blank(labels: &[String]) -> Option<String> {
    let has = |name: &str| labels.iter().any(|label| label.eq_ignore_ascii_case(name));
    let negated = |label: &&String| label.strip_prefix("no").is_some_and(has);
    let Some(sure) = NOTHING.iter().find(|&&name| has(name)) else {
        return labels.iter().find(negated).cloned();
    };
    // If there is `w`, then `b` is black, unless black has its own name.
    let other = has("w") || has("white") || has("r") || has("red");
    let black = *sure == "b" && other && !has("black");
    let found = labels.iter().find(|label| label.eq_ignore_ascii_case(sure));
    found.filter(|_| !black).cloned()
}

/// The two sides of a game, whose pieces differ in case.
struct Sides {
    /// Names of the side with capital letters, and of the other one.
    names: [Vec<String>; 2],
    /// The first letters of values such as `wp` and `bp`, which combine a side and a piece.
    short: Option<[char; 2]>,
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
        // Values such as `wp` and `bp`: two distinct first letters with others after them.
        let twos = labels.iter().filter(|label| label.len() == 2 && label.is_ascii());
        let mut first: Vec<char> = twos.filter_map(|label| label.chars().next()).collect();
        first.sort_unstable_by_key(|&side| {
            let role = roles.iter().position(|role| role.starts_with(side));
            (side != 'w', role.unwrap_or(usize::MAX), side)
        });
        first.dedup();
        let short = if let [a, b] = first[..] { Some([a, b]) } else { None };
        Sides { names, short }
    }

    /// The side and the piece in a label.
    fn split<'a>(&self, label: &'a str) -> Option<(usize, &'a str)> {
        for (side, names) in self.names.iter().enumerate() {
            for name in names {
                let trimmed = |rest: &'a str| rest.trim_matches([' ', '_', '-']);
                let before = label.strip_prefix(name.as_str()).map(trimmed);
                let after = label.strip_suffix(name.as_str()).map(trimmed);
                // A single letter at the start of a word is not a side unless it is separated.
                let apart = name.len() > 1 || label.contains([' ', '_', '-']) || label.len() == 1;
                if let Some(piece) = before.or(after).filter(|_| apart) {
                    return Some((side, piece));
                }
            }
        }
        let short = self.short.filter(|_| label.len() == 2 && label.is_ascii())?;
        let side = short.iter().position(|&side| label.starts_with(side))?;
        Some((side, &label[1..]))
    }

    /// Symbols for a label, the best first.
    fn proposals(&self, label: &str) -> Vec<String> {
        let mut all = Vec::new();
        if words(label).iter().any(|word| WALLS.contains(&word.as_str())) {
            all.push("#".to_owned());
        }
        let words: Vec<&str> =
            label.split([' ', '_', '-']).filter(|word| !word.is_empty()).collect();
        if words.len() > 1 && words.iter().any(|word| word.parse::<i64>().is_ok()) {
            // A number and a side: digits have no case.
            let short = |word: &&str| {
                let letters = if word.parse::<i64>().is_ok() { word.len() } else { 1 };
                word.chars().take(letters).collect::<String>()
            };
            all.push(words.iter().map(short).collect());
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
        // Chess uses another letter for the knight.
        if let Some(capital) = capital.filter(|_| word.eq_ignore_ascii_case("knight")) {
            all.push(cased('n', capital));
        }
        let letters: Vec<char> = word.chars().filter(char::is_ascii_alphanumeric).collect();
        let initials = word.split([' ', '_', '-']).filter_map(|part| part.chars().next());
        let letters: Vec<char> = initials.chain(letters).collect();
        let first = capital.unwrap_or(false);
        all.extend(letters.iter().map(|&letter| cased(letter, first)));
        all.extend(letters.iter().map(|&letter| cased(letter, !first)));
        all
    }
}
