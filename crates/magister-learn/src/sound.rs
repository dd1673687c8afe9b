//! Whether a heading describes an agent that can exist.
//!
//! A checksum proves that a file is as it was written, not that a sound program wrote it. All numbers
//! are compared here, in one place, before anything of their size is allocated.

use std::sync::Arc;

use magister_core::{Game, StateObserver, ViewObserver};

use crate::az::AzHeader;
use crate::cells::CellPlan;
use crate::driver::Chain;
use crate::environment::{CellLayout, Cells as _};
use crate::file::{FileError, Header, Reading};
use crate::games::connect_four::ConnectFour;
use crate::games::tictactoe::TicTacToe;
use crate::games::twenty48::Twenty48;
use crate::net::Net;
use crate::nibbles;
use crate::recipe::{Kind, Recipe, Rule};
use crate::tuples::{self, LARGEST_NETWORK, entries};

/// The maximum number of players.
const PLAYERS: usize = 64;
/// The maximum number of slots of weights.
const SLOTS: usize = 1 << 20;

/// The layout of the cells of a value function.
pub(crate) fn layout(reading: &Reading) -> CellLayout {
    match reading {
        Reading::ConnectFour => ConnectFour.layout(),
        Reading::Tictactoe => TicTacToe.layout(),
        Reading::Twenty48 => Twenty48::default().layout(),
        Reading::Cells(plan) | Reading::Views(plan) => plan.layout(),
    }
}

/// The number of values of each position.
pub(crate) fn heads(header: &Header) -> usize {
    if header.recipe.settings.chain == Chain::Every && !header.opposed { header.players } else { 1 }
}

/// The number of slots of weights: one for each player to move, or one for each move.
pub(crate) fn slots(game: &dyn Game, reading: &Reading, recipe: &Recipe) -> usize {
    let players = game.info().players().count();
    match reading {
        _ if recipe.rule != Rule::Td => players * game.info().moves.unwrap_or(0) as usize,
        Reading::Cells(_) | Reading::Views(_) => players + 1,
        Reading::ConnectFour | Reading::Tictactoe => 2,
        Reading::Twenty48 => 1,
    }
}

/// Checks a heading by itself, without the game.
pub(crate) fn check(header: &Header) -> Result<(), FileError> {
    let damaged = |what: &'static str| Err(FileError::Damaged(what));
    if !(1..=PLAYERS).contains(&header.players) || header.opposed && header.players != 2 {
        return damaged("its number of players is impossible");
    }
    if header.recipe.check(header.players, header.opposed).is_err() {
        return damaged("its parameters are impossible");
    }
    if header.heads != heads(header) {
        return damaged("its number of heads does not fit its players");
    }
    if !(1..=SLOTS).contains(&header.slots) {
        return damaged("its number of slots is impossible");
    }
    if let Reading::Cells(plan) | Reading::Views(plan) = &header.reading
        && !plan.sound(plan.entries())
    {
        return damaged("its map of cells");
    }
    let layout = layout(&header.reading);
    if weights(header, &layout)? != header.weights {
        return damaged("its number of weights does not fit its tuples, slots and heads");
    }
    Ok(())
}

/// The number of weights that a heading describes.
fn weights(header: &Header, layout: &CellLayout) -> Result<u64, FileError> {
    let (slots, heads) = (header.slots as u64, header.heads as u64);
    let recipe = &header.recipe;
    let count = if recipe.kind == Kind::Net {
        Net::size(layout, header.slots, header.heads, recipe.hidden) as u64
    } else {
        tuples::check(layout, &header.tuples)
            .map_err(|_| FileError::Damaged("its tuples do not fit its board"))?;
        let one: u64 = header.tuples.iter().map(|tuple| entries(layout, tuple)).sum();
        if header.reading == Reading::Twenty48 && recipe.symmetric {
            if header.tuples.len() > nibbles::TUPLES {
                return Err(FileError::Damaged("it has too many tuples"));
            }
            one
        } else {
            one.saturating_mul(slots).saturating_mul(heads)
        }
    };
    if count > LARGEST_NETWORK {
        return Err(FileError::Damaged("it claims too many weights"));
    }
    Ok(count)
}

/// Checks that a value function belongs to a game.
pub(crate) fn suits(header: &Header, game: &Arc<dyn Game>) -> Result<(), FileError> {
    let info = game.info();
    same_rules((&header.game, &header.rules_hash), &**game)?;
    if header.players != info.players().count() {
        return Err(FileError::Damaged("its number of players is not that of the game"));
    }
    if header.slots != slots(&**game, &header.reading, &header.recipe) {
        return Err(FileError::Damaged("its number of slots is not that of the game"));
    }
    let fits = |plan: &CellPlan, numbers: usize| {
        if plan.sound(numbers) { Ok(()) } else { Err(FileError::Damaged("its map of cells")) }
    };
    match &header.reading {
        Reading::Cells(plan) => fits(plan, StateObserver::new(game).tensors().len()),
        Reading::Views(plan) => fits(plan, ViewObserver::new(game).tensors().len()),
        Reading::ConnectFour | Reading::Tictactoe | Reading::Twenty48 => Ok(()),
    }
}

/// Checks that a network belongs to a game.
pub(crate) fn suits_network(header: &AzHeader, game: &Arc<dyn Game>) -> Result<(), FileError> {
    let info = game.info();
    same_rules((&header.game, &header.rules_hash), &**game)?;
    let fits = header.shape.inputs() == StateObserver::new(game).tensors().len()
        && Some(header.shape.moves) == info.moves.map(|moves| moves as usize)
        && header.shape.players == info.players().count();
    if fits {
        Ok(())
    } else {
        Err(FileError::Damaged("its numbers of observations, moves or players"))
    }
}

fn same_rules((learned, hash): (&str, &str), game: &dyn Game) -> Result<(), FileError> {
    let info = game.info();
    if hash == info.rules_hash {
        return Ok(());
    }
    Err(FileError::OtherRules { learned: learned.to_owned(), played: info.name.clone() })
}
