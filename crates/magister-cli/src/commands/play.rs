//! `magister play`: a person against players.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use magister_arena::Contest;
use magister_core::{FaultKind, Info, Information, MatchRecord, PlayerSource, Role, Seed, Stop};
use magister_players::{HUMAN, PLAYERS, Spec};

use super::WIDTH;
use super::contest::{limits, with_memory};
use crate::args::Play;
use crate::console::Console;
use crate::{CLEAN, game};

/// The player for games that hide nothing.
const STRONG: &str = "uct";

pub(crate) fn run(args: &Play) -> Result<u8> {
    if args.game == "-" {
        bail!("standard input cannot hold both the rules and the moves; name a file");
    }
    let playable = game::open_for_play(&args.game, &args.language.options())?;
    let info = playable.game.info();
    let people = people(info, &args.roles)?;
    let against = args.against.as_deref().unwrap_or_default();
    let against = with_memory(against, args.thinking.memory);
    let seats = seats(info, &people, &against)?;
    let record = args.record.as_ref().map(|path| {
        let file = OpenOptions::new().create(true).append(true).open(path);
        file.with_context(|| format!("{} can not be written", path.display()))
    });
    let mut record = record.transpose()?;
    let limits = limits(&args.thinking);
    let adviser = args.hint.clone().map_or_else(|| opponent(info), Ok)?;
    let console = Console::new(&playable.game, playable.painter(), (adviser, limits), args.seed);
    greet(&playable.name, info, &people, &seats)?;
    let contest = Contest {
        max_steps: args.max_steps,
        person: Some(Arc::new(console)),
        ..Contest::new(Arc::clone(&playable.game), limits)
    };
    let played = contest.play(&seats, Seed::from(args.seed));
    let mut out = anstream::stdout().lock();
    if info.information == Information::Hidden
        && let Ok(again) = played.replay(&*playable.game, &Stop::never())
        && let Some(last) = again.states.last()
    {
        writeln!(out, "what was hidden, at the end:")?;
        let picture = playable.painter().picture(&*playable.game, last);
        write!(out, "{}", picture.text(WIDTH, true))?;
    }
    write!(out, "{}", troubles(&played))?;
    if let Some(file) = &mut record {
        writeln!(file, "{}", serde_json::to_string(&played)?)?;
    }
    Ok(CLEAN)
}

/// The roles that are played by people.
fn people(info: &Info, names: &[String]) -> Result<Vec<Role>> {
    let players: Vec<Role> = info.players().collect();
    match names {
        [] => Ok(players.into_iter().take(1).collect()),
        [all] if all == "all" => Ok(players),
        names => names
            .iter()
            .map(|name| {
                let role = info.role(name).filter(|&role| info.chance != Some(role));
                let known: Vec<&str> = players.iter().map(|&role| info.role_name(role)).collect();
                role.with_context(|| format!("no player is {name}; there are {}", known.join(", ")))
            })
            .collect(),
    }
}

/// Who sits on each seat: people, and the others on the rest, one for all or one for each.
fn seats(info: &Info, people: &[Role], against: &[Spec]) -> Result<Vec<Arc<dyn PlayerSource>>> {
    let free = info.players().filter(|role| !people.contains(role)).count();
    if against.len() > 1 && against.len() != free {
        bail!("there are {free} other seats; name one player for all of them, or {free}");
    }
    if let Some(spec) = against.iter().find(|spec| spec.is_human()) {
        bail!("{spec} is a person; say which roles people play with --as");
    }
    if info.information == Information::Hidden
        && let Some(spec) = against.iter().find(|spec| !spec.entry().hidden)
    {
        bail!("{spec} needs to see everything, but this game hides information");
    }
    let mut named = against.iter();
    info.players()
        .map(|role| {
            let spec: Spec = if people.contains(&role) {
                HUMAN.name.parse()?
            } else {
                match (named.next(), against) {
                    (Some(spec), _) | (None, [spec]) => spec.clone(),
                    _ => opponent(info)?,
                }
            };
            let player: Arc<dyn PlayerSource> = Arc::new(spec);
            Ok(player)
        })
        .collect()
}

/// The player to meet where none is named: the strongest that plays such games.
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

/// Says who plays what.
fn greet(game: &str, info: &Info, people: &[Role], seats: &[Arc<dyn PlayerSource>]) -> Result<()> {
    let mine: Vec<&str> = people.iter().map(|&role| info.role_name(role)).collect();
    let others: Vec<String> = info
        .players()
        .zip(seats)
        .filter(|(role, _)| !people.contains(role))
        .map(|(role, player)| format!("{} is {}", player.name(), info.role_name(role)))
        .collect();
    let against =
        if others.is_empty() { String::new() } else { format!(", {}", others.join(", ")) };
    let mut out = anstream::stdout().lock();
    writeln!(out, "{game}: you are {}{against}; `help` lists the commands", mine.join(" and "))?;
    Ok(())
}

/// What went wrong, in lines.
fn troubles(record: &MatchRecord) -> String {
    let told = record.errors.iter().filter(|fault| fault.kind != FaultKind::TakenBack);
    told.map(|fault| match fault.seat.filter(|_| fault.kind.is_mistake()) {
        Some(seat) => format!("step {}, {}: {}\n", fault.step, record.players[seat], fault.what),
        None => format!("{}\n", fault.what),
    })
    .collect()
}
