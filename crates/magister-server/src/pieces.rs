//! How the values of cells are drawn: which are chess pieces, discs, cards or numbers, and to which
//! side they belong.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

/// How a value is drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// The kind of drawing.
    pub shape: &'static str,
    /// The role that owns it, as an index into the roles.
    pub side: Option<usize>,
    /// A short text: written on the piece if the shape has no picture, otherwise for screen
    /// readers.
    pub label: String,
    /// A colour, if the name of the value or of its owner is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colour: Option<&'static str>,
    /// Other pieces in the same cell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<Piece>,
}

impl Piece {
    /// A piece without an owner.
    pub(crate) fn plain(shape: &'static str, label: String) -> Self {
        Piece { shape, side: None, label, colour: None, with: Vec::new() }
    }
}

/// Colours that occur as names.
const COLOURS: [&str; 12] = [
    "white", "black", "red", "blue", "green", "yellow", "orange", "purple", "pink", "brown",
    "grey", "teal",
];

/// Pieces with a known shape, with their words. Single letters count only if the game has the set
/// of chess pieces.
const FIGURES: [(&str, &[&str], &str); 6] = [
    ("king", &["king"], "k"),
    ("queen", &["queen"], "q"),
    ("rook", &["rook", "castle", "tower"], "r"),
    ("bishop", &["bishop"], "b"),
    ("knight", &["knight", "horse"], "n"),
    ("pawn", &["pawn"], "p"),
];

/// Words for other shapes.
const WORDS: [(&str, &[&str]); 16] = [
    ("dot", &["pellet", "dot", "food", "crumb", "point"]),
    ("wall", &["wall", "block", "blocked", "arrow", "#", "stone_wall", "burnt"]),
    ("box", &["box", "crate", "barrel"]),
    ("person", &["player", "hero", "explorer", "hunter", "robot", "pacman", "keeper", "walker"]),
    ("target", &["goal", "target", "exit", "home", "treasure", "gold"]),
    ("flag", &["flag"]),
    ("ship", &["ship", "boat"]),
    ("hit", &["hit", "fire", "explosion", "bomb", "mine"]),
    ("splash", &["splash", "miss", "water", "pit"]),
    ("light", &["lit", "on", "light", "lamp"]),
    ("peg", &["peg", "pin", "standing"]),
    ("queen", &["crown"]),
    ("unknown", &["hidden", "unknown", "?"]),
    ("disc", &["disc", "disk", "checker", "man", "piece", "stone", "marker", "token"]),
    ("cross", &["x", "cross"]),
    ("nought", &["o", "nought", "circle"]),
];

/// The maximum number of things in a cell of which the first one is drawn larger.
const BESIDE: usize = 4;

/// Words for directions.
const DIRECTIONS: [&str; 8] = ["up", "down", "left", "right", "north", "south", "east", "west"];
/// Words for moving things, which may occur together with a direction.
const MOVING: [&str; 9] = ["mov", "move", "moving", "body", "snake", "facing", "dir", "head", "to"];
/// Names of lists that contain cards, and of lists that contain dice.
const CARDS: [&str; 10] =
    ["card", "cards", "hand", "hands", "dealt", "deck", "indeck", "holds", "discard", "trick"];
const DICE: [&str; 6] = ["die", "dice", "rolled", "roll", "throw", "thrown"];

/// The letters of pieces after the letter of a side, such as `p` and `k` in `wp` and `bk`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Letters {
    Chess,
    Draughts,
}

/// Recognises the pieces of a game from the names of its roles and of all its values.
#[derive(Clone, Debug)]
pub struct Recogniser {
    roles: Vec<String>,
    players: Vec<usize>,
    /// The meaning of single letters, if the values contain a set of pieces.
    letters: Option<Letters>,
    /// The colours of sides by the first letter of values such as `wp` and `bp`.
    sides: Vec<(char, &'static str)>,
    /// Whether all short values are initials of roles.
    initials: bool,
    layout_points: bool,
}

impl Recogniser {
    /// The pieces of a game with these roles, excluding chance, and these values. `points` means
    /// that pieces lie on points of a graph, as stones do.
    pub fn new(roles: &[String], chance: Option<usize>, values: &[String], points: bool) -> Self {
        let players = (0..roles.len()).filter(|&role| Some(role) != chance).collect();
        let mut recogniser = Recogniser {
            roles: roles.to_vec(),
            players,
            letters: None,
            sides: sides(values),
            initials: false,
            layout_points: points,
        };
        let letter = |wanted: &str| {
            values.iter().any(|value| {
                let rest = recogniser.without_side(value);
                rest.iter().any(|word| word == wanted)
            })
        };
        let words = ["king", "knight"].iter().all(|wanted| letter(wanted));
        let royal = letter("k") && letter("n");
        let coded = !recogniser.sides.is_empty() && letter("p");
        // A few pieces of an endgame, such as `wk`, `wr` and `bk`.
        let twos = values.iter().filter(|value| value.len() == 2).count();
        let few = letter("k") && (letter("q") || letter("r")) && twos + 1 >= values.len();
        recogniser.letters = if words || royal || few || coded && (letter("q") || letter("r")) {
            Some(Letters::Chess)
        } else if coded {
            Some(Letters::Draughts)
        } else {
            None
        };
        let short = || values.iter().filter(|value| value.len() == 1);
        recogniser.initials = short().count() > 1
            && short().all(|value| recogniser.begins(value).is_some())
            && short().next() != short().next_back();
        recogniser
    }

    /// The only player whose name begins with this letter.
    fn begins(&self, letter: &str) -> Option<usize> {
        let letter = letter.to_lowercase();
        let mut fit = self.players.iter().filter(|&&role| {
            self.players.len() > 1 && self.roles[role].to_lowercase().starts_with(&letter)
        });
        fit.next().copied().filter(|_| fit.next().is_none())
    }

    /// How an item beside the board is drawn. The name of its list may indicate what it is.
    pub fn thing(&self, list: &str, text: &str) -> Piece {
        let called = |names: &[&str]| words(list).iter().any(|word| names.contains(&word.as_str()));
        let face = matches!(text, "1" | "2" | "3" | "4" | "5" | "6");
        if called(&DICE) && face {
            return Piece::plain("die", text.to_owned());
        }
        if let Some(card) = card(text) {
            return Piece::plain("card", card);
        }
        if called(&CARDS) && text.chars().count() <= 12 {
            let colour = colour_of(&words(text));
            return Piece { colour, ..Piece::plain("card", words(text).join(" ")) };
        }
        self.piece(text, None)
    }

    /// Several things in one cell: a number on a piece of a side, or the first thing with the
    /// others.
    pub fn together(&self, labels: &[String], symbols: &BTreeMap<String, String>) -> Piece {
        let piece = |label: &String| self.piece(label, symbols.get(label).map(String::as_str));
        let mut all: Vec<Piece> = labels.iter().map(piece).collect();
        let number = all.iter().position(|one| one.shape == "number");
        let owned = all.iter().position(|one| one.side.is_some() || one.colour.is_some());
        if let (2, Some(number), Some(owned)) = (all.len(), number, owned)
            && number != owned
        {
            let label = all[number].label.clone();
            return Piece { shape: "text", label, ..all.swap_remove(owned) };
        }
        // Things that others stand on come last.
        all.sort_by_key(|one| matches!(one.shape, "target" | "dot" | "wall" | "light"));
        // Many things, or things that consist of parts, lie side by side.
        if all.len() > BESIDE || all.iter().any(|one| !one.with.is_empty()) {
            return Piece { with: all, ..Piece::plain("group", labels.join(" ")) };
        }
        let first = all.remove(0);
        Piece { with: all, ..first }
    }

    /// How a value is drawn. `symbol` is the symbol of the value in text, from the style of the
    /// game.
    pub fn piece(&self, value: &str, symbol: Option<&str>) -> Piece {
        let side = self.owner(value);
        let rest = self.without_side(value);
        let shown = symbol.filter(|symbol| !symbol.is_empty()).unwrap_or(value);
        let colour = self.colour(value, side);
        let piece = |shape, label: String| Piece { shape, side, label, colour, with: Vec::new() };
        if let Some(figure) = self.figure(&rest) {
            return piece(figure, value.to_owned());
        }
        if let Some(card) = card(&rest.join(" ")) {
            return piece("card", card);
        }
        if let Some((shape, number)) = self.numbered(&rest) {
            let with = vec![Piece::plain("number", number)];
            return Piece { with, ..piece(shape, value.to_owned()) };
        }
        if shown.parse::<f64>().is_ok() {
            // The number of a side is written on its piece.
            let shape = if side.is_some() || colour.is_some() { "text" } else { "number" };
            return piece(shape, shown.to_owned());
        }
        // The line of a style wins over a direction: `up` may be a line between two points.
        if matches!(shown, "|" | "-" | "+") {
            return piece("text", shown.to_owned());
        }
        if let Some(direction) = direction(&rest) {
            return piece("arrow", direction);
        }
        let lower = value.to_lowercase();
        let word = |list: &[&str]| {
            let known = |word: &String| list.contains(&word.as_str());
            // Of several words, the last one determines the kind.
            list.contains(&lower.as_str())
                || rest.len() == 1 && known(&rest[0])
                || side.is_none() && rest.last().is_some_and(known)
        };
        // A marked cell of a warehouse; in other names, a mark is a kind of piece.
        if matches!(lower.as_str(), "mark" | "storage") {
            return piece("target", shown.to_owned());
        }
        if let Some((shape, _)) = WORDS.iter().find(|(_, list)| word(list)) {
            return piece(shape, shown.to_owned());
        }
        let only_side = rest.is_empty() || colour_of(std::slice::from_ref(&lower)).is_some();
        if only_side && (side.is_some() || colour.is_some()) {
            let shape = if self.layout_points { "stone" } else { "disc" };
            return piece(shape, value.to_owned());
        }
        piece("text", shown.to_owned())
    }

    /// The shape and the number of a thing such as `knight2`.
    fn numbered(&self, rest: &[String]) -> Option<(&'static str, String)> {
        let [word] = rest else { return None };
        let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = &word[stem.len()..];
        if stem.len() < 3 || number.is_empty() {
            return None;
        }
        let stem = stem.to_owned();
        let other = || {
            let found = WORDS.iter().find(|(_, list)| list.contains(&stem.as_str()));
            found.map(|(shape, _)| *shape)
        };
        let shape = self.figure(std::slice::from_ref(&stem)).or_else(other)?;
        Some((shape, number.to_owned()))
    }

    fn figure(&self, rest: &[String]) -> Option<&'static str> {
        let is = |wanted: &str| rest.iter().any(|word| word == wanted);
        if self.letters == Some(Letters::Draughts) {
            return match () {
                () if is("k") => Some("crowned"),
                () if is("p") || is("m") => Some("disc"),
                () => None,
            };
        }
        let found = FIGURES.iter().find(|(_, words, letter)| {
            rest.iter().any(|word| words.contains(&word.as_str()))
                || self.letters == Some(Letters::Chess) && is(letter)
        });
        found.map(|(shape, ..)| *shape)
    }

    /// The role that owns the piece of a value.
    fn owner(&self, value: &str) -> Option<usize> {
        if self.players.len() < 2 {
            return None;
        }
        let words = words(value);
        let named = self.players.iter().copied().find(|&role| {
            let name = self.roles[role].to_lowercase();
            let short = name.strip_suffix("player").filter(|short| !short.is_empty());
            words.iter().any(|word| *word == name || Some(word.as_str()) == short)
        });
        let named = named.or_else(|| self.prefixed(value).map(|(role, _)| role));
        let named =
            named.or_else(|| self.begins(value).filter(|_| self.initials && value.len() == 1));
        named.or_else(|| {
            // `wp` and `bk` consist of a side and a piece.
            let lower = value.to_lowercase();
            let letters = lower.len() == 2 && lower.chars().all(char::is_alphabetic);
            let first = lower.chars().next().filter(|_| letters)?;
            let mut fit = self
                .players
                .iter()
                .filter(|&&role| self.roles[role].to_lowercase().starts_with(first));
            let found = fit.next().copied();
            found.filter(|_| fit.next().is_none())
        })
    }

    /// The owner and the rest of a name such as `blackking`.
    fn prefixed(&self, value: &str) -> Option<(usize, String)> {
        let lower = value.to_lowercase();
        self.players.iter().find_map(|&role| {
            let rest = lower.strip_prefix(&self.roles[role].to_lowercase())?;
            let word = rest.len() > 2 && rest.chars().all(char::is_alphabetic);
            (word && self.roles[role].len() > 2).then(|| (role, rest.to_owned()))
        })
    }

    /// The words of a value without the name of its owner.
    fn without_side(&self, value: &str) -> Vec<String> {
        let Some(owner) = self.owner(value) else {
            if self.side_colour(value).is_some() {
                return value.to_lowercase().chars().skip(1).map(String::from).collect();
            }
            return words(value);
        };
        let name = self.roles[owner].to_lowercase();
        let short = name.strip_suffix("player").unwrap_or(&name).to_owned();
        let all = words(value);
        if let (true, Some((_, rest))) = (all.len() == 1 && all[0] != name, self.prefixed(value)) {
            return vec![rest];
        }
        let rest: Vec<String> =
            all.iter().filter(|word| **word != name && **word != short).cloned().collect();
        if rest.len() == all.len() && value.len() == 2 {
            return value.to_lowercase().chars().skip(1).map(String::from).collect();
        }
        rest
    }

    /// The colour of the first letter of a value such as `wp`.
    fn side_colour(&self, value: &str) -> Option<&'static str> {
        let first = value.chars().next().filter(|_| value.chars().count() == 2)?;
        let first = first.to_ascii_lowercase();
        self.sides.iter().find(|(letter, _)| *letter == first).map(|(_, colour)| *colour)
    }

    fn colour(&self, value: &str, side: Option<usize>) -> Option<&'static str> {
        let named = colour_of(&words(value)).or_else(|| self.side_colour(value));
        named.or_else(|| colour_of(&words(&self.roles[side?])))
    }
}

/// The direction of a thing that moves or points.
fn direction(words: &[String]) -> Option<String> {
    let is = |word: &&String| DIRECTIONS.contains(&word.as_str());
    let rest = words.iter().filter(|word| !is(word));
    let mut named = words.iter().filter(is);
    let first = named.next().filter(|_| named.next().is_none())?;
    rest.into_iter().all(|word| MOVING.contains(&word.as_str())).then(|| first.clone())
}

/// The sides of values such as `wp`, `wk`, `bp` and `bk`: two initials of colours, each followed by
/// the same letters.
fn sides(values: &[String]) -> Vec<(char, &'static str)> {
    const LETTERS: [(char, &str); 6] = [
        ('w', "white"),
        ('b', "black"),
        ('r', "red"),
        ('g', "green"),
        ('y', "yellow"),
        ('p', "purple"),
    ];
    let twos: Vec<(char, char)> = values
        .iter()
        .filter(|value| value.len() == 2 && value.chars().all(|c| c.is_ascii_alphabetic()))
        .filter_map(|value| {
            let mut letters = value.chars().map(|c| c.to_ascii_lowercase());
            letters.next().zip(letters.next())
        })
        .collect();
    let firsts: BTreeSet<char> = twos.iter().map(|&(first, _)| first).collect();
    let kinds = |side: char| -> BTreeSet<char> {
        twos.iter().filter(|(first, _)| *first == side).map(|&(_, kind)| kind).collect()
    };
    let known: Vec<(char, &str)> =
        LETTERS.iter().copied().filter(|(letter, _)| firsts.contains(letter)).collect();
    let [(a, _), (b, _)] = known[..] else { return Vec::new() };
    if firsts.len() == 2 && kinds(a) == kinds(b) { known } else { Vec::new() }
}

/// The colour that one of these words names.
pub(crate) fn colour_of(words: &[String]) -> Option<&'static str> {
    words.iter().find_map(|word| match word.as_str() {
        "gray" | "silver" => Some("grey"),
        "cyan" | "turquoise" => Some("teal"),
        "magenta" => Some("pink"),
        "violet" => Some("purple"),
        word => COLOURS.iter().copied().find(|colour| *colour == word),
    })
}

/// The words of a name, in lower case.
fn words(value: &str) -> Vec<String> {
    let split = value.split(|c: char| !c.is_alphanumeric() && c != '#' && c != '?');
    split.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// A playing card as rank and suit, such as `Q♥`; `None` if the name is not that of a card.
pub fn card(name: &str) -> Option<String> {
    const RANKS: [(&str, &[&str]); 13] = [
        ("A", &["ace", "a"]),
        ("K", &["king", "k"]),
        ("Q", &["queen", "q"]),
        ("J", &["jack", "j"]),
        ("10", &["ten", "10", "t"]),
        ("9", &["nine", "9"]),
        ("8", &["eight", "8"]),
        ("7", &["seven", "7"]),
        ("6", &["six", "6"]),
        ("5", &["five", "5"]),
        ("4", &["four", "4"]),
        ("3", &["three", "3"]),
        ("2", &["two", "2", "deuce"]),
    ];
    const SUITS: [(&str, &[&str]); 4] = [
        ("♥", &["hearts", "heart", "h"]),
        ("♦", &["diamonds", "diamond", "d"]),
        ("♣", &["clubs", "club", "c"]),
        ("♠", &["spades", "spade", "s"]),
    ];
    let named: Vec<String> = words(name).into_iter().filter(|word| word != "of").collect();
    let find = |list: &[(&'static str, &[&str])], word: &str| {
        list.iter().find(|(_, names)| names.contains(&word)).map(|(sign, _)| *sign)
    };
    match &named[..] {
        [one, other] => {
            let rank = find(&RANKS, one).zip(find(&SUITS, other));
            let (rank, suit) = rank.or_else(|| find(&RANKS, other).zip(find(&SUITS, one)))?;
            // Two letters such as `k h` are ambiguous; a full word makes it a card.
            (one.len() > 1 || other.len() > 1).then(|| format!("{rank}{suit}"))
        }
        [only] if ["ace", "king", "queen", "jack"].contains(&only.as_str()) => {
            find(&RANKS, only).map(str::to_owned)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recogniser(roles: &[&str], values: &[&str]) -> Recogniser {
        let own = |list: &[&str]| list.iter().map(|&one| one.to_owned()).collect::<Vec<_>>();
        Recogniser::new(&own(roles), None, &own(values), false)
    }

    #[test]
    fn chess_pieces_have_shapes_and_sides() {
        let chess = recogniser(&["white", "black"], &["wp", "wn", "wk", "bp", "bn", "bk"]);
        let piece = chess.piece("bn", Some("n"));
        assert_eq!((piece.shape, piece.side, piece.colour), ("knight", Some(1), Some("black")));
        assert_eq!(chess.piece("wp", None).shape, "pawn");
        let endgame = recogniser(&["white", "black"], &["", "wk", "wr", "bk"]);
        assert_eq!(endgame.piece("wr", Some("R")).shape, "rook");
        let spelt = recogniser(&["white", "black"], &["white_king", "black_knight"]);
        assert_eq!(spelt.piece("white_king", None).shape, "king");
        let checkers = recogniser(&["black", "white"], &["blackman", "blackking"]);
        let man = checkers.piece("blackman", Some("m"));
        assert_eq!((man.shape, man.side, man.colour), ("disc", Some(0), Some("black")));
        assert_eq!(checkers.piece("blackking", None).shape, "king");
    }

    #[test]
    fn discs_crosses_numbers_and_cards() {
        let four = recogniser(&["red", "yellow"], &["red", "yellow"]);
        let red = four.piece("red", Some("R"));
        assert_eq!((red.shape, red.side, red.colour), ("disc", Some(0), Some("red")));
        let tic = recogniser(&["xplayer", "oplayer"], &["x", "o"]);
        assert_eq!((tic.piece("x", None).shape, tic.piece("x", None).side), ("cross", Some(0)));
        assert_eq!((tic.piece("o", None).shape, tic.piece("o", None).side), ("nought", Some(1)));
        let alone = recogniser(&["player"], &["1", "2"]);
        assert_eq!(alone.piece("3", Some("8")).label, "8");
        assert_eq!(alone.piece("3", Some("8")).shape, "number");
        assert_eq!(card("queen of hearts").as_deref(), Some("Q♥"));
        assert_eq!(card("hearts 10").as_deref(), Some("10♥"));
        assert_eq!(card("jack").as_deref(), Some("J"));
        assert_eq!(card("k h"), None);
        assert_eq!(card("left"), None);
    }

    #[test]
    fn letters_of_sides_and_things_that_move() {
        let game = recogniser(&["red", "black"], &["wp", "wk", "bp", "bk"]);
        let piece = game.piece("wk", Some("K"));
        assert_eq!((piece.shape, piece.colour), ("crowned", Some("white")));
        assert_eq!(game.piece("bp", None).shape, "disc");
        let blobs = recogniser(&["redduper", "blueduper"], &["r", "b"]);
        assert_eq!(blobs.piece("r", None).side, Some(0));
        let snake = recogniser(&["snake"], &["mov_left", "head"]);
        let body = snake.piece("mov_left", Some("l"));
        assert_eq!((body.shape, body.label.as_str()), ("arrow", "left"));
        assert_eq!(snake.piece("up", Some("|")).shape, "text", "a line of the style");
        assert_eq!(snake.piece("mark", Some("o")).shape, "target");
        let shogi = recogniser(&["black", "white"], &["white gold unpromoted"]);
        assert_eq!(shogi.piece("white gold unpromoted", Some("G")).shape, "text");
    }

    #[test]
    fn several_things_in_one_cell() {
        let game = recogniser(&["black", "red"], &["black", "red", "3"]);
        let both = |labels: &[&str]| {
            let labels: Vec<String> = labels.iter().map(|&label| label.to_owned()).collect();
            game.together(&labels, &BTreeMap::new())
        };
        let piece = both(&["red", "3"]);
        assert_eq!((piece.shape, piece.label.as_str(), piece.side), ("text", "3", Some(1)));
        let crate_on_goal = both(&["goal", "crate"]);
        assert_eq!((crate_on_goal.shape, crate_on_goal.with[0].shape), ("box", "target"));
    }

    #[test]
    fn numbered_things_and_crowds() {
        let game = recogniser(&["robot1", "robot2"], &["knight1", "knight2", "flag1", "disc"]);
        let knight = game.piece("knight2", Some("g"));
        assert_eq!((knight.shape, knight.with[0].label.as_str()), ("knight", "2"));
        assert_eq!(game.piece("flag1", Some("l")).shape, "flag");
        assert_eq!(game.piece("r2", None).shape, "text");
        let labels = ["flag1", "knight1", "knight2"].map(str::to_owned);
        let crowd = game.together(&labels, &BTreeMap::new());
        assert_eq!((crowd.shape, crowd.with.len()), ("group", 3));
        assert_eq!(crowd.with[2].with[0].label, "2");
    }

    #[test]
    fn cards_and_dice_beside_the_board() {
        let game = recogniser(&["first", "second"], &[]);
        assert_eq!(game.thing("die", "5").shape, "die");
        assert_eq!(game.thing("hand", "7").shape, "card");
        assert_eq!(game.thing("hand", "queen hearts").label, "Q♥");
        assert_eq!(game.thing("said", "2 5").shape, "text");
    }

    #[test]
    fn names_that_mean_nothing_are_text() {
        let game = recogniser(&["left", "right"], &["zorg"]);
        let piece = game.piece("zorg", None);
        assert_eq!((piece.shape, piece.side, piece.label.as_str()), ("text", None, "zorg"));
    }
}
