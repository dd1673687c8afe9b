//! Whether a player can be asked at all.

use anyhow::{Result, anyhow, bail};
use magister_arena::SeriesError;
use magister_core::{Info, Information, Role};
use magister_players::Spec;

/// Refuses a player that is asked without anybody else at the table: a person, or one that needs
/// to see what this game hides.
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

/// The role of a name that somebody plays, which chance does not count as.
pub(crate) fn seat(info: &Info, name: &str) -> Result<Role> {
    let names: Vec<&str> = info.players().map(|role| info.role_name(role)).collect();
    if names.is_empty() {
        return Err(nobody(info));
    }
    let found = info.role(name).filter(|&role| info.chance != Some(role));
    found
        .ok_or_else(|| anyhow!("nobody plays a role called {name}; there are {}", names.join(", ")))
}

/// What is to be said of a game of chance alone.
pub(crate) fn nobody(info: &Info) -> anyhow::Error {
    anyhow!(
        "nobody plays {}: chance alone decides, so there is nobody to ask; `magister step` shows \
         how it goes",
        info.name
    )
}
