//! Group commit: concurrent appends of many matches share one transaction.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::{AnyConnection, AnyPool, Connection as _, Executor as _};
use tokio::sync::{mpsc, oneshot};

use crate::sql_write::statements;
use crate::{Entry, StoreError};

/// The maximum number of appends in one transaction.
const MOST: usize = 512;

/// An append that waits for its transaction.
pub(crate) struct Append {
    pub(crate) entries: Vec<Entry>,
    pub(crate) done: oneshot::Sender<Result<(), StoreError>>,
}

impl Append {
    fn reply(self, result: Result<(), StoreError>) {
        // A match that no longer waits does not need the result.
        let _ = self.done.send(result);
    }
}

/// Statistics of commit times, which consist mostly of fsync.
#[derive(Clone, Copy, Debug, Default)]
pub struct CommitTimes {
    /// The number of commits.
    pub commits: u64,
    /// The number of appends in these commits.
    pub appends: u64,
    /// The sum of the times.
    pub total: Duration,
    /// The number of commits that took at most as long as each of [`CommitTimes::BOUNDS`].
    pub counts: [u64; CommitTimes::BOUNDS.len()],
}

impl CommitTimes {
    /// The upper bounds of the counts, in seconds.
    pub const BOUNDS: [f64; 8] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 1.0];
}

/// The statistics, with the individual times of the last commits.
#[derive(Debug, Default)]
pub(crate) struct CommitLog {
    pub(crate) times: CommitTimes,
    pub(crate) recent: VecDeque<Duration>,
}

/// The number of commits whose times are kept individually.
const RECENT: usize = 100_000;

impl CommitLog {
    fn note(&mut self, appends: usize, time: Duration) {
        let times = &mut self.times;
        times.commits += 1;
        times.appends += appends as u64;
        times.total += time;
        for (count, bound) in times.counts.iter_mut().zip(CommitTimes::BOUNDS) {
            *count += u64::from(time.as_secs_f64() <= bound);
        }
        if self.recent.len() >= RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(time);
    }
}

/// Writes appends until all senders are gone.
pub(crate) async fn run(
    pool: AnyPool,
    sqlite: bool,
    mut appends: mpsc::Receiver<Append>,
    times: Arc<Mutex<CommitLog>>,
) {
    let mut writer = Writer { pool, sqlite, times, held: None };
    while let Some(first) = appends.recv().await {
        let mut group = vec![first];
        while group.len() < MOST
            && let Ok(next) = appends.try_recv()
        {
            group.push(next);
        }
        match writer.write(&group).await {
            Ok(()) => group.into_iter().for_each(|append| append.reply(Ok(()))),
            Err(error) => {
                tracing::warn!(%error, appends = group.len(), "a transaction failed");
                // Each append is retried in its own transaction, so that only the one that the
                // database refuses fails. Entries that were written before are not written twice.
                for append in group {
                    let result = writer.write(std::slice::from_ref(&append)).await;
                    append.reply(result);
                }
            }
        }
    }
}

/// A connection that writes.
struct Writer {
    pool: AnyPool,
    sqlite: bool,
    times: Arc<Mutex<CommitLog>>,
    held: Option<sqlx::pool::PoolConnection<sqlx::Any>>,
}

impl Writer {
    /// Writes appends in one transaction.
    async fn write(&mut self, group: &[Append]) -> Result<(), StoreError> {
        let mut connection = match self.held.take() {
            Some(connection) => connection,
            None => self.pool.acquire().await?,
        };
        match commit(&mut connection, self.sqlite, group, &self.times).await {
            Ok(()) => {
                self.held = Some(connection);
                Ok(())
            }
            Err(error) => {
                // The connection may be broken, or in the middle of a transaction, so it is
                // replaced.
                let _ = connection.detach().close_hard().await;
                Err(error)
            }
        }
    }
}

async fn commit(
    connection: &mut AnyConnection,
    sqlite: bool,
    group: &[Append],
    times: &Mutex<CommitLog>,
) -> Result<(), StoreError> {
    // In `SQLite`, a transaction that begins with a read could not be upgraded to a write while
    // another process writes.
    let begin = if sqlite { "BEGIN IMMEDIATE" } else { "BEGIN" };
    let batch = statements(begin, group.iter().flat_map(|append| &append.entries))?;
    batch.execute(connection, sqlite).await?;
    let begun = Instant::now();
    connection.execute("COMMIT").await?;
    let mut times = times.lock().unwrap_or_else(PoisonError::into_inner);
    times.note(group.len(), begun.elapsed());
    Ok(())
}
