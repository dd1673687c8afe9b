//! Regrets and averages of the information sets that sampling has reached.

use magister_core::{Game, Info, Move, Role, Turn, Worker};

use crate::held;
use crate::memory::{Memory, NONE};

/// Regrets and averages of information sets, added as they are reached.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) info: Info,
    pub(crate) players: Vec<Role>,
    pub(crate) memory: Memory,
    /// For each situation, the index of its first move; [`NONE`] if it has no choice.
    places: Vec<u32>,
    pub(crate) regrets: Vec<f64>,
    pub(crate) sums: Vec<f64>,
    /// The maximum memory in bytes.
    limit: usize,
}

/// The current situation of a player.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stand {
    pub(crate) situation: u32,
    /// The index of its first move; [`NONE`] if it has no choice, or is not stored.
    pub(crate) first: u32,
}

impl Tables {
    pub(crate) fn new(game: &dyn Game, bytes: usize) -> Self {
        let info = game.info().clone();
        let players: Vec<Role> = info.players().collect();
        Tables {
            memory: Memory::new(players.len()),
            players,
            info,
            places: Vec::new(),
            regrets: Vec::new(),
            sums: Vec::new(),
            limit: bytes,
        }
    }

    /// The situations of players with these information states. When the memory is full, new ones
    /// are not added.
    pub(crate) fn stands(&mut self, worker: &dyn Worker, histories: &[u32], out: &mut Vec<Stand>) {
        out.clear();
        for (player, &history) in histories.iter().enumerate() {
            if history == NONE {
                out.push(Stand { situation: NONE, first: NONE });
                continue;
            }
            let legal = worker.legal(self.players[player]);
            let situation = self.memory.situation(history, legal);
            if situation as usize >= self.places.len() {
                let first = if legal.len() > 1 { self.regrets.len() as u32 } else { NONE };
                self.places.resize(situation as usize, NONE);
                self.places.push(first);
                if legal.len() > 1 {
                    self.regrets.resize(self.regrets.len() + legal.len(), 0.0);
                    self.sums.resize(self.regrets.len(), 0.0);
                }
            }
            out.push(Stand { situation, first: self.places[situation as usize] });
        }
    }

    /// Whether there is room for more entries.
    pub(crate) fn has_room(&self) -> bool {
        let lists = [&self.regrets, &self.sums].map(|list| held::list(list));
        let all = lists.into_iter().sum::<usize>() + held::list(&self.places);
        all + self.memory.bytes() < self.limit
    }

    /// The current strategy over `count` moves, by regret matching.
    pub(crate) fn current(&self, stand: Stand, count: usize, out: &mut Vec<f64>) {
        out.clear();
        if stand.first == NONE {
            out.resize(count, 1.0 / count as f64);
            return;
        }
        let regrets = &self.regrets[stand.first as usize..][..count];
        let total: f64 = regrets.iter().map(|regret| regret.max(0.0)).sum();
        out.extend(
            regrets.iter().map(|regret| {
                if total > 0.0 { regret.max(0.0) / total } else { 1.0 / count as f64 }
            }),
        );
    }

    /// The average strategy after these turns, if they were reached.
    pub(crate) fn average(&self, role: Role, turns: &[Turn]) -> Option<Vec<(Move, f64)>> {
        let player = self.players.iter().position(|&one| one == role)?;
        let situation = self.memory.find(player, turns)?;
        let first = *self.places.get(situation as usize)?;
        let moves: Vec<Move> = self.memory.legal(situation).collect();
        if first == NONE {
            return None;
        }
        let sums = &self.sums[first as usize..][..moves.len()];
        let total: f64 = sums.iter().sum();
        let mut shares: Vec<f64> = sums.iter().map(|sum| sum / total).collect();
        if total <= 0.0 {
            // Averages accumulate while other players update. A single player has no average and
            // needs none: chance does not adapt, so the move with the highest regret is the best.
            let regrets = &self.regrets[first as usize..][..moves.len()];
            if regrets.iter().all(|&regret| regret <= 0.0) {
                return None;
            }
            self.current(Stand { situation, first }, moves.len(), &mut shares);
        }
        Some(moves.into_iter().zip(shares).collect())
    }
}

/// Draws an index in proportion to the shares.
pub(crate) fn lot(shares: &[f64], rng: &mut magister_core::Rng) -> usize {
    let mut rest = rng.f64() * shares.iter().sum::<f64>();
    for (at, share) in shares.iter().enumerate() {
        rest -= share;
        if rest < 0.0 {
            return at;
        }
    }
    shares.iter().rposition(|&share| share > 0.0).unwrap_or(0)
}
