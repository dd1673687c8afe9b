//! `magister step`: plays a game step by step.

mod show;

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write};

use anyhow::{Context as _, Result, anyhow, bail};
use magister::Playable;
use magister_engine::board::Painter;
use magister_gdl::{Dialect, Syntax};

use crate::args::Step;
use crate::console::cells::Cells;
use crate::session::Session;
use crate::session::joint::{self, Illegal};
use crate::{CLEAN, FOUND, game, is_broken_pipe};

/// The maximum length of a line.
const LINE: u64 = 1 << 20;

const HELP: &str = "\
MOVE             a move: its text, a part of it, or its number in the list
MOVE, MOVE       the moves of several roles, in role order
MOVES; MOVES     several steps; * is a random move
do MOVES         make moves whose names are also commands
random [N]       make a random step, or N of them
undo [N], redo [N], jump N
                 go back, forward, or to the position after N steps
state, legal, percepts, history
                 print the state, all legal moves, the percepts, or all steps
show             the position again, with its symbols explained
quit             exit
";

/// The result of a command.
enum Answer {
    /// The position has changed, or is requested.
    Position,
    Text(String),
    Quit,
}

pub(crate) fn run(args: &Step) -> Result<u8> {
    if args.game == "-" && args.moves.is_none() {
        bail!("standard input cannot hold both the rules and the commands; use --moves");
    }
    let source = game::find_clean(&args.game, &args.language.options(), args.force)?;
    let playable = source.prepare(args.evaluator)?;
    let painter = (!args.json).then(|| playable.painter());
    let mut session = Session::new(playable.game.clone(), args.seed);
    session.cells = Cells::of(&playable);
    if let Some(moves) = &args.moves {
        if let Err(error) = session.play(moves) {
            let error = explained(error, &playable, &args.game, &session, moves);
            anstream::eprintln!("magister: step {}: {error:#}", session.at + 1);
            return Ok(FOUND);
        }
        session.deal()?;
        let mut out = anstream::stdout().lock();
        if painter.is_some() {
            write!(out, "{}", show::drawn(&session))?;
        }
        write!(out, "{}", shown(&session, &playable, painter.as_ref(), true))?;
        return Ok(CLEAN);
    }
    converse(&mut session, &playable, painter.as_ref())
}

/// An error about a move, with the command that explains why it is illegal.
pub(crate) fn explained(
    error: anyhow::Error,
    playable: &Playable,
    game: &str,
    session: &Session,
    moves: &str,
) -> anyhow::Error {
    let Some(Illegal { role, term: Some(term), .. }) = error.downcast_ref::<Illegal>() else {
        return error;
    };
    let Some(rules) = playable.source.rulesheet() else { return error };
    let atom = match (rules.dialect, rules.syntax) {
        (Dialect::Operations, _) => format!("legal({term})"),
        (_, Syntax::Kif) => format!("(legal {role} {term})"),
        (_, Syntax::Infix) => format!("legal({role},{term})"),
    };
    // Steps without a choice are not listed, so the number of the step may be too high.
    let before: Vec<&str> = joint::steps(moves).take(session.made).collect();
    let before = match &before[..] {
        [] => String::new(),
        before => format!(" --moves \"{}\"", before.join("; ")),
    };
    anyhow!("{error}\nWhy: `magister explain {game} \"{atom}\"{before}`")
}

/// A position: drawn if there is a painter, otherwise as a JSON object. A legend explains the
/// symbols.
fn shown(
    session: &Session,
    playable: &Playable,
    painter: Option<&Painter>,
    legend: bool,
) -> String {
    match painter {
        Some(painter) => show::position(session, painter, legend),
        None => format!("{}\n", show::as_json(session, &playable.name, playable.evaluator)),
    }
}

/// Reads commands to their end. At a terminal, a mistake is reported and the next line is read; a
/// script ends at its first mistake.
pub(crate) fn converse(
    session: &mut Session,
    playable: &Playable,
    painter: Option<&Painter>,
) -> Result<u8> {
    let mut input = io::stdin().lock();
    let mut out = anstream::stdout().lock();
    let terminal = input.is_terminal();
    if terminal && painter.is_some() {
        writeln!(
            out,
            "{}, evaluator {}; `help` lists the commands",
            playable.name, playable.evaluator
        )?;
    }
    if painter.is_some() {
        session.deal()?;
    }
    write!(out, "{}", shown(session, playable, painter, true))?;
    for number in 1.. {
        if terminal {
            write!(out, "> ")?;
        }
        out.flush()?;
        let mut line = String::new();
        let read = input.by_ref().take(LINE).read_line(&mut line);
        if read.context("cannot read commands from standard input")? == 0 {
            break;
        }
        match answer(session, line.trim()) {
            Ok(Answer::Quit) => break,
            Ok(Answer::Text(text)) => write!(out, "{text}")?,
            Ok(Answer::Position) => {
                if painter.is_some() {
                    write!(out, "{}", show::drawn(session))?;
                }
                let asked = line.trim() == "show";
                write!(out, "{}", shown(session, playable, painter, asked))?;
            }
            Err(error) if is_broken_pipe(&error) => return Err(error),
            Err(error) if terminal => writeln!(out, "{error:#}")?,
            Err(error) => {
                out.flush()?;
                anstream::eprintln!("magister: line {number}: {error:#}");
                return Ok(FOUND);
            }
        }
    }
    Ok(CLEAN)
}

fn answer(session: &mut Session, line: &str) -> Result<Answer> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    session.drawn.clear();
    match word {
        "" => return Ok(Answer::Text(String::new())),
        "do" => session.play(rest)?,
        "random" => {
            for _ in 0..count(rest)? {
                session.random()?;
                session.deal()?;
                if session.worker.terminal() {
                    break;
                }
            }
        }
        "undo" => match session.at.checked_sub(count(rest)?) {
            Some(at) => {
                session.go(at)?;
                session.before_deal()?;
            }
            None => bail!("only {} can be taken back", super::plural(session.at, "step")),
        },
        "redo" => {
            let undone = session.moments.len() - 1 - session.at;
            let count = count(rest)?;
            if count > undone {
                bail!("only {} can be redone", super::plural(undone, "step"));
            }
            session.go(session.at + count)?;
        }
        // A move has the same name in many games.
        "jump" if joint::is_legal(session, line) => session.play(line)?,
        "jump" => match rest.parse() {
            Ok(at) => session.go(at)?,
            Err(_) => session.play(line).context(
                "`jump N` goes to the position after N steps, such as `jump 0`; as a move",
            )?,
        },
        "state" if rest.is_empty() => return Ok(Answer::Text(show::state(session))),
        "legal" | "moves" if rest.is_empty() => {
            return Ok(Answer::Text(show::legal(session, usize::MAX)));
        }
        "percepts" if rest.is_empty() => return Ok(Answer::Text(show::percepts(session))),
        "history" if rest.is_empty() => return Ok(Answer::Text(show::history(session))),
        "help" | "?" if rest.is_empty() => return Ok(Answer::Text(HELP.to_owned())),
        "show" if rest.is_empty() => {}
        "quit" | "exit" | "q" if rest.is_empty() => return Ok(Answer::Quit),
        _ => session.play(line).map_err(|error| {
            let word_only = word.chars().all(char::is_alphabetic);
            let no_command = || format!("`{word}` is not a command; as a move");
            if word_only { error.context(no_command()) } else { error }
        })?,
    }
    let gone = word == "jump" && rest.parse::<usize>().is_ok();
    if !gone && !matches!(word, "undo" | "redo") {
        session.deal()?;
    }
    Ok(Answer::Position)
}

/// The number after a command; one if there is none.
fn count(text: &str) -> Result<usize> {
    match text {
        "" => Ok(1),
        _ => text.parse().ok().with_context(|| format!("{text} is not a number of steps")),
    }
}
