//! Chess moves in algebraic notation, as people write them: `Nf3`, `exd5`, `O-O`, `e8=Q`.
//!
//! It works for every game whose moves name two cells with letters and digits and whose state says
//! which piece is on a cell. What the notation leaves out is taken from the legal moves.

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
    /// The file and the rank from which it goes, as far as they are given.
    from: (Option<String>, Option<String>),
    /// The file and the rank to which it goes; castling names only the file.
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
    let Some(written) = read(typed) else { return Meant::Nothing };
    let fits = |(_, text): &&(Move, String)| {
        let words = tokens(&plain(text));
        match written.promotion {
            Some(kind) => promotes(&written, kind, &words),
            None => goes(&written, &words, state),
        }
    };
    let found: Vec<&(Move, String)> = moves.iter().filter(fits).collect();
    match found[..] {
        [] => Meant::Nothing,
        [(choice, _)] => Meant::One(*choice),
        _ => Meant::Several(found.iter().map(|(_, text)| plain(text)).collect()),
    }
}

/// Whether the words of a move end with the cells of a written move, and its piece is on the first.
fn goes(written: &Written, words: &[String], state: &[Ground]) -> bool {
    let [.., file, rank, to_file, to_rank] = words else { return false };
    let same = |wanted: Option<&String>, given: &String| wanted.is_none_or(|w| w == given);
    // The king castles along its rank.
    let rank_after = written.to.1.as_ref().unwrap_or(rank);
    same(written.from.0.as_ref(), file)
        && same(written.from.1.as_ref(), rank)
        && written.to.0 == *to_file
        && rank_after == to_rank
        && state.iter().any(|fluent| has_piece(fluent, file, rank, written.piece))
}

/// Whether the words of a move are a promotion as it is written: from a file to a file, and a piece.
fn promotes(written: &Written, kind: &str, words: &[String]) -> bool {
    let [.., file, to_file, piece] = words else { return false };
    piece == kind
        && *to_file == written.to.0
        && match &written.from.0 {
            Some(from) => from == file,
            None => file == to_file,
        }
}

/// Whether a fluent puts a piece on a cell: `(cell g 1 wn)`, `(cell g 1 white knight)`.
fn has_piece(fluent: &Ground, file: &str, rank: &str, piece: &str) -> bool {
    let args: Vec<&str> =
        fluent.args.iter().flat_map(|args| args.iter()).map(|a| &*a.name).collect();
    let letter = match piece {
        "knight" => 'n',
        other => other.chars().next().unwrap_or_default(),
    };
    let is_piece = |label: &str| {
        let label = label.to_lowercase();
        label.ends_with(piece) || label.len() <= 2 && label.ends_with(letter)
    };
    args.windows(2).any(|cell| cell == [file, rank])
        && args.iter().any(|label| *label != file && *label != rank && is_piece(label))
}

#[cfg(test)]
mod tests {
    use magister_core::Move;
    use magister_engine::Ground;
    use magister_gdl::Syntax;

    use super::{meant, read};
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
}
