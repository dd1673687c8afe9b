//! The site in a real browser: runs the tests of `web/e2e` against a server on a loopback port.
//!
//! They need Node, the packages of the client (`npm ci` in `web`) and Chromium. If one of them is
//! missing, the tests report this and pass.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use magister_learn::file::Strength;
use magister_learn::recipe::{Kind, Recipe};
use magister_learn::{Learner, Sight};
use magister_server::{Config, Limits, Site};

fn web() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("web")
}

/// Why the browser tests cannot run here.
fn missing() -> Option<&'static str> {
    let runs = |program: &str| {
        Command::new(program).arg("--version").output().is_ok_and(|done| done.status.success())
    };
    let chromium = std::env::var("MAGISTER_CHROMIUM");
    let chromium = chromium.unwrap_or_else(|_| "/usr/bin/chromium".to_owned());
    if !runs("node") {
        Some("Node is not installed")
    } else if !Path::new(&chromium).exists() {
        Some("Chromium is not installed")
    } else if !web().join("node_modules/playwright-core").exists() {
        Some("the packages of the client are not installed")
    } else if !magister_server::has_client() {
        Some("the client is not part of this build")
    } else {
        None
    }
}

/// A folder for a store.
fn folder(name: &str) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("magister-browser-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A site with a store in a folder, on a loopback port.
async fn site(
    folder: &Path,
    port: u16,
    accounts: bool,
    agents: Option<PathBuf>,
) -> (std::sync::Arc<Site>, tokio::net::TcpListener) {
    let limits = Limits { rate: 1e6, burst: 1e6, ..Limits::default() };
    let store = format!("sqlite:{}", folder.join("site.db").display());
    let (site, _) =
        Site::open(&Config { store, limits, accounts, agents, ..Config::default() }).await.unwrap();
    (site, tokio::net::TcpListener::bind(("127.0.0.1", port)).await.unwrap())
}

/// A folder with an agent for Tic-Tac-Toe, as the operator of a site has it.
async fn agents(folder: &Path) -> PathBuf {
    let (site, _) = site(folder, 0, false, None).await;
    let game = site.game("tictactoe").await.unwrap().playable.game.clone();
    let sight = Sight::new(&game, true, 1).unwrap();
    let recipe = Recipe::recommended(Kind::Linear, game.as_ref(), sight.reading());
    let mut file = Learner::new(&game, sight, recipe, 1).unwrap().file();
    file.header.games = 12_345;
    file.header.strengths = vec![Strength {
        against: "uct".to_owned(),
        points: 0.5,
        low: 0.4,
        high: 0.6,
        matches: 20,
        iterations: 200,
        inside: "puct:sharp=20,inner=[AGENT]".to_owned(),
    }];
    let agents = folder.join("agents");
    std::fs::create_dir_all(&agents).unwrap();
    std::fs::write(agents.join("tictactoe.agent"), file.to_bytes(false)).unwrap();
    agents
}

/// Runs the named browser tests against a new site.
#[expect(clippy::print_stdout, reason = "skipped tests and the steps of the browser show")]
fn in_browser(tests: &[&str]) {
    if let Some(what) = missing() {
        println!("SKIPPED: {what}");
        return;
    }
    let folder = folder(tests[0]);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let address = runtime.block_on(async {
        let accounts = tests[0].starts_with("accounts");
        let agents =
            if tests[0].starts_with("agents") { Some(agents(&folder).await) } else { None };
        let (site, listener) = site(&folder, 0, accounts, agents).await;
        if site.accounts.required {
            // The tests sign in with this password.
            let store = &site.hub.store;
            let password = site.accounts.make_admin(store, "teacher").await.unwrap();
            std::fs::write(folder.join("password"), password).unwrap();
        }
        let address = listener.local_addr().unwrap();
        tokio::spawn(magister_server::serve(site, listener, std::future::pending()));
        address
    });
    let done = Command::new("node")
        .arg("e2e/run.js")
        .arg(format!("http://{address}"))
        .args(tests)
        .env("MAGISTER_TEST_FOLDER", &folder)
        .current_dir(web())
        .output()
        .unwrap();
    runtime.shutdown_background();
    let _ = std::fs::remove_dir_all(&folder);
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    print!("{out}");
    assert!(done.status.success(), "{out}\n{err}");
}

/// Serves a site until the process is killed, if the environment names a folder and a port. The
/// restart test runs this program again with only this test.
#[test]
fn serve_until_killed() {
    let (Ok(folder), Ok(port)) = (std::env::var(FOLDER), std::env::var(PORT)) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (site, listener) = site(Path::new(&folder), port.parse().unwrap(), false, None).await;
        magister_server::serve(site, listener, std::future::pending()).await.unwrap();
    });
}

const FOLDER: &str = "MAGISTER_TEST_FOLDER";
const PORT: &str = "MAGISTER_TEST_PORT";

/// A server in a separate process, which is killed at the end.
struct Server(Child);

impl Server {
    fn start(folder: &Path, port: u16) -> Self {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "serve_until_killed"])
            .env(FOLDER, folder)
            .env(PORT, port.to_string())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let server = Server(child);
        for _ in 0..600 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return server;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the server does not answer");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_match_goes_on_after_a_restart() {
    if let Some(what) = missing() {
        println!("SKIPPED: {what}");
        return;
    }
    let folder = folder("restart");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut server = Server::start(&folder, port);
    let mut browser = Command::new("node")
        .args(["e2e/run.js", &format!("http://127.0.0.1:{port}"), "server-is-restarted"])
        .current_dir(web())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    for line in BufReader::new(browser.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        if line == "RESTART" {
            // Killed without warning, as in a power failure.
            drop(server);
            std::thread::sleep(Duration::from_millis(300));
            server = Server::start(&folder, port);
            let input = browser.stdin.as_mut().unwrap();
            input.write_all(b"restarted\n").and_then(|()| input.flush()).unwrap();
        }
        said.push_str(&line);
        said.push('\n');
    }
    let done = browser.wait().unwrap();
    drop(server);
    let _ = std::fs::remove_dir_all(&folder);
    print!("{said}");
    assert!(done.success(), "{said}");
}

#[test]
fn people_sign_in_and_teachers_manage() {
    in_browser(&["accounts-sign-in-and-administration"]);
}

#[test]
fn connect_four_is_played_to_the_end() {
    in_browser(&["connect-four-to-the-end"]);
}

#[test]
fn games_are_played_by_clicking() {
    in_browser(&["tictactoe-by-clicking", "connect-four-on-the-front-page", "one-player-game"]);
}

#[test]
fn games_are_played_by_dragging_and_keys() {
    in_browser(&["breakthrough-by-dragging", "keyboard-only", "typed-moves"]);
}

#[test]
fn a_position_is_left_and_found_again() {
    in_browser(&["undo-redo-jump", "reconnects-without-loss"]);
}

#[test]
fn a_small_screen_is_enough() {
    in_browser(&["narrow-screen", "hint-and-evaluation"]);
}

#[test]
fn agents_trained_before_are_opponents() {
    in_browser(&["agents-trained-before"]);
}

#[test]
fn a_puzzle_is_solved() {
    in_browser(&["puzzle-of-the-day"]);
}

#[test]
fn hidden_information_stays_hidden() {
    in_browser(&["hidden-game-in-two-browsers"]);
}

#[test]
fn matches_are_watched() {
    in_browser(&["live-match-is-watched", "manager-runs-a-match"]);
}

#[test]
fn a_tournament_fills_its_table() {
    in_browser(&["tournament-to-its-table"]);
}

#[test]
fn broken_rules_are_fixed_and_played() {
    in_browser(&["broken-rules-are-fixed-and-played", "style-is-edited-with-a-preview"]);
}

#[test]
fn scripts_of_others_do_not_run() {
    in_browser(&["scripts-in-names-stay-text"]);
}

#[test]
fn students_players_win_and_stay_sealed() {
    in_browser(&["student-player-wins", "student-player-is-sealed"]);
}

#[test]
fn a_player_learns_and_is_played_against() {
    in_browser(&["training-run-and-its-player"]);
}

#[test]
fn cards_are_played_by_clicking() {
    in_browser(&["card-game-by-clicking"]);
}

#[test]
fn positions_are_accessible_and_addresses_work() {
    in_browser(&["match-pages-are-accessible", "addresses-and-back-button"]);
}

#[test]
fn every_page_is_clean_and_accessible_1() {
    in_browser(&["pages-light-1", "pages-dark-1"]);
}

#[test]
fn every_page_is_clean_and_accessible_2() {
    in_browser(&["pages-light-2", "pages-dark-2"]);
}

#[test]
fn every_page_is_clean_and_accessible_3() {
    in_browser(&["pages-light-3", "pages-dark-3"]);
}

#[test]
fn every_page_is_clean_and_accessible_4() {
    in_browser(&["pages-light-4", "pages-dark-4"]);
}
