//! A person at the terminal, or a script in place of one.

mod input;
mod known;
pub(crate) mod moves;
mod san;
mod why;
mod words;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, Result, bail};
use magister::{Playable, Source};
use magister_arena::{AgentThread, Asked, Ended, Person, TimeControl, Wish};
use magister_core::{Game, Information, MatchRecord, Move, PlayerSource as _, Said, Seed, Stop};
use magister_engine::board::{Painter, Picture, fluents};
use magister_players::Spec;

pub(crate) use self::words::{Verdict, verdict};

use self::input::{read, short};
use self::known::Known;
use self::moves::{Meant, is_idle, meant, plain, several, suggestions};
use crate::commands::plural;
use crate::draw::Look;
use crate::interrupt;
use crate::terminal::paragraphs;

const HELP: &str = "\
MOVE          a move as listed, or its number; a part is enough if it is clear
do MOVE       the same, for a move with the name of a command
moves [TEXT]  all your moves, or those that contain TEXT
hint          the move that the computer recommends
why [MOVE]    why a move is illegal; without MOVE, the last one you tried
show          the board, with its symbols explained
rules         the rules of the game
history       the moves so far
undo [N]      take back your last move, or the last N
redo [N]      make moves again that you took back
save FILE     save the match; `magister play --resume FILE` continues it
resign        give up
quit          leave
";

/// The words that are commands, for suggestions.
const COMMANDS: [&str; 13] = [
    "do", "help", "hint", "history", "moves", "quit", "redo", "resign", "rules", "save", "show",
    "undo", "why",
];

/// The most moves of a game among which a move that is not legal is looked for.
const VOCABULARY: u32 = 50_000;

/// What is known about a game beyond its rulesheet.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    /// What the game is called.
    pub(crate) title: String,
    /// What the players are to do, in a sentence.
    pub(crate) aim: String,
    /// The rules for people.
    pub(crate) rules: String,
    /// What is given in a puzzle.
    pub(crate) clues: String,
}

/// What a person wants after a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum After {
    #[default]
    Quit,
    /// Another match.
    Rematch,
    /// Another match with the roles exchanged.
    Swap,
}

/// Asks people on the terminal. It shows a role what the role knows: the board with perfect
/// information, and the certain facts with hidden information.
pub(crate) struct Console {
    game: Arc<dyn Game>,
    /// What the game is called on the command line.
    name: String,
    source: Source,
    painter: Painter,
    look: Look,
    about: About,
    /// Who gives hints, and how long it may think.
    adviser: (Spec, TimeControl),
    seed: u64,
    /// Whether several people share the terminal.
    shared: bool,
    talk: Mutex<Talk>,
}

/// The conversation so far.
#[derive(Default)]
struct Talk {
    /// What each role knows, by its number.
    tables: BTreeMap<usize, Known>,
    /// The role that was shown something last.
    last: Option<usize>,
    /// Whether all people left; then no one is asked any more.
    left: bool,
    /// Where the match is to be saved.
    save: Option<PathBuf>,
    after: After,
    /// The last move that was typed and is not legal.
    refused: Option<Move>,
}

/// The result of a line.
enum Answer {
    Wish(Wish),
    Text(String),
}

impl Console {
    pub(crate) fn new(
        playable: &Playable,
        about: About,
        adviser: (Spec, TimeControl),
        seed: u64,
        look: Look,
        shared: bool,
    ) -> Self {
        Console {
            game: Arc::clone(&playable.game),
            name: playable.name.clone(),
            source: playable.source.clone(),
            painter: playable.painter(),
            look,
            about,
            adviser,
            seed,
            shared,
            talk: Mutex::default(),
        }
    }

    fn talk(&self) -> MutexGuard<'_, Talk> {
        self.talk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn about(&self) -> &About {
        &self.about
    }

    /// The position before the first move, which all roles know.
    pub(crate) fn first_picture(&self) -> Picture {
        let mut worker = self.game.worker();
        worker.reset();
        let mut state = Vec::new();
        worker.save(&mut state);
        self.painter.picture(&*self.game, &state)
    }

    /// Forgets the match, for the next one.
    pub(crate) fn begin(&self) {
        *self.talk() = Talk::default();
    }

    /// Where the match is to be saved, if the person asked for that.
    pub(crate) fn take_save(&self) -> Option<PathBuf> {
        self.talk().save.take()
    }

    /// What the person wants after the match.
    pub(crate) fn after(&self) -> After {
        self.talk().after
    }

    /// Shows what is new, and asks until there is an answer.
    fn converse(&self, asked: &Asked<'_>, talk: &mut Talk) -> Result<Wish> {
        let (view, role) = (asked.view, asked.view.role());
        let name = view.game().info().role_name(role);
        let mut out = anstream::stdout().lock();
        let number = role.index();
        let Talk { tables, last, refused, save, .. } = &mut *talk;
        let known = tables.entry(number).or_insert_with(|| Known::new(view.game(), role));
        let news = known.follow(view, &self.look);
        if let [(only, text)] = known.moves()
            && asked.is_legal(*only)
        {
            let (only, text) = (*only, text.clone());
            // There is nothing to choose; where information is hidden the role is asked all the
            // same.
            if !is_idle(&text) {
                self.hand_over(&mut out, last, number, name)?;
                write!(out, "{news}")?;
                write!(out, "{}", known.position(view, &self.painter, &self.look, false))?;
                writeln!(out, "{name}: {} (your only move)", plain(&text))?;
            } else if !news.is_empty() {
                self.hand_over(&mut out, last, number, name)?;
                write!(out, "{news}")?;
            }
            return Ok(Wish::Play(only));
        }
        self.hand_over(&mut out, last, number, name)?;
        write!(out, "{news}")?;
        write!(out, "{}", known.position(view, &self.painter, &self.look, false))?;
        write!(out, "{}", known.list(false, ""))?;
        loop {
            let Some(line) = read(&mut out, name)? else { return Ok(Wish::Leave) };
            match self.answer(asked, known, refused, save, &line) {
                Ok(Answer::Wish(wish)) => return Ok(wish),
                Ok(Answer::Text(text)) => write!(out, "{text}")?,
                Err(error) => writeln!(out, "{error:#}")?,
            }
        }
    }

    /// Tells the people at one terminal whose turn it is. Where information is hidden, the screen
    /// is cleared before the next one looks at it.
    fn hand_over(
        &self,
        out: &mut impl Write,
        last: &mut Option<usize>,
        role: usize,
        name: &str,
    ) -> Result<()> {
        if !self.shared || last.replace(role) == Some(role) {
            return Ok(());
        }
        let hidden = self.game.info().information == Information::Hidden;
        if hidden && io::stdin().is_terminal() {
            read(out, &format!("{name}, press Enter when no one else can see the screen"))?;
            write!(out, "\x1b[2J\x1b[3J\x1b[H")?;
        }
        writeln!(out, "--- {name} ---")?;
        Ok(())
    }

    fn answer(
        &self,
        asked: &Asked<'_>,
        known: &mut Known,
        refused: &mut Option<Move>,
        save: &mut Option<PathBuf>,
        line: &str,
    ) -> Result<Answer> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let mut play = |text: &str| -> Result<Answer> {
            Ok(Answer::Wish(Wish::Play(choice(asked, known, refused, text)?)))
        };
        Ok(match word.to_lowercase().as_str() {
            "" => Answer::Text(String::new()),
            "do" => play(rest)?,
            "undo" => Answer::Wish(Wish::Back(count(rest, asked.back, "taken back")?)),
            "redo" => Answer::Wish(Wish::Forth(count(rest, asked.forth, "made again")?)),
            "hint" if rest.is_empty() => Answer::Text(self.hint(asked)?),
            "moves" | "legal" => Answer::Text(known.list(true, rest)),
            "show" | "board" if rest.is_empty() => Answer::Text(
                known.position(asked.view, &self.painter, &self.look, true)
                    + &self.clues()
                    + &known.list(false, ""),
            ),
            "rules" if rest.is_empty() => Answer::Text(self.rules()),
            "why" => Answer::Text(self.why(asked, known, *refused, rest)?),
            "history" if rest.is_empty() => Answer::Text(known.history()),
            "help" | "?" if rest.is_empty() => Answer::Text(HELP.to_owned()),
            "save" => {
                if rest.is_empty() {
                    bail!("`save` needs the name of a file, such as `save mine.json`");
                }
                *save = Some(PathBuf::from(rest));
                Answer::Wish(Wish::Pause)
            }
            "resign" if rest.is_empty() => Answer::Wish(Wish::Resign),
            "quit" | "exit" | "q" if rest.is_empty() => Answer::Wish(Wish::Leave),
            _ => play(line)?,
        })
    }

    /// The rules for people, or where to read them.
    fn rules(&self) -> String {
        let About { aim, rules, .. } = &self.about;
        let text = if rules.is_empty() { aim } else { rules };
        if text.is_empty() {
            let name = &self.name;
            return format!(
                "The rulesheet has no description; `magister show {name}` prints it.\n"
            );
        }
        paragraphs(text) + &self.clues()
    }

    /// What is given in a puzzle.
    pub(crate) fn clues(&self) -> String {
        if self.about.clues.is_empty() {
            String::new()
        } else {
            format!("{}\n", self.about.clues.trim_end())
        }
    }

    /// Why a move is not legal.
    fn why(
        &self,
        asked: &Asked<'_>,
        known: &Known,
        refused: Option<Move>,
        text: &str,
    ) -> Result<String> {
        let (game, role) = (asked.view.game(), asked.view.role());
        if game.info().information == Information::Hidden {
            bail!("`why` is not available here: the reason could reveal what is hidden");
        }
        let words = game.text();
        let wanted = if text.is_empty() {
            refused.context("you tried no illegal move; `why MOVE` asks about a move")?
        } else {
            match find(asked, known, text) {
                Found::Legal(choice) => {
                    return Ok(format!("{} is legal.\n", plain(&words.move_text(choice))));
                }
                Found::Illegal(choice) => choice,
                Found::Several(texts) | Found::SeveralIllegal(texts) => {
                    bail!("{} may mean {}", short(text), several(texts))
                }
                Found::Nothing => {
                    bail!("{} is not a move of this game", short(text))
                }
            }
        };
        let name = game.info().role_name(role);
        let text = words.move_text(wanted);
        why::illegal(&self.source, &**game, &known.state(), name, &text)
    }

    /// What the adviser would do.
    fn hint(&self, asked: &Asked<'_>) -> Result<String> {
        let (spec, limits) = &self.adviser;
        let info = asked.view.game().info();
        if info.information == Information::Hidden && !spec.capabilities().hidden {
            bail!(
                "{spec} does not play games with hidden information; --hint names another player"
            );
        }
        let (source, game) = (Arc::new(spec.clone()), Arc::clone(asked.view.game()));
        let rng = Seed::from(self.seed).derive("hint").rng();
        let mut thread = AgentThread::new(source, game, asked.view.role())
            .context("no thread could be started for a hint")?;
        match thread.decide(asked.view, rng, limits).said {
            Said::Decision(decision) => Ok(words::advice(asked.view, decision)),
            _ => bail!("{spec} found no move in time; try a longer --time"),
        }
    }

    /// Shows the end with what was hidden, and asks what is next.
    fn finish(&self, asked: &Asked<'_>, end: &Ended<'_>, talk: &mut Talk) -> Result<Wish> {
        let (view, role) = (asked.view, asked.view.role());
        let game = view.game();
        let known = talk.tables.entry(role.index());
        let known = known.or_insert_with(|| Known::new(game, role));
        let mut out = anstream::stdout().lock();
        let hidden = game.info().information == Information::Hidden;
        write!(out, "{}", known.follow(view, &self.look))?;
        if hidden {
            write!(out, "{}", self.revealed(end.record))?;
        } else {
            write!(out, "{}", known.position(view, &self.painter, &self.look, false))?;
        }
        writeln!(out, "{}", words::result(view, end.outcome))?;
        let history = known.history();
        // After what was hidden is shown, taking a move back would be unfair.
        let back = if hidden { 0 } else { asked.back };
        self.ask_after(&mut out, &mut talk.after, &history, back, Some(end.record))
    }

    /// The position at the end of a match with hidden information.
    pub(crate) fn revealed(&self, record: &MatchRecord) -> String {
        let Ok(again) = record.replay(&*self.game, &Stop::never()) else { return String::new() };
        let Some(last) = again.states.last() else { return String::new() };
        let text = self.look.cards(&*self.game, last, None).unwrap_or_else(|| {
            self.look.text(&self.painter.picture(&*self.game, last), None, true)
        });
        if text.trim().is_empty() {
            String::new()
        } else {
            format!("The position at the end, with what was hidden:\n{text}")
        }
    }

    /// Asks what to do after a match that was resigned.
    pub(crate) fn ask_afterwards(&self, record: &MatchRecord) -> Result<()> {
        let mut talk = self.talk();
        let mut out = anstream::stdout().lock();
        let mut after = After::Quit;
        self.ask_after(&mut out, &mut after, "", 0, Some(record))?;
        talk.after = after;
        Ok(())
    }

    fn ask_after(
        &self,
        out: &mut impl Write,
        after: &mut After,
        history: &str,
        back: usize,
        record: Option<&MatchRecord>,
    ) -> Result<Wish> {
        *after = After::Quit;
        let several = self.game.info().players().count() > 1;
        let swap = if several { ", swap (sides)" } else { "" };
        let undo = if back > 0 { ", undo" } else { "" };
        let offered = format!("rematch{swap}{undo}, history, save FILE or quit");
        loop {
            let Some(line) = read(out, &offered)? else { return Ok(Wish::Leave) };
            let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
            match word.to_lowercase().as_str() {
                "" | "quit" | "exit" | "q" => return Ok(Wish::Leave),
                "rematch" | "again" => {
                    *after = After::Rematch;
                    return Ok(Wish::Leave);
                }
                "swap" | "sides" if several => {
                    *after = After::Swap;
                    return Ok(Wish::Leave);
                }
                "undo" => match count(rest.trim(), back, "taken back") {
                    Ok(count) => return Ok(Wish::Back(count)),
                    Err(error) => writeln!(out, "{error:#}")?,
                },
                "history" => write!(out, "{history}")?,
                "rules" => write!(out, "{}", self.rules())?,
                "save" => writeln!(out, "{}", saved(rest.trim(), record))?,
                _ => writeln!(out, "The game is over. You can type: {offered}.")?,
            }
        }
    }
}

impl Person for Console {
    fn choose(&self, asked: &Asked<'_>) -> Wish {
        let mut talk = self.talk();
        if talk.left || interrupt::pressed() {
            return Wish::Leave;
        }
        // A person who cannot be asked has left.
        let wish = self.converse(asked, &mut talk).unwrap_or(Wish::Leave);
        talk.left = wish == Wish::Leave;
        wish
    }

    fn over(&self, asked: &Asked<'_>, end: &Ended<'_>) -> Wish {
        let mut talk = self.talk();
        self.finish(asked, end, &mut talk).unwrap_or(Wish::Leave)
    }
}

/// Writes a match that has ended to a file, and says so.
fn saved(file: &str, record: Option<&MatchRecord>) -> String {
    let Some(record) = record.filter(|_| !file.is_empty()) else {
        return "`save` needs the name of a file, such as `save mine.jsonl`".to_owned();
    };
    let text = serde_json::to_string(record).unwrap_or_default() + "\n";
    match std::fs::write(file, text) {
        Ok(()) => format!("Saved. `magister replay {file}` shows the match."),
        Err(error) => format!("{file} cannot be written: {error}"),
    }
}

/// What a text means among the moves of a game.
enum Found {
    Legal(Move),
    /// A move of the game that is not legal now.
    Illegal(Move),
    Several(Vec<String>),
    /// It may mean several moves of the game, of which none is legal now.
    SeveralIllegal(Vec<String>),
    Nothing,
}

fn find(asked: &Asked<'_>, known: &Known, text: &str) -> Found {
    let (view, moves) = (asked.view, known.moves());
    let words = view.game().text();
    let named = words.parse_move(view.role(), text);
    if let Some(choice) = named.filter(|&choice| asked.is_legal(choice)) {
        return Found::Legal(choice);
    }
    let digits = text.strip_prefix('#').unwrap_or(text);
    let number = digits.parse().ok().and_then(|number| known.numbers().find(number));
    if let Some(choice) = number {
        return if asked.is_legal(choice) { Found::Legal(choice) } else { Found::Illegal(choice) };
    }
    let state = || match view.game().info().information {
        Information::Perfect => fluents(&**view.game(), &known.state()),
        Information::Hidden => Vec::new(),
    };
    let chosen = match meant(text, moves) {
        Meant::One(choice) => Meant::One(choice),
        // `e4` is a pawn's move, even if other pieces can go there.
        other => match san::meant(text, moves, &state()) {
            Meant::Nothing => other,
            algebraic => algebraic,
        },
    };
    match chosen {
        Meant::One(choice) if asked.is_legal(choice) => return Found::Legal(choice),
        Meant::One(choice) => return Found::Illegal(choice),
        Meant::Several(texts) => return Found::Several(texts),
        Meant::Nothing => {}
    }
    if let Some(choice) = named {
        return Found::Illegal(choice);
    }
    // A move that is legal in other positions.
    let count = view.game().info().moves.filter(|&count| count <= VOCABULARY).unwrap_or(0);
    let all: Vec<(Move, String)> =
        (0..count).map(Move).map(|choice| (choice, words.move_text(choice))).collect();
    match (meant(text, &all), san::meant(text, &all, &state())) {
        (Meant::One(choice), _) | (_, Meant::One(choice)) => Found::Illegal(choice),
        (_, Meant::Several(texts)) => Found::SeveralIllegal(texts),
        _ => Found::Nothing,
    }
}

/// The move that a person means.
fn choice(
    asked: &Asked<'_>,
    known: &Known,
    refused: &mut Option<Move>,
    text: &str,
) -> Result<Move> {
    let hidden = asked.view.game().info().information == Information::Hidden;
    match find(asked, known, text) {
        Found::Legal(choice) => Ok(choice),
        Found::Illegal(choice) => {
            *refused = Some(choice);
            let text = plain(&asked.view.game().text().move_text(choice));
            let why = if hidden { "" } else { " and `why` gives the reason" };
            bail!("{text} is not legal here; `moves` lists the legal moves{why}")
        }
        Found::Several(texts) => bail!("{} may mean {}", short(text), several(texts)),
        Found::SeveralIllegal(texts) => bail!(
            "{} is not legal here; `why` gives the reason for one of: {}",
            short(text),
            several(texts)
        ),
        Found::Nothing => {
            let near = suggestions(text, known.moves(), &COMMANDS);
            let text = short(text);
            match (near.is_empty(), known.moves().len()) {
                (false, _) => {
                    bail!("{text} is not understood; did you mean {}?", near.join(" or "))
                }
                (true, 0) => bail!("{text} is not understood; `help` lists the commands"),
                (true, moves) => bail!(
                    "{text} is not understood; `moves` lists your {}, `help` the commands",
                    plural(moves, "move")
                ),
            }
        }
    }
}

/// The number after a command; one if there is none.
fn count(text: &str, most: usize, what: &str) -> Result<usize> {
    let count = match text {
        "" => 1,
        _ => match text.parse() {
            Ok(count) if count > 0 => count,
            _ => bail!("{} is not a number of moves", short(text)),
        },
    };
    match most {
        0 => bail!("no move of yours can be {what}"),
        _ if count > most => bail!("only {} of yours can be {what}", plural(most, "move")),
        _ => Ok(count),
    }
}
