//! Matches in `SQLite` or `PostgreSQL`, by the same statements.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use magister_core::MatchRecord;
use sqlx::AnyConnection;
use sqlx::any::{AnyPoolOptions, AnyRow};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AnyPool, Executor as _, Row as _, SqlSafeStr as _};
use tokio::sync::{mpsc, oneshot};

use crate::entry::AnswerBody;
use crate::writer::{self, Append, CommitLog};
use crate::{
    Archive as _, CommitTimes, Entry, Place, RequestKey, RequestKind, Status, StepBody, Store,
    StoreError, StoredMatch,
};

/// A store in `SQLite` (`sqlite:FILE`) or `PostgreSQL` (`postgres://...`).
///
/// Appends go through one writer, which combines waiting ones into one transaction. `SQLite` runs
/// in WAL mode with `synchronous=FULL`, so a committed transaction survives a loss of power.
#[derive(Clone, Debug)]
pub struct SqlStore {
    pub(crate) pool: AnyPool,
    pub(crate) is_sqlite: bool,
    appends: mpsc::Sender<Append>,
    times: Arc<Mutex<CommitLog>>,
}

/// A filter for matches.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only matches of this game.
    pub game: Option<String>,
    /// Only matches of this player.
    pub player: Option<String>,
    /// Only matches with this status.
    pub status: Option<Status>,
    /// Only matches of this tournament.
    pub tournament: Option<String>,
    /// Only the newest N.
    pub limit: Option<u32>,
}

/// Data about matches that were played elsewhere, besides their records.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin<'a> {
    /// Their rules.
    pub rules: Option<&'a str>,
    /// When they began, in milliseconds since 1970; now if that is not known.
    pub started_ms: Option<i64>,
    /// The tournament that they belong to.
    pub tournament: Option<&'a str>,
}

/// A match in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchLine {
    /// Its name.
    pub id: String,
    /// The game.
    pub game: String,
    /// SHA-256 of the rules.
    pub rules_hash: String,
    /// Its status.
    pub status: Status,
    /// When it began, in milliseconds since 1970.
    pub started_ms: i64,
    /// When it ended.
    pub ended_ms: Option<i64>,
    /// The tournament that it belongs to.
    pub tournament: Option<String>,
    /// The players in seat order, with the reward and the number of faults of each.
    pub seats: Vec<(String, Option<f64>, i64)>,
}

/// A computed rating.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingRow {
    /// The rating scale.
    pub scale: String,
    /// The game; empty for all games together.
    pub game: String,
    /// The player.
    pub player: String,
    /// The rating.
    pub rating: f64,
    /// The 95 % interval, if there is one.
    pub interval: Option<(f64, f64)>,
}

static DRIVERS: Once = Once::new();

/// The maximum number of concurrent connections for reading.
const CONNECTIONS: u32 = 4;

impl SqlStore {
    /// Opens a store and migrates its tables.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        DRIVERS.call_once(sqlx::any::install_default_drivers);
        let is_path = !url.is_empty() && !url.contains(':');
        let url = if is_path { &*format!("sqlite:{url}") } else { url };
        let sqlite = url.starts_with("sqlite:");
        if !sqlite && !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            // The address may contain a password, so it is not repeated.
            return Err(StoreError::Address("the address of the store is not known".to_owned()));
        }
        let full =
            if sqlite && !url.contains('?') { format!("{url}?mode=rwc") } else { url.into() };
        let options = AnyPoolOptions::new()
            .max_connections(CONNECTIONS + 1)
            .acquire_timeout(Duration::from_secs(30))
            .after_connect(move |connection, _| {
                Box::pin(async move {
                    if sqlite {
                        for pragma in [
                            "PRAGMA busy_timeout=30000",
                            "PRAGMA journal_mode=WAL",
                            "PRAGMA synchronous=FULL",
                        ] {
                            connection.execute(pragma).await?;
                        }
                    }
                    Ok(())
                })
            });
        let pool = options.connect(&full).await?;
        migrator().run(&pool).await.map_err(|error| StoreError::Database(error.to_string()))?;
        let (appends, waiting) = mpsc::channel(4096);
        let times: Arc<Mutex<CommitLog>> = Arc::default();
        tokio::spawn(writer::run(pool.clone(), sqlite, waiting, Arc::clone(&times)));
        Ok(SqlStore { pool, is_sqlite: sqlite, appends, times })
    }

    /// The times of the last commits.
    pub fn recent_commits(&self) -> Vec<Duration> {
        let log = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        log.recent.iter().copied().collect()
    }

    /// Waits until all data is written and closes the connections.
    pub async fn close(self) {
        let SqlStore { pool, appends, .. } = self;
        drop(appends);
        pool.close().await;
    }

    /// Stores matches that were played elsewhere. Existing matches are not changed. Returns the
    /// number of new ones.
    pub async fn import(
        &self,
        records: &[MatchRecord],
        origin: &Origin<'_>,
    ) -> Result<usize, StoreError> {
        let mut new = 0;
        for record in records {
            let mut record = record.clone();
            let id = match record.id.clone().filter(|id| !id.is_empty()) {
                Some(id) => id,
                None => content_id(&record)?,
            };
            record.id = Some(id.clone());
            if self.line(&id).await?.is_some() {
                continue;
            }
            let at_ms = origin.started_ms.unwrap_or_else(now_ms);
            let took: f64 =
                record.times_ms.iter().map(|row| row.iter().fold(0.0, |a: f64, &b| a.max(b))).sum();
            let ended_ms = at_ms.saturating_add(took as i64);
            let places = record.players.iter().map(|_| Place::default()).collect();
            let head = MatchRecord {
                moves: Vec::new(),
                percepts: Vec::new(),
                gains: Vec::new(),
                silent: Vec::new(),
                times_ms: Vec::new(),
                errors: Vec::new(),
                thoughts: Vec::new(),
                answers: Vec::new(),
                end: None,
                ..record.clone()
            };
            let steps = (0..record.moves.len()).map(|at| StepBody::of(&record, at)).collect();
            let turn = record.moves.len() - record.silent.len().min(record.moves.len());
            let mut entries = vec![
                Entry::Begun {
                    record: Box::new(head),
                    places,
                    rules: origin.rules.map(str::to_owned),
                    tournament: origin.tournament.map(str::to_owned),
                    manner: None,
                    at_ms,
                },
                Entry::Stepped { id: id.clone(), turn, from: 0, steps },
            ];
            entries.push(Entry::Ended { record: Box::new(record), at_ms: ended_ms });
            entries.push(Entry::Dismissed { id });
            self.append(entries).await?;
            new += 1;
        }
        Ok(new)
    }

    async fn line(&self, id: &str) -> Result<Option<AnyRow>, StoreError> {
        let query = sqlx::query(
            "SELECT head, record, status, started_ms, tournament, rules_hash, manner FROM matches
             WHERE id = $1",
        );
        Ok(query.bind(id.to_owned()).fetch_optional(&self.pool).await?)
    }
}

impl Store for SqlStore {
    async fn append(&self, entries: Vec<Entry>) -> Result<(), StoreError> {
        let (done, result) = oneshot::channel();
        let append = Append { entries, done };
        self.appends.send(append).await.map_err(|_| StoreError::Closed)?;
        result.await.unwrap_or(Err(StoreError::Closed))
    }

    fn commit_times(&self) -> Option<CommitTimes> {
        Some(self.times.lock().unwrap_or_else(PoisonError::into_inner).times)
    }

    async fn unfinished(&self) -> Result<Vec<StoredMatch>, StoreError> {
        let query = sqlx::query(
            "SELECT id FROM matches WHERE status = $1 OR status = $2 ORDER BY started_ms, id",
        );
        let query = query.bind(Status::Running.name()).bind(Status::Ending.name());
        let mut all = Vec::new();
        for row in query.fetch_all(&self.pool).await? {
            let id: String = row.try_get(0)?;
            all.extend(self.load(&id).await?);
        }
        Ok(all)
    }

    async fn load(&self, id: &str) -> Result<Option<StoredMatch>, StoreError> {
        let Some(row) = self.line(id).await? else { return Ok(None) };
        let head: String = row.try_get(0)?;
        let record: Option<String> = row.try_get(1)?;
        let status = Status::parse(&row.try_get::<String, _>(2)?);
        let hash: String = row.try_get(5)?;
        let places = self.places(id).await?;
        let rules = self.game(&hash).await?;
        let first: MatchRecord = serde_json::from_str(&head)?;
        let (started_ms, tournament) = (row.try_get(3)?, row.try_get(4)?);
        let mut stored = StoredMatch::begun(first, places, rules, tournament, started_ms);
        stored.manner = row.try_get(6)?;
        let steps =
            sqlx::query("SELECT step, turn, body FROM steps WHERE match_id = $1 ORDER BY step");
        for row in steps.bind(id.to_owned()).fetch_all(&self.pool).await? {
            let body: StepBody = serde_json::from_str(&row.try_get::<String, _>(2)?)?;
            stored.step(row.try_get::<i64, _>(0)? as usize, &body);
            stored.turn = row.try_get::<i64, _>(1)? as usize;
        }
        if let Some(record) = record {
            stored.record = serde_json::from_str(&record)?;
            stored.status = status;
            return Ok(Some(stored));
        }
        self.requests(id).await?.into_iter().for_each(|key| stored.request(key));
        let answers = sqlx::query(
            "SELECT kind, turn, seat, body FROM answers WHERE match_id = $1
             ORDER BY kind DESC, turn, seat",
        );
        for row in answers.bind(id.to_owned()).fetch_all(&self.pool).await? {
            if let Some(key) = key(id, &row)? {
                let body: AnswerBody = serde_json::from_str(&row.try_get::<String, _>(3)?)?;
                stored.answer(&key, &body);
            }
        }
        Ok(Some(stored))
    }
}

impl SqlStore {
    async fn places(&self, id: &str) -> Result<Vec<Place>, StoreError> {
        let rows =
            sqlx::query("SELECT address, repeats FROM seats WHERE match_id = $1 ORDER BY seat")
                .bind(id.to_owned())
                .fetch_all(&self.pool)
                .await?;
        rows.iter()
            .map(|row| {
                Ok(Place { address: row.try_get(0)?, repeats: row.try_get::<i64, _>(1)? != 0 })
            })
            .collect()
    }

    async fn requests(&self, id: &str) -> Result<BTreeSet<RequestKey>, StoreError> {
        let rows = sqlx::query("SELECT kind, turn, seat FROM requests WHERE match_id = $1")
            .bind(id.to_owned())
            .fetch_all(&self.pool)
            .await?;
        let keys: Result<Vec<Option<RequestKey>>, _> =
            rows.iter().map(|row| key(id, row)).collect();
        Ok(keys?.into_iter().flatten().collect())
    }
}

fn key(id: &str, row: &AnyRow) -> Result<Option<RequestKey>, StoreError> {
    let kind = RequestKind::parse(&row.try_get::<String, _>(0)?);
    let (turn, seat): (i64, i64) = (row.try_get(1)?, row.try_get(2)?);
    let key =
        |kind| RequestKey { id: id.to_owned(), kind, turn: turn as usize, seat: seat as usize };
    Ok(kind.map(key))
}

/// The migrations of the tables, in order. A released migration is never edited.
fn migrator() -> Migrator {
    let all = [
        (1, "first tables", include_str!("../migrations/0001_first.sql")),
        (2, "documents", include_str!("../migrations/0002_documents.sql")),
        (3, "accounts", include_str!("../migrations/0003_accounts.sql")),
    ];
    let made = all.map(|(version, what, sql)| {
        Migration::new(version, what.into(), MigrationType::Simple, sql.into_sql_str(), false)
    });
    Migrator::with_migrations(made.to_vec())
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as i64
}

/// A name for a match without one, derived from its content: the same match has the same name.
fn content_id(record: &MatchRecord) -> Result<String, StoreError> {
    let text = serde_json::to_string(record)?;
    Ok(format!("import-{}", &magister_core::rules_hash(&text)[..24]))
}

pub(crate) async fn put_game(
    connection: &mut AnyConnection,
    hash: &str,
    name: &str,
    rules: &str,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO games (rules_hash, name, rules, added_ms) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING",
    )
    .bind(hash.to_owned())
    .bind(name.to_owned())
    .bind(rules.to_owned())
    .bind(now_ms())
    .execute(connection)
    .await?;
    Ok(())
}
