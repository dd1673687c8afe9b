//! Histories of a game, and twins: other histories in the same information set.

use std::sync::Arc;

use magister_core::view::observe;
use magister_core::{Game, Halt, Move, Rng, Role, Step, Stop, Turn, Worker, draw};

/// The maximum number of joint moves to enumerate in one position.
const MANY: usize = 5_000;
/// The maximum number of steps in the search for a twin.
const PATIENCE: usize = 20_000;

/// The number of histories that are drawn from the game's own sampler.
const DRAWS: usize = 200;

/// The joint moves of a match up to a question, including silent steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct History {
    pub(super) joints: Vec<Vec<Move>>,
}

/// A match in progress, as its runner sees it.
pub(super) struct Way {
    pub(super) worker: Box<dyn Worker>,
    /// The turns of each role.
    pub(super) turns: Vec<Vec<Turn>>,
    step: Step,
}

impl Way {
    pub(super) fn new(game: &Arc<dyn Game>) -> Self {
        let mut worker = game.worker();
        worker.reset();
        Way { turns: vec![Vec::new(); game.info().roles.len()], worker, step: Step::new() }
    }

    /// Makes a joint move; returns whether the players had a turn.
    pub(super) fn go(&mut self, joint: &[Move], stop: &Stop) -> Result<bool, Halt> {
        self.worker.step(joint, &mut self.step, stop)?;
        if self.step.tick {
            let info = self.worker.info();
            for role in info.players() {
                let seen = observe(info.information, role, joint, &self.step);
                self.turns[role.index()].push(Turn { own: joint[role.index()], seen });
            }
        }
        Ok(self.step.tick)
    }

    /// The gains of each role in the last step.
    pub(super) fn gains(&self) -> &[f64] {
        &self.step.gains
    }

    pub(super) fn state(&self) -> Vec<u64> {
        let mut state = Vec::new();
        self.worker.save(&mut state);
        state
    }
}

/// Searches for another history with the same turns of a role: it tries the moves of the others and
/// of chance in random order, and backtracks on a contradiction. The result is not a uniform
/// sample. `None` if no such history is found soon.
pub(super) fn twin(
    game: &Arc<dyn Game>,
    role: Role,
    turns: &[Turn],
    not: &History,
    rng: &mut Rng,
    stop: &Stop,
) -> Result<Option<History>, Halt> {
    struct Frame {
        state: Vec<u64>,
        behind: usize,
        left: Option<Vec<Vec<Move>>>,
    }
    if let Some(twin) = drawn_twin(game, role, turns, not, rng, stop)? {
        return Ok(Some(twin));
    }
    let mut worker = game.worker();
    worker.reset();
    let (mut step, mut state) = (Step::new(), Vec::new());
    worker.save(&mut state);
    let mut frames = vec![Frame { state, behind: 0, left: None }];
    let mut joints: Vec<Vec<Move>> = Vec::new();
    for _ in 0..PATIENCE {
        stop.check()?;
        let Some(frame) = frames.last_mut() else { return Ok(None) };
        worker.load(&frame.state, stop)?;
        let next = turns.get(frame.behind);
        let silent = !worker.terminal() && worker.silent();
        let arrived = next.is_none() && !silent;
        if worker.terminal() || arrived {
            if arrived && !worker.terminal() && joints != not.joints {
                return Ok(Some(History { joints }));
            }
            frames.pop();
            joints.pop();
            continue;
        }
        let left = frame.left.get_or_insert_with(|| {
            let own = next.filter(|_| !silent).map(|turn| turn.own);
            let mut all = listed(&*worker, role, own);
            rng.shuffle(&mut all);
            all
        });
        let Some(joint) = left.pop() else {
            frames.pop();
            joints.pop();
            continue;
        };
        let behind = frame.behind;
        worker.step(&joint, &mut step, stop)?;
        let agrees = match next {
            Some(turn) if step.tick => {
                observe(game.info().information, role, &joint, &step) == turn.seen
            }
            _ => !step.tick,
        };
        if agrees {
            let mut state = Vec::new();
            worker.save(&mut state);
            frames.push(Frame { state, behind: behind + usize::from(step.tick), left: None });
            joints.push(joint);
        }
    }
    Ok(None)
}

/// A twin by the game's own sampler, if it has one: a search would not find another order of a
/// shuffled deck that gives a role the same cards. The twin is verified by replay, so a wrong
/// sampler yields none.
fn drawn_twin(
    game: &Arc<dyn Game>,
    role: Role,
    turns: &[Turn],
    not: &History,
    rng: &mut Rng,
    stop: &Stop,
) -> Result<Option<History>, Halt> {
    let Some(mut worlds) = game.worlds(role) else { return Ok(None) };
    match worlds.follow(turns, rng, stop) {
        Ok(()) => {}
        Err(Halt::Stopped) => return Err(Halt::Stopped),
        Err(_) => return Ok(None),
    }
    let (mut state, mut moves) = (Vec::new(), Vec::new());
    for _ in 0..DRAWS {
        stop.check()?;
        if worlds.draw(rng, &mut state, stop)?.is_none() {
            continue;
        }
        worlds.history(&mut moves);
        let mut joints: Vec<Vec<Move>> =
            moves.chunks(game.info().roles.len()).map(<[Move]>::to_vec).collect();
        let mut way = Way::new(game);
        for joint in &joints {
            way.go(joint, stop)?;
        }
        while !way.worker.terminal() && way.worker.silent() {
            let mut chosen = |role| {
                let chance = game.info().chance == Some(role);
                let weights = if chance { way.worker.weights() } else { &[] };
                draw(way.worker.legal(role), weights, rng)
            };
            let joint: Option<Vec<Move>> = game.info().all_roles().map(&mut chosen).collect();
            let Some(joint) = joint else { return Ok(None) };
            way.go(&joint, stop)?;
            joints.push(joint);
        }
        let same = way.turns[role.index()] == turns;
        if same && !way.worker.terminal() && joints != not.joints {
            return Ok(Some(History { joints }));
        }
    }
    Ok(None)
}

/// All joint moves with a given move of one role, up to a limit.
fn listed(worker: &dyn Worker, role: Role, own: Option<Move>) -> Vec<Vec<Move>> {
    let mut all: Vec<Vec<Move>> = vec![Vec::new()];
    for other in worker.info().all_roles() {
        let fits = |choice: &&Move| other != role || own.is_none_or(|own| own == **choice);
        let legal = worker.legal(other).iter().filter(fits);
        let longer = |&choice: &Move| {
            all.iter().map(move |joint| [&joint[..], &[choice]].concat()).collect::<Vec<_>>()
        };
        let mut more: Vec<Vec<Move>> = legal.flat_map(longer).collect();
        more.truncate(MANY);
        all = more;
    }
    all
}
