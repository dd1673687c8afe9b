//! Games that decompose once some fluents have become permanently true.
//!
//! A fluent that stays true, and that only moves without other effects make true, is a decision.
//! After all decisions, the game may have more parts than before: each decision is replaced by the
//! constant true, and the rest is split again.

use magister_core::{Halt, Stop};
use magister_engine::Compiled;
use magister_engine::evaluator::CompiledGame;
use magister_engine::network::{Edge, Network};

use crate::decomposition::Decomposition;
use crate::effects::Idle;
use crate::rebuild::Change;

/// The maximum number of decisions.
const MOST: usize = 8;

/// A game after all decisions.
#[derive(Debug)]
pub struct Later {
    /// The fluents that are permanently true, by number.
    pub given: Vec<usize>,
    /// The game in which they are true from the start.
    pub game: CompiledGame,
    /// Its parts.
    pub whole: Decomposition,
}

/// The game after all decisions, if it has several parts.
pub(crate) fn find(
    compiled: &Compiled,
    whole: &Decomposition,
    stop: &Stop,
) -> Result<Option<Later>, Halt> {
    let network: &Network = compiled.network();
    if compiled.info().chance.is_some() || !network.gains.is_empty() {
        return Ok(None);
    }
    let given = decisions(network, whole);
    if given.is_empty() || given.len() > MOST {
        return Ok(None);
    }
    let mut fixed = vec![None; network.fluents()];
    given.iter().for_each(|&fluent| fixed[fluent] = Some(true));
    let change = Change {
        name: compiled.info().name.clone(),
        rules: format!("{} given {given:?}", compiled.info().rules_hash),
        initial: &network.initial,
        fixed,
        moves: vec![true; network.moves.len()],
        ends_when_stuck: false,
    };
    let game = match change.apply(compiled, stop) {
        Ok(game) => game,
        Err(Halt::Stopped) => return Err(Halt::Stopped),
        Err(_) => return Ok(None),
    };
    let parts = match Decomposition::new(game.compiled(), stop) {
        Ok(parts) => parts,
        Err(Halt::Stopped) => return Err(Halt::Stopped),
        Err(_) => return Ok(None),
    };
    Ok(parts.decomposes().then_some(Later { given, game, whole: parts }))
}

/// Fluents that are initially false, that moves make permanently true, and that are the only
/// fluents these moves act on.
fn decisions(network: &Network, whole: &Decomposition) -> Vec<usize> {
    let effects = &whole.effects;
    let mut fits: Vec<bool> = (0..network.fluents())
        .map(|fluent| !network.initial[fluent] && effects.idle[fluent] == Idle::Keeps)
        .collect();
    let mut acted = vec![false; network.fluents()];
    for acts in &effects.acts {
        for &(fluent, edge) in acts {
            acted[fluent as usize] = true;
            fits[fluent as usize] &= edge == Edge::TRUE;
        }
    }
    for acts in &effects.acts {
        if acts.iter().any(|&(fluent, _)| !fits[fluent as usize]) {
            acts.iter().for_each(|&(fluent, _)| fits[fluent as usize] = false);
        }
    }
    (0..network.fluents()).filter(|&fluent| fits[fluent] && acted[fluent]).collect()
}
