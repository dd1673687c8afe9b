//! Arguments of `magister serve`.

use std::net::IpAddr;

use clap::Parser;

/// Start the site: play, watch, write and manage games in a browser
#[derive(Debug, Parser)]
#[command(
    after_help = "Everything runs on one port: the pages, the API under /api/ and the counters \
under /metrics. Matches are stored move by move and go on after a restart. By default only this \
machine can reach the site. The site has no accounts, so --bind with an address that others can \
reach also needs --open-to-everyone.

Examples:
  magister serve
  magister serve --open --port 8080
  magister serve --store sqlite:club.db
  magister serve --bind 0.0.0.0 --open-to-everyone"
)]
pub(crate) struct Serve {
    /// Port; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 9876)]
    pub(crate) port: u16,
    /// The store: sqlite:FILE or `postgres://user@host/database`
    #[arg(
        long,
        value_name = "URL",
        env = "MAGISTER_STORE",
        hide_env_values = true,
        default_value = "sqlite:magister.db"
    )]
    pub(crate) store: String,
    /// Open the site in the browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) bind: IpAddr,
    /// Let everyone who can reach the address use the site
    #[arg(long)]
    pub(crate) open_to_everyone: bool,
    /// Search threads [default: one per processor]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// What is logged: error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    pub(crate) log: String,
}
