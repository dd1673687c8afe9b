//! Many matches at once with remote players on loopback.

#![expect(clippy::print_stdout, reason = "this is the output of the command")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use magister_core::{MatchEnd, Seed};
use magister_manager::address::AddressPolicy;
use magister_manager::crowd::{Crowd, serve_crowd};
use magister_manager::manage::{Manager, Order, SeatOrder, Settings};
use magister_manager::network::TcpNetwork;
use magister_manager::session::Manner;
use magister_manager::wire;
use magister_store::{SqlStore, Store as _};

/// How much load.
#[derive(Args)]
pub(crate) struct Options {
    /// Matches at the same time
    #[arg(long, default_value_t = 200)]
    matches: usize,
    /// Matches in all
    #[arg(long, default_value_t = 5000)]
    total: usize,
    /// Milliseconds that a player waits before it replies
    #[arg(long, default_value_t = 250)]
    wait: u64,
    /// By how many milliseconds that varies
    #[arg(long, default_value_t = 50)]
    spread: u64,
    /// The store; a new `SQLite` file if none is given
    #[arg(long)]
    store: Option<String>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build()?;
    runtime.block_on(load(options))
}

async fn load(options: &Options) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("magister-load-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = || format!("sqlite:{}", folder.join("load.db").display());
    let store = SqlStore::open(&options.store.clone().unwrap_or_else(file)).await?;
    let (playable, wire) = wire::open(&magister::Options::default().find("tictactoe")?)?;
    let (game, wire) = (playable.game, Arc::new(wire));
    let crowd = Arc::new(Crowd::new(&game, Seed::from(7)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    // Players of another process would be fairer, but these cost little: they mostly wait.
    let (wait, spread) = (options.wait, options.spread);
    let count = std::sync::atomic::AtomicU64::new(0);
    let pause = move || {
        let number = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let shift = Seed::from(number).rng().below(2 * spread + 1);
        Duration::from_millis((wait + shift).saturating_sub(spread))
    };
    tokio::spawn(serve_crowd(Arc::clone(&crowd), listener, pause));
    let network = Arc::new(TcpNetwork { policy: AddressPolicy::Any });
    let settings = Settings { matches: options.matches, ..Settings::default() };
    let manager = Arc::new(Manager::new(network, Arc::new(store.clone()), settings));
    let begun = Instant::now();
    let cpu = cpu_seconds();
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
        if record.end != Some(MatchEnd::Terminal) || !record.errors.is_empty() {
            bail!("a match went wrong: {:?} {:?}", record.end, record.errors);
        }
        let id = record.id.clone().unwrap_or_default();
        crowd.judge(&record).map_err(|what| anyhow!("{id}: {what}"))?;
        let stored = store.load(&id).await?.ok_or_else(|| anyhow!("{id} is not stored"))?;
        if stored.record != record {
            bail!("{id} is stored as something else");
        }
        crowd.forget(&id);
        done += 1;
        if done % (options.total / 10).max(1) == 0 {
            memory.push(resident_mib());
        }
    }
    crowd.verdict().map_err(|what| anyhow!(what))?;
    let took = begun.elapsed().as_secs_f64();
    let metrics = manager.metrics();
    let ms = |time: Option<Duration>| time.map_or(f64::NAN, |time| time.as_secs_f64() * 1e3);
    let mut commits = store.commit_times();
    commits.times.sort_unstable();
    let commit = |share: f64| {
        let at = (commits.times.len() as f64 * share) as usize;
        commits.times.get(at.min(commits.times.len().saturating_sub(1))).copied()
    };
    let used = cpu_seconds() - cpu;
    println!("{done} matches, {} at once: none lost, all replayed and equal", options.matches);
    println!(
        "{took:.1} s, {used:.1} CPU s with the players; {:.0} turns per CPU second",
        metrics.turns() as f64 / used
    );
    println!(
        "overhead from the last answer to the next request, storing included: median {:.2} ms, \
         99th percentile {:.2} ms",
        ms(metrics.overhead_quantile(0.5)),
        ms(metrics.overhead_quantile(0.99))
    );
    println!(
        "commits: {} for {} appends, of which fsync and the like: median {:.2} ms, 99th percentile \
         {:.2} ms",
        commits.commits,
        commits.appends,
        ms(commit(0.5)),
        ms(commit(0.99))
    );
    println!("resident memory in MiB, every tenth of the run: {memory:?}");
    drop(manager);
    store.close().await;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

fn order(
    number: usize,
    port: u16,
    game: &Arc<dyn magister_core::Game>,
    wire: &Arc<magister_manager::WireGame>,
) -> Order {
    let seat = |seat: usize| SeatOrder::Remote {
        name: format!("p{number}-{seat}"),
        address: format!("http://127.0.0.1:{port}"),
        repeats: false,
    };
    Order {
        id: format!("load{number}"),
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
    // Without the state, which is a letter, user and system time are the 11th and 12th.
    fields.get(10).zip(fields.get(11)).map_or(0.0, |(user, system)| (user + system) / 100.0)
}
