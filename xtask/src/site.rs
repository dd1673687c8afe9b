//! The site in a browser: a contact sheet of boards, and measurements.
//!
//! Both start the command `magister serve` and run scripts of the web client, which need Node, the
//! packages of the client and Chromium.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use magister_core::Seed;

use crate::{binary, corpus};

/// The pictures to draw.
#[derive(Args)]
pub(crate) struct SheetOptions {
    /// Games and files; by default every bundled game and a sample of the oracle's
    games: Vec<String>,
    /// The number of games of the oracle, drawn at random
    #[arg(long, default_value_t = 100)]
    oracle: usize,
    /// The seed of the sample
    #[arg(long, default_value_t = 19)]
    seed: u64,
    /// Folders of the oracle to draw from
    #[arg(long, value_delimiter = ',', default_value = "gdl,gdl2,gamemaster")]
    folders: Vec<String>,
    /// Skip the bundled games
    #[arg(long)]
    only_oracle: bool,
    /// The number of moves before the picture
    #[arg(long, default_value_t = 8)]
    plies: u32,
    /// The folder of the pictures
    #[arg(long, default_value = "target/sheet")]
    out: PathBuf,
    /// The program; by default a release build
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// The measurements.
#[derive(Args)]
pub(crate) struct FiguresOptions {
    /// The number of spectators of one match
    #[arg(long, default_value_t = 50)]
    spectators: u32,
    /// The number of moves of the match, one per second
    #[arg(long, default_value_t = 30)]
    moves: u32,
    /// The program; by default a release build
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// A site in a separate process with its own store. Both are removed when this is dropped.
struct Server {
    child: Child,
    folder: PathBuf,
    address: String,
}

impl Server {
    fn start(binary: Option<&PathBuf>) -> Result<Self> {
        let program = binary.map_or_else(binary::magister, |path| Ok(path.clone()))?;
        let folder = std::env::temp_dir().join(format!("magister-site-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let mut child = Command::new(program)
            .args(["serve", "--port", "0", "--store"])
            .arg(format!("sqlite:{}", folder.join("site.db").display()))
            .stdout(Stdio::piped())
            .spawn()?;
        let out = child.stdout.take().context("the server has no output")?;
        let mut server = Server { child, folder, address: String::new() };
        for line in BufReader::new(out).lines() {
            if let Some((_, rest)) = line?.split_once("The site is at ") {
                rest.split(' ').next().unwrap_or_default().clone_into(&mut server.address);
                break;
            }
        }
        ensure!(!server.address.is_empty(), "the server does not say where it is");
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Runs a script of the client. Its output is that of the task.
fn script(name: &str, arguments: &[String], environment: &[(&str, String)]) -> Result<()> {
    let web = binary::root().join("crates/magister-server/web");
    let status = Command::new("node")
        .arg(format!("e2e/{name}"))
        .args(arguments)
        .envs(environment.iter().map(|(key, value)| (*key, value)))
        .current_dir(web)
        .status()
        .context("Node cannot be run; install Node 20 or later")?;
    ensure!(status.success(), "{name} failed");
    Ok(())
}

/// Draws a contact sheet.
pub(crate) fn sheet(options: &SheetOptions) -> Result<()> {
    let out = std::env::current_dir()?.join(&options.out);
    let server = Server::start(options.binary.as_ref())?;
    let plies = [("PLIES", options.plies.to_string())];
    let draw = |folder: &Path, games: &[String]| {
        let mut arguments = vec![folder.display().to_string(), server.address.clone()];
        arguments.extend_from_slice(games);
        script("sheet.js", &arguments, &plies)
    };
    if !options.games.is_empty() {
        return draw(&out, &options.games);
    }
    if !options.only_oracle {
        draw(&out.join("catalogue"), &[])?;
    }
    let chosen = sample(options.oracle, options.seed, &options.folders);
    if chosen.is_empty() {
        return Ok(());
    }
    draw(&out.join("oracle"), &chosen)
}

/// Files of the oracle, drawn at random; the same for the same seed.
fn sample(count: usize, seed: u64, folders: &[String]) -> Vec<String> {
    let of = |folder: &String| {
        let folder = corpus::oracle().join(folder).join("games");
        let endings = ["kif", "rulesheet.hrf", "rcy"];
        endings.iter().flat_map(|ending| corpus::files(&folder, ending)).collect::<Vec<PathBuf>>()
    };
    let mut files: Vec<PathBuf> = folders.iter().flat_map(of).collect();
    files.sort();
    let mut rng = Seed::from(seed).rng();
    for at in (1..files.len()).rev() {
        files.swap(at, rng.below(at as u64 + 1) as usize);
    }
    files.truncate(count);
    files.sort();
    files.iter().map(|file| file.display().to_string()).collect()
}

/// Measures the first page and the cost of spectators.
pub(crate) fn figures(options: &FiguresOptions) -> Result<()> {
    let server = Server::start(options.binary.as_ref())?;
    let numbers = [options.spectators, options.moves, server.child.id()];
    let mut arguments = vec![server.address.clone()];
    arguments.extend(numbers.iter().map(u32::to_string));
    script("figures.js", &arguments, &[])
}
