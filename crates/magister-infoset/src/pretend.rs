//! A possible state of the game, for when no consistent state was found.

use magister_core::{Game, Halt, Move, Rng, Role, Step, Stop, Turn, Worker};

use crate::evidence::{distance, perceived};
use crate::hints::Hints;
use crate::joints::draw_joint;
use crate::model::Model;
use crate::proposal::Proposal;

/// The number of tries for a step that does not end the game.
const BLIND: usize = 20;
/// The number of joint moves from which the closest one is taken.
const TRIES: usize = 64;

/// Replays the role's own moves of some turns from a worker's state. While `hope` lasts, it chooses
/// joint moves that come close to the observations, and random ones afterwards. Returns the
/// distance between the percepts of the last turn and the observed ones; 0 if they are equal.
pub(crate) fn pretend(
    game: &dyn Game,
    model: &dyn Model,
    role: Role,
    turns: &[Turn],
    worker: &mut dyn Worker,
    rng: &mut Rng,
    hope: &dyn Fn() -> bool,
) -> Result<usize, Halt> {
    let mut last = 0;
    let (mut step, mut joint, mut state) = (Step::new(), Vec::new(), Vec::new());
    let (mut hints, mut proposal) = (Hints::default(), Proposal::default());
    let never = Stop::never();
    let (all, mut turns) = (turns, turns.iter().enumerate());
    loop {
        let turn = if worker.silent() {
            None
        } else {
            let Some(turn) = turns.next() else { return Ok(last) };
            Some(turn)
        };
        let own = turn.map(|(_, turn)| turn.own);
        worker.save(&mut state);
        let mut over = true;
        for blind in 0..BLIND {
            let mut drawn = false;
            if let Some((at, turn)) = turn.filter(|_| blind == 0 && hope()) {
                proposal.begin(game.info().roles.len());
                proposal.look(game, &*worker, role, (all, at), &mut hints, &never)?;
                let draw = |worker: &dyn Worker, joint: &mut Vec<Move>, rng: &mut Rng| {
                    proposal.draw(worker, model, role, turn.own, joint, rng).is_some()
                };
                drawn = closest(turn, role, draw, worker, &mut joint, rng, hope)?;
                // If the role's move is illegal here, the percepts still show what happened.
                if !drawn {
                    let draw = |worker: &dyn Worker, joint: &mut Vec<Move>, rng: &mut Rng| {
                        draw_joint(worker, model, role, None, joint, rng)
                    };
                    drawn = closest(turn, role, draw, worker, &mut joint, rng, hope)?;
                }
            }
            // If the role's move is illegal or ends the game, the true state is another one. The
            // turn passes all the same; otherwise it would be another role's turn at the end.
            let own = own.filter(|_| blind < BLIND / 2);
            if !drawn
                && !draw_joint(worker, model, role, own, &mut joint, rng)
                && !draw_joint(worker, model, role, None, &mut joint, rng)
            {
                return Ok(usize::MAX);
            }
            worker.step(&joint, &mut step, &never)?;
            // The game is not over, because a move is requested.
            if !worker.terminal() {
                over = false;
                if let Some((_, turn)) = turn {
                    last = distance(&turn.seen, role, &joint, &step);
                }
                break;
            }
            worker.load(&state, &never)?;
        }
        // Without a turn to replay, this would repeat forever.
        if over && turn.is_none() {
            return Ok(usize::MAX);
        }
    }
}

/// Draws some joint moves and takes the one whose percepts are most like the observed ones.
/// Returns false if there is none.
fn closest(
    turn: &Turn,
    role: Role,
    mut draw: impl FnMut(&dyn Worker, &mut Vec<Move>, &mut Rng) -> bool,
    worker: &mut dyn Worker,
    best: &mut Vec<Move>,
    rng: &mut Rng,
    hope: &dyn Fn() -> bool,
) -> Result<bool, Halt> {
    let (mut step, mut joint) = (Step::new(), Vec::new());
    let mut least = usize::MAX;
    for _ in 0..TRIES {
        if !draw(&*worker, &mut joint, rng)
            || !perceived(worker.perceive(&joint, &mut step, &Stop::never()))?
        {
            break;
        }
        let far = distance(&turn.seen, role, &joint, &step);
        if far < least {
            least = far;
            best.clone_from(&joint);
        }
        if least == 0 || !hope() {
            break;
        }
    }
    Ok(least < usize::MAX)
}
