//! `magister` without arguments: where to begin.

use std::io::Write;

use anyhow::Result;

use crate::CLEAN;
use crate::terminal::paragraphs;

const WHAT: &str = "Magister is a general game system. It takes the rules of any game as text and \
plays it: against you, against itself, or against other programs. It also finds errors in rules, \
solves small games, and measures how fair a game is.";

pub(crate) fn run() -> Result<u8> {
    let mut out = anstream::stdout().lock();
    let (bold, plain) = ("\x1b[1m", "\x1b[0m");
    write!(out, "{}", paragraphs(WHAT))?;
    writeln!(
        out,
        "
Three things to try:

  {bold}magister play connect-four --level beginner{plain}
      play against the computer; `magister games` lists more games

  {bold}magister new my-game{plain}
      write a small game to change; `magister check my-game.kif` finds errors in
      it, and `magister play my-game.kif` plays it

  {bold}magister match tictactoe --players uct,random --games 10{plain}
      let two programs play; `magister players` lists them

More:

  magister help            list all commands
  magister help play       describe one command
  magister show chess      explain the rules of a game"
    )?;
    Ok(CLEAN)
}
