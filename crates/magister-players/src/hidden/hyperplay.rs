//! `HyperPlay`: playouts from many histories that are consistent with the observations.
//!
//! M. Schofield, T. Cerexhe, M. Thielscher, "`HyperPlay`: a solution to general game playing with
//! imperfect information", AAAI 2012. States are sampled by probability, and the value of a move is
//! the mean of random playouts after it. Because every role continues at random, gathering
//! information has no value and revealing it has no cost.

use magister_core::{Budget, Decision, Halt, Move, Rng, Role, Step, View, Worker, draw};
use magister_infoset::{Belief, Keep};

use super::believer::{Believer, Method};
use super::{Mind, Scores, Valuer};
use crate::registry::{Arguments, Made};

/// `HyperPlay` with random playouts. An iteration is a state in which all moves are tried.
pub(crate) struct HyperPlay {
    valuer: Valuer,
}

impl HyperPlay {
    pub(crate) fn make(settings: &Arguments) -> Made {
        let method = HyperPlay { valuer: Valuer::default() };
        Believer::make(settings, Keep::States, method)
    }
}

impl Method for HyperPlay {
    fn choose(
        &mut self,
        mind: &mut Mind,
        legal: &[Move],
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let (belief, worker) = mind.parts()?;
        let mut scores = Scores::new(legal);
        let mut iterations = 0;
        while budget.spend(1) {
            let number = belief.draw(rng);
            let tried = try_all(
                belief,
                number,
                worker,
                view.role(),
                legal,
                &mut self.valuer,
                &mut scores,
                rng,
                budget,
            );
            match tried {
                Ok(()) => iterations += 1,
                // If the rules fail in a later position, the player still has to move here.
                Err(_) => break,
            }
        }
        Ok(scores.decide(iterations, rng))
    }
}

/// Tries each move of a role in a state, with playouts after it.
#[expect(clippy::too_many_arguments, reason = "they describe one simulation")]
fn try_all(
    belief: &Belief,
    number: usize,
    worker: &mut dyn Worker,
    role: Role,
    legal: &[Move],
    valuer: &mut Valuer,
    scores: &mut Scores,
    rng: &mut Rng,
    budget: &Budget,
) -> Result<(), Halt> {
    let stop = budget.stop();
    let mut step = Step::new();
    let mut joint = Vec::new();
    let mut states: Vec<Vec<u64>> = Vec::new();
    let mut gains: Vec<(Move, f64)> = Vec::new();
    for &choice in legal {
        worker.load(belief.state(number), stop)?;
        let info = worker.info();
        joint.clear();
        for whose in info.all_roles() {
            let weights = if info.chance == Some(whose) { worker.weights() } else { &[] };
            let drawn = draw(worker.legal(whose), weights, rng).unwrap_or(Move::IDLE);
            joint.push(if whose == role { choice } else { drawn });
        }
        match worker.step(&joint, &mut step, stop) {
            Ok(()) => {}
            Err(Halt::IllegalMove { .. }) => continue,
            Err(halt) => return Err(halt),
        }
        let mut state = Vec::new();
        worker.save(&mut state);
        states.push(state);
        gains.push((choice, step.gains.get(role.index()).copied().unwrap_or(0.0)));
    }
    let starts: Vec<&[u64]> = states.iter().map(Vec::as_slice).collect();
    let values = valuer.values(worker, &starts, rng, stop)?;
    for ((choice, gain), values) in gains.into_iter().zip(values) {
        scores.add(choice, values[role.index()] + gain, 1.0);
    }
    Ok(())
}
