//! Sources of players.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::record::{FaultKind, PlayerKind, Seat};
use crate::{Agent, Game, Role};

/// Creates players: the registry of built-in players, a remote program, a learned model.
///
/// The capabilities are known before a player is created, so that a player that does not support a
/// game is refused early. [`make`](PlayerSource::make) may fail and may take long: the match driver
/// calls it where a failure is a fault of the player and not the end of the match.
pub trait PlayerSource: fmt::Debug + Send + Sync {
    /// The name of the player in records and tournaments. Players with different behaviour have
    /// different names.
    fn name(&self) -> String;

    /// The abilities and needs of the player.
    fn capabilities(&self) -> Capabilities;

    /// The origin of the player, as a word for the record, such as `registry`.
    fn origin(&self) -> &str;

    /// The parameters of the player, including default values.
    fn parameters(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Creates the player for a role of a game. It is called again after the player crashed or
    /// could not be created.
    fn make(&self, game: &Arc<dyn Game>, role: Role) -> Result<Box<dyn Agent>, SourceError>;

    /// The player's entry in the record of a match.
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

/// The abilities and needs of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// The kind of player. People are asked by the program that owns their console or connection
    /// and are never created.
    pub kind: PlayerKind,
    /// Whether it also plays games with hidden information.
    pub hidden: bool,
    /// Whether it sees the true state, which the record then reports.
    pub clairvoyant: bool,
    /// Whether it is asked even if it has only one legal move.
    pub asked_when_forced: bool,
    /// The number of threads of this machine that it uses while it thinks.
    pub threads: usize,
}

impl Default for Capabilities {
    /// A program on one thread that plays games with perfect information.
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

/// A source that creates its players with a function, for players without parameters whose creation
/// cannot fail.
pub struct FnSource {
    name: String,
    capabilities: Capabilities,
    make: Box<dyn Fn() -> Box<dyn Agent> + Send + Sync>,
}

impl FnSource {
    /// A source of players with this name, for games with perfect information.
    pub fn new(name: &str, make: impl Fn() -> Box<dyn Agent> + Send + Sync + 'static) -> Self {
        let capabilities = Capabilities::default();
        FnSource { name: name.to_owned(), capabilities, make: Box::new(make) }
    }

    /// The same source with these capabilities.
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

/// Why a player could not be created.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceError {
    /// The player does not play this game or this role.
    Refused(String),
    /// The player could not be reached.
    Connection(String),
    /// Another failure: a missing file, an invalid parameter.
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
            SourceError::Connection(why) => write!(f, "the player cannot be reached: {why}"),
            SourceError::Failed(why) => write!(f, "the player cannot be created: {why}"),
        }
    }
}

impl Error for SourceError {}
