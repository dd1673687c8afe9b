//! The list of all players: names, parameters, and how to make one of a text.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use magister_core::Agent;

/// A parameter of a player. All parameters are numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Its value where nothing is said.
    pub default: f64,
    /// The lowest and the highest value it may have.
    pub range: (f64, f64),
    /// Whether it is a whole number.
    pub whole: bool,
    /// What the numbers from 0 stand for, where they have names.
    pub names: &'static [&'static str],
}

impl Parameter {
    /// A parameter that may be a fraction.
    pub const fn real(
        name: &'static str,
        default: f64,
        range: (f64, f64),
        about: &'static str,
    ) -> Self {
        Parameter { name, about, default, range, whole: false, names: &[] }
    }

    /// A parameter that is a whole number.
    pub const fn whole(
        name: &'static str,
        default: u32,
        range: (u32, u32),
        about: &'static str,
    ) -> Self {
        let range = (range.0 as f64, range.1 as f64);
        Parameter { name, about, default: default as f64, range, whole: true, names: &[] }
    }

    /// A parameter that is one of several names; the first where nothing is said.
    pub const fn choice(
        name: &'static str,
        names: &'static [&'static str],
        about: &'static str,
    ) -> Self {
        let range = (0.0, names.len() as f64 - 1.0);
        Parameter { name, about, default: 0.0, range, whole: true, names }
    }

    /// The number that a text stands for.
    fn number(&self, text: &str) -> Option<f64> {
        if !self.names.is_empty() {
            return self.names.iter().position(|&name| name == text).map(|at| at as f64);
        }
        let number = text.parse::<f64>().ok()?;
        let fits = (self.range.0..=self.range.1).contains(&number);
        (fits && (!self.whole || number.fract() == 0.0)).then_some(number)
    }

    /// The text that a number is written as.
    pub fn text(&self, number: f64) -> String {
        let name = self.names.get(number as usize);
        name.map_or_else(|| number.to_string(), |&name| name.to_owned())
    }
}

/// A player that can be made.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// What an iteration of it is.
    pub iteration: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Whether it also plays games that hide information.
    pub hidden: bool,
    /// Makes one.
    pub make: fn(&Settings) -> Box<dyn Agent>,
}

/// The values of all parameters of a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    name: String,
    values: Vec<(&'static str, f64)>,
}

impl Settings {
    /// A player without parameters.
    pub(crate) fn plain(name: &str) -> Self {
        Settings { name: name.to_owned(), values: Vec::new() }
    }

    /// The value of a parameter. A name that the player does not have gives zero; a test asks
    /// for every name that is used.
    pub fn real(&self, name: &str) -> f64 {
        let found = self.values.iter().find(|(known, _)| *known == name);
        debug_assert!(found.is_some(), "no parameter {name}");
        found.map_or(0.0, |&(_, value)| value)
    }

    /// The value of a whole parameter.
    pub fn whole(&self, name: &str) -> u32 {
        self.real(name) as u32
    }

    /// Whether a parameter that is 0 or 1 is 1.
    pub fn flag(&self, name: &str) -> bool {
        self.real(name) > 0.0
    }

    /// The player and its settings as they were written.
    pub fn text(&self) -> &str {
        &self.name
    }
}

/// A player with its settings, such as `mcts:c=1.2`. It can be made any number of times.
#[derive(Clone, Debug)]
pub struct Spec {
    entry: &'static Entry,
    settings: Settings,
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

    /// Reads a list of players: `mcts:c=1.2,playouts=4,random` are two.
    pub fn parse_list(text: &str) -> Result<Vec<Spec>, SpecError> {
        let mut specs: Vec<String> = Vec::new();
        for piece in text.split(',').map(str::trim) {
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
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let name = name.trim();
        let entry = crate::PLAYERS
            .iter()
            .find(|entry| entry.name == name)
            .ok_or_else(|| SpecError::Player(name.to_owned()))?;
        let mut values: Vec<(&str, f64)> =
            entry.parameters.iter().map(|p| (p.name, p.default)).collect();
        let mut given = Vec::new();
        for setting in rest.split(',').map(str::trim).filter(|setting| !setting.is_empty()) {
            let (key, value) =
                setting.split_once('=').ok_or_else(|| SpecError::Setting(setting.to_owned()))?;
            let (key, value) = (key.trim(), value.trim());
            let at = entry
                .parameters
                .iter()
                .position(|parameter| parameter.name == key)
                .ok_or_else(|| SpecError::Parameter { entry, name: key.to_owned() })?;
            let parameter = &entry.parameters[at];
            let number = parameter
                .number(value)
                .ok_or_else(|| SpecError::Value { parameter, value: value.to_owned() })?;
            values[at].1 = number;
            given.push(at);
        }
        // One way of writing for one player: the settings that were given, in the order in which
        // the player has them.
        given.sort_unstable();
        given.dedup();
        let mut full = name.to_owned();
        for (number, &at) in given.iter().enumerate() {
            let before = if number == 0 { ':' } else { ',' };
            let value = entry.parameters[at].text(values[at].1);
            let _ = write!(full, "{before}{}={value}", values[at].0);
        }
        Ok(Spec { entry, settings: Settings { name: full, values } })
    }
}

/// Why a text is no player.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SpecError {
    /// There is no player of this name.
    Player(String),
    /// A setting has no value.
    Setting(String),
    /// The player has no parameter of this name.
    Parameter {
        /// The player.
        entry: &'static Entry,
        /// The name.
        name: String,
    },
    /// A parameter can not have this value.
    Value {
        /// The parameter.
        parameter: &'static Parameter,
        /// The value.
        value: String,
    },
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecError::Player(name) => {
                let names: Vec<&str> = crate::PLAYERS.iter().map(|entry| entry.name).collect();
                write!(f, "there is no player `{name}`; there are {}", names.join(", "))
            }
            SpecError::Setting(setting) => {
                write!(f, "`{setting}` is no setting; write it as name=value")
            }
            SpecError::Parameter { entry, name } => {
                let names: Vec<&str> = entry.parameters.iter().map(|p| p.name).collect();
                if names.is_empty() {
                    return write!(f, "the player `{}` has no parameters", entry.name);
                }
                let names = names.join(", ");
                write!(f, "the player `{}` has no parameter `{name}`; it has {names}", entry.name)
            }
            SpecError::Value { parameter, value } if !parameter.names.is_empty() => {
                let names = parameter.names.join(", ");
                write!(f, "`{}` is one of {names}, not `{value}`", parameter.name)
            }
            SpecError::Value { parameter, value } => {
                let (low, high) = parameter.range;
                let kind = if parameter.whole { "a whole number" } else { "a number" };
                write!(f, "`{}` is {kind} from {low} to {high}, not `{value}`", parameter.name)
            }
        }
    }
}

impl std::error::Error for SpecError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_belong_to_the_player_before_them() {
        let specs = Spec::parse_list("mcts:c=1.2,steps=40,random, mcts").unwrap();
        let texts: Vec<String> = specs.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["mcts:c=1.2,steps=40", "random", "mcts"]);
    }

    #[test]
    fn there_is_one_way_to_write_a_player() {
        let spec: Spec = "mcts: steps=40 , c=1.20, steps=50".parse().unwrap();
        assert_eq!(spec.to_string(), "mcts:c=1.2,steps=50");
        assert_eq!(spec.make().name(), "mcts:c=1.2,steps=50");
    }

    #[test]
    fn mistakes_are_named() {
        let said = |text: &str| text.parse::<Spec>().unwrap_err().to_string();
        assert!(said("mtcs").starts_with("there is no player `mtcs`; there are legal"));
        assert_eq!(said("random:c=1"), "the player `random` has no parameters");
        assert!(said("mcts:d=1").contains("no parameter `d`; it has c"));
        assert_eq!(said("mcts:c"), "`c` is no setting; write it as name=value");
        assert!(said("mcts:steps=0.5").contains("is a whole number from 1 to"));
        assert!(said("mcts:c=NaN").contains("is a number from 0 to"));
    }

    #[test]
    fn every_player_can_be_made_and_says_its_name() {
        for entry in crate::PLAYERS {
            let agent = entry.name.parse::<Spec>().unwrap().make();
            assert_eq!(agent.name(), entry.name);
            for parameter in entry.parameters {
                let (low, high) = parameter.range;
                assert!(low <= parameter.default && parameter.default <= high, "{parameter:?}");
            }
        }
    }
}
