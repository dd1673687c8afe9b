//! A card game as a [`Game`].

use std::sync::Arc;

use magister_core::text::IDLE_TEXT;
use magister_core::{
    Game, Info, Information, Move, Payment, Percept, Role, Seed, Text, Worker, Worlds, rules_hash,
};

use crate::check::{self, Fix, Options};
use crate::code::Diagnostics;
use crate::deals::Deals;
use crate::fault;
use crate::machine::{Machine, Wait};
use crate::moves::Moves;
use crate::percepts::Percepts;
use crate::program::Program;
use crate::read;
use crate::worker::CardWorker;

/// The maximum number of outcomes of one chance move.
pub(crate) const MOST_DRAWS: i64 = 4096;

/// The result of examining a text.
#[derive(Debug)]
pub struct Examined {
    /// The game, if it has no errors.
    pub game: Option<CardGame>,
    /// The diagnostics.
    pub diagnostics: Diagnostics,
    /// Words that are probably misspelt, with what is meant.
    pub fixes: Vec<Fix>,
}

/// A card game.
#[derive(Debug, Clone)]
pub struct CardGame {
    pub(crate) shared: Arc<Shared>,
}

/// The shared part of a game and its workers.
#[derive(Debug)]
pub(crate) struct Shared {
    pub program: Program,
    pub info: Info,
    pub moves: Moves,
    pub percepts: Percepts,
    /// The moves of chance; a prefix of them is legal.
    pub draws: Vec<Move>,
    /// The text of the rules.
    pub text: String,
}

/// Reads and checks a text, and creates a game with this name if there is no error.
pub fn examine(name: &str, text: &str, options: &Options) -> Examined {
    let read = read::read_as(text, &options.limits, options.compat);
    let canonical = crate::print::canonical(&read.forms);
    // Everything behind the limits is missing, so the rest is not worth checking.
    if read.diagnostics.as_slice().iter().any(|one| one.code.is_limit()) {
        return Examined { game: None, diagnostics: read.diagnostics, fixes: Vec::new() };
    }
    let (checked, mut diagnostics, fixes) = check::check(&read.forms, options, read.diagnostics);
    let program = checked.map(|rules| Program::new(rules, options.compat, options.limits));
    // A game that cannot begin would look like one that is over at once.
    let program = program.filter(|program| match fault::at_start(program, text) {
        None => true,
        Some(diagnostic) => {
            diagnostics.push(diagnostic);
            false
        }
    });
    let game = program.map(|program| CardGame::new(name, text, &canonical, program));
    Examined { game, diagnostics, fixes }
}

/// Whether a text seems to be RECYCLE: its first words are `(game (setup` or `(game (declare`.
pub fn looks_like(text: &str) -> bool {
    let mut words = text
        .trim_start_matches('\u{feff}')
        .lines()
        .map(|line| line.split(';').next().unwrap_or(""))
        .flat_map(|line| line.split_inclusive(['(', ')']))
        .flat_map(|part| part.split_whitespace().flat_map(split_parenthesis))
        .filter(|word| !word.is_empty());
    let first: Vec<&str> = words.by_ref().take(4).collect();
    matches!(first[..], ["(", "game", "(", "setup" | "declare"])
}

/// A word and the parenthesis after it.
fn split_parenthesis(word: &str) -> [&str; 2] {
    let end = word.find(['(', ')']).unwrap_or(word.len());
    [&word[..end], &word[end..]]
}

impl CardGame {
    fn new(name: &str, text: &str, canonical: &str, program: Program) -> Self {
        let players = program.rules.players;
        let mut roles: Vec<String> = (0..players).map(|player| format!("p{player}")).collect();
        roles.push("random".to_owned());
        // The compatibility mode is part of the rules.
        let habits = if program.compat { "compat" } else { "" };
        let info = Info {
            name: name.to_owned(),
            roles,
            chance: Some(Role(players as u8)),
            moves: None,
            percepts: None,
            state_words: None,
            rewards: (f64::NEG_INFINITY, f64::INFINITY),
            payment: Payment::AtEnd,
            constant_sum: None,
            max_length: None,
            information: Information::Hidden,
            rules_hash: rules_hash(&format!("{canonical}{habits}")),
            text_hash: rules_hash(text),
        };
        let moves = Moves::new(&program, text);
        let draws = (0..moves.draws()).map(Move).collect();
        let (percepts, text) = (Percepts::default(), text.to_owned());
        let shared = Shared { program, info, moves, percepts, draws, text };
        CardGame { shared: Arc::new(shared) }
    }

    /// Whether a high score is good. The reward of a player is its score, or minus its score if a
    /// low one is good.
    pub fn most_wins(&self) -> bool {
        self.shared.program.rules.most
    }

    /// The number of cards.
    pub fn cards(&self) -> usize {
        self.shared.program.cards
    }

    /// Plays random games one by one at full speed: chance is drawn within the machine, without
    /// percepts. This is for statistics and measurements; `each` gets a [`Sample`] after every
    /// game.
    ///
    /// A game with more than `most` decisions, or one whose rules fail, has no scores.
    pub fn sample(&self, games: u64, seed: Seed, most: u32, mut each: impl FnMut(&Sample<'_>)) {
        let p = &self.shared.program;
        let mut machine = Machine::new(p);
        let mut rng = seed.derive("players").rng();
        machine.rng = Some(seed.derive("chance").rng());
        let mut scores = Vec::new();
        let mut options = Vec::new();
        for _ in 0..games {
            machine.reset(p);
            options.clear();
            scores.clear();
            let mut went = machine.run(p);
            while let (Ok(()), Wait::Choice(choice)) = (went, machine.wait) {
                if options.len() as u32 >= most {
                    break;
                }
                went = machine.expand(p, choice).and_then(|()| {
                    let count = machine.choosing.len();
                    options.push(count as u32);
                    machine.chosen(p, rng.below(count as u64) as usize)
                });
            }
            if went.is_ok() && machine.wait == Wait::End {
                let all = (0..p.rules.players).map(|player| machine.score(p, player));
                scores.extend(all.filter_map(Result::ok));
            }
            let fault = went.err().map(crate::machine::Fault::text);
            each(&Sample { options: &options, scores: &scores, fault });
        }
    }
}

/// A random game.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The number of options of each decision.
    pub options: &'a [u32],
    /// The score of each player; empty if the game did not end.
    pub scores: &'a [i32],
    /// The defect of the rules, if they failed.
    pub fault: Option<&'static str>,
}

impl Game for CardGame {
    fn info(&self) -> &Info {
        &self.shared.info
    }

    fn worker(&self) -> Box<dyn Worker> {
        Box::new(CardWorker::new(Arc::clone(&self.shared)))
    }

    fn text(&self) -> &dyn Text {
        self
    }

    fn worlds(&self, role: Role) -> Option<Box<dyn Worlds>> {
        let player = u32::from(role.0);
        let few = self.cards() <= crate::deals::MOST_CARDS;
        (few && player < self.shared.program.rules.players)
            .then(|| Box::new(Deals::new(Arc::clone(&self.shared), player)) as Box<dyn Worlds>)
    }

    fn as_any(&self) -> Option<&dyn std::any::Any> {
        Some(self)
    }
}

impl Text for CardGame {
    fn move_text(&self, choice: Move) -> String {
        if choice == Move::IDLE { IDLE_TEXT.to_owned() } else { self.shared.moves.text(choice) }
    }

    fn parse_move(&self, _role: Role, text: &str) -> Option<Move> {
        if text == IDLE_TEXT { Some(Move::IDLE) } else { self.shared.moves.parse(text) }
    }

    fn percept_text(&self, percept: Percept) -> String {
        self.shared.percepts.text(&self.shared.program, &self.shared.moves, percept)
    }

    fn parse_percept(&self, text: &str) -> Option<Percept> {
        self.shared.percepts.parse(&self.shared.program, &self.shared.moves, text)
    }

    fn state_text(&self, state: &[u64]) -> String {
        crate::state_text::write(&self.shared, state)
            .unwrap_or_else(|| magister_core::Halt::BadState.to_string())
    }

    fn parse_state(&self, text: &str) -> Option<Vec<u64>> {
        crate::state_text::parse(&self.shared, text)
    }
}
