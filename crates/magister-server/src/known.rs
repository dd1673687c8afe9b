//! What a role knows about a position with hidden information.

use std::sync::Arc;
use std::time::Duration;

use magister::known::{Effort, Follower};
use magister_core::{Game, Move, Role, View};
use magister_infoset::Belief;

use crate::drawing::{Fact, Group, cards};
use crate::games::OpenGame;

/// The time limit for computing what is known.
const PATIENCE: Duration = Duration::from_secs(4);
/// The maximum size of an information set that is enumerated, and the size of a sample of a larger
/// one.
const STATES: usize = 1_500;
const PARTICLES: usize = 200;
/// What a role knows: the common properties of all positions that are consistent with its
/// observations.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// The legal moves of the role, as far as they are known.
    pub moves: Vec<Move>,
    /// The value of each cell; `None` if it is not known.
    pub cells: Vec<Option<u16>>,
    /// The other facts that are certain.
    pub facts: Vec<Fact>,
    /// Whether all positions were compared, and not only a sample.
    pub exact: bool,
    /// The number of positions that were compared; 0 if none was found in time.
    pub positions: usize,
}

/// Tracks the knowledge of one role during a match.
#[derive(Debug)]
pub struct Follow(Follower);

impl Follow {
    /// The knowledge before the first turn.
    pub fn new(game: &Arc<dyn Game>, role: Role) -> Self {
        let effort = Effort { patience: PATIENCE, states: STATES, particles: PARTICLES };
        Follow(Follower::new(game, role, effort))
    }

    /// The knowledge of the role at the end of its view.
    pub fn look(&mut self, open: &OpenGame, view: &View) -> Knowledge {
        let moves = self.0.follow(view).moves;
        let count = open.drawing.shape().map_or(0, |shape| shape.cells.len());
        let Some(belief) = self.0.belief() else {
            return Knowledge {
                moves,
                cells: vec![None; count],
                facts: vec![],
                exact: false,
                positions: 0,
            };
        };
        let (cells, facts) = in_common(open, view.game(), belief, view.role(), count);
        Knowledge { moves, cells, facts, exact: belief.is_exact(), positions: belief.len() }
    }
}

/// The common properties of all states.
fn in_common(
    open: &OpenGame,
    game: &Arc<dyn Game>,
    belief: &Belief,
    role: Role,
    count: usize,
) -> (Vec<Option<u16>>, Vec<Fact>) {
    let mut states = (0..belief.len()).map(|number| belief.state(number));
    let Some(first) = states.next() else { return (vec![None; count], Vec::new()) };
    // A player's view of a card table is the same in all positions that are consistent with it.
    if let Some(facts) = cards::table(&**game, first, Some(role)) {
        return (Vec::new(), facts);
    }
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

/// The part of a fact that is the same in another position.
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
        "groups" | "stacks" => {
            for group in &mut fact.groups {
                let same = other.groups.iter().find(|other| other.name == group.name);
                group.items.retain(|item| same.is_some_and(|same| same.items.contains(item)));
            }
            fact.groups.retain(|group| !group.items.is_empty());
            fact.text = fact.groups.iter().map(Group::text).collect::<Vec<_>>().join("; ");
        }
        "counters" | "piles" | "flags" => {
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
