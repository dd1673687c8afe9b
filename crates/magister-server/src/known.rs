//! What a role knows of a position where information is hidden.

use std::sync::Arc;
use std::time::Duration;

use magister::engine::within;
use magister_arena::Deadline;
use magister_core::{Budget, Game, Move, Rng, Role, Seed, Stop, View, Worker};
use magister_infoset::{Belief, InfosetLimits, Settings};
use magister_players::Possible;

use crate::drawing::Fact;
use crate::games::OpenGame;

/// How long to look for what is known.
const PATIENCE: Duration = Duration::from_secs(4);
/// The largest information set that is enumerated, and the size of a sample of a larger one.
const STATES: usize = 1_500;
const PARTICLES: usize = 200;
/// The states whose moves are compared.
const COMPARED: usize = 64;

/// What a role knows: what all positions have in common that agree with what it saw.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// The moves that the role has, as far as is known.
    pub moves: Vec<Move>,
    /// The value of each cell; none where it is not known.
    pub cells: Vec<Option<u16>>,
    /// The other facts that are certain.
    pub facts: Vec<Fact>,
    /// Whether all positions were compared, or a sample of them.
    pub exact: bool,
    /// The number of positions that were compared; 0 if none was found in time.
    pub positions: usize,
}

/// Follows the information set of one role through a match.
pub struct Follow {
    role: Role,
    worker: Box<dyn Worker>,
    belief: Option<Belief>,
    possible: Possible,
    rng: Rng,
}

impl std::fmt::Debug for Follow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Follow").field("role", &self.role).finish_non_exhaustive()
    }
}

impl Follow {
    /// Before the first turn.
    pub fn new(game: &Arc<dyn Game>, role: Role) -> Self {
        let rng = Seed::from(0).derive("known").rng();
        let worker = game.worker();
        Follow { role, worker, belief: None, possible: Possible::default(), rng }
    }

    /// What the role knows at the end of its view.
    pub fn look(&mut self, open: &OpenGame, view: &View) -> Knowledge {
        let (role, turns, game) = (self.role, view.turns(), view.game());
        let rng = &mut self.rng;
        let kept = self.belief.take();
        let possible = &mut self.possible;
        let (belief, guessed) = within(PATIENCE, &Stop::never(), |stop| {
            let clock = Arc::new(Deadline::within(PATIENCE));
            let budget = Budget::until(stop.clone()).with_clock(clock);
            let limits = InfosetLimits { states: STATES, steps: 40 * STATES as u64 };
            let settings = Settings { limits, particles: PARTICLES, ..Settings::default() };
            let made = match kept.filter(|belief| belief.precedes(game, role, turns)) {
                Some(kept) => Ok(kept),
                None => Belief::new(Arc::clone(game), role, settings, stop),
            };
            let followed = made.and_then(|mut made| {
                made.follow(turns, &budget, rng)?;
                Ok(made)
            });
            match followed {
                Ok(made) => (Some(made), Vec::new()),
                // Without a position that agrees, the moves come from one that is close.
                Err(_) => (None, possible.moves(view, &budget, rng).unwrap_or_default().0),
            }
        });
        let count = open.drawing.shape().map_or(0, |shape| shape.cells.len());
        let Some(belief) = belief else {
            let cells = vec![None; count];
            return Knowledge { moves: guessed, cells, facts: vec![], exact: false, positions: 0 };
        };
        let moves = common_moves(&belief, &mut *self.worker, role);
        let (cells, facts) = in_common(open, game, &belief, count);
        let (exact, positions) = (belief.is_exact(), belief.len());
        self.belief = Some(belief);
        Knowledge { moves, cells, facts, exact, positions }
    }
}

/// What all states have in common.
fn in_common(
    open: &OpenGame,
    game: &Arc<dyn Game>,
    belief: &Belief,
    count: usize,
) -> (Vec<Option<u16>>, Vec<Fact>) {
    let mut states = (0..belief.len()).map(|number| belief.state(number));
    let Some(first) = states.next() else { return (vec![None; count], Vec::new()) };
    let first = open.drawing.paint(&**game, first);
    let mut cells: Vec<Option<u16>> = first.cells.into_iter().map(Some).collect();
    let mut facts = first.facts;
    for state in states {
        let other = open.drawing.paint(&**game, state);
        for (cell, other) in cells.iter_mut().zip(&other.cells) {
            if *cell != Some(*other) {
                *cell = None;
            }
        }
        facts = facts.into_iter().filter_map(|fact| shared(fact, &other.facts)).collect();
    }
    (cells, facts)
}

/// What of a fact is the same in another position.
fn shared(mut fact: Fact, others: &[Fact]) -> Option<Fact> {
    if others.contains(&fact) {
        return Some(fact);
    }
    let other = others.iter().find(|o| o.name == fact.name && o.kind == fact.kind)?;
    match fact.kind {
        "list" => {
            fact.items.retain(|item| other.items.contains(item));
            let items: Vec<&str> = fact.items.iter().map(|item| item.text.as_str()).collect();
            fact.text = items.join(", ");
        }
        "counters" | "piles" => {
            fact.entries.retain(|entry| other.entries.contains(entry));
            let entries: Vec<String> =
                fact.entries.iter().map(|(key, value)| format!("{key} {value}")).collect();
            fact.text = entries.join(", ");
        }
        _ => return None,
    }
    fact.label = format!("{}: {}", fact.name, fact.text);
    (!fact.text.is_empty()).then_some(fact)
}

/// The moves that are legal in all states, as far as was looked; if none is, those of the first.
fn common_moves(belief: &Belief, worker: &mut dyn Worker, role: Role) -> Vec<Move> {
    let stride = belief.len().div_ceil(COMPARED).max(1);
    let mut first: Option<Vec<Move>> = None;
    let mut common: Option<Vec<Move>> = None;
    for number in (0..belief.len()).step_by(stride) {
        if worker.load(belief.state(number), &Stop::never()).is_err() {
            continue;
        }
        let here = worker.legal(role);
        first.get_or_insert_with(|| here.to_vec());
        match &mut common {
            None => common = Some(here.to_vec()),
            Some(common) => common.retain(|choice| here.contains(choice)),
        }
    }
    common.filter(|common| !common.is_empty()).or(first).unwrap_or_default()
}
