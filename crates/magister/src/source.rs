//! Games that were found and read, before their preparation.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use magister_core::{Game, Style};
use magister_engine::network::GdlNetwork;
use magister_engine::{Evaluator, Program, network_of, prepare_each, prepare_with};
use magister_games::catalogue::{self, Found, Version};
use magister_games::native;
use magister_gdl::{Rulesheet, nearest};

use crate::language::{self, Language, Rules};
use crate::progress::watched;
use crate::{Error, Findings, Input, Options, Playable, bundled, subgame};

/// The prefix of a name that selects the version in Rust.
const RUST: &str = "rust:";

/// A game that was found and read without errors, before its preparation. Copies share it.
#[derive(Clone)]
pub struct Source(Arc<Inner>);

struct Inner {
    name: String,
    origin: Origin,
    style: Style,
    options: Options,
}

enum Origin {
    Rust(Arc<dyn Game>),
    Rules { input: Input, rules: Rules, took: Duration },
}

impl Source {
    pub(crate) fn find(name: &str, options: &Options) -> Result<Self, Error> {
        if let Some(name) = name.strip_prefix(RUST) {
            return Source::rust(name, options);
        }
        if let Some(Found { entry, version: Version::Rust }) = bundled(name) {
            return Source::rust(entry.name, options);
        }
        Source::new(name, Input::open(name)?, style(name)?, options)
    }

    /// Reads rules from elsewhere, such as standard input.
    pub fn read(name: &str, input: Input, options: &Options) -> Result<Self, Error> {
        Source::new(name, input, Style::default(), options)
    }

    fn new(name: &str, input: Input, style: Style, options: &Options) -> Result<Self, Error> {
        let start = Instant::now();
        let (input, rules) = language::read(name, input, &options.reading).map_err(Error::Rules)?;
        let took = start.elapsed();
        Ok(Source(Arc::new(Inner {
            name: name.to_owned(),
            style,
            origin: Origin::Rules { input, rules, took },
            options: options.clone(),
        })))
    }

    fn rust(name: &str, options: &Options) -> Result<Self, Error> {
        let entry = catalogue::find(name);
        let name = entry.map_or(name, |entry| entry.name);
        let Some(game) = native::find(name) else {
            let all: Vec<&'static str> = native::all().iter().map(|entry| entry.0).collect();
            let near = nearest(name, all.iter().copied());
            let similar = match near.and_then(|near| all.iter().find(|&&other| other == near)) {
                Some(near) => vec![*near],
                None => all,
            };
            return Err(Error::NotInRust { name: name.to_owned(), similar });
        };
        Ok(Source(Arc::new(Inner {
            name: format!("{RUST}{name}"),
            origin: Origin::Rust(game),
            style: entry.map(|entry| entry.style.clone()).unwrap_or_default(),
            options: options.clone(),
        })))
    }

    /// The name of the game.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Its language.
    pub fn language(&self) -> Language {
        match &self.0.origin {
            Origin::Rust(_) => Language::Rust,
            Origin::Rules { rules, .. } => rules.language(),
        }
    }

    /// The rules as text with their name, if the game has any.
    pub fn input(&self) -> Option<&Input> {
        match &self.0.origin {
            Origin::Rust(_) => None,
            Origin::Rules { input, .. } => Some(input),
        }
    }

    /// The rules as a tree, if the game is written in GDL.
    pub fn rulesheet(&self) -> Option<&Rulesheet> {
        match &self.0.origin {
            Origin::Rules { rules: Rules::Gdl(sheet), .. } => Some(sheet),
            Origin::Rust(_) | Origin::Rules { .. } => None,
        }
    }

    /// The card game, if it is written in RECYCLE.
    pub fn card_game(&self) -> Option<&magister_recycle::CardGame> {
        match &self.0.origin {
            Origin::Rules { rules: Rules::Recycle(game), .. } => Some(game),
            Origin::Rust(_) | Origin::Rules { .. } => None,
        }
    }

    /// The rules as plain data for an evaluator, if the game is written in GDL.
    pub fn program(&self) -> Option<Result<Program, magister_engine::Error>> {
        let text = &self.input()?.text;
        Some(Program::new(self.rulesheet()?, text))
    }

    /// Overrides for drawing its board.
    pub fn style(&self) -> &Style {
        &self.0.style
    }

    /// All findings about the rules without playing, including errors that only a thorough check
    /// finds, and warnings. `None` for a game written in Rust.
    pub fn check(&self) -> Option<Findings> {
        Some(language::check(self.input()?, &self.0.options.reading))
    }

    /// The game on a given evaluator, or on the best that supports it.
    pub fn prepare(&self, evaluator: Option<Evaluator>) -> Result<Playable, Error> {
        match (&self.0.origin, evaluator) {
            (Origin::Rust(_) | Origin::Rules { rules: Rules::Recycle(_), .. }, Some(evaluator)) => {
                Err(Error::NoEvaluator { name: self.0.name.clone(), evaluator })
            }
            (Origin::Rust(game), None) => Ok(Playable::native(self.clone(), Arc::clone(game))),
            (Origin::Rules { rules: Rules::Recycle(game), took, .. }, None) => {
                Ok(Playable::cards(self.clone(), game, *took))
            }
            (Origin::Rules { input, rules: Rules::Gdl(rules), took }, _) => {
                let Inner { name, options, .. } = &*self.0;
                let start = Instant::now();
                let prepared = watched(name, options, |progress| {
                    prepare_with(rules, &input.text, name, evaluator, &options.stop, progress)
                });
                let prepared = prepared.map_err(|error| self.not_playable(error))?;
                Ok(Playable::new(self.clone(), prepared, *took + start.elapsed()))
            }
        }
    }

    /// The game on every evaluator that supports it. Rules are grounded once for all of them. A
    /// game that is not written in GDL has only one evaluator.
    pub fn prepare_each(&self) -> Result<Each, Error> {
        let alone = |playable| Each { taken: vec![playable], refused: Vec::new() };
        match &self.0.origin {
            Origin::Rust(game) => Ok(alone(Playable::native(self.clone(), Arc::clone(game)))),
            Origin::Rules { rules: Rules::Recycle(game), took, .. } => {
                Ok(alone(Playable::cards(self.clone(), game, *took)))
            }
            Origin::Rules { input, rules: Rules::Gdl(rules), took } => {
                let Inner { name, options, .. } = &*self.0;
                let start = Instant::now();
                let each = watched(name, options, |progress| {
                    prepare_each(rules, &input.text, name, &options.stop, progress)
                });
                let each = each.map_err(|error| self.not_playable(error))?;
                let took = *took + start.elapsed();
                let playable = |prepared| Playable::new(self.clone(), prepared, took);
                Ok(Each {
                    taken: each.taken.into_iter().map(playable).collect(),
                    refused: each.refused,
                })
            }
        }
    }

    /// The game as a network, if its rules can be grounded within the limits.
    pub fn network(&self) -> Option<Result<Arc<GdlNetwork>, magister_engine::Error>> {
        let (input, rules) = (self.input()?, self.rulesheet()?);
        let Inner { name, options, .. } = &*self.0;
        Some(watched(name, options, |progress| {
            network_of(rules, &input.text, &options.stop, progress)
        }))
    }

    fn not_playable(&self, error: magister_engine::Error) -> Error {
        Error::NotPlayable { name: self.0.name.clone(), error }
    }
}

/// A game on every evaluator.
#[derive(Debug)]
pub struct Each {
    /// The game on the evaluators that support it, fastest kinds first. Never empty.
    pub taken: Vec<Playable>,
    /// The evaluators that do not support the game, and why.
    pub refused: Vec<(Evaluator, magister_engine::Error)>,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("name", &self.0.name)
            .field("language", &self.language())
            .finish_non_exhaustive()
    }
}

/// How a game is drawn: as in the catalogue, or by the `style.toml` next to the file.
fn style(name: &str) -> Result<Style, Error> {
    // A subgame is drawn as its game.
    let name = subgame::parse(name).map_or(name, |(game, _)| game);
    if let Some(found) = bundled(name) {
        return Ok(found.entry.style.clone());
    }
    let file = Path::new(name);
    let path = file.with_file_name("style.toml");
    if !file.is_file() || !path.is_file() {
        return Ok(Style::default());
    }
    let path = path.to_string_lossy().into_owned();
    let text = Input::file(&path)?.text;
    catalogue::parse_style(&text).map_err(|what| Error::Style { path, what })
}
