//! The tables of card games.

use magister_core::{Game, Percept, Role};
use magister_recycle::CardGame;
use magister_recycle::table::{Owner, Pile};

use super::{Fact, Group, Item, fact};
use crate::pieces::{Piece, colour_of};

/// Visible piles with more cards than this show only the last ones.
const SPREAD: usize = 16;
const LAST: usize = 3;

/// The card game behind a game.
pub(crate) fn card_game(game: &dyn Game) -> Option<&CardGame> {
    game.as_any()?.downcast_ref::<CardGame>()
}

/// The table as a viewer sees it, one fact for each owner; `None` if this is not a card game.
pub(crate) fn table(game: &dyn Game, state: &[u64], viewer: Option<Role>) -> Option<Vec<Fact>> {
    let cards = card_game(game)?;
    let table = cards.table(state, viewer)?;
    Some(table.owners.iter().map(owner).collect())
}

/// A player's observations in a turn, as text.
pub(crate) fn news(game: &dyn Game, viewer: Option<Role>, texts: &[String]) -> Option<String> {
    let cards = card_game(game)?;
    let percepts: Vec<Percept> =
        texts.iter().filter_map(|text| game.text().parse_percept(text)).collect();
    Some(cards.news(viewer, &percepts, true))
}

fn owner(owner: &Owner) -> Fact {
    let piles = owner.piles.iter().filter(|pile| !pile.memory);
    let groups: Vec<Group> = piles.map(group).collect();
    let texts = groups.iter().map(Group::text);
    let values = owner.values.iter().map(|(name, value)| format!("{name} {value}"));
    let text = texts.chain(values).collect::<Vec<_>>().join("; ");
    Fact {
        kind: "owner",
        groups,
        entries: owner.values.clone(),
        role: owner.player.map(Role::index),
        ..fact(&owner.name, text)
    }
}

fn group(pile: &Pile) -> Group {
    let known = pile
        .cards
        .iter()
        .flatten()
        .map(|card| Item { text: card.name.clone(), piece: face(&card.label) });
    let mut items: Vec<Item> = known.collect();
    let mut hidden = pile.cards.len() - items.len();
    if items.len() > SPREAD && !pile.own {
        let first = items.len() - LAST;
        hidden += first;
        items.drain(..first);
    }
    Group { name: pile.name.clone(), items, hidden }
}

/// How a card is drawn, by its name for people: `Q♠`, or words such as `FIVE-COINS#2`.
fn face(label: &str) -> Piece {
    let name = label.split('#').next().unwrap_or(label);
    let words: Vec<String> = name.split(['-', '_', ' ']).map(str::to_lowercase).collect();
    let short = words.iter().map(|word| number(word).unwrap_or(word));
    let short = if words.len() == 1 && number(&words[0]).is_none() {
        name.to_owned()
    } else {
        short.collect::<Vec<_>>().join(" ")
    };
    Piece { colour: colour_of(&words), ..Piece::plain("card", short) }
}

/// A number word as digits.
fn number(word: &str) -> Option<&'static str> {
    const NUMBERS: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    const DIGITS: [&str; 13] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"];
    NUMBERS.iter().position(|number| *number == word).map(|at| DIGITS[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_of_any_deck_have_short_faces() {
        assert_eq!(face("Q♠").label, "Q♠");
        assert_eq!(face("FIVE-COINS#2").label, "5 coins");
        assert_eq!(face("LLAMA#3").label, "LLAMA");
        assert_eq!(face("FOUR#2").label, "4");
        let blue = face("BLUE-NINE");
        assert_eq!((blue.label.as_str(), blue.colour), ("blue 9", Some("blue")));
    }
}
