//! What can be set of a player.

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
    pub(super) fn number(&self, text: &str) -> Option<f64> {
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
