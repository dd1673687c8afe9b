//! The best possible share of the points in the Prisoner's Dilemma, by exact calculation.
#![expect(clippy::print_stdout, reason = "printing is the purpose of the command")]

use anyhow::{Context as _, Result};
use magister_core::{Move, Role, Step, Stop, Worker};
use rustc_hash::FxHashMap;

use super::any::OPENING;

/// How the other player moves after the random opening.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Other {
    Random,
    /// As `onestep`, which compares the worst cases of its own move.
    Defects,
}

/// Finds the best reply to another player.
struct BestReply<'a> {
    worker: Box<dyn Worker>,
    /// The player whose points count, and the other one.
    roles: [Role; 2],
    other: Other,
    defect: &'a dyn Fn(Move) -> bool,
    /// The share from each state. The number of rounds is part of the state.
    known: FxHashMap<Vec<u64>, f64>,
}

impl BestReply<'_> {
    /// The best possible share of the points from a state after this number of turns.
    fn share(&mut self, state: &[u64], turns: u32) -> Result<f64> {
        if let Some(&share) = self.known.get(state) {
            return Ok(share);
        }
        self.worker.load(state, &Stop::never())?;
        let share = if self.worker.terminal() { self.points() } else { self.best(state, turns)? };
        self.known.insert(state.to_vec(), share);
        Ok(share)
    }

    fn points(&self) -> f64 {
        let score = |role: Role| {
            let mut goals = Vec::new();
            self.worker.goals(role, &mut goals);
            goals.first().copied().unwrap_or(0.0)
        };
        let [own, other] = self.roles.map(score);
        match own.total_cmp(&other) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        }
    }

    fn best(&mut self, state: &[u64], turns: u32) -> Result<f64> {
        let [mine, theirs] = self.roles.map(|role| self.worker.legal(role).to_vec());
        let opening = turns < OPENING;
        let fixed = !opening && self.other == Other::Defects;
        let replies: Vec<Move> =
            theirs.into_iter().filter(|&reply| !fixed || (self.defect)(reply)).collect();
        let mut means = Vec::new();
        for &own in &mine {
            let mut sum = 0.0;
            for &reply in &replies {
                let mut joint = vec![own; 2];
                joint[self.roles[1].index()] = reply;
                self.worker.load(state, &Stop::never())?;
                self.worker.step(&joint, &mut Step::new(), &Stop::never())?;
                let mut next = Vec::new();
                self.worker.save(&mut next);
                sum += self.share(&next, turns + 1)?;
            }
            means.push(sum / replies.len() as f64);
        }
        Ok(if opening {
            means.iter().sum::<f64>() / means.len() as f64
        } else {
            means.into_iter().fold(0.0, f64::max)
        })
    }
}

pub(crate) fn run() -> Result<()> {
    for (other, name) in [(Other::Random, "random"), (Other::Defects, "onestep")] {
        println!("best possible share against {name}: {:.2} %", 100.0 * best_share(other)?);
    }
    Ok(())
}

/// The best possible share against a player, after a random opening as in `learn any`.
fn best_share(other: Other) -> Result<f64> {
    let playable = magister::open("prisoners-dilemma")?;
    let game = &playable.game;
    let roles: Vec<Role> = game.info().players().collect();
    let roles = roles.try_into().ok().context("two players")?;
    let defect = |choice: Move| game.text().move_text(choice).contains("defect");
    let worker = game.worker();
    let mut start = Vec::new();
    worker.save(&mut start);
    let known = FxHashMap::default();
    BestReply { worker, roles, other, defect: &defect, known }.share(&start, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a player who defects, no reply gains anything after the opening. Against a random
    /// one, defecting eight times gains 5 coins in each round with probability 1/2.
    #[test]
    fn the_shares_agree_with_the_binomial_distribution() {
        assert!((best_share(Other::Defects).unwrap() - 0.5).abs() < 1e-12);
        // The deficit after two random rounds in units of 5, its probability, and the numbers of
        // the 256 histories that are lost and drawn.
        let after = [(3.0 / 8.0, 0.0, 1.0), (0.25, 1.0, 8.0), (1.0 / 16.0, 9.0, 28.0)];
        let missed: f64 = after.iter().map(|(p, lost, drawn)| p * (lost + 0.5 * drawn)).sum();
        let expected = 1.0 - missed / 256.0;
        assert!((best_share(Other::Random).unwrap() - expected).abs() < 1e-12);
    }
}
