//! What was set of a player.

use magister_core::Agent;

use super::Spec;

/// The values of all parameters of a player.
#[derive(Clone, Debug)]
pub struct Settings {
    pub(super) name: String,
    pub(super) values: Vec<(&'static str, Value)>,
}

/// The value of a parameter.
#[derive(Clone, Debug)]
pub(super) enum Value {
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
