//! Whether every role can know its legal moves, with hidden information.

use std::sync::Arc;
use std::time::Duration;

use magister_core::view::observe;
use magister_core::{Game, Information, Move, Role, Seed, Step, Stop, Turn, View, draw};
use magister_engine::inspect::Survey;
use magister_engine::within;
use magister_infoset::{InfosetLimits, Keep, Tracker, Uniform};
use serde_json::{Value, json};

use crate::args::Playable;
use crate::commands::plural;

/// The number of matches that are examined, and their length.
const MATCHES: u64 = 10;
const STEPS: u32 = 60;
/// The maximum size of an information set that is enumerated.
const STATES: usize = 5_000;
/// The time limit.
const PATIENCE: Duration = Duration::from_secs(5);

/// A role that cannot know which of its moves are legal.
pub(super) struct Unknown {
    role: String,
    /// A move that is legal in some positions of an information set of the role, but not in others.
    example: String,
    /// The number of turns before.
    after: usize,
}

impl Unknown {
    pub(super) fn line(&self) -> String {
        let Unknown { role, example, after } = self;
        format!(
            "warning: `{role}` cannot always know its legal moves: after {}, {example} is legal in \
             some of the states that look the same to it and illegal in others; add percepts that \
             distinguish them, or make the move legal in all of them",
            plural(*after, "turn")
        )
    }

    pub(super) fn json(&self) -> Value {
        json!({"role": self.role, "move": self.example, "turns": self.after})
    }
}

/// The roles that cannot know their legal moves in random matches.
pub(super) fn blind(
    game: &Arc<dyn Game>,
    survey: &Survey,
    args: &Playable,
    seed: Seed,
) -> Vec<Unknown> {
    if game.info().information == Information::Perfect || survey.finished == 0 {
        return Vec::new();
    }
    let steps = STEPS.min(args.max_steps);
    let roles = game.info().players();
    within(PATIENCE, &Stop::never(), |stop| {
        let look = |role| {
            (0..MATCHES).find_map(|number| {
                let seed = seed.derive(&format!("blind {number}"));
                walk(game, role, steps, seed, stop)
            })
        };
        roles.filter_map(look).collect()
    })
}

/// Tracks the information set of a role through a random match, until its legal moves differ
/// between positions of the set.
fn walk(game: &Arc<dyn Game>, role: Role, steps: u32, seed: Seed, stop: &Stop) -> Option<Unknown> {
    let info = game.info();
    let limits = InfosetLimits { states: STATES, steps: 40 * STATES as u64 };
    let model = Arc::new(Uniform);
    let mut tracker =
        Tracker::with(Arc::clone(game), role, Keep::States, limits, model, stop).ok()?;
    let mut rng = seed.rng();
    let (mut worker, mut probe) = (game.worker(), game.worker());
    worker.reset();
    let mut view = View::new(Arc::clone(game), role);
    for _ in 0..steps {
        if worker.terminal() || stop.is_set() {
            return None;
        }
        if let Some(example) = differing(&tracker, &mut *probe, role) {
            let example = game.text().move_text(example);
            let after = view.turns().len();
            return Some(Unknown { role: info.role_name(role).to_owned(), example, after });
        }
        let mut joint: Vec<Move> = Vec::new();
        for role in info.all_roles() {
            let chance = info.chance == Some(role);
            let weights = if chance { worker.weights() } else { &[] };
            joint.push(draw(worker.legal(role), weights, &mut rng)?);
        }
        let mut step = Step::new();
        worker.step(&joint, &mut step, stop).ok()?;
        if step.tick {
            let seen = observe(Information::Hidden, role, &joint, &step);
            let turn = Turn { own: joint[role.index()], seen };
            tracker.advance(&turn, stop).ok()?;
            view.push(turn);
        }
    }
    None
}

/// A move of the role that is legal in some of the non-terminal states, but not in others.
fn differing(
    tracker: &Tracker,
    worker: &mut dyn magister_core::Worker,
    role: Role,
) -> Option<Move> {
    let layer = tracker.layer();
    let mut first: Option<Vec<Move>> = None;
    for at in (0..layer.len()).filter(|&at| !layer.is_over(at)) {
        worker.load(layer.state(at), &Stop::never()).ok()?;
        let here = worker.legal(role);
        match &first {
            None => first = Some(here.to_vec()),
            Some(first) => {
                let missing = first.iter().find(|choice| !here.contains(choice));
                let extra = here.iter().find(|choice| !first.contains(choice));
                if let Some(&choice) = missing.or(extra) {
                    return Some(choice);
                }
            }
        }
    }
    None
}
