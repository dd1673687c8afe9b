//! A player with its settings.

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;
use std::sync::Arc;

use magister_core::{Agent, Capabilities, Game, PlayerKind, PlayerSource, Role, SourceError};

use super::arguments::Value;
use super::read::{nested, pieces};
use super::{Arguments, ParameterKind, Registered, SpecError};
use crate::simple::Absent;

/// The name of the parameter that limits memory.
const MEMORY: &str = "memory";
/// The player that consists of several others.
pub(super) const COUNCIL: &str = "council";

/// A player with its settings, such as `mcts:c=1.2`. It can create any number of agents.
#[derive(Clone, Debug)]
pub struct Spec {
    pub(super) entry: &'static Registered,
    pub(super) arguments: Arguments,
}

impl Spec {
    /// Creates the player, or says why it cannot be created.
    pub fn try_agent(&self) -> Result<Box<dyn Agent>, SourceError> {
        (self.entry.make)(&self.arguments)
    }

    /// Creates the player. A player that cannot be created answers every question with the reason.
    pub fn agent(&self) -> Box<dyn Agent> {
        self.try_agent().unwrap_or_else(|error| Box::new(Absent(error)))
    }

    /// Its entry in the registry.
    pub fn entry(&self) -> &'static Registered {
        self.entry
    }

    /// Whether it is a person. The arena asks people and does not create them.
    pub fn is_human(&self) -> bool {
        self.entry.name == crate::HUMAN.name
    }

    /// The same player with a memory limit in MiB, if it has such a parameter and the limit was not
    /// set explicitly. The limit also applies to the player inside it.
    #[must_use]
    pub fn with_memory(&self, most: u32) -> Spec {
        let mut spec = self.clone();
        let (_, given) = self.arguments.name.split_once(':').unwrap_or_default();
        let given = pieces(given).iter().any(|piece| piece.starts_with(MEMORY));
        // The members of a council share it.
        let inner_most =
            if self.entry.name == COUNCIL { (most / self.own_threads()).max(1) } else { most };
        for (parameter, value) in self.entry.parameters.iter().zip(&mut spec.arguments.values) {
            match (value, parameter.kind) {
                (Value::Player(inner), _) => **inner = inner.with_memory(inner_most),
                (Value::Whole(number), ParameterKind::Whole { range: (low, high), .. })
                    if parameter.name == MEMORY && !given =>
                {
                    *number = most.clamp(low, high);
                }
                _ => {}
            }
        }
        spec
    }

    /// The threads that it uses itself.
    fn own_threads(&self) -> u32 {
        self.arguments.whole("threads").unwrap_or(1).max(1)
    }

    /// All threads that it uses, including those of the players inside it.
    fn threads(&self) -> u32 {
        let inner = self.arguments.values.iter().map(|value| match value {
            Value::Player(inner) => inner.threads(),
            _ => 1,
        });
        self.own_threads().saturating_mul(inner.max().unwrap_or(1))
    }

    /// Whether it is the player of this name, or contains it.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.entry.name == name
            || self.arguments.values.iter().any(|value| match value {
                Value::Player(inner) => inner.holds(name),
                _ => false,
            })
    }

    /// Parses a list of players: `mcts:c=1.2,steps=40,random` are two.
    pub fn parse_list(text: &str) -> Result<Vec<Spec>, SpecError> {
        let mut specs: Vec<String> = Vec::new();
        for piece in pieces(text) {
            // A setting belongs to the preceding player.
            let setting = piece.split_once('=').is_some_and(|(name, _)| !name.contains(':'));
            match specs.last_mut() {
                Some(last) if setting => {
                    let _ = write!(last, "{}{piece}", if last.contains(':') { ',' } else { ':' });
                }
                _ => specs.push(piece.to_owned()),
            }
        }
        specs.iter().map(|spec| spec.parse()).collect()
    }
}

impl PlayerSource for Spec {
    fn name(&self) -> String {
        self.to_string()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            kind: if self.is_human() { PlayerKind::Person } else { PlayerKind::Agent },
            hidden: self.entry.hidden,
            clairvoyant: self.entry.clairvoyant,
            threads: self.threads() as usize,
            ..Capabilities::default()
        }
    }

    fn origin(&self) -> &'static str {
        "registry"
    }

    fn parameters(&self) -> BTreeMap<String, String> {
        self.arguments.texts()
    }

    fn make(&self, _game: &Arc<dyn Game>, _role: Role) -> Result<Box<dyn Agent>, SourceError> {
        self.try_agent()
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.arguments.text())
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        nested(text, 0)
    }
}
