//! A manager process that is killed at random moments and at named points loses nothing. `cargo
//! xtask faults` is the long form.

mod killed;

use killed::{Task, torment, work};
use magister_core::Seed;

/// The environment variable that makes this program the process that is killed.
const TASK: &str = "MAGISTER_KILL_TASK";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn victim() {
    // Started as a test like any other, it has nothing to do.
    if let Ok(words) = std::env::var(TASK) {
        work(&Task::parse(&words).unwrap()).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_manager_loses_nothing() {
    let folder = std::env::temp_dir().join(format!("magister-kill-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let task = Task {
        store: format!("sqlite:{}", folder.join("test.db").display()),
        port: 0,
        matches: 20,
        game: "tictactoe".to_owned(),
        point: None,
        shown: folder.join("shown").display().to_string(),
    };
    let spawn = |task: &Task| {
        tokio::process::Command::new(std::env::current_exe()?)
            .args(["--exact", "victim", "--nocapture"])
            .env(TASK, task.words())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .kill_on_drop(true)
            .spawn()
    };
    let tally = torment(task, 6, &mut Seed::from(4).rng(), spawn).await.unwrap();
    assert_eq!(tally.terminal + tally.aborted, 20);
    // How many of the planned kills meet a running match depends on the speed of the machine.
    assert!(tally.kills >= 1 && tally.shown > 0, "{tally:?}");
    std::fs::remove_dir_all(&folder).unwrap();
}
