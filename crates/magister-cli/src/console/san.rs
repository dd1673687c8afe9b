//! Chess moves in algebraic notation, as people write them: `Nf3`, `exd5`, `O-O`, `e8=Q`.
//!
//! It works for every game whose moves name two cells with letters and digits and whose state shows
//! which piece is on a cell. Parts that the notation omits are inferred from the legal moves.

use magister_core::Move;
use magister_engine::Ground;

use super::moves::{Meant, plain, tokens};

/// The letters of the pieces and their names.
const PIECES: [(char, &str); 5] =
    [('K', "king"), ('Q', "queen"), ('R', "rook"), ('B', "bishop"), ('N', "knight")];

/// A move in algebraic notation.
#[derive(Debug, PartialEq, Eq)]
struct Written {
    piece: &'static str,
    /// The file and the rank of the origin, if given.
    from: (Option<String>, Option<String>),
    /// The file and the rank of the target; castling names only the file.
    to: (String, Option<String>),
    promotion: Option<&'static str>,
}

fn name_of(letter: char) -> Option<&'static str> {
    PIECES.iter().find(|(known, _)| *known == letter).map(|(_, name)| *name)
}

fn read(typed: &str) -> Option<Written> {
    let text = typed.trim().trim_end_matches(['+', '#', '!', '?']);
    let king = |to: &str| {
        let from = (Some("e".to_owned()), None);
        Some(Written { piece: "king", from, to: (to.to_owned(), None), promotion: None })
    };
    match text.to_uppercase().replace('0', "O").as_str() {
        "O-O" => return king("g"),
        "O-O-O" => return king("c"),
        _ => {}
    }
    let mut letters: Vec<char> = text.chars().filter(|c| !matches!(c, 'x' | '-' | '=')).collect();
    let piece = name_of(*letters.first()?);
    if piece.is_some() {
        letters.remove(0);
    }
    let promotion = letters.last().and_then(|&last| name_of(last));
    if promotion.is_some() {
        letters.pop();
    }
    let file = |c: char| c.is_ascii_lowercase();
    let rank = |c: char| c.is_ascii_digit();
    let some = |c: char| Some(c.to_string());
    let (from, to) = match letters[..] {
        [f, r] if file(f) && rank(r) => ((None, None), (f, r)),
        [a, f, r] if file(a) && file(f) && rank(r) => ((some(a), None), (f, r)),
        [a, f, r] if rank(a) && file(f) && rank(r) => ((None, some(a)), (f, r)),
        [a, b, f, r] if file(a) && rank(b) && file(f) && rank(r) => ((some(a), some(b)), (f, r)),
        _ => return None,
    };
    let to = (to.0.to_string(), some(to.1));
    Some(Written { piece: piece.unwrap_or("pawn"), from, to, promotion })
}

/// The move among these that is written in algebraic notation.
pub(super) fn meant(typed: &str, moves: &[(Move, String)], state: &[Ground]) -> Meant {
    match &fitting(typed, moves, state, None)[..] {
        [] => Meant::Nothing,
        [(choice, _)] => Meant::One(*choice),
        several => Meant::Several(several.iter().map(|(_, text)| plain(text)).collect()),
    }
}

/// The moves that may be meant, in the syntax of the rules. If a role is given, only its pieces
/// count.
pub(super) fn candidates(
    typed: &str,
    moves: &[(Move, String)],
    state: &[Ground],
    role: Option<&str>,
) -> Vec<String> {
    fitting(typed, moves, state, role).into_iter().map(|(_, text)| text.clone()).collect()
}

fn fitting<'a>(
    typed: &str,
    moves: &'a [(Move, String)],
    state: &[Ground],
    role: Option<&str>,
) -> Vec<&'a (Move, String)> {
    let Some(written) = read(typed) else { return Vec::new() };
    let fits = |(_, text): &&(Move, String)| {
        let words = tokens(&plain(text));
        match written.promotion {
            Some(kind) => promotes(&written, kind, &words),
            None => goes(&written, &words, state, role),
        }
    };
    moves.iter().filter(fits).collect()
}

/// An explanation that no piece of a role can go where the notation says, if the role has such a
/// piece.
pub(super) fn no_piece(typed: &str, state: &[Ground], role: &str, owner: &str) -> Option<String> {
    let written = read(typed)?;
    let rank = written.to.1.as_deref().filter(|_| written.promotion.is_none())?;
    let owned = |fluent: &Ground| {
        let labels = labels(fluent);
        let (Some(piece), true) = (labels.last(), labels.len() > 2) else { return false };
        is_piece(piece, written.piece) && is_own(&labels, piece, role)
    };
    state
        .iter()
        .any(owned)
        .then(|| format!("no {} of {owner} can go to {}{rank}", written.piece, written.to.0))
}

/// Whether the words of a move end with the cells of a move in algebraic notation, and its piece is
/// on the first cell.
fn goes(written: &Written, words: &[String], state: &[Ground], role: Option<&str>) -> bool {
    let [.., file, rank, to_file, to_rank] = words else { return false };
    let same = |wanted: Option<&String>, given: &String| wanted.is_none_or(|w| w == given);
    // The king castles along its rank.
    let rank_after = written.to.1.as_ref().unwrap_or(rank);
    same(written.from.0.as_ref(), file)
        && same(written.from.1.as_ref(), rank)
        && written.to.0 == *to_file
        && rank_after == to_rank
        && state.iter().any(|fluent| has_piece(fluent, file, rank, written.piece, role))
}

/// Whether the words of a move are the given promotion: from a file to a file, and a piece.
fn promotes(written: &Written, kind: &str, words: &[String]) -> bool {
    let [.., file, to_file, piece] = words else { return false };
    piece == kind
        && *to_file == written.to.0
        && match &written.from.0 {
            Some(from) => from == file,
            None => file == to_file,
        }
}

/// The arguments of a fluent.
fn labels(fluent: &Ground) -> Vec<&str> {
    fluent.args.iter().flat_map(|args| args.iter()).map(|a| &*a.name).collect()
}

/// Whether a fluent puts a piece on a cell: `(cell g 1 wn)`, `(cell g 1 white knight)`. If a role
/// is given, the piece must belong to it.
fn has_piece(fluent: &Ground, file: &str, rank: &str, piece: &str, role: Option<&str>) -> bool {
    let args = labels(fluent);
    args.windows(2).any(|cell| cell == [file, rank])
        && args.iter().any(|label| {
            *label != file
                && *label != rank
                && is_piece(label, piece)
                && role.is_none_or(|role| is_own(&args, label, role))
        })
}

fn is_piece(label: &str, piece: &str) -> bool {
    let letter = match piece {
        "knight" => 'n',
        other => other.chars().next().unwrap_or_default(),
    };
    let label = label.to_lowercase();
    label.ends_with(piece) || label.len() <= 2 && label.ends_with(letter)
}

/// Whether a piece belongs to a role: its label begins with the role or its first letter, or the
/// role is a separate argument.
fn is_own(args: &[&str], label: &str, role: &str) -> bool {
    let (label, role) = (label.to_lowercase(), role.to_lowercase());
    let short = label.len() == 2 && label.chars().next() == role.chars().next();
    short || label.starts_with(&role) || args.iter().any(|arg| arg.to_lowercase() == role)
}

#[cfg(test)]
mod tests {
    use magister_core::Move;
    use magister_engine::Ground;
    use magister_gdl::Syntax;

    use super::{candidates, meant, no_piece, read};
    use crate::console::moves::Meant;

    #[test]
    fn what_is_algebraic_notation() {
        for text in ["Nf3", "e4", "exd5", "Rad1", "R1d3", "Qh4e1", "O-O", "0-0-0", "e8=Q", "Bb5+"] {
            assert!(read(text).is_some(), "{text}");
        }
        for text in ["hello", "N", "", "12", "Nf33", "é4", "O-", "e4e"] {
            assert!(read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn the_move_that_is_meant() {
        let texts = [
            "(move g 1 f 3)",
            "(move d 2 f 3)",
            "(move e 2 e 4)",
            "(move c 3 e 4)",
            "(move e 1 g 1)",
            "(promote e e queen)",
            "(promote e d queen)",
        ];
        let moves: Vec<(Move, String)> = (0..).map(Move).zip(texts.map(str::to_owned)).collect();
        let state = Ground::read_all(
            "(cell g 1 wn) (cell d 2 wb) (cell e 2 wp) (cell c 3 wn) (cell e 1 wk) (control white)",
            Syntax::Kif,
        )
        .expect("fluents");
        for (typed, number) in
            [("Nf3", 0), ("Bf3", 1), ("e4", 2), ("Nxe4", 3), ("O-O", 4), ("e8=Q", 5), ("exd8=Q", 6)]
        {
            assert_eq!(meant(typed, &moves, &state), Meant::One(Move(number)), "{typed}");
        }
        assert_eq!(meant("Nf6", &moves, &state), Meant::Nothing);
    }

    #[test]
    fn only_own_pieces_are_meant() {
        let texts = ["(move g 1 f 3)", "(move g 8 f 6)", "(move e 1 g 1)", "(move e 8 g 8)"];
        let moves: Vec<(Move, String)> = (0..).map(Move).zip(texts.map(str::to_owned)).collect();
        let state = Ground::read_all(
            "(cell g 1 wn) (cell g 8 bn) (cell e 1 wk) (cell e 8 bk)",
            Syntax::Kif,
        )
        .expect("fluents");
        let white = |typed| candidates(typed, &moves, &state, Some("white"));
        assert_eq!(white("O-O"), ["(move e 1 g 1)"]);
        assert_eq!(white("Nf3"), ["(move g 1 f 3)"]);
        assert!(white("Nf6").is_empty());
        assert_eq!(candidates("Nf6", &moves, &state, Some("black")), ["(move g 8 f 6)"]);
        let none = no_piece("Nf6", &state, "white", "yours");
        assert_eq!(none.as_deref(), Some("no knight of yours can go to f6"));
        assert_eq!(no_piece("Qf6", &state, "white", "yours"), None);
    }
}
