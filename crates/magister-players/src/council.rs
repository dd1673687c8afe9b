//! Several copies of a player that think in parallel, each on its own thread, and vote.
//!
//! For a tree search this is root parallelisation: every thread has its own tree, and the
//! statistics of the root moves are combined.

use std::thread;

use magister_core::{Agent, Budget, Decision, Halt, Rng, Seed, Stop, Thought, View};

use crate::combine::draw;
use crate::registry::{Arguments, Made};

/// The members, which do not communicate before they vote.
pub(crate) struct Council {
    name: String,
    members: Vec<Box<dyn Agent>>,
}

impl Council {
    pub(crate) fn make(settings: &Arguments) -> Made {
        let members = (0..settings.whole("threads")?).map(|_| settings.player("inner"));
        let members = members.collect::<Result<_, _>>()?;
        Ok(Box::new(Council { name: settings.text().to_owned(), members }))
    }

    /// Runs a task on all members, each with an equal part of the iterations and the full time. The
    /// result depends on the number of members, but not on the order in which they finish.
    fn all<T: Send>(
        &mut self,
        budget: &mut Budget,
        rng: &mut Rng,
        act: impl Fn(&mut dyn Agent, &mut Budget, &mut Rng) -> Result<T, Halt> + Sync,
    ) -> Vec<Result<T, Halt>> {
        let count = self.members.len() as u64;
        let whole = budget.left();
        let parts: Vec<(Budget, Rng)> = (0..count)
            .map(|member| {
                let share = whole.map(|left| left / count + u64::from(member < left % count));
                (budget.part(share), Seed::from(rng.next_u64()).rng())
            })
            .collect();
        whole.map(|left| budget.spend(left));
        let act = &act;
        thread::scope(|scope| {
            let threads: Vec<_> = self
                .members
                .iter_mut()
                .zip(parts)
                .map(|(member, (mut budget, mut rng))| {
                    scope.spawn(move || act(&mut **member, &mut budget, &mut rng))
                })
                .collect();
            // If a member panics, the panic is passed on to the caller, and the arena handles it.
            let join = |thread: thread::ScopedJoinHandle<'_, Result<T, Halt>>| {
                thread.join().unwrap_or_else(|fault| std::panic::resume_unwind(fault))
            };
            threads.into_iter().map(join).collect()
        })
    }
}

impl Agent for Council {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn prepare(&mut self, view: &View, stop: &Stop) -> Result<(), Halt> {
        self.members.iter_mut().try_for_each(|member| member.prepare(view, stop))
    }

    fn ready(&mut self, view: &View, budget: &mut Budget, rng: &mut Rng) -> Result<(), Halt> {
        self.all(budget, rng, |member, budget, rng| member.ready(view, budget, rng))
            .into_iter()
            .collect()
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let said = self.all(budget, rng, |member, budget, rng| member.decide(view, budget, rng));
        let (decisions, failures): (Vec<_>, Vec<_>) = said.into_iter().partition(Result::is_ok);
        let decisions: Vec<Decision> = decisions.into_iter().flatten().collect();
        match failures.into_iter().find_map(Result::err) {
            Some(halt) if decisions.is_empty() => Err(halt),
            _ => Ok(together(decisions, rng)),
        }
    }

    fn value(&mut self, view: &View) -> Option<Vec<f64>> {
        self.value_until(view, &Stop::never())
    }

    fn value_until(&mut self, view: &View, stop: &Stop) -> Option<Vec<f64>> {
        let said: Vec<Vec<f64>> =
            self.members.iter_mut().filter_map(|member| member.value_until(view, stop)).collect();
        let mut mean = said.first()?.clone();
        for values in &said[1..] {
            mean.iter_mut().zip(values).for_each(|(mean, value)| *mean += value);
        }
        mean.iter_mut().for_each(|mean| *mean /= said.len() as f64);
        Some(mean)
    }
}

/// The combined decision. If members have mixed strategies, it uses their mean; if they counted
/// visits, the most visited move wins unless a proven one is better; otherwise the first member
/// decides.
fn together(mut decisions: Vec<Decision>, rng: &mut Rng) -> Decision {
    let iterations = decisions.iter().map(|decision| decision.iterations).sum();
    let mut thoughts: Vec<Thought> = Vec::new();
    for decision in &decisions {
        for thought in &decision.thoughts {
            match thoughts.iter_mut().find(|known| known.choice == thought.choice) {
                Some(known) => add(known, thought),
                None => thoughts.push(thought.clone()),
            }
        }
    }
    let members = decisions.len() as f64;
    thoughts.iter_mut().filter_map(|one| one.probability.as_mut()).for_each(|p| *p /= members);
    let lots: Option<Vec<f64>> = thoughts.iter().map(|thought| thought.probability).collect();
    let choice = match lots {
        Some(lots) if lots.iter().sum::<f64>() > 0.0 => {
            let moves: Vec<_> = thoughts.iter().map(|thought| thought.choice).collect();
            Some(draw(&moves, &lots, rng))
        }
        _ => best(&thoughts).map(|thought| thought.choice),
    };
    let choice = choice.unwrap_or(decisions[0].choice);
    // The line of a member that would have played the move.
    let one = decisions.iter().position(|decision| decision.choice == choice).unwrap_or(0);
    let Decision { line, .. } = decisions.swap_remove(one);
    Decision { choice, thoughts, line, iterations }
}

/// Combines the estimates of two members for a move. A proof by one holds for all.
fn add(known: &mut Thought, other: &Thought) {
    let (a, b) = (known.visits as f64, other.visits as f64);
    known.value = match (known.value, other.value) {
        (Some(value), _) if known.proven => Some(value),
        (_, Some(value)) if other.proven => Some(value),
        (Some(x), Some(y)) if a + b > 0.0 => Some((x * a + y * b) / (a + b)),
        (Some(x), Some(y)) => Some(f64::midpoint(x, y)),
        (x, y) => x.or(y),
    };
    known.proven |= other.proven;
    known.visits += other.visits;
    known.probability = match (known.probability, other.probability) {
        (None, None) => None,
        (x, y) => Some(x.unwrap_or(0.0) + y.unwrap_or(0.0)),
    };
}

/// The most visited move, unless a proven one is at least as good.
fn best(thoughts: &[Thought]) -> Option<&Thought> {
    let worth = |thought: &Thought| thought.value.unwrap_or(f64::NEG_INFINITY);
    let open = thoughts.iter().filter(|thought| !thought.proven && thought.visits > 0);
    let open = open.reduce(|a, b| if b.visits > a.visits { b } else { a });
    let proven = thoughts.iter().filter(|thought| thought.proven);
    let proven = proven.reduce(|a, b| if worth(b) > worth(a) { b } else { a });
    match (proven, open) {
        (Some(proven), Some(open)) => {
            Some(if worth(proven) >= worth(open) { proven } else { open })
        }
        (proven, open) => proven.or(open),
    }
}

#[cfg(test)]
mod tests {
    use magister_core::Move;

    use super::*;

    fn thought(choice: u32, value: f64, visits: u64, proven: bool) -> Thought {
        Thought { visits, proven, ..Thought::new(Move(choice), value) }
    }

    fn decision(choice: u32, thoughts: Vec<Thought>) -> Decision {
        Decision { thoughts, iterations: 100, ..Move(choice).into() }
    }

    #[test]
    fn visits_are_added_and_values_weighed() {
        let mut rng = Seed::from(1).rng();
        let one = decision(1, vec![thought(1, 60.0, 60, false), thought(2, 50.0, 40, false)]);
        let other = decision(2, vec![thought(2, 80.0, 70, false), thought(1, 30.0, 30, false)]);
        let all = together(vec![one, other], &mut rng);
        assert_eq!((all.choice, all.iterations), (Move(2), 200));
        assert_eq!(all.thoughts[0].value, Some(50.0));
        assert_eq!(all.thoughts[1].visits, 110);
    }

    #[test]
    fn a_proof_by_one_member_counts_for_all() {
        let mut rng = Seed::from(1).rng();
        let one = decision(1, vec![thought(1, 90.0, 90, false), thought(2, 10.0, 10, false)]);
        let other = decision(2, vec![thought(1, 90.0, 5, false), thought(2, 100.0, 3, true)]);
        assert_eq!(together(vec![one.clone(), other], &mut rng).choice, Move(2));
        // A move that is proven to be bad is not chosen, however often it was visited.
        let other = decision(2, vec![thought(1, 0.0, 900, true), thought(2, 10.0, 3, false)]);
        assert_eq!(together(vec![one, other], &mut rng).choice, Move(2));
    }

    #[test]
    fn mixed_strategies_are_averaged() {
        let lot = |choice, likely| Thought {
            probability: Some(likely),
            ..thought(choice, 50.0, 1, false)
        };
        let one = decision(1, vec![lot(1, 1.0), lot(2, 0.0)]);
        let other = decision(2, vec![lot(1, 0.0), lot(2, 1.0)]);
        let mut rng = Seed::from(1).rng();
        let mut seen = [0; 2];
        for _ in 0..100 {
            let all = together(vec![one.clone(), other.clone()], &mut rng);
            assert_eq!(all.thoughts[0].probability, Some(0.5));
            seen[all.choice.index() - 1] += 1;
        }
        assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
    }

    #[test]
    fn without_thoughts_the_first_member_decides() {
        let mut rng = Seed::from(1).rng();
        let said = vec![decision(3, Vec::new()), decision(4, Vec::new())];
        assert_eq!(together(said, &mut rng).choice, Move(3));
    }
}
