//! From an argument to a game that can be played.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use magister_core::{Game, Stop};
use magister_engine::{Error, Evaluator, Prepared, prepare_with};
use magister_games::{catalogue, native};
use magister_gdl::{Options, Rulesheet, nearest, read};

use crate::args::Evaluators;
use crate::commands::complain;
use crate::input::{self, Input};
use crate::waiting::watched;

/// What stands before the name of a game to ask for its version in Rust.
const RUST: &str = "rust:";

/// A game before it is prepared.
pub(crate) enum Source {
    /// Written in Rust.
    Rust { name: String, game: Arc<dyn Game> },
    /// Written as rules, which read without errors.
    Rules { name: String, input: Input, rules: Box<Rulesheet>, took: Duration },
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
    let only_rust = catalogue::find(argument).is_some_and(|entry| entry.sheet.is_none());
    if only_rust && !std::path::Path::new(argument).is_file() {
        return rust(argument);
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
    Ok(Source::Rules { name, input, rules: Box::new(sheet.rules), took })
}

/// The game of an argument, ready to play.
pub(crate) fn open(
    argument: &str,
    evaluator: Option<Evaluator>,
    options: &Options,
) -> Result<Playable> {
    find(argument, options)?.prepare(evaluator)
}

/// The game of an argument, ready for players that search: with playouts many at once where the
/// game becomes a network. Which evaluator takes it does not depend on how fast the machine is
/// just now, so that the same seed gives the same match.
pub(crate) fn open_for_play(argument: &str, options: &Options) -> Result<Playable> {
    let source = find(argument, options)?;
    if let Source::Rust { .. } = source {
        return source.prepare(None);
    }
    match source.try_prepare(Some(Evaluator::Batch))? {
        Ok(playable) => Ok(playable),
        Err(_) => source.prepare(None),
    }
}

fn rust(name: &str) -> Result<Source> {
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
            Source::Rules { name, input, rules, took } => {
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
