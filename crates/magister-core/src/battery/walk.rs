//! Random walks that check everything on the way.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::observation::Observations;
use super::snapshot::Snapshot;
use super::{Options, Report, shown};
use crate::view::{observe, replay};
use crate::{
    Game, Halt, Info, Information, Move, Payment, Rng, Role, Step, Stop, Turn, Worker, draw,
};

/// Walks through the game and returns some of the visited states.
pub(super) fn check(game: &dyn Game, options: &Options, report: &mut Report) -> Vec<Vec<u64>> {
    let mut walker = Walker {
        game,
        info: game.info(),
        report,
        second: game.worker(),
        texts: BTreeMap::new(),
        known: BTreeMap::new(),
        observations: Observations::of(game),
        states: Vec::new(),
    };
    let mut worker = game.worker();
    for number in 0..options.walks {
        let mut rng = options.seed.derive("walk").derive_index(u64::from(number)).rng();
        worker.reset();
        walker.walk(&mut *worker, options.max_steps, &mut rng);
    }
    let states = walker.states;
    if options.walks > 0 && report.finished == 0 && report.passed() {
        let steps = options.max_steps;
        report.warn("end", "", format!("no walk reached an end within {steps} steps"));
    }
    states
}

pub(super) struct Walker<'a> {
    pub(super) game: &'a dyn Game,
    pub(super) info: &'a Info,
    pub(super) report: &'a mut Report,
    /// A worker that jumps between states, so that leftovers of one state show in another.
    second: Box<dyn Worker>,
    pub(super) texts: BTreeMap<String, Move>,
    /// For each role and information state its legal moves and the position.
    known: BTreeMap<(Role, u64), (Vec<Move>, String)>,
    pub(super) observations: Observations,
    states: Vec<Vec<u64>>,
}

/// The number of states to keep for other checks; more would only cost time.
const STATES: usize = 64;

impl Walker<'_> {
    fn walk(&mut self, worker: &mut dyn Worker, max_steps: u32, rng: &mut Rng) {
        let roles = self.info.roles.len();
        let mut histories = vec![0_u64; roles];
        let witness = self.info.players().next();
        let mut turns = Vec::new();
        let mut totals = vec![0.0; roles];
        for length in 0..=max_steps {
            let here = Snapshot::take(worker);
            let position = shown(self.game, &here.words);
            self.report.positions += 1;
            if self.states.len() < STATES && rng.below(4) == 0 {
                self.states.push(here.words.clone());
            }
            self.same(&here, &Snapshot::take(worker), &position, "asked a second time");
            self.position(&here, &totals, &position);
            self.elsewhere(&here, &position);
            self.refusals(worker, &here, &position, rng);
            if self.info.information == Information::Hidden && !here.silent && !here.terminal {
                self.knowledge(&here, &histories, &position);
            }
            if here.terminal {
                self.report.finished += 1;
                break;
            }
            if self.info.max_length.is_some_and(|bound| length >= bound) {
                let what = format!("the game continues after {length} steps, its maximum length");
                self.report.fail("length", &position, what);
            }
            if here.legal.iter().any(Vec::is_empty) {
                return; // There is no joint move; `lists` has reported this.
            }
            let Some((joint, step)) = self.step(worker, &here, &position, rng) else {
                return;
            };
            for (total, gain) in totals.iter_mut().zip(&step.gains) {
                *total += gain;
            }
            if step.tick {
                for role in self.info.players() {
                    let seen = observe(self.info.information, role, &joint, &step);
                    let turn = Turn { own: joint[role.index()], seen };
                    let mut hasher = DefaultHasher::new();
                    (histories[role.index()], &turn).hash(&mut hasher);
                    histories[role.index()] = hasher.finish();
                    if Some(role) == witness {
                        turns.push(turn);
                    }
                }
            }
        }
        if self.info.information == Information::Perfect && witness.is_some() {
            self.replayed(worker, &turns);
        }
    }

    /// Fails if two snapshots of the same state differ.
    fn same(&mut self, here: &Snapshot, there: &Snapshot, position: &str, when: &str) -> bool {
        if let Some(what) = here.difference(there) {
            self.report.fail("state", position, format!("{when}, the worker differs in {what}"));
            return false;
        }
        true
    }

    /// Loads the state into another worker.
    fn elsewhere(&mut self, here: &Snapshot, position: &str) {
        match self.second.load(&here.words, &Stop::never()) {
            Ok(()) => {
                let there = Snapshot::take(&*self.second);
                self.same(here, &there, position, "saved and loaded into another worker");
            }
            Err(halt) => {
                self.report.fail(
                    "state",
                    position,
                    format!("a saved state cannot be loaded: {halt}"),
                );
            }
        }
    }

    /// Tries illegal joint moves.
    fn refusals(
        &mut self,
        worker: &mut dyn Worker,
        here: &Snapshot,
        position: &str,
        rng: &mut Rng,
    ) {
        let roles = here.legal.len();
        let first = |legal: &Vec<Move>| legal.first().copied().unwrap_or(Move::IDLE);
        let mut joint: Vec<Move> = here.legal.iter().map(first).collect();
        let mut step = Step::new();
        let role = rng.below(roles as u64) as usize;
        let mut strange: Vec<Move> = here.legal.iter().flatten().copied().collect();
        strange.extend([Move::IDLE, Move(self.info.moves.unwrap_or(u32::MAX - 1)), Move(0)]);
        strange.retain(|choice| !here.legal[role].contains(choice));
        if strange.is_empty() {
            return; // Every move is legal, even moves that do not exist; `lists` has reported this.
        }
        joint[role] = strange[rng.below(strange.len() as u64) as usize];
        match worker.step(&joint, &mut step, &Stop::never()) {
            Err(Halt::IllegalMove { .. }) => {}
            other => {
                let name = self.info.role_name(Role(role as u8));
                let what = format!("the illegal move {} of {name} gave {other:?}", joint[role].0);
                self.report.fail("refusal", position, what);
            }
        }
        joint.push(Move::IDLE);
        if worker.step(&joint, &mut step, &Stop::never()).is_ok() {
            self.report.fail(
                "refusal",
                position,
                "a joint move with one move too many was accepted",
            );
        }
        if !self.same(here, &Snapshot::take(worker), position, "after a refused move") {
            // Continue from the same state; otherwise every later check would fail too.
            let _ = worker.load(&here.words, &Stop::never());
        }
    }

    /// Whether the role can know its legal moves.
    fn knowledge(&mut self, here: &Snapshot, histories: &[u64], position: &str) {
        for role in self.info.players() {
            let mut legal = here.legal[role.index()].clone();
            legal.sort_unstable();
            let key = (role, histories[role.index()]);
            let (known, there) =
                self.known.entry(key).or_insert_with(|| (legal.clone(), position.to_owned()));
            if *known != legal {
                let name = self.info.role_name(role);
                let what = format!(
                    "{name} has other legal moves than in {there}, but cannot distinguish the two"
                );
                self.report.warn("knowledge", position, what);
            }
        }
    }

    /// Makes a random step, here and in the second worker, and undoes it.
    fn step(
        &mut self,
        worker: &mut dyn Worker,
        here: &Snapshot,
        position: &str,
        rng: &mut Rng,
    ) -> Option<(Vec<Move>, Step)> {
        let chance = self.info.chance.map(Role::index);
        let joint: Vec<Move> = (0..here.legal.len())
            .map(|role| {
                let weights = if chance == Some(role) { &here.weights[..] } else { &[] };
                draw(&here.legal[role], weights, rng).unwrap_or(here.legal[role][0])
            })
            .collect();
        let mut out = Step::new();
        let mut asked = Step::new();
        // Twice, because the first time may leave traces.
        let _ = worker.perceive(&joint, &mut asked, &Stop::never());
        let perceived = worker.perceive(&joint, &mut asked, &Stop::never());
        self.same(here, &Snapshot::take(worker), position, "after perceiving a joint move");
        if let Err(halt) = worker.step(&joint, &mut out, &Stop::never()) {
            self.report.fail("step", position, format!("a legal joint move was refused: {halt}"));
            return None;
        }
        if perceived == Ok(true) && asked.percepts != out.percepts {
            self.report.fail("step", position, "perceiving a joint move gives other percepts");
        }
        let after = Snapshot::take(worker);
        self.outcome(here, &out, position);

        let mut again = Step::new();
        if self.second.load(&here.words, &Stop::never()).is_ok()
            && self.second.step(&joint, &mut again, &Stop::never()).is_ok()
        {
            self.same(
                &after,
                &Snapshot::take(&*self.second),
                position,
                "made by another worker, the step",
            );
            if again != out {
                self.report.fail("step", position, "another worker gives other gains or percepts");
            }
        }
        if worker.undo() {
            self.same(here, &Snapshot::take(worker), position, "after undoing a step");
            let _ = worker.step(&joint, &mut again, &Stop::never());
            self.same(
                &after,
                &Snapshot::take(worker),
                position,
                "after undoing and repeating a step",
            );
        } else {
            self.same(&after, &Snapshot::take(worker), position, "after refusing to undo");
        }
        Some((joint, out))
    }

    /// Gains and percepts of a step.
    fn outcome(&mut self, here: &Snapshot, out: &Step, position: &str) {
        if out.gains.len() != here.legal.len() {
            let what = format!("a step has {} gains", out.gains.len());
            self.report.fail("step", position, what);
        }
        if self.info.payment == Payment::AtEnd && out.gains.iter().any(|&gain| gain != 0.0) {
            self.report.fail("step", position, "a game that pays at the end pays on the way");
        }
        if out.tick == here.silent {
            self.report.fail("tick", position, "the step contradicts `silent`");
        }
        let perfect = self.info.information == Information::Perfect;
        if (perfect || !out.tick) && !out.percepts.is_empty() {
            let what = "there are percepts in a silent step or with perfect information";
            self.report.fail("percepts", position, what);
        }
        let text = self.game.text();
        for role in self.info.all_roles() {
            for &percept in out.percepts.of(role) {
                let words = text.percept_text(percept);
                if text.parse_percept(&words) != Some(percept) {
                    let what = format!("`{words}` does not read as the percept {}", percept.0);
                    self.report.fail("text", position, what);
                }
            }
        }
    }

    /// Whether replaying the view of one role leads to the last state of the walk.
    fn replayed(&mut self, worker: &dyn Worker, turns: &[Turn]) {
        let here = Snapshot::take(worker);
        let position = shown(self.game, &here.words);
        match replay(turns, &mut *self.second, &Stop::never()) {
            Ok(()) => {
                let there = Snapshot::take(&*self.second);
                self.same(&here, &there, &position, "rebuilt from a view");
            }
            Err(halt) => {
                let what = format!("the state cannot be rebuilt from a view: {halt}");
                self.report.fail("view", &position, what);
            }
        }
    }
}
