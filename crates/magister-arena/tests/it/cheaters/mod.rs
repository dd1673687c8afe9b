//! Players that cheat, each in one way, for the audit to find. They get the true state, unlike
//! every player of the registry.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use magister_arena::audit::{Suspect, World};
use magister_core::{
    Agent, Budget, Decision, Halt, Move, Rng, Role, Seed, Step, Stop, Thought, View, draw,
};
use magister_infoset::{Belief, Keep, Settings};
use magister_players::Spec;

/// The decision rule of a cheater.
type Trick = Box<dyn FnMut(&View, &World, &[Move], &mut Rng) -> Decision + Send>;

/// A player that decides by a trick. Its legal moves are those of the true state, which in all
/// games except one reveals nothing new to its role.
struct Cheater {
    name: &'static str,
    world: World,
    trick: Trick,
}

impl Agent for Cheater {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn decide(&mut self, view: &View, _: &mut Budget, rng: &mut Rng) -> Result<Decision, Halt> {
        let mut worker = view.game().worker();
        worker.load(&self.world.look().state, &Stop::never())?;
        let legal = worker.legal(view.role()).to_vec();
        Ok((self.trick)(view, &self.world, &legal, rng))
    }
}

fn cheater(name: &'static str, make: impl Fn() -> Trick + Send + Sync + 'static) -> Suspect {
    Arc::new(move |world| Box::new(Cheater { name, world: world.clone(), trick: make() }))
}

/// A hash of a state.
fn number(state: &[u64]) -> u64 {
    let mix =
        |sum: u64, word: &u64| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    state.iter().fold(7, mix)
}

fn pick(legal: &[Move], number: u64) -> Decision {
    legal[(number % legal.len() as u64) as usize].into()
}

/// The best move if the true state is known.
fn knowing(view: &View, state: &[u64], legal: &[Move]) -> Decision {
    let mut worker = view.game().worker();
    let (mut step, mut goals) = (Step::new(), Vec::new());
    let worth = |choice: &Move| {
        // The result if all others play their first legal move.
        worker.load(state, &Stop::never()).unwrap();
        let mut own = Some(*choice);
        while !worker.terminal() {
            let joint: Vec<Move> = worker
                .info()
                .all_roles()
                .map(|role| match own.filter(|_| role == view.role()) {
                    Some(choice) => choice,
                    None => worker.legal(role)[0],
                })
                .collect();
            own = None;
            worker.step(&joint, &mut step, &Stop::never()).unwrap();
        }
        worker.goals(view.role(), &mut goals);
        goals.first().copied().unwrap_or(0.0)
    };
    let worths: Vec<f64> = legal.iter().map(worth).collect();
    let best =
        (0..legal.len()).fold(0, |best, at| if worths[at] > worths[best] { at } else { best });
    legal[best].into()
}

/// Cheater 1: its determinizations are drawn from a generator that is seeded with the true state.
pub(crate) fn determiniser() -> Suspect {
    cheater("determiniser", || {
        Box::new(|_, world, legal, rng| {
            let state = number(&world.look().state);
            let mut worlds = Seed::from(state ^ rng.next_u64()).rng();
            let values: Vec<f64> = legal.iter().map(|_| worlds.f64()).collect();
            let thoughts = legal.iter().zip(&values).map(|(&m, &v)| Thought::new(m, v)).collect();
            let best = (0..legal.len()).max_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap();
            Decision { thoughts, ..legal[best].into() }
        })
    })
}

/// Cheater 2: it reads the seed of chance, and knows what will be drawn in the second step.
pub(crate) fn seed_reader() -> Suspect {
    cheater("seed reader", || {
        Box::new(|_, world, legal, _| {
            let next = world.look().chance;
            let next = next.map_or(0, |chance| chance.derive_index(1).rng().below(6));
            pick(legal, next)
        })
    })
}

/// Cheater 3: it takes its legal moves from the true state, where they reveal something.
pub(crate) fn list_reader() -> Suspect {
    cheater("list reader", || Box::new(|_, _, legal, _| legal[legal.len() - 1].into()))
}

/// Cheater 4: one role leaves its observations where another finds them.
pub(crate) fn shared_between_roles() -> Suspect {
    let table: Arc<Mutex<u64>> = Arc::default();
    cheater("table of all roles", move || {
        let table = Arc::clone(&table);
        Box::new(move |view, _, legal, _| {
            let mut entry = table.lock().unwrap();
            let seen = format!("{:?}", view.turns());
            let own = number(&seen.bytes().map(u64::from).collect::<Vec<_>>());
            let other = std::mem::replace(&mut *entry, own);
            pick(legal, if view.role() == Role(0) { 0 } else { other % 2 })
        })
    })
}

/// Cheater 4, variant: knowledge from one match is left for the next.
pub(crate) fn shared_between_matches() -> Suspect {
    let asked = Arc::new(AtomicU64::new(0));
    cheater("table of all matches", move || {
        let asked = Arc::clone(&asked);
        Box::new(move |_, _, legal, _| pick(legal, asked.fetch_add(1, Ordering::Relaxed) / 3))
    })
}

/// Cheater 5: a nested player like HyperPlay-II, whose simulated players get the state of the model
/// instead of their information state. The models themselves are drawn honestly.
pub(crate) fn telling() -> Suspect {
    Arc::new(|_| Box::new(Telling))
}

struct Telling;

impl Agent for Telling {
    fn name(&self) -> String {
        "telling".to_owned()
    }

    fn nested(&self) -> bool {
        true
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let settings = Settings { keep: Keep::Views, ..Settings::default() };
        let game = Arc::clone(view.game());
        let mut belief = Belief::new(game, view.role(), settings, budget.stop())?;
        belief.follow(view.turns(), budget, rng)?;
        let mut worker = view.game().worker();
        worker.load(belief.state(0), &Stop::never())?;
        let legal = worker.legal(view.role()).to_vec();
        let mut sums = vec![0.0; legal.len()];
        for _ in 0..20 {
            let model = belief.state(belief.draw(rng));
            for (sum, &first) in sums.iter_mut().zip(&legal) {
                *sum += simulate(view, model, first, rng)?;
            }
        }
        let best = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let near: Vec<usize> = (0..legal.len()).filter(|&at| sums[at] >= best).collect();
        let choice = legal[near[rng.below(near.len() as u64) as usize]];
        let thoughts = legal.iter().zip(&sums).map(|(&m, &v)| Thought::new(m, v)).collect();
        Ok(Decision { thoughts, ..choice.into() })
    }
}

/// Cheater 5, variant: a player that assumes that the others see the state, but claims the
/// opposite.
pub(crate) fn boasting(spec: &Spec) -> Suspect {
    let spec = spec.clone();
    Arc::new(move |_| Box::new(Boasting(spec.agent())))
}

struct Boasting(Box<dyn Agent>);

impl Agent for Boasting {
    fn name(&self) -> String {
        self.0.name()
    }

    fn nested(&self) -> bool {
        true
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        self.0.decide(view, budget, rng)
    }
}

/// The reward of a role for a move in a model, if all roles decide by the state from there on.
fn simulate(view: &View, model: &[u64], first: Move, rng: &mut Rng) -> Result<f64, Halt> {
    let (stop, game) = (Stop::never(), view.game());
    let mut worker = game.worker();
    worker.load(model, &stop)?;
    let (mut step, mut state, mut own) = (Step::new(), Vec::new(), Some(first));
    while !worker.terminal() {
        let mut joint = Vec::new();
        for role in game.info().all_roles() {
            let legal = worker.legal(role);
            joint.push(match own.filter(|_| role == view.role()) {
                Some(first) => first,
                None if game.info().chance == Some(role) => {
                    draw(legal, worker.weights(), rng).unwrap()
                }
                None if legal.len() == 1 => legal[0],
                None => {
                    worker.save(&mut state);
                    knowing(&View::new(Arc::clone(game), role), &state, legal).choice
                }
            });
        }
        own = None;
        worker.step(&joint, &mut step, &stop)?;
    }
    let mut goals = Vec::new();
    worker.goals(view.role(), &mut goals);
    Ok(goals[0])
}

/// Cheater 6: it measures how long it had to wait.
pub(crate) fn clock_watcher() -> Suspect {
    cheater("clock watcher", || {
        let mut last: Option<Instant> = None;
        Box::new(move |_, _, legal, _| {
            let waited = last.map_or(Duration::ZERO, |last| last.elapsed());
            last = Some(Instant::now());
            Decision { iterations: waited.as_millis() as u64 / 2, ..legal[0].into() }
        })
    })
}

/// Cheater 7: it reads the goal values of the match.
pub(crate) fn goal_reader() -> Suspect {
    cheater("goal reader", || {
        Box::new(|view, world, legal, _| knowing(view, &world.look().state, legal))
    })
}

/// Cheater 8: its thoughts are listed in an order that depends on the true state, although it plays
/// the same.
pub(crate) fn listing() -> Suspect {
    cheater("listing", || {
        Box::new(|_, world, legal, _| {
            let mut thoughts: Vec<Thought> = legal.iter().map(|&m| Thought::new(m, 0.0)).collect();
            let by = number(&world.look().state) as usize % thoughts.len();
            thoughts.rotate_left(by);
            Decision { thoughts, ..legal[0].into() }
        })
    })
}

/// Cheater 9: it uses its own seed as that of chance, and plays Monty Hall by what it would draw.
pub(crate) fn own_seed() -> Suspect {
    cheater("own seed", || {
        let mut car = None;
        Box::new(move |view, _, legal, rng| {
            // The first draw of chance hides the car.
            let car = *car.get_or_insert_with(|| {
                let mut worker = view.game().worker();
                worker.reset();
                let chance = view.game().info().chance.unwrap();
                let doors = worker.legal(chance).to_vec();
                let drawn = draw(&doors, worker.weights(), &mut rng.clone()).unwrap();
                doors.iter().position(|&door| door == drawn).unwrap()
            });
            if view.turns().is_empty() {
                return legal[0].into();
            }
            // Staying is the last move with that name in the list.
            let text = |m: &&Move| view.game().text().move_text(**m);
            let stay = legal.iter().find(|m| text(m) == "stay").unwrap_or(&legal[0]);
            let go = legal.iter().find(|m| text(m) == "switch").unwrap_or(&legal[0]);
            (if car == 0 { *stay } else { *go }).into()
        })
    })
}

/// Plays at random, but cheats in one of twenty cases. Its seed decides when, or a source that the
/// audit does not control.
pub(crate) fn seldom(by_seed: bool) -> Suspect {
    let entropy = Arc::new(Mutex::new(Seed::from(99).rng()));
    cheater("seldom", move || {
        let entropy = Arc::clone(&entropy);
        Box::new(move |view, world, legal, rng| {
            let mut other = entropy.lock().unwrap();
            let dice = if by_seed { rng } else { &mut *other };
            if dice.below(20) == 0 {
                knowing(view, &world.look().state, legal)
            } else {
                pick(legal, dice.next_u64())
            }
        })
    })
}

/// An honest player, which plays at random by its seed.
pub(crate) fn innocent() -> Suspect {
    cheater("innocent", || Box::new(|_, _, legal, rng| pick(legal, rng.next_u64() >> 7)))
}
