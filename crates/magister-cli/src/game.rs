//! From an argument to a game that can be played.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use magister_core::{Game, Stop, Style};
use magister_engine::board::Painter;
use magister_engine::evaluator::{Choice, Playing};
use magister_engine::{Error, Evaluator, Prepared, Program, prepare_with, within};
use magister_games::catalogue::{Found, Version};
use magister_games::{catalogue, native};
use magister_gdl::{Options, Rulesheet, nearest, read};

use crate::args::Evaluators;
use crate::commands::complain;
use crate::input::{self, Input};
use crate::waiting::watched;

/// How long preparing for playouts on vectors may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// What stands before the name of a game to ask for its version in Rust.
const RUST: &str = "rust:";

/// A game before it is prepared.
pub(crate) enum Source {
    /// Written in Rust.
    Rust { name: String, game: Arc<dyn Game> },
    /// Written as rules, which read without errors.
    Rules { name: String, input: Input, rules: Box<Rulesheet>, took: Duration, style: Style },
}

/// A game that can be played.
pub(crate) struct Playable {
    /// What to call it.
    pub(crate) name: String,
    pub(crate) game: Arc<dyn Game>,
    /// The name of its evaluator; `rust` for a game written in Rust.
    pub(crate) evaluator: &'static str,
    /// From text to game.
    pub(crate) took: Duration,
    /// Everything else, if it was made of rules.
    pub(crate) prepared: Option<Prepared>,
}

/// The game of an argument: a bundled name, `rust:` and a bundled name, a file, or `-`.
pub(crate) fn find(argument: &str, options: &Options) -> Result<Source> {
    if let Some(name) = argument.strip_prefix(RUST) {
        return rust(name);
    }
    if let Some(Found { entry, version: Version::Rust }) = input::bundled(argument) {
        return rust(entry.name);
    }
    let input = input::open(argument)?;
    let start = Instant::now();
    let sheet = read(&input.text, options);
    let took = start.elapsed();
    if sheet.diagnostics.has_errors() {
        complain(&input.name, &input.text, &sheet.diagnostics)?;
        bail!("{} cannot be played as long as it has errors", input.name);
    }
    let name = if argument == "-" { input.name.clone() } else { argument.to_owned() };
    let style = style(argument)?;
    Ok(Source::Rules { name, input, rules: Box::new(sheet.rules), took, style })
}

/// How a game is to be drawn: as the catalogue says, or `style.toml` beside the file.
fn style(argument: &str) -> Result<Style> {
    if let Some(found) = input::bundled(argument) {
        return Ok(found.entry.style.clone());
    }
    let path = Path::new(argument).with_file_name("style.toml");
    if argument == "-" || !path.is_file() {
        return Ok(Style::default());
    }
    let text = input::read(&path.to_string_lossy())?.text;
    catalogue::parse_style(&text).map_err(|error| anyhow!("{}: {error}", path.display()))
}

/// The game of an argument, ready to play.
pub(crate) fn open(
    argument: &str,
    evaluator: Option<Evaluator>,
    options: &Options,
) -> Result<Playable> {
    find(argument, options)?.prepare(evaluator)
}

/// The game of an argument, ready for players that search: what playouts on vectors need is made
/// now, so that it takes no time from anybody's clock.
pub(crate) fn open_for_play(argument: &str, options: &Options) -> Result<Playable> {
    Ok(ready(open(argument, None, options)?))
}

/// The same game, after what playouts on vectors need was made.
pub(crate) fn ready(playable: Playable) -> Playable {
    let prepared = playable.prepared.as_ref();
    if let Some(network) = prepared.and_then(|prepared| prepared.network.as_ref()) {
        // A game for which that takes too long is played without.
        let _ = within(PATIENCE, &Stop::never(), |stop| network.choices(stop));
    }
    playable
}

fn rust(name: &str) -> Result<Source> {
    let name = catalogue::find(name).map_or(name, |entry| entry.name);
    let Some(game) = native::find(name) else {
        let games = native::all();
        let names: Vec<&str> = games.iter().map(|entry| entry.0).collect();
        match nearest(name, names.iter().copied()) {
            Some(near) => bail!("no game called {name} is written in Rust; did you mean {near}?"),
            None => {
                bail!("no game called {name} is written in Rust; these are: {}", names.join(", "))
            }
        }
    };
    Ok(Source::Rust { name: format!("{RUST}{name}"), game })
}

impl Playable {
    /// The same game, whose playouts are made step by step.
    fn one_by_one(mut self) -> Self {
        let network = self.prepared.as_ref().and_then(|prepared| prepared.network.as_ref());
        if let Some(network) = network {
            self.game = Arc::new(network.playing(Choice::Always(Playing::OneByOne)));
        }
        self
    }
}

impl Source {
    pub(crate) fn name(&self) -> &str {
        match self {
            Source::Rust { name, .. } | Source::Rules { name, .. } => name,
        }
    }

    /// The game by a given evaluator, or by the best that takes it.
    pub(crate) fn prepare(&self, evaluator: Option<Evaluator>) -> Result<Playable> {
        // The error tells its own cause.
        self.try_prepare(evaluator)?
            .map_err(|error| anyhow!("{} is no game that can be played: {error}", self.name()))
    }

    /// The same, with the reason apart if the rules are the reason that it can not be done.
    pub(crate) fn try_prepare(
        &self,
        evaluator: Option<Evaluator>,
    ) -> Result<Result<Playable, Error>> {
        match self {
            Source::Rust { name, game } => {
                if let Some(evaluator) = evaluator {
                    bail!(
                        "{name} is written in Rust and needs no evaluator; leave out --evaluator \
                         {evaluator}"
                    );
                }
                Ok(Ok(Playable {
                    name: name.clone(),
                    game: Arc::clone(game),
                    evaluator: "rust",
                    took: Duration::ZERO,
                    prepared: None,
                }))
            }
            Source::Rules { name, input, rules, took, .. } => {
                let start = Instant::now();
                let prepared = watched(name, |progress| {
                    prepare_with(rules, &input.text, name, evaluator, &Stop::never(), progress)
                });
                Ok(prepared.map(|prepared| Playable {
                    name: name.clone(),
                    game: Arc::clone(&prepared.game),
                    evaluator: prepared.evaluator.name(),
                    took: *took + start.elapsed(),
                    prepared: Some(prepared),
                }))
            }
        }
    }

    /// Who draws positions of the game.
    pub(crate) fn painter(&self, playable: &Playable) -> Painter {
        let game = &*playable.game;
        match self {
            Source::Rust { name, .. } => {
                let style = name.strip_prefix(RUST).and_then(catalogue::find).map(|e| &e.style);
                Painter::new(game, None, None, style.unwrap_or(&Style::default()))
            }
            Source::Rules { input, rules, style, .. } => {
                let on = playable.prepared.as_ref().and_then(|p| p.network.as_deref());
                let network = on.map(magister_engine::evaluator::NetworkGame::network);
                let program = Program::new(rules, &input.text).ok();
                Painter::new(game, network, program.as_ref(), style)
            }
        }
    }

    /// Hands on the game by each evaluator that was asked for, one after the other. With
    /// [`Evaluators::All`], those that do not take the game are told on standard error and left
    /// out; that none does is an error.
    pub(crate) fn each(
        &self,
        wanted: Option<Evaluators>,
        mut then: impl FnMut(&Playable) -> Result<()>,
    ) -> Result<()> {
        let all = match (wanted, self) {
            (None, _) | (Some(Evaluators::All), Source::Rust { .. }) => {
                return then(&self.prepare(None)?);
            }
            (Some(Evaluators::One(one)), _) => return then(&self.prepare(Some(one))?),
            (Some(Evaluators::Steps), _) => return then(&self.prepare(None)?.one_by_one()),
            (Some(Evaluators::All), Source::Rules { .. }) => Evaluator::ALL,
        };
        let mut taken = false;
        for &evaluator in all {
            match self.try_prepare(Some(evaluator))? {
                Ok(playable) => {
                    taken = true;
                    then(&playable)?;
                }
                Err(error) => anstream::eprintln!(
                    "magister: {}: evaluator {evaluator} does not take the game: {error}",
                    self.name()
                ),
            }
        }
        if !taken {
            bail!("{} is no game that can be played", self.name());
        }
        Ok(())
    }
}
