//! What a player thinks of positions that a search comes to: what the wrappers ask.

use magister_core::{Agent, Move, Observation, Role, Stop, Turn, View, Worker};

use crate::rewards::{self, Scale};

/// A player that values positions, and the match that is thought about.
pub(crate) struct Opinion<'a> {
    agent: &'a mut dyn Agent,
    view: View,
    stop: Stop,
    role: Role,
    scale: Scale,
    goals: Vec<f64>,
}

impl<'a> Opinion<'a> {
    pub(crate) fn new(agent: &'a mut dyn Agent, view: &View, stop: &Stop) -> Self {
        let scale = Scale::of(view.game().info());
        Opinion {
            agent,
            view: view.clone(),
            stop: stop.clone(),
            role: view.role(),
            scale,
            goals: Vec::new(),
        }
    }

    /// What each role can expect after these joint moves, after which the worker is in that
    /// position: the rewards if the game is over there, what the player thinks, or the goal
    /// values of the rules where it has no opinion.
    pub(crate) fn of(&mut self, worker: &dyn Worker, path: &[Box<[Move]>]) -> Vec<f64> {
        if worker.terminal() {
            return rewards::terminal(worker, self.scale, &mut self.goals);
        }
        let before = self.view.turns().len();
        for joint in path {
            let own = joint.get(self.role.index()).copied().unwrap_or(Move::IDLE);
            self.view.push(Turn { own, seen: Observation::Joint(joint.clone()) });
        }
        let values = self.agent.value_until(&self.view, &self.stop);
        self.view.truncate(before);
        let roles = worker.info().roles.len();
        let sound =
            |values: &Vec<f64>| values.len() == roles && values.iter().all(|v| v.is_finite());
        values.filter(sound).unwrap_or_else(|| rewards::guess(worker, self.scale, &mut self.goals))
    }
}
