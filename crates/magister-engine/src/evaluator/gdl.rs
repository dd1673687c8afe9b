//! The front end of GDL: a compiled game from a ground program and its network.

use std::sync::Arc;

use magister_gdl::{Dialect, Syntax};
use rustc_hash::FxHashMap;

use super::game::CompiledGame;
use super::pace::Playouts;
use super::stepper::NetworkStepper;
use crate::board::NetworkBoard;
use crate::compiled::{Compiled, FluentBoard, Names, Reader};
use crate::ground::Ground;
use crate::network::GdlNetwork;
use crate::program::Program;
use crate::term::TermId;
use crate::trace::Stepper;
use crate::{Error, Evaluator, reference};

/// Parses terms of GDL in the syntax that the game writes, or in prefix syntax.
#[derive(Debug)]
struct Terms {
    syntax: Syntax,
}

impl Reader for Terms {
    fn term(&self, text: &str) -> Option<String> {
        Ground::read_either(text, self.syntax).map(|term| term.text(self.syntax))
    }

    fn state(&self, text: &str) -> Option<Vec<String>> {
        let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
        let read = |syntax| Ground::read_all(inner, syntax);
        let fluents = read(self.syntax).or_else(|| read(Syntax::Kif))?;
        Some(fluents.into_iter().map(|fluent| fluent.text(self.syntax)).collect())
    }
}

/// A GDL game on its network: the compiled game, and the terms that its numbers stand for.
#[derive(Debug)]
pub struct NetworkGame {
    game: CompiledGame,
    network: Arc<GdlNetwork>,
    /// The number of each fluent.
    fluents: Arc<FxHashMap<Ground, u32>>,
}

impl std::ops::Deref for NetworkGame {
    type Target = CompiledGame;

    fn deref(&self) -> &CompiledGame {
        &self.game
    }
}

impl NetworkGame {
    /// The game of a network on a network evaluator; an error if its initial state cannot be
    /// played. `source` is the text of the rules, `name` the name of the game.
    pub fn new(
        program: &Arc<Program>,
        network: Arc<GdlNetwork>,
        evaluator: Evaluator,
        source: &str,
        name: &str,
    ) -> Result<Self, Error> {
        let compiled = Arc::new(compile(program, &network, source, name));
        let game = CompiledGame::new(compiled, evaluator)?;
        let fluents = network.fluents.iter().enumerate();
        let fluents = fluents.map(|(n, &term)| (network.terms.export(term), n as u32)).collect();
        Ok(Self { game, network, fluents: Arc::new(fluents) })
    }

    /// The network that it runs on, with its terms.
    pub fn network(&self) -> &GdlNetwork {
        &self.network
    }

    /// The game without the terms.
    pub fn game(&self) -> &CompiledGame {
        &self.game
    }

    /// The same game with another batch method.
    pub(crate) fn playing_by(self, playouts: Playouts) -> Self {
        Self { game: self.game.playing(playouts), ..self }
    }

    /// The evaluator as a [`Stepper`], for comparison with recorded matches.
    pub fn stepper(&self) -> Box<dyn Stepper> {
        let (network, fluents) = (Arc::clone(&self.network), Arc::clone(&self.fluents));
        Box::new(NetworkStepper::new(Arc::clone(&self.game.shared), network, fluents))
    }
}

/// The compiled game of a network.
fn compile(
    program: &Arc<Program>,
    network: &Arc<GdlNetwork>,
    source: &str,
    name: &str,
) -> Compiled {
    let operations = program.dialect == Dialect::Operations;
    let syntax = if operations { Syntax::Infix } else { Syntax::Kif };
    let text = |&term: &TermId| network.terms.export(term).text(syntax);
    let texts = |terms: &[TermId]| -> Vec<String> { terms.iter().map(text).collect() };
    let numbers: FxHashMap<TermId, u32> =
        network.fluents.iter().enumerate().map(|(n, &term)| (term, n as u32)).collect();
    let mut sorted = network.fluents.clone();
    network.terms.sort(&mut sorted);
    let names =
        Names::new(texts(&network.moves), texts(&network.percepts), texts(&network.fluents))
            .listed(sorted.iter().map(|term| numbers[term]).collect())
            .read_by(Arc::new(Terms { syntax }));
    let info = reference::info(program, None, source, name);
    let compiled = Compiled::new(info, names, Arc::clone(&network.network));
    let (network, program) = (Arc::clone(network), Arc::clone(program));
    let compiled = compiled.with_board(move |game| {
        let moves: Vec<Ground> =
            network.moves.iter().map(|&term| network.terms.export(term)).collect();
        let board = NetworkBoard::new(game, &network, &program, &moves)?;
        Some(Box::new(board) as Box<dyn FluentBoard>)
    });
    // In the operations dialect, a role without a goal has zero.
    if operations { compiled.with_missing_goal(0.0) } else { compiled }
}
