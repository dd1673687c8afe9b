//! A manager process that is killed at random moments and at named points loses nothing. `cargo
//! xtask faults` is the long form.

mod killed;
#[path = "../../magister-store/tests/postgres/mod.rs"]
mod postgres;

use std::path::{Path, PathBuf};

use killed::{Task, torment, work};
use magister_core::Seed;
use postgres::PrivatePostgres;

/// The environment variable that makes this program the process that is killed.
const TASK: &str = "MAGISTER_KILL_TASK";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn victim() {
    // As an ordinary test, it has nothing to do.
    if let Ok(words) = std::env::var(TASK) {
        work(&Task::parse(&words).unwrap()).await.unwrap();
    }
}

/// Kills a manager repeatedly while it plays, and checks the store.
async fn kill(store: String, folder: &Path, game: &str, kills: u64) {
    let task = Task {
        store,
        port: 0,
        matches: 20,
        game: game.to_owned(),
        point: None,
        shown: folder.join("shown").display().to_string(),
    };
    let errors = folder.join("errors");
    let spawn = |task: &Task| {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&errors)?;
        tokio::process::Command::new(std::env::current_exe()?)
            .args(["--exact", "victim", "--nocapture"])
            .env(TASK, task.words())
            .stdout(std::process::Stdio::null())
            .stderr(file)
            .kill_on_drop(true)
            .spawn()
    };
    let tally = torment(task, kills, &mut Seed::from(4).rng(), spawn).await;
    let errors = || std::fs::read_to_string(&errors).unwrap_or_default();
    let tally = tally.unwrap_or_else(|what| panic!("{what}\n{}", errors()));
    assert_eq!(tally.terminal + tally.aborted, 20);
    // How many of the planned kills hit a running match depends on the speed of the machine.
    let killed = tally.kills + tally.points.iter().sum::<u64>();
    assert!(killed >= 1 && tally.shown > 0, "{tally:?}");
}

/// A folder for a test, removed at its end.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("magister-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_manager_loses_nothing() {
    let folder = folder("kill");
    let store = format!("sqlite:{}", folder.join("test.db").display());
    kill(store, &folder, "tictactoe", 3).await;
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_manager_on_postgresql_loses_nothing() {
    let Some(server) = PrivatePostgres::start() else {
        eprintln!("SKIPPED: PostgreSQL is not installed");
        return;
    };
    let folder = folder("kill-postgres");
    kill(server.url(), &folder, "blind-tictactoe", 3).await;
    std::fs::remove_dir_all(&folder).unwrap();
}
