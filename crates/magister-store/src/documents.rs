//! Small documents that belong to no match log: the data of a site about its matches, its players
//! and its users.

use sqlx::Row as _;

use crate::sql::now_ms;
use crate::{SqlStore, StoreError};

impl SqlStore {
    /// Stores a document under a kind and a name. It replaces an earlier one.
    pub async fn put_document(&self, kind: &str, name: &str, body: &str) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO documents (kind, name, body, updated_ms) VALUES ($1, $2, $3, $4)
             ON CONFLICT (kind, name) DO UPDATE SET body = $3, updated_ms = $4",
        )
        .bind(kind.to_owned())
        .bind(name.to_owned())
        .bind(body.to_owned())
        .bind(now_ms())
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// A document, if there is one.
    pub async fn document(&self, kind: &str, name: &str) -> Result<Option<String>, StoreError> {
        let query = sqlx::query("SELECT body FROM documents WHERE kind = $1 AND name = $2");
        let query = query.bind(kind.to_owned()).bind(name.to_owned());
        let row = query.fetch_optional(&self.pool).await?;
        Ok(row.map(|row| row.try_get(0)).transpose()?)
    }

    /// All documents of a kind with their names, in the order of the names.
    pub async fn documents(&self, kind: &str) -> Result<Vec<(String, String)>, StoreError> {
        let query = sqlx::query("SELECT name, body FROM documents WHERE kind = $1 ORDER BY name");
        let rows = query.bind(kind.to_owned()).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
    }

    /// Deletes a document.
    pub async fn delete_document(&self, kind: &str, name: &str) -> Result<(), StoreError> {
        let query = sqlx::query("DELETE FROM documents WHERE kind = $1 AND name = $2");
        query.bind(kind.to_owned()).bind(name.to_owned()).execute(&self.pool).await?;
        Ok(())
    }
}
