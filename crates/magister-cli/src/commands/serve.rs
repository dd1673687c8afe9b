//! `magister serve`: the site.

use std::io::Write;
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use anyhow::{Result, anyhow};
use magister_server::{Config, Limits, Site, may_bind, serve};

use super::player::log_to_stderr;
use crate::CLEAN;
use crate::args::Serve;

pub(crate) fn run(args: &Serve) -> Result<u8> {
    let proxied = args.public_origin.is_some();
    may_bind(args.bind, proxied, args.open_to_everyone || args.accounts)
        .map_err(|what| anyhow!(what))?;
    log_to_stderr(&args.log);
    let mut limits = Limits::default();
    if let Some(threads) = args.threads {
        limits.threads = threads.max(1);
    }
    let config = Config {
        store: args.store.clone(),
        limits,
        loopback_only: args.bind.is_loopback(),
        // A public site must not access the network around it, unless its operator allows this.
        private_players: args.private_players || args.bind.is_loopback() && !proxied,
        agents: args.agents.clone(),
        accounts: args.accounts,
        base_path: args.base_path.clone(),
        public_origin: args.public_origin.clone(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let place = SocketAddr::new(args.bind, args.port);
        let listener = tokio::net::TcpListener::bind(place).await.map_err(|error| {
            anyhow!("cannot listen on {place}: {error}; --port 0 picks a free port")
        })?;
        let (site, resumed) = Site::open(&config).await.map_err(|error| anyhow!("{error}"))?;
        let address = format!("http://{}{}", listener.local_addr()?, site.base_path());
        let mut out = anstream::stdout();
        for one in resumed {
            writeln!(out, "match {} was running: {}", one.id, one.what)?;
        }
        if let Some((name, password)) = administrator(&site, args).await? {
            writeln!(out, "The administrator {name} has the password {password}")?;
            writeln!(out, "It is shown only now. Sign in at {address}/signin and change it.")?;
        }
        writeln!(out, "The site is at {address} (^C stops it).")?;
        // The address of a database may contain a password.
        if let Some(file) = args.store.strip_prefix("sqlite:") {
            writeln!(out, "Matches and accounts are stored in {file}.")?;
        }
        for one in site.hub.trainings.from_folder() {
            let game = one.agent.game();
            let rules = site.game(game).await.ok().map(|open| open.rules_hash().to_owned());
            if rules.as_deref() != Some(one.agent.rules_hash()) {
                writeln!(
                    out,
                    "The agent {} does not play: it learned {game}, and this site has no game with \
                     these rules. Train it again.",
                    one.id
                )?;
            }
        }
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
    // Does not wait for a search that is still running.
    runtime.shutdown_background();
    Ok(CLEAN)
}

/// Creates the requested administrator, or the first one of a site with accounts.
async fn administrator(site: &Site, args: &Serve) -> Result<Option<(String, String)>> {
    let store = &site.hub.store;
    let failed = |error| anyhow!("{error}");
    let name = match &args.new_admin {
        Some(name) => name.clone(),
        None if !args.accounts || site.accounts.has_admin(store).await.map_err(failed)? => {
            return Ok(None);
        }
        None => "admin".to_owned(),
    };
    let password = site.accounts.make_admin(store, &name).await.map_err(failed)?;
    Ok(Some((name, password)))
}

/// Opens a URL in the browser; without a browser, the printed URL suffices.
fn browse(address: &str) {
    for program in ["xdg-open", "open"] {
        let mut command = Command::new(program);
        command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if command.spawn().is_ok() {
            return;
        }
    }
}
