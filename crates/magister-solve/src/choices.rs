//! The joint moves of a position: which roles choose, among which moves, and the outcomes of
//! chance.

use magister_core::{Move, Role, Worker, odds};

use crate::held;

/// The legal moves of all roles in one position.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// The legal moves of each role.
    moves: Vec<Vec<Move>>,
    /// The roles that have a choice, without chance.
    actors: Vec<Role>,
    chance: Option<Role>,
    /// The probability of each chance outcome; a single one if there is no chance.
    probabilities: Vec<f64>,
}

impl Choices {
    /// The choices in a worker's position.
    pub fn of(worker: &dyn Worker) -> Self {
        let info = worker.info();
        let moves: Vec<Vec<Move>> =
            info.all_roles().map(|role| worker.legal(role).to_vec()).collect();
        let actors = info.players().filter(|role| moves[role.index()].len() > 1).collect();
        let outcomes = info.chance.map_or(1, |role| moves[role.index()].len().max(1));
        let probabilities = (0..outcomes).map(odds(outcomes, worker.weights())).collect();
        Choices { moves, actors, chance: info.chance, probabilities }
    }

    /// Choices of which only the numbers of moves are known, without chance.
    pub fn counted(actors: &[(Role, usize)], roles: usize) -> Self {
        let mut moves = vec![vec![Move::IDLE]; roles];
        for &(role, count) in actors {
            moves[role.index()] = (0..count as u32).map(Move).collect();
        }
        let actors = actors.iter().map(|actor| actor.0).collect();
        Choices { moves, actors, chance: None, probabilities: vec![1.0] }
    }

    /// The memory of its lists in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let moves = self.moves.iter().map(|list| 24 + held::block(4 * list.len())).sum::<usize>();
        let lists = [moves, self.actors.len(), 8 * self.probabilities.len()];
        lists.into_iter().map(held::block).sum()
    }

    /// The roles that have a choice, without chance.
    pub fn actors(&self) -> &[Role] {
        &self.actors
    }

    /// The legal moves of a role.
    pub fn moves(&self, role: Role) -> &[Move] {
        &self.moves[role.index()]
    }

    /// The probability of each chance outcome.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// The number of profiles of the actors; `None` on overflow.
    pub fn profiles(&self) -> Option<usize> {
        let counts = self.actors.iter().map(|role| self.moves[role.index()].len());
        counts.into_iter().try_fold(1_usize, usize::checked_mul)
    }

    /// The number of a profile, computed from the number of each actor's move.
    pub fn profile(&self, picks: &[usize]) -> usize {
        let counts = self.actors.iter().map(|role| self.moves[role.index()].len());
        picks.iter().zip(counts).fold(0, |number, (&pick, count)| number * count + pick)
    }

    /// The number of each actor's move in a profile.
    pub fn picks(&self, mut profile: usize) -> Vec<usize> {
        let mut picks = vec![0; self.actors.len()];
        for (pick, role) in picks.iter_mut().zip(&self.actors).rev() {
            let count = self.moves[role.index()].len();
            *pick = profile % count;
            profile /= count;
        }
        picks
    }

    /// The joint move of a profile and a chance outcome.
    pub fn joint(&self, profile: usize, outcome: usize) -> Vec<Move> {
        let mut joint: Vec<Move> =
            self.moves.iter().map(|moves| moves.first().copied().unwrap_or(Move::IDLE)).collect();
        for (role, pick) in self.actors.iter().zip(self.picks(profile)) {
            joint[role.index()] = self.moves[role.index()][pick];
        }
        if let Some(chance) = self.chance
            && let Some(&choice) = self.moves[chance.index()].get(outcome)
        {
            joint[chance.index()] = choice;
        }
        joint
    }
}
