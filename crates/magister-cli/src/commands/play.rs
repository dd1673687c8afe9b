//! `magister play`: a person against players.

mod about;
mod seats;

use std::fmt::Write as _;
use std::hash::{BuildHasher as _, RandomState};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use magister::Playable;
use magister_arena::{Contest, TimeControl};
use magister_core::record::MatchLimits;
use magister_core::{
    FaultKind, Info, Information, MatchEnd, MatchRecord, PlayerSource, Role, Seed,
};
use magister_players::Spec;

pub(crate) use self::about::about;
pub(crate) use self::seats::{DEFAULT_LEVEL, opponent};

use self::seats::{Opponents, people, seats};
use super::contest::{limits, with_memory};
use super::plural;
use super::remote::fits;
use crate::args::Play;
use crate::console::{After, Console, Recorder, Verdict, verdict};
use crate::draw::Look;
use crate::terminal::{fitted, paragraphs};
use crate::{CLEAN, FOUND, game, interrupt};

/// The time limit of a hint.
const HINT: Duration = Duration::from_secs(1);
/// Fresh seeds are short enough to be typed again.
const SEEDS: u64 = 1_000_000;

pub(crate) fn run(args: &Play) -> Result<u8> {
    let saved = args.resume.as_deref().map(load).transpose()?;
    let named = args.game.clone().or_else(|| saved.as_ref().map(|saved| saved.game.clone()));
    let name = named.context("Which game? `magister games` lists the games.")?;
    if name == "-" {
        bail!("standard input cannot hold both the rules and the moves; name a file");
    }
    let playable = game::open_clean(&name, &args.language.options(), args.force)?;
    if let (Some(saved), Some(path), Some(wanted)) = (&saved, &args.resume, &args.game)
        && *wanted != saved.game
        && playable.game.info().rules_hash != saved.rules_hash
    {
        bail!("{} is a match of {}, not of {wanted}", path.display(), saved.game);
    }
    let mut sitting = match &saved {
        None => Sitting::new(args, &playable)?,
        Some(saved) => Sitting::of_record(&playable, saved)?,
    };
    if let Opponents::Named(named) = &sitting.against {
        named.iter().try_for_each(|spec| fits(spec, &playable.game))?;
    }
    let recorder = args.record.as_deref().map(Recorder::open).transpose()?.map(Arc::new);
    let shared = sitting.people.len() > 1;
    let info = playable.game.info();
    let players = info.players().map(|role| info.role_name(role).to_owned());
    let look = Look::new(players, args.ascii);
    let about = about(&playable);
    let adviser = args.hint.clone().map_or_else(|| opponent(info), Ok)?;
    let mut hint = limits(&args.thinking);
    hint.time = hint.time.or(Some(HINT));
    let console = Arc::new(Console::new(
        &playable,
        about,
        (adviser, hint),
        sitting.seed,
        look.clone(),
        shared,
        recorder.clone(),
    ));
    interrupt::catch_all();
    let mut saved = saved;
    let mut score = Score::default();
    let mut failed = false;
    loop {
        let seats = seats(info, &sitting.people, &sitting.against)?;
        sitting.greet(&playable, &console, &look, &seats)?;
        let contest = Contest {
            max_steps: args.max_steps,
            person: Some(Arc::clone(&console) as Arc<dyn magister_arena::Person>),
            ..Contest::new(Arc::clone(&playable.game), sitting.limits)
        };
        let played = sitting.play(&contest, &seats, &console, saved.take().as_ref())?;
        // The record is written first: if the terminal is gone, nothing can be printed.
        let recorded = recorder.as_ref().map(|recorder| recorder.closed(&played)).transpose()?;
        tell_end(&console, info, &played)?;
        if let Some(line) = recorded.flatten() {
            write!(anstream::stdout(), "{line}")?;
        }
        if played.end == Some(MatchEnd::Resigned) && !interrupt::pressed() {
            score.count(info, &sitting.people, &played);
            score.print()?;
            console.ask_afterwards(&played)?;
        } else if played.end == Some(MatchEnd::Terminal) {
            score.count(info, &sitting.people, &played);
            score.print()?;
        }
        failed |= played.rules_failed();
        match console.after() {
            After::Quit => return Ok(if failed { FOUND } else { CLEAN }),
            After::Rematch => {}
            After::Swap => sitting.swap(info),
        }
        console.begin();
        sitting.resumed = None;
        sitting.seed = sitting.seed.wrapping_add(1) % SEEDS.max(sitting.seed);
    }
}

/// The seats and settings of a match.
struct Sitting {
    people: Vec<Role>,
    against: Opponents,
    limits: TimeControl,
    seed: u64,
    /// The number of steps of the saved match that is continued.
    resumed: Option<usize>,
}

/// A seed that is short enough to be typed again.
fn fresh_seed() -> u64 {
    RandomState::new().hash_one("seed") % SEEDS
}

impl Sitting {
    fn new(args: &Play, playable: &Playable) -> Result<Self> {
        let info = playable.game.info();
        let seed = args.seed.unwrap_or_else(fresh_seed);
        let thinking = &args.thinking;
        let timed = thinking.time.is_some() || thinking.iterations.is_some();
        let (against, limits) = match (&args.against, &args.level) {
            (Some(named), _) => {
                (Opponents::Named(with_memory(named, thinking.memory)), limits(thinking))
            }
            // A clock or an iteration limit without a player applies to the strongest one.
            (None, None) if timed => (Opponents::Named(vec![opponent(info)?]), limits(thinking)),
            (None, level) => {
                let level = level.as_deref().unwrap_or(DEFAULT_LEVEL);
                let own = TimeControl { time: thinking.time, ..TimeControl::default() };
                (Opponents::Level(level.parse()?), own)
            }
        };
        Ok(Sitting { people: people(info, &args.roles)?, against, limits, seed, resumed: None })
    }

    /// The settings of a saved match.
    fn of_record(playable: &Playable, record: &MatchRecord) -> Result<Self> {
        let info = playable.game.info();
        let mut people = Vec::new();
        let mut named = Vec::new();
        for (role, player) in info.players().zip(&record.players) {
            let spec: Spec = player.parse().with_context(|| format!("the player {player}"))?;
            if spec.is_human() { people.push(role) } else { named.push(spec) }
        }
        if people.is_empty() {
            bail!("no person plays in that match; `magister replay` shows it");
        }
        let MatchLimits { time_ms, iterations, start_ms, grace_ms, .. } = record.limits;
        let time = |ms: f64| Duration::try_from_secs_f64(ms / 1e3).unwrap_or_default();
        let limits = TimeControl {
            time: time_ms.map(time),
            iterations,
            start: start_ms.map(time),
            grace: time(grace_ms),
        };
        let level = named.first().filter(|first| {
            magister_players::Level::find(first.entry().name).is_some()
                && named.iter().all(|spec| spec.to_string() == first.to_string())
        });
        let against = match level {
            Some(level) => Opponents::Level(level.clone()),
            None => Opponents::Named(named.clone()),
        };
        // The seed of the match is in its record; this one is for later matches.
        let seed = fresh_seed();
        Ok(Sitting { people, against, limits, seed, resumed: Some(record.moves.len()) })
    }

    /// Plays a match, or continues one. A saved match is continued immediately.
    fn play(
        &self,
        contest: &Contest,
        seats: &[Arc<dyn PlayerSource>],
        console: &Console,
        saved: Option<&MatchRecord>,
    ) -> Result<MatchRecord> {
        let go_on = |record: &MatchRecord| {
            contest.resume(seats, record).map_err(|why| anyhow!("the match cannot continue: {why}"))
        };
        let mut played = match saved {
            None => contest.play(seats, Seed::from(self.seed)),
            Some(record) => go_on(record)?,
        };
        while let Some(save) = console.take_save() {
            let shown = save.path.display();
            let mut out = anstream::stdout();
            match save.write(&played) {
                Ok(()) => {
                    writeln!(out, "Saved. `magister play --resume {shown}` continues from here.")?;
                }
                Err(error) => writeln!(out, "{error:#}")?,
            }
            played = go_on(&played)?;
        }
        Ok(played)
    }

    /// Exchanges the roles of people and computer.
    fn swap(&mut self, info: &Info) {
        let players: Vec<Role> = info.players().collect();
        let next = |role: &Role| {
            let at = players.iter().position(|player| player == role).unwrap_or(0);
            players[(at + 1) % players.len()]
        };
        self.people = self.people.iter().map(next).collect();
        self.people.sort_unstable_by_key(|role| role.index());
    }

    /// Prints the game, the aim, and the players.
    fn greet(
        &self,
        playable: &Playable,
        console: &Console,
        look: &Look,
        seats: &[Arc<dyn PlayerSource>],
    ) -> Result<()> {
        let info = playable.game.info();
        let about = console.about();
        let mut out = anstream::stdout().lock();
        writeln!(out, "\x1b[1m{}\x1b[0m", about.title)?;
        if !about.aim.is_empty() {
            write!(out, "{}", paragraphs(&about.aim))?;
        }
        let picture = console.first_picture();
        let named = |role: Role| {
            let seat = info.players().position(|player| player == role).unwrap_or(0);
            match look.piece_of(&picture, seat) {
                Some(piece) => format!("{} ({piece})", info.role_name(role)),
                None => info.role_name(role).to_owned(),
            }
        };
        let mine: Vec<String> = self.people.iter().map(|&role| named(role)).collect();
        let mut line = format!("You are {}", mine.join(" and "));
        let free: Vec<Role> = info.players().filter(|role| !self.people.contains(role)).collect();
        if !free.is_empty() {
            let others: Vec<String> = free.iter().map(|&role| named(role)).collect();
            let who: Vec<String> = info
                .players()
                .zip(seats)
                .filter(|(role, _)| free.contains(role))
                .map(|(_, player)| player.name())
                .collect();
            match &self.against {
                Opponents::Level(level) => {
                    let others = others.join(", ");
                    let _ = write!(line, "; the computer plays {others} (level {level})");
                }
                Opponents::Named(_) => {
                    let pairs = who.iter().zip(&others);
                    let pairs: Vec<String> =
                        pairs.map(|(player, role)| format!("{player} plays {role}")).collect();
                    let _ = write!(line, "; {}", pairs.join(", "));
                }
            }
        }
        // Colour codes take no space, so the line is not wrapped.
        writeln!(out, "{line}.")?;
        let help = "Type a move or its number; `help` lists the other commands.";
        match self.resumed {
            None => writeln!(out, "{help} Seed {}.", self.seed)?,
            Some(steps) => {
                writeln!(out, "{help}\nThe match continues after {}.", plural(steps, "step"))?;
            }
        }
        write!(out, "{}{}", console.reading(), console.clues())?;
        writeln!(out)?;
        Ok(())
    }
}

/// The matches of a session, from the point of view of one person.
#[derive(Default)]
struct Score {
    won: u32,
    drawn: u32,
    lost: u32,
}

impl Score {
    fn count(&mut self, info: &Info, people: &[Role], record: &MatchRecord) {
        let [person] = people[..] else { return };
        let seats: Vec<Role> = info.players().collect();
        if seats.len() < 2 {
            return;
        }
        let mut outcome = vec![None; info.roles.len()];
        for (role, reward) in seats.iter().zip(&record.rewards) {
            outcome[role.index()] = *reward;
        }
        match verdict(info, person, &outcome) {
            _ if record.end == Some(MatchEnd::Resigned) => self.lost += 1,
            Verdict::Won => self.won += 1,
            Verdict::Drawn => self.drawn += 1,
            Verdict::Lost => self.lost += 1,
            Verdict::Open => {}
        }
    }

    /// The score, from the second match on.
    fn print(&self) -> Result<()> {
        let Score { won, drawn, lost } = *self;
        if won + drawn + lost > 1 {
            let mut out = anstream::stdout();
            writeln!(out, "Score: you {won}, computer {lost}, draws {drawn}.")?;
        }
        Ok(())
    }
}

/// Reports faults, and reveals hidden information if the match ended early.
fn tell_end(console: &Console, info: &Info, played: &MatchRecord) -> Result<()> {
    let mut out = anstream::stdout().lock();
    // A match that was played to its end has already revealed it. A match that was left may be
    // continued later from a file, so it stays hidden.
    let early = played.end.is_some_and(|end| !matches!(end, MatchEnd::Terminal | MatchEnd::Left));
    if info.information == Information::Hidden && early {
        write!(out, "{}", console.revealed(played, console.was_hidden()))?;
    }
    for fault in played.errors.iter().filter(|fault| fault.kind != FaultKind::TakenBack) {
        match fault.seat.filter(|_| fault.kind.is_mistake()) {
            Some(seat) => {
                let player = &played.players[seat];
                writeln!(out, "step {}, {player}: {}", fault.step, fault.what)?;
            }
            None if matches!(fault.kind, FaultKind::Resigned | FaultKind::Left) => {}
            None => write!(out, "{}", fitted(&fault.what))?,
        }
    }
    match played.end {
        Some(MatchEnd::Resigned) => writeln!(out, "{}", resigned(info, played))?,
        Some(MatchEnd::Left) => {
            let steps = plural(played.moves.len(), "step");
            writeln!(out, "You left the match after {steps}.")?;
        }
        _ => {}
    }
    Ok(())
}

/// Which role resigned, and which role wins as a result.
fn resigned(info: &Info, played: &MatchRecord) -> String {
    let fault = played.errors.iter().rfind(|fault| fault.kind == FaultKind::Resigned);
    let seat = fault.and_then(|fault| fault.seat);
    let others: Vec<&str> = info
        .players()
        .enumerate()
        .filter(|(number, _)| Some(*number) != seat)
        .map(|(_, role)| info.role_name(role))
        .collect();
    match (seat, &others[..]) {
        (Some(_), [other]) => format!("You resign; {other} wins."),
        _ => "You resign.".to_owned(),
    }
}

/// The last match of a file that has not ended.
fn load(path: &Path) -> Result<MatchRecord> {
    let shown = path.display();
    let input = game::file(&path.to_string_lossy())?;
    let records = input.text.lines().filter_map(|line| serde_json::from_str(line).ok());
    let mut records: Vec<MatchRecord> = records.collect();
    let Some(last) = records.pop() else {
        bail!("{shown} does not contain a match; `save FILE` during a match writes one");
    };
    if last.end.is_some() {
        bail!("the match in {shown} has ended; `magister replay {shown}` shows it");
    }
    Ok(last)
}
