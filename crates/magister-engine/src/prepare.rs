//! From rules to a game that is ready to play, by the evaluator that suits it.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use magister_core::{Game, Stop};
use magister_gdl::Rulesheet;

use crate::network::Gates;
use crate::trace::Stepper;
use crate::{Error, Limits, Program, Reference, ReferenceGame};

/// The ways to run a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Evaluator {
    /// The reference interpreter: takes every game, slowly.
    Reference,
}

impl Evaluator {
    /// All of them, the fastest first.
    pub const ALL: &[Evaluator] = &[Evaluator::Reference];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Evaluator::Reference => "reference",
        }
    }
}

impl fmt::Display for Evaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Evaluator {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Evaluator::ALL.iter().copied().find(|e| e.name() == text).ok_or_else(|| {
            let names: Vec<&str> = Evaluator::ALL.iter().map(|e| e.name()).collect();
            format!("there is no evaluator {text}; there are {}", names.join(", "))
        })
    }
}

/// A game that is ready to play.
pub struct Prepared {
    /// The game.
    pub game: Arc<dyn Game>,
    /// How it is run.
    pub evaluator: Evaluator,
    /// The size of its network, if it has one.
    pub gates: Option<Gates>,
    stepper: Box<dyn Fn() -> Box<dyn Stepper> + Send + Sync>,
}

impl Prepared {
    /// The evaluator as something that recorded matches can be held against.
    pub fn stepper(&self) -> Box<dyn Stepper> {
        (self.stepper)()
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared")
            .field("game", &self.game.info().name)
            .field("evaluator", &self.evaluator)
            .field("gates", &self.gates)
            .finish_non_exhaustive()
    }
}

/// Makes a game of rules: by a given evaluator, or by the best that takes it.
///
/// `source` is the text that the rules were read from, `name` what to call the game.
pub fn prepare(
    rules: &Rulesheet,
    source: &str,
    name: &str,
    evaluator: Option<Evaluator>,
    stop: &Stop,
) -> Result<Prepared, Error> {
    let program = Arc::new(Program::new(rules, source)?);
    match evaluator {
        None | Some(Evaluator::Reference) => {
            let limits = Limits::default();
            let game =
                ReferenceGame::with_limits(Arc::clone(&program), limits, source, name, stop)?;
            Ok(Prepared {
                game: Arc::new(game),
                evaluator: Evaluator::Reference,
                gates: None,
                stepper: Box::new(move || Box::new(Reference::new(Arc::clone(&program), limits))),
            })
        }
    }
}
