//! `magister match`: players against each other.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, bail};
use magister_arena::{
    Contest, Mistakes, Person, RoleLine, Series, Sprt, SprtVerdict, Summary, TimeControl, choices,
};
use magister_core::{FaultKind, Game, Information, MatchRecord, Seed};
use magister_players::Spec;
use serde_json::json;

use super::play::{about, opponent};
use super::plural;
use super::remote::Table;
use crate::args::{Match, PlayerArg, Thinking};
use crate::console::Console;
use crate::draw::Look;
use crate::terminal::{self, fitted};
use crate::{CLEAN, FOUND, interrupt};

/// The default time for a move.
const SECOND: std::time::Duration = std::time::Duration::from_secs(1);

pub(crate) fn run(args: &Match) -> Result<u8> {
    let limits = limits(&args.thinking);
    let mut table = Table::new(&args.players, &args.remotes, &args.thinking, limits)?;
    let playable = table.open(&args.game, &args.language.options(), args.force)?;
    table.check()?;
    let limits = table.limits();
    // People play one match at a time.
    let people = args.players.iter().any(PlayerArg::is_human);
    if people && args.game == "-" {
        bail!("standard input cannot hold both the rules and the moves; name a file");
    }
    let person = people.then(|| -> Result<Arc<dyn Person>> {
        let info = playable.game.info();
        let adviser = (opponent(info)?, limits);
        let seats = info.players().map(|role| info.role_name(role).to_owned());
        let shared = args.players.iter().filter(|spec| spec.is_human()).count() > 1
            || args.players.len() == 1 && info.players().count() > 1;
        let look = Look::new(seats, false);
        let about = about(&playable);
        let console = Console::new(&playable, about, adviser, args.seed, look, shared, None);
        Ok(Arc::new(console))
    });
    let info = playable.game.info();
    let roles: Vec<String> = info.players().map(|role| info.role_name(role).to_owned()).collect();
    if args.sprt.is_some() && roles.len() < 2 {
        bail!("--sprt compares players who meet, but {} has one seat; leave it out", playable.name);
    }
    let report = Arc::new(Mutex::new(Report {
        game: playable.name.clone(),
        argument: args.game.clone(),
        json: args.json,
        roles,
        summary: Summary::new(info),
        test: args.sprt.map(|(low, high)| Sprt::new(low, high)),
        verdict: SprtVerdict::Open,
        first: args.players.first().map(ToString::to_string).unwrap_or_default(),
        broken: false,
        exit: CLEAN,
        wanted: args.games,
        interrupted: false,
        late: BTreeMap::new(),
    }));
    if people {
        interrupt::catch();
    } else {
        let (report, open) = (Arc::clone(&report), table.open_matches());
        interrupt::on_interrupt(move || {
            open.abort();
            let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
            report.interrupted = true;
            let mut out = anstream::stdout();
            // An error cannot be reported here.
            let _ = report.print(&mut out).and_then(|()| Ok(out.flush()?));
            // The summary is the last line: no match may be reported between this point and the
            // exit.
            std::mem::forget(report);
        });
    }
    let hidden = info.information == Information::Hidden;
    let game = Arc::clone(&playable.game);
    let contest = Contest {
        opening: args.opening,
        max_steps: args.max_steps,
        thoughts: args.thoughts,
        person: person.transpose()?,
        seating: table.seating(),
        ..Contest::new(playable.game, limits)
    };
    let series = Series {
        contest,
        players: table.sources(),
        games: args.games,
        seed: Seed::from(args.seed),
        jobs: if people { 1 } else { jobs(args.jobs, &limits) },
    };
    // Not locked, because people use it as well.
    let mut out = anstream::stdout();
    let mut failure = Ok(());
    series.play(|number, record| {
        // The lock is held while a line is written, so that an interrupt does not print in between.
        let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
        report.add(&*game, hidden, &record);
        let written = if args.json {
            serde_json::to_string(&record)
                .map_err(anyhow::Error::from)
                .and_then(|line| Ok(writeln!(out, "{line}")?))
        } else {
            write!(out, "{}", fitted(&as_text(number, &record))).map_err(anyhow::Error::from)
        };
        failure = written.and_then(|()| Ok(out.flush()?));
        let decided = report.verdict != SprtVerdict::Open;
        if failure.is_err() || record.has(FaultKind::Left) || decided {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })?;
    failure?;
    let report = report.lock().unwrap_or_else(PoisonError::into_inner);
    report.print(&mut out)?;
    Ok(report.exit)
}

/// The results so far, and the settings of the final report.
struct Report {
    game: String,
    /// The game as named on the command line.
    argument: String,
    json: bool,
    roles: Vec<String>,
    summary: Summary,
    test: Option<Sprt>,
    verdict: SprtVerdict,
    /// The player that the sequential test evaluates.
    first: String,
    /// Whether a match was broken off.
    broken: bool,
    /// The exit code: [`FOUND`] if the rules failed in a match.
    exit: u8,
    /// The number of games that were requested, and whether the series was interrupted.
    wanted: u64,
    interrupted: bool,
    /// The number of late moves of each player.
    late: BTreeMap<String, u64>,
}

impl Report {
    fn add(&mut self, game: &dyn Game, hidden: bool, record: &MatchRecord) {
        if hidden {
            // Players are asked even if they have no choice.
            let chose = choices(game, record);
            let chose = |step: usize, seat: usize| {
                chose.get(step).and_then(|seats| seats.get(seat)).copied().unwrap_or(true)
            };
            self.summary.add_choices(record, chose);
        } else {
            self.summary.add(record);
        }
        let line = self.summary.players.iter().find(|line| line.player == self.first);
        if let (Some(test), Some(line)) = (self.test, line)
            && let (Some(wins), Some(draws), Some(losses)) = (line.wins, line.draws, line.losses)
        {
            self.verdict = test.verdict(wins, draws, losses);
        }
        self.broken |= record.has(FaultKind::BrokenOff);
        if record.rules_failed() {
            self.exit = FOUND;
        }
        for (seat, player) in record.players.iter().enumerate() {
            let late = Mistakes::of(record, seat).late;
            if late > 0 {
                *self.late.entry(player.clone()).or_default() += late;
            }
        }
    }

    fn print(&self, out: &mut impl Write) -> Result<()> {
        let Report { summary, test, verdict, .. } = self;
        if self.json {
            let mut object = json!({"game": self.game, "summary": summary});
            if let Some(test) = test {
                object["sprt"] = json!({"test": test, "verdict": verdict});
            }
            if self.interrupted {
                object["interrupted"] = json!({"after": summary.games, "of": self.wanted});
            }
            writeln!(out, "{object}")?;
            return Ok(());
        }
        if self.interrupted {
            let of = plural(self.wanted, "game");
            writeln!(out, "interrupted after {} of {of}", summary.games)?;
        }
        write!(out, "{}", table(summary))?;
        // Against itself, a player always scores half of the points.
        let decided = summary.games - summary.undecided;
        if summary.players.len() == 1 && summary.roles.len() > 1 && summary.games > 1 && decided > 0
        {
            write!(out, "{}", fitted(&by_role(&self.roles, summary)))?;
        }
        if summary.undecided > 0 {
            let (count, of) = (summary.undecided, summary.games);
            let text = undecided(count, of, "game", &self.argument, self.broken);
            write!(out, "{}", fitted(&text))?;
        }
        for (player, count) in &self.late {
            write!(out, "{}", fitted(&late(player, *count, "result")))?;
        }
        if let Some(test) = test {
            let result = match verdict {
                SprtVerdict::Open => "undecided, more games are needed".to_owned(),
                SprtVerdict::Smaller => format!("{} or less", test.elo0),
                SprtVerdict::Greater => format!("{} or more", test.elo1),
            };
            writeln!(out, "Elo lead of {}: {result}", self.first)?;
        }
        Ok(())
    }
}

/// The thinking time of players.
pub(crate) fn limits(thinking: &Thinking) -> TimeControl {
    let time = thinking.time.or_else(|| thinking.iterations.is_none().then_some(SECOND));
    let (iterations, start, grace) = (thinking.iterations, thinking.start, thinking.grace);
    TimeControl { time, iterations, start, grace }
}

/// The players with a memory limit, unless their own parameters set one.
pub(crate) fn with_memory(players: &[Spec], memory: Option<u32>) -> Vec<Spec> {
    let limited = |spec: &Spec| memory.map_or_else(|| spec.clone(), |most| spec.with_memory(most));
    players.iter().map(limited).collect()
}

/// The number of concurrent games. With a clock it is one, because players would take time from
/// each other.
pub(crate) fn jobs(wanted: Option<usize>, limits: &TimeControl) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    wanted.unwrap_or_else(|| if limits.time.is_some() { 1 } else { cores() })
}

fn as_text(number: u64, record: &MatchRecord) -> String {
    let seats: Vec<String> = record
        .players
        .iter()
        .zip(&record.rewards)
        .map(|(player, reward)| match reward {
            Some(reward) => format!("{player} {reward}"),
            None => format!("{player} without a result"),
        })
        .collect();
    let mut text = format!(
        "game {}: {}, {}",
        number + 1,
        seats.join(", "),
        plural(record.moves.len(), "step")
    );
    for error in &record.errors {
        let who = error.seat.map_or("referee", |seat| record.players[seat].as_str());
        let _ = write!(text, "\n  step {}, {who}: {}", error.step, error.what);
    }
    text
}

/// The mean reward of each role, as text.
fn by_role(roles: &[String], summary: &Summary) -> String {
    let text = |(name, line): (&String, &RoleLine)| {
        let interval = line.reward_interval;
        let interval = interval.map(|(low, high)| format!(" ({low:.2} to {high:.2})"));
        let mean = line.mean_reward.map_or("-".to_owned(), |mean| format!("{mean:.2}"));
        format!("{name} {mean}{}", interval.unwrap_or_default())
    };
    let all: Vec<String> = roles.iter().zip(&summary.roles).map(text).collect();
    let known = summary.roles.iter().any(|line| line.reward_interval.is_some());
    let intervals = if known { ", with 95 % intervals" } else { "" };
    format!("mean reward by role{intervals}: {}", all.join(", "))
}

/// The columns of the summary after the name of the player.
const COLUMNS: &str = "  score   95 % interval  wins  draws  losses   reward  errors  ms/move";

/// The summary as text: score, mean reward, and mean time of the moves that were a choice. Long
/// names have their own lines, so that the table fits the terminal.
fn table(summary: &Summary) -> String {
    let lengths = || summary.players.iter().map(|line| line.player.chars().count());
    let room = terminal::width().saturating_sub(COLUMNS.len());
    let width = lengths().filter(|&length| length <= room).max().unwrap_or(0).max("player".len());
    let mut text = format!("{:width$}{COLUMNS}\n", "player");
    for line in &summary.players {
        let dash = || "-".to_owned();
        let interval = line.score_interval;
        let interval = interval.map_or_else(dash, |(low, high)| format!("{low:5.3} to {high:5.3}"));
        let count = |count: Option<u64>| count.map_or_else(dash, |count| count.to_string());
        let name = if line.player.chars().count() > width {
            let _ = writeln!(text, "{}", line.player);
            ""
        } else {
            &line.player
        };
        let _ = writeln!(
            text,
            "{name:width$}  {:>5}  {interval:>14}  {:>4}  {:>5}  {:>6}  {:>7}  {:>6}  {:>7.1}",
            line.score.map_or_else(dash, |score| format!("{score:5.3}")),
            count(line.wins),
            count(line.draws),
            count(line.losses),
            line.mean_reward.map_or_else(dash, |mean| format!("{mean:.2}")),
            line.errors,
            line.mean_time_ms,
        );
    }
    text
}

/// Advice about late moves.
pub(crate) fn late(player: &str, count: u64, what: &str) -> String {
    let (verb, ones) = if count == 1 { ("was", "a random one") } else { ("were", "random ones") };
    format!(
        "{} of {player} came late and {verb} replaced by {ones}, so the {what} may be wrong. Raise \
         --grace or --time, or use --iterations.",
        plural(count, "move")
    )
}

/// The number of undecided matches, and advice about those that were broken off.
pub(crate) fn undecided(count: u64, of: u64, what: &str, game: &str, broken: bool) -> String {
    let mut text = format!("{count} of {} undecided", plural(of, what));
    if broken {
        let _ = write!(
            text,
            "; --max-steps allows longer matches, and `magister playable {game}` tests whether they \
             end"
        );
    }
    text
}
