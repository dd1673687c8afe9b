//! `magister serve`: the site.

use std::io::Write;
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, anyhow};
use magister_server::{Config, Limits, Site, may_bind, serve};

use super::player::log_to_stderr;
use crate::CLEAN;
use crate::args::Serve;

pub(crate) fn run(args: &Serve) -> Result<u8> {
    may_bind(args.bind, args.open_to_everyone).map_err(|what| anyhow!(what))?;
    log_to_stderr(&args.log);
    let mut limits = Limits::default();
    if let Some(threads) = args.threads {
        limits.threads = threads.max(1);
    }
    let config = Config {
        store: args.store.clone(),
        limits,
        loopback_only: args.bind.is_loopback(),
        // A public site must not reach into the network around it.
        private_players: args.bind.is_loopback(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let place = SocketAddr::new(args.bind, args.port);
        let listener = tokio::net::TcpListener::bind(place)
            .await
            .with_context(|| format!("cannot listen on {place}; --port 0 takes a free port"))?;
        let (site, resumed) = Site::open(&config).await.map_err(|error| anyhow!("{error}"))?;
        let address = format!("http://{}", listener.local_addr()?);
        let mut out = anstream::stdout();
        for one in resumed {
            writeln!(out, "match {} was running: {}", one.id, one.what)?;
        }
        writeln!(out, "The site is at {address} (end it with ^C).")?;
        out.flush()?;
        if args.open {
            browse(&address);
        }
        serve(site, listener, async {
            let _ = tokio::signal::ctrl_c().await;
        })
        .await?;
        anyhow::Ok(())
    })?;
    // A search that still runs is not waited for.
    runtime.shutdown_background();
    Ok(CLEAN)
}

/// Opens an address in the browser; where there is none, the printed address is enough.
fn browse(address: &str) {
    for program in ["xdg-open", "open"] {
        let mut command = Command::new(program);
        command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if command.spawn().is_ok() {
            return;
        }
    }
}
