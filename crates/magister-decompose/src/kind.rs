//! How the parts of a game are combined.

use magister_engine::network::Network;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::decomposition::Decomposition;
use crate::sample;

/// A property of a decomposed game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// One part changes at a time.
    Asynchronous,
    /// Several parts change in every step.
    Synchronous,
    /// A part begins when another has ended.
    Serial,
    /// A single move acts on several parts.
    Compound,
    /// The effect of a move on one part restricts its effect on another.
    Coupled,
    /// Each role has its own parts.
    Separate,
    /// The roles have the same options, and the last move decides.
    Impartial,
    /// Neither the goals nor `terminal` depend on some parts.
    Multiple,
    /// A role may make a move without effect although it could act.
    Pass,
    /// Fluents that count steps.
    Stepper,
}

impl Kind {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Asynchronous => "asynchronous",
            Kind::Synchronous => "synchronous",
            Kind::Serial => "serial",
            Kind::Compound => "compound moves",
            Kind::Coupled => "coupled moves",
            Kind::Separate => "separate roles",
            Kind::Impartial => "impartial",
            Kind::Multiple => "multiple",
            Kind::Pass => "pass",
            Kind::Stepper => "stepper",
        }
    }
}

/// The number of steps of random play.
const STEPS: usize = 60;

pub(crate) fn kinds(network: &Network, whole: &Decomposition) -> Vec<Kind> {
    let mut kinds = Vec::new();
    if whole.subgames.len() < 2 {
        return kinds;
    }
    let part_of_game: FxHashSet<u32> =
        whole.subgames.iter().map(|game| whole.split.part_of[game.fluents[0]]).collect();
    let acts = |place: usize| {
        whole.classes_of_moves[place].iter().filter(|(part, _)| part_of_game.contains(part))
    };
    let moves = network.moves.len();
    let compound = (0..moves).any(|place| acts(place).count() > 1);
    if compound {
        kinds.push(Kind::Compound);
        if coupled(network, whole) {
            kinds.push(Kind::Coupled);
        }
    }
    let serial = !whole.split.serial.is_empty() || !whole.phases.is_empty();
    if serial {
        kinds.push(Kind::Serial);
    }
    // The parts that each role can act on at the same time.
    let (mut one, mut several, mut passing) = (false, false, false);
    sample::walk(network, STEPS, |wires, live| {
        let roles = network.roles();
        let mut choices: Vec<FxHashMap<u32, u64>> = vec![FxHashMap::default(); roles];
        let mut resting = vec![0u64; roles];
        let mut acting = vec![0u64; roles];
        for place in 0..moves {
            let word = sample::read(wires, network.legal[place]) & live;
            let role = network.moves[place].0.index();
            if whole.classes_of_moves[place].is_empty() {
                resting[role] |= word;
            } else {
                acting[role] |= word;
            }
            for &(part, _) in acts(place) {
                *choices[role].entry(part).or_default() |= word;
            }
        }
        let mut busy = 0u64;
        for role in 0..roles {
            several |= busy & acting[role] != 0;
            busy |= acting[role];
            passing |= resting[role] & acting[role] != 0;
        }
        one |= busy != 0;
    });
    if several || compound {
        kinds.push(Kind::Synchronous);
    } else if one && !serial {
        kinds.push(Kind::Asynchronous);
    }
    let role_sets: Vec<FxHashSet<usize>> = whole
        .subgames
        .iter()
        .map(|game| game.moves.iter().map(|&place| network.moves[place].0.index()).collect())
        .collect();
    let alone = role_sets.iter().all(|roles| roles.len() == 1);
    let all: FxHashSet<usize> = role_sets.iter().flatten().copied().collect();
    if alone && all.len() == whole.subgames.len() {
        kinds.push(Kind::Separate);
    }
    let mut goals: Vec<_> = network.goals.iter().map(|goal| goal.when).collect();
    goals.push(network.terminal);
    let scored = whole.split.parts_below(network, &goals);
    if part_of_game.iter().any(|part| !scored.contains(part)) {
        kinds.push(Kind::Multiple);
    }
    if passing {
        kinds.push(Kind::Pass);
    }
    if whole.context.len() > 2 * network.roles() {
        kinds.push(Kind::Stepper);
    }
    kinds.sort_unstable();
    kinds
}

/// Whether a pair of actions on two parts never occurs together although each of them occurs with
/// others.
fn coupled(network: &Network, whole: &Decomposition) -> bool {
    for role in 0..network.roles() {
        let mut classes: FxHashMap<u32, FxHashSet<u32>> = FxHashMap::default();
        let mut pairs: FxHashMap<(u32, u32), FxHashSet<(u32, u32)>> = FxHashMap::default();
        for (place, list) in whole.classes_of_moves.iter().enumerate() {
            if network.moves[place].0.index() != role {
                continue;
            }
            for (at, &(part, class)) in list.iter().enumerate() {
                classes.entry(part).or_default().insert(class);
                for &(before, other) in &list[..at] {
                    pairs.entry((before, part)).or_default().insert((other, class));
                }
            }
        }
        let mut all: Vec<_> = pairs.iter().collect();
        all.sort_unstable_by_key(|(pair, _)| **pair);
        if all.iter().any(|((a, b), seen)| seen.len() < classes[a].len() * classes[b].len()) {
            return true;
        }
    }
    false
}
