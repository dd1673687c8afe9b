//! The parameters of players.

use std::path::PathBuf;

use super::arguments::Value;

/// A parameter of a player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The kind of its values, and the default.
    pub kind: ParameterKind,
}

/// The kind of a parameter's values.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ParameterKind {
    /// A number.
    Number {
        /// The default value.
        default: f64,
        /// The lowest and the highest value.
        range: (f64, f64),
    },
    /// A whole number.
    Whole {
        /// The default value.
        default: u32,
        /// The lowest and the highest value.
        range: (u32, u32),
    },
    /// One of several names; the first is the default.
    Choice {
        /// The names.
        names: &'static [&'static str],
    },
    /// Any text.
    Text {
        /// The default text.
        default: &'static str,
    },
    /// The path of a file.
    File {
        /// The default path; `None` if the player needs no file by default.
        default: Option<&'static str>,
    },
    /// Another player.
    Player {
        /// The default player.
        default: &'static str,
    },
}

impl Parameter {
    /// A parameter that may be a fraction.
    pub const fn real(
        name: &'static str,
        default: f64,
        range: (f64, f64),
        about: &'static str,
    ) -> Self {
        Parameter { name, about, kind: ParameterKind::Number { default, range } }
    }

    /// A parameter that is a whole number.
    pub const fn whole(
        name: &'static str,
        default: u32,
        range: (u32, u32),
        about: &'static str,
    ) -> Self {
        Parameter { name, about, kind: ParameterKind::Whole { default, range } }
    }

    /// A parameter that is one of several names; the first is the default.
    pub const fn choice(
        name: &'static str,
        names: &'static [&'static str],
        about: &'static str,
    ) -> Self {
        Parameter { name, about, kind: ParameterKind::Choice { names } }
    }

    /// A parameter that is any text.
    pub const fn text(name: &'static str, default: &'static str, about: &'static str) -> Self {
        Parameter { name, about, kind: ParameterKind::Text { default } }
    }

    /// A parameter that is the path of a file.
    pub const fn file(
        name: &'static str,
        default: Option<&'static str>,
        about: &'static str,
    ) -> Self {
        Parameter { name, about, kind: ParameterKind::File { default } }
    }

    /// A parameter that is another player.
    pub const fn player(name: &'static str, default: &'static str, about: &'static str) -> Self {
        Parameter { name, about, kind: ParameterKind::Player { default } }
    }

    /// The default value; `None` for a player, whose default is parsed like other text.
    pub(super) fn default(&self) -> Option<Value> {
        Some(match self.kind {
            ParameterKind::Number { default, .. } => Value::Number(default),
            ParameterKind::Whole { default, .. } => Value::Whole(default),
            ParameterKind::Choice { .. } => Value::Choice(0),
            ParameterKind::Text { default } => Value::Text(default.to_owned()),
            ParameterKind::File { default } => Value::File(default.map(PathBuf::from)),
            ParameterKind::Player { .. } => return None,
        })
    }

    /// The value of a text; `None` if the text is invalid.
    pub(super) fn value(&self, text: &str) -> Option<Value> {
        match self.kind {
            ParameterKind::Number { range: (low, high), .. } => {
                let number = text.parse::<f64>().ok()?;
                (low..=high).contains(&number).then_some(Value::Number(number))
            }
            ParameterKind::Whole { range: (low, high), .. } => {
                // Fractions and signs are allowed if the number is whole: 1e3, 5.0.
                let number = text.parse::<f64>().ok()?;
                let fits = (f64::from(low)..=f64::from(high)).contains(&number);
                (fits && number.fract() == 0.0).then_some(Value::Whole(number as u32))
            }
            ParameterKind::Choice { names } => {
                names.iter().position(|&name| name == text).map(Value::Choice)
            }
            ParameterKind::Text { .. } => Some(Value::Text(inside(text).to_owned())),
            ParameterKind::File { .. } => {
                let path = inside(text);
                (!path.is_empty()).then(|| Value::File(Some(PathBuf::from(path))))
            }
            ParameterKind::Player { .. } => None,
        }
    }

    /// The text of a value.
    pub(super) fn written(&self, value: &Value) -> String {
        // A text that contains separators is put in brackets.
        let guarded = |text: String| {
            if text.contains([',', ':', '=', ' ']) { format!("[{text}]") } else { text }
        };
        match (value, self.kind) {
            (Value::Number(number), _) => number.to_string(),
            (Value::Whole(number), _) => number.to_string(),
            (Value::Choice(at), ParameterKind::Choice { names }) => {
                names.get(*at).copied().unwrap_or_default().to_owned()
            }
            (Value::Choice(at), _) => at.to_string(),
            (Value::Text(text), _) => guarded(text.clone()),
            (Value::File(path), _) => {
                guarded(path.as_ref().map_or_else(String::new, |path| path.display().to_string()))
            }
            (Value::Player(spec), _) => {
                let text = spec.to_string();
                if text.contains(':') { format!("[{text}]") } else { text }
            }
        }
    }
}

/// The content of the brackets, or the text itself.
pub(super) fn inside(text: &str) -> &str {
    text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text)
}
