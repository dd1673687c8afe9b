//! Short names of the cards of common decks, such as `QS` or `Q♠`.

use crate::ir::StrId;
use crate::program::Program;

/// Ranks and suits of common decks, with their short forms.
const RANKS: [(&str, &str); 20] = [
    ("ACE", "A"),
    ("ONE", "1"),
    ("TWO", "2"),
    ("THREE", "3"),
    ("FOUR", "4"),
    ("FIVE", "5"),
    ("SIX", "6"),
    ("SEVEN", "7"),
    ("EIGHT", "8"),
    ("NINE", "9"),
    ("TEN", "10"),
    ("JACK", "J"),
    ("KNAVE", "J"),
    ("QUEEN", "Q"),
    ("KING", "K"),
    ("KNIGHT", "Kn"),
    ("A", "A"),
    ("J", "J"),
    ("Q", "Q"),
    ("K", "K"),
];
const SUITS: [(&str, &str, &str); 4] =
    [("CLUBS", "♣", "C"), ("DIAMONDS", "♦", "D"), ("HEARTS", "♥", "H"), ("SPADES", "♠", "S")];
/// Values that follow from the suit.
const COLOURS: [&str; 2] = ["RED", "BLACK"];

/// The short name of a card that has only a rank and a suit of a common deck, with the symbol of
/// the suit or with its letter.
pub(crate) fn card(p: &Program, card: usize, unicode: bool) -> Option<String> {
    let (mut rank, mut suit) = (None, None);
    for &(attribute, value) in &p.rules.cards[card].values {
        let value = p.rules.strings[value as usize].as_str();
        if let Some((_, short)) = RANKS.iter().find(|(name, _)| *name == value) {
            if rank.replace(short).is_some() {
                return None;
            }
        } else if let Some((_, sign, letter)) = SUITS.iter().find(|(name, ..)| *name == value) {
            if suit.replace(if unicode { sign } else { letter }).is_some()
                || has_other(p, attribute, letter)
            {
                return None;
            }
        } else if !COLOURS.contains(&value) {
            return None;
        }
    }
    Some(format!("{}{}", rank?, suit?))
}

/// Whether another suit of the game begins with the letter, such as cups beside clubs.
fn has_other(p: &Program, attribute: StrId, letter: &str) -> bool {
    let values = p.rules.cards.iter().flat_map(|card| &card.values);
    let mut suits = values.filter(|(name, _)| *name == attribute).map(|&(_, value)| value);
    suits.any(|value| {
        let value = p.rules.strings[value as usize].as_str();
        value.starts_with(letter) && !SUITS.iter().any(|(name, ..)| *name == value)
    })
}
