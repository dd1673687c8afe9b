//! The meaning of a typed text among the moves of a game.

use anyhow::{Result, bail};
use magister_arena::Asked;
use magister_core::{Information, Move};
use magister_engine::board::fluents;

use super::cells::Cells;
use super::input::short;
use super::known::Known;
use super::moves::{Meant, letters, plain, several, shaped, suggestions, understood};
use super::{COMMANDS, san};
use crate::draw::{Look, has_cards};

/// The maximum number of moves of a game that are searched for an illegal move.
const VOCABULARY: u32 = 50_000;

/// The meaning of a text.
pub(super) enum Found {
    Legal(Move),
    /// It may mean several legal moves.
    Several(Vec<String>),
    /// Moves of the game that are not legal now, in the syntax of the rules.
    Illegal(Vec<String>),
    /// A move that is legal in no position, in the syntax of the rules.
    Never(String),
    /// Not a move of the game; the text says why.
    NoMove(String),
    Nothing,
}

/// The last typed moves that are not legal, in the syntax of the rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) moves: Vec<String>,
    /// Whether no position allows them.
    pub(super) never: bool,
}

pub(super) fn find(asked: &Asked<'_>, known: &Known, cells: &Cells, text: &str) -> Found {
    let text = &letters(text);
    // `b3` is replaced by the words of the game for that cell, if columns and rows have numbers.
    let cell = cells.words(text);
    let text = cell.as_deref().unwrap_or(text);
    let (view, moves) = (asked.view, known.moves());
    let info = view.game().info();
    let words = view.game().text();
    let named = words.parse_move(view.role(), text);
    if let Some(choice) = named.filter(|&choice| asked.is_legal(choice)) {
        return Found::Legal(choice);
    }
    let digits = text.strip_prefix('#').unwrap_or(text);
    let number = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok());
    let illegal = |choice: Move| Found::Illegal(vec![words.move_text(choice)]);
    if let Some(choice) = number.flatten().and_then(|number| known.numbers().find(number)) {
        return if asked.is_legal(choice) { Found::Legal(choice) } else { illegal(choice) };
    }
    let state = match info.information {
        Information::Perfect => fluents(&**view.game(), &known.state()),
        Information::Hidden => Vec::new(),
    };
    match understood(text, moves, &state) {
        Meant::One(choice) if asked.is_legal(choice) => return Found::Legal(choice),
        Meant::One(choice) => return illegal(choice),
        Meant::Several(texts) => return Found::Several(texts),
        Meant::Nothing => {}
    }
    if let Some(choice) = named {
        return illegal(choice);
    }
    // A move that is legal in other positions.
    let count = info.moves.filter(|&count| count <= VOCABULARY);
    let all: Vec<(Move, String)> =
        (0..count.unwrap_or(0)).map(Move).map(|choice| (choice, words.move_text(choice))).collect();
    let role = info.role_name(view.role());
    let written = san::candidates(text, &all, &state, Some(role));
    if !written.is_empty() {
        return Found::Illegal(written);
    }
    if let Meant::One(choice) = super::moves::meant(text, &all) {
        return illegal(choice);
    }
    if let Some(sentence) = san::no_piece(text, &state, role) {
        return Found::NoMove(sentence);
    }
    if has_cards(view.game()) {
        // A card alone: the legal moves show what can be done with cards.
        let mut verbs: Vec<&str> =
            moves.iter().filter_map(|(_, text)| text.split(' ').next()).collect();
        verbs.dedup();
        let card = text.to_uppercase();
        let mut moves = verbs.iter().map(|verb| format!("{verb} {card}"));
        if let Some(choice) = moves.find_map(|text| words.parse_move(view.role(), &text)) {
            return illegal(choice);
        }
    }
    let known = if all.is_empty() { moves } else { &all };
    match shaped(text, known) {
        Some(term) if words.parse_move(view.role(), &term).is_some() => Found::Illegal(vec![term]),
        Some(term) if count.is_some() => Found::Never(term),
        Some(term) => Found::Illegal(vec![term]),
        None => Found::Nothing,
    }
}

/// The move that a person means.
pub(super) fn choice(
    asked: &Asked<'_>,
    known: &Known,
    cells: &Cells,
    look: &Look,
    refused: &mut Refused,
    text: &str,
) -> Result<Move> {
    let hidden = asked.view.game().info().information == Information::Hidden;
    let why = if hidden { "" } else { " and `why` gives the reason" };
    *refused = Refused::default();
    match find(asked, known, cells, text) {
        Found::Legal(choice) => Ok(choice),
        Found::Illegal(moves) => {
            let texts: Vec<String> =
                moves.iter().map(|text| look.choice(asked.view.game(), text)).collect();
            refused.moves = moves;
            match &texts[..] {
                [one] => bail!("{one} is not legal here; `moves` lists the legal moves{why}"),
                _ => {
                    bail!("{} is not legal here; it may mean {}{why}", short(text), several(texts))
                }
            }
        }
        Found::Never(term) => {
            let text = plain(&term);
            *refused = Refused { moves: vec![term], never: true };
            bail!("{text} is never legal; `moves` lists the legal moves{why}")
        }
        Found::Several(texts) => bail!("{} may mean {}", short(text), several(texts)),
        Found::NoMove(sentence) => bail!("{sentence}; `moves` lists the legal moves"),
        Found::Nothing => {
            let near = suggestions(text, known.moves(), &COMMANDS);
            let text = short(text);
            match (near.is_empty(), known.moves().len()) {
                (false, _) => {
                    bail!("I do not understand `{text}`; did you mean {}?", near.join(" or "))
                }
                (true, 0) => bail!("I do not understand `{text}`. `help` lists the commands."),
                (true, _) => bail!(
                    "I do not understand `{text}`. `moves` lists your moves; `help` lists the \
                     commands."
                ),
            }
        }
    }
}
