//! Several of the same player think at the same time, each on a thread of its own, and vote.
//!
//! For a tree search this is what is called root parallel: every thread has a tree, and what the
//! trees say of the moves is put together.

use std::thread;

use magister_core::{Agent, Budget, Decision, Halt, Rng, Seed, Stop, Thought, View};

use crate::Settings;
use crate::combine::draw;

/// The members, who do not talk to each other before they vote.
pub(crate) struct Council {
    name: String,
    members: Vec<Box<dyn Agent>>,
}

impl Council {
    pub(crate) fn make(settings: &Settings) -> Box<dyn Agent> {
        let members = (0..settings.whole("threads")).map(|_| settings.player("inner")).collect();
        Box::new(Council { name: settings.text().to_owned(), members })
    }

    /// Lets all members do something, with an equal part of the iterations and all of the time.
    /// What they do depends on the number of members, but not on which of them is done first.
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
                let share = whole.map(|left| (left + count - 1 - member) / count);
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
            // A member that falls over takes the others with it: the arena knows what to do.
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

/// What the members decide together: where they decide by lot, by the mean of their lots; where
/// they counted visits, the move with most of them, unless one that is proven is better; else what
/// the first says.
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
    // The line of one who would have played it.
    let one = decisions.iter().position(|decision| decision.choice == choice).unwrap_or(0);
    let Decision { line, .. } = decisions.swap_remove(one);
    Decision { choice, thoughts, line, iterations }
}

/// Puts together what two think of a move. What one has proven holds for all.
fn add(known: &mut Thought, other: &Thought) {
    let (a, b) = (known.visits as f64, other.visits as f64);
    known.value = match (known.value, other.value) {
        (Some(value), _) if known.proven => Some(value),
        (_, Some(value)) if other.proven => Some(value),
        (Some(x), Some(y)) if a + b > 0.0 => Some((x * a + y * b) / (a + b)),
        (Some(x), Some(y)) => Some((x + y) / 2.0),
        (x, y) => x.or(y),
    };
    known.proven |= other.proven;
    known.visits += other.visits;
    known.probability = match (known.probability, other.probability) {
        (None, None) => None,
        (x, y) => Some(x.unwrap_or(0.0) + y.unwrap_or(0.0)),
    };
}

/// The move with most visits, unless one that is proven is no worse.
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
