//! Operations of a site beyond [`Archive`](crate::Archive): uploads that replace earlier ones, and
//! copies of the whole store.

use std::path::Path;

use crate::{SqlStore, StoreError, Upload};

impl SqlStore {
    /// Stores an upload. It replaces the content of the owner's upload of the same kind and name,
    /// which keeps its id.
    pub async fn put_upload(&self, upload: &Upload) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO uploads (id, owner, kind, name, content, created_ms)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (owner, kind, name) DO UPDATE SET content = $5, created_ms = $6",
        )
        .bind(upload.id.clone())
        .bind(upload.owner.clone())
        .bind(upload.kind.clone())
        .bind(upload.name.clone())
        .bind(upload.content.clone())
        .bind(upload.created_ms)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Writes a consistent copy of a store in SQLite to a new file, while matches continue.
    pub async fn backup(&self, file: &Path) -> Result<(), StoreError> {
        if !self.is_sqlite {
            let what = "only SQLite stores can be copied; use pg_dump for PostgreSQL";
            return Err(StoreError::Backup(what.to_owned()));
        }
        if file.exists() {
            let what = format!("{} already exists; name a new file", file.display());
            return Err(StoreError::Backup(what));
        }
        let name = file.to_str();
        let name = name.ok_or_else(|| StoreError::Backup("the name is not in UTF-8".to_owned()))?;
        sqlx::query("VACUUM INTO $1").bind(name.to_owned()).execute(&self.pool).await?;
        Ok(())
    }
}
