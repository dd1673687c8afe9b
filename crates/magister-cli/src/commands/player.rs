//! `magister player`: a player for GGP servers.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Result, anyhow};
use magister_core::Seed;
use magister_manager::player::{GgpPlayer, PlayerOptions, ServeOptions, serve};

use crate::CLEAN;
use crate::args::Player;

pub(crate) fn run(args: &Player) -> Result<u8> {
    log_to_stderr(&args.log);
    let agent = args.agent.clone();
    let agent = agent.map(|spec| args.memory.map_or(spec.clone(), |most| spec.with_memory(most)));
    let name = args.name.clone().unwrap_or_else(|| match &agent {
        Some(spec) => format!("magister-{}", spec.entry().name),
        None => "magister".to_owned(),
    });
    let seed = args.seed.map_or_else(fresh_seed, Seed::from);
    let options = PlayerOptions {
        iterations: args.iterations,
        at_once: args.at_once,
        ..PlayerOptions::new(&name, agent, seed)
    };
    let player = Arc::new(GgpPlayer::new(options));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let place = (args.host, args.port);
        let listener = tokio::net::TcpListener::bind(place);
        let listener = listener.await.map_err(|error| {
            let (host, port) = (args.host, args.port);
            anyhow!("cannot listen on {host}:{port}: {error}; --port 0 picks a free port")
        })?;
        let port = listener.local_addr()?.port();
        let mut out = anstream::stdout();
        writeln!(out, "listening on http://{}:{port}", args.host)?;
        out.flush()?;
        let watched = Arc::clone(&player);
        let matches = args.matches;
        let over = async move {
            let played = async {
                loop {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    if matches.is_some_and(|most| watched.finished() >= most) {
                        // The reply to the last STOP is still being sent.
                        tokio::time::sleep(Duration::from_millis(200)).await;
                        return;
                    }
                }
            };
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                () = played => {}
            }
        };
        serve(player, listener, ServeOptions::default(), over).await?;
        anyhow::Ok(())
    })?;
    // Does not wait for an agent that is still thinking.
    runtime.shutdown_background();
    Ok(CLEAN)
}

fn fresh_seed() -> Seed {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Seed::from(now.as_nanos() as u64).derive_index(u64::from(std::process::id()))
}

/// Writes log messages to standard error.
pub(crate) fn log_to_stderr(level: &str) {
    let filter = tracing_subscriber::EnvFilter::try_new(level)
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_target(false)
        .try_init();
}
