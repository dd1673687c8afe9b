//! Values of moves in states, for SARSA and Q-learning.

use magister_core::{Halt, Rng};

use crate::environment::{CellLayout, Cells, Choice, Environment};

/// A game whose afterstates are pairs of a state and a move that is not made yet. A value function
/// over them evaluates moves without knowing where they lead.
#[derive(Clone, Debug)]
pub struct Actions<E> {
    env: E,
    moves: usize,
}

/// A state, or a state and a move.
#[derive(Clone, Debug)]
pub struct Pair<S> {
    state: S,
    /// The player, the number of the move, and the state that it leads to.
    action: Option<(usize, u32, S)>,
}

impl<E: Environment> Actions<E> {
    /// The game with values for its moves, of which it has this number.
    pub fn new(env: E, moves: u32) -> Self {
        Actions { env, moves: moves as usize }
    }
}

/// The slot of the weights of a player's move.
pub fn slot(player: usize, choice: u32, moves: usize) -> usize {
    player * moves + (choice as usize).min(moves.saturating_sub(1))
}

impl<E: Environment> Environment for Actions<E> {
    type State = Pair<E::State>;

    fn players(&self) -> usize {
        self.env.players()
    }

    fn opposed(&self) -> bool {
        self.env.opposed()
    }

    fn start(&mut self, rng: &mut Rng) -> Result<Self::State, Halt> {
        Ok(Pair { state: self.env.start(rng)?, action: None })
    }

    fn turn(&self, pair: &Self::State) -> Option<usize> {
        self.env.turn(&pair.state)
    }

    fn choices(
        &mut self,
        pair: &Self::State,
        rng: &mut Rng,
        out: &mut Vec<Choice<Self::State>>,
    ) -> Result<(), Halt> {
        let mut inner = Vec::new();
        self.env.choices(&pair.state, rng, &mut inner)?;
        let player = self.env.turn(&pair.state).unwrap_or(0);
        out.clear();
        out.extend(inner.into_iter().map(|choice| Choice {
            id: choice.id,
            gain: choice.gain,
            after: Pair {
                state: pair.state.clone(),
                action: Some((player, choice.id, choice.after)),
            },
        }));
        Ok(())
    }

    /// The result of a move is known only after it is made.
    fn over(&self, _after: &Self::State) -> bool {
        false
    }

    fn settle(&mut self, after: &mut Self::State, rng: &mut Rng) -> Result<(), Halt> {
        if let Some((_, _, mut next)) = after.action.take() {
            if !self.env.over(&next) {
                self.env.settle(&mut next, rng)?;
            }
            after.state = next;
        }
        Ok(())
    }

    fn result(&self, end: &Self::State, player: usize) -> f32 {
        self.env.result(&end.state, player)
    }

    fn slot(&self, after: &Self::State) -> usize {
        match &after.action {
            Some((player, choice, _)) => slot(*player, *choice, self.moves),
            None => 0,
        }
    }

    fn slots(&self) -> usize {
        self.env.players() * self.moves
    }
}

impl<E: Cells> Cells for Actions<E> {
    /// Symmetries would have to exchange moves as well, so none are used.
    fn layout(&self) -> CellLayout {
        CellLayout { symmetries: Vec::new(), ..self.env.layout() }
    }

    fn write(&self, pair: &Self::State, out: &mut [u8]) {
        self.env.write(&pair.state, out);
    }

    fn changes(
        &self,
        _cells: &[u8],
        _choice: &Choice<Self::State>,
        _after: &mut [u8],
        out: &mut Vec<(u16, u8)>,
    ) {
        // The board is the one before the move, whichever move is chosen.
        out.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use magister_core::Seed;

    use super::*;
    use crate::driver::{Chain, Plan, Progress, Settings, Target, train};
    use crate::games::tictactoe::TicTacToe;
    use crate::measure::mistakes;
    use crate::ntuple::{NTuple, Shape};
    use crate::weights::Steps;

    /// Neither rule knows where moves lead, so both learn from results alone which moves win.
    #[test]
    fn sarsa_and_q_learning_learn_tictactoe() {
        for target in [Target::Chosen, Target::Best] {
            let env = Actions::new(TicTacToe, 9);
            let layout = env.layout();
            let shape = Shape::new(&layout, vec![(0..9).collect()], false).unwrap();
            let network = NTuple::new(shape, env.slots(), 1, 0.0, Steps::Coherent);
            let settings = Settings {
                chain: Chain::Own,
                target,
                learn_random: true,
                epsilon: (0.5, 0.05),
                random_start: 2,
                ..Settings::default()
            };
            let seed = Seed::from(1);
            let plan =
                Plan { games: Some(60_000), before: 0, done: 0.0, actors: 1, report: 1000, seed };
            let untrained = mistakes(&env, &network, Chain::Own, 1);
            let go_on = |_: &Progress| ControlFlow::Continue(0.0);
            train(&|| env.clone(), &network, &settings, &plan, &go_on).unwrap();
            let trained = mistakes(&env, &network, Chain::Own, 1);
            assert!(trained * 3 < untrained, "{target:?}: {trained} of {untrained}");
        }
    }
}
