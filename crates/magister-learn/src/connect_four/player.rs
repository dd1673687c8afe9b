//! The perfect player of Connect Four, as a player like any other.

use std::sync::Arc;

use magister_core::{
    Agent, Budget, Decision, Game, Halt, Move, Observation, Rng, Stop, Thought, View,
};

use super::{Book, Position, Solver};
use crate::file::Reading;
use crate::measure::perfect_move;
use crate::recognise::recognise;

/// Plays Connect Four perfectly. It preserves the best class of a position (win, draw or loss) and
/// breaks ties at random; if it is `distant`, it also delays its losses as long as possible.
/// It needs up to a minute for the first moves, and less than a second later.
pub struct Perfect {
    name: String,
    solver: Solver,
    distant: bool,
    /// The last game it was asked about, and the column of each of its moves.
    columns: Option<Known>,
}

/// Whether a game is Connect Four, in whatever language.
pub fn is_played_in(game: &Arc<dyn Game>) -> bool {
    matches!(recognise(game), Some((Reading::ConnectFour, _)))
}

/// A game and the column of each of its moves.
type Known = (Arc<dyn Game>, Vec<(Move, u32)>);

impl std::fmt::Debug for Perfect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Perfect").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Perfect {
    /// A player with a table of `2^bits` buckets.
    pub fn new(name: &str, distant: bool, bits: u32, book: Book) -> Self {
        let solver = Solver::new(bits).with_book(book);
        Perfect { name: name.to_owned(), solver, distant, columns: None }
    }

    /// The column of each move of a game, which must be equivalent to Connect Four.
    fn columns(&mut self, game: &Arc<dyn Game>) -> Result<&[(Move, u32)], Halt> {
        if self.columns.as_ref().is_none_or(|(known, _)| !Arc::ptr_eq(known, game)) {
            let refused = || Halt::Limit("the perfect player plays only Connect Four".to_owned());
            let Some((Reading::ConnectFour, reader)) = recognise(game) else {
                return Err(refused());
            };
            let mut worker = game.worker();
            worker.reset();
            let first = game.info().players().next().ok_or_else(refused)?;
            let (mut start, mut words) = (Vec::new(), Vec::new());
            worker.save(&mut start);
            let stop = Stop::never();
            let mut columns = Vec::new();
            for choice in worker.legal(first).to_vec() {
                worker.load(&start, &stop)?;
                let joint: Vec<Move> = (game.info().all_roles())
                    .map(|role| if role == first { choice } else { worker.legal(role)[0] })
                    .collect();
                worker.step(&joint, &mut magister_core::Step::new(), &stop)?;
                worker.save(&mut words);
                let disc = reader.discs(game.as_ref(), &words).position.discs()[1];
                columns.push((choice, disc.trailing_zeros() / 7));
            }
            self.columns = Some((Arc::clone(game), columns));
        }
        Ok(self.columns.as_ref().map_or(&[], |(_, columns)| columns))
    }

    /// The current position of a view.
    fn position(&mut self, view: &View) -> Result<Position, Halt> {
        let columns = self.columns(view.game())?;
        let mut position = Position::new();
        for turn in view.turns() {
            let Observation::Joint(joint) = &turn.seen else { return Err(Halt::Hidden) };
            let column = joint
                .iter()
                .find_map(|&choice| columns.iter().find(|one| one.0 == choice).map(|one| one.1));
            let column = column.filter(|&column| position.can_play(column));
            position = position.play(column.ok_or(Halt::BadState)?);
        }
        Ok(position)
    }
}

impl Agent for Perfect {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let position = self.position(view)?;
        let mover = view.role().index() == position.plies() as usize % 2;
        let columns = self.columns(view.game())?.to_vec();
        if !mover {
            // It is the other player's turn; the only legal move is to wait.
            let mut worker = view.game().worker();
            for turn in view.turns() {
                if let Observation::Joint(joint) = &turn.seen {
                    worker.step(joint, &mut magister_core::Step::new(), budget.stop())?;
                }
            }
            return Ok(worker.legal(view.role()).first().copied().unwrap_or(Move::IDLE).into());
        }
        let before = self.solver.nodes();
        self.solver.limit(budget.clone());
        let stop = budget.stop().clone();
        let found = perfect_move(&mut self.solver, &position, self.distant, rng, &stop);
        self.solver.limit(Budget::until(Stop::never()));
        let proven = found.is_ok();
        let column = match found {
            Ok(column) => column,
            // The budget is spent: any legal move that does not lose at once. The record shows that
            // it is not proven.
            Err(_) => position.hint().ok_or_else(|| Halt::Rules("the board is full".to_owned()))?,
        };
        let choice = columns.iter().find(|one| one.1 == column).map(|one| one.0);
        let choice = choice.ok_or(Halt::BadState)?;
        Ok(Decision {
            thoughts: vec![Thought { value: None, proven, ..Thought::new(choice, 0.0) }],
            iterations: self.solver.nodes() - before,
            ..choice.into()
        })
    }

    fn value_until(&mut self, view: &View, stop: &Stop) -> Option<Vec<f64>> {
        let position = self.position(view).ok()?;
        let class = self.solver.class(&position, stop).ok()?;
        let first = if position.plies().is_multiple_of(2) { class } else { -class };
        let (low, high) = view.game().info().rewards;
        let middle = f64::midpoint(low, high);
        let value = middle + f64::from(first) * (high - middle);
        Some(vec![value, low + high - value])
    }
}
