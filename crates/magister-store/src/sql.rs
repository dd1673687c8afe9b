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
use crate::writer::{self, Append, CommitTimes};
use crate::{
    Entry, Place, RequestKey, RequestKind, Status, StepBody, Store, StoreError, StoredMatch,
};

/// A store in `SQLite` (`sqlite:FILE`) or `PostgreSQL` (`postgres://...`).
///
/// Appends go through one writer, which puts those that wait into one transaction. `SQLite` runs in
/// WAL mode with `synchronous=FULL`, so a committed transaction survives a loss of power.
#[derive(Clone, Debug)]
pub struct SqlStore {
    pub(crate) pool: AnyPool,
    appends: mpsc::Sender<Append>,
    times: Arc<Mutex<CommitTimes>>,
}

/// Which matches are wanted.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Of this game.
    pub game: Option<String>,
    /// In which this player took part.
    pub player: Option<String>,
    /// In this state.
    pub status: Option<Status>,
    /// Of this tournament.
    pub tournament: Option<String>,
    /// At most N, the newest.
    pub limit: Option<u32>,
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
    /// How far it is.
    pub status: Status,
    /// When it began, in milliseconds since 1970.
    pub started_ms: i64,
    /// When it ended.
    pub ended_ms: Option<i64>,
    /// The players in seat order, with what each got and the number of its faults.
    pub seats: Vec<(String, Option<f64>, i64)>,
}

/// A rating that was computed.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingRow {
    /// The way of rating.
    pub scale: String,
    /// The game; empty for all games together.
    pub game: String,
    /// The player.
    pub player: String,
    /// The rating.
    pub rating: f64,
    /// The interval of 95 %, if there is one.
    pub interval: Option<(f64, f64)>,
}

static DRIVERS: Once = Once::new();

/// Connections that read at the same time.
const CONNECTIONS: u32 = 4;

impl SqlStore {
    /// Opens a store and brings its tables up to date.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        DRIVERS.call_once(sqlx::any::install_default_drivers);
        let sqlite = url.starts_with("sqlite:");
        if !sqlite && !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            // The address may hold a password, so it is not repeated.
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
        let times: Arc<Mutex<CommitTimes>> = Arc::default();
        tokio::spawn(writer::run(pool.clone(), waiting, Arc::clone(&times)));
        Ok(SqlStore { pool, appends, times })
    }

    /// How long commits took.
    pub fn commit_times(&self) -> CommitTimes {
        self.times.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until everything is written and closes the connections.
    pub async fn close(self) {
        let SqlStore { pool, appends, .. } = self;
        drop(appends);
        pool.close().await;
    }

    /// Stores matches that were played elsewhere. Matches that are there already stay as they are.
    /// Gives the number of new ones.
    pub async fn import(
        &self,
        records: &[MatchRecord],
        rules: Option<&str>,
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
            let at_ms = now_ms();
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
                    rules: rules.map(str::to_owned),
                    tournament: None,
                    at_ms,
                },
                Entry::Stepped { id: id.clone(), turn, from: 0, steps },
            ];
            entries.push(Entry::Ended { record: Box::new(record), at_ms });
            entries.push(Entry::Dismissed { id });
            self.append(entries).await?;
            new += 1;
        }
        Ok(new)
    }

    /// The matches that fit, the oldest first.
    pub async fn list(&self, filter: &Filter) -> Result<Vec<MatchLine>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, game, rules_hash, status, started_ms, ended_ms FROM matches
             WHERE ($1 = '' OR game = $1) AND ($2 = '' OR status = $2)
               AND ($3 = '' OR tournament = $3)
               AND ($4 = '' OR EXISTS (
                    SELECT 1 FROM seats WHERE seats.match_id = matches.id AND seats.player = $4))
             ORDER BY started_ms DESC, id DESC LIMIT $5",
        )
        .bind(filter.game.clone().unwrap_or_default())
        .bind(filter.status.map_or("", Status::name).to_owned())
        .bind(filter.tournament.clone().unwrap_or_default())
        .bind(filter.player.clone().unwrap_or_default())
        .bind(filter.limit.map_or(i64::MAX, i64::from))
        .fetch_all(&self.pool)
        .await?;
        let mut lines = Vec::new();
        for row in rows.iter().rev() {
            let id: String = row.try_get(0)?;
            lines.push(MatchLine {
                seats: self.seats(&id).await?,
                id,
                game: row.try_get(1)?,
                rules_hash: row.try_get(2)?,
                status: Status::parse(&row.try_get::<String, _>(3)?),
                started_ms: row.try_get(4)?,
                ended_ms: row.try_get(5)?,
            });
        }
        Ok(lines)
    }

    async fn seats(&self, id: &str) -> Result<Vec<(String, Option<f64>, i64)>, StoreError> {
        let rows = sqlx::query(
            "SELECT player, reward, faults FROM seats WHERE match_id = $1 ORDER BY seat",
        )
        .bind(id.to_owned())
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))).collect()
    }

    async fn line(&self, id: &str) -> Result<Option<AnyRow>, StoreError> {
        let query = sqlx::query(
            "SELECT head, record, status, started_ms, tournament, rules_hash FROM matches
             WHERE id = $1",
        );
        Ok(query.bind(id.to_owned()).fetch_optional(&self.pool).await?)
    }

    /// Stores the rules of a game.
    pub async fn put_game(&self, hash: &str, name: &str, rules: &str) -> Result<(), StoreError> {
        let mut connection = self.pool.acquire().await?;
        put_game(&mut connection, hash, name, rules).await
    }

    /// The rules of a game.
    pub async fn game(&self, hash: &str) -> Result<Option<String>, StoreError> {
        let query = sqlx::query("SELECT rules FROM games WHERE rules_hash = $1");
        let row = query.bind(hash.to_owned()).fetch_optional(&self.pool).await?;
        Ok(row.map(|row| row.try_get(0)).transpose()?)
    }

    /// Replaces the ratings of a scale.
    pub async fn put_ratings(&self, scale: &str, rows: &[RatingRow]) -> Result<(), StoreError> {
        let mut transaction = self.pool.begin().await?;
        let delete = sqlx::query("DELETE FROM ratings WHERE scale = $1").bind(scale.to_owned());
        delete.execute(&mut *transaction).await?;
        for row in rows {
            sqlx::query(
                "INSERT INTO ratings (scale, game, player, rating, low, high, updated_ms)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
            )
            .bind(scale.to_owned())
            .bind(row.game.clone())
            .bind(row.player.clone())
            .bind(row.rating)
            .bind(row.interval.map(|(low, _)| low))
            .bind(row.interval.map(|(_, high)| high))
            .bind(now_ms())
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// The ratings of a scale.
    pub async fn ratings(&self, scale: &str) -> Result<Vec<RatingRow>, StoreError> {
        let rows = sqlx::query(
            "SELECT game, player, rating, low, high FROM ratings WHERE scale = $1
             ORDER BY game, rating DESC",
        )
        .bind(scale.to_owned())
        .fetch_all(&self.pool)
        .await?;
        rows.iter()
            .map(|row| {
                let (low, high): (Option<f64>, Option<f64>) = (row.try_get(3)?, row.try_get(4)?);
                Ok(RatingRow {
                    scale: scale.to_owned(),
                    game: row.try_get(0)?,
                    player: row.try_get(1)?,
                    rating: row.try_get(2)?,
                    interval: low.zip(high),
                })
            })
            .collect()
    }
}

impl Store for SqlStore {
    async fn append(&self, entries: Vec<Entry>) -> Result<(), StoreError> {
        let (done, result) = oneshot::channel();
        let append = Append { entries, done };
        self.appends.send(append).await.map_err(|_| StoreError::Closed)?;
        result.await.unwrap_or(Err(StoreError::Closed))
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

/// The changes of the tables, in order. A change that was released is never edited.
fn migrator() -> Migrator {
    let all = [
        (1, "first tables", include_str!("../migrations/0001_first.sql")),
        (2, "documents", include_str!("../migrations/0002_documents.sql")),
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

/// A name for a match without one: the same match has the same name.
fn content_id(record: &MatchRecord) -> Result<String, StoreError> {
    let text = serde_json::to_string(record)?;
    Ok(format!("import-{}", &magister_core::rules_hash(&text)[..24]))
}

async fn put_game(
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

/// Writes one entry.
pub(crate) async fn write(connection: &mut AnyConnection, entry: &Entry) -> Result<(), StoreError> {
    match entry {
        Entry::Begun { record, places, rules, tournament, at_ms } => {
            let id = entry.id().to_owned();
            if let Some(rules) = rules {
                put_game(connection, &record.rules_hash, &record.game, rules).await?;
            }
            sqlx::query(
                "INSERT INTO matches (id, game, rules_hash, status, started_ms, tournament, head)
                 VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
            )
            .bind(id.clone())
            .bind(record.game.clone())
            .bind(record.rules_hash.clone())
            .bind(Status::Running.name())
            .bind(*at_ms)
            .bind(tournament.clone())
            .bind(serde_json::to_string(record)?)
            .execute(&mut *connection)
            .await?;
            for (seat, player) in record.players.iter().enumerate() {
                let place = places.get(seat).cloned().unwrap_or_default();
                let role = record.seats.get(seat).map(|seat| seat.role.clone());
                sqlx::query(
                    "INSERT INTO seats (match_id, seat, role, player, address, repeats, faults)
                     VALUES ($1, $2, $3, $4, $5, $6, 0) ON CONFLICT DO NOTHING",
                )
                .bind(id.clone())
                .bind(seat as i64)
                .bind(role.unwrap_or_default())
                .bind(player.clone())
                .bind(place.address)
                .bind(i64::from(place.repeats))
                .execute(&mut *connection)
                .await?;
            }
        }
        Entry::Requested(key) => {
            sqlx::query(
                "INSERT INTO requests (match_id, kind, turn, seat) VALUES ($1, $2, $3, $4)
                 ON CONFLICT DO NOTHING",
            )
            .bind(key.id.clone())
            .bind(key.kind.name())
            .bind(key.turn as i64)
            .bind(key.seat as i64)
            .execute(connection)
            .await?;
        }
        Entry::Answered { key, body } => {
            sqlx::query(
                "INSERT INTO answers (match_id, kind, turn, seat, body) VALUES ($1, $2, $3, $4, $5)
                 ON CONFLICT DO NOTHING",
            )
            .bind(key.id.clone())
            .bind(key.kind.name())
            .bind(key.turn as i64)
            .bind(key.seat as i64)
            .bind(serde_json::to_string(body)?)
            .execute(connection)
            .await?;
        }
        Entry::Stepped { id, turn, from, steps } => {
            for (number, step) in steps.iter().enumerate() {
                sqlx::query(
                    "INSERT INTO steps (match_id, step, turn, body) VALUES ($1, $2, $3, $4)
                     ON CONFLICT DO NOTHING",
                )
                .bind(id.clone())
                .bind((from + number) as i64)
                .bind(*turn as i64)
                .bind(serde_json::to_string(step)?)
                .execute(&mut *connection)
                .await?;
            }
        }
        Entry::Rewound { record } => {
            let id = entry.id().to_owned();
            for table in [
                "DELETE FROM steps WHERE match_id = $1",
                "DELETE FROM requests WHERE match_id = $1",
                "DELETE FROM answers WHERE match_id = $1",
            ] {
                sqlx::query(table).bind(id.clone()).execute(&mut *connection).await?;
            }
            sqlx::query(
                "UPDATE matches SET head = $1, record = NULL, ended_ms = NULL, status = $2
                 WHERE id = $3",
            )
            .bind(serde_json::to_string(record)?)
            .bind(Status::Running.name())
            .bind(id)
            .execute(connection)
            .await?;
        }
        Entry::Ended { record, at_ms } => {
            sqlx::query("UPDATE matches SET status = $1, ended_ms = $2, record = $3 WHERE id = $4")
                .bind(Status::Ending.name())
                .bind(*at_ms)
                .bind(serde_json::to_string(record)?)
                .bind(entry.id().to_owned())
                .execute(&mut *connection)
                .await?;
            for (seat, reward) in record.rewards.iter().enumerate() {
                let mistakes = record.errors.iter().filter(|fault| fault.seat == Some(seat));
                let faults = mistakes.filter(|fault| fault.kind.is_mistake()).count();
                sqlx::query(
                    "UPDATE seats SET reward = $1, faults = $2 WHERE match_id = $3 AND seat = $4",
                )
                .bind(*reward)
                .bind(faults as i64)
                .bind(entry.id().to_owned())
                .bind(seat as i64)
                .execute(&mut *connection)
                .await?;
            }
        }
        Entry::Dismissed { id } => {
            sqlx::query("UPDATE matches SET status = $1 WHERE id = $2")
                .bind(Status::Ended.name())
                .bind(id.clone())
                .execute(connection)
                .await?;
        }
    }
    Ok(())
}
