//! The players that do not think: the first legal move, and a random one.

use magister_core::{Agent, Budget, Decision, Halt, Move, Rng, View};

use crate::Settings;
use crate::possible::Possible;

/// Plays the first legal move, or a random one.
pub(crate) struct Simple {
    name: String,
    random: bool,
    possible: Possible,
}

impl Simple {
    pub(crate) fn legal(settings: &Settings) -> Box<dyn Agent> {
        Self::make(settings, false)
    }

    pub(crate) fn random(settings: &Settings) -> Box<dyn Agent> {
        Self::make(settings, true)
    }

    fn make(settings: &Settings, random: bool) -> Box<dyn Agent> {
        let name = settings.text().to_owned();
        Box::new(Simple { name, random, possible: Possible::default() })
    }
}

impl Agent for Simple {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let (legal, _) = self.possible.moves(view, budget, rng)?;
        Ok(match legal[..] {
            [] => Move::IDLE.into(),
            _ if self.random => legal[rng.below(legal.len() as u64) as usize].into(),
            [first, ..] => first.into(),
        })
    }
}

/// Stands for a person where nobody is there to ask people.
pub(crate) struct Nobody;

impl Nobody {
    pub(crate) fn make(_: &Settings) -> Box<dyn Agent> {
        Box::new(Nobody)
    }
}

impl Agent for Nobody {
    fn name(&self) -> String {
        "human".to_owned()
    }

    fn decide(&mut self, _: &View, _: &mut Budget, _: &mut Rng) -> Result<Decision, Halt> {
        Err(Halt::Limit("nobody is there to ask people".to_owned()))
    }
}
