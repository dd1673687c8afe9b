//! A manager that is killed and restarted, verified by the ledger of its players.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use magister_core::{Event, MatchRecord, Rng, Seed};
use magister_manager::address::AddressPolicy;
use magister_manager::crowd::{Crowd, serve_crowd};
use magister_manager::manage::{Manager, Observer, Order, Point, SeatOrder, Settings};
use magister_manager::network::TcpNetwork;
use magister_manager::session::Manner;
use magister_manager::{WireGame, wire};
use magister_store::{SqlStore, Status, Store as _};

/// The task of a process that will be killed, as words on its command line.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    /// The store.
    pub(crate) store: String,
    /// The port of the players.
    pub(crate) port: u16,
    /// The number of matches.
    pub(crate) matches: usize,
    /// The game.
    pub(crate) game: String,
    /// Where to kill itself, and how often to pass that point before: `POINT:COUNT`.
    pub(crate) point: Option<String>,
    /// The file of the steps that spectators were shown.
    pub(crate) shown: String,
}

impl Task {
    /// The words.
    pub(crate) fn words(&self) -> String {
        let point = self.point.clone().unwrap_or_else(|| "-".to_owned());
        let Task { store, port, matches, game, shown, .. } = self;
        format!("{store} {port} {matches} {game} {point} {shown}")
    }

    /// Parses a task.
    pub(crate) fn parse(words: &str) -> Option<Self> {
        let mut words = words.split(' ').map(str::to_owned);
        Some(Task {
            store: words.next()?,
            port: words.next()?.parse().ok()?,
            matches: words.next()?.parse().ok()?,
            game: words.next()?,
            point: words.next().filter(|point| point != "-"),
            shown: words.next()?,
        })
    }
}

fn open(game: &str) -> (Arc<dyn magister_core::Game>, Arc<WireGame>) {
    let source = magister::Options::default().find(game).expect("the game exists");
    let (playable, wire) = wire::open(&source).expect("the game can be played");
    (playable.game, Arc::new(wire))
}

/// The matches of a task. Some players recognise duplicates, and some do not.
fn orders(task: &Task) -> Vec<Order> {
    let (game, wire) = open(&task.game);
    let seats = game.info().players().count();
    let order = |number: usize| Order {
        id: format!("k{number}"),
        game: Arc::clone(&game),
        wire: Arc::clone(&wire),
        rules: None,
        seats: (0..seats)
            .map(|seat| {
                let repeats = !number.is_multiple_of(3);
                let end = if repeats { "-repeats" } else { "" };
                SeatOrder::Remote {
                    name: format!("p{number}-{seat}{end}"),
                    address: format!("http://127.0.0.1:{}", task.port),
                    repeats,
                }
            })
            .collect(),
        start: Duration::from_secs(10),
        play: Duration::from_secs(10),
        grace: Duration::from_secs(5),
        max_steps: 500,
        seed: Seed::from(number as u64),
        salt: None,
        manner: Manner::default(),
        tournament: None,
    };
    (0..task.matches).map(order).collect()
}

/// The process that is killed: it recovers, then plays the remaining matches. It ends when all
/// matches are over.
pub(crate) async fn work(task: &Task) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| error.to_string();
    let store = SqlStore::open(&task.store).await.map_err(|error| failed(&error))?;
    let network = TcpNetwork { policy: AddressPolicy::Any };
    let manager = Manager::new(Arc::new(network), Arc::new(store.clone()), Settings::default());
    let manager = manager.observed(spectators(&task.shown)?);
    let manager = match &task.point {
        None => manager,
        Some(point) => {
            let (name, count) = point.split_once(':').ok_or("a point is POINT:COUNT")?;
            let wanted = match name {
                "before" => Point::BeforeCommit,
                "between" => Point::BetweenCommitAndSend,
                _ => Point::DuringRecovery,
            };
            let left = AtomicU64::new(count.parse().map_err(|_| "a count is a number")?);
            manager.hooked(Arc::new(move |point| {
                if point == wanted && left.fetch_sub(1, Ordering::Relaxed) == 0 {
                    std::process::abort();
                }
            }))
        }
    };
    let manager = Arc::new(manager);
    let (game, wire) = open(&task.game);
    let mut tasks = tokio::task::JoinSet::new();
    for stored in manager.unfinished().await.map_err(|error| failed(&error))? {
        let (manager, opened) =
            (Arc::clone(&manager), Some((Arc::clone(&game), Arc::clone(&wire))));
        tasks.spawn(async move {
            let done = manager.recover_one(stored, opened, Manner::default()).await;
            done.map(drop).map_err(|error| error.to_string())
        });
    }
    for order in orders(task) {
        if store.load(&order.id).await.map_err(|error| failed(&error))?.is_none() {
            let manager = Arc::clone(&manager);
            tasks.spawn(async move {
                manager.play(order).await.map(drop).map_err(|error| error.to_string())
            });
        }
    }
    while let Some(done) = tasks.join_next().await {
        done.map_err(|error| failed(&error))??;
    }
    drop(manager);
    store.close().await;
    Ok(())
}

/// Spectators: each step that they are shown becomes a line of an append-only file, which outlives
/// the process.
fn spectators(shown: &str) -> Result<Observer, String> {
    let file = std::fs::OpenOptions::new().create(true).append(true).open(shown);
    let file = Mutex::new(file.map_err(|error| error.to_string())?);
    Ok(Arc::new(move |id, event| {
        let line = match event {
            Event::Stepped { step, moves, .. } => {
                let moves: Vec<&str> = moves.iter().flatten().map(String::as_str).collect();
                format!("{id}\t{step}\t{}\n", moves.join("\t"))
            }
            _ => return,
        };
        let mut file = file.lock().expect("no thread panics");
        file.write_all(line.as_bytes()).expect("the file can be written");
    }))
}

/// Checks that every step that spectators were shown is stored. Returns their number.
fn check_shown(shown: &str, records: &BTreeMap<String, MatchRecord>) -> Result<usize, String> {
    let text = std::fs::read_to_string(shown).unwrap_or_default();
    let mut count = 0;
    // A process that is killed may leave an incomplete last line.
    for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        let words: Vec<&str> = line.trim_end_matches('\n').split('\t').collect();
        let [id, step, moves @ ..] = &words[..] else { continue };
        let step: usize = step.parse().map_err(|_| format!("not a step: {line}"))?;
        let stored = records.get(*id).and_then(|record| record.moves.get(step - 1));
        if stored.is_none_or(|stored| stored != moves) {
            return Err(format!("spectators of {id} were shown {moves:?}; stored is {stored:?}"));
        }
        count += 1;
    }
    Ok(count)
}

/// The named points: before a commit, between a commit and the sending, during recovery.
pub(crate) const POINTS: [&str; 3] = ["before", "between", "recovery"];

/// The result of the test.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// The number of kills at random moments.
    pub(crate) kills: u64,
    /// The number of times that it ended itself at each of the [points](POINTS).
    pub(crate) points: [u64; POINTS.len()],
    /// The number of matches that reached a terminal state.
    pub(crate) terminal: u64,
    /// The number of matches that were aborted.
    pub(crate) aborted: u64,
    /// The number of turns that were sent to players.
    pub(crate) sent: usize,
    /// The number of steps that spectators were shown.
    pub(crate) shown: usize,
}

/// Kills a process repeatedly, at random moments and at the named points, and then checks the
/// store. `spawn` starts a process with a task.
pub(crate) async fn torment(
    mut task: Task,
    kills: u64,
    rng: &mut Rng,
    mut spawn: impl FnMut(&Task) -> std::io::Result<tokio::process::Child>,
) -> Result<Tally, String> {
    let failed = |error: std::io::Error| error.to_string();
    let (game, _) = open(&task.game);
    let crowd = Arc::new(Crowd::new(&game, Seed::from(11)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.map_err(failed)?;
    task.port = listener.local_addr().map_err(failed)?.port();
    let players =
        tokio::spawn(serve_crowd(Arc::clone(&crowd), listener, || Duration::from_millis(15)));
    let mut tally = Tally::default();
    for round in 0.. {
        let last = tally.kills >= kills;
        // Every other process ends itself at a named point.
        let point = (!last && round % 2 == 0).then_some(round / 2 % POINTS.len());
        task.point = point.map(|point| {
            let most = if POINTS[point] == "recovery" { 3 } else { 40 };
            format!("{}:{}", POINTS[point], rng.below(most))
        });
        let mut child = spawn(&task).map_err(failed)?;
        let life = Duration::from_millis(30 + rng.below(1500));
        let ended = if last || point.is_some() {
            Some(child.wait().await.map_err(failed)?)
        } else {
            tokio::select! {
                ended = child.wait() => Some(ended.map_err(failed)?),
                () = tokio::time::sleep(life) => None,
            }
        };
        match (ended, point) {
            (None, _) => {
                child.kill().await.map_err(failed)?;
                tally.kills += 1;
            }
            (Some(status), _) if status.success() => break,
            // A process that ends itself at a point ends with a signal.
            (Some(status), Some(point)) if status.code().is_none() => tally.points[point] += 1,
            (Some(status), _) => return Err(format!("a process failed by itself: {status}")),
        }
    }
    players.abort();
    crowd.verdict()?;
    let store = SqlStore::open(&task.store).await.map_err(|error| error.to_string())?;
    let mut records = BTreeMap::new();
    for order in orders(&task) {
        let stored = store.load(&order.id).await.map_err(|error| error.to_string())?;
        let stored = stored.ok_or_else(|| format!("{} is lost", order.id))?;
        if stored.status != Status::Ended {
            return Err(format!("{} is left {}", order.id, stored.status.name()));
        }
        crowd.judge(&stored.record).map_err(|what| format!("{}: {what}", order.id))?;
        if stored.is_aborted() {
            tally.aborted += 1;
        } else {
            tally.terminal += 1;
        }
        records.insert(order.id, stored.record);
    }
    tally.shown = check_shown(&task.shown, &records)?;
    tally.sent = crowd.sent_turns();
    store.close().await;
    Ok(tally)
}
