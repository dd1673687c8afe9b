//! `magister` without arguments: the start page.

use std::io::Write;

use anyhow::Result;

use crate::CLEAN;
use crate::terminal::{hanging, paragraphs};

const WHAT: &str = "Magister is a general game system. It takes the rules of any game as text and \
plays the game: against you, against itself, or against other programs. It also finds errors in \
rules, solves small games, and measures how fair a game is.";

/// Commands to try, with descriptions.
const TRY: [(&str, &str); 3] = [
    (
        "magister play connect-four --level beginner",
        "play against the computer; `magister games` lists more games",
    ),
    (
        "magister new my-game",
        "write a small game for you to edit; `magister check my-game.kif` finds errors in it, and \
         `magister play my-game.kif` plays it",
    ),
    (
        "magister match tictactoe --players uct,random --games 10",
        "let two programs play; `magister players` lists the players",
    ),
];

/// Further reading.
const MORE: [(&str, &str); 3] = [
    ("magister help", "list all commands"),
    ("magister help play", "describe one command"),
    ("magister show chess", "explain the rules of a game"),
];

pub(crate) fn run() -> Result<u8> {
    let mut out = anstream::stdout().lock();
    let (bold, plain) = ("\x1b[1m", "\x1b[0m");
    write!(out, "{}", paragraphs(WHAT))?;
    writeln!(out, "\nThree things to try:")?;
    for (command, what) in TRY {
        let command = hanging(&format!("  {command}"), 4);
        let what = hanging(&format!("      {what}"), 6);
        writeln!(out, "\n{bold}{command}{plain}\n{what}")?;
    }
    writeln!(out, "\nMore:\n")?;
    for (command, what) in MORE {
        writeln!(out, "{}", hanging(&format!("  {command:23}  {what}"), 27))?;
    }
    Ok(CLEAN)
}
