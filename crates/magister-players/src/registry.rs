//! The list of all players: names, parameters, and how to make one of a text.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use magister_core::Agent;

/// A parameter of a player: a number, or another player.
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
    /// If it is a player, the one where nothing is said; the numbers mean nothing then.
    pub player: Option<&'static str>,
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
        Parameter { name, about, default, range, whole: false, player: None, names: &[] }
    }

    /// A parameter that is a whole number.
    pub const fn whole(
        name: &'static str,
        default: u32,
        range: (u32, u32),
        about: &'static str,
    ) -> Self {
        let range = (range.0 as f64, range.1 as f64);
        let default = default as f64;
        Parameter { name, about, default, range, whole: true, player: None, names: &[] }
    }

    /// A parameter that is another player.
    pub const fn player(name: &'static str, default: &'static str, about: &'static str) -> Self {
        let (whole, player) = (false, Some(default));
        Parameter { name, about, default: 0.0, range: (0.0, 0.0), whole, player, names: &[] }
    }

    /// A parameter that is one of several names; the first where nothing is said.
    pub const fn choice(
        name: &'static str,
        names: &'static [&'static str],
        about: &'static str,
    ) -> Self {
        let range = (0.0, names.len() as f64 - 1.0);
        Parameter { name, about, default: 0.0, range, whole: true, player: None, names }
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
#[derive(Clone, Debug)]
pub struct Settings {
    name: String,
    values: Vec<(&'static str, Value)>,
}

/// The value of a parameter.
#[derive(Clone, Debug)]
enum Value {
    Number(f64),
    Player(Box<Spec>),
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
        debug_assert!(matches!(found, Some((_, Value::Number(_)))), "no number {name}");
        if let Some((_, Value::Number(number))) = found { *number } else { 0.0 }
    }

    /// The player that a parameter names, made. A name that the player does not have gives
    /// somebody who has no moves and no opinions.
    pub fn player(&self, name: &str) -> Box<dyn Agent> {
        let found = self.values.iter().find(|(known, _)| *known == name);
        debug_assert!(matches!(found, Some((_, Value::Player(_)))), "no player {name}");
        if let Some((_, Value::Player(spec))) = found {
            spec.make()
        } else {
            (crate::HUMAN.make)(self)
        }
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
        for (parameter, (name, value)) in
            self.entry.parameters.iter().zip(&mut spec.settings.values)
        {
            match value {
                Value::Player(inner) => **inner = inner.with_memory(most),
                Value::Number(number) if *name == MEMORY && !given => {
                    *number = f64::from(most).clamp(parameter.range.0, parameter.range.1);
                }
                Value::Number(_) => {}
            }
        }
        spec
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

/// The name of the parameter that limits memory.
const MEMORY: &str = "memory";

/// Players within players, at most.
const NESTING: usize = 8;

/// Reads a player that stands inside of so many others.
fn nested(text: &str, depth: usize) -> Result<Spec, SpecError> {
    if depth > NESTING {
        return Err(SpecError::Nesting);
    }
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    let name = name.trim();
    let entry = crate::PLAYERS
        .iter()
        .chain([&crate::HUMAN])
        .find(|entry| entry.name == name)
        .ok_or_else(|| SpecError::Player(name.to_owned()))?;
    let mut values: Vec<(&'static str, Value)> = Vec::new();
    for parameter in entry.parameters {
        let value = match parameter.player {
            Some(player) => Value::Player(Box::new(nested(player, depth + 1)?)),
            None => Value::Number(parameter.default),
        };
        values.push((parameter.name, value));
    }
    let mut given = Vec::new();
    for setting in pieces(rest).into_iter().filter(|setting| !setting.is_empty()) {
        let (key, value) =
            setting.split_once('=').ok_or_else(|| SpecError::Setting(setting.to_owned()))?;
        let (key, value) = (key.trim(), value.trim());
        let at = entry
            .parameters
            .iter()
            .position(|parameter| parameter.name == key)
            .ok_or_else(|| SpecError::Parameter { entry, name: key.to_owned() })?;
        values[at].1 = read(&entry.parameters[at], value, depth)?;
        given.push(at);
    }
    // One way of writing for one player: the settings that were given, in the order in which
    // the player has them.
    given.sort_unstable();
    given.dedup();
    let mut full = name.to_owned();
    for (number, &at) in given.iter().enumerate() {
        let before = if number == 0 { ':' } else { ',' };
        let (key, value) = &values[at];
        let _ = match value {
            Value::Number(number) => {
                write!(full, "{before}{key}={}", entry.parameters[at].text(*number))
            }
            Value::Player(spec) if spec.to_string().contains(':') => {
                write!(full, "{before}{key}=[{spec}]")
            }
            Value::Player(spec) => write!(full, "{before}{key}={spec}"),
        };
    }
    Ok(Spec { entry, settings: Settings { name: full, values } })
}

/// Reads the value of a parameter.
fn read(parameter: &'static Parameter, text: &str, depth: usize) -> Result<Value, SpecError> {
    if parameter.player.is_some() {
        let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let spec = nested(inner.unwrap_or(text), depth + 1)?;
        if spec.is_human() {
            return Err(SpecError::Value { parameter, value: text.to_owned() });
        }
        return Ok(Value::Player(Box::new(spec)));
    }
    parameter
        .number(text)
        .map(Value::Number)
        .ok_or_else(|| SpecError::Value { parameter, value: text.to_owned() })
}

/// What commas separate, outside of brackets.
fn pieces(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let outside = |letter: char| {
        depth += i32::from(letter == '[') - i32::from(letter == ']');
        letter == ',' && depth <= 0
    };
    text.split(outside).map(str::trim).collect()
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
    /// Players stand inside of players, too deep.
    Nesting,
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
                let names = crate::PLAYERS.iter().chain([&crate::HUMAN]).map(|entry| entry.name);
                let names: Vec<&str> = names.collect();
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
            SpecError::Nesting => {
                write!(f, "players may stand inside of players {NESTING} deep, not deeper")
            }
            SpecError::Value { parameter, value } if parameter.player.is_some() => {
                write!(f, "`{}` is a player that is no person, not `{value}`", parameter.name)
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
    fn players_stand_inside_of_players() {
        let text = "plies:depth=2,inner=onestep,random,puct: inner = [plies:inner=[mcs:playouts=8],\
                    depth=1] , c=2";
        let specs = Spec::parse_list(text).unwrap();
        let texts: Vec<String> = specs.iter().map(ToString::to_string).collect();
        let nested = "puct:c=2,inner=[plies:depth=1,inner=[mcs:playouts=8]]";
        assert_eq!(texts, ["plies:depth=2,inner=onestep", "random", nested]);
        assert_eq!(texts[2].parse::<Spec>().unwrap().to_string(), texts[2]);
        assert_eq!(specs[2].make().name(), texts[2]);
    }

    #[test]
    fn memory_is_limited_where_nothing_else_was_said() {
        let memory = |text: &str| {
            let spec = text.parse::<Spec>().unwrap().with_memory(5);
            (spec.to_string(), spec.settings.real("memory"))
        };
        assert_eq!(memory("mcts"), ("mcts".to_owned(), 5.0));
        assert_eq!(memory("mcts:c=2,memory=256"), ("mcts:c=2,memory=256".to_owned(), 256.0));
        assert_eq!("random".parse::<Spec>().unwrap().with_memory(5).to_string(), "random");
    }

    #[test]
    fn nesting_has_an_end() {
        let deep = "plies:inner=[".repeat(100_000);
        let said = |text: &str| text.parse::<Spec>().unwrap_err().to_string();
        assert!(said(&deep).contains("not deeper"));
        assert!(said("plies:inner=human").contains("no person"));
        assert!(said("plies:inner=nobody").contains("there is no player `nobody`"));
        assert!(said("plies:inner=[").contains("there is no player `[`"));
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
                if let Some(player) = parameter.player {
                    assert!(player.parse::<Spec>().is_ok(), "{parameter:?}");
                }
                let (low, high) = parameter.range;
                assert!(low <= parameter.default && parameter.default <= high, "{parameter:?}");
            }
        }
    }
}
