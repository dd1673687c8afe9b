//! Every game of the catalogue can be observed: its states, and what its roles know.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use magister_core::view::observe;
use magister_core::{
    Element, Game, Information, Move, Role, Seed, StateObserver, Step, Stop, Tensors, Turn, View,
    ViewObserver, Worker, draw,
};
use magister_engine::prepare_each;
use magister_games::catalogue::{self, Entry};
use magister_gdl::{Options, read};

/// Walks through each game, and the most steps of each.
const WALKS: u64 = 6;
const STEPS: usize = 30;

/// Runs `work` on all games, on all cores, and gives what it found.
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

/// The versions of a game that must look the same: each rulesheet on every evaluator, and the game
/// in Rust alone.
fn versions(entry: &Entry) -> Vec<Vec<(String, Arc<dyn Game>)>> {
    let sheets = entry.sheets().map(|(name, sheet)| {
        let rules = read(sheet.text, &Options::default()).rules;
        let all = prepare_each(&rules, sheet.text, &name, &Stop::never()).unwrap();
        all.into_iter().map(|one| (format!("{name} on {}", one.evaluator), one.game)).collect()
    });
    let native = entry.native().map(|game| vec![(format!("{} in Rust", entry.name), game)]);
    sheets.chain(native).collect()
}

/// What is wrong with a row of numbers.
fn fault(tensors: &Tensors, row: &[f32]) -> Option<String> {
    let mut at = 0;
    for tensor in tensors.list() {
        let numbers = &row[at..at + tensor.shape.iter().product::<usize>()];
        at += numbers.len();
        let bits = tensor.element == Element::Bit;
        let good = |&n: &f32| if bits { n == 0.0 || n == 1.0 } else { n.is_finite() };
        if !numbers.iter().all(good) {
            return Some(format!("`{}` has numbers that are none of its kind", tensor.name));
        }
    }
    (at != row.len()).then(|| "the shapes do not add up".to_owned())
}

/// The same numbers, as something that can be compared and kept.
fn key(row: &[f32]) -> Vec<u32> {
    row.iter().map(|number| number.to_bits()).collect()
}

/// One way to run a game, and what came of observing it.
struct Side {
    name: String,
    game: Arc<dyn Game>,
    states: StateObserver,
    views: ViewObserver,
    rows: Vec<Vec<u32>>,
}

impl Side {
    fn new((name, game): (String, Arc<dyn Game>)) -> Self {
        let (states, views) = (StateObserver::new(&game), ViewObserver::new(&game));
        Side { name, game, states, views, rows: Vec::new() }
    }

    /// Observes a state of which there is the text, and the views that have led to it.
    fn observe(&mut self, text: &str, turns: &[Vec<Turn>]) -> Result<(), String> {
        let state = self.game.text().parse_state(text).ok_or(format!("{text} is no state"))?;
        self.rows.clear();
        let mut row = vec![f32::NAN; self.states.tensors().len()];
        self.states.write(&state, &mut row);
        if let Some(fault) = fault(self.states.tensors(), &row) {
            return Err(fault);
        }
        let mut batch = vec![f32::NAN; 2 * row.len()];
        self.states.write_batch([&state[..], &state[..]], &mut batch);
        if batch != [row.clone(), row.clone()].concat() {
            return Err("the same state looks different in a batch".to_owned());
        }
        self.rows.push(key(&row));
        for role in self.game.info().players() {
            let mut view = View::new(Arc::clone(&self.game), role);
            turns[role.index()].iter().for_each(|turn| view.push(turn.clone()));
            let mut row = vec![f32::NAN; self.views.tensors().len()];
            self.views.write(&view, &Stop::never(), &mut row).map_err(|halt| halt.to_string())?;
            if let Some(fault) = fault(self.views.tensors(), &row) {
                return Err(fault);
            }
            if self.game.info().information == Information::Perfect {
                let mut other = vec![f32::NAN; row.len()];
                let written = self.views.write_state(role, &state, &mut other);
                if written.is_err() || key(&other) != key(&row) {
                    return Err("a view is not the state it leads to".to_owned());
                }
            }
            self.rows.push(key(&row));
        }
        Ok(())
    }
}

/// A random joint move.
fn random(worker: &dyn Worker, rng: &mut magister_core::Rng) -> Vec<Move> {
    let info = worker.info();
    let pick = |role: Role| {
        let weights = if info.chance == Some(role) { worker.weights() } else { &[] };
        draw(worker.legal(role), weights, rng).unwrap_or(Move::IDLE)
    };
    info.all_roles().map(pick).collect()
}

/// Walks through a game and observes it everywhere, by all evaluators.
fn check(group: Vec<(String, Arc<dyn Game>)>) -> Vec<String> {
    let mut sides: Vec<Side> = group.into_iter().map(Side::new).collect();
    let mut findings = Vec::new();
    let (first, name) = (Arc::clone(&sides[0].game), sides[0].name.clone());
    for side in &sides {
        let (states, views) = (side.states.tensors(), side.views.tensors());
        if states.is_empty() || views.is_empty() {
            findings.push(format!("{}: there is nothing to see", side.name));
        }
        if states != sides[0].states.tensors() || views != sides[0].views.tensors() {
            findings.push(format!("{}: the tensors are not those of {name}", side.name));
        }
    }
    let hashed = sides[0].states.tensors().range("terms").is_some();
    let info = first.info();
    let mut seen: BTreeMap<Vec<u32>, String> = BTreeMap::new();
    // What each role has lived, and how that looked.
    let mut lived: BTreeMap<(Role, Vec<Turn>), Vec<u32>> = BTreeMap::new();
    let (mut worker, mut step, mut state) = (first.worker(), Step::new(), Vec::new());
    for walk in 0..WALKS {
        let mut rng = Seed::from(16).derive_index(walk).rng();
        let mut turns: Vec<Vec<Turn>> = vec![Vec::new(); info.roles.len()];
        worker.reset();
        for _ in 0..STEPS {
            worker.save(&mut state);
            let text = first.text().state_text(&state);
            for side in &mut sides {
                if let Err(what) = side.observe(&text, &turns) {
                    findings.push(format!("{}: {what}", side.name));
                    return findings;
                }
            }
            for side in &sides[1..] {
                if side.rows != sides[0].rows {
                    findings.push(format!("{}: not what {name} sees in {text}", side.name));
                    return findings;
                }
            }
            let rows = &sides[0].rows;
            let known = seen.entry(rows[0].clone()).or_insert_with(|| text.clone());
            if *known != text && !hashed {
                findings.push(format!("{name}: {text} looks like {known}"));
            }
            if info.information == Information::Hidden {
                for (role, row) in info.players().zip(&rows[1..]) {
                    let life = (role, turns[role.index()].clone());
                    if lived.entry(life).or_insert_with(|| row.clone()) != row {
                        findings.push(format!("{name}: {role:?} sees more than it lived"));
                    }
                }
            }
            if worker.terminal() {
                break;
            }
            let joint = random(&*worker, &mut rng);
            worker.step(&joint, &mut step, &Stop::never()).unwrap();
            if step.tick {
                for role in info.players() {
                    let seen = observe(info.information, role, &joint, &step);
                    turns[role.index()].push(Turn { own: joint[role.index()], seen });
                }
            }
        }
    }
    findings
}

#[test]
fn every_game_can_be_observed_and_looks_the_same_to_every_evaluator() {
    let findings = each(|entry| versions(entry).into_iter().flat_map(check).collect());
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

/// All states of small games, of which no two may look the same.
#[test]
fn different_states_look_different() {
    for (name, states) in
        [("tictactoe", 5_478), ("nim-3-4-5", 225), ("hexapawn", 0), ("subtraction-game", 0)]
    {
        for group in versions(catalogue::find(name).unwrap()) {
            let (version, game) = &group[0];
            let observer = StateObserver::new(game);
            let mut worker = game.worker();
            let mut start = Vec::new();
            worker.save(&mut start);
            let (mut open, mut found) = (vec![start.clone()], BTreeMap::new());
            found.insert(start, ());
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
                    if found.insert(after.clone(), ()).is_none() {
                        open.push(after.clone());
                    }
                }
            }
            assert!(rows.len() > 10, "{version} has {} states", rows.len());
            if states > 0 && version.contains("in Rust") {
                assert_eq!(rows.len(), states, "{version}");
            }
        }
    }
}
