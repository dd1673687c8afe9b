//! How to open a game.

use std::fmt;
use std::sync::Arc;

use magister_core::Stop;
use magister_engine::Evaluator;

use crate::{Error, FrontEnd, Input, Playable, Report, Source, recognise};

/// A callback for progress reports.
type Listener = Arc<dyn Fn(&Report<'_>) + Send + Sync>;

/// How rules are read, by language.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// The front end; by default the one that recognises the rules.
    pub front_end: Option<FrontEnd>,
    /// Syntax, dialect and limits of GDL.
    pub gdl: magister_gdl::Options,
    /// The limits of RECYCLE, and whether to reproduce the behaviour of its original program.
    pub recycle: magister_recycle::Options,
}

impl Reading {
    /// The front end that reads a text.
    pub fn front_end_of(&self, input: &Input) -> FrontEnd {
        self.front_end.unwrap_or_else(|| recognise(input))
    }
}

/// How to open a game.
///
/// ```
/// use magister::{Options, engine::Evaluator};
///
/// let options = Options { evaluator: Some(Evaluator::Reference), ..Options::default() };
/// assert_eq!(options.open("tictactoe")?.evaluator, "reference");
/// # Ok::<(), magister::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Options {
    /// The evaluator of the rules; by default the best that supports them.
    pub evaluator: Option<Evaluator>,
    /// How rules are read: their language, recognised by content if it is not given, and limits on
    /// their size.
    pub reading: Reading,
    /// Stops the preparation, which then ends with an error.
    pub stop: Stop,
    /// Called about four times a second while a game is prepared, on a separate thread.
    pub progress: Option<Listener>,
}

impl Options {
    /// Opens a bundled game by its name, or a file by its path.
    pub fn open(&self, name: &str) -> Result<Playable, Error> {
        self.find(name)?.prepare(self.evaluator)
    }

    /// Opens a game from its rules.
    pub fn open_text(&self, name: &str, text: &str) -> Result<Playable, Error> {
        self.read_text(name, text)?.prepare(self.evaluator)
    }

    /// Finds and reads a game without preparing it.
    pub fn find(&self, name: &str) -> Result<Source, Error> {
        Source::find(name, self)
    }

    /// Reads a game from its rules without preparing it.
    pub fn read_text(&self, name: &str, text: &str) -> Result<Source, Error> {
        let input = Input { name: name.to_owned(), text: text.to_owned(), exact: true };
        Source::read(name, input, self)
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("evaluator", &self.evaluator)
            .field("reading", &self.reading)
            .field("stop", &self.stop)
            .field("progress", &self.progress.is_some())
            .finish()
    }
}
