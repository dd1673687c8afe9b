//! The meaning of a typed text among the moves of a game.

use std::sync::Arc;

use anyhow::{Result, bail};
use magister_arena::Asked;
use magister_core::{Game, Information, Move, Role};
use magister_engine::Ground;
use magister_engine::board::fluents;

use super::cells::Cells;
use super::input::short;
use super::known::Known;
use super::moves::{
    Meant, Numbers, is_card, letters, plain, several, shaped, suggestions, understood,
};
use super::{COMMANDS, san};
use crate::draw::{Look, has_cards};

/// The maximum number of moves of a game that are searched for an illegal move.
const VOCABULARY: u32 = 50_000;

/// The meaning of a text.
pub(crate) enum Found {
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

/// A position in which a role has to move, as far as it is known.
pub(crate) struct Place<'a> {
    pub(crate) game: &'a Arc<dyn Game>,
    pub(crate) role: Role,
    /// The known legal moves of the role, with their texts.
    pub(crate) moves: &'a [(Move, String)],
    pub(crate) numbers: &'a Numbers,
    /// The fluents, with perfect information.
    pub(crate) state: Vec<Ground>,
    pub(crate) is_legal: &'a dyn Fn(Move) -> bool,
    pub(crate) cells: &'a Cells,
    /// How sentences name the owner of a piece: `yours` or a role.
    pub(crate) owner: &'a str,
}

impl<'a> Place<'a> {
    /// The position of a person in a match.
    pub(super) fn of(
        asked: &'a Asked<'_>,
        known: &'a Known,
        cells: &'a Cells,
        is_legal: &'a dyn Fn(Move) -> bool,
    ) -> Self {
        let game = asked.view.game();
        let state = match game.info().information {
            Information::Perfect => fluents(&**game, &known.state()),
            Information::Hidden => Vec::new(),
        };
        Place {
            game,
            role: asked.view.role(),
            moves: known.moves(),
            numbers: known.numbers(),
            state,
            is_legal,
            cells,
            owner: "yours",
        }
    }

    /// All moves of the game, if their number is known and small.
    pub(crate) fn vocabulary(&self) -> Option<Vec<(Move, String)>> {
        let count = self.game.info().moves.filter(|&count| count <= VOCABULARY)?;
        let words = self.game.text();
        Some((0..count).map(Move).map(|choice| (choice, words.move_text(choice))).collect())
    }
}

/// The meaning of a typed text.
pub(crate) fn find(place: &Place<'_>, text: &str) -> Found {
    let text = &letters(text);
    // `b3` is replaced by the words of the game for that cell, if columns and rows have numbers.
    let cell = place.cells.words(text);
    let text = cell.as_deref().unwrap_or(text);
    let Place { game, role, moves, state, is_legal, .. } = place;
    let words = game.text();
    let named = words.parse_move(*role, text);
    if let Some(choice) = named.filter(|&choice| is_legal(choice)) {
        return Found::Legal(choice);
    }
    let digits = text.strip_prefix('#').unwrap_or(text);
    let number = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok());
    let illegal = |choice: Move| Found::Illegal(vec![words.move_text(choice)]);
    if let Some(choice) = number.flatten().and_then(|number| place.numbers.find(number)) {
        return if is_legal(choice) { Found::Legal(choice) } else { illegal(choice) };
    }
    match understood(text, moves, state) {
        Meant::One(choice) if is_legal(choice) => return Found::Legal(choice),
        Meant::One(choice) => return illegal(choice),
        Meant::Several(texts) => return Found::Several(texts),
        Meant::Nothing => {}
    }
    if let Some(choice) = named {
        return illegal(choice);
    }
    // A move that is legal in other positions.
    let all = place.vocabulary();
    let listed = all.as_deref().unwrap_or_default();
    let name = game.info().role_name(*role);
    let written = san::candidates(text, listed, state, Some(name));
    if !written.is_empty() {
        return Found::Illegal(written);
    }
    if let Meant::One(choice) = super::moves::meant(text, listed) {
        return illegal(choice);
    }
    if let Some(sentence) = san::no_piece(text, state, name, place.owner) {
        return Found::NoMove(sentence);
    }
    if has_cards(game)
        && let Some(one) = card_move(place, text)
    {
        return Found::Illegal(vec![one]);
    }
    // The form of a legal move is the more likely one.
    let shape = shaped(text, moves).or_else(|| shaped(text, listed));
    match shape {
        Some(term) if words.parse_move(*role, &term).is_some() => Found::Illegal(vec![term]),
        Some(term) if all.is_some() => Found::Never(term),
        Some(term) => Found::Illegal(vec![term]),
        None => match number.flatten() {
            Some(number) => Found::NoMove(format!("there is no move {number}")),
            None => Found::Nothing,
        },
    }
}

/// A card, or a verb and a card, as a move that is not legal now. The legal moves show what can be
/// done with cards.
fn card_move(place: &Place<'_>, text: &str) -> Option<String> {
    let words = place.game.text();
    let mut parts = text.split_whitespace();
    let (first, second) = (parts.next()?, parts.next());
    if parts.next().is_some() {
        return None;
    }
    let (verb, card) = match second {
        Some(card) => (Some(first), card),
        None => (None, first),
    };
    let card = card.to_uppercase();
    if !is_card(&card) {
        return None;
    }
    let known = place
        .moves
        .iter()
        .filter_map(|(_, text)| plain(text).split_once(' ').map(|w| w.0.to_owned()));
    let mut verbs: Vec<String> = known.collect();
    verbs.dedup();
    if let Some(verb) = verb {
        verbs.retain(|known| known.eq_ignore_ascii_case(verb));
    }
    let texts: Vec<String> = verbs.iter().map(|verb| format!("{verb} {card}")).collect();
    let parsed = texts.iter().find_map(|text| words.parse_move(place.role, text));
    // Cards that were never an option have no move yet.
    parsed.map(|choice| words.move_text(choice)).or_else(|| texts.into_iter().next())
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
    let is_legal = |choice| asked.is_legal(choice);
    match find(&Place::of(asked, known, cells, &is_legal), text) {
        Found::Legal(choice) => Ok(choice),
        Found::Illegal(moves) => {
            let texts: Vec<String> =
                moves.iter().map(|text| look.choice(asked.view.game(), text)).collect();
            refused.moves = moves;
            match &texts[..] {
                [one] if has_cards(asked.view.game()) && !known.moves().is_empty() => {
                    let legal = known.moves().iter();
                    let legal = legal.map(|(_, text)| look.choice(asked.view.game(), text));
                    bail!("{one} is not legal now; your moves are {}", several(legal.collect()))
                }
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
