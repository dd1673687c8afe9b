//! A person at the terminal, or a script that stands for one.

mod known;
mod words;

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result, bail};
use magister_arena::{AgentThread, Asked, Person, TimeControl, Wish};
use magister_core::{Game, Information, Move, PlayerSource as _, Said, Seed};
use magister_engine::board::Painter;
use magister_players::Spec;

use self::known::Known;
use crate::commands::plural;

/// The longest line that is read.
const LINE: u64 = 1 << 16;

const HELP: &str = "\
MOVE          a move by its text or its number in the list
do MOVE       the same, for a move that is called like a command
moves         all moves that you have
hint          what a player would do
undo [N]      take your last move back, or the last N, and what followed
redo [N]      make them again
show          the position again, with what the symbols stand for
history       what happened so far
resign        give up
quit          leave
";

/// Asks people on the terminal. It shows a role what the role knows: the board where nothing is
/// hidden, and its own moves and percepts where something is.
pub(crate) struct Console {
    painter: Painter,
    /// Who gives hints, and how long it may think.
    adviser: (Spec, TimeControl),
    seed: u64,
    table: Mutex<Known>,
    /// Whether everybody went away; then nobody is asked any more.
    left: AtomicBool,
}

/// What comes of a line.
enum Answer {
    Wish(Wish),
    Text(String),
}

impl Console {
    pub(crate) fn new(
        game: &Arc<dyn Game>,
        painter: Painter,
        adviser: (Spec, TimeControl),
        seed: u64,
    ) -> Self {
        Console {
            painter,
            adviser,
            seed,
            table: Mutex::new(Known::new(game)),
            left: AtomicBool::new(false),
        }
    }

    /// Shows what is new, and asks until there is an answer.
    fn converse(&self, asked: &Asked<'_>) -> Result<Wish> {
        let mut known = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let news = known.follow(asked.view);
        let mut out = anstream::stdout().lock();
        write!(out, "{news}{}", known.position(asked.view, &self.painter, false))?;
        if let [only] = known.moves()[..]
            && asked.is_legal(only)
        {
            // It has no choice; where information is hidden it is asked all the same.
            let text = asked.view.game().text().move_text(only);
            writeln!(out, "you can only play {text}")?;
            return Ok(Wish::Play(only));
        }
        write!(out, "{}", known.list(asked.view, false))?;
        let name = asked.view.game().info().role_name(asked.view.role());
        loop {
            let Some(line) = read(&mut out, name)? else { return Ok(Wish::Leave) };
            match self.answer(asked, &mut known, &line) {
                Ok(Answer::Wish(wish)) => return Ok(wish),
                Ok(Answer::Text(text)) => write!(out, "{text}")?,
                Err(error) => writeln!(out, "{error:#}")?,
            }
        }
    }

    fn answer(&self, asked: &Asked<'_>, known: &mut Known, line: &str) -> Result<Answer> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        Ok(match word {
            "" => Answer::Text(String::new()),
            "do" => Answer::Wish(Wish::Play(choice(asked, known, rest)?)),
            "undo" => Answer::Wish(Wish::Back(count(rest, asked.back, "taken back")?)),
            "redo" => Answer::Wish(Wish::Forth(count(rest, asked.forth, "made again")?)),
            "hint" if rest.is_empty() => Answer::Text(self.hint(asked)?),
            "moves" | "legal" if rest.is_empty() => Answer::Text(known.list(asked.view, true)),
            "show" if rest.is_empty() => Answer::Text(
                known.position(asked.view, &self.painter, true) + &known.list(asked.view, false),
            ),
            "history" if rest.is_empty() => Answer::Text(words::history(asked.view)),
            "help" | "?" if rest.is_empty() => Answer::Text(HELP.to_owned()),
            "resign" if rest.is_empty() => Answer::Wish(Wish::Resign),
            "quit" | "exit" | "q" if rest.is_empty() => Answer::Wish(Wish::Leave),
            _ => Answer::Wish(Wish::Play(choice(asked, known, line)?)),
        })
    }

    /// What the adviser would do.
    fn hint(&self, asked: &Asked<'_>) -> Result<String> {
        let (spec, limits) = &self.adviser;
        let info = asked.view.game().info();
        if info.information == Information::Hidden && !spec.capabilities().hidden {
            bail!("{spec} needs to see everything; name another adviser with --hint");
        }
        let (source, game) = (Arc::new(spec.clone()), Arc::clone(asked.view.game()));
        let rng = Seed::from(self.seed).derive("hint").rng();
        let mut thread = AgentThread::new(source, game, asked.view.role())
            .context("no thread could be made for a hint")?;
        match thread.decide(asked.view, rng, limits).said {
            Said::Decision(decision) => Ok(words::advice(spec, asked.view, decision)),
            _ => bail!("{spec} had no idea in time; a longer --time may help"),
        }
    }

    /// Tells the end, and asks whether something is to be taken back.
    fn finish(&self, asked: &Asked<'_>, outcome: &[Option<f64>]) -> Result<Wish> {
        let mut known = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let news = known.follow(asked.view);
        let mut out = anstream::stdout().lock();
        write!(out, "{news}{}", known.position(asked.view, &self.painter, false))?;
        writeln!(out, "{}", words::result(asked.view, outcome))?;
        let name = asked.view.game().info().role_name(asked.view.role());
        loop {
            if io::stdin().is_terminal() {
                writeln!(out, "`undo` takes your last move back, an empty line ends")?;
            }
            let Some(line) = read(&mut out, name)? else { return Ok(Wish::Leave) };
            let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
            match word {
                "" | "quit" | "exit" | "q" => return Ok(Wish::Leave),
                "undo" => match count(rest.trim(), asked.back, "taken back") {
                    Ok(count) => return Ok(Wish::Back(count)),
                    Err(error) => writeln!(out, "{error:#}")?,
                },
                "history" => write!(out, "{}", words::history(asked.view))?,
                _ => writeln!(out, "the game is over; there is `undo`, `history` and `quit`")?,
            }
        }
    }
}

impl Person for Console {
    fn choose(&self, asked: &Asked<'_>) -> Wish {
        if self.left.load(Ordering::Relaxed) {
            return Wish::Leave;
        }
        // Who can not be asked has left.
        let wish = self.converse(asked).unwrap_or(Wish::Leave);
        self.left.store(wish == Wish::Leave, Ordering::Relaxed);
        wish
    }

    fn over(&self, asked: &Asked<'_>, outcome: &[Option<f64>]) -> Wish {
        self.finish(asked, outcome).unwrap_or(Wish::Leave)
    }
}

/// The next line; none at the end of the input. What a script says is shown, so that a transcript
/// can be read.
fn read(out: &mut impl Write, name: &str) -> Result<Option<String>> {
    write!(out, "{name}> ")?;
    out.flush()?;
    let mut input = io::stdin().lock();
    let mut bytes = Vec::new();
    if input.by_ref().take(LINE).read_until(b'\n', &mut bytes)? == 0 {
        writeln!(out)?;
        return Ok(None);
    }
    let line = String::from_utf8_lossy(&bytes).trim().to_owned();
    if !input.is_terminal() {
        writeln!(out, "{}", short(&line))?;
    }
    Ok(Some(line))
}

/// A line as it can be shown, whatever is in it.
fn short(line: &str) -> String {
    const SHOWN: usize = 200;
    let mut text: String = line.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if line.chars().nth(SHOWN).is_some() {
        text.push_str("...");
    }
    text
}

/// The move that a person means.
fn choice(asked: &Asked<'_>, known: &Known, text: &str) -> Result<Move> {
    let (view, moves) = (asked.view, known.moves());
    let words = view.game().text();
    let named = words.parse_move(view.role(), text).filter(|&choice| asked.is_legal(choice));
    let digits = text.strip_prefix('#').unwrap_or(text);
    let number = digits.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    match (named, number.map(|number| moves.get(number))) {
        (Some(choice), _) => Ok(choice),
        (None, Some(Some(&choice))) if asked.is_legal(choice) => Ok(choice),
        (None, Some(Some(&choice))) => {
            bail!("{} is not legal here, says the referee", words.move_text(choice))
        }
        (None, Some(None)) if !moves.is_empty() => {
            bail!("there is no move {}; there are {}", short(text), plural(moves.len(), "move"))
        }
        _ if words.parse_move(view.role(), text).is_some() => {
            bail!("{text} is not legal here; `moves` lists what is")
        }
        _ => {
            let text = short(text);
            bail!("{text} is neither a move nor a command; `help` and `moves` list them")
        }
    }
}

/// The number after a command; one if there is none.
fn count(text: &str, most: usize, what: &str) -> Result<usize> {
    let count = match text {
        "" => 1,
        _ => match text.parse() {
            Ok(count) if count > 0 => count,
            _ => bail!("{} is no number of moves", short(text)),
        },
    };
    match most {
        0 => bail!("no move of yours can be {what}"),
        _ if count > most => bail!("only {} of yours can be {what}", plural(most, "move")),
        _ => Ok(count),
    }
}
