//! The settings of a player.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use magister_core::{Agent, SourceError};

use super::{Parameter, Spec};

/// The values of all parameters of a player.
///
/// A player reads them by name and kind. Reading a name that it did not declare, or declared with
/// another kind, is an error in every build. A test creates every player to check that there is no
/// such error and that every declared parameter is read.
#[derive(Clone, Debug)]
pub struct Arguments {
    pub(super) name: String,
    pub(super) parameters: &'static [Parameter],
    /// One value per parameter.
    pub(super) values: Vec<Value>,
    /// Which of the first 64 parameters were read, one bit each.
    read: Arc<AtomicU64>,
}

/// The value of a parameter.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Number(f64),
    Whole(u32),
    Choice(usize),
    Text(String),
    File(Option<PathBuf>),
    Player(Box<Spec>),
}

impl Arguments {
    pub(super) fn new(
        name: String,
        parameters: &'static [Parameter],
        values: Vec<Value>,
    ) -> Arguments {
        Arguments { name, parameters, values, read: Arc::default() }
    }

    /// The value of a number.
    pub fn real(&self, name: &str) -> Result<f64, SourceError> {
        match self.value(name)? {
            Value::Number(number) => Ok(*number),
            _ => Err(self.wrong(name, "a number")),
        }
    }

    /// The value of a whole number.
    pub fn whole(&self, name: &str) -> Result<u32, SourceError> {
        match self.value(name)? {
            Value::Whole(number) => Ok(*number),
            _ => Err(self.wrong(name, "a whole number")),
        }
    }

    /// Whether a whole number that is 0 or 1 is 1.
    pub fn flag(&self, name: &str) -> Result<bool, SourceError> {
        Ok(self.whole(name)? > 0)
    }

    /// The index of the chosen name, from 0.
    pub fn choice(&self, name: &str) -> Result<usize, SourceError> {
        match self.value(name)? {
            Value::Choice(at) => Ok(*at),
            _ => Err(self.wrong(name, "a choice")),
        }
    }

    /// The value of a text.
    pub fn string(&self, name: &str) -> Result<&str, SourceError> {
        match self.value(name)? {
            Value::Text(text) => Ok(text),
            _ => Err(self.wrong(name, "a text")),
        }
    }

    /// The path of a file, if one is given.
    pub fn file(&self, name: &str) -> Result<Option<&Path>, SourceError> {
        match self.value(name)? {
            Value::File(path) => Ok(path.as_deref()),
            _ => Err(self.wrong(name, "a file")),
        }
    }

    /// Creates the player that a parameter names.
    pub fn player(&self, name: &str) -> Result<Box<dyn Agent>, SourceError> {
        match self.value(name)? {
            Value::Player(spec) => spec.try_agent(),
            _ => Err(self.wrong(name, "a player")),
        }
    }

    /// The text of the player with its settings.
    pub fn text(&self) -> &str {
        &self.name
    }

    /// All values as text, by parameter name.
    pub(super) fn texts(&self) -> BTreeMap<String, String> {
        let pairs = self.parameters.iter().zip(&self.values);
        pairs.map(|(one, value)| (one.name.to_owned(), one.written(value))).collect()
    }

    /// The names of the parameters that were not read.
    #[cfg(test)]
    pub(super) fn unread(&self) -> Vec<&'static str> {
        let read = self.read.load(Ordering::Relaxed);
        let unread = |&(at, _): &(usize, _)| read >> at & 1 == 0;
        self.parameters.iter().enumerate().filter(unread).map(|(_, one)| one.name).collect()
    }

    fn value(&self, name: &str) -> Result<&Value, SourceError> {
        let at = self.parameters.iter().position(|parameter| parameter.name == name);
        let value = at.and_then(|at| {
            self.read.fetch_or(1 << at.min(63), Ordering::Relaxed);
            self.values.get(at)
        });
        let unknown =
            || format!("{} reads the parameter `{name}`, which it does not declare", self.name);
        value.ok_or_else(|| SourceError::Failed(unknown()))
    }

    fn wrong(&self, name: &str, kind: &str) -> SourceError {
        SourceError::Failed(format!(
            "{} reads the parameter `{name}` as {kind}, which it is not",
            self.name
        ))
    }
}
