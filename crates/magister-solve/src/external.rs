//! External-sampling Monte Carlo CFR of Lanctot, Waugh, Zinkevich and Bowling.

use magister_core::{Game, Halt, Move, Payment, Rng, Role, Step, Stop, Turn, Worker};

use crate::choices::Choices;
use crate::memory::NONE;
use crate::tables::{Stand, Tables, lot};

/// Self-play: in each traversal one player tries all its moves, while the moves of the others and
/// of chance are sampled. It stores only the information sets that it reaches.
pub struct External {
    tables: Tables,
    worker: Box<dyn Worker>,
    start: Vec<u64>,
    /// The maximum number of nodes in a traversal.
    patience: u64,
    left: u64,
}

/// The maximum depth of a traversal.
const DEEP: usize = 1_000;

impl External {
    /// The state before the first traversal. A traversal ends early after `patience` nodes, and the
    /// tables take at most `bytes` of memory.
    pub fn new(game: &dyn Game, bytes: usize, patience: u64) -> Self {
        let mut worker = game.worker();
        worker.reset();
        let mut start = Vec::new();
        worker.save(&mut start);
        External { tables: Tables::new(game, bytes), worker, start, patience, left: 0 }
    }

    /// One traversal for each player. Returns false if one ended early because the game is too
    /// large for this method.
    pub fn round(&mut self, rng: &mut Rng, stop: &Stop) -> Result<bool, Halt> {
        for player in 0..self.tables.players.len() {
            self.left = self.patience;
            let start = self.start.clone();
            self.worker.load(&start, stop)?;
            let histories: Vec<u32> = (0..self.tables.players.len() as u32).collect();
            if self.walk(player, &histories, 0, rng, stop)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The average strategy after these turns, if they were reached.
    pub fn average(&self, role: Role, turns: &[Turn]) -> Option<Vec<(Move, f64)>> {
        self.tables.average(role, turns)
    }

    /// The value for a player from the worker's position on; `None` if this takes too long.
    fn walk(
        &mut self,
        player: usize,
        histories: &[u32],
        depth: usize,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<Option<f64>, Halt> {
        stop.check()?;
        if self.left == 0 || depth > DEEP || !self.tables.has_room() {
            return Ok(None);
        }
        self.left -= 1;
        let me = self.tables.players[player];
        if self.worker.terminal() {
            let scale = crate::rewards::Scale::of(&self.tables.info);
            let mut goals = Vec::new();
            let values = crate::rewards::terminal(&*self.worker, scale, &mut goals);
            return Ok(Some(values[me.index()]));
        }
        let silent = self.worker.silent();
        let choices = Choices::of(&*self.worker);
        let mut stands = Vec::new();
        if !silent {
            self.tables.stands(&*self.worker, histories, &mut stands);
        }
        // The moves of all roles, sampled except for one.
        let mut joint = choices.joint(0, lot(choices.probabilities(), rng));
        let mut shares = Vec::new();
        for (other, stand) in stands.iter().enumerate() {
            let role = self.tables.players[other];
            let moves = choices.moves(role);
            if moves.len() < 2 {
                continue;
            }
            self.tables.current(*stand, moves.len(), &mut shares);
            if other == player {
                continue;
            }
            joint[role.index()] = moves[lot(&shares, rng)];
            if stand.first != NONE {
                let sums = &mut self.tables.sums[stand.first as usize..][..moves.len()];
                sums.iter_mut().zip(&shares).for_each(|(sum, share)| *sum += share);
            }
        }
        let own = choices.moves(me).to_vec();
        if own.len() < 2 || silent {
            return self.after(&joint, histories, &stands, player, depth, rng, stop);
        }
        let stand = stands[player];
        self.tables.current(stand, own.len(), &mut shares);
        let mut state = Vec::new();
        self.worker.save(&mut state);
        let mut values = Vec::with_capacity(own.len());
        for (number, &choice) in own.iter().enumerate() {
            if number > 0 {
                self.worker.load(&state, stop)?;
            }
            joint[me.index()] = choice;
            match self.after(&joint, histories, &stands, player, depth, rng, stop)? {
                Some(value) => values.push(value),
                None => return Ok(None),
            }
        }
        let mean: f64 = values.iter().zip(&shares).map(|(value, share)| value * share).sum();
        if stand.first != NONE {
            let regrets = &mut self.tables.regrets[stand.first as usize..][..own.len()];
            regrets.iter_mut().zip(&values).for_each(|(regret, value)| *regret += value - mean);
        }
        Ok(Some(mean))
    }

    /// The value for a player after a joint move.
    #[expect(clippy::too_many_arguments, reason = "they describe one point of the traversal")]
    fn after(
        &mut self,
        joint: &[Move],
        histories: &[u32],
        stands: &[Stand],
        player: usize,
        depth: usize,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<Option<f64>, Halt> {
        let mut step = Step::new();
        self.worker.step(joint, &mut step, stop)?;
        let mut next = histories.to_vec();
        if step.tick {
            for (other, stand) in stands.iter().enumerate() {
                let role = self.tables.players[other];
                let seen = (self.tables.info.information, role);
                let own = joint[role.index()];
                next[other] = self.tables.memory.after(stand.situation, own, seen, joint, &step);
            }
        }
        let me = self.tables.players[player];
        let gain = match self.tables.info.payment {
            Payment::OnTheWay => step.gains.get(me.index()).copied().unwrap_or(0.0),
            Payment::AtEnd => 0.0,
        };
        Ok(self.walk(player, &next, depth + 1, rng, stop)?.map(|value| value + gain))
    }
}

impl std::fmt::Debug for External {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("External")
            .field("histories", &self.tables.memory.len())
            .finish_non_exhaustive()
    }
}
