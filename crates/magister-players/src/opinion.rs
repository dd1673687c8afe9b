//! Wraps a player as an evaluator of the positions in a search.

use magister_core::{
    Agent, Evaluate, Evaluations, Halt, Move, Observation, Position, Positions, Stop, Turn, View,
    Worker,
};

use crate::rewards::{self, Scale};

/// A player that evaluates positions of the current match. If it [evaluates many at
/// once](Agent::evaluator), that is used; otherwise it evaluates each position, and if it gives no
/// value, the goal values of the rules are used.
pub(crate) struct Opinion<'a> {
    agent: &'a mut dyn Agent,
    view: View,
    scale: Scale,
    /// A worker for positions that the player does not evaluate.
    worker: Option<Box<dyn Worker>>,
    goals: Vec<f64>,
    batch: usize,
    policies: bool,
    one: Positions,
    answer: Evaluations,
}

impl<'a> Opinion<'a> {
    pub(crate) fn new(agent: &'a mut dyn Agent, view: &View) -> Self {
        let info = view.game().info();
        let many = agent.evaluator(view.game());
        let (batch, policies) =
            many.map_or((1, false), |many| (many.batch().max(1), many.has_policies()));
        Opinion {
            agent,
            view: view.clone(),
            scale: Scale::of(info),
            worker: None,
            goals: Vec::new(),
            batch,
            policies,
            one: Positions::new(info.roles.len(), view.role()),
            answer: Evaluations::default(),
        }
    }

    /// The expected reward of each role after these joint moves: the rewards if the game is over
    /// there, otherwise the player's value. Afterwards the worker is in that position.
    pub(crate) fn of(
        &mut self,
        worker: &dyn Worker,
        path: &[Box<[Move]>],
        stop: &Stop,
    ) -> Vec<f64> {
        if worker.terminal() {
            return rewards::terminal(worker, self.scale, &mut self.goals);
        }
        let mut state = Vec::new();
        worker.save(&mut state);
        let mut one = std::mem::replace(&mut self.one, Positions::new(0, self.view.role()));
        let mut answer = std::mem::take(&mut self.answer);
        one.clear();
        one.push(&state, path.iter().map(|joint| &**joint));
        answer.reset(&one, self.scale.low);
        let asked = self.evaluate(&one, &mut answer, stop);
        answer.mend(self.scale.middle());
        let values = match asked {
            Ok(()) => answer.values(0).to_vec(),
            // A search needs a value even if the time is up.
            Err(_) => rewards::guess(worker, self.scale, &mut self.goals),
        };
        (self.one, self.answer) = (one, answer);
        values
    }

    /// The player's value of one position.
    fn ask(&mut self, position: &Position<'_>, stop: &Stop) -> Result<Vec<f64>, Halt> {
        let (before, role) = (self.view.turns().len(), self.view.role());
        for joint in position.path() {
            let own = joint.get(role.index()).copied().unwrap_or(Move::IDLE);
            self.view.push(Turn { own, seen: Observation::Joint(joint.into()) });
        }
        let values = self.agent.value_until(&self.view, stop);
        self.view.truncate(before);
        let roles = self.view.game().info().roles.len();
        let sound =
            |values: &Vec<f64>| values.len() == roles && values.iter().all(|v| v.is_finite());
        if let Some(values) = values.filter(sound) {
            return Ok(values);
        }
        let worker = self.worker.get_or_insert_with(|| self.view.game().worker());
        worker.load(position.state(), stop)?;
        Ok(rewards::guess(&**worker, self.scale, &mut self.goals))
    }
}

impl Evaluate for Opinion<'_> {
    fn evaluate(
        &mut self,
        positions: &Positions,
        out: &mut Evaluations,
        stop: &Stop,
    ) -> Result<(), Halt> {
        if let Some(many) = self.agent.evaluator(self.view.game()) {
            return many.evaluate(positions, out, stop);
        }
        for (number, position) in positions.iter().enumerate() {
            out.values_mut(number).copy_from_slice(&self.ask(&position, stop)?);
        }
        Ok(())
    }

    fn batch(&self) -> usize {
        self.batch
    }

    fn has_policies(&self) -> bool {
        self.policies
    }
}
