//! Arguments of `magister serve`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Parser;

/// Start the site: play, watch, write and manage games in a browser
#[derive(Debug, Parser)]
#[command(
    after_help = "Everything runs on one port: the pages, the API under /api/ and the counters \
under /metrics. Matches are stored move by move and resume after a restart. By default, only this \
machine can reach the site, and everyone on it may do everything. A site that others can reach \
needs --accounts or --open-to-everyone. With --accounts, guests have read-only access; the first \
start creates the administrator `admin` and prints the password.

Examples:
  magister serve
  magister serve --open --port 8080
  magister serve --store sqlite:club.db
  magister serve --agents agents
  magister serve --bind 0.0.0.0 --accounts
  magister serve --accounts --base-path /games \\
    --public-origin https://example.org"
)]
#[expect(clippy::struct_excessive_bools, reason = "options are flags")]
pub(crate) struct Serve {
    /// Port; 0 picks a free port
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
    /// Require people to sign in; guests can only watch
    #[arg(long)]
    pub(crate) accounts: bool,
    /// Make NAME an administrator with a new password
    #[arg(long, value_name = "NAME", requires = "accounts")]
    pub(crate) new_admin: Option<String>,
    /// Path at which a reverse proxy serves the site
    #[arg(long, value_name = "PATH", default_value = "", hide_default_value = true)]
    pub(crate) base_path: String,
    /// Public origin of the site behind a proxy, such as `https://example.org`
    #[arg(long, value_name = "URL")]
    pub(crate) public_origin: Option<String>,
    /// Let everyone who can reach the address use the site
    #[arg(long)]
    pub(crate) open_to_everyone: bool,
    /// Offer the learned agents in this folder as opponents; `magister train --popular` makes some
    #[arg(long, value_name = "FOLDER")]
    pub(crate) agents: Option<PathBuf>,
    /// Allow remote players of a public site at addresses in private networks
    #[arg(long)]
    pub(crate) private_players: bool,
    /// Search threads [default: one per processor]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Log level: error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    pub(crate) log: String,
}

/// Copy an SQLite store to a new file while its site keeps running
#[derive(Debug, Parser)]
#[command(
    after_help = "The copy is a consistent snapshot. It contains the hashes of passwords, so keep \
it where only you can read it. To restore a backup, stop the site and start it with --store sqlite:COPY.

Examples:
  magister backup monday.db
  magister backup --store sqlite:club.db club-monday.db"
)]
pub(crate) struct Backup {
    /// The new file
    pub(crate) file: PathBuf,
    /// The store: sqlite:FILE
    #[arg(
        long,
        value_name = "URL",
        env = "MAGISTER_STORE",
        hide_env_values = true,
        default_value = "sqlite:magister.db"
    )]
    pub(crate) store: String,
}
