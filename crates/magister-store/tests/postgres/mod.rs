//! A private `PostgreSQL` server for tests, with its own folder and its own port on loopback,
//! removed at the end.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A `PostgreSQL` server that is stopped when this value is dropped.
pub(crate) struct PrivatePostgres {
    server: Child,
    folder: PathBuf,
    port: u16,
}

impl PrivatePostgres {
    /// Starts a server; `None` if `PostgreSQL` is not installed.
    pub(crate) fn start() -> Option<Self> {
        let bin = binaries()?;
        let unique = format!("magister-pg-{}-{:p}", std::process::id(), &raw const bin);
        let folder = std::env::temp_dir().join(unique);
        std::fs::create_dir_all(&folder).ok()?;
        let data = folder.join("data");
        if is_root() {
            // PostgreSQL does not run as root.
            let owned = Command::new("chown").arg("postgres").arg(&folder).status().ok()?;
            if !owned.success() {
                return None;
            }
        }
        let made = as_postgres(&bin.join("initdb"))
            .args(["-A", "trust", "-U", "magister", "--no-sync", "-D"])
            .arg(&data)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .current_dir(&folder)
            .status()
            .ok()?;
        if !made.success() {
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
        let server = as_postgres(&bin.join("postgres"))
            .arg("-D")
            .arg(&data)
            .args(["-h", "127.0.0.1", "-p", &port.to_string(), "-k"])
            .arg(&folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .current_dir(&folder)
            .spawn()
            .ok()?;
        let postgres = PrivatePostgres { server, folder, port };
        let until = Instant::now() + Duration::from_mins(1);
        while Instant::now() < until {
            let asked = Command::new(bin.join("pg_isready"))
                .args(["-h", "127.0.0.1", "-p", &port.to_string()])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            if asked.is_ok_and(|status| status.success()) {
                return Some(postgres);
            }
            sleep(Duration::from_millis(100));
        }
        None
    }

    /// The address of its database.
    pub(crate) fn url(&self) -> String {
        format!("postgres://magister@127.0.0.1:{}/postgres", self.port)
    }
}

impl Drop for PrivatePostgres {
    fn drop(&mut self) {
        let pid = std::fs::read_to_string(self.folder.join("data/postmaster.pid"));
        let pid = pid.ok().and_then(|text| Some(text.lines().next()?.to_owned()));
        if let Some(pid) = pid {
            let _ = Command::new("kill").args(["-QUIT", &pid]).status();
        }
        let _ = self.server.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// A command that runs as the user `postgres` if we are root.
fn as_postgres(program: &Path) -> Command {
    if is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "postgres", "--regid", "postgres", "--clear-groups"]).arg(program);
        command
    } else {
        Command::new(program)
    }
}

/// The folder of the programs of `PostgreSQL`: on the path, or the default of Debian.
fn binaries() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places: Vec<PathBuf> = Vec::new();
    if let Ok(versions) = std::fs::read_dir("/usr/lib/postgresql") {
        places.extend(versions.flatten().map(|one| one.path().join("bin")));
    }
    places.extend(std::env::split_paths(&path));
    places.into_iter().find(|place| {
        ["initdb", "postgres", "pg_isready"].iter().all(|name| place.join(name).is_file())
    })
}
