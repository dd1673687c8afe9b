//! The assignment of players to roles.

use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use magister_core::{Info, Information, PlayerSource, Role};
use magister_players::{HUMAN, PLAYERS, Spec};

/// The player for games with perfect information.
const STRONG: &str = "uct";
/// The default level of the computer.
pub(crate) const DEFAULT_LEVEL: &str = "medium";

/// The opponents of the people.
pub(super) enum Opponents {
    /// A level for all seats.
    Level(Spec),
    /// One player for all seats, or one for each.
    Named(Vec<Spec>),
}

/// The roles that are played by people.
pub(super) fn people(info: &Info, names: &[String]) -> Result<Vec<Role>> {
    let players: Vec<Role> = info.players().collect();
    match names {
        [] => Ok(players.into_iter().take(1).collect()),
        [all] if all == "all" => Ok(players),
        names => names
            .iter()
            .map(|name| {
                let role = info.role(name).filter(|&role| info.chance != Some(role));
                let known: Vec<&str> = players.iter().map(|&role| info.role_name(role)).collect();
                role.with_context(|| {
                    format!("{name} is not a role of this game; the roles are {}", known.join(", "))
                })
            })
            .collect(),
    }
}

/// The players in seat order: people, and the opponents in the other seats.
pub(super) fn seats(
    info: &Info,
    people: &[Role],
    against: &Opponents,
) -> Result<Vec<Arc<dyn PlayerSource>>> {
    let free = info.players().filter(|role| !people.contains(role)).count();
    let named = match against {
        Opponents::Level(level) => std::slice::from_ref(level),
        Opponents::Named(named) => &named[..],
    };
    if named.len() > 1 && named.len() != free {
        if free == 1 {
            bail!("there is 1 other seat, so name 1 player");
        }
        bail!("there are {free} other seats; name one player for all of them, or {free}");
    }
    if let Some(spec) = named.iter().find(|spec| spec.is_human()) {
        bail!("{spec} is a person; choose the roles of people with --as");
    }
    if info.information == Information::Hidden
        && let Some(spec) = named.iter().find(|spec| !spec.entry().hidden)
    {
        bail!("{spec} does not play games with hidden information; try `honest` or a level");
    }
    let mut next = named.iter();
    info.players()
        .map(|role| {
            let spec: Spec = if people.contains(&role) {
                HUMAN.name.parse()?
            } else {
                match (next.next(), named) {
                    (Some(spec), _) | (None, [spec]) => spec.clone(),
                    _ => opponent(info)?,
                }
            };
            let player: Arc<dyn PlayerSource> = Arc::new(spec);
            Ok(player)
        })
        .collect()
}

/// The strongest player for a game.
pub(crate) fn opponent(info: &Info) -> Result<Spec> {
    let name = match info.information {
        Information::Perfect => STRONG,
        Information::Hidden => {
            let able = PLAYERS.iter().rev().find(|entry| entry.hidden);
            able.map_or("random", |entry| entry.name)
        }
    };
    Ok(name.parse()?)
}
