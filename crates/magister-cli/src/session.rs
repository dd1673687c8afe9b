//! A match whose moves can be taken back: all positions are kept.

pub(crate) mod joint;

use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use magister_core::{Game, Info, Move, Rng, Role, Seed, Step, Stop, Worker, draw, draws};

use crate::console::cells::Cells;

/// The maximum number of steps without a choice that are made before a move.
const PASSED: usize = 10_000;

/// A position, and how it was reached.
pub(crate) struct Moment {
    pub(crate) state: Vec<u64>,
    /// The joint move that led here; empty for the first position.
    pub(crate) joint: Vec<Move>,
    /// Its result.
    pub(crate) step: Step,
}

pub(crate) struct Session {
    pub(crate) game: Arc<dyn Game>,
    pub(crate) worker: Box<dyn Worker>,
    /// The positions; never empty.
    pub(crate) moments: Vec<Moment>,
    /// The current position.
    pub(crate) at: usize,
    /// The joint move that could not be made, if the last error was about it.
    pub(crate) refused: Option<Vec<Move>>,
    /// The number of steps of the last text that were made.
    pub(crate) made: usize,
    /// The steps in which chance drew a move since this list was cleared.
    pub(crate) drawn: Vec<usize>,
    /// How people name the cells of the board.
    pub(crate) cells: Cells,
    /// The seed of the moves of chance: a referee with the same seed draws the same ones.
    seed: Seed,
    /// The generator for random moves of players.
    random: Rng,
}

/// The choice of a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    Given(Move),
    /// Drawn by the seed: chance by its weights, a player uniformly.
    Drawn,
}

impl Session {
    pub(crate) fn new(game: Arc<dyn Game>, seed: u64) -> Self {
        let mut worker = game.worker();
        worker.reset();
        Session::from(game, worker, seed)
    }

    /// A match that begins in the worker's state.
    pub(crate) fn from(game: Arc<dyn Game>, worker: Box<dyn Worker>, seed: u64) -> Self {
        let seed = Seed::from(seed);
        let mut state = Vec::new();
        worker.save(&mut state);
        let first = Moment { state, joint: Vec::new(), step: Step::new() };
        let random = seed.derive("random").rng();
        Session {
            game,
            worker,
            moments: vec![first],
            at: 0,
            refused: None,
            made: 0,
            drawn: Vec::new(),
            cells: Cells::default(),
            seed,
            random,
        }
    }

    pub(crate) fn info(&self) -> &Info {
        self.game.info()
    }

    pub(crate) fn moment(&self) -> &Moment {
        &self.moments[self.at]
    }

    /// Whether a role has more than one legal move.
    pub(crate) fn chooses(&self, role: Role) -> bool {
        self.worker.legal(role).len() > 1
    }

    /// Whether a role other than chance has more than one legal move.
    fn players_choose(&self) -> bool {
        self.info().players().any(|role| self.chooses(role))
    }

    /// Goes to an earlier or later position of the session.
    pub(crate) fn go(&mut self, at: usize) -> Result<()> {
        let last = self.moments.len() - 1;
        if at > last {
            bail!("there is no position {at}; the last one is {last}");
        }
        self.worker.load(&self.moments[at].state, &Stop::never())?;
        self.at = at;
        Ok(())
    }

    /// Makes the steps of a text, separated by semicolons. If one cannot be made, the session stays
    /// at the position before it.
    pub(crate) fn play(&mut self, text: &str) -> Result<()> {
        self.drawn.clear();
        self.made = 0;
        for step in joint::steps(text) {
            let future = self.moments.split_off(self.at + 1);
            let from = self.at;
            if let Err(error) = self.reach(step) {
                self.moments.truncate(from + 1);
                self.moments.extend(future);
                self.go(from)?;
                return Err(error);
            }
            self.made += 1;
        }
        Ok(())
    }

    /// Makes the step of a text. If no player has a choice and the moves do not fit, the forced
    /// steps are made first.
    fn reach(&mut self, text: &str) -> Result<()> {
        for _ in 0..PASSED {
            match joint::read(self, text) {
                Ok(choices) => return self.make(&choices),
                Err(_) if !self.worker.terminal() && !self.players_choose() => {
                    self.make(&vec![Choice::Drawn; self.info().roles.len()])?;
                }
                Err(error) => return Err(error),
            }
        }
        bail!("no player has a choice within {PASSED} steps")
    }

    /// Whether it is a card game. People are not asked for the order of a shuffled deck.
    pub(crate) fn is_cards(&self) -> bool {
        self.game.as_any().is_some_and(<dyn std::any::Any>::is::<magister_recycle::CardGame>)
    }

    /// In a card game, makes the steps in which no player has a choice: shuffling and drawing.
    pub(crate) fn deal(&mut self) -> Result<()> {
        for _ in 0..PASSED {
            if !self.is_cards() || self.worker.terminal() || self.players_choose() {
                break;
            }
            self.random()?;
        }
        Ok(())
    }

    /// In a card game, goes back to the last decision of a player.
    pub(crate) fn before_deal(&mut self) -> Result<()> {
        while self.is_cards() && self.at > 0 && !self.players_choose() {
            self.go(self.at - 1)?;
        }
        self.deal()
    }

    /// Makes these joint moves.
    pub(crate) fn follow(&mut self, joints: &[Vec<Move>]) -> Result<()> {
        for joint in joints {
            let given: Vec<Choice> = joint.iter().map(|&choice| Choice::Given(choice)).collect();
            self.make(&given)?;
        }
        Ok(())
    }

    /// Makes a step with random moves.
    pub(crate) fn random(&mut self) -> Result<()> {
        self.make(&vec![Choice::Drawn; self.info().roles.len()])
    }

    /// The moves of all roles, with those that are drawn.
    pub(crate) fn joint_of(&mut self, choices: &[Choice]) -> Result<Vec<Move>> {
        let mut chance = draws::chance(&self.seed, self.at);
        let mut joint = Vec::with_capacity(choices.len());
        for (role, &choice) in self.game.info().all_roles().zip(choices) {
            let legal = self.worker.legal(role);
            let drawn = match choice {
                Choice::Given(choice) => Some(choice),
                Choice::Drawn if self.game.info().chance == Some(role) => {
                    draw(legal, self.worker.weights(), &mut chance)
                }
                Choice::Drawn => draw(legal, &[], &mut self.random),
            };
            let name = self.game.info().role_name(role);
            joint.push(drawn.ok_or_else(|| anyhow!("{name} has no legal move"))?);
        }
        Ok(joint)
    }

    /// Makes a step; steps that were taken back are discarded.
    fn make(&mut self, choices: &[Choice]) -> Result<()> {
        if self.worker.terminal() {
            bail!("the game is over; `undo` takes the last step back");
        }
        let joint = self.joint_of(choices)?;
        let chance = self.info().chance;
        let by_chance = chance.is_some_and(|role| {
            choices.get(role.index()) == Some(&Choice::Drawn) && self.chooses(role)
        });
        let mut step = Step::new();
        if let Err(halt) = self.worker.step(&joint, &mut step, &Stop::never()) {
            self.refused = Some(joint);
            return Err(halt.into());
        }
        let mut state = Vec::new();
        self.worker.save(&mut state);
        self.moments.truncate(self.at + 1);
        self.moments.push(Moment { state, joint, step });
        self.at += 1;
        self.drawn.extend(by_chance.then_some(self.at));
        Ok(())
    }
}
