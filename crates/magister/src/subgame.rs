//! Subgames by name: `GAME#2` is the second subgame of a game.

use std::path::Path;
use std::time::Duration;

use magister_core::{Halt, Stop};
use magister_decompose::{Decomposition, rules_text};
use magister_engine::within;

use crate::{Error, Input, Playable};

/// The time limit for finding the subgames of a game.
const PATIENCE: Duration = Duration::from_mins(1);

/// The game and the number of a subgame, if a name is that of one. A file has precedence.
pub(crate) fn parse(name: &str) -> Option<(&str, usize)> {
    let (game, number) = name.rsplit_once('#')?;
    let number: usize = number.parse().ok()?;
    (!game.is_empty() && !Path::new(name).exists()).then_some((game, number))
}

/// The rules of a subgame.
pub(crate) fn open(game: &str, number: usize, name: &str) -> Result<Input, Error> {
    let input = crate::open(game)?.subgame(number, &Stop::never())?;
    Ok(Input { name: name.to_owned(), ..input })
}

impl Playable {
    /// The rules of a subgame as text, from its circuit; the first one has the number 1. They can
    /// be used wherever a game is expected.
    pub fn subgame(&self, number: usize, stop: &Stop) -> Result<Input, Error> {
        let name = format!("{}#{number}", self.name);
        let failed = |what: String| Error::NoSubgame { name: name.clone(), what };
        let Some(network) = self.network() else {
            return Err(failed("the game has no circuit that could be split".to_owned()));
        };
        let compiled = network.compiled();
        let text = within(PATIENCE, stop, |stop| {
            let whole = Decomposition::new(compiled, stop)?;
            let count = whole.subgames.len();
            if number == 0 || number > count {
                return Ok(Err(match count {
                    0 | 1 => "the game does not decompose".to_owned(),
                    count => format!("its subgames have the numbers 1 to {count}"),
                }));
            }
            let part = whole.subgame(compiled, number - 1, stop)?;
            let heading = format!("Subgame {number} of {}, written from its circuit.", self.name);
            rules_text(part.compiled(), &heading).map(Ok)
        });
        let text = text.map_err(|halt: Halt| failed(halt.to_string()))?.map_err(failed)?;
        Ok(Input { name: name.clone(), text, exact: true })
    }
}
