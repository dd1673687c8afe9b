//! Players that do not search: the first legal move, and a random one.

use magister_core::{Agent, Budget, Decision, Halt, Move, Rng, SourceError, Stop, View};

use crate::possible::Possible;
use crate::registry::{Arguments, Made};

/// Plays the first legal move, or a random one.
pub(crate) struct Simple {
    name: String,
    random: bool,
    possible: Possible,
}

impl Simple {
    pub(crate) fn legal(settings: &Arguments) -> Made {
        Self::make(settings, false)
    }

    pub(crate) fn random(settings: &Arguments) -> Made {
        Self::make(settings, true)
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "all constructors in the list have the same signature"
    )]
    fn make(settings: &Arguments, random: bool) -> Made {
        let name = settings.text().to_owned();
        Ok(Box::new(Simple { name, random, possible: Possible::default() }))
    }
}

impl Agent for Simple {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn prepare(&mut self, view: &View, stop: &Stop) -> Result<(), Halt> {
        self.possible.prepare(view, stop)
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

/// Creates no player: people are asked by the program that owns the console.
pub(crate) fn no_player(_: &Arguments) -> Made {
    Err(SourceError::Refused("a person cannot be asked here".to_owned()))
}

/// Replaces a player that could not be created.
pub(crate) struct Absent(pub(crate) SourceError);

impl Agent for Absent {
    fn name(&self) -> String {
        "absent".to_owned()
    }

    fn decide(&mut self, _: &View, _: &mut Budget, _: &mut Rng) -> Result<Decision, Halt> {
        Err(Halt::Limit(self.0.to_string()))
    }
}
