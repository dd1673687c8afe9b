//! `magister answer`: a player that other programs talk to, line by line.

use std::io::{BufRead as _, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use magister_arena::Deadline;
use magister_core::view::observe;
use magister_core::{Agent, Budget, Clock, Information, Role, Seed, Stop, Turn, View, draws};
use magister_players::Spec;
use serde_json::{Value, json};

use super::bench::process::cpu_time;
use super::contest::limits;
use super::play::opponent;
use super::remote;
use crate::args::Answer;
use crate::session::Session;
use crate::{CLEAN, game};

pub(crate) fn run(args: &Answer) -> Result<u8> {
    let playable = game::open_for_play(&args.game, &args.language.options())?;
    let info = playable.game.info();
    let player = args.player.clone().map_or_else(|| opponent(info), Ok)?;
    if info.information == Information::Hidden && !player.entry().hidden {
        bail!(
            "{player} does not play games with hidden information, and {} is one; try `honest`",
            playable.name
        );
    }
    remote::fits(&player, &playable.game)?;
    let args = &Asked { args, player };
    let session = Session::new(Arc::clone(&playable.game), args.args.seed);
    let mut table = Table::new(args, session, args.args.seed);
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", table.position())?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let answer = match word {
            "" => continue,
            "quit" => break,
            "go" => table.think(),
            "play" => table.session.play(rest).map(|()| table.position()),
            "random" => table.session.random().map(|()| table.position()),
            "new" => match rest.parse() {
                Ok(seed) => {
                    let session = Session::new(Arc::clone(&playable.game), seed);
                    table = Table::new(args, session, seed);
                    Ok(table.position())
                }
                Err(_) => Err(anyhow!("`new` needs a seed, which is a whole number, not `{rest}`")),
            },
            _ => Err(anyhow!("`{word}` is unknown; use go, play MOVES, random, new SEED or quit")),
        };
        let answer = answer.unwrap_or_else(|error| json!({ "error": format!("{error:#}") }));
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(CLEAN)
}

/// The arguments, and the player that they name.
struct Asked<'a> {
    args: &'a Answer,
    player: Spec,
}

/// A match, and a player for each role that was asked.
struct Table<'a> {
    args: &'a Asked<'a>,
    session: Session,
    seats: Vec<Answerer>,
    seed: u64,
}

/// The player of a role.
struct Answerer {
    agent: Box<dyn Agent>,
    view: View,
    /// The number of positions of the session that it has processed.
    known: usize,
}

impl<'a> Table<'a> {
    fn new(args: &'a Asked<'a>, session: Session, seed: u64) -> Self {
        Table { args, session, seats: Vec::new(), seed }
    }

    /// The position: the roles with a choice, or the result.
    fn position(&self) -> Value {
        let info = self.session.info();
        let worker = &*self.session.worker;
        let name = |role: Role| info.role_name(role);
        if worker.terminal() {
            let mut goals = Vec::new();
            let mut rewards = serde_json::Map::new();
            for role in info.players() {
                worker.goals(role, &mut goals);
                rewards.insert(name(role).to_owned(), json!(goals.first()));
            }
            return json!({ "over": true, "rewards": rewards });
        }
        let choosing: Vec<&str> =
            info.players().filter(|&role| self.session.chooses(role)).map(name).collect();
        let roles: Vec<&str> = info.players().map(name).collect();
        json!({ "over": false, "roles": roles, "choosing": choosing })
    }

    /// The decision of the player for the first role that has a choice.
    fn think(&mut self) -> Result<Value> {
        let info = self.session.info();
        let role = info.players().find(|&role| self.session.chooses(role));
        let role = role.ok_or_else(|| anyhow!("no player has a choice; `random` continues"))?;
        let known = self.seats.iter().position(|seat| seat.view.role() == role);
        let at = if let Some(at) = known {
            at
        } else {
            let mut agent = self.args.player.try_agent()?;
            let view = View::new(Arc::clone(&self.session.game), role);
            // The clock starts afterwards. An error here occurs again when the player decides.
            let _ = agent.prepare(&view, &Stop::never());
            self.seats.push(Answerer { agent, view, known: 1 });
            self.seats.len() - 1
        };
        let information = self.session.game.info().information;
        let seat = &mut self.seats[at];
        for moment in &self.session.moments[seat.known..] {
            if moment.step.tick {
                let seen = observe(information, role, &moment.joint, &moment.step);
                seat.view.push(Turn { own: moment.joint[role.index()], seen });
            }
        }
        seat.known = self.session.moments.len();
        let limits = limits(&self.args.args.thinking);
        let mut budget = match limits.iterations {
            Some(iterations) => Budget::iterations(iterations),
            None => Budget::until(Stop::never()),
        };
        if let Some(time) = limits.time {
            budget = match Processor::within(time).filter(|_| self.args.args.cpu) {
                Some(clock) => budget.with_clock(Arc::new(clock)),
                None => budget.with_clock(Arc::new(Deadline::within(time))),
            };
        }
        let (begun, used) = (Instant::now(), cpu_time());
        let mut rng = draws::agent(&Seed::from(self.seed), role, seat.view.turns().len());
        let decision = seat.agent.decide(&seat.view, &mut budget, &mut rng)?;
        let cpu = cpu_time()
            .zip(used)
            .map(|(now, before)| now.saturating_sub(before).as_secs_f64() * 1e3);
        Ok(json!({
            "move": self.session.game.text().move_text(decision.choice),
            "role": self.session.info().role_name(role),
            "iterations": decision.iterations,
            "time_ms": begun.elapsed().as_secs_f64() * 1e3,
            "cpu_ms": cpu,
        }))
    }
}

/// How often the system is queried for the processor time, because a query takes a while.
const ASKED: Duration = Duration::from_micros(500);

/// A clock that counts down the processor time of this thread.
struct Processor {
    end: Duration,
    /// The time of the last query, and the remaining time.
    last: Mutex<(Instant, Duration)>,
}

impl Processor {
    /// A clock with this much time from now on; `None` if the system does not report processor
    /// time.
    fn within(time: Duration) -> Option<Self> {
        let end = cpu_time()? + time;
        Some(Processor { end, last: Mutex::new((Instant::now(), time)) })
    }
}

impl Clock for Processor {
    fn remaining(&self) -> Option<Duration> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.0.elapsed() >= ASKED {
            *last = (Instant::now(), self.end.saturating_sub(cpu_time()?));
        }
        Some(last.1)
    }
}
