//! Group commit: entries that many matches append at the same time share one transaction.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::{AnyConnection, AnyPool, Connection as _};
use tokio::sync::{mpsc, oneshot};

use crate::sql::write;
use crate::{Entry, StoreError};

/// How many appends one transaction may hold.
const MOST: usize = 512;

/// An append that waits for its transaction.
pub(crate) struct Append {
    pub(crate) entries: Vec<Entry>,
    pub(crate) done: oneshot::Sender<Result<(), StoreError>>,
}

/// How long commits took, which is mostly the time of fsync.
#[derive(Clone, Debug, Default)]
pub struct CommitTimes {
    /// The number of commits.
    pub commits: u64,
    /// The number of appends in them.
    pub appends: u64,
    /// The sum of the times.
    pub total: Duration,
    /// The last times, at most 100,000.
    pub times: Vec<Duration>,
}

impl CommitTimes {
    fn note(&mut self, appends: usize, time: Duration) {
        self.commits += 1;
        self.appends += appends as u64;
        self.total += time;
        if self.times.len() >= 100_000 {
            self.times.drain(..50_000);
        }
        self.times.push(time);
    }
}

/// Writes appends until all senders are gone.
pub(crate) async fn run(
    pool: AnyPool,
    mut appends: mpsc::Receiver<Append>,
    times: Arc<Mutex<CommitTimes>>,
) {
    let mut held = None;
    while let Some(first) = appends.recv().await {
        let mut group = vec![first];
        while group.len() < MOST
            && let Ok(next) = appends.try_recv()
        {
            group.push(next);
        }
        let result = match connection(&pool, &mut held).await {
            Ok(connection) => commit(connection, &group, &times).await,
            Err(error) => Err(error),
        };
        if result.is_err() {
            // A broken connection is made anew.
            held = None;
        }
        for append in group {
            // The player that does not wait any more does not need to know.
            let _ = append.done.send(result.clone());
        }
    }
}

async fn connection<'a>(
    pool: &AnyPool,
    held: &'a mut Option<sqlx::pool::PoolConnection<sqlx::Any>>,
) -> Result<&'a mut AnyConnection, StoreError> {
    if held.is_none() {
        *held = Some(pool.acquire().await?);
    }
    held.as_deref_mut().ok_or(StoreError::Closed)
}

async fn commit(
    connection: &mut AnyConnection,
    group: &[Append],
    times: &Mutex<CommitTimes>,
) -> Result<(), StoreError> {
    let mut transaction = connection.begin().await?;
    let entries: Vec<&Entry> = group.iter().flat_map(|append| &append.entries).collect();
    write(&mut transaction, &entries).await?;
    let begun = Instant::now();
    transaction.commit().await?;
    let mut times = times.lock().unwrap_or_else(PoisonError::into_inner);
    times.note(group.len(), begun.elapsed());
    Ok(())
}
