//! Where the cards may be that a person does not see.

use std::time::Duration;

use anyhow::{Result, bail};
use magister_core::{Halt, Seed, Stop};
use magister_engine::within;
use magister_recycle::CardGame;

use super::{Asked, Console};
use crate::terminal::hanging;

/// The time limit for finding a deal that agrees with the match.
const PATIENCE: Duration = Duration::from_secs(10);

const HEADING: &str = "If all deals that agree with what you saw are equally likely:\n";

impl Console {
    /// The possible locations of a card, or of all cards that the person does not see.
    pub(super) fn odds(&self, cards: &CardGame, asked: &Asked<'_>, card: &str) -> Result<String> {
        let (role, turns) = (asked.view.role(), asked.view.turns());
        let mut rng = Seed::from(self.seed).derive("odds").rng();
        let found = within(PATIENCE, &Stop::never(), |stop| {
            if card.is_empty() {
                let text =
                    cards.card_odds_text(role, turns, self.look.unicode(), &mut rng, stop)?;
                return Ok::<_, Halt>(Some(text));
            }
            cards.one_card_odds_text(role, turns, card, &mut rng, stop)
        });
        match found {
            Ok(Some(text)) if text.contains('%') => {
                let lines = text.lines().map(|line| hanging(line, 4) + "\n");
                Ok(HEADING.to_owned() + &lines.collect::<String>())
            }
            Ok(Some(text)) => Ok(text),
            Ok(None) => bail!("{card} is not a card of this game"),
            Err(Halt::Stopped | Halt::Limit(_)) => {
                bail!("the possible deals cannot be counted here")
            }
            Err(halt) => Err(halt.into()),
        }
    }
}
