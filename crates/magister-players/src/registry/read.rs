//! Parses players.

use std::fmt::Write as _;

use super::arguments::Value;
use super::parameter::inside;
use super::spec::COUNCIL;
use super::{Arguments, NESTING, Parameter, ParameterKind, Spec, SpecError};

/// Parses a player at a nesting depth.
pub(super) fn nested(text: &str, depth: usize) -> Result<Spec, SpecError> {
    if depth > NESTING {
        return Err(SpecError::Nesting);
    }
    balanced(text)?;
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    let name = name.trim();
    let entry = crate::PLAYERS
        .iter()
        .chain([&crate::HUMAN])
        .chain(&crate::levels::PLAYERS)
        .find(|entry| entry.name == name)
        .ok_or_else(|| SpecError::Player(name.to_owned()))?;
    let mut values: Vec<Value> = Vec::new();
    for parameter in entry.parameters {
        values.push(match (parameter.default(), parameter.kind) {
            (Some(value), _) => value,
            (None, ParameterKind::Player { default }) => read(parameter, default, depth)?,
            (None, _) => read(parameter, "", depth)?,
        });
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
        if given.contains(&at) {
            return Err(SpecError::Twice { player: entry.name, name: entry.parameters[at].name });
        }
        values[at] = read(&entry.parameters[at], value, depth)?;
        // A council of councils would need too many threads.
        if let Value::Player(inner) = &values[at]
            && name == COUNCIL
            && inner.holds(COUNCIL)
        {
            let parameter = &entry.parameters[at];
            return Err(SpecError::Value { parameter, value: value.to_owned() });
        }
        given.push(at);
    }
    // Each player has one canonical text: the settings that were given, in the order of its
    // parameters.
    given.sort_unstable();
    let mut full = name.to_owned();
    for (number, &at) in given.iter().enumerate() {
        let before = if number == 0 { ':' } else { ',' };
        let parameter = &entry.parameters[at];
        let _ = write!(full, "{before}{}={}", parameter.name, parameter.written(&values[at]));
    }
    Ok(Spec { entry, arguments: Arguments::new(full, entry.parameters, values) })
}

/// Whether the brackets are balanced.
fn balanced(text: &str) -> Result<(), SpecError> {
    let wrong = |open| SpecError::Bracket { text: text.to_owned(), open };
    let mut depth = 0_usize;
    for letter in text.chars() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.checked_sub(1).ok_or_else(|| wrong(false))?,
            _ => {}
        }
    }
    if depth > 0 { Err(wrong(true)) } else { Ok(()) }
}

/// Parses the value of a parameter.
fn read(parameter: &'static Parameter, text: &str, depth: usize) -> Result<Value, SpecError> {
    if let ParameterKind::Player { .. } = parameter.kind {
        let spec = nested(inside(text), depth + 1)?;
        if spec.is_human() {
            return Err(SpecError::Value { parameter, value: text.to_owned() });
        }
        return Ok(Value::Player(Box::new(spec)));
    }
    parameter.value(text).ok_or_else(|| SpecError::Value { parameter, value: text.to_owned() })
}

/// Splits at commas outside of brackets.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let outside = |letter: char| {
        depth += i32::from(letter == '[') - i32::from(letter == ']');
        letter == ',' && depth <= 0
    };
    text.split(outside).map(str::trim).collect()
}
