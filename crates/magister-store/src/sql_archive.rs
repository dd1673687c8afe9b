//! Lists, ratings, accounts, uploads and tournaments in `SQLite` or `PostgreSQL`.

use std::collections::BTreeMap;

use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::archive::{
    Account, AccountRole, Archive, Session, Tournament, TournamentStatus, Upload,
};
use crate::sql::{now_ms, put_game};
use crate::{Filter, MatchLine, RatingRow, SqlStore, Status, StoreError};

/// The seats of matches: player, reward, faults.
type Seats = Vec<(String, Option<f64>, i64)>;

impl Archive for SqlStore {
    async fn list(&self, filter: &Filter) -> Result<Vec<MatchLine>, StoreError> {
        // One statement for the matches and one for their seats: a query for each match would make
        // long lists slow.
        const WANTED: &str = "WHERE ($1 = '' OR game = $1) AND ($2 = '' OR status = $2)
               AND ($3 = '' OR tournament = $3)
               AND ($4 = '' OR EXISTS (SELECT 1 FROM seats AS wanted
                    WHERE wanted.match_id = matches.id AND wanted.player = $4))
             ORDER BY started_ms DESC, id DESC LIMIT $5";
        const MATCHES: &str =
            "SELECT id, game, rules_hash, status, started_ms, ended_ms, tournament
             FROM matches ";
        const SEATS: &str = "SELECT match_id, player, reward, faults FROM seats
             WHERE match_id IN (SELECT id FROM matches ";
        let bound = |text: String| {
            sqlx::query(sqlx::AssertSqlSafe(text))
                .bind(filter.game.clone().unwrap_or_default())
                .bind(filter.status.map_or("", Status::name).to_owned())
                .bind(filter.tournament.clone().unwrap_or_default())
                .bind(filter.player.clone().unwrap_or_default())
                .bind(filter.limit.map_or(i64::MAX, i64::from))
        };
        let rows = bound(format!("{MATCHES}{WANTED}")).fetch_all(&self.pool).await?;
        let mut seats: BTreeMap<String, Seats> = BTreeMap::new();
        let seated = bound(format!("{SEATS}{WANTED}) ORDER BY match_id, seat"));
        for row in seated.fetch_all(&self.pool).await? {
            let seat = (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
            seats.entry(row.try_get(0)?).or_default().push(seat);
        }
        rows.iter()
            .rev()
            .map(|row| {
                let id: String = row.try_get(0)?;
                Ok(MatchLine {
                    seats: seats.remove(&id).unwrap_or_default(),
                    id,
                    game: row.try_get(1)?,
                    rules_hash: row.try_get(2)?,
                    status: Status::parse(&row.try_get::<String, _>(3)?),
                    started_ms: row.try_get(4)?,
                    ended_ms: row.try_get(5)?,
                    tournament: row.try_get(6)?,
                })
            })
            .collect()
    }

    async fn put_game(&self, hash: &str, name: &str, rules: &str) -> Result<(), StoreError> {
        let mut connection = self.pool.acquire().await?;
        put_game(&mut connection, hash, name, rules).await
    }

    async fn game(&self, hash: &str) -> Result<Option<String>, StoreError> {
        let query = sqlx::query("SELECT rules FROM games WHERE rules_hash = $1");
        let row = query.bind(hash.to_owned()).fetch_optional(&self.pool).await?;
        Ok(row.map(|row| row.try_get(0)).transpose()?)
    }

    async fn put_ratings(&self, scale: &str, rows: &[RatingRow]) -> Result<(), StoreError> {
        let mut transaction = self.pool.begin().await?;
        let delete = sqlx::query("DELETE FROM ratings WHERE scale = $1").bind(scale.to_owned());
        delete.execute(&mut *transaction).await?;
        for row in rows {
            sqlx::query(
                "INSERT INTO ratings (scale, game, player, rating, low, high, updated_ms)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
            )
            // The driver declares a NULL with a shorter type than a number, so the statement cannot
            // be kept prepared.
            .persistent(false)
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

    async fn ratings(&self, scale: &str) -> Result<Vec<RatingRow>, StoreError> {
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

    async fn add_account(&self, account: &Account) -> Result<(), StoreError> {
        let done = sqlx::query(
            "INSERT INTO accounts
                (id, name, folded_name, password_hash, role, is_disabled, created_ms)
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
        )
        .bind(account.id.clone())
        .bind(account.name.clone())
        .bind(Account::folded_name(&account.name))
        .bind(account.password_hash.clone())
        .bind(account.role.name())
        .bind(i64::from(account.is_disabled))
        .bind(account.created_ms)
        .execute(&self.pool)
        .await?;
        if done.rows_affected() == 0 { Err(StoreError::Taken) } else { Ok(()) }
    }

    async fn account(&self, id: &str) -> Result<Option<Account>, StoreError> {
        let query = sqlx::query(
            "SELECT id, name, password_hash, role, is_disabled, created_ms FROM accounts
             WHERE id = $1",
        );
        let row = query.bind(id.to_owned()).fetch_optional(&self.pool).await?;
        row.map(|row| account(&row, 0)).transpose()
    }

    async fn account_named(&self, name: &str) -> Result<Option<Account>, StoreError> {
        let query = sqlx::query(
            "SELECT id, name, password_hash, role, is_disabled, created_ms FROM accounts
             WHERE folded_name = $1",
        );
        let row = query.bind(Account::folded_name(name)).fetch_optional(&self.pool).await?;
        row.map(|row| account(&row, 0)).transpose()
    }

    async fn accounts(&self) -> Result<Vec<Account>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, name, password_hash, role, is_disabled, created_ms FROM accounts
             ORDER BY folded_name",
        );
        rows.fetch_all(&self.pool).await?.iter().map(|row| account(row, 0)).collect()
    }

    async fn change_account(&self, account: &Account) -> Result<bool, StoreError> {
        // The condition on the name is part of the statement, so two concurrent changes cannot both
        // take it.
        let done = sqlx::query(
            "UPDATE accounts SET name = $2, folded_name = $3, password_hash = $4, role = $5,
                is_disabled = $6
             WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM accounts AS other
                WHERE other.folded_name = $3 AND other.id <> $1)",
        )
        .bind(account.id.clone())
        .bind(account.name.clone())
        .bind(Account::folded_name(&account.name))
        .bind(account.password_hash.clone())
        .bind(account.role.name())
        .bind(i64::from(account.is_disabled))
        .execute(&self.pool)
        .await?;
        if done.rows_affected() > 0 {
            return Ok(true);
        }
        let exists = self.account(&account.id).await?.is_some();
        if exists { Err(StoreError::Taken) } else { Ok(false) }
    }

    async fn remove_account(&self, id: &str) -> Result<bool, StoreError> {
        let mut transaction = self.pool.begin().await?;
        let delete = sqlx::query("DELETE FROM accounts WHERE id = $1").bind(id.to_owned());
        let done = delete.execute(&mut *transaction).await?.rows_affected() > 0;
        let delete = sqlx::query("DELETE FROM sessions WHERE account_id = $1").bind(id.to_owned());
        delete.execute(&mut *transaction).await?;
        let delete = sqlx::query("DELETE FROM uploads WHERE owner = $1").bind(id.to_owned());
        if done {
            delete.execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(done)
    }

    async fn add_session(&self, session: &Session) -> Result<(), StoreError> {
        let done = sqlx::query(
            "INSERT INTO sessions (token_hash, account_id, csrf_token, created_ms, expires_ms)
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
        )
        .bind(session.token_hash.clone())
        .bind(session.account.clone())
        .bind(session.csrf_token.clone())
        .bind(session.created_ms)
        .bind(session.expires_ms)
        .execute(&self.pool)
        .await?;
        if done.rows_affected() == 0 { Err(StoreError::Taken) } else { Ok(()) }
    }

    async fn session(
        &self,
        token_hash: &str,
        now_ms: i64,
    ) -> Result<Option<(Session, Account)>, StoreError> {
        let row = sqlx::query(
            "SELECT s.token_hash, s.account_id, s.csrf_token, s.created_ms, s.expires_ms,
                a.id, a.name, a.password_hash, a.role, a.is_disabled, a.created_ms
             FROM sessions AS s JOIN accounts AS a ON a.id = s.account_id
             WHERE s.token_hash = $1 AND s.expires_ms > $2 AND a.is_disabled = 0",
        )
        .bind(token_hash.to_owned())
        .bind(now_ms)
        .fetch_optional(&self.pool)
        .await?;
        let read = |row: AnyRow| -> Result<(Session, Account), StoreError> {
            let session = Session {
                token_hash: row.try_get(0)?,
                account: row.try_get(1)?,
                csrf_token: row.try_get(2)?,
                created_ms: row.try_get(3)?,
                expires_ms: row.try_get(4)?,
            };
            Ok((session, account(&row, 5)?))
        };
        row.map(read).transpose()
    }

    async fn remove_session(&self, token_hash: &str) -> Result<bool, StoreError> {
        let delete = sqlx::query("DELETE FROM sessions WHERE token_hash = $1");
        let done = delete.bind(token_hash.to_owned()).execute(&self.pool).await?;
        Ok(done.rows_affected() > 0)
    }

    async fn remove_sessions_of(&self, account: &str) -> Result<u64, StoreError> {
        let delete = sqlx::query("DELETE FROM sessions WHERE account_id = $1");
        Ok(delete.bind(account.to_owned()).execute(&self.pool).await?.rows_affected())
    }

    async fn remove_expired_sessions(&self, now_ms: i64) -> Result<u64, StoreError> {
        let delete = sqlx::query("DELETE FROM sessions WHERE expires_ms <= $1");
        Ok(delete.bind(now_ms).execute(&self.pool).await?.rows_affected())
    }

    async fn add_upload(&self, upload: &Upload) -> Result<(), StoreError> {
        let done = sqlx::query(
            "INSERT INTO uploads (id, owner, kind, name, content, created_ms)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
        )
        .bind(upload.id.clone())
        .bind(upload.owner.clone())
        .bind(upload.kind.clone())
        .bind(upload.name.clone())
        .bind(upload.content.clone())
        .bind(upload.created_ms)
        .execute(&self.pool)
        .await?;
        if done.rows_affected() == 0 { Err(StoreError::Taken) } else { Ok(()) }
    }

    async fn upload(&self, id: &str) -> Result<Option<Upload>, StoreError> {
        let query = sqlx::query(
            "SELECT id, owner, kind, name, content, created_ms FROM uploads WHERE id = $1",
        );
        let row = query.bind(id.to_owned()).fetch_optional(&self.pool).await?;
        row.as_ref().map(upload).transpose()
    }

    async fn uploads(&self, owner: Option<&str>) -> Result<Vec<Upload>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, owner, kind, name, content, created_ms FROM uploads
             WHERE $1 = 1 OR owner = $2 ORDER BY created_ms, id",
        )
        .bind(i64::from(owner.is_none()))
        .bind(owner.unwrap_or_default().to_owned());
        rows.fetch_all(&self.pool).await?.iter().map(upload).collect()
    }

    async fn remove_upload(&self, id: &str) -> Result<bool, StoreError> {
        let delete = sqlx::query("DELETE FROM uploads WHERE id = $1").bind(id.to_owned());
        Ok(delete.execute(&self.pool).await?.rows_affected() > 0)
    }

    async fn put_tournament(&self, tournament: &Tournament) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO tournaments (name, settings, status, result, created_ms, ended_ms)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (name) DO UPDATE SET settings = excluded.settings,
                status = excluded.status, result = excluded.result, ended_ms = excluded.ended_ms",
        )
        .bind(tournament.name.clone())
        .bind(tournament.settings.clone())
        .bind(tournament.status.name())
        .bind(tournament.result.clone())
        .bind(tournament.created_ms)
        .bind(tournament.ended_ms)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    async fn tournament(&self, name: &str) -> Result<Option<Tournament>, StoreError> {
        let query = sqlx::query(
            "SELECT name, settings, status, result, created_ms, ended_ms FROM tournaments
             WHERE name = $1",
        );
        let row = query.bind(name.to_owned()).fetch_optional(&self.pool).await?;
        row.as_ref().map(tournament).transpose()
    }

    async fn tournaments(&self) -> Result<Vec<Tournament>, StoreError> {
        let rows = sqlx::query(
            "SELECT name, settings, status, result, created_ms, ended_ms FROM tournaments
             ORDER BY created_ms, name",
        );
        rows.fetch_all(&self.pool).await?.iter().map(tournament).collect()
    }
}

/// The account whose columns begin here.
fn account(row: &AnyRow, at: usize) -> Result<Account, StoreError> {
    Ok(Account {
        id: row.try_get(at)?,
        name: row.try_get(at + 1)?,
        password_hash: row.try_get(at + 2)?,
        role: AccountRole::parse(&row.try_get::<String, _>(at + 3)?),
        is_disabled: row.try_get::<i64, _>(at + 4)? != 0,
        created_ms: row.try_get(at + 5)?,
    })
}

fn upload(row: &AnyRow) -> Result<Upload, StoreError> {
    Ok(Upload {
        id: row.try_get(0)?,
        owner: row.try_get(1)?,
        kind: row.try_get(2)?,
        name: row.try_get(3)?,
        content: row.try_get(4)?,
        created_ms: row.try_get(5)?,
    })
}

fn tournament(row: &AnyRow) -> Result<Tournament, StoreError> {
    Ok(Tournament {
        name: row.try_get(0)?,
        settings: row.try_get(1)?,
        status: TournamentStatus::parse(&row.try_get::<String, _>(2)?),
        result: row.try_get(3)?,
        created_ms: row.try_get(4)?,
        ended_ms: row.try_get(5)?,
    })
}
