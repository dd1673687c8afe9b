//! Difficulty levels for people: one table of named players with iteration budgets.
//!
//! A level is a player like any other, so that `beginner` can be written wherever a player can.
//! Budgets are counted in iterations and not in seconds: a level is as strong on a slow machine as
//! on a fast one. `cargo xtask levels` measures that each level beats the one below it.
//!
//! With hidden information, more iterations do not always help: a search that is certain of its
//! move is easier to predict than one that is not. There the lower levels also make random moves,
//! which orders them in every game.

use magister_core::{Agent, Budget, Decision, Halt, Information, Rng, SourceError, Stop, View};

use crate::Spec;
use crate::possible::Possible;
use crate::registry::{Arguments, Made, Registered};
use crate::simple::Absent;

/// A difficulty level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Its name, which is also the name of the player.
    pub name: &'static str,
    /// One sentence for people who choose an opponent.
    pub about: &'static str,
    /// The player of games with perfect information.
    pub perfect: Strength,
    /// The player of games with hidden information. It is honest: it knows only its own information
    /// state.
    pub hidden: Strength,
}

/// A player, the number of iterations that it may spend on a move, and how often it errs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    /// The player, as [`Spec`] reads it.
    pub player: &'static str,
    /// The iterations per move.
    pub iterations: u64,
    /// The percentage of moves that are random.
    pub random: u8,
}

const fn strength(player: &'static str, iterations: u64) -> Strength {
    Strength { player, iterations, random: 0 }
}

impl Strength {
    /// The same with a percentage of random moves.
    const fn with_random(self, random: u8) -> Strength {
        Strength { random, ..self }
    }
}

/// All levels, the weakest first.
pub const LEVELS: [Level; 5] = [
    Level {
        name: "beginner",
        about: "Overlooks a lot; a good first opponent",
        perfect: strength("mcts", 12),
        hidden: strength("mo-ismcts", 12).with_random(90),
    },
    Level {
        name: "easy",
        about: "Sees simple threats, plans little",
        perfect: strength("mcts", 200),
        hidden: strength("mo-ismcts", 100).with_random(70),
    },
    Level {
        name: "medium",
        about: "Plays sensibly and punishes mistakes",
        perfect: strength("mcts", 1_200),
        hidden: strength("mo-ismcts", 600).with_random(50),
    },
    Level {
        name: "hard",
        about: "Hard to beat for most people",
        perfect: strength("uct", 8_000),
        hidden: strength("mo-ismcts", 2_500).with_random(20),
    },
    Level {
        name: "strongest",
        about: "The best that the program can do; thinks up to a few seconds",
        perfect: strength("uct", 100_000),
        hidden: strength("honest", 10_000),
    },
];

/// The levels as players. A test compares them with [`LEVELS`].
pub(crate) static PLAYERS: [Registered; 5] = [
    entry(0, |arguments| Ok(Graded::boxed(arguments, &LEVELS[0]))),
    entry(1, |arguments| Ok(Graded::boxed(arguments, &LEVELS[1]))),
    entry(2, |arguments| Ok(Graded::boxed(arguments, &LEVELS[2]))),
    entry(3, |arguments| Ok(Graded::boxed(arguments, &LEVELS[3]))),
    entry(4, |arguments| Ok(Graded::boxed(arguments, &LEVELS[4]))),
];

const fn entry(number: usize, make: fn(&Arguments) -> Made) -> Registered {
    Registered {
        name: LEVELS[number].name,
        about: LEVELS[number].about,
        iteration: "one iteration of the player inside",
        parameters: &[],
        hidden: true,
        clairvoyant: false,
        make,
    }
}

impl Level {
    /// The level of this name.
    pub fn find(name: &str) -> Option<&'static Level> {
        LEVELS.iter().find(|level| level.name == name)
    }

    /// The player that it uses in games of this kind.
    pub fn strength(&self, information: Information) -> Strength {
        match information {
            Information::Perfect => self.perfect,
            Information::Hidden => self.hidden,
        }
    }
}

/// A player with an iteration budget of its own.
struct Graded {
    name: String,
    level: &'static Level,
    /// The player inside, with the kind of game that it was made for.
    inner: Option<(Information, Box<dyn Agent>)>,
    /// The legal moves, for random moves.
    possible: Possible,
}

impl Graded {
    fn boxed(arguments: &Arguments, level: &'static Level) -> Box<dyn Agent> {
        Box::new(Graded {
            name: arguments.text().to_owned(),
            level,
            inner: None,
            possible: Possible::default(),
        })
    }

    fn inner(&mut self, view: &View) -> &mut dyn Agent {
        let information = view.game().info().information;
        let known = self.inner.take().filter(|(known, _)| *known == information);
        let (_, agent) = self.inner.insert(known.unwrap_or_else(|| {
            let agent = match self.level.strength(information).player.parse::<Spec>() {
                Ok(spec) => spec.agent(),
                Err(error) => Box::new(Absent(SourceError::Failed(error.to_string()))),
            };
            (information, agent)
        }));
        &mut **agent
    }

    /// The budget of the level, limited by the given budget.
    fn budget(&self, view: &View, given: &Budget) -> Budget {
        let own = self.level.strength(view.game().info().information).iterations;
        given.part(Some(given.left().map_or(own, |left| left.min(own))))
    }
}

impl Agent for Graded {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn prepare(&mut self, view: &View, stop: &Stop) -> Result<(), Halt> {
        if self.level.strength(view.game().info().information).random > 0 {
            self.possible.prepare(view, stop)?;
        }
        self.inner(view).prepare(view, stop)
    }

    fn ready(&mut self, view: &View, budget: &mut Budget, rng: &mut Rng) -> Result<(), Halt> {
        let mut part = self.budget(view, budget);
        self.inner(view).ready(view, &mut part, rng)
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let random = self.level.strength(view.game().info().information).random;
        if random > 0 && rng.below(100) < u64::from(random) {
            let (legal, _) = self.possible.moves(view, budget, rng)?;
            if !legal.is_empty() {
                return Ok(legal[rng.below(legal.len() as u64) as usize].into());
            }
        }
        let mut part = self.budget(view, budget);
        self.inner(view).decide(view, &mut part, rng)
    }

    fn finish(&mut self, view: &View, outcome: &[Option<f64>]) {
        if let Some((_, inner)) = &mut self.inner {
            inner.finish(view, outcome);
        }
    }

    fn value(&mut self, view: &View) -> Option<Vec<f64>> {
        self.inner.as_mut().and_then(|(_, inner)| inner.value(view))
    }
}

#[cfg(test)]
mod tests {
    use super::{LEVELS, PLAYERS};
    use crate::Spec;

    #[test]
    fn every_level_is_a_player() {
        for (level, entry) in LEVELS.iter().zip(&PLAYERS) {
            assert_eq!(level.name, entry.name);
            let spec: Spec = level.name.parse().unwrap();
            assert!(spec.entry().hidden && !spec.entry().clairvoyant);
            for strength in [level.perfect, level.hidden] {
                let inner: Spec = strength.player.parse().unwrap();
                assert!(!inner.entry().clairvoyant, "{}", level.name);
            }
            let hidden: Spec = level.hidden.player.parse().unwrap();
            assert!(hidden.entry().hidden, "{} cannot play with hidden information", level.name);
        }
    }

    #[test]
    fn budgets_grow() {
        for pair in LEVELS.windows(2) {
            assert!(pair[0].perfect.iterations < pair[1].perfect.iterations);
            assert!(pair[0].hidden.iterations < pair[1].hidden.iterations);
            assert!(pair[0].hidden.random > pair[1].hidden.random);
            assert_eq!(pair[0].perfect.random, 0);
        }
    }
}
