//! A custom player, and a match against a player of the registry.

#![expect(clippy::print_stdout, reason = "examples print their results")]

use std::sync::Arc;

use magister::arena::{Contest, TimeControl};
use magister::core::{
    Agent, Budget, Decision, FnSource, Halt, Move, PlayerSource, Rng, Seed, Step, Thought, View,
};
use magister::players::Spec;

/// Makes random playouts after every legal move and chooses the move with the best mean.
struct Flat;

impl Agent for Flat {
    fn name(&self) -> String {
        "flat".to_owned()
    }

    /// A player gets a view and never the state: the rules, its role, its own moves and its
    /// observations. With perfect information, the view can be replayed into a state.
    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let (game, role) = (view.game(), view.role());
        let mut worker = game.worker();
        let mut state = Vec::new();
        view.replay(&mut *worker, budget.stop())?;
        worker.save(&mut state);

        let legal = worker.legal(role).to_vec();
        let mut sums = vec![(0.0, 0_u64); legal.len()];
        let (mut step, mut goals) = (Step::new(), Vec::new());
        let mut iterations = 0;
        // An iteration is one playout. The budget also ends when the clock runs out.
        while budget.spend(1) {
            let at = iterations as usize % legal.len();
            worker.load(&state, budget.stop())?;
            let mut first = Some(legal[at]);
            while !worker.terminal() {
                let mut joint: Vec<Move> = Vec::new();
                for each in game.info().all_roles() {
                    let moves = worker.legal(each);
                    let drawn = moves[rng.below(moves.len() as u64) as usize];
                    joint.push(if each == role { first.take().unwrap_or(drawn) } else { drawn });
                }
                worker.step(&joint, &mut step, budget.stop())?;
            }
            worker.goals(role, &mut goals);
            sums[at].0 += goals.first().copied().unwrap_or(0.0);
            sums[at].1 += 1;
            iterations += 1;
        }

        // The estimates of the moves are part of the decision, so that observers can show them.
        let mut thoughts: Vec<Thought> = legal
            .iter()
            .zip(&sums)
            .map(|(&choice, &(sum, visits))| Thought {
                visits,
                ..Thought::new(choice, sum / visits.max(1) as f64)
            })
            .collect();
        thoughts.sort_by(|a, b| b.value.partial_cmp(&a.value).expect("means are numbers"));
        Ok(Decision { choice: thoughts[0].choice, thoughts, line: Vec::new(), iterations })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let playable = magister::open("connect-four")?;
    // Creates the data that `uct` needs for fast playouts, so that it does not cost time on its
    // clock.
    playable.warm_up();

    // Players come from sources; the registry is one, a function is another.
    let flat: Arc<dyn PlayerSource> = Arc::new(FnSource::new("flat", || Box::new(Flat)));
    let uct: Arc<dyn PlayerSource> = Arc::new("uct".parse::<Spec>()?);
    // Iterations instead of a clock: the same seed then gives the same match everywhere.
    let limits = TimeControl { iterations: Some(400), ..TimeControl::default() };
    let contest = Contest::new(playable.game.clone(), limits);
    for (seed, seated) in [(0, [&flat, &uct]), (1, [&uct, &flat])] {
        let record = contest.play(&seated.map(Arc::clone), Seed::from(seed));
        assert!(record.errors.is_empty(), "{:?}", record.errors);
        println!("{} moves: {:?} get {:?}", record.moves.len(), record.players, record.rewards);
    }
    Ok(())
}
