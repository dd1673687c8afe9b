//! Many matches at once with remote players on loopback.
//!
//! The players are a separate process with a ledger, which verifies the manager at the end. The
//! manager is a second process, so that its memory and processor time are those of a manager alone.

#![expect(clippy::print_stdout, reason = "this is the output of the command")]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use magister_core::{Game, MatchEnd, MatchRecord, Seed};
use magister_manager::address::AddressPolicy;
use magister_manager::crowd::{Crowd, serve_crowd};
use magister_manager::manage::{Manager, Order, SeatOrder, Settings};
use magister_manager::network::TcpNetwork;
use magister_manager::session::Manner;
use magister_manager::{WireGame, wire};
use magister_store::{SqlStore, Store as _};

/// The amount of load.
#[derive(Args, Clone)]
pub(crate) struct Options {
    /// The number of concurrent matches
    #[arg(long, default_value_t = 200)]
    matches: usize,
    /// The total number of matches
    #[arg(long, default_value_t = 5000)]
    total: usize,
    /// The delay of a player before it replies, in milliseconds
    #[arg(long, default_value_t = 250)]
    wait: u64,
    /// The variation of this delay, in milliseconds
    #[arg(long, default_value_t = 50)]
    spread: u64,
    /// The store; by default a new `SQLite` file
    #[arg(long)]
    store: Option<String>,
    /// Run as the manager of players on this port
    #[arg(long, hide = true)]
    port: Option<u16>,
    /// The file for the records of the manager
    #[arg(long, hide = true)]
    records: Option<PathBuf>,
}

const GAME: &str = "tictactoe";

fn open() -> Result<(Arc<dyn Game>, Arc<WireGame>)> {
    let (playable, wire) = wire::open(&magister::Options::default().find(GAME)?)?;
    Ok((playable.game, Arc::new(wire)))
}

pub(crate) fn run(options: &Options) -> Result<()> {
    if let (Some(port), Some(records)) = (options.port, &options.records) {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).enable_all().build()?;
        return runtime.block_on(manage(options, port, records));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let folder = std::env::temp_dir().join(format!("magister-load-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let done = runtime.block_on(play_and_judge(options, &folder));
    std::fs::remove_dir_all(&folder)?;
    done
}

/// Runs the players, and then the final checks.
async fn play_and_judge(options: &Options, folder: &Path) -> Result<()> {
    let file = || format!("sqlite:{}", folder.join("load.db").display());
    let store = options.store.clone().unwrap_or_else(file);
    let records = folder.join("records.jsonl");
    let (game, _) = open()?;
    let crowd = Arc::new(Crowd::new(&game, Seed::from(7)));
    let listener = tokio::net::TcpSocket::new_v4()?;
    listener.set_reuseaddr(true)?;
    listener.bind("127.0.0.1:0".parse()?)?;
    // All players are asked at the same moment when the first matches begin.
    let listener = listener.listen(4096)?;
    let port = listener.local_addr()?.port();
    let (wait, spread) = (options.wait, options.spread);
    let count = std::sync::atomic::AtomicU64::new(0);
    let pause = move || {
        let number = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let shift = Seed::from(number).rng().below(2 * spread + 1);
        Duration::from_millis((wait + shift).saturating_sub(spread))
    };
    let players = tokio::spawn(serve_crowd(Arc::clone(&crowd), listener, pause));
    let cpu = cpu_seconds();
    let manager = tokio::process::Command::new(std::env::current_exe()?)
        .args(["load", "--matches", &options.matches.to_string()])
        .args(["--total", &options.total.to_string(), "--store", &store])
        .args(["--port", &port.to_string(), "--records"])
        .arg(&records)
        .kill_on_drop(true)
        .status()
        .await?;
    let cpu = cpu_seconds() - cpu;
    players.abort();
    if !manager.success() {
        bail!("the manager failed");
    }
    crowd.verdict().map_err(|what| anyhow!(what))?;
    let mut times = crowd.overheads();
    times.sort_unstable();
    println!(
        "overhead as the players measure it, from the last answer to the first byte of the next \
         request: {}",
        quantiles(&times)
    );
    println!("players: {cpu:.1} CPU s");
    judge(&crowd, &store, &records, options.total).await
}

/// Compares the reports of the manager, the stored records and the messages to the players.
async fn judge(crowd: &Crowd, store: &str, records: &Path, total: usize) -> Result<()> {
    let mut reported = BTreeMap::new();
    for line in std::fs::read_to_string(records)?.lines() {
        let record: MatchRecord = serde_json::from_str(line)?;
        reported.insert(record.id.clone().unwrap_or_default(), record);
    }
    let store = SqlStore::open(store).await?;
    for number in 0..total {
        let id = name(number);
        let record = reported.get(&id).with_context(|| format!("{id} is lost"))?;
        if record.end != Some(MatchEnd::Terminal) || !record.errors.is_empty() {
            bail!("{id} went wrong: {:?} {:?}", record.end, record.errors);
        }
        crowd.judge(record).map_err(|what| anyhow!("{id}: {what}"))?;
        let stored = store.load(&id).await?.ok_or_else(|| anyhow!("{id} is not stored"))?;
        if stored.record != *record {
            bail!("{id} is stored as something else");
        }
    }
    store.close().await;
    println!("{total} matches: none lost, all replayed and equal to what is stored");
    Ok(())
}

fn name(number: usize) -> String {
    format!("load{number}")
}

/// Runs the manager.
async fn manage(options: &Options, port: u16, records: &Path) -> Result<()> {
    let store = options.store.as_deref().context("the manager needs a store")?;
    let store = SqlStore::open(store).await?;
    let (game, wire) = open()?;
    let network = Arc::new(TcpNetwork { policy: AddressPolicy::Any });
    let settings = Settings { matches: options.matches, ..Settings::default() };
    let manager = Arc::new(Manager::new(network, Arc::new(store.clone()), settings));
    let mut records = std::io::BufWriter::new(std::fs::File::create(records)?);
    let (begun, cpu) = (Instant::now(), cpu_seconds());
    let mut tasks = tokio::task::JoinSet::new();
    let (mut next, mut done, mut memory) = (0, 0, Vec::new());
    while done < options.total {
        while next < options.total && tasks.len() < options.matches {
            let order = order(next, port, &game, &wire);
            let manager = Arc::clone(&manager);
            tasks.spawn(async move { manager.play(order).await });
            next += 1;
        }
        let Some(record) = tasks.join_next().await else { break };
        let record = record?.map_err(|error| anyhow!("a match was lost: {error}"))?;
        serde_json::to_writer(&mut records, &record)?;
        writeln!(records)?;
        done += 1;
        if done % (options.total / 10).max(1) == 0 {
            memory.push(resident_mib());
        }
    }
    records.flush()?;
    let (took, used) = (begun.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let metrics = manager.metrics();
    println!(
        "{done} matches, {} at once: {took:.1} s, {used:.1} CPU s; {:.0} turns per CPU second",
        options.matches,
        metrics.turns() as f64 / used
    );
    let ms = |time: Option<Duration>| time.map_or(f64::NAN, |time| time.as_secs_f64() * 1e3);
    println!(
        "overhead as the manager measures it, storing included: median {:.2} ms, 99th percentile \
         {:.2} ms",
        ms(metrics.overhead_quantile(0.5)),
        ms(metrics.overhead_quantile(0.99))
    );
    let commits = store.commit_times().unwrap_or_default();
    let mut times = store.recent_commits();
    times.sort_unstable();
    println!(
        "commits: {} for {} appends, of which fsync and the like: {}",
        commits.commits,
        commits.appends,
        quantiles(&times)
    );
    println!("resident memory in MiB, every tenth of the run: {memory:?}");
    drop(manager);
    store.close().await;
    Ok(())
}

/// Median and 99th percentile of sorted times.
fn quantiles(sorted: &[Duration]) -> String {
    let at = |share: f64| {
        let at = ((sorted.len() as f64 * share).ceil() as usize).saturating_sub(1);
        sorted.get(at).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
    };
    format!("median {:.2} ms, 99th percentile {:.2} ms of {}", at(0.5), at(0.99), sorted.len())
}

fn order(number: usize, port: u16, game: &Arc<dyn Game>, wire: &Arc<WireGame>) -> Order {
    let seat = |seat: usize| SeatOrder::Remote {
        name: format!("p{number}-{seat}"),
        address: format!("http://127.0.0.1:{port}"),
        repeats: false,
    };
    Order {
        id: name(number),
        game: Arc::clone(game),
        wire: Arc::clone(wire),
        rules: None,
        seats: vec![seat(0), seat(1)],
        start: Duration::from_secs(10),
        play: Duration::from_secs(10),
        grace: Duration::ZERO,
        max_steps: 100,
        seed: Seed::from(number as u64),
        salt: None,
        manner: Manner::default(),
        tournament: None,
    }
}

/// The memory of this process.
fn resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// The processor time of this process.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<f64> = after.split_whitespace().filter_map(|one| one.parse().ok()).collect();
    // Without the state, which is a letter, user and system time are the 11th and 12th fields.
    fields.get(10).zip(fields.get(11)).map_or(0.0, |(user, system)| (user + system) / 100.0)
}
