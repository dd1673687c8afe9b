//! Players that read their knowledge from a file: learned agents, and the perfect player of Connect
//! Four.

use std::path::Path;
use std::sync::Arc;

use magister_core::{Agent, Budget, Decision, Halt, Move, Rng, SourceError, Stop, Thought, View};
use magister_learn::connect_four::{Book, Perfect};
use magister_learn::games::any::Scale;
use magister_learn::{AgentFile, Learned, LearnedAgent};

use crate::az::{Az, C};
use crate::possible::Possible;
use crate::puct::Puct;
use crate::registry::{Arguments, Made, Parameter, Registered};

/// The largest file that is read.
const LARGEST: u64 = 1 << 32;

/// Players that know one game. They are not in [`PLAYERS`](crate::PLAYERS), whose members play
/// every game.
pub const LEARNED: &[Registered] = &[
    Registered {
        name: "td",
        about: "Plays the move with the best learned value; `magister train` writes its file",
        iteration: "one legal move",
        parameters: &[Parameter::file("file", None, "the learned agent")],
        hidden: true,
        clairvoyant: false,
        make: td,
    },
    Registered {
        name: "az",
        about: "Searches with a learned policy and value; `magister train --agent az` writes its file",
        iteration: "one descent",
        parameters: &[
            Parameter::file("file", None, "the learned agent"),
            Parameter::real("c", C as f64, (0.0, 100.0), "the exploration constant"),
            Parameter::whole(
                "batch",
                0,
                (0, 1024),
                "the number of positions that are evaluated together; 0 chooses it",
            ),
            Parameter::whole(
                "search",
                1,
                (0, 1),
                "1 searches; 0 plays the most likely move of the policy",
            ),
            Parameter::whole("memory", 512, (1, 65536), "the memory limit in MiB"),
        ],
        hidden: false,
        clairvoyant: false,
        make: crate::az::make,
    },
    Registered {
        name: "perfect-connect-four",
        about: "Plays Connect Four without a mistake if it has time for a proof, up to 15 s for the \
                first moves; ties are broken at random",
        iteration: "one expanded position",
        parameters: &[
            Parameter::whole(
                "distant",
                0,
                (0, 1),
                "1 delays a loss as long as possible; 0 does not",
            ),
            Parameter::whole(
                "bits",
                22,
                (10, 28),
                "the base-2 logarithm of the number of buckets in the transposition table; 22 takes 64 MiB",
            ),
            Parameter::file(
                "book",
                None,
                "an opening book instead of the built-in one, made by `cargo xtask learn book`",
            ),
        ],
        hidden: false,
        clairvoyant: false,
        make: perfect,
    },
];

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, SourceError> {
    let failed =
        |error: std::io::Error| SourceError::Failed(format!("{}: {error}", path.display()));
    let size = std::fs::metadata(path).map_err(failed)?.len();
    if size > LARGEST {
        return Err(SourceError::Failed(format!("{} is too large", path.display())));
    }
    std::fs::read(path).map_err(failed)
}

fn td(settings: &Arguments) -> Made {
    let Some(path) = settings.file("file")? else {
        return Err(SourceError::Failed(
            "it needs a learned agent. Write td:file=FILE; `magister train` makes one".to_owned(),
        ));
    };
    let file = AgentFile::from_bytes(&read(path)?)
        .map_err(|error| SourceError::Failed(format!("{}: {error}", path.display())))?;
    Ok(values(settings.text(), Arc::new(file)))
}

/// The search in which learned values play best, with `AGENT` for the player of their file.
pub const AROUND_VALUES: &str = "puct:sharp=20,inner=[AGENT]";

/// The player of a learned agent with the usual settings, and the memory limit of its search in
/// MiB. Values of positions are used by a search if there is another player; values of moves, which
/// are learned from views, and those of puzzles choose the best move.
pub fn learned(name: &str, agent: LearnedAgent, memory: usize) -> Box<dyn Agent> {
    let views = agent.reads_views();
    match agent {
        LearnedAgent::Values(file) => {
            let searches = !views && file.header.players > 1;
            let chooses = values(name, file);
            if searches { Box::new(Puct::around(name, chooses, memory)) } else { chooses }
        }
        LearnedAgent::Network(file) => Box::new(Az::new(name, file, memory)),
    }
}

/// The player of learned values without a search: it plays the move with the best value.
pub fn values(name: &str, file: Arc<AgentFile>) -> Box<dyn Agent> {
    let learned = Learned::new(name, file);
    if learned.learned_from_views() {
        return Box::new(Seeing { learned, possible: Possible::default() });
    }
    Box::new(learned)
}

/// A learned agent for a game with hidden information. It evaluates its moves by its view alone.
struct Seeing {
    learned: Learned,
    possible: Possible,
}

impl Agent for Seeing {
    fn name(&self) -> String {
        self.learned.name()
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
        let Some(&first) = legal.first() else { return Ok(Move::IDLE.into()) };
        if legal.len() == 1 {
            return Ok(first.into());
        }
        let values = self.learned.of_view(view, &legal)?;
        let best = legal.iter().zip(&values).max_by(|a, b| a.1.total_cmp(b.1));
        let choice = best.map_or(first, |(&choice, _)| choice);
        let scale = Scale::of(view.game().as_ref());
        let thought = |(&choice, &value)| Thought::new(choice, scale.outwards(value));
        let thoughts: Vec<Thought> = legal.iter().zip(&values).map(thought).collect();
        Ok(Decision { iterations: thoughts.len() as u64, thoughts, ..choice.into() })
    }
}

fn perfect(settings: &Arguments) -> Made {
    let book = match settings.file("book")? {
        None => Book::opening(),
        Some(path) => Book::from_bytes(&read(path)?)
            .map_err(|error| SourceError::Failed(format!("{}: {error}", path.display())))?,
    };
    let (distant, bits) = (settings.flag("distant")?, settings.whole("bits")?);
    Ok(Box::new(Perfect::new(settings.text(), distant, bits, book)))
}

#[cfg(test)]
mod tests {
    use super::AROUND_VALUES;
    use crate::Spec;
    use crate::puct::SHARP;

    #[test]
    fn the_search_around_values_has_the_settings_of_its_text() {
        let text = AROUND_VALUES.replace("AGENT", "random");
        assert_eq!(text, format!("puct:sharp={SHARP},inner=[random]"));
        assert!(text.parse::<Spec>().unwrap().try_agent().is_ok());
    }

    #[test]
    fn a_missing_or_foreign_file_is_an_error() {
        let said = |text: &str| {
            text.parse::<Spec>().unwrap().try_agent().err().map(|error| error.to_string())
        };
        assert!(said("td").unwrap().contains("td:file=FILE"));
        assert!(said("td:file=/nowhere/at.all").unwrap().contains("/nowhere/at.all"));
        assert!(said("td:file=Cargo.toml").unwrap().contains("is not a learned agent"));
        let book = "perfect-connect-four:book=Cargo.toml";
        assert!(said(book).unwrap().contains("is not an opening book"));
        assert_eq!(said("perfect-connect-four:distant=1,bits=12"), None);
    }
}
