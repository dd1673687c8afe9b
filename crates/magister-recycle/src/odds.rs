//! Where the cards may be that a player has not seen.

use std::fmt::Write as _;
use std::sync::Arc;

use magister_core::{Halt, Rng, Role, Stop, Turn};

use crate::deals::{Deals, MOST_CARDS};
use crate::game::CardGame;
use crate::percepts::pile_name;

/// The possible locations of an unseen card.
#[derive(Clone, Debug, PartialEq)]
pub struct CardOdds {
    /// Its name.
    pub card: String,
    /// The piles, such as `p1.iloc.HAND`, with probabilities that sum to 1.
    pub piles: Vec<(String, f64)>,
}

/// For each card, the piles with their probabilities.
type Odds = Vec<(u16, Vec<(u32, f64)>)>;

impl CardGame {
    /// The possible locations of the cards that a player has not seen, by exact counting: for each
    /// card, the piles and the probability that it is there, if all deals that are consistent with
    /// the player's turns are equally likely. Cards that the others' decisions rule out in their
    /// hands are excluded.
    pub fn card_odds(
        &self,
        role: Role,
        turns: &[Turn],
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<Vec<CardOdds>, Halt> {
        let (odds, _) = self.odds(role, turns, rng, stop)?;
        let name = |(pile, odds): (u32, f64)| (pile_name(&self.shared.program, pile), odds);
        let one = |(card, piles): (u16, Vec<(u32, f64)>)| CardOdds {
            card: self.shared.moves.card(card as usize).to_owned(),
            piles: piles.into_iter().map(name).collect(),
        };
        Ok(odds.into_iter().map(one).collect())
    }

    /// The same as text for the player, who is called `you`. Cards with the same probabilities
    /// share a line.
    pub fn card_odds_text(
        &self,
        role: Role,
        turns: &[Turn],
        unicode: bool,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<String, Halt> {
        let (odds, _) = self.odds(role, turns, rng, stop)?;
        let mut lines: Vec<(String, String)> = Vec::new();
        for (card, piles) in odds {
            let where_to = self.piles_text(role, &piles);
            let card = self.card_words(card as usize, unicode);
            match lines.iter_mut().find(|(known, _)| *known == where_to) {
                Some((_, cards)) => {
                    let _ = write!(cards, " {card}");
                }
                None => lines.push((where_to, card)),
            }
        }
        if lines.is_empty() {
            return Ok("You know where all cards are.\n".to_owned());
        }
        let lines = lines.into_iter().map(|(piles, cards)| format!("{piles}: {cards}\n"));
        Ok(lines.collect())
    }

    /// The same for one card, wherever it is; `None` if no card has this name.
    pub fn one_card_odds_text(
        &self,
        role: Role,
        turns: &[Turn],
        name: &str,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<Option<String>, Halt> {
        let Some(card) = self.shared.moves.card_like(name) else {
            return Ok(None);
        };
        let (odds, places) = self.odds(role, turns, rng, stop)?;
        let name = self.shared.moves.card(card as usize);
        let piles = odds.into_iter().find(|(unseen, _)| u32::from(*unseen) == card);
        let sure = |pile: u32| self.pile_text(pile, role);
        Ok(Some(match piles.as_ref().map(|(_, piles)| &piles[..]) {
            None => format!("{name} is in {}.\n", sure(places[card as usize])),
            Some([(pile, _)]) => format!("{name} is in {}.\n", sure(*pile)),
            Some(piles) => format!("{name}: {}\n", self.piles_text(role, piles)),
        }))
    }

    /// Piles with percentages.
    fn piles_text(&self, role: Role, piles: &[(u32, f64)]) -> String {
        let one = |&(pile, share): &(u32, f64)| {
            let share = match 100.0 * share {
                small if small < 0.05 => "below 0.1".to_owned(),
                share => format!("{share:.1}"),
            };
            format!("{} {share} %", self.pile_text(pile, role))
        };
        piles.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// The odds of the unseen cards, and the pile of each card in one of the possible states.
    fn odds(
        &self,
        role: Role,
        turns: &[Turn],
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<(Odds, Vec<u32>), Halt> {
        if self.cards() > MOST_CARDS {
            return Err(Halt::Limit("the game has too many cards".to_owned()));
        }
        let mut deals = Deals::new(Arc::clone(&self.shared), u32::from(role.0));
        deals.reach_all(turns, rng, stop)?;
        let odds = deals.odds();
        Ok((odds, deals.places().to_vec()))
    }
}
