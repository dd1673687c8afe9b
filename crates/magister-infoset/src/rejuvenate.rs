//! Variety where particles have become copies of each other.
//!
//! A particle is a course of the game, so a part of it can be changed and the rest be played
//! again: another state of the anchor, another move of one role at one step, or two moves of a
//! role exchanged, as cards of a deal are. The change is taken by Metropolis' and Hastings' rule,
//! so that a particle that was drawn from the information set stays one that was. What does not
//! agree with what was seen, or can not be played, is never taken.

use magister_core::{Halt, Move, Rng, Role, Stop};

use crate::Trouble;
use crate::cloud::Cloud;
use crate::evidence::possible;
use crate::joints::share_of;
use crate::trail::START;
use crate::views::ViewId;

/// What replaying a course gave.
#[derive(Debug, Default)]
struct Replayed {
    /// The logarithms of the probabilities of its steps, given the moves of the role itself.
    logs: Vec<f64>,
    state: Vec<u64>,
    views: Vec<ViewId>,
    over: bool,
}

/// A change of a course, with what its proposal adds to the logarithm of the ratio.
struct Change {
    origin: u32,
    path: Vec<Move>,
    /// The share of the drawn part: it cancels, since it was drawn by that.
    drawn: f64,
    replaced: f64,
}

impl Cloud {
    /// Changes particles at random, each so many times, as long as the caller has patience.
    pub fn rejuvenate(
        &mut self,
        sweeps: usize,
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<(), Trouble> {
        for _ in 0..sweeps {
            for at in 0..self.now.len() {
                stop.check()?;
                if !patience() {
                    return Ok(());
                }
                self.change(at, rng, patience, stop)?;
            }
        }
        // A chain forgets where it began.
        self.found = false;
        Ok(())
    }

    /// Tries one change of a particle. Where games are long and steps are slow, patience may end
    /// on the way; then nothing is changed.
    fn change(
        &mut self,
        at: usize,
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<(), Halt> {
        let origin = self.now.origins[at];
        let path = self.trails.path(self.now.trails[at]);
        let Some(change) = self.propose(origin, &path, rng, patience, stop)? else {
            return Ok(());
        };
        let Some(old) = self.replay(origin, &path, patience, stop)? else { return Ok(()) };
        let Some(new) = self.replay(change.origin, &change.path, patience, stop)? else {
            return Ok(());
        };
        let log = |replayed: &Replayed| replayed.logs.iter().sum::<f64>();
        let ratio = (log(&new) - change.drawn) - (log(&old) - change.replaced);
        if ratio >= 0.0 || rng.f64() < ratio.exp() {
            self.now.origins[at] = change.origin;
            self.now.trails[at] = self.trails.extend(START, &change.path);
            self.put(at, &new);
        }
        Ok(())
    }

    /// Another course; none if the change would change nothing.
    fn propose(
        &mut self,
        origin: u32,
        path: &[Move],
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<Option<Change>, Halt> {
        let roles = self.game.info().roles.len();
        let steps = path.len() / roles;
        let site = rng.below(steps as u64 + 1) as usize;
        if site == steps {
            // Another state of the anchor.
            let mut rest = rng.f64();
            let mut other = origin;
            for at in 0..self.anchor.len() {
                rest -= self.anchor.share(at);
                if rest < 0.0 {
                    other = at as u32;
                    break;
                }
            }
            let change = Change { origin: other, path: path.to_vec(), drawn: 0.0, replaced: 0.0 };
            return Ok((other != origin).then_some(change));
        }
        let whose = rng.below(roles as u64) as usize;
        let mut changed = path.to_vec();
        if rng.below(2) == 0 {
            let other = rng.below(steps as u64) as usize;
            changed.swap(site * roles + whose, other * roles + whose);
            let change = Change { origin, path: changed, drawn: 0.0, replaced: 0.0 };
            return Ok((change.path != path).then_some(change));
        }
        // Another move, drawn as it would be made there.
        if !self.walk(origin, &path[..site * roles], patience, stop)? {
            return Ok(None);
        }
        let role = Role(whose as u8);
        let silent = self.worker.silent();
        if role == self.role && !silent {
            return Ok(None);
        }
        let drawn = if self.game.info().chance == Some(role) {
            magister_core::draw(self.worker.legal(role), self.worker.weights(), rng)
        } else {
            self.model.draw(&*self.worker, role, rng)
        };
        let Some(drawn) = drawn else { return Ok(None) };
        let old = &path[site * roles..(site + 1) * roles];
        if old[whose] == drawn {
            return Ok(None);
        }
        let mut buffer = Vec::new();
        let mut share = |joint: &[Move]| {
            share_of(&*self.worker, &*self.model, self.role, joint, !silent, &mut buffer).ln()
        };
        let replaced = share(old);
        changed[site * roles + whose] = drawn;
        let drawn = share(&changed[site * roles..(site + 1) * roles]);
        Ok(Some(Change { origin, path: changed, drawn, replaced }))
    }

    /// Goes where a course leads; false if it can not be played, or patience is at its end.
    fn walk(
        &mut self,
        origin: u32,
        path: &[Move],
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<bool, Halt> {
        let roles = self.game.info().roles.len();
        self.worker.load(self.anchor.state(origin as usize), stop)?;
        let (worker, step) = self.replayer();
        for joint in path.chunks(roles) {
            if !patience() {
                return Ok(false);
            }
            match worker.step(joint, step, stop) {
                Ok(()) => {}
                Err(Halt::IllegalMove { .. } | Halt::Rules(_)) => return Ok(false),
                Err(halt) => return Err(halt),
            }
        }
        Ok(true)
    }

    /// Plays a course through; none if it can not be played, does not agree with what was seen, or
    /// patience is at its end.
    fn replay(
        &mut self,
        origin: u32,
        path: &[Move],
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<Option<Replayed>, Halt> {
        let game = std::sync::Arc::clone(&self.game);
        let info = game.info();
        let roles = info.roles.len();
        let mut replayed = Replayed::default();
        if self.views.is_some() {
            replayed.views.extend(self.anchor.views(origin as usize));
        }
        self.worker.load(self.anchor.state(origin as usize), stop)?;
        let (mut turn, mut buffer) = (0, Vec::new());
        for joint in path.chunks(roles) {
            if !patience() {
                return Ok(None);
            }
            let silent = self.worker.silent();
            let share =
                share_of(&*self.worker, &*self.model, self.role, joint, !silent, &mut buffer);
            if share <= 0.0 {
                return Ok(None);
            }
            replayed.logs.push(share.ln());
            let (worker, step) = self.replayer();
            if !possible(worker.step(joint, step, stop))? {
                return Ok(None);
            }
            if silent {
                continue;
            }
            let Some(lived) = self.turns.get(turn) else { return Ok(None) };
            turn += 1;
            let step = self.last_step();
            if joint[self.role.index()] != lived.own || !lived.seen.agrees(self.role, joint, step) {
                return Ok(None);
            }
            if self.views.is_some() {
                self.extend(&mut replayed.views, joint);
            }
        }
        if turn < self.turns.len() || self.worker.silent() {
            return Ok(None);
        }
        replayed.over = self.worker.terminal();
        self.worker.save(&mut replayed.state);
        Ok(Some(replayed))
    }

    /// Puts what was replayed into a particle.
    fn put(&mut self, at: usize, replayed: &Replayed) {
        self.now.states.replace(at, &replayed.state);
        self.now.over[at] = replayed.over;
        let roles = self.game.info().roles.len();
        if !replayed.views.is_empty() {
            self.now.views[at * roles..(at + 1) * roles].copy_from_slice(&replayed.views);
        }
    }
}
