//! The parameters that a sweep can change.

use std::str::FromStr;

use anyhow::{Result, anyhow, bail};
use clap::ValueEnum;

use crate::args::{AgentKind, NetForm, ObserveName, RuleName, StepsName, Train};

/// The names of the parameters, as on the command line.
const NAMES: &[&str] = &[
    "agent",
    "rule",
    "alpha",
    "epsilon",
    "lambda",
    "initial",
    "hidden",
    "steps",
    "random-start",
    "longest",
    "replay",
    "sampled",
    "average",
    "observe",
    "simulations",
    "net",
    "channels",
    "blocks",
    "games",
];

/// A parameter with its values.
pub(super) struct Swept {
    pub(super) name: String,
    pub(super) values: Vec<String>,
}

impl Swept {
    /// Reads `NAME=VALUE,VALUE`.
    pub(super) fn read(text: &str) -> Result<Self> {
        let Some((name, values)) = text.split_once('=') else {
            bail!(
                "`{text}` is not a sweep; write a parameter and its values: --sweep alpha=0.1,0.3"
            );
        };
        let name = name.trim().trim_start_matches("--").to_owned();
        let values: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
        if !NAMES.contains(&name.as_str()) {
            bail!("--sweep has no parameter `{name}`; it has {}", NAMES.join(", "));
        }
        if values.iter().any(String::is_empty) {
            bail!("`{text}` has an empty value; write --sweep {name}=A,B");
        }
        Ok(Swept { name, values })
    }

    /// Sets the parameter to one of its values.
    pub(super) fn set(&self, args: &mut Train, value: &str) -> Result<()> {
        match self.name.as_str() {
            "agent" => args.agent = self.word::<AgentKind>(value)?,
            "rule" => args.rule = self.word::<RuleName>(value)?,
            "steps" => args.steps = Some(self.word::<StepsName>(value)?),
            "observe" => args.observe = Some(self.word::<ObserveName>(value)?),
            "net" => args.net = Some(self.word::<NetForm>(value)?),
            "alpha" => args.alpha = vec![self.number(value)?],
            "epsilon" => args.epsilon = vec![self.number(value)?],
            "lambda" => args.lambda = Some(self.number(value)?),
            "initial" => args.initial = Some(self.number(value)?),
            "average" => args.average = Some(self.number(value)?),
            "hidden" => args.hidden = Some(self.number(value)?),
            "random-start" => args.random_start = Some(self.number(value)?),
            "longest" => args.longest = Some(self.number(value)?),
            "replay" => args.replay = Some(self.number(value)?),
            "sampled" => args.sampled = Some(self.number(value)?),
            "simulations" => args.simulations = Some(self.number(value)?),
            "channels" => args.channels = Some(self.number(value)?),
            "blocks" => args.blocks = Some(self.number(value)?),
            "games" => (args.games, args.seconds) = (Some(self.number(value)?), None),
            other => bail!("--sweep has no parameter `{other}`; it has {}", NAMES.join(", ")),
        }
        Ok(())
    }

    fn number<T: FromStr>(&self, value: &str) -> Result<T> {
        let parsed = value.parse();
        parsed.map_err(|_| anyhow!("`{value}` is not a number that --{} can have", self.name))
    }

    fn word<T: ValueEnum>(&self, value: &str) -> Result<T> {
        T::from_str(value, false).map_err(|_| {
            let known = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
            let names: Vec<String> = known.map(|one| one.get_name().to_owned()).collect();
            anyhow!("`{value}` is not a value of --{}; it has {}", self.name, names.join(", "))
        })
    }
}
