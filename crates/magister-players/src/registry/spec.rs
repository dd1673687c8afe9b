//! A player with its settings.

use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;

use magister_core::Agent;

use super::read::{nested, pieces};
use super::settings::Value;
use super::{Entry, Settings, SpecError};

/// The name of the parameter that limits memory.
const MEMORY: &str = "memory";
/// The player that is made of several others.
pub(super) const COUNCIL: &str = "council";

/// A player with its settings, such as `mcts:c=1.2`. It can be made any number of times.
#[derive(Clone, Debug)]
pub struct Spec {
    pub(super) entry: &'static Entry,
    pub(super) settings: Settings,
}

impl Spec {
    /// Makes the player.
    pub fn make(&self) -> Box<dyn Agent> {
        (self.entry.make)(&self.settings)
    }

    /// What kind of player it is.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// Whether it is a person, whom the arena asks and who is not made.
    pub fn is_human(&self) -> bool {
        self.entry.name == crate::HUMAN.name
    }

    /// The same player with a limit of its memory in MiB, if it has such a parameter, and as far as
    /// it was not given another one. So has a player that stands inside of it.
    #[must_use]
    pub fn with_memory(&self, most: u32) -> Spec {
        let mut spec = self.clone();
        let (_, given) = self.settings.name.split_once(':').unwrap_or_default();
        let given = pieces(given).iter().any(|piece| piece.starts_with(MEMORY));
        // Those who are made several times share it.
        let inner_most = if self.entry.name == COUNCIL {
            (most / self.settings.whole("threads").max(1)).max(1)
        } else {
            most
        };
        for (parameter, (name, value)) in
            self.entry.parameters.iter().zip(&mut spec.settings.values)
        {
            match value {
                Value::Player(inner) => **inner = inner.with_memory(inner_most),
                Value::Number(number) if *name == MEMORY && !given => {
                    *number = f64::from(most).clamp(parameter.range.0, parameter.range.1);
                }
                Value::Number(_) => {}
            }
        }
        spec
    }

    /// Whether it is such a player, or one stands inside of it.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.entry.name == name
            || self.settings.values.iter().any(|(_, value)| match value {
                Value::Player(inner) => inner.holds(name),
                Value::Number(_) => false,
            })
    }

    /// Reads a list of players: `mcts:c=1.2,steps=40,random` are two.
    pub fn parse_list(text: &str) -> Result<Vec<Spec>, SpecError> {
        let mut specs: Vec<String> = Vec::new();
        for piece in pieces(text) {
            // A setting belongs to the player before it.
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

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.settings.text())
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        nested(text, 0)
    }
}
