//! Every game of the catalogue can be observed: its states, and the views of its roles.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use magister_core::view::observe;
use magister_core::{
    Element, Game, Information, Move, Rng, Role, Seed, StateObserver, Step, Stop, Tensors, Turn,
    View, ViewObserver, Worker, draw,
};
use magister_engine::grounder::Progress;
use magister_engine::prepare_each;
use magister_games::catalogue::{self, Entry};
use magister_gdl::{Options, read};

/// The number of walks through each game, and their maximum length.
const WALKS: u64 = 4;
const STEPS: usize = 25;

/// Runs `work` on all games, on all cores, and returns the findings.
fn each(work: impl Fn(&'static Entry) -> Vec<String> + Sync) -> Vec<String> {
    let (next, games) = (AtomicUsize::new(0), catalogue::all());
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(entry) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
                    found.lock().unwrap().extend(work(entry));
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    found.sort();
    found
}

/// The versions of a game that must look the same: each rulesheet on every evaluator, and the
/// version in Rust by itself.
fn versions(entry: &Entry) -> Vec<Vec<(String, Arc<dyn Game>)>> {
    let sheets = entry.gdl_sheets().map(|(name, sheet)| {
        let rules = read(sheet.text, &Options::default()).rules;
        let (stop, progress) = (Stop::never(), Progress::default());
        let each = prepare_each(&rules, sheet.text, &name, &stop, &progress).unwrap();
        each.taken
            .into_iter()
            .map(|one| (format!("{name} on {}", one.evaluator), one.game))
            .collect()
    });
    let native = entry.native().map(|game| vec![(format!("{} in Rust", entry.name), game)]);
    sheets.chain(native).collect()
}

/// The fault in a row of numbers.
fn fault(tensors: &Tensors, row: &[f32]) -> Option<String> {
    let mut at = 0;
    for tensor in tensors.list() {
        let numbers = &row[at..at + tensor.shape.iter().product::<usize>()];
        at += numbers.len();
        let bits = tensor.element == Element::Bit;
        let bit = |n: &f32| [0.0_f32, 1.0].map(f32::to_bits).contains(&n.to_bits());
        let good = |n: &f32| if bits { bit(n) } else { n.is_finite() };
        if !numbers.iter().all(good) {
            return Some(format!("`{}` has numbers of the wrong kind", tensor.name));
        }
    }
    (at != row.len()).then(|| "the shapes do not add up".to_owned())
}

/// The same numbers in a form that can be compared.
fn key(row: &[f32]) -> Vec<u32> {
    row.iter().map(|number| number.to_bits()).collect()
}

/// One evaluator of a game, and its observations.
struct Side {
    name: String,
    game: Arc<dyn Game>,
    worker: Box<dyn Worker>,
    states: StateObserver,
    views: ViewObserver,
    /// The turns of each role.
    turns: Vec<Vec<Turn>>,
    state: Vec<u64>,
    step: Step,
    /// The observations of the state and of each player's view.
    rows: Vec<Vec<u32>>,
}

impl Side {
    fn new((name, game): (String, Arc<dyn Game>)) -> Self {
        let (states, views) = (StateObserver::new(&game), ViewObserver::new(&game));
        let (worker, turns) = (game.worker(), vec![Vec::new(); game.info().roles.len()]);
        let (state, step, rows) = (Vec::new(), Step::new(), Vec::new());
        Side { name, game, worker, states, views, turns, state, step, rows }
    }

    fn begin(&mut self) {
        self.worker.reset();
        self.turns.iter_mut().for_each(Vec::clear);
    }

    /// The text of the state.
    fn text(&mut self) -> String {
        self.worker.save(&mut self.state);
        self.game.text().state_text(&self.state)
    }

    /// A random joint move, as text.
    fn random(&self, rng: &mut Rng) -> Vec<String> {
        let info = self.game.info();
        let pick = |role: Role| {
            let chance = info.chance == Some(role);
            let weights = if chance { self.worker.weights() } else { &[] };
            let choice = draw(self.worker.legal(role), weights, rng).unwrap();
            self.game.text().move_text(choice)
        };
        info.all_roles().map(pick).collect()
    }

    /// Makes a joint move given as text, because the numbers of moves may differ.
    fn advance(&mut self, joint: &[String]) {
        let (info, text) = (self.game.info(), self.game.text());
        let choice = |role: Role| {
            let legal = self.worker.legal(role).iter();
            *legal.clone().find(|&&choice| text.move_text(choice) == joint[role.index()]).unwrap()
        };
        let joint: Vec<Move> = info.all_roles().map(choice).collect();
        self.worker.step(&joint, &mut self.step, &Stop::never()).unwrap();
        if self.step.tick {
            for role in info.players() {
                let seen = observe(info.information, role, &joint, &self.step);
                self.turns[role.index()].push(Turn { own: joint[role.index()], seen });
            }
        }
    }

    /// Observes the current state.
    fn observe(&mut self) -> Result<(), String> {
        self.worker.save(&mut self.state);
        self.rows.clear();
        let mut row = vec![f32::NAN; self.states.tensors().len()];
        self.states.write(&self.state, &mut row);
        if let Some(fault) = fault(self.states.tensors(), &row) {
            return Err(fault);
        }
        let mut batch = vec![f32::NAN; 2 * row.len()];
        self.states.write_batch([&self.state[..], &self.state[..]], &mut batch);
        if batch != [row.clone(), row.clone()].concat() {
            return Err("the same state looks different in a batch".to_owned());
        }
        self.rows.push(key(&row));
        for role in self.game.info().players() {
            let mut view = View::new(Arc::clone(&self.game), role);
            self.turns[role.index()].iter().for_each(|turn| view.push(turn.clone()));
            let mut row = vec![f32::NAN; self.views.tensors().len()];
            self.views.write(&view, &Stop::never(), &mut row).map_err(|halt| halt.to_string())?;
            if let Some(fault) = fault(self.views.tensors(), &row) {
                return Err(fault);
            }
            if self.game.info().information == Information::Perfect {
                let mut other = vec![f32::NAN; row.len()];
                let written = self.views.write_state(role, &self.state, &mut other);
                if written.is_err() || key(&other) != key(&row) {
                    return Err("a view is not the state it leads to".to_owned());
                }
            }
            self.rows.push(key(&row));
        }
        Ok(())
    }
}

/// Walks through a game and observes every state, on all evaluators.
fn check(group: Vec<(String, Arc<dyn Game>)>) -> Vec<String> {
    let mut sides: Vec<Side> = group.into_iter().map(Side::new).collect();
    let mut findings = Vec::new();
    let name = sides[0].name.clone();
    for side in &sides {
        let (states, views) = (side.states.tensors(), side.views.tensors());
        if states.is_empty() || views.is_empty() {
            findings.push(format!("{}: there are no tensors", side.name));
        }
        if states != sides[0].states.tensors() || views != sides[0].views.tensors() {
            findings.push(format!("{}: the tensors are not those of {name}", side.name));
        }
    }
    if !findings.is_empty() {
        return findings;
    }
    let hashed = sides[0].states.tensors().range("terms").is_some();
    let mut seen: BTreeMap<Vec<u32>, String> = BTreeMap::new();
    // The information state of each role, and its observation.
    let mut lived: BTreeMap<(Role, Vec<Turn>), Vec<u32>> = BTreeMap::new();
    for walk in 0..WALKS {
        let mut rng = Seed::from(16).derive_index(walk).rng();
        sides.iter_mut().for_each(Side::begin);
        for _ in 0..STEPS {
            let text = sides[0].text();
            for side in &mut sides {
                if let Err(what) = side.observe() {
                    findings.push(format!("{}: {what} in {text}", side.name));
                    return findings;
                }
            }
            let first = &sides[0];
            for side in &sides[1..] {
                if side.rows != first.rows {
                    findings.push(format!("{}: differs from {name} in {text}", side.name));
                    return findings;
                }
            }
            let known = seen.entry(first.rows[0].clone()).or_insert_with(|| text.clone());
            if *known != text && !hashed {
                findings.push(format!("{name}: {text} looks like {known}"));
            }
            if first.game.info().information == Information::Hidden {
                for (role, row) in first.game.info().players().zip(&first.rows[1..]) {
                    let life = (role, first.turns[role.index()].clone());
                    if lived.entry(life).or_insert_with(|| row.clone()) != row {
                        findings.push(format!(
                            "{name}: the view of {role:?} contains more than its turns"
                        ));
                    }
                }
            }
            if first.worker.terminal() {
                break;
            }
            let joint = first.random(&mut rng);
            sides.iter_mut().for_each(|side| side.advance(&joint));
        }
    }
    findings
}

#[test]
fn every_game_can_be_observed_and_looks_the_same_to_every_evaluator() {
    let findings = each(|entry| versions(entry).into_iter().flat_map(check).collect());
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

/// All states of small games; no two may have the same observation.
#[test]
fn different_states_look_different() {
    for name in ["tictactoe", "nim-3-4-5", "hexapawn", "subtraction-game"] {
        for group in versions(catalogue::find(name).unwrap()) {
            let (version, game) = &group[0];
            let observer = StateObserver::new(game);
            let mut worker = game.worker();
            let mut start = Vec::new();
            worker.save(&mut start);
            let (mut open, mut found) = (vec![start.clone()], BTreeSet::new());
            found.insert(start);
            let (mut step, mut after) = (Step::new(), Vec::new());
            let mut rows = BTreeMap::new();
            while let Some(state) = open.pop() {
                let mut row = vec![f32::NAN; observer.tensors().len()];
                observer.write(&state, &mut row);
                if let Some(other) = rows.insert(key(&row), state.clone()) {
                    let text = |state: &[u64]| game.text().state_text(state);
                    panic!("{version}: {} looks like {}", text(&state), text(&other));
                }
                worker.load(&state, &Stop::never()).unwrap();
                let legal: Vec<Vec<Move>> =
                    game.info().all_roles().map(|role| worker.legal(role).to_vec()).collect();
                // In these games one role has a choice at a time.
                let mover = (0..legal.len()).max_by_key(|&role| legal[role].len()).unwrap();
                for &choice in &legal[mover] {
                    let mut joint: Vec<Move> = legal.iter().map(|moves| moves[0]).collect();
                    joint[mover] = choice;
                    worker.load(&state, &Stop::never()).unwrap();
                    worker.step(&joint, &mut step, &Stop::never()).unwrap();
                    worker.save(&mut after);
                    if found.insert(after.clone()) {
                        open.push(after.clone());
                    }
                }
            }
            assert!(rows.len() > 10, "{version} has {} states", rows.len());
            if name == "tictactoe" {
                assert_eq!(rows.len(), 5_478, "{version}");
            }
        }
    }
}
