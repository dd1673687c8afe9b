//! The players of the other roles.

use std::sync::Arc;

use magister_core::{Game, Move, Rng, Role, Stop, Turn};
use magister_solve::{Effort, Equilibrium, ExtensiveForm, SolveLimits};

/// The maximum size of a game that is solved for an audit.
const SMALL: SolveLimits = SolveLimits { nodes: 100_000, bytes: 256 << 20 };
/// The maximum number of rounds of the solver.
const ROUNDS: u64 = 3_000;

/// The other roles: random, or playing an equilibrium.
pub(super) struct Opponents {
    pub(super) solved: Option<Equilibrium>,
}

impl Opponents {
    /// Solves the game if it is small and either one-player or two-player constant-sum.
    pub(super) fn of(game: &Arc<dyn Game>, stop: &Stop) -> Self {
        let effort = Effort { rounds: ROUNDS, stop: stop.clone(), ..Effort::default() };
        let solved = ExtensiveForm::new(&**game, &SMALL, stop)
            .ok()
            .filter(|form| form.players().len() == 1 || form.constant_sum().is_some())
            .filter(|form| form.players().len() <= 2)
            .map(|form| Equilibrium::find(Arc::new(form), &effort));
        Opponents { solved }
    }

    /// The highest possible mean reward of a role against these opponents, if known.
    pub(super) fn most(&self, role: Role) -> Option<f64> {
        let solved = self.solved.as_ref()?;
        let player = solved.form.players().iter().position(|&one| one == role)?;
        solved.best.get(player).copied()
    }

    pub(super) fn choose(&self, role: Role, turns: &[Turn], legal: &[Move], rng: &mut Rng) -> Move {
        let place =
            self.solved.as_ref().and_then(|found| Some((found, found.form.find(role, turns)?)));
        if let Some((found, (player, set))) = place {
            let mixture = found.profile.mixture(&found.form, player, set);
            let choice =
                magister_solve::combine::draw(&found.form.moves(player, set), mixture, rng);
            if legal.contains(&choice) {
                return choice;
            }
        }
        match legal {
            [] => Move::IDLE,
            [only] => *only,
            _ => legal[rng.below(legal.len() as u64) as usize],
        }
    }
}
