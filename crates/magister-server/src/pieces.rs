//! How values of cells are drawn: which are chess pieces, discs, cards, numbers, and whose they are.

use serde::Serialize;

/// How a value is drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// The kind of drawing.
    pub shape: &'static str,
    /// The role that owns it, as an index into the roles.
    pub side: Option<usize>,
    /// A short text: on the piece if the shape has none of its own, else for screen readers.
    pub label: String,
    /// A colour, if the name of the value or of its owner is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colour: Option<&'static str>,
}

/// Colours that occur as names.
const COLOURS: [&str; 12] = [
    "white", "black", "red", "blue", "green", "yellow", "orange", "purple", "pink", "brown",
    "grey", "teal",
];

/// Pieces that look like something, with the words for them. Letters count only where the game has
/// the set of chess pieces.
const FIGURES: [(&str, &[&str], &str); 6] = [
    ("king", &["king"], "k"),
    ("queen", &["queen"], "q"),
    ("rook", &["rook", "castle", "tower"], "r"),
    ("bishop", &["bishop"], "b"),
    ("knight", &["knight", "horse"], "n"),
    ("pawn", &["pawn"], "p"),
];

/// Words for other shapes.
const WORDS: [(&str, &[&str]); 15] = [
    ("wall", &["wall", "block", "blocked", "arrow", "#", "stone_wall", "burnt"]),
    ("box", &["box", "crate", "barrel"]),
    ("person", &["player", "hero", "explorer", "hunter", "robot", "pacman", "keeper", "walker"]),
    ("target", &["goal", "target", "exit", "home", "treasure", "gold"]),
    ("flag", &["flag"]),
    ("ship", &["ship", "boat"]),
    ("hit", &["hit", "fire", "explosion", "bomb", "mine"]),
    ("splash", &["splash", "miss", "water", "pit"]),
    ("light", &["lit", "on", "light", "lamp"]),
    ("peg", &["peg", "pin"]),
    ("queen", &["crown"]),
    ("unknown", &["hidden", "unknown", "?"]),
    ("disc", &["disc", "disk", "checker", "man", "piece", "stone", "marker", "token"]),
    ("cross", &["x", "cross"]),
    ("nought", &["o", "nought", "circle"]),
];

/// Recognises the pieces of a game from the names of its roles and of all its values.
#[derive(Clone, Debug)]
pub struct Recogniser {
    roles: Vec<String>,
    players: Vec<usize>,
    /// Whether the values contain a set of chess pieces, so that single letters mean them.
    chess: bool,
    layout_points: bool,
}

impl Recogniser {
    /// For a game with these roles, without the role of chance as a player, and these values. `points` says
    /// that pieces lie on points of a graph, as stones do.
    pub fn new(roles: &[String], chance: Option<usize>, values: &[String], points: bool) -> Self {
        let players = (0..roles.len()).filter(|&role| Some(role) != chance).collect();
        let mut recogniser =
            Recogniser { roles: roles.to_vec(), players, chess: false, layout_points: points };
        let letter = |wanted: &str| {
            values.iter().any(|value| {
                let rest = recogniser.without_side(value);
                rest.iter().any(|word| word == wanted)
            })
        };
        let words = ["king", "knight"].iter().all(|wanted| letter(wanted));
        recogniser.chess = words || ["k", "n"].iter().all(|wanted| letter(wanted));
        recogniser
    }

    /// How a value is drawn. `symbol` is the symbol of the value in text, as the game's style gives
    /// it.
    pub fn piece(&self, value: &str, symbol: Option<&str>) -> Piece {
        let side = self.owner(value);
        let rest = self.without_side(value);
        let shown = symbol.filter(|symbol| !symbol.is_empty()).unwrap_or(value);
        let colour = self.colour(value, side);
        let piece = |shape, label: String| Piece { shape, side, label, colour };
        if let Some(figure) = self.figure(&rest) {
            return piece(figure, value.to_owned());
        }
        if let Some(card) = card(&rest.join(" ")) {
            return piece("card", card);
        }
        if shown.parse::<f64>().is_ok() {
            return piece("number", shown.to_owned());
        }
        let lower = value.to_lowercase();
        let word = |list: &[&str]| {
            list.contains(&lower.as_str()) || rest.iter().any(|word| list.contains(&word.as_str()))
        };
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

    fn figure(&self, rest: &[String]) -> Option<&'static str> {
        let found = FIGURES.iter().find(|(_, words, letter)| {
            rest.iter().any(|word| words.contains(&word.as_str()))
                || self.chess && rest.iter().any(|word| word == letter)
        });
        found.map(|(shape, ..)| *shape)
    }

    /// The role whose piece a value is.
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
        named.or_else(|| {
            // `wp` and `bk` are a side and a piece.
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
        let Some(owner) = self.owner(value) else { return words(value) };
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

    fn colour(&self, value: &str, side: Option<usize>) -> Option<&'static str> {
        colour_of(&words(value)).or_else(|| colour_of(&words(&self.roles[side?])))
    }
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

/// A playing card as rank and suit, such as `Q♥`; none if the name is not that of a card.
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
            // Two letters such as `k h` may be anything; a full word makes a card of them.
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
    fn names_that_mean_nothing_are_text() {
        let game = recogniser(&["left", "right"], &["zorg"]);
        let piece = game.piece("zorg", None);
        assert_eq!((piece.shape, piece.side, piece.label.as_str()), ("text", None, "zorg"));
    }
}
