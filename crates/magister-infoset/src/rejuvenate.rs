//! Rejuvenation: restores diversity after particles have become copies of each other.
//!
//! A particle is a history, so a part of it can be changed and the rest replayed: another start
//! state in the anchor, another move of one role at one step, or two moves of a role swapped, as
//! cards of a deal. The Metropolis-Hastings rule accepts or rejects the change, so the distribution
//! of a fair sample is preserved. A history that is impossible or inconsistent is never accepted.

use magister_core::{Halt, Move, Rng, Role, Stop};

use crate::InfosetError;
use crate::evidence::possible;
use crate::joints::share_of;
use crate::particle_filter::ParticleFilter;
use crate::trail::START;
use crate::views::ViewId;

/// The result of replaying a history.
#[derive(Debug, Default)]
struct Replayed {
    /// The log-probabilities of its steps, given the role's own moves.
    logs: Vec<f64>,
    state: Vec<u64>,
    views: Vec<ViewId>,
    over: bool,
}

/// A changed history, with the proposal's contribution to the log acceptance ratio.
struct Change {
    origin: u32,
    path: Vec<Move>,
    /// The log-probability of the sampled part, which cancels because it was drawn from the model.
    drawn: f64,
    replaced: f64,
}

impl ParticleFilter {
    /// Applies a number of random changes to each particle while patience lasts.
    pub fn rejuvenate(
        &mut self,
        sweeps: usize,
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<(), InfosetError> {
        for _ in 0..sweeps {
            for at in 0..self.now.len() {
                stop.check()?;
                if !patience() {
                    return Ok(());
                }
                self.change(at, rng, patience, stop)?;
            }
        }
        // A Markov chain forgets its start.
        self.found = false;
        Ok(())
    }

    /// Tries one change of a particle. If patience ends during a slow replay, nothing changes.
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

    /// A changed history; `None` if the change has no effect.
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
            // Another start state in the anchor.
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
        // Another move, drawn from the model.
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

    /// Follows a history; false if it is impossible or patience ends.
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

    /// Replays a history; `None` if it is impossible or inconsistent, or patience ends.
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

    /// Stores a replayed history in a particle.
    fn put(&mut self, at: usize, replayed: &Replayed) {
        self.now.states.replace(at, &replayed.state);
        self.now.over[at] = replayed.over;
        let roles = self.game.info().roles.len();
        if !replayed.views.is_empty() {
            self.now.views[at * roles..(at + 1) * roles].copy_from_slice(&replayed.views);
        }
    }
}
