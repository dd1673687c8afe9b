//! Whether a player can be asked at all.

use anyhow::{Result, anyhow, bail};
use magister_arena::SeriesError;
use magister_core::{Info, Information, Role};
use magister_players::Spec;

/// Rejects players that cannot be asked outside a match: people, and players that must see the
/// state of a game with hidden information.
pub(crate) fn fits(player: &Spec, info: &Info) -> Result<()> {
    if player.is_human() {
        bail!(
            "{player} is a person and cannot be asked here; people play with `magister play` or \
             `magister match`"
        );
    }
    if info.information == Information::Hidden && !player.entry().hidden {
        let (player, game) = (player.to_string(), info.name.clone());
        return Err(SeriesError::Hidden { player, game }.into());
    }
    Ok(())
}

/// The role of this name, which must not be chance.
pub(crate) fn seat(info: &Info, name: &str) -> Result<Role> {
    let names: Vec<&str> = info.players().map(|role| info.role_name(role)).collect();
    if names.is_empty() {
        return Err(no_players(info));
    }
    let found = info.role(name).filter(|&role| info.chance != Some(role));
    found.ok_or_else(|| {
        anyhow!("no player has a role called {name}; the roles are {}", names.join(", "))
    })
}

/// The error for a game that has only chance.
pub(crate) fn no_players(info: &Info) -> anyhow::Error {
    anyhow!(
        "{} has no players: chance alone decides, so no one can be asked; `magister step` shows a \
         match",
        info.name
    )
}
