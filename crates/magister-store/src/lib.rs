//! Games, matches, players and ratings, in `SQLite` or `PostgreSQL`.
//!
//! A match is written as a log of [`Entry`]s: it begins, requests are sent, answers arrive, steps
//! are made, it ends. [`Store::append`] returns when its entries are durable. From the log,
//! [`StoredMatch`] rebuilds the record of the match so far, so that a manager that was killed can
//! resume it.
//!
//! [`SqlStore`] opens `sqlite:FILE` and `postgres://...`; both run the same statements.
//! [`MemoryStore`] keeps everything in memory, for tests and simulations. [`Archive`] contains the
//! other data of a server: lists, ratings, accounts, uploads, tournaments.

#![forbid(unsafe_code)]

mod archive;
mod batch;
mod documents;
mod entry;
mod error;
mod ggp;
mod memory;
mod sql;
mod sql_archive;
mod sql_write;
mod upkeep;
mod writer;

use std::future::Future;

pub use archive::{Account, AccountRole, Archive, Session, Tournament, TournamentStatus, Upload};
pub use entry::{AnswerBody, Entry, Place, RequestKey, RequestKind, Status, StepBody, StoredMatch};
pub use error::StoreError;
pub use ggp::{GgpError, GgpMatch};
pub use memory::MemoryStore;
pub use sql::{Filter, MatchLine, Origin, RatingRow, SqlStore};
pub use writer::CommitTimes;

/// A store for matches while they are played.
pub trait Store: Send + Sync + 'static {
    /// Adds entries to the logs of matches. When the future completes, they are durable: they
    /// survive a crash of the process or of the machine. All entries of one call become durable
    /// together.
    fn append(&self, entries: Vec<Entry>) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// The commit times; `None` if nothing is written to a disk.
    fn commit_times(&self) -> Option<CommitTimes> {
        None
    }

    /// The matches that have not ended, and those whose players have not all been sent STOP.
    fn unfinished(&self) -> impl Future<Output = Result<Vec<StoredMatch>, StoreError>> + Send;

    /// A match by its name.
    fn load(
        &self,
        id: &str,
    ) -> impl Future<Output = Result<Option<StoredMatch>, StoreError>> + Send;
}
