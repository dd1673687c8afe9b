//! A person at the terminal, or a script that replaces one.

pub(crate) mod cells;
pub(crate) mod find;
mod input;
mod known;
pub(crate) mod moves;
mod odds;
mod recorder;
mod san;
mod save;
pub(crate) mod why;
mod words;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, Result, anyhow, bail};
use magister::{Playable, Source};
use magister_arena::{AgentThread, Asked, Ended, Person, TimeControl, Wish};
use magister_core::{
    Game, Information, MatchRecord, Move, PlayerSource as _, Role, Said, Seed, Stop,
};
use magister_engine::board::{Painter, Picture, fluents};
use magister_players::Spec;

pub(crate) use self::recorder::Recorder;
pub(crate) use self::save::Save;
pub(crate) use self::words::{Verdict, verdict};

use self::cells::Cells;
use self::find::{Found, Place, Refused, choice, find};
use self::input::{read, short};
use self::known::Known;
use self::moves::{is_idle, plain, several};
use crate::commands::plural;
use crate::draw::{Look, has_cards};
use crate::interrupt;
use crate::terminal::{fitted, paragraphs};

const HELP: &str = "\
MOVE          a move as listed, or its number; part of it is enough if only one
              legal move fits. A move keeps its number for the whole match.
do MOVE       make a move whose name is also a command
moves [TEXT]  all your moves, or those that contain TEXT
hint          the move that the computer recommends
why [MOVE]    why a move is illegal; without MOVE, the last one you tried
show          the board, with its symbols explained
rules         the rules of the game
history       the moves so far
undo [N]      take back your last move, or the last N
redo [N]      redo moves that you took back
save FILE     save the match; `magister play --resume FILE` continues it.
              It replaces only an earlier save of this match;
              `save! FILE` overwrites any file.
resign        give up the match
quit          leave the program
";

/// The line of the help for card games.
const HELP_WITH_CARDS: &str = "\
where [CARD]  where a card may be, or all cards that you do not see
";

/// The words that are commands, for suggestions.
const COMMANDS: [&str; 13] = [
    "do", "help", "hint", "history", "moves", "quit", "redo", "resign", "rules", "save", "show",
    "undo", "why",
];

/// The maximum number of moves for which `why` gives the reason.
const EXPLAINED: usize = 3;

/// The description of a game beyond its rulesheet.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    /// The title of the game.
    pub(crate) title: String,
    /// The aim of the players, as a sentence.
    pub(crate) aim: String,
    /// The rules for people.
    pub(crate) rules: String,
    /// The clues of a puzzle.
    pub(crate) clues: String,
}

/// A person's wish after a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum After {
    #[default]
    Quit,
    /// Another match.
    Rematch,
    /// Another match with the roles exchanged.
    Swap,
}

/// Asks people on the terminal. It shows what the role knows: the board with perfect information,
/// and the certain facts with hidden information.
pub(crate) struct Console {
    game: Arc<dyn Game>,
    /// The name of the game on the command line.
    name: String,
    source: Source,
    painter: Painter,
    look: Look,
    about: About,
    /// The player that gives hints, and its time control.
    adviser: (Spec, TimeControl),
    seed: u64,
    /// Whether several people share the terminal.
    shared: bool,
    /// The file in which the match is recorded at its end.
    recorder: Option<Arc<Recorder>>,
    cells: Cells,
    /// How moves name cells, as a sentence.
    reading: String,
    talk: Mutex<Talk>,
}

/// The conversation so far.
#[derive(Default)]
struct Talk {
    /// The knowledge of each role, by its number.
    tables: BTreeMap<usize, Known>,
    /// The last role that was shown something.
    last: Option<usize>,
    /// Whether all people have left; then no one is asked any more.
    left: bool,
    /// The file in which the match is to be saved.
    save: Option<Save>,
    after: After,
    refused: Refused,
    /// Whether the moves since the last question were redone.
    redone: bool,
    /// Whether a person was asked what to do after the match.
    over: bool,
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
        recorder: Option<Arc<Recorder>>,
    ) -> Self {
        let painter = playable.painter();
        let cells = Cells::new(&first_picture(&*playable.game, &painter));
        let reading = cells.reading(&first_moves(&*playable.game)).unwrap_or_default();
        Console {
            game: Arc::clone(&playable.game),
            name: playable.name.clone(),
            source: playable.source.clone(),
            painter,
            cells,
            reading,
            look,
            about,
            adviser,
            seed,
            shared,
            recorder,
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
        first_picture(&*self.game, &self.painter)
    }

    /// How moves name the cells of the board, if that needs an explanation.
    pub(crate) fn reading(&self) -> String {
        if self.reading.is_empty() { String::new() } else { fitted(&self.reading) }
    }

    /// Clears the match, for the next one.
    pub(crate) fn begin(&self) {
        *self.talk() = Talk::default();
    }

    /// The file in which the match is to be saved, if the person requested it.
    pub(crate) fn take_save(&self) -> Option<Save> {
        self.talk().save.take()
    }

    /// The person's wish after the match.
    pub(crate) fn after(&self) -> After {
        self.talk().after
    }

    /// Shows what is new, and asks until there is an answer.
    fn converse(&self, asked: &Asked<'_>, talk: &mut Talk) -> Result<Wish> {
        let (view, role) = (asked.view, asked.view.role());
        let name = view.game().info().role_name(role);
        let mut out = anstream::stdout().lock();
        let number = role.index();
        let Talk { tables, last, refused, save, redone, .. } = &mut *talk;
        let known = tables.entry(number).or_insert_with(|| Known::new(view.game(), role));
        let news = known.follow(view, &self.look, std::mem::take(redone));
        if let [(only, text)] = known.moves()
            && asked.is_legal(*only)
        {
            let (only, text) = (*only, text.clone());
            // There is nothing to choose; with hidden information, the role is asked all the same.
            if !is_idle(&text) {
                self.hand_over(&mut out, last, number, name)?;
                write!(out, "{news}")?;
                write!(out, "{}", known.position(view, &self.painter, &self.look, false))?;
                let text = self.look.choice(view.game(), &text);
                writeln!(out, "{name}: {text} (your only move)")?;
            } else if !news.is_empty() {
                self.hand_over(&mut out, last, number, name)?;
                write!(out, "{news}")?;
            }
            return Ok(Wish::Play(only));
        }
        self.hand_over(&mut out, last, number, name)?;
        write!(out, "{news}")?;
        write!(out, "{}", known.position(view, &self.painter, &self.look, false))?;
        write!(out, "{}", known.list(&self.look, false, ""))?;
        loop {
            let Some(line) = read(&mut out, name)? else { return Ok(Wish::Leave) };
            match self.answer(asked, known, refused, save, &line) {
                Ok(Answer::Wish(wish)) => {
                    if let Wish::Play(choice) = wish {
                        let text = view.game().text().move_text(choice);
                        // How a number or a part of a move was understood.
                        if plain(&line.to_lowercase()) != plain(&text).to_lowercase() {
                            writeln!(out, "You: {}", self.look.choice(view.game(), &text))?;
                        }
                    }
                    *redone = matches!(wish, Wish::Forth(_));
                    return Ok(wish);
                }
                Ok(Answer::Text(text)) => write!(out, "{text}")?,
                Err(error) => write!(out, "{}", fitted(&format!("{error:#}")))?,
            }
        }
    }

    /// Announces the turn to the people at one terminal. With hidden information, the screen is
    /// cleared before the next person looks at it.
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
        refused: &mut Refused,
        save: &mut Option<Save>,
        line: &str,
    ) -> Result<Answer> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let mut play = |text: &str| -> Result<Answer> {
            let found = choice(asked, known, &self.cells, &self.look, refused, text)?;
            Ok(Answer::Wish(Wish::Play(found)))
        };
        Ok(match word.to_lowercase().as_str() {
            "" => Answer::Text(String::new()),
            "do" => play(rest)?,
            "undo" => Answer::Wish(Wish::Back(count(rest, asked.back, "taken back")?)),
            "redo" => Answer::Wish(Wish::Forth(count(rest, asked.forth, "redone")?)),
            "hint" if rest.is_empty() => Answer::Text(self.hint(asked)?),
            "moves" | "legal" => Answer::Text(known.list(&self.look, true, rest)),
            "show" | "board" if rest.is_empty() => Answer::Text(
                known.position(asked.view, &self.painter, &self.look, true)
                    + &self.clues()
                    + &known.list(&self.look, false, ""),
            ),
            "rules" if rest.is_empty() => Answer::Text(self.rules()),
            "why" => Answer::Text(self.why(asked, known, refused, rest)?),
            "history" if rest.is_empty() => Answer::Text(known.history()),
            "help" | "?" if rest.is_empty() => Answer::Text(self.help()),
            "where" if let Some(cards) = self.source.card_game() => {
                Answer::Text(self.odds(cards, asked, rest)?)
            }
            word @ ("save" | "save!") => {
                *save = Some(Save::read(word, rest)?);
                Answer::Wish(Wish::Pause)
            }
            "resign" if rest.is_empty() => Answer::Wish(Wish::Resign),
            "quit" | "exit" | "q" if rest.is_empty() => Answer::Wish(Wish::Leave),
            word @ ("rematch" | "swap") if rest.is_empty() => play(line).map_err(|_| {
                anyhow!("`{word}` is available after the match; `resign` ends this one")
            })?,
            _ => play(line)?,
        })
    }

    fn help(&self) -> String {
        let cards = self.source.card_game().is_some();
        let (before, after) = HELP.split_at(HELP.find("show ").unwrap_or(HELP.len()));
        format!("{before}{}{after}", if cards { HELP_WITH_CARDS } else { "" })
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
        paragraphs(text) + &self.reading() + &self.clues()
    }

    /// The clues of a puzzle.
    pub(crate) fn clues(&self) -> String {
        if self.about.clues.is_empty() {
            String::new()
        } else {
            format!("{}\n", self.about.clues.trim_end())
        }
    }

    /// Why moves are not legal.
    fn why(
        &self,
        asked: &Asked<'_>,
        known: &Known,
        refused: &mut Refused,
        text: &str,
    ) -> Result<String> {
        let (game, role) = (asked.view.game(), asked.view.role());
        let words = game.text();
        if !text.is_empty() {
            let is_known = |choice: Move| known.moves().iter().any(|(known, _)| *known == choice);
            let is_legal = |choice| asked.is_legal(choice);
            *refused = match find(&Place::of(asked, known, &self.cells, &is_legal), text) {
                Found::Legal(choice) if is_known(choice) => {
                    let text = self.look.choice(game, &words.move_text(choice));
                    return Ok(format!("{text} is legal.\n"));
                }
                // Only the rules show that it is legal.
                Found::Legal(choice) => {
                    Refused { moves: vec![words.move_text(choice)], never: false }
                }
                Found::Illegal(moves) => Refused { moves, never: false },
                Found::Never(one) => Refused { moves: vec![one], never: true },
                Found::Several(texts) => bail!("{} may mean {}", short(text), several(texts)),
                Found::NoMove(sentence) => bail!("{sentence}"),
                Found::Nothing => bail!("{} is not a move of this game", short(text)),
            };
        }
        if refused.moves.is_empty() {
            bail!("You have not tried an illegal move yet; type `why MOVE` to ask about one.");
        }
        if let Some(answer) = self.not_held(role, known, refused) {
            return Ok(answer);
        }
        let Some(state) = known.certain_state().filter(|_| !has_cards(game)) else {
            let texts = refused.moves.iter().take(EXPLAINED);
            let texts: Vec<String> = texts.map(|text| self.look.choice(game, text)).collect();
            let are = if texts.len() == 1 { "is" } else { "are" };
            bail!(
                "{} {are} not legal now; the reason is not given, because it might reveal what is \
                 hidden from you. `rules` explains the moves in words",
                texts.join(", ")
            );
        };
        let name = game.info().role_name(role);
        let mut answer = String::new();
        let mut in_rules = false;
        for text in refused.moves.iter().take(EXPLAINED) {
            let asked = why::Question { role: name, choice: text, never: refused.never };
            let fluents = fluents(&**game, &state);
            let why::Reply { text, fixed, .. } = why::illegal(&self.source, fluents, &asked)?;
            answer.push_str(&text);
            in_rules |= fixed;
        }
        if in_rules && !self.about.rules.is_empty() {
            answer.push_str("`rules` explains the moves in words.\n");
        }
        Ok(answer)
    }

    /// In a card game, the cards of an illegal move that are not in the player's own hand.
    fn not_held(&self, role: Role, known: &Known, refused: &Refused) -> Option<String> {
        let cards = self.source.card_game()?;
        let state = known.possible_state()?;
        let words = refused.moves.iter().flat_map(|text| text.split([' ', '(', ')', '[', ']']));
        let strange = |word: &&str| cards.holds(&state, role, word) == Some(false);
        let strange: std::collections::BTreeSet<&str> = words.filter(strange).collect();
        if strange.is_empty() {
            return None;
        }
        let are = if strange.len() == 1 { "is" } else { "are" };
        let strange: Vec<&str> = strange.into_iter().collect();
        Some(format!("{} {are} not in your hand.\n", strange.join(", ")))
    }

    /// The move that the adviser recommends.
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

    /// Shows the end with the hidden information, and asks how to continue.
    fn finish(&self, asked: &Asked<'_>, end: &Ended<'_>, talk: &mut Talk) -> Result<Wish> {
        let (view, role) = (asked.view, asked.view.role());
        let game = view.game();
        let known = talk.tables.entry(role.index());
        let known = known.or_insert_with(|| Known::new(game, role));
        let mut out = anstream::stdout().lock();
        let hidden = game.info().information == Information::Hidden;
        write!(out, "{}", known.follow(view, &self.look, false))?;
        let secret = hidden && known.was_hidden();
        if hidden {
            write!(out, "{}", known.seen_so_far())?;
            write!(out, "{}", self.revealed(end.record, secret))?;
        } else {
            write!(out, "{}", known.position(view, &self.painter, &self.look, false))?;
        }
        writeln!(out, "{}", words::result(view, end.outcome, self.shared))?;
        // The match is recorded now, because the person may close the terminal instead of leaving.
        if let Some(recorder) = &self.recorder {
            match recorder.ended(end.record) {
                Ok(Some(line)) => write!(out, "{}", fitted(&line))?,
                Ok(None) => {}
                Err(error) => write!(out, "{}", fitted(&format!("{error:#}")))?,
            }
        }
        let history = known.history();
        // After hidden information has been shown, taking a move back would be unfair.
        let back = if secret { None } else { Some(asked.back) };
        self.ask_after(&mut out, &mut talk.after, &history, back, Some(end.record))
    }

    /// Whether anything was hidden from a person during the match.
    pub(crate) fn was_hidden(&self) -> bool {
        let talk = self.talk();
        talk.tables.is_empty() || talk.tables.values().any(Known::was_hidden)
    }

    /// The final position of a match, with the hidden information if there was any.
    pub(crate) fn revealed(&self, record: &MatchRecord, secret: bool) -> String {
        let Ok(again) = record.replay(&*self.game, &Stop::never()) else { return String::new() };
        let Some(last) = again.states.last() else { return String::new() };
        let text = self.look.cards(&*self.game, last, None).unwrap_or_else(|| {
            self.look.text(&self.painter.picture(&*self.game, last), None, true)
        });
        if text.trim().is_empty() {
            String::new()
        } else {
            let what = if secret { ", with what was hidden" } else { "" };
            format!("The position at the end{what}:\n{text}")
        }
    }

    /// Asks what to do after a match that was resigned.
    pub(crate) fn ask_afterwards(&self, record: &MatchRecord) -> Result<()> {
        let mut talk = self.talk();
        let mut out = anstream::stdout().lock();
        let mut after = After::Quit;
        self.ask_after(&mut out, &mut after, "", Some(0), Some(record))?;
        talk.after = after;
        Ok(())
    }

    fn ask_after(
        &self,
        out: &mut impl Write,
        after: &mut After,
        history: &str,
        back: Option<usize>,
        record: Option<&MatchRecord>,
    ) -> Result<Wish> {
        *after = After::Quit;
        let several = self.game.info().players().count() > 1;
        let swap = if several { ", swap" } else { "" };
        let undo = if back.is_some_and(|back| back > 0) { ", undo" } else { "" };
        let offered = format!("rematch{swap}{undo}, history, save FILE or quit");
        write!(out, "{}", fitted(&format!("Type {offered}.")))?;
        loop {
            let Some(line) = read(out, "")? else { return Ok(Wish::Leave) };
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
                "undo" => match back.map(|back| count(rest.trim(), back, "taken back")) {
                    Some(Ok(count)) => return Ok(Wish::Back(count)),
                    Some(Err(error)) => writeln!(out, "{error:#}")?,
                    None => writeln!(
                        out,
                        "What was hidden has been shown, so moves cannot be taken back."
                    )?,
                },
                "history" => write!(out, "{history}")?,
                "rules" => write!(out, "{}", self.rules())?,
                word @ ("save" | "save!") => {
                    let saved = Save::read(word, rest.trim()).and_then(|save| {
                        record.map_or(Ok(()), |record| save.write(record))?;
                        Ok(save.path)
                    });
                    match saved {
                        Ok(path) => {
                            let path = path.display();
                            writeln!(out, "Saved. `magister replay {path}` shows the match.")?;
                        }
                        Err(error) => writeln!(out, "{error:#}")?,
                    }
                }
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
        // Several people at one terminal are asked together.
        if talk.over {
            return Wish::Leave;
        }
        let wish = self.finish(asked, end, &mut talk).unwrap_or(Wish::Leave);
        talk.over = !matches!(wish, Wish::Back(_) | Wish::Forth(_));
        wish
    }
}

/// The position before the first move.
pub(crate) fn first_picture(game: &dyn Game, painter: &Painter) -> Picture {
    let mut worker = game.worker();
    worker.reset();
    let mut state = Vec::new();
    worker.save(&mut state);
    painter.picture(game, &state)
}

/// The moves of the first player with a choice before the first move.
fn first_moves(game: &dyn Game) -> Vec<(Move, String)> {
    let mut worker = game.worker();
    worker.reset();
    let role = game.info().players().find(|&role| worker.legal(role).len() > 1);
    let moves = role.map(|role| worker.legal(role).to_vec()).unwrap_or_default();
    moves.into_iter().map(|choice| (choice, game.text().move_text(choice))).collect()
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
