//! Asks a player along a history, and plays its own matches.

use std::sync::Arc;
use std::time::Duration;

use magister_core::{
    Agent, Budget, Game, Halt, Move, Payment, Referee, Role, Seed, Stop, Turn, View, draw,
};

use super::history::{History, Way};
use super::opponents::Opponents;
use super::said::Said;
use super::world::{Seeds, Suspect, World};

/// The number of steps after which a match is broken off.
const LONGEST: usize = 2_000;

/// The player, and the conditions of the questions.
pub(super) struct Trial<'a> {
    pub(super) game: &'a Arc<dyn Game>,
    pub(super) role: Role,
    pub(super) suspect: &'a Suspect,
    pub(super) iterations: u64,
    pub(super) seeds: Seeds,
    pub(super) stop: &'a Stop,
}

/// A question in a match.
pub(super) struct Moment {
    /// The number of joint moves before the question.
    pub(super) behind: usize,
    /// The number of turns of the role before the question.
    pub(super) turns: usize,
    pub(super) state: Vec<u64>,
    /// Whether there was a choice.
    pub(super) open: bool,
    pub(super) choice: Move,
}

/// A finished match.
pub(super) struct Played {
    pub(super) history: History,
    pub(super) turns: Vec<Turn>,
    pub(super) moments: Vec<Moment>,
    /// The reward of the role, if the match ended.
    pub(super) reward: Option<f64>,
    /// The number of illegal answers that were replaced.
    pub(super) illegal: usize,
    /// Whether the referee's views agree with this audit's observations.
    pub(super) views_agree: bool,
}

/// A player with its view.
struct Asked {
    role: Role,
    agent: Box<dyn Agent>,
    /// The seed of its random numbers; each turn has its own.
    seed: Seed,
    view: View,
}

impl Asked {
    fn ask(&mut self, trial: &Trial<'_>, way: &Way, world: &World, chance: Option<Seed>) -> Said {
        let lived = &way.turns[self.role.index()];
        lived[self.view.turns().len()..].iter().cloned().for_each(|turn| self.view.push(turn));
        let state = way.state();
        world.set(&state, chance);
        let mut budget = Budget::iterations(trial.iterations).with_stop(trial.stop.clone());
        let mut rng = self.seed.derive_index(self.view.turns().len() as u64).rng();
        let answer = self.agent.decide(&self.view, &mut budget, &mut rng);
        let answer = answer.map_err(|halt| halt.to_string());
        let legal = way.worker.legal(self.role);
        let legal = answer.as_ref().is_ok_and(|decision| legal.contains(&decision.choice));
        Said { answer, legal }
    }
}

impl Trial<'_> {
    fn seated(&self, role: Role, seed: Seed, world: &World) -> Asked {
        let view = View::new(Arc::clone(self.game), role);
        Asked { role, agent: (self.suspect)(world), seed, view }
    }

    /// Plays a match along a given history, and asks the same kind of player in every role at every
    /// turn; their answers have no effect. Returns the answers of the role at each of its turns, up
    /// to the one after the history. The last question comes after a pause.
    pub(super) fn along(
        &self,
        history: &History,
        seed: &Seed,
        chance: Option<Seed>,
        pause: Duration,
    ) -> Result<Vec<Said>, Halt> {
        let world = World::default();
        let players = self.game.info().players();
        let agent = |role| self.seated(role, (self.seeds.agent)(seed, role), &world);
        let mut asked: Vec<Asked> = players.map(agent).collect();
        let mut way = Way::new(self.game);
        let mut said = Vec::new();
        let mut joints = history.joints.iter();
        loop {
            self.stop.check()?;
            let next = joints.next();
            if !way.worker.silent() {
                if next.is_none() {
                    std::thread::sleep(pause);
                }
                for player in &mut asked {
                    let answer = player.ask(self, &way, &world, chance);
                    if player.role == self.role {
                        said.push(answer);
                    }
                }
            }
            let Some(joint) = next else {
                // An interrupted answer is meaningless.
                self.stop.check()?;
                return Ok(said);
            };
            way.go(joint, self.stop)?;
        }
    }

    /// The last answer along a history, if only this role is asked.
    pub(super) fn last(&self, history: &History, seed: &Seed) -> Result<Said, Halt> {
        let world = World::default();
        let mut player = self.seated(self.role, (self.seeds.agent)(seed, self.role), &world);
        let mut way = Way::new(self.game);
        for joint in &history.joints {
            self.stop.check()?;
            if !way.worker.silent() {
                player.ask(self, &way, &world, None);
            }
            way.go(joint, self.stop)?;
        }
        let said = player.ask(self, &way, &world, None);
        self.stop.check()?;
        Ok(said)
    }

    /// The answer of a new player with these turns, in this game or in one that its role cannot
    /// distinguish from it.
    pub(super) fn answer(
        &self,
        game: &Arc<dyn Game>,
        turns: &[Turn],
        state: &[u64],
        seed: &Seed,
        iterations: u64,
    ) -> Result<Option<Move>, Halt> {
        self.stop.check()?;
        let world = World::default();
        world.set(state, None);
        let mut view = View::new(Arc::clone(game), self.role);
        turns.iter().cloned().for_each(|turn| view.push(turn));
        let mut budget = Budget::iterations(iterations).with_stop(self.stop.clone());
        let said = (self.suspect)(&world).decide(&view, &mut budget, &mut seed.rng());
        self.stop.check()?;
        Ok(said.ok().map(|decision| decision.choice))
    }

    /// A match in which all roles move at random, as a history for questions. It costs nothing,
    /// even if the suspect is slow.
    pub(super) fn wander(&self, seed: &Seed) -> Result<Played, Halt> {
        self.run(seed, &Opponents { solved: None }, None)
    }

    /// Plays a match with the suspect in its role.
    pub(super) fn play(&self, seed: &Seed, opponents: &Opponents) -> Result<Played, Halt> {
        let world = World::default();
        let player = self.seated(self.role, (self.seeds.agent)(seed, self.role), &world);
        self.run(seed, opponents, Some((player, world)))
    }

    fn run(
        &self,
        seed: &Seed,
        opponents: &Opponents,
        mut suspect: Option<(Asked, World)>,
    ) -> Result<Played, Halt> {
        let info = self.game.info();
        let chance = (self.seeds.chance)(seed);
        let mut others = seed.derive("opponents").rng();
        let mut way = Way::new(self.game);
        // The referee draws the moves of chance itself; the two can be compared only if both use
        // the same seed.
        let same = chance == (Seeds::default().chance)(seed);
        let mut referee =
            if same { Some(Referee::new(Arc::clone(self.game), *seed, self.stop)?) } else { None };
        let mut played = Played {
            history: History { joints: Vec::new() },
            turns: Vec::new(),
            moments: Vec::new(),
            reward: None,
            illegal: 0,
            views_agree: true,
        };
        let mut totals = vec![0.0; info.roles.len()];
        while !way.worker.terminal() && played.history.joints.len() < LONGEST {
            self.stop.check()?;
            let silent = way.worker.silent();
            let mut joint = Vec::with_capacity(info.roles.len());
            for role in info.all_roles() {
                let legal = way.worker.legal(role).to_vec();
                let only = legal.first().copied().unwrap_or(Move::IDLE);
                joint.push(if info.chance == Some(role) {
                    let mut luck = chance.derive_index(played.history.joints.len() as u64).rng();
                    draw(&legal, way.worker.weights(), &mut luck).unwrap_or(only)
                } else if silent {
                    only
                } else if role == self.role {
                    let said = suspect
                        .as_mut()
                        .map(|(player, world)| player.ask(self, &way, world, Some(chance)));
                    let choice = said.as_ref().filter(|said| said.legal);
                    let choice = choice.and_then(Said::choice).unwrap_or_else(|| {
                        played.illegal += usize::from(said.is_some());
                        legal[others.below(legal.len() as u64) as usize]
                    });
                    played.moments.push(Moment {
                        behind: played.history.joints.len(),
                        turns: way.turns[role.index()].len(),
                        state: way.state(),
                        open: legal.len() > 1,
                        choice,
                    });
                    choice
                } else {
                    opponents.choose(role, &way.turns[role.index()], &legal, &mut others)
                });
            }
            let ticked = way.go(&joint, self.stop)?;
            way.gains().iter().zip(&mut totals).for_each(|(gain, total)| *total += gain);
            if let (true, Some(referee)) = (ticked, &mut referee) {
                referee.advance(&joint, self.stop)?;
                let agree = |role: Role| referee.view(role).turns() == way.turns[role.index()];
                played.views_agree &= info.players().all(agree);
            }
            played.history.joints.push(joint);
        }
        self.stop.check()?;
        played.turns.clone_from(&way.turns[self.role.index()]);
        if way.worker.terminal() {
            let mut goals = Vec::new();
            played.reward = match info.payment {
                Payment::OnTheWay => Some(totals[self.role.index()]),
                Payment::AtEnd => {
                    way.worker.goals(self.role, &mut goals);
                    if let [goal] = goals[..] { Some(goal) } else { None }
                }
            };
        }
        Ok(played)
    }
}
