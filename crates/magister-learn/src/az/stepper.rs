//! A game as a search plays it: decisions of players, with everything between them settled.

use std::sync::Arc;

use magister_core::{Game, Halt, Move, Payment, Rng, Role, Step, Stop, Worker};

use super::shape::Shape;
use crate::games::any::{Scale, random_joint};

/// The most steps without a decision.
const FORCED: usize = 10_000;

/// A player with a choice, and its legal moves.
pub(crate) type Choice = (usize, Role, Vec<Move>);

/// A worker, with rewards on the scale of the network.
pub(crate) struct Stepper {
    worker: Box<dyn Worker>,
    players: Vec<Role>,
    chance: Option<Role>,
    scale: Scale,
    unit: f32,
    on_the_way: bool,
    step: Step,
    joint: Vec<Move>,
    goals: Vec<f64>,
    words: Vec<u64>,
}

impl Stepper {
    pub(crate) fn new(game: &Arc<dyn Game>, shape: &Shape) -> Self {
        let info = game.info();
        Stepper {
            worker: game.worker(),
            players: info.players().collect(),
            chance: info.chance,
            scale: Scale::of(game.as_ref()),
            unit: shape.unit as f32,
            on_the_way: info.payment == Payment::OnTheWay,
            step: Step::new(),
            joint: Vec::new(),
            goals: Vec::new(),
            words: Vec::new(),
        }
    }

    /// The roles of the players.
    pub(crate) fn players(&self) -> &[Role] {
        &self.players
    }

    /// Whether values lie between -1 and 1.
    pub(crate) fn bounded(&self) -> bool {
        !self.on_the_way
    }

    /// A value on the scale of the rewards.
    pub(crate) fn outwards(&self, value: f32) -> f64 {
        self.scale.outwards(value * self.unit)
    }

    pub(crate) fn worker(&self) -> &dyn Worker {
        &*self.worker
    }

    pub(crate) fn reset(&mut self) {
        self.worker.reset();
    }

    pub(crate) fn load(&mut self, state: &[u64], stop: &Stop) -> Result<(), Halt> {
        self.worker.load(state, stop)
    }

    pub(crate) fn state(&mut self) -> Box<[u64]> {
        self.worker.save(&mut self.words);
        self.words.as_slice().into()
    }

    /// The players who have a choice.
    pub(crate) fn choices(&self) -> Vec<Choice> {
        let all = self.players.iter().enumerate();
        all.map(|(player, &role)| (player, role, self.worker.legal(role)))
            .filter(|(_, _, legal)| legal.len() > 1)
            .map(|(player, role, legal)| (player, role, legal.to_vec()))
            .collect()
    }

    /// The results of all players, if the game is over.
    pub(crate) fn results(&mut self) -> Option<Box<[f32]>> {
        if !self.worker.terminal() {
            return None;
        }
        let mut results = vec![0.0; self.players.len()];
        if !self.on_the_way {
            for (result, &role) in results.iter_mut().zip(&self.players) {
                self.worker.goals(role, &mut self.goals);
                let goal = self.goals.first().copied();
                *result = goal.map_or(-1.0, |goal| self.scale.inwards(goal).clamp(-1.0, 1.0));
            }
        }
        Some(results.into())
    }

    /// Makes any joint move, such as one from a log.
    pub(crate) fn make(&mut self, joint: &[Move], stop: &Stop) -> Result<(), Halt> {
        self.worker.step(joint, &mut self.step, stop)
    }

    /// Makes the moves of the deciding players, and every step after it in which no player decides.
    /// Adds the gains of the players to `gains`, which stays empty if the game pays at the end, and
    /// the joint moves to `log`. Returns whether chance had a choice.
    pub(crate) fn play(
        &mut self,
        moves: &[(Role, Move)],
        rng: &mut Rng,
        gains: &mut Vec<f32>,
        mut log: Option<&mut Vec<Box<[Move]>>>,
        stop: &Stop,
    ) -> Result<bool, Halt> {
        let mut random = false;
        for step in 0..FORCED {
            let chance = self.chance.is_some_and(|role| self.worker.legal(role).len() > 1);
            random |= chance;
            random_joint(&*self.worker, rng, &mut self.joint);
            if step == 0 {
                moves.iter().for_each(|&(role, choice)| self.joint[role.index()] = choice);
            }
            self.worker.step(&self.joint, &mut self.step, stop)?;
            if self.on_the_way {
                gains.resize(self.players.len(), 0.0);
                for (gain, role) in gains.iter_mut().zip(&self.players) {
                    let paid = self.step.gains.get(role.index()).copied().unwrap_or(0.0);
                    *gain += paid as f32 / self.unit;
                }
            }
            if let Some(log) = &mut log {
                log.push(self.joint.as_slice().into());
            }
            if self.settled() {
                return Ok(random);
            }
        }
        Err(Halt::Limit(format!("no player had a choice for {FORCED} steps")))
    }

    /// Whether the game is over or a player has a choice.
    pub(crate) fn settled(&self) -> bool {
        self.worker.terminal() || self.players.iter().any(|&role| self.worker.legal(role).len() > 1)
    }
}

impl std::fmt::Debug for Stepper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stepper").field("players", &self.players).finish_non_exhaustive()
    }
}
