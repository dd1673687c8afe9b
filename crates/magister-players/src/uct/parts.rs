//! Games and positions that decompose: they are solved by their parts, and then played perfectly.
//!
//! A game is split once. In normal play, where the last move wins, positions are evaluated as sums
//! of regions once they are small enough. Positions of other games are split again from time to
//! time, when enough further fluents can no longer change.

use std::time::Duration;

use magister_core::{Budget, Decision, Game, Halt, Rng, Stop, Thought, View, Worker};
use magister_decompose::{
    Decomposition, NormalPlay, PartValues, PositionValues, Work, is_small, within,
};
use magister_solve::{Candidate, SolveLimits};

use super::Uct;
use crate::combine::draw;

/// The parts of the budget for the attempt: of a move, and of the start clock.
pub(super) const PART: u32 = 8;
pub(super) const START: u32 = 3;

/// The approximate memory per state of a quotient in bytes.
const STATE: usize = 200;

/// The part of the rest of the start clock in which regions are evaluated.
const AHEAD: u32 = 2;

/// The number of regions that are evaluated in a move without a clock.
const REGIONS: usize = 2_000;

/// How much smaller a position must be than one that was too large.
const SMALLER: (usize, usize) = (3, 4);

/// The share of the thinking time that may be spent on splitting positions, as one in N.
const RARELY: u32 = 30;

/// The shortest time in which splitting a position is tried: it takes a thread that watches the
/// clock.
const SHORTEST: Duration = Duration::from_millis(2);

/// What is known about a game from its subgames.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// Whether the subgames were looked for, and whether the game was solved by them.
    detected: bool,
    tried: bool,
    /// The subgames, if they are useful.
    found: Option<Decomposition>,
    /// The values of a game that was solved by its parts.
    whole: Option<PartValues>,
    /// A game of normal play, in which the last move wins, and the width of positions that are
    /// worth an attempt.
    normal: Option<NormalPlay>,
    width: usize,
    /// The values of all positions that follow a position that was solved by its parts.
    position: Option<PositionValues>,
    /// The number of fluents that could still change in the last position that was split.
    left: usize,
    /// The time spent on splitting positions, and on all moves.
    spent: Duration,
    thought: Duration,
}

impl Parts {
    /// Whether every position is known.
    pub(super) fn solved(&self) -> bool {
        self.whole.is_some()
    }

    /// Looks for subgames once. Without a time limit, large games are left for a later call that has
    /// one. A call that is stopped does not count.
    fn detect(&mut self, game: &dyn Game, time: Option<Duration>, stop: &Stop) -> Result<(), Halt> {
        if self.detected || time.is_none() && !is_small(game, Work::Split) {
            return Ok(());
        }
        self.found = Decomposition::useful(game, time, stop)?;
        if self.found.is_none() && game.info().players().count() > 1 {
            self.normal = NormalPlay::attempt(game, time, stop)?;
        }
        self.detected = true;
        Ok(())
    }
}

impl Uct {
    /// Looks for the subgames of a small game. The work is counted and not timed, so that matches
    /// without clocks can be repeated.
    pub(super) fn detect(&mut self, view: &View, stop: &Stop) -> Result<(), Halt> {
        if self.decompose { self.parts.detect(&**view.game(), None, stop) } else { Ok(()) }
    }

    /// Tries once to solve the game by its parts with one part of the time.
    pub(super) fn split(&mut self, view: &View, budget: &Budget, parts: u32) -> Result<(), Halt> {
        if !self.decompose || std::mem::replace(&mut self.parts.tried, true) {
            return Ok(());
        }
        let (game, stop) = (&**view.game(), budget.stop());
        let time = || budget.remaining().map(|left| left / parts);
        self.parts.detect(game, time(), stop)?;
        let several = game.info().players().count() > 1;
        if several {
            (self.parts.width, self.parts.left) = (usize::MAX, usize::MAX);
        }
        let Some(found) = self.parts.found.take() else { return Ok(()) };
        let bytes = self.config.memory / 4;
        let limits = SolveLimits { nodes: bytes / STATE, bytes };
        self.parts.whole = PartValues::attempt(game, &found, &limits, time(), stop)?;
        if self.parts.whole.is_none() && several {
            self.parts.normal = NormalPlay::attempt(game, time(), stop)?;
        }
        Ok(())
    }

    /// Evaluates regions of the position with a part of the start clock. Values that are found before
    /// the time is up are kept, so that later positions are settled at once.
    pub(super) fn value_regions(&mut self, view: &View, budget: &Budget) -> Result<(), Halt> {
        let (Some(play), Some(left)) = (&mut self.parts.normal, budget.remaining()) else {
            return Ok(());
        };
        let stop = budget.stop();
        let mut state = Vec::new();
        self.follower.follow(view, stop)?.save(&mut state);
        match within(left / AHEAD, stop, |stop| play.values_of(&state, usize::MAX, stop)) {
            Err(halt) if stop.is_set() => Err(halt),
            _ => Ok(()),
        }
    }

    /// The moves with their values, if the game or this position was solved by parts.
    pub(super) fn by_parts(
        &mut self,
        view: &View,
        budget: &Budget,
    ) -> Result<Option<Vec<Candidate>>, Halt> {
        self.split(view, budget, PART)?;
        let (role, stop) = (view.role(), budget.stop());
        let worker = self.follower.follow(view, stop)?;
        let parts = &mut self.parts;
        if let Some(whole) = &mut parts.whole {
            return whole.moves(worker, role, stop);
        }
        if !self.decompose {
            return Ok(None);
        }
        if let Some(play) = &mut parts.normal {
            let mut state = Vec::new();
            worker.save(&mut state);
            let width = play.width(&state);
            if width > parts.width {
                return Ok(None);
            }
            let found = match budget.remaining() {
                Some(left) => {
                    within(left / PART, stop, |stop| play.moves(worker, role, usize::MAX, stop))
                }
                None => play.moves(worker, role, REGIONS, stop),
            };
            return match found {
                Ok(found) => Ok(found),
                Err(_) if !stop.is_set() => {
                    parts.width = width / SMALLER.1 * SMALLER.0;
                    worker.load(&state, stop)?;
                    Ok(None)
                }
                Err(halt) => Err(halt),
            };
        }
        parts.split_position(view, worker, budget, self.config.memory / 4)
    }
}

impl Parts {
    /// Splits the current position, if there is a clock and this was not tried too often.
    fn split_position(
        &mut self,
        view: &View,
        worker: &mut dyn Worker,
        budget: &Budget,
        bytes: usize,
    ) -> Result<Option<Vec<Candidate>>, Halt> {
        let (Some(remaining), stop) = (budget.remaining(), budget.stop()) else { return Ok(None) };
        let mut state = Vec::new();
        worker.save(&mut state);
        if let Some(known) = &mut self.position {
            let found = known.moves(&state, view.role(), stop)?;
            if found.is_some() {
                return Ok(found);
            }
            self.position = None;
        }
        self.thought += remaining;
        if self.spent * RARELY > self.thought || remaining / RARELY < SHORTEST {
            return Ok(None);
        }
        let game = &**view.game();
        let begun = remaining;
        let limits = SolveLimits { nodes: bytes / STATE, bytes };
        let ask = (&mut self.left, SMALLER);
        let found = PositionValues::attempt(game, &state, ask, &limits, remaining / RARELY, stop);
        let now = budget.remaining().unwrap_or_default();
        self.spent += begun.saturating_sub(now);
        self.position = found?;
        match &mut self.position {
            Some(known) => known.moves(&state, view.role(), stop),
            None => Ok(None),
        }
    }
}

/// The decision by known values; `None` if several moves are equally good and a search could find
/// the one that is hardest to answer.
pub(super) fn settled(moves: &[Candidate], high: f64, rng: &mut Rng) -> Option<Decision> {
    let best: Vec<&Candidate> = moves.iter().filter(|one| one.likely > 0.0).collect();
    let won = best.iter().all(|one| one.value.is_none_or(|value| value >= high));
    if best.len() > 1 && !won {
        return None;
    }
    let names: Vec<_> = moves.iter().map(|one| one.choice).collect();
    let mixture: Vec<f64> = moves.iter().map(|one| one.likely).collect();
    Some(Decision { thoughts: thoughts(moves, None), ..draw(&names, &mixture, rng).into() })
}

/// The decision of a search among the moves that are known to be best.
pub(super) fn among(moves: &[Candidate], found: Option<Decision>) -> Option<Decision> {
    let visits = |one: &Candidate| {
        let thoughts = found.iter().flat_map(|decision| &decision.thoughts);
        thoughts.filter(|thought| thought.choice == one.choice).map(|thought| thought.visits).sum()
    };
    let best = moves.iter().filter(|one| one.likely > 0.0);
    // The first of those with the most visits.
    let best = best.rev().max_by_key(|one| -> u64 { visits(one) })?;
    let searched = found.unwrap_or_else(|| best.choice.into());
    let line = if searched.choice == best.choice { searched.line } else { Vec::new() };
    let thoughts = thoughts(moves, Some(&searched.thoughts));
    Some(Decision { choice: best.choice, thoughts, line, ..searched })
}

fn thoughts(moves: &[Candidate], searched: Option<&[Thought]>) -> Vec<Thought> {
    let thought = |one: &Candidate| {
        let found = searched.unwrap_or_default().iter().find(|other| other.choice == one.choice);
        Thought {
            choice: one.choice,
            value: one.value,
            visits: found.map_or(0, |found| found.visits),
            proven: one.value.is_some(),
            probability: one.value.is_none().then_some(one.likely),
        }
    };
    moves.iter().map(thought).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use magister_core::{Budget, Game, PlayerSource as _, Role, Seed, Step, Stop, View};

    use crate::registry::Spec;

    /// The first move of `uct` with a few iterations.
    fn first(name: &str, game: &Arc<dyn Game>, role: Role) -> String {
        let spec: Spec = name.parse().expect("a player");
        let mut player = spec.make(game, role).expect("a player");
        let view = View::new(Arc::clone(game), role);
        let mut rng = Seed::from(1).rng();
        let decision = player.decide(&view, &mut Budget::iterations(20), &mut rng);
        game.text().move_text(decision.expect("a decision").choice)
    }

    /// Nim is won by the only winning move, however short the search is.
    #[test]
    fn sums_are_played_perfectly() {
        let game = magister::open("nim-11-12-15-25").expect("a bundled game").game;
        assert_eq!(first("uct", &game, Role(0)), "(reduce d 8)");
        assert_ne!(first("uct:decompose=0", &game, Role(0)), "(reduce d 8)");
    }

    /// A position with small regions is played perfectly, however short the search is.
    #[test]
    fn regions_are_played_perfectly() {
        let game = magister::open("kayles").expect("a bundled game").game;
        let spec: Spec = "uct".parse().expect("a player");
        let mut player = spec.make(&game, Role(0)).expect("a player");
        let mut rng = Seed::from(1).rng();
        let mut view = View::new(Arc::clone(&game), Role(0));
        let (mut worker, mut turn) = (game.worker(), 0);
        worker.reset();
        while !worker.terminal() {
            let roles: Vec<Role> = game.info().all_roles().collect();
            let mut joint: Vec<_> = roles.iter().map(|&role| worker.legal(role)[0]).collect();
            if turn % 2 == 0 {
                let decision = player.decide(&view, &mut Budget::iterations(20), &mut rng);
                joint[0] = decision.expect("a decision").choice;
            } else {
                let legal = worker.legal(Role(1));
                joint[1] = legal[rng.below(legal.len() as u64) as usize];
            }
            worker.step(&joint, &mut Step::new(), &Stop::never()).expect("legal moves");
            let own = joint[0];
            view.push(magister_core::Turn {
                own,
                seen: magister_core::Observation::Joint(joint.into()),
            });
            turn += 1;
        }
        let mut goals = Vec::new();
        worker.goals(Role(0), &mut goals);
        assert_eq!(goals, [100.0], "the first player wins thirteen pins");
    }
}
