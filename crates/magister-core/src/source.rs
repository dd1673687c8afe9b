//! Where players come from.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::record::{FaultKind, PlayerKind, Seat};
use crate::{Agent, Game, Role};

/// Makes players: the registry of built-in players, a remote program, a learned model.
///
/// A source is asked for its capabilities before anything is made, so that a player that does not
/// fit a game is refused early. [`make`](PlayerSource::make) may fail and may take long: whoever
/// plays the match calls it where a failure is a fault of the player and not the end of the match.
pub trait PlayerSource: fmt::Debug + Send + Sync {
    /// The name of the player, by which records and tournaments know it. Two players with
    /// different behaviour have different names.
    fn name(&self) -> String;

    /// What the player can do and what it needs.
    fn capabilities(&self) -> Capabilities;

    /// Where the player comes from, in a word for the record, such as `registry`.
    fn origin(&self) -> &str;

    /// The parameters of the player, those with default values too.
    fn parameters(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Makes the player that is going to play this role of this game. It is called again after the
    /// player crashed or could not be made.
    fn make(&self, game: &Arc<dyn Game>, role: Role) -> Result<Box<dyn Agent>, SourceError>;

    /// How the player stands in the record of a match.
    fn seat(&self) -> Seat {
        let capabilities = self.capabilities();
        Seat {
            role: String::new(),
            player: self.name(),
            kind: capabilities.kind,
            source: self.origin().to_owned(),
            parameters: self.parameters(),
            asked_when_forced: capabilities.asked_when_forced,
        }
    }
}

/// What a player can do and what it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// What kind of player it is. People are asked by whoever speaks for them and are never made.
    pub kind: PlayerKind,
    /// Whether it also plays games that hide information.
    pub hidden: bool,
    /// Whether it is shown the true state, which the record then says.
    pub clairvoyant: bool,
    /// Whether it is asked even where it has one legal move only.
    pub asked_when_forced: bool,
    /// How many threads of this machine it computes on while it thinks.
    pub threads: usize,
}

impl Default for Capabilities {
    /// A program on one thread that plays games of perfect information.
    fn default() -> Self {
        Capabilities {
            kind: PlayerKind::Agent,
            hidden: false,
            clairvoyant: false,
            asked_when_forced: false,
            threads: 1,
        }
    }
}

/// A source that makes its players with a function: the short way for a player that needs no
/// parameters and is made without fail.
pub struct FnSource {
    name: String,
    capabilities: Capabilities,
    make: Box<dyn Fn() -> Box<dyn Agent> + Send + Sync>,
}

impl FnSource {
    /// A source of players of this name, which play games of perfect information.
    pub fn new(name: &str, make: impl Fn() -> Box<dyn Agent> + Send + Sync + 'static) -> Self {
        let capabilities = Capabilities::default();
        FnSource { name: name.to_owned(), capabilities, make: Box::new(make) }
    }

    /// The same source, whose players can do this.
    #[must_use]
    pub fn with(self, capabilities: Capabilities) -> Self {
        FnSource { capabilities, ..self }
    }
}

impl fmt::Debug for FnSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FnSource").field("name", &self.name).finish_non_exhaustive()
    }
}

impl PlayerSource for FnSource {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    fn origin(&self) -> &'static str {
        "function"
    }

    fn make(&self, _: &Arc<dyn Game>, _: Role) -> Result<Box<dyn Agent>, SourceError> {
        Ok((self.make)())
    }
}

/// Why a player could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceError {
    /// The player does not play this game or this role.
    Refused(String),
    /// The player could not be reached.
    Connection(String),
    /// Something else went wrong: a file is missing, a parameter makes no sense.
    Failed(String),
}

impl SourceError {
    /// The kind of the fault that a match records for it.
    pub fn kind(&self) -> FaultKind {
        match self {
            SourceError::Refused(_) => FaultKind::Refused,
            SourceError::Connection(_) => FaultKind::Connection,
            SourceError::Failed(_) => FaultKind::Crash,
        }
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceError::Refused(why) => write!(f, "the player refuses: {why}"),
            SourceError::Connection(why) => write!(f, "the player can not be reached: {why}"),
            SourceError::Failed(why) => write!(f, "the player can not be made: {why}"),
        }
    }
}

impl Error for SourceError {}
