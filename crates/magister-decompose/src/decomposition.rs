//! A game and its subgames.

use std::time::Duration;

use magister_core::{Game, Halt, Information, Stop};
use magister_engine::Compiled;
use magister_engine::network::Network;
use rustc_hash::FxHashSet;

use crate::attempt::{Work, attempt};
use crate::effects::Effects;
use crate::kind::{self, Kind};
use crate::later::{self, Later};
use crate::local::Bounds;
use crate::phases;
use crate::split::{Binding, CONTEXT, Classes, Merge, Split};
use crate::sum::Sum;
use crate::worth::Worth;

/// A part of a game: some of its fluents, and the moves that act on them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Part {
    /// Its fluents, by number, ascending.
    pub fluents: Vec<usize>,
    /// The moves that act on it, by their index in the network, ascending.
    pub moves: Vec<usize>,
}

/// The proofs about the parts of a game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Proof {
    /// The number of fluents whose next value depends only on their own part and its moves, as the
    /// gates below it show.
    pub by_support: usize,
    /// The number of fluents for which a SAT solver had to prove that other moves do not act on
    /// them.
    pub by_sat: usize,
    /// The number of queries to the SAT solver.
    pub questions: u64,
    /// The number of fluents on which several roles act together. Their circuits were specialised
    /// to the moves of each role; moves with the same residual function of the others' moves are
    /// one action.
    pub together: usize,
}

/// A game split into parts.
#[derive(Debug)]
pub struct Decomposition {
    /// The parts that moves act on.
    pub subgames: Vec<Part>,
    /// Fluents that no move acts on: control, step counters, constants.
    pub context: Vec<usize>,
    /// Moves without any effect.
    pub dead: Vec<usize>,
    /// How the parts are combined.
    pub kinds: Vec<Kind>,
    /// Whether the parts are worth searching separately, and why.
    pub worth: Worth,
    /// The proofs.
    pub proof: Proof,
    /// If the game has one part: fluents that may become permanently true, and the parts of the
    /// game from then on.
    pub later: Option<Box<Later>>,
    /// Pairs of subgames, earlier and later, that follow each other by a fixed schedule of the
    /// context.
    pub(crate) phases: Vec<(usize, usize)>,
    /// The sum of the parts, if the game is a sum and was enumerated.
    pub(crate) sum: Option<Sum>,
    pub(crate) split: Split,
    pub(crate) effects: Effects,
    pub(crate) classes_of_moves: Vec<Classes>,
}

impl Decomposition {
    /// The parts of a game within some time, if it is useful to search them separately. Without a
    /// time limit only small games are tried, so that the work stays small as well.
    pub fn useful(
        game: &dyn Game,
        time: Option<Duration>,
        stop: &Stop,
    ) -> Result<Option<Self>, Halt> {
        attempt(game, Work::Split, time, stop, |compiled, stop| match Self::new(compiled, stop) {
            Err(Halt::Stopped) => Err(Halt::Stopped),
            found => Ok(found.ok().filter(|whole| whole.worth.useful)),
        })
    }

    /// The parts of a game. A game that does not decompose has one part.
    ///
    /// The work is bounded by counting, so the result does not depend on the clock. It is an error
    /// if the game has hidden information or is too large, or if the work was stopped.
    pub fn new(compiled: &Compiled, stop: &Stop) -> Result<Self, Halt> {
        let network: &Network = compiled.network();
        if compiled.info().information == Information::Hidden {
            return Err(Halt::Hidden);
        }
        let strong = (Merge::Strong, Binding::Parts);
        let mut whole = Self::of(network, Effects::new(network, stop)?, strong, stop)?;
        if whole.subgames.len() > 1 {
            return whole.grouped(compiled, strong, stop);
        }
        for how in [
            (Merge::Named, Binding::Parts),
            (Merge::Medium, Binding::Parts),
            (Merge::Weak, Binding::Parts),
            (Merge::Weak, Binding::Fluents),
        ] {
            if how.0 == Merge::Named && network.concepts.is_empty() {
                continue;
            }
            let Decomposition { effects, split, .. } = whole;
            whole = Self::of(network, effects, how, stop)?;
            if whole.subgames.len() > 1 && whole.split != split {
                whole = whole.judged(compiled, stop)?;
                if whole.worth.useful || whole.has_games(network) {
                    return Ok(whole);
                }
            }
        }
        // Cells of a board are not shown as subgames if nothing is gained by them.
        let mut whole = Self::of(network, whole.effects, strong, stop)?.judged(compiled, stop)?;
        whole.later = later::find(compiled, &whole, stop)?.map(Box::new);
        Ok(whole)
    }

    fn of(
        network: &Network,
        effects: Effects,
        (merge, binding): (Merge, Binding),
        stop: &Stop,
    ) -> Result<Self, Halt> {
        let split = Split::new(network, &effects, merge, binding, stop)?;
        let mut parts = vec![Part::default(); split.parts];
        let mut context = Vec::new();
        for (fluent, &part) in split.part_of.iter().enumerate() {
            match part {
                CONTEXT => context.push(fluent),
                part => parts[part as usize].fluents.push(fluent),
            }
        }
        let classes_of_moves = split.classes(network, &effects);
        let mut dead = Vec::new();
        for (place, classes) in classes_of_moves.iter().enumerate() {
            if classes.is_empty() {
                dead.push(place);
            }
            for &(part, _) in classes {
                parts[part as usize].moves.push(place);
            }
        }
        let proof = Proof {
            by_support: network.fluents() - effects.proven - effects.unproven,
            by_sat: effects.proven,
            questions: effects.asked,
            together: effects.unproven,
        };
        let subgames: Vec<Part> = parts.into_iter().filter(|part| !part.moves.is_empty()).collect();
        let mut whole = Decomposition {
            subgames,
            context,
            dead,
            kinds: Vec::new(),
            worth: Worth::default(),
            proof,
            later: None,
            phases: Vec::new(),
            sum: None,
            split,
            effects,
            classes_of_moves,
        };
        whole.phases = phases::find(network, &whole);
        whole.kinds = kind::kinds(network, &whole);
        Ok(whole)
    }

    /// Parts that gates alone keep apart may be pieces of what the rules describe as one game, such
    /// as the lamps of a room. The parts by the names of the rules are then used instead, if they
    /// are as useful.
    fn grouped(
        self,
        compiled: &Compiled,
        strong: (Merge, Binding),
        stop: &Stop,
    ) -> Result<Self, Halt> {
        let network: &Network = compiled.network();
        if network.concepts.is_empty() || self.subgames.len() < 3 {
            return self.judged(compiled, stop);
        }
        let Decomposition { effects, split, .. } = self;
        let mut named = Self::of(network, effects, (Merge::Named, Binding::Parts), stop)?;
        if named.subgames.len() > 1 && named.split.is_coarser(&split) {
            named = named.judged(compiled, stop)?;
            if named.worth.useful {
                return Ok(named);
            }
        }
        Self::of(network, named.effects, strong, stop)?.judged(compiled, stop)
    }

    /// The same parts with an assessment of their worth.
    fn judged(mut self, compiled: &Compiled, stop: &Stop) -> Result<Self, Halt> {
        (self.worth, self.sum) = Worth::new(compiled, &self, Bounds::small(), stop)?;
        if self.worth.nimbers {
            self.kinds.push(Kind::Impartial);
        }
        Ok(self)
    }

    /// Whether the parts look like games: each has several fluents and several moves. The cells and
    /// columns of a board have one move each, and lamps have one fluent.
    fn has_games(&self, network: &Network) -> bool {
        let several = |part: &Part| {
            let first = network.moves[part.moves[0]].1;
            part.fluents.len() > 1 && part.moves.iter().any(|&at| network.moves[at].1 != first)
        };
        self.subgames.iter().all(several)
    }

    /// Whether the game has several subgames.
    pub fn decomposes(&self) -> bool {
        self.subgames.len() > 1
    }

    /// The parts that must be over before other parts begin, as pairs of subgames, earlier and
    /// later.
    pub fn serial(&self) -> Vec<(usize, usize)> {
        let place = |part: u32| {
            self.subgames.iter().position(|subgame| {
                subgame.fluents.first().is_some_and(|&f| self.split.part_of[f] == part)
            })
        };
        let pairs = self.split.serial.iter();
        let by_moves = pairs.filter_map(|&(early, late, _)| Some((place(early)?, place(late)?)));
        by_moves.chain(self.phases.iter().copied()).collect()
    }

    /// The subgames that the goals depend on.
    pub fn scored(&self, compiled: &Compiled) -> Vec<usize> {
        let network = compiled.network();
        let goals: Vec<_> = network.goals.iter().map(|goal| goal.when).collect();
        let below: FxHashSet<u32> = self.split.parts_below(network, &goals);
        (0..self.subgames.len())
            .filter(|&at| below.contains(&self.split.part_of[self.subgames[at].fluents[0]]))
            .collect()
    }
}
