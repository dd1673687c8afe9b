//! Rebuilds matches from their records.

use std::sync::Arc;

use super::{Event, MadeTurn, Match, Setup};
use crate::matches::MatchError;
use crate::record::{MatchRecord, ReplayError, Seat, resolve};
use crate::{Game, Move, Seed, Stop};

impl Match {
    /// The match of a record, in exactly the same position, so that it continues as the original
    /// would have. The record is checked against the rules and refused if it contradicts them.
    /// Moves that were taken back earlier cannot be redone.
    pub fn from_record(
        game: &Arc<dyn Game>,
        record: &MatchRecord,
        stop: &Stop,
    ) -> Result<Self, MatchError> {
        record.replay(&**game, stop).map_err(MatchError::Record)?;
        let seed = Seed::parse(&record.seed).ok_or(MatchError::NoSeed)?;
        let named = |player: &String| Seat::new(player);
        let setup = Setup {
            id: record.id.clone(),
            seed,
            salt: Seed::parse(&record.salt),
            seats: if record.seats.len() == record.players.len() {
                record.seats.clone()
            } else {
                record.players.iter().map(named).collect()
            },
            limits: record.limits.clone(),
            round: record.round,
            thoughts: !record.thoughts.is_empty(),
        };
        let mut again = Match::bare(game, &setup, stop)?;
        while again.record().moves.len() < record.moves.len() {
            let at = again.record().moves.len();
            if again.referee.terminal() || record.broken_off(at + 1) {
                break;
            }
            let turn = again.recorded(record, at)?;
            again.referee.advance(&turn.moves, stop)?;
            again.referee.settle(stop)?;
            again.history.push(turn);
        }
        if record.end.is_some() {
            again.referee.record = record.clone();
            return Ok(again);
        }
        let before = record.moves.len();
        let made = again.referee.record.clone();
        if !made.moves.starts_with(&record.moves) {
            // Silent steps or chance do not match the record.
            let step = made.moves.len();
            return Err(MatchError::Record(ReplayError::Differs { step, what: "moves" }));
        }
        // Missing silent steps are made now.
        again.referee.record = MatchRecord {
            moves: made.moves,
            percepts: made.percepts,
            gains: made.gains,
            silent: made.silent,
            rewards: made.rewards,
            end: made.end,
            ..record.clone()
        };
        again.restore(record)?;
        again.events.push(Event::Resumed { turn: again.turn() });
        again.tell_steps(before);
        again.begin_turn();
        Ok(again)
    }

    /// The turn of a record at this step.
    fn recorded(&self, record: &MatchRecord, at: usize) -> Result<MadeTurn, MatchError> {
        let step = at + 1;
        let opening = self.in_opening();
        let roles = self.info().all_roles().zip(&record.moves[at]);
        let moves: Result<Vec<Move>, MatchError> = roles
            .map(|(role, words)| {
                resolve(self.referee.worker(), self.game().text(), role, words).map_err(|_| {
                    let text = words.clone();
                    MatchError::Record(ReplayError::UnknownMove { step, text })
                })
            })
            .collect();
        let seats = self.info().players().enumerate();
        let choosers =
            seats.filter(|&(_, role)| !opening && self.legal(role).len() > 1).map(|(seat, _)| seat);
        let faults = record.errors.iter().filter(|fault| fault.step == step);
        Ok(MadeTurn {
            moves: moves?,
            times: record.times_ms.get(at).cloned().unwrap_or_default(),
            faults: faults.filter(|fault| fault.kind.is_mistake()).cloned().collect(),
            thoughts: record.thoughts.iter().filter(|one| one.step == step).cloned().collect(),
            choosers: choosers.collect(),
        })
    }

    /// Restores the recorded answers for the next turn.
    fn restore(&mut self, record: &MatchRecord) -> Result<(), MatchError> {
        let step = record.moves.len() + 1;
        for answer in &record.answers {
            let role = self.info().players().nth(answer.seat);
            let choice = role.and_then(|role| self.parse(role, &answer.choice));
            let Some(choice) = choice else {
                let text = answer.choice.clone();
                return Err(MatchError::Record(ReplayError::UnknownMove { step, text }));
            };
            self.answers[answer.seat] = Some(choice);
            self.open.times[answer.seat] = answer.time_ms;
        }
        let faults = record.errors.iter().filter(|fault| fault.step == step);
        self.open.faults = faults.filter(|fault| fault.kind.is_mistake()).cloned().collect();
        let thoughts = record.thoughts.iter().filter(|thoughts| thoughts.step == step);
        self.open.thoughts = thoughts.cloned().collect();
        Ok(())
    }
}
